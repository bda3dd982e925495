//! `structure`: one column of ascending numbers, in several clusters, in several groups of them, or without any.

use std::path::Path;

use rntuple::{ErrorKind, RNTuple, Writer};

use crate::Result;
use crate::category::{Category, How, NTUPLE, read_as, uncompressed};
use crate::json::Json;
use crate::show::object;

/// The one number.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub struct Entry {
    /// Ascending from 1.
    #[rntuple(rename = "Int32")]
    pub int32: i32,
}

object! { Entry { "Int32": int32, } }

/// Two clusters of one entry each.
pub const CLUSTERS: Category = Category { name: "structure.clusters", write: Some(write_clusters), read };

/// Two groups of two clusters each, of one entry each.
pub const CLUSTER_GROUPS: Category =
    Category { name: "structure.cluster_groups", write: Some(write_cluster_groups), read };

/// No entries.
pub const EMPTY: Category = Category { name: "structure.empty", write: Some(write_empty), read };

/// A flag that no reader knows: the file must be refused, and the document says why. Nothing here writes what it
/// would not read.
pub const FEATURE_FLAG: Category = Category { name: "structure.feature_flag", write: None, read };

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

fn read(file: &Path, how: How) -> Result<Json> {
    let refused = |error: &Box<dyn std::error::Error>| {
        let error = error.downcast_ref::<rntuple::Error>()?;
        (error.kind() == ErrorKind::Unsupported).then(|| unsupported_feature(&error.to_string()))?
    };
    read_as::<Entry>(file, how).or_else(|error| refused(&error).ok_or(error))
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
