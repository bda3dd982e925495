//! Upgrades are from other types, of other versions
use rntuple::RNTuple;

#[derive(RNTuple)]
struct EventV1 {
    run: u32,
}

impl From<EventV1> for Event {
    fn from(old: EventV1) -> Self {
        Self { run: old.run }
    }
}

#[derive(RNTuple)]
#[rntuple(version = 2, upgrade_from(Event), upgrade_from(EventV1, version = 2))]
struct Event {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(version = 2, upgrade_from(EventV1, version = 3), upgrade_from(EventV1))]
struct Newer {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(write_only, upgrade_from(EventV1))]
struct Written {
    run: u32,
}

fn main() {}
