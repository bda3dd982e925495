//! `index`, `other`, and enums that grew.

use std::collections::BTreeMap;

use rntuple::{ErrorKind, RNTuple};

use super::common::{
    evolve, field, list, many, names, open, refused, round_trip, schema_of, text, write, write_in,
};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct One<T> {
    value: T,
    values: Vec<T>,
}

fn ones<T: Clone>(make: impl Fn(u64) -> T) -> Vec<One<T>> {
    many(|n| One { value: make(n), values: list(n, &make) })
}

/// `tag` is the number of an alternative, so variants can be in any order.
#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Sorted {
    #[rntuple(tag = 2)]
    None,
    #[rntuple(tag = 0)]
    Strip(u32),
    #[rntuple(tag = 1)]
    Pixel { x: u16, y: u16 },
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Unsorted {
    Strip(u32),
    Pixel { x: u16, y: u16 },
    None,
}

fn sorted(n: u64) -> Sorted {
    match n % 3 {
        0 => Sorted::None,
        1 => Sorted::Strip(n as u32),
        _ => Sorted::Pixel { x: n as u16, y: 1 },
    }
}

fn unsorted(n: u64) -> Unsorted {
    match sorted(n) {
        Sorted::None => Unsorted::None,
        Sorted::Strip(number) => Unsorted::Strip(number),
        Sorted::Pixel { x, y } => Unsorted::Pixel { x, y },
    }
}

#[test]
fn alternatives_have_the_numbers_that_they_are_given() {
    let entries = ones(sorted);
    round_trip(&entries);
    let schema = schema_of(&entries[0]);
    assert_eq!(field(&schema, "value").type_name, "std::variant<std::uint32_t,Sorted::Pixel,Sorted::None>");
    let names: Vec<_> =
        ["value._0", "value._1", "value._2"].map(|path| field(&schema, path).description).into();
    assert_eq!(names, ["Strip", "Pixel", "None"]);
    // With the same numbers it is the same enum.
    evolve(&entries, &ones(unsorted));
    evolve(&ones(unsorted), &entries);
}

#[test]
fn alternatives_may_come_in_any_order_and_turn_around() {
    // One cluster: a long row of one alternative, then of another, and single ones between.
    let make = |n: u64| {
        sorted(if n < 15 {
            1
        } else if n < 25 {
            2
        } else {
            n
        })
    };
    round_trip(&ones(make));
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[repr(i16)]
enum Level {
    Low = -5,
    High = 300,
    #[rntuple(other)]
    Unknown = 7,
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[repr(i16)]
enum MoreLevels {
    Low = -5,
    Middle = 20,
    High = 300,
}

fn more_levels(n: u64) -> MoreLevels {
    [MoreLevels::Low, MoreLevels::Middle, MoreLevels::High][(n % 3) as usize]
}

#[test]
fn integers_of_no_variant_are_the_other_one() {
    let level = |n: u64| [Level::Low, Level::Unknown, Level::High][(n % 3) as usize];
    round_trip(&ones(level));
    evolve(&ones(more_levels), &ones(level));
    // It has a number of its own, and is written as this.
    let schema = schema_of(&One { value: Level::Low, values: vec![] });
    assert_eq!(field(&schema, "value").description, "Low = -5, High = 300, Unknown = 7");
    evolve(&ones(level), &ones(|n| [-5i16, 7, 300][(n % 3) as usize]));
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
enum Layer {
    Inner = 1,
    Outer = 4,
}

/// The same as a C++ enum.
#[derive(RNTuple, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[rntuple(type_name = "det::Layer")]
#[repr(u8)]
enum CxxLayer {
    Inner = 1,
    Outer = 4,
}

impl From<Layer> for CxxLayer {
    fn from(layer: Layer) -> Self {
        match layer {
            Layer::Inner => Self::Inner,
            Layer::Outer => Self::Outer,
        }
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Layers<L: Ord> {
    plain: L,
    /// Where it was seen
    documented: L,
    /// Where it was seen.
    #[rntuple(unit = "cm")]
    with_unit: L,
    /// Or not seen: Inner = 1, Outer = 4
    spelled_out: L,
    all: Vec<L>,
    maybe: Option<L>,
    by_layer: BTreeMap<L, [L; 2]>,
    pair: (L, f32),
}

fn layers<L: Ord + From<Layer>>(n: u64) -> Layers<L> {
    let layer = |n: u64| if n.is_multiple_of(3) { Layer::Outer } else { Layer::Inner }.into();
    Layers {
        plain: layer(n),
        documented: layer(n + 1),
        with_unit: layer(n + 2),
        spelled_out: layer(n / 2),
        all: list(n, layer),
        maybe: n.is_multiple_of(2).then(|| layer(n)),
        by_layer: list(n % 3, |i| (layer(i), [layer(n), layer(n + 1)])).into_iter().collect(),
        pair: (layer(n / 3), n as f32),
    }
}

/// ROOT reads integers without a dictionary.
#[test]
fn without_a_class_they_are_integers_that_have_names() {
    round_trip(&many(layers::<Layer>));
    let schema = schema_of(&layers::<Layer>(0));
    let list = "Inner = 1, Outer = 4";
    for (path, type_name, description) in [
        ("plain", "std::uint8_t", list.to_owned()),
        ("documented", "std::uint8_t", format!("Where it was seen: {list}")),
        ("with_unit", "std::uint8_t", format!("Where it was seen. {list} [cm]")),
        ("spelled_out", "std::uint8_t", format!("Or not seen: {list}")),
        ("all", "std::vector<std::uint8_t>", String::new()),
        ("all._0", "std::uint8_t", list.to_owned()),
        ("maybe", "std::optional<std::uint8_t>", String::new()),
        ("maybe._0", "std::uint8_t", list.to_owned()),
        ("by_layer", "std::map<std::uint8_t,std::array<std::uint8_t,2>>", String::new()),
        ("by_layer._0._0", "std::uint8_t", list.to_owned()),
        ("by_layer._0._1._0", "std::uint8_t", list.to_owned()),
        ("pair", "std::pair<std::uint8_t,float>", String::new()),
        ("pair._0", "std::uint8_t", list.to_owned()),
    ] {
        let field = field(&schema, path);
        assert_eq!((&*field.type_name, field.description), (type_name, description), "{path}");
    }
    assert_eq!(field(&schema, "with_unit").enumerators(), [("Inner", 1), ("Outer", 4)]);
}

#[test]
fn with_a_class_or_without_they_are_read_as_each_other() {
    round_trip(&many(layers::<CxxLayer>));
    assert_eq!(field(&schema_of(&layers::<CxxLayer>(0)), "maybe").type_name, "std::optional<det::Layer>");
    evolve(&many(layers::<Layer>), &many(layers::<CxxLayer>));
    evolve(&many(layers::<CxxLayer>), &many(layers::<Layer>));
}

#[test]
fn without_an_other_one_integers_of_no_variant_are_errors() {
    #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
    #[repr(i16)]
    enum Fewer {
        Low = -5,
        High = 300,
    }
    let file = write(&many(|n| One { value: more_levels(n), values: vec![] }));
    let reader = open::<One<Fewer>>(&file).unwrap();
    for n in 0..40 {
        let read = reader.get(n);
        if n % 3 != 1 {
            let value = if n.is_multiple_of(3) { Fewer::Low } else { Fewer::High };
            assert_eq!(read.unwrap().value, value);
            continue;
        }
        let error = read.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        assert!(error.to_string().ends_with("20 is not a variant of the enum `Fewer`"), "{error}");
        let place = (error.location().field.as_deref(), error.location().entry);
        assert_eq!(place, (Some("value"), Some(n)));
    }
}

/// As it was.
#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Old {
    Strip(u32),
    Pixel { x: u16, y: u16 },
}

/// As it was, by somebody who saw it coming.
#[derive(RNTuple, Clone, Debug, PartialEq)]
enum OldOrOther {
    Strip(u32),
    Pixel {
        x: u16,
        y: u16,
    },
    #[rntuple(other)]
    Other,
}

/// As it is.
#[derive(RNTuple, Clone, Debug, PartialEq)]
enum New {
    Strip(u32),
    Pixel {
        x: u16,
        y: u16,
        #[rntuple(default = one)]
        weight: f32,
    },
    Tile {
        name: String,
        cells: Vec<u8>,
        inner: Point,
        #[rntuple(flatten, prefix = "at_")]
        at: Point,
    },
    Pair(Point, Vec<Point>),
    Text(String),
    Nested(Inner),
    Nothing,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Point {
    x: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Inner {
    A(u8),
    B { text: String },
}

fn one() -> f32 {
    1.0
}

fn new(n: u64) -> New {
    let point = |n: u64| Point { x: n as f32 };
    match n % 8 {
        0 | 7 => New::Strip(n as u32),
        1 => New::Pixel { x: n as u16, y: 2, weight: 0.5 },
        2 => New::Tile { name: text(n), cells: list(n, |i| i as u8), inner: point(n), at: point(n + 1) },
        3 => New::Pair(point(n), list(n, point)),
        4 => New::Text(text(n)),
        5 => New::Nested(if n.is_multiple_of(3) { Inner::A(n as u8) } else { Inner::B { text: text(n) } }),
        _ => New::Nothing,
    }
}

fn old(n: u64) -> Old {
    if n.is_multiple_of(3) { Old::Strip(n as u32) } else { Old::Pixel { x: n as u16, y: 3 } }
}

#[test]
fn new_enums_read_old_files() {
    round_trip(&ones(new));
    let as_new = |n: u64| match old(n) {
        Old::Strip(number) => New::Strip(number),
        Old::Pixel { x, y } => New::Pixel { x, y, weight: 1.0 },
    };
    evolve(&ones(old), &ones(as_new));
    // Alternatives that were added behind `other` are alternatives too.
    let as_other = |n: u64| match old(n) {
        Old::Strip(number) => OldOrOther::Strip(number),
        Old::Pixel { x, y } => OldOrOther::Pixel { x, y },
    };
    evolve(&ones(old), &ones(as_other));
}

#[test]
fn old_enums_read_new_files_if_they_have_another_variant() {
    let as_other = |n: u64| match new(n) {
        New::Strip(number) => OldOrOther::Strip(number),
        New::Pixel { x, y, .. } => OldOrOther::Pixel { x, y },
        _ => OldOrOther::Other,
    };
    evolve(&ones(new), &ones(as_other));
    let told = refused::<One<Old>>(&write(&ones(new)));
    let fields: Vec<_> = told.iter().map(|(field, _, wanted)| (&**field, &**wanted)).collect();
    assert_eq!(
        fields,
        [("value", "a variant of 2 alternatives"), ("values._0", "a variant of 2 alternatives")]
    );
}

#[test]
fn the_other_variant_is_written_as_no_value() {
    let make = |n: u64| match n % 4 {
        0 => OldOrOther::Other,
        1 => OldOrOther::Strip(n as u32),
        2 => OldOrOther::Pixel { x: n as u16, y: 1 },
        _ => OldOrOther::Other,
    };
    let entries = ones(make);
    round_trip(&entries);
    let expected = [
        "value",
        "value._0",
        "value._1",
        "value._1.x",
        "value._1.y",
        "values",
        "values._0",
        "values._0._0",
        "values._0._1",
        "values._0._1.x",
        "values._0._1.y",
    ];
    assert_eq!(names(&schema_of(&entries[0])), expected);
    // Who has no variant for it, cannot read these entries.
    let file = write_in(&many(|n| One { value: make(n), values: vec![] }), 16);
    let reader = open::<One<Old>>(&file).unwrap();
    for n in 0..40 {
        match (reader.get(n), make(n)) {
            (Ok(read), OldOrOther::Strip(number)) => assert_eq!(read.value, Old::Strip(number)),
            (Ok(read), OldOrOther::Pixel { x, y }) => assert_eq!(read.value, Old::Pixel { x, y }),
            (Err(error), OldOrOther::Other) => {
                assert_eq!(error.location().field.as_deref(), Some("value"));
                assert!(error.to_string().contains("holds no value"), "{error}");
            }
            (read, made) => panic!("{read:?} for {made:?}"),
        }
    }
}

#[test]
fn other_variants_stand_anywhere_and_beside_numbers() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum First {
        #[rntuple(other)]
        Unknown,
        #[rntuple(tag = 1)]
        Pixel { x: u16, y: u16 },
        #[rntuple(tag = 0)]
        Strip(u32),
    }
    let make = |n: u64| match n % 3 {
        0 => First::Unknown,
        1 => First::Pixel { x: n as u16, y: 1 },
        _ => First::Strip(n as u32),
    };
    round_trip(&ones(make));
    let as_first = |n: u64| match old(n) {
        Old::Strip(number) => First::Strip(number),
        Old::Pixel { x, y } => First::Pixel { x, y },
    };
    evolve(&ones(old), &ones(as_first));
}

#[test]
fn what_changed_in_an_alternative_is_told() {
    #[derive(RNTuple, Clone)]
    enum Changed {
        Strip(String),
        Pixel { x: u16 },
    }
    let file =
        write(&ones(|n| if n.is_multiple_of(2) { Changed::Strip(text(n)) } else { Changed::Pixel { x: 1 } }));
    let told = refused::<One<New>>(&file);
    let fields: Vec<_> = told.iter().map(|(field, ..)| &**field).collect();
    assert_eq!(fields, ["value._0", "value._1.y", "values._0._0", "values._0._1.y"]);
}

#[test]
fn empty_lists_of_grown_enums() {
    // No value of any alternative, in the first cluster and in all.
    let empty = |_| One { value: Old::Strip(1), values: vec![] };
    let wanted = |_| One { value: New::Strip(1), values: vec![] };
    evolve(&many(empty), &many(wanted));
}
