//! Inputs whose schema grew while they were written.

use rntuple::merge::{MergeOptions, SchemaMode};
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, RNTuple, RootFile, WriteOptions, Writer};

use super::common::{all_entries, entries, merge, typed, write};

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Extra {
    scale: f32,
    cells: [[i16; 3]; 2],
    label: String,
    words: Vec<String>,
    weight: Option<f64>,
}

#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
struct Both {
    #[rntuple(flatten)]
    event: Event,
    #[rntuple(flatten)]
    extra: Extra,
}

fn event(number: u64) -> Event {
    Event { number, hits: (0..number % 4).map(|i| i as f32).collect() }
}

fn extra(number: u64) -> Extra {
    Extra {
        scale: number as f32,
        cells: [[number as i16; 3]; 2],
        label: format!("label {number}"),
        words: vec!["word".to_owned(); number as usize % 3],
        weight: number.is_multiple_of(2).then_some(0.5),
    }
}

/// So many entries without the later members, so many with them, in clusters of so many.
fn growing(before: u64, behind: u64, cluster: u64, options: WriteOptions) -> RootFile {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..before {
        writer.fill(&event(number)).unwrap();
        if number % cluster == cluster - 1 {
            writer.commit_cluster().unwrap();
        }
    }
    let mut writer = writer.extend::<Extra>().unwrap();
    for number in before..before + behind {
        writer.fill_both(&event(number), &extra(number)).unwrap();
        if number % cluster == cluster - 1 {
            writer.commit_cluster().unwrap();
        }
    }
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

#[test]
fn elements_that_were_never_written_become_zeros() {
    for (before, behind, cluster) in [(25, 30, 10), (10, 10, 10), (0, 5, 10), (100, 1, 7), (5, 0, 3)] {
        for settings in [Compression::NONE, Compression::zstd(1)] {
            let options = WriteOptions::new().compression(settings).max_page_length(32);
            let file = growing(before, behind, cluster, options);
            let files = [file.clone(), file];
            let (_, merged) = merge(&files, MergeOptions::new());
            assert_eq!(entries(&merged, "Events"), all_entries(&files, "Events"));
            let dataset = Dataset::open(&merged, "Events").unwrap();
            assert!(dataset.schema().columns().all(|(_, column)| column.first_element.is_none()));
            assert_eq!(dataset.header_field_count() as usize, dataset.schema().fields().count());
        }
    }
}

#[test]
fn late_and_missing_members_go_together() {
    let late = growing(20, 20, 7, WriteOptions::new());
    let without: Vec<Event> = (0..13).map(event).collect();
    let without = write(&without, WriteOptions::new());
    let files = [without.clone(), late.clone(), without.clone()];
    let (_, merged) = merge(&files, MergeOptions::new().schema(SchemaMode::Union));
    let zero = |number| Both { event: event(number), extra: Extra::default() };
    let whole = |number| Both { event: event(number), extra: extra(number) };
    let wanted: Vec<_> =
        (0..13).chain(0..20).map(zero).chain((20..40).map(whole)).chain((0..13).map(zero)).collect();
    assert_eq!(typed::<Both>(&merged), wanted);
    let (_, kept) = merge(&[without.clone(), late], MergeOptions::new().schema(SchemaMode::Filter));
    assert_eq!(typed::<Event>(&kept), (0..13).chain(0..40).map(event).collect::<Vec<_>>());
}
