//! The old type can be read
use rntuple::RNTuple;

struct EventV1 {
    run: u32,
}

impl From<EventV1> for Event {
    fn from(old: EventV1) -> Self {
        Self { run: old.run }
    }
}

#[derive(RNTuple)]
#[rntuple(upgrade_from(EventV1, when = version(1)))]
struct Event {
    run: u32,
}

fn main() {}
