//! `rntuple codegen` from outside.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

use rntuple_tests::reference::{self, Reference};

/// Exit code, standard output, standard error.
fn run(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_rntuple")).arg("codegen").args(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn path(reference: &Reference) -> &str {
    reference.file.to_str().unwrap()
}

/// A reference file, unless there are none on this machine.
fn file(name: &str) -> Option<Reference> {
    reference::files(name).into_iter().find(|file| file.name.starts_with(name))
}

#[test]
fn structs_are_named_after_the_ntuple_or_as_asked() {
    let Some(reference) = file("nested_structs-v1") else { return };
    let (code, out, err) = run(&[path(&reference)]);
    assert_eq!((code, &*err), (0, ""));
    assert!(out.contains("pub struct Ntuple {\n    pub my_struct: TopStruct,\n}"), "{out}");
    assert!(out.contains("#[rntuple(type_name = \"SubStruct\")]\npub struct SubStruct {"), "{out}");
    let (_, named, _) = run(&[path(&reference), "--name", "Event", "--ntuple", "ntuple"]);
    assert_eq!(named, out.replace("Ntuple {", "Event {"));
    let (_, value, _) = run(&[path(&reference), "--value", "my_struct.i,my_struct.sub_struct"]);
    assert!(value.contains("    pub i: ::rntuple::Value,\n"), "{value}");
    assert!(!value.contains("pub struct SubStruct"), "{value}");
}

#[test]
fn classes_come_with_their_link_def() {
    let Some(reference) = file("stl_containers-v1") else { return };
    let (code, out, err) = run(&[path(&reference), "--cxx"]);
    assert_eq!((code, &*err), (0, ""));
    let (header, link_def) = out.split_once("\n// LinkDef.h\n").unwrap();
    assert!(header.contains("struct LV {\n    float pt{};\n"), "{header}");
    assert!(header.contains("    std::array<LV, 3> array_lv{};\n"), "{header}");
    assert!(link_def.contains("#pragma link C++ class LV+;\n"), "{link_def}");
    assert_eq!(run(&[path(&reference), "--link-def"]).1, link_def);
}

#[test]
fn what_cannot_be_is_told_apart() {
    let (code, _, err) = run(&["missing.root"]);
    assert_eq!(code, 3);
    assert!(err.starts_with("rntuple: missing.root: "), "{err}");
    let Some(two) = file("multiple_rntuples-v1") else { return };
    let (code, out, err) = run(&[path(&two)]);
    assert_eq!((code, &*out), (2, ""));
    assert!(err.contains("choose one: \"A\", \"B\"; name it with --ntuple"), "{err}");
    for args in [
        &[path(&two), "--ntuple", "C"][..],
        &[path(&two), "--ntuple", "A", "--value", "nothing"],
        &[path(&two), "--ntuple", "A", "--cxx", "--link-def"],
        &[],
    ] {
        let (code, out, err) = run(args);
        assert_eq!((code, &*out), (2, ""), "{args:?}");
        assert!(!err.is_empty());
    }
    let Some(old) = file("int_float-prototype") else { return };
    let (code, out, err) = run(&[path(&old)]);
    assert_eq!((code, &*out), (3, ""));
    assert!(err.contains("pre-release format prototype"), "{err}");
}
