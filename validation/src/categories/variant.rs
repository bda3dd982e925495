//! `types.variant`: one of several alternatives.

use rntuple::RNTuple;

use super::IntOrString;
use crate::Show;
use crate::json::Json;
use crate::show::object;

/// A variant, and a list of variants.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    pub f: Alternatives,
    #[rntuple(rename = "Vector")]
    pub vector: Vec<IntOrString>,
}

/// `std::variant<std::int32_t, std::string, std::vector<std::int32_t>>`
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[expect(missing_docs, reason = "the types say it all")]
pub enum Alternatives {
    Int(i32),
    String(String),
    Vector(Vec<i32>),
}

impl Show for Alternatives {
    fn show(&self) -> Json {
        match self {
            Self::Int(value) => value.show(),
            Self::String(text) => text.show(),
            Self::Vector(items) => items.show(),
        }
    }
}

object! { Entry { "f": f, "Vector": vector, } }

/// Its entries: each alternative, then empty ones.
pub fn entries() -> Vec<Entry> {
    use IntOrString::Int;
    vec![
        Entry { f: Alternatives::Int(1), vector: vec![Int(1)] },
        Entry { f: Alternatives::String("abc".to_owned()), vector: vec!["abc".into()] },
        Entry { f: Alternatives::Vector(vec![1, 2, 3]), vector: vec![Int(1), "2".into(), Int(3)] },
        Entry { f: Alternatives::String(String::new()), vector: vec!["".into()] },
        Entry { f: Alternatives::Vector(vec![]), vector: vec![] },
    ]
}
