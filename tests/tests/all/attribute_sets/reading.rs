//! Reading sets: as other types, by entry, and refused.

use std::sync::Arc;

use proptest::prelude::*;
use rntuple::ErrorKind;

use super::*;

fn one_set(ranges: &[Range<u64>]) -> RootFile {
    let mut writer = writer(WriteOptions::new());
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    let entries = ranges.iter().map(|range| range.end).max().unwrap_or(0);
    fill(&mut writer, entries);
    for (run, range) in (0..).zip(ranges) {
        runs.add(range.clone(), &info(run)).unwrap();
    }
    close(writer)
}

#[test]
fn a_type_that_has_changed_reads_what_is_there() {
    #[derive(Debug, PartialEq, RNTuple)]
    struct Later {
        /// Wider than it was.
        run: u64,
        #[rntuple(default)]
        comment: String,
    }
    let file = one_set(&[0..3, 3..5]);
    let later = all(&open(&file, "Events").attributes::<Later>("runs").unwrap());
    assert_eq!(later[1], Attribute { range: 3..5, value: Later { run: 1, comment: String::new() } });

    #[derive(Debug, RNTuple)]
    struct Other {
        run: String,
        luminosity: f64,
    }
    let error = open(&file, "Events").attributes::<Other>("runs").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let paths: Vec<String> = error.mismatches().iter().map(|mismatch| mismatch.to_string()).collect();
    assert_eq!(paths.len(), 2, "{paths:?}");
    assert!(paths[0].contains("_userData.run") && paths[1].contains("_userData.luminosity"), "{paths:?}");
    let place = error.to_string();
    assert!(place.contains("memory: Events, attribute set runs"), "{place}");
}

#[test]
fn a_class_with_versions_is_read_from_an_untyped_record() {
    #[derive(RNTuple)]
    #[rntuple(type_name = "exp::Cuts", version = 1)]
    struct CutsV1 {
        pt: f32,
    }
    #[derive(Debug, PartialEq, RNTuple)]
    #[rntuple(type_name = "exp::Cuts", version = 2, upgrade_from(CutsV1, when = has("pt")))]
    struct Cuts {
        pt_in_mev: f32,
    }
    impl From<CutsV1> for Cuts {
        fn from(old: CutsV1) -> Self {
            Self { pt_in_mev: old.pt * 1000.0 }
        }
    }
    let mut writer = writer(WriteOptions::new());
    let (old, new) = (writer.attributes("old").unwrap(), writer.attributes("new").unwrap());
    old.add(0..0, &CutsV1 { pt: 0.5 }).unwrap();
    new.add(0..0, &Cuts { pt_in_mev: 7.0 }).unwrap();
    let file = close(writer);
    assert_sound(&file);
    for (name, pt_in_mev) in [("old", 500.0), ("new", 7.0)] {
        let cuts = all(&open(&file, "Events").attributes::<Cuts>(name).unwrap());
        assert_eq!(cuts[0].value, Cuts { pt_in_mev });
    }
}

#[test]
fn a_set_that_is_not_there_is_named() {
    let file = one_set(&[0..3, 1..2]);
    let error = open(&file, "Events").attributes::<RunInfo>("run").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(error.to_string(), "memory: Events: no attribute set \"run\"; the ntuple has \"runs\"");
    let set = Dataset::open(&file, "Events").unwrap().attribute_set("runs").unwrap();
    // A set has no sets.
    let error = set.attribute_set("runs").unwrap_err();
    assert!(error.to_string().ends_with("no attribute set \"runs\"; the ntuple has none"), "{error}");
}

#[test]
fn an_ntuple_that_is_no_set_is_refused() {
    let file = one_set(&[0..3, 1..2]);
    let events = Arc::new(Dataset::open(&file, "Events").unwrap());
    let error = AttributeReader::<RunInfo>::from_dataset(events, ReadOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let paths: Vec<String> = error.mismatches().iter().map(|mismatch| mismatch.to_string()).collect();
    assert_eq!(paths.len(), 3, "{paths:?}");
    for (path, name) in paths.iter().zip(["_rangeStart", "_rangeLen", "_userData"]) {
        assert!(path.contains(name), "{path}");
    }
}

#[test]
fn a_set_is_an_ntuple_like_others() {
    let file = one_set(&[0..3, 3..4]);
    let set = Arc::new(Dataset::open(&file, "Events").unwrap().attribute_set("runs").unwrap());
    assert_eq!(set.name(), "runs");
    assert_eq!(set.anchor().version, [1, 0, 0, 1]);
    let reader = Reader::<Attribute<RunInfo>>::from_dataset(set, ReadOptions::new()).unwrap();
    let mut slot = said(0..0, 9);
    let mut entries = reader.entries();
    assert!(entries.read_into(&mut slot).unwrap());
    assert_eq!(slot, said(0..3, 0));
}

/// More attributes than the table of ranges has lines.
#[test]
fn blocks_of_attributes_are_searched() {
    #[derive(Debug, PartialEq, RNTuple)]
    struct Number {
        number: u64,
    }
    let count = 150_000u64;
    let mut writer = writer(WriteOptions::new());
    let numbers = writer.attributes::<Number>("numbers").unwrap();
    fill(&mut writer, 1000);
    // 150 passes over the entries, one behind the other, and one attribute of all.
    for number in 0..count {
        let entry = number / 150;
        let range = if number == 77_777 { 0..1000 } else { entry..entry + 1 };
        numbers.add(range, &Number { number }).unwrap();
    }
    let file = close(writer);
    let numbers = open(&file, "Events").attributes::<Number>("numbers").unwrap();
    for entry in [0, 1, 517, 518, 519, 999] {
        let found: Vec<u64> = numbers.covering(entry).map(|found| found.unwrap().value.number).collect();
        let mut wanted: Vec<u64> = (150 * entry..150 * entry + 150).collect();
        if entry != 518 {
            wanted.push(77_777);
            wanted.sort_unstable();
        }
        assert_eq!(found, wanted, "{entry}");
    }
    assert!(numbers.covering(1000).next().is_none());
    assert!(numbers.covering(u64::MAX).next().is_none());
}

/// The entries that a reader was given are those of the events: attributes have numbers of their own.
#[test]
fn a_reader_of_some_entries_has_all_attributes_of_them() {
    let file = one_set(&[0..10, 4..6]);
    for only in [5..10, 1..10, 0..1] {
        let options = ReadOptions::new().only(only.clone());
        let reader = Reader::<Event>::open_with(&file, "Events", options).unwrap();
        let runs = reader.attributes::<RunInfo>("runs").unwrap();
        assert_eq!((runs.attribute_count(), runs.entries().count()), (2, 2), "{only:?}");
        assert_eq!(runs.get(1).unwrap(), said(4..6, 1));
        let covering: Vec<u32> = runs.covering(5).map(|found| found.unwrap().value.run).collect();
        assert_eq!(covering, [0, 1], "{only:?}");
    }
    let events = Dataset::open(&file, "Events").unwrap();
    let set = Arc::new(events.attribute_set("runs").unwrap());
    let runs = AttributeReader::<RunInfo>::from_dataset(set, ReadOptions::new().only(1..2)).unwrap();
    assert_eq!((runs.attribute_count(), runs.entries().count()), (2, 2));
    assert_eq!(runs.covering(5).map(|found| found.unwrap().value.run).collect::<Vec<_>>(), [0, 1]);
}

fn ranges() -> impl Strategy<Value = Vec<Range<u64>>> {
    let range =
        (0u64..40, prop_oneof![Just(0u64), 0..4u64, 0..40u64]).prop_map(|(start, len)| start..start + len);
    let any = prop::collection::vec(range, 0..40);
    let in_order = any.clone().prop_map(|mut ranges| {
        ranges.sort_by_key(|range| range.start);
        ranges
    });
    prop_oneof![any, in_order]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn covering_is_what_a_search_of_all_finds(ranges in ranges()) {
        let file = one_set(&ranges);
        let runs = set(&file, "runs");
        for entry in 0..82 {
            let found: Vec<u32> = runs.covering(entry).map(|found| found.unwrap().value.run).collect();
            let wanted: Vec<u32> =
                (0..).zip(&ranges).filter(|(_, range)| range.contains(&entry)).map(|(run, _)| run).collect();
            prop_assert_eq!(found, wanted, "{} {:?}", entry, ranges);
        }
    }
}
