//! Pointers and wrappers: what they point to.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::Arc;

use super::{Columnar, ReadColumnar, SliceOf, WriteColumnar};
use crate::error::Result;
use crate::field::cxx::{Cxx, CxxName};
use crate::field::{Atomic, PointerReader, PointerWriter, ReadField};

macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty: $value:ident $(where $name:ty: $bound:path)?;)*) => {$(
        impl<$($generics)*> Columnar for $pointer
        where
            $value: Columnar,
        {
            type Columns = $value::Columns;

            #[inline]
            fn push_to(&self, columns: &mut Self::Columns) {
                (**self).push_to(columns);
            }
        }

        impl<$($generics)*> WriteColumnar for $pointer
        where
            $value: WriteColumnar,
            $($name: $bound,)?
        {
            #[inline]
            fn append_columns(writer: &mut PointerWriter<$value::Writer>, values: SliceOf<'_, Self>) -> usize {
                $value::append_columns(&mut writer.0, values)
            }
        }
    )*};
}

pointers! {
    [T: ?Sized] &T: T;
    [T: ?Sized] Box<T>: T;
    [T: ?Sized] Rc<T>: T;
    [T: ?Sized] Arc<T>: T;
    [T: ToOwned + ?Sized] Cow<'_, T>: T;
    [T] Atomic<T>: T;
    [C, N] Cxx<C, N>: C where N: CxxName<C>;
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
    [C: ReadColumnar, N] Cxx<C, N>: C;
    ['p, T: Columnar + ToOwned<Owned: ReadColumnar<Columns = T::Columns>> + ?Sized] Cow<'p, T>: T::Owned;
}
