//! Servers that misbehave: the right values, or an error that says what went wrong.

use std::fs;
use std::thread;
use std::time::{Duration, Instant};

use rntuple::storage::ReadAt;
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{Fault, FileServer, Habits, Rule};
use rntuple_remote_tests::servers::Xrootd;

use super::store::{Over, PATH, SAMPLE, attempt, quick, sample, server};
use crate::values::read_events;

/// Options of a client that tries less. What it reports is an error.
fn impatient() -> Options {
    quick().retries(1)
}

/// Checks servers on which a rule holds, from the first request on, and from the second one on. All protocols at once: most
/// of a check is waiting.
fn for_each_server<T: Send>(
    rule: impl Fn() -> Rule,
    check: impl Fn(&Over, &FileServer) -> T + Sync,
) -> Vec<T> {
    let (check, all) = (&check, Over::all_and_https());
    let mut found = Vec::new();
    for skip in [0, 1] {
        thread::scope(|scope| {
            let checks = all.iter().map(|over| {
                let server = server();
                server.add(rule().skip(skip));
                scope.spawn(move || check(over, &server))
            });
            let checks: Vec<_> = checks.collect();
            found.extend(checks.into_iter().map(|check| check.join().unwrap()));
        });
    }
    found
}

/// The errors of servers on which each of these rules holds.
fn errors(rule: impl Fn() -> Rule) -> Vec<String> {
    for_each_server(rule, |over, server| {
        let begun = Instant::now();
        let error = over.attempt(server.address(), &impatient()).unwrap_err();
        assert!(error.contains("GET bytes "), "{error}");
        // Not each of the retries of the store is retried.
        assert!(server.requests().len() <= 7, "{}: {:#?}", over.name(), server.requests());
        assert!(begun.elapsed() < Duration::from_secs(20), "{}: {:?}", over.name(), begun.elapsed());
        error
    })
}

fn passes(rule: impl Fn() -> Rule) {
    for_each_server(rule, |over, server| over.attempt(server.address(), &quick()).unwrap());
}

fn assert_each(errors: &[String], text: &str) {
    assert!(errors.iter().all(|error| error.contains(text)), "{errors:#?}");
}

#[test]
fn refusals() {
    for (status, text) in [
        (401, "the server asks for credentials"),
        (403, "the server refuses access"),
        (404, "there is no such object"),
        (410, "the server answers 410 Gone"),
    ] {
        assert_each(&errors(|| Rule::new(Fault::status(status))), text);
    }
    // A server that does not send what it was asked for, although it has it.
    assert_each(
        &errors(|| Rule::new(Fault::status(416)).method("GET")),
        "the server answers 416 Range Not Satisfiable",
    );
}

#[test]
fn failures_that_pass() {
    for status in [429, 500, 502, 503, 504] {
        passes(|| Rule::new(Fault::status(status)).times(1));
        assert_each(&errors(|| Rule::new(Fault::status(status))), &format!("the server answers {status} "));
    }
    passes(|| Rule::new(Fault::Hangup).times(1));
    passes(|| Rule::new(Fault::Silence).times(1));
    passes(|| Rule::new(Fault::Truncated(1000)).times(1));
    passes(|| Rule::new(Fault::Truncated(0)).times(1));
}

#[test]
fn a_pause_that_the_server_asks_for() {
    let once = || Rule::new(Fault::status(503).retry_after(1)).times(1);
    for_each_server(once, |over, server| {
        let begun = Instant::now();
        over.attempt(server.address(), &quick()).unwrap();
        assert!(begun.elapsed() >= Duration::from_secs(1), "{}: {:?}", over.name(), begun.elapsed());
    });
    // Longer than anyone waits.
    for status in [Fault::status(503).retry_after(100_000), Fault::status(503).retry_after_date(100_000)] {
        for_each_server(
            || Rule::new(status.clone()),
            |over, server| {
                let options = quick().timeout(Duration::from_secs(2));
                let error = over.attempt(server.address(), &options).unwrap_err();
                assert!(error.contains("503") && error.contains("GET bytes "), "{error}");
                // It is not waited for, and nothing is asked for again, nor the size.
                let requests = server.requests();
                let last = requests.last().unwrap();
                let same = requests.iter().filter(|request| request.range == last.range);
                assert!(error.contains("to ask again in ") && same.count() == 1, "{error}");
                assert_eq!(last.method, "GET");
            },
        );
    }
}

#[test]
fn a_pause_until_a_date() {
    let server = server();
    // The date has whole seconds: up to one of them may be over.
    server.add(Rule::new(Fault::status(503).retry_after_date(3)).times(1));
    let begun = Instant::now();
    attempt(&server.url(PATH), &quick()).unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(2), "{:?}", begun.elapsed());
    // Nothing to wait for, beyond the pause of the client itself.
    for status in
        [Fault::status(503).retry_after_date(-1_000_000), Fault::status(503).retry_after_text("after lunch")]
    {
        server.add(Rule::new(status).times(1));
        attempt(&server.url(PATH), &quick()).unwrap();
    }
}

#[test]
fn servers_that_do_not_answer() {
    assert_each(&errors(|| Rule::new(Fault::Silence)), ": operation timed out (after 1 retries)");
    for error in errors(|| Rule::new(Fault::Hangup)) {
        // TLS has a message for the end of a connection, which did not come.
        let is_said = error.contains(": connection closed before message completed (after 1")
            || error.ends_with(": peer closed connection without sending TLS close_notify (after 1 retries)");
        assert!(is_said, "{error}");
    }
    // What takes longer than a request may: the time-out says for which.
    let options = quick().stall_timeout(Duration::from_secs(100)).timeout(Duration::from_secs(1));
    for skip in [0, 1] {
        let server = server();
        server.add(Rule::new(Fault::Silence).skip(skip));
        let error = attempt(&server.url(PATH), &options).unwrap_err();
        assert!(error.contains("GET bytes ") && error.contains("no answer within 1s"), "{error}");
        server.clear_rules();
        server.add(Rule::new(Fault::Trickle { bytes: 100, pause: Duration::from_millis(50) }).skip(skip));
        let error = attempt(&server.url(PATH), &options).unwrap_err();
        assert!(error.contains("GET bytes "), "{error}");
    }
    // Slow, and still in time.
    passes(|| Rule::new(Fault::Trickle { bytes: 20_000, pause: Duration::from_millis(5) }));
}

#[test]
fn the_time_out_is_that_of_one_request() {
    let server = server();
    let options = quick().timeout(Duration::from_secs(4)).merge_gap(0).concurrency(1);
    let file = ObjectFile::open(&server.url(PATH), &options).unwrap();
    // Each of six requests takes a second.
    server.add(Rule::new(Fault::Trickle { bytes: 100, pause: Duration::from_millis(200) }));
    let ranges: Vec<_> = (3..=8).map(|number| number * 100_000..number * 100_000 + 500).collect();
    let begun = Instant::now();
    let blocks = file.blocks(&ranges).unwrap();
    assert!(begun.elapsed() > Duration::from_secs(4));
    assert!(
        ranges
            .iter()
            .zip(blocks)
            .all(|(range, block)| { *block == sample()[range.start as usize..range.end as usize] })
    );
}

/// A process with many files may have no more connections than with one.
#[test]
fn files_count_their_requests_together() {
    let server = server();
    let options = quick().concurrency(1);
    let files = [(); 2].map(|()| ObjectFile::open(&server.url(PATH), &options).unwrap());
    server.take_requests();
    // An answer takes four pauses.
    let pause = Duration::from_millis(100);
    server.add(Rule::new(Fault::Trickle { bytes: 100, pause }));
    thread::scope(|scope| {
        for file in &files {
            scope.spawn(move || assert_eq!(file.block(400_000..400_500).unwrap().len(), 500));
        }
    });
    let asked: Vec<Instant> = server.requests().iter().map(|request| request.at).collect();
    assert_eq!(asked.len(), 2);
    assert!(asked[1] - asked[0] > 3 * pause, "{:?}", asked[1] - asked[0]);
}

#[test]
fn answers_that_are_too_short_or_elsewhere() {
    assert_each(
        &errors(|| Rule::new(Fault::Truncated(1000)).method("GET")),
        " bytes: end of file before message length reached",
    );
    assert_each(&errors(|| Rule::new(Fault::ShortRange)), ": the server sent bytes ");
    assert_each(&errors(|| Rule::new(Fault::WrongRange)), ": the server sent bytes ");
}

#[test]
fn a_server_without_ranges() {
    assert_each(
        &errors(|| Rule::new(Fault::WholeFile)),
        "the server ignores requests for ranges of bytes: download the file",
    );
    let server = server();
    server.set_habits(Habits::new().ranges(false));
    let begun = Instant::now();
    let error = attempt(&server.url(PATH), &quick()).unwrap_err();
    assert!(error.contains("ignores requests for ranges"), "{error}");
    // It will not begin to send ranges: nothing is waited for.
    assert!(server.requests().len() <= 3, "{:?}", server.requests().len());
    assert!(begun.elapsed() < Duration::from_secs(5));
    server.set_habits(Habits::new().case_sensitive(true));
    attempt(&server.url(PATH), &quick()).unwrap();
}

#[test]
fn corrupted_bytes() {
    // One bit in the middle of each answer, and of each in turn.
    let rules =
        (0..4).map(|skip| Rule::new(Fault::Corrupt).skip(skip).times(1)).chain([Rule::new(Fault::Corrupt)]);
    for rule in rules {
        let server = server();
        server.add(rule);
        if let Err(error) = attempt(&server.url(PATH), &quick()) {
            assert!(error.contains("checksum differs"), "{error}");
        }
    }
}

#[test]
fn redirects_are_followed() {
    let (door, other) = (FileServer::start([(PATH, "")]).unwrap(), server());
    door.add(Rule::new(Fault::Redirect(other.url(PATH))));
    attempt(&door.url(PATH), &quick()).unwrap();
    // In a circle, and to where nothing is.
    for (to, text) in [
        (door.url(PATH), "too many redirects"),
        ("http://127.0.0.1:1/x?sig=SECRET".to_owned(), "Connection refused"),
    ] {
        door.clear_rules();
        door.add(Rule::new(Fault::Redirect(to)));
        let error = attempt(&door.url(PATH), &quick()).unwrap_err();
        assert!(error.contains(text) && !error.contains("SECRET"), "{error}");
    }
}

#[test]
fn objects_that_are_no_files() {
    let server =
        FileServer::start([(PATH, Vec::new()), ("/short", vec![7; 10]), ("/zeros", vec![0; 1 << 20])]);
    let server = server.unwrap();
    for path in [PATH, "/short", "/zeros"] {
        let file = ObjectFile::open(&server.url(path), &quick()).unwrap();
        let error = read_events(file).unwrap_err().to_string();
        assert!(error.starts_with(&server.url(path)), "{error}");
    }
    let file = ObjectFile::open(&server.url("/short"), &quick()).unwrap();
    assert!(file.block(0..11).is_err() && file.read_at(5, &mut [0; 6]).is_err());
    assert_eq!(&*file.block(3..5).unwrap(), [7; 2]);
    assert_eq!(&*file.block(10..10).unwrap(), [0u8; 0]);
    // Cut at any length, it is an error, never a wrong value.
    let whole = sample();
    for length in [whole.len() - 1, whole.len() / 2, 262_144, 262_143, 70_000, 1000, 100] {
        server.put(PATH, &whole[..length]);
        let file = ObjectFile::open(&server.url(PATH), &quick()).unwrap();
        assert!(read_events(file).is_err(), "{length}");
    }
    server.put(PATH, whole);
    assert_eq!(read_events(ObjectFile::open(&server.url(PATH), &quick()).unwrap()).unwrap(), SAMPLE.count());
}

/// The first request asks for 256 KiB; the object may have fewer bytes, and just as many.
#[test]
fn objects_as_long_as_the_first_request() {
    let head = 256usize << 10;
    let bytes: Vec<u8> = (0..2 * head).map(|at| (at % 251) as u8).collect();
    let server = FileServer::start([(PATH, Vec::new())]).unwrap();
    let door = Xrootd::start();
    for length in [0, 1, head - 1, head, head + 1, 2 * head] {
        server.put(PATH, &bytes[..length]);
        let mut urls = vec![server.url(PATH)];
        if let Some(door) = &door {
            fs::write(door.folder().join(format!("f{length}")), &bytes[..length]).unwrap();
            urls.push(door.http_url(&format!("/f{length}")));
        }
        for url in urls {
            let file =
                ObjectFile::open(&url, &quick()).unwrap_or_else(|error| panic!("{length}, {url}: {error}"));
            assert_eq!(file.size(), length as u64);
            assert!(*file.block(0..length as u64).unwrap() == bytes[..length], "{length}, {url}");
            let last = length.saturating_sub(1);
            let ranges = [last as u64..length as u64, 0..length.min(1) as u64, 0..0];
            let blocks = file.blocks(&ranges).unwrap();
            assert!(
                *blocks[0] == bytes[last..length] && *blocks[1] == bytes[..length.min(1)],
                "{length}, {url}"
            );
            assert!(file.block(0..length as u64 + 1).is_err());
        }
    }
}
