//! An encoding for each kind of column is no contradiction
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    // One encoding for each of the columns, but the last fits none of them.
    #[rntuple(f16, offsets = "Index32", encoding = "Int64")]
    hits: Vec<(f32, u32)>,
}

fn main() {}
