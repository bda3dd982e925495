//! Which requests wait for others. The server answers in rounds, each when all of its requests have arrived: a client that
//! makes them one after the other, where it should not, gets no answer.

use std::time::Duration;

use rntuple::{Files, ReadOptions, Reader, Value};
use rntuple_object_store::{ObjectFile, Options};
use rntuple_remote_tests::http::{Fault, FileServer, Habits, Rule};
use rntuple_remote_tests::sample::{Event, Events, Wide};

use super::store::registered;

/// Options of a client that repeats nothing. Where a round is never complete, its error comes after this time.
fn once() -> Options {
    let time = Duration::from_secs(30);
    Options::new().timeout(time).stall_timeout(time).retries(0)
}

/// Pages that are far from each other are requests of their own: all of those of a walk are under way at once, up to a
/// number for each file, whatever batches they are in.
#[test]
fn few_columns_of_many_take_few_rounds() {
    let wide = Wide::new(300, 100, 20);
    let columns = [10u16, 97, 176, 251];
    let server = FileServer::start([("/wide.root", wide.write().unwrap())]).unwrap();
    // The beginning, the end and the page list are asked for before.
    let walk = |rounds: &[usize], options: Options| {
        server.take_requests();
        server.answer_in_rounds(&[&[1, 1, 1], rounds].concat());
        let file = ObjectFile::open(&server.url("/wide.root"), &options.merge_gap(0)).unwrap();
        let fields = ReadOptions::new().fields(columns.map(Wide::name)).merge_gap(0);
        let reader = Reader::<Value>::open_with(file, Wide::NAME, fields).unwrap();
        let mut count = 0;
        for entry in reader.entries() {
            let entry = entry.unwrap();
            for column in columns {
                assert_eq!(entry.get(&Wide::name(column)), Some(&Wide::value(column, count)));
            }
            count += 1;
        }
        assert_eq!(count, wide.count());
        server.requests().len() - 3
    };
    // One for each page, but for those that came with the beginning.
    let pages = walk(&[], once());
    assert!((370..380).contains(&pages), "{pages}");
    assert_eq!(walk(&[256, pages - 256], once()), pages);
    assert_eq!(walk(&[pages], once().concurrency(pages)), pages);
    let (tens, rest) = (vec![10; pages / 10], pages % 10);
    let rounds = [&tens[..], &[rest]].concat();
    assert_eq!(walk(&rounds[..tens.len() + usize::from(rest > 0)], once().concurrency(10)), pages);
}

/// The file that comes next is opened while the last clusters of the one before are on their way.
#[test]
fn the_next_file_is_opened_ahead() {
    let small = Events::new(4, 4_000);
    let bytes = small.write().unwrap();
    let names = ["/a.root", "/b.root", "/c.root"];
    let server = FileServer::start(names.map(|name| (name, bytes.clone()))).unwrap();
    let _registered = registered(once());
    // The ends of the first file; then its pages, and the beginning of the second one; the end of that; and so on.
    server.answer_in_rounds(&[1, 1, 2, 1, 2, 1, 1]);
    let files: Files = names.iter().map(|name| server.url(name)).collect();
    let options = ReadOptions::new().same_schema(true);
    let reader = Reader::<Event>::open_with(files, Events::NAME, options).unwrap();
    let mut count = 0;
    for event in reader.entries() {
        assert_eq!(event.unwrap(), Event::new(count % small.count()));
        count += 1;
    }
    assert_eq!(count, 3 * small.count());
    let requests = server.requests();
    let asked = |name: &str| requests.iter().filter(|request| request.path == name).count();
    assert_eq!(names.map(asked), [3; 3]);
}

/// A list says how long a file is: both of its ends are asked for at once.
#[test]
fn a_file_of_a_list_is_opened_in_one_round() {
    let events = Events::new(4, 4_000);
    let server = FileServer::start([("/a.root", events.write().unwrap())]).unwrap();
    server.set_habits(Habits::new().lists(true));
    let _registered = registered(once());
    server.answer_in_rounds(&[1, 2, 1]);
    let files = Files::glob(&server.url("/*.root")).unwrap();
    let reader = Reader::<Event>::open(files, Events::NAME).unwrap();
    let read: Vec<_> = reader.entries().map(Result::unwrap).collect();
    assert!(read.into_iter().eq((0..events.count()).map(Event::new)));
    assert_eq!(server.take_requests().len(), 4);

    // Of a file whose ends would meet, all is asked for.
    let events = Events::new(2, 4_000);
    let bytes = events.write().unwrap();
    assert!((256 << 10..512 << 10).contains(&bytes.len()));
    server.put("/a.root", bytes);
    server.answer_in_rounds(&[1, 1]);
    let files = Files::glob(&server.url("/*.root")).unwrap();
    let reader = Reader::<Event>::open(files, Events::NAME).unwrap();
    assert_eq!(reader.entries().map(Result::unwrap).count() as u64, events.count());
    assert_eq!(server.requests().len(), 2);
}

/// What a list has said may be wrong by now.
#[test]
fn a_file_that_is_replaced_after_it_was_listed_is_read_as_it_is() {
    let [old, shorter, longer] = [2, 1, 3].map(|clusters| Events::new(clusters, 8_000));
    let server = FileServer::start([("/a.root", "")]).unwrap();
    server.set_habits(Habits::new().lists(true));
    let _registered = registered(once());
    for new in [shorter, longer, old] {
        server.put("/a.root", old.write().unwrap());
        let files = Files::glob(&server.url("/*.root")).unwrap();
        server.put("/a.root", new.write().unwrap());
        let reader = Reader::<Event>::open(files, Events::NAME).unwrap();
        let read: Vec<_> = reader.entries().map(Result::unwrap).collect();
        assert!(read.into_iter().eq((0..new.count()).map(Event::new)));
    }
    // Between its two ends.
    server.put("/a.root", old.write().unwrap());
    let files = Files::glob(&server.url("/*.root")).unwrap();
    // It begins with a block of 64 KiB.
    let tail = (old.write().unwrap().len() - (256 << 10)) >> 16 << 16;
    let tail = format!("bytes={tail}-");
    server.add(Rule::new(Fault::Replace(longer.write().unwrap())).range(tail).times(1));
    match Reader::<Event>::open(files, Events::NAME) {
        // The other end was asked for later.
        Ok(reader) => assert_eq!(reader.entry_count().unwrap(), longer.count()),
        Err(error) => assert!(error.to_string().contains("was replaced"), "{error}"),
    }
}
