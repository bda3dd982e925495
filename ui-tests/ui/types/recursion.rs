//! Types do not contain themselves
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Node {
    children: Vec<Node>,
    next: Option<Box<Self>>,
}

fn main() {}
