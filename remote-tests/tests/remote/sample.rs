//! The files have what their types say.

use rntuple::{Reader, Value};
use rntuple_remote_tests::sample::{Events, Wide};

use crate::values::{check_wide, read_events};

#[test]
fn events_follow_from_their_number() {
    let sample = Events::small();
    let file = sample.write().unwrap();
    assert_eq!(sample.write().unwrap(), file);
    let reader = Reader::<Value>::open(file.clone(), Events::NAME).unwrap();
    assert_eq!(reader.dataset(0).unwrap().cluster_count(), 4);
    assert_eq!(read_events(file).unwrap(), sample.count());
}

#[test]
fn wide_entries_follow_from_their_number() {
    let sample = Wide::small();
    check_wide(sample.write().unwrap(), sample);
}

#[test]
fn large_files_are_as_large_as_they_say() {
    let events = Events::large().write().unwrap().len() >> 20;
    assert_eq!(events, 17, "MiB of events");
    let wide = Wide::large().write().unwrap().len() / 1_000_000;
    assert_eq!(wide, 36, "MB of columns");
}
