//! Single columns and the sizes of collections, without a struct.

use rntuple::columns::{Column, Sizes};
use rntuple::schema::ColumnId;
use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, Reader, Value};
use rntuple_tests::sample::{Event, samples};

use super::common::{open, small, write};

fn events() -> (Vec<Event>, Memory) {
    let events = samples(400, 11);
    let file = write(&events, small());
    (events, file)
}

/// All values, as the pages have them.
fn all<E: rntuple::encoding::Element>(mut column: Column<E>) -> Vec<E> {
    let mut values = Vec::new();
    while let Some(chunk) = column.next_chunk().unwrap() {
        assert!(!chunk.is_empty());
        values.extend_from_slice(chunk);
    }
    assert!(column.next_chunk().unwrap().is_none());
    values
}

#[test]
fn columns_are_what_rows_have() {
    let (events, file) = events();
    let reader = open::<Value>(&file);
    let numbers: Vec<u64> = events.iter().map(|event| event.number).collect();
    assert_eq!(all(reader.column::<u64>("number").unwrap()), numbers);
    let pt: Vec<f32> = events.iter().flat_map(|event| &event.muons).map(|muon| muon.pt).collect();
    assert_eq!(all(reader.column::<f32>("muons.pt").unwrap()), pt);
    assert_eq!(all(reader.column::<f32>("muons._0.pt").unwrap()), pt);
    let pt: Vec<f64> = pt.into_iter().map(f64::from).collect();
    assert_eq!(all(reader.column::<f64>("muons.pt").unwrap()), pt, "as members are widened");
    let jets = || events.iter().flat_map(|event| &event.jets);
    let deep: Vec<i8> = jets().flat_map(|jet| &jet.muons).map(|muon| muon.charge).collect();
    assert_eq!(all(reader.column::<i8>("jets.muons.charge").unwrap()), deep);
    let parts: Vec<u32> = jets().flat_map(|jet| &jet.constituents).copied().collect();
    assert_eq!(all(reader.column::<u32>("jets.constituents").unwrap()), parts);
    let shape: Vec<f32> = events.iter().flat_map(|event| event.shape).collect();
    assert_eq!(all(reader.column::<f32>("shape").unwrap()), shape);
    let fired: Vec<bool> = events.iter().flat_map(|event| *event.triggers.as_array()).collect();
    assert_eq!(all(reader.column::<bool>("triggers").unwrap()), fired);
    let position: Vec<f64> =
        events.iter().filter_map(|event| event.vertex.as_ref()).flat_map(|vertex| vertex.position).collect();
    assert_eq!(all(reader.column::<f64>("vertex.position").unwrap()), position);
}

#[test]
fn only_the_column_is_read() {
    let (_, file) = events();
    let reader = open::<Value>(&file);
    let column = reader.column::<f32>("muons.pt").unwrap();
    assert_eq!(column.selected_columns().len(), 1);
    let sizes = reader.sizes("muons").unwrap();
    assert_eq!(sizes.selected_columns().len(), 1);
    assert!(column.selected_columns().iter().all(|id: &ColumnId| !sizes.selected_columns().contains(id)));
}

#[test]
fn values_are_read_in_portions_and_from_any_entry() {
    let (events, file) = events();
    let reader = open::<Value>(&file);
    let mut column = reader.column::<f32>("muons.pt").unwrap();
    let pt: Vec<f32> = events.iter().flat_map(|event| &event.muons).map(|muon| muon.pt).collect();
    let mut found = Vec::new();
    loop {
        let before = found.len();
        let count = column.read_into(13, &mut found).unwrap();
        assert_eq!(found.len() - before, count);
        if count < 13 {
            break;
        }
    }
    assert_eq!(found, pt);
    for entry in [0, 399, 17, 200, 201, 50] {
        let expected: Vec<f32> =
            events[entry..].iter().flat_map(|event| &event.muons).map(|muon| muon.pt).collect();
        column.seek_entry(entry as u64).unwrap();
        let mut found = Vec::new();
        column.read_into(usize::MAX, &mut found).unwrap();
        assert_eq!(found, expected, "from entry {entry}");
    }
    let mut deep = reader.column::<u32>("jets.constituents").unwrap();
    let mut arrays = reader.column::<f32>("shape").unwrap();
    let mut flags = reader.column::<bool>("triggers").unwrap();
    for entry in [399, 0, 123] {
        let jets = || events[entry..].iter().flat_map(|event| &event.jets);
        let expected: Vec<u32> = jets().flat_map(|jet| jet.constituents.clone()).take(20).collect();
        deep.seek_entry(entry as u64).unwrap();
        let mut found = Vec::new();
        deep.read_into(expected.len(), &mut found).unwrap();
        assert_eq!(found, expected);
        arrays.seek_entry(entry as u64).unwrap();
        let mut found = Vec::new();
        assert_eq!(arrays.read_into(6, &mut found).unwrap(), 6);
        assert_eq!(found, events[entry].shape);
        flags.seek_entry(entry as u64).unwrap();
        let mut found = Vec::new();
        flags.read_into(64, &mut found).unwrap();
        assert_eq!(found, events[entry].triggers.as_array());
    }
    let error = column.seek_entry(400).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(column.next_chunk().unwrap().is_none());
}

fn all_sizes(mut sizes: Sizes) -> Vec<u64> {
    let mut all = Vec::new();
    sizes.read_into(usize::MAX, &mut all).unwrap();
    all
}

#[test]
fn collections_are_counted_without_their_items() {
    let (events, file) = events();
    let reader = open::<Value>(&file);
    let counts: Vec<u64> = events.iter().map(|event| event.muons.len() as u64).collect();
    assert_eq!(all_sizes(reader.sizes("muons").unwrap()), counts);
    let inner: Vec<u64> =
        events.iter().flat_map(|event| &event.jets).map(|jet| jet.muons.len() as u64).collect();
    assert_eq!(all_sizes(reader.sizes("jets.muons").unwrap()), inner);
    let mut sizes = reader.sizes("jets.muons").unwrap();
    for entry in [250, 0, 399] {
        sizes.seek_entry(entry as u64).unwrap();
        let expected: Vec<u64> =
            events[entry..].iter().flat_map(|event| &event.jets).map(|jet| jet.muons.len() as u64).collect();
        let mut found = Vec::new();
        sizes.read_into(usize::MAX, &mut found).unwrap();
        assert_eq!(found, expected, "from entry {entry}");
    }
    let mut sizes = reader.sizes("muons").unwrap();
    let mut found = vec![];
    while sizes.read_into(7, &mut found).unwrap() == 7 {}
    assert_eq!(found, counts);
}

#[test]
fn paths_that_lead_elsewhere_are_refused() {
    let (_, file) = events();
    let reader = open::<Value>(&file);
    for path in ["", "nothing", "muons.nothing", "muons.pt.x", "_0", "."] {
        let error = reader.column::<f32>(path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{path}");
        assert!(error.to_string().contains("no field \""), "{error}");
    }
    for path in ["muons", "label", "process", "vertex"] {
        let error = reader.column::<f32>(path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{path}");
    }
    assert!(reader.column::<u8>("met").is_err(), "no integer is read from a float");
    assert!(reader.sizes("met").is_err());
    assert!(reader.sizes("label").is_err());
    let error = reader.column::<f64>("process._1").unwrap().seek_entry(3).unwrap_err();
    assert!(error.to_string().contains("\"process._1\" is inside a variant"), "{error}");
}

#[test]
fn a_value_that_does_not_fit_comes_behind_those_that_do() {
    #[derive(RNTuple)]
    struct Wide {
        value: u32,
    }
    let entries: Vec<Wide> = [1, 2, 300, 4].map(|value| Wide { value }).into();
    let file = write(&entries, small());
    let reader = Reader::<Wide>::open(file, "Events").unwrap();
    let mut column = reader.column::<u8>("value").unwrap();
    let mut found = Vec::new();
    let error = column.read_into(9, &mut found).unwrap_err();
    assert_eq!((error.kind(), &*found), (ErrorKind::SchemaMismatch, &[1, 2][..]));
    assert!(column.next_chunk().unwrap().is_none(), "an error is the end");
    column.seek_entry(3).unwrap();
    assert_eq!(column.next_chunk().unwrap(), Some(&[4][..]));
}
