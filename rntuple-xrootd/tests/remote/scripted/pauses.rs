//! Pauses between attempts.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use rntuple_xrootd::{Options, XrootdFile};

use super::server::{OPEN, Then, serve};
use super::url;

/// When the server was asked to open a file, which it answers by a cut.
fn attempts(options: &Options) -> (Vec<Instant>, Duration) {
    let opened = Arc::new(Mutex::new(Vec::new()));
    let seen = opened.clone();
    let port = serve(Vec::new(), move |_, asked| {
        if asked.code != OPEN {
            return Then::Usual;
        }
        seen.lock().unwrap().push(Instant::now());
        Then::Cut
    });
    let begun = Instant::now();
    let error = XrootdFile::open(&url(port), options).unwrap_err().to_string();
    assert!(error.starts_with(&format!("root://127.0.0.1:{port}//x")), "{error}");
    let opened = opened.lock().unwrap().clone();
    (opened, begun.elapsed())
}

#[test]
fn each_pause_is_longer_than_the_one_before() {
    let (attempts, _) = attempts(&Options::new().timeout(Duration::from_secs(60)).retries(5));
    assert_eq!(attempts.len(), 6);
    let pauses: Vec<Duration> = attempts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    for (number, pause) in pauses.iter().enumerate() {
        // 40 ms, and twice as long each time; a busy machine adds to that.
        assert!(*pause >= Duration::from_millis(40 << number), "{pauses:?}");
    }
    assert!(pauses[4] < Duration::from_secs(5), "{pauses:?}");
}

#[test]
fn all_attempts_are_within_the_time_of_one_request() {
    let (attempts, taken) = attempts(&Options::new().timeout(Duration::from_secs(4)).retries(1000));
    assert!(taken < Duration::from_secs(12), "{taken:?}");
    assert!((3..12).contains(&attempts.len()), "{}", attempts.len());
}
