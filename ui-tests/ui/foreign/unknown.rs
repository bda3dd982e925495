//! Types of other crates have a feature, or a form of their own
use rntuple::RNTuple;

#[derive(RNTuple)]
struct Event {
    host: std::net::Ipv4Addr,
}

fn main() {}
