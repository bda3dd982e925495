//! What the integration tests share.

pub mod counting;
pub mod reference;
pub mod sample;
