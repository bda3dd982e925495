//! Our own files that grow.

use std::collections::{BTreeMap, BTreeSet};

use rntuple::check::{CheckOptions, check_file};
use rntuple::compression::Algorithm;
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::root::{FileOptions, RecordKind};
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, ParallelWriter, Pool, RNTuple, Reader, RootFileWriter, Value, WriteOptions, Writer,
};
use rntuple_tests::sample::{Event, Muon, One, samples};
use xxhash_rust::xxh3::xxh3_64;

use super::{append, assert_sound, assert_untouched, open, read, write};

#[test]
fn entries_of_every_kind_join_with_every_codec() {
    let events = samples::<Event>(60, 11);
    let mut all = vec![Compression::NONE];
    all.extend(Algorithm::ALL.map(|algorithm| Compression::new(algorithm, 3).unwrap()));
    for first in &all {
        let mut file = write("Events", &events[..20], WriteOptions::new().compression(*first));
        let mut wanted = events[..20].to_vec();
        for (number, second) in all.iter().enumerate() {
            let old = file.clone();
            let more = &events[20 + 5 * number..25 + 5 * number];
            file = append(file, "Events", more, WriteOptions::new().compression(*second));
            wanted.extend_from_slice(more);
            assert_untouched(&old, &file);
        }
        assert_sound(&file);
        assert_eq!(read::<Event>(&file, "Events"), wanted);
        let dataset = Dataset::open(&open(&file), "Events").unwrap();
        assert_eq!(dataset.cluster_groups().len(), 1 + all.len());
        assert_eq!(open(&file).ntuples().unwrap().len(), 1);
    }
}

#[test]
fn values_of_many_types_join() {
    fn check<T>(seed: u64)
    where
        T: rntuple::Entry
            + rntuple::field::WriteField
            + rntuple::field::ReadField
            + rntuple_tests::sample::Sample
            + Clone
            + PartialEq
            + std::fmt::Debug,
    {
        let entries = samples::<T>(30, seed);
        let file = write("nt", &entries[..7], WriteOptions::new());
        let file = append(file, "nt", &entries[7..8], WriteOptions::new());
        let file = append(file, "nt", &entries[8..], WriteOptions::new());
        assert_sound(&file);
        assert_eq!(read::<T>(&file, "nt"), entries);
    }
    check::<One<Vec<Vec<String>>>>(1);
    check::<One<BTreeMap<String, Vec<Option<u16>>>>>(2);
    check::<One<BTreeSet<i64>>>(3);
    check::<One<rntuple_tests::sample::Process>>(4);
    check::<One<Vec<rntuple_tests::sample::Cascade>>>(5);
    check::<One<[[i16; 3]; 2]>>(6);
    check::<One<[bool; 13]>>(7);
    check::<One<(f64, u8, Option<Vec<bool>>)>>(8);
    check::<One<Box<Vec<rntuple_tests::sample::Vertex>>>>(9);
    check::<One<Vec<rntuple_tests::sample::Detector>>>(10);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Packed {
    #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
    eta: f32,
    #[rntuple(truncate(bits = 20))]
    weight: f64,
    #[rntuple(f16)]
    half: Vec<f32>,
    #[rntuple(offsets = "Index32")]
    names: Vec<String>,
}

/// The same members, with nothing said of their encodings.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Plain {
    eta: f32,
    weight: f64,
    half: Vec<f32>,
    names: Vec<String>,
}

#[test]
fn the_file_says_how_values_are_packed() {
    let plain = |k: u8| Plain {
        eta: f32::from(k) / 10.0,
        weight: f64::from(k),
        half: vec![f32::from(k); usize::from(k % 3)],
        names: vec!["x".repeat(usize::from(k)); 2],
    };
    let packed = |k: u8| {
        let Plain { eta, weight, half, names } = plain(k);
        Packed { eta, weight, half, names }
    };
    let file = write("nt", &(0..9).map(packed).collect::<Vec<_>>(), WriteOptions::new());
    let by_type = append(file.clone(), "nt", &(9..20).map(packed).collect::<Vec<_>>(), WriteOptions::new());
    let by_file = append(file.clone(), "nt", &(9..20).map(plain).collect::<Vec<_>>(), WriteOptions::new());
    assert!(by_type == by_file);
    assert_sound(&by_file);
    let found: Vec<Plain> = read(&by_file, "nt");
    assert!((found[19].eta - 1.9).abs() < 0.002);
    assert_eq!((&*found[19].names, found[8].half.len()), (&*plain(19).names, 2));
    // The other way round, the type's wishes give way.
    let wide = write("nt", &[plain(1)], WriteOptions::new());
    let wide = append(wide, "nt", &[packed(17)], WriteOptions::new());
    assert_eq!(read::<Plain>(&wide, "nt"), [plain(1), plain(17)]);
    // An option that asks for what is there is no contradiction.
    let same = ColumnEncoding::of(ColumnType::SplitReal32);
    append(wide, "nt", &[plain(2)], WriteOptions::new().encoding("eta", same));
}

/// The file with format version 1.0.0.0, which ROOT 6.34 wrote, in its only anchor (format, section 2).
fn of_first_version(mut file: Vec<u8>) -> Vec<u8> {
    let records: Vec<_> = open(&file).records().collect::<Result<_, _>>().unwrap();
    let payload = records.iter().find_map(|record| match &record.kind {
        RecordKind::Object { class, key_size, .. } if class == "ROOT::RNTuple" => {
            Some(record.offset + u64::from(*key_size))
        }
        _ => None,
    });
    let at = payload.unwrap() as usize;
    file[at + 12..at + 14].fill(0);
    let sum = xxh3_64(&file[at + 6..at + 70]);
    file[at + 70..at + 78].copy_from_slice(&sum.to_be_bytes());
    file
}

/// ROOT normalises the type names of version 1.0.0.0, and of no other.
#[test]
fn an_ntuple_of_the_first_version_stays_one() {
    let version = |file: &[u8]| Dataset::open(&open(file), "nt").unwrap().anchor().version;
    let entries = samples::<Muon>(9, 1);
    let old = of_first_version(write("nt", &entries[..3], WriteOptions::new()));
    assert_eq!(version(&old), [1, 0, 0, 0]);
    let longer = append(old, "nt", &entries[3..6], WriteOptions::new());
    assert_eq!(version(&longer), [1, 0, 0, 0]);

    // Readers find the list of attribute sets by the bytes that are left.
    let storage = Memory::from(longer);
    let mut writer = Writer::<Muon, _>::append_to(storage, "nt", WriteOptions::new()).unwrap();
    writer.fill_all(&entries[6..]).unwrap();
    writer.attributes("runs").unwrap().add(0..9, &One { value: 7u32 }).unwrap();
    let file = writer.finish_into().unwrap().1.into_bytes();
    assert_eq!(version(&file), [1, 0, 0, 0]);
    let report = check_file(&open(&file), CheckOptions::new());
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    assert_eq!(read::<Muon>(&file, "nt"), entries);
    let reader = Reader::<Muon>::open(Memory::from(file), "nt").unwrap();
    assert_eq!(reader.attributes::<One<u32>>("runs").unwrap().attribute_count(), 1);
}

#[test]
fn nothing_appended_is_nothing_changed() {
    let old = write("nt", &samples::<Muon>(5, 1), WriteOptions::new());
    assert!(append::<Muon>(old.clone(), "nt", &[], WriteOptions::new()) == old);
    let dropped = Memory::from(old.clone());
    drop(Writer::<Muon, _>::append_to(dropped, "nt", WriteOptions::new()).unwrap());
}

#[test]
fn an_empty_ntuple_grows() {
    let entries = samples::<Event>(10, 3);
    let file = write::<Event>("nt", &[], WriteOptions::new());
    let file = append(file, "nt", &entries[..4], WriteOptions::new());
    let file = append(file, "nt", &entries[4..], WriteOptions::new());
    assert_sound(&file);
    assert_eq!(read::<Event>(&file, "nt"), entries);
}

fn several(options: FileOptions) -> Vec<u8> {
    let file = RootFileWriter::new(Memory::new(), options).unwrap();
    for path in ["Events", "runs/2012/Muons", "runs/Muons", "Muons"] {
        let mut writer = file.writer::<Muon>(path, WriteOptions::new()).unwrap();
        writer.fill_all(&samples(6, path.len() as u64)).unwrap();
        writer.finish().unwrap();
    }
    file.finish().unwrap().into_bytes()
}

#[test]
fn each_of_several_ntuples_grows_wherever_it_is() {
    // A long name puts the root directory's numbers into the second sector.
    for name in ["short.root".to_owned(), "x".repeat(100), "x".repeat(200), "x".repeat(254)] {
        let mut file = several(FileOptions::new().name(name));
        let paths = ["Events", "runs/2012/Muons", "runs/Muons", "Muons"];
        for round in 0..3 {
            for path in paths {
                let old = file.clone();
                file = append(file, path, &samples::<Muon>(3, round), WriteOptions::new());
                assert_untouched(&old, &file);
            }
        }
        assert_sound(&file);
        for path in paths {
            let mut wanted = samples::<Muon>(6, path.len() as u64);
            (0..3).for_each(|round| wanted.extend(samples::<Muon>(3, round)));
            assert_eq!(read::<Muon>(&file, path), wanted, "{path}");
        }
        assert_eq!(open(&file).ntuples().unwrap().len(), 4);
        let keys = open(&file).keys().unwrap();
        assert!(keys.iter().all(|key| key.cycle == 1), "the same ntuples as before");
    }
}

#[test]
fn a_leading_slash_is_no_part_of_a_path() {
    let file =
        append(several(FileOptions::new()), "/runs/Muons", &samples::<Muon>(1, 0), WriteOptions::new());
    assert_eq!(read::<Muon>(&file, "runs/Muons").len(), 7);
}

#[test]
fn members_may_stand_in_another_order() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Ab {
        a: u8,
        b: Vec<(u16, String)>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Ba {
        b: Vec<(u16, String)>,
        a: u8,
    }
    let file = write("nt", &[Ab { a: 1, b: vec![(2, "x".into())] }], WriteOptions::new());
    let file = append(
        file,
        "nt",
        &[Ba { a: 3, b: vec![] }, Ba { a: 4, b: vec![(5, "y".into())] }],
        WriteOptions::new(),
    );
    assert_sound(&file);
    let found: Vec<Ab> = read(&file, "nt");
    assert_eq!(found[2], Ab { a: 4, b: vec![(5, "y".into())] });
    assert_eq!(found[1], Ab { a: 3, b: vec![] });
}

#[test]
fn many_threads_append() {
    let events = samples::<Event>(40, 5);
    let file = write("Events", &events[..4], WriteOptions::new());
    let options = WriteOptions::new().cluster_size(2000).pool(&Pool::new(1).unwrap());
    let writer = ParallelWriter::<Event, _>::append_to(Memory::from(file), "Events", options).unwrap();
    writer
        .scope(|scope| {
            for part in events[4..].chunks(12) {
                scope.spawn(move |context| part.iter().try_for_each(|event| context.fill(event)));
            }
        })
        .unwrap();
    let file = writer.finish_into().unwrap().1.into_bytes();
    assert_sound(&file);
    let found: Vec<Event> = read(&file, "Events");
    assert_eq!((found.len(), &found[..4]), (40, &events[..4]));
    for part in events[4..].chunks(12) {
        for event in part {
            assert!(found.contains(event));
        }
    }
}

#[test]
fn entries_are_counted_from_the_first_of_the_ntuple() {
    let muons = samples::<Muon>(10, 1);
    let file = write("nt", &muons[..6], WriteOptions::new());
    let mut writer = Writer::<Muon, _>::append_to(Memory::from(file), "nt", WriteOptions::new()).unwrap();
    assert_eq!(writer.entry_count(), 6);
    writer.fill(&muons[6]).unwrap();
    writer.commit_cluster_group().unwrap();
    writer.fill_all(&muons[7..]).unwrap();
    assert_eq!(writer.entry_count(), 10);
    let (summary, file) = writer.finish_into().unwrap();
    assert_eq!((summary.entries, summary.clusters, summary.file_size), (4, 2, file.as_bytes().len() as u64));
    assert_eq!(Dataset::open(&open(file.as_bytes()), "nt").unwrap().cluster_groups().len(), 3);
    assert_eq!(read::<Muon>(file.as_bytes(), "nt"), muons);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Late {
    late: Vec<u32>,
    scale: [f32; 2],
    note: String,
}

fn late(k: u32) -> Late {
    Late { late: (0..k % 4).collect(), scale: [k as f32, 1.0], note: "n".repeat((k % 3) as usize) }
}

/// A file whose last members came after its first entries.
fn extended() -> (Vec<u8>, Vec<Muon>) {
    let muons = samples::<Muon>(20, 1);
    let mut writer = Writer::<Muon, _>::new(Memory::new(), "nt", WriteOptions::new()).unwrap();
    for chunk in muons[..6].chunks(3) {
        writer.fill_all(chunk).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.fill(&muons[6]).unwrap();
    let mut writer = writer.extend::<Late>().unwrap();
    for (muon, k) in muons[7..10].iter().zip(7..) {
        writer.fill_both(muon, &late(k)).unwrap();
    }
    (writer.finish_into().unwrap().1.into_bytes(), muons)
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Both {
    #[rntuple(flatten)]
    muon: Muon,
    #[rntuple(flatten)]
    extra: Late,
}

/// The first seven muons were written before there were late members.
fn assert_late_from_the_seventh_on(file: &[u8], muons: &[Muon]) {
    let found = read::<Both>(file, "nt");
    assert_eq!(found.len(), muons.len());
    for ((k, muon), found) in (0..).zip(muons).zip(found) {
        let none = Late { late: vec![], scale: [0.0; 2], note: String::new() };
        let extra = if k < 7 { none } else { late(k) };
        assert_eq!(found, Both { muon: muon.clone(), extra });
    }
}

#[test]
fn an_ntuple_with_deferred_columns_grows() {
    let (mut file, muons) = extended();
    for (muon, k) in muons[10..].iter().zip(10..) {
        file = append(file, "nt", &[Both { muon: muon.clone(), extra: late(k) }], WriteOptions::new());
    }
    assert_sound(&file);
    assert_late_from_the_seventh_on(&file, &muons);
}

#[test]
fn members_join_what_grows() {
    let muons = samples::<Muon>(20, 1);
    let file = write("nt", &muons[..6], WriteOptions::new());
    let mut writer = Writer::<Muon, _>::append_to(Memory::from(file), "nt", WriteOptions::new()).unwrap();
    writer.fill(&muons[6]).unwrap();
    let mut writer = writer.extend::<Late>().unwrap();
    for (muon, k) in muons[7..10].iter().zip(7..) {
        writer.fill_both(muon, &late(k)).unwrap();
    }
    let file = writer.finish_into().unwrap().1.into_bytes();
    assert_sound(&file);
    // And what has joined goes on.
    let more: Vec<_> = (10..20).map(|k| Both { muon: muons[k as usize].clone(), extra: late(k) }).collect();
    let file = append(file, "nt", &more, WriteOptions::new());
    assert_sound(&file);
    assert_late_from_the_seventh_on(&file, &muons);
}

#[test]
fn an_extension_alone_is_a_change() {
    let file = write("nt", &samples::<Muon>(3, 1), WriteOptions::new());
    let writer = Writer::<Muon, _>::append_to(Memory::from(file), "nt", WriteOptions::new()).unwrap();
    let writer = writer.extend::<Late>().unwrap();
    let file = writer.finish_into().unwrap().1.into_bytes();
    assert_sound(&file);
    assert_eq!(read::<Both>(&file, "nt").len(), 3);
    // The first element of the new columns is yet to come.
    let both = Both { muon: samples::<Muon>(1, 2).remove(0), extra: late(3) };
    let file = append(file, "nt", std::slice::from_ref(&both), WriteOptions::new());
    assert_sound(&file);
    assert_eq!(read::<Both>(&file, "nt")[3], both);
}

#[test]
fn records_of_a_small_file_stay_small() {
    let entries = samples::<Event>(40, 3);
    let options = || WriteOptions::new().max_key_size(1000).max_page_length(512);
    let file = write("nt", &entries[..20], options());
    // The file's own limit holds, whatever is asked for now.
    let file = append(file, "nt", &entries[20..], WriteOptions::new().max_page_length(512));
    assert_sound(&file);
    assert_eq!(read::<Event>(&file, "nt"), entries);
    assert_eq!(Dataset::open(&open(&file), "nt").unwrap().anchor().max_key_size, 1000);
}

#[test]
fn a_tail_that_was_never_committed_is_written_over() {
    let muons = samples::<Muon>(9, 1);
    let mut file = write("nt", &muons[..6], WriteOptions::new());
    let clean = append(file.clone(), "nt", &muons[6..], WriteOptions::new());
    file.extend([0xAB; 3000]);
    let file = append(file, "nt", &muons[6..], WriteOptions::new());
    assert!(file[..clean.len()] == clean);
    assert_sound(&file);
    assert_eq!(read::<Muon>(&file, "nt"), muons);
}

#[test]
fn the_same_appends_make_the_same_bytes() {
    let events = samples::<Event>(10, 7);
    let make = || append(write("nt", &events, WriteOptions::new()), "nt", &events, WriteOptions::new());
    assert!(make() == make());
}

#[test]
fn files_are_appended_to_in_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("muons.root");
    let muons = samples::<Muon>(9, 1);
    std::fs::write(&path, write("nt", &muons[..6], WriteOptions::new())).unwrap();
    let before = Reader::<Muon>::open(&path, "nt").unwrap();
    let mut writer = Writer::<Muon>::append(&path, "nt", WriteOptions::new()).unwrap();
    writer.fill_all(&muons[6..]).unwrap();
    if cfg!(unix) {
        let error = Writer::<Muon>::append(&path, "nt", WriteOptions::new()).unwrap_err();
        assert!(error.to_string().ends_with("another writer has the file open"), "{error}");
    }
    assert_eq!(Reader::<Muon>::open(&path, "nt").unwrap().entry_count().unwrap(), 6);
    writer.finish().unwrap();
    assert_eq!(Reader::<Muon>::open(&path, "nt").unwrap().entry_count().unwrap(), 9);
    // Whoever had opened the file keeps what it was.
    assert_eq!(before.entries().map(Result::unwrap).collect::<Vec<_>>(), muons[..6]);
    let found: Vec<Value> = Reader::open(&path, "nt").unwrap().entries().map(Result::unwrap).collect();
    assert_eq!(found.len(), 9);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Info {
    info: String,
}

#[test]
fn attribute_sets_stay_and_new_ones_join() {
    let muons = samples::<Muon>(9, 1);
    let mut writer = Writer::<Muon, _>::new(Memory::new(), "nt", WriteOptions::new()).unwrap();
    let info = writer.attributes::<Info>("Info").unwrap();
    writer.fill_all(&muons[..4]).unwrap();
    info.add(1..4, &Info { info: "old".into() }).unwrap();
    let file = writer.finish_into().unwrap().1.into_bytes();

    let file = append(file, "nt", &muons[4..6], WriteOptions::new());
    let mut writer = Writer::<Muon, _>::append_to(Memory::from(file), "nt", WriteOptions::new()).unwrap();
    writer.attributes("Info").unwrap().add(0..1, &Info { info: "late".into() }).unwrap();
    let more = writer.attributes::<Info>("More").unwrap();
    let range = more.begin(&writer).unwrap();
    writer.fill_all(&muons[6..]).unwrap();
    assert_eq!(range.commit(&writer, &Info { info: "new".into() }).unwrap(), 6..9);
    let file = writer.finish_into().unwrap().1.into_bytes();

    assert_sound(&file);
    let reader = Reader::<Muon>::open(Memory::from(file), "nt").unwrap();
    assert_eq!(reader.entry_count().unwrap(), 9);
    for (name, range, text) in [("Info", 1..4, "old"), ("Info", 0..1, "late"), ("More", 6..9, "new")] {
        let set = reader.attributes::<Info>(name).unwrap();
        let found: Vec<_> = set.covering(range.start).map(Result::unwrap).collect();
        assert_eq!((found.len(), &found[0].range, &*found[0].value.info), (1, &range, text));
    }
}

#[test]
fn projections_may_be_declared_or_left_out() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(project(sizes: Vec<u16> = "hits"))]
    struct Viewed {
        hits: Vec<u16>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Bare {
        hits: Vec<u16>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct View {
        sizes: Vec<u16>,
    }
    let file = write("nt", &[Viewed { hits: vec![1, 2] }], WriteOptions::new());
    let file = append(file, "nt", &[Viewed { hits: vec![3] }], WriteOptions::new());
    let file = append(file, "nt", &[Bare { hits: vec![] }, Bare { hits: vec![4, 5] }], WriteOptions::new());
    assert_sound(&file);
    let wanted: [&[u16]; 4] = [&[1, 2], &[3], &[], &[4, 5]];
    assert!(read::<Bare>(&file, "nt").iter().map(|entry| &*entry.hits).eq(wanted));
    assert!(read::<View>(&file, "nt").iter().map(|entry| &*entry.sizes).eq(wanted));
    // What the file has not cannot be had by appending.
    let bare = write("nt", &[Bare { hits: vec![] }], WriteOptions::new());
    assert!(Writer::<Viewed, _>::append_to(Memory::from(bare), "nt", WriteOptions::new()).is_err());
}
