//! Representations are several encodings that fit one type.
use rntuple::RNTuple;
#[derive(RNTuple)]
struct Event {
    #[rntuple(representations("SplitReal32"))]
    one: f32,
    #[rntuple(representations("SplitReal32", "Index32"))]
    mixed: f32,
    #[rntuple(representations("SplitReal32", "Real1"))]
    misspelled: f32,
    #[rntuple(representations("SplitReal32", double32))]
    word: f32,
    #[rntuple(representations("SplitReal32", f16), f16)]
    twice: f32,
    #[rntuple(representations("SplitReal32", f16))]
    number: u8,
    #[rntuple(representations = "SplitReal32")]
    value: f32,
}

fn main() {}
