//! Tuples: a tuple of what their members are.

use std::ops::{Deref, Range};

use super::{Columnar, Columns, ReadColumnar, Slice, SliceOf, WriteColumnar, check_member, methods};
use crate::error::Result;
use crate::field::{TupleReader, TupleWriter};

/// Many tuples: a tuple of columns.
#[derive(Clone, Debug, Default)]
pub struct Tuples<M>(pub M);

/// Many tuples, lent: a tuple of slices, which are its members: `pairs.0`, `pairs.1`.
#[derive(Clone, Copy)]
pub struct TupleSlice<S>(S);

impl<S> TupleSlice<S> {
    /// Makes tuples of the slices of their members.
    pub fn new(members: S) -> Self {
        Self(members)
    }
}

impl<S> Deref for TupleSlice<S> {
    type Target = S;

    #[inline]
    fn deref(&self) -> &S {
        &self.0
    }
}

methods! { [S] TupleSlice<S> where TupleSlice<S>: Slice }

impl<K: Columns, V: Columns> Tuples<(K, V)> {
    /// Appends a pair of a map, whose halves lie apart in memory.
    pub(super) fn push_pair<A: Columnar<Columns = K>, B: Columnar<Columns = V>>(
        &mut self,
        key: &A,
        value: &B,
    ) {
        key.push_to(&mut self.0.0);
        value.push_to(&mut self.0.1);
    }
}

macro_rules! tuples {
    ($($($type:ident $index:tt)+;)*) => {$(
        impl<$($type: Columns),+> Columns for Tuples<($($type,)+)> {
            type Slice<'a> = TupleSlice<($($type::Slice<'a>,)+)>;

            const UNCOUNTED: usize = 0 $(+ $type::UNCOUNTED)+;

            fn as_slice(&self) -> Self::Slice<'_> {
                TupleSlice(($(self.0.$index.as_slice(),)+))
            }

            fn clear(&mut self) {
                $(self.0.$index.clear();)+
            }
        }

        impl<$($type: Slice),+> Slice for TupleSlice<($($type,)+)> {
            type One = ($($type::One,)+);
            type Array<const N: usize> = Self;

            #[inline]
            fn len(self) -> usize {
                self.0.0.len()
            }

            #[inline]
            fn get(self, index: usize) -> Option<Self::One> {
                Some(($(self.0.$index.get(index)?,)+))
            }

            #[inline]
            fn part(self, range: Range<usize>) -> Option<Self> {
                Some(Self(($(self.0.$index.part(range.clone())?,)+)))
            }

            #[inline]
            fn array<const N: usize>(self) -> Option<Self> {
                (Slice::len(self) == N).then_some(self)
            }

            fn check(self) -> Result<()> {
                $(check_member(stringify!($index), self.0.$index, Slice::len(self))?;)+
                Ok(())
            }
        }

        impl<$($type: Columnar),+> Columnar for ($($type,)+) {
            type Columns = Tuples<($($type::Columns,)+)>;

            fn push_to(&self, columns: &mut Self::Columns) {
                $(self.$index.push_to(&mut columns.0.$index);)+
            }
        }

        impl<$($type: ReadColumnar),+> ReadColumnar for ($($type,)+) {
            fn read_columns(
                reader: &mut TupleReader<($($type::Reader,)+)>,
                count: usize,
                out: &mut Self::Columns,
            ) -> Result<()> {
                $($type::read_columns(&mut reader.0.$index, count, &mut out.0.$index)?;)+
                Ok(())
            }

            #[inline]
            fn lend<'a>(
                reader: &'a mut TupleReader<($($type::Reader,)+)>,
                count: usize,
                spare: &'a mut Self::Columns,
            ) -> Result<SliceOf<'a, Self>> {
                Ok(TupleSlice(($($type::lend(&mut reader.0.$index, count, &mut spare.0.$index)?,)+)))
            }
        }

        impl<$($type: WriteColumnar),+> WriteColumnar for ($($type,)+) {
            fn append_columns(
                writer: &mut TupleWriter<($($type::Writer,)+)>,
                values: SliceOf<'_, Self>,
            ) -> usize {
                0 $(+ $type::append_columns(&mut writer.0.$index, values.0.$index))+
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7 I 8 J 9 K 10 L 11;
}
