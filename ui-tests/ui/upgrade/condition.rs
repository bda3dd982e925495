//! Upgrades say which files hold the older type
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Old {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old))]
struct A {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = has))]
struct B {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = lacks("")))]
struct C {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = version("1")))]
struct D {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = version(0..=2)))]
struct E {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = version(3..=2)))]
struct F {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = version(..3)))]
struct G {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(Old, when = is("run")))]
struct H {
    run: u32,
}

fn main() {}
