//! A file on a server, to write: under a hidden name until it is complete.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::Duration;

use rntuple::storage::WriteAt;

use crate::connection::{Connection, Ticket};
use crate::digest::Digest;
use crate::failure::{Deadline, Failure};
use crate::hosts::{Operation, Reply, ask};
use crate::options::Options;
use crate::paths;
use crate::url::{Place, Url};
use crate::wire::code::{Code, errors, opens};
use crate::wire::request::{Handle, Request, Session};
use crate::wire::response::Opened as OpenAnswer;

/// Length of the pieces that are written at once, in bytes.
const CHUNK: usize = 1 << 20;

/// Pieces that are written and not confirmed yet. Their bytes are kept, to write them again after a cut.
const WINDOW: usize = 8;

/// Most names that are tried for an incomplete file.
const NAMES: usize = 100;

/// Longest time that a file which is not finished may take to be removed.
const REMOVAL: Duration = Duration::from_secs(10);

/// Longest time that a file which may not be there may take to be removed.
const REMOVAL_AT_ONCE: Duration = Duration::from_secs(2);

/// A file on an XRootD server, under construction.
///
/// Until it is [published](WriteAt::publish), it is next to its place, as `.NAME.0123456789abcdef.part`; directories
/// that are missing are created. If the writer is dropped before, that file is removed, unless entries can be
/// [recovered](WriteAt::set_recoverable) from it. There are no [checkpoints](WriteAt::keep).
///
/// Up to 8 MiB that the server has not confirmed are in memory, to be written again after a cut. So a call may report that
/// an earlier write failed. The file has a hole then: nothing is written after it, and the file is never published, neither
/// as it is nor [incomplete](WriteAt::publish_incomplete). If entries can be recovered from it, each error says where it is.
///
/// An existing file is replaced by a renaming. Where the server says that it does not replace files, the old file is removed
/// before the new one is renamed: for a moment there is none under the name. If the renaming fails then, the error says
/// so, and where the new file is.
///
/// What the server has is compared with what was written, by the checksum that the server computes before the file is
/// published: an Adler-32 or a CRC32C. Servers that have another one, or none, publish without.
///
/// ```no_run
/// use rntuple::storage::WriteAt;
/// use rntuple_xrootd::{Options, XrootdWriter};
/// use std::io::IoSlice;
///
/// let mut file = XrootdWriter::create("root://localhost//tmp/hello", &Options::new())?;
/// file.write_at(0, &[IoSlice::new(b"hello")])?;
/// file.flush()?;
/// file.publish()?;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct XrootdWriter {
    /// Where the file will be.
    target: Url,
    /// Where it is.
    part: Url,
    name: String,
    is_new: bool,
    options: Options,
    place: Place,
    opened: Option<(Arc<Connection>, Handle)>,
    /// The sessions in which the server at `place` may have the file open: those of cut connections too.
    sessions: Vec<Session>,
    /// Whether it was closed since the last request for which it was open.
    is_closed: bool,
    flying: VecDeque<Write>,
    digest: Digest,
    size: u64,
    state: State,
    /// The process that writes. One that was forked from it has a copy of the writer, which does nothing.
    process: u32,
    /// What went wrong; nothing is written after it.
    failure: Option<(io::ErrorKind, String)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Removed if it is dropped.
    Unfinished,
    /// Stays where it is if it is dropped.
    Kept,
    Published,
}

/// Bytes that the server has not confirmed.
struct Write {
    offset: u64,
    bytes: Arc<Vec<u8>>,
    begun: Result<Ticket, Failure>,
    deadline: Deadline,
}

impl fmt::Debug for XrootdWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XrootdWriter").field("name", &self.name).finish_non_exhaustive()
    }
}

impl XrootdWriter {
    /// Creates a file, which replaces an existing one when it is published.
    ///
    /// # Errors
    /// The server cannot be reached, or does not permit it.
    pub fn create(url: &str, options: &Options) -> io::Result<Self> {
        Self::begin(Url::parse(url)?, options, false)
    }

    /// Creates a file where none exists. The writer looks for one now, and again right before it renames its own: the protocol
    /// cannot do both in one step, so two writers that publish at the same moment may both succeed, and one file is lost.
    ///
    /// # Errors
    /// As [`create`](Self::create), and [`io::ErrorKind::AlreadyExists`].
    pub fn create_new(url: &str, options: &Options) -> io::Result<Self> {
        Self::begin(Url::parse(url)?, options, true)
    }

    pub(crate) fn begin(target: Url, options: &Options, is_new: bool) -> io::Result<Self> {
        let name = target.to_string();
        if target.path.ends_with('/') {
            let text = format!("{name}: the URL is that of a directory, not of a file");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        if is_new && paths::exists(&target, options)? {
            return Err(exists(&name));
        }
        let mut writer = Self {
            place: Place::of(&target),
            part: hidden(&target),
            target,
            name,
            is_new,
            options: options.clone(),
            opened: None,
            sessions: Vec::new(),
            is_closed: false,
            flying: VecDeque::new(),
            digest: Digest::new(),
            size: 0,
            // There is nothing to remove yet.
            state: State::Kept,
            process: std::process::id(),
            failure: None,
        };
        writer.create_part().map_err(|failure| failure.into_error(&writer.name, Code::open))?;
        writer.state = State::Unfinished;
        Ok(writer)
    }

    /// Creates the file under its hidden name. Where the answer is lost, another name is as good.
    fn create_part(&mut self) -> Result<(), Failure> {
        let (deadline, mut attempts) = (self.deadline(), 0);
        loop {
            match self.open(opens::NEW | opens::UPDATE | opens::MAKE_PATH, self.options.retries, deadline) {
                Err(failure @ (Failure::Lost(..) | Failure::TimedOut(_))) => {
                    // It may be there.
                    let soon = Deadline::after(self.options.timeout.min(REMOVAL_AT_ONCE));
                    let _ = paths::remove(&self.part, &self.options, soon);
                    attempts += 1;
                    if attempts > self.options.retries || matches!(failure, Failure::TimedOut(_)) {
                        return Err(failure);
                    }
                    deadline.back_off(attempts)?;
                    self.part = hidden(&self.target);
                }
                opened => return opened,
            }
        }
    }

    fn deadline(&self) -> Deadline {
        Deadline::after(self.options.timeout)
    }

    /// Does a part of the writing. If it fails, bytes may be missing, and nothing more is possible.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        let error = match &self.failure {
            Some((kind, message)) => io::Error::new(*kind, format!("an earlier write failed: {message}")),
            None => {
                let Err(error) = work(self) else { return Ok(()) };
                self.failure = Some((error.kind(), error.to_string()));
                error
            }
        };
        // No one else says where the file is that stays.
        Err(if self.state == State::Kept { self.still_there(&error) } else { error })
    }

    fn open(&mut self, flags: u16, retries: u32, deadline: Deadline) -> Result<(), Failure> {
        let (operation, options) = (Operation::Open(flags), Options { retries, ..self.options.clone() });
        let asked = ask(&self.part, &operation, &self.place, Vec::new(), 0, &options, deadline);
        let Reply { body, connection, place } = asked?;
        let handle = OpenAnswer::read(&body).map_err(Failure::garbled)?.handle;
        self.sessions = vec![connection.session];
        self.opened = Some((connection, handle));
        self.is_closed = false;
        self.place = place;
        Ok(())
    }

    /// Opens the file again after a cut. A server may notice the cut late, or never, and until then it has the file
    /// locked for the old session.
    fn open_again(&mut self, deadline: Deadline) -> Result<(), Failure> {
        let mut attempts = 0;
        let mut locked = None;
        loop {
            let Err(failure) = self.open_in_new_session(deadline) else { return Ok(()) };
            attempts += 1;
            let may_pass = failure.may_pass() && attempts <= self.options.retries;
            let is_tried_again = may_pass || failure.is(errors::FILE_LOCKED);
            if is_tried_again && deadline.back_off(attempts).is_ok() && deadline.left().is_some() {
                if failure.is(errors::FILE_LOCKED) {
                    locked = Some(failure);
                }
                continue;
            }
            // At the end of the time, what the server said is the error, also where the time ends in an attempt.
            let is_unanswered = matches!(failure, Failure::Broken(..) | Failure::TimedOut(_));
            return Err(match locked {
                Some(locked) if is_unanswered && deadline.left().is_none() => locked,
                _ => failure,
            });
        }
    }

    /// Ends the old sessions, and makes one attempt to open the file.
    fn open_in_new_session(&mut self, deadline: Deadline) -> Result<(), Failure> {
        let options = &self.options;
        let connection = options.hosts.connection(&self.place.host, 0, false, options, deadline)?;
        for session in self.sessions.iter().filter(|session| **session != connection.session) {
            // An error does not matter: the server may have no such request, or have noticed the cut.
            let _ = connection.ask(&Request::end_session(*session), 16, &deadline.third());
        }
        // If the answer is lost, the file may be open in this session: it has to be ended before the next attempt.
        if !self.sessions.contains(&connection.session) {
            self.sessions.push(connection.session);
        }
        self.open(opens::UPDATE, 0, deadline)
    }

    /// The open file; it is opened again if its connection was cut.
    fn opened(&mut self, deadline: Deadline) -> Result<(Arc<Connection>, Handle), Failure> {
        if self.process != std::process::id() {
            return Err(Failure::Final(io::Error::other("the file is written by another process")));
        }
        match &self.opened {
            Some((connection, handle)) if !connection.is_broken() => Ok((Arc::clone(connection), *handle)),
            _ => {
                self.opened = None;
                self.open_again(deadline)?;
                self.opened.clone().ok_or_else(|| Failure::Final(io::ErrorKind::NotConnected.into()))
            }
        }
    }

    fn send(&mut self, offset: u64, bytes: &Arc<Vec<u8>>, deadline: Deadline) -> Result<Ticket, Failure> {
        let (connection, handle) = self.opened(deadline)?;
        connection.send(&Request::write(handle, offset, Arc::clone(bytes)), 0, &Arc::default(), &deadline)
    }

    /// Waits until at most `count` pieces are not confirmed.
    fn settle(&mut self, count: usize) -> io::Result<()> {
        while self.flying.len() > count
            && let Some(write) = self.flying.pop_front()
        {
            self.confirm(write).map_err(|failure| failure.into_error(&self.name, Code::write))?;
        }
        Ok(())
    }

    fn confirm(&mut self, write: Write) -> Result<(), Failure> {
        let Write { offset, bytes, begun, deadline } = write;
        let mut begun = Some(begun);
        self.repeat(deadline, |writer| {
            let begun = begun.take().unwrap_or_else(|| writer.send(offset, &bytes, deadline));
            begun?.wait(&deadline).map(|_| ())
        })
    }

    /// Makes a request of which nothing but success is expected.
    fn command(&mut self, code: Code, request: impl Fn(Handle) -> Request) -> io::Result<()> {
        let deadline = self.deadline();
        let done = self.repeat(deadline, |writer| {
            let (connection, handle) = writer.opened(deadline)?;
            connection.ask(&request(handle), 16, &deadline).map(|_| ())
        });
        done.map_err(|failure| failure.into_error(&self.name, code))
    }

    /// Makes a request again after cuts and waits.
    fn repeat<T>(
        &mut self,
        deadline: Deadline,
        mut request: impl FnMut(&mut Self) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut attempts = 0;
        loop {
            match request(self) {
                Err(Failure::Wait { seconds, message }) => deadline.sleep(seconds, &message)?,
                Err(failure) if failure.may_pass() && attempts < self.options.retries => {
                    attempts += 1;
                    deadline.back_off(attempts)?;
                }
                result => return result,
            }
        }
    }

    /// Sends `parts` in pieces, each once there is room among those that are not confirmed.
    fn write(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let mut parts = parts.iter().map(|part| &**part).filter(|part| !part.is_empty());
        let mut rest: &[u8] = &[];
        let mut at = offset;
        loop {
            let mut bytes = Vec::new();
            while bytes.len() < CHUNK {
                if rest.is_empty() {
                    match parts.next() {
                        Some(part) => rest = part,
                        None => break,
                    }
                }
                let (now, later) = rest.split_at(rest.len().min(CHUNK - bytes.len()));
                bytes.extend_from_slice(now);
                rest = later;
            }
            if bytes.is_empty() {
                return Ok(());
            }
            let end = at.saturating_add(bytes.len() as u64);
            let overlaps = |write: &Write| {
                write.offset < end && at < write.offset.saturating_add(write.bytes.len() as u64)
            };
            // After a cut, bytes may be written again later than these.
            let keep = if self.flying.iter().any(overlaps) { 0 } else { WINDOW - 1 };
            self.settle(keep)?;
            self.digest.write(at, &bytes);
            self.size = self.size.max(end);
            let (bytes, deadline) = (Arc::new(bytes), self.deadline());
            let begun = self.send(at, &bytes, deadline);
            let past = || io::Error::new(io::ErrorKind::InvalidInput, "the offset is beyond all files");
            let next = at.checked_add(bytes.len() as u64).ok_or_else(past)?;
            self.flying.push_back(Write { offset: at, bytes, begun, deadline });
            at = next;
        }
    }

    /// Ends the writing: everything is confirmed and the file is closed.
    fn close(&mut self) -> io::Result<()> {
        self.settle(0)?;
        if self.is_closed {
            return Ok(());
        }
        self.command(Code::close, Request::close)?;
        self.opened = None;
        self.sessions.clear();
        self.is_closed = true;
        Ok(())
    }

    /// Closes the file and gives it its name. Where it does not get that, this may be tried again.
    fn complete(&mut self) -> io::Result<()> {
        self.attempt(Self::close)?;
        // From here on, the file is complete: whatever happens, it stays.
        self.state = State::Kept;
        self.attempt(|writer| writer.compare())?;
        if self.is_new && paths::exists(&self.target, &self.options).map_err(|e| self.still_there(&e))? {
            return Err(self.still_there(&exists(&self.name)));
        }
        if self.is_new {
            self.rename(&self.target)?;
        } else {
            paths::replace(&self.part, &self.target, Some(self.size), &self.options)
                .map_err(|error| self.still_there(&error))?;
        }
        self.state = State::Published;
        Ok(())
    }

    /// Compares what the server has with what was written, if it says.
    fn compare(&self) -> io::Result<()> {
        // Many servers have no checksums, and some not in time: then it is as if there were none.
        let Ok(said) = paths::checksum(&self.part, &self.options) else { return Ok(()) };
        if self.digest.matches(&said) != Some(false) {
            return Ok(());
        }
        let text =
            format!("{}: the server has other bytes than were sent: their checksum is {said}", self.name);
        Err(io::Error::new(io::ErrorKind::InvalidData, text))
    }

    /// Renames the part file, and says in an error where it is.
    fn rename(&self, to: &Url) -> io::Result<()> {
        paths::rename(&self.part, to, Some(self.size), &self.options)
            .map_err(|error| self.still_there(&error))
    }

    fn still_there(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{error}; what was written is at {}", self.part))
    }

    /// Gives the part file the first of the names `NAME.rescued`, `NAME.rescued-2`, .. that is free.
    fn rescue(&mut self) -> io::Result<()> {
        for number in 1..=NAMES {
            let count = if number == 1 { String::new() } else { format!("-{number}") };
            let to = self.target.with_path(format!("{}.rescued{count}", self.target.path));
            if paths::exists(&to, &self.options).map_err(|error| self.still_there(&error))? {
                continue;
            }
            match self.rename(&to) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(()) => {
                    self.part = to;
                    return Ok(());
                }
            }
        }
        Err(self.still_there(&exists(&self.name)))
    }
}

/// Where a file is until it is complete, next to its place.
fn hidden(target: &Url) -> Url {
    let (folder, file) = target.path.rsplit_once('/').unwrap_or(("", &target.path));
    target.with_path(format!("{folder}/{}", incomplete(file, RandomState::new().hash_one(file))))
}

/// The name of a file until it is complete.
fn incomplete(name: &str, number: u64) -> String {
    format!(".{name}.{number:016x}.part")
}

/// Whether a name is one that a writer uses until its file is complete.
pub(crate) fn is_incomplete(name: &str) -> bool {
    let inner = name.strip_prefix('.').and_then(|name| name.strip_suffix(".part"));
    inner.and_then(|inner| inner.rsplit_once('.')).is_some_and(|(name, number)| {
        !name.is_empty() && number.len() == 16 && number.chars().all(|c| c.is_ascii_hexdigit())
    })
}

#[cold]
fn exists(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::AlreadyExists, format!("{name}: the file exists already"))
}

impl WriteAt for XrootdWriter {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.attempt(|writer| writer.write(offset, parts))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt(|writer| {
            writer.settle(0)?;
            writer.command(Code::sync, Request::sync)
        })
    }

    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        self.attempt(|writer| writer.settle(0))?;
        let length = u32::try_from(buffer.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let deadline = self.deadline();
        let read = self.repeat(deadline, |writer| {
            let (connection, handle) = writer.opened(deadline)?;
            connection.ask(&Request::read(handle, offset, length), buffer.len(), &deadline)
        });
        let read = read.map_err(|failure| failure.into_error(&self.name, Code::read))?;
        if read.len() != buffer.len() {
            let text =
                format!("{}: the file ends before {}", self.name, offset.saturating_add(length.into()));
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, text));
        }
        buffer.copy_from_slice(&read);
        Ok(true)
    }

    /// Returns an error: no writer could resume a file on a server. The file keeps its hidden name, and can be written on.
    fn keep(&mut self) -> io::Result<()> {
        let message =
            "a file on a server cannot be read before it is complete: checkpoints need a local file";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }

    fn set_recoverable(&mut self) {
        if self.state == State::Unfinished {
            self.state = State::Kept;
        }
    }

    fn publish(&mut self) -> io::Result<()> {
        match self.state {
            State::Published => Ok(()),
            _ => self.complete(),
        }
    }

    /// Renames the file to `NAME.rescued`, or `NAME.rescued-2` and so on where that exists.
    ///
    /// # Errors
    /// A write has failed, now or before: the file may have holes, and is not renamed. Or the server does not rename it. It
    /// stays where it is, and the error says where.
    fn publish_incomplete(&mut self) -> io::Result<()> {
        if self.state == State::Published {
            return Ok(());
        }
        self.state = State::Kept;
        self.attempt(Self::close)?;
        self.rescue()?;
        self.state = State::Published;
        self.name = self.part.to_string();
        Ok(())
    }

    fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for XrootdWriter {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            return;
        }
        let deadline = Deadline::after(self.options.timeout.min(REMOVAL));
        if let Some((connection, handle)) = self.opened.take() {
            // There is no caller for its error.
            let _ = connection.ask(&Request::close(handle), 16, &deadline);
        }
        if self.state == State::Unfinished {
            let _ = paths::remove(&self.part, &self.options, deadline);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_incomplete_files_are_recognised() {
        assert!(is_incomplete(&incomplete("a.root", 7)) && is_incomplete(&incomplete("x", u64::MAX)));
        for name in ["a.root", ".a.root.part", ".0123456789abcdef.part", ".a.0123456789abcdeg.part", "part"] {
            assert!(!is_incomplete(name), "{name}");
        }
    }
}
