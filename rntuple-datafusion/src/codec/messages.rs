//! What is sent.

use std::sync::Arc;

use datafusion::common::{DataFusionError, Result, exec_datafusion_err, exec_err};
use datafusion_proto::protobuf;
use prost::Message;

use crate::options::TableOptions;
use crate::sink::WriteSettings;
use crate::used::Wanted;

/// What the bytes of this crate begin with; the version is after it.
const MARK: &[u8] = b"\x89rntuple";

/// Raised when programs of before would misread what is sent.
const VERSION: u8 = 1;

/// More bytes than this are no plan.
const MOST: usize = 256 << 20;

/// A part of a plan.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Sent {
    #[prost(oneof = "Part", tags = "1, 2, 3, 4")]
    pub(super) part: Option<Part>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
#[expect(clippy::large_enum_variant, reason = "a plan has few of them, each for a moment")]
pub(super) enum Part {
    #[prost(message, tag = "1")]
    Scan(Scan),
    #[prost(message, tag = "2")]
    Sink(Sink),
    #[prost(message, tag = "3")]
    Table(Table),
    /// The name under which SQL knows the format.
    #[prost(string, tag = "4")]
    Format(String),
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Scan {
    #[prost(message, optional, tag = "1")]
    pub(super) base: Option<protobuf::FileScanExecConf>,
    #[prost(message, optional, tag = "2")]
    pub(super) filter: Option<protobuf::PhysicalExprNode>,
    #[prost(message, optional, tag = "3")]
    pub(super) options: Option<Options>,
    #[prost(message, optional, tag = "4")]
    pub(super) snapshot: Option<Snapshot>,
    #[prost(message, repeated, tag = "5")]
    pub(super) wanted: Vec<Members>,
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

impl From<&Wanted> for Members {
    fn from(wanted: &Wanted) -> Self {
        let path = |members: &Vec<String>| Path { members: members.clone() };
        Self { all: wanted.is_none(), paths: wanted.iter().flatten().map(path).collect() }
    }
}

impl From<Members> for Wanted {
    fn from(sent: Members) -> Self {
        (!sent.all).then(|| sent.paths.into_iter().map(|path| path.members).collect())
    }
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sink {
    #[prost(message, optional, tag = "1")]
    pub(super) config: Option<protobuf::FileSinkConfig>,
    #[prost(string, optional, tag = "2")]
    pub(super) ntuple: Option<String>,
    #[prost(string, optional, tag = "3")]
    pub(super) compression: Option<String>,
    #[prost(bool, tag = "4")]
    pub(super) statistics: bool,
    #[prost(bool, tag = "5")]
    pub(super) nested_nulls: bool,
    #[prost(message, optional, tag = "6")]
    pub(super) order: Option<protobuf::PhysicalSortExprNodeCollection>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Table {
    #[prost(string, tag = "1")]
    pub(super) store: String,
    #[prost(message, repeated, tag = "2")]
    pub(super) files: Vec<protobuf::PartitionedFile>,
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

/// A version of a data set. Credentials are the receiver's own.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Snapshot {
    #[prost(string, tag = "1")]
    pub(super) root: String,
    #[prost(uint64, tag = "2")]
    pub(super) version: u64,
}

/// Whether bytes are of this crate.
pub(super) fn is_ours(bytes: &[u8]) -> bool {
    bytes.starts_with(MARK)
}

pub(super) fn encode(part: Part, bytes: &mut Vec<u8>) -> Result<()> {
    bytes.extend_from_slice(MARK);
    bytes.push(VERSION);
    let sent = Sent { part: Some(part) };
    sent.encode(bytes).map_err(|error| DataFusionError::External(Box::new(error)))?;
    if bytes.len() > MOST {
        return exec_err!("a plan of {} bytes, over {MOST}", bytes.len());
    }
    Ok(())
}

pub(super) fn decode(bytes: &[u8]) -> Result<Part> {
    if bytes.len() > MOST {
        return exec_err!("a plan of {} bytes, over {MOST}", bytes.len());
    }
    let rest =
        bytes.strip_prefix(MARK).ok_or_else(|| exec_datafusion_err!("not a plan of rntuple-datafusion"))?;
    let sent = match rest.split_first() {
        Some((&VERSION, rest)) => Sent::decode(rest),
        Some((other, _)) => {
            return exec_err!(
                "a plan of version {other}; this program knows {VERSION}: use the same release everywhere"
            );
        }
        None => return exec_err!("a plan that ends early"),
    };
    let sent = sent.map_err(|error| exec_datafusion_err!("a damaged plan: {error}"))?;
    sent.part.ok_or_else(|| exec_datafusion_err!("a plan without a part that this program knows"))
}

impl From<&TableOptions> for Options {
    fn from(options: &TableOptions) -> Self {
        let TableOptions { ntuple, leaves, views, binary_strings, same_schema, large_lists } =
            options.clone();
        Self { ntuple, leaves, views, binary_strings, same_schema, large_lists }
    }
}

impl From<Options> for TableOptions {
    fn from(sent: Options) -> Self {
        let Options { ntuple, leaves, views, binary_strings, same_schema, large_lists } = sent;
        Self { ntuple, leaves, views, binary_strings, same_schema, large_lists }
    }
}

impl Sink {
    pub(super) fn settings(&self) -> WriteSettings {
        WriteSettings {
            compression: self.compression.clone(),
            statistics: self.statistics,
            nested_nulls: self.nested_nulls,
        }
    }
}

/// Where the fragments of a version are found; `None`: it is no version of a data set.
pub(super) fn origin(
    sent: Option<Snapshot>,
    context: &datafusion::execution::TaskContext,
) -> Result<Option<Arc<dyn crate::files::Origin>>> {
    let Some(Snapshot { root, version }) = sent else { return Ok(None) };
    #[cfg(feature = "dataset")]
    return Ok(Some(Arc::new(crate::dataset::Late::new(root, version, context)?)));
    #[cfg(not(feature = "dataset"))]
    {
        let _ = context;
        exec_err!("version {version} of the data set {root}: this program lacks the feature \"dataset\"")
    }
}

/// What is sent of where fragments are found.
pub(super) fn snapshot(origin: Option<&Arc<dyn crate::files::Origin>>) -> Option<Snapshot> {
    let (root, version) = origin?.snapshot()?;
    Some(Snapshot { root, version })
}
