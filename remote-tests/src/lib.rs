//! What the tests of remote storage share: networks that are slow or fail, servers that misbehave, servers that are
//! real, and files to read.
//!
//! All of it is on loopback. Nothing here runs on an async runtime, except the S3 server of the feature `s3s`.

pub mod client;
pub mod http;
pub mod proxy;
pub mod sample;
pub mod servers;

mod acceptor;
mod ports;

pub use ports::free_port;
