//! How ntuples are merged.

use std::fmt;
use std::time::SystemTime;

use crate::compression::Compression;
use crate::limits::Limits;
use crate::root::FileOptions;
use crate::statistics;
use crate::writer::STATE;

/// What becomes of fields that not all inputs have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemaMode {
    /// There must be none: all inputs have the same fields.
    #[default]
    Strict,
    /// All fields of all inputs are kept. Entries of an input that lacks one have zero there: numbers are 0,
    /// strings and collections empty, variants invalid.
    Union,
    /// Only the fields of the first input are kept. Others may have more, and must have those.
    Filter,
}

/// What becomes of the attribute sets of one name (format, section 8). They must have the same fields.
///
/// What is of use for the input alone is dropped: its statistics, and the state of a [checkpoint](crate::Writer::checkpoint_with).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AttributePolicy {
    /// Their rows follow each other, and speak of the same entries as before.
    #[default]
    Concat,
    /// That of the first input that has one is kept, and speaks of the same entries as before.
    First,
    /// All inputs must have the same rows, ranges included; those of the first input are kept.
    Equal,
    /// None is kept, or looked at.
    Drop,
}

/// How ntuples are merged.
///
/// ```
/// use rntuple::Compression;
/// use rntuple::merge::{MergeOptions, SchemaMode};
/// let options = MergeOptions::new().schema(SchemaMode::Union).compression(Compression::zstd(5));
/// ```
#[must_use]
pub struct MergeOptions<'a> {
    pub(super) ntuple: Option<String>,
    pub(super) schema: SchemaMode,
    pub(super) compression: Option<Compression>,
    pub(super) strict_encoding: bool,
    pub(super) single_group: bool,
    pub(super) overwrite: bool,
    pub(super) attributes: AttributePolicy,
    pub(super) attributes_of: Vec<(String, AttributePolicy)>,
    pub(super) file: FileOptions,
    pub(super) limits: Option<Limits>,
    pub(super) progress: Option<ProgressCallback<'a>>,
}

pub(super) type ProgressCallback<'a> = Box<dyn FnMut(&Progress<'_>) + 'a>;

impl Default for MergeOptions<'_> {
    fn default() -> Self {
        Self {
            ntuple: None,
            schema: SchemaMode::Strict,
            compression: None,
            strict_encoding: false,
            single_group: false,
            overwrite: false,
            attributes: AttributePolicy::Concat,
            attributes_of: Vec::new(),
            file: FileOptions::new(),
            limits: None,
            progress: None,
        }
    }
}

impl<'a> MergeOptions<'a> {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets where the merged ntuple is in its file: `Events`, or `directory/Events`. Default: the path of the first
    /// input's ntuple.
    pub fn ntuple(mut self, path: impl Into<String>) -> Self {
        self.ntuple = Some(path.into());
        self
    }

    /// Says what becomes of fields that not all inputs have. Default: [`Strict`](SchemaMode::Strict).
    pub fn schema(mut self, mode: SchemaMode) -> Self {
        self.schema = mode;
        self
    }

    /// Sets how pages are compressed: those that are compressed otherwise are compressed again, without decoding their
    /// values. Default: pages stay as they are.
    pub fn compression(mut self, settings: Compression) -> Self {
        self.compression = Some(settings);
        self
    }

    /// Says whether inputs that store a field in different ways are refused. Default: `false`.
    ///
    /// Otherwise all of these ways stay, as representations of the field (format, section 7.4). ROOT and uproot read
    /// them, JSROOT 7.11 does not.
    pub fn strict_encoding(mut self, strict: bool) -> Self {
        self.strict_encoding = strict;
        self
    }

    /// Says whether all inputs become one cluster group: JSROOT 7.11 reads only the first one. Default: `false`.
    ///
    /// Otherwise each input becomes a cluster group, or several where it has over 4096 clusters or its page list would
    /// be hundreds of megabytes.
    pub fn single_group(mut self, single: bool) -> Self {
        self.single_group = single;
        self
    }

    /// Says whether a file that exists is replaced, once the merged one is complete. Default: `false`, it is refused.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Says what becomes of attribute sets. Default: [`Concat`](AttributePolicy::Concat).
    pub fn attributes(mut self, policy: AttributePolicy) -> Self {
        self.attributes = policy;
        self
    }

    /// Says what becomes of the attribute sets of this name. Default: what [`attributes`](Self::attributes) says.
    pub fn attributes_of(mut self, name: impl Into<String>, policy: AttributePolicy) -> Self {
        self.attributes_of.push((name.into(), policy));
        self
    }

    /// What was last said of a set.
    pub(super) fn policy_of(&self, name: &str) -> AttributePolicy {
        if name == statistics::NAME || name == STATE {
            // Statistics are about the pages of the input, and the state of a checkpoint is for the writer that resumes
            // it.
            return AttributePolicy::Drop;
        }
        let own = self.attributes_of.iter().rev().find(|(known, _)| known == name);
        own.map_or(self.attributes, |(_, policy)| *policy)
    }

    /// Sets when the file was written. Default: a fixed date, so that the same inputs and options give the same bytes.
    pub fn timestamp(mut self, time: SystemTime) -> Self {
        self.file = self.file.timestamp(time);
        self
    }

    /// Sets the file's identity. Default: made from the content, so that the same inputs and options give the same
    /// bytes.
    pub fn uuid(mut self, uuid: [u8; 16]) -> Self {
        self.file = self.file.uuid(uuid);
        self
    }

    /// Sets how much each input may take while it is read. Default: the limits of the
    /// [file](crate::RootFile::limits).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Calls a function after each portion of pages. Default: none.
    pub fn progress(mut self, callback: impl FnMut(&Progress<'_>) + 'a) -> Self {
        self.progress = Some(Box::new(callback));
        self
    }
}

impl fmt::Debug for MergeOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MergeOptions")
            .field("ntuple", &self.ntuple)
            .field("schema", &self.schema)
            .field("compression", &self.compression)
            .field("strict_encoding", &self.strict_encoding)
            .field("single_group", &self.single_group)
            .field("overwrite", &self.overwrite)
            .field("attributes", &self.attributes)
            .field("attributes_of", &self.attributes_of)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// How far a merge has come.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Progress<'a> {
    /// The input that is being copied.
    pub input: &'a str,
    /// Entries so far, of all inputs.
    pub entries: u64,
    /// Entries of all inputs together.
    pub entry_count: u64,
    /// Bytes of pages that were written.
    pub bytes: u64,
}

/// What a merge did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Entries of the merged ntuple.
    pub entries: u64,
    /// Its clusters.
    pub clusters: u64,
    /// Pages that were copied, those of attribute sets too.
    pub pages: u64,
    /// Pages that were compressed anew.
    pub recompressed_pages: u64,
    /// Uses of pages of zeros, where a field was missing.
    pub zero_pages: u64,
    /// Its attribute sets.
    pub attribute_sets: u64,
    /// Bytes of copied pages on storage.
    pub page_size: u64,
    /// Size of the file.
    pub file_size: u64,
}
