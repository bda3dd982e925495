//! One value has a name, and many have
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(borrowed(one = OneEvent, all = Events))]
struct Event {
    number: u32,
}

#[derive(RNTuple)]
#[rntuple(borrowed = "EventRef")]
struct Other {
    number: u32,
}

#[derive(RNTuple)]
#[rntuple(borrowed(many = ns::Sides))]
#[repr(u8)]
enum Place {
    Barrel,
    Endcap,
}

#[derive(RNTuple, Clone, Copy, Debug)]
#[rntuple(borrowed(many = Sides))]
#[repr(u8)]
enum Side {
    Left,
    Right,
}

fn main() {}
