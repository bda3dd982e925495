//! `projections`: fields that show the columns of others. These categories are read; nothing here writes them.

use rntuple::{Cardinality, RNTuple, RVec};

use crate::category::{Category, read_as};
use crate::show::object;

/// Lists, and their lengths.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", read_only)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Cardinalities {
    pub index32: Vec<i32>,
    pub index32_cardinality: Cardinality,
    pub index64: Vec<i32>,
    pub index64_cardinality: Cardinality,
    pub split_index32: Vec<i32>,
    pub split_index32_cardinality: Cardinality,
    pub split_index64: Vec<i32>,
    pub split_index64_cardinality: Cardinality,
}

object! { Cardinalities {
    "Index32": index32,
    "Index32Cardinality": index32_cardinality,
    "Index64": index64,
    "Index64Cardinality": index64_cardinality,
    "SplitIndex32": split_index32,
    "SplitIndex32Cardinality": split_index32_cardinality,
    "SplitIndex64": split_index64,
    "SplitIndex64Cardinality": split_index64_cardinality,
}}

/// `projections.cardinality`
pub const CARDINALITY: Category =
    Category { name: "projections.cardinality", write: None, read: read_as::<Cardinalities> };

/// A list, and the same list as another type.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", read_only)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Lists {
    pub vector: Vec<i32>,
    pub projected: RVec<i32>,
}

object! { Lists { "Vector": vector, "Projected": projected, } }

/// `projections.collection`
pub const COLLECTION: Category =
    Category { name: "projections.collection", write: None, read: read_as::<Lists> };

/// A pair, and its two members.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", read_only)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Leaves {
    pub pair: (i32, f32),
    pub int32: i32,
    pub float: f32,
}

object! { Leaves { "Pair": pair, "Int32": int32, "Float": float, } }

/// `projections.leaf`
pub const LEAF: Category = Category { name: "projections.leaf", write: None, read: read_as::<Leaves> };

/// Pairs, and lists of their members.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", read_only)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Nested {
    pub vector_pair: Vec<(i32, f32)>,
    pub vector_int: Vec<i32>,
    pub vector_float: Vec<f32>,
}

object! { Nested { "VectorPair": vector_pair, "VectorInt": vector_int, "VectorFloat": vector_float, } }

/// `projections.nested`
pub const NESTED: Category = Category { name: "projections.nested", write: None, read: read_as::<Nested> };
