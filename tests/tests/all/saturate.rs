//! Values outside the range of a quantised member that become the nearest inside.
#![allow(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "a test that cannot go on has failed; values are exact"
)]

use rntuple::encoding::ColumnEncoding;
use rntuple::storage::Memory;
use rntuple::summary::Summary;
use rntuple::{Compression, Pool, RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    #[rntuple(quantize(bits = 8, min = -1.0, max = 1.0, outside = "saturate"))]
    eta: f32,
    #[rntuple(quantize(bits = 16, min = 0.0, max = 100.0, outside = "saturate"))]
    energies: Vec<f64>,
    number: u32,
}

fn event(eta: f32, energies: &[f64]) -> Event {
    Event { eta, energies: energies.to_vec(), number: 7 }
}

fn write(events: &[Event], options: WriteOptions) -> rntuple::Result<(Summary, Memory)> {
    let mut writer = Writer::new(Memory::new(), "Events", options)?;
    writer.fill_all(events)?;
    writer.finish_into()
}

fn read(file: Memory) -> Vec<Event> {
    Reader::<Event>::open(file, "Events").unwrap().entries().map(Result::unwrap).collect()
}

#[test]
fn values_outside_become_the_ends_and_are_counted() {
    let events = [
        event(0.0, &[0.0, 100.0]),
        event((-1.0f32).next_up(), &[-f64::MIN_POSITIVE, 100.0f64.next_up(), 50.0]),
        event(f32::NEG_INFINITY, &[f64::MAX]),
        event(7.5, &[]),
    ];
    let pool = Pool::new(2).unwrap();
    for options in [
        WriteOptions::new(),
        WriteOptions::new().compression(Compression::NONE),
        WriteOptions::new().max_page_length(16).pool(&pool),
        // Of identical pages each counts.
        WriteOptions::new().max_page_length(8).share_pages(true),
    ] {
        let (summary, file) = write(&events, options).unwrap();
        assert_eq!((summary.entries, summary.saturated), (4, 5));
        let read = read(file);
        let etas: Vec<f32> = read.iter().map(|event| event.eta).collect();
        assert_eq!(etas[1..], [-1.0, -1.0, 1.0]);
        assert!(etas[0].abs() < 0.01, "the nearest of 256 steps");
        assert_eq!(read[0].energies, [0.0, 100.0]);
        assert_eq!((read[1].energies[0], read[1].energies[1]), (0.0, 100.0));
        assert_eq!(read[2].energies, [100.0]);
        assert!(read.iter().all(|event| event.number == 7));
    }
}

#[test]
fn what_is_no_number_is_an_error_whatever_the_policy() {
    let error = write(&[event(0.5, &[]), event(f32::NAN, &[])], WriteOptions::new()).unwrap_err();
    assert!(error.to_string().contains("(eta), entry 1: the value NaN"), "{error}");
}

#[test]
fn entries_that_were_taken_back_do_not_count() {
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(2.0, &[])).unwrap();
    writer.commit_cluster().unwrap();
    let (summary, file) = writer.finish_into().unwrap();
    assert_eq!(summary.saturated, 1);
    // An append has the policy of the type: files do not know of it.
    let mut writer = Writer::<Event, _>::append_to(file, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(-2.0, &[200.0])).unwrap();
    let (summary, file) = writer.finish_into().unwrap();
    assert_eq!((summary.entries, summary.saturated), (1, 2));
    assert_eq!(read(file)[1], event(-1.0, &[100.0]));
}

#[derive(RNTuple, Debug, PartialEq)]
struct Plain {
    value: f32,
}

#[test]
fn the_options_have_the_last_word() {
    let encoding = ColumnEncoding::quantized(12, 0.1, 0.3).unwrap();
    assert_eq!(encoding, encoding.saturating(), "a file cannot tell them apart");
    let write = |encoding| {
        let options = WriteOptions::new().encoding("value", encoding);
        let mut writer = Writer::new(Memory::new(), "Plain", options).unwrap();
        writer.fill(&Plain { value: 1.0 })?;
        writer.finish_into()
    };
    assert!(write(encoding).unwrap_err().to_string().contains("the value 1 is outside the range"));
    let (summary, file) = write(encoding.saturating()).unwrap();
    assert_eq!(summary.saturated, 1);
    let value = Reader::<Plain>::open(file, "Plain").unwrap().get(0).unwrap().value;
    assert_eq!(value, 0.3);
    // It is about quantised values alone.
    let (summary, _) = write(ColumnEncoding::truncated(10).unwrap().saturating()).unwrap();
    assert_eq!(summary.saturated, 0);
}
