//! Tuples: tuples of what their members are.

use std::ops::{Deref, Range};

use super::{Borrowed, Many, methods};
use crate::error::Result;
use crate::field::TupleReader;

/// Many tuples: a tuple of slices, which are its members: `pairs.0`, `pairs.1`.
#[derive(Clone, Copy)]
pub struct TupleSlice<S> {
    members: S,
}

impl<S> Deref for TupleSlice<S> {
    type Target = S;

    #[inline]
    fn deref(&self) -> &S {
        &self.members
    }
}

methods! { [S] TupleSlice<S> where TupleSlice<S>: Many }

macro_rules! tuples {
    ($($type:ident $slice:ident $index:tt),+) => {
        impl<$($slice: Many),+> Many for TupleSlice<($($slice,)+)> {
            type One = ($($slice::One,)+);
            type Array<const N: usize> = Self;

            fn empty() -> Self {
                Self { members: ($($slice::empty(),)+) }
            }

            #[inline]
            fn len(self) -> usize {
                self.members.0.len()
            }

            #[inline]
            fn get(self, index: usize) -> Option<Self::One> {
                Some(($(self.members.$index.get(index)?,)+))
            }

            #[inline]
            fn part(self, range: Range<usize>) -> Option<Self> {
                Some(Self { members: ($(self.members.$index.part(range.clone())?,)+) })
            }

            #[inline]
            fn array<const N: usize>(self) -> Option<Self> {
                (Many::len(self) == N).then_some(self)
            }
        }

        impl<$($type: Borrowed),+> Borrowed for ($($type,)+) {
            type Ref<'a> = ($($type::Ref<'a>,)+);
            type Slice<'a> = TupleSlice<($($type::Slice<'a>,)+)>;

            #[inline]
            fn borrow(columns: &mut TupleReader<($($type::Reader,)+)>) -> Result<Self::Ref<'_>> {
                Ok(($($type::borrow(&mut columns.0.$index)?,)+))
            }

            #[inline]
            fn borrow_many(
                columns: &mut TupleReader<($($type::Reader,)+)>,
                count: usize,
            ) -> Result<Self::Slice<'_>> {
                Ok(TupleSlice { members: ($($type::borrow_many(&mut columns.0.$index, count)?,)+) })
            }
        }
    };
}

tuples! { A SA 0 }
tuples! { A SA 0, B SB 1 }
tuples! { A SA 0, B SB 1, C SC 2 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4, F SF 5 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4, F SF 5, G SG 6 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4, F SF 5, G SG 6, H SH 7 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4, F SF 5, G SG 6, H SH 7, I SI 8 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4, F SF 5, G SG 6, H SH 7, I SI 8, J SJ 9 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4, F SF 5, G SG 6, H SH 7, I SI 8, J SJ 9, K SK 10 }
tuples! { A SA 0, B SB 1, C SC 2, D SD 3, E SE 4, F SF 5, G SG 6, H SH 7, I SI 8, J SJ 9, K SK 10, L SL 11 }
