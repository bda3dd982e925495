//! An object that is read.

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::{join, try_join_all};
use http::StatusCode;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectMeta, ObjectStore, ObjectStoreExt as _};
use rntuple::storage::{Block, ReadAt, block_by_blocks, ends_of, read_by_blocks};

use crate::error::{changed, io_error, is_beyond_end};
use crate::locate::{Located, locate};
use crate::options::Options;
use crate::ranges::merge;
use crate::runtime::{fault, wait, within};

/// More memory than this is not taken for one request before bytes have come.
const FIRST_ALLOCATION: u64 = 16 << 20;

/// An object of a store, which a [`Reader`](rntuple::Reader) can be opened on.
///
/// It is the object that was opened, or an error: each request is bound to its e-tag or its date, where the server says one.
pub struct ObjectFile {
    source: Arc<Source>,
    options: Options,
    /// The first bytes.
    head: Block,
    /// The last bytes and where they begin, if they were asked for together with the first ones.
    tail: Option<(u64, Block)>,
    version: Option<String>,
}

/// What is asked, and what must not change.
struct Source {
    store: Arc<dyn ObjectStore>,
    path: Path,
    name: String,
    meta: ObjectMeta,
}

impl ObjectFile {
    /// Opens the object at a URL: `s3://bucket/key`, `https://host/path`, ..
    ///
    /// # Errors
    /// The URL is of no store that is known, or has a [path](crate#paths) that cannot be asked for; the object does not
    /// exist, or the store cannot be reached.
    pub fn open(url: &str, options: &Options) -> io::Result<Self> {
        Self::at(locate(url, options)?.object()?, None, options)
    }

    /// Opens an object of a store, which errors call `name`. Where a list has said the `size`, in bytes, both ends are asked for
    /// at once.
    ///
    /// # Errors
    /// The object does not exist, or the store cannot be reached.
    pub fn in_store(
        store: Arc<dyn ObjectStore>,
        path: Path,
        size: Option<u64>,
        name: String,
        options: &Options,
    ) -> io::Result<Self> {
        Self::at(Located { store, parts: None, path, name, choice: None }, size, options)
    }

    /// Opens an object, of which a list may have said the size.
    pub(crate) fn at(located: Located, size: Option<u64>, options: &Options) -> io::Result<Self> {
        let Located { store, path, name, choice, .. } = located;
        let (timeout, retries, from) = (options.timeout, options.retries, (store.clone(), path.clone()));
        // The first request says how long the object is as well. Where that is known before, what a reader will ask for.
        let [head, _] = ends_of(u64::MAX);
        let [both, end] = size.map(ends_of).unwrap_or_default();
        let (most, end) = (head.end.max(both.end), Some(end).filter(|end| !end.is_empty()));
        let ((meta, head), tail) = wait(async move {
            let request = format!("GET bytes 0..{most}");
            let head = within(timeout, &request, first(from.0.clone(), from.1.clone(), most, retries));
            let (head, tail) = join(head, last(from.0, from.1, end, timeout)).await;
            Ok::<_, io::Error>((head?, tail))
        })?;
        // That of another object is of no use.
        let tail =
            tail.filter(|tail| is_same(&tail.meta, &meta)).map(|tail| (tail.start, Block::from(tail.bytes)));
        let version = match (&meta.e_tag, meta.last_modified.timestamp_millis()) {
            (Some(tag), _) => Some(tag.clone()),
            // The store does not say.
            (None, 0) => None,
            (None, time) => Some(format!("{time}-{}", meta.size)),
        };
        // The name has no query. Two objects of one length may have one date.
        let version = match (version, choice) {
            (Some(version), Some(choice)) => Some(format!("{version}?{choice:x}")),
            (version, _) => version,
        };
        let source = Arc::new(Source { store, path, name, meta });
        Ok(Self { source, options: options.clone(), head: Block::from(head), tail, version })
    }

    /// Returns what the store said of the object when it was opened: its size, its e-tag, its date.
    pub fn meta(&self) -> &ObjectMeta {
        &self.source.meta
    }

    /// The bytes of ranges that lie within the object.
    fn request(&self, ranges: &[Range<u64>], spare: &dyn Fn(u64) -> Vec<u8>) -> io::Result<Vec<Block>> {
        let merged = merge(ranges, self.options.merge_gap, self.options.request_size);
        let memory = |range: &Range<u64>| (range.clone(), spare(range.end - range.start));
        let requests: Vec<_> = merged.iter().map(|merged| memory(&merged.range)).collect();
        let (retries, timeout) = (self.options.retries, self.options.timeout);
        let slots = self.options.slots();
        let requests = requests.into_iter().map(|(range, memory)| {
            let (source, slots) = (self.source.clone(), slots.clone());
            async move {
                // Requests of this call and of others, for this file and for others, get one in turn: nothing closes
                // them.
                let _slot = slots.acquire().await.map_err(io::Error::other)?;
                let request = format!("GET bytes {}..{}", range.start, range.end);
                within(timeout, &request, source.get(range, &request, retries, memory)).await
            }
        });
        let bytes = wait(try_join_all(requests.collect::<Vec<_>>()))?;
        let mut blocks = vec![None; ranges.len()];
        for (merged, bytes) in merged.iter().zip(bytes) {
            let whole = Block::from(bytes);
            for number in &merged.numbers {
                let block = ranges.get(*number).and_then(|range| part(&whole, range, merged.range.start));
                if let Some(slot) = blocks.get_mut(*number) {
                    *slot = block;
                }
            }
        }
        let empty = || Block::from(Vec::new());
        let blocks = blocks.into_iter().zip(ranges).map(|(block, range)| match block {
            None if range.is_empty() => Ok(empty()),
            block => block.ok_or_else(|| io::ErrorKind::UnexpectedEof.into()),
        });
        blocks.collect()
    }
}

/// The bytes of `range` in a block that begins at `start`.
fn part(block: &Block, range: &Range<u64>, start: u64) -> Option<Block> {
    let at = |offset: u64| offset.checked_sub(start).and_then(|at| usize::try_from(at).ok());
    block.slice(at(range.start)?..at(range.end)?)
}

/// The end of an object as it may be, and what the store says of it.
struct Tail {
    meta: ObjectMeta,
    start: u64,
    bytes: Vec<u8>,
}

/// Asks for a range at the end of an object. `None`: it is not there, or no longer; whoever needs it asks again.
async fn last(
    store: Arc<dyn ObjectStore>,
    path: Path,
    range: Option<Range<u64>>,
    timeout: Duration,
) -> Option<Tail> {
    let range = range?;
    let request = format!("GET bytes {}..{}", range.start, range.end);
    let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
    let answer = within(timeout, &request, async {
        let result = store.get_opts(&path, options).await.map_err(|error| io_error(&error, &request))?;
        let (meta, start) = (result.meta.clone(), result.range.start);
        let mut bytes = Vec::new();
        collect(result, range.end - range.start, &request, &mut bytes).await?;
        Ok(Tail { meta, start, bytes })
    });
    answer.await.ok().filter(|tail| tail.start == range.start)
}

/// Whether two answers are about one state of an object, as far as the store says that.
fn is_same(now: &ObjectMeta, then: &ObjectMeta) -> bool {
    now.size == then.size
        && now.e_tag == then.e_tag
        && (now.e_tag.is_some() || now.last_modified == then.last_modified)
}

/// The first bytes of an object, up to `most`, and what the store says of it.
async fn first(
    store: Arc<dyn ObjectStore>,
    path: Path,
    most: u64,
    retries: usize,
) -> io::Result<(ObjectMeta, Vec<u8>)> {
    let head = |length| GetOptions { range: Some(GetRange::Bounded(0..length)), ..GetOptions::default() };
    let mut attempts = 0;
    let mut most_attempts = retries;
    let mut length = most;
    let mut knows_size = false;
    loop {
        let request = format!("GET bytes 0..{length}");
        let (error, is_final) = match store.get_opts(&path, head(length)).await {
            Ok(result) => {
                let meta = result.meta.clone();
                most_attempts = attempts_after(&meta, retries);
                let mut bytes = Vec::new();
                match collect(result, meta.size.min(length), &request, &mut bytes).await {
                    Ok(()) => return Ok((meta, bytes)),
                    Err(error) => (error, false),
                }
            }
            Err(error) => (io_error(&error, &request), true),
        };
        // A server that cannot answer now has not looked at the length; of a status 500 that is not known.
        let is_busy = fault().is_some_and(|status| status != StatusCode::INTERNAL_SERVER_ERROR);
        let is_about_length = !is_busy
            && !matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::TimedOut
            );
        // Servers differ in what they say of an object that is shorter than what was asked for.
        if is_about_length && !knows_size {
            knows_size = true;
            match store.head(&path).await {
                Ok(meta) if meta.size == 0 => return Ok((meta, Vec::new())),
                Ok(meta) if meta.size < most => {
                    length = meta.size;
                    continue;
                }
                _ => {}
            }
        }
        attempts += 1;
        if is_final || attempts > most_attempts {
            return Err(error);
        }
        pause(attempts).await;
    }
}

/// Attempts after one whose answer ended too early. Where there is an e-tag, the store has made them, and asked for what
/// was missing: one more says whether the object has changed.
fn attempts_after(meta: &ObjectMeta, retries: usize) -> usize {
    if meta.e_tag.is_some() { retries.min(1) } else { retries }
}

/// Waits before the next attempt.
async fn pause(attempts: usize) {
    let doublings = u32::try_from(attempts.min(7)).unwrap_or_default();
    tokio::time::sleep(Duration::from_millis(50) * 2u32.pow(doublings)).await;
}

impl Source {
    /// The bytes of a range, which is not empty. Requests that fail are retried by the store, as are answers that end too
    /// early where there is an e-tag; without one, here.
    async fn get(
        &self,
        range: Range<u64>,
        request: &str,
        retries: usize,
        mut memory: Vec<u8>,
    ) -> io::Result<Vec<u8>> {
        let mut attempts = 0;
        loop {
            let error = match self.attempt(range.clone(), request, &mut memory).await {
                Ok(()) => return Ok(memory),
                Err(Failure::Final(error)) => return Err(error),
                Err(Failure::Passing(error)) => error,
            };
            attempts += 1;
            if attempts > attempts_after(&self.meta, retries) {
                return Err(error);
            }
            pause(attempts).await;
        }
    }

    /// Fills `bytes` with a range.
    async fn attempt(&self, range: Range<u64>, request: &str, bytes: &mut Vec<u8>) -> Result<(), Failure> {
        let strong_tag = self.meta.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
        let is_dated = strong_tag.is_none() && self.meta.last_modified.timestamp_millis() != 0;
        let options = GetOptions {
            range: Some(GetRange::Bounded(range.clone())),
            if_match: strong_tag,
            if_unmodified_since: is_dated.then_some(self.meta.last_modified),
            ..GetOptions::default()
        };
        let result = match self.store.get_opts(&self.path, options).await {
            Ok(result) => result,
            Err(error) => {
                // Servers that compare no versions do not say that an object of this size is no longer there.
                let is_shorter = is_beyond_end(&error)
                    && self.store.head(&self.path).await.is_ok_and(|now| !is_same(&now, &self.meta));
                let error = if is_shorter { changed(request) } else { io_error(&error, request) };
                return Err(Failure::Final(error));
            }
        };
        if !is_same(&result.meta, &self.meta) {
            return Err(Failure::Final(changed(request)));
        }
        if result.range != range {
            let message = format!("{request}: the server sent bytes {:?}", result.range);
            return Err(Failure::Final(io::Error::new(io::ErrorKind::InvalidData, message)));
        }
        collect(result, range.end - range.start, request, bytes).await.map_err(Failure::Passing)
    }
}

/// Why an attempt failed.
enum Failure {
    /// Another attempt may succeed.
    Passing(io::Error),
    Final(io::Error),
}

/// Replaces `bytes` by those of an answer, exactly `length` of them.
async fn collect(result: GetResult, length: u64, request: &str, bytes: &mut Vec<u8>) -> io::Result<()> {
    let length = usize::try_from(length).map_err(io::Error::other)?;
    bytes.clear();
    bytes.reserve_exact(usize::try_from(FIRST_ALLOCATION).unwrap_or(usize::MAX).min(length));
    let mut stream = result.into_stream();
    while let Some(chunk) = stream.next().await {
        let chunk: Bytes = chunk.map_err(|error| interrupted(&error, request, bytes.len()))?;
        if chunk.len() > length - bytes.len() {
            let message = format!("{request}: the server sent over {length} bytes");
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        bytes.extend_from_slice(&chunk);
    }
    if bytes.len() < length {
        let message = format!("{request}: the answer ended after {} of {length} bytes", bytes.len());
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
    }
    Ok(())
}

/// What went wrong after some bytes of an answer.
#[cold]
fn interrupted(error: &object_store::Error, request: &str, bytes: usize) -> io::Error {
    io_error(error, &format!("{request}: after {bytes} bytes"))
}

impl ReadAt for ObjectFile {
    fn size(&self) -> u64 {
        self.source.meta.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_by_blocks(self, offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        block_by_blocks(self, range)
    }

    fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        self.blocks_in(ranges, &|_| Vec::new())
    }

    fn blocks_in(&self, ranges: &[Range<u64>], spare: &dyn Fn(u64) -> Vec<u8>) -> io::Result<Vec<Block>> {
        let size = self.size();
        if let Some(range) = ranges.iter().find(|range| range.end > size || range.start > range.end) {
            let message = format!("bytes {}..{} wanted, but there are {size}", range.start, range.end);
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        let known = |range: &Range<u64>| {
            let at_end = || self.tail.as_ref().and_then(|(start, tail)| part(tail, range, *start));
            part(&self.head, range, 0).or_else(at_end)
        };
        let asked: Vec<_> = ranges.iter().filter(|range| known(range).is_none()).cloned().collect();
        let mut answers =
            if asked.is_empty() { Vec::new() } else { self.request(&asked, spare)? }.into_iter();
        let block = |range| known(range).or_else(|| answers.next());
        ranges.iter().map(block).map(|block| block.ok_or(io::ErrorKind::UnexpectedEof.into())).collect()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    fn name(&self) -> &str {
        &self.source.name
    }
}

impl fmt::Debug for ObjectFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectFile")
            .field("name", &self.source.name)
            .field("size", &self.source.meta.size)
            .field("version", &self.version)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use object_store::memory::InMemory;

    use super::*;

    /// An object of so many bytes in a store, and the bytes.
    fn object(length: u32) -> (Arc<InMemory>, Path, Vec<u8>) {
        let (store, path) = (Arc::new(InMemory::new()), Path::from("x"));
        let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let put = (store.clone(), path.clone(), bytes.clone());
        wait(async move { put.0.put(&put.1, put.2.into()).await.map_err(io::Error::other) }).unwrap();
        (store, path, bytes)
    }

    #[test]
    fn spare_memory_takes_the_bytes_of_an_answer() {
        let (store, path, bytes) = object(500_000);
        let file = ObjectFile::in_store(store, path, None, "x".to_owned(), &Options::new()).unwrap();
        let spares = RefCell::new(vec![vec![7; 250_000], vec![7; 10]]);
        for _ in 0..2 {
            let memory = spares.borrow().last().unwrap().as_ptr();
            let asked = RefCell::new(Vec::new());
            let spare = |length| {
                asked.borrow_mut().push(length);
                spares.borrow_mut().pop().unwrap()
            };
            let blocks = file.blocks_in(&[300_000..300_005, 5..9, 350_000..499_000], &spare).unwrap();
            assert_eq!(*blocks[0], bytes[300_000..300_005]);
            assert_eq!(*blocks[1], bytes[5..9], "of the beginning, which is kept");
            assert_eq!(*blocks[2], bytes[350_000..499_000]);
            // One request; what is long enough is not replaced.
            assert_eq!(asked.into_inner(), [199_000]);
            let start = blocks[0].as_ptr();
            assert_eq!(start == memory, spares.borrow().is_empty());
        }
    }

    #[test]
    fn a_wrong_size_costs_nothing_but_a_request() {
        let (store, path, bytes) = object(700_000);
        for size in [None, Some(700_000), Some(100), Some(600_000), Some(900_000), Some(u64::MAX)] {
            let file =
                ObjectFile::in_store(store.clone(), path.clone(), size, "x".to_owned(), &Options::new());
            let file = file.unwrap();
            // What was asked for where the end was said to be is of the same object.
            let has_tail = matches!(size, Some(600_000 | 700_000));
            assert_eq!((file.size(), file.tail.is_some()), (700_000, has_tail), "{size:?}");
            let blocks = file.blocks(&[0..10, 699_000..700_000, 300_000..300_100]).unwrap();
            let expected = [&bytes[..10], &bytes[699_000..], &bytes[300_000..300_100]];
            assert!(blocks.iter().zip(expected).all(|(block, bytes)| **block == *bytes), "{size:?}");
        }
    }
}
