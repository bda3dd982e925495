//! The types that are made may be named
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(columnar(columns = Events, all = AllEvents))]
struct Event {
    number: u32,
}

#[derive(RNTuple)]
#[rntuple(columnar = "Events")]
struct Other {
    number: u32,
}

#[derive(RNTuple)]
#[rntuple(columnar(slice = ns::Places))]
enum Place {
    Barrel(u32),
    Endcap,
}

#[derive(RNTuple, Clone, Debug)]
#[rntuple(columnar(one = OneSide))]
#[repr(u8)]
enum Side {
    Left,
    Right,
}

#[derive(RNTuple)]
#[rntuple(columnar(columns = Energies))]
struct Energy(f32);

#[derive(RNTuple)]
#[rntuple(transparent, columnar(slice = Momenta))]
struct Momentum {
    gev: f32,
}

fn main() {}
