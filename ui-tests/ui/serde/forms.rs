//! What serde stores in another form is said here too
use rntuple::RNTuple;
use serde::Serialize;

mod text {
    pub fn serialize<S: serde::Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }
}

#[derive(RNTuple, Serialize)]
#[rntuple(serde_compat)]
struct Event {
    #[serde(with = "text")]
    met: f32,
    #[serde(serialize_with = "text::serialize")]
    mht: f32,
}

fn main() {}
