//! From the bytes of a connection to answers: they come in any order, and in pieces.

use std::collections::HashMap;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};

use crate::answer::{Answer, Spares};
use crate::failure::Failure;
use crate::locks::lock;
use crate::wire::Fault;
use crate::wire::code::{LATE_ANSWER, Status};
use crate::wire::response::{Control, Header, LATE, Pages, STATUS_LENGTH};

/// Longest body of an answer that is not data, in bytes.
pub(crate) const CONTROL: u32 = 64 << 10;

/// How much is reserved at once for data whose end is not known yet.
const RESERVED: usize = 4 << 20;

/// Data are counted when this many bytes of them have come, or all of an answer.
const COUNTED: usize = 128 << 10;

/// The requests of a connection that have no answer, or a part of one.
#[derive(Debug, Default)]
pub(crate) struct Reassembly {
    table: Mutex<Table>,
    /// How many bytes of data have come that were asked for.
    came: AtomicU64,
}

#[derive(Debug, Default)]
struct Table {
    last_stream: u16,
    /// How many requests there were.
    count: u64,
    pending: HashMap<u16, Pending>,
    broken: Option<(io::ErrorKind, String)>,
}

/// A request without its answer, or with a part of it.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    /// The number of the request: streams are used again.
    number: u64,
    /// `None`: no one waits any more, and the answer is discarded.
    sender: Option<Sender<Event>>,
    /// How many bytes of data may still come.
    room: usize,
    /// Whether the server has said that the answer comes later.
    is_promised: bool,
    /// What came of the answer so far.
    answer: Option<Answer>,
    spares: Arc<Spares>,
}

impl Pending {
    /// A request whose answer, which may have `room` bytes of data, is sent to `sender`.
    pub(crate) fn new(sender: Sender<Event>, room: usize, spares: &Arc<Spares>) -> Self {
        Self { sender: Some(sender), room, spares: Arc::clone(spares), ..Self::default() }
    }
}

#[derive(Debug)]
pub(crate) enum Event {
    Answer(Answer),
    Control(Control),
    Broken(io::ErrorKind, String),
}

/// Why no more answers can be read.
#[derive(Debug)]
pub(crate) enum Ended {
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

impl Reassembly {
    /// Gives a request a stream and a number.
    pub(crate) fn admit(&self, pending: Pending) -> Result<(u16, u64), Failure> {
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

    /// How many bytes of data have come that were asked for.
    pub(crate) fn came(&self) -> u64 {
        self.came.load(Relaxed)
    }

    /// How many bytes of data may still come that were asked for.
    pub(crate) fn awaited(&self) -> u64 {
        lock(&self.table).pending.values().map(|pending| pending.room as u64).fold(0, u64::saturating_add)
    }

    /// Whether no answer comes any more.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.table).broken.is_some()
    }

    /// Ends it, with an error for all requests without an answer.
    pub(crate) fn end(&self, kind: io::ErrorKind, text: String) {
        let mut table = lock(&self.table);
        for (_, pending) in table.pending.drain() {
            if let Some(sender) = pending.sender {
                let _ = sender.send(Event::Broken(kind, text.clone()));
            }
        }
        table.broken.get_or_insert((kind, text));
    }

    /// Discards the answer of a request; its stream is free again once that has come.
    pub(crate) fn discard(&self, stream: u16, number: u64) {
        let mut table = lock(&self.table);
        let pending = table.pending.get_mut(&stream);
        if let Some(pending) = pending.filter(|pending| pending.number == number) {
            pending.sender = None;
            pending.answer = None;
        }
    }

    /// Forgets a request that was not sent.
    pub(crate) fn take_back(&self, stream: u16, number: u64) {
        let mut table = lock(&self.table);
        if table.pending.get(&stream).is_some_and(|pending| pending.number == number) {
            table.pending.remove(&stream);
        }
    }

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.table).pending.is_empty()
    }

    /// Reads one answer, and gives it to the caller that waits for it once it is whole.
    pub(crate) fn read(&self, reader: &mut impl Read) -> Result<(), Ended> {
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
                let pending =
                    table.pending.get_mut(&header.stream).ok_or(Fault::UnknownStream(header.stream))?;
                // A server may say again and again that the answer comes later, and the caller may take it late: once is
                // enough.
                let is_news = is_last || !std::mem::replace(&mut pending.is_promised, true);
                if let Some(sender) = pending.sender.as_ref().filter(|_| is_news) {
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
            self.came.fetch_add(length.into(), Relaxed);
        } else {
            let left = room.checked_sub(count).ok_or(Fault::TooLong)?;
            let still = if is_last { count } else { room.min(RESERVED).max(count) };
            let expected = answer.data().len().saturating_add(still);
            for piece in answer.grow(count, expected)?.chunks_mut(COUNTED) {
                reader.read_exact(piece)?;
                self.came.fetch_add(piece.len() as u64, Relaxed);
            }
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_promise_that_is_repeated_is_passed_on_once() {
        let (answers, (sender, receiver)) = (Reassembly::default(), channel());
        let (stream, _) = answers.admit(Pending::new(sender, 0, &Arc::default())).unwrap();
        let frame = |status: u16, body: &[u8]| {
            let length = u32::try_from(body.len()).unwrap();
            [&stream.to_be_bytes()[..], &status.to_be_bytes(), &length.to_be_bytes(), body].concat()
        };
        let (promise, answer) = (frame(4006, &[0, 0, 0, 5]), frame(0, &[]));
        let bytes = [promise.repeat(1000), answer].concat();
        let mut reader = &bytes[..];
        while !reader.is_empty() {
            answers.read(&mut reader).unwrap();
        }
        let events: Vec<_> = receiver.try_iter().collect();
        assert!(
            matches!(events[..], [Event::Control(Control::WaitResponse { seconds: 5 }), Event::Answer(_)]),
            "{} events",
            events.len()
        );
    }
}
