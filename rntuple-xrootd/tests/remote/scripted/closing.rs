//! What is opened is closed, and what is written is synced before it has its name.

use std::io::IoSlice;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rntuple::storage::WriteAt;
use rntuple_xrootd::{XrootdFile, XrootdWriter};

use super::server::{CLOSE, MV, OPEN, RM, STAT, SYNC, Then, WRITE, serve};
use super::{check, data, options, url};

/// The codes of all requests, in the order in which they came.
#[derive(Clone, Default)]
struct Codes(Arc<Mutex<Vec<u16>>>);

impl Codes {
    fn count(&self, code: u16) -> usize {
        self.0.lock().unwrap().iter().filter(|it| **it == code).count()
    }

    /// Those of these requests, without repetitions.
    fn of(&self, wanted: &[u16]) -> Vec<u16> {
        let mut codes = self.0.lock().unwrap().clone();
        codes.retain(|code| wanted.contains(code));
        codes.dedup();
        codes
    }
}

/// A server where there is a file, or none of that name yet.
fn recording(is_new: bool) -> (u16, Codes) {
    let codes = Codes::default();
    let seen = codes.clone();
    let port = serve(data(), move |peer, asked| {
        seen.0.lock().unwrap().push(asked.code);
        if asked.code == STAT && is_new {
            peer.error(asked, 3011, "no such file");
            return Then::Answered;
        }
        Then::Usual
    });
    (port, codes)
}

#[test]
fn a_reader_closes_what_it_opened() {
    for connections in [1, 3] {
        let (port, codes) = recording(false);
        let file = XrootdFile::open(&url(port), &options().connections(connections)).unwrap();
        for _ in 0..5 {
            check(&file);
        }
        assert_eq!(codes.count(CLOSE), 0);
        drop(file);
        // No one waits for the answer.
        let begun = Instant::now();
        while codes.count(CLOSE) < codes.count(OPEN) {
            assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", codes.0);
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(codes.count(OPEN) > 0);
    }
}

#[test]
fn a_writer_syncs_and_closes_a_file_before_it_has_its_name() {
    for is_new in [false, true] {
        let (port, codes) = recording(is_new);
        let create = if is_new { XrootdWriter::create_new } else { XrootdWriter::create };
        let mut writer = create(&url(port), &options()).unwrap();
        let data = data();
        writer.write_at(0, &[IoSlice::new(&data)]).unwrap();
        assert_eq!(codes.count(SYNC), 0);
        writer.flush().unwrap();
        // All writes were confirmed before.
        assert_eq!(codes.of(&[WRITE, SYNC, CLOSE, MV]), [WRITE, SYNC]);
        writer.publish().unwrap();
        assert_eq!(codes.of(&[WRITE, SYNC, CLOSE, MV]), [WRITE, SYNC, CLOSE, MV]);
        drop(writer);
        assert_eq!((codes.count(CLOSE), codes.count(RM)), (1, 0), "it is closed once");
    }
}

#[test]
fn a_writer_that_is_given_up_closes_its_file_and_removes_it() {
    let (port, codes) = recording(false);
    let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
    writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
    drop(writer);
    assert_eq!(codes.of(&[CLOSE, RM, MV]), [CLOSE, RM]);
}

/// The library's writer asks for it: what has its name is on the disk of the server.
#[test]
fn a_finished_ntuple_is_synced() {
    let (port, codes) = recording(false);
    let storage = XrootdWriter::create(&url(port), &options()).unwrap();
    let mut writer =
        rntuple::Writer::<super::Trace, _>::new(storage, "Traces", rntuple::WriteOptions::new()).unwrap();
    writer.fill(&super::Trace::new(1)).unwrap();
    writer.finish().unwrap();
    assert_eq!(codes.of(&[SYNC, CLOSE, MV]), [SYNC, CLOSE, MV]);
}
