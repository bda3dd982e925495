//! `types.tuple`: tuples of everything.

use rntuple::RNTuple;

use super::IntOrString;
use crate::show::object;

/// Tuples of all kinds of values; one of two members is a pair in Rust, so these are of a struct.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    #[rntuple(rename = "Int32_String_Vector")]
    pub int32_string_vector: (i32, String, Vec<i32>),
    #[rntuple(rename = "Variant")]
    pub variant: (IntOrString,),
    #[rntuple(rename = "Tuple")]
    pub tuple: (Two,),
    #[rntuple(rename = "VectorTuple")]
    pub vector_tuple: Vec<Two>,
}

/// `std::tuple<std::int32_t, std::string>`: Rust's own tuples of two are stored as `std::pair`.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "std::tuple<std::int32_t,std::string>")]
pub struct Two(pub i32, pub String);

impl crate::Show for Two {
    fn show(&self) -> crate::json::Json {
        (self.0, self.1.clone()).show()
    }
}

object! { Entry {
    "Int32_String_Vector": int32_string_vector,
    "Variant": variant,
    "Tuple": tuple,
    "VectorTuple": vector_tuple,
}}

/// Its entries: simple values, zero or empty ones.
pub fn entries() -> Vec<Entry> {
    vec![
        Entry {
            int32_string_vector: (1, "abc".to_owned(), vec![2, 3, 4]),
            variant: ("def".into(),),
            tuple: (Two(5, "ghi".to_owned()),),
            vector_tuple: vec![Two(6, "jkl".to_owned()), Two(7, "mno".to_owned())],
        },
        Entry {
            int32_string_vector: (0, String::new(), vec![]),
            variant: (IntOrString::Int(0),),
            tuple: (Two(0, String::new()),),
            vector_tuple: vec![],
        },
    ]
}
