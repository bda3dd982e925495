//! Schema and entries of the categories, one family to a file.

pub mod array;
pub mod atomic;
pub mod bitset;
pub mod collections;
pub mod compression;
pub mod integer;
pub mod maps;
pub mod misc;
pub mod optional;
pub mod pair;
pub mod projections;
pub mod real;
pub mod real32quant;
pub mod real32trunc;
pub mod string;
pub mod structure;
pub mod tuple;
pub mod unique_ptr;
pub mod user_class;
pub mod user_enum;
pub mod variant;

use rntuple::RNTuple;

use crate::Show;
use crate::json::Json;

/// `std::variant<std::int32_t, std::string>`, which many categories have inside.
#[derive(Clone, Debug, PartialEq, RNTuple)]
pub enum IntOrString {
    /// The first alternative.
    Int(i32),
    /// The second one.
    String(String),
}

impl From<&str> for IntOrString {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl Show for IntOrString {
    fn show(&self) -> Json {
        match self {
            Self::Int(value) => value.show(),
            Self::String(text) => text.show(),
        }
    }
}
