//! Attributes are about the half that is derived
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(read_only)]
struct Read {
    #[rntuple(f16, index = "Index32", compression = "none")]
    hits: Vec<f32>,
    #[rntuple(into = "f32")]
    met: f64,
    #[rntuple(skip_writing)]
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(write_only)]
struct Written {
    #[rntuple(alias = "h", convert = "lossy", default)]
    hits: Vec<f32>,
    #[rntuple(from = "f32")]
    met: f64,
    #[rntuple(skip_reading)]
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(read_only(yes), write_only = "yes")]
struct Values {
    run: u32,
}

fn main() {}
