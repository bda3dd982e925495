//! Several files in one address space.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use super::{Block, ReadAt, checked_length};

/// Where the next file begins: so far after the one before that no read is merged with one of its own.
const DISTANCE: u64 = 1 << 40;

/// Several files, one after the other, with gaps between them that cannot be read.
pub(crate) struct Joined {
    files: Vec<Arc<dyn ReadAt>>,
    name: String,
    version: Option<String>,
}

impl Joined {
    /// # Errors
    /// A file is too long for its place.
    pub(crate) fn new(files: Vec<Arc<dyn ReadAt>>, name: String) -> io::Result<Self> {
        if let Some(long) = files.iter().find(|file| file.size() >= DISTANCE) {
            let message = format!("{} has over 2^40 bytes", long.name());
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        let versions: Option<Vec<&str>> = files.iter().map(|file| file.version()).collect();
        let version = versions.map(|versions| versions.join("+"));
        Ok(Self { files, name, version })
    }

    /// Where the file at a position begins.
    pub(crate) fn start(position: usize) -> u64 {
        (position as u64).saturating_mul(DISTANCE)
    }

    /// The file that has a range, and where it is there.
    fn find(&self, range: &Range<u64>) -> io::Result<(usize, Range<u64>)> {
        let position = usize::try_from(range.start / DISTANCE).unwrap_or(usize::MAX);
        let start = range.start % DISTANCE;
        let end = range.end.checked_sub(range.start).and_then(|length| start.checked_add(length));
        match (self.files.get(position), end) {
            (Some(file), Some(end)) => {
                checked_length(&(start..end), file.size()).map(|_| (position, start..end))
            }
            _ => checked_length(range, 0).map(|_| (0, 0..0)),
        }
    }

    fn file(&self, position: usize) -> io::Result<&Arc<dyn ReadAt>> {
        self.files.get(position).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

impl ReadAt for Joined {
    fn size(&self) -> u64 {
        let last = self.files.last().map_or(0, |file| file.size());
        Self::start(self.files.len().saturating_sub(1)).saturating_add(last)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64).ok_or(io::ErrorKind::UnexpectedEof)?;
        let (position, range) = self.find(&(offset..end))?;
        self.file(position)?.read_at(range.start, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        let (position, range) = self.find(&range)?;
        self.file(position)?.block(range)
    }

    fn block_in(&self, range: Range<u64>, spare: Vec<u8>) -> io::Result<Block> {
        let (position, range) = self.find(&range)?;
        self.file(position)?.block_in(range, spare)
    }

    fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        let found = ranges.iter().map(|range| self.find(range)).collect::<io::Result<Vec<_>>>()?;
        let of_file = |position: usize| -> Vec<Range<u64>> {
            found.iter().filter(|(file, _)| *file == position).map(|(_, range)| range.clone()).collect()
        };
        let lists: Vec<_> = (0..self.files.len()).map(of_file).collect();
        let read = |(file, ranges): (&Arc<dyn ReadAt>, &Vec<Range<u64>>)| match ranges.is_empty() {
            true => Ok(Vec::new()),
            false => file.blocks(ranges),
        };
        // Files that are far away are asked at the same time.
        let blocks: Vec<io::Result<Vec<Block>>> = if self.is_remote() {
            std::thread::scope(|scope| {
                let pairs = self.files.iter().zip(&lists);
                let threads: Vec<_> = pairs.map(|pair| scope.spawn(move || read(pair))).collect();
                let joined = threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
                joined.collect()
            })
        } else {
            self.files.iter().zip(&lists).map(read).collect()
        };
        let mut blocks =
            blocks.into_iter().map(|blocks| blocks.map(Vec::into_iter)).collect::<io::Result<Vec<_>>>()?;
        let in_order = found.iter().map(|(file, _)| blocks.get_mut(*file)?.next());
        in_order.map(|block| block.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())).collect()
    }

    fn is_remote(&self) -> bool {
        self.files.iter().any(|file| file.is_remote())
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn name(&self) -> &str {
        &self.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_is_where_it_begins_and_nothing_is_between() {
        let files: Vec<Arc<dyn ReadAt>> = vec![Arc::new(vec![1, 2, 3]), Arc::new(vec![4u8, 5])];
        let joined = Joined::new(files, "both".to_owned()).unwrap();
        let second = Joined::start(1);
        assert_eq!(joined.size(), second + 2);
        assert_eq!(&*joined.block(1..3).unwrap(), [2, 3]);
        assert_eq!(&*joined.block(second..second + 2).unwrap(), [4, 5]);
        let ranges = [second + 1..second + 2, 0..1, second..second + 1, 2..3];
        let blocks = joined.blocks(&ranges).unwrap();
        assert_eq!(blocks.iter().map(|block| block[0]).collect::<Vec<_>>(), [5, 1, 4, 3]);
        for outside in [2..4, 3..3 + 1, 0..second + 1, second + 1..second + 3, u64::MAX - 1..u64::MAX] {
            assert_eq!(
                joined.block(outside.clone()).map(|_| ()).unwrap_err().kind(),
                io::ErrorKind::UnexpectedEof
            );
            assert!(joined.blocks(&[0..1, outside]).is_err());
        }
        let mut bytes = [0; 2];
        joined.read_at(second, &mut bytes).unwrap();
        assert_eq!(bytes, [4, 5]);
        assert!(joined.read_at(u64::MAX, &mut bytes).is_err());
    }
}
