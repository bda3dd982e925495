//! Compression blocks.
