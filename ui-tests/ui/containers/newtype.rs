//! A newtype is no record
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(default, deny_unknown_fields, lock = "energy.rntlock", version = 2)]
struct Energy(f32);

#[derive(RNTuple)]
#[rntuple(untyped)]
struct Mass(f32);

fn main() {}
