//! Values that have no columns of their own shape: a batch keeps them as they are.

use std::ops::{Deref, Range};

use super::{Batch, Batched, ReadBatch, WriteBatch};
use crate::error::Result;
use crate::field::{FieldReader, FieldWriter, Value};

/// Many values as they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Rows<T>(Vec<T>);

impl<T> Rows<T> {
    /// Adds a value.
    pub fn push(&mut self, value: T) {
        self.0.push(value);
    }

    /// The values of a range, as far as there are any.
    fn slice(&self, range: Range<usize>) -> &[T] {
        self.0.get(range).unwrap_or_default()
    }

    /// The values of a range, as far as there are any.
    #[doc(hidden)]
    pub fn iter_in(&self, range: Range<usize>) -> std::slice::Iter<'_, T> {
        self.slice(range).iter()
    }
}

impl<T> Default for Rows<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> From<Vec<T>> for Rows<T> {
    fn from(rows: Vec<T>) -> Self {
        Self(rows)
    }
}

impl<T> From<Rows<T>> for Vec<T> {
    fn from(rows: Rows<T>) -> Self {
        rows.0
    }
}

impl<T> Deref for Rows<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> Batch for Rows<T> {
    type View<'a>
        = &'a [T]
    where
        T: 'a;

    const UNCOUNTED: usize = size_of::<T>();

    fn len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn view(&self) -> &[T] {
        &self.0
    }
}

impl<T, R: FieldReader<T>> ReadBatch<Rows<T>> for R {
    fn read_batch(&mut self, count: usize, out: &mut Rows<T>) -> Result<()> {
        self.read_many(count, &mut out.0)
    }
}

impl<T, W: FieldWriter<T>> WriteBatch<Rows<T>> for W {
    fn append_batch(&mut self, batch: &Rows<T>, range: Range<usize>) -> usize {
        self.append_slice(batch.slice(range))
    }
}

/// Appends the next `count` values to `out`, one after the other.
///
/// # Errors
/// As [`FieldReader::read`].
pub fn read_rows<T: Batched, R: FieldReader<T>>(
    reader: &mut R,
    count: usize,
    out: &mut T::Batch,
) -> Result<()> {
    for _ in 0..count {
        reader.read()?.push_to(out);
    }
    Ok(())
}

impl Batched for Value {
    type Batch = Rows<Self>;

    fn push_to(&self, batch: &mut Rows<Self>) {
        batch.push(self.clone());
    }
}
