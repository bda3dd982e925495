//! Small files to damage: ours in every layout, and ROOT's where they are at hand.

use std::ops::Range;

use rntuple::field::WriteField;
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, Result, RootFile, WriteOptions, Writer};
use rntuple_tests::forge::Forge;
use rntuple_tests::reference;
use rntuple_tests::sample::{Event, One, Process, Random};

/// A file, and where its checksums are, so that damage can be hidden from them.
#[derive(Clone, Debug)]
pub struct Sample {
    /// What to call it.
    pub name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// Envelopes that are not compressed: of each ntuple and attribute set the header first, then the others, which
    /// repeat its checksum.
    pub envelopes: Vec<Range<usize>>,
    /// Pages with the checksum behind them.
    pub pages: Vec<Range<usize>>,
}

impl Sample {
    fn new(name: impl Into<String>, bytes: Vec<u8>) -> Self {
        let mut sample = Self { name: name.into(), bytes, envelopes: Vec::new(), pages: Vec::new() };
        // A file that cannot be opened is damaged blindly.
        let _ = sample.find_checksums();
        sample
    }

    fn find_checksums(&mut self) -> Result<()> {
        let file = RootFile::from_storage(Memory::from(self.bytes.clone()))?;
        let mut datasets = Vec::new();
        for key in file.ntuples()? {
            let dataset = Dataset::open(&file, &key.path())?;
            let sets = dataset.attribute_sets().iter().map(|set| dataset.attribute_set(&set.name));
            datasets.extend(sets.collect::<Result<Vec<_>>>()?);
            datasets.push(dataset);
        }
        for dataset in datasets {
            let anchor = dataset.anchor();
            let mut spans = vec![anchor.header, anchor.footer];
            for group in dataset.cluster_groups() {
                if let Locator::File { offset, size } = group.page_list {
                    spans.push(rntuple::root::EnvelopeSpan { offset, size, length: group.page_list_length });
                }
            }
            for span in spans {
                if span.size == span.length {
                    self.envelopes.extend(range(span.offset, span.size));
                }
            }
            let clusters = dataset.clusters().collect::<Result<Vec<_>>>()?;
            for page in clusters.iter().flat_map(|cluster| &cluster.columns).flat_map(|c| &c.pages) {
                if let (Locator::File { offset, size }, true) = (page.locator, page.has_checksum) {
                    self.pages.extend(range(offset, size + 8));
                }
            }
        }
        Ok(())
    }
}

fn range(offset: u64, size: u64) -> Option<Range<usize>> {
    let start = usize::try_from(offset).ok()?;
    Some(start..start.checked_add(usize::try_from(size).ok()?)?)
}

fn written<T>(name: &str, entries: usize, options: WriteOptions) -> Result<Sample>
where
    T: rntuple::Entry + WriteField + rntuple_tests::sample::Sample,
{
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options)?;
    let mut random = Random::new(42);
    for _ in 0..entries {
        writer.fill(&T::sample(&mut random))?;
    }
    Ok(Sample::new(name, writer.finish_into()?.1.into_bytes()))
}

/// Entries, and what is said of them.
fn with_attributes(options: WriteOptions) -> Result<Sample> {
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
    Ok(Sample::new("attribute sets", writer.finish_into()?.1.into_bytes()))
}

/// One entry of twenty pages, which all are the same: a few kilobytes for 10 megabytes.
fn repeated() -> Result<Sample> {
    let options = WriteOptions::new().compression(Compression::NONE).checksums(false);
    let options = options.compression_of("value", Compression::zstd(1)).max_page_length(1 << 20);
    let mut writer = Writer::<One<String>, _>::new(Memory::new(), "Events", options)?;
    writer.fill(&One { value: "a".repeat(500_000) })?;
    let forged = Forge::new(writer.finish_into()?.1.into_bytes()).repeat(20);
    Ok(Sample::new("repeated pages", forged.into_bytes()))
}

/// All files.
///
/// # Errors
/// Writing one of them fails.
pub fn corpus() -> Result<Vec<Sample>> {
    let small = || WriteOptions::new().max_page_length(256).cluster_size(2000);
    let mut samples = vec![
        written::<Event>("events", 4, small().compression(Compression::NONE))?,
        written::<Event>(
            "events without checksums",
            4,
            small().compression(Compression::NONE).checksums(false),
        )?,
        written::<One<Vec<Process>>>("variants", 6, small().compression(Compression::NONE))?,
    ];
    samples.push(with_attributes(small().compression(Compression::NONE))?);
    samples.push(repeated()?);
    for settings in [Compression::zstd(1), Compression::lz4(1), Compression::zlib(6), Compression::lzma(1)] {
        samples.push(written::<Event>(&format!("events, {settings}"), 3, small().compression(settings))?);
    }
    for reference in reference::files("") {
        if let Ok(bytes) = std::fs::read(&reference.file)
            && bytes.len() < 8000
        {
            samples.push(Sample::new(reference.name, bytes));
        }
    }
    Ok(samples)
}
