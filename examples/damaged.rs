//! Meets files that are damaged, cut off, or something else. Explained in the book, chapter "Errors".
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "what the program shows would be wrong"
)]

use std::path::Path;

use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, ErrorKind, Limits, RNTuple, ReadOptions, Reader, Result, RootFile, WriteOptions,
    Writer,
};

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Event {
    number: u64,
    hits: Vec<f32>,
}

fn event(number: u64) -> Event {
    Event { number, hits: (0..number % 5).map(|i| i as f32).collect() }
}

/// A file of three clusters.
fn good() -> Result<Vec<u8>> {
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::new(Memory::new(), "Events", options)?;
    for number in 0..30 {
        writer.fill(&event(number))?;
        if number % 10 == 9 {
            writer.commit_cluster()?;
        }
    }
    Ok(writer.finish_into()?.1.into_bytes())
}

fn read(bytes: Vec<u8>) -> Result<Vec<Event>> {
    Reader::<Event>::open(bytes, "Events")?.entries().collect()
}

// ANCHOR: kinds
/// What a program can do about it is in the kind; what a person wants to know is in the message.
fn advise(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Io => "is the disk full, the path right?",
        ErrorKind::NotFound => "the file has other ntuples: the message lists them",
        ErrorKind::SchemaMismatch => "the struct and the file disagree: `mismatches` lists how",
        ErrorKind::Unfinished => "the program that writes it is still at work, or did not call `finish`",
        ErrorKind::OutOfSpec => "the file is damaged",
        ErrorKind::Unsupported => "the file is good, but newer or older than this crate",
        ErrorKind::FeatureDisabled => "build with the feature that the message names",
        ErrorKind::InvalidArgument => "the program asked for something impossible",
        ErrorKind::LimitExceeded => "the message names the limit: raise it, if you trust the file",
        ErrorKind::Panicked => "a thread of the program panicked while it wrote",
        _ => "a kind that is younger than this program",
    }
}
// ANCHOR_END: kinds

fn meet_what_is_no_file(directory: &Path) -> Result<()> {
    let kind = |file: &str| Reader::<Event>::open(directory.join(file), "Events").unwrap_err().kind();
    assert_eq!(kind("no-such-file.root"), ErrorKind::Io);
    std::fs::write(directory.join("text.root"), "number,hits\n1,2\n")?;
    assert_eq!(kind("text.root"), ErrorKind::OutOfSpec);

    // ANCHOR: unfinished
    let path = directory.join("unfinished.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new().in_place(true))?;
    writer.fill(&event(1))?;
    writer.commit_cluster()?;
    drop(writer); // a crash, or a forgotten `finish`
    assert_eq!(RootFile::open(&path).unwrap_err().kind(), ErrorKind::Unfinished);
    // ANCHOR_END: unfinished
    Ok(())
}

fn meet_damage() -> Result<()> {
    let good = good()?;
    let events = read(good.clone())?;
    // ANCHOR: bits
    // Wherever a byte of a file is changed, reading gives an error or what was written. Never other
    // entries, never a panic.
    for position in 0..good.len() {
        let mut bad = good.clone();
        bad[position] ^= 0xff;
        match read(bad) {
            Ok(read) => assert!(read == events, "byte {position}"),
            Err(error) => drop(error.to_string()),
        }
    }
    // ANCHOR_END: bits
    for length in 0..good.len() {
        assert!(read(good[..length].to_vec()).is_err(), "{length}");
    }
    Ok(())
}

/// A file whose second cluster has a flipped bit in its page of hits.
fn flipped() -> Result<Vec<u8>> {
    let mut bytes = good()?;
    let file = RootFile::from_storage(bytes.clone())?;
    let dataset = Dataset::open(&file, "Events")?;
    let hits = dataset.schema().find("hits._0").map(|field| dataset.schema().representations(field)[0][0]);
    let cluster = dataset.cluster(1)?;
    let column = &cluster.columns[hits.expect("there are hits").index()];
    let Locator::File { offset, .. } = column.pages[0].locator else { panic!("a page outside the file") };
    // The lowest bit of the second hit, which is 1.0.
    bytes[usize::try_from(offset).expect("a small file") + 8] ^= 1;
    Ok(bytes)
}

/// What the error says of the flipped bit.
pub(crate) fn message() -> Result<String> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    std::fs::write(&path, flipped()?)?;
    let error = Reader::<Event>::open(&path, "Events")?.entries().find_map(Result::err);
    let text = error.expect("a page is damaged").to_string();
    Ok(text.replace(&path.display().to_string(), "events.root") + "\n")
}

/// A file of a few kilobytes, whose only entry takes 4 MiB.
fn large() -> Result<Vec<u8>> {
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(&Event { number: 0, hits: vec![0.0; 1 << 20] })?;
    Ok(writer.finish_into()?.1.into_bytes())
}

/// What the error says of an entry that is over a limit.
pub(crate) fn limit_message() -> Result<String> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("events.root");
    std::fs::write(&path, large()?)?;
    let options = ReadOptions::new().limits(Limits::new().entry_length(1 << 20));
    let error = Reader::<Event>::open_with(&path, "Events", options)?.get(0).err();
    let text = error.expect("the entry is over the limit").to_string();
    Ok(text.replace(&path.display().to_string(), "events.root") + "\n")
}

fn stay_within_limits() -> Result<()> {
    let file = RootFile::from_storage(large()?)?;

    // ANCHOR: limits
    // A program of little memory lowers the limit of an entry, one that knows its files raises it.
    let low = ReadOptions::new().limits(Limits::new().entry_length(1 << 20));
    let error = Reader::<Event>::open_with(&file, "Events", low)?.get(0).err();
    assert_eq!(error.map(|error| error.kind()), Some(ErrorKind::LimitExceeded));

    let file = file.with_limits(Limits::new().entry_length(16 << 30));
    let entry = Reader::<Event>::open(&file, "Events")?.get(0)?;
    assert_eq!(entry.hits.len(), 1 << 20);
    // ANCHOR_END: limits
    Ok(())
}

fn read_around_damage() -> Result<()> {
    let bytes = flipped()?;

    // ANCHOR: around
    let reader = Reader::<Event>::open(bytes.clone(), "Events")?;
    let error = reader.entries().find_map(Result::err).expect("a page is damaged");
    println!("{error}");
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    let location = error.location();
    assert_eq!((location.field.as_deref(), location.cluster), (Some("hits._0"), Some(1)));

    // The entries of other clusters are as good as ever.
    assert_eq!(reader.get(3)?, event(3));
    assert_eq!(reader.get(25)?, event(25));
    // ANCHOR_END: around

    // ANCHOR: unchecked
    // At one's own risk: what the bytes say now.
    let file = RootFile::from_storage(bytes)?;
    let options = ReadOptions::new().verify_checksums(false);
    let reader = Reader::<Event>::open_with(&file, "Events", options)?;
    let wrong =
        reader.entries().zip(0..).filter(|(read, number)| read.as_ref().ok() != Some(&event(*number)));
    assert_eq!(wrong.count(), 1);
    // ANCHOR_END: unchecked
    Ok(())
}

fn main() -> Result<()> {
    println!("a damaged file: {}", advise(ErrorKind::OutOfSpec));
    let directory = tempfile::tempdir()?;
    meet_what_is_no_file(directory.path())?;
    meet_damage()?;
    read_around_damage()?;
    stay_within_limits()?;
    print!("{}", message()?);
    print!("{}", limit_message()?);
    Ok(())
}

#[test]
fn it_runs() -> Result<()> {
    main()
}
