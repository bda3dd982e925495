//! Upgrades name a type, and what makes the new one of it
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Old {
    run: u32,
}

fn upgrade(old: Old) -> A {
    A { run: old.run }
}

#[derive(RNTuple)]
#[rntuple(upgrade_from)]
struct A {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from = "Old")]
struct B {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = version(1), with = upgrade, try_with = upgrade))]
struct C {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, by = upgrade))]
struct D {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, version = 1))]
struct E {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from())]
struct F {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = version(1), when = has("run")))]
struct G {
    run: u32,
}

fn main() {}
