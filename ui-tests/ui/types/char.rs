//! `char` is no type of C++
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    grade: char,
}

fn main() {}
