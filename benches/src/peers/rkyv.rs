//! `rkyv`, in blocks of `EVENTS`, compressed as whole blocks; read with its validation, into structs.

use std::path::Path;

use rkyv::rancor::Error;
use rkyv::util::AlignedVec;
use rkyv::with::InlineAsBox;

use super::blocks::{self, BlockWriter, EVENTS};
use crate::digest::Digest;
use crate::{Codec, Data, PlainEvent, Sink};

/// Events that are borrowed; archived as a `Box<[PlainEvent]>` is.
#[derive(rkyv::Archive, rkyv::Serialize)]
struct Block<'a> {
    #[rkyv(with = InlineAsBox)]
    events: &'a [PlainEvent],
}

/// Writes the nested events.
pub fn write(data: &Data, codec: Codec, sink: Sink<'_>) {
    let mut writer = BlockWriter::new(codec, sink);
    let mut bytes = AlignedVec::<16>::new();
    for chunk in data.plain.chunks(EVENTS) {
        bytes.clear();
        bytes = rkyv::api::high::to_bytes_in::<_, Error>(&Block { events: chunk }, bytes).unwrap();
        writer.write(&bytes);
    }
}

/// Reads the nested events.
pub fn read_structs(path: &Path, codec: Codec) -> u64 {
    let mut digest = Digest::default();
    blocks::read(path, codec, |block| {
        let events = rkyv::from_bytes::<Box<[PlainEvent]>, Error>(block).unwrap();
        events.iter().for_each(|event| digest.plain(event));
    });
    digest.finish()
}
