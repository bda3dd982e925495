//! How ranges become requests: many small ones together, large ones in pieces with checksums.

use std::ops::Range;

use crate::answer::Answer;
use crate::failure::Failure;
use crate::wire::code::Code;
use crate::wire::cursor::Cursor;
use crate::wire::limits::Limits;
use crate::wire::request::{Handle, Request};
use crate::wire::{Fault, pages, vector};

/// From this length on, in bytes, a range is read by `kXR_pgread`, whose checksums find damage on the way. Below, a
/// request for each range would cost more than the checksums are worth, and `kXR_readv` has many in one.
const PAGED: u64 = 128 << 10;

/// Length of the pieces of a large range, in bytes.
const CHUNK: u64 = 1 << 20;

/// What is not longer than this is one piece, in bytes: so a page of 1 MiB is, with its checksum.
const LONGEST: u64 = CHUNK + (64 << 10);

/// Most bytes of data that one `kXR_readv` asks for.
const VECTOR: usize = 8 << 20;

/// Longest answer to `kXR_stat`, in bytes: a line.
const STAT: usize = 4 << 10;

/// A piece of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Which of the ranges it belongs to.
    pub(crate) range: usize,
    pub(crate) offset: u64,
    pub(crate) length: u32,
}

/// One request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Job {
    Pages(Piece),
    Plain(Piece),
    Vector(Vec<Piece>),
    /// Asks what the server says of the open file, after pieces of it were asked for.
    Stat,
}

/// Splits ranges into requests, within the limits of the server; `pages`: whether it has `kXR_pgread`. The pieces of each
/// range are in their order.
pub(crate) fn plan(ranges: &[Range<u64>], pages: bool, limits: Limits) -> Vec<Job> {
    let mut jobs = Vec::new();
    let mut small: Vec<Piece> = Vec::new();
    let mut total = 0;
    let longest = u64::from(limits.piece).min(PAGED);
    for (range, bytes) in ranges.iter().enumerate() {
        let length = bytes.end.saturating_sub(bytes.start);
        if length > longest {
            split(range, bytes, pages, &mut jobs);
        } else if let Some(length) = u32::try_from(length).ok().filter(|&length| length > 0) {
            let size = usize::try_from(length).unwrap_or(usize::MAX);
            if small.len() >= limits.pieces || size.saturating_add(total) > VECTOR {
                jobs.push(Job::Vector(std::mem::take(&mut small)));
                total = 0;
            }
            small.push(Piece { range, offset: bytes.start, length });
            total += size;
        }
    }
    match small.as_slice() {
        [] => {}
        // A single small range needs no list, and a checksum costs nothing then.
        [piece] => jobs.push(single(*piece, pages)),
        _ => jobs.push(Job::Vector(small)),
    }
    jobs
}

fn single(piece: Piece, pages: bool) -> Job {
    if pages { Job::Pages(piece) } else { Job::Plain(piece) }
}

/// Pieces that end where chunks of the file do, so that the 4 KiB of a checksum are not split.
fn split(range: usize, bytes: &Range<u64>, pages: bool, jobs: &mut Vec<Job>) {
    let mut offset = bytes.start;
    while offset < bytes.end {
        let end = match bytes.end - offset {
            0..=LONGEST => bytes.end,
            _ => (offset / CHUNK).saturating_add(1).saturating_mul(CHUNK),
        };
        // No chunk is that long.
        let length = u32::try_from(end - offset).unwrap_or(u32::MAX);
        jobs.push(single(Piece { range, offset, length }, pages));
        offset = end;
    }
}

impl Job {
    pub(crate) fn code(&self) -> Code {
        match self {
            Self::Pages(_) => Code::pgread,
            Self::Plain(_) => Code::read,
            Self::Vector(_) => Code::readv,
            Self::Stat => Code::stat,
        }
    }

    /// Whether a server takes the request: one that has `kXR_pgread` if `pages`, with these limits.
    pub(crate) fn fits(&self, pages: bool, limits: impl FnOnce() -> Limits) -> bool {
        match self {
            Self::Pages(_) => pages,
            Self::Vector(pieces) => {
                let limits = limits();
                pieces.len() <= limits.pieces && pieces.iter().all(|piece| piece.length <= limits.piece)
            }
            Self::Plain(_) | Self::Stat => true,
        }
    }

    /// The same bytes in requests that such a server takes.
    pub(crate) fn fitted(&self, pages: bool, limits: Limits) -> Vec<Self> {
        let pieces = match self {
            Self::Pages(piece) | Self::Plain(piece) => std::slice::from_ref(piece),
            Self::Vector(pieces) => pieces,
            Self::Stat => return vec![Self::Stat],
        };
        let bytes = |piece: &Piece| piece.offset..piece.offset.saturating_add(piece.length.into());
        let ranges: Vec<_> = pieces.iter().map(bytes).collect();
        let mut jobs = plan(&ranges, pages, limits);
        for piece in jobs.iter_mut().flat_map(Self::pieces_mut) {
            // The plan is one of pieces; they belong to the ranges of the caller.
            piece.range = pieces.get(piece.range).map_or(usize::MAX, |of| of.range);
        }
        jobs
    }

    fn pieces_mut(&mut self) -> &mut [Piece] {
        match self {
            Self::Pages(piece) | Self::Plain(piece) => std::slice::from_mut(piece),
            Self::Vector(pieces) => pieces,
            Self::Stat => &mut [],
        }
    }

    /// The request; `again`: a page of its last answer was damaged.
    pub(crate) fn request(&self, handle: Handle, again: bool) -> Request {
        match self {
            Self::Pages(piece) => Request::pgread(handle, piece.offset, piece.length, again),
            Self::Plain(piece) => Request::read(handle, piece.offset, piece.length),
            Self::Vector(pieces) => {
                Request::readv(handle, pieces.iter().map(|piece| (piece.offset, piece.length)))
            }
            Self::Stat => Request::stat_open(handle),
        }
    }

    /// How many bytes the answer has.
    pub(crate) fn room(&self) -> usize {
        match self {
            Self::Pages(piece) => {
                // A server may begin a page where a part of its answer begins.
                pages::packed_length(piece.offset, length(piece)).saturating_add(256)
            }
            Self::Plain(piece) => length(piece),
            Self::Vector(pieces) => pieces
                .iter()
                .map(|piece| length(piece).saturating_add(vector::PIECE))
                .fold(0, usize::saturating_add),
            Self::Stat => STAT,
        }
    }

    /// Appends what was read to the buffer of each range, if it is a read; if it cannot be used, all buffers stay as they were.
    pub(crate) fn store(
        &self,
        handle: Handle,
        answer: &Answer,
        ranges: &mut [Vec<u8>],
    ) -> Result<(), Failure> {
        match self {
            Self::Pages(piece) => {
                let buffer = ranges.get_mut(piece.range).ok_or_else(unexpected)?;
                let start = buffer.len();
                let stored = store_pages(piece, answer, buffer);
                if stored.is_err() {
                    buffer.truncate(start);
                }
                stored
            }
            Self::Plain(piece) => {
                let buffer = ranges.get_mut(piece.range).ok_or_else(unexpected)?;
                if answer.data().len() != length(piece) {
                    return Err(Failure::garbled(Fault::TooShort));
                }
                buffer.extend_from_slice(answer.data());
                Ok(())
            }
            Self::Stat => Ok(()),
            Self::Vector(pieces) => {
                let mut cursor = Cursor(answer.data());
                let mut read = Vec::with_capacity(pieces.len());
                for piece in pieces {
                    let bytes = vector::read(&mut cursor, handle, piece.offset, piece.length);
                    read.push(bytes.map_err(Failure::garbled)?);
                }
                if !cursor.is_empty() {
                    return Err(Failure::garbled(Fault::TooLong));
                }
                for (piece, bytes) in pieces.iter().zip(read) {
                    ranges.get_mut(piece.range).ok_or_else(unexpected)?.extend_from_slice(bytes);
                }
                Ok(())
            }
        }
    }
}

fn store_pages(piece: &Piece, answer: &Answer, buffer: &mut Vec<u8>) -> Result<(), Failure> {
    let start = buffer.len();
    let mut cursor = Cursor(answer.data());
    let mut from = 0;
    for &(offset, to) in &answer.parts {
        let read = (buffer.len() - start) as u64;
        if piece.offset.checked_add(read) != Some(offset) {
            return Err(Failure::garbled(Fault::OtherRange));
        }
        let part = cursor.take(to.saturating_sub(from)).map_err(Failure::garbled)?;
        pages::read(offset, part, buffer).map_err(|fault| match fault {
            Fault::PageChecksum(_) => Failure::Damaged(fault),
            fault => Failure::garbled(fault),
        })?;
        from = to;
    }
    match (buffer.len() - start).cmp(&length(piece)) {
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Less => Err(Failure::garbled(Fault::TooShort)),
        std::cmp::Ordering::Greater => Err(Failure::garbled(Fault::TooLong)),
    }
}

fn unexpected() -> Failure {
    Failure::garbled(Fault::Unexpected)
}

fn length(piece: &Piece) -> usize {
    usize::try_from(piece.length).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { pieces: 3, piece: 2_000_000 };

    /// The parts of the file that the jobs read for each range, joined.
    fn covered(jobs: &[Job], count: usize) -> Vec<Range<u64>> {
        let mut covered: Vec<Option<Range<u64>>> = vec![None; count];
        for job in jobs {
            let pieces = match job {
                Job::Pages(piece) | Job::Plain(piece) => std::slice::from_ref(piece),
                Job::Vector(pieces) => pieces,
                Job::Stat => panic!("it is not planned"),
            };
            for piece in pieces {
                let end = piece.offset + u64::from(piece.length);
                let all = covered[piece.range].get_or_insert(piece.offset..piece.offset);
                assert_eq!(all.end, piece.offset, "in order, without gaps");
                all.end = end;
            }
        }
        covered.into_iter().map(|range| range.unwrap_or(0..0)).collect()
    }

    #[test]
    fn every_byte_is_asked_for_once() {
        let ranges = [5..6, 0..3_000_000, 7..7, 9..10, 100..200, 1_000_000..1_100_000, 40..50, 8..9];
        let jobs = plan(&ranges, true, LIMITS);
        let mut expected = ranges.to_vec();
        expected[2] = 0..0;
        assert_eq!(covered(&jobs, ranges.len()), expected);
        let vectors = jobs.iter().filter(|job| matches!(job, Job::Vector(_))).count();
        assert_eq!(vectors, 2, "three pieces in a request: {jobs:?}");
        let pages = jobs.iter().filter(|job| matches!(job, Job::Pages(_))).count();
        assert_eq!(pages, 3, "{jobs:?}");
    }

    #[test]
    fn a_server_without_pages_is_asked_for_plain_data() {
        let jobs = plan(std::slice::from_ref(&(3..500_000)), false, LIMITS);
        assert!(matches!(jobs[..], [Job::Plain(_)]), "{jobs:?}");
        let jobs = plan(&[3..5, 10..12], true, Limits { piece: 1, ..LIMITS });
        assert_eq!(jobs.len(), 2, "longer than a piece may be: {jobs:?}");
    }

    #[test]
    fn what_was_planned_for_another_server_is_planned_again() {
        let ranges = [5..6, 9..9, 0..3_000_000, 1000..1100, 7..9, 30..40];
        let small = Limits { pieces: 2, piece: 50 };
        let jobs = plan(&ranges, true, LIMITS);
        let fitted = |pages, limits| -> Vec<Job> {
            jobs.iter().flat_map(|job: &Job| job.fitted(pages, limits)).collect()
        };
        for (pages, limits) in [(true, LIMITS), (true, small), (false, LIMITS), (false, small)] {
            let fitted = fitted(pages, limits);
            assert!(fitted.iter().all(|job| job.fits(pages, || limits)), "{fitted:?}");
            let mut expected = ranges.to_vec();
            expected[1] = 0..0;
            assert_eq!(covered(&fitted, ranges.len()), expected);
        }
        assert_eq!(fitted(true, LIMITS), jobs);
        assert!(!jobs.iter().all(|job| job.fits(true, || small)));
        assert!(!jobs.iter().all(|job| job.fits(false, || LIMITS)));
    }

    #[test]
    fn what_cannot_be_used_changes_nothing() {
        let job = Job::Pages(Piece { range: 0, offset: 0, length: 8192 });
        let data = pages::write(0, &[1; 8192]);
        let mut ranges = [vec![9]];
        let mut changed = data.clone();
        changed[5000] ^= 1;
        let damaged = Answer::from((changed, vec![(0, data.len())]));
        assert!(job.store([0; 4], &damaged, &mut ranges).unwrap_err().may_pass());
        assert_eq!(ranges[0], [9]);
        let moved = Answer::from((data.clone(), vec![(4096, data.len())]));
        assert!(!job.store([0; 4], &moved, &mut ranges).unwrap_err().may_pass());
        let whole = Answer::from((data, vec![(0, 4100), (4096, 8200)]));
        job.store([0; 4], &whole, &mut ranges).unwrap();
        assert_eq!(ranges[0].len(), 8193);
    }
}
