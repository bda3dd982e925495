//! All differences are told at once, with their paths, whatever attribute makes them.

use rntuple::{ErrorKind, RNTuple};

use super::common::{open, refused, text, write};

#[derive(RNTuple)]
struct Written {
    number: u64,
    /// Sum [MeV]
    energy: f32,
    label: String,
    unknown: Vec<Unknown>,
    inner: Inner,
    list: Vec<Inner>,
    choice: Choice,
    flat_x: String,
    flat_z: f32,
}

#[derive(RNTuple)]
struct Unknown {
    x: u8,
}

#[derive(RNTuple)]
struct Inner {
    a: f32,
    b: String,
}

#[derive(RNTuple)]
enum Choice {
    A(Inner),
    B { text: String },
    C,
}

mod wanted {
    use rntuple::RNTuple;

    #[derive(RNTuple, Debug)]
    #[rntuple(deny_unknown_fields)]
    pub(super) struct Denying {
        #[rntuple(alias = "number")]
        pub(super) count: String,
        #[rntuple(unit = "GeV")]
        pub(super) energy: f32,
        #[rntuple(default)]
        pub(super) label: Vec<f32>,
        pub(super) missing: u8,
        #[rntuple(default)]
        pub(super) fine: u8,
        pub(super) inner: Inner,
        pub(super) list: Vec<Inner>,
        pub(super) choice: Choice,
    }

    #[derive(RNTuple, Debug)]
    #[rntuple(deny_unknown_fields)]
    pub(super) struct Inner {
        #[rntuple(unit = "cm", rename = "a")]
        pub(super) length: f32,
        #[rntuple(alias = "missing_too")]
        pub(super) c: u8,
    }

    #[derive(RNTuple, Debug)]
    pub(super) enum Choice {
        A(Inner),
        B {
            #[rntuple(with = size)]
            text: u64,
        },
    }

    /// Something that is stored as a number.
    mod size {
        pub(in super::super) type Stored = u64;

        pub(in super::super) fn store(value: &u64) -> u64 {
            *value
        }

        pub(in super::super) fn load(stored: u64) -> Result<u64, String> {
            Ok(stored)
        }
    }

    #[derive(RNTuple, Debug)]
    pub(super) struct Flattening {
        #[rntuple(flatten, prefix = "flat_")]
        pub(super) flat: Flat,
        #[rntuple(try_from = "u32", into = "u32")]
        pub(super) label: u16,
        #[rntuple(convert = "lossy")]
        pub(super) list: Vec<f32>,
    }

    #[derive(RNTuple, Debug)]
    pub(super) struct Flat {
        pub(super) x: f32,
        pub(super) y: f32,
        #[rntuple(unit = "mm", rename = "z")]
        pub(super) height: f32,
    }
}

fn written() -> Written {
    let inner = || Inner { a: 1.0, b: text(1) };
    Written {
        number: 1,
        energy: 2.0,
        label: text(2),
        unknown: vec![Unknown { x: 1 }],
        inner: inner(),
        list: vec![inner()],
        choice: Choice::A(inner()),
        flat_x: text(1),
        flat_z: 1.0,
    }
}

#[test]
fn every_difference_is_told_once_with_its_path() {
    let file = write(&[written()]);
    let mut told = refused::<wanted::Denying>(&file);
    // `inner.a` states no unit, and fits.
    told.sort();
    let told: Vec<_> = told.iter().map(|(field, found, wanted)| (&**field, &**found, &**wanted)).collect();
    let denied = "no such field";
    let expected = [
        ("choice", "std::variant<Inner,Choice::B,Choice::C> (Switch)", "a variant of 2 alternatives"),
        ("choice._0.b", "std::string (SplitIndex64, Char)", denied),
        ("choice._0.c", "no such field", "u8"),
        ("choice._1.text", "std::string (SplitIndex64, Char)", "u64"),
        ("energy", "values in MeV", "values in GeV"),
        ("flat_x", "std::string (SplitIndex64, Char)", denied),
        ("flat_z", "float (SplitReal32)", denied),
        ("inner.b", "std::string (SplitIndex64, Char)", denied),
        ("inner.c", "no such field", "u8"),
        ("label", "std::string (SplitIndex64, Char)", "a collection"),
        ("list._0.b", "std::string (SplitIndex64, Char)", denied),
        ("list._0.c", "no such field", "u8"),
        ("missing", "no such field", "u8"),
        ("number", "std::uint64_t (SplitUInt64)", "a string"),
        ("unknown", "an untyped collection (SplitIndex64)", denied),
    ];
    assert_eq!(told, expected);
    let error = open::<wanted::Denying>(&file).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
}

#[test]
fn flattened_and_converted_members_are_told_too() {
    #[derive(RNTuple)]
    struct Old {
        flat_x: String,
        #[rntuple(unit = "cm")]
        flat_z: f32,
        label: f64,
        list: String,
    }
    let told = refused::<wanted::Flattening>(&write(&[Old {
        flat_x: text(1),
        flat_z: 1.0,
        label: 1.0,
        list: text(1),
    }]));
    let fields: Vec<_> = told.iter().map(|(field, ..)| &**field).collect();
    assert_eq!(fields, ["flat_x", "flat_y", "flat_z", "label", "list"]);
}
