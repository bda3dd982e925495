//! RNTuples as Arrow record batches, and Arrow record batches as RNTuples.
//!
//! Arrow is what polars, DuckDB, pandas, DataFusion and Parquet speak. [`ArrowReader`] reads the entries of files as
//! record batches, of whatever the files have; [`ArrowWriter`] writes record batches, of whatever they have.
//!
//! | to | see |
//! | --- | --- |
//! | read files as record batches | [`ArrowReader`] |
//! | write record batches to a file | [`ArrowWriter`] |
//! | choose among Arrow's types | [`ArrowOptions`] |
//! | know the schema beforehand | [`to_arrow_schema`], [`from_arrow_schema`] |
//! | choose the types, classes and encodings of the file | [`from_record_batch`] |
//! | get from a struct with `#[rntuple(columnar)]` to Arrow and back | [`record_batch_of`], [`columns_of`] |
//!
//! # Types
//!
//! | in the file | in Arrow | or, by option |
//! | --- | --- | --- |
//! | `bool`, integers, floats | of the same width | [that of storage](ArrowOptions::storage_types) |
//! | `std::byte`, `char` | `UInt8` | |
//! | `std::string` | `LargeUtf8` | [`Utf8`](Lists::Small), [`LargeBinary`](ArrowOptions::binary_strings) |
//! | vectors, sets, untyped collections | `LargeList` | [`List`](Lists::Small) |
//! | maps | `LargeList` of `Struct` `_0`, `_1` | [`Map`](Maps::Map) |
//! | `std::optional`, `std::unique_ptr` | the same, nullable; of an option or a variant, `LargeList` | |
//! | `std::array<T,N>`, `std::bitset<N>` | `FixedSizeList` | |
//! | structs, classes, pairs, tuples | `Struct` | |
//! | `std::variant` | dense `Union`, whose type 0 are nulls | [`Struct`](Variants::Struct) |
//! | enums, `std::atomic` | the value inside | |
//! | the size of a collection | `UInt64`, `UInt32` | |
//! | objects of ROOT's streamer | `LargeBinary` | |
//! | projected fields | none | [as others](ArrowOptions::views) |
//!
//! Nothing is nullable that has no nulls. Names of types in C++, descriptions, units and encodings are kept as metadata
//! (`rntuple.type`, ..), from which [`from_arrow_schema`] restores them. Dates and times become integers, whose description
//! says what they were (`[arrow:date32]`), and become what they were when they are read. Times of another unit are converted
//! where nothing is lost, and refused otherwise.
//!
//! Other versions of Arrow take batches over its C data interface: the book has a recipe.

mod bits;
mod classes;
mod error;
mod from_array;
mod from_schema;
mod gaps;
mod metadata;
mod options;
mod reader;
mod times;
mod to_array;
mod to_schema;
mod typed;
mod writer;

pub use from_array::from_record_batch;
pub use from_schema::from_arrow_schema;
pub use options::{ArrowOptions, Lists, Maps, Nulls, Variants};
pub use reader::ArrowReader;
pub use to_schema::to_arrow_schema;
pub use typed::{columns_of, record_batch_of};
pub use writer::ArrowWriter;
