//! What borrows already can only be written
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(borrowed)]
struct Label<'t> {
    text: &'t str,
}

fn main() {}
