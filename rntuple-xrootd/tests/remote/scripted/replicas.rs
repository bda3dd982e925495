//! Copies of a file on several servers, to which another one redirects.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rntuple_xrootd::{Options, XrootdFile};

use super::server::{OPEN, PGREAD, PROTOCOL, QUERY, READV, Running, Then, serve};
use super::{Used, check, data, open, options, read_by, url};

/// A server with the file that stops to answer when it is said.
fn replica(is_silent: &Arc<AtomicBool>) -> (Running, Used) {
    let (is_silent, used) = (is_silent.clone(), Used::default());
    let seen = used.clone();
    let server = Running::start(data(), move |peer, asked| {
        if is_silent.load(Ordering::SeqCst) {
            return Then::Answered;
        }
        if asked.code == PGREAD {
            seen.lock().unwrap().insert(peer.number);
        }
        Then::Usual
    });
    (server, used)
}

/// A server that redirects to the first one of two, or to the second one if the client says that it has tried one.
fn redirector(first: u16, second: u16) -> u16 {
    serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        let was_tried = String::from_utf8_lossy(&asked.payload).contains("tried=127.0.0.1");
        peer.redirect(asked, if was_tried { second } else { first }, "127.0.0.1");
        Then::Answered
    })
}

/// Reads a file by two connections to a server, which then fails, and by two connections to another one.
fn fail(options: &Options, fail: impl FnOnce(Running, &AtomicBool)) {
    let is_silent = Arc::new(AtomicBool::new(false));
    let ((one, by_one), (other, by_other)) = (replica(&is_silent), replica(&Arc::default()));
    let file = XrootdFile::open(&url(redirector(one.port, other.port)), options).unwrap();
    read_by(2, &file, &by_one);
    assert!(by_other.lock().unwrap().is_empty());
    fail(one, &is_silent);
    for _ in 0..3 {
        check(&file);
    }
    read_by(2, &file, &by_other);
}

#[test]
fn after_a_server_is_gone_all_connections_read_from_another_one() {
    fail(&options().connections(2), |server, _| server.stop());
}

#[test]
fn a_server_that_is_silent_leaves_time_to_read_from_another_one() {
    let options = options().timeout(Duration::from_secs(12)).connect_timeout(Duration::from_secs(4));
    fail(&options.connections(2), |_, is_silent| is_silent.store(true, Ordering::SeqCst));
}

/// The piece that is waited for was asked for on the second connection; on the first one, no one waits for an answer then.
#[test]
fn a_server_that_is_silent_on_all_connections_is_left_by_the_first_one_too() {
    let (is_ending, is_silent) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
    let (used, ends) = (Used::default(), is_ending.clone());
    let seen = used.clone();
    let one = serve(data(), move |peer, asked| {
        if is_silent.load(Ordering::SeqCst) {
            return Then::Answered;
        }
        if asked.code == PGREAD {
            seen.lock().unwrap().insert(peer.number);
            if ends.load(Ordering::SeqCst) {
                if peer.number > 0 {
                    return Then::Answered;
                }
                // The last answer.
                is_silent.store(true, Ordering::SeqCst);
            }
        }
        Then::Usual
    });
    let other = serve(data(), |_, _| Then::Usual);
    let options = options().timeout(Duration::from_secs(18)).connect_timeout(Duration::from_millis(1500));
    let file = XrootdFile::open(&url(redirector(one, other)), &options.connections(2)).unwrap();
    read_by(2, &file, &used);
    is_ending.store(true, Ordering::SeqCst);
    check(&file);
}

/// A server that redirects to the only one with a copy, each time with another parameter for it.
fn redirector_to(only: u16) -> u16 {
    let opened = AtomicUsize::new(0);
    serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        if String::from_utf8_lossy(&asked.payload).contains("tried=") {
            peer.error(asked, 3011, "no other server has it");
        } else {
            let number = opened.fetch_add(1, Ordering::SeqCst);
            peer.redirect(asked, only, &format!("127.0.0.1?cap={number}"));
        }
        Then::Answered
    })
}

/// A server that refuses to open a file, and how often it has.
fn refusing(code: u32) -> (u16, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let refused = count.clone();
    let port = serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        refused.fetch_add(1, Ordering::SeqCst);
        peer.error(asked, code, "not here");
        Then::Answered
    });
    (port, count)
}

/// What a redirector says of who has a file may be old, and a server may have a broken disk.
#[test]
fn where_a_server_fails_or_has_no_copy_another_one_is_read() {
    for code in [3005, 3007, 3008, 3011, 3012, 3024] {
        let (first, refused) = refusing(code);
        check(&open(redirector(first, serve(data(), |_, _| Then::Usual))).unwrap());
        assert_eq!(refused.load(Ordering::SeqCst), 1, "{code}");
    }
    // Access is refused once for all.
    let error = open(redirector(refusing(3010).0, serve(data(), |_, _| Then::Usual))).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::PermissionDenied, "{error}");
}

#[test]
fn where_no_server_has_a_file_the_first_refusal_is_the_error() {
    // One has no other server, one has another one that refuses, and one always redirects to the same server.
    let redirectors: [fn(u16) -> u16; 3] =
        [redirector_to, |port| redirector(port, refusing(3012).0), |port| redirector(port, port)];
    for (redirector, expected) in redirectors.into_iter().zip([1, 1, 2]) {
        let (port, refused) = refusing(3007);
        let error = open(redirector(port)).unwrap_err().to_string();
        assert!(error.contains("\"not here\" (IOError, 3007)"), "{error}");
        assert_eq!(refused.load(Ordering::SeqCst), expected);
    }
}

/// A call has begun to read from a server with all abilities, which is gone then. The other one has no `kXR_pgread`,
/// and a `kXR_readv` of no more than two pieces of 100 bytes.
#[test]
fn a_call_that_was_begun_is_read_from_a_server_with_other_abilities() {
    let is_gone = AtomicBool::new(false);
    let first = serve(data(), move |_, asked| {
        let is_read = [PGREAD, READV].contains(&asked.code);
        if is_gone.fetch_or(is_read, Ordering::SeqCst) || is_read { Then::Cut } else { Then::Usual }
    });
    let vectors = Arc::new(Mutex::new(Vec::new()));
    let seen = vectors.clone();
    let other = serve(data(), move |peer, asked| {
        match asked.code {
            PROTOCOL => peer.answer(asked.stream, 0, &[0, 0, 5, 0x11, 0, 0, 0, 1]),
            QUERY => peer.answer(asked.stream, 0, b"2\n100\n"),
            PGREAD => peer.error(asked, 3006, "there is no such request"),
            READV => {
                seen.lock().unwrap().push(asked.payload.len() / 16);
                return Then::Usual;
            }
            _ => return Then::Usual,
        }
        Then::Answered
    });
    let file = XrootdFile::open(&url(redirector(first, other)), &options().connections(1)).unwrap();
    let ranges = [10..20, 1..2_999_999, 40..50, 80..90, 300..310, 1000..1300, 60..70];
    let data = data();
    for (range, block) in ranges.iter().zip(rntuple::storage::ReadAt::blocks(&file, &ranges).unwrap()) {
        assert_eq!(block[..], data[range.start as usize..range.end as usize], "{range:?}");
    }
    assert_eq!(*vectors.lock().unwrap(), [2, 2]);
}

/// What a redirection gives for a server may be valid once only, as it is with dCache, or for some time, as with EOS.
#[test]
fn a_server_that_refuses_an_old_redirection_is_opened_by_a_new_one() {
    let (is_cut, used) = (AtomicBool::new(false), Mutex::new(BTreeSet::new()));
    let last = serve(data(), move |peer, asked| match asked.code {
        OPEN if !used.lock().unwrap().insert(asked.payload.clone()) => {
            peer.error(asked, 3010, "it was used before");
            Then::Answered
        }
        PGREAD if !is_cut.swap(true, Ordering::SeqCst) => Then::Cut,
        _ => Then::Usual,
    });
    check(&XrootdFile::open(&url(redirector_to(last)), &options().connections(1)).unwrap());
}

/// A server without a copy elsewhere: what it says itself is the error, and it may be there again.
#[test]
fn a_file_without_another_copy_is_read_again_from_its_server() {
    let cuts = Arc::new(AtomicUsize::new(0));
    let last = {
        let cuts = cuts.clone();
        serve(data(), move |_, asked| {
            let is_cut = [OPEN, PGREAD].contains(&asked.code)
                && cuts.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok();
            if is_cut { Then::Cut } else { Then::Usual }
        })
    };
    let file = XrootdFile::open(&url(redirector_to(last)), &options().connections(1)).unwrap();
    check(&file);
    // The second time, the server is away for more than one attempt to open the file where it was.
    for count in [2, 5] {
        cuts.store(count, Ordering::SeqCst);
        check(&file);
    }
    cuts.store(usize::MAX, Ordering::SeqCst);
    let error = rntuple::storage::ReadAt::block(&file, 0..3_000_000).unwrap_err();
    assert!(error.to_string().contains("closed the connection"), "{error}");
}
