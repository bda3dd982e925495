//! Field names have no spaces, dots and slashes
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    #[rntuple(rename = "muons.pt")]
    dot: f32,
    #[rntuple(rename = "missing energy")]
    space: f32,
    #[rntuple(rename = "px/py")]
    slash: f32,
    #[rntuple(rename = "a\\b")]
    backslash: f32,
    #[rntuple(rename = "tab\t")]
    control: f32,
}

fn main() {}
