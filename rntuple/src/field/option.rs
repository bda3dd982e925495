//! Options: collections of nothing or one.

use super::{
    CollectionReader, CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField,
    WriteField,
};
use crate::error::{Error, Result};
use crate::schema::TypeName;

impl<T, W: FieldWriter<T>> FieldWriter<Option<T>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &Option<T>) -> usize {
        match value {
            Some(value) => self.append_items(1, |item| item.append(value)),
            None => self.append_items(0, |_| 0),
        }
    }
}

impl<T: WriteField> WriteField for Option<T> {
    type Writer = CollectionWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::optional(&T::type_name())
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        CollectionWriter::declare(field, &Self::type_name(), T::declare)
    }
}

impl<T, R: FieldReader<T>> FieldReader<Option<T>> for CollectionReader<R> {
    #[inline]
    fn read(&mut self) -> Result<Option<T>> {
        match self.next_count()? {
            0 => Ok(None),
            1 => self.item.read().map(Some),
            count => Err(too_many(count)),
        }
    }

    #[inline]
    fn read_into(&mut self, slot: &mut Option<T>) -> Result<()> {
        match (self.next_count()?, slot) {
            (0, slot) => *slot = None,
            (1, Some(value)) => self.item.read_into(value)?,
            (1, slot) => *slot = Some(self.item.read()?),
            (count, _) => return Err(too_many(count)),
        }
        Ok(())
    }
}

#[cold]
fn too_many(count: usize) -> Error {
    Error::out_of_spec(format!("an option of {count} values"))
}

impl<T: ReadField> ReadField for Option<T> {
    type Reader = CollectionReader<T::Reader>;

    fn connect(field: FieldNode<'_>) -> Result<Self::Reader> {
        // On storage an option is a collection; only its name tells it from a vector, which may hold more.
        let name = field.descriptor().map(|field| &*field.type_name).unwrap_or_default();
        if !is_optional(name) {
            return Err(field.mismatch("an option"));
        }
        CollectionReader::connect(field, "an option", T::connect)
    }
}

/// Whether a C++ type of this name holds one value or none.
pub(super) fn is_optional(name: &str) -> bool {
    ["std::optional<", "std::unique_ptr<"].iter().any(|prefix| name.starts_with(prefix))
}
