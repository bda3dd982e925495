//! A server locks a file that is open for writing, and may not notice that the client is gone.

use std::io::{self, IoSlice};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rntuple::storage::WriteAt;
use rntuple_xrootd::{Options, XrootdWriter};

use super::server::{CLOSE, ENDSESS, LOGIN, OPEN, Then, WRITE, serve};
use super::{data, options, url};

/// When a server unlocks a file whose client is gone.
#[derive(Clone, Copy, PartialEq)]
enum Unlocks {
    /// Once the session is ended by request, which takes a moment.
    OnRequest,
    /// At the fifth attempt to open it. There is no request that ends a session.
    Later,
    Never,
    /// It says so once, and does not answer when the file is to be opened again.
    Silently,
}

#[derive(Default)]
struct State {
    bytes: Vec<u8>,
    /// The session for which the file is locked.
    locked_for: Option<[u8; 16]>,
    /// What was asked to be ended.
    ended: Vec<[u8; 16]>,
    /// How many times the file was to be opened while it was locked.
    attempts: usize,
    writes: usize,
}

/// What the server calls the session of a connection.
fn session(number: usize) -> [u8; 16] {
    [number as u8 + 1; 16]
}

/// A server that cuts the first connection at the second write. On the second connection, it opens the file and cuts
/// the connection before it answers.
fn serve_locked(unlocks: Unlocks) -> (u16, Arc<Mutex<State>>) {
    let state = Arc::new(Mutex::new(State { bytes: vec![0; bytes().len()], ..State::default() }));
    let kept = state.clone();
    let port = serve(Vec::new(), move |peer, asked| {
        let (own, mut state) = (session(peer.number), kept.lock().unwrap());
        match asked.code {
            LOGIN => peer.answer(asked.stream, 0, &own),
            ENDSESS if unlocks != Unlocks::OnRequest => peer.error(asked, 3006, "no such request"),
            ENDSESS => {
                state.ended.push(asked.session());
                if state.ended.len() == 1 {
                    peer.wait(asked, 0, "session still active");
                    return Then::Answered;
                }
                state.locked_for = state.locked_for.filter(|locked| *locked != asked.session());
                return Then::Usual;
            }
            OPEN => {
                if state.locked_for.is_some_and(|other| other != own) {
                    state.attempts += 1;
                    if unlocks == Unlocks::Silently && state.attempts > 1 {
                        return Then::Answered;
                    }
                    if unlocks != Unlocks::Later || !state.attempts.is_multiple_of(5) {
                        peer.error(asked, 3003, "file is already opened by 1 writer; open denied.");
                        return Then::Answered;
                    }
                }
                state.locked_for = Some(own);
                return if peer.number == 1 { Then::Cut } else { Then::Usual };
            }
            WRITE => {
                state.writes += 1;
                if state.writes == 2 {
                    return Then::Cut;
                }
                let at = asked.offset();
                state.bytes[at..at + asked.payload.len()].copy_from_slice(&asked.payload);
                return Then::Usual;
            }
            CLOSE => {
                state.locked_for = None;
                return Then::Usual;
            }
            _ => return Then::Usual,
        }
        Then::Answered
    });
    (port, state)
}

/// What is written, in two requests.
fn bytes() -> Vec<u8> {
    data()[..1_000_000].to_vec()
}

fn write(port: u16, options: &Options) -> io::Result<()> {
    let mut writer = XrootdWriter::create(&url(port), options)?;
    let bytes = bytes();
    for offset in [0, 500_000] {
        writer.write_at(offset as u64, &[IoSlice::new(&bytes[offset..offset + 500_000])])?;
        writer.flush()?;
    }
    writer.publish()
}

#[test]
fn the_sessions_of_cut_connections_are_ended_before_more_of_a_file_is_written() {
    let (port, state) = serve_locked(Unlocks::OnRequest);
    write(port, &options()).unwrap();
    let state = state.lock().unwrap();
    assert!(state.bytes == bytes());
    // The server asks to wait at first. The file is open in the second session, whose client does not learn of it.
    let ended = [0, 0, 0, 1].map(session);
    assert_eq!((&state.ended[..], state.attempts), (&ended[..], 0));
}

#[test]
fn a_lock_of_a_dead_connection_is_waited_for_as_long_as_the_time_permits_it() {
    let (port, state) = serve_locked(Unlocks::Later);
    write(port, &options()).unwrap();
    let state = state.lock().unwrap();
    assert!(state.bytes == bytes());
    assert_eq!(state.attempts, 10, "there are more attempts than for other failures");

    let timeout = Duration::from_secs(3);
    let (port, _) = serve_locked(Unlocks::Never);
    let begun = Instant::now();
    let error = write(port, &options().timeout(timeout)).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "{error}");
    assert!(error.to_string().contains("already opened by 1 writer"), "{error}");
    assert!(begun.elapsed() >= timeout && begun.elapsed() < timeout * 3, "{:?}", begun.elapsed());
}

/// The time ends in an attempt, which gets no answer.
#[test]
fn a_lock_is_the_error_where_nothing_is_said_after_it() {
    let (port, state) = serve_locked(Unlocks::Silently);
    let error = write(port, &options().timeout(Duration::from_secs(3))).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "{error}");
    assert!(state.lock().unwrap().attempts > 1);
}
