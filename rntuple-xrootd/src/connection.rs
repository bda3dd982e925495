//! A connection on which several requests are in flight: a thread reads the answers, each of which
//! goes to the caller that made the request.

use std::io::{self, Read};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::answer::{Answer, Spares};
use crate::failure::{Deadline, Failure, broken, may_want_signature};
use crate::locks::lock;
use crate::reassembly::{Ended, Event, Pending, Reassembly};
use crate::transport::Transport;
use crate::wire::Fault;
use crate::wire::limits::Limits;
use crate::wire::request::{Request, Session};
use crate::wire::response::Control;

/// Longest answer about the limits of the server, in bytes.
const QUERY: usize = 4 << 10;

/// The slowest network, in bytes per millisecond. Where less comes, a request gets no time for those before it.
const SLOWEST: u64 = 16;

/// Bytes that come in this time over the slowest network. At least one: a server cannot keep a caller waiting for ever.
fn least(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX).saturating_mul(SLOWEST).max(1)
}

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
    pub(crate) session: Session,
    pub(crate) abilities: Abilities,
    /// The address of the server.
    pub(crate) server: Option<SocketAddr>,
    /// What the server refused at the login, before it accepted another proof of who the caller is.
    pub(crate) refusal: Option<String>,
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
    /// The process that reads the socket. One that was forked from it has the socket too, and leaves it alone.
    process: u32,
    answers: Reassembly,
    born: Instant,
    /// When the server was last heard, in microseconds after the birth.
    heard: AtomicU64,
}

/// A request that was sent.
#[derive(Debug)]
pub(crate) struct Ticket {
    shared: Arc<Shared>,
    stream: u16,
    number: u64,
    sent: Instant,
    /// Bytes of data that had come by then, and those that were asked for and had not come.
    came: u64,
    awaited: u64,
    receiver: Receiver<Event>,
    security_level: u8,
}

impl Connection {
    pub(crate) fn new(
        transport: Transport,
        session: Session,
        abilities: Abilities,
        deadline: &Deadline,
    ) -> Result<Self, Failure> {
        transport.set_read_deadline(None)?;
        let server = transport.peer();
        let (answers, heard, process) = (Reassembly::default(), AtomicU64::new(0), std::process::id());
        let shared = Arc::new(Shared { transport, process, answers, born: Instant::now(), heard });
        let reader = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("xrootd-reader".to_owned());
        thread.spawn(move || reader.run()).map_err(Failure::Final)?;
        let limits = Mutex::new(Asked::Known(Limits::default()));
        let connection = Self { shared, session, abilities, server, refusal: None, limits };
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

    /// Whether this process cannot use the connection, or not any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.shared.is_of_parent() || self.shared.answers.is_over()
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.shared.transport.is_tls()
    }

    /// When the server was last heard.
    pub(crate) fn heard_at(&self) -> Instant {
        self.shared.heard_at()
    }

    /// Whether the server is there. A connection on which nothing came for a while may have been cut without notice: then the
    /// server is asked.
    pub(crate) fn is_alive(&self, deadline: &Deadline) -> bool {
        self.heard_at().elapsed() < deadline.doubt()
            || matches!(
                self.ask(&Request::ping(), 0, &deadline.of_doubt()),
                Ok(_) | Err(Failure::Server { .. })
            )
    }

    /// Gives the connection up if nothing came for as long as a server may be silent, and it does not answer when it is asked
    /// whether it is there. Callers wait for one answer after the other, so it may be that none has noticed.
    pub(crate) fn give_up_if_silent(&self, deadline: &Deadline) {
        let is_silent = self.heard_at().elapsed() >= deadline.silence;
        // A server that has less time to answer may be there.
        let has_time = deadline.left().is_some_and(|left| left > deadline.doubt());
        if is_silent && has_time && !self.is_alive(deadline) {
            self.shared.fail(io::ErrorKind::TimedOut, "the server is silent".to_owned());
        }
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
        let (stream, number) = self.put(request, Pending::new(sender, room, spares), deadline)?;
        let security_level = self.abilities.security_level;
        Ok(Ticket {
            shared: Arc::clone(&self.shared),
            stream,
            number,
            sent: Instant::now(),
            came: self.shared.answers.came(),
            awaited: self.shared.answers.awaited(),
            receiver,
            security_level,
        })
    }

    /// Sends a request whose answer is not needed.
    pub(crate) fn post(&self, request: &Request, deadline: &Deadline) {
        // Only files are closed like this. If it was not sent, the server does that at the end of the connection.
        let _ = self.put(request, Pending::default(), deadline);
    }

    fn put(&self, request: &Request, pending: Pending, deadline: &Deadline) -> Result<(u16, u64), Failure> {
        let (stream, number) = self.shared.admit(pending)?;
        let written = self.shared.transport.write_all(&[&request.header(stream), &request.payload], deadline);
        if let Err(unwritten) = written {
            if unwritten.is_usable {
                // The time of this caller is over, and the connection is that of others as well.
                self.shared.answers.take_back(stream, number);
            } else {
                // A request that is half written leaves no way to write another one.
                self.shared.fail(io::ErrorKind::ConnectionReset, "a request could not be sent".to_owned());
            }
            return Err(unwritten.failure);
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
        self.wait_in_turn(&mut { *deadline })
    }

    /// The same. The server answers one request after the other, so while it sends what was asked for before, the
    /// deadline moves: it is as long after the last bytes as it was after the request was sent.
    pub(crate) fn wait_in_turn(self, deadline: &mut Deadline) -> Result<Answer, Failure> {
        let mut promised = None;
        let time = deadline.at.saturating_duration_since(self.sent);
        let mut came = self.came;
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
                        return Err(Failure::Server { code, message, may_want_signature, refused: None });
                    }
                },
                Err(RecvTimeoutError::Timeout) => {
                    let is_over = deadline.left().is_none();
                    let now = self.shared.answers.came();
                    // Once all of that has come, it is not what the request waits for.
                    let is_in_turn = came.saturating_sub(self.came) <= self.awaited;
                    if is_over && is_in_turn && now.saturating_sub(came) >= least(time) {
                        came = now;
                        *deadline = deadline.moved(self.shared.heard_at(), time);
                        continue;
                    }
                    // A server that has been silent for long is gone, unless it has said that it would be. All requests of
                    // the connection learn of it, this one among them, and may be made again on another one.
                    let is_gone = match is_over {
                        true => promised.is_none() && deadline.is_long(self.silence()),
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
        if self.shared.is_of_parent() {
            return;
        }
        self.shared.answers.discard(self.stream, self.number);
    }
}

impl Shared {
    /// Whether this process was forked from the one that made the connection: no thread reads answers here, and a thread of
    /// the parent may have held the locks.
    fn is_of_parent(&self) -> bool {
        self.process != std::process::id()
    }

    fn heard_at(&self) -> Instant {
        let after = Duration::from_micros(self.heard.load(Relaxed));
        self.born.checked_add(after).unwrap_or(self.born)
    }

    /// Gives a request a stream and a number.
    fn admit(&self, pending: Pending) -> Result<(u16, u64), Failure> {
        if self.is_of_parent() {
            let text = "the connection is that of another process";
            return Err(Failure::Broken(io::ErrorKind::NotConnected, text.to_owned()));
        }
        self.answers.admit(pending)
    }

    /// Ends the connection, with an error for all requests without an answer.
    fn fail(&self, kind: io::ErrorKind, text: String) {
        if self.is_of_parent() {
            return;
        }
        self.transport.close();
        self.answers.end(kind, text);
    }

    /// Reads answers until the connection ends.
    fn run(&self) {
        let mut reader = io::BufReader::with_capacity(32 << 10, Half(self));
        loop {
            match self.answers.read(&mut reader) {
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::net::TcpListener;
    use std::sync::mpsc::Sender;
    use std::thread;

    use super::*;
    use crate::url::{Place, Url};

    /// A connection to a server that answers each request, once it gets a sign to begin to read them.
    fn connect() -> (Connection, Sender<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = Url::parse(&format!("root://{}//x", listener.local_addr().unwrap())).unwrap();
        let (begin, begins) = channel();
        thread::spawn(move || {
            let mut socket = listener.accept().unwrap().0;
            begins.recv().unwrap();
            loop {
                let mut header = [0; 24];
                socket.read_exact(&mut header)?;
                let length = u32::from_be_bytes(header[20..].try_into().unwrap());
                io::copy(&mut (&socket).take(length.into()), &mut io::sink())?;
                socket.write_all(&[header[0], header[1], 0, 0, 0, 0, 0, 0])?;
            }
            #[expect(unreachable_code, reason = "names the type of the errors")]
            io::Result::Ok(())
        });
        let deadline = Deadline::after(Duration::from_secs(60));
        let transport = Transport::connect(&Place::of(&url).host, deadline).unwrap();
        let abilities = Abilities { pages: true, security_level: 0 };
        (Connection::new(transport, [0; 16], abilities, &deadline).unwrap(), begin)
    }

    #[test]
    fn a_caller_whose_time_is_over_leaves_the_connection_to_others() {
        const SHORT: Duration = Duration::from_millis(5);
        let (request, time) = (Request::stat("/x"), Duration::from_secs(60));
        let (connection, begin) = connect();
        let ask_late = |late: &Deadline| {
            let error = connection.ask(&request, 0, late).unwrap_err();
            assert!(matches!(error, Failure::TimedOut(_)), "{error:?}");
        };
        ask_late(&Deadline::after(Duration::ZERO));
        // Longer than what the system takes: it is being written until the server reads it.
        let long = Request::write([0; 4], 0, Arc::new(vec![7; 64 << 20]));
        thread::scope(|scope| {
            scope.spawn(|| connection.ask(&long, 0, &Deadline::after(time)).unwrap());
            while !connection.shared.transport.is_writing() {
                thread::sleep(SHORT);
            }
            let late = Deadline::after(Duration::from_millis(500));
            scope.spawn(move || {
                while late.left().is_some() {
                    thread::sleep(SHORT);
                }
                begin.send(()).unwrap();
            });
            ask_late(&late);
        });
        assert!(!connection.is_broken());
        assert!(connection.shared.answers.is_empty(), "no answer comes to what was not sent");
        connection.ask(&request, 0, &Deadline::after(time)).unwrap();
    }
}
