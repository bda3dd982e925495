//! Tuples: tuples of what their members are.

use std::ops::Range;

use super::{Borrowed, Many};
use crate::error::Result;
use crate::field::TupleReader;

macro_rules! tuples {
    ($($type:ident $slice:ident $index:tt),+) => {
        impl<$($slice: Many),+> Many for ($($slice,)+) {
            type One = ($($slice::One,)+);
            type Array<const N: usize> = Self;

            fn empty() -> Self {
                ($($slice::empty(),)+)
            }

            #[inline]
            fn len(self) -> usize {
                Many::len(self.0)
            }

            #[inline]
            fn get(self, index: usize) -> Option<Self::One> {
                Some(($(self.$index.get(index)?,)+))
            }

            #[inline]
            fn part(self, range: Range<usize>) -> Option<Self> {
                Some(($(self.$index.part(range.clone())?,)+))
            }

            #[inline]
            fn array<const N: usize>(self) -> Option<Self> {
                (Many::len(self) == N).then_some(self)
            }
        }

        impl<$($type: Borrowed),+> Borrowed for ($($type,)+) {
            type Ref<'a> = ($($type::Ref<'a>,)+);
            type Slice<'a> = ($($type::Slice<'a>,)+);

            #[inline]
            fn borrow(columns: &mut TupleReader<($($type::Reader,)+)>) -> Result<Self::Ref<'_>> {
                Ok(($($type::borrow(&mut columns.0.$index)?,)+))
            }

            fn borrow_many(
                columns: &mut TupleReader<($($type::Reader,)+)>,
                count: usize,
            ) -> Result<Self::Slice<'_>> {
                Ok(($($type::borrow_many(&mut columns.0.$index, count)?,)+))
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
