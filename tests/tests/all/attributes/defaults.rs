//! `default`, on members and structs; `deny_unknown_fields`.

use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, WriteOptions, Writer};
use rntuple_tests::forge::{self, Forge};

use super::common::{evolve, list, many, open, refused, round_trip, text, write};

fn forty_two() -> u32 {
    42
}

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
struct Inner {
    x: f32,
    label: String,
}

/// A member of each kind that a file may lack.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: u64,
    #[rntuple(default)]
    plain: f32,
    #[rntuple(default = forty_two)]
    function: u32,
    #[rntuple(default = "forty_two")]
    as_text: u32,
    #[rntuple(default)]
    list: Vec<Inner>,
    #[rntuple(default)]
    inner: Inner,
    #[rntuple(default)]
    option: Option<u8>,
    #[rntuple(default)]
    array: [u16; 3],
    #[rntuple(default, alias = "name")]
    label: String,
}

fn event(n: u64) -> Event {
    let inner = |n: u64| Inner { x: n as f32, label: text(n) };
    Event {
        number: n,
        plain: n as f32,
        function: n as u32,
        as_text: n as u32,
        list: list(n, inner),
        inner: inner(n),
        option: (n.is_multiple_of(2)).then_some(n as u8),
        array: [n as u16, 1, 2],
        label: text(n),
    }
}

fn lacking(n: u64) -> Event {
    Event {
        number: n,
        plain: 0.0,
        function: 42,
        as_text: 42,
        list: vec![],
        inner: Inner::default(),
        option: None,
        array: [0; 3],
        label: String::new(),
    }
}

#[test]
fn members_that_are_there_are_read() {
    round_trip(&many(event));
}

#[test]
fn members_that_are_not_there_have_their_defaults() {
    #[derive(RNTuple, Clone)]
    struct Old {
        number: u64,
    }
    evolve(&many(|n| Old { number: n }), &many(lacking));
}

#[test]
fn empty_options_have_the_defaults_too() {
    #[derive(RNTuple, Clone)]
    struct Old {
        number: u64,
        plain: Option<f32>,
        function: Option<u32>,
        as_text: Option<u16>,
        list: Option<Vec<Inner>>,
        inner: Option<Inner>,
        option: Option<u8>,
        array: Option<[u16; 3]>,
        name: Option<String>,
    }
    fn some<T>(n: u64, every: u64, value: T) -> Option<T> {
        (n.is_multiple_of(every)).then_some(value)
    }
    fn or<T>(n: u64, every: u64, value: T, default: T) -> T {
        if n.is_multiple_of(every) { value } else { default }
    }
    let old = |n: u64| {
        let event = event(n);
        Old {
            number: n,
            plain: some(n, 2, event.plain),
            function: some(n, 3, event.function),
            as_text: some(n, 4, n as u16),
            list: some(n, 3, event.list),
            inner: some(n, 2, event.inner),
            option: event.option,
            array: some(n, 5, event.array),
            name: some(n, 2, event.label),
        }
    };
    let new = |n: u64| {
        let (event, lacking) = (event(n), lacking(n));
        Event {
            number: n,
            plain: or(n, 2, event.plain, lacking.plain),
            function: or(n, 3, event.function, lacking.function),
            as_text: or(n, 4, event.as_text, lacking.as_text),
            list: or(n, 3, event.list, lacking.list),
            inner: or(n, 2, event.inner, lacking.inner),
            option: event.option,
            array: or(n, 5, event.array, lacking.array),
            label: or(n, 2, event.label, lacking.label),
        }
    };
    evolve(&many(old), &many(new));
}

#[test]
fn a_default_is_what_an_empty_option_is() {
    #[derive(RNTuple, Clone)]
    struct Old {
        list: Option<Vec<f32>>,
        maybe: Option<u8>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct New {
        #[rntuple(default)]
        list: Vec<f32>,
        #[rntuple(default)]
        maybe: Option<u8>,
    }
    let some = |n: u64| (n.is_multiple_of(3)).then_some(n);
    let values = |n: u64| list(n, |i| i as f32);
    evolve(
        &many(|n| Old { list: some(n).map(values), maybe: some(n).map(|n| n as u8) }),
        &many(|n| New { list: some(n).map(values).unwrap_or_default(), maybe: some(n).map(|n| n as u8) }),
    );
    // With a default, an option is looked into, and not read as a list of none or one.
    #[derive(RNTuple)]
    struct Single {
        list: Option<f32>,
        maybe: u8,
    }
    let told = refused::<New>(&write(&[Single { list: Some(1.0), maybe: 1 }]));
    assert_eq!(told.iter().map(|(field, ..)| &**field).collect::<Vec<_>>(), ["list._0"]);
}

#[test]
fn a_default_is_no_excuse_for_another_type() {
    #[derive(RNTuple)]
    struct Old {
        number: u64,
        plain: String,
        list: f32,
    }
    let told = refused::<Event>(&write(&[Old { number: 1, plain: text(1), list: 1.0 }]));
    let fields: Vec<_> = told.iter().map(|(field, ..)| &**field).collect();
    assert_eq!(fields, ["plain", "list"]);
}

/// The struct knows better than its members.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(default)]
struct Settings {
    gain: f32,
    label: String,
    #[rntuple(default)]
    own_trait: u32,
    #[rntuple(default = forty_two)]
    own_function: u32,
    #[rntuple(skip)]
    skipped: u8,
    #[rntuple(skip, default = eight)]
    skipped_with_function: u8,
}

fn eight() -> u8 {
    8
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gain: 2.5,
            label: "usual".into(),
            own_trait: 1,
            own_function: 2,
            skipped: 3,
            skipped_with_function: 4,
        }
    }
}

#[test]
fn the_nearest_default_wins() {
    #[derive(RNTuple, Clone)]
    struct Old {
        other: u8,
    }
    let wanted = Settings {
        gain: 2.5,
        label: "usual".into(),
        own_trait: 0,
        own_function: 42,
        skipped: 3,
        skipped_with_function: 8,
    };
    evolve(&many(|n| Old { other: n as u8 }), &many(|_| wanted.clone()));
    let there = |n: u64| Settings { gain: n as f32, label: text(n), own_trait: 7, ..wanted.clone() };
    round_trip(&many(there));

    #[derive(RNTuple, Clone)]
    struct Half {
        label: Option<String>,
        gain: f64,
    }
    let half = |n: u64| Half { label: (n.is_multiple_of(2)).then(|| text(n)), gain: n as f64 };
    let new = |n: u64| Settings {
        gain: n as f32,
        label: if n.is_multiple_of(2) { text(n) } else { "usual".into() },
        ..wanted.clone()
    };
    evolve(&many(half), &many(new));
}

#[test]
fn a_function_may_be_the_default_of_a_struct() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(default = older)]
    struct Event {
        run: u32,
        met: f32,
        inner: Inner,
    }
    fn older() -> Event {
        Event { run: 1, met: -1.0, inner: Inner { x: 3.0, label: "inner".into() } }
    }
    #[derive(RNTuple, Clone)]
    struct Old {
        met: f32,
    }
    evolve(&many(|n| Old { met: n as f32 }), &many(|n| Event { met: n as f32, ..older() }));
    round_trip(&many(|n| Event { run: n as u32, ..older() }));
}

#[test]
fn defaults_in_generic_structs() {
    #[derive(RNTuple, Clone, Debug, PartialEq, Default)]
    #[rntuple(default)]
    struct Pair<T> {
        first: T,
        second: Vec<T>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Member<T: Default> {
        #[rntuple(default)]
        first: T,
        number: u64,
    }
    #[derive(RNTuple, Clone)]
    struct Old {
        number: u64,
    }
    #[derive(RNTuple, Clone)]
    struct First {
        first: String,
    }
    let old = many(|n| Old { number: n });
    evolve(&old, &many(|_| Pair::<String>::default()));
    evolve(&old, &many(|n| Member { first: Inner::default(), number: n }));
    let new = |n| Pair { first: text(n), second: vec![] };
    evolve(&many(|n| First { first: text(n) }), &many(new));
    round_trip(&many(|n| Pair { first: n as u8, second: list(n, |i| i as u8) }));
}

#[test]
fn a_whole_struct_may_lack_everything() {
    // Nothing is left to count by: the number of entries does.
    #[derive(RNTuple, Clone)]
    struct Old {
        items: Vec<OldItem>,
        other: u8,
    }
    #[derive(RNTuple, Clone)]
    struct OldItem {
        other: u8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct New {
        items: Vec<NewItem>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq, Default)]
    struct NewItem {
        #[rntuple(default = forty_two)]
        added: u32,
    }
    let old = |n| Old { items: list(n, |i| OldItem { other: i as u8 }), other: 1 };
    evolve(&many(old), &many(|n| New { items: list(n, |_| NewItem { added: 42 }) }));
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(deny_unknown_fields)]
struct Strict {
    number: u64,
    #[rntuple(alias = "pT", alias = "transverse", rename = "momentum")]
    pt: f32,
    #[rntuple(default)]
    label: String,
    #[rntuple(skip)]
    cache: u8,
}

#[test]
fn unknown_fields_can_be_denied() {
    #[derive(RNTuple, Clone)]
    #[expect(non_snake_case, reason = "as in the file")]
    struct Aliased {
        pT: f32,
        number: u64,
    }
    #[derive(RNTuple, Clone)]
    struct More {
        number: u64,
        momentum: f32,
        pt: f32,
        cache: u8,
        other: Inner,
    }
    let new = |n| Strict { number: n, pt: n as f32, label: text(n), cache: 0 };
    round_trip(&many(new));
    evolve(
        &many(|n| Aliased { pT: n as f32, number: n }),
        &many(|n| Strict { label: String::new(), ..new(n) }),
    );

    let more = More { number: 1, momentum: 1.0, pt: 1.0, cache: 1, other: Inner::default() };
    let told = refused::<Strict>(&write(std::slice::from_ref(&more)));
    let denied = |field: &str, found: &str| (field.to_owned(), found.to_owned(), "no such field".to_owned());
    let expected = [
        denied("pt", "float (SplitReal32)"),
        denied("cache", "std::uint8_t (UInt8)"),
        denied("other", "an untyped record"),
    ];
    assert_eq!(told, expected);

    // So below the entry.
    #[derive(RNTuple, Clone)]
    struct List<T> {
        items: Vec<T>,
    }
    let told = refused::<List<Strict>>(&write(&[List { items: vec![more] }]));
    let fields: Vec<_> = told.iter().map(|(field, ..)| &**field).collect();
    assert_eq!(fields, ["items._0.pt", "items._0.cache", "items._0.other"]);
}

#[test]
fn both_names_of_an_alias_are_known() {
    #[derive(RNTuple, Clone)]
    struct Both {
        number: u64,
        momentum: f32,
        transverse: f32,
    }
    let old = |n| Both { number: n, momentum: n as f32, transverse: -1.0 };
    let new = |n| Strict { number: n, pt: n as f32, label: String::new(), cache: 0 };
    evolve(&many(old), &many(new));
}

/// A file of a future version of the format, with a field of a role that does not exist yet.
fn of_the_future(name: &str) -> Memory {
    let options = WriteOptions::new().compression(Compression::NONE);
    let writer = Writer::<Inner, _>::new(Memory::new(), "Events", options).unwrap();
    let file = writer.finish_into().unwrap().1;
    let mut field = forge::field(name, 0);
    // After the size of the record, two versions and the parent.
    field[20] = 9;
    Memory::from(Forge::new(file.as_bytes().to_vec()).schema(&[field], &[]).into_bytes())
}

#[test]
fn what_cannot_be_read_is_not_missing() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Member {
        #[rntuple(default, alias = "missing_et")]
        met: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq, Default)]
    #[rntuple(default)]
    struct Container {
        missing_et: f32,
    }
    let found = |name: &str| format!("a field that cannot be read ({name} has the unknown role 9)");
    let expected = |name: &str| [(name.to_owned(), found(name), "f32".to_owned())];
    assert_eq!(refused::<Member>(&of_the_future("met")), expected("met"));
    assert_eq!(refused::<Member>(&of_the_future("missing_et")), expected("missing_et"));
    assert_eq!(refused::<Container>(&of_the_future("missing_et")), expected("missing_et"));
    // A type that does not ask for it reads the others, unless it denies what it does not have.
    assert_eq!(open::<Member>(&of_the_future("other")).unwrap().entry_count().unwrap(), 0);
    let denied = |name: &str| (name.to_owned(), found(name), "no such field".to_owned());
    let refused = refused::<Strict>(&of_the_future("other"));
    assert!(refused.contains(&denied("other")), "{refused:?}");
}
