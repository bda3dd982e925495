//! `structure`: one column of ascending numbers, in several clusters, in several groups of them, or without any; and
//! with attributes.

use std::ops::Range;
use std::path::Path;

use rntuple::attributes::Attribute;
use rntuple::root::FileOptions;
use rntuple::{Compression, ErrorKind, RNTuple, Reader, RootFileWriter, Value, WriteOptions, Writer};

use crate::category::{Category, How, NTUPLE, read_as, uncompressed};
use crate::json::Json;
use crate::show::object;
use crate::{Result, Show};

/// The one number.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub struct Entry {
    /// Ascending from 1.
    #[rntuple(rename = "Int32")]
    pub int32: i32,
}

object! { Entry { "Int32": int32, } }

/// Two clusters of one entry each.
pub const CLUSTERS: Category = Category { name: "structure.clusters", write: write_clusters, read };

/// Two groups of two clusters each, of one entry each.
pub const CLUSTER_GROUPS: Category =
    Category { name: "structure.cluster_groups", write: write_cluster_groups, read };

/// No entries.
pub const EMPTY: Category = Category { name: "structure.empty", write: write_empty, read };

/// A flag that no reader knows: the file must be refused, and the document says why.
pub const FEATURE_FLAG: Category =
    Category { name: "structure.feature_flag", write: write_feature_flag, read };

/// What is said of ranges of entries. The document shows that alone.
pub const ATTRIBUTES: Category =
    Category { name: "structure.attributes", write: write_attributes, read: read_attributes };

/// What is said of the entries of a range.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub struct Attr {
    /// Ascending from 1.
    pub attr: i32,
}

/// The name of the attribute set.
const SET: &str = "Attributes";

fn write_clusters(file: &Path) -> Result<()> {
    let mut writer = Writer::<Entry>::create(file, NTUPLE, uncompressed())?;
    for int32 in 1..=2 {
        writer.fill(&Entry { int32 })?;
        writer.commit_cluster()?;
    }
    writer.finish()?;
    Ok(())
}

fn write_cluster_groups(file: &Path) -> Result<()> {
    let mut writer = Writer::<Entry>::create(file, NTUPLE, uncompressed())?;
    for group in [[1, 2], [3, 4]] {
        for int32 in group {
            writer.fill(&Entry { int32 })?;
            writer.commit_cluster()?;
        }
        writer.commit_cluster_group()?;
    }
    writer.finish()?;
    Ok(())
}

fn write_empty(file: &Path) -> Result<()> {
    Writer::<Entry>::create(file, NTUPLE, uncompressed())?.finish()?;
    Ok(())
}

fn write_feature_flag(file: &Path) -> Result<()> {
    const UNKNOWN: u32 = 137;
    let file = RootFileWriter::create(file, FileOptions::new())?;
    file.put_unknown_feature(NTUPLE, UNKNOWN)?;
    file.finish()?;
    Ok(())
}

/// This category has the compression that ROOT has where nothing else is said.
fn write_attributes(file: &Path) -> Result<()> {
    let options = WriteOptions::new().compression(Compression::zstd(5));
    let mut writer = Writer::<Entry>::create(file, NTUPLE, options)?;
    let set = writer.attributes::<Attr>(SET)?;
    for (attr, entries) in [(1, 1..=1), (2, 2..=3)] {
        let range = set.begin(&writer)?;
        for int32 in entries {
            writer.fill(&Entry { int32 })?;
        }
        range.commit(&writer, &Attr { attr })?;
    }
    writer.finish()?;
    Ok(())
}

fn read_attributes(file: &Path, how: How) -> Result<Json> {
    let reader = Reader::<Entry>::open(file, NTUPLE)?;
    let mut list = Vec::new();
    match how {
        How::Typed => {
            for attribute in reader.attributes::<Attr>(SET)?.entries() {
                let Attribute { range, value, .. } = attribute?;
                list.push(shown(&range, value.attr)?);
            }
        }
        How::Dynamic => {
            for attribute in reader.attributes::<Value>(SET)?.entries() {
                let Attribute { range, value, .. } = attribute?;
                match value.get("attr") {
                    Some(Value::I32(value)) => list.push(shown(&range, *value)?),
                    other => return Err(format!("`attr` is {other:?}").into()),
                }
            }
        }
    }
    Ok(Json::List(list))
}

/// The value, and the first and the last entry of the range.
fn shown(range: &Range<u64>, value: i32) -> Result<Json> {
    let last = range.end.checked_sub(1).filter(|last| *last >= range.start);
    let last = last.ok_or("no document of the suite shows an empty range")?;
    let range = Json::Row(vec![range.start.show(), last.show()]);
    Ok(Json::object([("Value", value.show()), ("Range", range)]))
}

fn read(file: &Path, how: How) -> Result<Json> {
    read_as::<Entry>(file, how).or_else(|error| match error.downcast_ref::<rntuple::Error>() {
        Some(refusal) if refusal.kind() == ErrorKind::Unsupported => {
            unsupported_feature(&refusal.to_string()).ok_or(error)
        }
        _ => Err(error),
    })
}

/// What ROOT says of a feature flag, if that is what the message is about.
fn unsupported_feature(message: &str) -> Option<Json> {
    let (_, flag) = message.split_once("feature flag ")?;
    let number: String = flag.chars().take_while(char::is_ascii_digit).collect();
    Some(Json::object([("error", Json::Text(format!("unsupported format feature: {number}")))]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feature_flags_are_told_as_root_tells_them() {
        let json = unsupported_feature("x.root: ntpl: feature flag 137 (unknown) at offset 16").unwrap();
        assert_eq!(json.document(), "{\n  \"error\": \"unsupported format feature: 137\"\n}\n");
        assert!(unsupported_feature("a column of a later version").is_none());
    }
}
