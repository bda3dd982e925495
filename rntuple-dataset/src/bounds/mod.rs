//! Bounds of the values in all fragments, in one file: a predicate decides about a fragment before its files are opened.
//!
//! The file is that of an index of the manifest, `_indices/{uuid}/bounds.root`. It has an ntuple `Bounds` with an entry for
//! each field, and lists with an element for each fragment (see [`Record`]). Each fragment is listed with a number that its
//! data file is recognised by: bounds of fragments that came later, or whose columns are in other files by now, are not
//! found, and these fragments are asked themselves. The manifest has next to the index which fragments have their rows in the
//! order that the data set declares (see [`Details`]); that is believed where the bounds of the fields in it are.

mod column;
mod index;
mod opened;

pub(crate) use column::{Column, Record};
pub(crate) use index::{Details, FILE, KIND, NAME, NTUPLE, VERSION, find, folder, identity};
pub(crate) use opened::{Bounds, is_failure};
