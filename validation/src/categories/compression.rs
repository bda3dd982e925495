//! `compression`: one column of ascending numbers, compressed in every way. The document is the sum.

use std::path::Path;

use rntuple::{Compression, RNTuple, Reader, Value, WriteOptions, Writer};

use crate::category::{Category, How, NTUPLE};
use crate::json::Json;
use crate::{Result, Show};

/// The one number.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub struct Entry {
    /// Ascending from 0.
    #[rntuple(rename = "Int64", encoding = "SplitInt64")]
    pub int64: i64,
}

/// More than two compression blocks, which have up to 16 MiB each.
const BIG: i64 = 40 * 1024 * 1024 / 8;

macro_rules! rows {
    ($($row:ident: $name:literal, $count:expr, $options:expr;)*) => {$(
        #[doc = concat!("`", $name, "`")]
        pub const $row: Category = Category {
            name: $name,
            write: |file| write(file, $count, $options),
            read,
        };
    )*};
}

rows! {
    ZLIB: "compression.algorithms.zlib", 32, WriteOptions::new().compression(Compression::zlib(1));
    LZMA: "compression.algorithms.lzma", 32, WriteOptions::new().compression(Compression::lzma(7));
    LZ4: "compression.algorithms.lz4", 32, WriteOptions::new().compression(Compression::lz4(4));
    ZSTD: "compression.algorithms.zstd", 32, WriteOptions::new().compression(Compression::zstd(5));
    BIG_BLOCKS: "compression.block.big", BIG, WriteOptions::new()
        .compression(Compression::zstd(9))
        // All entries in one page.
        .max_page_length(128 << 20);
    // So few that compression makes nothing smaller: the page is stored as it is.
    SHORT_BLOCK: "compression.block.short", 2, WriteOptions::new().compression(Compression::zstd(5));
}

fn write(file: &Path, count: i64, options: WriteOptions) -> Result<()> {
    let mut writer = Writer::<Entry>::create(file, NTUPLE, options)?;
    for int64 in 0..count {
        writer.fill(&Entry { int64 })?;
    }
    writer.finish()?;
    Ok(())
}

fn read(file: &Path, how: How) -> Result<Json> {
    let mut sum = 0_i128;
    match how {
        How::Typed => {
            for entry in Reader::<Entry>::open(file, NTUPLE)?.entries() {
                sum += i128::from(entry?.int64);
            }
        }
        How::Dynamic => {
            for entry in Reader::<Value>::open(file, NTUPLE)?.entries() {
                match entry?.get("Int64") {
                    Some(Value::I64(value)) => sum += i128::from(*value),
                    other => return Err(format!("`Int64` is {other:?}").into()),
                }
            }
        }
    }
    Ok(Json::object([("Int64", sum.show())]))
}
