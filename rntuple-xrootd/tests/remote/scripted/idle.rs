//! A connection that was idle for a while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rntuple::storage::WriteAt;
use rntuple_xrootd::{XrootdFile, XrootdWriter};

use super::server::{MV, OPEN, PING, Then, serve};
use super::{check, data, options, url};

/// The connection of each of these requests, in the order in which they came.
type Seen = Arc<Mutex<Vec<(u16, usize)>>>;

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
    let options = options().timeout(Duration::from_secs(6)).connections(1);
    check(&XrootdFile::open(&url(port), &options).unwrap());
    // Right after an answer, nothing is asked.
    drop(XrootdWriter::create(&url(port), &options).unwrap());
    assert_eq!(*seen.lock().unwrap(), [(OPEN, 0), (OPEN, 0)]);

    // Longer than a sixth of the time.
    std::thread::sleep(Duration::from_millis(1200));
    let mut writer = XrootdWriter::create(&url(port), &options).unwrap();
    assert_eq!(seen.lock().unwrap()[2..], [(PING, 0), (OPEN, 0)], "the server is there");

    is_silent.store(true, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(1200));
    let begun = Instant::now();
    let other = XrootdWriter::create(&url(port), &options).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(seen.lock().unwrap()[4..], [(PING, 0), (OPEN, 1)]);
    // What was open on the old connection is opened again.
    writer.publish().unwrap();
    drop(other);
    assert_eq!(seen.lock().unwrap().last(), Some(&(MV, 1)));
}
