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
#[rntuple(version = 2, upgrade_from(Event, when = has("run")), upgrade_from(EventV1, when = version(2)))]
struct Event {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(version = 2, upgrade_from(EventV1, when = version(3..=4)), upgrade_from(EventV1, when = version(1..=3)))]
struct Newer {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(skip_reading, upgrade_from(EventV1, when = has("a")))]
struct Written {
    run: u32,
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(EventV1, when = lacks("a.b")), upgrade_from(Newer, when = lacks("a.b")))]
struct Third {
    run: u32,
}

fn main() {}
