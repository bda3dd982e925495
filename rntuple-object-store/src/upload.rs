//! Requests with long bodies. The client's own time-out counts from the start of a request to the first byte of its answer,
//! which is too short for a part of an upload over a slow network. Here it counts from the last piece that was sent.

use std::error::Error as _;
use std::io;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt as _, poll_fn, try_unfold};
use http::header::{CONTENT_LENGTH, HeaderValue};
use http_body_util::{BodyExt as _, StreamBody};
use object_store::client::{
    HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse, HttpResponseBody,
};
use tokio::time::{Instant, timeout, timeout_at};

/// What is sent at once, in bytes.
const PIECE: usize = 64 << 10;

/// After the last piece, megabytes may still be under way in buffers of the system: the answer may take this many times as
/// long as a piece.
const LAST: u32 = 4;

/// When a request has taken too long, unless more of it is sent.
#[derive(Clone)]
struct Deadline(Arc<Mutex<Instant>>);

impl Deadline {
    fn after(time: Duration) -> Self {
        Self(Arc::new(Mutex::new(Instant::now() + time)))
    }

    fn move_to(&self, time: Duration) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + time;
    }

    fn get(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a request is one of these.
pub(crate) fn is_long(request: &HttpRequest) -> bool {
    request.body().content_length() > PIECE
}

/// Sends a request. It fails when no piece of it was sent for as long as `patience`, and so does the body of its answer when
/// nothing of that comes.
///
/// # Errors
/// As those of `object_store`'s own client: their kinds say what may be repeated.
pub(crate) async fn send(
    client: &reqwest::Client,
    request: HttpRequest,
    patience: Duration,
) -> Result<HttpResponse, HttpError> {
    // The pieces of a body do not say how long it is, and stores refuse an upload, or the list of its parts, without a
    // length.
    let length = HeaderValue::from(request.body().content_length());
    let (mut parts, body) = request.into_parts();
    parts.headers.entry(CONTENT_LENGTH).or_insert(length);
    let url = parts.uri.to_string().parse();
    let url =
        url.map_err(|error| HttpError::new(HttpErrorKind::Unknown, io::Error::other(format!("{error}"))))?;
    let deadline = Deadline::after(patience);
    let mut request = reqwest::Request::new(parts.method, url);
    *request.headers_mut() = parts.headers;
    *request.body_mut() = Some(reqwest::Body::wrap_stream(pieces(body, deadline.clone(), patience)));
    let mut answer = pin!(client.execute(request));
    let answer = loop {
        let until = deadline.get();
        match timeout_at(until, &mut answer).await {
            Ok(answer) => break answer.map_err(http_error)?,
            Err(_) if deadline.get() > until => {}
            Err(_) => return Err(late()),
        }
    };
    let (parts, body) = http::Response::<reqwest::Body>::from(answer).into_parts();
    // `object_store` reads all of a refusal, however long that takes.
    let frames = try_unfold(body, move |mut body| async move {
        match timeout(patience, body.frame()).await {
            Ok(Some(frame)) => Ok(Some((frame.map_err(http_error)?, body))),
            Ok(None) => Ok(None),
            Err(_) => Err(late()),
        }
    });
    Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(StreamBody::new(frames))))
}

fn late() -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, io::Error::from(io::ErrorKind::TimedOut))
}

/// The pieces of a body, each of which moves the deadline.
fn pieces(
    body: HttpRequestBody,
    deadline: Deadline,
    patience: Duration,
) -> impl Stream<Item = Result<Bytes, HttpError>> + Send + 'static {
    let (mut chunks, mut rest) = (body.into_data_stream(), Bytes::new());
    poll_fn(move |context| {
        while rest.is_empty() {
            match ready!(chunks.poll_next_unpin(context)) {
                Some(chunk) => rest = chunk?,
                None => {
                    deadline.move_to(patience * LAST);
                    return Poll::Ready(None);
                }
            }
        }
        deadline.move_to(patience);
        Poll::Ready(Some(Ok(rest.split_to(rest.len().min(PIECE)))))
    })
}

/// The error with the kind that the client of `object_store` gives its own, which decides whether a request is repeated.
fn http_error(error: reqwest::Error) -> HttpError {
    let mut kind = if error.is_timeout() {
        Some(HttpErrorKind::Timeout)
    } else if error.is_connect() {
        Some(HttpErrorKind::Connect)
    } else if error.is_decode() {
        Some(HttpErrorKind::Decode)
    } else {
        None
    };
    let mut cause = error.source();
    while let (None, Some(error)) = (kind, cause) {
        kind = error.downcast_ref::<io::Error>().and_then(|error| match error.kind() {
            io::ErrorKind::TimedOut => Some(HttpErrorKind::Timeout),
            io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => Some(HttpErrorKind::Interrupted),
            _ => None,
        });
        cause = error.source();
    }
    // What is left of these are connections that ended without an answer.
    let is_of_network = error.is_request() || error.is_body();
    let otherwise = if is_of_network { HttpErrorKind::Request } else { HttpErrorKind::Unknown };
    HttpError::new(kind.unwrap_or(otherwise), error.without_url())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead as _, BufReader, Read as _, Write as _};
    use std::net::{TcpListener, TcpStream};
    use std::thread;

    use super::*;
    use crate::runtime;

    /// Reads a request: its head in small letters, and how many bytes of its body are 7.
    fn read(socket: &TcpStream, length: usize) -> (String, usize) {
        let mut reader = BufReader::new(socket);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let body = reader.take(length as u64).bytes().filter(|byte| matches!(byte, Ok(7))).count();
        (head.to_lowercase(), body)
    }

    /// As the request that completes an upload of a thousand parts: `object_store` does not say how long its list of
    /// them is.
    #[test]
    fn a_server_is_given_the_length_of_a_long_body() {
        let body = vec![7; 3 * PIECE + 1];
        let length = body.len();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let socket = listener.accept().unwrap().0;
            let request = read(&socket, length);
            (&socket).write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").unwrap();
            request
        });
        let request = http::Request::post(url).body(HttpRequestBody::from(body)).unwrap();
        assert!(is_long(&request));
        let answer = runtime::wait(async move {
            send(&reqwest::Client::new(), request, Duration::from_secs(60)).await.map_err(io::Error::other)
        });
        let (head, sent) = server.join().unwrap();
        assert!(head.contains(&format!("\r\ncontent-length: {length}\r\n")), "{head}");
        assert!(!head.contains("transfer-encoding"), "{head}");
        assert_eq!((sent, answer.unwrap().status().as_u16()), (length, 200));
    }

    #[cfg(feature = "http")]
    #[test]
    fn a_refusal_that_does_not_end_is_not_waited_for() {
        use object_store::ObjectStoreExt as _;

        let length = 100 << 10;
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/x", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let socket = listener.accept().unwrap().0;
            let (_, sent) = read(&socket, length);
            (&socket)
                .write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 400\r\n\r\nThis is denied")
                .unwrap();
            // Open until the client ends it, or the test has failed.
            socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
            let _ = (&socket).read(&mut [0]);
            sent
        });
        let options = crate::Options::new().stall_timeout(Duration::from_secs(2)).retries(0);
        let (store, path) = crate::store(&url, &options).unwrap();
        let put = runtime::wait(async move {
            timeout(Duration::from_secs(60), store.put(&path, vec![7u8; length].into()))
                .await
                .map_err(io::Error::other)
        });
        let error = put.unwrap().unwrap_err();
        assert_eq!(crate::error::io_error(&error, "PUT").kind(), io::ErrorKind::TimedOut, "{error}");
        assert_eq!(server.join().unwrap(), length);
    }
}
