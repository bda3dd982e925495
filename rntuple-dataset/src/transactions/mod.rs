//! What a commit does to a manifest, and which commits exclude each other. Nothing here reads or writes a file.
//!
//! A writer reads a version, writes files, and describes what it did as a [`Transaction`](crate::format::Transaction).
//! If others have committed since, [`rebase`] compares it with their transactions: it is either adapted to the newest
//! version, or there is a [`Conflict`]. [`apply`] then makes the next manifest. If the manifest of that number exists
//! by the time it is written, all is repeated with one more transaction of another writer.
//!
//! # Which operations exclude each other
//!
//! The rules are those of Lance, but for [a few](#where-they-differ-from-those-of-lance). `ours` is the transaction that is not
//! committed yet.
//!
//! | ours \ theirs | Append | Delete, Update | Rewrite | Merge | Project | DataReplacement | Overwrite, Restore |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | Append | | | | nulls | nulls | | incompatible |
//! | Delete, Update | | same rows | same fragments | retry | nulls | same fragments | incompatible |
//! | Rewrite | | same fragments | same fragments | retry | | same fragments | incompatible |
//! | Merge | retry | retry | retry | retry | incompatible | retry | incompatible |
//! | Project | nulls | nulls | | retry | retry | nulls | incompatible |
//! | DataReplacement | | moved rows | same fragments | retry | nulls, dropped fields | same columns | incompatible |
//! | Overwrite | | | | | | | retry (Overwrite) |
//! | Restore | | | | | | | |
//! | UpdateConfig | | | | schema | schema | | same keys; schema |
//! | CreateIndex | | | covered fragments | | | indexed fields | incompatible |
//!
//! - *retry*: the work can be done again on the newest version, with the same meaning.
//! - *nulls*: a retry, unless the change of the schema [says](crate::format::transaction::Merge::preserves_nullability)
//!   that rows written for the older schema are valid. A delete supplies no values, so it does not count.
//! - *same rows*: two writers may delete different rows of one fragment; see [`Rebased::merges`]. A change of whole
//!   columns excludes all others of the fragment.
//! - *covered fragments*, *indexed fields*: a retry, in both directions; two commits of the same index exclude each other
//!   as well.
//! - *schema*: a retry where metadata of the schema or of fields are changed, since a new schema carries its own.
//!
//! A transaction that is missing, or does something that is not known, conflicts with everything.
//!
//! # Where they differ from those of Lance
//!
//! - Deletions of different rows of one fragment, by a delete or an update, are put together. Lance permits less, because it does
//!   not compare which rows they are.
//! - A change of the metadata of the schema, and a project or a restore, exclude each other: a retry. Lance commits both.
//! - Two commits of the same index exclude each other also if one of them only removes it.
//! - Overlay files and changes of the write-ahead log are refused, whatever others do: this crate does not read them.
//! - Two overwrites that set the same settings are incompatible, and not a retry.

mod apply;
mod conflict;
mod indices;
mod keys;
mod matrix;
#[cfg(test)]
mod model;
mod rebase;
mod touch;

pub(crate) use apply::pass_over_ids;
pub use apply::{NewDataset, apply, create, restore};
pub use conflict::{Clash, Conflict};
pub(crate) use indices::bitmap;
pub use indices::indices;
pub use rebase::{Committed, DeletionMerge, Rebased, rebase};
