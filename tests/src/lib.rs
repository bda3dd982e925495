//! What the integration tests share.

pub mod counting;
pub mod objects;
pub mod forge;
pub mod memory;
pub mod reference;
pub mod sample;
