//! Bounds of many strings, which are short whatever the strings are.

/// The most bytes of a bound.
const LONGEST: usize = 64;

/// The least and the greatest of many strings, as far as their first bytes differ.
///
/// Strings are compared byte by byte, which is the order of their characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextBounds {
    count: u64,
    /// The first bytes of the least string and of the greatest one.
    min: Vec<u8>,
    max: Vec<u8>,
    /// Whether a string begins with `max` and is longer.
    is_cut: bool,
    /// The first bytes of both again: most strings are between them.
    between: (u64, u64),
}

impl TextBounds {
    /// Takes one more string into account.
    #[inline]
    pub(crate) fn add(&mut self, text: &[u8]) {
        self.count += 1;
        let prefix = prefix(text);
        if prefix <= self.between.0 || prefix >= self.between.1 || self.count == 1 {
            self.widen(text, prefix);
        }
    }

    #[inline(never)]
    fn widen(&mut self, text: &[u8], prefix: u64) {
        let start = text.get(..LONGEST).unwrap_or(text);
        let is_cut = start.len() < text.len();
        let is_first = self.count == 1;
        if is_first || prefix <= self.between.0 && start < &*self.min {
            self.min.clear();
            self.min.extend_from_slice(start);
            self.between.0 = prefix;
        }
        if is_first || prefix >= self.between.1 && start > &*self.max {
            self.max.clear();
            self.max.extend_from_slice(start);
            self.between.1 = prefix;
            self.is_cut = is_cut;
        } else if is_cut && start == &*self.max {
            self.is_cut = true;
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

/// The first 8 bytes, so that an order of numbers is one of texts.
#[inline]
fn prefix(text: &[u8]) -> u64 {
    if let Some(bytes) = text.first_chunk() {
        return u64::from_be_bytes(*bytes);
    }
    let mut bytes = [0; 8];
    for (slot, byte) in bytes.iter_mut().zip(text) {
        *slot = *byte;
    }
    u64::from_be_bytes(bytes)
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
