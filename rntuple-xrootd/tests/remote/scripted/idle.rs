//! A connection that was idle for a while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rntuple::storage::WriteAt;
use rntuple_xrootd::{XrootdFile, XrootdWriter};

use super::server::{MV, OPEN, PING, Then, serve};
use super::{check, data, options, url};

/// After this time of silence, a server is asked whether it is there: a sixth of the time of a request.
const DOUBT: Duration = Duration::from_secs(2);

/// The connection of each of these requests, in the order in which they came.
type Seen = Arc<Mutex<Vec<(u16, usize)>>>;

/// Those since the last call.
fn take(seen: &Seen) -> Vec<(u16, usize)> {
    std::mem::take(&mut *seen.lock().unwrap())
}

/// A server that answers nothing on its first connection from a moment on.
fn server() -> (u16, Seen, Arc<AtomicBool>) {
    let (seen, is_silent) = (Seen::default(), Arc::new(AtomicBool::new(false)));
    let (requests, ends) = (seen.clone(), is_silent.clone());
    let port = serve(data(), move |peer, asked| {
        if [OPEN, PING, MV].contains(&asked.code) {
            requests.lock().unwrap().push((asked.code, peer.number));
        }
        match peer.number == 0 && ends.load(Ordering::SeqCst) {
            true => Then::Answered,
            false => Then::Usual,
        }
    });
    (port, seen, is_silent)
}

#[test]
fn a_file_is_created_after_a_connection_died_without_notice() {
    let (port, seen, is_silent) = server();
    let options = options().timeout(6 * DOUBT).connections(1);
    let begun = Instant::now();
    check(&XrootdFile::open(&url(port), &options).unwrap());
    // Right after an answer, nothing is asked.
    drop(XrootdWriter::create(&url(port), &options).unwrap());
    let mut asked = take(&seen);
    if begun.elapsed() >= DOUBT {
        // On a busy machine it was not right after it.
        asked.retain(|(code, _)| *code != PING);
    }
    assert_eq!(asked, [(OPEN, 0), (OPEN, 0)]);

    std::thread::sleep(DOUBT + Duration::from_millis(200));
    let mut writer = XrootdWriter::create(&url(port), &options).unwrap();
    assert_eq!(take(&seen), [(PING, 0), (OPEN, 0)], "the server is there");

    is_silent.store(true, Ordering::SeqCst);
    std::thread::sleep(DOUBT + Duration::from_millis(200));
    let begun = Instant::now();
    let other = XrootdWriter::create(&url(port), &options).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    assert_eq!(take(&seen), [(PING, 0), (OPEN, 1)]);
    // What was open on the old connection is opened again.
    writer.publish().unwrap();
    drop(other);
    let renamed: Vec<_> = take(&seen).into_iter().filter(|(code, _)| *code == MV).collect();
    assert_eq!(renamed, [(MV, 1)]);
}
