//! Strings: the bytes of all of them, and where each begins and ends.

use std::ops::Range;

use super::bounds::{Bounds, check};
use super::{Columnar, Columns, ReadColumnar, Slice, WriteColumnar, methods};
use crate::column::ItemLength;
use crate::error::{Error, Result};
use crate::field::string::{StringReader, StringWriter, not_utf8};

/// Many strings: the text of all of them, and where each begins and ends.
///
/// ```
/// use rntuple::columns::Strings;
/// let names: Strings = ["e", "µ"].into_iter().collect();
/// assert_eq!(names.offsets(), [0, 1, 3]);
/// assert_eq!(names.as_slice().get(1), Some("µ"));
/// ```
#[derive(Clone, Debug)]
pub struct Strings {
    /// One more than there are strings, from 0; each is a character boundary.
    offsets: Vec<u64>,
    text: String,
}

impl Default for Strings {
    fn default() -> Self {
        Self { offsets: vec![0], text: String::new() }
    }
}

impl Strings {
    /// Makes strings of a text, each from one of the offsets to the next.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the offsets do not begin with 0, fall, do not end
    /// with the number of bytes, or divide a character.
    pub fn from_offsets(offsets: Vec<u64>, text: String) -> Result<Self> {
        StrSlice::from_offsets(&offsets, &text)?;
        Ok(Self { offsets, text })
    }

    /// Returns where each string begins in the text, and at last where the last one ends.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns the text of all strings.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends a string.
    pub fn push(&mut self, string: &str) {
        self.text.push_str(string);
        self.offsets.push(self.text.len() as u64);
    }

    /// Lends the strings.
    pub fn as_slice(&self) -> StrSlice<'_> {
        StrSlice { bounds: Bounds::Owned(&self.offsets), text: &self.text }
    }
}

impl<'a> FromIterator<&'a str> for Strings {
    fn from_iter<I: IntoIterator<Item = &'a str>>(strings: I) -> Self {
        let mut this = Self::default();
        strings.into_iter().for_each(|string| this.push(string));
        this
    }
}

impl Columns for Strings {
    type Slice<'a> = StrSlice<'a>;

    fn as_slice(&self) -> StrSlice<'_> {
        self.as_slice()
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.text.clear();
    }
}

/// Many strings, lent: the text of all of them, and where each begins and ends.
#[derive(Clone, Copy)]
pub struct StrSlice<'a> {
    bounds: Bounds<'a>,
    /// No boundary is within a character.
    text: &'a str,
}

impl<'a> StrSlice<'a> {
    /// Makes strings of a text, each from one of the offsets to the next.
    ///
    /// # Errors
    /// As [`Strings::from_offsets`].
    pub fn from_offsets(offsets: &'a [u64], text: &'a str) -> Result<Self> {
        check(offsets, text.len())?;
        let this = Self { bounds: Bounds::Owned(offsets), text };
        if this.is_sound() { Ok(this) } else { Err(Error::invalid_argument("an offset divides a character")) }
    }

    /// Returns the text of all strings, without boundaries.
    pub fn text(self) -> &'a str {
        self.bounds.all().and_then(|all| self.text.get(all)).unwrap_or_default()
    }

    /// Returns the number of bytes of each string.
    pub fn lengths(self) -> impl ExactSizeIterator<Item = u64> {
        self.bounds.sizes()
    }

    /// Whether every string ends where a character does.
    fn is_sound(self) -> bool {
        let ends_well = |range: Range<usize>| self.text.is_char_boundary(range.end);
        self.text.is_ascii()
            || (0..self.bounds.len()).all(|index| self.bounds.get(index).is_some_and(ends_well))
    }
}

methods! { ['a] StrSlice<'a> }

impl<'a> Slice for StrSlice<'a> {
    type One = &'a str;
    type Array<const N: usize> = Self;

    #[inline]
    fn len(self) -> usize {
        self.bounds.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<&'a str> {
        self.text.get(self.bounds.get(index)?)
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        Some(Self { bounds: self.bounds.part(range)?, ..self })
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<Self> {
        (self.len() == N).then_some(self)
    }
}

impl StringReader {
    fn lend(&mut self, count: usize) -> Result<StrSlice<'_>> {
        let (bounds, length) = self.offsets.next_bounds(count, Some(self.chars.remaining()))?;
        let place = &self.place;
        let text = str::from_utf8(self.chars.slice(length)?).map_err(|_| not_utf8(place))?;
        let strings = StrSlice { bounds, text };
        if strings.is_sound() { Ok(strings) } else { Err(not_utf8(place)) }
    }
}

impl Columnar for str {
    type Columns = Strings;

    fn push_to(&self, columns: &mut Strings) {
        columns.push(self);
    }
}

impl Columnar for String {
    type Columns = Strings;

    fn push_to(&self, columns: &mut Strings) {
        columns.push(self);
    }
}

macro_rules! reads {
    ($($string:ty)*) => {$(
        impl ReadColumnar for $string {
            fn read_columns(reader: &mut StringReader, count: usize, out: &mut Strings) -> Result<()> {
                let strings = reader.lend(count)?;
                let length = strings.text.len();
                strings.bounds.append_to(&mut out.offsets);
                out.text.push_str(strings.text);
                let taken = reader.allowance().take_values(length, ItemLength::exactly(1));
                taken.map_err(|error| reader.offsets.place(error))
            }

            #[inline]
            fn lend<'a>(
                reader: &'a mut StringReader,
                count: usize,
                _: &'a mut Strings,
            ) -> Result<StrSlice<'a>> {
                reader.lend(count)
            }
        }
    )*};
}

reads! { String Box<str> }

macro_rules! writes {
    ($($string:ty)*) => {$(
        impl WriteColumnar for $string {
            fn append_columns(writer: &mut StringWriter, values: StrSlice<'_>) -> usize {
                writer.note(values.into_iter().map(str::as_bytes));
                values.bounds.append_ends(&mut writer.offsets, &mut writer.end)
                    + writer.chars.extend_from_slice(values.text().as_bytes())
            }
        }
    )*};
}

writes! { String str }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_divide_no_character() {
        let strings = |offsets: &[u64], text: &str| Strings::from_offsets(offsets.to_vec(), text.to_owned());
        assert!(strings(&[0, 1, 3], "aµ").is_ok());
        assert!(strings(&[0, 2, 3], "aµ").is_err(), "half a character");
        assert!(strings(&[0, 1, 2], "aµ").is_err(), "bytes after the last string");
        assert!(strings(&[0, 1, 0, 3], "aµ").is_err(), "falling offsets");
        assert!(strings(&[], "").is_err());
    }
}
