//! Names made by a rule are distinct too
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(rename_all = "camelCase")]
struct Event {
    run_number: u32,
    #[rntuple(rename = "runNumber")]
    number: u32,
}

fn main() {}
