//! Typed columnar I/O for ROOT's RNTuple format, the format in which the LHC experiments store their events.
//!
//! Annotate a struct, fill it, read it back. No ROOT is needed. Files that ROOT and uproot wrote open here; what is
//! written here was read back with uproot, and with JSROOT where that supports the types. No ROOT with RNTuple could be
//! asked: the book's chapter "What could not be checked" lists what rests on the specification.
//!
//! ```
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Muon {
//!     pt: f32,
//!     eta: f32,
//!     phi: f32,
//! }
//!
//! #[derive(RNTuple)]
//! struct Event {
//!     number: u64,
//!     met: f32,
//!     muons: Vec<Muon>,
//! }
//!
//! # fn main() -> rntuple::Result<()> {
//! # let directory = tempfile::tempdir()?;
//! # let path = directory.path().join("events.root");
//! let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
//! for number in 0..1000 {
//!     let muons = vec![Muon { pt: 27.5, eta: 0.3, phi: -1.2 }];
//!     writer.fill(&Event { number, met: 31.4, muons })?;
//! }
//! writer.finish()?;
//!
//! // A smaller struct is a projection: only its columns are read.
//! #[derive(RNTuple)]
//! struct Selected {
//!     met: f32,
//! }
//!
//! let reader = Reader::<Selected>::open(&path, "Events")?;
//! let mut sum = 0.0;
//! for event in reader.entries() {
//!     sum += event?.met;
//! }
//! assert_eq!(reader.entry_count()?, 1000);
//! # assert!(sum > 0.0);
//! # Ok(())
//! # }
//! ```
//!
//! # Where things are
//!
//! | to | see |
//! | --- | --- |
//! | write one ntuple | [`Writer`], [`WriteOptions`] |
//! | write one from many threads | [`ParallelWriter`], [`parallel`] |
//! | write several into one file | [`RootFileWriter`] |
//! | add ntuples to an existing file | [`RootFileWriter::append`], [`Writer::create_in`] |
//! | append entries to an existing ntuple | [`Writer::append`], [`ParallelWriter::append`] |
//! | add columns to an existing ntuple | [`ColumnAdder`](extend::ColumnAdder) |
//! | add members while writing | [`Writer::extend`] |
//! | make what is written so far safe, and continue after a crash | [`Writer::checkpoint`], [`Writer::resume`] |
//! | read a file that is still being written | [`Reader::refresh`] |
//! | read into your own types | [`Reader`], [`ReadOptions`] |
//! | read on several threads, or ahead, or within a memory budget | `Reader::par_entries`, [`Reader::partitions`], [`ReadOptions`] |
//! | read fields that are not known beforehand | [`Value`] as the type of a [`Reader`]; its batches are [`AnyColumns`](columns::AnyColumns) |
//! | write fields that are not known beforehand | [`SchemaBuilder`](schema::SchemaBuilder), [`WriteOptions::schema`] |
//! | read and write many entries as arrays, with few copies | [`columns`], [`Reader::batches`], [`Writer::fill_columns`] |
//! | read many files as one | [`Reader::open`] with [`Files`] |
//! | read the entries that a condition matches, and skip the others | [`Reader::filter`], [`predicate`] |
//! | select entries, and read them later | [`Reader::select`], [`EntryList`], [`Reader::take`] |
//! | join ntuples, or see fields of several files as those of one | [`join`], [`join::Overlay`] |
//! | read one column, or the sizes of a collection | [`Reader::column`], [`Reader::sizes`] |
//! | say something of runs, or of any range of entries | [`attributes`] |
//! | know bounds of values without reading them | [`statistics`], [`WriteOptions::statistics`] |
//! | look at schema and storage | [`RootFile`], [`root`], [`Dataset`], [`schema`], [`Schema::of`](schema::Schema::of) |
//! | know which layout of the format a file has | [`root::FormatVersion`], in its [`root::Anchor`] |
//! | check a file (feature `check`) | [`check`] |
//! | read files of strangers, or very large entries | [`Limits`] |
//! | merge files (feature `merge`) | [`merge`] |
//! | notice when a type, and so its files, change (feature `lock`) | [`lock`], [`schema_lock!`] |
//! | notice when a type no longer reads a file (feature `lock`) | [`check_file!`] |
//! | write generic code | [`RNTuple`](trait@RNTuple), or [`Entry`], [`WriteField`](field::WriteField) and [`ReadField`](field::ReadField) |
//! | store what C++ has and Rust has not | [`cxx`] |
//! | make a type storable by hand | [`field`] |
//! | read and write files at URLs | [`storage::Protocol`]; the crates `rntuple-object-store` (S3, HTTP, ..) and `rntuple-xrootd` (`root://`) |
//! | keep what was read from far away | [`storage::Cache`] |
//! | store files elsewhere | [`storage`] |
//! | all attributes of the derive | [`RNTuple`](derive@RNTuple) |
//!
//! # Types
//!
//! | Rust | C++ | columns |
//! | --- | --- | --- |
//! | `bool` | `bool` | `Bit` |
//! | `i8` .. `i64`, `u8` .. `u64` | `std::int8_t` .. `std::uint64_t` | `SplitInt32` and so on |
//! | `f32`, `f64`, `half::f16` | `float`, `double`, `float` | `SplitReal32`, `SplitReal64`, `Real16` |
//! | [`cxx::Byte`], [`cxx::CxxChar`] | `std::byte`, `char` | `Byte`, `Char` |
//! | `String`, `&str`, `Box<str>`, `Cow<str>` | `std::string` | offsets and `Char` |
//! | `Vec<T>`, `[T]`, `VecDeque<T>` | `std::vector<T>` | offsets, and those of `T` |
//! | [`RVec<T>`](cxx::RVec) | `ROOT::VecOps::RVec<T>` | offsets, and those of `T` |
//! | `Option<T>` | `std::optional<T>` | offsets, and those of `T` |
//! | [`UniquePtr<T>`](cxx::UniquePtr) | `std::unique_ptr<T>` | offsets, and those of `T` |
//! | `[T; N]` | `std::array<T,N>` | those of `T` |
//! | `[bool; N]`, [`BitSet<N>`](cxx::BitSet) | `std::bitset<N>` | `Bit` |
//! | `(A, B)`, tuples of 1 to 12 | `std::pair<A,B>`, `std::tuple<..>` | those of the members |
//! | `BTreeMap<K, V>`, `HashMap<K, V>` | `std::map<K,V>`, `std::unordered_map<K,V>` | offsets, and those of the pair |
//! | [`MultiMap<K, V>`](cxx::MultiMap), [`UnorderedMultiMap<K, V>`](cxx::UnorderedMultiMap) | `std::multimap<K,V>`, `std::unordered_multimap<K,V>` | offsets, and those of the pair |
//! | `BTreeSet<T>`, `HashSet<T>` | `std::set<T>`, `std::unordered_set<T>` | offsets, and those of `T` |
//! | [`MultiSet<T>`](cxx::MultiSet), [`UnorderedMultiSet<T>`](cxx::UnorderedMultiSet) | `std::multiset<T>`, `std::unordered_multiset<T>` | offsets, and those of `T` |
//! | [`Atomic<T>`](cxx::Atomic), `AtomicBool`, `AtomicI8` .. `AtomicU64` | `std::atomic<T>` | those of `T` |
//! | `NonZero<u8>` .. `NonZero<i64>`; a 0 in the file is an error | as the integer | as the integer |
//! | `Box<T>`, `Rc<T>`, `Arc<T>`, `&T`, `Cow<T>` | as `T` | as `T` |
//! | struct | untyped record, or its class | those of the members |
//! | enum without data, with `repr` | as the integer, or an enum with its class | that of the integer |
//! | enum with data | `std::variant<..>` | `Switch`, and those of the alternatives |
//!
//! # Features
//!
//! | feature | default | |
//! | --- | --- | --- |
//! | `derive` | yes | `#[derive(RNTuple)]` |
//! | `zstd` | yes | a codec, from C |
//! | `lz4`, `zlib`, `lzma` | yes | codecs, in Rust |
//! | `rayon` | yes | [`Pool`]s of threads, parallel iteration |
//! | `glob` | yes | `Files::glob`: files by the pattern of their names |
//! | `prerelease` | yes | files from before version 1 of the format |
//! | `check` | no | module [`check`]: is a file sound? |
//! | `lock` | no | module [`lock`], [`schema_lock!`], [`check_file!`], the derive's attribute `lock`: tests of a type's schema |
//! | `merge` | no | module [`merge`]: many files become one |
//! | `recover` | no | module [`recover`]: what is left of a damaged file becomes a sound one |
//! | `lz4-c` | no | LZ4 is read by the C library |
//! | `lzma-c` | no | LZMA is written and read by the C library |
//! | `mmap` | no | files mapped into memory |
//! | `glam`, `nalgebra`, `num-complex`, `uuid`, `bitflags`, `ordered-float`, `smallvec`, `arrayvec` | no | types of these crates: [`field::foreign`] |
//!
// A build without these has nothing to link to.
#![cfg_attr(not(feature = "check"), doc = "[`check`]: #features")]
#![cfg_attr(not(feature = "lock"), doc = "[`lock`]: #features")]
#![cfg_attr(not(feature = "lock"), doc = "[`schema_lock!`]: #features")]
#![cfg_attr(not(feature = "lock"), doc = "[`check_file!`]: #features")]
#![cfg_attr(not(feature = "merge"), doc = "[`merge`]: #features")]
#![cfg_attr(not(feature = "recover"), doc = "[`recover`]: #features")]

#[cfg(feature = "internals")]
#[doc(hidden)]
#[path = "internals.rs"]
pub mod __internals;
#[doc(hidden)]
#[path = "private.rs"]
pub mod __private_0_1;
mod bytes;
mod catalog;
#[cfg(feature = "check")]
pub mod check;
mod cluster;
mod column;
pub mod compression;
mod dataset;
pub mod encoding;
mod envelope;
pub mod error;
pub mod field;
pub mod filter;
mod format_version;
mod hidden;
mod limits;
#[cfg(feature = "lock")]
pub mod lock;
#[cfg(feature = "merge")]
pub mod merge;
mod message;
mod page;
mod pool;
pub mod predicate;
mod reader;
#[cfg(feature = "recover")]
pub mod recover;
#[cfg(test)]
mod reference;
mod resume;
pub mod root;
pub mod schema;
pub mod statistics;
pub mod storage;
mod sync;
mod text;
mod writer;

/// Attribute sets: what is said of ranges of entries, such as the run they belong to.
///
/// [`Writer::attributes`] writes them, [`Reader::attributes`] reads them.
pub mod attributes {
    pub use crate::field::attribute::Attribute;
    pub use crate::reader::{AttributeEntries, AttributeReader, AttributesAt};
    pub use crate::writer::{AttributeWriter, RangeGuard};
}

/// Checkpoints: entries that are safe while more are written.
///
/// [`Writer::checkpoint`] makes one, [`WriteOptions::checkpoint_every`] asks for many, and [`Writer::resume`] continues
/// after the last one.
pub mod checkpoint {
    pub use crate::writer::Interval;
}

/// Values column by column: a structure of arrays, owned or lent, and columns without a struct.
///
/// `#[rntuple(columnar)]` on a struct `Event` makes three more. `EventColumns` has a vector for each member,
/// `EventSlice` a slice for each, and `EventRef` is one entry of these:
///
/// ```
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
/// #[derive(RNTuple)]
/// #[rntuple(columnar)]
/// struct Muon { pt: f32, charge: i8 }
///
/// #[derive(RNTuple)]
/// #[rntuple(columnar)]
/// struct Event { met: f32, muons: Vec<Muon> }
///
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # for muons in [vec![], vec![Muon { pt: 31.0, charge: -1 }, Muon { pt: 12.0, charge: 1 }]] {
/// #     writer.fill(&Event { met: 20.0, muons })?;
/// # }
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// let mut batches = reader.batches(1000);
/// while let Some(events) = batches.lend()? {
///     let met: &[f32] = events.met;
///     assert_eq!(met, [20.0, 20.0]);
///     // The muons of all events ..
///     assert_eq!(events.muons.items().pt, [31.0, 12.0]);
///     // .. and those of each.
///     for event in events {
///         for muon in event.muons {
///             assert_eq!((muon.pt, muon.charge), if muon.pt > 20.0 { (31.0, -1) } else { (12.0, 1) });
///         }
///     }
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// [`Reader::batches`] lends slices or fills columns, [`Writer::fill_columns`] writes slices, wherever they come from.
///
/// | type | columns | slice | one |
/// | --- | --- | --- | --- |
/// | scalar `E` | `Vec<E>` | `&[E]` | `E` |
/// | `String`, `&str` | [`Strings`](columns::Strings) | [`StrSlice`](columns::StrSlice) | `&str` |
/// | `Vec<T>`, slices, `VecDeque<T>`, [`RVec<T>`](cxx::RVec), sets | [`Lists<..>`](columns::Lists) | [`ListSlice<..>`](columns::ListSlice) | slice of `T` |
/// | maps | as lists of pairs | | |
/// | `Option<T>`, [`UniquePtr<T>`](cxx::UniquePtr) | [`Options<..>`](columns::Options) | [`OptionSlice<..>`](columns::OptionSlice) | option of one `T` |
/// | `[T; N]`, [`BitSet<N>`](cxx::BitSet) | [`Arrays<.., N>`](columns::Arrays) | [`ArraySlice<.., N>`](columns::ArraySlice) | `&[E; N]` of scalars, slice of other `T` |
/// | tuples | [`Tuples`](columns::Tuples) | [`TupleSlice`](columns::TupleSlice): `.0`, `.1` | tuple |
/// | `Box<T>`, `Rc<T>`, `Arc<T>`, `Cow<T>`, `&T`, [`Atomic<T>`](cxx::Atomic) | as `T` | | |
/// | `AtomicU32` and its kin, flags | as their integers | | |
/// | [`Cardinality`](cxx::Cardinality), `Cardinality32` | `Vec<u64>`, `Vec<u32>` | slice | integer |
/// | your structs and enums with data | `EventColumns` | `EventSlice` | `EventRef` |
/// | [`Lazy<T>`](columns::Lazy) | [`LazyColumns<..>`](columns::LazyColumns) | [`LazySlice<..>`](columns::LazySlice): decoded when it is needed | [`LazyRef<..>`](columns::LazyRef) |
/// | newtypes | as the value inside | | |
/// | [`Value`]: whatever a file has | [`AnyColumns`](columns::AnyColumns) | [`AnySlice`](columns::AnySlice) | `AnySlice` of one |
/// | enums without data, `NonZero`, types of other crates | [`Rows<T>`](columns::Rows) | [`RowSlice<T>`](columns::RowSlice) | `&T` |
/// | members with `rows`, `with`, `from`, `try_from` or `into` | [`Rows<T>`](columns::Rows) | [`RowSlice<T>`](columns::RowSlice) | `&T` |
///
/// Slices of scalars, and those of lists, strings and options of them, are parts of the decoded pages. Other values
/// are kept by the walk that lends them. Only a collection itself refuses items or keys that are there twice.
///
/// [`Reader::column`], [`Reader::items`] and [`Reader::sizes`] read one field without the entries around it.
pub mod columns {
    pub use crate::field::columnar::{
        AnyArrays, AnyColumns, AnyRecords, AnySlice, AnyVariants, ArraySlice, Arrays, Columnar, Columns,
        ColumnsOf, Iter, LazyColumns, LazyRef, LazySlice, ListSlice, Lists, OptionSlice, Options,
        ReadColumnar, RefOf, Row, RowSlice, RowSliceOf, Rows, RowsOf, Slice, SliceOf, StrSlice, Strings,
        SwitchSlice, Switches, TupleSlice, Tuples, WriteColumnar,
    };
    pub use crate::field::lazy::Lazy;
    pub use crate::reader::{Batches, Column, Items, Sizes};
}

/// Types that C++ has and Rust has not.
pub mod cxx {
    pub use crate::encoding::value::{Byte, CxxChar};
    pub use crate::field::atomic::Atomic;
    pub use crate::field::bitset::BitSet;
    pub use crate::field::cardinality::{Cardinality, Cardinality32};
    pub use crate::field::cxx::{Cxx, RVec, UniquePtr, UnorderedMultiMap, UnorderedMultiSet};
    pub use crate::field::multimap::MultiMap;
    pub use crate::field::multiset::MultiSet;
}

/// Adding members to an ntuple: while it is being written ([`Writer::extend`]), or to all entries of an existing one.
pub mod extend {
    pub use crate::field::extended::Extended;
    pub use crate::writer::{ColumnAdder, ExtendError};
}

/// Writing to one file after the other: [`Writer::series`].
pub mod series {
    pub use crate::writer::SeriesWriter;
}

/// What a writer has written ([`Writer::finish`]), or would write ([`Writer::estimate`]).
pub mod summary {
    pub use crate::writer::{Forecast, Summary};
}

/// Reading two ntuples together: [`Reader::zip`] and [`Reader::join_on`].
pub mod join {
    pub use crate::reader::{DuplicateKeys, InnerJoined, Join, JoinKey, Joined, Overlay, Zip, ZipEntries};
}

/// Entries in shuffled order, for training: [`Reader::epoch`].
pub mod training {
    pub use crate::reader::{Epoch, EpochEntries, Window, Windows};
}

/// Writing and reading on many threads: [`ParallelWriter`], `Reader::par_entries`.
pub mod parallel {
    #[cfg(feature = "rayon")]
    pub use crate::reader::ParEntries;
    pub use crate::writer::{FillContext, FillScope, Order, Transaction};
}

pub use compression::Compression;
pub use dataset::Dataset;
pub use error::{Error, ErrorKind, Result};
pub use field::any::Value;
pub use field::entry::{Entry, RNTuple};
pub use limits::Limits;
#[cfg(feature = "rayon")]
pub use pool::Pool;
pub use reader::{Entries, EntryList, Files, ReadOptions, Reader};
#[cfg(feature = "derive")]
pub use rntuple_derive::RNTuple;
pub use root::RootFile;
pub use writer::{ParallelWriter, RootFileWriter, WriteOptions, Writer};
