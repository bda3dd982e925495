//! Says how a file is written. Explained in the book, chapter "Options and encodings".
#![expect(clippy::unwrap_used, reason = "what the program shows would be wrong")]

use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::storage::Memory;
use rntuple::summary::Summary;
use rntuple::{Compression, ErrorKind, RNTuple, Reader, Result, WriteOptions, Writer};
use rntuple_examples::Simulation;
use rntuple_examples::event::Event;

fn write(events: &[Event], options: WriteOptions) -> Result<Summary> {
    let mut writer = Writer::new(Memory::new(), "Events", options)?;
    writer.fill_all(events)?;
    writer.finish()
}

fn compress(events: &[Event]) -> Result<()> {
    // ANCHOR: compression
    for settings in ["none", "lz4:1", "zstd:1", "zstd:5", "zlib:6", "lzma:6"] {
        let options = WriteOptions::new().compression(settings.parse()?);
        println!("{settings:>7}: {} bytes", write(events, options)?.file_size);
    }
    // ANCHOR_END: compression
    let size = |settings: Compression| {
        write(events, WriteOptions::new().compression(settings)).map(|summary| summary.page_size)
    };
    let (none, lz4, zstd) =
        (size(Compression::NONE)?, size(Compression::lz4(1))?, size(Compression::zstd(1))?);
    assert!(none > lz4 && lz4 > zstd, "{none} {lz4} {zstd}");

    // ANCHOR: members
    let options = WriteOptions::new()
        .compression(Compression::zstd(1))
        .compression_of("muons", Compression::lz4(4))
        .compression_of("muons._0.pt", Compression::NONE);
    // ANCHOR_END: members
    let mixed = write(events, options)?.page_size;
    assert!(none > mixed && mixed > zstd, "{none} {mixed} {zstd}");
    Ok(())
}

// ANCHOR: encodings
#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Hit {
    /// All 32 bits.
    time: f32,
    /// 16 bits: 11 bits of mantissa, up to 65504.
    #[rntuple(f16)]
    energy: f32,
    /// The upper 20 of 32 bits: 11 of mantissa, the whole range of exponents.
    #[rntuple(truncate(bits = 20))]
    charge: f32,
    /// 4096 steps from -5 to 5.
    #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
    eta: f32,
    /// Offsets of 4 bytes, not 8: less than 2^32 samples in a cluster.
    #[rntuple(offsets = "Index32")]
    samples: Vec<u16>,
    /// Any column type by its name.
    #[rntuple(encoding = "Real32")]
    weight: f64,
}
// ANCHOR_END: encodings

fn encode() -> Result<()> {
    let hit = Hit { time: 0.1, energy: 0.1, charge: 0.1, eta: 0.1, samples: vec![1, 2], weight: 0.1 };
    let mut writer = Writer::new(Memory::new(), "Hits", WriteOptions::new())?;
    writer.fill(&hit)?;
    let storage = writer.finish_into()?.1;
    let read = Reader::<Hit>::open(storage, "Hits")?.get(0)?;
    assert_eq!(read.time, 0.1);
    assert!((read.energy - 0.1).abs() < 0.1 / 2048.0 && read.energy != 0.1);
    assert!((read.charge - 0.1).abs() < 0.1 / 2048.0 && read.charge != 0.1);
    assert!((read.eta - 0.1).abs() < 5.0 / 4095.0 && read.eta != 0.1);
    assert_eq!((read.samples, read.weight), (vec![1, 2], f64::from(0.1_f32)));
    Ok(())
}

fn encode_later(events: &[Event]) -> Result<()> {
    // ANCHOR: later
    // The struct is of another crate, or the choice is made when the program runs.
    let options = WriteOptions::new()
        .encoding("missing.pt", ColumnEncoding::of(ColumnType::Real16))
        .encoding("muons._0.eta", ColumnEncoding::quantized(14, -2.5, 2.5)?);
    // ANCHOR_END: later
    let plain = write(events, WriteOptions::new())?;
    assert!(write(events, options)?.page_length < plain.page_length);

    let nowhere = WriteOptions::new().encoding("muon.pt", ColumnEncoding::of(ColumnType::Real16));
    assert_eq!(write(events, nowhere).unwrap_err().kind(), ErrorKind::InvalidArgument);
    Ok(())
}

// ANCHOR: representations
#[derive(RNTuple, Debug, PartialEq)]
struct Shower {
    #[rntuple(representations("SplitReal32", truncate(bits = 16), quantize(bits = 8, min = 0, max = 255)))]
    energies: Vec<f32>,
}

fn represent() -> Result<()> {
    let mut writer = Writer::<Shower, _>::new(Memory::new(), "Showers", WriteOptions::new())?;
    for number in [0, 1, 2] {
        writer.use_representation("energies", number)?;
        writer.fill(&Shower { energies: vec![100.4, 3.0] })?;
        writer.commit_cluster()?;
    }
    let reader = Reader::<Shower>::open(writer.finish_into()?.1, "Showers")?;
    assert_eq!(reader.get(0)?.energies, [100.4, 3.0]);
    assert_eq!(reader.get(1)?.energies, [100.0, 3.0]);
    assert_eq!(reader.get(2)?.energies, [100.0, 3.0]);
    Ok(())
}
// ANCHOR_END: representations

fn outgrow() -> Result<()> {
    // ANCHOR: range
    let hit = |eta| Hit { time: 0.0, energy: 0.0, charge: 0.0, eta, samples: vec![], weight: 1.0 };
    let mut writer = Writer::new(Memory::new(), "Hits", WriteOptions::new())?;
    writer.fill(&hit(1.0))?;
    let error = writer.fill(&hit(7.0)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("(eta), entry 1: the value 7 is outside the range of the column, "));
    // Nothing of it was taken: others may follow.
    writer.fill(&hit(-1.0))?;
    assert_eq!(writer.finish()?.entries, 2);
    // ANCHOR_END: range
    Ok(())
}

fn cluster(events: &[Event]) -> Result<()> {
    // ANCHOR: clusters
    let options = WriteOptions::new()
        .cluster_size(32 << 20) // a cluster ends at about this many bytes on storage
        .max_page_length(64 << 10); // a page ends at this many bytes in memory
    let mut writer = Writer::new(Memory::new(), "Events", options)?;
    for event in events {
        writer.fill(event)?;
        if event.number % 100 == 99 {
            writer.commit_cluster()?; // and wherever you say so
        }
    }
    // ANCHOR_END: clusters
    assert_eq!(writer.finish()?.clusters, (events.len() as u64).div_ceil(100));
    Ok(())
}

fn repeat(events: &[Event]) -> Result<()> {
    // ANCHOR: bytes
    // Same entries, same options, same bytes: dates and identities are only written if asked for.
    let bytes = |options| -> Result<Vec<u8>> {
        let mut writer = Writer::new(Memory::new(), "Events", options)?;
        writer.fill_all(events)?;
        Ok(writer.finish_into()?.1.into_bytes())
    };
    assert!(bytes(WriteOptions::new())? == bytes(WriteOptions::new())?);
    let dated = WriteOptions::new().timestamp(std::time::SystemTime::now());
    assert!(bytes(WriteOptions::new())? != bytes(dated)?);
    // ANCHOR_END: bytes
    Ok(())
}

fn main() -> Result<()> {
    let events: Vec<Event> = Simulation::new(1).take(300).collect();
    compress(&events)?;
    encode()?;
    encode_later(&events)?;
    represent()?;
    outgrow()?;
    cluster(&events)?;
    repeat(&events)
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
