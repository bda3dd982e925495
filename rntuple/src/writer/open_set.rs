//! An attribute set that is being written, as its ntuple sees it.

use crate::catalog::Catalog;
use crate::error::Result;
use crate::root::Author;
use crate::schema::LinkedAttributeSet;

/// A set of an ntuple that has not ended.
pub(super) trait OpenSet: Send + Sync {
    fn name(&self) -> &str;

    /// Writes the attributes so far; returns what leads to them. `None`: the ntuple links all of it already.
    fn commit(&self) -> Result<Option<Catalog>>;

    /// Writes what is left; returns the link to the set, if it has changed. The ntuple has this number of entries; what is
    /// wrong with those of the set comes with the link. What is written now belongs to what `author` writes.
    fn close(&self, entries: u64, author: Author) -> Result<(Option<LinkedAttributeSet>, Result<()>)>;
}
