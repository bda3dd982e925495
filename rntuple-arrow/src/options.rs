//! What Arrow offers several types for.

/// Which of Arrow's types are made of those that have several counterparts there.
///
/// ```
/// use rntuple_arrow::{ArrowOptions, Lists, Variants};
/// // What polars takes.
/// let options = ArrowOptions::new().variants(Variants::Struct);
/// // What takes no lists of 64 bits.
/// let options = ArrowOptions::new().lists(Lists::Small);
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ArrowOptions {
    pub(crate) variants: Variants,
    pub(crate) maps: Maps,
    pub(crate) lists: Lists,
    pub(crate) nulls: Nulls,
    pub(crate) views: bool,
    pub(crate) storage_types: bool,
    pub(crate) binary_strings: bool,
}

/// What a variant becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variants {
    /// A dense union: type 0 are nulls, for variants without a value, 1 is the first alternative.
    #[default]
    Union,
    /// A struct: `tag`, which is 0 for variants without a value and 1 for the first alternative, and a nullable member for
    /// each alternative. For polars and Lance, which know no unions.
    Struct,
}

/// What a map becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Maps {
    /// A list of structs `_0`, `_1`.
    #[default]
    List,
    /// A map, which has offsets of 32 bits. Awkward Array does not take it.
    Map,
}

/// What a collection, and a string, becomes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lists {
    /// With offsets of 64 bits, which are those of the file: nothing is copied.
    #[default]
    Large,
    /// With offsets of 32 bits; a batch of more items is an error.
    Small,
}

/// What nullable fields of Arrow become in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nulls {
    /// Options.
    #[default]
    Optional,
    /// Plain values: batches that have a null are refused. Many libraries call every field nullable.
    Refused,
}

impl ArrowOptions {
    /// The defaults: what loses nothing, and takes the fewest copies.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets what variants become. Default: unions.
    pub fn variants(mut self, variants: Variants) -> Self {
        self.variants = variants;
        self
    }

    /// Sets what maps become. Default: lists.
    pub fn maps(mut self, maps: Maps) -> Self {
        self.maps = maps;
        self
    }

    /// Sets what collections and strings become. Default: those of 64 bits.
    pub fn lists(mut self, lists: Lists) -> Self {
        self.lists = lists;
        self
    }

    /// Sets what nullable fields become in a file. Default: options.
    pub fn nulls(mut self, nulls: Nulls) -> Self {
        self.nulls = nulls;
        self
    }

    /// Includes projected fields, which are other names of fields that are there as well. Default: no.
    pub fn views(mut self, views: bool) -> Self {
        self.views = views;
        self
    }

    /// Gives floats that are stored in fewer bits the type of these: a `float` stored as `Real16` is a `Float16`, a
    /// `double` stored as `Real32` a `Float32`. A `double` that is quantised stays one. Of many files, the first one
    /// decides: a value of another one that does not fit is an error. Default: the type of the field.
    pub fn storage_types(mut self, storage_types: bool) -> Self {
        self.storage_types = storage_types;
        self
    }

    /// Makes strings binary, so that they need not be UTF-8. Default: no, and other text is an error.
    pub fn binary_strings(mut self, binary: bool) -> Self {
        self.binary_strings = binary;
        self
    }
}
