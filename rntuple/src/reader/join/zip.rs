//! Entries side by side.

use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

use crate::error::{Error, Result};
use crate::field::ReadField;
use crate::reader::cursors::Cursors;
use crate::reader::{Entries, EntryList};

/// Two ntuples of as many entries, side by side: [`Reader::zip`](crate::Reader::zip).
///
/// What was derived from the events of other files, in the same order and without leaving any out, is joined so:
/// weights, scores, corrected momenta. Nothing compares the events; what has a number of its own is better joined
/// [by that](crate::Reader::join_on).
///
/// ```
/// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
/// use rntuple::Reader;
///
/// #[derive(RNTuple)]
/// struct Event { met: f32 }
///
/// #[derive(RNTuple)]
/// struct Weights { nominal: f64 }
///
/// # fn main() -> rntuple::Result<()> {
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill_all(&[Event { met: 20.0 }, Event { met: 30.0 }])?;
/// # let events = writer.finish_into()?.1;
/// # let mut writer = Writer::new(Memory::new(), "Weights", WriteOptions::new())?;
/// # writer.fill_all(&[Weights { nominal: 1.0 }, Weights { nominal: 0.5 }])?;
/// # let weights = writer.finish_into()?.1;
/// let events = Reader::<Event>::open(events, "Events")?;
/// let weights = Reader::<Weights>::open(weights, "Weights")?;
/// let mut sum = 0.0;
/// for entry in events.zip(&weights)?.entries() {
///     let (event, weights) = entry?;
///     sum += f64::from(event.met) * weights.nominal;
/// }
/// assert_eq!(sum, 35.0);
/// # Ok(())
/// # }
/// ```
///
/// Both sides are read as a walk through each alone would be, each with the options of its reader.
pub struct Zip<L: ReadField, R: ReadField> {
    left: Arc<Cursors<L>>,
    right: Arc<Cursors<R>>,
    entry_count: u64,
}

impl<L: ReadField, R: ReadField> Zip<L, R> {
    pub(super) fn new(left: Arc<Cursors<L>>, right: Arc<Cursors<R>>) -> Result<Self> {
        let (ours, theirs) = (left.files().entry_count()?, right.files().entry_count()?);
        if ours != theirs {
            let (here, there) = (left.files().name(), right.files().name());
            let message = format!(
                "the sides of a zip need equally many entries: {ours} in {here}, {theirs} in {there}"
            );
            return Err(Error::invalid_argument(message));
        }
        Ok(Self { left, right, entry_count: ours })
    }

    /// Returns the number of entries, which is that of both sides.
    pub fn entry_count(&self) -> u64 {
        self.entry_count
    }

    /// Reads all pairs in order.
    ///
    /// Each call starts a walk of its own; several may be in progress at the same time.
    pub fn entries(&self) -> ZipEntries<L, R> {
        self.entries_in(..)
    }

    /// Reads some of the pairs in order: those of a range or of a list, as
    /// [`Reader::entries_in`](crate::Reader::entries_in) takes them.
    pub fn entries_in(&self, entries: impl Into<EntryList>) -> ZipEntries<L, R> {
        let list = self.right.options().among(&self.left.options().among(&entries.into()));
        ZipEntries {
            left: Entries::new(&self.left, &list),
            right: Entries::new(&self.right, &list),
            is_over: false,
        }
    }

    /// Cuts the entries into about `target` ranges, for threads that each read one with
    /// [`entries_in`](Self::entries_in): those of the left side.
    ///
    /// # Errors
    /// As [`Reader::partitions`](crate::Reader::partitions).
    pub fn partitions(&self, target: usize) -> Result<Vec<Range<u64>>> {
        self.left.files().partitions(target)
    }
}

impl<L: ReadField, R: ReadField> fmt::Debug for Zip<L, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Zip").field("entries", &self.entry_count).finish_non_exhaustive()
    }
}

/// Iterator over pairs in order: [`Zip::entries`].
///
/// Damage on either side ends it, a value that a type does not take does not, as with [`Entries`].
#[must_use = "iterators read nothing unless they are asked"]
pub struct ZipEntries<L: ReadField, R: ReadField> {
    left: Entries<L>,
    right: Entries<R>,
    is_over: bool,
}

impl<L: ReadField, R: ReadField> ZipEntries<L, R> {
    /// The next pair, in place of `slot`, whose allocations are reused; returns `false` after the last one.
    ///
    /// # Errors
    /// The pages of one of them are damaged, or hold what the type cannot.
    pub fn read_into(&mut self, slot: &mut (L, R)) -> Result<bool> {
        if self.is_over {
            return Ok(false);
        }
        // Whatever becomes of one, both go on by one.
        let (left, right) = (self.left.read_into(&mut slot.0), self.right.read_into(&mut slot.1));
        // Only damage makes one of them end before the other.
        self.is_over = matches!(left, Ok(false)) || matches!(right, Ok(false));
        Ok(left? && right?)
    }
}

impl<L: ReadField, R: ReadField> Iterator for ZipEntries<L, R> {
    type Item = Result<(L, R)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        match (self.left.next(), self.right.next()) {
            (Some(left), Some(right)) => Some(left.and_then(|left| Ok((left, right?)))),
            // Only damage makes one of them end before the other.
            _ => {
                self.is_over = true;
                None
            }
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.left.size_hint()
    }
}

impl<L: ReadField, R: ReadField> FusedIterator for ZipEntries<L, R> {}

impl<L: ReadField, R: ReadField> fmt::Debug for ZipEntries<L, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ZipEntries").field("left", &self.left).field("right", &self.right).finish()
    }
}
