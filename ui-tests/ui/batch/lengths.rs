//! No member of a batch can become longer than another
use rntuple::RNTuple;

#[derive(RNTuple)]
#[rntuple(batch)]
struct Event {
    met: f32,
    run: u32,
}

mod elsewhere {
    pub fn push(batch: &mut super::EventBatch) {
        batch.met().push(1.0);
    }
}

fn main() {}
