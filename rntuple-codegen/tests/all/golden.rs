//! Whole sources for awkward schemas, as somebody has looked at them. `RNTUPLE_BLESS=1` writes them anew.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::path::Path;

use rntuple_codegen::{Options, cxx, rust};

use super::awkward;

#[test]
fn sources_are_those_that_were_reviewed() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    // Nobody would look at the deep one.
    for (name, schema) in awkward::schemas().into_iter().filter(|(name, _)| *name != "deep") {
        let source = cxx(&schema, &Options::new());
        for (ending, found) in
            [("rs", rust(&schema, &Options::new())), ("hxx", source.header), ("LinkDef.h", source.link_def)]
        {
            let path = folder.join(format!("{name}.{ending}.txt"));
            if std::env::var_os("RNTUPLE_BLESS").is_some() {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &found).unwrap();
            }
            let wanted = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(found == wanted, "{}: the source is another one now:\n{found}", path.display());
        }
    }
}

#[test]
fn names_are_what_options_say() {
    let (_, schema) = awkward::schemas().remove(1);
    let options = Options::new().name("decay_tree").value("jets._0.pt").value("no.such.field");
    let source = rust(&schema, &options);
    assert!(source.contains("pub struct DecayTree {"), "{source}");
    assert!(source.contains("    // `float`\n    pub pt: ::rntuple::Value,"), "{source}");
    assert!(cxx(&schema, &options).header.contains("struct DecayTree {"));
}

#[test]
fn classes_with_enums_without_names_are_only_read() {
    let source_of = |description: &str| {
        let mut b = awkward::Builder::default();
        let muon = b.record(None, "muon", "Muon");
        let side = b.plain(Some(muon), "side", "ns::Side");
        let integer = b.plain(Some(side), "_0", "std::uint8_t");
        b.describe(integer, description);
        rust(&b.build(), &Options::new())
    };
    // With an integer in place of the enum, it would be another class of the same name.
    let source = source_of("");
    assert!(source.contains("type_name = \"Muon\", skip_writing"), "{source}");
    assert_eq!(source.matches("skip_writing").count(), 2, "{source}");
    let source = source_of("Left = 0, Right = 1");
    assert!(source.contains("type_name = \"Muon\"") && !source.contains("skip_writing"), "{source}");
}

/// They have over 64 KiB, and so no name for a key and a value.
#[test]
fn large_pairs_of_maps_are_values() {
    let (_, deep) = awkward::schemas().remove(3);
    let source = rust(&deep, &Options::new());
    for map in ["map", "multimap", "unordered_map", "unordered_multimap"] {
        let member = format!("    pub large_{map}: Vec<::rntuple::Value>,\n");
        assert!(source.contains(&member), "{member}{source}");
    }
}

/// As large as a header of some megabytes can make them.
#[test]
fn size_is_no_reason_to_fail() {
    for (name, schema) in [("wide", awkward::wide(5_000)), ("classes", awkward::classes(5_000))] {
        let source = rust(&schema, &Options::new());
        assert!(source.lines().count() > 5_000, "{name}");
        assert!(cxx(&schema, &Options::new()).header.len() > 5_000, "{name}");
    }
    let (_, deep) = awkward::schemas().remove(3);
    let source = std::thread::Builder::new().stack_size(256 << 10);
    let source = source.spawn(move || (rust(&deep, &Options::new()), cxx(&deep, &Options::new())));
    assert!(source.unwrap().join().unwrap().0.contains("::rntuple::Value"));
}
