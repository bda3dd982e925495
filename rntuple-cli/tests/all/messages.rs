//! What the program says about files and arguments that are not what they should be: whole texts.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rntuple::storage::{LocalFile, Memory};
use rntuple::{RNTuple, RootFileWriter, WriteOptions, Writer};
use rntuple_tests::objects::with_class;

#[derive(RNTuple)]
struct Muon {
    pt: f32,
}

#[derive(RNTuple)]
struct Event {
    met: f32,
    muons: Vec<Muon>,
}

/// Exit code, standard output, and standard error without the program's name and the folder.
fn run(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rntuple")).current_dir(folder).args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn refused(folder: &Path, args: &[&str], code: i32) -> String {
    let (found, out, err) = run(folder, args);
    assert_eq!((found, &*out), (code, ""), "{err}");
    err.strip_prefix("rntuple: ").unwrap().trim_end().to_owned()
}

fn bytes(entries: u16) -> Vec<u8> {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..entries {
        writer.fill(&Event { met: number.into(), muons: vec![Muon { pt: 1.0 }] }).unwrap();
    }
    writer.finish_into().unwrap().1.into_bytes()
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_owned();
    fs::write(path.join("x.root"), bytes(5)).unwrap();
    (folder, path)
}

#[test]
fn a_tree_is_named_with_the_way_to_convert_it() {
    let (_folder, path) = folder();
    fs::write(path.join("tree.root"), with_class(bytes(1), "Events", "TTree")).unwrap();
    let none = "tree.root: the file has no ntuple, but a TTree \"Events\"; \
                convert a TTree with ROOT's RNTupleImporter";
    assert_eq!(refused(&path, &["dump", "tree.root"], 3), none);
    assert_eq!(refused(&path, &["codegen", "tree.root"], 3), none);
    assert_eq!(
        refused(&path, &["dump", "tree.root", "--ntuple", "Events"], 2),
        "tree.root: \"Events\" is a TTree, not an RNTuple; convert it with ROOT's RNTupleImporter"
    );
    let (code, out, err) = run(&path, &["ls", "tree.root"]);
    assert_eq!((code, &*err), (0, ""));
    let lines: Vec<&str> = out.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "  no ntuples",
            "  1 other object: 1 TTree",
            "  ROOT's RNTupleImporter converts a TTree to an RNTuple"
        ]
    );
}

#[test]
fn one_of_several_ntuples_is_chosen_by_an_option() {
    let (_folder, path) = folder();
    let file = RootFileWriter::new(Memory::new(), Default::default()).unwrap();
    for name in ["Events", "d/Runs"] {
        let mut writer = file.writer::<Muon>(name, WriteOptions::new()).unwrap();
        writer.fill(&Muon { pt: 1.0 }).unwrap();
        writer.finish().unwrap();
    }
    fs::write(path.join("two.root"), file.finish().unwrap().into_bytes()).unwrap();
    assert_eq!(
        refused(&path, &["dump", "two.root"], 2),
        "two.root: the file has 2 ntuples, choose one: \"Events\", \"d/Runs\"; name it with --ntuple"
    );
    assert_eq!(
        refused(&path, &["dump", "two.root", "--ntuple", "event"], 2),
        "two.root: no ntuple \"event\"; the file has \"Events\", \"d/Runs\"; did you mean \"Events\"?"
    );
    // Where only one file is taken, a second argument is an ntuple.
    for command in ["dump", "codegen"] {
        let (code, out, err) = run(&path, &[command, "two.root", "Events"]);
        assert_eq!((code, &*out), (2, ""));
        assert!(err.starts_with("error: unexpected argument 'Events' found\n"), "{err}");
        assert!(err.contains("tip: an ntuple is named by '--ntuple Events'"), "{err}");
    }
    let err = run(&path, &["dump", "two.root", "--unknown"]).2;
    assert!(!err.contains("--ntuple --unknown"), "{err}");
}

#[test]
fn misspelled_fields_are_answered_with_near_ones() {
    let (_folder, path) = folder();
    let fields = |fields| refused(&path, &["dump", "x.root", "--fields", fields], 2);
    assert_eq!(fields("muons.pT"), "x.root: Events: no field \"muons.pT\"; did you mean \"muons.pt\"?");
    assert_eq!(fields("moun.pt"), "x.root: Events: no field \"moun.pt\"");
    assert_eq!(
        fields("muon._0.pt"),
        "x.root: Events: no field \"muon._0.pt\"; did you mean \"muons._0.pt\"?"
    );
    assert_eq!(fields("Met,muons"), "x.root: Events: no field \"Met\"; did you mean \"met\"?");
    assert_eq!(fields("Jet_*"), "x.root: Events: no field matches \"Jet_*\"");
    let (code, out, err) = run(&path, &["dump", "x.root", "--fields", "m?t,*.p*", "--entries", "1..2"]);
    assert_eq!((code, &*out, &*err), (0, "{\"met\":1.0,\"muons\":[{\"pt\":1.0}]}\n", ""));
    let value = |field| refused(&path, &["codegen", "x.root", "--value", field], 2);
    assert_eq!(
        value("muons._0.pT"),
        "x.root: Events: no field \"muons._0.pT\"; did you mean \"muons._0.pt\"?"
    );
    assert_eq!(
        value("muons.pt"),
        "x.root: Events: the path \"muons.pt\" must name the items of collections too: `jets._0.tag`"
    );
}

#[test]
fn patterns_match_all_members_of_pairs_and_maps() {
    #[derive(RNTuple)]
    struct Pairs {
        pair: (f32, u8),
        map: BTreeMap<u16, f32>,
    }
    let (_folder, path) = folder();
    let mut writer = Writer::<Pairs>::create(path.join("pairs.root"), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Pairs { pair: (1.5, 2), map: [(3, 4.5)].into() }).unwrap();
    writer.finish().unwrap();
    let dump = |fields: &str| run(&path, &["dump", "pairs.root", "--fields", fields]);
    for name in ["pair", "map"] {
        let whole = dump(name);
        assert_eq!(whole.0, 0, "{whole:?}");
        assert_eq!(dump(&format!("{name}.*")), whole);
    }
}

#[test]
fn entries_that_the_ntuple_does_not_have_are_no_silence() {
    let (_folder, path) = folder();
    let dump = |entries| run(&path, &["dump", "x.root", "--fields", "met", "--entries", entries]);
    for (entries, first) in [("5..6", 5), ("200..201", 200), ("5..", 5)] {
        let err = format!("rntuple: x.root: Events: no entry {first}; the ntuple has 5 entries\n");
        assert_eq!(dump(entries), (2, String::new(), err), "{entries}");
    }
    let cut = "rntuple: note: x.root: Events: the ntuple has only 5 entries\n";
    assert_eq!(dump("4..6"), (0, "{\"met\":4.0}\n".to_owned(), cut.to_owned()));
    assert_eq!(dump("4..5"), (0, "{\"met\":4.0}\n".to_owned(), String::new()));
    // No entries were asked for.
    assert_eq!(dump("7..7"), (0, String::new(), String::new()));
    fs::write(path.join("empty.root"), bytes(0)).unwrap();
    let (code, out, _) = run(&path, &["dump", "empty.root", "--entries", "0..10"]);
    assert_eq!((code, &*out), (0, ""));
}

#[test]
fn a_file_that_is_not_finished_may_be_at_work() {
    let (_folder, path) = folder();
    let storage = LocalFile::create_in_place(path.join("part.root")).unwrap();
    let mut writer = Writer::<Muon, _>::new(storage, "Events", WriteOptions::new()).unwrap();
    writer.fill(&Muon { pt: 1.0 }).unwrap();
    let said = "part.root: the file is not finished: its writer is still at work, or ended without calling `finish`; \
                its entries cannot be read";
    assert_eq!(refused(&path, &["dump", "part.root"], 1), said);
    drop(writer);
    assert_eq!(refused(&path, &["dump", "part.root"], 1), said);
}
