//! Bounds of many strings, which are short whatever the strings are.

use std::cmp::Ordering;

/// The most bytes of a bound.
const LONGEST: usize = 64;

/// Bytes that are compared at once.
const PREFIX: usize = 8;

/// The least and the greatest of many strings, as far as their first bytes differ.
///
/// Strings are compared byte by byte, which is the order of their characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextBounds {
    count: u64,
    /// The first bytes of the least string and of the greatest one.
    min: Vec<u8>,
    max: Vec<u8>,
    /// Whether a string begins with `max` and is longer.
    is_cut: bool,
    /// The first bytes of both again, the least first: most strings are between them. Before the first string, none is.
    between: (u64, u64),
}

impl Default for TextBounds {
    fn default() -> Self {
        Self { count: 0, min: Vec::new(), max: Vec::new(), is_cut: false, between: (u64::MAX, 0) }
    }
}

impl TextBounds {
    /// Takes one more string into account.
    #[inline]
    pub(crate) fn add(&mut self, text: &[u8]) {
        self.count += 1;
        let prefix = prefix(text);
        if prefix <= self.between.0 || prefix >= self.between.1 {
            self.widen(text, prefix);
        }
    }

    #[inline(never)]
    fn widen(&mut self, text: &[u8], prefix: u64) {
        // Of short strings that begin alike, the shorter is the lesser: names that come again and again end here.
        let (is_least, is_greatest) = (prefix.cmp(&self.between.0), prefix.cmp(&self.between.1));
        let is_least = is_least.then_with(|| match self.min.len() {
            length if length <= PREFIX.min(text.len()) => Ordering::Greater,
            _ => start(text).cmp(&self.min),
        });
        let is_greatest = is_greatest.then_with(|| match text.len() {
            length if length <= PREFIX.min(self.max.len()) => Ordering::Less,
            _ => start(text).cmp(&self.max),
        });
        let is_first = self.count == 1;
        if is_first || is_least.is_lt() {
            self.min.clear();
            self.min.extend_from_slice(start(text));
            self.between.0 = prefix;
        }
        if is_first || is_greatest.is_gt() {
            self.max.clear();
            self.max.extend_from_slice(start(text));
            self.between.1 = prefix;
            self.is_cut = text.len() > LONGEST;
        } else if is_greatest.is_eq() {
            self.is_cut |= text.len() > LONGEST;
        }
    }

    /// How many strings there were.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns a text that is at most each of the strings, and one that is at least each of them: at most 64 bytes long,
    /// and both without a part of a character. There is no greater text of this length if the greatest string begins
    /// with the last character 16 times; there are neither for bytes that are not UTF-8, or without a string.
    pub(crate) fn bounds(&self) -> (Option<String>, Option<String>) {
        if self.count == 0 {
            return (None, None);
        }
        let min = whole_characters(&self.min).map(str::to_owned);
        let max = whole_characters(&self.max);
        match (max, self.is_cut) {
            (Some(max), true) => (min, next(max)),
            // An end within a character is that of a string that is not UTF-8.
            (Some(max), false) if max.len() < self.max.len() => (min, None),
            (max, _) => (min, max.map(str::to_owned)),
        }
    }
}

/// What a bound has of a text.
fn start(text: &[u8]) -> &[u8] {
    text.get(..LONGEST).unwrap_or(text)
}

/// The first bytes, and zeros if there are fewer, so that an order of numbers is one of texts.
#[inline]
fn prefix(text: &[u8]) -> u64 {
    text.first_chunk::<PREFIX>().map_or_else(|| short_prefix(text), |bytes| u64::from_be_bytes(*bytes))
}

/// The same of fewer bytes. Apart, so that the other one becomes part of its callers.
#[inline(never)]
fn short_prefix(text: &[u8]) -> u64 {
    // Both halves may overlap.
    if let (Some(first), Some(last)) = (text.first_chunk(), text.last_chunk()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_be_bytes(*half)));
        return first << 32 | last << (8 * (PREFIX - text.len()));
    }
    text.iter().zip([56, 48, 40]).fold(0, |prefix, (byte, shift)| prefix | u64::from(*byte) << shift)
}

/// The text without the part of a character at its end; `None` if it is not UTF-8 before.
fn whole_characters(text: &[u8]) -> Option<&str> {
    match str::from_utf8(text) {
        Ok(text) => Some(text),
        Err(error) if error.error_len().is_none() => str::from_utf8(text.get(..error.valid_up_to())?).ok(),
        Err(_) => None,
    }
}

/// A text that is greater than all that begin with `start`.
fn next(start: &str) -> Option<String> {
    let mut text = start.to_owned();
    while let Some(last) = text.pop() {
        // No character is between D7FF and E000.
        let next = if last == '\u{D7FF}' { Some('\u{E000}') } else { char::from_u32(u32::from(last) + 1) };
        if let Some(next) = next.filter(|next| text.len() + next.len_utf8() <= LONGEST) {
            text.push(next);
            return Some(text);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bounds<'a>(texts: impl IntoIterator<Item = &'a str>) -> (Option<String>, Option<String>) {
        let mut bounds = TextBounds::default();
        texts.into_iter().for_each(|text| bounds.add(text.as_bytes()));
        bounds.bounds()
    }

    #[test]
    fn short_texts_are_their_own_bounds() {
        assert_eq!(bounds([]), (None, None));
        assert_eq!(bounds(["b", "", "c", "a"]), (Some(String::new()), Some("c".to_owned())));
        assert_eq!(bounds(["\u{10FFFF}"]).1.unwrap(), "\u{10FFFF}");
    }

    #[test]
    fn long_texts_are_rounded_up() {
        let long = "x".repeat(65);
        let (min, max) = bounds([&*long]);
        assert_eq!((min.unwrap(), max.unwrap()), ("x".repeat(64), "x".repeat(63) + "y"));
        // A character is cut away, and the one before it is the last before the surrogates.
        let long = "a".repeat(59) + "\u{D7FF}" + "\u{10FFFF}";
        let (min, max) = bounds([&*long]);
        assert_eq!((min.unwrap(), max.unwrap()), (long[..62].to_owned(), "a".repeat(59) + "\u{E000}"));
        // The next character would be longer.
        let (_, max) = bounds([&*("\u{7F}".repeat(65))]);
        assert_eq!(max.unwrap(), "\u{7F}".repeat(62) + "\u{80}");
        let last = "\u{10FFFF}".repeat(17);
        assert_eq!(bounds([&*last]), (Some(last[..64].to_owned()), None));
        let late = "a".to_owned() + &last;
        assert_eq!(bounds([&*late]).1.unwrap(), "b");
    }

    #[test]
    fn bytes_that_are_no_text_have_no_bounds() {
        let mut bounds = TextBounds::default();
        bounds.add(b"abc");
        bounds.add(b"\xFFabc");
        assert_eq!(bounds.bounds(), (Some("abc".to_owned()), None));
        let mut bounds = TextBounds::default();
        bounds.add(b"abc\xC3");
        assert_eq!(bounds.bounds(), (Some("abc".to_owned()), None));
    }

    proptest! {
        #[test]
        fn short_texts_with_zeros_have_exact_bounds(texts in prop::collection::vec("[\0a-b]{0,10}", 1..20)) {
            let (min, max) = bounds(texts.iter().map(|text| &**text));
            prop_assert_eq!((min.as_ref(), max.as_ref()), (texts.iter().min(), texts.iter().max()));
        }

        #[test]
        fn bounds_hold_and_are_short(texts in prop::collection::vec("[a-b\u{7F}\u{80}\u{D7FF}\u{10FFFF}]{0,70}", 1..20)) {
            let (min, max) = bounds(texts.iter().map(|text| &**text));
            let min = min.unwrap();
            prop_assert!(min.len() <= LONGEST && texts.iter().all(|text| *text >= min));
            let greatest = texts.iter().max().unwrap();
            match max {
                Some(max) => prop_assert!(max.len() <= LONGEST && *greatest <= max, "{max:?}"),
                None => {
                    let is_last = greatest.starts_with(&"\u{10FFFF}".repeat(16));
                    prop_assert!(is_last);
                }
            }
            if greatest.len() <= LONGEST {
                prop_assert_eq!(bounds(texts.iter().map(|text| &**text)).1, Some(greatest.clone()));
            }
        }
    }
}
