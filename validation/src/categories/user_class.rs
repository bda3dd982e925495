//! `types.user.class`: a class with a base, and a list of it.

use rntuple::RNTuple;

use super::IntOrString;
use crate::show::object;

/// An object, and a list of objects. (The suite's README calls the list `VectorUser`, its macros `Vector`.)
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    pub f: User,
    #[rntuple(rename = "Vector")]
    pub vector: Vec<User>,
}

/// What [`User`] inherits from.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "Base")]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Base {
    #[rntuple(rename = "fInt")]
    pub int: i32,
}

/// What [`User`] has inside.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "Nested")]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Nested {
    #[rntuple(rename = "fInt")]
    pub int: i32,
}

/// A class of the user's.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(type_name = "User")]
#[expect(missing_docs, reason = "the types say it all")]
pub struct User {
    #[rntuple(base)]
    pub base: Base,
    #[rntuple(rename = "fString")]
    pub string: String,
    #[rntuple(rename = "fVariant")]
    pub variant: IntOrString,
    #[rntuple(rename = "fVector")]
    pub vector: Vec<i32>,
    #[rntuple(rename = "fNested")]
    pub nested: Nested,
}

object! { Entry { "f": f, "Vector": vector, } }
object! { Base { "fInt": int, } }
object! { Nested { "fInt": int, } }
object! { User {
    ":_0": base,
    "fString": string,
    "fVariant": variant,
    "fVector": vector,
    "fNested": nested,
}}

/// Its entries: simple values, zero or empty ones.
pub fn entries() -> Vec<Entry> {
    let user = |base, string: &str, variant, vector: &[i32], nested| User {
        base: Base { int: base },
        string: string.to_owned(),
        variant,
        vector: vector.to_vec(),
        nested: Nested { int: nested },
    };
    vec![
        Entry {
            f: user(1, "b", IntOrString::Int(3), &[4], 5),
            vector: vec![
                user(6, "g", "h".into(), &[9, 10], 11),
                user(12, "m", IntOrString::Int(14), &[15], 16),
            ],
        },
        Entry { f: user(0, "", IntOrString::Int(0), &[], 0), vector: vec![] },
    ]
}
