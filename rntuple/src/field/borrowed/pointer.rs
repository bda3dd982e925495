//! Pointers: what they point to.

use std::rc::Rc;
use std::sync::Arc;

use super::Borrowed;
use crate::error::Result;
use crate::field::{Atomic, PointerReader};

macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<T: Borrowed> Borrowed for $pointer<T> {
            type Ref<'a> = T::Ref<'a>;
            type Slice<'a> = T::Slice<'a>;

            #[inline]
            fn borrow(columns: &mut PointerReader<T::Reader>) -> Result<T::Ref<'_>> {
                T::borrow(&mut columns.0)
            }

            #[inline]
            fn borrow_many(columns: &mut PointerReader<T::Reader>, count: usize) -> Result<T::Slice<'_>> {
                T::borrow_many(&mut columns.0, count)
            }
        }
    )*};
}

pointers! { Box Rc Arc Atomic }
