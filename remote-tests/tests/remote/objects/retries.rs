//! Pauses between attempts, and the time that connecting may take.

use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rntuple::Reader;
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{Fault, Rule};
use rntuple_remote_tests::sample::{Event, Events};
use socket2::{Domain, Socket, Type};

use super::store::{Over, PATH, quick, registered, s3, server};

/// The pauses of a client before each of its attempts but the first, over a protocol of a server that is busy.
fn pauses(over: &Over, options: &Options) -> Vec<Duration> {
    let server = server();
    server.add(Rule::new(Fault::status(503)));
    let (url, options) = over.at(server.address(), options);
    let error = ObjectFile::open(&url, &options).unwrap_err().to_string();
    assert!(error.contains("503"), "{error}");
    let requests = server.requests();
    let same = requests.iter().filter(|request| request.range == requests[0].range);
    let at: Vec<Instant> = same.map(|request| request.at).collect();
    at.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Each pause is any of a range, so that clients do not come back together: many clients show how long they are.
#[test]
fn pauses_grow() {
    const RETRIES: usize = 4;
    let options = quick().retries(RETRIES).timeout(Duration::from_secs(60));
    let all = Over::ALL;
    let pauses: Vec<_> = thread::scope(|scope| {
        let clients = all.iter().cycle().take(16);
        let clients: Vec<_> = clients.map(|over| scope.spawn(|| pauses(over, &options))).collect();
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    for pauses in &pauses {
        assert_eq!(pauses.len(), RETRIES, "{pauses:?}");
        for (number, pause) in pauses.iter().enumerate() {
            let most = Duration::from_millis(100 << (2 * number)) + Duration::from_secs(2);
            assert!(*pause >= Duration::from_millis(95) && *pause < most, "{pauses:?}");
        }
    }
    let means = [0, 1, 2, 3].map(|number| {
        let sum: Duration = pauses.iter().map(|pauses| pauses[number]).sum();
        sum / pauses.len() as u32
    });
    // On average 0.1, 0.25, 0.55 and 1.15 seconds.
    assert!(means[2] > means[0] && means[3] > means[1] && means[3] > 2 * means[0], "{means:?}");
}

/// However many attempts are permitted. The error says what the server answered.
#[test]
fn pauses_end_with_the_time_of_the_request() {
    let timeout = Duration::from_secs(2);
    thread::scope(|scope| {
        for over in Over::ALL {
            scope.spawn(move || {
                let begun = Instant::now();
                let count = pauses(&over, &Options::new().timeout(timeout).retries(1000)).len();
                assert!(begun.elapsed() < timeout + Duration::from_secs(10), "{:?}", begun.elapsed());
                // The shortest are 0.1 seconds.
                assert!((2..=20).contains(&count), "{count}");
            });
        }
    });
}

/// A port whose queue of connections is full, and where none is accepted: the system drops what comes.
fn deaf() -> (Socket, SocketAddr, Vec<TcpStream>) {
    let socket = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    socket.listen(0).unwrap();
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(300));
    let waiting = std::iter::from_fn(|| connect().ok()).take(100).collect();
    assert!(connect().is_err(), "the queue is not full");
    (socket, address, waiting)
}

#[test]
fn connecting_ends_after_its_time() {
    let (_socket, address, _waiting) = deaf();
    let options = quick().connect_timeout(Duration::from_millis(500)).timeout(Duration::from_secs(20));
    let options = s3(&format!("http://{address}"), options);
    for retries in [0, 1] {
        let _registered = registered(options.clone().retries(retries));
        for url in [
            format!("http://{address}{PATH}"),
            format!("https://{address}{PATH}"),
            "s3://bucket/events.root".to_owned(),
        ] {
            let begun = Instant::now();
            let error = Reader::<Event>::open(&*url, Events::NAME).map(drop).unwrap_err();
            let elapsed = begun.elapsed();
            let text = error.to_string();
            assert!(text.starts_with(&url) && text.contains("timed out"), "{text}");
            assert_eq!(error.io_error().unwrap().kind(), std::io::ErrorKind::TimedOut, "{text}");
            let least = Duration::from_millis(450) * (retries as u32 + 1);
            assert!(elapsed >= least && elapsed < least + Duration::from_secs(3), "{url}: {elapsed:?}");
        }
    }
}

#[test]
fn connecting_to_xrootd_ends_after_its_time() {
    let (_socket, address, _waiting) = deaf();
    let time = Duration::from_millis(500);
    let options =
        rntuple_xrootd::Options::new().connect_timeout(time).timeout(Duration::from_secs(5)).retries(0);
    let begun = Instant::now();
    let url = format!("root://{address}//events.root");
    let error = rntuple_xrootd::XrootdFile::open(&url, &options).unwrap_err();
    assert!(begun.elapsed() >= time && begun.elapsed() < 6 * time, "{:?}: {error}", begun.elapsed());
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut, "{error}");
    assert!(error.to_string().starts_with(&url), "{error}");
}
