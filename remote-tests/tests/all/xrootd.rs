//! Files over `root://`, with the official client and uproot as peers.

use std::fs;
use std::time::Duration;

use rntuple::{ReadOptions, Reader, WriteOptions, Writer};
use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};
use rntuple_remote_tests::sample::{Event, Events, Wide};
use rntuple_remote_tests::servers::Xrootd;
use rntuple_xrootd::{Options, XrootdFile};

use crate::peers::run;

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

#[test]
fn every_fault_of_the_network_ends_in_the_right_values_or_in_an_error() {
    let Some(server) = Xrootd::start() else { return };
    fs::write(server.folder().join("events.root"), Events::small().write().unwrap()).unwrap();
    let count = Events::small().count();
    let options = || {
        let time = Duration::from_secs(3);
        Options::new().timeout(time).connect_timeout(time).retries(2)
    };
    let faults = [
        Fault::Cut { after_bytes: 5_000 },
        Fault::Truncate { after_bytes: 5_000 },
        Fault::Stall { after_bytes: 5_000 },
        Fault::Corrupt { at_byte: 9_000, every: None },
        Fault::Corrupt { at_byte: 3_000, every: Some(20_000) },
        Fault::Refuse,
    ];
    for fault in faults {
        for repeat in [Repeat::Times(1), Repeat::Always] {
            let proxy = Proxy::start(server.address(), Link::ideal()).unwrap();
            let url = format!("root://{}//events.root", proxy.address());
            proxy.set(fault, repeat);
            let begun = std::time::Instant::now();
            let read = || -> rntuple::Result<()> {
                let file = XrootdFile::open(&url, &options())?;
                let reader = Reader::<Event>::open(file, Events::NAME)?;
                let mut next = 0;
                for event in reader.entries() {
                    assert_eq!(event?, Event::new(next), "{fault:?}");
                    next += 1;
                }
                assert_eq!(next, count);
                Ok(())
            };
            if let Err(error) = read() {
                assert!(error.to_string().contains("root://127.0.0.1"), "{fault:?} {repeat:?}: {error}");
            }
            // Open, ends, pages, each tried three times, and pages once more alone.
            assert!(begun.elapsed() < Duration::from_secs(60), "{fault:?} {repeat:?}: {:?}", begun.elapsed());
        }
    }
}
