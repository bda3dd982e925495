//! A tuple struct is no entry
use rntuple::{RNTuple, Reader};

#[derive(RNTuple)]
struct Energy(f32);

#[derive(RNTuple)]
struct Point(f32, f32);

#[derive(RNTuple)]
struct Nothing {}

fn main() {
    let _ = Reader::<Energy>::open("events.root", "Events");
    let _ = Reader::<Point>::open("events.root", "Events");
    let _ = Reader::<Nothing>::open("events.root", "Events");
}
