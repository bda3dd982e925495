//! Attributes are about the half that is derived
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(skip_writing)]
struct Read {
    #[rntuple(f16, offsets = "Index32", compression = "none")]
    hits: Vec<f32>,
    #[rntuple(into = "f32")]
    met: f64,
    #[rntuple(skip_writing)]
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(skip_reading)]
struct Written {
    #[rntuple(alias = "h", convert = "lossy", default)]
    hits: Vec<f32>,
    #[rntuple(from = "f32")]
    met: f64,
    #[rntuple(skip_reading)]
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(skip_writing(yes), skip_reading = "yes")]
struct Values {
    run: u32,
}

fn main() {}
