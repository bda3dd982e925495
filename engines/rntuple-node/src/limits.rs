//! How much memory and disk queries may use.

use std::path::PathBuf;

/// How much memory and disk the queries of a process may use.
///
/// They are flags of the programs: `--memory`, `--scratch`, `--scratch-size`.
#[derive(Clone, Debug, Default, clap::Args)]
#[must_use]
pub struct Limits {
    /// Memory for sorts, joins and aggregates, in bytes; what needs more is written to the scratch folder, except by hash
    /// joins, which fail. Default: no limit
    #[arg(long, value_name = "BYTES")]
    pub(crate) memory: Option<usize>,
    /// Folder for what does not fit into memory. Default: that of the system
    #[arg(long, value_name = "FOLDER")]
    pub(crate) scratch: Option<PathBuf>,
    /// Most that is in the scratch folder at a time, in bytes. Default: 100 GiB
    #[arg(long, value_name = "BYTES")]
    pub(crate) scratch_size: Option<u64>,
}

impl Limits {
    /// Sets the memory for sorts, joins and aggregates, in bytes. Default: no limit. Sorts, aggregates, sort-merge joins and
    /// nested-loop joins that need more use the scratch folder; a query whose hash join needs more fails. Batches on their way
    /// and decoded pages are not counted: leave a third of the machine for them.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Sets the folder for what does not fit into memory. Default: that of the system for temporary files.
    pub fn scratch(mut self, folder: impl Into<PathBuf>) -> Self {
        self.scratch = Some(folder.into());
        self
    }

    /// Sets the most that is in the scratch folder at a time, in bytes. Default: 100 GiB, as in DataFusion.
    pub fn scratch_size(mut self, bytes: u64) -> Self {
        self.scratch_size = Some(bytes);
        self
    }

    /// Returns the memory for sorts, joins and aggregates, in bytes; `None`: no limit.
    #[must_use]
    pub fn memory_bytes(&self) -> Option<usize> {
        self.memory
    }
}
