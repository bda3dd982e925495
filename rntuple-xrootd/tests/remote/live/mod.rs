//! The real server.

mod server;
#[cfg(feature = "object-store")]
mod store;

use std::io::{self, IoSlice};
use std::sync::Arc;

use rntuple::storage::{ReadAt, WriteAt};
use rntuple::{RNTuple, Reader, WriteOptions, Writer};
use rntuple_xrootd::{Options, XrootdFile, XrootdWriter};

use self::server::{Server, skip};
#[cfg(feature = "tls")]
use crate::certificates::certificates;

/// Bytes that differ from place to place.
fn pattern(length: usize) -> Vec<u8> {
    (0..length as u64).map(|i| (i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

#[test]
fn ranges_are_read() {
    let Some(server) = Server::start("") else { return };
    let data = pattern(5_000_123);
    server.put("a b.root", &data);
    let file = XrootdFile::open(&server.url("a b.root"), &Options::new()).unwrap();
    assert_eq!(file.size(), data.len() as u64);
    assert!(file.is_remote());
    let small: Vec<_> = (0..3000u64).map(|i| i * 1500 + i % 7..i * 1500 + 100).collect();
    let mixed = [7..7, 1..5_000_123, 4095..4097, 300_000..700_001, 5_000_122..5_000_123, 0..1];
    for ranges in [&small[..], &mixed] {
        let blocks = file.blocks(ranges).unwrap();
        for (range, block) in ranges.iter().zip(&blocks) {
            assert_eq!(block[..], data[range.start as usize..range.end as usize], "{range:?}");
        }
    }
    let mut bytes = [0; 10];
    file.read_at(99, &mut bytes).unwrap();
    assert_eq!(bytes, data[99..109]);
    let error = file.block(5_000_000..5_000_124).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    let checksum = file.checksum().unwrap();
    assert!(checksum.starts_with("adler32 "), "{checksum}");

    let error = XrootdFile::open(&server.url("missing"), &Options::new()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::NotFound);
    assert!(error.to_string().starts_with(&format!("{}: kXR_open: ", server.url("missing"))), "{error}");
}

#[test]
fn files_are_written_and_published() {
    let Some(server) = Server::start("") else { return };
    let options = Options::new();
    let data = pattern(3_000_000);
    let write = |mut writer: XrootdWriter, data: &[u8]| {
        let (a, b) = data.split_at(data.len() / 3);
        writer.write_at(0, &[IoSlice::new(b"??")]).unwrap();
        writer.write_at(a.len() as u64, &[IoSlice::new(b), IoSlice::new(b"")]).unwrap();
        writer.write_at(0, &[IoSlice::new(a)]).unwrap();
        writer.flush().unwrap();
        let mut back = [0; 9];
        assert!(writer.read_back(5, &mut back).unwrap());
        assert_eq!(back, data[5..14]);
        writer
    };
    let url = server.url("new/folder/x.root");
    let path = server.file("new/folder/x.root");
    let mut writer = write(XrootdWriter::create_new(&url, &options).unwrap(), &data);
    assert!(!path.exists());
    writer.publish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), data);

    let error = XrootdWriter::create_new(&url, &options).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::AlreadyExists, "{error}");
    drop(write(XrootdWriter::create(&url, &options).unwrap(), &data[..100]));
    assert_eq!(std::fs::read(&path).unwrap(), data);
    write(XrootdWriter::create(&url, &options).unwrap(), &data[..100]).publish().unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), data[..100]);

    for name in ["x.root.rescued", "x.root.rescued-2"] {
        let mut writer = write(XrootdWriter::create(&url, &options).unwrap(), &data[..50]);
        writer.publish_incomplete().unwrap();
        assert!(writer.name().ends_with(name), "{}", writer.name());
    }
    let mut names: Vec<_> =
        std::fs::read_dir(server.file("new/folder")).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["x.root", "x.root.rescued", "x.root.rescued-2"], "no part is left");
}

/// XRootD renames no file over a symbolic link.
#[test]
fn what_the_server_does_not_replace_is_removed_first() {
    let Some(server) = Server::start("") else { return };
    server.put("old", b"old");
    std::os::unix::fs::symlink(server.file("old"), server.file("x")).unwrap();
    let mut writer = XrootdWriter::create(&server.url("x"), &Options::new()).unwrap();
    writer.write_at(0, &[IoSlice::new(b"new")]).unwrap();
    writer.publish().unwrap();
    assert!(!server.file("x").is_symlink());
    assert_eq!(std::fs::read(server.file("x")).unwrap(), b"new");
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    run: u32,
    pt: Vec<f32>,
}

#[test]
fn ntuples_are_written_and_read() {
    let Some(server) = Server::start("") else { return };
    let url = server.url("events.root");
    let events: Vec<_> =
        (0..50_000u32).map(|run| Event { run, pt: vec![run as f32; run as usize % 4] }).collect();
    let storage = XrootdWriter::create(&url, &Options::new()).unwrap();
    let mut writer = Writer::new(storage, "Events", WriteOptions::new()).unwrap();
    for event in &events {
        writer.fill(event).unwrap();
    }
    writer.finish().unwrap();
    let file = Arc::new(XrootdFile::open(&url, &Options::new()).unwrap());
    let file: Arc<dyn ReadAt> = file;
    let reader = Reader::<Event>::open(file, "Events").unwrap();
    let read: Vec<Event> = reader.entries().map(Result::unwrap).collect();
    assert_eq!(read, events);
}

#[test]
fn a_checkpoint_is_refused_and_leaves_nothing() {
    let Some(server) = Server::start("") else { return };
    let url = server.url("events.root");
    let event = |run: u32| Event { run, pt: vec![run as f32; run as usize % 4] };
    let names = || -> Vec<_> {
        let entries = std::fs::read_dir(server.file("")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    for is_finished in [false, true] {
        let storage = XrootdWriter::create(&url, &Options::new()).unwrap();
        let mut writer = Writer::new(storage, "Events", WriteOptions::new()).unwrap();
        for run in 0..3000 {
            writer.fill(&event(run)).unwrap();
            if run % 1000 == 500 {
                let error = writer.checkpoint().unwrap_err().to_string();
                assert!(error.contains(&url) && error.contains("checkpoints need a local file"), "{error}");
                let names = names();
                assert!(names.len() == 1 && names[0].ends_with(".part"), "{names:?}");
            }
        }
        if is_finished {
            assert_eq!(writer.finish().unwrap().entries, 3000);
        } else {
            drop(writer);
            assert_eq!(names(), [""; 0]);
        }
    }
    assert_eq!(names(), ["events.root"]);
    let file: Arc<dyn ReadAt> = Arc::new(XrootdFile::open(&url, &Options::new()).unwrap());
    let reader = Reader::<Event>::open(file, "Events").unwrap();
    assert!(reader.entries().map(Result::unwrap).eq((0..3000).map(event)));
}

#[test]
fn a_server_that_starts_again_is_found_again() {
    let Some(mut server) = Server::start("") else { return };
    server.put("x", &pattern(1_000_000));
    let file = XrootdFile::open(&server.url("x"), &Options::new().retries(8)).unwrap();
    file.blocks(&[0..900_000, 5..6]).unwrap();
    server.restart();
    assert_eq!(file.block(1000..2000).unwrap()[..], pattern(2000)[1000..]);
    server.put("x", &pattern(999_999));
    server.restart();
    let error = file.block(0..10).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle, "{error}");
}

/// Replaces what a file has, with its size and a time.
fn set_time(path: &std::path::Path, seconds: u64) {
    let file = std::fs::File::options().write(true).open(path).unwrap();
    file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds)).unwrap();
}

#[test]
fn a_file_that_is_overwritten_while_it_is_open_is_an_error() {
    let Some(server) = Server::start("") else { return };
    let data = pattern(3_000_000);
    for ranges in [vec![2000..3000; 1], vec![0..3_000_000; 1], vec![1..2, 5..6, 1_000_000..2_000_000]] {
        server.put("x", &data);
        set_time(&server.file("x"), 1_700_000_000);
        let file = XrootdFile::open(&server.url("x"), &Options::new()).unwrap();
        assert_eq!(file.block(5..9).unwrap()[..], data[5..9]);
        assert_eq!(file.block(0..3_000_000).unwrap()[..], data);
        // In place, and of the same length.
        server.put("x", &vec![7; data.len()]);
        for _ in 0..2 {
            let error = file.blocks(&ranges).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle, "{error}");
            assert!(error.to_string().contains("kXR_stat: the file changed while it was read"), "{error}");
        }
    }
}

#[test]
fn a_file_that_is_replaced_by_one_of_the_same_size_and_time_is_another_one() {
    let Some(mut server) = Server::start("") else { return };
    let data = pattern(3_000_000);
    server.put("x", &data);
    server.put("y", &vec![7; data.len()]);
    for name in ["x", "y"] {
        set_time(&server.file(name), 1_700_000_000);
    }
    let file = XrootdFile::open(&server.url("x"), &Options::new().retries(8)).unwrap();
    assert_eq!(file.block(0..9).unwrap()[..], data[..9]);
    std::fs::rename(server.file("y"), server.file("x")).unwrap();
    // The server still has the old file open: what is read is a whole of it, on all connections.
    assert_eq!(file.block(0..3_000_000).unwrap()[..], data);
    server.restart();
    let error = file.block(0..10).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StaleNetworkFileHandle, "{error}");
    assert!(error.to_string().contains("another file of the same size and time"), "{error}");
    let new = XrootdFile::open(&server.url("x"), &Options::new()).unwrap();
    assert_ne!(new.version(), file.version(), "what a cache keeps is of one of them");
    assert_eq!(new.block(0..9).unwrap()[..], [7; 9]);
}

#[test]
fn servers_are_reached_by_ipv6() {
    let Some(server) = Server::start("") else { return };
    server.put("x", b"six");
    let url = format!("root://me@[::1]:{}/x", server.port);
    match XrootdFile::open(&url, &Options::new()) {
        Ok(file) => assert_eq!(file.block(0..3).unwrap()[..], *b"six"),
        Err(error) if std::net::TcpListener::bind("[::1]:0").is_err() => skip(&format!("no IPv6: {error}")),
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn redirections_are_followed() {
    let Some(server) = Server::start("") else { return };
    server.put("x", b"there");
    let Some(front) = Server::start(&format!(
        "xrootd.redirect 127.0.0.1:{0} all\nxrootd.redirect 127.0.0.1:{0} /",
        server.port
    )) else {
        return;
    };
    let file = XrootdFile::open(&front.url("x"), &Options::new()).unwrap();
    assert_eq!(file.block(0..5).unwrap()[..], *b"there");
    let mut writer = XrootdWriter::create(&front.url("y"), &Options::new()).unwrap();
    writer.write_at(0, &[IoSlice::new(b"written")]).unwrap();
    writer.publish().unwrap();
    assert_eq!(std::fs::read(server.file("y")).unwrap(), b"written");
}

#[cfg(feature = "tls")]
const TLS: &str = "xrd.tls $DIR/host.pem $DIR/host.key\nxrd.tlsca certdir $DIR/cas\n";

#[cfg(feature = "tls")]
#[test]
fn tls_is_used_where_it_is_asked_for_or_required() {
    for required in
        ["", "xrootd.tls capable login\n", "xrootd.tls capable session data\n", "xrootd.tls capable all\n"]
    {
        let Some(server) = Server::start_with(&format!("{TLS}{required}"), certificates) else { return };
        let data = pattern(4_000_000);
        server.put("x", &data);
        let options = Options::new().ca_file(server.folder().join("ca.pem"));
        let schemes: &[&str] = if required.is_empty() { &["roots"] } else { &["root", "roots"] };
        for scheme in schemes {
            let url = format!("{scheme}://localhost:{}//x", server.port);
            let file =
                XrootdFile::open(&url, &options).unwrap_or_else(|error| panic!("{error}\n{}", server.log()));
            let blocks = file.blocks(&[0..4_000_000, 5..10, 3000..9000]).unwrap();
            assert_eq!(blocks[0][..], data);
            assert_eq!(blocks[2][..], data[3000..9000]);
        }
        let url = format!("roots://localhost:{}//y", server.port);
        let mut writer = XrootdWriter::create(&url, &options).unwrap();
        writer.write_at(0, &[IoSlice::new(&data)]).unwrap();
        writer.publish().unwrap();
        assert_eq!(std::fs::read(server.file("y")).unwrap(), data);

        let error = XrootdFile::open(&url, &Options::new()).unwrap_err();
        assert!(error.to_string().contains("TLS with localhost"), "{error}");
    }
}

#[cfg(feature = "tls")]
#[test]
fn a_server_without_tls_is_not_read_in_plain_text_instead() {
    let Some(server) = Server::start("") else { return };
    let url = format!("roots://localhost:{}//x", server.port);
    let error = XrootdFile::open(&url, &Options::new()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("does not offer TLS"), "{error}");
}

/// A token with all claims that the server requires, of the issuer `https://localhost/other`:
/// `{"alg":"RS256","typ":"JWT"}`,
/// `{"iss":"https://localhost/other","exp":4102444800,"iat":1700000000,"nbf":1700000000,"ver":"scitoken:2.0",..}`.
#[cfg(feature = "tls")]
const TOKEN: &str = concat!(
    "eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJodHRwczovL2xvY2FsaG9zdC9vdGhlciIsImV4cCI6NDEwMjQ0NDgwMCwi",
    "aWF0IjoxNzAwMDAwMDAwLCJuYmYiOjE3MDAwMDAwMDAsInZlciI6InNjaXRva2VuOjIuMCIsImF1ZCI6InRlc3QiLCJzY29wZSI6InJl",
    "YWQ6LyIsInN1YiI6Im1lIn0.AAAA",
);

/// The server reads the claims of the token, and refuses it as its issuer is not in the configuration.
#[cfg(feature = "tls")]
#[test]
fn the_server_understands_how_a_token_is_given() {
    let plugin = std::path::Path::new("/usr/lib/x86_64-linux-gnu/libXrdAccSciTokens-5.so");
    if !plugin.exists() {
        return skip("XRootD's plugin for tokens is not installed (Debian: xrootd-scitokens-plugins)");
    }
    let security = "xrootd.seclib libXrdSec.so\nsec.protocol ztn\nsec.protbind * only ztn\nofs.authorize 1\n\
                    ofs.authlib libXrdAccSciTokens.so config=$DIR/tokens.cfg\n";
    let prepare = |folder: &std::path::Path| {
        certificates(folder);
        let issuers =
            "[Global]\naudience = test\n[Issuer Test]\nissuer = https://localhost/none\nbase_path = /\n";
        std::fs::write(folder.join("tokens.cfg"), issuers).unwrap();
    };
    let Some(server) = Server::start_with(&format!("{TLS}xrootd.tls capable none\n{security}"), prepare)
    else {
        return;
    };
    let options = Options::new().ca_file(server.folder().join("ca.pem"));
    for scheme in ["roots", "root"] {
        let url = format!("{scheme}://localhost:{}//x", server.port);
        let error = XrootdFile::open(&url, &options.clone().token(TOKEN)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::PermissionDenied, "{error}\n{}", server.log());
        // Those of the library for tokens, which are said of no other token, nor where there is none.
        for words in ["kXR_login: the server says", "Token issuer is not in list of allowed issuers"] {
            assert!(error.to_string().contains(words), "{error}\n{}", server.log());
        }
    }
}

#[test]
fn user_names_are_given() {
    let security = "xrootd.seclib libXrdSec.so\nsec.protocol unix\nsec.protbind * only unix\n";
    let Some(server) = Server::start(security) else { return };
    server.put("x", b"named");
    let file = XrootdFile::open(&server.url("x"), &Options::new().user("alice")).unwrap();
    assert_eq!(file.block(0..5).unwrap()[..], *b"named");
}

/// Prints how fast files are read: `cargo test --release -p rntuple-xrootd how_fast -- --ignored --nocapture`.
#[test]
#[ignore = "measures"]
fn how_fast_files_are_read() {
    use std::time::Instant;
    const LENGTH: u64 = 200 << 20;
    let Some(server) = Server::start("") else { return };
    server.put("big", &pattern(LENGTH as usize));
    for connections in [1, 2, 4] {
        let file = XrootdFile::open(&server.url("big"), &Options::new().connections(connections)).unwrap();
        for _ in 0..3 {
            let begin = Instant::now();
            for start in (0..LENGTH).step_by(8 << 20) {
                assert_eq!(file.block(start..start + (8 << 20)).unwrap().len(), 8 << 20);
            }
            let ranges: Vec<_> = (0..1024u64).map(|i| i * 200_000..i * 200_000 + 1000).collect();
            let (all, begin) = (begin.elapsed(), Instant::now());
            file.blocks(&ranges).unwrap();
            let (vector, begin) = (begin.elapsed(), Instant::now());
            file.blocks(&ranges[..1]).unwrap();
            eprintln!(
                "{connections} connections: 200 MiB in blocks of 8 MiB {all:?}, {:.0} MB/s; 1024 ranges {vector:?}; one {:?}",
                LENGTH as f64 / all.as_secs_f64() / 1e6,
                begin.elapsed()
            );
        }
    }
    for _ in 0..2 {
        let begin = Instant::now();
        let copy = server.folder().join("copy");
        let status =
            std::process::Command::new("xrdcp").args(["-f", "-s"]).arg(server.url("big")).arg(&copy).status();
        if status.is_ok_and(|status| status.success()) {
            eprintln!("xrdcp: {:?}", begin.elapsed());
        }
        let begin = Instant::now();
        assert_eq!(std::fs::read(server.file("big")).unwrap().len() as u64, LENGTH);
        eprintln!("local file: {:?}", begin.elapsed());
    }
}
