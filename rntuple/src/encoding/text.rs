//! Bounds of many strings, which are short whatever the strings are.
//!
//! Pages end where the memory for them does, which strings do not know. So there are bounds of each [`BLOCK`] strings.

use std::cmp::Ordering;

/// How many strings that follow each other have bounds of their own.
pub(crate) const BLOCK: u64 = 4096;

/// The most bytes of a bound.
pub(crate) const LONGEST: usize = 64;

/// Bytes that are compared at once.
const PREFIX: usize = 8;

/// The bounds of many strings, block by block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextBlocks {
    /// Two bounds of each block that is full.
    full: Vec<String>,
    last: TextBounds,
}

impl TextBlocks {
    /// Takes one more string into account.
    #[inline]
    pub(crate) fn add(&mut self, text: &[u8]) {
        self.last.add(text);
        if self.last.count == BLOCK {
            self.end_block();
        }
    }

    #[cold]
    fn end_block(&mut self) {
        self.full.extend(self.last.bounds());
        self.last = TextBounds::default();
    }

    /// How many strings there were.
    pub(crate) fn count(&self) -> u64 {
        (self.full.len() / 2) as u64 * BLOCK + self.last.count
    }

    /// Returns the least and the greatest text of each block, one after the other.
    pub(crate) fn into_bounds(mut self) -> Vec<String> {
        if self.last.count > 0 {
            self.end_block();
        }
        self.full
    }
}

/// Whether this is what blocks have in place of an upper bound: there is none.
pub(crate) fn is_unbounded(max: &str) -> bool {
    max.len() == LONGEST && max.chars().all(|character| character == char::MAX)
}

/// The least and the greatest of many strings, as far as their first bytes differ.
///
/// Strings are compared byte by byte, which is the order of their characters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TextBounds {
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
    fn add(&mut self, text: &[u8]) {
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

    /// Returns a text that is at most each of the strings, and one that is at least each of them: at most 64 bytes long,
    /// and both without a part of a character. There is no greater text of this length if the greatest string begins
    /// with the last character 16 times, or is not UTF-8: then [this](is_unbounded) is in its place.
    fn bounds(&self) -> [String; 2] {
        let min = whole_characters(&self.min).unwrap_or_default().to_owned();
        let max = match (whole_characters(&self.max), self.is_cut) {
            (Some(max), true) => next(max),
            // An end within a character is that of a string that is not UTF-8.
            (Some(max), false) if max.len() < self.max.len() => None,
            (max, _) => max.map(str::to_owned),
        };
        [min, max.unwrap_or_else(|| char::MAX.to_string().repeat(LONGEST / char::MAX.len_utf8()))]
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

    fn bounds_of<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> (String, Option<String>) {
        let mut blocks = TextBlocks::default();
        texts.into_iter().for_each(|text| blocks.add(text));
        let [min, max] = blocks.into_bounds().try_into().unwrap();
        (min, Some(max).filter(|max| !is_unbounded(max)))
    }

    fn bounds<'a>(texts: impl IntoIterator<Item = &'a str>) -> (String, Option<String>) {
        bounds_of(texts.into_iter().map(str::as_bytes))
    }

    #[test]
    fn each_block_has_bounds_of_its_own() {
        assert!(TextBlocks::default().into_bounds().is_empty());
        for count in [1, BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK] {
            let mut blocks = TextBlocks::default();
            let texts: Vec<String> = (0..count).map(|number| format!("{number:06}")).collect();
            texts.iter().for_each(|text| blocks.add(text.as_bytes()));
            assert_eq!(blocks.count(), count);
            let expected: Vec<String> = texts
                .chunks(usize::try_from(BLOCK).unwrap())
                .flat_map(|block| [block[0].clone(), block[block.len() - 1].clone()])
                .collect();
            assert_eq!(blocks.into_bounds(), expected);
        }
    }

    #[test]
    fn short_texts_are_their_own_bounds() {
        assert_eq!(bounds(["b", "", "c", "a"]), (String::new(), Some("c".to_owned())));
        assert_eq!(bounds(["\u{10FFFF}"]).1.unwrap(), "\u{10FFFF}");
    }

    #[test]
    fn long_texts_are_rounded_up() {
        let long = "x".repeat(65);
        let (min, max) = bounds([&*long]);
        assert_eq!((min, max.unwrap()), ("x".repeat(64), "x".repeat(63) + "y"));
        // A character is cut away, and the one before it is the last before the surrogates.
        let long = "a".repeat(59) + "\u{D7FF}" + "\u{10FFFF}";
        let (min, max) = bounds([&*long]);
        assert_eq!((min, max.unwrap()), (long[..62].to_owned(), "a".repeat(59) + "\u{E000}"));
        // The next character would be longer.
        let (_, max) = bounds([&*("\u{7F}".repeat(65))]);
        assert_eq!(max.unwrap(), "\u{7F}".repeat(62) + "\u{80}");
        let last = "\u{10FFFF}".repeat(17);
        assert_eq!(bounds([&*last]), (last[..64].to_owned(), None));
        let late = "a".to_owned() + &last;
        assert_eq!(bounds([&*late]).1.unwrap(), "b");
    }

    #[test]
    fn bytes_that_are_no_text_have_no_bounds() {
        assert_eq!(bounds_of([&b"abc"[..], b"\xFFabc"]), ("abc".to_owned(), None));
        assert_eq!(bounds_of([&b"abc\xC3"[..]]), ("abc".to_owned(), None));
        assert_eq!(bounds_of([&b"\xC3("[..], b"\xFF"]), (String::new(), None));
    }

    proptest! {
        #[test]
        fn short_texts_with_zeros_have_exact_bounds(texts in prop::collection::vec("[\0a-b]{0,10}", 1..20)) {
            let (min, max) = bounds(texts.iter().map(|text| &**text));
            prop_assert_eq!((Some(&min), max.as_ref()), (texts.iter().min(), texts.iter().max()));
        }

        #[test]
        fn bounds_hold_and_are_short(texts in prop::collection::vec("[a-b\u{7F}\u{80}\u{D7FF}\u{10FFFF}]{0,70}", 1..20)) {
            let (min, max) = bounds(texts.iter().map(|text| &**text));
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
