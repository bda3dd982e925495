//! How a file was written, as far as it says.

use std::collections::BTreeMap;

use rntuple::schema::{ColumnId, ColumnRange};
use rntuple::{Compression, Dataset, WriteOptions};

use crate::error::Result;

/// The longest pages that are written, in bytes: other readers have limits.
const MOST_PAGE_LENGTH: u64 = 128 << 20;

/// The size of clusters that end where the caller ends them, and nowhere else.
const ENDLESS: u64 = 1 << 40;

/// Has clusters end where the caller ends them, and nowhere else.
pub(crate) fn with_own_clusters(options: WriteOptions) -> WriteOptions {
    options.cluster_size(ENDLESS).max_cluster_length(ENDLESS)
}

/// Options that write entries of an ntuple as it was written: its fields with their compression, and pages up to the length
/// of its longest ones.
///
/// # Errors
/// A page list cannot be read.
pub(crate) fn settings_of(dataset: &Dataset) -> Result<WriteOptions> {
    let schema = dataset.schema();
    let mut compression: BTreeMap<ColumnId, u32> = BTreeMap::new();
    let mut page_length = 0;
    for cluster in dataset.clusters() {
        for (id, range) in (0..).map(ColumnId).zip(&cluster?.columns) {
            if range.pages.is_empty() {
                continue;
            }
            compression.entry(id).or_insert(range.compression);
            let bits = schema.column(id).map_or(0, |column| column.bits);
            page_length = page_length.max(longest(range, bits.into()));
        }
    }
    let mut options = WriteOptions::new();
    for (column, code) in compression {
        // Of settings that no writer can have, the default is taken.
        if let (Ok(settings), Some(field)) = (Compression::from_code(code), schema.field_of(column)) {
            options = options.compression_of(schema.path(field), settings);
        }
    }
    match usize::try_from(page_length.min(MOST_PAGE_LENGTH)) {
        Ok(length) if length > 0 => Ok(options.max_page_length(length)),
        _ => Ok(options),
    }
}

/// The length of the longest page, in bytes before compression.
fn longest(range: &ColumnRange, bits: u64) -> u64 {
    let counts = range.pages.iter().map(|page| u64::from(page.count));
    counts.max().unwrap_or_default().saturating_mul(bits).div_ceil(8)
}
