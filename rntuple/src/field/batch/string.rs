//! Strings: offsets, and the bytes of all.

use std::ops::Range;

use super::ends::{append_ends, check, items_of};
use super::{Batch, Batched, Pointees, ReadBatch, WriteBatch};
use crate::column::ItemLength;
use crate::error::{Error, Result};
use crate::field::string::{StringReader, StringWriter, not_utf8};

/// Many strings: the bytes of all of them, and where each begins and ends.
///
/// ```
/// use rntuple::batch::Strings;
/// let names: Strings = ["e", "µ"].into_iter().collect();
/// assert_eq!(names.offsets(), [0, 1, 3]);
/// assert_eq!(names.bytes(), "eµ".as_bytes());
/// assert_eq!(names.get(1), "µ");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strings {
    /// One more than there are strings, from 0; each at the border of a character.
    offsets: Vec<u64>,
    /// Valid UTF-8.
    bytes: Vec<u8>,
}

impl Default for Strings {
    fn default() -> Self {
        Self { offsets: vec![0], bytes: Vec::new() }
    }
}

impl Strings {
    /// Strings of these bytes, each from one of the offsets to the next.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the offsets do not begin with 0, fall, or do not
    /// end with the number of bytes, or if a string is not UTF-8.
    pub fn from_offsets(offsets: Vec<u64>, bytes: Vec<u8>) -> Result<Self> {
        check(&offsets, bytes.len())?;
        let this = Self { offsets, bytes };
        match this.is_utf8(0, 0) {
            true => Ok(this),
            false => Err(Error::invalid_argument("a string is not UTF-8")),
        }
    }

    /// The number of strings.
    pub fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether there are no strings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where each string begins among the bytes, and behind these where the last one ends.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The bytes of all strings.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// One of the strings.
    ///
    /// # Panics
    /// If there is no such string.
    #[expect(clippy::indexing_slicing, reason = "the documented panic, as a slice's")]
    pub fn get(&self, index: usize) -> &str {
        let offsets = &self.offsets[index..index + 2];
        self.text(items_of(offsets, &(0..1)))
    }

    /// The strings in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.len()).map(|index| self.text(items_of(&self.offsets, &(index..index + 1))))
    }

    /// Adds a string.
    pub fn push(&mut self, string: &str) {
        self.bytes.extend_from_slice(string.as_bytes());
        self.offsets.push(self.bytes.len() as u64);
    }

    fn text(&self, range: Range<usize>) -> &str {
        // Checked when it came in; checked again, because only `unsafe` could do without.
        self.bytes.get(range).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// Whether the strings from number `first` on, whose bytes begin at `start`, are UTF-8.
    fn is_utf8(&self, first: usize, start: usize) -> bool {
        let Some(Ok(text)) = self.bytes.get(start..).map(std::str::from_utf8) else { return false };
        // All together are, if each is; and then each is that ends where a character does.
        text.is_ascii()
            || self.offsets.iter().skip(first + 1).all(|&offset| {
                usize::try_from(offset).is_ok_and(|offset| text.is_char_boundary(offset.wrapping_sub(start)))
            })
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(strings: I) -> Self {
        let mut this = Self::default();
        strings.into_iter().for_each(|string| this.push(string));
        this
    }
}

impl Batch for Strings {
    type View<'a> = &'a Self;

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.bytes.clear();
    }

    fn view(&self) -> &Self {
        self
    }
}

impl ReadBatch<Strings> for StringReader {
    fn read_batch(&mut self, count: usize, out: &mut Strings) -> Result<()> {
        let (first, start) = (out.len(), out.bytes.len());
        let length = self.offsets.read_ends(count, Some(self.chars.remaining()), &mut out.offsets)?;
        let taken = self.allowance().take_values(length, ItemLength::exactly(1));
        taken.map_err(|error| self.offsets.place(error))?;
        self.chars.append_to(length, &mut out.bytes)?;
        if out.is_utf8(first, start) { Ok(()) } else { Err(not_utf8(&self.place)) }
    }
}

impl ReadBatch<Pointees<Strings>> for StringReader {
    fn read_batch(&mut self, count: usize, out: &mut Pointees<Strings>) -> Result<()> {
        self.read_batch(count, &mut out.0)
    }
}

impl WriteBatch<Strings> for StringWriter {
    fn append_batch(&mut self, batch: &Strings, range: Range<usize>) -> usize {
        let bytes = batch.bytes.get(items_of(&batch.offsets, &range)).unwrap_or_default();
        append_ends(&mut self.offsets, &mut self.end, &batch.offsets, &range)
            + self.chars.extend_from_slice(bytes)
    }
}

impl Batched for str {
    type Batch = Strings;

    fn push_to(&self, batch: &mut Strings) {
        batch.push(self);
    }
}

impl Batched for String {
    type Batch = Strings;

    fn push_to(&self, batch: &mut Strings) {
        batch.push(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_utf8_each_for_itself() {
        let bytes = "aµ".as_bytes().to_vec();
        assert!(Strings::from_offsets(vec![0, 1, 3], bytes.clone()).is_ok());
        assert!(Strings::from_offsets(vec![0, 2, 3], bytes.clone()).is_err(), "half a character");
        assert!(Strings::from_offsets(vec![0, 1, 2], bytes.clone()).is_err(), "bytes behind the last");
        assert!(Strings::from_offsets(vec![0, 1, 0, 3], bytes).is_err(), "falling offsets");
        assert!(Strings::from_offsets(vec![0, 1], vec![0xff]).is_err());
        assert!(Strings::from_offsets(vec![], vec![]).is_err());
    }
}
