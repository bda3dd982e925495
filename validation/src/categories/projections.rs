//! `projections`: fields that show the columns of others. What is written has the sources alone as members, what is
//! read the projected fields too.

use rntuple::RNTuple;
use rntuple::cxx::{Cardinality, Cardinality32, RVec};

use crate::category::{self, Category, read_as};
use crate::show::object;

/// A row of the table: entries of one type, which are read as another.
macro_rules! row {
    ($name:literal, $entries:ident, $read:ident) => {
        Category {
            name: $name,
            write: |file| category::write(file, category::uncompressed(), &$entries()),
            read: read_as::<$read>,
        }
    };
}

/// `projections.cardinality`: the lengths of lists.
pub const CARDINALITY: Category = row!("projections.cardinality", vectors, Cardinalities);

/// Lists with each encoding of offsets.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(
    rename_all = "PascalCase",
    project(index32_cardinality: Cardinality32 = "Index32", index64_cardinality: Cardinality = "Index64"),
    project(
        split_index32_cardinality: Cardinality32 = "SplitIndex32",
        split_index64_cardinality: Cardinality = "SplitIndex64"
    )
)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Vectors {
    #[rntuple(offsets = "Index32")]
    pub index32: Vec<i32>,
    #[rntuple(offsets = "Index64")]
    pub index64: Vec<i32>,
    #[rntuple(offsets = "SplitIndex32")]
    pub split_index32: Vec<i32>,
    #[rntuple(offsets = "SplitIndex64")]
    pub split_index64: Vec<i32>,
}

/// As of `types.vector.fundamental`.
pub fn vectors() -> Vec<Vectors> {
    let entries = super::collections::fundamental().into_iter();
    let vectors = |entry: super::collections::Indexed<Vec<i32>>| Vectors {
        index32: entry.index32,
        index64: entry.index64,
        split_index32: entry.split_index32,
        split_index64: entry.split_index64,
    };
    entries.map(vectors).collect()
}

/// Lists, and their lengths.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", skip_writing)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Cardinalities {
    pub index32: Vec<i32>,
    pub index32_cardinality: Cardinality32,
    pub index64: Vec<i32>,
    pub index64_cardinality: Cardinality,
    pub split_index32: Vec<i32>,
    pub split_index32_cardinality: Cardinality32,
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

/// `projections.collection`: a list as another type.
pub const COLLECTION: Category = row!("projections.collection", lists, Lists);

/// A list.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", project(projected: RVec<i32> = "Vector"))]
#[expect(missing_docs, reason = "the types say it all")]
pub struct List {
    pub vector: Vec<i32>,
}

/// Ascending values, none.
pub fn lists() -> Vec<List> {
    vec![List { vector: vec![1, 2] }, List { vector: vec![] }]
}

/// A list, and the same list as another type.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", skip_writing)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Lists {
    pub vector: Vec<i32>,
    pub projected: RVec<i32>,
}

object! { Lists { "Vector": vector, "Projected": projected, } }

/// `projections.leaf`: the members of a pair.
pub const LEAF: Category = row!("projections.leaf", pairs, Leaves);

/// A pair.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", project(int32: i32 = "Pair._0", float: f32 = "Pair._1"))]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Pair {
    pub pair: (i32, f32),
}

/// One entry.
pub fn pairs() -> Vec<Pair> {
    vec![Pair { pair: (1, 2.0) }]
}

/// A pair, and its two members.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", skip_writing)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Leaves {
    pub pair: (i32, f32),
    pub int32: i32,
    pub float: f32,
}

object! { Leaves { "Pair": pair, "Int32": int32, "Float": float, } }

/// `projections.nested`: lists of the members of pairs.
pub const NESTED: Category = row!("projections.nested", pair_lists, Nested);

/// Pairs.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(
    rename_all = "PascalCase",
    project(vector_int: Vec<i32> = "VectorPair._0._0", vector_float: Vec<f32> = "VectorPair._0._1")
)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Pairs {
    pub vector_pair: Vec<(i32, f32)>,
}

/// Ascending values, none.
pub fn pair_lists() -> Vec<Pairs> {
    vec![Pairs { vector_pair: vec![(1, 2.0), (3, 4.0)] }, Pairs { vector_pair: vec![] }]
}

/// Pairs, and lists of their members.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase", skip_writing)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Nested {
    pub vector_pair: Vec<(i32, f32)>,
    pub vector_int: Vec<i32>,
    pub vector_float: Vec<f32>,
}

object! { Nested { "VectorPair": vector_pair, "VectorInt": vector_int, "VectorFloat": vector_float, } }
