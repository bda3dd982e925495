//! Reads files from before a type changed. Explained in the book, chapter "When types change".

use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

/// Writes one entry, and reads it as another type.
fn pass<Old, New>(entry: &Old) -> Result<New>
where
    Old: rntuple::Entry + WriteField,
    New: rntuple::Entry + ReadField,
{
    let mut writer = Writer::<Old, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(entry)?;
    Reader::<New>::open(writer.finish_into()?.1, "Events")?.get(0)
}

/// As it was in the first year.
mod first_year {
    use rntuple::RNTuple;

    #[derive(RNTuple, Clone)]
    pub(super) struct Event {
        pub(super) evt: u64,
        pub(super) met: Option<f32>,
    }

    #[derive(RNTuple, Clone)]
    pub(super) struct Settings {
        pub(super) gain: f32,
    }
}

// ANCHOR: missing
#[derive(RNTuple, Debug, PartialEq)]
struct Event {
    /// It was called otherwise.
    #[rntuple(alias = "evt")]
    number: u64,
    /// There may have been none.
    #[rntuple(default = not_measured)]
    met: f32,
    /// There were none.
    #[rntuple(default)]
    triggers: Vec<String>,
}

fn not_measured() -> f32 {
    f32::NEG_INFINITY
}
// ANCHOR_END: missing

// ANCHOR: container
#[derive(RNTuple, Debug, PartialEq)]
#[rntuple(default)]
struct Settings {
    gain: f32,
    threshold: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { gain: 1.0, threshold: 0.5 }
    }
}
// ANCHOR_END: container

fn missing() -> Result<()> {
    for (met, read) in [(Some(20.0), 20.0), (None, f32::NEG_INFINITY)] {
        let event = pass::<_, Event>(&first_year::Event { evt: 7, met })?;
        assert_eq!(event, Event { number: 7, met: read, triggers: vec![] });
    }
    let settings = pass::<_, Settings>(&first_year::Settings { gain: 2.0 })?;
    assert_eq!(settings, Settings { gain: 2.0, threshold: 0.5 });
    Ok(())
}

// ANCHOR: deny
#[derive(RNTuple, Debug)]
#[rntuple(deny_unknown_fields)]
struct Whole {
    #[rntuple(unit = "GeV")]
    energy: f32,
    time: f32,
}
// ANCHOR_END: deny

#[derive(RNTuple)]
struct Other {
    /// Deposited [MeV]
    energy: f32,
    weight: f32,
}

/// What is said of a file that has something else.
pub(crate) fn denied() -> String {
    let denied = pass::<_, Whole>(&Other { energy: 1.0, weight: 1.0 });
    denied.err().map(|error| format!("{error}\n")).unwrap_or_default()
}

mod tracks {
    use rntuple::RNTuple;
    use rntuple::field::StoredField;

    // ANCHOR: upgrade
    /// As it was first.
    #[derive(RNTuple, Clone, Debug)]
    pub(super) struct TrackV1 {
        pub(super) momentum: [f32; 3],
        pub(super) charge: String,
    }

    /// In between, the charge was a number.
    #[derive(RNTuple, Clone, Debug)]
    pub(super) struct TrackV2 {
        pub(super) momentum: [f32; 3],
        pub(super) charge: i8,
    }

    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(TrackV1, when = charge_is_text, try_with = read_charge))]
    #[rntuple(upgrade_from(TrackV2, when = has("momentum")))]
    pub(super) struct Track {
        pub(super) pt: f32,
        pub(super) pz: f32,
        pub(super) charge: i8,
    }

    impl From<TrackV2> for Track {
        fn from(old: TrackV2) -> Self {
            let [px, py, pz] = old.momentum;
            Self { pt: px.hypot(py), pz, charge: old.charge }
        }
    }

    fn charge_is_text(track: StoredField<'_>) -> bool {
        track.find("charge").is_some_and(|charge| charge.type_name() == "std::string")
    }

    fn read_charge(old: TrackV1) -> Result<Track, String> {
        let charge = match &*old.charge {
            "+" => 1,
            "-" => -1,
            other => return Err(format!("`{other}` is no charge")),
        };
        Ok(TrackV2 { momentum: old.momentum, charge }.into())
    }
    // ANCHOR_END: upgrade

    #[derive(RNTuple)]
    pub(super) struct Tracks<T> {
        pub(super) tracks: Vec<T>,
    }
}

fn upgrades() -> Result<()> {
    use tracks::{Track, TrackV1, TrackV2, Tracks};

    let momentum = [3.0, 4.0, 1.0];
    let wanted = [Track { pt: 5.0, pz: 1.0, charge: -1 }];
    let first = Tracks { tracks: vec![TrackV1 { momentum, charge: "-".to_owned() }] };
    let second = Tracks { tracks: vec![TrackV2 { momentum, charge: -1 }] };
    let third = Tracks { tracks: wanted.to_vec() };
    assert_eq!(pass::<_, Tracks<Track>>(&first)?.tracks, wanted);
    assert_eq!(pass::<_, Tracks<Track>>(&second)?.tracks, wanted);
    assert_eq!(pass::<_, Tracks<Track>>(&third)?.tracks, wanted);
    Ok(())
}

mod energies {
    use rntuple::RNTuple;

    // ANCHOR: version
    #[derive(RNTuple, Clone, Debug)]
    #[rntuple(type_name = "exp::Energy", version = 1)]
    pub(super) struct EnergyV1 {
        /// In MeV, which was not written down.
        pub(super) value: f32,
    }

    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "exp::Energy", version = 2)]
    #[rntuple(upgrade_from(EnergyV1, when = version(1), with = in_gev))]
    pub(super) struct Energy {
        #[rntuple(unit = "GeV")]
        pub(super) value: f32,
    }

    fn in_gev(old: EnergyV1) -> Energy {
        Energy { value: old.value / 1000.0 }
    }
    // ANCHOR_END: version

    #[derive(RNTuple)]
    pub(super) struct Sum<T> {
        pub(super) sum: T,
    }
}

fn versions() -> Result<()> {
    use energies::{Energy, EnergyV1, Sum};

    let first = Sum { sum: EnergyV1 { value: 2000.0 } };
    let second = Sum { sum: Energy { value: 2.0 } };
    assert_eq!(pass::<_, Sum<Energy>>(&first)?.sum, second.sum);
    assert_eq!(pass::<_, Sum<Energy>>(&second)?.sum, second.sum);
    Ok(())
}

mod enums {
    use rntuple::RNTuple;

    // ANCHOR: enums
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) enum Hit {
        Strip(u32),
        Pixel {
            x: u16,
            y: u16,
        },
        /// Whatever is added one day.
        #[rntuple(other)]
        Unknown,
    }

    /// One day.
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) enum LaterHit {
        Strip(u32),
        Pixel { x: u16, y: u16 },
        Drift(f32),
    }
    // ANCHOR_END: enums

    // ANCHOR: index
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    pub(super) enum Sorted {
        #[rntuple(tag = 2)]
        Drift(f32),
        #[rntuple(tag = 1)]
        Pixel { x: u16, y: u16 },
        #[rntuple(tag = 0)]
        Strip(u32),
    }
    // ANCHOR_END: index

    #[derive(RNTuple)]
    pub(super) struct Hits<T> {
        pub(super) hits: Vec<T>,
    }
}

fn enums() -> Result<()> {
    use enums::{Hit, Hits, LaterHit, Sorted};

    let hits = vec![LaterHit::Strip(1), LaterHit::Drift(0.5), LaterHit::Pixel { x: 2, y: 3 }];
    let later = Hits { hits };
    let read = pass::<_, Hits<Hit>>(&later)?.hits;
    assert_eq!(read, [Hit::Strip(1), Hit::Unknown, Hit::Pixel { x: 2, y: 3 }]);
    let read = pass::<_, Hits<Sorted>>(&later)?.hits;
    assert_eq!(read, [Sorted::Strip(1), Sorted::Drift(0.5), Sorted::Pixel { x: 2, y: 3 }]);
    let earlier = Hits { hits: vec![Hit::Pixel { x: 2, y: 3 }] };
    assert_eq!(pass::<_, Hits<LaterHit>>(&earlier)?.hits, [LaterHit::Pixel { x: 2, y: 3 }]);
    Ok(())
}

fn main() -> Result<()> {
    missing()?;
    upgrades()?;
    versions()?;
    enums()?;
    print!("{}", denied());
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
