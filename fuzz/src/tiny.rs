//! Targets that do one thing with a file, of entries that are small: quick, since next to nothing is in the file.

use std::slice::from_ref;
use std::sync::LazyLock;

use rntuple::columns::Lazy;
use rntuple::merge::{MergeOptions, SchemaMode};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, Reader, Result, RootFile, Value, WriteOptions, Writer};
use rntuple_tests::forge::Forge;
use rntuple_tests::sample::{One, Random, Sample};

use crate::ways::{
    ENTRIES, add_column, add_entries, as_one, columns, drain, each, join, limits, merge_files,
};

/// One member of each kind.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
struct Tiny {
    /// A number.
    number: u32,
    /// Records.
    hits: Vec<Hit>,
    /// A text, perhaps.
    label: Option<String>,
    /// An array.
    place: [f32; 2],
    /// One of two.
    kind: Kind,
}

/// A record.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
struct Hit {
    energy: f32,
    good: bool,
}

/// An enum with data.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
enum Kind {
    Nothing,
    Mass(f64),
}

impl Sample for Tiny {
    fn sample(random: &mut Random) -> Self {
        let hit = |random: &mut Random| Hit { energy: Sample::sample(random), good: Sample::sample(random) };
        Self {
            number: Sample::sample(random),
            hits: (0..random.below(4)).map(|_| hit(random)).collect(),
            label: Sample::sample(random),
            place: Sample::sample(random),
            kind: if random.below(2) == 0 { Kind::Nothing } else { Kind::Mass(Sample::sample(random)) },
        }
    }
}

/// As a program of another time reads it.
#[derive(Debug, RNTuple)]
#[rntuple(skip_writing, columnar)]
struct Other {
    /// Any number fits.
    #[rntuple(convert = "lossy")]
    number: Option<u8>,
    /// Records with less and more.
    hits: Vec<OtherHit>,
    /// Only what is there.
    label: Vec<String>,
    /// An array as a list of other numbers.
    place: Vec<f64>,
    /// Not in any file.
    #[rntuple(default)]
    weights: Vec<f32>,
}

/// A record with less and more.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
struct OtherHit {
    energy: f64,
    #[rntuple(default)]
    layer: i16,
}

/// What is decoded when it is needed.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
struct Late {
    number: u32,
    hits: Lazy<Vec<Hit>>,
}

/// What entries are joined by.
#[derive(Debug, PartialEq, Eq, Hash, RNTuple)]
#[rntuple(skip_writing)]
struct Key {
    number: u32,
}

/// Reads structs, as they were written and as they are in a program of another time.
pub(crate) fn typed(bytes: &[u8]) {
    each(bytes, |file, path| {
        drain::<Tiny>(file, path);
        drain::<Other>(file, path);
    });
}

/// Reads column by column.
///
/// # Panics
/// If the values are not those that are read entry by entry.
pub(crate) fn columnar(bytes: &[u8]) {
    each(bytes, |file, path| {
        if let (Some(rows), Some(batches)) = (by_entry(file, path), by_batch(file, path)) {
            assert_eq!(rows, batches, "entries one by one, and in batches");
        }
        columns::<Tiny, Hit>(file, path, "hits");
        columns::<Other, OtherHit>(file, path, "hits");
        late(file, path);
    });
}

/// What is compared of each entry.
type Seen = (u32, Vec<bool>, bool);

fn by_entry(file: &RootFile, path: &str) -> Option<Vec<Seen>> {
    let reader = Reader::<Tiny>::open(file, path).ok()?;
    let seen =
        |entry: Tiny| (entry.number, entry.hits.iter().map(|hit| hit.good).collect(), entry.label.is_some());
    reader.entries().take(ENTRIES).map(|entry| entry.ok().map(seen)).collect()
}

fn by_batch(file: &RootFile, path: &str) -> Option<Vec<Seen>> {
    let reader = Reader::<Tiny>::open(file, path).ok()?;
    let mut batches = reader.batches_in(..ENTRIES as u64, 5);
    let mut all = Vec::new();
    while let Some(entries) = batches.lend().ok()? {
        for entry in entries {
            let good = entry.hits.into_iter().map(|hit| hit.good).collect();
            all.push((entry.number, good, entry.label.is_some()));
        }
    }
    Some(all)
}

/// Touches some of what is decoded late.
fn late(file: &RootFile, path: &str) {
    let Ok(reader) = Reader::<Late>::open(file, path) else { return };
    let mut batches = reader.batches_in(..ENTRIES as u64, 7);
    while let Ok(Some(entries)) = batches.lend() {
        let touched = entries.number.iter().any(|number| number % 2 == 0);
        if touched && let Some(last) = entries.get(entries.len() - 1) {
            let _ = (last.hits.value().is_ok(), entries.hits.values().is_ok());
        }
    }
}

/// Adds entries and columns.
pub(crate) fn append(bytes: &[u8]) {
    each(bytes, |file, path| {
        add_entries::<Tiny>(file, bytes, path);
        add_column(bytes, path);
    });
}

/// Merges the file with itself, and with a sound one.
pub(crate) fn merge(bytes: &[u8]) {
    let Some(other) = other() else { return };
    each(bytes, |file, path| {
        merge_files::<Tiny>(from_ref(file), path, MergeOptions::new().compression(Compression::lz4(1)));
        merge_files::<Tiny>(
            &[file.clone(), other.clone()],
            path,
            MergeOptions::new().schema(SchemaMode::Union),
        );
    });
}

/// Reads the file, a sound one and the file again as one, and joins it with itself.
pub(crate) fn chain(bytes: &[u8]) {
    let Some(other) = other() else { return };
    each(bytes, |file, path| {
        as_one::<Value>(&[file.clone(), other.clone()], path);
        as_one::<Tiny>(&[other.clone(), file.clone()], path);
        join::<Key>(from_ref(file), path);
    });
}

fn other() -> Option<RootFile> {
    static SOUND: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| written(2, plain()).ok());
    let storage = Memory::from(SOUND.clone()?);
    Some(RootFile::from_storage(storage).ok()?.with_limits(limits()))
}

fn plain() -> WriteOptions {
    WriteOptions::new().max_page_length(64).cluster_size(200).compression(Compression::NONE)
}

fn written(entries: usize, options: WriteOptions) -> Result<Vec<u8>> {
    let mut writer = Writer::<Tiny, _>::new(Memory::new(), "Events", options)?;
    let mut random = Random::new(42);
    for _ in 0..entries {
        writer.fill(&Tiny::sample(&mut random))?;
    }
    Ok(writer.finish_into()?.1.into_bytes())
}

/// Entries, and what is said of them.
fn with_attributes() -> Result<Vec<u8>> {
    let mut writer = Writer::<One<u8>, _>::new(Memory::new(), "Events", plain())?;
    let runs = writer.attributes("runs")?;
    for number in 0..3 {
        let range = runs.begin(&writer)?;
        writer.fill(&One { value: 7 })?;
        range.commit(&writer, &One { value: number })?;
    }
    Ok(writer.finish_into()?.1.into_bytes())
}

/// One entry of many pages, which all are the same: a file that is small for what it says.
fn repeated() -> Result<Vec<u8>> {
    let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
    let options = options.compression_of("value", Compression::zstd(1)).max_page_length(1 << 20);
    let mut writer = Writer::<One<String>, _>::new(Memory::new(), "Events", options)?;
    writer.fill(&One { value: "a".repeat(5000) })?;
    Ok(Forge::new(writer.finish_into()?.1.into_bytes()).repeat(20).into_bytes())
}

/// Sound files.
pub(crate) fn seeds() -> Result<Vec<Vec<u8>>> {
    let mut seeds = vec![
        written(0, plain())?,
        written(1, plain())?,
        written(5, plain())?,
        written(3, plain().checksums(false))?,
        with_attributes()?,
        repeated()?,
    ];
    for settings in [Compression::zstd(1), Compression::lz4(1), Compression::zlib(6), Compression::lzma(1)] {
        seeds.push(written(6, WriteOptions::new().compression(settings))?);
    }
    Ok(seeds)
}
