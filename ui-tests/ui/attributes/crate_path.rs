use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(crate = "rntuple")]
struct Event {
    run: u32,
}

fn main() {}
