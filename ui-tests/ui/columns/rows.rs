//! A member is kept in rows only where the others are columns
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(rows)]
    counts: Vec<u32>,
}

#[derive(RNTuple)]
#[rntuple(columnar)]
struct Half {
    met: f32,
    #[rntuple(rows = "yes")]
    others: Vec<u32>,
}

#[derive(RNTuple)]
#[rntuple(rows)]
struct Run {
    number: u32,
}

fn main() {}
