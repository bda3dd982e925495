//! Members that are not borrowed from pages: their reader keeps the values, and lends them.

use crate::error::Result;
use crate::field::FieldReader;

/// The values of a member that were read last.
#[derive(Debug)]
pub struct Rows<T> {
    one: Option<T>,
    many: Vec<T>,
}

impl<T> Rows<T> {
    /// None yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { one: None, many: Vec::new() }
    }

    /// Reads the next value in place of the last one, whose allocations are reused.
    ///
    /// # Errors
    /// Those of reading.
    #[inline]
    pub fn read<R: FieldReader<T>>(&mut self, columns: &mut R) -> Result<&T> {
        match &mut self.one {
            Some(slot) => {
                columns.read_into(slot)?;
                Ok(slot)
            }
            none => Ok(none.insert(columns.read()?)),
        }
    }

    /// Keeps a value that was read.
    #[inline]
    pub fn keep(&mut self, value: T) -> &T {
        self.one.insert(value)
    }

    /// Begins to keep many values.
    pub fn clear(&mut self) {
        self.many.clear();
    }

    /// Keeps one more.
    #[inline]
    pub fn push(&mut self, value: T) {
        self.many.push(value);
    }

    /// The many values.
    #[must_use]
    pub fn list(&self) -> &[T] {
        &self.many
    }

    /// Reads the next `count` values.
    ///
    /// # Errors
    /// Those of reading.
    pub fn read_many<R: FieldReader<T>>(&mut self, columns: &mut R, count: usize) -> Result<&[T]> {
        self.many.clear();
        columns.read_many(count, &mut self.many)?;
        Ok(&self.many)
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self::new()
    }
}
