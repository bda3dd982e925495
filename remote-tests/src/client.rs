//! The smallest HTTP client that can ask a server something: one connection, one request.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// What a server answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The status, 200 for example.
    pub status: u16,
    /// Names and values, as they were sent.
    pub headers: Vec<(String, String)>,
    /// All bytes until the server's length, or its end.
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns the value of a header, whose name may be in another case.
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, |other| other.eq_ignore_ascii_case(name))
    }
}

/// Sends a request, and waits for the answer up to ten seconds.
///
/// # Errors
/// The server cannot be reached, does not answer in time, or ends the connection before its answer ends.
pub fn request(
    server: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(server)?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {server}\r\nConnection: close\r\n");
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat())?;
    read_answer(&mut BufReader::new(stream), method == "HEAD")
}

/// Reads one answer.
///
/// # Errors
/// As [`request`].
pub fn read_answer(stream: &mut impl BufRead, is_head: bool) -> io::Result<Answer> {
    let (first, headers) = read_head(stream)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("the first line has no status: {first}")))?;
    let mut answer = Answer { status, headers, body: Vec::new() };
    if status == 100 {
        return read_answer(stream, is_head);
    }
    let length = answer.header("content-length").and_then(|length| length.parse::<u64>().ok());
    if is_head || status == 204 || status == 304 {
        return Ok(answer);
    }
    let read = stream.take(length.unwrap_or(u64::MAX)).read_to_end(&mut answer.body)?;
    if length.is_some_and(|length| length != read as u64) {
        return Err(io::Error::new(
            io::ErrorKind::UnexpectedEof,
            format!("the body ended after {read} bytes, expected {length:?}"),
        ));
    }
    Ok(answer)
}

/// The first line of a message, and its headers.
pub(crate) type Head = (String, Vec<(String, String)>);

/// Reads the part of a message before its body. `None`: the connection ended before the first byte.
pub(crate) fn read_head(stream: &mut impl BufRead) -> io::Result<Option<Head>> {
    let mut first = String::new();
    if stream.read_line(&mut first)? == 0 {
        return Ok(None);
    }
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let line = line.trim_end();
        if line.is_empty() {
            return Ok(Some((first.trim_end().to_owned(), headers)));
        }
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
}

/// The value of the first header whose name `is_wanted`.
pub(crate) fn find(headers: &[(String, String)], is_wanted: impl Fn(&str) -> bool) -> Option<&str> {
    headers.iter().find(|(name, _)| is_wanted(name)).map(|(_, value)| value.as_str())
}
