//! A storage with a cache in front of it.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use super::super::{Block, ReadAt, block_by_blocks, checked_length, read_by_blocks};
use super::disk::Kept;
use super::memory::BLOCK_SIZE;
use super::parts::{Parts, copy_of};

/// A storage whose bytes are kept.
pub(crate) struct Cached {
    storage: Arc<dyn ReadAt>,
    cache: Arc<Parts>,
    /// Identifies the file, in this version, among all others.
    file: u128,
    kept: Option<Kept>,
}

impl Cached {
    /// `None` where the version of the storage is not known.
    pub(super) fn new(cache: &Arc<Parts>, storage: &Arc<dyn ReadAt>) -> Option<Self> {
        let identity = format!("{}\n{}\n{}", storage.name(), storage.version()?, storage.size());
        let file = xxh3_128(identity.as_bytes());
        let folder = cache.folder.as_ref();
        let kept = folder.and_then(|folder| Kept::open(folder, file, &identity, storage.size()));
        Some(Self { storage: storage.clone(), cache: cache.clone(), file, kept })
    }

    /// The bytes of block `number` in the file.
    fn range_of(&self, number: u64) -> Range<u64> {
        let start = number * BLOCK_SIZE;
        start..start.saturating_add(BLOCK_SIZE).min(self.storage.size())
    }

    /// A block from memory or from disk.
    fn known(&self, number: u64) -> Option<Block> {
        if let Some(block) = self.cache.shelf().get((self.file, number)) {
            return Some(block);
        }
        let range = self.range_of(number);
        let block = self.kept.as_ref()?.read(number, range)?;
        self.cache.shelf().put((self.file, number), block.clone());
        Some(block)
    }

    fn keep(&self, number: u64, block: &Block) {
        if let Some(kept) = &self.kept {
            kept.write(number, block);
        }
        self.cache.shelf().put((self.file, number), block.clone());
    }

    /// The blocks of all ranges; those that are not kept are asked for at once.
    fn gather(&self, ranges: &[Range<u64>]) -> io::Result<BTreeMap<u64, Block>> {
        let mut found = BTreeMap::new();
        let mut missing: Vec<Range<u64>> = Vec::new();
        let mut wanted: Vec<Range<u64>> = Vec::with_capacity(ranges.len());
        for range in ranges.iter().filter(|range| !range.is_empty()) {
            wanted.push(range.start / BLOCK_SIZE..(range.end - 1) / BLOCK_SIZE + 1);
        }
        wanted.sort_unstable_by_key(|numbers| numbers.start);
        let mut next = 0;
        for number in wanted.into_iter().flatten() {
            if number < next {
                continue;
            }
            next = number + 1;
            match (self.known(number), missing.last_mut()) {
                (Some(block), _) => drop(found.insert(number, block)),
                (None, Some(last)) if last.end == number => last.end += 1,
                (None, _) => missing.push(number..number + 1),
            }
        }
        if missing.is_empty() {
            return Ok(found);
        }
        let bytes = |numbers: &Range<u64>| numbers.start * BLOCK_SIZE..self.range_of(numbers.end - 1).end;
        let asked: Vec<_> = missing.iter().map(bytes).collect();
        for ((numbers, asked), block) in missing.iter().zip(&asked).zip(self.storage.blocks(&asked)?) {
            for number in numbers.clone() {
                let part = within(&self.range_of(number), asked.start).and_then(|part| copy_of(&block, part));
                let part = part.ok_or(io::ErrorKind::UnexpectedEof)?;
                self.keep(number, &part);
                found.insert(number, part);
            }
        }
        Ok(found)
    }
}

/// A range of a file in a block that begins at `start`.
fn within(range: &Range<u64>, start: u64) -> Option<Range<usize>> {
    let at = |offset: u64| offset.checked_sub(start).and_then(|at| usize::try_from(at).ok());
    Some(at(range.start)?..at(range.end)?)
}

impl ReadAt for Cached {
    fn size(&self) -> u64 {
        self.storage.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_by_blocks(self, offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        block_by_blocks(self, range)
    }

    fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        let size = self.size();
        let lengths =
            ranges.iter().map(|range| checked_length(range, size)).collect::<io::Result<Vec<_>>>()?;
        let found = self.gather(ranges)?;
        let assemble = |(range, length): (&Range<u64>, usize)| {
            let numbers = range.start / BLOCK_SIZE..range.end.div_ceil(BLOCK_SIZE);
            let mut parts = found.range(numbers).filter_map(|(number, block)| {
                let start = number * BLOCK_SIZE;
                let part = range.start.max(start)..range.end.min(start.saturating_add(BLOCK_SIZE));
                block.slice(within(&part, start)?)
            });
            let whole = match (parts.next(), length) {
                (None, _) => Block::from(Vec::new()),
                (Some(first), length) if first.len() == length => first,
                (Some(first), length) => {
                    let mut bytes = Vec::with_capacity(length);
                    bytes.extend_from_slice(&first);
                    parts.for_each(|part| bytes.extend_from_slice(&part));
                    Block::from(bytes)
                }
            };
            if whole.len() == length { Ok(whole) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
        };
        ranges.iter().zip(lengths).map(assemble).collect()
    }

    fn is_remote(&self) -> bool {
        self.storage.is_remote()
    }

    fn version(&self) -> Option<&str> {
        self.storage.version()
    }

    fn refresh(&self) -> io::Result<()> {
        self.storage.refresh()
    }

    fn name(&self) -> &str {
        self.storage.name()
    }
}

impl fmt::Debug for Cached {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Cached({})", self.storage.name())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Cache;
    use super::*;
    use proptest::prelude::*;
    use std::sync::Mutex;

    /// Bytes that count what is asked for.
    struct Far {
        bytes: Vec<u8>,
        version: &'static str,
        asked: Mutex<Vec<Vec<Range<u64>>>>,
    }

    fn far(size: usize, version: &'static str) -> Arc<Far> {
        let bytes = (0..size).map(|at| u8::try_from((at * 7 + version.len()) % 256).unwrap()).collect();
        Arc::new(Far { bytes, version, asked: Mutex::default() })
    }

    impl ReadAt for Far {
        fn size(&self) -> u64 {
            self.bytes.len() as u64
        }

        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
            self.bytes.read_at(offset, buffer)
        }

        fn block(&self, range: Range<u64>) -> io::Result<Block> {
            self.blocks(&[range]).map(|mut blocks| blocks.remove(0))
        }

        fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
            self.asked.lock().unwrap().push(ranges.to_vec());
            ranges.iter().map(|range| self.bytes.block(range.clone())).collect()
        }

        fn is_remote(&self) -> bool {
            true
        }

        fn version(&self) -> Option<&str> {
            Some(self.version).filter(|version| !version.is_empty())
        }

        fn name(&self) -> &str {
            "s3://bucket/a.root"
        }
    }

    fn asked(far: &Far) -> Vec<Vec<Range<u64>>> {
        std::mem::take(&mut *far.asked.lock().unwrap())
    }

    #[test]
    fn what_was_read_is_not_asked_for_again() {
        let far = far(500_000, "v1");
        let cache = Cache::new(1 << 20);
        let storage = cache.wrap(far.clone());
        storage.blocks(&[10..20, 70_000..70_001, 400_000..500_000]).unwrap();
        assert_eq!(asked(&far), [[0..131_072, 393_216..500_000]]);
        // Another reader of the same file.
        let storage = cache.wrap(far.clone());
        assert_eq!(&*storage.block(0..131_072).unwrap(), &far.bytes[..131_072]);
        assert_eq!(&*storage.block(499_999..500_000).unwrap(), &far.bytes[499_999..]);
        assert!(asked(&far).is_empty());
        assert!(storage.block(499_999..500_001).is_err());
    }

    #[test]
    fn a_file_that_was_replaced_is_read_again_and_one_without_a_version_is_not_kept() {
        let cache = Cache::new(1 << 20);
        let (old, new) = (far(100, "v1"), far(100, "version 2"));
        assert_eq!(&*cache.wrap(old.clone()).block(0..100).unwrap(), old.bytes);
        assert_eq!(&*cache.wrap(new.clone()).block(0..100).unwrap(), new.bytes);
        let unknown = far(100, "");
        (0..2).for_each(|_| drop(cache.wrap(unknown.clone()).block(0..1).unwrap()));
        assert_eq!(asked(&unknown).len(), 2);
    }

    #[test]
    fn a_folder_is_shared_and_what_is_damaged_there_is_read_again() {
        let directory = tempfile::tempdir().unwrap();
        let open = || Cache::new(0).on_disk(directory.path().join("cache"), 10 << 20).unwrap();
        let far = far(300_000, "v1");
        let read = || open().wrap(far.clone()).block(5..300_000).unwrap();
        assert_eq!(&*read(), &far.bytes[5..]);
        assert_eq!(asked(&far).len(), 1);
        assert_eq!(&*read(), &far.bytes[5..]);
        assert!(asked(&far).is_empty());
        // A byte of the second block.
        let data = std::fs::read_dir(directory.path().join("cache")).unwrap();
        let data = data.map(|entry| entry.unwrap().path()).find(|path| path.extension().unwrap() == "data");
        let mut bytes = std::fs::read(data.as_ref().unwrap()).unwrap();
        bytes[70_000] ^= 1;
        std::fs::write(data.unwrap(), bytes).unwrap();
        assert_eq!(&*read(), &far.bytes[5..]);
        assert_eq!(asked(&far), [vec![65_536..131_072; 1]]);
        assert_eq!(&*read(), &far.bytes[5..]);
        assert!(asked(&far).is_empty());
    }

    #[cfg(unix)]
    #[test]
    fn others_cannot_write_to_a_folder() {
        use std::os::unix::fs::PermissionsExt;
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("new/cache");
        let open = || Cache::new(0).on_disk(&folder, 10 << 20).map(drop);
        open().unwrap();
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        // A folder that a group shares is one that its owner has made so.
        for (mode, is_safe) in [(0o755, true), (0o770, true), (0o777, false)] {
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(open().is_ok(), is_safe, "{mode:o}");
        }
        let error = open().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
        assert!(error.to_string().contains("new/cache: the folder of a cache must not be"), "{error}");
    }

    #[test]
    fn a_folder_stays_within_its_size() {
        let directory = tempfile::tempdir().unwrap();
        let limit = 1 << 20;
        let cache = Cache::new(0).on_disk(directory.path(), limit).unwrap();
        let versions = ["1", "22", "333", "4444", "55555", "666666"];
        for version in versions {
            let far = far(400_000, version);
            assert_eq!(&*cache.wrap(far.clone()).block(0..400_000).unwrap(), far.bytes);
            let size: u64 = std::fs::read_dir(directory.path())
                .unwrap()
                .map(|entry| entry.unwrap().metadata().unwrap().len())
                .sum();
            assert!(size <= limit + limit / 8, "{size}");
        }
        // A single file that is longer than all of it is read, and kept in part.
        let far = far(3_000_000, "long");
        (0..2).for_each(|_| assert_eq!(&*cache.wrap(far.clone()).block(0..3_000_000).unwrap(), far.bytes));
        assert!(asked(&far).iter().flatten().map(|range| range.end - range.start).sum::<u64>() < 6_000_000);
        // And the next one is kept, while the long one is open and after.
        let long = cache.wrap(far.clone());
        let short = self::far(400_000, "short");
        for _ in 0..2 {
            assert_eq!(&*cache.wrap(short.clone()).block(0..400_000).unwrap(), short.bytes);
            assert_eq!(&*long.block(5..3_000_000).unwrap(), &far.bytes[5..]);
        }
        assert_eq!(asked(&short), [vec![0..400_000; 1]]);
    }

    /// Bytes that the files of a folder take on the disk, those that were removed and are still open among them.
    #[cfg(target_os = "linux")]
    fn taken(folder: &std::path::Path) -> u64 {
        use std::os::unix::fs::MetadataExt;
        let mut sizes = BTreeMap::new();
        for list in [folder, std::path::Path::new("/proc/self/fd")] {
            for entry in std::fs::read_dir(list).unwrap().map(|entry| entry.unwrap().path()) {
                let path = std::fs::read_link(&entry).unwrap_or_else(|_| entry.clone());
                if let (true, Ok(metadata)) = (path.starts_with(folder), std::fs::metadata(&entry)) {
                    sizes.insert((metadata.dev(), metadata.ino()), metadata.blocks() * 512);
                }
            }
        }
        sizes.values().sum()
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_that_are_open_together_stay_within_the_size() {
        let directory = tempfile::tempdir().unwrap();
        let limit = 2 << 20;
        let cache = Cache::new(0).on_disk(directory.path(), limit).unwrap();
        let files = ["1", "22", "333"].map(|version| far(3_000_000, version));
        let open: Vec<_> = files.iter().map(|file| cache.wrap(file.clone())).collect();
        let mut most = 0;
        for start in (0..3_000_000).step_by(100_000) {
            for (storage, file) in open.iter().zip(&files) {
                let range = start..start + 100_000;
                let expected = file.bytes.block(range.clone()).unwrap();
                assert_eq!(&*storage.block(range).unwrap(), &*expected);
                most = most.max(taken(directory.path()));
            }
        }
        assert!(most <= limit + limit / 8, "{most}");
        assert!(most > limit / 2, "{most}");
    }

    proptest! {
        #[test]
        fn ranges_are_as_without_a_cache(
            size in 0usize..400_000,
            ranges in prop::collection::vec((0u64..400_000, 0u64..200_000), 0..6),
            memory in prop::sample::select(vec![0u64, 100_000, 1 << 20]),
        ) {
            let far = far(size, "v");
            let cache = Cache::new(memory);
            let ranges: Vec<_> = ranges.into_iter().map(|(start, length)| start..start + length).collect();
            for _ in 0..2 {
                let plain: io::Result<Vec<_>> = ranges.iter().map(|range| far.bytes.block(range.clone())).collect();
                match (cache.wrap(far.clone()).blocks(&ranges), plain) {
                    (Ok(found), Ok(plain)) => {
                        prop_assert!(found.iter().zip(&plain).all(|(a, b)| **a == **b));
                        prop_assert_eq!(found.len(), plain.len());
                    }
                    (Err(_), Err(_)) => {}
                    (found, plain) => prop_assert!(false, "{found:?} {plain:?}"),
                }
            }
        }
    }
}
