//! `types.pair`: pairs of everything.

use rntuple::RNTuple;

use super::IntOrString;
use crate::show::object;

/// Pairs of all kinds of values.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    #[rntuple(rename = "Int32_String")]
    pub int32_string: (i32, String),
    #[rntuple(rename = "Variant_Vector")]
    pub variant_vector: (IntOrString, Vec<i32>),
    #[rntuple(rename = "Pair")]
    pub pair: ((i32, String), i32),
    #[rntuple(rename = "VectorPair")]
    pub vector_pair: Vec<(i32, String)>,
}

object! { Entry {
    "Int32_String": int32_string,
    "Variant_Vector": variant_vector,
    "Pair": pair,
    "VectorPair": vector_pair,
}}

/// Its entries: simple values, zero or empty ones.
pub fn entries() -> Vec<Entry> {
    vec![
        Entry {
            int32_string: (1, "abc".to_owned()),
            variant_vector: ("def".into(), vec![2, 3, 4]),
            pair: ((5, "ghi".to_owned()), 6),
            vector_pair: vec![(7, "jkl".to_owned()), (8, "mno".to_owned())],
        },
        Entry {
            int32_string: (0, String::new()),
            variant_vector: (IntOrString::Int(0), vec![]),
            pair: ((0, String::new()), 0),
            vector_pair: vec![],
        },
    ]
}
