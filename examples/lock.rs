//! Notices when a type changes, and with it the files. Explained in the book, chapter "When a type changes".

use rntuple::{RNTuple, Result, WriteOptions, lock, schema_of};

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

    // ANCHOR: schema
    let schema = schema_of::<Event>(&WriteOptions::new())?;
    let description = |path| Some(&*schema.field(schema.find(path)?)?.description);
    assert_eq!(description("hits._0.energy"), Some("Deposited energy [MeV]"));
    // ANCHOR_END: schema
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
