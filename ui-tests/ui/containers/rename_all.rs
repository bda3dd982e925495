//! Rules for names are serde's
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(rename_all = "camelcase")]
struct Event {
    run_number: u32,
}

#[derive(RNTuple)]
#[rntuple(rename_all = "short")]
struct Other {
    run_number: u32,
}

#[derive(RNTuple)]
#[rntuple(rename_all(camelCase), rename_all_fields = "camelCase")]
struct Third {
    run_number: u32,
}

#[derive(RNTuple)]
#[rntuple(rename_all_fields = camelCase)]
enum Shape {
    Circle { r: f32 },
}

fn main() {}
