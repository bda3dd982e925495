//! Structures of arrays: many values of a type, each member of all of them in one piece of memory.
//!
//! `#[rntuple(batch)]` on a struct `Event` makes `EventBatch`. A batch is read and written column by column,
//! each column page by page, and its members are slices:
//!
//! ```
//! # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
//! #[derive(RNTuple)]
//! #[rntuple(batch)]
//! struct Muon { pt: f32, charge: i8 }
//!
//! #[derive(RNTuple)]
//! #[rntuple(batch)]
//! struct Event { met: f32, muons: Vec<Muon> }
//!
//! # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
//! # for muons in [vec![], vec![Muon { pt: 31.0, charge: -1 }, Muon { pt: 12.0, charge: 1 }]] {
//! #     writer.fill(&Event { met: 20.0, muons })?;
//! # }
//! # let storage = writer.finish_into()?.1;
//! let reader = Reader::<Event>::open(storage, "Events")?;
//! let mut batches = reader.batches(1000);
//! let mut batch = EventBatch::default();
//! while batches.read_into(&mut batch)? {
//!     let met: &[f32] = batch.met();
//!     let muons = batch.muons();
//!     assert_eq!((met, muons.offsets()), (&[20.0, 20.0][..], &[0, 0, 2][..]));
//!     // The muons of all events; those of the second alone.
//!     assert_eq!(muons.pt(), [31.0, 12.0]);
//!     assert_eq!(muons.charge()[muons.range(1)], [-1, 1]);
//! }
//! # Ok::<(), rntuple::Error>(())
//! ```
//!
//! | type | form | as a member |
//! | --- | --- | --- |
//! | scalar `E`, [`Cardinality`](crate::cxx::Cardinality) | `Vec<E>` | `&[E]` |
//! | `String`, `&str` | [`Strings`]: offsets and bytes | `&Strings` |
//! | `Vec<T>`, slices, `VecDeque<T>`, [`RVec<T>`](crate::cxx::RVec), sets, maps | [`Lists`]: offsets and items | `&Lists<..>` |
//! | `Option<T>`, [`UniquePtr<T>`](crate::cxx::UniquePtr) | [`Options`]: a mask, and the values that are there | `&Options<..>` |
//! | `[T; N]`, [`BitSet<N>`](crate::cxx::BitSet) | [`Arrays`] | `&Arrays<.., N>` |
//! | tuples | [`Tuples`] | a tuple of its members |
//! | `Box<T>`, `Rc<T>`, `Arc<T>`, `Cow<T>`, `&T`, [`Atomic<T>`](crate::cxx::Atomic), `AtomicU32` and its kin | [`Pointees`] | as `T` |
//! | your structs and enums with data | what `#[rntuple(batch)]` makes | `&EventBatch` |
//! | enums without data, types of other crates, [`Value`](crate::Value) | [`Rows`] | `&[T]` |
//! | members with a conversion (`with`, `from`, `try_from`, `into`) | [`Rows`] | `&[T]` |
//!
//! Members of one batch are equally long, whatever happens: there is no way to add to one of them alone.
//! [`Vec`]s that are there already become a batch by `EventBatch::try_from(EventBatchColumns { .. })`, which
//! compares their lengths.
//!
//! Two things a batch leaves to those who make rows of it: items of a set and keys of a map may be there twice.

mod array;
mod collection;
mod columns;
mod ends;
mod member;
mod option;
mod pointer;
mod rows;
mod scalar;
mod string;
mod tuple;
mod variant;

use std::ops::Range;

use super::{Attach, Commit};
use crate::error::Result;

pub use array::Arrays;
pub use collection::Lists;
#[doc(hidden)]
pub use columns::same_length;
pub use option::Options;
pub use pointer::Pointees;
pub use rows::Rows;
#[doc(hidden)]
pub use rows::read_rows;
pub use string::Strings;
pub use tuple::Tuples;
#[doc(hidden)]
pub use variant::Runs;
pub use variant::Switches;

/// A type that has a structure-of-arrays form.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no structure-of-arrays form",
    label = "not a type of which there are batches",
    note = "your own structs and enums: add `#[rntuple(batch)]` to `{Self}`"
)]
pub trait Batched {
    /// Many values of the type.
    type Batch: Batch;

    /// Adds this value to a batch.
    fn push_to(&self, batch: &mut Self::Batch);
}

/// Many values of one type, column by column.
pub trait Batch: Default {
    /// What it is seen as, where it is a member.
    type View<'a>
    where
        Self: 'a;

    /// Bytes that a value takes where it is an item, if nothing inside counts them.
    #[doc(hidden)]
    const UNCOUNTED: usize = 0;

    /// The number of values.
    fn len(&self) -> usize;

    /// Whether there are none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Takes all values out; the memory stays for those to come.
    fn clear(&mut self);

    /// What it is seen as, where it is a member.
    fn view(&self) -> Self::View<'_>;
}

/// Columns that are read many values at a time.
#[diagnostic::on_unimplemented(
    message = "batches of type `{B}` cannot be read from columns of type `{Self}`",
    label = "not read as batches",
    note = "`#[rntuple(batch)]` on a type that is read makes this"
)]
pub trait ReadBatch<B>: Attach {
    /// Appends the next `count` values to `out`.
    ///
    /// # Errors
    /// As [`FieldReader::read`](super::FieldReader::read); what `out` holds is then unspecified.
    fn read_batch(&mut self, count: usize, out: &mut B) -> Result<()>;
}

/// Columns that are filled many values at a time.
#[diagnostic::on_unimplemented(
    message = "batches of type `{B}` cannot be written to columns of type `{Self}`",
    label = "not written as batches",
    note = "`#[rntuple(batch)]` on a type that is written makes this"
)]
pub trait WriteBatch<B>: Commit {
    /// Appends the values of a range; returns their length in bytes. No I/O, no failure, as with
    /// [`FieldWriter::append`](super::FieldWriter::append).
    fn append_batch(&mut self, batch: &B, range: Range<usize>) -> usize;
}
