//! Columns with a value for each entry that is there.

use rntuple::extend::ColumnAdder;
use rntuple::storage::Memory;
use rntuple::summary::Summary;
use rntuple::{Compression, Dataset, ErrorKind, Pool, RNTuple, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::clusters;
use rntuple_tests::disk::Disk;
use rntuple_tests::forge::Forge;
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, Jet, Muon, samples};

use super::{append, assert_sound, assert_untouched, open, read, types, write};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Extra {
    jets: Vec<Jet>,
    label: String,
    shape: [f32; 3],
    weight: Option<f64>,
}

fn extra(k: usize) -> Extra {
    Extra {
        jets: samples(k % 3, k as u64),
        label: "l".repeat(k % 5),
        shape: [k as f32; 3],
        weight: k.is_multiple_of(2).then_some(k as f64),
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Whole {
    #[rntuple(flatten)]
    muon: Muon,
    #[rntuple(flatten)]
    extra: Extra,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Mark {
    mark: u16,
}

fn add<X: rntuple::Entry + rntuple::field::WriteField>(
    bytes: Vec<u8>,
    path: &str,
    values: impl IntoIterator<Item = X>,
    options: WriteOptions,
) -> (Vec<u8>, Summary) {
    let mut adder = ColumnAdder::<X, _>::append_to(Memory::from(bytes), path, options).unwrap();
    values.into_iter().for_each(|value| adder.fill(&value).unwrap());
    assert_eq!(adder.filled(), adder.entry_count());
    let (summary, file) = adder.finish_into().unwrap();
    (file.into_bytes(), summary)
}

/// Clusters of 7 entries, three to a group, and a part of one.
fn muons(count: usize) -> (Vec<u8>, Vec<Muon>) {
    let muons = samples::<Muon>(count, 4);
    let mut writer = Writer::<Muon, _>::new(Memory::new(), "nt", WriteOptions::new()).unwrap();
    for (number, cluster) in muons.chunks(7).enumerate() {
        writer.fill_all(cluster).unwrap();
        if number % 3 == 2 {
            writer.commit_cluster_group().unwrap();
        }
        writer.commit_cluster().unwrap();
    }
    (writer.finish_into().unwrap().1.into_bytes(), muons)
}

#[test]
fn every_entry_gets_its_value() {
    let (old, muons) = muons(60);
    let (new, summary) = add(old.clone(), "nt", (0..60).map(extra), WriteOptions::new());
    assert_eq!((summary.entries, summary.clusters, summary.file_size), (60, 9, new.len() as u64));
    assert_untouched(&old, &new);
    assert_sound(&new);
    let dataset = |bytes: &[u8]| Dataset::open(&open(bytes), "nt").unwrap();
    let (before, after) = (dataset(&old), dataset(&new));
    assert_eq!((after.cluster_count(), after.cluster_groups().len()), (9, 3));
    assert!(after.schema().columns().all(|(_, column)| column.first_element.is_none()), "none is deferred");
    assert_eq!(after.header_field_count(), before.header_field_count());
    for (found, (muon, k)) in read::<Whole>(&new, "nt").into_iter().zip(muons.into_iter().zip(0..)) {
        assert_eq!(found, Whole { muon, extra: extra(k) });
    }
    for (before, after) in clusters(&before).iter().zip(clusters(&after)) {
        assert_eq!(before.columns, after.columns[..before.columns.len()], "pages stay where they are");
    }
}

#[test]
fn entries_and_columns_alternate() {
    let (file, muons) = muons(20);
    let (file, _) = add(file, "nt", (0..20).map(extra), WriteOptions::new());
    let whole = |k: usize| Whole { muon: muons[k % 20].clone(), extra: extra(k) };
    let file = append(file, "nt", &(20..30).map(whole).collect::<Vec<_>>(), WriteOptions::new());
    let marks = (0..30).map(|mark| Mark { mark });
    let options = WriteOptions::new().compression(Compression::NONE).pool(&Pool::new(1).unwrap());
    let (file, _) = add(file, "nt", marks, options.memory_budget(4 << 20));
    assert_sound(&file);
    assert_eq!(read::<Whole>(&file, "nt"), (0..30).map(whole).collect::<Vec<_>>());
    assert_eq!(read::<Mark>(&file, "nt"), (0..30).map(|mark| Mark { mark }).collect::<Vec<_>>());
}

#[test]
fn clusters_older_than_deferred_columns_get_theirs() {
    let muons = samples::<Muon>(12, 4);
    let mut writer = Writer::<Muon, _>::new(Memory::new(), "nt", WriteOptions::new()).unwrap();
    for cluster in muons[..6].chunks(3) {
        writer.fill_all(cluster).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.fill(&muons[6]).unwrap();
    let mut writer = writer.extend::<Extra>().unwrap();
    for (muon, k) in muons[7..].iter().zip(7..) {
        writer.fill_both(muon, &extra(k)).unwrap();
    }
    let file = writer.finish_into().unwrap().1.into_bytes();
    let late: Vec<Whole> = read(&file, "nt");
    let (file, _) = add(file, "nt", (0..12).map(|mark| Mark { mark }), WriteOptions::new());
    assert_sound(&file);
    assert_eq!(read::<Whole>(&file, "nt"), late);
    assert_eq!(read::<Mark>(&file, "nt")[11], Mark { mark: 11 });
}

#[test]
fn an_ntuple_without_entries_gets_columns() {
    let file = write::<Muon>("nt", &[], WriteOptions::new());
    let (file, _) = add(file, "nt", std::iter::empty::<Extra>(), WriteOptions::new());
    assert_sound(&file);
    let whole = Whole { muon: samples::<Muon>(1, 1).remove(0), extra: extra(4) };
    let file = append(file, "nt", std::slice::from_ref(&whole), WriteOptions::new());
    assert_sound(&file);
    assert_eq!(read::<Whole>(&file, "nt"), [whole]);
}

#[test]
fn large_columns_are_written_while_they_are_filled() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Waveform {
        samples: Vec<u64>,
    }
    let waveform = |k: u64| Waveform { samples: (0..1000).map(|i| i * k * 0x9E37_79B9).collect() };
    let (old, _) = muons(60);
    let options = WriteOptions::new().compression(Compression::NONE).write_buffer_length(10_000);
    let (new, summary) = add(old, "nt", (0..60).map(waveform), options);
    assert!(summary.page_length > 60 * 8000);
    assert_sound(&new);
    assert_eq!(read::<Waveform>(&new, "nt"), (0..60).map(waveform).collect::<Vec<_>>());
}

#[test]
fn one_value_to_an_entry() {
    let (old, _) = muons(20);
    let disk = Disk::new(old.clone());
    let mut adder = ColumnAdder::<Mark, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap();
    (0..19).for_each(|mark| adder.fill(&Mark { mark }).unwrap());
    let error = adder.finish().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error.to_string().ends_with("nt: the ntuple has 20 entries, but only 19 have a value"),
        "{error}"
    );
    assert!(disk.bytes()[..old.len()] == old);

    let mut adder = ColumnAdder::<Mark, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap();
    (0..20).for_each(|mark| adder.fill(&Mark { mark }).unwrap());
    let error = adder.fill(&Mark { mark: 20 }).unwrap_err();
    assert!(
        error.to_string().ends_with("nt: the ntuple has 20 entries, and each has a value already"),
        "{error}"
    );
    assert!(disk.bytes()[..old.len()] == old);
    // One too many does not cost the others.
    adder.finish().unwrap();
    assert_eq!(read::<Mark>(&disk.bytes(), "nt").len(), 20);
}

#[test]
fn of_a_batch_that_is_too_long_nothing_is_appended() {
    let (old, _) = muons(20);
    let marks: Vec<u16> = (0..30).collect();
    let mut adder = ColumnAdder::<Mark, _>::append_to(Memory::from(old), "nt", WriteOptions::new()).unwrap();
    for (filled, next) in [(0, 9), (9, 20)] {
        let error = adder.fill_columns(MarkSlice { mark: &marks[..=20 - filled] }).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        let said = format!("{} entries are too many, there is room for {}", 21 - filled, 20 - filled);
        assert!(error.message().contains(&said), "{error}");
        assert_eq!(adder.filled(), filled as u64);
        adder.fill_columns(MarkSlice { mark: &marks[filled..next] }).unwrap();
    }
    let read = read::<Mark>(&adder.finish_into().unwrap().1.into_bytes(), "nt");
    assert_eq!(read.iter().map(|mark| mark.mark).collect::<Vec<_>>(), marks[..20]);
}

#[test]
fn taken_names_are_refused_before_anything_is_written() {
    #[derive(RNTuple)]
    struct Clash {
        mark: u8,
        eta: f64,
    }
    let (old, _) = muons(20);
    let disk = Disk::new(old);
    let error = ColumnAdder::<Clash, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap_err();
    assert_eq!(error.location().field.as_deref(), Some("eta"), "{error}");
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(disk.calls(), 0);
}

/// What it does not list would take the places of the new columns.
#[test]
fn a_cluster_that_does_not_list_all_columns_gets_none() {
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::<Muon, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&samples::<Muon>(5, 4)).unwrap();
    let bytes = writer.finish_into().unwrap().1.into_bytes();
    let forged = Forge::new(bytes).clusters(|clusters| drop(clusters[0].columns.pop())).into_bytes();
    let error =
        ColumnAdder::<Mark, _>::append_to(Memory::from(forged), "Events", WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(error.to_string().contains("cluster 0: the cluster does not list all"), "{error}");
}

#[test]
fn a_value_that_cannot_be_packed_leaves_the_file_as_it_was() {
    #[derive(RNTuple)]
    struct Angle {
        #[rntuple(quantize(bits = 8, min = 0.0, max = 1.0))]
        angle: f32,
    }
    let (old, _) = muons(20);
    let disk = Disk::new(old.clone());
    let mut adder = ColumnAdder::<Angle, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap();
    let filled = (0..20).try_for_each(|k| adder.fill(&Angle { angle: if k == 9 { 2.0 } else { 0.5 } }));
    assert!(filled.is_err());
    assert!(adder.finish().is_err());
    assert!(disk.bytes()[..old.len()] == old);
}

#[test]
fn ntuples_in_directories_get_columns() {
    let file = RootFileWriter::new(Memory::new(), Default::default()).unwrap();
    for path in ["nt", "a/b/nt"] {
        let mut writer = file.writer::<Event>(path, WriteOptions::new()).unwrap();
        writer.fill_all(&samples(9, 1)).unwrap();
        writer.finish().unwrap();
    }
    let old = file.finish().unwrap().into_bytes();
    let (new, _) = add(old.clone(), "a/b/nt", (0..9).map(|mark| Mark { mark }), WriteOptions::new());
    assert_untouched(&old, &new);
    assert_sound(&new);
    assert_eq!(read::<Mark>(&new, "a/b/nt").len(), 9);
    assert!(Dataset::open(&open(&new), "nt").unwrap().schema().find("mark").is_none());
}

#[test]
fn files_by_root_get_columns() {
    let Some(directory) = reference::directory() else { return };
    for (name, path) in [
        ("ntpl001_staff-v1.0.0.0", "Staff"),
        ("ntpl001_staff-v1.0.1.0", "Staff"),
        ("Run2012BC_DoubleMuParked_Muons_1000evts-v1.0.0.0", "Events"),
        ("multiple_cluster_groups-v1.0.0.0", "ntuple"),
        ("multiple_rntuples-v1.0.0.0", "B"),
        ("jsroot_all_types-v1.0.1.1", "Data"),
        ("emptystruct_invalidvar-v1.0.0.0", "ntuple"),
        ("split_3e4-v1.0.0.0", "ntuple"),
    ] {
        let old = std::fs::read(directory.join(format!("{name}.root"))).unwrap();
        let count = Dataset::open(&open(&old), path).unwrap().entry_count() as usize;
        let (new, _) = add(old.clone(), path, (0..count).map(extra), WriteOptions::new());
        assert_untouched(&old, &new);
        assert_sound(&new);
        assert_eq!(read::<Extra>(&new, path), (0..count).map(extra).collect::<Vec<_>>(), "{name}");
    }
    let staff = std::fs::read(directory.join("ntpl001_staff-v1.0.1.0.root")).unwrap();
    let before: Vec<types::Staff> = read(&staff, "Staff");
    let (new, _) = add(staff, "Staff", (0..before.len()).map(extra), WriteOptions::new());
    assert_eq!(read::<types::Staff>(&new, "Staff"), before);
}
