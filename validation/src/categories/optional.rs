//! `types.optional`: a value or none.

use rntuple::RNTuple;

use super::IntOrString;
use crate::show::object;

/// A field for each encoding of offsets, and one for each kind of value.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    #[rntuple(offsets = "Index32")]
    pub index32: Option<i32>,
    #[rntuple(offsets = "Index64")]
    pub index64: Option<i32>,
    #[rntuple(offsets = "SplitIndex32")]
    pub split_index32: Option<i32>,
    #[rntuple(offsets = "SplitIndex64")]
    pub split_index64: Option<i32>,
    pub string: Option<String>,
    pub variant: Option<IntOrString>,
    pub vector_int32: Option<Vec<i32>>,
    pub vector_opt: Vec<Option<i32>>,
}

object! { Entry {
    "Index32": index32,
    "Index64": index64,
    "SplitIndex32": split_index32,
    "SplitIndex64": split_index64,
    "String": string,
    "Variant": variant,
    "VectorInt32": vector_int32,
    "VectorOpt": vector_opt,
}}

/// Its entries: simple values, none, zero or empty ones.
pub fn entries() -> Vec<Entry> {
    vec![
        Entry {
            index32: Some(1),
            index64: Some(2),
            split_index32: Some(3),
            split_index64: Some(4),
            string: Some("abc".to_owned()),
            variant: Some("def".into()),
            vector_int32: Some(vec![1, 2, 3]),
            vector_opt: [4, 5, 6].map(Some).into(),
        },
        Entry {
            index32: None,
            index64: None,
            split_index32: None,
            split_index64: None,
            string: None,
            variant: None,
            vector_int32: None,
            vector_opt: vec![None],
        },
        Entry {
            index32: Some(0),
            index64: Some(0),
            split_index32: Some(0),
            split_index64: Some(0),
            string: Some(String::new()),
            variant: Some(IntOrString::Int(0)),
            vector_int32: Some(vec![]),
            vector_opt: vec![],
        },
    ]
}
