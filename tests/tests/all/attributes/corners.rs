//! Where attributes meet each other.

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::field::StoredField;
use rntuple::storage::Memory;
use rntuple::{Compression, ErrorKind, RNTuple, Value, WriteOptions, Writer};

use super::common::{
    columns, dataset, evolve, field, list, many, names, open, refused, round_trip, schema_of, text, write,
};

#[test]
fn units_of_options_are_compared_where_a_default_looks_into_them() {
    #[derive(RNTuple, Clone)]
    struct Mev {
        #[rntuple(unit = "MeV")]
        energy: Option<f32>,
    }
    #[derive(RNTuple, Clone)]
    struct Gev {
        #[rntuple(unit = "GeV")]
        energy: Option<f32>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct New {
        #[rntuple(unit = "GeV", default)]
        energy: f32,
    }
    let some = |n: u64| (n.is_multiple_of(2)).then_some(n as f32);
    let new = |n: u64| New { energy: some(n).unwrap_or_default() };
    evolve(&many(|n| Gev { energy: some(n) }), &many(new));
    let told = refused::<New>(&write(&many(|n| Mev { energy: some(n) })));
    assert_eq!(told, [("energy._0".into(), "values in MeV".into(), "values in GeV".into())]);
}

#[test]
fn units_tell_versions_apart() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Mev {
        #[rntuple(unit = "MeV")]
        energy: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(Mev, when = is_in_mev, with = in_gev))]
    struct Gev {
        #[rntuple(unit = "GeV")]
        energy: f32,
    }
    fn is_in_mev(file: StoredField<'_>) -> bool {
        file.find("energy").and_then(StoredField::unit) == Some("MeV")
    }
    fn in_gev(old: Mev) -> Gev {
        Gev { energy: old.energy / 1000.0 }
    }
    let old = |n: u64| Mev { energy: n as f32 * 1000.0 };
    let new = |n: u64| Gev { energy: n as f32 };
    evolve(&many(old), &many(new));
    round_trip(&many(new));
}

#[test]
fn units_in_variants() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Size {
        /// Of the side.
        Square(#[rntuple(unit = "mm")] f32),
        Circle {
            #[rntuple(unit = "mm", f16)]
            radius: f32,
        },
        Point,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        size: Size,
    }
    #[derive(RNTuple, Clone)]
    enum Inches {
        Square(#[rntuple(unit = "in")] f32),
        Circle {
            #[rntuple(unit = "in")]
            radius: f32,
        },
    }
    #[derive(RNTuple, Clone)]
    struct InInches {
        size: Inches,
    }
    let size = |n: u64| match n % 3 {
        0 => Size::Square(n as f32),
        1 => Size::Circle { radius: n as f32 },
        _ => Size::Point,
    };
    let entries = many(|n| Event { size: size(n) });
    round_trip(&entries);
    let schema = schema_of(&entries[0]);
    assert_eq!(field(&schema, "size._0").description, "Square: Of the side. [mm]");
    assert_eq!(field(&schema, "size._1.radius").unit(), Some("mm"));
    assert_eq!(columns(&schema, "size._1.radius"), ["Real16"]);
    let inches =
        |n: u64| if n.is_multiple_of(2) { Inches::Square(1.0) } else { Inches::Circle { radius: 1.0 } };
    let told = refused::<Event>(&write(&many(|n| InInches { size: inches(n) })));
    let fields: Vec<_> = told.iter().map(|(field, found, _)| (&**field, &**found)).collect();
    assert_eq!(fields, [("size._0", "values in in"), ("size._1.radius", "values in in")]);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(deny_unknown_fields)]
struct Strict {
    value: u8,
}

#[test]
fn a_struct_that_denies_is_read_back_where_it_is_flattened() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        number: u64,
        #[rntuple(flatten, prefix = "a_")]
        a: Strict,
        #[rntuple(flatten)]
        b: Strict,
    }
    round_trip(&many(|n| Event { number: n, a: Strict { value: n as u8 }, b: Strict { value: 1 } }));
}

#[test]
fn a_struct_that_denies_may_have_versions() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Old {
        value: u8,
        more: u8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(deny_unknown_fields, upgrade_from(Old, when = has("more"), with = without_more))]
    struct New {
        value: u8,
        #[rntuple(default)]
        added: u8,
    }
    fn without_more(old: Old) -> New {
        New { value: old.value, added: old.more }
    }
    let old = |n: u64| Old { value: n as u8, more: 3 };
    evolve(&many(old), &many(|n| without_more(old(n))));
    round_trip(&many(|n| New { value: n as u8, added: 1 }));
    evolve(&many(|n| Strict { value: n as u8 }), &many(|n| New { value: n as u8, added: 0 }));
}

#[test]
fn flags_with_versions_in_arrays() {
    #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
    #[rntuple(transparent, upgrade_from(f32, when = type_name("float"), with = Flag::of))]
    struct Flag {
        is_set: bool,
    }
    impl Flag {
        fn of(value: f32) -> Self {
            Self { is_set: value > 0.0 }
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T> {
        flags: [T; 3],
        list: Vec<T>,
    }
    let flag = |n: u64| Flag { is_set: n.is_multiple_of(3) };
    let event = |n: u64| Event { flags: [flag(n), flag(n + 1), flag(n + 2)], list: list(n, flag) };
    round_trip(&many(event));
    assert_eq!(field(&schema_of(&event(1)), "flags").type_name, "std::bitset<3>");
    let number = |n: u64| if n.is_multiple_of(3) { 1.0f32 } else { 0.0 };
    let old = |n: u64| Event { flags: [number(n), number(n + 1), number(n + 2)], list: list(n, number) };
    evolve(&many(old), &many(event));
}

#[test]
fn conversions_before_other_forms() {
    #[derive(RNTuple, Clone)]
    struct Old {
        celsius: f64,
        number: f64,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct New {
        #[rntuple(from = "i16", convert = "lossy", rename = "celsius")]
        kelvin: Kelvin,
        #[rntuple(with = even, convert = "lossy")]
        number: u8,
    }
    #[derive(Clone, Debug, PartialEq, RNTuple)]
    struct Kelvin(i32);
    impl From<i16> for Kelvin {
        fn from(celsius: i16) -> Self {
            Self(i32::from(celsius) + 273)
        }
    }
    mod even {
        pub(super) type Stored = u8;

        pub(super) fn store(value: &u8) -> u8 {
            value * 2
        }

        pub(super) fn load(stored: u8) -> Result<u8, &'static str> {
            Ok(stored / 2)
        }
    }
    let old = |n: u64| Old { celsius: n as f64 + 0.75, number: n as f64 * 2.0 + 0.5 };
    evolve(&many(old), &many(|n| New { kelvin: Kelvin(n as i32 + 273), number: n as u8 }));
}

#[test]
fn members_of_tuple_structs() {
    fn three() -> u8 {
        3
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        triple: Triple,
        triples: Vec<Triple>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Triple(
        #[rntuple(rename = "first", unit = "mm")] f32,
        #[rntuple(skip, default = three)] u8,
        #[rntuple(default, alias = "second")] String,
        #[rntuple(flatten, prefix = "s_")] Strict2,
    );
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Strict2 {
        value: u8,
    }
    let triple = |n: u64| Triple(n as f32, 3, text(n), Strict2 { value: n as u8 });
    let event = |n: u64| Event { triple: triple(n), triples: list(n, triple) };
    round_trip(&many(event));
    assert_eq!(names(&schema_of(&event(0)))[..4], ["triple", "triple.first", "triple._2", "triple.s_value"]);
    #[derive(RNTuple, Clone)]
    struct Old<T> {
        triple: T,
        triples: Vec<T>,
    }
    #[derive(RNTuple, Clone)]
    struct Named {
        second: String,
        first: f32,
        s_value: u8,
    }
    let named = |n: u64| Named { second: text(n), first: n as f32, s_value: n as u8 };
    evolve(&many(|n| Old { triple: named(n), triples: list(n, named) }), &many(event));
}

#[test]
fn integers_too_wide_for_an_enum_are_the_other_variant() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T> {
        level: T,
    }
    #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
    #[repr(u8)]
    enum Level {
        Low,
        High,
        #[rntuple(other)]
        Other = 255,
    }
    let number = |n: u64| [0i32, 1, 300, -1, 17][(n % 5) as usize];
    let level =
        |n: u64| [Level::Low, Level::High, Level::Other, Level::Other, Level::Other][(n % 5) as usize];
    evolve(&many(|n| Event { level: number(n) }), &many(|n| Event { level: level(n) }));
}

#[test]
fn a_file_cannot_name_an_alternative_that_it_does_not_have() {
    #[derive(RNTuple)]
    struct Event<T> {
        value: T,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Two {
        A(u8),
        B,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Three {
        A(u8),
        B,
        C,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum ThreeOrOther {
        A(u8),
        B,
        C,
        #[rntuple(other)]
        Other,
    }
    let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
    let mut writer = Writer::<Event<Two>, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&[Event { value: Two::B }, Event { value: Two::A(1) }]).unwrap();
    let file = writer.finish_into().unwrap().1;
    let column =
        dataset(&file).schema().representations(dataset(&file).schema().find("value").unwrap())[0][0];
    let page = dataset(&file).cluster(0).unwrap().columns[column.index()].pages[0].locator;
    let rntuple::schema::Locator::File { offset, .. } = page else { panic!("in the file") };
    // A switch is an index of 8 bytes and a tag of 4.
    for tag in [3, 4] {
        let mut bytes = file.as_bytes().to_vec();
        let place = offset as usize + 8;
        assert_eq!(bytes[place], 2);
        bytes[place] = tag;
        let file = Memory::from(bytes);
        for error in [
            open::<Event<Two>>(&file).unwrap().get(0).map(drop).unwrap_err(),
            open::<Event<Three>>(&file).unwrap().get(0).map(drop).unwrap_err(),
            open::<Event<ThreeOrOther>>(&file).unwrap().get(0).map(drop).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{error}");
            assert!(
                error
                    .to_string()
                    .contains(&format!("the variant has alternative {tag}, but its type has 2 alternatives")),
                "{error}"
            );
        }
        assert_eq!(open::<Event<ThreeOrOther>>(&file).unwrap().get(1).unwrap().value, ThreeOrOther::A(1));
    }
}

#[test]
fn differences_inside_a_variant_of_more_alternatives_are_told_too() {
    #[derive(RNTuple)]
    struct Event<T> {
        value: T,
    }
    #[derive(RNTuple)]
    enum More {
        A(u8),
        B { number: String },
        C,
    }
    #[derive(RNTuple)]
    enum Fewer {
        A(u8),
        B { number: u8 },
    }
    let values = [More::A(1), More::B { number: text(1) }, More::C];
    let told = refused::<Event<Fewer>>(&write(&values.map(|value| Event { value })));
    let fields: Vec<_> = told.iter().map(|(field, ..)| &**field).collect();
    assert_eq!(fields, ["value", "value._1.number"]);
}

#[test]
fn flattened_types_do_not_have_the_version_of_what_is_around_them() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct EnergyV1 {
        value: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(version = 2, upgrade_from(EnergyV1, when = version(1), with = in_gev))]
    struct Energy {
        value: f32,
    }
    fn in_gev(old: EnergyV1) -> Energy {
        Energy { value: old.value / 1000.0 }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "Outer", version = 1)]
    struct Outer {
        number: u64,
        #[rntuple(flatten)]
        energy: Energy,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        outer: Outer,
    }
    // Outer's version is not Energy's, and nothing else says which of the two it is.
    let file = write(&many(|n| Event { outer: Outer { number: n, energy: Energy { value: n as f32 } } }));
    let told = refused::<Event>(&file);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].1.contains("states no version"), "{told:?}");
}

#[test]
fn empty_options_in_alternatives() {
    fn seven() -> f32 {
        7.0
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Old {
        Hit { energy: Option<f32>, labels: Option<Vec<String>> },
        Number(u8),
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum New {
        Hit {
            #[rntuple(default = seven)]
            energy: f32,
            #[rntuple(default, alias = "labels")]
            texts: Vec<String>,
            #[rntuple(default)]
            added: Option<u8>,
        },
        Number(u8),
        Added(f32),
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T> {
        one: T,
        many: Vec<T>,
    }
    let energy = |n: u64| (!n.is_multiple_of(3)).then_some(n as f32);
    let labels = |n: u64| n.is_multiple_of(2).then(|| list(n, text));
    let old = |n: u64| match n % 4 {
        0 => Old::Number(n as u8),
        _ => Old::Hit { energy: energy(n), labels: labels(n) },
    };
    let new = |n: u64| match n % 4 {
        0 => New::Number(n as u8),
        _ => New::Hit { energy: energy(n).unwrap_or(7.0), texts: labels(n).unwrap_or_default(), added: None },
    };
    evolve(
        &many(|n| Event { one: old(n), many: list(n, old) }),
        &many(|n| Event { one: new(n), many: list(n, new) }),
    );
}

#[test]
fn options_of_the_writer_name_flattened_fields_as_the_file_does() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        #[rntuple(flatten, prefix = "vtx_", f16)]
        vertex: Vertex,
        number: u64,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(rename_all = "UPPERCASE")]
    struct Vertex {
        x: f32,
        y: f32,
    }
    let entries = many(|n| Event { vertex: Vertex { x: n as f32, y: 0.5 }, number: n });
    let options = || WriteOptions::new().encoding("vtx_X", ColumnEncoding::of(ColumnType::Real32));
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options()).unwrap();
    writer.fill_all(&entries).unwrap();
    let file = writer.finish_into().unwrap().1;
    super::common::compare(&file, &entries);
    let schema = super::common::schema(&file);
    assert_eq!(columns(&schema, "vtx_X"), ["Real32"]);
    assert_eq!(columns(&schema, "vtx_Y"), ["Real16"]);
    let options = options().encoding("vertex.X", ColumnEncoding::of(ColumnType::Real32));
    let error = Writer::<Event, _>::new(Memory::new(), "Events", options).map(drop).unwrap_err();
    assert_eq!(error.location().field.as_deref(), Some("vertex.X"));
}

#[test]
fn values_without_a_type_know_variants_without_a_value() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Choice {
        Number(u8),
        #[rntuple(other)]
        Other,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        choice: Choice,
    }
    let file = write(&[Event { choice: Choice::Other }, Event { choice: Choice::Number(3) }]);
    let values: Vec<_> = open::<Value>(&file)
        .unwrap()
        .entries()
        .map(|it| serde_json::to_value(it.unwrap()).unwrap())
        .collect();
    assert_eq!(values[0]["choice"], serde_json::json!({ "variant": 0, "value": null }));
    assert_eq!(values[1]["choice"], serde_json::json!({ "variant": 1, "value": 3 }));
}

#[test]
fn units_of_lists_and_of_their_items_are_compared() {
    #[derive(RNTuple, Clone)]
    #[rntuple(transparent)]
    struct Mev {
        #[rntuple(unit = "MeV")]
        value: f32,
    }
    #[derive(RNTuple, Clone)]
    #[rntuple(transparent)]
    struct Gev {
        #[rntuple(unit = "GeV")]
        value: f32,
    }
    #[derive(RNTuple, Clone)]
    struct Items<T> {
        list: Vec<T>,
        pair: [T; 2],
    }
    #[derive(RNTuple, Clone)]
    struct ListMev {
        #[rntuple(unit = "MeV")]
        list: Vec<f32>,
        #[rntuple(unit = "MeV")]
        pair: [f32; 2],
    }
    #[derive(RNTuple, Clone)]
    struct ListGev {
        #[rntuple(unit = "GeV")]
        list: Vec<f32>,
        #[rntuple(unit = "GeV")]
        pair: [f32; 2],
    }
    let items =
        write(&[Items { list: vec![Mev { value: 1.0 }], pair: [Mev { value: 1.0 }, Mev { value: 2.0 }] }]);
    let lists = write(&[ListMev { list: vec![1.0], pair: [1.0, 2.0] }]);
    assert!(open::<Items<Mev>>(&lists).is_ok() && open::<ListMev>(&items).is_ok());
    for told in [
        refused::<Items<Gev>>(&items),
        refused::<ListGev>(&lists),
        refused::<Items<Gev>>(&lists),
        refused::<ListGev>(&items),
    ] {
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told.iter().all(|(_, found, wanted)| found == "values in MeV" && wanted == "values in GeV"));
    }
}
