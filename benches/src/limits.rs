//! What the machine can do at all: the same bytes, without a format.

use std::hint::black_box;
use std::io::Write;
use std::path::Path;

use crate::digest::Digest;
use crate::peers::bound;
use crate::{Codec, Data, Sink};

/// The pages of the nested events, split as both formats' compressed pages are, of 64 KiB.
pub(crate) struct Pages {
    plain: Vec<Vec<u8>>,
    packed: Vec<(Codec, Vec<Vec<u8>>)>,
}

impl Pages {
    pub(crate) fn new(data: &Data) -> Self {
        let mut plain = Vec::new();
        bound::pages(&data.events, &mut |layout, page| {
            let mut split = Vec::with_capacity(page.len());
            bound::split(layout, page, &mut split);
            plain.push(split);
        });
        let packed = Codec::ALL.iter().map(|&codec| {
            let mut packed = Vec::new();
            compress(&plain, codec, |page| packed.push(page.to_vec()));
            (codec, packed)
        });
        let packed = packed.collect();
        Self { plain, packed }
    }
}

fn compress(pages: &[Vec<u8>], codec: Codec, mut visit: impl FnMut(&[u8])) {
    let level = if codec == Codec::Zstd5 { 5 } else { 1 };
    let mut zstd = zstd::bulk::Compressor::new(level).unwrap();
    let mut packed = vec![0; 128 << 10];
    for page in pages {
        match codec {
            Codec::None => visit(page),
            Codec::Lz4 => {
                let size = lz4_flex::block::compress_into(page, &mut packed).unwrap();
                visit(&packed[..size]);
            }
            Codec::Zstd1 | Codec::Zstd5 => {
                let size = zstd.compress_to_buffer(page, &mut packed[..]).unwrap();
                visit(&packed[..size]);
            }
        }
    }
}

/// A codec's compressor alone; without a codec, the copy of the pages.
pub(crate) fn pack(_: &Data, pages: &Pages, codec: Codec, _: &Path) {
    if codec == Codec::None {
        let mut copy = vec![0; 64 << 10];
        for page in &pages.plain {
            copy[..page.len()].copy_from_slice(page);
            black_box(&mut copy);
        }
        return;
    }
    compress(&pages.plain, codec, |page| {
        black_box(page);
    });
}

/// A codec's decompressor alone.
pub(crate) fn unpack(_: &Data, pages: &Pages, codec: Codec, _: &Path) {
    let mut zstd = zstd::bulk::Decompressor::new().unwrap();
    let mut page = vec![0; 64 << 10];
    for (_, packed) in pages.packed.iter().filter(|(of, _)| *of == codec) {
        for packed in packed {
            let length = match codec {
                Codec::None => 0,
                Codec::Lz4 => lz4_flex::block::decompress_into(packed, &mut page).unwrap(),
                Codec::Zstd1 | Codec::Zstd5 => zstd.decompress_to_buffer(packed, &mut page[..]).unwrap(),
            };
            black_box(&page[..length]);
        }
    }
}

/// A copy of all pages, from memory to memory.
pub(crate) fn memcpy(_: &Data, pages: &Pages, _: Codec, _: &Path) {
    let mut copies = Vec::with_capacity(pages.plain.len());
    copies.extend(pages.plain.iter().map(|page| black_box(page.clone())));
    black_box(copies);
}

/// All pages, written as they are to a file in the folder of the others.
pub(crate) fn write(_: &Data, pages: &Pages, _: Codec, path: &Path) {
    let mut file = Sink::File(path).open();
    for page in &pages.plain {
        file.write_all(page).unwrap();
    }
}

/// The digest of the events in memory: part of every read of structs.
pub(crate) fn digest(data: &Data, _: &Pages, _: Codec, _: &Path) {
    let mut digest = Digest::default();
    data.events.iter().for_each(|event| digest.event(event));
    assert_eq!(digest.finish(), data.digest);
}
