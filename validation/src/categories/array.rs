//! `types.array`: arrays of everything.

use rntuple::RNTuple;

use super::IntOrString;
use crate::show::object;

/// Arrays of all kinds of items.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    #[rntuple(rename = "Array_Int32")]
    pub int32: [i32; 2],
    #[rntuple(rename = "Array_Array")]
    pub array: [[i32; 2]; 3],
    #[rntuple(rename = "Array_String")]
    pub string: [String; 2],
    #[rntuple(rename = "Array_Variant")]
    pub variant: [IntOrString; 2],
    #[rntuple(rename = "Array_Vector")]
    pub vector: [Vec<i32>; 2],
}

object! { Entry {
    "Array_Int32": int32,
    "Array_Array": array,
    "Array_String": string,
    "Array_Variant": variant,
    "Array_Vector": vector,
}}

/// Its entries: simple values, zero or empty ones.
pub fn entries() -> Vec<Entry> {
    vec![
        Entry {
            int32: [1, 2],
            array: [[3, 4], [5, 6], [7, 8]],
            string: ["ijk", "lmn"].map(str::to_owned),
            variant: [IntOrString::Int(19), "uvw".into()],
            vector: [vec![15, 16, 17], vec![17, 18]],
        },
        Entry {
            int32: [0; 2],
            array: [[0; 2]; 3],
            string: [const { String::new() }; 2],
            variant: [IntOrString::Int(0), "".into()],
            vector: [const { Vec::new() }; 2],
        },
    ]
}
