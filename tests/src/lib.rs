//! What the integration tests share.

pub mod reference;
pub mod sample;
