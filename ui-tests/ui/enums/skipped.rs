//! All variants are stored
use rntuple::RNTuple;

#[derive(RNTuple)]
enum Hit {
    Strip(u32),
    #[rntuple(skip)]
    Pixel(u32),
}

fn main() {}
