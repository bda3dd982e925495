//! A cache keeps what a server has sent.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use rntuple::Reader;
use rntuple::storage::Cache;
use rntuple_xrootd::XrootdFile;

use super::server::{CLOSE, LOGIN, OPEN, PGREAD, PROTOCOL, QUERY, READ, READV, STAT, Then, serve};
use super::{TRACES, Trace, options, traces, url};

#[test]
fn the_second_open_asks_for_nothing_but_what_guards_the_file() {
    let codes = Arc::new(Mutex::new(Vec::new()));
    let modified = Arc::new(AtomicU32::new(1_700_000_000));
    let port = {
        let (codes, modified) = (codes.clone(), modified.clone());
        serve(traces(1 << 20, 1 << 18), move |peer, asked| {
            codes.lock().unwrap().push(asked.code);
            peer.modified = modified.load(Ordering::SeqCst);
            Then::Usual
        })
    };
    let folder = tempfile::tempdir().unwrap();
    let on_disk = || Cache::new(0).on_disk(folder.path(), 64 << 20).unwrap();
    let read = |cache: &Cache| {
        codes.lock().unwrap().clear();
        let file = XrootdFile::open(&url(port), &options().connections(1)).unwrap();
        let reader = Reader::<Trace>::open(cache.wrap(Arc::new(file)), "Traces").unwrap();
        assert!(reader.entries().map(Result::unwrap).eq((0..TRACES).map(Trace::new)));
        codes.lock().unwrap().clone()
    };
    let is_data = |code: &u16| [READ, READV, PGREAD].contains(code);
    for cache in [on_disk(), Cache::new(64 << 20)] {
        assert!(read(&cache).iter().filter(|code| is_data(code)).count() > 3);
        for _ in 0..2 {
            let asked = read(&cache);
            let others = BTreeSet::from([PROTOCOL, LOGIN, QUERY, OPEN, STAT, CLOSE]);
            assert!(asked.iter().all(|code| others.contains(code)), "{asked:?}");
            assert_eq!(asked.iter().filter(|code| **code == OPEN).count(), 1, "{asked:?}");
            assert!(asked.len() <= 6, "{asked:?}");
        }
    }
    // Another process finds it in the folder.
    assert!(!read(&on_disk()).iter().any(&is_data));
    // The file is another one by now.
    modified.fetch_add(1, Ordering::SeqCst);
    assert!(read(&on_disk()).iter().filter(|code| is_data(code)).count() > 3);
    assert!(!read(&on_disk()).iter().any(is_data));
}
