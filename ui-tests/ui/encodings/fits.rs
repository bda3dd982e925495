//! Encodings fit the type of the member
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(f16)]
    count: u32,
    #[rntuple(truncate(bits = 18))]
    names: Vec<String>,
    #[rntuple(encoding = "Int32")]
    long: i64,
    #[rntuple(offsets = "Index32")]
    fixed: [f32; 3],
}

fn main() {}
