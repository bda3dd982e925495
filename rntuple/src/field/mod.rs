//! Rust types as columns: what it costs to store a type is written here, one kind of type to a file.
//!
//! | file | types |
//! | --- | --- |
//! | `scalar` | `bool`, integers, floats, [`Byte`](crate::cxx::Byte), [`CxxChar`](crate::cxx::CxxChar) |
//! | `string` | `str`, `String` |
//! | `collection` | `[T]`, `Vec<T>`, `VecDeque<T>`, sets |
//! | `map` | maps |
//! | `multiset`, `multimap` | C++ collections that Rust has no type for |
//! | `cxx` | [`RVec<T>`](crate::cxx::RVec), [`UniquePtr<T>`](crate::cxx::UniquePtr), ..: other names of types |
//! | `option` | `Option<T>` |
//! | `non_zero` | `NonZero<u32>` and its kin |
//! | `atomic` | [`Atomic<T>`](crate::cxx::Atomic), `AtomicU32` and its kin |
//! | `array`, `bitset` | `[T; N]`, `[bool; N]`, [`BitSet<N>`](crate::cxx::BitSet) |
//! | `tuple` | tuples of up to 12 |
//! | `lazy` | [`Lazy<T>`](crate::columns::Lazy), decoded when it is needed |
//! | `pointer` | `&T`, `Box<T>`, `Rc<T>`, `Arc<T>`, `Cow<T>` |
//! | `variant`, `plain_enum` | what the derive needs for enums |
//! | `extended` | an entry, and what was added to it later |
//! | `cardinality` | the size of a collection without its items |
//! | `attribute` | entries of attribute sets |
//! | `any` | values of a schema known only at run time |
//! | `columnar` | all of them, column by column |
//! | [`foreign`] | types of other crates, behind features |

mod adopt;
pub(crate) mod any;
mod array;
pub(crate) mod asked;
pub(crate) mod atomic;
pub(crate) mod attribute;
pub(crate) mod bitset;
mod build;
pub(crate) mod cardinality;
mod collection;
pub(crate) mod columnar;
pub(crate) mod cxx;
pub(crate) mod entry;
pub(crate) mod extended;
mod fallible;
pub mod foreign;
mod lanes;
pub(crate) mod lazy;
mod map;
pub(crate) mod member;
pub(crate) mod members;
pub(crate) mod multimap;
pub(crate) mod multiset;
pub(crate) mod node;
mod non_zero;
mod option;
mod own;
pub(crate) mod plain_enum;
mod pointer;
mod position;
mod project;
mod scalar;
mod sorted;
mod string;
mod tuple;
pub(crate) mod variant;
mod views;
mod visit;
pub(crate) mod wish;

use crate::error::Result;
use crate::limits::make_room;
use crate::schema::TypeName;

// Each public type has one path. Those of C++ are in `cxx`, structures of arrays in `columns`, entries at the root, and
// what only the derive calls in `__private_0_1`: crate root and `private.rs` take them out of the modules here.
pub use crate::cluster::{Cluster, Gathered};
pub use crate::column::{ColumnReader, ColumnWriter};
pub(crate) use adopt::Existing;
pub(crate) use any::Value;
pub use any::{AnyReader, AnyWriter, Record};
pub use array::{ArrayReader, ArrayWriter};
pub(crate) use atomic::Atomic;
pub(crate) use attribute::{Attribute, AttributeRange};
pub(crate) use bitset::BitSet;
pub use build::FieldBuilder;
pub(crate) use build::{Before, Plan, Records, elements_per_entry};
pub use cardinality::CardinalityReader;
pub(crate) use cardinality::{Cardinality, Cardinality32};
pub use collection::{CollectionReader, CollectionWriter};
pub(crate) use cxx::{RVec, UniquePtr, UnorderedMultiMap, UnorderedMultiSet};
pub(crate) use entry::Entry;
pub(crate) use extended::Extended;
pub use extended::ExtendedWriter;
pub(crate) use lanes::{Choice, Lane};
pub(crate) use lazy::Lazy;
pub use lazy::LazyReader;
pub(crate) use member::DefaultReader;
pub(crate) use members::Members;
pub(crate) use multimap::MultiMap;
pub(crate) use multiset::MultiSet;
pub(crate) use node::{Connecting, Connection, Descent};
pub use node::{FieldNode, StoredField};
pub use option::OptionReader;
pub(crate) use option::Presence;
pub use pointer::{PointerReader, PointerWriter};
pub use position::Position;
pub use project::Projected;
pub use string::{StringReader, StringWriter};
pub use tuple::{TupleReader, TupleWriter};
pub(crate) use variant::{VariantReader, VariantWriter};
pub(crate) use visit::visits;

/// A Rust type that can be written: which columns it needs, and how a value fills them.
///
/// The derive implements it for structs and enums, this crate for the types of the table in
/// [the type mapping](crate#types). Borrowing types (`&str`, `&[T]`) implement this half alone.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be stored in an RNTuple",
    label = "not a type that can be written",
    note = "add `#[derive(RNTuple)]` to a struct or enum of your own; in generic code, require `T: RNTuple`, or `T: WriteField` for a member",
    note = "for a type of another crate, enable its feature of `rntuple` (`uuid`, `nalgebra`, `glam`, ...), or store it in another form: `#[rntuple(with = module)]`, or `into` and `from`",
    note = "`Cardinality` and `skip_writing` structs are only read: a struct with such a member is `#[rntuple(skip_writing)]`",
    note = "types that can be written: `bool`, `i8..i64`, `u8..u64`, `f32`, `f64`, `half::f16`, strings, `Option`, `Vec`, slices, arrays, tuples of up to 12, maps, sets, `BitSet<N>`, and combinations of these; `usize` and `isize` differ between machines: use `u64` and `i64`"
)]
pub trait WriteField {
    /// Its columns, being filled.
    type Writer: FieldWriter<Self>;

    /// How C++ spells it.
    fn type_name() -> TypeName;

    /// Adds its columns to the schema, parents before children.
    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer;

    /// Declares its columns in a subfield: compiled once for each type, not for each member that has it.
    #[doc(hidden)]
    #[inline(never)]
    fn declare_member(record: &mut FieldBuilder<'_>, name: &str) -> Self::Writer {
        Self::declare(&mut record.subfield(name))
    }

    /// `[Self; N]` is an array of items, except for `bool`, which packs into a bitset.
    #[doc(hidden)]
    fn array_type_name(count: usize) -> TypeName {
        TypeName::array(&Self::type_name(), count)
    }

    #[doc(hidden)]
    fn declare_array(field: &mut FieldBuilder<'_>, count: usize) -> Self::Writer {
        Self::declare(&mut field.array_of(Self::array_type_name, count))
    }
}

/// A Rust type that can be read: which columns it may come from, and how they make a value.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from an RNTuple",
    label = "not a type that can be read",
    note = "add `#[derive(RNTuple)]` to a struct or enum of your own; in generic code, require `T: RNTuple`, or `T: ReadField` for a member",
    note = "for a type of another crate, enable its feature of `rntuple` (`uuid`, `nalgebra`, `glam`, ...), or store it in another form: `#[rntuple(with = module)]`, or `into` and `from`",
    note = "`&str`, `&[T]` and `skip_reading` structs are only written: read `String` and `Vec<T>`, or a struct with `#[rntuple(columnar)]`, which borrows from decoded pages",
    note = "types that can be read: `bool`, `i8..i64`, `u8..u64`, `f32`, `f64`, `half::f16`, `String`, `Option`, `Vec`, arrays, tuples of up to 12, maps, sets, `BitSet<N>`, and combinations of these"
)]
pub trait ReadField: Sized {
    /// Its columns, being read.
    type Reader: FieldReader<Self>;

    /// Whether an empty option is a value of the type, so that no default takes its place.
    #[doc(hidden)]
    const IS_OPTION: bool = false;

    /// Finds its columns in a file, and attaches `reader` to them. The reader is filled in place, because moving the reader
    /// of a large struct costs machine code for each member.
    ///
    /// # Errors
    /// The file has something else there. The difference is also kept in the node, so that all
    /// differences can be reported at once. After an error, `reader` must not be used.
    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()>;

    /// Finds its columns in the subfield of a member, given by its name and, for errors, its type. This function is compiled
    /// once for each type, not once for each member.
    #[doc(hidden)]
    #[inline(never)]
    fn connect_member(record: &mut Connecting<'_>, member: &(&str, &str), reader: &mut Self::Reader) {
        if let Some(field) = record.find(member) {
            record.keep(Self::connect(field, reader));
        }
    }

    /// `[Self; N]` is an array of items, except for `bool`, which may be a bitset.
    #[doc(hidden)]
    fn connect_array(field: FieldNode<'_>, count: usize, reader: &mut Self::Reader) -> Result<()> {
        Self::connect(field.array_item(count)?, reader)
    }
}

/// What a derive asks of a member that may borrow, on behalf of the struct that has it.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Owner}` cannot be read from an RNTuple: it has a member that borrows",
    label = "can only be written",
    note = "read a struct whose members own what they hold, such as `String` and `Vec<T>`; with `#[rntuple(columnar)]` on that, `Batches::lend` lends the values from decoded pages"
)]
pub trait ReadLent<Owner: ?Sized>: ReadField {}

#[diagnostic::do_not_recommend]
impl<T: ReadField, Owner: ?Sized> ReadLent<Owner> for T {}

/// The columns of some type, whatever its values are.
pub trait Commit: 'static {
    /// Hands the sealed pages over, or the first value since the last commit that its column could not hold. At the end
    /// of a cluster the open pages too; offsets then begin at 0 again.
    fn commit(&mut self, cluster: &mut Gathered<'_>);
}

/// Columns that are filled with values of type `T`.
///
/// The value type is a parameter, so that one set of columns serves many types: `[T]`, `Vec<T>` and
/// `BTreeSet<T>` fill the same ones.
pub trait FieldWriter<T: ?Sized>: Commit {
    /// Whether the value is one of the type that was declared. Rust's own types are, so that nothing remains to check;
    /// what is not must not be appended.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) names the field and what it got.
    #[doc(hidden)]
    #[inline(always)]
    fn check(&self, value: &T) -> Result<()> {
        let _ = value;
        Ok(())
    }

    /// Appends one value; returns its length in bytes. No I/O, no failure: a writer first appends what may be refused
    /// to columns that keep nothing.
    fn append(&mut self, value: &T) -> usize;

    /// Appends values one behind the other: members of records take whole rows of items, column by column.
    #[inline]
    fn append_each<'a, I>(&mut self, values: I) -> usize
    where
        T: 'a,
        I: ExactSizeIterator<Item = &'a T> + Clone,
    {
        let mut length = 0;
        for value in values {
            length += self.append(value);
        }
        length
    }

    /// Appends a slice of values.
    #[inline]
    fn append_slice(&mut self, values: &[T]) -> usize
    where
        T: Sized,
    {
        self.append_each(values.iter())
    }
}

/// The columns of some type in a file, whatever values are made of them.
pub trait Attach: Sized {
    /// Columns before [`connect`](ReadField::connect) attaches them to a file. Reading from them is an error.
    const DETACHED: Self;

    /// Goes to an element, of the same cluster or of another one.
    ///
    /// # Errors
    /// The cluster contradicts itself or has fewer elements, or offsets on the way are damaged.
    fn seek(&mut self, to: Position<'_>) -> Result<()>;

    /// Elements of the cluster that were not read yet; `None` for types without any column.
    fn remaining(&self) -> Option<u64>;
}

/// Columns from which values of type `T` are made.
pub trait FieldReader<T>: Attach {
    /// The next value.
    ///
    /// # Errors
    /// No value is left, a page is damaged, or the value does not fit the type.
    fn read(&mut self) -> Result<T>;

    /// The next value, in place of `slot`, whose allocations are reused.
    ///
    /// # Errors
    /// As [`read`](Self::read); what `slot` holds is then unspecified.
    #[inline]
    fn read_into(&mut self, slot: &mut T) -> Result<()> {
        *slot = self.read()?;
        Ok(())
    }

    /// Takes the allocations of a value that will not be needed any more, for values to come.
    #[doc(hidden)]
    #[inline]
    fn reclaim(&mut self, value: &mut T) {
        let _ = value;
    }

    /// An empty list, with an allocation that was [kept](Self::keep_list), if there is one.
    #[doc(hidden)]
    #[inline]
    fn spare_list(&mut self) -> Vec<T> {
        Vec::new()
    }

    /// Keeps the allocation of a list for the next one.
    #[doc(hidden)]
    #[inline]
    fn keep_list(&mut self, list: Vec<T>) {
        drop(list);
    }

    /// Appends the next `count` values to `out`.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    #[inline]
    fn read_many(&mut self, count: usize, out: &mut Vec<T>) -> Result<()> {
        let mut wanted = count;
        while wanted > 0 {
            let room = make_room(out, wanted)?;
            for _ in 0..room {
                out.push(self.read()?);
            }
            wanted -= room;
        }
        Ok(())
    }

    /// The next `N` values.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    #[inline]
    fn read_array<const N: usize>(&mut self) -> Result<[T; N]> {
        fallible::try_from_fn(|| self.read())
    }
}
