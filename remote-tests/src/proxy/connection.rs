//! One connection: four threads, two for each direction.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use socket2::SockRef;

use super::Shared;
use super::fault::{Fault, Plan};
use super::line::Line;

/// What is read from a socket at once, and sent at once over the link.
const CHUNK: usize = 64 << 10;

/// How often a thread that writes to a client which does not read looks whether the connection was reset.
const BLOCKED: Duration = Duration::from_millis(20);

/// How often a stalled connection looks whether it may continue.
const STALLED: Duration = Duration::from_millis(2);

/// The longest wait of a connection that has vanished: the end of the proxy ends it.
const VANISHED: Duration = Duration::from_secs(60);

/// Both sockets, and what is on its way between them.
#[derive(Debug)]
pub(super) struct Connection {
    client: TcpStream,
    server: TcpStream,
    up: Line,
    down: Line,
    /// When the handshake ends. The client sends nothing before.
    opened_at: Instant,
    /// Whether the last bytes that were read went to the server.
    is_asking: AtomicBool,
    /// Whether the last request gets no answer.
    is_unanswered: AtomicBool,
    is_reset: AtomicBool,
    /// Whether nothing is delivered any more.
    is_vanished: AtomicBool,
}

/// The two directions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    Up,
    Down,
}

impl Connection {
    pub(super) fn start(client: TcpStream, server: TcpStream, shared: &Arc<Shared>) -> io::Result<Arc<Self>> {
        server.set_nodelay(true)?;
        client.set_write_timeout(Some(BLOCKED))?;
        let link = &shared.link;
        let handshake = if link.handshake { link.delay } else { Duration::ZERO };
        let connection = Arc::new(Self {
            client,
            server,
            up: Line::new(link.window()),
            down: Line::new(link.window()),
            opened_at: Instant::now() + handshake,
            is_asking: AtomicBool::new(false),
            is_unanswered: AtomicBool::new(false),
            is_reset: AtomicBool::new(false),
            is_vanished: AtomicBool::new(false),
        });
        for way in [Way::Up, Way::Down] {
            let (this, of) = (Arc::clone(&connection), Arc::clone(shared));
            thread::Builder::new().spawn(move || this.receive(way, &of))?;
            let (this, of) = (Arc::clone(&connection), Arc::clone(shared));
            thread::Builder::new().spawn(move || this.deliver(way, &of))?;
        }
        Ok(connection)
    }

    fn line(&self, way: Way) -> &Line {
        match way {
            Way::Up => &self.up,
            Way::Down => &self.down,
        }
    }

    /// Resets the connection to the client, and closes the one to the server.
    pub(super) fn reset(&self) {
        // The reset is sent when the last thread drops the socket. The end of reading wakes the one that reads.
        self.is_reset.store(true, Ordering::Release);
        let _ = SockRef::from(&self.client).set_linger(Some(Duration::ZERO));
        self.up.cut();
        self.down.cut();
        let _ = self.client.shutdown(Shutdown::Read);
        let _ = self.server.shutdown(Shutdown::Both);
    }

    /// Closes both connections in good order. What the client still sends is read, or the system would send a reset.
    fn close(&self) {
        self.up.cut();
        self.down.cut();
        let _ = self.client.shutdown(Shutdown::Write);
        let _ = self.server.shutdown(Shutdown::Both);
    }

    /// Reads a socket, and puts what it reads onto the line.
    fn receive(&self, way: Way, shared: &Shared) {
        let (mut from, lane) = match way {
            Way::Up => (&self.client, &shared.up),
            Way::Down => (&self.server, &shared.down),
        };
        let line = self.line(way);
        let one_way = shared.link.delay / 2;
        let mut buffer = vec![0; CHUNK];
        loop {
            let chunk = match from.read(&mut buffer) {
                Ok(0) => return line.close(self.departure(way, Instant::now()) + one_way),
                Ok(length) => buffer.get(..length).unwrap_or_default().to_vec(),
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                // The server does not learn of it.
                Err(_) if way == Way::Up && self.is_vanished.load(Ordering::Acquire) => return,
                Err(_) => return self.reset(),
            };
            let is_first = self.is_asking.swap(way == Way::Up, Ordering::Relaxed) != (way == Way::Up);
            if is_first && way == Way::Up {
                shared.turns.fetch_add(1, Ordering::Relaxed);
            }
            let sent_at = lane.send(chunk.len());
            let is_open = line.push(self.departure(way, sent_at) + one_way, chunk);
            if !is_open && (way == Way::Down || self.is_reset.load(Ordering::Acquire)) {
                return;
            }
            // The next chunk waits its turn here, so that the link sends those of other connections in between.
            let wait = sent_at.saturating_duration_since(Instant::now());
            if !wait.is_zero() {
                line.sleep(wait);
            }
        }
    }

    /// When bytes leave that would be sent at `time`: the client waits for the handshake.
    fn departure(&self, way: Way, time: Instant) -> Instant {
        match way {
            Way::Up => time.max(self.opened_at),
            Way::Down => time,
        }
    }

    /// Takes chunks from the line as they arrive, and writes them to the other socket.
    fn deliver(&self, way: Way, shared: &Shared) {
        let line = self.line(way);
        let mut count = Count { plan: shared.faults.plan().number, bytes: 0, is_done: false };
        while let Some(mut chunk) = line.pop() {
            let is_open = match way {
                Way::Up if self.is_vanished.load(Ordering::Acquire) => true,
                Way::Up => {
                    if let Some(Fault::Unanswered { request }) = shared.faults.plan().fault
                        && chunk.starts_with(request.as_bytes())
                    {
                        self.is_unanswered.store(true, Ordering::Release);
                    }
                    count.pass_up(&mut chunk, shared);
                    shared.bytes_up.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                    (&self.server).write_all(&chunk).is_ok()
                }
                Way::Down => self.pass_down(&mut chunk, &mut count, shared),
            };
            if !is_open {
                return self.reset();
            }
        }
        if line.is_cut() || self.is_vanished.load(Ordering::Acquire) {
            return;
        }
        let _ = match way {
            Way::Up => self.server.shutdown(Shutdown::Write),
            Way::Down => self.client.shutdown(Shutdown::Write),
        };
    }

    /// Writes a chunk to the client, with what goes wrong in it. False: the client is gone.
    fn pass_down(&self, chunk: &mut [u8], count: &mut Count, shared: &Shared) -> bool {
        let mut from = 0;
        while from < chunk.len() {
            let rest = chunk.get_mut(from..).unwrap_or_default();
            let plan = count.follow(shared);
            let mut whole = rest.len();
            match plan.fault.filter(|_| !count.is_done) {
                Some(Fault::Corrupt { at_byte, every }) => count.corrupt(rest, at_byte, every, shared),
                Some(
                    fault @ (Fault::Cut { after_bytes }
                    | Fault::Truncate { after_bytes }
                    | Fault::Stall { after_bytes }
                    | Fault::Vanish { after_bytes }),
                ) => {
                    let left = usize::try_from(after_bytes.saturating_sub(count.bytes)).unwrap_or(usize::MAX);
                    if left == 0 {
                        count.is_done = true;
                        let begin = || {
                            let vanishes = matches!(fault, Fault::Vanish { .. });
                            self.is_vanished.fetch_or(vanishes, Ordering::Release);
                        };
                        if shared.faults.occur_after(plan.number, begin) {
                            match fault {
                                Fault::Cut { .. } => self.reset(),
                                Fault::Truncate { .. } => self.close(),
                                Fault::Vanish { .. } => self.vanish(),
                                _ => self.stall(plan.number, shared),
                            }
                        }
                        if self.down.is_cut() {
                            return true;
                        }
                        continue;
                    }
                    whole = whole.min(left);
                }
                Some(Fault::Unanswered { .. }) if self.is_unanswered.load(Ordering::Acquire) => {
                    count.is_done = true;
                    if shared.faults.occur(plan.number) {
                        self.close();
                        return true;
                    }
                }
                Some(Fault::CorruptUpload { .. } | Fault::Unanswered { .. } | Fault::Refuse) | None => {}
            }
            let part = rest.get(..whole).unwrap_or_default();
            if !self.write_to_client(part) {
                return false;
            }
            shared.bytes_down.fetch_add(whole as u64, Ordering::Relaxed);
            count.bytes += whole as u64;
            from += whole;
        }
        true
    }

    fn write_to_client(&self, mut bytes: &[u8]) -> bool {
        while !bytes.is_empty() && !self.is_reset.load(Ordering::Acquire) {
            match (&self.client).write(bytes) {
                Ok(0) => return false,
                Ok(length) => bytes = bytes.get(length..).unwrap_or_default(),
                Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                Err(_) => return false,
            }
        }
        true
    }

    /// Waits until another fault is set, or none.
    fn stall(&self, number: u64, shared: &Shared) {
        while shared.faults.plan().number == number && !self.down.is_cut() {
            self.down.sleep(STALLED);
        }
    }

    /// Keeps the connection to the server, which has vanished for the client, until the proxy ends.
    fn vanish(&self) {
        while !self.down.is_cut() {
            self.down.sleep(VANISHED);
        }
    }
}

/// What has passed in one direction since the fault was set.
#[derive(Debug)]
struct Count {
    plan: u64,
    bytes: u64,
    /// The fault has occurred on this connection, or on enough others.
    is_done: bool,
}

impl Count {
    /// The fault that is set now; what has passed before it was does not count.
    fn follow(&mut self, shared: &Shared) -> Plan {
        let plan = shared.faults.plan();
        if plan.number != self.plan {
            *self = Self { plan: plan.number, bytes: 0, is_done: false };
        }
        plan
    }

    /// Counts a chunk that the client sends, with what goes wrong in it.
    fn pass_up(&mut self, chunk: &mut [u8], shared: &Shared) {
        let plan = self.follow(shared);
        if let Some(Fault::CorruptUpload { at_byte }) = plan.fault.filter(|_| !self.is_done) {
            self.corrupt(chunk, at_byte, None, shared);
        }
        self.bytes += chunk.len() as u64;
    }

    /// Flips bits of the next bytes.
    fn corrupt(&mut self, bytes: &mut [u8], at_byte: u64, every: Option<u64>, shared: &Shared) {
        for (number, byte) in (self.bytes..).zip(bytes) {
            let Some(after) = number.checked_sub(at_byte) else { continue };
            let is_next = every.is_some_and(|every| after.is_multiple_of(every.max(1)));
            if after == 0 && !shared.faults.occur(self.plan) {
                self.is_done = true;
                return;
            }
            if after == 0 || is_next {
                *byte ^= 1;
            } else if every.is_none() {
                return;
            }
        }
    }
}
