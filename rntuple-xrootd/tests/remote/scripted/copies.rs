//! An object store where a server redirects to copies that have other times.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicUsize, Ordering};

use object_store::{GetOptions, ObjectStore, ObjectStoreExt, path::Path};
use rntuple_xrootd::object_store::XrootdStore;

use super::server::{OPEN, Running, Then, serve};
use super::{data, options};

fn copy(modified: u32) -> Running {
    Running::start(data(), move |peer, _| {
        peer.modified = modified;
        Then::Usual
    })
}

/// A server that redirects to one copy and to the other in turn, and how often it has.
fn in_turn(copies: [u16; 2]) -> (u16, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let redirected = count.clone();
    let port = serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        let number = redirected.fetch_add(1, Ordering::SeqCst);
        peer.redirect(asked, copies[number % 2], "127.0.0.1");
        Then::Answered
    });
    (port, count)
}

/// Opens an object several times, which has this version and the right bytes each time.
async fn check(store: &XrootdStore, path: &Path, version: &str) {
    for start in [0, 5, 1_000_000] {
        assert_eq!(store.head(path).await.unwrap().e_tag.as_deref(), Some(version));
        let ranges = store.get_ranges(path, &[1..2, start..start + 100]).await.unwrap();
        assert_eq!(ranges[1][..], data()[start as usize..start as usize + 100]);
        store.get_opts(path, GetOptions::new().with_if_match(Some(version))).await.unwrap();
    }
}

#[tokio::test]
async fn an_object_is_read_from_the_copy_that_was_found_first() {
    let (first, second) = (copy(1_700_000_000), copy(1_700_000_060));
    let (port, count) = in_turn([first.port, second.port]);
    let store = XrootdStore::new(&format!("root://127.0.0.1:{port}/"), &options().connections(1)).unwrap();
    let path = Path::from("x");
    check(&store, &path, "1700000000-3000000").await;
    assert_eq!(count.load(Ordering::SeqCst), 1);

    // Its server is gone: from then on, it is the other copy.
    first.stop();
    check(&store, &path, "1700000060-3000000").await;
    assert_eq!(count.load(Ordering::SeqCst), 2);

    // What this store removes may be elsewhere if it is there again.
    store.delete(&path).await.unwrap();
    store.head(&path).await.unwrap();
    assert!(count.load(Ordering::SeqCst) > 2);
}

/// A server that redirects to the one at this port.
fn to(port: &Arc<AtomicU16>) -> u16 {
    let to = port.clone();
    serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        peer.redirect(asked, to.load(Ordering::SeqCst), "127.0.0.1");
        Then::Answered
    })
}

/// Another program has replaced the object, and a list has the new one, which is on another server.
#[tokio::test]
async fn a_version_that_is_not_where_the_object_was_is_read_from_where_it_is_now() {
    let (old, new) = (copy(1_700_000_000), copy(1_700_000_060));
    let now = Arc::new(AtomicU16::new(old.port));
    let store =
        XrootdStore::new(&format!("root://127.0.0.1:{}/", to(&now)), &options().connections(1)).unwrap();
    let path = Path::from("x");
    assert_eq!(store.head(&path).await.unwrap().e_tag.as_deref(), Some("1700000000-3000000"));
    now.store(new.port, Ordering::SeqCst);
    let version = "1700000060-3000000";
    let read = store.get_opts(&path, GetOptions::new().with_if_match(Some(version))).await.unwrap();
    assert_eq!(read.meta.e_tag.as_deref(), Some(version));
    let error = store.get_opts(&path, GetOptions::new().with_if_match(Some("1-3000000"))).await.unwrap_err();
    assert!(matches!(error, object_store::Error::Precondition { .. }), "{error}");
}

#[tokio::test]
async fn a_server_that_is_gone_is_tried_for_one_of_its_objects_only() {
    let (is_gone, tried) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let (gone, seen) = (is_gone.clone(), tried.clone());
    let first = serve(data(), move |_, asked| {
        if asked.code != OPEN || !gone.load(Ordering::SeqCst) {
            return Then::Usual;
        }
        seen.fetch_add(1, Ordering::SeqCst);
        Then::Cut
    });
    let second = serve(data(), |_, _| Then::Usual);
    let now = Arc::new(AtomicU16::new(first));
    let store =
        XrootdStore::new(&format!("root://127.0.0.1:{}/", to(&now)), &options().connections(1)).unwrap();
    let paths = ["a", "b", "c", "d"].map(Path::from);
    for path in &paths {
        store.head(path).await.unwrap();
    }
    is_gone.store(true, Ordering::SeqCst);
    now.store(second, Ordering::SeqCst);
    for path in &paths {
        store.head(path).await.unwrap();
    }
    // A machine that does nothing for ten seconds makes the places too old for even one.
    assert!(tried.load(Ordering::SeqCst) <= 1, "{tried:?}");
}
