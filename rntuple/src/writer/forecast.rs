//! What writing would come to.

use std::time::{Duration, Instant};

use super::draft::Draft;
use super::{Summary, WriteOptions, Writer};
use crate::compression::Compression;
use crate::error::{Error, Result};
use crate::field::{Entry, WriteField};
use crate::storage::Null;

/// Bytes of entries, before compression, from which the cost of more is known well enough.
const ENOUGH: u64 = 32 << 20;

/// What an ntuple would come to: [`Writer::estimate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Forecast {
    /// Bytes of the file.
    pub file_size: u64,
    /// Bytes of all pages before compression.
    pub page_length: u64,
    /// Number of pages.
    pub pages: u64,
    /// Number of clusters.
    pub clusters: u64,
    /// Bytes of memory that a writer on one thread takes, beyond the entry that is filled.
    pub memory: u64,
    /// How long one thread of this machine fills, packs and compresses; the medium comes on top.
    pub time: Duration,
}

impl<T: WriteField> Writer<T> {
    /// Estimates what an ntuple of `count` entries like those of a sample would come to. Nothing is stored.
    ///
    /// The sample is written to [nowhere](Null), again and again where it is small. So it should be at least as long as
    /// a page of each column, some megabytes: a short one that is repeated compresses better than what it stands for.
    ///
    /// ```
    /// use rntuple::{RNTuple, WriteOptions, Writer};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64, met: f32 }
    ///
    /// let sample: Vec<Event> = (0..50_000).map(|number| Event { number, met: (number as f32).sqrt() }).collect();
    /// let forecast = Writer::estimate(&sample, 1_000_000, WriteOptions::new())?;
    /// assert_eq!(forecast.page_length, 12_000_000);
    /// assert!(forecast.file_size < forecast.page_length);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// The sample is empty, or writing it fails.
    pub fn estimate(sample: &[T], count: u64, options: WriteOptions) -> Result<Forecast>
    where
        T: Entry,
    {
        if sample.is_empty() {
            return Err(Error::invalid_argument("an estimate needs entries"));
        }
        // What the sample's order is, and where it begins again, says nothing of the entries that are meant.
        let mut options = options;
        options.owned.sort_order.clear();
        let (empty, _) = write::<T>(&[], 0, &options)?;
        let once = count.min(sample.len() as u64);
        let (mut summary, mut time) = write(sample, once, &options)?;
        // Once more, for long enough: then buffers have grown, and half filled pages are few.
        let length = summary.page_length.max(1);
        let more = once.saturating_mul(ENOUGH / length).min(count);
        if more > once {
            (summary, time) = write(sample, more, &options)?;
        }
        let columns = Draft::new("Events", options.clone())?.declare::<T>(1)?.schema;
        Ok(scaled(&empty, &summary, time, count, &columns.records.compressions, &options))
    }
}

/// Writes `count` entries of a sample to nowhere.
fn write<T: WriteField + Entry>(
    sample: &[T],
    count: u64,
    options: &WriteOptions,
) -> Result<(Summary, Duration)> {
    let begin = Instant::now();
    let mut writer = Writer::<T, Null>::new(Null, "Events", options.clone())?;
    let mut left = usize::try_from(count).unwrap_or(usize::MAX);
    while left > 0 {
        let part = sample.get(..left).unwrap_or(sample);
        writer.fill_all(part)?;
        left -= part.len();
    }
    Ok((writer.finish()?, begin.elapsed()))
}

/// From what was written to `count` entries.
fn scaled(
    empty: &Summary,
    written: &Summary,
    time: Duration,
    count: u64,
    columns: &[Compression],
    options: &WriteOptions,
) -> Forecast {
    let times = |value: u64| {
        let product = u128::from(value) * u128::from(count);
        u64::try_from(product.div_ceil(u128::from(written.entries.max(1)))).unwrap_or(u64::MAX)
    };
    let (page_length, page_size) = (times(written.page_length), times(written.page_size));
    let clusters = page_size
        .div_ceil(options.cluster_size.max(1))
        .max(page_length.div_ceil(options.max_cluster_length.max(1)));
    // Each column has an open page, and one that waits to be written.
    let page = options.page_length();
    let open = ((columns.len() * page) as u64).min(options.page_budget as u64).min(page_length);
    // What a codec works in, and a page on its way through it: packed, compressed, and as it is stored.
    let codec = |compression: &Compression| compression.context_length(page) + 3 * page;
    let codecs = columns.iter().filter(|compression| !compression.is_none()).map(codec);
    let codec = codecs.max().filter(|_| page_length > 0).unwrap_or_default() as u64;
    let memory = 2 * open + options.write_buffer().min(page_length) + codec;
    Forecast {
        file_size: empty.file_size.saturating_add(times(written.file_size.saturating_sub(empty.file_size))),
        page_length,
        pages: times(written.pages),
        clusters: clusters.max(u64::from(count > 0)),
        memory: options.memory_budget.map_or(memory, |budget| memory.min(budget as u64)),
        time: Duration::from_nanos(times(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))),
    }
}
