//! A disk that fails when it is asked to, and of which one sees what is left.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rntuple::storage::{ReadAt, WriteAt};

/// What a disk writes whole or not at all.
pub const SECTOR: u64 = 512;

/// Bytes behind a cache: a flush makes what is in the cache lasting. All clones are the same disk.
#[derive(Clone, Debug, Default)]
pub struct Disk(Arc<Mutex<State>>);

/// How a disk fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It does nothing any more.
    Stop,
    /// The call fails, and has no effect.
    Error(io::ErrorKind),
    /// A write stores the first half of its bytes, and fails; within a sector, it stores all of them, and fails. Other
    /// calls fail.
    Half,
    /// A write stores all of its bytes but the last one, within a sector too, and fails. Other calls fail.
    Short,
    /// From the call on there is no room for more bytes. What there is can be overwritten.
    Full,
    /// The first flush from the call on fails, and what was in the cache is lost.
    LostCache,
}

#[derive(Debug, Default)]
struct State {
    lasting: Vec<u8>,
    cached: Vec<(u64, Vec<u8>)>,
    calls: usize,
    /// The call that fails, and how.
    fault: Option<(usize, Fault)>,
    /// The read that fails.
    unread: Option<usize>,
    reads: usize,
    /// The last write that was asked for.
    last: Option<(u64, Vec<u8>)>,
    /// Whether something has failed.
    is_hit: bool,
}

fn put(bytes: &mut Vec<u8>, offset: u64, part: &[u8]) {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(part.len());
    bytes.resize(bytes.len().max(end), 0);
    if let Some(place) = bytes.get_mut(start..end) {
        place.copy_from_slice(part);
    }
}

/// Whether a write is there whole or not at all.
fn is_in_sector(offset: u64, bytes: &[u8]) -> bool {
    offset / SECTOR == (offset + bytes.len() as u64).saturating_sub(1) / SECTOR
}

impl State {
    fn image(&self) -> Vec<u8> {
        let mut bytes = self.lasting.clone();
        self.cached.iter().for_each(|(offset, part)| put(&mut bytes, *offset, part));
        bytes
    }

    fn size(&self) -> u64 {
        let cached = self.cached.iter().map(|(offset, part)| offset + part.len() as u64).max();
        cached.unwrap_or(0).max(self.lasting.len() as u64)
    }

    /// The fault of this call, if it has one.
    fn call(&mut self) -> Option<Fault> {
        let number = self.calls;
        self.calls += 1;
        let (at, fault) = self.fault?;
        let is_hit = match fault {
            Fault::Stop | Fault::Full => number >= at,
            Fault::Error(_) | Fault::Half | Fault::Short => number == at,
            Fault::LostCache => number >= at && !self.is_hit,
        };
        is_hit.then_some(fault)
    }

    fn fail(&mut self, fault: Fault) -> io::Error {
        self.is_hit = true;
        match fault {
            Fault::Error(kind) => kind.into(),
            Fault::Full => io::ErrorKind::StorageFull.into(),
            Fault::Stop | Fault::Half | Fault::Short | Fault::LostCache => {
                io::Error::other("the disk has failed")
            }
        }
    }
}

impl Disk {
    /// A disk with these bytes.
    #[must_use]
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Mutex::new(State { lasting: bytes, ..State::default() })))
    }

    /// One that fails at a call, as writes and flushes are counted.
    #[must_use]
    pub fn failing(bytes: Vec<u8>, call: usize, fault: Fault) -> Self {
        let disk = Self::new(bytes);
        disk.lock().fault = Some((call, fault));
        disk
    }

    /// One that does nothing any more from a call on.
    #[must_use]
    pub fn stopping_at(bytes: Vec<u8>, call: usize) -> Self {
        Self::failing(bytes, call, Fault::Stop)
    }

    /// One of which one read fails.
    #[must_use]
    pub fn unreadable(bytes: Vec<u8>, read: usize) -> Self {
        let disk = Self::new(bytes);
        disk.lock().unread = Some(read);
        disk
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a program reads, as long as there is power.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.lock().image()
    }

    /// Writes and flushes so far.
    #[must_use]
    pub fn calls(&self) -> usize {
        self.lock().calls
    }

    /// Reads so far.
    #[must_use]
    pub fn reads(&self) -> usize {
        self.lock().reads
    }

    /// How many handles of it there are.
    #[must_use]
    pub fn holders(&self) -> usize {
        Arc::strong_count(&self.0)
    }

    /// What is left if the power fails now, and the cache is lost.
    #[must_use]
    pub fn lasting(&self) -> Vec<u8> {
        self.lock().lasting.clone()
    }

    /// What may be on the disk when it comes back: of the cached writes any, each of them whole or, where it is more
    /// than a sector, in parts; of the one that failed a part.
    #[must_use]
    pub fn left(&self) -> Vec<Vec<u8>> {
        let state = self.lock();
        let mut images = vec![state.lasting.clone(), state.image()];
        for number in 0..state.cached.len() {
            let (mut alone, mut others) = (state.lasting.clone(), state.lasting.clone());
            for (other, (offset, bytes)) in state.cached.iter().enumerate() {
                put(if other == number { &mut alone } else { &mut others }, *offset, bytes);
            }
            images.extend([alone, others]);
        }
        if let Some((offset, bytes)) = &state.last {
            let parts: &[usize] = if is_in_sector(*offset, bytes) { &[0, 4] } else { &[1, 3, 4] };
            for part in parts {
                let mut image = state.image();
                put(&mut image, *offset, bytes.get(..bytes.len() * part / 4).unwrap_or_default());
                images.push(image);
            }
        }
        images
    }
}

impl ReadAt for Disk {
    fn size(&self) -> u64 {
        self.lock().size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut state = self.lock();
        let number = state.reads;
        state.reads += 1;
        if state.unread == Some(number) {
            state.is_hit = true;
            return Err(io::Error::other("the disk cannot be read"));
        }
        let image = state.image();
        drop(state);
        image.read_at(offset, buffer)
    }

    fn name(&self) -> &str {
        "disk"
    }
}

impl WriteAt for Disk {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let mut bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        let mut state = self.lock();
        let was_hit = state.is_hit;
        let fault = state.call();
        if !was_hit {
            state.last = Some((offset, bytes.clone()));
        }
        let error = match fault {
            None | Some(Fault::LostCache) => None,
            Some(Fault::Full) => {
                let room = state.size().saturating_sub(offset);
                let fits = usize::try_from(room).is_ok_and(|room| room >= bytes.len());
                bytes.truncate(usize::try_from(room).unwrap_or(usize::MAX));
                (!fits).then_some(Fault::Full)
            }
            Some(fault) => {
                bytes.truncate(match fault {
                    Fault::Half if is_in_sector(offset, &bytes) => bytes.len(),
                    Fault::Half => bytes.len() / 2,
                    Fault::Short => bytes.len().saturating_sub(1),
                    _ => 0,
                });
                Some(fault)
            }
        };
        if !bytes.is_empty() {
            state.cached.push((offset, bytes));
        }
        error.map_or(Ok(()), |fault| Err(state.fail(fault)))
    }

    fn flush(&mut self) -> io::Result<()> {
        let mut state = self.lock();
        match state.call() {
            None | Some(Fault::Full) => {}
            Some(fault) => {
                // What else is flushed in vain stays in the cache.
                if fault == Fault::LostCache {
                    state.cached.clear();
                }
                return Err(state.fail(fault));
            }
        }
        state.lasting = state.image();
        state.cached.clear();
        state.last = None;
        Ok(())
    }

    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        let image = self.bytes();
        image.read_at(offset, buffer).map(|()| true)
    }

    fn name(&self) -> &str {
        "disk"
    }
}
