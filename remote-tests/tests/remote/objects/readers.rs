//! Faults that others than readers of entries meet: the right values, or an error that names the file.

use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt64Type};
use rayon::iter::ParallelIterator;
use rntuple::columns::AnyColumns;
use rntuple::storage::ReadAt;
use rntuple::{Reader, Value};
use rntuple_arrow::ArrowReader;
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{self, Rule};
use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};
use rntuple_remote_tests::sample::{Event, Events};
use rntuple_remote_tests::servers::Xrootd;
use rntuple_xrootd::XrootdFile;

use super::store::{PATH, SAMPLE, quick, sample, server};

type File = Arc<dyn ReadAt>;

/// Reads all events, compares each value, and returns how many there were.
type Read = fn(File) -> Outcome;

type Outcome = Result<u64, Box<dyn std::error::Error + Send + Sync>>;

/// Not a single wrong value, whatever happens later.
fn compare(first: u64, numbers: &[u64], mets: &[f32]) -> u64 {
    assert_eq!(numbers.len(), mets.len());
    for ((number, met), expected) in numbers.iter().zip(mets).zip(first..) {
        assert_eq!((*number, *met), (expected, Event::new(expected).met));
    }
    numbers.len() as u64
}

const READERS: [(&str, Read); 7] = [
    ("lent batches", |file| {
        let reader = Reader::<Event>::open(file, Events::NAME)?;
        let (mut batches, mut count) = (reader.batches(1_000), 0);
        while let Some(events) = batches.lend()? {
            let muons = (count..).zip(events.muons);
            muons.for_each(|(number, muons)| assert_eq!(muons.len(), Event::new(number).muons.len()));
            count += compare(count, events.number, events.met);
        }
        Ok(count)
    }),
    ("owned batches", |file| {
        let reader = Reader::<Event>::open(file, Events::NAME)?;
        reader.batches(1_000).try_fold(0, |count, events| {
            let events = events?;
            Ok(count + compare(count, &events.number, &events.met))
        })
    }),
    ("batches at run time", |file| {
        let reader = Reader::<Value>::open(file, Events::NAME)?;
        reader.batches(1_000).try_fold(0, |count, events| {
            let AnyColumns::Record(events) = events? else { panic!("entries are records") };
            match (events.get("number"), events.get("met")) {
                (Some(AnyColumns::U64(numbers)), Some(AnyColumns::F32(mets))) => {
                    Ok(count + compare(count, numbers, mets))
                }
                other => panic!("{other:?}"),
            }
        })
    }),
    ("several threads", |file| {
        let reader = Reader::<Event>::open(file, Events::NAME)?;
        let check = |event: rntuple::Result<Event>| -> rntuple::Result<u64> {
            let event = event?;
            assert_eq!(event, Event::new(event.number));
            Ok(1)
        };
        Ok(reader.par_entries().map(check).try_reduce(|| 0, |a, b| Ok(a + b))?)
    }),
    ("columns", |file| {
        let reader = Reader::<Value>::open(file, Events::NAME)?;
        let (mut numbers, mut mets) = (Vec::new(), Vec::new());
        reader.column::<u64>("number")?.read_into(usize::MAX, &mut numbers)?;
        let mut column = reader.column::<f32>("met")?;
        while let Some(chunk) = column.next_chunk()? {
            mets.extend_from_slice(chunk);
        }
        Ok(compare(0, &numbers, &mets))
    }),
    ("a filter", |file| {
        let reader = Reader::<Event>::open(file, Events::NAME)?;
        let filtered = reader.filter(&"met >= 0 and size(muons) < 4".parse()?)?;
        let mut count = 0;
        for event in filtered.entries() {
            assert_eq!(event?, Event::new(count));
            count += 1;
        }
        Ok(count)
    }),
    ("Arrow", |file| {
        let mut count = 0;
        for batch in ArrowReader::open(file, Events::NAME)?.batch_size(1_000) {
            let batch = batch?;
            let numbers = batch.column_by_name("number").unwrap().as_primitive::<UInt64Type>();
            let mets = batch.column_by_name("met").unwrap().as_primitive::<Float32Type>();
            count += compare(count, numbers.values(), mets.values());
        }
        Ok(count)
    }),
];

/// The number of events, or an error that names the file, and comes in time.
fn attempt(read: Read, open: impl FnOnce() -> std::io::Result<File>) -> Result<u64, String> {
    let begun = Instant::now();
    let file = open();
    let name = file.as_ref().map_or(String::new(), |file| file.name().to_owned());
    let result = file.map_err(Into::into).and_then(read).map_err(|error| error.to_string());
    assert!(result.as_ref().err().is_none_or(|error| error.contains(&name)), "{name}: {result:?}");
    // With all retries, for each of several requests; a busy machine adds to that.
    assert!(begun.elapsed() < Duration::from_secs(240), "{:?}: {result:?}", begun.elapsed());
    result
}

/// Checks all readers at once: much of a check is waiting.
fn for_each_reader(check: impl Fn(&str, Read) + Sync) {
    thread::scope(|scope| {
        for (name, read) in READERS {
            let check = &check;
            scope.spawn(move || check(name, read));
        }
    });
}

fn options() -> Options {
    // The fault takes the one retry: silence that is not part of it has to be shorter, also on a busy machine.
    quick().stall_timeout(Duration::from_secs(3)).timeout(Duration::from_secs(20)).retries(1)
}

fn object(url: &str) -> std::io::Result<File> {
    Ok(Arc::new(ObjectFile::open(url, &options())?))
}

#[test]
fn servers_that_misbehave() {
    use http::Fault;
    let longer = Events::new(8, 3_100);
    let other = longer.write().unwrap();
    for_each_reader(|name, read| {
        let faults = [
            ("an error", Fault::status(500).into()),
            ("a hangup", Fault::Hangup),
            ("silence", Fault::Silence),
            ("truncated", Fault::Truncated(1000)),
            ("too short", Fault::ShortRange),
            ("elsewhere", Fault::WrongRange),
            ("no ranges", Fault::WholeFile),
            ("corrupt", Fault::Corrupt),
            ("replaced", Fault::Replace(other.clone())),
        ];
        for (what, fault) in faults {
            // The first two requests are those of opening.
            let skip = 2;
            for is_always in [false, true] {
                let server = server();
                let rule = Rule::new(fault.clone()).skip(skip);
                server.add(if is_always { rule } else { rule.times(1) });
                let result = attempt(read, || object(&server.url(PATH)));
                let case = format!("{name}: {what}, after {skip} requests, always: {is_always}: {result:?}");
                let is_replaced = matches!(fault, Fault::Replace(_));
                match &result {
                    Ok(count) => {
                        assert!(*count == SAMPLE.count() || is_replaced && *count == longer.count(), "{case}")
                    }
                    Err(error) if is_replaced => assert!(error.contains("was replaced"), "{case}"),
                    Err(_) => {}
                }
                // The bit may be in bytes that are not needed.
                assert!(result.is_err() || !is_always || matches!(fault, Fault::Corrupt), "{case}");
                // What passes is tried again.
                let passes = matches!(fault, Fault::Status(_) | Fault::Hangup | Fault::Silence);
                assert!(result.is_ok() || is_always || !passes, "{case}");
            }
        }
    });
}

#[test]
fn networks_that_fail() {
    let server = server();
    let xrootd = Xrootd::start();
    if let Some(xrootd) = &xrootd {
        fs::write(xrootd.folder().join("events.root"), sample()).unwrap();
    }
    for_each_reader(|name, read| {
        let http = Proxy::start(server.address(), Link::ideal()).unwrap();
        let root = xrootd.as_ref().map(|xrootd| Proxy::start(xrootd.address(), Link::ideal()).unwrap());
        for (proxy, is_http) in [(&http, true)].into_iter().chain(root.iter().map(|proxy| (proxy, false))) {
            let open = || -> std::io::Result<File> {
                if is_http {
                    return object(&format!("http://{}{PATH}", proxy.address()));
                }
                let options = rntuple_xrootd::Options::new().timeout(Duration::from_secs(5)).retries(2);
                let url = format!("root://{}//events.root", proxy.address());
                Ok(Arc::new(XrootdFile::open(&url, &options)?))
            };
            // In the first of the pages that are not in the ends, which are 512 KiB: some readers need few of them.
            let after_bytes = 540_000;
            for fault in [
                Fault::Cut { after_bytes },
                Fault::Truncate { after_bytes },
                Fault::Stall { after_bytes },
                Fault::Corrupt { at_byte: after_bytes, every: Some(50_000) },
            ] {
                for repeat in [Repeat::Times(1), Repeat::Always] {
                    proxy.reset_all();
                    proxy.set(fault, repeat);
                    let result = attempt(read, open);
                    let case = format!("{name}: {fault:?}, {repeat:?}, HTTP: {is_http}: {result:?}");
                    let is_damage = matches!(fault, Fault::Corrupt { .. });
                    assert!(result.as_ref().is_ok_and(|count| *count == SAMPLE.count()) || result.is_err());
                    // Over `root://`, what has waited for all of its time is not tried again.
                    let is_late = !is_http && matches!(fault, Fault::Stall { .. });
                    assert!(result.is_ok() || is_damage || is_late || repeat == Repeat::Always, "{case}");
                    proxy.clear();
                }
            }
            assert_eq!(attempt(read, open), Ok(SAMPLE.count()), "{name}");
        }
    });
}
