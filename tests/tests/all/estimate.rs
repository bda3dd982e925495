//! What writing would come to, from a sample.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use rntuple::storage::{Memory, Null};
use rntuple::summary::{Forecast, Summary};
use rntuple::{Compression, ErrorKind, WriteOptions, Writer};
use rntuple_tests::sample::{Noisy, noisy};

fn write(events: &[Noisy], options: WriteOptions) -> Summary {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(events).unwrap();
    writer.finish().unwrap()
}

/// Whether two numbers differ by less than `percent`.
fn is_near(one: u64, other: u64, percent: u64) -> bool {
    one.abs_diff(other) * 100 <= one.max(other) * percent
}

#[test]
fn it_is_near_what_is_written() {
    let all = noisy(400_000);
    let options = [
        WriteOptions::new(),
        WriteOptions::new().compression(Compression::NONE),
        WriteOptions::fast().cluster_size(1 << 20),
        WriteOptions::low_memory(),
    ];
    for options in options {
        let written = write(&all, options.clone());
        let forecast = Writer::estimate(&all[..100_000], 400_000, options.clone()).unwrap();
        assert_eq!(forecast.page_length, written.page_length);
        assert!(is_near(forecast.file_size, written.file_size, 2), "{forecast:?} {written:?}");
        assert!(is_near(forecast.pages, written.pages, 10), "{forecast:?} {written:?}");
        assert!(
            forecast.clusters.abs_diff(written.clusters) <= 1 + written.clusters / 10,
            "{forecast:?} {written:?}"
        );
        assert!(forecast.time > Duration::ZERO);
        // A tenth as many are a tenth as much.
        let less = Writer::estimate(&all[..100_000], 40_000, options).unwrap();
        assert!(is_near(less.page_length * 10, written.page_length, 1), "{less:?} {written:?}");
    }
}

#[test]
fn memory_is_within_what_the_options_allow() {
    let sample = noisy(20_000);
    let memory = |options| Writer::estimate(&sample, 10_000_000, options).unwrap().memory;
    // Three columns, two pages of each, and the buffer; of a codec its own memory, and three pages on their way through it.
    assert_eq!(memory(WriteOptions::new().compression(Compression::NONE)), 6 * (64 << 10) + (1 << 20));
    assert_eq!(memory(WriteOptions::new()), 6 * (256 << 10) + (4 << 20) + (640 << 10) + 3 * (256 << 10));
    assert_eq!(
        memory(WriteOptions::low_memory()),
        6 * (16 << 10) + (512 << 10) + (192 << 10) + 3 * (16 << 10)
    );
    // zstd 9 works in 24 times a page.
    assert!(memory(WriteOptions::archive()) > 24 << 20);
    assert_eq!(memory(WriteOptions::new().memory_budget(3 << 20)), 3 << 20);
}

#[test]
fn a_sample_may_begin_again_in_any_order() {
    let sample = noisy(1000);
    let sorted = || WriteOptions::new().sorted_by(["number"]);
    let forecast = Writer::estimate(&sample, 1_000_000, sorted()).unwrap();
    assert_eq!(
        forecast.page_length,
        Writer::estimate(&sample, 1_000_000, WriteOptions::new()).unwrap().page_length
    );
    let reversed: Vec<_> = sample.into_iter().rev().collect();
    assert_eq!(Writer::estimate(&reversed, 1_000_000, sorted()).unwrap().page_length, forecast.page_length);
}

#[test]
fn nothing_is_nothing() {
    let error = Writer::<Noisy>::estimate(&[], 10, WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    let Forecast { page_length, pages, clusters, memory, file_size, .. } =
        Writer::estimate(&noisy(5), 0, WriteOptions::new()).unwrap();
    assert_eq!((page_length, pages, clusters, memory), (0, 0, 0, 0));
    assert_eq!(file_size, write(&[], WriteOptions::new()).file_size);
    let mut writer = Writer::new(Null, "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&noisy(5)).unwrap();
    assert_eq!(writer.finish().unwrap(), write(&noisy(5), WriteOptions::new()));
}
