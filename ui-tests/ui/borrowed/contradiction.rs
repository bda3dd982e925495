//! What is not in the file as it is cannot be lent
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Old {
    number: u16,
}

#[derive(RNTuple)]
#[rntuple(borrowed, upgrade_from(Old, when = has("old")))]
struct New {
    number: u32,
}

impl From<Old> for New {
    fn from(old: Old) -> Self {
        Self { number: old.number.into() }
    }
}

#[derive(RNTuple, Default)]
#[rntuple(borrowed, default)]
struct Event {
    number: u32,
}

#[derive(RNTuple)]
#[rntuple(borrowed, write_only)]
struct Label<'a> {
    text: &'a str,
}

fn main() {}
