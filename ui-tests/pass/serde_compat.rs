//! Serde's attributes give the names and forms that they give to serde.

use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};
use serde::{Deserialize, Serialize};

mod text {
    use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

    pub fn serialize<S: Serializer>(value: &u32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }

    pub type Stored = String;

    pub fn store(value: &u32) -> String {
        value.to_string()
    }

    pub fn load(stored: String) -> Result<u32, std::num::ParseIntError> {
        stored.parse()
    }
}

#[derive(RNTuple, Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
#[rntuple(serde_compat)]
#[serde(default)]
struct Vertex {
    x: f32,
    #[serde(rename = "y_position")]
    y: f32,
}

#[derive(RNTuple, Serialize, Deserialize, Clone, Debug, PartialEq, Default)]
#[rntuple(serde_compat)]
#[serde(transparent)]
struct Energy {
    value: f64,
}

#[derive(RNTuple, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[rntuple(serde_compat)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
enum Hit {
    OneStrip {
        strip_number: u32,
    },
    #[serde(rename = "pix")]
    OnePixel {
        row: u16,
    },
}

#[derive(RNTuple, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[rntuple(serde_compat)]
#[serde(rename = "Occurrence", rename_all = "camelCase", deny_unknown_fields)]
struct Inner {
    one_number: u8,
}

#[derive(RNTuple, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[rntuple(serde_compat, type_name = "Event")]
#[serde(rename_all = "camelCase")]
struct Event {
    #[serde(alias = "RUN")]
    run_number: u32,
    // Both say the same.
    #[serde(rename = "met")]
    #[rntuple(rename = "met", unit = "GeV")]
    missing_energy: f32,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hit_list: Vec<Hit>,
    #[serde(flatten)]
    #[rntuple(prefix = "vtx_")]
    vertex: Vertex,
    #[serde(with = "text")]
    #[rntuple(with = text)]
    time: u32,
    energy: Energy,
    inner: Inner,
    #[serde(skip)]
    cache: u64,
    #[serde(skip_deserializing)]
    only_written: u8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Renamed {
    #[rntuple(rename = "RUN")]
    run: u32,
    met: f32,
    vtx_x: f32,
    vtx_y_position: f32,
    time: String,
    energy: f64,
    inner: Inner,
}

fn write<T: RNTuple + WriteField>(value: &T) -> Result<Memory> {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(value)?;
    Ok(writer.finish_into()?.1)
}

fn read<T: RNTuple + ReadField>(storage: Memory) -> Result<T> {
    Reader::<T>::open(storage, "Events")?.get(0)
}

fn main() -> Result<()> {
    let event = Event {
        run_number: 1,
        missing_energy: 2.0,
        hit_list: vec![Hit::OneStrip { strip_number: 3 }, Hit::OnePixel { row: 4 }],
        vertex: Vertex { x: 5.0, y: 6.0 },
        time: 7,
        energy: Energy { value: 8.0 },
        inner: Inner { one_number: 9 },
        cache: 0,
        only_written: 0,
    };
    let storage = write(&event)?;
    let reader = Reader::<Event>::open(storage, "Events")?;
    let schema = reader.schema();
    let names = schema.top_level().iter().map(|&id| schema.field(id).unwrap().name.to_string());
    let expected =
        ["runNumber", "met", "hitList", "vtx_x", "vtx_y_position", "time", "energy", "inner", "onlyWritten"];
    assert_eq!(names.collect::<Vec<_>>(), expected);
    assert_eq!(reader.entries().next().unwrap()?, event);

    let renamed = Renamed {
        run: 1,
        met: 2.0,
        vtx_x: 5.0,
        vtx_y_position: 6.0,
        time: "7".to_owned(),
        energy: 8.0,
        inner: event.inner.clone(),
    };
    assert_eq!(read::<Event>(write(&renamed)?)?, Event { hit_list: vec![], ..event });
    Ok(())
}
