//! Says more about members than their types do. Explained in the book, chapter "Attributes".

use std::time::Duration;

use rntuple::field::{ReadField, WriteField};
use rntuple::schema::Schema;
use rntuple::storage::Memory;
use rntuple::{Entry, RNTuple, Reader, Result, WriteOptions, Writer};
use serde::{Deserialize, Serialize};

/// Writes one entry, reads it as another type, and gives that and the schema of the file.
fn pass<Old, New>(entry: &Old) -> Result<(New, Schema)>
where
    Old: Entry + WriteField,
    New: Entry + ReadField,
{
    let mut writer = Writer::<Old, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(entry)?;
    let reader = Reader::<New>::open(writer.finish_into()?.1, "Events")?;
    Ok((reader.get(0)?, reader.schema().clone()))
}

/// The names of the top-level fields.
fn names(schema: &Schema) -> Vec<&str> {
    schema.top_level().iter().filter_map(|&id| Some(&*schema.field(id)?.name)).collect()
}

fn type_name<'a>(schema: &'a Schema, path: &str) -> Option<&'a str> {
    Some(&*schema.field(schema.find(path)?)?.type_name)
}

mod naming {
    use rntuple::RNTuple;

    // ANCHOR: naming
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(rename_all = "camelCase", type_name = "exp::Jet")]
    pub(super) struct Jet {
        /// Transverse momentum
        #[rntuple(rename = "pT", unit = "GeV")]
        pub(super) pt: f32,
        pub(super) electro_magnetic_fraction: f32,
    }
    // ANCHOR_END: naming

    // ANCHOR: flatten
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) struct Event {
        pub(super) number: u64,
        #[rntuple(flatten, prefix = "vtx_")]
        pub(super) vertex: Vertex,
        pub(super) jets: Vec<Jet>,
    }

    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) struct Vertex {
        pub(super) x: f32,
        pub(super) y: f32,
    }
    // ANCHOR_END: flatten
}

fn naming() -> Result<()> {
    use naming::{Event, Jet, Vertex};

    let jets = vec![Jet { pt: 20.0, electro_magnetic_fraction: 0.5 }];
    let event = Event { number: 1, vertex: Vertex { x: 0.5, y: -0.5 }, jets };
    let (read, schema) = pass::<_, Event>(&event)?;
    assert_eq!(read, event);
    // ANCHOR: names
    assert_eq!(names(&schema), ["number", "vtx_x", "vtx_y", "jets"]);
    assert_eq!(type_name(&schema, "jets"), Some("std::vector<exp::Jet>"));
    assert!(schema.find("jets._0.pT").is_some());
    assert!(schema.find("jets._0.electroMagneticFraction").is_some());
    // ANCHOR_END: names
    Ok(())
}

mod views {
    use rntuple::RNTuple;
    use rntuple::cxx::{Cardinality, Cardinality32};

    // ANCHOR: project
    #[derive(RNTuple)]
    #[rntuple(project(n_muons: Cardinality32 = "muons"))]
    #[rntuple(project(muon_pt: Vec<f32> = "muons.pt", kinematics: Vec<Kinematics> = "muons"))]
    pub(super) struct Event {
        pub(super) muons: Vec<Muon>,
    }

    #[derive(RNTuple)]
    pub(super) struct Muon {
        pub(super) pt: f32,
        pub(super) eta: f32,
        pub(super) charge: i8,
    }

    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) struct Kinematics {
        pub(super) pt: f32,
        pub(super) eta: f32,
    }
    // ANCHOR_END: project

    #[derive(RNTuple)]
    #[rntuple(skip_writing)]
    pub(super) struct Views {
        pub(super) n_muons: Cardinality,
        pub(super) muon_pt: Vec<f32>,
        pub(super) kinematics: Vec<Kinematics>,
    }
}

fn views() -> Result<()> {
    use views::{Event, Kinematics, Muon, Views};

    let event = Event { muons: vec![Muon { pt: 20.0, eta: 0.5, charge: -1 }] };
    // ANCHOR: views
    let (read, schema) = pass::<_, Views>(&event)?;
    assert_eq!(read.n_muons.0, 1);
    assert_eq!(read.muon_pt, [20.0]);
    assert_eq!(read.kinematics, [Kinematics { pt: 20.0, eta: 0.5 }]);
    // Offsets, `pt`, `eta` and `charge`: the projected fields add no column.
    assert_eq!(schema.columns().count(), 4);
    // ANCHOR_END: views
    Ok(())
}

mod leaving_out {
    use rntuple::RNTuple;

    // ANCHOR: skip
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) struct Track {
        pub(super) pt: f32,
        pub(super) eta: f32,
        /// Made when it is asked for.
        #[rntuple(skip)]
        pub(super) momentum: Option<f32>,
        #[rntuple(skip, default = no_color)]
        pub(super) color: u32,
    }

    fn no_color() -> u32 {
        0xFFFFFF
    }
    // ANCHOR_END: skip

    // ANCHOR: borrow
    /// Members that borrow can be written.
    #[derive(RNTuple)]
    #[rntuple(skip_reading)]
    pub(super) struct View<'a> {
        pub(super) label: &'a str,
        pub(super) hits: &'a [f32],
    }
    // ANCHOR_END: borrow

    #[derive(RNTuple, Debug, PartialEq)]
    pub(super) struct Owned {
        pub(super) label: String,
        pub(super) hits: Vec<f32>,
    }
}

fn leaving_out() -> Result<()> {
    use leaving_out::{Owned, Track, View};

    let track = Track { pt: 2.0, eta: 0.0, momentum: Some(2.0), color: 0 };
    let (read, schema) = pass::<_, Track>(&track)?;
    assert_eq!(read, Track { momentum: None, color: 0xFFFFFF, ..track });
    assert_eq!(names(&schema), ["pt", "eta"]);
    let (read, _) = pass::<_, Owned>(&View { label: "a", hits: &[1.0, 2.0] })?;
    assert_eq!(read, Owned { label: "a".to_owned(), hits: vec![1.0, 2.0] });
    Ok(())
}

mod size {
    use rntuple::RNTuple;

    // ANCHOR: size
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) struct Cell {
        /// 1 sign, 8 exponent, 9 mantissa.
        #[rntuple(truncate(bits = 18))]
        pub(super) energy: f32,
        #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
        pub(super) eta: f32,
        /// `Double32_t` for C++.
        #[rntuple(double32)]
        pub(super) time: f64,
        /// Bits of noise do not shrink.
        #[rntuple(compression = "none")]
        pub(super) seed: u64,
        /// Never more than 4 GiB of text in a cluster.
        #[rntuple(offsets = "Index32", compression = "lzma:7")]
        pub(super) comment: String,
    }
    // ANCHOR_END: size
}

fn size() -> Result<()> {
    use size::Cell;

    let cell = Cell { energy: 0.5, eta: -5.0, time: 0.25, seed: 7, comment: "dead".to_owned() };
    let (read, schema) = pass::<_, Cell>(&cell)?;
    assert_eq!(read, cell);
    let time = schema.find("time").and_then(|id| schema.field(id));
    assert_eq!(time.map(|field| &*field.type_alias), Some("Double32_t"));
    Ok(())
}

mod forms {
    use std::time::Duration;

    use rntuple::RNTuple;

    // ANCHOR: with
    /// A duration, stored as whole nanoseconds.
    mod nanoseconds {
        use std::time::Duration;

        pub(crate) type Stored = i64;

        pub(crate) fn store(time: &Duration) -> i64 {
            i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
        }

        pub(crate) fn load(stored: i64) -> Result<Duration, String> {
            let nanoseconds = u64::try_from(stored).map_err(|_| format!("{stored} ns are no duration"))?;
            Ok(Duration::from_nanos(nanoseconds))
        }
    }

    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) struct Hit {
        #[rntuple(with = nanoseconds, unit = "ns")]
        pub(super) time: Duration,
        #[rntuple(into = "u32", try_from = "u32")]
        pub(super) wire: Wire,
        pub(super) charge: Charge,
    }
    // ANCHOR_END: with

    // ANCHOR: try_from
    /// There are 512 of them.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub(super) struct Wire(pub(super) u16);

    impl From<Wire> for u32 {
        fn from(wire: Wire) -> Self {
            Self::from(wire.0)
        }
    }

    impl TryFrom<u32> for Wire {
        type Error = String;

        fn try_from(number: u32) -> Result<Self, String> {
            let number = u16::try_from(number).ok().filter(|&number| number < 512);
            number.map(Self).ok_or_else(|| "there are only 512 wires".to_owned())
        }
    }
    // ANCHOR_END: try_from

    // ANCHOR: transparent
    /// Nothing but its value is in the file.
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(transparent)]
    pub(super) struct Charge {
        #[rntuple(f16, unit = "fC")]
        pub(super) value: f32,
        #[rntuple(skip)]
        pub(super) is_calibrated: bool,
    }
    // ANCHOR_END: transparent

    #[derive(RNTuple)]
    pub(super) struct Raw {
        pub(super) time: i64,
        pub(super) wire: u32,
        pub(super) charge: f32,
    }
}

fn forms() -> Result<()> {
    use forms::{Charge, Hit, Wire};

    let charge = Charge { value: 1.5, is_calibrated: false };
    let hit = Hit { time: Duration::from_nanos(25), wire: Wire(3), charge };
    let (read, schema) = pass::<_, Hit>(&hit)?;
    assert_eq!(read, hit);
    assert_eq!(type_name(&schema, "time"), Some("std::int64_t"));
    assert_eq!(type_name(&schema, "wire"), Some("std::uint32_t"));
    assert_eq!(type_name(&schema, "charge"), Some("float"));
    Ok(())
}

/// What is said of values that are refused.
pub(crate) fn refusals() -> String {
    use forms::{Hit, Raw};

    let negative = Raw { time: -1, wire: 3, charge: 0.0 };
    let beyond = Raw { time: 1, wire: 512, charge: 0.0 };
    let refused = [negative, beyond].map(|raw| pass::<_, Hit>(&raw).err().map(|error| format!("{error}\n")));
    refused.into_iter().flatten().collect()
}

mod lossy {
    use rntuple::RNTuple;

    // ANCHOR: lossy
    #[derive(RNTuple)]
    pub(super) struct Coarse {
        /// From whatever numbers there are, to the nearest of these.
        #[rntuple(convert = "lossy")]
        pub(super) counts: Vec<u8>,
    }
    // ANCHOR_END: lossy

    #[derive(RNTuple)]
    pub(super) struct Fine {
        pub(super) counts: Vec<f64>,
    }
}

fn lossy() -> Result<()> {
    let (read, _) = pass::<_, lossy::Coarse>(&lossy::Fine { counts: vec![-1.5, 7.9, 1e6] })?;
    assert_eq!(read.counts, [0, 7, 255]);
    Ok(())
}

// ANCHOR: serde
#[derive(RNTuple, Serialize, Deserialize, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
#[rntuple(serde_compat)]
struct Settings {
    run_number: u32,
    #[serde(default)]
    trigger_menu: Vec<String>,
    #[serde(skip)]
    cache: Option<u64>,
    /// In addition, what serde does not know.
    #[serde(rename = "B")]
    #[rntuple(unit = "T", f16)]
    field: f32,
}
// ANCHOR_END: serde

fn serde_compat() -> Result<()> {
    let settings = Settings { run_number: 1, trigger_menu: vec![], cache: Some(3), field: 3.75 };
    let (read, schema) = pass::<_, Settings>(&settings)?;
    assert_eq!(read, Settings { cache: None, ..settings });
    assert_eq!(names(&schema), ["runNumber", "triggerMenu", "B"]);
    let json = serde_json::to_string(&read).unwrap_or_default();
    assert_eq!(json, r#"{"runNumber":1,"triggerMenu":[],"B":3.75}"#);
    Ok(())
}

fn main() -> Result<()> {
    naming()?;
    views()?;
    leaving_out()?;
    size()?;
    forms()?;
    lossy()?;
    serde_compat()?;
    print!("{}", refusals());
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
