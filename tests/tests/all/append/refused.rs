//! What is refused, before a byte is written.

use std::collections::BTreeSet;

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::field::WriteField;
use rntuple::storage::Memory;
use rntuple::{Error, ErrorKind, RNTuple, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::disk::Disk;
use rntuple_tests::places::places;
use rntuple_tests::sample::{Muon, samples};

use super::{read, write};
use crate::sides::{Grown, Side, Swapped};

#[derive(RNTuple)]
#[rntuple(type_name = "Hit", version = 2)]
struct Hit {
    x: f32,
    cells: [u8; 3],
}

#[derive(RNTuple)]
struct Event {
    number: u64,
    energies: Vec<f32>,
    hits: Vec<Hit>,
    name: String,
}

fn file() -> Vec<u8> {
    let hit = || Hit { x: 1.0, cells: [1, 2, 3] };
    write(
        "nt",
        &[Event { number: 1, energies: vec![2.0], hits: vec![hit()], name: "a".into() }],
        WriteOptions::new(),
    )
}

/// The error, and that nothing was written.
fn refuse<T: rntuple::Entry + WriteField>(path: &str, options: WriteOptions) -> Error {
    let disk = Disk::new(file());
    let error = Writer::<T, _>::append_to(disk.clone(), path, options).unwrap_err();
    assert_eq!(disk.calls(), 0);
    assert_eq!(error.location().file.as_deref(), Some("disk"), "{error}");
    error
}

fn mismatches<T: rntuple::Entry + WriteField>() -> Vec<String> {
    let error = refuse::<T>("nt", WriteOptions::new());
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}");
    assert_eq!(error.location().ntuple.as_deref(), Some("nt"));
    error.mismatches().iter().map(ToString::to_string).collect()
}

#[test]
fn all_differences_are_told_at_once() {
    #[derive(RNTuple)]
    #[rntuple(type_name = "Hit", version = 3)]
    struct Other {
        x: f64,
        cells: [u8; 4],
    }
    #[derive(RNTuple)]
    struct Wrong {
        number: u32,
        energies: BTreeSet<i16>,
        hits: Vec<Other>,
        flag: bool,
    }
    assert_eq!(
        mismatches::<Wrong>(),
        [
            "number: the file has std::uint64_t, the type wants std::uint32_t",
            "energies: the file has std::vector<float>, the type wants std::set<std::int16_t>",
            "energies._0: the file has float, the type wants std::int16_t",
            "hits._0: the file has version 2 of Hit, the type wants version 3 of Hit",
            "hits._0.x: the file has float, the type wants double",
            "hits._0.cells: the file has std::array<std::uint8_t,3>, the type wants std::array<std::uint8_t,4>",
            "flag: the file has no such field, the type wants bool; `extend` or a `ColumnAdder` adds new fields",
            "name: the file has std::string, the type has no such field",
        ]
    );
    let error = refuse::<Wrong>("nt", WriteOptions::new());
    assert_eq!(
        error.message(),
        "the type does not fit the fields of the ntuple: an appended entry needs a value for every field"
    );
}

#[test]
fn subfields_of_another_type_say_nothing_more() {
    #[derive(RNTuple)]
    #[rntuple(type_name = "Hit", version = 2)]
    struct Optional {
        x: Option<f32>,
        cells: Vec<u8>,
    }
    #[derive(RNTuple)]
    struct Differs {
        number: u64,
        energies: Vec<f32>,
        hits: Vec<Optional>,
        nam: String,
    }
    let mut told = mismatches::<Differs>();
    told.retain(|line| !line.contains("checksum"));
    assert_eq!(
        told,
        [
            "hits._0.x: the file has float, the type wants std::optional<float>",
            "hits._0.cells: the file has std::array<std::uint8_t,3>, the type wants std::vector<std::uint8_t>",
            "nam: the file has no such field, the type wants std::string; did you mean `name`?",
            "name: the file has std::string, the type has no such field",
        ]
    );
}

#[test]
fn values_of_another_meaning_are_refused_and_variants_may_be_added() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Spot<T> {
        sides: Vec<T>,
        #[rntuple(unit = "mm")]
        x: f32,
    }
    #[derive(RNTuple)]
    struct Wrong {
        sides: Vec<Swapped>,
        #[rntuple(unit = "cm")]
        x: f32,
    }
    let spots = [Spot { sides: vec![Side::Left, Side::Right], x: 1.0 }];
    let bytes = write("nt", &spots, WriteOptions::new());
    let disk = Disk::new(bytes.clone());
    let error = Writer::<Wrong, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap_err();
    assert_eq!(disk.calls(), 0);
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let differences: Vec<String> = error.mismatches().iter().map(ToString::to_string).collect();
    assert_eq!(
        differences,
        [
            "sides._0: the file has `Left` as 0, the type wants `Left` as 1",
            "x: the file has values in mm, the type wants values in cm",
        ]
    );
    let more = [Spot { sides: vec![Grown::Top], x: 2.0 }];
    let bytes = super::append(bytes, "nt", &more, WriteOptions::new());
    let whole = [Spot { sides: vec![Grown::Left, Grown::Right], x: 1.0 }, more.into_iter().next().unwrap()];
    assert_eq!(read::<Spot<Grown>>(&bytes, "nt"), whole);
}

#[test]
fn a_member_too_few_in_a_record_is_named() {
    #[derive(RNTuple)]
    struct Hit {
        x: f32,
    }
    #[derive(RNTuple)]
    struct Few {
        number: u64,
        energies: Vec<f32>,
        hits: Vec<Hit>,
        name: String,
    }
    let told = mismatches::<Few>();
    assert_eq!(told, ["hits._0.cells: the file has std::array<std::uint8_t,3>, the type has no such field"]);
}

#[test]
fn a_class_whose_members_differ_is_another_class() {
    #[derive(RNTuple)]
    #[rntuple(type_name = "Hit", version = 2)]
    struct Reversed {
        cells: [u8; 3],
        x: f32,
    }
    #[derive(RNTuple)]
    struct Differs {
        number: u64,
        energies: Vec<f32>,
        hits: Vec<Reversed>,
        name: String,
    }
    let told = mismatches::<Differs>();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("hits._0: the file has Hit with class checksum 0x"), "{told:?}");
}

#[test]
fn the_file_must_have_the_ntuple() {
    let error = refuse::<Event>("other", WriteOptions::new());
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("\"nt\""), "{error}");
    assert_eq!(refuse::<Event>("nt/nt", WriteOptions::new()).kind(), ErrorKind::NotFound);
    assert_eq!(refuse::<Event>("", WriteOptions::new()).kind(), ErrorKind::NotFound);
}

#[test]
fn options_cannot_change_what_is_in_the_file() {
    let options = WriteOptions::new().encoding("energies", ColumnEncoding::of(ColumnType::Real16));
    let error = refuse::<Event>("nt", options);
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(
        error.to_string().ends_with("the file stores it as SplitReal32, which cannot become Real16"),
        "{error}"
    );
    assert_eq!(refuse::<Event>("nt", WriteOptions::new().cluster_size(0)).kind(), ErrorKind::InvalidArgument);
}

#[test]
fn unfinished_and_damaged_files_are_refused() {
    // Never finished.
    let disk = Disk::new(Vec::new());
    let unfinished = RootFileWriter::new(disk.clone(), Default::default()).unwrap();
    drop(unfinished);
    let error =
        Writer::<Event, _>::append_to(Memory::from(disk.bytes()), "nt", WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unfinished);
    // No byte of the file that is flipped, and no byte that is missing, makes it panic.
    let whole = file();
    for at in places(whole.len()) {
        let mut bad = whole.clone();
        bad[at] ^= 0x41;
        for bytes in [bad, whole[..at].to_vec()] {
            let Ok(mut writer) =
                Writer::<Event, _>::append_to(Memory::from(bytes), "nt", WriteOptions::new())
            else {
                continue;
            };
            let _ = writer.fill(&Event { number: 2, energies: vec![], hits: vec![], name: String::new() });
            let _ = writer.finish();
        }
    }
}

#[test]
fn features_that_nobody_knows_are_not_written_over() {
    let disk = Disk::new(Vec::new());
    let file = RootFileWriter::new(disk.clone(), Default::default()).unwrap();
    file.put_unknown_feature("nt", 3).unwrap();
    file.finish().unwrap();
    let calls = disk.calls();
    let error = Writer::<Event, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert_eq!(disk.calls(), calls);
}

#[test]
fn whoever_comes_second_is_refused() {
    let muons = samples::<Muon>(6, 1);
    let disk = Disk::new(write("nt", &muons[..2], WriteOptions::new()));
    let mut first = Writer::<Muon, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap();
    let mut second = Writer::<Muon, _>::append_to(disk.clone(), "nt", WriteOptions::new()).unwrap();
    second.fill(&muons[2]).unwrap();
    second.finish().unwrap();
    first.fill_all(&muons[3..]).unwrap();
    let error = first.finish().unwrap_err();
    assert!(error.to_string().contains("another program has changed the file"), "{error}");
    super::assert_sound(&disk.bytes());
    assert_eq!(read::<Muon>(&disk.bytes(), "nt"), muons[..3]);
}

#[test]
fn an_enum_needs_the_name_that_it_has_in_the_file() {
    #[derive(RNTuple)]
    #[rntuple(type_name = "det::Side")]
    #[repr(u8)]
    enum Named {
        Left,
    }
    #[derive(RNTuple)]
    struct Spot<T> {
        sides: Vec<T>,
        met: f32,
    }
    #[derive(RNTuple)]
    struct Wrong {
        sides: Vec<Side>,
        met: Side,
    }
    let bytes = write("nt", &[Spot { sides: vec![Named::Left], met: 1.0 }], WriteOptions::new());
    let error = Writer::<Wrong, _>::append_to(Disk::new(bytes), "nt", WriteOptions::new()).unwrap_err();
    let helps: Vec<(&str, Option<&str>)> =
        error.mismatches().iter().map(|mismatch| (&*mismatch.field, mismatch.help.as_deref())).collect();
    let help = "an enum is stored as the one of the file with `type_name = \"det::Side\"`";
    assert_eq!(helps, [("sides", None), ("sides._0", Some(help)), ("met", None)]);
}
