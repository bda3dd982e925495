//! Types do not contain each other
use rntuple::{RNTuple, WriteOptions, Writer};

#[derive(RNTuple)]
struct Particle {
    decay: Option<Box<Decay>>,
}

#[derive(RNTuple)]
struct Decay {
    products: Vec<Particle>,
}

fn main() {
    let _ = Writer::<Particle>::create("decays.root", "Decays", WriteOptions::new());
}
