//! The file server answers as a test asks for.

use std::io::{BufReader, ErrorKind, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use rntuple_remote_tests::client::{Answer, read_answer, request};
use rntuple_remote_tests::http::{ETag, Fault, FileServer, Habits, Rule};

const PATH: &str = "/events.root";

fn content() -> Vec<u8> {
    (0..100_000u32).map(|number| (number % 253) as u8).collect()
}

fn server() -> FileServer {
    FileServer::start([(PATH, content())]).unwrap()
}

fn get(server: &FileServer, headers: &[(&str, &str)]) -> Answer {
    request(server.address(), "GET", PATH, headers, &[]).unwrap()
}

fn get_range(server: &FileServer) -> Answer {
    get(server, &[("Range", "bytes=10-19")])
}

#[test]
fn files_and_ranges_are_served() {
    let server = server();
    let answer = get(&server, &[]);
    assert_eq!((answer.status, answer.body == content()), (200, true));
    let answer = get_range(&server);
    assert_eq!((answer.status, &answer.body[..]), (206, &content()[10..20]));
    assert_eq!(answer.header("content-range"), Some("bytes 10-19/100000"));
    let answer = get(&server, &[("range", "bytes=-5")]);
    assert_eq!((answer.status, &answer.body[..]), (206, &content()[99_995..]));
    let answer = get(&server, &[("Range", "bytes=100000-")]);
    assert_eq!((answer.status, answer.header("content-range")), (416, Some("bytes */100000")));

    let answer = request(server.address(), "HEAD", PATH, &[], &[]).unwrap();
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("100000")));
    assert_eq!(answer.header("accept-ranges"), Some("bytes"));
    assert_eq!(request(server.address(), "GET", "/none", &[], &[]).unwrap().status, 404);
    assert_eq!(request(server.address(), "DELETE", PATH, &[], &[]).unwrap().status, 405);

    let requests = server.take_requests();
    assert_eq!(requests.len(), 7);
    assert_eq!(requests[1].range.as_deref(), Some("bytes=10-19"));
    assert_eq!((&requests[4].method[..], &requests[4].path[..], requests[4].connection), ("HEAD", PATH, 5));
    assert_eq!(server.requests(), []);
}

#[test]
fn a_connection_serves_many_requests() {
    let server = server();
    let serve = |count: usize| {
        let mut stream = TcpStream::connect(server.address()).unwrap();
        let one = format!("GET {PATH} HTTP/1.1\r\nHost: x\r\nRange: bytes=10-19\r\n\r\n");
        stream.write_all(one.repeat(count).as_bytes()).unwrap();
        let mut stream = BufReader::new(stream);
        (0..count).map_while(|_| read_answer(&mut stream, false).ok()).count()
    };
    assert_eq!(serve(5), 5);
    assert_eq!(server.take_requests().iter().map(|request| request.connection).collect::<Vec<_>>(), [1; 5]);
    server.set_habits(Habits::new().keep_alive(false));
    assert_eq!(serve(5), 1);
}

#[test]
fn conditions_hold_for_one_version() {
    let server = server();
    let answer = get_range(&server);
    let e_tag = answer.header("etag").unwrap().to_owned();
    let date = answer.header("last-modified").unwrap().to_owned();
    let if_match = |e_tag: &str| get(&server, &[("If-Match", e_tag), ("Range", "bytes=10-19")]).status;
    let if_unmodified = |date: &str| get(&server, &[("If-Unmodified-Since", date)]).status;
    assert_eq!([if_match(&e_tag), if_match("*"), if_match("\"other\"")], [206, 206, 412]);
    assert_eq!(if_unmodified(&date), 200);

    // The same size, other bytes.
    server.put(PATH, vec![1; 100_000]);
    assert_eq!((if_match(&e_tag), if_unmodified(&date)), (412, 412));
    assert_eq!(get(&server, &[("If-Range", &e_tag), ("Range", "bytes=10-19")]).status, 200);

    server.set_habits(Habits::new().e_tag(ETag::Weak));
    let answer = get_range(&server);
    assert!(answer.header("etag").unwrap().starts_with("W/"));
    assert_eq!(if_match(answer.header("etag").unwrap()), 412);
    server.set_habits(Habits::new().e_tag(ETag::OfSize));
    let before = get_range(&server);
    server.put(PATH, vec![2; 100_000]);
    assert_eq!(before.header("etag"), get_range(&server).header("etag"));
    server.set_habits(Habits::new().conditions(false));
    assert_eq!(if_match("\"other\""), 206);
}

#[test]
fn old_xrootd_is_imitated() {
    let server = server();
    server.set_habits(Habits::xrootd());
    let answer = get_range(&server);
    assert_eq!(answer.status, 206);
    assert_eq!((answer.header("etag"), answer.header("last-modified")), (None, None));
    assert_eq!(get(&server, &[("range", "bytes=10-19")]).status, 200);
    assert_eq!(get(&server, &[("Range", "bytes=-10")]).status, 200);
    assert_eq!(server.requests()[1].range.as_deref(), Some("bytes=10-19"), "it was asked for");
}

#[test]
fn a_token_is_required() {
    let server = server();
    server.set_habits(Habits::new().token("secret"));
    assert_eq!(get_range(&server).status, 401);
    let with = |value| get(&server, &[("Authorization", value)]).status;
    assert_eq!([with("Bearer other"), with("Bearer secret")], [403, 200]);
}

#[test]
fn files_are_written() {
    let server = server();
    let put = |path, headers: &[(&str, &str)]| {
        request(server.address(), "PUT", path, headers, b"new").unwrap().status
    };
    assert_eq!([put("/new", &[]), put("/new", &[])], [201, 200]);
    assert_eq!(**server.file("/new").unwrap(), *b"new");
    assert_eq!(put(PATH, &[("If-None-Match", "*")]), 412);
    assert_eq!(put("/other", &[("If-None-Match", "*")]), 201);
    assert_eq!(put("/other", &[("Expect", "100-continue")]), 200);
    server.remove("/new");
    assert_eq!(request(server.address(), "GET", "/new", &[], &[]).unwrap().status, 404);
}

#[test]
fn rules_choose_their_requests() {
    let server = server();
    server.add(Rule::new(Fault::status(503).retry_after(1)).skip(1).times(2));
    server.add(Rule::new(Fault::status(500)).method("HEAD"));
    server.add(Rule::new(Fault::status(403)).path("/secret"));
    server.add(Rule::new(Fault::status(416)).ranged());
    let statuses: Vec<_> = (0..4).map(|_| get(&server, &[]).status).collect();
    assert_eq!(statuses, [200, 503, 503, 200]);
    assert_eq!(request(server.address(), "HEAD", PATH, &[], &[]).unwrap().status, 500);
    assert_eq!(request(server.address(), "GET", "/secret", &[], &[]).unwrap().status, 403);
    assert_eq!(get_range(&server).status, 416);
    server.clear_rules();
    assert_eq!(get_range(&server).status, 206);
    server.add(Rule::new(Fault::status(503).retry_after(7)));
    assert_eq!(get(&server, &[]).header("retry-after"), Some("7"));
}

#[test]
fn answers_are_wrong_as_scripted() {
    let server = server();
    let once = |fault: Fault| server.add(Rule::new(fault).times(1));
    once(Fault::WholeFile);
    assert_eq!((get_range(&server).status, get_range(&server).status), (200, 206));
    once(Fault::WrongRange);
    let answer = get_range(&server);
    assert_eq!(answer.header("content-range"), Some("bytes 11-20/100000"));
    assert_eq!(answer.body, content()[10..20]);
    once(Fault::ShortRange);
    let answer = get_range(&server);
    assert_eq!((answer.status, answer.header("content-range")), (206, Some("bytes 10-14/100000")));
    assert_eq!(answer.body, content()[10..15]);
    once(Fault::Corrupt);
    let answer = get_range(&server);
    assert_eq!((answer.body[5], answer.body.len()), (content()[15] ^ 1, 10));
    once(Fault::Redirect("/elsewhere".to_owned()));
    let answer = get_range(&server);
    assert_eq!((answer.status, answer.header("location")), (302, Some("/elsewhere")));
    once(Fault::Replace(vec![9; 50]));
    assert_eq!(get_range(&server).header("content-range"), Some("bytes 10-19/50"));
}

#[test]
fn answers_end_early_or_never_come() {
    let server = server();
    let ask = || request(server.address(), "GET", PATH, &[("Range", "bytes=0-999")], &[]);
    let once = |fault: Fault| server.add(Rule::new(fault).times(1));
    once(Fault::Truncated(600));
    let error = ask().unwrap_err();
    assert!(error.to_string().contains("600 bytes"), "{error}");
    once(Fault::Hangup);
    assert_eq!(ask().unwrap_err().kind(), ErrorKind::UnexpectedEof);
    once(Fault::Trickle { bytes: 100, pause: Duration::from_millis(10) });
    let begun = Instant::now();
    assert_eq!(ask().unwrap().body, content()[..1000]);
    assert!(begun.elapsed() >= Duration::from_millis(90));

    once(Fault::Silence);
    let mut stream = TcpStream::connect(server.address()).unwrap();
    stream.write_all(format!("GET {PATH} HTTP/1.1\r\n\r\n").as_bytes()).unwrap();
    stream.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    let error = read_answer(&mut BufReader::new(&stream), false).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut), "{error}");
    // The end of the server ends what waits for it.
    drop(server);
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert_eq!(
        read_answer(&mut BufReader::new(&stream), false).unwrap_err().kind(),
        ErrorKind::UnexpectedEof
    );
}
