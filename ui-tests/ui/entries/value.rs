//! A plain value is no entry
use rntuple::Reader;

fn main() {
    let _ = Reader::<f32>::open("events.root", "Events");
    let _ = Reader::<Vec<(f32, f32)>>::open("events.root", "Events");
}
