//! What is sent, as bytes. Parts that are DataFusion's own are bytes in it, which its own code reads.

use std::collections::BTreeMap;
use std::fmt;

use prost::Message;

/// What the bytes of this crate begin with. The version is after it, and then that of DataFusion, with its length.
const MARK: &[u8] = b"\x89rntuple";

/// Raised when programs of before would misread what is sent.
const VERSION: u8 = 4;

/// More bytes than this are no plan.
const MOST: usize = 256 << 20;

/// A part of a plan.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Sent {
    #[prost(oneof = "Part", tags = "1, 2, 3, 4")]
    pub(super) part: Option<Part>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
pub(super) enum Part {
    #[prost(message, tag = "1")]
    Scan(Scan),
    #[prost(message, tag = "2")]
    Sink(Sink),
    #[prost(message, tag = "3")]
    Table(Table),
    #[prost(message, tag = "4")]
    Format(Format),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Scan {
    /// A `FileScanExecConf`.
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) base: Option<Vec<u8>>,
    /// A `PhysicalExprNode`.
    #[prost(bytes = "vec", optional, tag = "2")]
    pub(super) filter: Option<Vec<u8>>,
    #[prost(message, optional, tag = "3")]
    pub(super) options: Option<Options>,
    #[prost(message, optional, tag = "4")]
    pub(super) snapshot: Option<Snapshot>,
    #[prost(message, repeated, tag = "5")]
    pub(super) wanted: Vec<Members>,
    /// The most rows of each partition.
    #[prost(uint64, optional, tag = "6")]
    pub(super) limit: Option<u64>,
}

/// What is looked at of a column.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Members {
    #[prost(bool, tag = "1")]
    pub(super) all: bool,
    #[prost(message, repeated, tag = "2")]
    pub(super) paths: Vec<Path>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Path {
    #[prost(string, repeated, tag = "1")]
    pub(super) members: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sink {
    /// A `FileSinkConfig`.
    #[prost(bytes = "vec", optional, tag = "1")]
    pub(super) config: Option<Vec<u8>>,
    #[prost(string, optional, tag = "2")]
    pub(super) ntuple: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub(super) compression: Option<String>,
    #[prost(bool, tag = "4")]
    pub(super) statistics: bool,
    #[prost(bool, tag = "5")]
    pub(super) nested_nulls: bool,
    /// A `PhysicalSortExprNodeCollection`.
    #[prost(bytes = "vec", optional, tag = "6")]
    pub(super) order: Option<Vec<u8>>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Table {
    #[prost(string, tag = "1")]
    pub(super) store: String,
    /// Each is a `PartitionedFile`.
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(super) files: Vec<Vec<u8>>,
    #[prost(message, optional, tag = "3")]
    pub(super) options: Option<Options>,
    #[prost(message, optional, tag = "4")]
    pub(super) snapshot: Option<Snapshot>,
    #[prost(string, repeated, tag = "5")]
    pub(super) order: Vec<String>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Options {
    #[prost(string, optional, tag = "1")]
    pub(super) ntuple: Option<String>,
    #[prost(bool, tag = "2")]
    pub(super) leaves: bool,
    #[prost(bool, tag = "3")]
    pub(super) views: bool,
    #[prost(bool, tag = "4")]
    pub(super) binary_strings: bool,
    #[prost(bool, tag = "5")]
    pub(super) same_schema: bool,
    #[prost(bool, tag = "6")]
    pub(super) large_lists: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Format {
    /// Under which SQL knows it.
    #[prost(string, tag = "1")]
    pub(super) name: String,
    /// Those of a `COPY`.
    #[prost(btree_map = "string, string", tag = "2")]
    pub(super) options: BTreeMap<String, String>,
}

/// A version of a data set. Credentials are the receiver's own.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Snapshot {
    #[prost(string, tag = "1")]
    pub(super) root: String,
    #[prost(uint64, tag = "2")]
    pub(super) version: u64,
}

/// Why bytes are no part of a plan.
#[derive(Debug)]
pub(super) enum WireError {
    TooLong(usize),
    NotOurs,
    EndsEarly,
    Version(u8),
    DataFusion { sent: String, here: String },
    Damaged(prost::DecodeError),
    NoPart,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let advice = "use the same release everywhere";
        match self {
            Self::TooLong(length) => write!(f, "a plan of {length} bytes, over {MOST}"),
            Self::NotOurs => f.write_str("not a plan of rntuple-datafusion"),
            Self::EndsEarly => f.write_str("a plan that ends early"),
            Self::Version(sent) => {
                write!(f, "a plan of version {sent}; this program knows {VERSION}: {advice}")
            }
            Self::DataFusion { sent, here } => {
                write!(f, "a plan of DataFusion {sent:?}; this program has {here:?}: {advice}")
            }
            Self::Damaged(error) => write!(f, "a damaged plan: {error}"),
            Self::NoPart => f.write_str("a plan without a part that this program knows"),
        }
    }
}

impl std::error::Error for WireError {}

/// Whether bytes are of this crate.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK)
}

/// Appends a part of a plan, made with a version of DataFusion.
pub(super) fn encode(part: Part, datafusion: &str, bytes: &mut Vec<u8>) -> Result<(), WireError> {
    let datafusion = datafusion.as_bytes();
    bytes.extend_from_slice(MARK);
    bytes.push(VERSION);
    bytes.push(u8::try_from(datafusion.len()).map_err(|_| WireError::TooLong(datafusion.len()))?);
    bytes.extend_from_slice(datafusion);
    let sent = Sent { part: Some(part) };
    let length = bytes.len().saturating_add(sent.encoded_len());
    if length > MOST {
        return Err(WireError::TooLong(length));
    }
    bytes.extend(sent.encode_to_vec());
    Ok(())
}

/// Reads a part of a plan, which the same version of DataFusion made.
pub(super) fn decode(bytes: &[u8], datafusion: &str) -> Result<Part, WireError> {
    if bytes.len() > MOST {
        return Err(WireError::TooLong(bytes.len()));
    }
    let rest = bytes.strip_prefix(MARK).ok_or(WireError::NotOurs)?;
    let rest = match rest.split_first() {
        Some((&VERSION, rest)) => rest,
        Some((&other, _)) => return Err(WireError::Version(other)),
        None => return Err(WireError::EndsEarly),
    };
    let (&length, rest) = rest.split_first().ok_or(WireError::EndsEarly)?;
    let (sent, rest) = rest.split_at_checked(length.into()).ok_or(WireError::EndsEarly)?;
    if sent != datafusion.as_bytes() {
        let (sent, here) = (String::from_utf8_lossy(sent).into_owned(), datafusion.to_owned());
        return Err(WireError::DataFusion { sent, here });
    }
    Sent::decode(rest).map_err(WireError::Damaged)?.part.ok_or(WireError::NoPart)
}

/// Whether all parsers of URLs find the same host in a URL. A path is as good: it has none.
pub(crate) fn has_one_host(url: &str) -> bool {
    let Some((_, rest)) = url.split_once("://") else { return true };
    let authority = rest.split('/').next().unwrap_or_default();
    !authority.chars().any(|c| matches!(c, '\\' | '?' | '#') || c.is_whitespace() || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_with_two_hosts_are_noticed() {
        for url in
            ["https://me:secret@host:1/a.root?b=#c", "root://[::1]:1094//a", "/data/a?b", "file:///a#b"]
        {
            assert!(has_one_host(url), "{url}");
        }
        for url in [
            r"http://elsewhere\@given/a",
            "root://given#@elsewhere//a",
            "root://given?@elsewhere//a",
            "http://giv\ten/a",
            "http://given @elsewhere/a",
        ] {
            assert!(!has_one_host(url), "{url}");
        }
    }

    #[test]
    fn parts_come_back_from_the_same_release_alone() {
        let options = BTreeMap::from([("format.ntuple".to_owned(), "Skim".to_owned())]);
        let part = Part::Format(Format { name: "root".to_owned(), options });
        let mut bytes = Vec::new();
        encode(part.clone(), "55.2.0", &mut bytes).unwrap();
        assert!(is_ours(&bytes) && decode(&bytes, "55.2.0").unwrap() == part);
        assert!(matches!(decode(&bytes, "55.2.1"), Err(WireError::DataFusion { .. })));
        for length in 0..bytes.len() {
            // A format without a name is none, and one with less of it is another.
            assert!(decode(&bytes[..length], "55.2.0").map_or(true, |other| other != part), "{length}");
        }
        bytes[MARK.len()] += 1;
        assert!(
            matches!(decode(&bytes, "55.2.0"), Err(WireError::Version(version)) if version == VERSION + 1)
        );
    }

    #[test]
    fn plans_have_a_largest_size() {
        let part = Part::Format(Format { name: "a".repeat(MOST), ..Format::default() });
        assert!(matches!(encode(part, "55.2.0", &mut Vec::new()), Err(WireError::TooLong(_))));
        assert!(matches!(decode(&vec![0; MOST + 1], "55.2.0"), Err(WireError::TooLong(_))));
        assert!(matches!(decode(&vec![0; MOST], "55.2.0"), Err(WireError::NotOurs)));
    }
}
