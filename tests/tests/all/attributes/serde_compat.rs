//! `serde_compat`: one set of attributes, and JSON and files say the same.

use rntuple::{RNTuple, Value};
use serde::{Deserialize, Serialize};

use super::common::{columns, evolve, field, list, many, names, open, refused, schema_of, text, write};

fn seven() -> u32 {
    7
}

/// Numbers as text, for serde and for files.
mod digits {
    use std::num::ParseIntError;

    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub(super) type Stored = String;

    pub(super) fn store(value: &u32) -> String {
        value.to_string()
    }

    pub(super) fn load(stored: String) -> Result<u32, ParseIntError> {
        stored.parse()
    }

    pub(super) fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&store(value))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        load(String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase", rename = "NotInFiles")]
#[rntuple(serde_compat)]
struct Event {
    event_number: u64,
    #[serde(rename = "pT", alias = "pt", alias = "transverse")]
    transverse_momentum: f32,
    #[serde(
        rename(serialize = "label", deserialize = "label"),
        skip_serializing_if = "String::is_empty",
        default
    )]
    name: String,
    #[serde(default)]
    #[rntuple(offsets = "Index32")]
    trigger_list: Vec<String>,
    #[serde(default = "seven")]
    seven: u32,
    #[serde(skip)]
    cache: u8,
    #[serde(skip, default = "seven")]
    cached_seven: u32,
    #[serde(skip_serializing, default)]
    only_read: u8,
    #[serde(skip_deserializing)]
    only_written: f32,
    #[serde(flatten)]
    vertex: Vertex,
    strict: Option<Strict>,
    energy: Energy,
    energies: Vec<Energy>,
    #[serde(with = "digits")]
    #[rntuple(with = digits)]
    digits: u32,
    settings: Settings,
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[rntuple(serde_compat)]
struct Vertex {
    position_x: f32,
    #[rntuple(rename = "Y")]
    #[serde(rename = "Y")]
    position_y: f32,
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
#[serde(deny_unknown_fields)]
#[rntuple(serde_compat)]
struct Strict {
    value: u8,
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
#[serde(transparent)]
#[rntuple(serde_compat)]
struct Energy {
    #[rntuple(f16)]
    value: f32,
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
#[serde(default)]
#[rntuple(serde_compat)]
struct Settings {
    gain: f32,
    #[serde(default)]
    offset: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { gain: 2.0, offset: 3.0 }
    }
}

fn event(n: u64) -> Event {
    Event {
        event_number: n,
        transverse_momentum: n as f32,
        name: format!("event {n}"),
        trigger_list: list(n, text),
        seven: n as u32,
        cache: 0,
        cached_seven: 7,
        only_read: 0,
        only_written: 0.0,
        vertex: Vertex { position_x: 1.0, position_y: n as f32 },
        strict: (n.is_multiple_of(2)).then_some(Strict { value: n as u8 }),
        energy: Energy { value: 0.5 },
        energies: list(n, |i| Energy { value: (i % 64) as f32 }),
        digits: n as u32,
        settings: Settings { gain: n as f32, offset: 1.0 },
    }
}

#[test]
fn json_and_files_have_the_same_names_and_values() {
    let entries = many(|n| Event { cache: 3, cached_seven: 4, only_read: 5, only_written: 6.0, ..event(n) });
    let file = write(&entries);
    let values = open::<Value>(&file).unwrap();
    for (value, entry) in values.entries().zip(&entries) {
        assert_eq!(serde_json::to_value(value.unwrap()).unwrap(), serde_json::to_value(entry).unwrap());
    }
    // What is not written has its default, of both.
    let read = many(event);
    for (entry, read) in entries.iter().zip(&read) {
        let json = serde_json::to_string(entry).unwrap();
        assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), *read);
    }
    evolve(&entries, &read);
    let top: Vec<_> = names(&schema_of(&entries[0])).into_iter().filter(|name| !name.contains('.')).collect();
    let expected = [
        "eventNumber",
        "pT",
        "label",
        "triggerList",
        "seven",
        "onlyWritten",
        "POSITION_X",
        "Y",
        "strict",
        "energy",
        "energies",
        "digits",
        "settings",
    ];
    assert_eq!(top, expected);
}

#[test]
fn own_attributes_stand_beside_those_of_serde() {
    let schema = schema_of(&event(4));
    assert_eq!(columns(&schema, "triggerList"), ["Index32"]);
    assert_eq!(columns(&schema, "energy"), ["Real16"]);
    assert_eq!(field(&schema, "digits").type_name, "std::string");
    assert_eq!(field(&schema, "energies").type_name, "std::vector<float>");
}

#[test]
fn json_and_files_lack_the_same_members() {
    #[derive(Serialize, RNTuple, Clone)]
    #[rntuple(serde_compat)]
    #[serde(rename_all = "camelCase")]
    struct Old {
        transverse: f64,
        event_number: u32,
        only_read: u8,
        #[serde(rename = "Y")]
        y: f32,
        #[serde(rename = "POSITION_X")]
        x: f32,
        strict: Option<Strict>,
        energy: f32,
        energies: Vec<f32>,
        digits: String,
        settings: OldSettings,
        unknown: u8,
    }
    #[derive(Serialize, RNTuple, Clone)]
    struct OldSettings {
        other: u8,
    }
    let old = |n: u64| Old {
        transverse: n as f64,
        event_number: n as u32,
        only_read: 5,
        y: 1.0,
        x: 2.0,
        strict: None,
        energy: 0.5,
        energies: vec![1.0],
        digits: "12".into(),
        settings: OldSettings { other: 1 },
        unknown: 1,
    };
    let json = |n: u64| serde_json::to_string(&old(n)).unwrap();
    let new = many(|n| serde_json::from_str::<Event>(&json(n)).unwrap());
    assert_eq!(new[9].settings, Settings { gain: 2.0, offset: 0.0 });
    evolve(&many(old), &new);
}

#[test]
fn both_refuse_unknown_fields() {
    #[derive(Serialize, RNTuple, Clone)]
    struct More {
        value: u8,
        more: u8,
    }
    let more = More { value: 1, more: 2 };
    assert!(serde_json::from_str::<Strict>(&serde_json::to_string(&more).unwrap()).is_err());
    let told = refused::<Strict>(&write(&[more]));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, "more");
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
#[serde(rename_all = "kebab-case", rename_all_fields = "PascalCase")]
#[rntuple(serde_compat)]
enum Hit {
    SingleStrip(u32),
    #[serde(rename = "Pixel")]
    PixelCell {
        row_number: u16,
        #[serde(alias = "col", default)]
        column_number: u16,
    },
    #[serde(rename_all = "UPPERCASE")]
    Other {
        row: u16,
        #[serde(skip)]
        cache: u8,
    },
    Nothing,
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
struct Hits {
    hit: Hit,
    hits: Vec<Hit>,
}

#[test]
fn variants_have_the_names_of_json() {
    let hit = |n: u64| match n % 4 {
        0 => Hit::SingleStrip(n as u32),
        1 => Hit::PixelCell { row_number: 1, column_number: n as u16 },
        2 => Hit::Other { row: 2, cache: 0 },
        _ => Hit::Nothing,
    };
    let entries = many(|n| Hits { hit: hit(n), hits: list(n, hit) });
    super::common::round_trip(&entries);
    let schema = schema_of(&entries[0]);
    for n in 0..4 {
        let (name, members) = match serde_json::to_value(hit(n)).unwrap() {
            serde_json::Value::String(name) => (name, vec![]),
            serde_json::Value::Object(object) => {
                let (name, value) = object.into_iter().next().unwrap();
                let members = value.as_object().map(|object| object.keys().cloned().collect());
                (name, members.unwrap_or_default())
            }
            other => panic!("{other}"),
        };
        let path = format!("hit._{n}");
        assert_eq!(field(&schema, &path).description, name);
        let mut found: Vec<_> = schema
            .children(schema.find(&path).unwrap())
            .iter()
            .map(|&id| schema.field(id).unwrap().name.clone())
            .collect();
        found.sort();
        assert_eq!(found, members, "{name}");
    }
}

#[test]
fn values_that_are_not_known_are_the_same_variant() {
    #[derive(Serialize, Deserialize, RNTuple, Clone, Copy, Debug, PartialEq)]
    #[serde(rename_all = "lowercase")]
    #[rntuple(serde_compat)]
    #[repr(u8)]
    enum Level {
        Low,
        High,
        #[serde(other)]
        Unknown = 99,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event<T> {
        level: T,
    }
    let level = |n: u64| [Level::Low, Level::High, Level::Unknown][(n % 3) as usize];
    let number = |n: u64| [0u8, 1, 50][(n % 3) as usize];
    evolve(&many(|n| Event { level: number(n) }), &many(|n| Event { level: level(n) }));
    assert_eq!(serde_json::from_str::<Level>("\"middle\"").unwrap(), Level::Unknown);
    let schema = schema_of(&Event { level: Level::Low });
    assert_eq!(field(&schema, "level").description, "low = 0, high = 1, unknown = 99");
}

#[test]
fn without_being_asked_serde_is_not_heard() {
    #[derive(Serialize, RNTuple)]
    #[serde(rename_all = "camelCase")]
    struct Event {
        event_number: u64,
        #[serde(rename = "pT", skip_serializing)]
        momentum: f32,
    }
    let event = Event { event_number: 1, momentum: 1.0 };
    assert_eq!(names(&schema_of(&event)), ["event_number", "momentum"]);
    assert_eq!(serde_json::to_string(&event).unwrap(), "{\"eventNumber\":1}");
}

#[derive(Serialize, Deserialize, RNTuple, Clone, Debug, PartialEq)]
#[rntuple(serde_compat)]
struct Kept {
    run: u32,
    #[serde(skip)]
    #[rntuple(skip = false)]
    cache: Vec<f32>,
    #[serde(skip_serializing, default)]
    #[rntuple(skip = false, rename = "Weight")]
    weight: f64,
    #[serde(skip)]
    lost: u8,
}

#[test]
fn a_member_may_be_stored_although_serde_skips_it() {
    let entries =
        many(|n| Kept { run: n as u32, cache: vec![n as f32; (n % 3) as usize], weight: n as f64, lost: 0 });
    super::common::round_trip(&entries);
    assert_eq!(names(&schema_of(&entries[0])), ["run", "cache", "cache._0", "Weight"]);
    let json = serde_json::to_value(&entries[0]).unwrap();
    assert_eq!(json.as_object().unwrap().keys().collect::<Vec<_>>(), ["run"]);
}
