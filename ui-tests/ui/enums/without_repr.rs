use rntuple::RNTuple;

#[derive(RNTuple)]

enum Channel {
    A,
    B = 7,
}

fn main() {}
