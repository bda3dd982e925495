use rntuple::RNTuple;

struct NoDefault;

#[derive(RNTuple)]
struct Event {
    run: u32,
    #[rntuple(skip, f16)]
    described: f32,
    #[rntuple(skip)]
    cache: Option<NoDefault>,
}

#[derive(RNTuple)]
struct Cached {
    run: u32,
    #[rntuple(skip)]
    cache: NoDefault,
}

fn main() {}
