//! One variant without members stands for other values
use rntuple::RNTuple;

#[derive(RNTuple)]
#[repr(u8)]
enum Two {
    A,
    #[rntuple(other)]
    B,
    #[rntuple(other)]
    C,
}

#[derive(RNTuple)]
enum Members {
    A(f32),
    #[rntuple(other)]
    B { value: f32 },
}

#[derive(RNTuple)]
#[repr(u8)]
enum Alone {
    #[rntuple(other)]
    A,
}

#[derive(RNTuple)]
enum Described {
    A(f32),
    #[rntuple(other, tag = 1, type_name = "B")]
    B,
}

#[derive(RNTuple)]
enum Value {
    A(f32),
    #[rntuple(other = true)]
    B,
}

fn main() {}
