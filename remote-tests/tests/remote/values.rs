//! Reads samples, and compares each value with what it must be.

use rntuple::{Files, ReadOptions, Reader, Result, Value};
use rntuple_remote_tests::sample::{Event, Events, Wide};

/// Reads all events, each of which must be what its number says, and returns how many there were.
pub(crate) fn read_events(files: impl Into<Files>) -> Result<u64> {
    read_events_with(files, ReadOptions::new())
}

/// As [`read_events`], with options.
pub(crate) fn read_events_with(files: impl Into<Files>, options: ReadOptions) -> Result<u64> {
    let reader = Reader::<Event>::open_with(files, Events::NAME, options)?;
    let mut count = 0;
    for event in reader.entries() {
        // Not a single wrong value, whatever happens later.
        assert_eq!(event?, Event::new(count));
        count += 1;
    }
    Ok(count)
}

/// Reads all entries of a sample, and compares each value.
pub(crate) fn check_wide(files: impl Into<Files>, sample: Wide) {
    let reader = Reader::<Value>::open(files, Wide::NAME).unwrap();
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
