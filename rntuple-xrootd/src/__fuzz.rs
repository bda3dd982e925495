//! Everything that reads bytes of a server, for the fuzzer.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::channel;

use crate::answer::{Answer, Spares};
use crate::plan::{Job, Piece, plan};
use crate::reassembly::{Event, Pending, Reassembly};
use crate::url::{Place, Url};
use crate::wire::code::Status;
use crate::wire::cursor::Cursor;
use crate::wire::limits::Limits;
use crate::wire::login::{LoggedIn, Protocol};
use crate::wire::response::{Control, Header, Opened, Pages};
use crate::wire::stat::{Stat, read_list};

/// Reads bytes as answers of a server, one after the other, each in every way that a body of its kind may be read.
pub fn answers(bytes: &[u8]) {
    let mut cursor = Cursor(bytes);
    while let Ok(header) = cursor.array().and_then(Header::read) {
        let length = usize::try_from(header.length).unwrap_or(usize::MAX);
        let Ok(body) = cursor.take(length.min(cursor.0.len())) else { return };
        match Control::read(header.status, body) {
            Ok(Some(Control::Redirect(redirect))) => {
                if let Ok(url) = Url::parse("root://localhost//x") {
                    let _ = Place::of(&url).redirected(&redirect);
                }
            }
            Ok(None) if header.status == Status::Pages => {
                let _ = Pages::read(header.stream, body);
            }
            Ok(None) => data(body),
            _ => {}
        }
    }
}

/// Reads a body as each of the answers that have data.
fn data(body: &[u8]) {
    let _ = Stat::read(body);
    let _ = read_list(body);
    let _ = Opened::read(body);
    let _ = Protocol::read(body);
    let _ = LoggedIn::read(body);
    let limits = Limits::read(body);
    let small = Limits { pieces: 4, piece: 1 << 20 };
    for ranges in [vec![100..200_000, 7..7], vec![5..9, 0..2, 7..4096]] {
        for job in [limits, small].into_iter().flat_map(|limits| plan(&ranges, true, limits)) {
            let parts = vec![(100, body.len() / 2), (4096, body.len())];
            let answer = Answer::from((body.to_vec(), parts));
            let mut buffers = vec![Vec::new(); ranges.len()];
            if job.store([0; 4], &answer, &mut buffers).is_err() {
                assert!(buffers.iter().all(Vec::is_empty), "an answer that is refused leaves nothing");
            }
        }
    }
}

/// The piece that a request for pages of [`connection`] asks for: the end of a page, and the beginning of another one.
const PIECE: Piece = Piece { range: 0, offset: 4000, length: 196 };

/// The request without a caller of [`connection`].
const DISCARDED: u16 = 4;

/// Reads bytes as all that comes on a connection on which requests have the streams 1 to 5: each gets one answer at most,
/// with no more data than it asked for, and pages only where their checksums are right.
pub fn connection(bytes: &[u8]) {
    let (answers, spares) = (Reassembly::default(), Arc::new(Spares::default()));
    let job = Job::Pages(PIECE);
    let rooms = [200, 0, job.room(), 1000, 3000];
    let requests = rooms.map(|room| {
        let (sender, receiver) = channel();
        let admitted = answers.admit(Pending::new(sender, room, &spares));
        if let Ok((DISCARDED, number)) = admitted {
            answers.discard(DISCARDED, number);
        }
        (admitted.map_or(0, |(stream, _)| stream), room, receiver)
    });
    let mut reader = bytes;
    while answers.read(&mut reader).is_ok() {}
    answers.end(io::ErrorKind::UnexpectedEof, String::new());
    for (stream, room, receiver) in requests {
        let mut ends = 0;
        while let Ok(event) = receiver.try_recv() {
            assert_eq!(ends, 0, "a request has one answer");
            match event {
                Event::Control(Control::WaitResponse { .. }) => continue,
                Event::Answer(answer) => {
                    assert!(answer.data().len() <= room, "{} bytes, {room} asked for", answer.data().len());
                    let mut read = [Vec::new()];
                    let is_stored = job.store([0; 4], &answer, &mut read).is_ok();
                    assert_eq!(read.concat().len(), if is_stored { 196 } else { 0 });
                }
                Event::Control(_) | Event::Broken(..) => {}
            }
            ends += 1;
        }
        assert_eq!(ends == 0, stream == DISCARDED, "each request that is waited for has an answer");
    }
}

/// The checksum of what follows it in the body of `kXR_status`.
#[must_use]
pub fn checksum(bytes: &[u8]) -> u32 {
    crc32c::crc32c(bytes)
}

/// Reads a text as a URL.
pub fn url(text: &str) {
    let _ = Url::parse(text);
}

/// Answers as a server gives them, one of each kind.
pub fn recorded() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut answer = |status: u16, body: &[u8]| {
        bytes.extend_from_slice(&[0, 1]);
        bytes.extend_from_slice(&status.to_be_bytes());
        bytes.extend_from_slice(&u32::try_from(body.len()).unwrap_or_default().to_be_bytes());
        bytes.extend_from_slice(body);
    };
    answer(0, b"\0\0\x05\x11\0\x20\0\x01S\0\0\0\x02\0");
    answer(0, &[&[7; 16][..], b"&P=ztn,0:4096:&P=unix\0"].concat());
    answer(0, b"1024\n2097136\n");
    answer(0, b"\0\0\0\x09\0\0\0\0\0\0\0\x0040 300000 48 1700000000 1 2 0644 u g\0");
    answer(0, b".\n0 0 0 0\nx.root\n1 2 48 3\nd\n1 4096 51 5\0");
    answer(4000, b"\0\0\0\0\0\0\0\x04\0\0\0\0\0\0\0\x05abcd\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\0ab");
    answer(4003, b"\0\0\x0b\xc3no such file\0");
    answer(4004, b"\0\0\x04\x47[::1]:1095?cap=1&x=2?token");
    answer(4004, b"\xff\xff\xff\xffroots://me@host:7//x?y");
    answer(4005, b"\0\0\0\x05from tape\0");
    answer(4006, b"\0\0\0\x05");
    let rest = b"\0\x01\x1e\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
    answer(4007, &[&crc32c::crc32c(rest).to_be_bytes()[..], rest].concat());
    bytes
}

/// What comes on the connection of [`connection`]: data in parts, a late answer, pages, an error, and messages.
#[must_use]
pub fn recorded_connection() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut frame = |stream: u16, status: u16, body: &[u8], data: &[u8]| {
        bytes.extend_from_slice(&stream.to_be_bytes());
        bytes.extend_from_slice(&status.to_be_bytes());
        bytes.extend_from_slice(&u32::try_from(body.len()).unwrap_or_default().to_be_bytes());
        bytes.extend_from_slice(&[body, data].concat());
    };
    let page: Vec<u8> = (0..PIECE.length).map(|at| at.to_le_bytes()[0]).collect();
    let part = |offset: u64, is_last: bool, data: &[u8]| {
        let data = [&checksum(data).to_be_bytes()[..], data].concat();
        let mut rest = vec![0, 3, 30, u8::from(!is_last), 0, 0, 0, 0];
        rest.extend_from_slice(&u32::try_from(data.len()).unwrap_or_default().to_be_bytes());
        rest.extend_from_slice(&offset.to_be_bytes());
        ([&checksum(&rest).to_be_bytes()[..], &rest].concat(), data)
    };
    let (first, second) = page.split_at(96);
    let parts = [part(4000, false, first), part(4096, true, second)];
    frame(1, 4000, &[7; 120], b"");
    frame(2, 4006, b"\0\0\0\x05", b"");
    frame(3, 4007, &parts[0].0, &parts[0].1);
    frame(0, 4001, b"\0\0\x13\x8ahello", b"");
    frame(1, 0, &[8; 80], b"");
    frame(3, 4007, &parts[1].0, &parts[1].1);
    frame(0, 4001, b"\0\0\x13\x90\0\0\0\0\0\x02\0\0\0\0\0\0", b"");
    frame(4, 0, &[9; 30], b"");
    frame(5, 4003, b"\0\0\x0b\xc3no such file\0", b"");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_prefix_and_no_changed_byte_makes_a_panic() {
        let recorded = recorded();
        for end in 0..=recorded.len() {
            answers(recorded.get(..end).unwrap());
        }
        let stream = recorded_connection();
        for end in 0..=stream.len() {
            connection(&stream[..end]);
            let twice = [&stream[..end], &stream].concat();
            connection(&twice);
        }
        for at in 0..stream.len() * 8 {
            let mut changed = stream.clone();
            changed[at / 8] ^= 1 << (at % 8);
            connection(&changed);
        }
        for at in 0..recorded.len() {
            for bit in 0..8 {
                let mut changed = recorded.clone();
                changed[at] ^= 1 << bit;
                answers(&changed);
            }
            for body in [0, 8, 16] {
                data(recorded.get(at..recorded.len() - body.min(recorded.len() - at)).unwrap());
            }
        }
        for text in ["root://me@[::1]:1094//a?b", "xroots://h:1/x"] {
            for end in 0..=text.len() {
                url(&text[..end]);
            }
        }
    }
}
