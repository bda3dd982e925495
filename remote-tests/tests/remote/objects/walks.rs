//! How many requests walks make, other than those from entry to entry.

use std::ops::Range;

use rntuple::{Reader, Value};
use rntuple_object_store::ObjectFile;
use rntuple_remote_tests::http::FileServer;
use rntuple_remote_tests::sample::{Event, Events};

use super::requests::{bytes, ranges};
use super::store::{Over, quick, server_of};

const MIB: u64 = 1 << 20;
const EVENTS: Events = Events::new(48, 5_000);

/// Reads all events once, and returns how many there were.
type Walk = fn(ObjectFile) -> u64;

fn reader<T: rntuple::Entry + rntuple::field::ReadField>(file: ObjectFile) -> Reader<T> {
    Reader::open(file, Events::NAME).unwrap()
}

/// Each with the requests that it may make in addition to one for 8 MiB, and those of opening.
const WALKS: [(&str, Walk, usize); 3] = [
    (
        "batches",
        |file| {
            let (reader, mut count) = (reader::<Event>(file), 0);
            let mut batches = reader.batches(4_000);
            while let Some(events) = batches.lend().unwrap() {
                for (number, met) in events.number.iter().zip(events.met) {
                    assert_eq!((*number, *met), (count, Event::new(count).met));
                    count += 1;
                }
            }
            count
        },
        1,
    ),
    (
        "batches at run time",
        |file| reader::<Value>(file).batches(4_000).map(|batch| batch.unwrap().len() as u64).sum(),
        1,
    ),
    (
        "one column",
        |file| {
            let (reader, mut numbers) = (reader::<Value>(file), Vec::new());
            let mut column = reader.column::<u64>("number").unwrap();
            while column.read_into(10_000, &mut numbers).unwrap() > 0 {}
            assert!(numbers.iter().copied().eq(0..EVENTS.count()));
            numbers.len() as u64
        },
        1,
    ),
];

fn asked(server: &FileServer) -> Vec<Range<u64>> {
    let mut ranges = ranges(&server.take_requests());
    ranges.sort_by_key(|range| range.start);
    ranges
}

#[test]
fn walks_make_few_requests_over_each_protocol() {
    let file = EVENTS.write().unwrap();
    let size = file.len() as u64;
    assert!(size > 8 * MIB, "{size}");
    for over in Over::ALL {
        for (name, walk, others) in WALKS {
            let server = server_of(&file);
            let (url, options) = over.at(server.address(), &quick());
            let file = ObjectFile::open(&url, &options).unwrap();
            assert_eq!(walk(file), EVENTS.count(), "{} {name}", over.name());
            let asked = asked(&server);
            let case = format!("{}, {name}: {asked:?}", over.name());
            // Two are those of opening.
            assert!(asked.len() <= size.div_ceil(8 * MIB) as usize + others + 2, "{case}");
            // The ends may come once more with the pages that are there.
            assert!(bytes(&asked) <= size + MIB, "{case}");
        }
    }
}
