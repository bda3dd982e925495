//! The free list: where in the file nothing stands (format: container, section 5).

use super::header::GREATEST_SMALL_OFFSET;
use super::wire::{put_offset, read_offset};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};

/// The end of the unused tail moves in steps of this many bytes, ROOT's way.
const TAIL_STEP: u64 = 1_000_000_000;
/// A gap has room for the number that marks it.
pub(super) const SMALLEST_GAP: u64 = 4;

/// Free bytes from `first` to `last`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Segment {
    pub(super) first: u64,
    pub(super) last: u64,
}

/// Gaps between records, and the tail behind the last one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FreeList {
    /// In the order of the file.
    pub(super) gaps: Vec<Segment>,
    /// Where the tail begins: the end of the file. `None`: the list lacks its last entry.
    pub(super) tail: Option<u64>,
}

impl Segment {
    pub(super) fn size(&self) -> u64 {
        self.last.saturating_sub(self.first).saturating_add(1)
    }

    /// The first bytes of a gap: how long it is, as a negative number, so that the chain of records leads over it.
    pub(super) fn mark(&self) -> [u8; 4] {
        (-i32::try_from(self.size()).unwrap_or(i32::MAX)).to_be_bytes()
    }
}

/// What comes after the record of a free list.
#[derive(Clone, Copy, Debug)]
pub(super) enum Next {
    /// The end of the file.
    End,
    /// Free bytes up to the end of `region`, in which the record is.
    Free { region: Segment, file_end: u64 },
}

impl FreeList {
    /// Reads the payload of the record of a file that ends at `end`. What follows the tail's entry is
    /// left over from a longer list.
    pub(super) fn read(mut cursor: Cursor<'_>, end: u64) -> Result<Self> {
        let mut list = Self::default();
        while cursor.remaining() > 0 {
            let at = cursor.offset();
            let version = cursor.u16_be()?;
            if version % 1000 != 1 {
                return Err(Error::out_of_spec(format!("a free segment has the unknown version {version}"))
                    .at_offset(at));
            }
            let wide = version > 1000;
            let segment =
                Segment { first: read_offset(&mut cursor, wide)?, last: read_offset(&mut cursor, wide)? };
            if segment.last > end {
                list.tail = Some(segment.first);
                break;
            }
            list.gaps.push(segment);
        }
        Ok(list)
    }

    /// The payload of the record of a file with `gaps` that ends at `end`.
    pub(super) fn write(gaps: &[Segment], end: u64) -> Vec<u8> {
        let last = (end / TAIL_STEP + 1).saturating_mul(TAIL_STEP).max(GREATEST_SMALL_OFFSET);
        let tail = Segment { first: end, last };
        let mut out = Vec::new();
        for segment in gaps.iter().chain([&tail]) {
            let wide = segment.last > GREATEST_SMALL_OFFSET;
            out.put_u16_be(if wide { 1001 } else { 1 });
            put_offset(&mut out, wide, segment.first);
            put_offset(&mut out, wide, segment.last);
        }
        out
    }

    /// The payload of the record that is the last one of a file with `gaps`, and itself begins at `start`.
    pub(super) fn write_last(gaps: &[Segment], start: u64) -> Vec<u8> {
        // The list says where the file ends, which is where the list ends: settled as soon as its size is.
        let mut list = Self::write(gaps, start);
        loop {
            let settled = Self::write(gaps, start.saturating_add(list.len() as u64));
            if std::mem::replace(&mut list, settled).len() == list.len() {
                return list;
            }
        }
    }

    /// The payload of the record of a file with `gaps`, which itself begins at `start`; and how many entries it has.
    pub(super) fn write_before(next: Next, gaps: &[Segment], start: u64) -> (Vec<u8>, usize) {
        let Next::Free { region, file_end } = next else {
            return (Self::write_last(gaps, start), gaps.len() + 1);
        };
        let with_rest = |first| {
            let mut all = gaps.to_vec();
            all.push(Segment { first, last: region.last });
            all.sort_unstable_by_key(|gap| gap.first);
            Self::write(&all, file_end)
        };
        // How long an entry is depends on where its segment ends.
        let length = with_rest(start).len() as u64;
        (with_rest(start.saturating_add(length)), gaps.len() + 2)
    }

    /// The gap that begins at `offset`, if the list has one.
    pub(super) fn gap_at(&self, offset: u64) -> Option<(usize, Segment)> {
        let index = self.gaps.binary_search_by_key(&offset, |gap| gap.first).ok()?;
        Some((index, *self.gaps.get(index)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round_trip(gaps: &[(u64, u64)], end: u64) -> (FreeList, usize) {
        let gaps: Vec<Segment> = gaps.iter().map(|&(first, last)| Segment { first, last }).collect();
        let bytes = FreeList::write(&gaps, end);
        let list = FreeList::read(Cursor::new(&bytes, 0), end).unwrap();
        assert_eq!(list, FreeList { gaps, tail: Some(end) });
        (list, bytes.len())
    }

    #[test]
    fn entries_grow_with_their_offsets() {
        assert_eq!(round_trip(&[], 2514).1, 10);
        assert_eq!(round_trip(&[], 1_999_999_999).1, 10);
        assert_eq!(round_trip(&[], 2_000_000_000).1, 18);
        assert_eq!(round_trip(&[], 2_999_999_999).1, 18);
        assert_eq!(round_trip(&[(1010, 1037), (1443, 1499)], 2382).1, 30);
        assert_eq!(round_trip(&[(1010, 1037), (1443, 5 << 30)], 6 << 30).1, 10 + 18 + 18);
    }

    #[test]
    fn the_tail_of_a_small_file_ends_where_roots_does() {
        let bytes = FreeList::write(&[], 2514);
        assert_eq!(bytes, [0, 1, 0, 0, 0x09, 0xd2, 0x77, 0x35, 0x94, 0]);
    }

    #[test]
    fn a_list_without_a_tail_and_slack_behind_it_are_seen() {
        let bytes = FreeList::write(&[Segment { first: 10, last: 20 }], 100);
        assert_eq!(FreeList::read(Cursor::new(&bytes[..10], 0), 100).unwrap().tail, None);
        let slack = [&bytes[..], &[0; 7]].concat();
        assert_eq!(FreeList::read(Cursor::new(&slack, 0), 100).unwrap().tail, Some(100));
        for length in [1, 5, 9, 11, 19] {
            assert!(FreeList::read(Cursor::new(&bytes[..length], 0), 100).is_err(), "{length}");
        }
    }

    #[test]
    fn a_gap_is_found_by_its_first_byte() {
        let (list, _) = round_trip(&[(1010, 1037), (1443, 1499)], 2382);
        assert_eq!(list.gap_at(1443), Some((1, Segment { first: 1443, last: 1499 })));
        assert_eq!(list.gap_at(1444), None);
    }
}
