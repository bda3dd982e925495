//! What is sent, as what it is made of here.

use std::sync::Arc;

use datafusion::DATAFUSION_VERSION;
#[cfg(not(feature = "dataset"))]
use datafusion::common::exec_err;
use datafusion::common::{Result, exec_datafusion_err, plan_err};
use prost::Message;
use rntuple::storage::without_secrets;

use super::wire;
pub(super) use super::wire::{Format, Part, Scan, Sink, Table, is_ours};
use super::wire::{Members, Options, Path, Snapshot};
use crate::options::TableOptions;
use crate::sink::WriteSettings;
use crate::used::Wanted;

pub(super) fn encode(part: Part, bytes: &mut Vec<u8>) -> Result<()> {
    wire::encode(part, DATAFUSION_VERSION, bytes).map_err(|error| exec_datafusion_err!("{error}"))
}

pub(super) fn decode(bytes: &[u8]) -> Result<Part> {
    wire::decode(bytes, DATAFUSION_VERSION).map_err(|error| exec_datafusion_err!("{error}"))
}

/// Reads a message of DataFusion's own.
pub(super) fn theirs<M: Message + Default>(bytes: &[u8]) -> Result<M> {
    M::decode(bytes).map_err(|error| exec_datafusion_err!("a damaged plan: {error}"))
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

impl From<&Sink> for WriteSettings {
    fn from(sent: &Sink) -> Self {
        let Sink { compression, statistics, nested_nulls, .. } = sent;
        Self { compression: compression.clone(), statistics: *statistics, nested_nulls: *nested_nulls }
    }
}

/// Where the fragments of a version are found; `None`: it is no version of a data set.
pub(super) fn origin(
    sent: Option<Snapshot>,
    context: &datafusion::execution::TaskContext,
) -> Result<Option<Arc<dyn crate::files::Origin>>> {
    let Some(Snapshot { root, version }) = sent else { return Ok(None) };
    if !wire::has_one_host(&root) {
        return plan_err!("{:?} does not say clearly which host it is of", without_secrets(&root));
    }
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
