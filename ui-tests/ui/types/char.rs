use rntuple::RNTuple;

#[derive(RNTuple)]

struct Event {
    grade: char,
}

fn main() {}
