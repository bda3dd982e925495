//! Bases are those of a class
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Particle {
    pt: f32,
}

#[derive(RNTuple)]
struct Muon {
    #[rntuple(base)]
    particle: Particle,
    charge: i8,
}

#[derive(RNTuple)]
#[rntuple(type_name = "Electron")]
struct Electron {
    #[rntuple(base, rename = "particle")]
    particle: Particle,
    #[rntuple(base = "Particle")]
    other: Particle,
}

#[derive(RNTuple)]
enum Hit {
    Muon {
        charge: i8,
        #[rntuple(base)]
        particle: Particle,
    },
}

fn main() {}
