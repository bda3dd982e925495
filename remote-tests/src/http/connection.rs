//! One connection: requests, one after the other.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::{Arc, PoisonError};
use std::thread;

use super::answer::{Answer, reason};
use super::request::Request;
use super::rule::Fault;
use super::state::{Shared, lock};
use crate::client::read_head;

/// How the body is sent.
#[derive(Debug)]
enum Sending {
    Whole,
    Truncated(usize),
    Trickle(usize, std::time::Duration),
}

/// Serves a client until it, or the server, ends the connection.
pub(super) fn serve(stream: &TcpStream, number: u64, shared: &Shared) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some((first_line, headers)) = read_head(&mut reader)? {
        let request = Request::new(&first_line, headers, number);
        let mut body = Vec::new();
        if let Some(length) = request.header("Content-Length").and_then(|length| length.parse().ok()) {
            if request.header("Expect").is_some() {
                (&mut &*stream).write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
            }
            (&mut reader).take(length).read_to_end(&mut body)?;
        }
        let (fault, keep_alive) = {
            let mut state = lock(&shared.state);
            state.requests.push(request.clone());
            let needed = state.rounds.arrive();
            shared.arrived.notify_all();
            let held = shared.arrived.wait_while(state, |state| state.rounds.holds(needed));
            let mut state = held.unwrap_or_else(PoisonError::into_inner);
            let mut rules = state.rules.iter_mut();
            let fault =
                rules.find_map(|rule| rule.applies(&request.method, &request.path, request.range.as_deref()));
            (fault, state.habits.keep_alive)
        };
        let closes = request.header("Connection").is_some_and(|value| value.eq_ignore_ascii_case("close"));
        let keep_alive = keep_alive && !closes && request.header("Transfer-Encoding").is_none();
        let Some((answer, sending)) = decide(fault, &request, body, shared) else {
            return Ok(());
        };
        match sending {
            None => {
                // Until the client has closed its side.
                io::copy(&mut reader, &mut io::sink())?;
                return Ok(());
            }
            Some(sending) => {
                if !send(stream, &request, &answer, &sending, keep_alive)? || !keep_alive {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// The answer, and how it is sent: not at all, for a server that is silent. `None`: the connection ends.
fn decide(
    fault: Option<Fault>,
    request: &Request,
    body: Vec<u8>,
    shared: &Shared,
) -> Option<(Answer, Option<Sending>)> {
    let mut state = lock(&shared.state);
    if request.method == "PUT" && request.header("Content-Length").is_none() {
        return Some((Answer::of_status(411), Some(Sending::Whole)));
    }
    let mut answer = match &fault {
        Some(Fault::Hangup) => return None,
        Some(Fault::Silence) => return Some((Answer::of_status(500), None)),
        Some(Fault::Status(status)) => {
            let mut answer = Answer::of_status(status.code());
            answer.headers.extend(status.headers());
            answer
        }
        Some(Fault::Redirect(location)) => Answer::of_status(302).with("Location", location),
        Some(Fault::Replace(bytes)) => {
            state.put(&request.path, bytes.clone());
            state.answer(request, body, false)
        }
        _ => state.answer(request, body, fault == Some(Fault::WholeFile)),
    };
    let Some(size) = state.files.get(&request.path).map(|file| file.size()) else {
        return Some((answer, Some(Sending::Whole)));
    };
    let first = answer.body.start;
    match fault {
        Some(Fault::ShortRange) if answer.status == 206 => {
            answer.body.end -= answer.body.len() / 2;
            answer.set("Content-Range", format!("bytes {first}-{}/{size}", answer.body.end - 1));
        }
        Some(Fault::WrongRange) if answer.status == 206 => {
            answer.set("Content-Range", format!("bytes {}-{}/{size}", first + 1, answer.body.end));
        }
        Some(Fault::Corrupt) => {
            let mut bytes = answer.bytes.get(answer.body.clone()).unwrap_or_default().to_vec();
            let middle = bytes.len() / 2;
            bytes.iter_mut().skip(middle).take(1).for_each(|byte| *byte ^= 1);
            answer.body = 0..bytes.len();
            answer.bytes = Arc::new(bytes);
        }
        _ => {}
    }
    let sending = match fault {
        Some(Fault::Truncated(length)) => Sending::Truncated(length),
        Some(Fault::Trickle { bytes, pause }) => Sending::Trickle(bytes.max(1), pause),
        _ => Sending::Whole,
    };
    Some((answer, Some(sending)))
}

/// Sends an answer. False: the connection ends with it.
fn send(
    mut stream: &TcpStream,
    request: &Request,
    answer: &Answer,
    sending: &Sending,
    keep_alive: bool,
) -> io::Result<bool> {
    let mut head = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status));
    for (name, value) in &answer.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let connection = if keep_alive { "keep-alive" } else { "close" };
    head += &format!("Content-Length: {}\r\nConnection: {connection}\r\n\r\n", answer.body.len());
    let body = answer.bytes.get(answer.body.clone()).unwrap_or_default();
    let body = if request.method == "HEAD" { &[] } else { body };
    match *sending {
        Sending::Whole => {
            // One packet, where the body is short.
            let (with_head, rest) = body.split_at(body.len().min(16 << 10));
            stream.write_all(&[head.as_bytes(), with_head].concat())?;
            stream.write_all(rest)?;
        }
        Sending::Truncated(length) => {
            stream.write_all(head.as_bytes())?;
            stream.write_all(body.get(..length).unwrap_or(body))?;
            return Ok(false);
        }
        Sending::Trickle(bytes, pause) => {
            stream.write_all(head.as_bytes())?;
            for part in body.chunks(bytes) {
                stream.write_all(part)?;
                thread::sleep(pause);
            }
        }
    }
    Ok(true)
}
