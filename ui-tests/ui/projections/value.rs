//! A projected field has a name, a type and a path, and stands on an entry that is written.
use rntuple::RNTuple;
#[derive(RNTuple)]
#[rntuple(project(n = "hits"))]
struct WithoutType {
    hits: Vec<f32>,
}

#[derive(RNTuple)]
#[rntuple(project(n: Cardinality))]
struct WithoutSource {
    hits: Vec<f32>,
}

#[derive(RNTuple)]
#[rntuple(project)]
struct WithoutAnything {
    hits: Vec<f32>,
}

#[derive(RNTuple)]
#[rntuple(project(n: Cardinality = "hits"), skip_writing)]
struct OnlyRead {
    hits: Vec<f32>,
}

#[derive(RNTuple)]
#[rntuple(project(n: Cardinality = "_0"))]
struct Tuple(Vec<f32>, u8);

fn main() {}
