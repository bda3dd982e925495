//! Blobs: the records that hold header, pages, page lists and footer of an ntuple
//! (format: container, section 6; ntuple, section 7.6).
//!
//! No directory lists them; whoever needs one knows the offset of its payload.

use super::datetime::Datetime;
use super::header::BEGIN;
use super::key::Key;
use crate::error::{Error, Result};

/// Offsets of the chunks behind the first one have this size.
const OFFSET_SIZE: u64 = 8;

/// The key of a blob at `offset` with `size` bytes of payload. `length` is decorative.
pub(super) fn key(offset: u64, size: u64, length: u64, written: Datetime) -> Result<Key> {
    let mut key = Key::new("RBlob", "", "").with_payload(size, length)?;
    key.offset = offset;
    key.directory = BEGIN;
    key.written = written;
    Ok(key)
}

/// How a payload that is longer than the maximum key size is cut into several blobs.
///
/// ```text
/// blob 1   data ............................ | offset of 2 | offset of 3 | ...
/// blob 2   data ................................................................
/// blob n   data ............
/// ```
///
/// The offsets are little-endian and name the data, not the keys. The number of blobs is not stored:
/// it follows from the two sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    /// Bytes of data in the first blob.
    pub(super) first: u64,
    /// Blobs behind the first one.
    pub(super) more: u64,
    /// Size of the whole payload and the most that one blob takes of it.
    size: u64,
    max: u64,
}

impl Chunks {
    /// The plan for `size` bytes in blobs of at most `max`. `None`: they fit a single one. A `max` of 0, which
    /// uproot writes, means that nothing is cut.
    pub(super) fn plan(size: u64, max: u64) -> Result<Option<Self>> {
        if size <= max || max == 0 {
            return Ok(None);
        }
        let too_small = || {
            Error::limit(format!(
                "{size} bytes cannot be cut into blobs of at most {max}: offsets do not fit"
            ))
        };
        if max < OFFSET_SIZE {
            return Err(too_small());
        }
        let mut more = (size - 1) / max;
        // The offsets take room in the first blob. Where the last one has less to spare, one more is needed.
        let spare = max - (size - more * max);
        if more.saturating_mul(OFFSET_SIZE) > spare {
            more += 1;
        }
        let first = more.checked_mul(OFFSET_SIZE).and_then(|offsets| max.checked_sub(offsets));
        // With too many offsets even that one more does not hold the rest.
        let capacity = first.map(|first| u128::from(first) + u128::from(more) * u128::from(max));
        match first {
            Some(first) if capacity >= Some(u128::from(size)) => Ok(Some(Self { first, more, size, max })),
            _ => Err(too_small()),
        }
    }

    /// Where the data of the blobs behind the first one lie within the payload.
    pub(super) fn rest(self) -> impl Iterator<Item = std::ops::Range<u64>> {
        (0..self.more).map(move |i| {
            let start = self.first + i * self.max;
            start..start.saturating_add(self.max).min(self.size)
        })
    }
}

/// Refuses records that are too small for a payload of `size` bytes, even if it continues in others.
pub(crate) fn check_chunks(size: u64, max_key_size: u64) -> Result<()> {
    Chunks::plan(size, max_key_size).map(drop)
}

/// Returns the length of a payload that records of at most `max_key_size` bytes have room for, together.
pub(crate) fn most_payload(max_key_size: u64) -> u64 {
    match max_key_size {
        // Nothing is cut.
        0 => u64::MAX,
        // The first record may consist of nothing but the offsets of the others.
        max => (max / OFFSET_SIZE).saturating_mul(max).max(max),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_most_that_has_room_can_be_cut() {
        assert_eq!(most_payload(0), u64::MAX);
        for max in [1, 7, 8, 9, 64, 100, 1000, 1 << 30] {
            let most = most_payload(max);
            assert!(most >= max && Chunks::plan(most, max).is_ok(), "{max}");
            let least = most.saturating_sub(3 * max).max(1);
            assert!((least..=most).rev().take(200).all(|size| Chunks::plan(size, max).is_ok()), "{max}");
        }
    }

    #[test]
    fn a_key_takes_42_bytes() {
        let mut bytes = Vec::new();
        key(220, 332, 332, Datetime::EARLIEST).unwrap().write(&mut bytes);
        assert_eq!(bytes.len(), 42);
    }

    #[test]
    fn what_fits_is_not_cut() {
        assert_eq!(Chunks::plan(100, 100).unwrap(), None);
        assert_eq!(Chunks::plan(0, 0).unwrap(), None);
        assert_eq!(Chunks::plan(1 << 40, 0).unwrap(), None);
    }

    #[test]
    fn the_offsets_may_cost_one_more_blob() {
        // 150 of 200 bytes: 50 to spare for one offset.
        let plan = Chunks::plan(150, 100).unwrap().unwrap();
        assert_eq!((plan.first, plan.more), (92, 1));
        // 195 of 200: 5 to spare are not enough, so three blobs with two offsets.
        let plan = Chunks::plan(195, 100).unwrap().unwrap();
        assert_eq!((plan.first, plan.more), (84, 2));
        assert_eq!(plan.rest().collect::<Vec<_>>(), [84..184, 184..195]);
        // A multiple of the size has nothing to spare.
        assert_eq!(Chunks::plan(200, 100).unwrap().unwrap().more, 2);
    }

    #[test]
    fn what_cannot_be_cut_is_refused() {
        for (size, max) in [(9, 8), (100, 7), (u64::MAX, 8), (u64::MAX, 1 << 20), (800, 16)] {
            assert_eq!(Chunks::plan(size, max).unwrap_err().kind(), crate::ErrorKind::LimitExceeded);
        }
        assert!(Chunks::plan(u64::MAX, 1 << 40).is_ok());
    }

    proptest! {
        #[test]
        fn the_pieces_are_the_whole(size in 0u64..5000, max in 0u64..300) {
            if let Ok(Some(plan)) = Chunks::plan(size, max) {
                prop_assert_eq!(plan.first + plan.more * 8, max);
                let mut at = plan.first;
                for piece in plan.rest() {
                    prop_assert_eq!(piece.start, at);
                    prop_assert!(piece.end - piece.start <= max && piece.start < piece.end);
                    at = piece.end;
                }
                prop_assert_eq!(at, size);
            }
        }
    }
}
