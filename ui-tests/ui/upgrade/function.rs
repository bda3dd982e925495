//! The function of an upgrade takes the old type and gives the new one
use rntuple::RNTuple;

#[derive(RNTuple)]
struct EventV1 {
    run: u32,
}

fn number(old: EventV1) -> u32 {
    old.run
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(EventV1, when = version(1), with = number))]
struct Event {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(EventV1, when = version(1), try_with = number))]
struct Other {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(EventV1, when = number, with = nowhere))]
struct Third {
    run: u32,
}

fn main() {}
