//! `types.unique_ptr`: a value or none.

use rntuple::RNTuple;
use rntuple::cxx::UniquePtr;

use super::IntOrString;
use crate::show::object;

/// A field for each encoding of offsets, and one for each kind of value.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    #[rntuple(offsets = "Index32")]
    pub index32: UniquePtr<i32>,
    #[rntuple(offsets = "Index64")]
    pub index64: UniquePtr<i32>,
    #[rntuple(offsets = "SplitIndex32")]
    pub split_index32: UniquePtr<i32>,
    #[rntuple(offsets = "SplitIndex64")]
    pub split_index64: UniquePtr<i32>,
    pub string: UniquePtr<String>,
    pub variant: UniquePtr<IntOrString>,
    pub vector_int32: UniquePtr<Vec<i32>>,
    pub vector_ptr: Vec<UniquePtr<i32>>,
}

object! { Entry {
    "Index32": index32,
    "Index64": index64,
    "SplitIndex32": split_index32,
    "SplitIndex64": split_index64,
    "String": string,
    "Variant": variant,
    "VectorInt32": vector_int32,
    "VectorPtr": vector_ptr,
}}

/// Its entries: simple values, none, zero or empty ones.
pub fn entries() -> Vec<Entry> {
    vec![
        Entry {
            index32: UniquePtr::new(1),
            index64: UniquePtr::new(2),
            split_index32: UniquePtr::new(3),
            split_index64: UniquePtr::new(4),
            string: UniquePtr::new("abc".to_owned()),
            variant: UniquePtr::new("def".into()),
            vector_int32: UniquePtr::new(vec![1, 2, 3]),
            vector_ptr: [4, 5, 6].map(UniquePtr::new).into(),
        },
        Entry {
            index32: UniquePtr::null(),
            index64: UniquePtr::null(),
            split_index32: UniquePtr::null(),
            split_index64: UniquePtr::null(),
            string: UniquePtr::null(),
            variant: UniquePtr::null(),
            vector_int32: UniquePtr::null(),
            vector_ptr: vec![UniquePtr::null()],
        },
        Entry {
            index32: UniquePtr::new(0),
            index64: UniquePtr::new(0),
            split_index32: UniquePtr::new(0),
            split_index64: UniquePtr::new(0),
            string: UniquePtr::new(String::new()),
            variant: UniquePtr::new(IntOrString::Int(0)),
            vector_int32: UniquePtr::new(vec![]),
            vector_ptr: vec![],
        },
    ]
}
