//! The network is as slow as its options say, and has the faults that are set.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};

/// A server that answers eight bytes, a number, with that many bytes: 0, 1, 2, .. It serves until the test ends.
fn source() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let (block, mut count) = (bytes(251 << 8), [0; 8]);
                while stream.read_exact(&mut count).is_ok() {
                    let mut left = u64::from_le_bytes(count) as usize;
                    while left > 0 {
                        let part = block.get(..left).unwrap_or(&block);
                        if stream.write_all(part).is_err() {
                            return;
                        }
                        left -= part.len();
                    }
                }
            });
        }
    });
    address
}

fn bytes(count: u64) -> Vec<u8> {
    (0..count).map(|number| (number % 251) as u8).collect()
}

fn connect(proxy: &Proxy) -> TcpStream {
    let stream = TcpStream::connect(proxy.address()).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream
}

fn ask(mut stream: &TcpStream, count: u64) -> io::Result<Vec<u8>> {
    stream.write_all(&count.to_le_bytes())?;
    let mut answer = Vec::new();
    stream.take(count).read_to_end(&mut answer)?;
    Ok(answer)
}

#[test]
fn bytes_arrive_as_they_were_sent() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    let stream = connect(&proxy);
    for count in [1, 7, 3_000_000] {
        assert!(ask(&stream, count).unwrap() == bytes(count), "{count} bytes");
    }
    let counters = proxy.counters();
    assert_eq!((counters.connections, counters.bytes_up, counters.turns), (1, 24, 3));
    assert_eq!((counters.bytes_down, counters.faults), (3_000_008, 0));
}

#[test]
fn each_round_trip_takes_the_delay() {
    const DELAY: Duration = Duration::from_millis(20);
    let proxy = Proxy::start(source(), Link::new(DELAY)).unwrap();
    let begun = Instant::now();
    let stream = connect(&proxy);
    ask(&stream, 1).unwrap();
    assert!(begun.elapsed() >= 2 * DELAY, "a connection costs a round trip, too: {:?}", begun.elapsed());
    let begun = Instant::now();
    for _ in 0..10 {
        ask(&stream, 1).unwrap();
    }
    assert!(begun.elapsed() >= 10 * DELAY, "{:?}", begun.elapsed());
    assert!(begun.elapsed() < 100 * DELAY, "that is not the delay: {:?}", begun.elapsed());
}

#[test]
fn requests_that_do_not_wait_share_one_delay() {
    const DELAY: Duration = Duration::from_millis(200);
    let proxy = Proxy::start(source(), Link::new(DELAY).handshake(false)).unwrap();
    let mut stream = connect(&proxy);
    let begun = Instant::now();
    for _ in 0..20 {
        stream.write_all(&1u64.to_le_bytes()).unwrap();
    }
    stream.read_exact(&mut [0; 20]).unwrap();
    assert!(begun.elapsed() >= DELAY);
    assert!(begun.elapsed() < 10 * DELAY, "twenty requests would take twenty delays: {:?}", begun.elapsed());
}

#[test]
fn connections_share_the_bandwidth() {
    const EACH: u64 = 2_000_000;
    let proxy = Proxy::start(source(), Link::ideal().bandwidth(10_000_000)).unwrap();
    let begun = Instant::now();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert!(ask(&connect(&proxy), EACH).unwrap() == bytes(EACH)));
        }
    });
    // 8 MB at 10 MB/s, without what an idle link sends at once.
    assert!(begun.elapsed() >= Duration::from_millis(790), "{:?}", begun.elapsed());
}

/// How fast the helper itself is: it must not be what a bench measures. Run it alone, with `--release`.
#[test]
#[ignore = "depends on the machine"]
fn a_link_of_100_megabytes_per_second_reaches_it() {
    const LENGTH: u64 = 200_000_000;
    for delay in [0, 20] {
        let link = Link::new(Duration::from_millis(delay)).bandwidth(100_000_000);
        let proxy = Proxy::start(source(), link).unwrap();
        let stream = connect(&proxy);
        let begun = Instant::now();
        (0..20).for_each(|_| drop(ask(&stream, 1).unwrap()));
        println!("delay of {delay} ms: a round trip takes {:?}", begun.elapsed() / 20);
        let begun = Instant::now();
        assert_eq!(ask(&stream, LENGTH).unwrap().len() as u64, LENGTH);
        let taken = begun.elapsed();
        println!("delay of {delay} ms: {:.1} MB/s", LENGTH as f64 / taken.as_secs_f64() / 1e6);
        assert!(taken >= Duration::from_millis(1990) && taken < Duration::from_millis(2400), "{taken:?}");
    }
}

#[test]
fn a_cut_resets_the_connection() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    proxy.set(Fault::Cut { after_bytes: 100_000 }, Repeat::Times(1));
    let mut stream = connect(&proxy);
    stream.write_all(&1_000_000u64.to_le_bytes()).unwrap();
    let mut answer = Vec::new();
    let error = stream.read_to_end(&mut answer).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::ConnectionReset);
    assert!(answer.len() <= 100_000 && bytes(100_000).starts_with(&answer));
    assert_eq!(proxy.counters().bytes_down, 100_000);
    assert_eq!(ask(&connect(&proxy), 1_000_000).unwrap(), bytes(1_000_000), "only once");
    assert_eq!(proxy.counters().faults, 1);

    proxy.set(Fault::Cut { after_bytes: 10 }, Repeat::Always);
    for _ in 0..3 {
        let answer = ask(&connect(&proxy), 11);
        assert!(answer.is_err() || answer.is_ok_and(|answer| answer.len() <= 10));
    }
    assert_eq!(proxy.counters().faults, 4);
    proxy.clear();
    assert_eq!(ask(&connect(&proxy), 11).unwrap().len(), 11);
}

#[test]
fn a_truncated_connection_ends_in_good_order() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    proxy.set(Fault::Truncate { after_bytes: 70_000 }, Repeat::Always);
    for _ in 0..2 {
        assert!(ask(&connect(&proxy), 200_000).unwrap() == bytes(70_000));
    }
    assert_eq!(proxy.counters().faults, 2);
}

#[test]
fn a_stalled_connection_resumes() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    proxy.set(Fault::Stall { after_bytes: 5 }, Repeat::Always);
    let mut stream = connect(&proxy);
    stream.write_all(&20u64.to_le_bytes()).unwrap();
    stream.read_exact(&mut [0; 5]).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    let error = stream.read(&mut [0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    proxy.clear();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.read_exact(&mut [0; 15]).unwrap();
    assert_eq!(ask(&stream, 30).unwrap(), bytes(30));
}

#[test]
fn a_connection_that_vanishes_is_open_for_the_server() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = Proxy::start(server.local_addr().unwrap(), Link::ideal()).unwrap();
    proxy.set(Fault::Vanish { after_bytes: 2 }, Repeat::Times(1));
    let mut client = connect(&proxy);
    let mut server = server.accept().unwrap().0;
    client.write_all(b"a").unwrap();
    server.read_exact(&mut [0]).unwrap();
    server.write_all(b"abc").unwrap();
    client.read_exact(&mut [0; 2]).unwrap();
    let begun = Instant::now();
    while proxy.counters().faults == 0 && begun.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(1));
    }
    // Neither what the client sends arrives, nor that it is gone.
    client.write_all(b"b").unwrap();
    drop(client);
    server.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let error = server.read(&mut [0]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    assert_eq!((proxy.counters().faults, proxy.counters().bytes_up), (1, 1));
    drop(proxy);
    server.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let end = server.read(&mut [0]).map_err(|error| error.kind());
    assert!(matches!(end, Ok(0) | Err(ErrorKind::ConnectionReset)), "it ends with the proxy: {end:?}");
}

#[test]
fn a_corrupt_byte_is_the_one_that_was_asked_for() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    let wrong = |stream: &TcpStream, count| -> Vec<usize> {
        let answer = ask(stream, count).unwrap();
        let pairs = answer.iter().zip(bytes(count)).enumerate();
        pairs.filter(|(_, (found, sent))| **found != *sent).map(|(number, _)| number).collect()
    };
    proxy.set(Fault::Corrupt { at_byte: 70_000, every: None }, Repeat::Times(1));
    assert_eq!(wrong(&connect(&proxy), 200_000), [70_000]);
    assert_eq!(wrong(&connect(&proxy), 200_000), [0; 0]);
    proxy.set(Fault::Corrupt { at_byte: 10, every: Some(90_000) }, Repeat::Always);
    assert_eq!(wrong(&connect(&proxy), 200_000), [10, 90_010, 180_010]);

    // On a connection that is open, bytes count from now on.
    let stream = connect(&proxy);
    ask(&stream, 100_000).unwrap();
    proxy.set(Fault::Corrupt { at_byte: 3, every: None }, Repeat::Always);
    assert_eq!(wrong(&stream, 1000), [3]);
    assert_eq!(wrong(&stream, 1000), [0; 0]);
}

#[test]
fn one_request_is_not_answered() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    // Seven bytes: those of other requests begin otherwise.
    proxy.set(Fault::Unanswered { request: "\u{7}" }, Repeat::Times(1));
    let stream = connect(&proxy);
    assert_eq!(ask(&stream, 8).unwrap(), bytes(8));
    assert!(ask(&stream, 7).unwrap().is_empty());
    assert_eq!(proxy.counters().faults, 1);
    let stream = connect(&proxy);
    assert_eq!(ask(&stream, 7).unwrap(), bytes(7));
}

#[test]
fn connections_are_refused() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    let open = connect(&proxy);
    assert_eq!(ask(&open, 3).unwrap(), [0, 1, 2]);
    proxy.set(Fault::Refuse, Repeat::Times(2));
    for _ in 0..2 {
        let refused = TcpStream::connect(proxy.address()).and_then(|stream| ask(&stream, 3));
        assert!(refused.is_err() || refused.is_ok_and(|answer| answer.is_empty()));
    }
    assert_eq!(ask(&connect(&proxy), 3).unwrap(), [0, 1, 2]);
    assert_eq!(ask(&open, 3).unwrap(), [0, 1, 2]);
    assert_eq!(proxy.counters().connections, 4);
}

#[test]
fn all_connections_are_reset() {
    let proxy = Proxy::start(source(), Link::ideal()).unwrap();
    let idle = connect(&proxy);
    ask(&idle, 1).unwrap();
    // This one does not read: it is blocked on the way to the client.
    let mut full = connect(&proxy);
    full.write_all(&100_000_000u64.to_le_bytes()).unwrap();
    thread::sleep(Duration::from_millis(200));
    proxy.reset_all();
    assert!((&idle).read(&mut [0]).is_err());
    assert!(io::copy(&mut full, &mut io::sink()).is_err());
    assert_eq!(ask(&connect(&proxy), 5).unwrap().len(), 5);
}
