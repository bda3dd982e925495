//! `lance.table.U64Segment`: the ways to store a part of a sequence of row ids.
//!
//! A sequence is a list of runs: ranges of ids that follow each other. Each way of storing is read to runs. Runs that
//! are near each other are written in the smallest of the ways, and those that are far from others as an array.

use std::ops::Range;

use crate::error::{Error, Result};

/// Ids that follow each other.
pub(super) type Run = Range<u64>;

/// Runs that are this far from each other are stored apart: a bitmap of the space between them takes more bytes than
/// a segment.
const FAR: u64 = 128;

/// `RowIdSequence`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct SequenceMessage {
    #[prost(message, repeated, tag = "1")]
    pub(super) segments: Vec<SegmentMessage>,
}

/// `U64Segment`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct SegmentMessage {
    #[prost(oneof = "Segment", tags = "1, 2, 3, 4, 5")]
    segment: Option<Segment>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Segment {
    /// Ids that follow each other.
    #[prost(message, tag = "1")]
    Range(RangeMessage),
    /// The same without some.
    #[prost(message, tag = "2")]
    RangeWithHoles(RangeWithHoles),
    /// A bit for each id of a range.
    #[prost(message, tag = "3")]
    RangeWithBitmap(RangeWithBitmap),
    /// Each id, in ascending order.
    #[prost(message, tag = "4")]
    SortedArray(ArrayMessage),
    /// Each id, in any order.
    #[prost(message, tag = "5")]
    Array(ArrayMessage),
}

#[derive(Clone, PartialEq, prost::Message)]
struct RangeMessage {
    #[prost(uint64, tag = "1")]
    start: u64,
    #[prost(uint64, tag = "2")]
    end: u64,
}

#[derive(Clone, PartialEq, prost::Message)]
struct RangeWithHoles {
    #[prost(uint64, tag = "1")]
    start: u64,
    #[prost(uint64, tag = "2")]
    end: u64,
    /// In ascending order.
    #[prost(message, optional, tag = "3")]
    holes: Option<ArrayMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct RangeWithBitmap {
    #[prost(uint64, tag = "1")]
    start: u64,
    #[prost(uint64, tag = "2")]
    end: u64,
    /// The first id is the least significant bit of the first byte. (The comment in the `.proto` file says the most
    /// significant one; what Lance 14.0.2 writes is the other.)
    #[prost(bytes = "vec", tag = "3")]
    bitmap: Vec<u8>,
}

/// `EncodedU64Array`.
#[derive(Clone, PartialEq, prost::Message)]
struct ArrayMessage {
    #[prost(oneof = "Array", tags = "1, 2, 3")]
    array: Option<Array>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Array {
    #[prost(message, tag = "1")]
    U16(OffsetArray),
    #[prost(message, tag = "2")]
    U32(OffsetArray),
    #[prost(message, tag = "3")]
    U64(ValueArray),
}

/// `U16Array` and `U32Array`: distances from a base, little-endian.
#[derive(Clone, PartialEq, prost::Message)]
struct OffsetArray {
    #[prost(uint64, tag = "1")]
    base: u64,
    #[prost(bytes = "vec", tag = "2")]
    offsets: Vec<u8>,
}

/// `U64Array`: the values, little-endian.
#[derive(Clone, PartialEq, prost::Message)]
struct ValueArray {
    #[prost(bytes = "vec", tag = "2")]
    values: Vec<u8>,
}

impl SegmentMessage {
    /// Calls `add` with each run, in order. Runs may be empty, or continue the one before.
    pub(super) fn for_each_run(&self, add: &mut dyn FnMut(Run) -> Result<()>) -> Result<()> {
        match &self.segment {
            None => Err(Error::unsupported("the row ids are stored in a way that is not known")),
            Some(Segment::Range(range)) => add(checked(range.start, range.end)?),
            Some(Segment::RangeWithHoles(range)) => range.for_each_run(add),
            Some(Segment::RangeWithBitmap(range)) => range.for_each_run(add),
            Some(Segment::SortedArray(array)) => {
                let mut least = Some(0);
                array.for_each(&mut |value| {
                    if least.is_none_or(|least| value < least) {
                        return Err(Error::out_of_spec("row ids that are said to be sorted are not"));
                    }
                    least = value.checked_add(1);
                    add(single(value)?)
                })
            }
            Some(Segment::Array(array)) => array.for_each(&mut |value| add(single(value)?)),
        }
    }
}

fn checked(start: u64, end: u64) -> Result<Run> {
    match start <= end {
        true => Ok(start..end),
        false => Err(Error::out_of_spec(format!("a range of row ids begins at {start} and ends at {end}"))),
    }
}

fn single(value: u64) -> Result<Run> {
    let end = value.checked_add(1);
    Ok(value
        ..end.ok_or_else(|| Error::out_of_spec(format!("row id {value} is the largest of all numbers")))?)
}

impl RangeWithHoles {
    fn for_each_run(&self, add: &mut dyn FnMut(Run) -> Result<()>) -> Result<()> {
        let Range { start: mut next, end } = checked(self.start, self.end)?;
        if let Some(holes) = &self.holes {
            holes.for_each(&mut |hole| {
                if !(next..end).contains(&hole) {
                    let message = format!("row id {hole} is missing from {next}..{end}, where it is not");
                    return Err(Error::out_of_spec(message));
                }
                add(next..hole)?;
                next = hole + 1;
                Ok(())
            })?;
        }
        add(next..end)
    }
}

impl RangeWithBitmap {
    fn for_each_run(&self, add: &mut dyn FnMut(Run) -> Result<()>) -> Result<()> {
        let Range { start, end } = checked(self.start, self.end)?;
        if (end - start).div_ceil(8) != self.bitmap.len() as u64 {
            return Err(Error::out_of_spec(format!(
                "a bitmap of {} row ids has {} bytes",
                end - start,
                self.bitmap.len()
            )));
        }
        let mut first = start;
        for byte in &self.bitmap {
            match byte {
                0xff => add(first..end.min(first.saturating_add(8)))?,
                0 => {}
                _ => {
                    let ids = (first..end).zip(0..8).filter(|(_, bit)| byte >> bit & 1 != 0);
                    ids.map(|(id, _)| id).try_for_each(|id| add(id..id + 1))?;
                }
            }
            first = first.saturating_add(8);
        }
        Ok(())
    }

    /// Stores runs in ascending order.
    fn new(runs: &[Run]) -> Self {
        let (start, end) = ends(runs);
        let length = usize::try_from((end - start).div_ceil(8)).unwrap_or_default();
        let mut bitmap = vec![0; length];
        for id in runs.iter().cloned().flatten() {
            let place = id - start;
            if let Some(byte) = usize::try_from(place / 8).ok().and_then(|number| bitmap.get_mut(number)) {
                *byte |= 1 << (place % 8);
            }
        }
        Self { start, end, bitmap }
    }
}

impl ArrayMessage {
    fn for_each(&self, add: &mut dyn FnMut(u64) -> Result<()>) -> Result<()> {
        let odd = |bytes: &[u8], width| {
            Error::out_of_spec(format!("{} bytes of row ids are not a multiple of {width}", bytes.len()))
        };
        let sum = |base: u64, offset: u64| {
            let value = base.checked_add(offset);
            value.ok_or_else(|| Error::out_of_spec(format!("row id {base} + {offset} is too large")))
        };
        match &self.array {
            None => Err(Error::unsupported("the row ids are stored in a way that is not known")),
            Some(Array::U16(OffsetArray { base, offsets })) => match offsets.as_chunks::<2>() {
                (offsets, []) => {
                    offsets.iter().try_for_each(|offset| add(sum(*base, u16::from_le_bytes(*offset).into())?))
                }
                _ => Err(odd(offsets, 2)),
            },
            Some(Array::U32(OffsetArray { base, offsets })) => match offsets.as_chunks::<4>() {
                (offsets, []) => {
                    offsets.iter().try_for_each(|offset| add(sum(*base, u32::from_le_bytes(*offset).into())?))
                }
                _ => Err(odd(offsets, 4)),
            },
            Some(Array::U64(ValueArray { values })) => match values.as_chunks::<8>() {
                (values, []) => values.iter().try_for_each(|value| add(u64::from_le_bytes(*value))),
                _ => Err(odd(values, 8)),
            },
        }
    }

    /// Stores `values`, which are from `least` to `most`, in as few bytes as they need.
    fn new(values: impl Iterator<Item = u64>, least: u64, most: u64) -> Self {
        let offsets = |width: usize, values: &mut dyn Iterator<Item = u64>| OffsetArray {
            base: least,
            offsets: values.flat_map(|value| (value - least).to_le_bytes().into_iter().take(width)).collect(),
        };
        let mut values = values;
        let array = match width(least, most) {
            2 => Array::U16(offsets(2, &mut values)),
            4 => Array::U32(offsets(4, &mut values)),
            _ => Array::U64(ValueArray { values: values.flat_map(u64::to_le_bytes).collect() }),
        };
        Self { array: Some(array) }
    }
}

/// Bytes of each value of an array of values from `least` to `most`.
fn width(least: u64, most: u64) -> u64 {
    match most - least {
        0..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// Where runs in ascending order begin and end.
fn ends(runs: &[Run]) -> (u64, u64) {
    (runs.first().map_or(0, |run| run.start), runs.last().map_or(0, |run| run.end))
}

fn count(runs: &[Run]) -> u64 {
    runs.iter().fold(0, |sum, run| sum.saturating_add(run.end - run.start))
}

fn is_sorted(runs: &[Run]) -> bool {
    runs.is_sorted_by(|first, second| first.end <= second.start)
}

fn range(run: &Run) -> Segment {
    Segment::Range(RangeMessage { start: run.start, end: run.end })
}

fn array(runs: &[Run]) -> Segment {
    let least = runs.iter().map(|run| run.start).min().unwrap_or(0);
    let most = runs.iter().map(|run| run.end).max().map_or(0, |end| end - 1);
    let array = ArrayMessage::new(runs.iter().cloned().flatten(), least, most);
    match is_sorted(runs) {
        true => Segment::SortedArray(array),
        false => Segment::Array(array),
    }
}

fn with_holes(runs: &[Run]) -> Segment {
    let (start, end) = ends(runs);
    let holes = runs.iter().zip(runs.iter().skip(1)).map(|(first, second)| first.end..second.start);
    let least = runs.first().map_or(0, |run| run.end);
    let most = runs.last().map_or(0, |run| run.start.saturating_sub(1));
    let holes = Some(ArrayMessage::new(holes.flatten(), least, most));
    Segment::RangeWithHoles(RangeWithHoles { start, end, holes })
}

/// About how many bytes the values of an array of all ids take.
fn array_size(runs: &[Run]) -> u64 {
    let least = runs.iter().map(|run| run.start).min().unwrap_or(0);
    let most = runs.iter().map(|run| run.end).max().map_or(0, |end| end - 1);
    count(runs).saturating_mul(width(least, most))
}

/// How many bytes the numbers of some ranges take, with what is around them.
fn ranges_size(runs: &[Run]) -> u64 {
    let size = |run| 2 + range(run).encoded_len() as u64;
    runs.iter().map(size).sum()
}

/// Stores runs that are near each other, in ascending order, as one segment; or as one for each run.
fn store_near(runs: &[Run], segments: &mut Vec<Segment>) {
    let [_, _, ..] = runs else {
        segments.extend(runs.iter().map(range));
        return;
    };
    let (start, end) = ends(runs);
    let holes = (end - start).saturating_sub(count(runs)).saturating_mul(width(start, end));
    let sizes = [holes, (end - start).div_ceil(8), array_size(runs), ranges_size(runs)];
    match sizes.iter().position(|size| Some(size) == sizes.iter().min()) {
        Some(0) => segments.push(with_holes(runs)),
        Some(1) => segments.push(Segment::RangeWithBitmap(RangeWithBitmap::new(runs))),
        Some(2) => segments.push(array(runs)),
        _ => segments.extend(runs.iter().map(range)),
    }
}

/// How many bytes segments take in a sequence.
fn size(segments: &[Segment]) -> u64 {
    segments.iter().map(|segment| 2 + segment.encoded_len() as u64).sum()
}

/// Stores runs, none of which is empty or continues the one before, in few bytes.
pub(super) fn store(runs: &[Run]) -> Vec<SegmentMessage> {
    let is_near = |first: &Run, second: &Run| first.end <= second.start && second.start - first.end <= FAR;
    let mut segments = Vec::new();
    // Runs that would take less space in an array with their neighbours, and how they are stored otherwise.
    let mut loose: (Vec<Run>, Vec<Segment>) = Default::default();
    for near in runs.chunk_by(is_near) {
        let mut alone = Vec::new();
        store_near(near, &mut alone);
        if count(near).saturating_mul(2) < size(&alone) {
            loose.0.extend(near.iter().cloned());
            loose.1.extend(alone);
        } else {
            store_loose(std::mem::take(&mut loose), &mut segments);
            segments.extend(alone);
        }
    }
    store_loose(loose, &mut segments);
    // One array of all may be smaller than many segments.
    if segments.len() > 1 && array_size(runs) < size(&segments) {
        segments = vec![array(runs)];
    }
    segments.into_iter().map(|segment| SegmentMessage { segment: Some(segment) }).collect()
}

fn store_loose((runs, alone): (Vec<Run>, Vec<Segment>), segments: &mut Vec<Segment>) {
    match runs.len() > 1 && array_size(&runs) < size(&alone) {
        true => segments.push(array(&runs)),
        false => segments.extend(alone),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(runs: &[Run]) -> Vec<&'static str> {
        let kind = |segment: &SegmentMessage| match segment.segment.as_ref().unwrap() {
            Segment::Range(_) => "range",
            Segment::RangeWithHoles(_) => "holes",
            Segment::RangeWithBitmap(_) => "bitmap",
            Segment::SortedArray(_) => "sorted",
            Segment::Array(_) => "array",
        };
        store(runs).iter().map(kind).collect()
    }

    fn runs(segment: Segment) -> Result<Vec<Run>> {
        let mut runs = Vec::new();
        SegmentMessage { segment: Some(segment) }.for_each_run(&mut |run| {
            runs.push(run);
            Ok(())
        })?;
        runs.retain(|run| !run.is_empty());
        Ok(runs)
    }

    #[test]
    fn the_smallest_way_is_chosen() {
        let each = |ids: &mut dyn Iterator<Item = u64>| ids.map(|id| id..id + 1).collect::<Vec<_>>();
        let without = |hole: u64| (0..100).map(move |number| 1000 * number..1000 * number + hole);
        assert_eq!(kinds(std::slice::from_ref(&(0..1000))), ["range"]);
        assert_eq!(kinds(&without(999).collect::<Vec<_>>()), ["holes"]);
        assert_eq!(kinds(&each(&mut (0..1000).step_by(2))), ["bitmap"]);
        assert_eq!(kinds(&each(&mut (0..60_000).step_by(100))), ["sorted"]);
        assert_eq!(kinds(&each(&mut (0..600_000).step_by(1000))), ["sorted"]);
        assert_eq!(kinds(&each(&mut (0..500).map(|number| 998 - 2 * number))), ["array"]);
        assert_eq!(kinds(&[0..1000, 5000..9000, 1 << 50..(1 << 50) + 9]), ["range"; 3]);
        // Two fragments with holes, far from each other.
        let far = without(999).chain(without(999).map(|run| run.start + (1 << 40)..run.end + (1 << 40)));
        assert_eq!(kinds(&far.collect::<Vec<_>>()), ["holes"; 2]);
        // Half of some rows, then a few that are far from each other.
        let mixed = (0..1000).step_by(2).chain((2000..5000).step_by(300));
        assert_eq!(kinds(&each(&mut { mixed })), ["bitmap", "sorted"]);
        assert!(kinds(&[]).is_empty());
    }

    #[test]
    fn bits_of_a_bitmap_begin_with_the_least_significant_one() {
        let bitmap = RangeWithBitmap { start: 100, end: 112, bitmap: vec![0b1000_0110, 0b0000_1001] };
        let expected = [101..102, 102..103, 107..108, 108..109, 111..112];
        assert_eq!(runs(Segment::RangeWithBitmap(bitmap.clone())).unwrap(), expected);
        let stored = RangeWithBitmap::new(&[100..101, 107..109, 111..112]);
        assert_eq!((stored.start, stored.end, &*stored.bitmap), (100, 112, &[0b1000_0001, 0b1001][..]));
        // Bits after the end do not count.
        let bitmap = RangeWithBitmap { bitmap: vec![0, 0xff], end: 110, ..bitmap };
        assert_eq!(runs(Segment::RangeWithBitmap(bitmap)).unwrap(), std::slice::from_ref(&(108..110)));
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        let text = |segment| runs(segment).unwrap_err().to_string();
        let array_of = |values: &[u64]| {
            let values = values.iter().flat_map(|value| value.to_le_bytes()).collect();
            ArrayMessage { array: Some(Array::U64(ValueArray { values })) }
        };
        let backwards = Segment::Range(RangeMessage { start: 5, end: 4 });
        assert_eq!(text(backwards), "a range of row ids begins at 5 and ends at 4");
        for holes in [&[3][..], &[12], &[6, 5], &[5, 5]] {
            let holes = RangeWithHoles { start: 4, end: 12, holes: Some(array_of(holes)) };
            assert!(text(Segment::RangeWithHoles(holes)).contains("is missing from"));
        }
        let bitmap = RangeWithBitmap { start: 0, end: 9, bitmap: vec![0xff] };
        assert_eq!(text(Segment::RangeWithBitmap(bitmap)), "a bitmap of 9 row ids has 1 bytes");
        assert!(text(Segment::SortedArray(array_of(&[4, 4]))).contains("sorted"));
        assert!(text(Segment::Array(array_of(&[u64::MAX]))).contains("largest"));
        let wide = OffsetArray { base: u64::MAX, offsets: vec![1, 0] };
        let wide = ArrayMessage { array: Some(Array::U16(wide)) };
        assert!(text(Segment::Array(wide)).contains("too large"));
        let odd = ArrayMessage { array: Some(Array::U32(OffsetArray { base: 0, offsets: vec![1, 2] })) };
        assert!(text(Segment::Array(odd)).contains("2 bytes of row ids are not a multiple of 4"));
        assert!(text(Segment::Array(ArrayMessage { array: None })).contains("not known"));
    }
}
