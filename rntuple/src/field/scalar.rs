//! Values that fill one column: a scalar's writer *is* its column.

use half::f16;

use super::own::{connects_members, declares_members};
use super::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Position, ReadField, WriteField,
};
use crate::cluster::Gathered;
use crate::column::{ColumnReader, ColumnWriter};
use crate::encoding::{Byte, CxxChar, Element};
use crate::error::Result;
use crate::schema::TypeName;

impl<E: Element> Commit for ColumnWriter<E> {
    #[inline]
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        ColumnWriter::commit(self, cluster);
    }
}

impl<E: Element> FieldWriter<E> for ColumnWriter<E> {
    #[inline]
    fn append(&mut self, value: &E) -> usize {
        self.push(*value)
    }

    #[inline]
    fn append_each<'a, I>(&mut self, values: I) -> usize
    where
        I: ExactSizeIterator<Item = &'a E> + Clone,
    {
        self.extend_items(values.copied())
    }

    #[inline]
    fn append_slice(&mut self, values: &[E]) -> usize {
        self.extend_from_slice(values)
    }
}

impl<E: Element> Attach for ColumnReader<E> {
    const DETACHED: Self = Self::DETACHED;

    #[inline]
    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.go_to(to.cluster(), to.element())
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        Some(ColumnReader::remaining(self))
    }
}

impl<E: Element> FieldReader<E> for ColumnReader<E> {
    #[inline]
    fn read(&mut self) -> Result<E> {
        self.next()
    }

    #[inline]
    fn read_many(&mut self, count: usize, out: &mut Vec<E>) -> Result<()> {
        self.append_to(count, out)
    }

    #[inline]
    fn spare_list(&mut self) -> Vec<E> {
        self.spare_list()
    }

    #[inline]
    fn keep_list(&mut self, list: Vec<E>) {
        self.keep_list(list);
    }

    #[inline]
    fn read_array<const N: usize>(&mut self) -> Result<[E; N]> {
        let mut values = [E::default(); N];
        self.copy_to(&mut values)?;
        Ok(values)
    }
}

macro_rules! scalars {
    ($($type:ty, $cxx:literal;)*) => {$(
        impl WriteField for $type {
            type Writer = ColumnWriter<$type>;

            fn type_name() -> TypeName {
                TypeName::typed($cxx)
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                field.plain(&Self::type_name());
                field.column()
            }

            declares_members!();
        }

        impl ReadField for $type {
            type Reader = ColumnReader<$type>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                *reader = field.scalar()?;
                Ok(())
            }

            connects_members!();
        }
    )*};
}

// C++ spellings: format, section 9.2. C++ has no half precision type; ROOT keeps it in a `float` field.
scalars! {
    Byte, "std::byte";
    CxxChar, "char";
    i8, "std::int8_t";
    u8, "std::uint8_t";
    i16, "std::int16_t";
    u16, "std::uint16_t";
    i32, "std::int32_t";
    u32, "std::uint32_t";
    i64, "std::int64_t";
    u64, "std::uint64_t";
    f16, "float";
    f32, "float";
    f64, "double";
}

impl WriteField for bool {
    type Writer = ColumnWriter<bool>;

    fn type_name() -> TypeName {
        TypeName::typed("bool")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.plain(&Self::type_name());
        field.column()
    }

    declares_members!();

    fn array_type_name(count: usize) -> TypeName {
        TypeName::typed(format!("std::bitset<{count}>"))
    }

    fn declare_array(field: &mut FieldBuilder<'_>, count: usize) -> Self::Writer {
        // The bits are a column of the repeated field itself (format, section 9.2).
        field.array(&Self::array_type_name(count), count);
        field.column()
    }
}

impl ReadField for bool {
    type Reader = ColumnReader<bool>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        *reader = field.scalar()?;
        Ok(())
    }

    connects_members!();
}
