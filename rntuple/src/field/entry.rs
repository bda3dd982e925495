//! What an entry is: a struct whose members are the top-level fields.

use super::{Members, ReadField, WriteField};

/// A struct whose members are the top-level fields of an ntuple: what an entry is.
///
/// `#[derive(RNTuple)]` implements it for structs with named members; on enums and tuple structs the
/// derive makes a type that can be a member.
///
/// In generic code, [`RNTuple`] is the bound for entries that are written and read. Entries that are only written,
/// such as those that borrow, need `T: Entry + WriteField`; those that are only read, `T: Entry + ReadField`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an entry: it has no members that could be the top-level fields of an RNTuple",
    label = "not a struct with named members and `#[derive(RNTuple)]`",
    note = "entries, and what is flattened, are structs with named members and `#[derive(RNTuple)]`: wrap an enum, a tuple or a plain value in one; in generic code, require `T: RNTuple`"
)]
pub trait Entry {
    /// The names of its members, for structs into which it is flattened.
    #[doc(hidden)]
    const MEMBERS: Members = Members::UNKNOWN;
}

/// A struct that can be the entries of an ntuple, written and read: the bound for generic code.
///
/// Every [`Entry`] that is [`WriteField`] and [`ReadField`] has it: a struct with named members and
/// `#[derive(RNTuple)]`, unless it is only written (`skip_reading`, or it borrows) or only read (`skip_writing`).
///
/// # Example: functions for any type of entry
///
/// ```
/// # use rntuple::storage::Memory;
/// use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};
///
/// fn save<T: RNTuple>(entries: &[T]) -> Result<Memory> {
///     let mut writer = Writer::<T, _>::new(Memory::new(), "Events", WriteOptions::new())?;
///     for entry in entries {
///         writer.fill(entry)?;
///     }
///     Ok(writer.finish_into()?.1)
/// }
///
/// fn load<T: RNTuple>(file: Memory) -> Result<Vec<T>> {
///     Reader::open(file, "Events")?.entries().collect()
/// }
///
/// #[derive(RNTuple, Debug, PartialEq)]
/// struct Event { run: u32, hits: Vec<f32> }
///
/// let events = [Event { run: 1, hits: vec![0.5] }, Event { run: 2, hits: vec![] }];
/// assert_eq!(load::<Event>(save(&events)?)?, events);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be written and read as the entries of an RNTuple",
    label = "not a struct with named members and `#[derive(RNTuple)]` that is both written and read",
    note = "add `#[derive(RNTuple)]` to a struct with named members: wrap an enum, a tuple or a plain value in one",
    note = "for a struct that borrows or is `skip_reading`, require `T: Entry + WriteField` instead; for a `skip_writing` struct, `T: Entry + ReadField`"
)]
pub trait RNTuple: Entry + WriteField + ReadField {}

#[diagnostic::do_not_recommend]
impl<T: Entry + WriteField + ReadField> RNTuple for T {}
