//! Tuples: a batch for each member.

use std::ops::Range;

use super::columns::same_length;
use super::{Batch, Batched, ReadBatch, WriteBatch};
use crate::error::Result;
use crate::field::{TupleReader, TupleWriter};

/// Many tuples: a tuple of batches. As a member it is seen as the tuple of what these are seen as: `(&[f32], &[i8])`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tuples<M>(M);

impl<M: sealed::Members> Tuples<M> {
    /// Tuples of these members.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if they are not equally many.
    pub fn new(members: M) -> Result<Self> {
        members.check()?;
        Ok(Self(members))
    }
}

mod sealed {
    use crate::error::Result;

    /// A tuple of batches.
    pub trait Members {
        /// The number of values, which is that of each.
        fn check(&self) -> Result<usize>;
    }
}

impl<K: Batch, V: Batch> Tuples<(K, V)> {
    /// Adds a pair of a map, whose halves lie apart in memory.
    pub(super) fn push_pair<A: Batched<Batch = K>, B: Batched<Batch = V>>(&mut self, key: &A, value: &B) {
        key.push_to(&mut self.0.0);
        value.push_to(&mut self.0.1);
    }
}

macro_rules! tuples {
    ($($($type:ident $columns:ident $index:tt)+;)*) => {$(
        impl<$($type: Batch),+> sealed::Members for ($($type,)+) {
            fn check(&self) -> Result<usize> {
                same_length(&[$((stringify!($index), self.$index.len())),+])
            }
        }

        impl<$($type: Batch),+> Batch for Tuples<($($type,)+)> {
            type View<'a>
                = ($($type::View<'a>,)+)
            where
                $($type: 'a),+;

            const UNCOUNTED: usize = 0 $(+ $type::UNCOUNTED)+;

            fn len(&self) -> usize {
                self.0.0.len()
            }

            fn clear(&mut self) {
                $(self.0.$index.clear();)+
            }

            fn view(&self) -> Self::View<'_> {
                ($(self.0.$index.view(),)+)
            }
        }

        impl<$($type, $columns: ReadBatch<$type>),+> ReadBatch<Tuples<($($type,)+)>> for TupleReader<($($columns,)+)> {
            fn read_batch(&mut self, count: usize, out: &mut Tuples<($($type,)+)>) -> Result<()> {
                $(self.0.$index.read_batch(count, &mut out.0.$index)?;)+
                Ok(())
            }
        }

        impl<$($type, $columns: WriteBatch<$type>),+> WriteBatch<Tuples<($($type,)+)>> for TupleWriter<($($columns,)+)> {
            fn append_batch(&mut self, batch: &Tuples<($($type,)+)>, range: Range<usize>) -> usize {
                0 $(+ self.0.$index.append_batch(&batch.0.$index, range.clone()))+
            }
        }

        impl<$($type: Batched),+> Batched for ($($type,)+) {
            type Batch = Tuples<($($type::Batch,)+)>;

            fn push_to(&self, batch: &mut Self::Batch) {
                $(self.$index.push_to(&mut batch.0.$index);)+
            }
        }
    )*};
}

tuples! {
    A CA 0;
    A CA 0 B CB 1;
    A CA 0 B CB 1 C CC 2;
    A CA 0 B CB 1 C CC 2 D CD 3;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4 F CF 5;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4 F CF 5 G CG 6;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4 F CF 5 G CG 6 H CH 7;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4 F CF 5 G CG 6 H CH 7 I CI 8;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4 F CF 5 G CG 6 H CH 7 I CI 8 J CJ 9;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4 F CF 5 G CG 6 H CH 7 I CI 8 J CJ 9 K CK 10;
    A CA 0 B CB 1 C CC 2 D CD 3 E CE 4 F CF 5 G CG 6 H CH 7 I CI 8 J CJ 9 K CK 10 L CL 11;
}
