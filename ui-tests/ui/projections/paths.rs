//! A projected field looks at a member.
use rntuple::RNTuple;
#[derive(RNTuple)]
#[rntuple(project(n: Cardinality = "hit"), project(m: Cardinality = "tracks"), project(o: Cardinality = "hits."))]
struct Event {
    hits: Vec<f32>,
}

fn main() {}
