//! `bitcode`, in blocks of `EVENTS`, compressed as whole blocks.

use std::path::Path;

use super::blocks::{self, BlockWriter, EVENTS};
use crate::digest::Digest;
use crate::{Codec, Data, PlainEvent, Sink};

/// Writes the nested events.
pub fn write(data: &Data, codec: Codec, sink: Sink<'_>) {
    let mut writer = BlockWriter::new(codec, sink);
    let mut buffer = bitcode::Buffer::new();
    for chunk in data.plain.chunks(EVENTS) {
        writer.write(buffer.encode(chunk));
    }
}

/// Reads the nested events.
pub fn read_structs(path: &Path, codec: Codec) -> u64 {
    let mut digest = Digest::default();
    let mut buffer = bitcode::Buffer::new();
    blocks::read(path, codec, |block| {
        let events: Vec<PlainEvent> = buffer.decode(block).unwrap();
        events.iter().for_each(|event| digest.plain(event));
    });
    digest.finish()
}
