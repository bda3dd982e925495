//! Files over `root://`, with the official client and uproot as peers.

use std::fs;
use std::io::{self, IoSlice};
use std::thread;
use std::time::{Duration, Instant};

use object_store::{MultipartUpload as _, ObjectStoreExt as _, PutPayload};
use rntuple::storage::{ReadAt, WriteAt};
use rntuple::{ParallelWriter, ReadOptions, Reader, WriteOptions, Writer};
use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};
use rntuple_remote_tests::sample::{Event, Events, Wide};
use rntuple_remote_tests::servers::Xrootd;
use rntuple_xrootd::object_store::XrootdStore;
use rntuple_xrootd::{Options, XrootdFile, XrootdWriter};

use crate::memory;
use crate::peers::run;
use crate::values::read_events;

const UPROOT: &str = r#"
import sys, uproot
url, entries = sys.argv[1], int(sys.argv[2])
events = uproot.open(url)["Events"].arrays()
assert len(events) == entries, len(events)
assert events["number"].tolist() == list(range(entries))
assert all(muons <= 3 for muons in map(len, events["muons"]["pt"]))
"#;

const BYTES: &str = r#"
import sys
from XRootD import client
with client.File() as file:
    status, _ = file.open(sys.argv[1], timeout=30)
    assert status.ok, status
    status, data = file.read()
    assert status.ok and data == open(sys.argv[2], "rb").read(), status
"#;

#[test]
fn what_is_written_here_is_read_by_the_official_client_and_uproot() {
    rntuple_xrootd::register();
    let Some(server) = Xrootd::start() else { return };
    let url = server.url("/written.root");
    let mut writer = Writer::<Event>::create(&url, Events::NAME, WriteOptions::new()).unwrap();
    for number in 0..3000 {
        writer.fill(&Event::new(number)).unwrap();
        if number == 1000 {
            writer.commit_cluster().unwrap();
        }
    }
    // Under its name there is nothing yet.
    assert!(!server.folder().join("written.root").exists());
    writer.finish().unwrap();
    let local = server.folder().join("written.root");
    run(BYTES, &[&url, local.to_str().unwrap()], &[]);
    run(UPROOT, &[&url, "3000"], &[]);
    let reader = Reader::<Event>::open(&url, Events::NAME).unwrap();
    assert!(reader.entries().map(Result::unwrap).eq((0..3000).map(Event::new)));

    // A second one under the name, and one that is dropped.
    let error = Writer::<Event>::create_new(&url, Events::NAME, WriteOptions::new()).unwrap_err();
    assert!(error.to_string().contains("exists"), "{error}");
    let mut writer = Writer::<Event>::create(&url, Events::NAME, WriteOptions::new()).unwrap();
    writer.fill(&Event::new(0)).unwrap();
    let error = writer.checkpoint().unwrap_err().to_string();
    assert!(error.contains("checkpoints need a local file") && error.contains(&url), "{error}");
    drop(writer);
    let names: Vec<_> = fs::read_dir(server.folder()).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names, ["written.root"]);
    let error = Writer::<Event>::append(&url, Events::NAME, WriteOptions::new()).unwrap_err();
    assert!(error.to_string().contains("URL"), "{error}");
}

#[test]
fn many_files_are_found_and_read_as_one() {
    rntuple_xrootd::register();
    let Some(server) = Xrootd::start() else { return };
    let bytes = Events::small().write().unwrap();
    for run in ["run1", "run2", "other"] {
        fs::create_dir(server.folder().join(run)).unwrap();
        fs::write(server.folder().join(run).join("x.root"), &bytes).unwrap();
    }
    let files = rntuple::Files::glob(&server.url("/run*/?.root")).unwrap();
    let reader = Reader::<Event>::open(files, Events::NAME).unwrap();
    let count = Events::small().count();
    assert_eq!(reader.entry_count().unwrap(), 2 * count);
    assert_eq!(reader.get(count + 7).unwrap(), Event::new(7));
}

#[test]
fn a_walk_takes_few_round_trips() {
    let Some(server) = Xrootd::start() else { return };
    fs::write(server.folder().join("wide.root"), Wide::large().write().unwrap()).unwrap();
    let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
    let url = format!("root://{}//wide.root", proxy.address());
    let options = Options::new().connections(1);
    let file = XrootdFile::open(&url, &options).unwrap();
    let opened = proxy.counters().turns;
    // Greeting and login, limits of the server, and open.
    assert!(opened <= 3, "{opened} round trips");
    let four = (0..4).map(|column| Wide::name(column * 70));
    let reader =
        Reader::<rntuple::Value>::open_with(file, Wide::NAME, ReadOptions::new().fields(four)).unwrap();
    // One, for both ends of the file; an answer of opening may still have been on its way.
    assert!(proxy.counters().turns - opened <= 2);
    let entries = reader.entries().inspect(|entry| assert!(entry.is_ok())).count();
    assert_eq!(entries as u64, Wide::large().count());
    // 80 pages in 20 clusters.
    let turns = proxy.counters().turns - opened;
    assert!(turns <= 8, "{turns} round trips");
}

/// Options of a client that has no patience.
fn quick() -> Options {
    Options::new().timeout(Duration::from_secs(12)).connect_timeout(Duration::from_secs(3)).retries(2)
}

/// A server with and without TLS, each with the scheme of its URLs and the options of a client that has no patience.
fn servers() -> Vec<(Xrootd, &'static str, Options)> {
    let plain = Xrootd::start().map(|server| (server, "root", quick()));
    let tls = Xrootd::with_tls().map(|server| {
        let options = quick().ca_file(server.authority().unwrap());
        (server, "roots", options)
    });
    plain.into_iter().chain(tls).collect()
}

/// Checks all servers at once: each check mostly waits.
fn for_each_server(check: impl Fn(&Xrootd, &str, &Options) + Sync) {
    let servers = servers();
    thread::scope(|scope| {
        for (server, scheme, options) in &servers {
            let check = &check;
            scope.spawn(move || check(server, scheme, options));
        }
    });
}

/// Opens a file and reads it: the number of events, all of them with the right values, or an error that names the file.
fn attempt(url: &str, options: &Options) -> Result<u64, String> {
    let begun = Instant::now();
    // Connections of its own: those of an earlier attempt may work again.
    let read = XrootdFile::open(url, &options.clone().retries(2))
        .map_err(rntuple::Error::from)
        .and_then(read_events)
        .map_err(|error| error.to_string());
    if let Err(error) = &read {
        assert!(error.contains("://127.0.0.1"), "{error}");
    }
    // Each request has its twelve seconds, and the first one that fails ends it: before it there may have been some that
    // succeeded at last. A busy machine adds to that.
    assert!(begun.elapsed() < Duration::from_secs(75), "{:?}: {read:?}", begun.elapsed());
    read
}

/// A sample of 1.2 MB, in eight clusters: its two ends do not meet.
const SAMPLE: Events = Events::new(8, 3_000);

#[test]
fn every_fault_of_the_network_once_and_always() {
    let bytes = SAMPLE.write().unwrap();
    for_each_server(|server, scheme, options| {
        fs::write(server.folder().join("events.root"), &bytes).unwrap();
        let attempt =
            |proxy: &Proxy| attempt(&format!("{scheme}://{}//events.root", proxy.address()), options);
        // In the greeting, the login, the open, the ends, and the pages.
        let all: &[u64] = &[0, 10, 60, 100, 5_000, 100_000, 800_000];
        let once = |link: Link, places: &[u64]| {
            let proxy = Proxy::start(server.address(), link).unwrap();
            for &after_bytes in places {
                for fault in [
                    Fault::Cut { after_bytes },
                    Fault::Truncate { after_bytes },
                    Fault::Stall { after_bytes },
                ] {
                    let occurred = proxy.counters().faults;
                    proxy.set(fault, Repeat::Times(1));
                    assert_eq!(attempt(&proxy), Ok(SAMPLE.count()), "{scheme}: {fault:?}");
                    assert_eq!(proxy.counters().faults, occurred + 1, "{scheme}: {fault:?}");
                }
            }
        };
        let always = || {
            let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
            proxy.set(Fault::Refuse, Repeat::Times(2));
            assert_eq!(attempt(&proxy), Ok(SAMPLE.count()));
            for fault in [
                Fault::Cut { after_bytes: 5_000 },
                Fault::Truncate { after_bytes: 5_000 },
                Fault::Stall { after_bytes: 5_000 },
                Fault::Stall { after_bytes: 0 },
                Fault::Refuse,
            ] {
                proxy.set(fault, Repeat::Always);
                let error = attempt(&proxy).unwrap_err();
                assert!(error.contains(": kXR_"), "{scheme}: {fault:?}: {error}");
            }
        };
        thread::scope(|scope| {
            scope.spawn(|| once(Link::ideal(), all));
            scope.spawn(|| once(Link::new(Duration::from_millis(20)), &[60, 5_000, 800_000]));
            scope.spawn(always);
        });
    });
}

/// One request has its time and no more: ten seconds are for a busy machine.
#[test]
fn an_error_comes_in_time() {
    let Some(server) = Xrootd::start() else { return };
    fs::write(server.folder().join("events.root"), SAMPLE.write().unwrap()).unwrap();
    let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
    let url = format!("root://{}//events.root", proxy.address());
    let timeout = Duration::from_secs(2);
    let options = Options::new().timeout(timeout).connect_timeout(timeout).connections(1).retries(20);
    for fault in [Fault::Stall { after_bytes: 0 }, Fault::Stall { after_bytes: 60 }, Fault::Refuse] {
        proxy.set(fault, Repeat::Always);
        let begun = Instant::now();
        // Connections of its own: those of an earlier attempt may work again.
        XrootdFile::open(&url, &options.clone().retries(20)).unwrap_err();
        assert!(begun.elapsed() < timeout + Duration::from_secs(10), "{fault:?}: {:?}", begun.elapsed());
    }
    proxy.clear();
    let file = XrootdFile::open(&url, &options).unwrap();
    proxy.set(Fault::Stall { after_bytes: 0 }, Repeat::Always);
    let begun = Instant::now();
    file.block(0..100).unwrap_err();
    assert!(begun.elapsed() < timeout + Duration::from_secs(10), "{:?}", begun.elapsed());
}

#[test]
fn a_flipped_bit_is_never_a_value() {
    let bytes = Events::small().write().unwrap();
    let places: Vec<u64> = (0..15).map(|number| number * 17).chain([3_000, 9_000, 30_000]).collect();
    for_each_server(|server, scheme, options| {
        fs::write(server.folder().join("events.root"), &bytes).unwrap();
        let attempt =
            |proxy: &Proxy| attempt(&format!("{scheme}://{}//events.root", proxy.address()), options);
        let check = |places: &[u64]| {
            let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
            for &at_byte in places {
                for repeat in [Repeat::Times(1), Repeat::Always] {
                    proxy.set(Fault::Corrupt { at_byte, every: None }, repeat);
                    let read = attempt(&proxy);
                    assert!(read.is_err() || read == Ok(Events::small().count()), "{at_byte}: {read:?}");
                }
            }
        };
        thread::scope(|scope| {
            for places in places.chunks(6) {
                let check = &check;
                scope.spawn(move || check(places));
            }
        });
        let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
        proxy.set(Fault::Corrupt { at_byte: 1_000, every: Some(5_000) }, Repeat::Always);
        attempt(&proxy).unwrap_err();
    });
}

/// Writes a file, and lets the network work again before the writer is dropped.
fn write(
    url: &str,
    options: &Options,
    bytes: &[u8],
    fail: impl FnOnce(),
    work: impl FnOnce(),
) -> io::Result<()> {
    let mut writer = match XrootdWriter::create(url, options) {
        Ok(writer) => writer,
        Err(error) => {
            work();
            return Err(error);
        }
    };
    fail();
    let mut write = || {
        let (first, rest) = bytes.split_at(100);
        writer.write_at(100, &[IoSlice::new(rest)])?;
        writer.write_at(0, &[IoSlice::new(first)])?;
        writer.flush()?;
        writer.publish()
    };
    let written = write();
    work();
    written
}

#[test]
fn a_writer_that_meets_a_fault_has_written_all_or_nothing() {
    let bytes = Events::new(4, 3_000).write().unwrap();
    let places = [0, 8, 16, 24, 60, 150, 1_000];
    let faults = places
        .into_iter()
        .flat_map(|after_bytes| [Fault::Cut { after_bytes }, Fault::Truncate { after_bytes }])
        .chain([0, 16, 60].map(|after_bytes| Fault::Stall { after_bytes }))
        .chain([Fault::Refuse]);
    // TLS finds them; without it, only the checksum of all of a file does.
    let damages = [0, 20, 60, 150, 1_000]
        .into_iter()
        .flat_map(|at_byte| [Fault::Corrupt { at_byte, every: None }, Fault::CorruptUpload { at_byte }])
        .chain([Fault::CorruptUpload { at_byte: 300_000 }]);
    let (faults, damages): (Vec<_>, Vec<_>) = (faults.collect(), damages.collect());
    let servers = servers();
    // All at once, as each mostly waits; in folders of their own.
    thread::scope(|scope| {
        let mut checks = Vec::new();
        for (server, scheme, options) in &servers {
            let damages = if *scheme == "roots" { &damages[..] } else { &[] };
            for (number, &fault) in faults.iter().chain(damages).enumerate() {
                let (bytes, options) = (&bytes, options.clone().timeout(Duration::from_secs(6)));
                let check = move || check_writer(server, scheme, &options, &number.to_string(), fault, bytes);
                checks.push((*scheme, scope.spawn(check)));
            }
        }
        let written: Vec<_> =
            checks.into_iter().map(|(scheme, check)| (scheme, check.join().unwrap())).collect();
        for (_, scheme, _) in &servers {
            let written: usize =
                written.iter().filter(|(of, _)| of == scheme).map(|(_, written)| written).sum();
            assert!(written > 30, "{scheme}: {written}");
        }
    });
}

/// Writes a file in a folder where a fault occurs, once and always, from the beginning and once the file is open. Returns how
/// many times it was written.
fn check_writer(
    server: &Xrootd,
    scheme: &str,
    options: &Options,
    folder: &str,
    fault: Fault,
    bytes: &[u8],
) -> usize {
    let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
    let url = format!("{scheme}://{}//{folder}/new.root", proxy.address());
    let folder = server.folder().join(folder);
    let names = || -> Vec<String> {
        let entries = fs::read_dir(&folder).into_iter().flatten();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    };
    let mut written = 0;
    for repeat in [Repeat::Times(1), Repeat::Always] {
        for is_late in [false, true] {
            let set = |now: bool| {
                if now {
                    proxy.set(fault, repeat)
                }
            };
            // Each has a connection of its own.
            let options = options.clone().retries(2);
            set(!is_late);
            let begun = Instant::now();
            let result = write(&url, &options, bytes, || set(is_late), || proxy.clear());
            let case = format!("{scheme}: {fault:?}, {repeat:?}, late: {is_late}: {result:?}");
            // Each request has its six seconds; a busy machine adds to them.
            assert!(begun.elapsed() < Duration::from_secs(60), "{case}: {:?}", begun.elapsed());
            match &result {
                Ok(()) => {
                    written += 1;
                    assert_eq!(names(), ["new.root"], "{case}");
                    assert!(fs::read(folder.join("new.root")).unwrap() == bytes, "{case}");
                }
                Err(error) => {
                    assert!(error.to_string().contains("://127.0.0.1"), "{case}");
                    // A complete file is kept, and the error says where. What was created without an answer could not
                    // be removed.
                    let mut left = names();
                    if error.to_string().contains("it is not known whether it was done") {
                        left.retain(|name| name != "new.root");
                    }
                    assert!(!left.contains(&"new.root".to_owned()), "{case}: {left:?}");
                    let is_said = |name: &String| error.to_string().contains(name.as_str());
                    let may_be_left = !is_late && repeat == Repeat::Always;
                    assert!(may_be_left || left.iter().all(is_said), "{case}: {left:?}");
                }
            }
            // The request that creates the file is waited for as long as the time permits, and a handshake of TLS that is
            // damaged is not made again.
            let may_fail =
                matches!(fault, Fault::Stall { .. } | Fault::Corrupt { .. } | Fault::CorruptUpload { .. });
            assert!(result.is_ok() || repeat == Repeat::Always || (may_fail && !is_late), "{case}");
            for name in names() {
                let path = folder.join(name);
                // Whatever has its name is whole.
                assert!(!path.ends_with("new.root") || fs::read(&path).unwrap() == bytes, "{case}");
                fs::remove_file(path).unwrap();
            }
        }
    }
    written
}

/// XRootD locks a file that is open for writing, and learns nothing of the end of the first connection.
#[test]
fn writing_to_a_file_continues_that_the_server_has_open_for_a_dead_connection() {
    let Some(server) = Xrootd::start() else { return };
    let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
    let url = format!("root://{}//new.root", proxy.address());
    let bytes = Events::new(4, 3_000).write().unwrap();
    let vanish = || proxy.set(Fault::Vanish { after_bytes: 0 }, Repeat::Times(1));
    write(&url, &quick().timeout(Duration::from_secs(20)), &bytes, vanish, || {}).unwrap();
    assert_eq!(proxy.counters().faults, 1);
    assert!(fs::read(server.folder().join("new.root")).unwrap() == bytes);
}

#[test]
fn parallel_writers_write_there() {
    rntuple_xrootd::register();
    let Some(server) = Xrootd::start() else { return };
    let url = server.url("/parallel.root");
    let writer = ParallelWriter::<Event>::create(&url, Events::NAME, WriteOptions::new()).unwrap();
    writer
        .scope(|scope| {
            for thread in 0..2 {
                scope.spawn(move |context| {
                    (0..2_000).try_for_each(|number| context.fill(&Event::new(2 * number + thread)))
                });
            }
        })
        .unwrap();
    assert!(!server.folder().join("parallel.root").exists());
    writer.finish().unwrap();
    let reader = Reader::<Event>::open(&url, Events::NAME).unwrap();
    let mut events: Vec<_> = reader.entries().map(Result::unwrap).collect();
    events.sort_by_key(|event| event.number);
    assert!(events.into_iter().eq((0..4_000).map(Event::new)));
}

#[test]
fn what_is_damaged_on_the_way_to_the_server_is_found_where_it_has_checksums() {
    for (has_checksums, directive) in [(true, "xrootd.chksum max 2 adler32\n"), (false, "")] {
        let Some(server) = Xrootd::start_with(directive) else { return };
        let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
        for is_damaged in [false, true] {
            let url = format!("root://{}//{is_damaged}.root", proxy.address());
            let storage = XrootdWriter::create(&url, &quick()).unwrap();
            let options = WriteOptions::new().compression(rntuple::Compression::NONE);
            let mut writer = Writer::<Event, _>::new(storage, Events::NAME, options).unwrap();
            if is_damaged {
                // In the bytes of a page.
                proxy.set(Fault::CorruptUpload { at_byte: 100_000 }, Repeat::Times(1));
            }
            for number in 0..3000 {
                writer.fill(&Event::new(number)).unwrap();
            }
            let written = writer.finish().map(drop).map_err(|error| error.to_string());
            assert_eq!(proxy.counters().faults, u64::from(is_damaged));
            let exists = server.folder().join(format!("{is_damaged}.root")).exists();
            match written {
                Err(error) if is_damaged && has_checksums => {
                    assert!(error.contains(&url) && error.contains("checksum is adler32"), "{error}");
                    assert!(!exists);
                }
                written => assert_eq!((written, exists), (Ok(()), true)),
            }
        }
    }
}

#[test]
#[ignore = "a part of another test"]
fn child() {
    let Some(url) = memory::target() else { return };
    let bytes = vec![7; 64 << 20];
    let mut writer = XrootdWriter::create(&url, &Options::new()).unwrap();
    writer.write_at(0, &[IoSlice::new(&bytes[..1 << 20])]).unwrap();
    memory::report(|| {
        writer.write_at(1 << 20, &[IoSlice::new(&bytes[1 << 20..])]).unwrap();
        writer.publish().unwrap();
    });
}

/// The same in parts of 4 MiB, four at a time.
#[test]
#[ignore = "a part of another test"]
fn upload_child() {
    let Some(url) = memory::target() else { return };
    let store = XrootdStore::new(&url, &Options::new()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut upload = store.put_multipart(&"b.root".into()).await.unwrap();
        let mut parts = tokio::task::JoinSet::<object_store::Result<()>>::new();
        let before = memory::most();
        for _ in 0..32 {
            if parts.len() == 4 {
                parts.join_next().await.unwrap().unwrap().unwrap();
            }
            parts.spawn(upload.put_part(PutPayload::from(vec![7; 4 << 20])));
        }
        parts.join_all().await.into_iter().for_each(Result::unwrap);
        upload.complete().await.unwrap();
        memory::say(before);
    });
}

/// Over a network that is slower than the writer, which keeps what is not confirmed, 8 MiB, and the parts that it was given.
#[test]
fn the_memory_of_a_writer_is_bounded() {
    let Some(server) = Xrootd::start() else { return };
    let proxy = Proxy::start(server.address(), Link::ideal().bandwidth(80_000_000)).unwrap();
    let mib = |count: usize| count << 20;
    for (child, place, name, most, size) in [
        ("xrootd::child", "//a.root", "a.root", mib(12), mib(64)),
        ("xrootd::upload_child", "/", "b.root", mib(48), mib(128)),
    ] {
        let taken = memory::taken_by(child, &format!("root://{}{place}", proxy.address()));
        assert!(taken < most, "{child}: {taken}");
        assert_eq!(fs::metadata(server.folder().join(name)).unwrap().len(), size as u64);
    }
}
