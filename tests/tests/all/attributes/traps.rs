//! Where a file and a type seem to fit, and would be read wrong.

use rntuple::RNTuple;
use rntuple::field::StoredField;

use super::common::{many, open, refused, round_trip, unwritable, write};

/// An entry of one value.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Entry<T> {
    value: T,
}

#[test]
fn an_empty_option_is_a_value_however_the_option_is_named() {
    type Maybe = Option<f32>;
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Wrapped(Option<f32>);
    fn five() -> Maybe {
        Some(5.0)
    }
    fn boxed() -> Box<Option<f32>> {
        Box::new(Some(5.0))
    }
    fn wrapped() -> Wrapped {
        Wrapped(Some(5.0))
    }
    fn seven() -> f32 {
        7.0
    }
    mod nan {
        pub(super) type Stored = Option<f32>;

        #[expect(clippy::trivially_copy_pass_by_ref, reason = "the derive hands references over")]
        pub(super) fn store(value: &f32) -> Stored {
            (!value.is_nan()).then_some(*value)
        }

        pub(super) fn load(stored: Stored) -> Result<f32, String> {
            Ok(stored.unwrap_or(-1.0))
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        #[rntuple(default = five)]
        alias: Maybe,
        #[rntuple(default = boxed)]
        boxed: Box<Option<f32>>,
        #[rntuple(default = wrapped)]
        wrapped: Wrapped,
        #[rntuple(default = seven, with = nan)]
        stored: f32,
    }
    let event = |n: u64| {
        let value = n.is_multiple_of(2).then_some(n as f32);
        Event { alias: value, boxed: Box::new(value), wrapped: Wrapped(value), stored: value.unwrap_or(-1.0) }
    };
    // -1 is stored as itself; what is not a number is nothing, and comes back as -1.
    round_trip(&many(event));
    let nothing = Event { alias: None, boxed: Box::new(None), wrapped: Wrapped(None), stored: f32::NAN };
    let read = open::<Event>(&write(&[nothing])).unwrap().get(0).unwrap();
    assert_eq!((read.alias, *read.boxed, read.wrapped.0, read.stored), (None, None, None, -1.0));
}

#[test]
fn variants_that_changed_places_are_refused() {
    mod old {
        use rntuple::RNTuple;

        #[derive(RNTuple)]
        pub(super) enum Hit {
            Strip(f32),
            Pad(f32),
        }

        #[derive(RNTuple)]
        #[repr(u8)]
        pub(super) enum Side {
            Left,
            Right,
        }

        #[derive(RNTuple)]
        #[rntuple(type_name = "Side")]
        #[repr(u8)]
        pub(super) enum Named {
            Left,
            Right,
        }
    }
    #[derive(RNTuple)]
    enum Hit {
        Pad(f32),
        Strip(f32),
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    enum Tagged {
        #[rntuple(tag = 1)]
        Pad(f32),
        #[rntuple(tag = 0)]
        Strip(f32),
    }
    #[derive(RNTuple)]
    #[repr(u8)]
    enum Side {
        Right,
        Left,
    }
    let hits = write(&[Entry { value: old::Hit::Strip(1.0) }, Entry { value: old::Hit::Pad(2.0) }]);
    let told = refused::<Entry<Hit>>(&hits);
    assert_eq!(told[0].0, "value._0");
    assert_eq!(told[0].1, "the alternative `Strip`");
    assert_eq!(told.len(), 2);
    let error = open::<Entry<Hit>>(&hits).unwrap_err();
    let help = "variants that move keep their number by `tag`";
    assert_eq!(error.mismatches()[0].help.as_deref(), Some(help));
    let tagged = open::<Entry<Tagged>>(&hits).unwrap();
    assert_eq!(tagged.get(1).unwrap().value, Tagged::Pad(2.0));

    for sides in [
        write(&[Entry { value: old::Side::Left }, Entry { value: old::Side::Right }]),
        write(&[Entry { value: old::Named::Left }, Entry { value: old::Named::Right }]),
    ] {
        let differences = refused::<Entry<Side>>(&sides);
        assert_eq!(differences[0].1, "`Left` as 0");
        assert_eq!(differences[0].2, "1");
        let error = open::<Entry<Side>>(&sides).unwrap_err();
        let help = "variants keep their integers by `Left = 0`";
        assert_eq!(error.mismatches()[0].help.as_deref(), Some(help));
    }
}

#[test]
fn a_file_of_a_stated_version_holds_just_this_version() {
    #[derive(RNTuple)]
    #[rntuple(type_name = "E", version = 2)]
    struct Written {
        x: String,
        y: f32,
    }
    #[derive(RNTuple)]
    #[rntuple(type_name = "E", version = 2)]
    struct V2 {
        x: f32,
        y: f32,
    }
    #[derive(RNTuple)]
    #[rntuple(type_name = "E", version = 3, upgrade_from(V2, when = version(2), with = upgrade))]
    struct V3 {
        y: f32,
    }
    fn upgrade(old: V2) -> V3 {
        V3 { y: old.y * 1000.0 + old.x }
    }
    let file = write(&[Entry { value: Written { x: String::new(), y: 1.0 } }]);
    let told = refused::<Entry<V3>>(&file);
    assert_eq!(told[0].0, "value.x");
    let file = write(&[Entry { value: V2 { x: 0.5, y: 1.0 } }]);
    assert_eq!(open::<Entry<V3>>(&file).unwrap().get(0).unwrap().value.y, 1000.5);
    let file = write(&[Entry { value: V3 { y: 1.0 } }]);
    assert_eq!(open::<Entry<V3>>(&file).unwrap().get(0).unwrap().value.y, 1.0);
}

#[test]
fn a_default_does_not_stand_in_the_way_of_an_upgrade() {
    #[derive(RNTuple)]
    struct Old {
        x: Option<f32>,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(upgrade_from(Old, when = is_optional, with = upgrade))]
    struct New {
        #[rntuple(default)]
        x: f32,
    }
    fn is_optional(file: StoredField<'_>) -> bool {
        file.find("x").is_some_and(|x| x.type_name() == "std::optional<float>")
    }
    fn upgrade(old: Old) -> New {
        New { x: old.x.unwrap_or(-1.0) }
    }
    let file = write(&[Old { x: None }, Old { x: Some(2.0) }]);
    let reader = open::<New>(&file).unwrap();
    assert_eq!((reader.get(0).unwrap(), reader.get(1).unwrap()), (New { x: -1.0 }, New { x: 2.0 }));
    let reader = open::<New>(&write(&[New { x: 3.0 }])).unwrap();
    assert_eq!(reader.get(0).unwrap(), New { x: 3.0 });
}

#[test]
fn nothing_is_not_read_from_an_option_of_nothing() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Marker;
    #[derive(RNTuple)]
    struct Marked<T> {
        value: T,
        number: u8,
    }
    let file = write(&[Marked { value: Some(Marker), number: 1 }, Marked { value: None, number: 2 }]);
    assert_eq!(refused::<Marked<Marker>>(&file)[0].0, "value");
    assert!(open::<Marked<Option<Marker>>>(&file).unwrap().get(1).unwrap().value.is_none());
}

#[test]
fn paths_may_begin_with_the_type_itself() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Sized<T> {
        value: T,
        #[rntuple(skip, default = Self::size)]
        size: usize,
    }
    impl<T> Sized<T> {
        fn size() -> usize {
            size_of::<T>()
        }
    }
    let file = write(&[Sized { value: 1u32, size: 0 }]);
    assert_eq!(open::<Sized<u32>>(&file).unwrap().get(0).unwrap().size, 4);
}

#[test]
fn members_may_have_names_of_the_derive() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Names {
        record: u8,
        field: u8,
        __end: u8,
        __field: u8,
        __value: u8,
        __record: u8,
        __error: u8,
    }
    let names = |n: u64| {
        let n = n as u8;
        Names { record: n, field: n, __end: n, __field: n, __value: n, __record: n, __error: n }
    };
    round_trip(&many(names));
}

#[test]
fn units_that_contradict_each_other_are_refused() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Mev(#[rntuple(unit = "MeV")] f32);
    #[derive(RNTuple)]
    struct Event {
        #[rntuple(unit = "GeV")]
        energies: Vec<Mev>,
    }
    let error = unwritable::<Event>();
    assert!(error.contains("energies._0") && error.contains("MeV") && error.contains("GeV"), "{error}");

    #[derive(RNTuple)]
    struct Part {
        a: f32,
    }
    #[derive(RNTuple)]
    struct Old {
        #[rntuple(unit = "MeV")]
        part: Part,
    }
    #[derive(RNTuple)]
    struct PartGev {
        #[rntuple(unit = "GeV")]
        a: f32,
    }
    #[derive(RNTuple)]
    struct New {
        part: PartGev,
    }
    let told = refused::<New>(&write(&[Old { part: Part { a: 1.0 } }]));
    assert_eq!(told, [("part.a".to_owned(), "values in MeV".to_owned(), "values in GeV".to_owned())]);
}

#[test]
fn brackets_of_a_sentence_are_no_unit() {
    #[derive(RNTuple)]
    struct Old {
        /// Hits of the track [sorted by z]
        hits: Vec<f32>,
        /// Charge in [0]
        #[rntuple(unit = "e")]
        charge: f32,
    }
    #[derive(RNTuple)]
    struct New {
        #[rntuple(unit = "mm")]
        hits: Vec<f32>,
        #[rntuple(unit = "e")]
        charge: f32,
    }
    let file = write(&[Old { hits: vec![1.0], charge: 2.0 }]);
    let new = open::<New>(&file).unwrap().get(0).unwrap();
    assert_eq!((new.hits, new.charge), (vec![1.0], 2.0));
}

#[test]
fn a_double32_without_a_double_is_refused() {
    type Single = f32;
    #[derive(RNTuple)]
    struct Event {
        #[rntuple(double32)]
        value: Single,
    }
    let error = unwritable::<Event>();
    assert!(error.contains("value") && error.contains("`double`"), "{error}");
}

/// ROOT keeps the bounds as values of the field's type.
#[test]
fn a_range_beyond_single_precision_is_for_doubles_alone() {
    #[derive(RNTuple)]
    struct Single {
        #[rntuple(quantize(bits = 8, min = -1.0, max = 1e300))]
        values: Vec<f32>,
    }
    let error = unwritable::<Single>();
    assert!(error.contains("values._0") && error.contains("beyond the values of `f32`"), "{error}");
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Double {
        #[rntuple(quantize(bits = 8, min = -1e300, max = 1e300))]
        values: Vec<f64>,
    }
    round_trip(&many(|_| Double { values: vec![-1e300] }));
}

#[test]
fn an_older_type_may_differ_by_what_would_be_converted() {
    fn is_single(file: StoredField<'_>) -> bool {
        file.find("value").is_some_and(|value| value.type_name() == "float")
    }
    fn is_optional(file: StoredField<'_>) -> bool {
        file.find("value").is_some_and(|value| value.type_name().starts_with("std::optional<"))
    }
    fn half<O: Into<f64>, N: From<f32>>(old: Entry<O>) -> f64 {
        let _ = N::from(0.0);
        old.value.into() / 2.0
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(upgrade_from(Entry<f32>, when = is_single, with = wide))]
    struct Wide {
        value: f64,
    }
    fn wide(old: Entry<f32>) -> Wide {
        Wide { value: half::<f32, f64>(old) }
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(upgrade_from(Entry<Option<f32>>, when = is_optional, with = list))]
    struct List {
        value: Vec<f32>,
    }
    fn list(old: Entry<Option<f32>>) -> List {
        List { value: vec![old.value.unwrap_or(-1.0)] }
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(upgrade_from(u16, when = type_name("std::uint16_t"), with = Number::doubled))]
    struct Number(i64);
    impl Number {
        fn doubled(old: u16) -> Self {
            Self(i64::from(old) * 2)
        }
    }
    assert_eq!(open::<Wide>(&write(&[Entry { value: 8.0f32 }])).unwrap().get(0).unwrap().value, 4.0);
    assert_eq!(open::<Wide>(&write(&[Wide { value: 8.0 }])).unwrap().get(0).unwrap().value, 8.0);
    let file = write(&[Entry { value: None::<f32> }]);
    assert_eq!(open::<List>(&file).unwrap().get(0).unwrap().value, [-1.0]);
    assert_eq!(open::<List>(&write(&[List { value: vec![] }])).unwrap().get(0).unwrap().value, [0.0; 0]);
    let read = |file| open::<Entry<Number>>(&file).unwrap().get(0).unwrap().value.0;
    assert_eq!(read(write(&[Entry { value: 21u16 }])), 42);
    assert_eq!(read(write(&[Entry { value: Number(21) }])), 21);
}

#[test]
fn a_walk_goes_on_behind_a_refused_value() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Small {
        value: u8,
    }
    let file = write(&many(|n| Entry { value: n as u16 * 100 }));
    let mut count = 0;
    for (n, read) in open::<Small>(&file).unwrap().entries().enumerate() {
        let expected = u8::try_from(n as u16 * 100).ok().map(|value| Small { value });
        assert_eq!(read.ok(), expected, "{n}");
        count += 1;
    }
    assert_eq!(count, many(|n| n).len());
}

mod library {
    use rntuple::RNTuple;

    #[derive(RNTuple)]
    struct Private {
        value: f32,
    }

    /// A public type whose older versions are nobody's business.
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(upgrade_from(Private, when = has("value"), with = Self::upgrade))]
    pub(super) struct Public {
        pub(super) doubled: f32,
    }

    impl Public {
        fn upgrade(old: Private) -> Self {
            Self { doubled: old.value * 2.0 }
        }
    }
}

#[test]
fn older_types_may_be_private() {
    let file = write(&[Entry { value: 2.0f32 }]);
    assert_eq!(open::<library::Public>(&file).unwrap().get(0).unwrap(), library::Public { doubled: 4.0 });
}

#[test]
fn a_double_that_is_too_large_for_a_float_is_refused() {
    let file = write(&[1e300, f64::INFINITY, 0.1].map(|value| Entry { value }));
    let reader = open::<Entry<f32>>(&file).unwrap();
    assert!(reader.get(0).unwrap_err().to_string().contains("value"));
    assert_eq!(reader.get(1).unwrap().value, f32::INFINITY);
    assert_eq!(reader.get(2).unwrap().value, 0.1);
}
