//! A file on a server, to read.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use rntuple::storage::{Block, PerProcess, ReadAt, read_by_blocks};

use crate::answer::{Answer, Spares};
use crate::connection::{Connection, Ticket};
use crate::failure::{Deadline, Failure};
use crate::hosts::{Operation, Reply, ask};
use crate::identity::Identity;
use crate::locks::lock;
use crate::options::Options;
use crate::paths;
use crate::plan::{Job, plan};
use crate::url::{Place, Url};
use crate::wire::code::{Code, errors, opens};
use crate::wire::request::{Handle, Request};
use crate::wire::response::Opened as OpenAnswer;
use crate::wire::stat::Stat;

/// From this many bytes in one call on, more connections are worth making.
const MUCH: u64 = 1 << 20;

/// Bytes of answers that are in flight on each connection for one call: what a reader asks for at once (8 MiB), and a
/// page; of the first calls of a walk, which are longer, the rest is asked for as answers come. Servers answer in the order of requests. So what is needed first comes first, and not in turns with what other
/// calls ask for.
const WINDOW: usize = 10 << 20;

/// Requests that are in flight on each connection for one call, also where their answers are longer than [`WINDOW`].
const REQUESTS: usize = 10;

/// A file on an XRootD server, open for reading.
///
/// Ranges of more than 128 KiB are read with checksums, by several connections; smaller ones go together into few
/// requests. With each call goes a question whether the file has changed since it was opened: another size or time is an
/// error, and nothing of the call is returned. After a cut, the file is opened again: on the same server or, where that
/// fails, on another one that the server of the URL redirects to. Reading continues if it still has the same size and time
/// and, on the same server, the same number. Times are whole seconds: a file that is overwritten with the same number of
/// bytes in the second of its last change is not noticed.
///
/// ```no_run
/// use rntuple::storage::ReadAt;
/// use rntuple_xrootd::{Options, XrootdFile};
///
/// let file = XrootdFile::open("root://eospublic.cern.ch//eos/opendata/file.root", &Options::new())?;
/// let blocks = file.blocks(&[0..100, 5000..6000])?;
/// assert_eq!(blocks[1].len(), 1000);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct XrootdFile(Arc<File>);

/// The file, shared with the threads that open it on more connections.
struct File {
    url: Url,
    name: String,
    /// What must not change.
    known: Identity,
    version: String,
    options: Options,
    /// The server that had the file when it was opened.
    place: Place,
    /// As it is open in each process: one that was forked opens it again.
    slots: PerProcess<Slots>,
    /// Whether the server does not say of an open file whether it has changed.
    is_unwatched: AtomicBool,
    /// The number of the first connection, so that files do not all use the same one.
    first: usize,
}

/// The connections of a process by which it reads a file.
struct Slots {
    /// The server that has the file now. Once it has failed, this is another one.
    place: Mutex<Place>,
    /// The file as it is open on each of them.
    opened: Vec<Mutex<Option<Arc<Opened>>>>,
    /// How many of them can be used: the first one, until there is much to read; a server may permit to open a file once
    /// only.
    usable: AtomicUsize,
    /// Whether the others were begun.
    is_widened: AtomicBool,
    spares: Arc<Spares>,
}

impl Slots {
    fn new(count: usize, place: Place, first: Option<Opened>) -> Self {
        let mut opened: Vec<_> = (1..count.max(1)).map(|_| Mutex::new(None)).collect();
        opened.insert(0, Mutex::new(first.map(Arc::new)));
        let is_widened = AtomicBool::new(opened.len() < 2);
        let place = Mutex::new(place);
        Self { place, opened, usable: AtomicUsize::new(1), is_widened, spares: Arc::default() }
    }
}

/// A file that is open on a connection. Closed when it is dropped.
struct Opened {
    connection: Arc<Connection>,
    handle: Handle,
    options: Options,
}

impl Drop for Opened {
    fn drop(&mut self) {
        if !self.connection.is_broken() {
            self.connection.post(&Request::close(self.handle), &Deadline::after(self.options.timeout));
        }
        self.options.hosts.sweep();
    }
}

/// The file as it was opened, what the server said of it, and where it is.
type Found = Result<(Opened, Identity, Place), Failure>;

/// What to do with the request that a job begins with.
type Begun = Result<(Arc<Opened>, Ticket), Failure>;

impl XrootdFile {
    /// Opens the file at a URL such as `root://host:1094//path`.
    ///
    /// # Errors
    /// The URL is wrong; the server cannot be reached, does not let the caller in, or does not have the file.
    pub fn open(url: &str, options: &Options) -> io::Result<Self> {
        Self::open_at(Url::parse(url)?, options)
    }

    pub(crate) fn open_at(url: Url, options: &Options) -> io::Result<Self> {
        let place = Place::of(&url);
        Self::open_where_it_was(url, &place, options, &|| ())
    }

    /// Opens the file at a place, and if that fails, where the server of the URL redirects to. If the place could not be
    /// reached, `unreached` is called in between.
    pub(crate) fn open_where_it_was(
        url: Url,
        place: &Place,
        options: &Options,
        unreached: &dyn Fn(),
    ) -> io::Result<Self> {
        static FILES: AtomicUsize = AtomicUsize::new(0);
        let name = url.to_string();
        let first = FILES.fetch_add(1, Ordering::Relaxed);
        let deadline = Deadline::after(options.timeout);
        let (opened, known, place) = open_where_it_was(&url, place, first, options, deadline, unreached)
            .map_err(|failure| failure.into_error(&name, Code::open))?;
        let slots = Slots::new(options.connections, place.clone(), Some(opened)).into();
        let is_unwatched = AtomicBool::new(false);
        let (version, options) = (known.version(place.host == url.host), options.clone());
        let file = File { url, name, known, version, options, place, slots, is_unwatched, first };
        Ok(Self(Arc::new(file)))
    }

    /// Asks the server for the checksum of the file: its kind and value, such as `adler32 0a1b2c3d`.
    ///
    /// # Errors
    /// The server has none, or cannot be reached.
    pub fn checksum(&self) -> io::Result<String> {
        paths::checksum(&self.0.url, &self.0.options)
    }

    /// The server that had the file when it was opened.
    #[cfg(feature = "object-store")]
    pub(crate) fn place(&self) -> &Place {
        &self.0.place
    }

    #[cfg(feature = "object-store")]
    pub(crate) fn stat(&self) -> Stat {
        self.0.known.stat
    }

    /// Reads ranges into memory that `spare` may give, or says which is not in the file.
    pub(crate) fn read_all(
        &self,
        ranges: &[Range<u64>],
        spare: &dyn Fn(u64) -> Vec<u8>,
    ) -> io::Result<Vec<Vec<u8>>> {
        ranges.iter().try_for_each(|range| self.0.check(range))?;
        let total = ranges.iter().map(|range| range.end - range.start).fold(0, u64::saturating_add);
        if total >= MUCH && !self.0.slots().is_widened.swap(true, Ordering::Relaxed) {
            self.widen();
        }
        self.0.read(ranges, spare)
    }

    pub(crate) fn read_one(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let mut read = self.read_all(std::slice::from_ref(&range), &|_| Vec::new())?;
        read.pop().ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }

    /// Opens the file on its other connections, all at once, while the first one is used: each takes some round trips.
    fn widen(&self) {
        let (file, count) = (Arc::downgrade(&self.0), self.0.slots().opened.len());
        let open = move |slot| {
            let file = file.upgrade()?;
            // It has all the time and attempts, since no read waits for it.
            let deadline = Deadline::after(file.options.timeout);
            file.opened_by(slot, || file.open_where_it_is(slot, &file.options, deadline)).ok()?;
            Some(file)
        };
        let thread = || thread::Builder::new().name("rntuple xrootd".to_owned());
        // Without a thread, one connection does it all.
        let _ = thread().spawn(move || {
            thread::scope(|scope| {
                let open = &open;
                let others: Vec<_> =
                    (2..count).map(|slot| thread().spawn_scoped(scope, move || open(slot))).collect();
                let others = others.into_iter().map(|other| other.ok()?.join().ok()?);
                // Those before a slot are usable when it is.
                for (slot, file) in (1..).zip(std::iter::once_with(|| open(1)).chain(others)) {
                    let Some(file) = file else { break };
                    file.slots().usable.fetch_max(slot + 1, Ordering::Relaxed);
                }
            });
        });
    }
}

impl File {
    /// Those of this process.
    fn slots(&self) -> &Slots {
        self.slots.get_or_init(|| Slots::new(self.options.connections, self.place.clone(), None))
    }

    /// The file on connection `slot`; it is opened there if it is not, or not any more.
    fn opened(&self, slot: usize, deadline: Deadline) -> Result<Arc<Opened>, Failure> {
        self.opened_by(slot, || self.open_again(slot, deadline))
    }

    fn opened_by(&self, slot: usize, open: impl FnOnce() -> Found) -> Result<Arc<Opened>, Failure> {
        let Some(slot_lock) = self.slots().opened.get(slot) else {
            return Err(Failure::Final(io::ErrorKind::NotConnected.into()));
        };
        let mut current = lock(slot_lock);
        if let Some(opened) = current.as_ref().filter(|opened| !opened.connection.is_broken()) {
            return Ok(Arc::clone(opened));
        }
        *current = None;
        let (opened, now, place) = open()?;
        self.known.check(&now)?;
        if slot == 0 {
            *lock(&self.slots().place) = place;
            // The other connections may be possible again.
            // The other connections are opened again, and no read waits for that.
            self.slots().usable.store(1, Ordering::Relaxed);
            self.slots().is_widened.store(self.slots().opened.len() < 2, Ordering::Relaxed);
        }
        Ok(Arc::clone(current.insert(Arc::new(opened))))
    }

    /// Opens the file on connection `slot`, at the server that has it now.
    fn open_where_it_is(&self, slot: usize, options: &Options, deadline: Deadline) -> Found {
        let place = lock(&self.slots().place).clone();
        open_from(&self.url, &place, Vec::new(), self.first.wrapping_add(slot), options, deadline)
    }

    /// Opens the file on connection `slot`: where it was, and if that fails, on the first connection, where the server of the
    /// URL redirects to.
    fn open_again(&self, slot: usize, deadline: Deadline) -> Found {
        if slot == 0 {
            let place = lock(&self.slots().place).clone();
            return open_where_it_was(&self.url, &place, self.first, &self.options, deadline, &|| ());
        }
        // This connection can be done without: one attempt, and a part of the time.
        let once = Options { retries: 0, ..self.options.clone() };
        self.open_where_it_is(slot, &once, deadline.third()).map_err(|failure| failure.before(&deadline))
    }

    /// Opens the file on the first connection, in place of another one that failed. The first one may be as silent.
    fn opened_instead(&self, deadline: Deadline) -> Result<Arc<Opened>, Failure> {
        let first = self.slots().opened.first().and_then(|first| lock(first).clone());
        if let Some(first) = first {
            first.connection.give_up_if_silent(&deadline);
        }
        self.opened(0, deadline)
    }

    /// Sends the request of a job.
    fn begin(&self, job: &Job, slot: usize, again: bool, deadline: Deadline) -> Begun {
        let mut opened = self.opened(slot, deadline);
        if slot > 0 && !matches!(opened, Ok(_) | Err(Failure::Final(_))) {
            self.slots().usable.store(1, Ordering::Relaxed);
            opened = self.opened_instead(deadline);
        }
        let opened = opened?;
        let (pages, limits) = (opened.connection.abilities.pages, || opened.connection.limits(&deadline));
        if !job.fits(pages, limits) {
            return Err(Failure::Unfit { pages, limits: limits() });
        }
        let request = job.request(opened.handle, again);
        let ticket = opened.connection.send(&request, job.room(), &self.slots().spares, &deadline)?;
        Ok((opened, ticket))
    }

    /// Waits for the answer of a job, and makes its request again if that helps. If another server has the file now,
    /// which does not take the request, others are made in its place, one after the other. Returns whether a request
    /// was made again.
    fn end(
        &self,
        job: &Job,
        slot: usize,
        begun: Begun,
        deadline: Deadline,
        ranges: &mut [Vec<u8>],
    ) -> Result<bool, Failure> {
        let mut left = match self.end_one(job, slot, begun, deadline, ranges) {
            Err(Failure::Unfit { pages, limits }) => VecDeque::from(job.fitted(pages, limits)),
            result => return result,
        };
        while let Some(job) = left.pop_front() {
            let deadline = Deadline::after(self.options.timeout);
            let begun = self.begin(&job, slot, false, deadline);
            match self.end_one(&job, slot, begun, deadline, ranges) {
                // Each time, requests have fewer or shorter pieces, so this ends.
                Err(Failure::Unfit { pages, limits }) => {
                    job.fitted(pages, limits).into_iter().rev().for_each(|job| left.push_front(job));
                }
                Err(failure) => return Err(failure),
                Ok(_) => {}
            }
        }
        Ok(true)
    }

    /// The same, with this request alone.
    fn end_one(
        &self,
        job: &Job,
        slot: usize,
        begun: Begun,
        mut deadline: Deadline,
        ranges: &mut [Vec<u8>],
    ) -> Result<bool, Failure> {
        let mut attempts = 0;
        let mut begun = Some(begun);
        let mut is_damaged = false;
        let mut is_again = false;
        loop {
            let begun = begun.take().unwrap_or_else(|| self.begin(job, slot, is_damaged, deadline));
            let result = begun.and_then(|(opened, ticket)| {
                let answer = match ticket.wait_in_turn(&mut deadline) {
                    // The server answers for paths only. Anything else that it says is about this file.
                    Err(Failure::Server { code, .. })
                        if *job == Job::Stat && errors::OF_REQUEST.contains(&code) =>
                    {
                        self.is_unwatched.store(true, Ordering::Relaxed);
                        return Ok(());
                    }
                    answer => answer?,
                };
                let stored = match job {
                    Job::Stat => self.check_unchanged(&opened, &answer),
                    job => job.store(opened.handle, &answer, ranges),
                };
                self.slots().spares.put(answer);
                stored
            });
            match result {
                Err(Failure::Wait { seconds, message }) => deadline.sleep(seconds, &message)?,
                Err(failure) if failure.may_pass() && attempts < self.options.retries => {
                    is_damaged = matches!(failure, Failure::Damaged(_));
                    attempts += 1;
                    deadline.back_off(attempts)?;
                }
                result => return result.map(|()| is_again),
            }
            is_again = true;
        }
    }

    /// Compares what the server says of an open file with what it said first.
    fn check_unchanged(&self, opened: &Opened, answer: &Answer) -> Result<(), Failure> {
        let stat = Stat::read(answer.data()).map_err(Failure::garbled)?;
        self.known.check(&Identity { stat, server: opened.connection.server })
    }

    /// Reads ranges that are known to be in the file.
    fn read(&self, ranges: &[Range<u64>], spare: &dyn Fn(u64) -> Vec<u8>) -> io::Result<Vec<Vec<u8>>> {
        let mut buffers = Vec::with_capacity(ranges.len());
        for range in ranges {
            let mut buffer = spare(range.end - range.start);
            buffer.clear();
            let length = usize::try_from(range.end - range.start).map_err(|_| io::ErrorKind::OutOfMemory)?;
            buffer.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
            buffers.push(buffer);
        }
        let deadline = || Deadline::after(self.options.timeout);
        let opened =
            self.opened(0, deadline()).map_err(|failure| failure.into_error(&self.name, Code::open))?;
        let pages = opened.connection.abilities.pages;
        let jobs = plan(ranges, pages, opened.connection.limits(&deadline()));
        drop(opened);
        let mut flying: VecDeque<(&Job, usize, Begun, Deadline)> = VecDeque::new();
        let mut under_way = 0;
        let mut next = jobs.iter().enumerate().peekable();
        let mut read_from = BTreeSet::new();
        let slots = self.slots();
        loop {
            let usable = slots.usable.load(Ordering::Relaxed).clamp(1, slots.opened.len().max(1));
            while let Some((number, job)) = next.next_if(|(_, job)| {
                flying.len() < REQUESTS * usable || under_way + job.room() <= WINDOW * usable
            }) {
                let (slot, deadline) = (number % usable, deadline());
                under_way += job.room();
                flying.push_back((job, slot, self.begin(job, slot, false, deadline), deadline));
                read_from.insert(slot);
            }
            if next.len() == 0 && !self.is_unwatched.load(Ordering::Relaxed) {
                // Asked last, with no wait for the reads: what has changed before them is seen.
                for slot in std::mem::take(&mut read_from) {
                    let deadline = deadline();
                    let begun = self.begin(&Job::Stat, slot, false, deadline);
                    flying.push_back((&Job::Stat, slot, begun, deadline));
                }
            }
            let Some((job, slot, begun, deadline)) = flying.pop_front() else { break };
            under_way = under_way.saturating_sub(job.room());
            let is_again = self
                .end(job, slot, begun, deadline, &mut buffers)
                .map_err(|failure| failure.into_error(&self.name, job.code()))?;
            // What was read again may be of a file that has changed since the question was answered.
            if is_again && *job != Job::Stat {
                read_from.insert(slot);
            }
        }
        Ok(buffers)
    }

    fn check(&self, range: &Range<u64>) -> io::Result<()> {
        if range.start <= range.end && range.end <= self.known.stat.size {
            return Ok(());
        }
        let text = format!(
            "{}: bytes {}..{} are asked for, and the file has {}",
            self.name, range.start, range.end, self.known.stat.size
        );
        Err(io::Error::new(io::ErrorKind::UnexpectedEof, text))
    }
}

/// Opens a file at `place`, and if that fails, where the server of the URL redirects to. If the place could not be
/// reached, `unreached` is called in between.
fn open_where_it_was(
    url: &Url,
    place: &Place,
    number: usize,
    options: &Options,
    deadline: Deadline,
    unreached: &dyn Fn(),
) -> Found {
    let home = Place::of(url);
    if *place == home {
        return open_from(url, &home, Vec::new(), number, options, deadline);
    }
    // The same server first: another one may have another copy. It may be dead and silent, so it has one attempt and a
    // part of the time.
    let once = Options { retries: 0, ..options.clone() };
    let failure = match open_from(url, place, Vec::new(), number, &once, deadline.third()) {
        Err(Failure::Final(error)) => return Err(Failure::Final(error)),
        Err(failure) => failure.before(&deadline),
        opened => return opened,
    };
    if matches!(failure, Failure::Broken(..) | Failure::TimedOut(_)) {
        unreached();
    }
    // A server that refuses is there. It may refuse what the redirection gave for it, which is not valid for ever, and
    // may accept what a new one gives.
    let tried = if failure.may_pass() { vec![place.host.name.clone()] } else { Vec::new() };
    match open_from(url, &home, tried, number, options, deadline) {
        // There is no other copy. The first failure says more, and may pass.
        Err(Failure::Server { .. }) if failure.may_pass() => Err(failure),
        opened => opened,
    }
}

fn open_from(
    url: &Url,
    from: &Place,
    tried: Vec<String>,
    number: usize,
    options: &Options,
    deadline: Deadline,
) -> Found {
    let operation = Operation::Open(opens::READ | opens::RETURN_STAT);
    let Reply { body, connection, place } = ask(url, &operation, from, tried, number, options, deadline)?;
    let answer = OpenAnswer::read(&body).map_err(Failure::garbled)?;
    let server = connection.server;
    let opened = Opened { connection, handle: answer.handle, options: options.clone() };
    let stat = match answer.stat {
        Some(stat) => stat,
        None => {
            // An old server, which does not say it with the open.
            let reply = ask(url, &Operation::Stat, &place, Vec::new(), number, options, deadline)?;
            Stat::read(&reply.body).map_err(Failure::garbled)?
        }
    };
    Ok((opened, Identity { stat, server }, place))
}

impl fmt::Debug for XrootdFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XrootdFile")
            .field("name", &self.0.name)
            .field("size", &self.0.known.stat.size)
            .field("version", &self.0.version)
            .finish_non_exhaustive()
    }
}

impl ReadAt for XrootdFile {
    fn size(&self) -> u64 {
        self.0.known.stat.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        read_by_blocks(self, offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        self.read_one(range).map(Block::from)
    }

    fn blocks(&self, ranges: &[Range<u64>]) -> io::Result<Vec<Block>> {
        self.blocks_in(ranges, &|_| Vec::new())
    }

    fn blocks_in(&self, ranges: &[Range<u64>], spare: &dyn Fn(u64) -> Vec<u8>) -> io::Result<Vec<Block>> {
        Ok(self.read_all(ranges, spare)?.into_iter().map(Block::from).collect())
    }

    fn is_remote(&self) -> bool {
        true
    }

    /// Returns time of the last change, size, and the number that the server has for the file: `seconds-bytes-number`.
    /// Without the number where a server redirects to the one that has the file.
    fn version(&self) -> Option<&str> {
        Some(&self.0.version)
    }

    fn name(&self) -> &str {
        &self.0.name
    }
}
