//! Enums without data, stored as their integers: with a name, C++ enums.

use super::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField, visits,
};
use crate::error::{Error, ErrorKind, Result};
use crate::schema::{FieldPlace, TypeName};

/// The column of an enum's integers, being filled.
#[derive(Debug)]
pub struct PlainEnumWriter<W>(W);

impl<W: Commit> PlainEnumWriter<W> {
    /// Declares integers of type `I`. The names of the variants, which the format has no place for, end their
    /// description: `The side: Left = 0, Right = 1`.
    pub fn declare<I: WriteField<Writer = W>>(
        field: &mut FieldBuilder<'_>,
        variants: &[(&str, i128)],
    ) -> Self {
        Self(I::declare(&mut field.again().variants(variants)))
    }

    /// Declares a C++ enum of this name over them.
    pub fn declare_named<I: WriteField<Writer = W>>(
        field: &mut FieldBuilder<'_>,
        name: &TypeName,
        variants: &[(&str, i128)],
    ) -> Self {
        field.plain(name);
        Self::declare::<I>(&mut field.item(), variants)
    }

    /// Appends one integer; returns its length in bytes.
    #[inline]
    pub fn append<I>(&mut self, value: I) -> usize
    where
        W: FieldWriter<I>,
    {
        self.0.append(&value)
    }
}

visits! { Commit for [W: Commit] PlainEnumWriter<W>: 0 }

/// The column of an enum's integers, being read.
#[derive(Debug)]
pub struct PlainEnumReader<R> {
    pub(super) column: R,
    pub(super) place: FieldPlace,
}

impl<R: Attach> PlainEnumReader<R> {
    /// Finds an enum, or plain integers.
    ///
    /// # Errors
    /// The field is something else, or keeps other values for these names.
    pub fn connect<I: ReadField<Reader = R>>(
        &mut self,
        field: FieldNode<'_>,
        variants: &[(&str, i128)],
    ) -> Result<()> {
        field.check_variants(variants)?;
        self.place = field.place();
        I::connect(field, &mut self.column)
    }

    /// The next integer.
    ///
    /// # Errors
    /// No value is left, or its page is damaged.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "a value is always there to be read or an error")]
    pub fn next<I>(&mut self) -> Result<I>
    where
        R: FieldReader<I>,
    {
        self.column.read()
    }

    /// The error of an integer that is no variant of the enum.
    #[cold]
    pub fn unknown(&self, name: &str, value: impl std::fmt::Display) -> Error {
        let message = format!("{value} is not a variant of the enum `{name}`");
        Error::new(ErrorKind::SchemaMismatch, message).in_field(self.place.to_string())
    }
}

visits! {
    Attach for [R: Attach] PlainEnumReader<R>: column;
    Self { column: R::DETACHED, place: FieldPlace::NOWHERE }
}
