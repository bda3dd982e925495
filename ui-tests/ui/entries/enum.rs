//! An enum is no entry
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple)]
enum Shape {
    Circle(f32),
    Square { side: f32 },
}

fn main() {
    let _ = Writer::<Shape>::create("shapes.root", "Shapes", WriteOptions::new());
    let _ = Reader::<Shape>::open("shapes.root", "Shapes");
}
