//! A connection on which several requests are in flight: a thread reads the answers, each of which
//! goes to the caller that made the request.

use std::collections::HashMap;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Spares};
use crate::failure::{Deadline, Failure, broken, may_want_signature};
use crate::locks::lock;
use crate::transport::Transport;
use crate::wire::Fault;
use crate::wire::code::{LATE_ANSWER, Status};
use crate::wire::limits::Limits;
use crate::wire::request::Request;
use crate::wire::response::{Control, Header, LATE, Pages, STATUS_LENGTH};

/// Longest body of an answer that is not data, in bytes.
pub(crate) const CONTROL: u32 = 64 << 10;

/// Longest answer about the limits of the server, in bytes.
const QUERY: usize = 4 << 10;

/// How much is reserved at once for data whose end is not known yet.
const RESERVED: usize = 4 << 20;

/// What the server says it can do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Abilities {
    /// Whether there is `kXR_pgread`.
    pub(crate) pages: bool,
    pub(crate) security_level: u8,
}

/// A connection to a server that has accepted the login. Ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Connection {
    shared: Arc<Shared>,
    pub(crate) abilities: Abilities,
    /// The address of the server.
    pub(crate) server: Option<SocketAddr>,
    limits: Mutex<Asked>,
}

/// What the server was asked about itself.
#[derive(Debug)]
enum Asked {
    Sent(Ticket),
    Known(Limits),
}

#[derive(Debug)]
struct Shared {
    transport: Transport,
    table: Mutex<Table>,
    born: Instant,
    /// When the server was last heard, in microseconds after the birth.
    heard: AtomicU64,
}

#[derive(Debug)]
struct Table {
    last_stream: u16,
    /// How many requests there were.
    count: u64,
    pending: HashMap<u16, Pending>,
    broken: Option<(io::ErrorKind, String)>,
}

/// A request without its answer, or with a part of it.
#[derive(Debug, Default)]
struct Pending {
    /// The number of the request: streams are used again.
    number: u64,
    /// `None`: no one waits any more, and the answer is discarded.
    sender: Option<Sender<Event>>,
    /// How many bytes of data may still come.
    room: usize,
    /// What came of the answer so far.
    answer: Option<Answer>,
    spares: Arc<Spares>,
}

#[derive(Debug)]
enum Event {
    Answer(Answer),
    Control(Control),
    Broken(io::ErrorKind, String),
}

/// A request that was sent.
#[derive(Debug)]
pub(crate) struct Ticket {
    shared: Arc<Shared>,
    stream: u16,
    number: u64,
    sent: Instant,
    receiver: Receiver<Event>,
    security_level: u8,
}

impl Connection {
    pub(crate) fn new(
        transport: Transport,
        abilities: Abilities,
        deadline: &Deadline,
    ) -> Result<Self, Failure> {
        transport.set_read_deadline(None)?;
        let server = transport.peer();
        let table = Table { last_stream: 0, count: 0, pending: HashMap::new(), broken: None };
        let (table, heard) = (Mutex::new(table), AtomicU64::new(0));
        let shared = Arc::new(Shared { transport, table, born: Instant::now(), heard });
        let reader = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("xrootd-reader".to_owned());
        thread.spawn(move || reader.run()).map_err(Failure::Final)?;
        let connection =
            Self { shared, abilities, server, limits: Mutex::new(Asked::Known(Limits::default())) };
        // The requests that come next need not wait for the answer.
        let query = Request::query_config(Limits::NAMES);
        let ticket = connection.send(&query, QUERY, &Arc::default(), deadline)?;
        *lock(&connection.limits) = Asked::Sent(ticket);
        Ok(connection)
    }

    /// What the server permits, or what is usual where it does not say: then a request that is too long is an error.
    pub(crate) fn limits(&self, deadline: &Deadline) -> Limits {
        let mut asked = lock(&self.limits);
        let limits = match std::mem::replace(&mut *asked, Asked::Known(Limits::default())) {
            Asked::Known(limits) => limits,
            Asked::Sent(ticket) => {
                ticket.wait(deadline).map(|answer| Limits::read(answer.data())).unwrap_or_default()
            }
        };
        *asked = Asked::Known(limits);
        limits
    }

    pub(crate) fn is_broken(&self) -> bool {
        lock(&self.shared.table).broken.is_some()
    }

    /// Sends a request whose answer may have `room` bytes of data, in memory of `spares`.
    pub(crate) fn send(
        &self,
        request: &Request,
        room: usize,
        spares: &Arc<Spares>,
        deadline: &Deadline,
    ) -> Result<Ticket, Failure> {
        let (sender, receiver) = channel();
        let spares = Arc::clone(spares);
        let (stream, number) = self.put(
            request,
            Pending { sender: Some(sender), room, spares, ..Pending::default() },
            deadline,
        )?;
        let security_level = self.abilities.security_level;
        Ok(Ticket {
            shared: Arc::clone(&self.shared),
            stream,
            number,
            sent: Instant::now(),
            receiver,
            security_level,
        })
    }

    /// Sends a request whose answer is not needed.
    pub(crate) fn post(&self, request: &Request, deadline: &Deadline) {
        // If it was not sent, the connection is broken, and remembers that.
        let _ = self.put(request, Pending::default(), deadline);
    }

    fn put(&self, request: &Request, pending: Pending, deadline: &Deadline) -> Result<(u16, u64), Failure> {
        let (stream, number) = self.shared.admit(pending)?;
        let written = self.shared.transport.write_all(&[&request.header(stream), &request.payload], deadline);
        if let Err(failure) = written {
            // A request that is half written leaves no way to write another one.
            self.shared.fail(io::ErrorKind::ConnectionReset, "a request could not be sent".to_owned());
            return Err(failure);
        }
        Ok((stream, number))
    }

    /// Sends a request and waits for its answer, as long as the server asks for.
    pub(crate) fn ask(
        &self,
        request: &Request,
        room: usize,
        deadline: &Deadline,
    ) -> Result<Vec<u8>, Failure> {
        loop {
            match self.send(request, room, &Arc::default(), deadline)?.wait(deadline) {
                Ok(answer) => return Ok(answer.into_data()),
                Err(Failure::Wait { seconds, message }) => deadline.sleep(seconds, &message)?,
                Err(failure) => return Err(failure),
            }
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.fail(io::ErrorKind::NotConnected, "the connection is closed".to_owned());
    }
}

impl Ticket {
    /// Waits for the answer. [`Failure::Wait`]: the request is to be made again.
    pub(crate) fn wait(self, deadline: &Deadline) -> Result<Answer, Failure> {
        let mut promised = None;
        loop {
            let left = deadline.left().unwrap_or_default();
            // A server that has said that its answer comes later may be silent until then.
            let patience = if promised.is_some() { Duration::MAX } else { deadline.silence };
            let wait = left.min(patience.saturating_sub(self.silence()));
            match self.receiver.recv_timeout(wait) {
                Ok(Event::Answer(answer)) => return Ok(answer),
                Ok(Event::Broken(kind, text)) => return Err(Failure::Broken(kind, text)),
                Ok(Event::Control(control)) => match control {
                    Control::WaitResponse { seconds } => promised = Some(seconds),
                    Control::Wait { seconds, message } => return Err(Failure::Wait { seconds, message }),
                    Control::Redirect(redirect) => return Err(Failure::Redirect(redirect)),
                    Control::AuthMore => return Err(Failure::garbled(Fault::Unexpected)),
                    Control::Error { code, message } => {
                        let may_want_signature = may_want_signature(code, self.security_level);
                        return Err(Failure::Server { code, message, may_want_signature });
                    }
                },
                Err(RecvTimeoutError::Timeout) => {
                    let is_over = deadline.left().is_none();
                    // A server that said nothing at all in this time is gone. All requests of the connection learn of it,
                    // this one among them, and may be made again on another one.
                    let is_gone = match is_over {
                        true => self.shared.heard_at() < self.sent,
                        false => self.silence() >= patience,
                    };
                    if is_gone {
                        self.shared.fail(io::ErrorKind::TimedOut, "the server is silent".to_owned());
                    }
                    if !is_over {
                        continue;
                    }
                    return Err(match promised {
                        Some(seconds) => deadline.passed_before(seconds),
                        None => deadline.passed(),
                    });
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(broken(&io::ErrorKind::UnexpectedEof.into()));
                }
            }
        }
    }
}

impl Ticket {
    /// How long nothing has come from the server since the request was sent.
    fn silence(&self) -> Duration {
        self.shared.heard_at().max(self.sent).elapsed()
    }
}

/// No one waits any more; the stream is free again once the answer has come.
impl Drop for Ticket {
    fn drop(&mut self) {
        let mut table = lock(&self.shared.table);
        let pending = table.pending.get_mut(&self.stream);
        if let Some(pending) = pending.filter(|pending| pending.number == self.number) {
            pending.sender = None;
            pending.answer = None;
        }
    }
}

impl Shared {
    fn heard_at(&self) -> Instant {
        let after = Duration::from_micros(self.heard.load(Relaxed));
        self.born.checked_add(after).unwrap_or(self.born)
    }

    /// Gives a request a stream and a number.
    fn admit(&self, pending: Pending) -> Result<(u16, u64), Failure> {
        let mut table = lock(&self.table);
        if let Some((kind, text)) = &table.broken {
            return Err(Failure::Broken(*kind, text.clone()));
        }
        // Zero is for what a server says on its own account.
        let mut stream = table.last_stream;
        for _ in 0..=u16::MAX {
            stream = stream.wrapping_add(1).max(1);
            if !table.pending.contains_key(&stream) {
                table.last_stream = stream;
                table.count += 1;
                let number = table.count;
                table.pending.insert(stream, Pending { number, ..pending });
                return Ok((stream, number));
            }
        }
        let text = "65535 requests are without an answer";
        Err(Failure::Broken(io::ErrorKind::ResourceBusy, text.to_owned()))
    }

    /// Ends the connection, with an error for all requests without an answer.
    fn fail(&self, kind: io::ErrorKind, text: String) {
        self.transport.close();
        let mut table = lock(&self.table);
        for (_, pending) in table.pending.drain() {
            if let Some(sender) = pending.sender {
                let _ = sender.send(Event::Broken(kind, text.clone()));
            }
        }
        table.broken.get_or_insert((kind, text));
    }

    /// Reads answers until the connection ends.
    fn run(&self) {
        let mut reader = io::BufReader::with_capacity(32 << 10, Half(self));
        loop {
            match self.read_answer(&mut reader) {
                Ok(()) => {}
                Err(Ended::Socket(error)) => {
                    let text = match error.kind() {
                        io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
                        _ => format!("the connection failed: {error}"),
                    };
                    return self.fail(io::ErrorKind::ConnectionReset, text);
                }
                Err(Ended::Fault(fault)) => return self.fail(io::ErrorKind::InvalidData, fault.to_string()),
            }
        }
    }

    fn read_answer(&self, reader: &mut impl Read) -> Result<(), Ended> {
        let header = Header::read(array(reader)?)?;
        if header.status != Status::Attention {
            return self.read_body(header, reader);
        }
        // A message of the server, or an answer that was said to come later:
        // `action 4 | reserved 4 | header of the answer 8 | its body`.
        let rest = header.length.checked_sub(4).ok_or(Fault::TooShort)?;
        if u32::from_be_bytes(array(reader)?) != LATE_ANSWER {
            return skip(reader, CONTROL, rest);
        }
        array::<4>(reader)?;
        let inner = Header::read(array(reader)?)?;
        if header.length.checked_sub(LATE) != Some(inner.length)
            || matches!(inner.status, Status::Attention | Status::Pages)
        {
            return Err(Fault::Unexpected.into());
        }
        self.read_body(inner, reader)
    }

    fn read_body(&self, header: Header, reader: &mut impl Read) -> Result<(), Ended> {
        match header.status {
            Status::Ok => self.read_data(header, header.length, true, None, reader),
            Status::OkSoFar => self.read_data(header, header.length, false, None, reader),
            Status::Pages => {
                if !STATUS_LENGTH.contains(&header.length) {
                    return Err(Fault::Unexpected.into());
                }
                let pages = Pages::read(header.stream, &body(reader, header.length)?)?;
                self.read_data(header, pages.length, pages.is_last, Some(pages.offset), reader)
            }
            status => {
                if header.length > CONTROL {
                    return Err(Fault::TooLong.into());
                }
                let bytes = body(reader, header.length)?;
                let control = Control::read(status, &bytes)?.ok_or(Fault::Unexpected)?;
                let mut table = lock(&self.table);
                let is_last = !matches!(control, Control::WaitResponse { .. });
                let pending = table.pending.get(&header.stream).ok_or(Fault::UnknownStream(header.stream))?;
                if let Some(sender) = &pending.sender {
                    let _ = sender.send(Event::Control(control));
                }
                if is_last {
                    table.pending.remove(&header.stream);
                }
                Ok(())
            }
        }
    }

    /// Reads data into what has come so far; the table is not locked meanwhile.
    fn read_data(
        &self,
        header: Header,
        length: u32,
        is_last: bool,
        offset: Option<u64>,
        reader: &mut impl Read,
    ) -> Result<(), Ended> {
        let count = usize::try_from(length).map_err(|_| Fault::TooLong)?;
        let (answer, spares, room, is_wanted) = {
            let mut table = lock(&self.table);
            let pending = table.pending.get_mut(&header.stream).ok_or(Fault::UnknownStream(header.stream))?;
            let spares = Arc::clone(&pending.spares);
            (pending.answer.take(), spares, pending.room, pending.sender.is_some())
        };
        let mut answer = answer.unwrap_or_else(|| spares.answer());
        if !is_wanted {
            skip(reader, CONTROL.max(u32::try_from(room).unwrap_or(u32::MAX)), length)?;
        } else {
            let left = room.checked_sub(count).ok_or(Fault::TooLong)?;
            let still = if is_last { count } else { room.min(RESERVED).max(count) };
            let expected = answer.data().len().saturating_add(still);
            reader.read_exact(answer.grow(count, expected)?)?;
            if let Some(offset) = offset.filter(|_| count > 0) {
                let end = answer.data().len();
                // No honest server needs more parts than this.
                if answer.parts.len() > 64 + end / 512 {
                    return Err(Fault::Unexpected.into());
                }
                answer.parts.push((offset, end));
            }
            if let Some(pending) = lock(&self.table).pending.get_mut(&header.stream) {
                pending.room = left;
            }
        }
        let mut table = lock(&self.table);
        if is_last {
            if let Some(Pending { sender: Some(sender), .. }) = table.pending.remove(&header.stream) {
                let _ = sender.send(Event::Answer(answer));
            }
        } else if let Some(pending) = table.pending.get_mut(&header.stream).filter(|p| p.sender.is_some()) {
            pending.answer = Some(answer);
        }
        Ok(())
    }
}

/// Why the reader stops.
enum Ended {
    Socket(io::Error),
    Fault(Fault),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Socket(error)
    }
}

impl From<Fault> for Ended {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

/// The reading half of a connection.
struct Half<'a>(&'a Shared);

impl Read for Half<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.0.transport.read(buffer)?;
        let now = u64::try_from(self.0.born.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.heard.store(now, Relaxed);
        Ok(read)
    }
}

fn array<const N: usize>(reader: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// A short body: the caller has checked its length.
fn body(reader: &mut impl Read, length: u32) -> Result<Vec<u8>, Ended> {
    let mut bytes = vec![0; usize::try_from(length).map_err(|_| Fault::TooLong)?];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Passes over `length` bytes, if they are not more than `limit`.
fn skip(reader: &mut impl Read, limit: u32, length: u32) -> Result<(), Ended> {
    if length > limit {
        return Err(Fault::TooLong.into());
    }
    let skipped = io::copy(&mut reader.take(length.into()), &mut io::sink())?;
    if skipped < u64::from(length) {
        Err(io::Error::from(io::ErrorKind::UnexpectedEof).into())
    } else {
        Ok(())
    }
}
