//! `upgrade_from`, `version`.

use std::fmt::Debug;

use rntuple::field::{ReadField, StoredField, WriteField};
use rntuple::{ErrorKind, RNTuple};

use super::common::{evolve, list, many, open, refused, round_trip, text, write};

/// The first version: a length and an angle, as text.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct TrackV1 {
    length: String,
}

/// The second: numbers.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct TrackV2 {
    length: f32,
    angle: f32,
    hits: Vec<f32>,
}

/// And the third: a struct for each pair.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(upgrade_from(TrackV2, when = has("angle")), upgrade_from(TrackV1, when = lacks("polar"), try_with = from_text))]
struct Track {
    polar: Polar,
    hits: Vec<Hit>,
    #[rntuple(default)]
    label: String,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Polar {
    length: f32,
    angle: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(upgrade_from(f32, when = type_name("float"), with = Hit::new))]
struct Hit {
    energy: f32,
    weight: f32,
}

impl Hit {
    fn new(energy: f32) -> Self {
        Self { energy, weight: 1.0 }
    }
}

impl From<TrackV2> for Track {
    fn from(old: TrackV2) -> Self {
        Self {
            polar: Polar { length: old.length, angle: old.angle },
            hits: old.hits.into_iter().map(Hit::new).collect(),
            label: "second".into(),
        }
    }
}

fn from_text(old: TrackV1) -> Result<Track, std::num::ParseFloatError> {
    let polar = Polar { length: old.length.parse()?, angle: 0.0 };
    Ok(Track { polar, hits: vec![], label: "first".into() })
}

fn v1(n: u64) -> TrackV1 {
    TrackV1 { length: n.to_string() }
}

fn v2(n: u64) -> TrackV2 {
    TrackV2 { length: n as f32, angle: 0.5, hits: list(n, |i| i as f32) }
}

fn track(n: u64) -> Track {
    Track {
        polar: Polar { length: n as f32, angle: -0.5 },
        hits: list(n, |i| Hit { energy: i as f32, weight: 0.25 }),
        label: text(n),
    }
}

/// Wherever a type with older versions can stand.
fn everywhere<Old, New>(old: impl Fn(u64) -> Old, new: impl Fn(u64) -> New)
where
    Old: rntuple::Entry + WriteField + Clone,
    New: rntuple::Entry + ReadField + Clone + Debug + PartialEq,
{
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Places<T: rntuple::Entry> {
        alone: T,
        number: u64,
        lists: Vec<Vec<T>>,
        boxed: Box<T>,
        pair: (u8, T),
        generic: Generic<T>,
        choice: Choice<T>,
        #[rntuple(flatten, prefix = "flat_")]
        group: Group<T>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Generic<T> {
        inner: T,
        inners: Vec<T>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Group<T> {
        inner: T,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Choice<T> {
        One(T),
        Two { track: T, number: u8 },
        None,
    }
    fn places<T: rntuple::Entry + Clone>(n: u64, make: &impl Fn(u64) -> T) -> Places<T> {
        Places {
            alone: make(n),
            number: n,
            lists: list(n, |i| list(i, make)),
            boxed: Box::new(make(n + 1)),
            pair: (n as u8, make(n)),
            generic: Generic { inner: make(n), inners: list(n, make) },
            choice: match n % 3 {
                0 => Choice::One(make(n)),
                1 => Choice::Two { track: make(n), number: 1 },
                _ => Choice::None,
            },
            group: Group { inner: make(n + 3) },
        }
    }
    evolve(&many(&old), &many(&new));
    evolve(&many(|n| places(n, &old)), &many(|n| places(n, &new)));
}

#[test]
fn the_newest_version_is_read_as_it_is() {
    everywhere(track, track);
    round_trip(&many(track));
}

#[test]
fn older_versions_are_upgraded() {
    everywhere(v2, |n| Track::from(v2(n)));
    everywhere(v1, |n| from_text(v1(n)).unwrap());
}

#[test]
fn versions_are_told_apart_one_by_one() {
    // The track is new, but its hits are not.
    #[derive(RNTuple, Clone)]
    struct Between {
        polar: Polar,
        hits: Vec<f32>,
    }
    let polar = |n: u64| Polar { length: n as f32, angle: 1.0 };
    let old = |n: u64| Between { polar: polar(n), hits: list(n, |i| i as f32) };
    let new = |n: u64| Track { polar: polar(n), hits: list(n, |i| Hit::new(i as f32)), label: String::new() };
    everywhere(old, new);
}

#[test]
fn an_upgrade_may_fail_for_one_value() {
    let mut old = many(v1);
    old[7].length = "long".into();
    let file = write(&old);
    let reader = open::<Track>(&file).unwrap();
    let mut slot = track(1);
    for (n, read) in (0..40).zip(reader.entries()) {
        let in_place = reader.read_into(n, &mut slot);
        if n == 7 {
            for error in [read.unwrap_err(), in_place.unwrap_err()] {
                assert_eq!((error.kind(), error.location().entry), (ErrorKind::SchemaMismatch, Some(7)));
                assert!(error.to_string().ends_with("a value was refused: invalid float literal"), "{error}");
            }
        } else {
            assert_eq!(read.unwrap(), from_text(v1(n)).unwrap());
            in_place.unwrap();
            assert_eq!(slot, from_text(v1(n)).unwrap());
        }
    }

    #[derive(RNTuple, Clone)]
    struct Event<T> {
        tracks: Vec<T>,
    }
    let file = write(&many(|n| {
        let mut tracks = list(n, v1);
        if n == 8 {
            tracks[2].length = String::new();
        }
        Event { tracks }
    }));
    let reader = open::<Event<Track>>(&file).unwrap();
    for (n, read) in (0..40).zip(reader.entries()) {
        match read {
            Ok(read) => assert_eq!(read.tracks, list(n, |i| from_text(v1(i)).unwrap())),
            Err(error) => assert_eq!((n, error.location().field.as_deref()), (8, Some("tracks._0"))),
        }
    }
}

#[test]
fn the_differences_are_those_of_the_type_that_was_chosen() {
    #[derive(RNTuple)]
    struct Other {
        length: u8,
        hits: Vec<String>,
    }
    // The file lacks `polar`, so it is read as `TrackV1`, and nothing else is tried.
    let told = refused::<Track>(&write(&[Other { length: 1, hits: vec![text(1)] }]));
    let found = "std::uint8_t (UInt8)".to_owned();
    assert_eq!(told, [("length".to_owned(), found, "a string".to_owned())]);

    #[derive(RNTuple)]
    struct Newer {
        polar: f64,
        hits: Vec<String>,
    }
    let told = refused::<Track>(&write(&[Newer { polar: 1.0, hits: vec![text(1)] }]));
    let fields: Vec<_> = told.iter().map(|(field, _, wanted)| (&**field, &**wanted)).collect();
    assert_eq!(fields, [("polar", "a record"), ("hits._0", "a record")]);
}

#[test]
fn the_first_condition_that_holds_decides() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct First {
        a: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Second {
        b: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Both {
        a: f32,
        b: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(First, when = has("a"), with = New::first))]
    #[rntuple(upgrade_from(Second, when = has("b"), with = New::second))]
    struct New {
        number: u8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(Second, when = has("b"), with = Reversed::second))]
    #[rntuple(upgrade_from(First, when = has("a"), with = Reversed::first))]
    struct Reversed {
        number: u8,
    }
    impl New {
        fn first(_: First) -> Self {
            Self { number: 1 }
        }

        fn second(_: Second) -> Self {
            Self { number: 2 }
        }
    }
    impl Reversed {
        fn first(_: First) -> Self {
            Self { number: 1 }
        }

        fn second(_: Second) -> Self {
            Self { number: 2 }
        }
    }
    let both = |_| Both { a: 1.0, b: 2.0 };
    everywhere(both, |_| New { number: 1 });
    everywhere(both, |_| Reversed { number: 2 });
    everywhere(|_| Second { b: 2.0 }, |_| New { number: 2 });
    everywhere(|_| First { a: 2.0 }, |_| Reversed { number: 1 });
}

#[test]
fn conditions_look_below_a_field() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct OldCell {
        mev: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Old {
        cells: Vec<OldCell>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Cell {
        gev: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(Old, when = lacks("cells.gev"), with = New::of))]
    struct New {
        cells: Vec<Cell>,
    }
    impl New {
        fn of(old: Old) -> Self {
            Self { cells: old.cells.iter().map(|cell| Cell { gev: cell.mev / 1000.0 }).collect() }
        }
    }
    let old = |n: u64| Old { cells: list(n, |i| OldCell { mev: i as f32 }) };
    everywhere(old, |n| New::of(old(n)));
    let new = |n: u64| New { cells: list(n, |i| Cell { gev: i as f32 }) };
    everywhere(new, new);
}

#[test]
fn a_function_sees_what_the_file_says_of_a_field() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "ns::Calo", version = 4)]
    struct Old {
        #[rntuple(unit = "MeV")]
        energy: f32,
        cells: Vec<u16>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "ns::Calo", version = 5)]
    #[rntuple(upgrade_from(Old, when = Self::is_old, with = Self::of))]
    struct New {
        gev: f32,
    }
    impl New {
        fn is_old(field: StoredField<'_>) -> bool {
            // Another type: none of what follows can be asked of it.
            let Some(energy) = field.find("energy") else { return false };
            assert!(field.find("cells._0").is_some() && field.find("cells.energy").is_none());
            let children: Vec<_> = field.children().map(|child| (child.name(), child.type_name())).collect();
            assert_eq!(children, [("energy", "float"), ("cells", "std::vector<std::uint16_t>")]);
            assert_eq!((energy.unit(), energy.version()), (Some("MeV"), None));
            (field.type_name(), field.version()) == ("ns::Calo", Some(4))
        }

        fn of(old: Old) -> Self {
            Self { gev: old.energy / 1000.0 }
        }
    }
    let old = |value| Old { energy: value, cells: vec![1] };
    let new = |value| New { gev: value };
    evolve(&many(|n| energies(n, old)), &many(|n| energies(n, |value| New::of(old(value)))));
    evolve(&many(|n| energies(n, new)), &many(|n| energies(n, new)));
}

/// Versions of one shape, told apart by what the file says.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Energy", version = 2)]
struct EnergyV2 {
    /// In MeV, though nobody wrote it down.
    value: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Energy", version = 3)]
#[rntuple(upgrade_from(EnergyV2, when = version(2), with = in_gev))]
struct Energy {
    value: f32,
}

fn in_gev(old: EnergyV2) -> Energy {
    Energy { value: old.value * 0.5 }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Energies<T> {
    sum: T,
    each: Vec<T>,
    maybe: Option<T>,
}

fn energies<T>(n: u64, make: impl Fn(f32) -> T) -> Energies<T> {
    let make = |n: u64| make(n as f32);
    Energies { sum: make(n), each: list(n, make), maybe: (n.is_multiple_of(2)).then(|| make(n)) }
}

#[test]
fn stated_versions_decide_between_types_of_one_shape() {
    let v2 = |value| EnergyV2 { value };
    let v3 = |value| Energy { value };
    let upgraded = |value| in_gev(EnergyV2 { value });
    evolve(&many(|n| energies(n, v2)), &many(|n| energies(n, upgraded)));
    evolve(&many(|n| energies(n, v3)), &many(|n| energies(n, v3)));

    // No condition is about another version, so the type itself is read. A file that states none may hold either.
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "ns::Energy", version = 9)]
    struct Later {
        value: f32,
        more: u8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Untyped {
        value: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "ns::Energy")]
    struct Unversioned {
        value: f32,
    }
    evolve(&many(|n| energies(n, |value| Later { value, more: 1 })), &many(|n| energies(n, v3)));
    let refusals = |found: [&str; 3]| {
        let wanted = "a class of version 2 or another";
        let row = |(path, found): (&str, &str)| {
            (path.to_owned(), format!("{found}, which states no version"), wanted.to_owned())
        };
        ["sum", "each._0", "maybe._0"].into_iter().zip(found).map(row).collect::<Vec<_>>()
    };
    let file = write(&many(|n| energies(n, |value| Untyped { value })));
    // The format has untyped records in untyped collections only.
    let found = ["an untyped record", "an untyped record", "Untyped"];
    assert_eq!(refused::<Energies<Energy>>(&file), refusals(found));
    let file = write(&many(|n| energies(n, |value| Unversioned { value })));
    assert_eq!(refused::<Energies<Energy>>(&file), refusals(["ns::Energy"; 3]));
}

#[test]
fn versions_come_in_ranges() {
    macro_rules! version {
        ($name:ident $version:literal) => {
            #[derive(RNTuple, Clone, Debug, PartialEq)]
            #[rntuple(type_name = "ns::Time", version = $version)]
            struct $name {
                value: f32,
            }
        };
    }
    version!(V1 1);
    version!(V2 2);
    version!(V4 4);
    version!(V5 5);
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "ns::Time", version = 6)]
    #[rntuple(upgrade_from(V4, when = version(4), with = Time::seconds))]
    #[rntuple(upgrade_from(V2, when = version(1..=3), with = Time::hours))]
    struct Time {
        value: f32,
    }
    impl Time {
        fn hours(old: V2) -> Self {
            Self { value: old.value * 3600.0 }
        }

        fn seconds(old: V4) -> Self {
            Self { value: -old.value }
        }
    }
    let time = |value| Time { value };
    let hours = |n| energies(n, |value| time(value * 3600.0));
    evolve(&many(|n| energies(n, |value| V1 { value })), &many(hours));
    evolve(&many(|n| energies(n, |value| V2 { value })), &many(hours));
    evolve(&many(|n| energies(n, |value| V4 { value })), &many(|n| energies(n, |value| time(-value))));
    evolve(&many(|n| energies(n, |value| V5 { value })), &many(|n| energies(n, time)));
    round_trip(&many(|n| energies(n, time)));
}

#[test]
fn an_entry_has_no_version() {
    #[derive(RNTuple)]
    struct Event {
        value: f32,
    }
    // A part of the file as well as the whole.
    let error = open::<Energy>(&write(&[Event { value: 1.0 }])).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(
        error.to_string().ends_with(
            "the file has an entry, which states no version, the type wants a class of version 2 or another; \
             ask for something else first: `has`, `lacks`, `type_name` or a function"
        ),
        "{error}"
    );
}

#[test]
fn versions_are_in_the_file() {
    let schema = super::common::schema(&write(&[energies(1, |value| Energy { value })]));
    for path in ["sum", "each._0", "maybe._0"] {
        let field = super::common::field(&schema, path);
        assert_eq!((&*field.type_name, field.type_version), ("ns::Energy", 3));
        assert!(field.type_checksum.is_some());
    }
}

#[test]
fn generic_types_are_upgraded() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct OldPair<T> {
        first: T,
        second: T,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(OldPair<T>, when = has("first")))]
    struct Pair<T> {
        both: [T; 2],
        count: u8,
    }
    impl<T> From<OldPair<T>> for Pair<T> {
        fn from(old: OldPair<T>) -> Self {
            Self { both: [old.first, old.second], count: 2 }
        }
    }
    let old = |n: u64| OldPair { first: text(n), second: text(n + 1) };
    everywhere(old, |n| Pair::from(old(n)));
    let new = |n: u64| Pair { both: [n as u8, 1], count: 3 };
    everywhere(new, new);
    // What is inside has versions too.
    let old = |n: u64| OldPair { first: v2(n), second: v2(n + 1) };
    let new = |n: u64| Pair { both: [Track::from(v2(n)), Track::from(v2(n + 1))], count: 2 };
    everywhere(old, new);
}

#[test]
fn enums_are_upgraded() {
    #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
    #[rntuple(type_name = "OldKind")]
    #[repr(u8)]
    enum OldKind {
        Electron,
        Muon,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(OldKind, when = type_name("OldKind"), with = Kind::of), upgrade_from(String, when = type_name("std::string"), try_with = Kind::named))]
    enum Kind {
        Lepton { number: u8 },
        Hadron(String),
    }
    impl Kind {
        fn of(old: OldKind) -> Self {
            Self::Lepton { number: if old == OldKind::Muon { 2 } else { 1 } }
        }

        fn named(name: String) -> Result<Self, &'static str> {
            if name.is_empty() { Err("no name") } else { Ok(Self::Hadron(name)) }
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T> {
        kind: T,
        kinds: Vec<T>,
    }
    fn event<T>(n: u64, make: impl Fn(u64) -> T) -> Event<T> {
        Event { kind: make(n), kinds: list(n, make) }
    }
    let old = |n: u64| if n.is_multiple_of(2) { OldKind::Electron } else { OldKind::Muon };
    evolve(&many(|n| event(n, old)), &many(|n| event(n, |n| Kind::of(old(n)))));
    let name = |n: u64| format!("pi{n}");
    evolve(&many(|n| event(n, name)), &many(|n| event(n, |n| Kind::named(name(n)).unwrap())));
    let new = |n: u64| if n.is_multiple_of(2) { Kind::of(old(n / 2)) } else { Kind::Hadron(text(n)) };
    round_trip(&many(|n| event(n, new)));

    #[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
    #[rntuple(upgrade_from(f64, when = type_name("double"), with = Level::of))]
    #[repr(u8)]
    enum Level {
        Low,
        High,
    }
    impl Level {
        fn of(value: f64) -> Self {
            if value < 10.0 { Self::Low } else { Self::High }
        }
    }
    evolve(&many(|n| event(n, |n| n as f64)), &many(|n| event(n, |n| Level::of(n as f64))));
    round_trip(&many(|n| event(n, |n| Level::of(n as f64))));
}

#[test]
fn newtypes_are_upgraded_also_in_arrays() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(String, when = type_name("std::string"), try_with = Number::parse))]
    struct Number(u32);

    impl Number {
        fn parse(text: String) -> Result<Self, std::num::ParseIntError> {
            text.parse().map(Self)
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T> {
        one: T,
        two: [T; 2],
        more: Vec<T>,
    }
    fn event<T>(n: u64, make: impl Fn(u64) -> T) -> Event<T> {
        Event { one: make(n), two: [make(n), make(n + 1)], more: list(n, make) }
    }
    let number = |n: u64| Number(n as u32);
    evolve(&many(|n| event(n, |n| n.to_string())), &many(|n| event(n, number)));
    round_trip(&many(|n| event(n, number)));
}

#[test]
fn upgrades_of_flattened_structs() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct OldPlace {
        x: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(OldPlace, when = has("x")))]
    struct Place {
        x_mm: f32,
        valid: bool,
    }
    impl From<OldPlace> for Place {
        fn from(old: OldPlace) -> Self {
            Self { x_mm: old.x * 10.0, valid: true }
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T: rntuple::Entry> {
        number: u64,
        #[rntuple(flatten, prefix = "a_")]
        a: T,
        #[rntuple(flatten)]
        b: T,
    }
    let old = |n: u64| OldPlace { x: n as f32 };
    let new = |n: u64| Place { x_mm: n as f32, valid: n.is_multiple_of(2) };
    fn event<T: rntuple::Entry>(n: u64, make: impl Fn(u64) -> T) -> Event<T> {
        Event { number: n, a: make(n), b: make(n + 1) }
    }
    evolve(&many(|n| event(n, old)), &many(|n| event(n, |n| Place::from(old(n)))));
    round_trip(&many(|n| event(n, new)));
}

#[test]
fn upgrades_of_members_with_defaults() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        number: u64,
        #[rntuple(default = Event::track, alias = "old")]
        track: Track,
    }
    impl Event {
        fn track() -> Track {
            track(3)
        }
    }
    #[derive(RNTuple, Clone)]
    struct Without {
        number: u64,
    }
    #[derive(RNTuple, Clone)]
    struct Maybe {
        number: u64,
        old: Option<TrackV2>,
    }
    evolve(&many(|n| Without { number: n }), &many(|n| Event { number: n, track: track(3) }));
    let maybe = |n: u64| Maybe { number: n, old: (n.is_multiple_of(3)).then(|| v2(n)) };
    let new = |n: u64| Event { number: n, track: if n.is_multiple_of(3) { v2(n).into() } else { track(3) } };
    evolve(&many(maybe), &many(new));
}

#[test]
fn whole_entries_are_upgraded() {
    // An entry has no class that could state a version: its members decide.
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Old {
        met_mev: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(version = 2, upgrade_from(Old, when = has("met_mev"), with = upgrade))]
    struct New {
        met: f32,
    }
    fn upgrade(old: Old) -> New {
        New { met: old.met_mev / 1000.0 }
    }
    evolve(&many(|n| Old { met_mev: n as f32 * 1000.0 }), &many(|n| New { met: n as f32 }));
    round_trip(&many(|n| New { met: n as f32 }));
}

#[test]
fn a_type_that_fits_every_file_is_read_only_where_no_condition_holds() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Old {
        first: f32,
        second: String,
    }
    /// Fits everything.
    #[derive(RNTuple, Clone, Debug, PartialEq, Default)]
    #[rntuple(default, upgrade_from(Old, when = has("second")))]
    struct New {
        third: f32,
        first: f32,
        list: Vec<u8>,
    }
    impl From<Old> for New {
        fn from(old: Old) -> Self {
            Self { third: old.second.len() as f32, first: -old.first, list: vec![] }
        }
    }
    let old = |n: u64| Old { first: n as f32, second: text(n) };
    everywhere(old, |n| New::from(old(n)));
    let new = |n: u64| New { third: n as f32, first: 1.0, list: list(n, |i| i as u8) };
    everywhere(new, new);

    #[derive(RNTuple, Clone)]
    struct Neither {
        other: u8,
    }
    everywhere(|n| Neither { other: n as u8 }, |_| New::default());
    #[derive(RNTuple, Clone)]
    struct Both {
        first: f32,
    }
    everywhere(|n| Both { first: n as f32 }, |n| New { first: n as f32, ..New::default() });
}

#[test]
fn a_new_file_is_not_read_as_an_older_type_that_fits() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Old {
        pt: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(Old, when = lacks("eta"), with = unknown_eta))]
    struct New {
        pt: f32,
        eta: f32,
    }
    fn unknown_eta(old: Old) -> New {
        New { pt: old.pt, eta: f32::INFINITY }
    }
    let new = |n: u64| New { pt: n as f32, eta: 0.5 };
    everywhere(new, new);
    let old = |n: u64| Old { pt: n as f32 };
    everywhere(old, |n| unknown_eta(old(n)));
}

/// What is stored as no value is none, and not the default of a file without the member.
#[test]
fn a_newtype_of_an_option_stays_one() {
    #[derive(RNTuple)]
    struct OldWeight {
        percent: f64,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(OldWeight, when = has("percent")))]
    struct Weight(Option<f64>);
    impl From<OldWeight> for Weight {
        fn from(old: OldWeight) -> Self {
            Self(Some(old.percent / 100.0))
        }
    }
    fn one() -> Weight {
        Weight(Some(1.0))
    }
    #[derive(RNTuple)]
    struct Old {
        weight: OldWeight,
    }
    #[derive(RNTuple)]
    struct Without {
        number: u8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        #[rntuple(default = "one")]
        weight: Weight,
    }
    fn first<T: rntuple::Entry + WriteField>(entry: &T) -> Weight
    where
        T::Writer: rntuple::field::FieldWriter<T>,
    {
        let mut writer =
            rntuple::Writer::<T, _>::new(rntuple::storage::Memory::new(), "Events", Default::default())
                .unwrap();
        writer.fill(entry).unwrap();
        let reader = rntuple::Reader::<Event>::open(writer.finish_into().unwrap().1, "Events").unwrap();
        reader.get(0).unwrap().weight
    }
    assert_eq!(first(&Event { weight: Weight(None) }), Weight(None));
    assert_eq!(first(&Event { weight: Weight(Some(2.0)) }), Weight(Some(2.0)));
    assert_eq!(first(&Old { weight: OldWeight { percent: 50.0 } }), Weight(Some(0.5)));
    assert_eq!(first(&Without { number: 1 }), one());
}
