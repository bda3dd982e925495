//! What `Range` asks for.

use std::ops::Range;

/// The part of a file that an answer has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of it: nothing, or nothing that the server understands, was asked for.
    Whole,
    /// These bytes.
    Bytes(Range<u64>),
    /// Bytes that the file does not have.
    Beyond,
}

/// Reads the value of the header, for a file of this size. Several ranges are answered with the whole file.
pub(super) fn part(value: Option<&str>, size: u64, suffixes: bool) -> Part {
    let range = value.and_then(|value| value.strip_prefix("bytes=")).and_then(|range| range.split_once('-'));
    let Some((first, last)) = range else { return Part::Whole };
    let bytes = match (first.trim().parse::<u64>(), last.trim().parse::<u64>()) {
        (Ok(first), Ok(last)) if first <= last => first..size.min(last.saturating_add(1)),
        (Ok(first), Err(_)) if last.trim().is_empty() => first..size,
        (Err(_), Ok(count)) if first.trim().is_empty() && suffixes => size.saturating_sub(count)..size,
        _ => return Part::Whole,
    };
    if bytes.start < bytes.end { Part::Bytes(bytes) } else { Part::Beyond }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_end_where_the_file_ends() {
        let of = |value| part(Some(value), 100, true);
        assert_eq!(of("bytes=0-9"), Part::Bytes(0..10));
        assert_eq!(of("bytes=90-1000"), Part::Bytes(90..100));
        assert_eq!(of("bytes=90-"), Part::Bytes(90..100));
        assert_eq!(of("bytes=-10"), Part::Bytes(90..100));
        assert_eq!(of("bytes=-1000"), Part::Bytes(0..100));
        assert_eq!(of("bytes=100-"), Part::Beyond);
        assert_eq!(of("bytes=0-3,7-9"), Part::Whole);
        assert_eq!(of("bytes=9-3"), Part::Whole);
        assert_eq!(part(Some("bytes=-10"), 100, false), Part::Whole);
        assert_eq!(part(None, 100, true), Part::Whole);
    }
}
