//! What the integration tests share.

pub mod counting;
pub mod objects;
pub mod reference;
pub mod sample;
