//! Serde and this agree on names
use rntuple::RNTuple;
use serde::Serialize;

#[derive(RNTuple, Serialize)]
#[rntuple(serde_compat, rename_all = "camelCase")]
#[serde(rename_all = "PascalCase")]
struct Event {
    #[rntuple(rename = "run")]
    #[serde(rename = "runNumber")]
    run_number: u32,
    #[serde(rename(serialize = "a", deserialize = "b"))]
    met: f32,
}

fn main() {}
