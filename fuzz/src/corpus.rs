//! Small files to damage: ours in every layout, and ROOT's where they are at hand; and what describes the ntuples in
//! them.

use rntuple::__internals::decompress;
use rntuple::field::WriteField;
use rntuple::root::{EnvelopeSpan, FormatVersion};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, Result, RootFile, WriteOptions, Writer};
use rntuple_tests::forge::Forge;
use rntuple_tests::reference::{self, Reference};
use rntuple_tests::sample::{Event, One, Process, Random};

fn written<T>(entries: usize, options: WriteOptions) -> Result<Vec<u8>>
where
    T: rntuple::Entry + WriteField + rntuple_tests::sample::Sample,
{
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options)?;
    let mut random = Random::new(42);
    for _ in 0..entries {
        writer.fill(&T::sample(&mut random))?;
    }
    Ok(writer.finish_into()?.1.into_bytes())
}

/// Entries, and what is said of them.
fn with_attributes(options: WriteOptions) -> Result<Vec<u8>> {
    let mut writer = Writer::<One<f32>, _>::new(Memory::new(), "Events", options)?;
    let mut random = Random::new(43);
    let (runs, processes) = (writer.attributes("runs")?, writer.attributes("processes")?);
    for number in 0..6 {
        let range = runs.begin(&writer)?;
        writer.fill(&One { value: 0.5 })?;
        range.commit(&writer, &One { value: number })?;
        processes.add(
            0..number,
            &One { value: <Process as rntuple_tests::sample::Sample>::sample(&mut random) },
        )?;
    }
    Ok(writer.finish_into()?.1.into_bytes())
}

/// One entry of twenty pages, which all are the same: a few kilobytes for 10 megabytes.
fn repeated() -> Result<Vec<u8>> {
    let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
    let options = options.compression_of("value", Compression::zstd(1)).max_page_length(1 << 20);
    let mut writer = Writer::<One<String>, _>::new(Memory::new(), "Events", options)?;
    writer.fill(&One { value: "a".repeat(500_000) })?;
    Ok(Forge::new(writer.finish_into()?.1.into_bytes()).repeat(20).into_bytes())
}

fn small() -> WriteOptions {
    WriteOptions::new().max_page_length(256).cluster_size(2000)
}

/// A file of events that others are merged with.
pub(crate) fn sound() -> Result<Vec<u8>> {
    written::<Event>(4, small().compression(Compression::NONE))
}

/// Files in every layout.
pub(crate) fn files() -> Result<Vec<Vec<u8>>> {
    let mut files = vec![
        sound()?,
        written::<Event>(4, small().compression(Compression::NONE).checksums(false))?,
        written::<One<Vec<Process>>>(6, small().compression(Compression::NONE))?,
        with_attributes(small().compression(Compression::NONE))?,
        repeated()?,
    ];
    for settings in [Compression::zstd(1), Compression::lz4(1), Compression::zlib(6), Compression::lzma(1)] {
        files.push(written::<Event>(3, small().compression(settings))?);
    }
    Ok(files)
}

/// Small files that ROOT wrote, where they are at hand.
#[must_use]
pub fn by_root() -> Vec<Vec<u8>> {
    let read = |reference: Reference| std::fs::read(reference.file).ok();
    let files = reference::files("").into_iter().filter_map(read);
    files.filter(|bytes| bytes.len() < 8000).collect()
}

/// What describes an ntuple, without what frames it.
pub(crate) struct Description {
    /// Position in [`FormatVersion::ALL`].
    pub(crate) version: u8,
    /// Items of the header.
    pub(crate) header: Vec<u8>,
    /// Items of the footer.
    pub(crate) footer: Vec<u8>,
    /// Number of clusters of each page list, and its items.
    pub(crate) lists: Vec<(u8, Vec<u8>)>,
}

impl Description {
    fn of(dataset: &Dataset) -> Result<Self> {
        let (file, anchor) = (dataset.file(), dataset.anchor());
        let version = FormatVersion::ALL.iter().position(|version| *version == anchor.format_version);
        let items = |span: EnvelopeSpan| -> Result<Vec<u8>> {
            let stored = file.payload(span.offset, span.size, anchor.max_key_size)?;
            let envelope = decompress(&stored, span.length)?;
            let (front, back) = if anchor.format_version < FormatVersion::Rc20 { (4, 4) } else { (8, 8) };
            let end = envelope.len().saturating_sub(back);
            Ok(envelope.get(front..end).unwrap_or_default().to_vec())
        };
        let mut lists = Vec::new();
        for group in dataset.cluster_groups() {
            if let Locator::File { offset, size } = group.page_list {
                let count = u8::try_from(group.cluster_count).unwrap_or(u8::MAX);
                lists.push((count, items(EnvelopeSpan { offset, size, length: group.page_list_length })?));
            }
        }
        Ok(Self {
            version: version.and_then(|version| u8::try_from(version).ok()).unwrap_or_default(),
            header: items(anchor.header)?,
            footer: items(anchor.footer)?,
            lists,
        })
    }
}

/// What describes the ntuples and attribute sets of files. Those that are too old are passed over.
pub(crate) fn descriptions(files: &[Vec<u8>]) -> Result<Vec<Description>> {
    let mut found = Vec::new();
    for bytes in files {
        let file = RootFile::from_storage(Memory::from(bytes.clone()))?;
        for key in file.ntuples()? {
            let Ok(dataset) = Dataset::open(&file, &key.path()) else { continue };
            for link in dataset.attribute_sets() {
                found.push(Description::of(&dataset.attribute_set(&link.name)?)?);
            }
            found.push(Description::of(&dataset)?);
        }
    }
    Ok(found)
}
