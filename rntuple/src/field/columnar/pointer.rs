//! Pointers: what they point to.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::{Columnar, ReadColumnar, SliceOf, WriteColumnar};
use crate::error::Result;
use crate::field::{Atomic, PointerReader, PointerWriter, ReadField};

macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<T: Columnar + $($generics)*> Columnar for $pointer {
            type Columns = T::Columns;

            #[inline]
            fn push_to(&self, columns: &mut Self::Columns) {
                (**self).push_to(columns);
            }
        }

        impl<T: WriteColumnar + $($generics)*> WriteColumnar for $pointer {
            #[inline]
            fn append_columns(writer: &mut PointerWriter<T::Writer>, values: SliceOf<'_, Self>) -> usize {
                T::append_columns(&mut writer.0, values)
            }
        }
    )*};
}

pointers! {
    [?Sized] &T;
    [?Sized] Box<T>;
    [?Sized] Rc<T>;
    [?Sized] Arc<T>;
    [ToOwned + ?Sized] Cow<'_, T>;
}

impl<T: Columnar> Columnar for Atomic<T> {
    type Columns = T::Columns;

    #[inline]
    fn push_to(&self, columns: &mut Self::Columns) {
        self.0.push_to(columns);
    }
}

impl<T: WriteColumnar> WriteColumnar for Atomic<T> {
    #[inline]
    fn append_columns(writer: &mut PointerWriter<T::Writer>, values: SliceOf<'_, Self>) -> usize {
        T::append_columns(&mut writer.0, values)
    }
}

macro_rules! reads {
    ($([$($generics:tt)*] $pointer:ty: $value:ty;)*) => {$(
        impl<$($generics)*> ReadColumnar for $pointer {
            fn read_columns(
                reader: &mut PointerReader<<$value as ReadField>::Reader>,
                count: usize,
                out: &mut Self::Columns,
            ) -> Result<()> {
                <$value>::read_columns(&mut reader.0, count, out)
            }

            #[inline]
            fn lend<'a>(
                reader: &'a mut PointerReader<<$value as ReadField>::Reader>,
                count: usize,
                spare: &'a mut Self::Columns,
            ) -> Result<SliceOf<'a, Self>> {
                <$value>::lend(&mut reader.0, count, spare)
            }
        }
    )*};
}

reads! {
    [T: ReadColumnar] Box<T>: T;
    [T: ReadColumnar] Rc<T>: T;
    [T: ReadColumnar] Arc<T>: T;
    [T: ReadColumnar] Atomic<T>: T;
    ['p, T: Columnar + ToOwned<Owned: ReadColumnar<Columns = T::Columns>> + ?Sized] Cow<'p, T>: T::Owned;
}
