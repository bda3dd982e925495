//! The categories of ROOT's RNTuple Validation Suite (`root-project/rntuple-validation`): conformance tests of the
//! format, each a file with a given schema and given entries, and a JSON document of what is to be read from it.
//!
//! | file | subject |
//! | --- | --- |
//! | `table` | [`CATEGORIES`]: all of them, by the names that the suite gives them |
//! | `category` | what a category is: how its file is written, and read |
//! | `categories` | schema and entries, one family to a file |
//! | `json` | the form of the documents |
//! | `show` | Rust values in that form |
//! | `dynamic` | values of a schema known only at run time in that form |
//!
//! The suite's README files say what the schema is, its `write.C` what the entries are, its `read.C` what the
//! document looks like. Here entries are structs with `#[derive(RNTuple)]`.

pub mod categories;
mod category;
mod dynamic;
pub mod json;
mod show;
mod table;

pub use category::{Category, NTUPLE};
pub use show::Show;
pub use table::{CATEGORIES, named};

/// Whatever goes wrong ends with a sentence.
pub type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;
