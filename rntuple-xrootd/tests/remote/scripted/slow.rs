//! Networks that are slow: the last of what is asked for at once comes late.

use std::io;
use std::time::{Duration, Instant};

use rntuple::storage::ReadAt;
use rntuple_xrootd::XrootdFile;

use super::server::{Asked, PGREAD, Peer, Then, serve};
use super::{data, options, url};

/// Sends an answer in parts of this many pages, with a pause before each.
fn send_slowly(peer: &mut Peer, asked: &Asked, pages: usize, pause: Duration) {
    let (mut from, end) = (asked.offset(), asked.offset() + asked.length());
    while from < end {
        let to = end.min((from / 4096 + pages) * 4096);
        std::thread::sleep(pause);
        peer.send_pages(asked, from, &peer.pages(from, to), to == end);
        from = to;
    }
}

/// Reads all of the file, and returns how long that took.
fn read(timeout: Duration, pages: usize, pause: Duration) -> (io::Result<()>, Duration) {
    let port = serve(data(), move |peer, asked| {
        if asked.code != PGREAD {
            return Then::Usual;
        }
        send_slowly(peer, asked, pages, pause);
        Then::Answered
    });
    let options = options().timeout(timeout).retries(0).connections(1);
    let file = XrootdFile::open(&url(port), &options).unwrap();
    let begun = Instant::now();
    let read = file.block(0..3_000_000).map(|block| assert!(block[..] == data()[..]));
    (read, begun.elapsed())
}

/// Three pieces are asked for at once, and each takes some 3 seconds.
#[test]
fn a_piece_has_its_time_after_those_before_it() {
    let timeout = Duration::from_secs(6);
    let (read, taken) = read(timeout, 16, Duration::from_millis(180));
    read.unwrap();
    assert!(taken > timeout, "the server was not slow: {taken:?}");
}

/// 10 kB/s.
#[test]
fn a_server_that_sends_next_to_nothing_is_not_waited_for() {
    let timeout = Duration::from_secs(3);
    let (read, taken) = read(timeout, 1, Duration::from_millis(400));
    let error = read.unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{error}");
    assert!(taken < 3 * timeout, "{taken:?}");
}
