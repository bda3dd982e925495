//! A literal is of the type of its field
use rntuple::RNTuple;
use rntuple::predicate::Fields as _;

#[derive(RNTuple)]
#[rntuple(predicates)]
struct Event {
    number: u64,
    met: f32,
    trigger: String,
}

fn main() {
    let event = Event::fields();
    let _ = event.number.eq(1.5);
    let _ = event.met.gt("50");
    let _ = event.trigger.eq(7);
}
