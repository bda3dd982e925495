//! The files have what their types say.

use rntuple::{Reader, Value};
use rntuple_remote_tests::sample::{Event, Events, Wide};

#[test]
fn events_follow_from_their_number() {
    let sample = Events::small();
    let file = sample.write().unwrap();
    assert_eq!(sample.write().unwrap(), file);
    let reader = Reader::<Event>::open(file, Events::NAME).unwrap();
    assert_eq!(reader.dataset(0).unwrap().cluster_count(), 4);
    let mut count = 0;
    for event in reader.entries() {
        assert_eq!(event.unwrap(), Event::new(count));
        count += 1;
    }
    assert_eq!(count, sample.count());
}

#[test]
fn wide_entries_follow_from_their_number() {
    let sample = Wide::small();
    let reader = Reader::<Value>::open(sample.write().unwrap(), Wide::NAME).unwrap();
    let mut count = 0;
    for entry in reader.entries() {
        let entry = entry.unwrap();
        for column in 0..sample.columns() {
            assert_eq!(entry.get(&Wide::name(column)), Some(&Wide::value(column, count)));
        }
        count += 1;
    }
    assert_eq!(count, sample.count());
}

#[test]
fn large_files_are_as_large_as_they_say() {
    let events = Events::large().write().unwrap().len() >> 20;
    assert_eq!(events, 17, "MiB of events");
    let wide = Wide::large().write().unwrap().len() / 1_000_000;
    assert_eq!(wide, 36, "MB of columns");
}
