//! Strings: slices of the decoded characters.

use std::borrow::Cow;
use std::ops::Range;

use super::bounds::Bounds;
use super::{Borrowed, Many, methods};
use crate::error::Result;
use crate::field::PointerReader;
use crate::field::string::{StringReader, not_utf8};

/// Many strings, one behind the other.
#[derive(Clone, Copy)]
pub struct StrSlice<'a> {
    bounds: Bounds<'a>,
    /// All of them. That no boundary is within a character was checked.
    text: &'a str,
}

impl<'a> StrSlice<'a> {
    /// All strings, without boundaries.
    pub fn concat(self) -> &'a str {
        self.bounds.all().and_then(|all| self.text.get(all)).unwrap_or_default()
    }
}

methods! { ['a] StrSlice<'a> }

impl<'a> Many for StrSlice<'a> {
    type One = &'a str;
    type Array<const N: usize> = Self;

    fn empty() -> Self {
        Self { bounds: Bounds::EMPTY, text: "" }
    }

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
    #[inline]
    fn borrow(&mut self) -> Result<&str> {
        let count = self.offsets.next_count(Some(self.chars.remaining()))?;
        let place = &self.place;
        str::from_utf8(self.chars.slice(count)?).map_err(|_| not_utf8(place))
    }

    fn borrow_many(&mut self, count: usize) -> Result<StrSlice<'_>> {
        let remaining = self.chars.remaining();
        let (bounds, total) = self.offsets.next_bounds(count, Some(remaining))?;
        let place = &self.place;
        let text = str::from_utf8(self.chars.slice(total)?).map_err(|_| not_utf8(place))?;
        // A character may not belong to two strings.
        let is_sound = text.is_ascii()
            || (0..count)
                .all(|index| bounds.get(index).is_some_and(|range| text.is_char_boundary(range.end)));
        if is_sound { Ok(StrSlice { bounds, text }) } else { Err(not_utf8(place)) }
    }
}

macro_rules! strings {
    ($($type:ty)*) => {$(
        impl Borrowed for $type {
            type Ref<'a> = &'a str;
            type Slice<'a> = StrSlice<'a>;

            #[inline]
            fn borrow(columns: &mut StringReader) -> Result<&str> {
                columns.borrow()
            }

            fn borrow_many(columns: &mut StringReader, count: usize) -> Result<StrSlice<'_>> {
                columns.borrow_many(count)
            }
        }
    )*};
}

strings! { String Box<str> }

impl Borrowed for Cow<'static, str> {
    type Ref<'a> = &'a str;
    type Slice<'a> = StrSlice<'a>;

    #[inline]
    fn borrow(columns: &mut PointerReader<StringReader>) -> Result<&str> {
        columns.0.borrow()
    }

    fn borrow_many(columns: &mut PointerReader<StringReader>, count: usize) -> Result<StrSlice<'_>> {
        columns.0.borrow_many(count)
    }
}
