//! How the fields of files become the columns of a table.

use std::collections::HashMap;

use datafusion::common::{DataFusionError, Result};
use rntuple_arrow::{ArrowOptions, Lists, Variants};

/// How the fields of files become the columns of a table.
///
/// ```
/// use rntuple_datafusion::TableOptions;
/// let options = TableOptions::new().ntuple("Events").leaves(true);
/// ```
///
/// In SQL they have the names of the functions: `CREATE EXTERNAL TABLE .. OPTIONS ('format.ntuple' 'Events',
/// 'format.leaves' 'true')`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[must_use]
pub struct TableOptions {
    pub(crate) ntuple: Option<String>,
    pub(crate) leaves: bool,
    pub(crate) views: bool,
    pub(crate) binary_strings: bool,
    pub(crate) same_schema: bool,
    pub(crate) large_lists: bool,
}

impl Default for TableOptions {
    fn default() -> Self {
        Self {
            ntuple: None,
            leaves: false,
            views: true,
            binary_strings: false,
            same_schema: false,
            large_lists: false,
        }
    }
}

impl TableOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which ntuple of the files is read: `Events`, or `directory/Events`. Default: the only one.
    pub fn ntuple(mut self, path: impl Into<String>) -> Self {
        self.ntuple = Some(path.into());
        self
    }

    /// Sets whether each member of a struct, and of a list of structs, is a column of its own: `"muons.pt"`, a list of
    /// numbers, instead of `muons`, a list of structs. Default: no.
    pub fn leaves(mut self, leaves: bool) -> Self {
        self.leaves = leaves;
        self
    }

    /// Sets whether projected fields, which are other names of fields that are there as well, are columns too. Default:
    /// yes. `Muon_pt` of a NanoAOD file is one.
    pub fn views(mut self, views: bool) -> Self {
        self.views = views;
        self
    }

    /// Sets whether strings are binary, so that they need not be UTF-8. Default: no, and other text is an error.
    pub fn binary_strings(mut self, binary: bool) -> Self {
        self.binary_strings = binary;
        self
    }

    /// Declares that all files have the schema of the first one, so that the others are opened when they are read.
    /// Default: no; all are opened first, and columns that only some have are null in the others.
    pub fn same_schema(mut self, same: bool) -> Self {
        self.same_schema = same;
        self
    }

    /// Sets whether offsets of lists and strings have 64 bits: `LargeList` and `LargeUtf8` instead of `List` and `Utf8`, of
    /// which a batch with 2³¹ items or more is an error. Default: no. Arrow Flight 59 does not send `LargeList` as it is, so
    /// that workers refuse such tables.
    pub fn large_lists(mut self, large: bool) -> Self {
        self.large_lists = large;
        self
    }

    /// Reads them as SQL has them.
    pub(crate) fn from_sql(options: &HashMap<String, String>) -> Result<Self> {
        let mut read = Self::new();
        for (key, value) in options {
            let key = key.strip_prefix("format.").unwrap_or(key);
            let flag = || -> Result<bool> {
                let message = || format!("option {key:?} is true or false, not {value:?}");
                value.to_lowercase().parse().map_err(|_| DataFusionError::Configuration(message()))
            };
            match key {
                "ntuple" => read.ntuple = Some(value.clone()),
                "leaves" => read.leaves = flag()?,
                "views" => read.views = flag()?,
                "binary_strings" => read.binary_strings = flag()?,
                "same_schema" => read.same_schema = flag()?,
                "large_lists" => read.large_lists = flag()?,
                _ => {
                    let known = "ntuple, leaves, views, binary_strings, same_schema, large_lists";
                    let written = "compression, statistics, nested_nulls";
                    let message = format!(
                        "no option {key:?} for RNTuple files; there are {known}, and for files that are written {written}"
                    );
                    return Err(DataFusionError::Configuration(message));
                }
            }
        }
        Ok(read)
    }

    pub(crate) fn arrow(&self) -> ArrowOptions {
        // Few functions of SQL take unions.
        let lists = if self.large_lists { Lists::Large } else { Lists::Small };
        let arrow = ArrowOptions::new().variants(Variants::Struct).lists(lists);
        arrow.views(self.views).binary_strings(self.binary_strings)
    }
}
