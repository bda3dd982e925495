//! `skip_writing`, `skip_reading`, `bound`, `crate`.

use std::fmt::Display;
use std::marker::PhantomData;

use rntuple::RNTuple;
use rntuple::cxx::Cardinality;
use rntuple::field::{ReadField, WriteField};

use super::common::{compare, evolve, list, many, names, round_trip, schema_of, text, write};

/// Its members cannot be written, nor made by hand.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(skip_writing, rename_all = "camelCase", default)]
struct Sizes {
    hit_list: Cardinality,
    name: String,
    missing: u8,
    group: Group,
}

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
#[rntuple(skip_writing)]
struct Group {
    cells: Cardinality,
}

impl Default for Sizes {
    fn default() -> Self {
        let group = Group { cells: Cardinality(0) };
        Self { hit_list: Cardinality(9), name: "none".into(), missing: 5, group }
    }
}

/// Its members cannot be read.
#[derive(RNTuple, Clone)]
#[rntuple(skip_reading, rename_all = "camelCase")]
struct Borrowed<'a> {
    hit_list: &'a [f32],
    name: &'a str,
    group: BorrowedGroup<'a>,
    #[rntuple(skip)]
    not_storable: PhantomData<*const u8>,
}

#[derive(RNTuple, Clone)]
#[rntuple(skip_reading)]
struct BorrowedGroup<'a> {
    cells: &'a Vec<u8>,
}

#[test]
fn each_half_alone() {
    let hits = many(|n| list(n, |i| i as f32));
    let cells = many(|n| list(n + 1, |i| i as u8));
    let names = many(text);
    let old = many(|n| Borrowed {
        hit_list: &hits[n as usize],
        name: &names[n as usize],
        group: BorrowedGroup { cells: &cells[n as usize] },
        not_storable: PhantomData,
    });
    let new = many(|n| Sizes {
        hit_list: Cardinality(n % 5),
        name: text(n),
        missing: 5,
        group: Group { cells: Cardinality((n + 1) % 5) },
    });
    evolve(&old, &new);
}

#[test]
fn enums_have_halves_too() {
    #[derive(RNTuple, Clone)]
    #[rntuple(skip_reading)]
    enum Written<'a> {
        Text(&'a str),
        Numbers { list: &'a [u8] },
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(skip_writing)]
    enum Read {
        Text(String),
        Numbers { list: Cardinality },
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T> {
        value: T,
    }
    let old = |n: u64| match n % 2 {
        0 => Written::Text("text"),
        _ => Written::Numbers { list: &[1, 2, 3][..(n % 3) as usize] },
    };
    let new = |n: u64| match n % 2 {
        0 => Read::Text("text".into()),
        _ => Read::Numbers { list: Cardinality(n % 3) },
    };
    evolve(&many(|n| Event { value: old(n) }), &many(|n| Event { value: new(n) }));
}

/// Stored as text; the derive cannot know what that needs of `T`.
mod spelled {
    use std::fmt::Display;
    use std::str::FromStr;

    pub(super) type Stored = String;

    pub(super) fn store<T: Display>(value: &T) -> String {
        value.to_string()
    }

    pub(super) fn load<T: FromStr>(stored: String) -> Result<T, T::Err> {
        stored.parse()
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(bound = "T: Display + std::str::FromStr, <T as std::str::FromStr>::Err: Display")]
struct Spelled<T> {
    #[rntuple(with = spelled)]
    value: T,
    number: u64,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(bound = "T: WriteField + ReadField, T::Reader: rntuple::field::FieldReader<T>")]
struct Bound<T> {
    value: Vec<T>,
}

#[test]
fn bounds_replace_those_that_are_inferred() {
    let entries = many(|n| Spelled { value: n as f32 * 0.5, number: n });
    round_trip(&entries);
    let schema = schema_of(&entries[0]);
    assert_eq!(super::common::field(&schema, "value").type_name, "std::string");
    round_trip(&many(|n| Bound { value: list(n, text) }));
}

/// Another path to the crate.
mod framework {
    pub(super) use rntuple as io;
}

#[derive(framework::io::RNTuple, Clone, Debug, PartialEq)]
#[rntuple(crate = framework::io)]
struct PassedOn {
    value: u8,
    #[rntuple(default, alias = "other", truncate(bits = 18), compression = "lz4:1", unit = "m")]
    second: f32,
    choice: Choice,
    kind: Kind,
}

#[derive(framework::io::RNTuple, Clone, Debug, PartialEq)]
#[rntuple(crate = "crate::attributes::halves::framework::io", upgrade_from(u8, when = type_name("std::uint8_t"), with = Choice::Number))]
enum Choice {
    Number(u8),
    Text {
        #[rntuple(with = spelled)]
        text: f64,
    },
    #[rntuple(other)]
    Other,
}

#[derive(framework::io::RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(crate = framework::io)]
#[repr(u8)]
enum Kind {
    One,
    #[rntuple(other)]
    Two,
}

#[test]
fn the_crate_may_be_elsewhere() {
    let passed = |n: u64| PassedOn {
        value: n as u8,
        second: n as f32,
        choice: match n % 3 {
            0 => Choice::Number(n as u8),
            1 => Choice::Text { text: n as f64 },
            _ => Choice::Other,
        },
        kind: if n.is_multiple_of(2) { Kind::One } else { Kind::Two },
    };
    let entries = many(passed);
    round_trip(&entries);
    let expected = ["value", "second", "choice", "choice._0", "choice._1", "choice._1.text", "kind"];
    assert_eq!(names(&schema_of(&entries[0])), expected);
}

/// The derive makes the test that compares it with the file.
#[derive(framework::io::RNTuple)]
#[rntuple(crate = framework::io, lock = "tests/all/attributes/locked_elsewhere.rntlock")]
struct LockedElsewhere {
    number: u64,
}

#[test]
fn a_lock_finds_the_crate_elsewhere() {
    assert_eq!(names(&schema_of(&LockedElsewhere { number: 1 })), ["number"]);
}

#[test]
fn the_written_half_may_be_read_by_the_other() {
    // A file of a type that cannot be read, by one that cannot be written.
    let hits = [1.0, 2.0];
    let cells = vec![1, 2, 3];
    let group = BorrowedGroup { cells: &cells };
    let entry = Borrowed { hit_list: &hits, name: "a", group, not_storable: PhantomData };
    let wanted = Sizes {
        hit_list: Cardinality(2),
        name: "a".into(),
        missing: 5,
        group: Group { cells: Cardinality(3) },
    };
    compare(&write(&[entry]), &[wanted]);
}
