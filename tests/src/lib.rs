//! What the integration tests share.

pub mod counting;
pub mod forge;
pub mod memory;
pub mod objects;
pub mod reference;
pub mod sample;
