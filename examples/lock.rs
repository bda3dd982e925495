//! Notices when a type changes, and with it the files. Explained in the book, chapter "When a type changes".

use rntuple::schema::Schema;
use rntuple::{RNTuple, Reader, Result, WriteOptions, lock};

/// A file of data that must stay readable.
const SAMPLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sample.root");

// ANCHOR: lock
#[derive(RNTuple)]
struct Hit {
    /// Deposited energy [MeV]
    energy: f32,
    #[rntuple(quantize(bits = 14, min = -2.5, max = 2.5))]
    eta: f32,
}

#[derive(RNTuple)]
struct Event {
    number: u64,
    hits: Vec<Hit>,
    comment: String,
}

rntuple::schema_lock!(Event, "event.rntlock");
// ANCHOR_END: lock

// ANCHOR: file
/// What the analysis reads.
#[derive(RNTuple)]
struct Selected {
    number: u64,
    hits: Vec<Energy>,
}

#[derive(RNTuple)]
struct Energy {
    energy: f32,
}

rntuple::check_file!(Selected, "sample.root", "Events");
// ANCHOR_END: file

mod wrong {
    use rntuple::RNTuple;

    // ANCHOR: wrong
    #[derive(RNTuple)]
    pub(super) struct Selected {
        run: u32,
        number: u64,
        hits: Vec<Energy>,
    }

    #[derive(RNTuple)]
    struct Energy {
        energy: i32,
    }
    // ANCHOR_END: wrong
}

/// What the test says of the type that asks for something else.
#[cfg(test)]
pub(crate) fn misfit() -> String {
    let test = || lock::assert_file::<wrong::Selected>("sample.root", "Events");
    let panic = std::panic::catch_unwind(test).err();
    panic.and_then(|text| text.downcast::<String>().ok()).map(|text| *text).unwrap_or_default()
}

#[test]
#[ignore = "writes the sample that is compared with a type"]
fn write_the_sample() -> Result<()> {
    // Whatever features a build has, it can read the file.
    let options = WriteOptions::new().compression(rntuple::Compression::NONE);
    let mut writer = rntuple::Writer::<Event>::create(SAMPLE, "Events", options)?;
    for number in 0..3 {
        let hits = vec![Hit { energy: 1.5, eta: 0.5 }];
        writer.fill(&Event { number, hits, comment: String::new() })?;
    }
    writer.finish()?;
    Ok(())
}

mod changed {
    use rntuple::RNTuple;

    // ANCHOR: changed
    #[derive(RNTuple)]
    struct Hit {
        /// Deposited energy [GeV]
        energy: f32,
        eta: f32,
    }

    #[derive(RNTuple)]
    pub(super) struct Event {
        run: u32,
        number: u64,
        hits: Vec<Hit>,
        remark: String,
    }
    // ANCHOR_END: changed
}

/// What the test says of the changed type.
pub(crate) fn drift() -> Result<String> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("event.rntlock");
    std::fs::write(&path, lock::text::<Event>()?)?;
    let drift = lock::check::<changed::Event>(&path).err().map(|drift| drift.to_string());
    Ok(drift.unwrap_or_default().replace(&*path.to_string_lossy(), "event.rntlock"))
}

fn main() -> Result<()> {
    println!("{}", lock::text::<Event>()?);
    println!("{}", drift()?);

    // What the test of the sample does, without a test.
    assert_eq!(Reader::<Selected>::open(SAMPLE, "Events")?.entry_count()?, 3);
    println!(
        "{}",
        Reader::<wrong::Selected>::open(SAMPLE, "Events")
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    );

    // ANCHOR: schema
    let schema = Schema::of::<Event>(&WriteOptions::new())?;
    let description = |path| Some(&*schema.field(schema.find(path)?)?.description);
    assert_eq!(description("hits._0.energy"), Some("Deposited energy [MeV]"));
    // ANCHOR_END: schema
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
