//! Damage for small files, and what no damage may cause.
//!
//! The driver (`cargo run --release -p rntuple-fuzz -- --seconds 60`) runs on the stable toolchain. The targets take
//! plain bytes, so that a coverage-guided fuzzer can call them as well.

mod allocation;
mod corpus;
mod damage;
mod targets;

pub use allocation::{Counting, peak};
pub use corpus::{Sample, corpus};
pub use damage::Damage;
pub use targets::read_file;
