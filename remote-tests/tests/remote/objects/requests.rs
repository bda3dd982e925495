//! How many requests are made, and for what.

use std::ops::Range;

use rntuple::{RNTuple, Reader, Value};
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{FileServer, Habits, Request};
use rntuple_remote_tests::sample::{Event, Events, Wide};

use super::store::{PATH, quick};
use crate::values::{check_wide, read_events};

const MIB: u64 = 1 << 20;

/// The bytes that each request asked for; there is none without a range, and none from the end.
pub(super) fn ranges(requests: &[Request]) -> Vec<Range<u64>> {
    let range = |request: &Request| {
        let range = request.range.as_deref().and_then(|range| range.strip_prefix("bytes="));
        let (start, end) = range.and_then(|range| range.split_once('-')).unwrap();
        start.parse().unwrap()..end.parse::<u64>().unwrap() + 1
    };
    requests.iter().map(range).collect()
}

pub(super) fn bytes(ranges: &[Range<u64>]) -> u64 {
    ranges.iter().map(|range| range.end - range.start).sum()
}

/// Opens and walks a file.
fn check_walk(file: Vec<u8>, count: u64) {
    let size = file.len() as u64;
    let server = FileServer::start([(PATH, file)]).unwrap();
    let file = ObjectFile::open(&server.url(PATH), &quick()).unwrap();
    let reader = Reader::<Event>::open(file, Events::NAME).unwrap();
    assert_eq!(reader.entry_count().unwrap(), count);
    let opening = ranges(&server.take_requests());
    assert!(opening.len() <= 3, "{opening:?}");
    assert_eq!(reader.entries().map(|event| event.unwrap().number).max(), Some(count - 1));
    let walk = ranges(&server.requests());
    assert!(walk.len() as u64 <= size.div_ceil(8 * MIB) + 1, "{size} bytes: {walk:?}");
    assert!(bytes(&walk) <= size, "{size} bytes: {walk:?}");
    // Connections are used again: as many as there are requests at once, at most.
    let connections = server.requests().iter().map(|request| request.connection).max();
    assert!(connections.unwrap() <= 9, "{connections:?}");
}

#[test]
fn a_walk() {
    check_walk(Events::new(2, 120_000).write().unwrap(), 240_000);
    check_walk(Events::new(60, 4_000).write().unwrap(), 240_000);
}

#[test]
fn a_walk_over_many_small_clusters() {
    check_walk(Events::new(400, 500).write().unwrap(), 200_000);
}

#[test]
fn few_columns_of_many() {
    #[derive(RNTuple)]
    struct Neighbours {
        c100: f32,
        c101: f64,
        c102: i32,
        c103: u64,
    }
    #[derive(RNTuple)]
    struct Scattered {
        c000: f32,
        c101: f64,
        c202: i32,
        c299: u64,
    }
    let wide = Wide::new(300, 10, 1000);
    let (server, size) = {
        let file = wide.write().unwrap();
        let size = file.len() as u64;
        (FileServer::start([(PATH, file)]).unwrap(), size)
    };
    let open = |options: &Options| ObjectFile::open(&server.url(PATH), options).unwrap();
    let wanted = 10 * 1000 * 24;

    let reader = Reader::<Neighbours>::open(open(&quick()), Wide::NAME).unwrap();
    server.take_requests();
    let check = |entry: u64, found: (f32, f64, i32, u64), columns: [u16; 4]| {
        let values = columns.map(|column| Wide::value(column, entry));
        let (a, b, c, d) = found;
        let found: [Value; 4] = [a.into(), b.into(), c.into(), d.into()];
        assert_eq!(found, values);
    };
    for (entry, value) in reader.entries().enumerate() {
        let it = value.unwrap();
        check(entry as u64, (it.c100, it.c101, it.c102, it.c103), [100, 101, 102, 103]);
    }
    let asked = ranges(&server.take_requests());
    assert!(asked.len() <= 10 && bytes(&asked) < 2 * wanted, "{asked:?}");

    // A gap is cheaper than a request, up to a size that depends on the network.
    for (gap, most_requests, most_bytes) in [(MIB, 4, size), (16 << 10, 40, 2 * wanted)] {
        let reader = Reader::<Scattered>::open(open(&quick().merge_gap(gap)), Wide::NAME).unwrap();
        server.take_requests();
        for (entry, value) in reader.entries().enumerate() {
            let it = value.unwrap();
            check(entry as u64, (it.c000, it.c101, it.c202, it.c299), [0, 101, 202, 299]);
        }
        let asked = ranges(&server.take_requests());
        assert!(asked.len() <= most_requests && bytes(&asked) <= most_bytes, "{gap}: {asked:?}");
    }
}

/// Requests that opening a sample takes, each after the one before.
fn opening(wide: Wide) -> Vec<Range<u64>> {
    let server = FileServer::start([(PATH, wide.write().unwrap())]).unwrap();
    let file = ObjectFile::open(&server.url(PATH), &quick()).unwrap();
    let reader = Reader::<Value>::open(file, Wide::NAME).unwrap();
    assert_eq!(reader.entry_count().unwrap(), wide.count());
    ranges(&server.requests())
}

#[test]
fn opening_takes_one_request_for_each_end_and_more_for_what_is_longer() {
    let usual = opening(Wide::new(30, 20, 1000));
    assert_eq!(usual.len(), 2, "{usual:?}");
    // As many columns as there are in wide files of experiments, and their page lists.
    let large = opening(Wide::large());
    assert!(large.len() <= 3, "{large:?}");
    // Many columns, then page lists of over 256 KiB for them too.
    let header = opening(Wide::new(3000, 1, 10));
    assert!(header.len() <= 3, "{header:?}");
    let lists = opening(Wide::new(3000, 20, 10));
    assert!(lists.len() <= 3, "{lists:?}");
}

/// The first request says all that is needed of a file that it covers.
#[test]
fn small_files_take_one_request() {
    let events = Events::new(1, 500);
    let file = events.write().unwrap();
    assert!(file.len() < 64 << 10);
    let server = FileServer::start([(PATH, file)]).unwrap();
    for habits in [Habits::new(), Habits::xrootd()] {
        server.set_habits(habits);
        let file = ObjectFile::open(&server.url(PATH), &quick()).unwrap();
        assert_eq!(read_events(file).unwrap(), 500);
        assert_eq!(ranges(&server.take_requests()), std::slice::from_ref(&(0..256 << 10)));
    }
    let wide = Wide::small();
    server.put(PATH, wide.write().unwrap());
    check_wide(ObjectFile::open(&server.url(PATH), &quick()).unwrap(), wide);
}
