//! A server that follows a script: what the real one does seldom, or never.

mod closing;
#[cfg(feature = "object-store")]
mod copies;
mod holes;
mod idle;
mod kept;
mod limits;
mod locked;
mod numbers;
mod pauses;
mod replicas;
mod secrets;
mod server;
mod slow;
#[cfg(feature = "tls")]
mod tokens;

use std::collections::{BTreeSet, HashMap};
use std::io::{self, IoSlice, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use rntuple::storage::{Memory, ReadAt, WriteAt};
use rntuple::{Compression, RNTuple, Reader, WriteOptions, Writer};
use rntuple_xrootd::{Options, XrootdFile, XrootdWriter};

use self::server::{
    Asked, DIRLIST, LOGIN, MV, OPEN, PGREAD, PROTOCOL, Peer, QUERY, READ, READV, RM, STAT, Then, WRITE,
    header, serve,
};

fn data() -> Vec<u8> {
    (0..3_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect()
}

fn url(port: u16) -> String {
    format!("root://127.0.0.1:{port}//x?key=value")
}

/// A busy machine may do nothing for seconds. Tests that wait until the time is over set a shorter one.
fn options() -> Options {
    Options::new().timeout(Duration::from_secs(30)).retries(2)
}

fn open(port: u16) -> io::Result<XrootdFile> {
    XrootdFile::open(&url(port), &options())
}

/// Reads small and large ranges and compares them.
fn check(file: &XrootdFile) {
    let data = data();
    let ranges = [1..2_999_999, 7..9, 100..5000, 2_000_000..2_400_000];
    for (range, block) in ranges.iter().zip(file.blocks(&ranges).unwrap()) {
        assert_eq!(block[..], data[range.start as usize..range.end as usize]);
    }
}

/// The numbers of the connections by which a server was read.
type Used = Arc<Mutex<BTreeSet<usize>>>;

/// Reads until this many connections to a server are used.
fn read_by(count: usize, file: &XrootdFile, used: &Used) {
    let begun = Instant::now();
    while used.lock().unwrap().len() < count {
        check(file);
        assert!(begun.elapsed() < Duration::from_secs(20), "{used:?}");
    }
}

#[test]
fn an_honest_server_is_read() {
    let file = open(serve(data(), |_, _| Then::Usual)).unwrap();
    check(&file);
    assert_eq!(file.version(), Some("1700000000-3000000-1"));
    assert!(!file.name().contains("value"), "{}", file.name());
}

#[test]
fn a_file_is_opened_before_the_server_has_said_what_it_permits() {
    let asked_for_limits = Mutex::new(None);
    let longest = Arc::new(AtomicUsize::new(0));
    let seen = longest.clone();
    let port = serve(data(), move |peer, asked| {
        match asked.code {
            QUERY => *asked_for_limits.lock().unwrap() = Some(asked.stream),
            OPEN => {
                peer.usual(asked);
                let stream = asked_for_limits.lock().unwrap().take();
                stream.into_iter().for_each(|stream| peer.answer(stream, 0, b"2\n100\n"));
            }
            READV => {
                seen.fetch_max(asked.payload.len() / 16, Ordering::SeqCst);
                return Then::Usual;
            }
            _ => return Then::Usual,
        }
        Then::Answered
    });
    let file = open(port).unwrap();
    let ranges = [10..20, 40..50, 80..90, 3000..3010, 5000..5010];
    for (range, block) in ranges.iter().zip(file.blocks(&ranges).unwrap()) {
        assert_eq!(block[..], data()[range.start as usize..range.end as usize]);
    }
    assert_eq!(longest.load(Ordering::SeqCst), 2, "no more pieces than the server permits");
}

/// A client that waits for the answer to its greeting before it logs in gets none.
#[test]
fn greeting_and_login_are_one_round_trip() {
    let greetings = Mutex::new(HashMap::new());
    let port = serve(data(), move |peer, asked| match asked.code {
        PROTOCOL => {
            greetings.lock().unwrap().insert(peer.number, asked.clone());
            Then::Answered
        }
        LOGIN => {
            let greeting = greetings.lock().unwrap().remove(&peer.number).unwrap();
            peer.usual(&greeting);
            Then::Usual
        }
        _ => Then::Usual,
    });
    check(&open(port).unwrap());
}

/// What was sent in plain text before the server went to TLS is a part of TLS to it.
#[cfg(feature = "tls")]
#[test]
fn a_server_that_goes_to_tls_by_itself_is_connected_to_again() {
    let folder = tempfile::tempdir().unwrap();
    crate::certificates::certificates(folder.path());
    let asked_for = Arc::new(Mutex::new(Vec::new()));
    let (path, seen) = (folder.path().to_owned(), asked_for.clone());
    let port = serve(data(), move |peer, asked| {
        if asked.code != PROTOCOL {
            return Then::Usual;
        }
        seen.lock().unwrap().push(asked.flags() & 6);
        peer.answer(asked.stream, 0, &[&0x511u32.to_be_bytes()[..], &0xC020_0001u32.to_be_bytes()].concat());
        peer.start_tls(&path);
        Then::Answered
    });
    let options = options().ca_file(folder.path().join("ca.pem")).connections(2);
    check(&XrootdFile::open(&format!("root://localhost:{port}//x"), &options).unwrap());
    // The client can do TLS; then it asks for TLS, at once on any further connection.
    let asked_for = asked_for.lock().unwrap();
    assert_eq!(asked_for[..2], [2, 6]);
    assert!(asked_for[2..].iter().all(|flags| *flags == 6), "{asked_for:?}");
}

#[test]
fn a_server_of_another_protocol_is_named_as_such() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        let mut socket = listener.accept().unwrap().0;
        let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
    });
    let error = open(port).unwrap_err();
    assert!(error.to_string().contains("does not speak the protocol of XRootD"), "{error}");
}

#[test]
fn redirections_carry_what_the_next_server_is_told() {
    let is_about_path = |asked: &Asked| asked.code == OPEN || asked.code == QUERY && asked.kind() == 3;
    // The path of a URL is that of the file on the next server, if the URL has one.
    for (path, expected) in [("", "/x"), ("/", "/x"), ("//other/y", "/other/y")] {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let last = {
            let seen = seen.clone();
            serve(data(), move |_, asked| {
                if is_about_path(asked) {
                    let path = String::from_utf8(asked.payload.clone()).unwrap();
                    seen.lock().unwrap().push((asked.code, path));
                }
                Then::Usual
            })
        };
        let to_url = serve(data(), move |peer, asked| {
            if !is_about_path(asked) {
                return Then::Usual;
            }
            let target = format!("root://127.0.0.1:{last}{path}?cap=2");
            peer.answer(asked.stream, 4004, &[&(-1i32).to_be_bytes(), target.as_bytes()].concat());
            Then::Answered
        });
        let first = serve(data(), move |peer, asked| {
            if !is_about_path(asked) {
                return Then::Usual;
            }
            peer.redirect(asked, to_url, "127.0.0.1?&cap=1");
            Then::Answered
        });
        let file = open(first).unwrap();
        check(&file);
        file.checksum().unwrap();
        let seen = seen.lock().unwrap();
        assert!(seen.iter().any(|(code, _)| *code == OPEN) && seen.iter().any(|(code, _)| *code == QUERY));
        let expected = format!("{expected}?key=value&cap=2");
        assert!(seen.iter().all(|(_, path)| *path == expected), "{seen:?}");
    }
}

/// The file is opened again where it is, not where the URL says.
#[test]
fn after_a_redirection_to_another_path_and_a_cut_the_same_file_is_read_on() {
    let (cut, opened) = (AtomicUsize::new(0), Arc::new(Mutex::new(Vec::new())));
    let last = {
        let opened = opened.clone();
        serve(data(), move |_, asked| {
            if asked.code == OPEN {
                opened.lock().unwrap().push(String::from_utf8(asked.payload.clone()).unwrap());
            }
            if asked.code == PGREAD && cut.fetch_add(1, Ordering::SeqCst) == 0 {
                Then::Cut
            } else {
                Then::Usual
            }
        })
    };
    let first = serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        let target = format!("root://127.0.0.1:{last}//other/y");
        peer.answer(asked.stream, 4004, &[&(-1i32).to_be_bytes(), target.as_bytes()].concat());
        Then::Answered
    });
    check(&XrootdFile::open(&url(first), &options().connections(1)).unwrap());
    assert_eq!(*opened.lock().unwrap(), ["/other/y?key=value"; 2]);
}

#[test]
fn a_circle_of_redirections_ends() {
    let own = Arc::new(AtomicUsize::new(0));
    let port = {
        let own = own.clone();
        serve(data(), move |peer, asked| match asked.code {
            OPEN => {
                peer.redirect(asked, own.load(Ordering::SeqCst) as u16, "127.0.0.1");
                Then::Answered
            }
            _ => Then::Usual,
        })
    };
    own.store(port.into(), Ordering::SeqCst);
    let error = open(port).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TooManyLinks, "{error}");
}

#[test]
fn a_server_that_does_not_answer_is_named_to_the_one_that_redirects() {
    let good = serve(data(), |_, _| Then::Usual);
    let port = serve(data(), move |peer, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        let was_tried = String::from_utf8_lossy(&asked.payload).contains("tried=127.0.0.1");
        // No server of the tests gets port 1, as it might get one that was free a moment ago.
        peer.redirect(asked, if was_tried { good } else { 1 }, "127.0.0.1");
        Then::Answered
    });
    check(&open(port).unwrap());
}

#[test]
fn a_wait_is_done_if_the_time_permits_it() {
    let asked_at = Arc::new(Mutex::new(Vec::new()));
    let port = {
        let asked_at = asked_at.clone();
        serve(data(), move |peer, asked| {
            let mut times = asked_at.lock().unwrap();
            if asked.code == OPEN {
                times.push(Instant::now());
                if times.len() == 1 {
                    peer.wait(asked, 1, "from tape");
                    return Then::Answered;
                }
            }
            Then::Usual
        })
    };
    check(&open(port).unwrap());
    let times = asked_at.lock().unwrap();
    assert!(times[1] - times[0] >= Duration::from_secs(1));

    let port = serve(data(), |peer, asked| match asked.code {
        OPEN => {
            peer.wait(asked, 900, "from tape");
            Then::Answered
        }
        _ => Then::Usual,
    });
    let begin = Instant::now();
    let error = open(port).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    assert!(error.to_string().contains("wait 900 s (\"from tape\")"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(30));
}

#[test]
fn answers_may_come_late_and_in_pieces() {
    let late = |peer: &mut Peer, stream: [u8; 2], body: &[u8], status| {
        peer.answer(stream, 4006, &5u32.to_be_bytes());
        // A message for people in between.
        peer.answer([0, 0], 4001, &[&5002u32.to_be_bytes()[..], b"hello"].concat());
        let inner = header(stream, status, body.len() as u32);
        peer.answer([0, 0], 4001, &[&5008u32.to_be_bytes()[..], &[0; 4], &inner, body].concat());
    };
    let port = serve(data(), move |peer, asked| {
        match asked.code {
            OPEN => {
                let body = peer.opened();
                late(peer, asked.stream, &body, 0);
            }
            READV => {
                let body = peer.vector(asked);
                let (first, second) = body.split_at(body.len() / 3);
                peer.answer(asked.stream, 4000, first);
                peer.answer(asked.stream, 4000, b"");
                peer.answer(asked.stream, 0, second);
            }
            PGREAD => {
                let (from, to) = (asked.offset(), asked.offset() + asked.length());
                let middle = to.min((from / 4096 + 3) * 4096);
                peer.send_pages(asked, from, &peer.pages(from, middle), middle == to);
                if middle < to {
                    peer.send_pages(asked, middle, &peer.pages(middle, to), true);
                }
            }
            _ => return Then::Usual,
        }
        Then::Answered
    });
    check(&open(port).unwrap());
}

#[test]
fn errors_have_a_kind_and_the_words_of_the_server() {
    for (code, kind) in [
        (3010, io::ErrorKind::PermissionDenied),
        (3011, io::ErrorKind::NotFound),
        (3016, io::ErrorKind::IsADirectory),
        (3013, io::ErrorKind::Unsupported),
        (9999, io::ErrorKind::Other),
    ] {
        let port = serve(data(), move |peer, asked| match asked.code {
            OPEN => {
                peer.error(asked, code, "no\nway");
                Then::Answered
            }
            _ => Then::Usual,
        });
        let error = open(port).unwrap_err();
        assert_eq!(error.kind(), kind);
        let text = error.to_string();
        assert!(text.starts_with(&format!("root://127.0.0.1:{port}//x: kXR_open: ")), "{text}");
        assert!(text.contains("\"no way\"") && text.contains(&code.to_string()), "{text}");
    }
}

/// A server may repeat what it was asked for, with the token in it.
#[test]
fn the_words_of_a_server_are_shown_without_queries() {
    const WORDS: &str = "/x?key=value: not now";
    type Answer = fn(&mut Peer, &Asked);
    let answers: [Answer; 4] = [
        |peer, asked| peer.error(asked, 3011, WORDS),
        |peer, asked| peer.wait(asked, 900, WORDS),
        |peer, asked| peer.redirect(asked, 1, "?key=value"),
        |peer, asked| peer.answer(asked.stream, 4004, b"\xff\xff\xff\xfffile://h//x?key=value"),
    ];
    for (code, answer) in [OPEN, LOGIN, READV].into_iter().flat_map(|code| answers.map(|it| (code, it))) {
        let port = serve(data(), move |peer, asked| {
            if asked.code != code {
                return Then::Usual;
            }
            answer(peer, asked);
            Then::Answered
        });
        let error = open(port).and_then(|file| file.blocks(&[0..1, 5..9])).unwrap_err();
        assert!(!error.to_string().contains("value"), "{error}");
        if error.to_string().contains("not now") {
            assert!(error.to_string().contains("/x?... not now"), "{error}");
        }
    }
}

#[test]
fn what_a_server_asks_for_and_is_not_there_is_said() {
    let port = serve(data(), |peer, asked| match asked.code {
        3007 => {
            peer.answer(asked.stream, 0, &[&[7; 16][..], b"&P=gsi,v:10600,c:ssl&P=krb5,x@Y\0"].concat());
            Then::Answered
        }
        _ => Then::Usual,
    });
    let error = open(port).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    for word in ["X.509", "Kerberos", "bearer token", "HTTPS"] {
        assert!(error.to_string().contains(word), "{error}");
    }

    let port = serve(data(), |peer, asked| {
        match asked.code {
            PROTOCOL => peer.answer(asked.stream, 0, &[0, 0, 5, 0x11, 0, 0x20, 0, 1, b'S', 0, 0, 0, 2, 0]),
            OPEN => peer.error(asked, 3010, "unsigned"),
            _ => return Then::Usual,
        }
        Then::Answered
    });
    let error = open(port).unwrap_err();
    assert!(error.to_string().contains("signed requests"), "{error}");
}

/// A server that cuts the connection after a few reads, and says afterwards that the file is of another time if asked to.
fn cutting(later: u32) -> u16 {
    let reads = AtomicUsize::new(0);
    serve(data(), move |peer, asked| {
        if peer.number > 0 {
            peer.modified += later;
        }
        if asked.code == PGREAD && reads.fetch_add(1, Ordering::SeqCst) == 1 {
            // In the middle of an answer.
            peer.raw(&header(asked.stream, 4007, 24));
            peer.raw(&[0; 11]);
            return Then::Cut;
        }
        Then::Usual
    })
}

#[test]
fn after_a_cut_the_same_file_is_read_on() {
    let file = XrootdFile::open(&url(cutting(0)), &options().connections(1)).unwrap();
    check(&file);
}

#[test]
fn after_a_cut_a_changed_file_is_not_read_on() {
    let file = XrootdFile::open(&url(cutting(1)), &options().connections(1)).unwrap();
    let error = file.block(0..3_000_000).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle, "{error}");
    assert!(error.to_string().contains("the file changed while it was read"), "{error}");
}

/// Pieces of 1 MiB: a damaged page costs no more than its piece, and no answer takes more memory.
#[test]
fn a_long_range_is_pieces_that_are_on_their_way_at_once() {
    let codes = Arc::new(Mutex::new(Vec::new()));
    let port = {
        let codes = codes.clone();
        let waiting = Mutex::new(Vec::new());
        serve(data(), move |peer, asked| {
            codes.lock().unwrap().push(asked.code);
            if asked.code != PGREAD {
                return Then::Usual;
            }
            let mut waiting = waiting.lock().unwrap();
            waiting.push(asked.clone());
            // None is answered before all have come; then the last one first.
            if waiting.len() == 3 {
                for asked in waiting.drain(..).rev() {
                    peer.usual(&asked);
                }
            }
            Then::Answered
        })
    };
    let file = XrootdFile::open(&url(port), &options().connections(1)).unwrap();
    codes.lock().unwrap().clear();
    assert_eq!(file.block(5..3_000_000).unwrap()[..], data()[5..]);
    let codes: Vec<_> = codes.lock().unwrap().iter().copied().filter(|code| *code != QUERY).collect();
    assert_eq!(codes, [PGREAD, PGREAD, PGREAD, STAT], "what asks for changes goes along");
}

/// An entry of 4 KiB.
#[derive(RNTuple, Debug, PartialEq)]
struct Trace {
    samples: Vec<u32>,
}

impl Trace {
    fn new(number: u32) -> Self {
        Self { samples: (0..1023).map(|sample| number.wrapping_mul(7919) ^ sample).collect() }
    }
}

/// The entries of [`traces`].
const TRACES: u32 = 6 << 10;

/// A file of 24 MiB, with clusters and pages of up to this many bytes.
fn traces(cluster: u64, page: usize) -> Vec<u8> {
    let options = WriteOptions::new().compression(Compression::NONE);
    let options = options.cluster_size(cluster).max_page_length(page);
    let mut writer = Writer::<Trace, _>::new(Memory::new(), "Traces", options).unwrap();
    (0..TRACES).for_each(|number| writer.fill(&Trace::new(number)).unwrap());
    writer.finish_into().unwrap().1.into_bytes()
}

/// What was asked for is answered when the question for changes has come, which is the last of each call, or when as much
/// was asked for as may be on its way: a client that waits before gets no answer.
#[test]
fn a_walk_is_one_round_trip_for_eight_mebibytes_in_pieces_of_one() {
    const MIB: usize = 1 << 20;
    for (cluster, page) in [(16 << 20, MIB), (1 << 20, MIB / 2), (16 << 20, MIB / 5)] {
        let bytes = traces(cluster, page);
        let size = bytes.len();
        let asked_for = Arc::new(Mutex::new(Vec::new()));
        let port = {
            let (asked_for, held) = (asked_for.clone(), Mutex::new(Vec::new()));
            serve(bytes, move |peer, asked| {
                asked_for.lock().unwrap().push(asked.clone());
                let mut held = held.lock().unwrap();
                match asked.code {
                    PGREAD | READ | READV => {
                        held.push(asked.clone());
                        let pages = held.iter().filter(|asked| asked.code == PGREAD);
                        let bytes: usize = pages.map(Asked::length).sum();
                        // On a busy machine, a walk may have more to ask for in one call.
                        if held.len() >= 10 && bytes > 9 * MIB {
                            held.drain(..).for_each(|asked| peer.usual(&asked));
                        }
                    }
                    STAT => {
                        held.drain(..).for_each(|asked| peer.usual(&asked));
                        return Then::Usual;
                    }
                    _ => return Then::Usual,
                }
                Then::Answered
            })
        };
        let take = || std::mem::take(&mut *asked_for.lock().unwrap());
        let codes = |asked: &[Asked]| asked.iter().map(|asked| asked.code).collect::<Vec<_>>();
        let calls = |asked: &[Asked]| asked.iter().filter(|asked| asked.code == STAT).count();
        let file = XrootdFile::open(&url(port), &options().connections(1)).unwrap();
        let reader = Reader::<Trace>::open(file, "Traces").unwrap();
        assert_eq!(reader.entry_count().unwrap(), u64::from(TRACES));
        // Both ends are one call.
        let opening = take();
        assert_eq!(calls(&opening), 1, "{:?}", codes(&opening));
        assert_eq!(opening.iter().filter(|asked| asked.code == OPEN).count(), 1);

        let read = reader.entries().map(Result::unwrap);
        assert!(read.eq((0..TRACES).map(Trace::new)));
        let walk = take();
        let calls = calls(&walk);
        assert!(calls <= size.div_ceil(8 * MIB) + 1, "{:?}", codes(&walk));
        let mut pieces: Vec<_> = walk.iter().filter(|asked| asked.code == PGREAD).collect();
        pieces.sort_by_key(|asked| asked.offset());
        let mut end = 0;
        for piece in &pieces {
            let (start, length) = (piece.offset(), piece.length());
            assert!(start >= end && length <= MIB + (64 << 10), "{length} bytes at {start}, after {end}");
            end = start + length;
        }
        assert!(pieces.len() <= size.div_ceil(page) + calls, "{}, {:?}", pieces.len(), codes(&walk));
        // Pages that are too small for a request of their own are one in each call.
        assert!(walk.len() <= pieces.len() + 2 * calls, "{:?}", codes(&walk));
    }
}

#[test]
fn a_file_that_changes_while_it_is_open_is_not_read_on() {
    let is_changed = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let port = {
        let is_changed = is_changed.clone();
        serve(data(), move |peer, asked| {
            if asked.code == STAT && is_changed.load(Ordering::SeqCst) {
                peer.modified = 1_700_000_001;
            }
            Then::Usual
        })
    };
    let file = XrootdFile::open(&url(port), &options().connections(1)).unwrap();
    check(&file);
    is_changed.store(true, Ordering::SeqCst);
    let error = file.block(5..9).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle, "{error}");
}

/// The file changes when the question for changes has been answered, and then a piece of it is read again.
#[test]
fn what_is_read_again_is_asked_about_again() {
    for is_damaged in [true, false] {
        let (reads, questions) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let asked_for = questions.clone();
        let port = serve(data(), move |peer, asked| {
            match asked.code {
                STAT if asked_for.fetch_add(1, Ordering::SeqCst) == 1 => peer.modified += 1,
                PGREAD if reads.fetch_add(1, Ordering::SeqCst) == 0 => {
                    let (from, to) = (asked.offset(), asked.offset() + asked.length());
                    let mut pages = peer.pages(from, to);
                    pages[5_000] ^= 4;
                    match is_damaged {
                        true => peer.send_pages(asked, from, &pages, true),
                        false => peer.wait(asked, 0, "busy"),
                    }
                    return Then::Answered;
                }
                _ => {}
            }
            Then::Usual
        });
        let file = XrootdFile::open(&url(port), &options().connections(1)).unwrap();
        let error = file.block(0..200_000).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle, "{error}");
        assert_eq!(questions.load(Ordering::SeqCst), 2, "once for what was read again");
    }
}

#[test]
fn a_server_that_does_not_say_whether_an_open_file_has_changed_is_asked_once() {
    let asked_for = Arc::new(AtomicUsize::new(0));
    let port = {
        let asked_for = asked_for.clone();
        serve(data(), move |peer, asked| {
            if asked.code != STAT {
                return Then::Usual;
            }
            asked_for.fetch_add(1, Ordering::SeqCst);
            peer.error(asked, 3013, "only paths");
            Then::Answered
        })
    };
    let file = XrootdFile::open(&url(port), &options().connections(1)).unwrap();
    check(&file);
    check(&file);
    assert_eq!(asked_for.load(Ordering::SeqCst), 1);
}

/// It is about this file: what was read may be of another one.
#[test]
fn an_error_of_the_question_for_changes_is_one_of_the_read() {
    for (code, kind) in [(3011, io::ErrorKind::NotFound), (3007, io::ErrorKind::Other)] {
        let port = serve(data(), move |peer, asked| {
            if asked.code != STAT {
                return Then::Usual;
            }
            peer.error(asked, code, "it is gone");
            Then::Answered
        });
        let file = open(port).unwrap();
        for _ in 0..2 {
            let error = file.block(5..9).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains("kXR_stat: the server says \"it is gone\""), "{error}");
        }
    }
}

#[test]
fn a_wait_is_done_at_a_read_and_at_a_write() {
    let waits = Arc::new(AtomicUsize::new(0));
    let written = Arc::new(Mutex::new(vec![0; 3_000_000]));
    let port = {
        let (waits, disk) = (waits.clone(), written.clone());
        serve(data(), move |peer, asked| match asked.code {
            PGREAD | WRITE if waits.fetch_add(1, Ordering::SeqCst) == 1 => {
                peer.wait(asked, 1, "busy");
                Then::Answered
            }
            WRITE => {
                let at = asked.offset();
                disk.lock().unwrap()[at..at + asked.payload.len()].copy_from_slice(&asked.payload);
                Then::Usual
            }
            _ => Then::Usual,
        })
    };
    let begin = Instant::now();
    check(&open(port).unwrap());
    assert!(begin.elapsed() >= Duration::from_secs(1));
    waits.store(0, Ordering::SeqCst);
    let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
    writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
    writer.flush().unwrap();
    writer.publish().unwrap();
    assert!(begin.elapsed() >= Duration::from_secs(2));
    assert!(*written.lock().unwrap() == data());
}

#[test]
fn much_is_read_by_several_connections_where_the_server_permits_it() {
    for is_permitted in [true, false] {
        let used = Arc::new(Mutex::new(BTreeSet::new()));
        let refused = Arc::new(AtomicUsize::new(0));
        let port = {
            let (used, refused) = (used.clone(), refused.clone());
            serve(data(), move |peer, asked| {
                if asked.code == PGREAD {
                    used.lock().unwrap().insert(peer.number);
                }
                if asked.code == OPEN && peer.number > 0 && !is_permitted {
                    refused.fetch_add(1, Ordering::SeqCst);
                    peer.error(asked, 3003, "it is open already");
                    return Then::Answered;
                }
                Then::Usual
            })
        };
        let file = XrootdFile::open(&url(port), &options().connections(2)).unwrap();
        let begin = Instant::now();
        // The second connection is made while the first one is used.
        let is_done = || match is_permitted {
            true => used.lock().unwrap().len() == 2,
            false => refused.load(Ordering::SeqCst) > 0,
        };
        while !is_done() && begin.elapsed() < Duration::from_secs(20) {
            check(&file);
        }
        check(&file);
        assert!(is_done());
        assert_eq!(used.lock().unwrap().len(), if is_permitted { 2 } else { 1 });
    }
}

#[test]
fn a_further_connection_that_is_cut_is_made_again() {
    let used = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = used.clone();
    let port = serve(data(), move |peer, asked| {
        if asked.code == OPEN && peer.number == 1 {
            return Then::Cut;
        }
        if asked.code == PGREAD {
            seen.lock().unwrap().insert(peer.number);
        }
        Then::Usual
    });
    let file = XrootdFile::open(&url(port), &options().connections(2)).unwrap();
    read_by(2, &file, &used);
    assert_eq!(*used.lock().unwrap(), BTreeSet::from([0, 2]));
}

/// The server lets no further connection in before all of them are there.
#[test]
fn further_connections_are_made_at_once() {
    let (all, used) = (Barrier::new(3), Arc::new(Mutex::new(BTreeSet::new())));
    let seen = used.clone();
    let port = serve(data(), move |peer, asked| {
        if asked.code == LOGIN && peer.number > 0 {
            all.wait();
        }
        if asked.code == PGREAD {
            seen.lock().unwrap().insert(peer.number);
        }
        Then::Usual
    });
    let file = XrootdFile::open(&url(port), &options().connections(4)).unwrap();
    read_by(4, &file, &used);
}

#[test]
fn a_server_without_pages_is_read_in_plain_pieces() {
    let plain = Arc::new(AtomicUsize::new(0));
    let port = {
        let plain = plain.clone();
        serve(data(), move |peer, asked| {
            match asked.code {
                PROTOCOL => peer.answer(asked.stream, 0, &[0, 0, 5, 0x11, 0, 0, 0, 1]),
                PGREAD => peer.error(asked, 3006, "there is no such request"),
                READ => {
                    plain.fetch_add(1, Ordering::SeqCst);
                    return Then::Usual;
                }
                _ => return Then::Usual,
            }
            Then::Answered
        })
    };
    let file = open(port).unwrap();
    check(&file);
    assert_eq!(file.block(7..9).unwrap()[..], data()[7..9]);
    // Three pieces, and two ranges that are not longer than one.
    assert_eq!(plain.load(Ordering::SeqCst), 5);
}

#[test]
fn names_that_no_url_can_have_and_incomplete_files_are_not_listed() {
    let port = serve(data(), |peer, asked| {
        if asked.code != DIRLIST {
            return Then::Usual;
        }
        assert!(String::from_utf8_lossy(&asked.payload).ends_with("?authz=T"), "{:?}", asked.payload);
        let names = ["a?b.root", ".a.root.0123456789abcdef.part", "a.root", ".b.root"];
        let list: String = names.iter().map(|name| format!("{name}\n1 2 48 3\n")).collect();
        let list = format!(".\n0 0 0 0\n{}\0", list.trim_end());
        peer.answer(asked.stream, 0, list.as_bytes());
        Then::Answered
    });
    rntuple_xrootd::register();
    let url = |name: &str| std::path::PathBuf::from(format!("root://127.0.0.1:{port}//data/{name}?authz=T"));
    let found = rntuple::storage::find_files(url("*").to_str().unwrap()).unwrap();
    assert_eq!(found, [url(".b.root"), url("a.root")]);
}

/// A server that computes the checksum of a long file says nothing meanwhile.
#[test]
fn a_checksum_is_waited_for_as_long_as_the_time_permits_it() {
    let timeout = Duration::from_secs(6);
    let connections = Arc::new(AtomicUsize::new(0));
    let port = {
        let connections = connections.clone();
        serve(Vec::new(), move |peer, asked| {
            connections.fetch_max(peer.number, Ordering::SeqCst);
            if asked.code != QUERY || asked.kind() != 3 {
                return Then::Usual;
            }
            // Longer than a server may be silent otherwise.
            std::thread::sleep(timeout / 2 + Duration::from_millis(500));
            peer.answer(asked.stream, 0, b"adler32 00000007\0");
            Then::Answered
        })
    };
    let options = options().timeout(timeout);
    let mut writer = XrootdWriter::create(&url(port), &options).unwrap();
    writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
    writer.flush().unwrap();
    let error = writer.publish().unwrap_err();
    assert!(error.to_string().contains("their checksum is adler32 00000007"), "{error}");
    assert_eq!(connections.load(Ordering::SeqCst), 0, "the connection is not given up");
}

#[test]
fn a_damaged_page_is_asked_for_again() {
    for times in [1, usize::MAX] {
        let damaged = AtomicUsize::new(0);
        let port = serve(data(), move |peer, asked| {
            let (from, to) = (asked.offset(), asked.offset() + asked.length());
            if asked.code != PGREAD || from > 1_500_000 || to <= 1_500_000 {
                return Then::Usual;
            }
            let count = damaged.fetch_add(1, Ordering::SeqCst);
            assert_eq!(asked.payload.is_empty(), count == 0, "later requests say that they are repeated");
            let mut pages = peer.pages(from, to);
            if count < times {
                let at = pages.len() / 2;
                pages[at] ^= 4;
            }
            peer.send_pages(asked, from, &pages, true);
            Then::Answered
        });
        let file = open(port).unwrap();
        if times == 1 {
            check(&file);
        } else {
            let error = file.block(0..3_000_000).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            assert!(error.to_string().contains("checksum of the page at offset"), "{error}");
        }
    }
}

#[test]
fn a_server_that_stops_is_not_waited_for_beyond_the_timeout() {
    let timeout = Duration::from_secs(3);
    // Where it stops: at the greeting, the login, the open, a read; or it says that it will answer.
    for (code, promises) in [(PROTOCOL, false), (LOGIN, false), (OPEN, false), (PGREAD, false), (READV, true)]
    {
        let port = serve(data(), move |peer, asked| {
            if asked.code != code {
                return Then::Usual;
            }
            if promises {
                peer.answer(asked.stream, 4006, &90u32.to_be_bytes());
            }
            Then::Answered
        });
        let begin = Instant::now();
        let options = options().timeout(timeout).connect_timeout(timeout);
        let read =
            XrootdFile::open(&url(port), &options).and_then(|file| file.blocks(&[0..900_000, 0..1, 3..4]));
        let error = read.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut, "{code}: {error}");
        assert!(begin.elapsed() < timeout * 3, "{code}: {:?}", begin.elapsed());
        assert_eq!(error.to_string().contains("90 s"), promises, "{error}");
    }
}

#[test]
fn nonsense_is_an_error_and_takes_no_memory() {
    type Nonsense = fn(&mut Peer, [u8; 2]);
    let nonsense: [(&str, Nonsense); 8] = [
        ("stream", |peer, _| peer.answer([9, 9], 0, b"x")),
        ("longer", |peer, stream| peer.raw(&header(stream, 0, u32::MAX))),
        ("longer", |peer, stream| peer.raw(&header(stream, 4000, 0x7fff_ffff))),
        ("longer", |peer, stream| peer.raw(&header(stream, 4003, u32::MAX))),
        ("status 77", |peer, stream| peer.answer(stream, 77, b"")),
        ("kind", |peer, stream| peer.raw(&header(stream, 4007, u32::MAX))),
        ("checksum", |peer, stream| peer.answer(stream, 4007, &[1; 24])),
        ("longer", |peer, _| {
            peer.raw(&header([0, 0], 4001, u32::MAX).into_iter().chain([0; 8]).collect::<Vec<_>>())
        }),
    ];
    for (word, nonsense) in nonsense {
        let port = serve(vec![7; 100], move |peer, asked| {
            if asked.code != READV {
                return Then::Usual;
            }
            nonsense(peer, asked.stream);
            Then::Answered
        });
        let error = open(port).unwrap().blocks(&[0..1, 5..9]).unwrap_err();
        assert!(error.to_string().contains(word), "{word}: {error}");
        assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{error}");
    }
}

#[test]
fn no_changed_byte_of_an_answer_makes_a_panic() {
    let length = 8 + 3 * 16 + 6;
    for at in 0..length {
        let port = serve(vec![7; 100], move |peer, asked| {
            if asked.code != READV {
                return Then::Usual;
            }
            let body = peer.vector(asked);
            let mut bytes = [&header(asked.stream, 0, body.len() as u32)[..], &body].concat();
            assert_eq!(bytes.len(), length);
            bytes[at] ^= 0x81;
            peer.raw(&bytes);
            // A client that waits for more gets the end.
            Then::Cut
        });
        let file = XrootdFile::open(&url(port), &options().retries(0)).unwrap();
        let _ = file.blocks(&[0..1, 5..9, 70..71]);
    }
}

#[test]
fn what_was_not_confirmed_is_written_again_after_a_cut() {
    let written = Arc::new(Mutex::new(vec![0; 3_000_000]));
    let writes = AtomicUsize::new(0);
    let disk = written.clone();
    let port = serve(Vec::new(), move |peer, asked| {
        if asked.code == STAT {
            peer.error(asked, 3011, "no such file");
            return Then::Answered;
        }
        if asked.code == WRITE {
            if writes.fetch_add(1, Ordering::SeqCst) == 1 {
                return Then::Cut;
            }
            let at = asked.offset();
            disk.lock().unwrap()[at..at + asked.payload.len()].copy_from_slice(&asked.payload);
        }
        Then::Usual
    });
    let mut writer = XrootdWriter::create_new(&url(port), &options()).unwrap();
    let data = data();
    writer.write_at(0, &[IoSlice::new(&[0; 10]), IoSlice::new(&data[10..])]).unwrap();
    writer.write_at(0, &[IoSlice::new(&data[..10])]).unwrap();
    writer.flush().unwrap();
    writer.publish().unwrap();
    assert_eq!(*written.lock().unwrap(), data);
}

#[test]
fn a_file_that_cannot_be_kept_can_be_written_on() {
    for is_published in [true, false] {
        let codes = Arc::new(Mutex::new(Vec::new()));
        let port = {
            let codes = codes.clone();
            serve(data(), move |_, asked| {
                codes.lock().unwrap().push(asked.code);
                Then::Usual
            })
        };
        let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
        let data = data();
        writer.write_at(0, &[IoSlice::new(&data[..100])]).unwrap();
        let error = writer.keep().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::Unsupported);
        let count = |code| codes.lock().unwrap().iter().filter(|it| **it == code).count();
        assert_eq!(count(MV), 0);
        writer.write_at(100, &[IoSlice::new(&data[100..])]).unwrap();
        if is_published {
            writer.publish().unwrap();
        }
        drop(writer);
        let expected = if is_published { (1, 0) } else { (0, 1) };
        assert_eq!((count(MV), count(RM)), expected);
    }
}

/// What was renamed is never removed in favour of what is not there any more.
#[test]
fn the_answer_to_a_rename_may_be_lost() {
    for (is_done, is_new) in [(true, false), (true, true), (false, false)] {
        let (is_renamed, removed) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let port = {
            let (is_renamed, removed) = (is_renamed.clone(), removed.clone());
            serve(data(), move |peer, asked| {
                let is_part = String::from_utf8_lossy(&asked.payload).contains(".part");
                let is_there = match (is_part, is_renamed.load(Ordering::SeqCst) > 0 && is_done) {
                    (true, is_renamed) => !is_renamed,
                    (false, is_renamed) => is_renamed || !is_new,
                };
                match asked.code {
                    MV => {
                        is_renamed.fetch_add(1, Ordering::SeqCst);
                        return Then::Cut;
                    }
                    RM => removed.fetch_add(1, Ordering::SeqCst),
                    STAT if !is_there => {
                        peer.error(asked, 3011, "no such file");
                        return Then::Answered;
                    }
                    _ => 0,
                };
                Then::Usual
            })
        };
        let create = if is_new { XrootdWriter::create_new } else { XrootdWriter::create };
        let mut writer = create(&url(port), &options()).unwrap();
        writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
        writer.flush().unwrap();
        let published = writer.publish();
        assert_eq!(published.is_ok(), is_done, "{published:?}");
        drop(writer);
        if let Err(error) = published {
            assert!(error.to_string().contains("what was written is at root://"), "{error}");
        }
        assert_eq!((is_renamed.load(Ordering::SeqCst), removed.load(Ordering::SeqCst)), (1, 0));
    }
}

#[test]
fn a_file_is_removed_only_where_the_server_says_that_it_is_in_the_way() {
    // What the server says to the first `mv`, and whether what was written is still there.
    for (code, is_there, kind) in [
        (3010, true, Some(io::ErrorKind::PermissionDenied)),
        (3011, false, Some(io::ErrorKind::NotFound)),
        (3005, true, Some(io::ErrorKind::Other)),
        (3018, false, Some(io::ErrorKind::AlreadyExists)),
        (3018, true, None),
    ] {
        let (renamed, removed) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let port = {
            let (renamed, removed) = (renamed.clone(), removed.clone());
            serve(data(), move |peer, asked| {
                let path = String::from_utf8_lossy(&asked.payload).into_owned();
                match asked.code {
                    MV if renamed.fetch_add(1, Ordering::SeqCst) == 0 => peer.error(asked, code, "no"),
                    STAT if path.contains(".part") && !is_there => peer.error(asked, 3011, "no such file"),
                    RM => {
                        removed.lock().unwrap().push(path);
                        return Then::Usual;
                    }
                    _ => return Then::Usual,
                }
                Then::Answered
            })
        };
        let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
        writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
        writer.flush().unwrap();
        let published = writer.publish();
        drop(writer);
        assert_eq!(published.as_ref().err().map(io::Error::kind), kind, "{published:?}");
        let (renamed, removed) = (renamed.load(Ordering::SeqCst), removed.lock().unwrap());
        match published {
            Ok(()) => assert_eq!((renamed, &removed[..]), (2, &["/x?key=value".to_owned()][..])),
            Err(error) => {
                assert!(error.to_string().contains(&code.to_string()), "{error}");
                assert_eq!((renamed, removed.len()), (1, 0), "{error}");
            }
        }
    }
}

#[test]
fn an_error_after_the_old_file_was_removed_says_so() {
    let renamed = AtomicUsize::new(0);
    let port = serve(data(), move |peer, asked| {
        if asked.code != MV {
            return Then::Usual;
        }
        let code = if renamed.fetch_add(1, Ordering::SeqCst) == 0 { 3018 } else { 3010 };
        peer.error(asked, code, "no");
        Then::Answered
    });
    let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
    writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
    let error = writer.publish().unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    let text = error.to_string();
    assert!(text.contains("the old file of that name is removed; what was written is at root://"), "{text}");
}

#[test]
fn a_file_whose_creation_is_not_answered_gets_another_name() {
    let (names, opened) = (Arc::new(Mutex::new(Vec::new())), AtomicUsize::new(0));
    let port = {
        let names = names.clone();
        serve(Vec::new(), move |_, asked| {
            let path = String::from_utf8_lossy(&asked.payload).into_owned();
            match asked.code {
                OPEN => {
                    names.lock().unwrap().push(path);
                    if opened.fetch_add(1, Ordering::SeqCst) == 0 {
                        return Then::Cut;
                    }
                }
                RM => names.lock().unwrap().retain(|name| *name != path),
                _ => {}
            }
            Then::Usual
        })
    };
    let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
    writer.publish().unwrap();
    assert_eq!(names.lock().unwrap().len(), 1, "the first one is removed: {names:?}");
}

/// An engine reads a file by many requests, each of which names the version that the first one had.
#[cfg(feature = "object-store")]
#[tokio::test]
async fn requests_for_a_version_of_an_object_open_it_once() {
    use object_store::{GetOptions, GetRange, ObjectStore, ObjectStoreExt, path::Path};
    use rntuple_xrootd::object_store::XrootdStore;

    let (opened, later) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let port = {
        let (opened, later) = (opened.clone(), later.clone());
        serve(data(), move |peer, asked| {
            opened.fetch_add(usize::from(asked.code == OPEN), Ordering::SeqCst);
            peer.modified = 1_700_000_000 + later.load(Ordering::SeqCst) as u32;
            Then::Usual
        })
    };
    let store = XrootdStore::new(&format!("root://127.0.0.1:{port}/"), &options().connections(1)).unwrap();
    let path = Path::from("x");
    let first = store.get_range(&path, 0..100).await.unwrap();
    assert_eq!(first, data()[..100]);
    let version = store.head(&path).await.unwrap().e_tag;
    assert_eq!(opened.load(Ordering::SeqCst), 2, "what is there now is asked for each time");
    let get = |range: std::ops::Range<u64>| {
        let range = Some(GetRange::Bounded(range));
        store.get_opts(&path, GetOptions { range, if_match: version.clone(), ..GetOptions::default() })
    };
    for start in (0..2_000_000).step_by(100_000) {
        let bytes = get(start..start + 1000).await.unwrap().bytes().await.unwrap();
        assert_eq!(bytes, data()[start as usize..start as usize + 1000]);
    }
    assert_eq!(opened.load(Ordering::SeqCst), 2);

    // The file is another one, and what was open says so.
    later.store(5, Ordering::SeqCst);
    let error = get(0..1000).await.unwrap().bytes().await.unwrap_err();
    assert!(matches!(error, object_store::Error::Precondition { .. }), "{error}");
    // What this store removes is not open any more.
    later.store(0, Ordering::SeqCst);
    store.delete(&path).await.unwrap();
    get(0..1000).await.unwrap();
    assert_eq!(opened.load(Ordering::SeqCst), 3);
}

/// For a server, what follows a question mark is not a part of the path: the file `run` is another one.
#[cfg(feature = "object-store")]
#[tokio::test]
async fn objects_with_a_question_mark_are_neither_listed_nor_asked_for() {
    use futures_util::TryStreamExt;
    use object_store::{ObjectStore, ObjectStoreExt, path::Path};
    use rntuple_xrootd::object_store::XrootdStore;

    let about_files = Arc::new(AtomicUsize::new(0));
    let seen = about_files.clone();
    let port = serve(data(), move |peer, asked| {
        if asked.code == DIRLIST {
            peer.answer(
                asked.stream,
                0,
                b".\n0 0 0 0\nrun?x.root\n1 7 48 5\nd?x\n1 4096 51 5\na.root\n1 7 48 5\0",
            );
            return Then::Answered;
        }
        seen.fetch_add(usize::from([OPEN, STAT, RM, MV].contains(&asked.code)), Ordering::SeqCst);
        Then::Usual
    });
    let store = XrootdStore::new(&format!("root://127.0.0.1:{port}/"), &options()).unwrap();
    let found: Vec<_> = store.list(None).map_ok(|meta| meta.location).try_collect().await.unwrap();
    assert_eq!(found, [Path::from("a.root")]);
    let listed = store.list_with_delimiter(None).await.unwrap();
    assert_eq!((listed.objects.len(), listed.common_prefixes.len()), (1, 0));

    let (path, other) = (Path::parse("run?x.root").unwrap(), Path::from("y"));
    let failed = [
        store.get(&path).await.map(drop),
        store.head(&path).await.map(drop),
        store.get_ranges(&path, &[0..1, 5..9]).await.map(drop),
        store.put(&path, b"x".to_vec().into()).await.map(drop),
        store.put_multipart(&path).await.map(drop),
        store.delete(&path).await,
        store.rename(&path, &other).await,
        store.rename(&other, &path).await,
        store.list(Some(&path)).try_collect::<Vec<_>>().await.map(drop),
        store.list_with_delimiter(Some(&path)).await.map(drop),
    ];
    for done in failed {
        let error = done.unwrap_err().to_string();
        assert!(error.contains("run?x.root: a path on a server cannot have a question mark"), "{error}");
    }
    assert_eq!(about_files.load(Ordering::SeqCst), 0);
}

#[cfg(feature = "object-store")]
#[tokio::test]
async fn a_list_of_directories_without_end_is_an_error() {
    use futures_util::TryStreamExt;
    use object_store::ObjectStore;
    use rntuple_xrootd::object_store::XrootdStore;

    let listed = Arc::new(AtomicUsize::new(0));
    let port = {
        let listed = listed.clone();
        serve(data(), move |peer, asked| {
            if asked.code != DIRLIST {
                return Then::Usual;
            }
            listed.fetch_add(1, Ordering::SeqCst);
            peer.answer(asked.stream, 0, b".\n0 0 0 0\na.root\n1 7 48 5\nd\n1 4096 51 5\0");
            Then::Answered
        })
    };
    let store = XrootdStore::new(&format!("root://127.0.0.1:{port}/data"), &options()).unwrap();
    let found: Result<Vec<_>, _> = store.list(None).try_collect().await;
    let error = found.unwrap_err().to_string();
    assert!(error.contains("over 100 levels of directories"), "{error}");
    assert_eq!(listed.load(Ordering::SeqCst), 101);
}
