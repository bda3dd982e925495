//! A file of compressed blocks, for the crates that only serialise.

use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;

use crate::{Codec, Sink};

/// Events that are serialised at once: about half a megabyte, which stays in the processor's cache.
pub(super) const EVENTS: usize = 1000;

/// Compresses blocks and writes them one after the other.
pub(super) struct BlockWriter {
    sink: Box<dyn Write + Send>,
    codec: Codec,
    zstd: zstd::bulk::Compressor<'static>,
    packed: Vec<u8>,
}

impl BlockWriter {
    pub(super) fn new(codec: Codec, sink: Sink<'_>) -> Self {
        let level = if codec == Codec::Zstd5 { 5 } else { 1 };
        let zstd = zstd::bulk::Compressor::new(level).unwrap();
        Self { sink: sink.open(), codec, zstd, packed: Vec::new() }
    }

    pub(super) fn write(&mut self, block: &[u8]) {
        let packed = match self.codec {
            Codec::None => block,
            Codec::Lz4 => {
                self.packed.resize(lz4_flex::block::get_maximum_output_size(block.len()), 0);
                let size = lz4_flex::block::compress_into(block, &mut self.packed).unwrap();
                &self.packed[..size]
            }
            Codec::Zstd1 | Codec::Zstd5 => {
                self.packed.clear();
                self.packed.reserve(zstd::zstd_safe::compress_bound(block.len()));
                self.zstd.compress_to_buffer(block, &mut self.packed).unwrap();
                &self.packed
            }
        };
        for length in [block.len(), packed.len()] {
            self.sink.write_all(&(length as u64).to_le_bytes()).unwrap();
        }
        self.sink.write_all(packed).unwrap();
    }
}

/// Shows each block of a file to `visit`.
pub(super) fn read(path: &Path, codec: Codec, mut visit: impl FnMut(&[u8])) {
    let mut file = BufReader::new(File::open(path).unwrap());
    let mut zstd = zstd::bulk::Decompressor::new().unwrap();
    let mut packed = Vec::new();
    let mut block = rkyv::util::AlignedVec::<16>::new();
    let mut word = [0; 8];
    while file.read_exact(&mut word).is_ok() {
        let length = u64::from_le_bytes(word) as usize;
        file.read_exact(&mut word).unwrap();
        let size = u64::from_le_bytes(word) as usize;
        block.resize(length, 0);
        if codec == Codec::None {
            file.read_exact(&mut block).unwrap();
        } else {
            packed.resize(size, 0);
            file.read_exact(&mut packed).unwrap();
            let found = match codec {
                Codec::Lz4 => lz4_flex::block::decompress_into(&packed, &mut block).unwrap(),
                _ => zstd.decompress_to_buffer(&packed, &mut block[..]).unwrap(),
            };
            assert_eq!(found, length);
        }
        visit(&block);
    }
}
