#[cfg(feature = "lzma")]
use std::io::Write;

use proptest::prelude::*;

use super::*;
use crate::error::ErrorKind;

/// The algorithms of this build.
fn enabled() -> impl Iterator<Item = Algorithm> {
    Algorithm::ALL.into_iter().filter(|algorithm| algorithm.is_enabled())
}

/// Every algorithm of this build at every level.
fn settings() -> impl Iterator<Item = Compression> {
    enabled().flat_map(|algorithm| (1..=9).map(move |level| Compression::new(algorithm, level).unwrap()))
}

/// Bytes without any order, always the same ones (xorshift).
fn noise(length: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_be_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

/// Bytes that look like an index column: slowly growing numbers of four bytes.
fn offsets(length: usize) -> Vec<u8> {
    let numbers = noise(length.div_ceil(4)).into_iter().scan(0, |sum, step| {
        *sum += u32::from(step % 5);
        Some(*sum)
    });
    let mut bytes: Vec<u8> = numbers.flat_map(u32::to_le_bytes).collect();
    bytes.truncate(length);
    bytes
}

/// `source` as chunks.
fn compressed(settings: Compression, source: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    assert!(Compressor::new().compress(settings, source, &mut out).unwrap(), "{settings}");
    out
}

/// What a container would store: chunks, or the source where they are no smaller.
fn stored(compressor: &mut Compressor, settings: Compression, source: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    match compressor.compress(settings, source, &mut out).unwrap() {
        true => assert!(out.len() < source.len()),
        false => {
            assert!(out.is_empty());
            out.extend_from_slice(source);
        }
    }
    out
}

fn decompressed(stored: &[u8], length: u64) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    Decompressor::new().decompress(stored, length, &mut out).inspect_err(|_| assert!(out.is_empty()))?;
    assert_eq!(out.len() as u64, length);
    Ok(out)
}

/// A chunk of any kind around `payload`.
fn chunk(magic: &[u8; 3], payload: &[u8], length: usize) -> Vec<u8> {
    let u24 = |value: usize| u32::try_from(value).unwrap().to_le_bytes();
    [&magic[..], &u24(payload.len())[..3], &u24(length)[..3], payload].concat()
}

#[test]
fn everything_comes_back() {
    let mut compressor = Compressor::new();
    let mut decompressor = Decompressor::new();
    let sources = [
        vec![],
        vec![7],
        vec![0; 9],
        vec![0; 10],
        vec![0; 11],
        b"muons.pt".to_vec(),
        vec![0; 100],
        offsets(1000),
        noise(1000),
        offsets(70_000),
        noise(70_000),
        [offsets(20_000), noise(20_000)].concat(),
    ];
    // One pair of contexts for all, as a thread has it.
    for settings in settings() {
        for source in &sources {
            let stored = stored(&mut compressor, settings, source);
            let mut out = b"before".to_vec();
            decompressor.restore(&stored, source.len() as u64, &mut out).unwrap();
            assert!(out.strip_prefix(b"before") == Some(source), "{settings}, {} bytes", source.len());
        }
    }
}

#[test]
fn what_shrinks_is_compressed_and_what_does_not_is_left_alone() {
    let mut compressor = Compressor::new();
    for settings in settings() {
        let mut out = b"before".to_vec();
        for source in [vec![], vec![0], vec![0; 9], vec![0; 10], noise(500), noise(100_000)] {
            assert!(!compressor.compress(settings, &source, &mut out).unwrap(), "{settings}");
            assert_eq!(out, b"before", "{settings}");
        }
        for source in [vec![0; 200], offsets(500), offsets(100_000)] {
            out.truncate(6);
            assert!(compressor.compress(settings, &source, &mut out).unwrap(), "{settings}");
            assert!(out.starts_with(b"before") && out.len() < source.len() + 6, "{settings}");
        }
    }
}

#[test]
fn no_compression_is_none() {
    let mut out = Vec::new();
    assert!(!Compressor::new().compress(Compression::NONE, &[0; 1000], &mut out).unwrap());
    assert!(out.is_empty());
}

#[test]
fn large_blocks_are_chunks_that_all_shrink() {
    let most = chunk::MAX_LENGTH;
    let source = offsets(65_521).repeat(520);
    for (length, count) in [(most, 1), (most + 1, 2), (2 * most + 3, 3)] {
        let source = &source[..length];
        // A build without optimisation takes seconds for 32 MiB of the codecs in Rust.
        let quick = |&algorithm: &_| count < 3 || matches!(algorithm, Algorithm::Zstd | Algorithm::Lzma);
        for algorithm in enabled().filter(quick) {
            let stored = compressed(Compression::new(algorithm, 1).unwrap(), source);
            let mut rest = &stored[..];
            let mut lengths = Vec::new();
            while !rest.is_empty() {
                let before = rest.len();
                let chunk = Chunk::read(&mut rest).unwrap();
                assert!(before - rest.len() < chunk.length, "ROOT refuses this chunk");
                lengths.push(chunk.length);
            }
            assert_eq!(lengths.len(), count, "{algorithm}");
            assert!(decompressed(&stored, length as u64).unwrap() == source, "{algorithm}");
        }
    }
}

#[test]
fn a_large_block_with_a_part_that_cannot_shrink_is_raw() {
    let half = chunk::MAX_LENGTH - 5;
    let source = [vec![0; half], noise(half)].concat();
    for algorithm in enabled().filter(|&algorithm| algorithm != Algorithm::Lzma) {
        let mut out = Vec::new();
        let settings = Compression::new(algorithm, 1).unwrap();
        assert!(!Compressor::new().compress(settings, &source, &mut out).unwrap(), "{algorithm}");
        assert!(out.is_empty());
    }
}

#[test]
fn contexts_leave_no_trace() {
    let sources = [offsets(3000), offsets(100_000), noise(90_000), vec![1; 70_000], offsets(3000)];
    let mut compressor = Compressor::new();
    for settings in settings().chain(settings()) {
        for source in &sources {
            let fresh = stored(&mut Compressor::new(), settings, source);
            assert!(stored(&mut compressor, settings, source) == fresh, "{settings}");
        }
    }
}

#[test]
fn a_context_survives_an_error() {
    let source = offsets(5000);
    for settings in settings() {
        let good = compressed(settings, &source);
        let mut decompressor = Decompressor::new();
        let mut out = b"before".to_vec();
        for cut in [good.len() / 2, good.len() - 1] {
            let mut bad = good.clone();
            bad[cut] ^= 0x55;
            let _ = decompressor.decompress(&bad, 5000, &mut out);
            out.truncate(6);
            assert!(decompressor.decompress(&good[..cut], 5000, &mut out).is_err());
            assert_eq!(out, b"before");
            decompressor.decompress(&good, 5000, &mut out).unwrap();
            assert_eq!(&out[6..], source);
            out.truncate(6);
        }
    }
}

#[test]
fn contexts_may_move_to_another_thread() {
    fn is_send<T: Send>() {}
    is_send::<Compressor>();
    is_send::<Decompressor>();
}

#[test]
fn restore_tells_raw_from_chunks_by_the_size() {
    let mut decompressor = Decompressor::new();
    let mut out = vec![9];
    decompressor.restore(&[1, 2, 3], 3, &mut out).unwrap();
    decompressor.restore(&[], 0, &mut out).unwrap();
    assert_eq!(out, [9, 1, 2, 3]);
    let error = decompressor.restore(&[1, 2, 3], 2, &mut out).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(decompressor.restore(&[1, 2, 3], 4, &mut out).is_err());
    assert_eq!(out, [9, 1, 2, 3]);
    // Bytes that look like a chunk are still raw if there are as many as promised.
    let lookalike = chunk(b"ZS\x01", &[0; 20], 100);
    assert_eq!(lookalike.len(), 29);
    decompressor.restore(&lookalike, 29, &mut out).unwrap();
    assert_eq!(out[4..], lookalike);
}

#[test]
fn chunks_of_different_algorithms_mix() {
    let source = offsets(40_000);
    let mut stored = Vec::new();
    let mut expected = Vec::new();
    for (settings, part) in settings().zip(source.chunks(1000)) {
        stored.extend(compressed(settings, part));
        expected.extend_from_slice(part);
    }
    assert_eq!(decompressed(&stored, expected.len() as u64).unwrap(), expected);
}

/// A text as raw DEFLATE and as zlib stream, made by the zlib of another language.
#[cfg(feature = "zlib")]
mod made_elsewhere {
    use super::*;

    const TEXT: &[u8] = b"pt eta phi, pt eta phi, pt eta phi";
    const DEFLATE: [u8; 17] = [
        0x2b, 0x28, 0x51, 0x48, 0x2d, 0x49, 0x54, 0x28, 0xc8, 0xc8, 0xd4, 0x51, 0x28, 0xc0, 0xca, 0x06, 0x00,
    ];

    const ADLER: [u8; 4] = [0xc8, 0x85, 0x0b, 0x76];

    #[test]
    fn deflate_of_old_is_read() {
        let old = chunk(b"CS\x08", &DEFLATE, TEXT.len());
        assert_eq!(decompressed(&old, 34).unwrap(), TEXT);
        let new = compressed(Compression::zlib(6), &[TEXT, TEXT].concat());
        let both = [&old[..], &new, &old].concat();
        assert_eq!(decompressed(&both, 4 * 34).unwrap(), TEXT.repeat(4));
    }

    #[test]
    fn a_zlib_stream_is_read_and_its_checksum_verified() {
        let mut stream = [&[0x78, 0x9c][..], &DEFLATE, &ADLER].concat();
        assert_eq!(decompressed(&chunk(b"ZL\x08", &stream, TEXT.len()), 34).unwrap(), TEXT);
        *stream.last_mut().unwrap() ^= 1;
        let error = decompressed(&chunk(b"ZL\x08", &stream, TEXT.len()), 34).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfSpec);
        assert!(error.to_string().starts_with("zlib chunk at byte 0 of a compressed block: "), "{error}");
    }

    #[test]
    fn damaged_deflate_of_old_does_no_harm() {
        does_no_harm(&chunk(b"CS\x08", &DEFLATE, TEXT.len()), 34);
    }
}

/// Frames by writers other than this one: without a content size, with checksums.
#[cfg(feature = "zstd")]
#[test]
fn zstd_frames_of_any_kind_are_read() {
    use std::io::Write;

    let source = offsets(300_000);
    for checksum in [false, true] {
        let mut encoder = ::zstd::Encoder::new(Vec::new(), 3).unwrap();
        encoder.include_checksum(checksum).unwrap();
        encoder.write_all(&source).unwrap();
        let mut frame = encoder.finish().unwrap();
        assert_eq!(::zstd::zstd_safe::get_frame_content_size(&frame).ok(), Some(None));
        assert_eq!(decompressed(&chunk(b"ZS\x01", &frame, source.len()), 300_000).unwrap(), source);
        let last = frame.len() - 1;
        frame[last] ^= 1;
        assert!(!checksum || decompressed(&chunk(b"ZS\x01", &frame, source.len()), 300_000).is_err());
    }
}

/// A stream as another writer could make it.
#[cfg(feature = "lzma")]
fn xz_stream(preset: u32, check: lzma_rust2::CheckType, source: &[u8]) -> Vec<u8> {
    let mut options = lzma_rust2::XzOptions::with_preset(preset);
    options.lzma_options.dict_size = options.lzma_options.dict_size.min(1 << 20);
    options.set_check_sum_type(check);
    let mut writer = lzma_rust2::XzWriter::new(Vec::new(), options).unwrap();
    writer.write_all(source).unwrap();
    writer.finish().unwrap()
}

#[cfg(feature = "lzma")]
#[test]
fn xz_streams_of_any_check_and_preset_are_read() {
    use lzma_rust2::CheckType;

    let source = offsets(30_000);
    for check in [CheckType::None, CheckType::Crc32, CheckType::Crc64, CheckType::Sha256] {
        for preset in 0..=9 {
            let mut payload = xz_stream(preset, check, &source);
            let stored = |payload: &[u8]| chunk(b"XZ\x00", payload, source.len());
            assert_eq!(decompressed(&stored(&payload), 30_000).unwrap(), source);
            // Another first byte of content, which the check is not of.
            let content = 12 + 12 + 7;
            payload[content] ^= 1;
            let seen = decompressed(&stored(&payload), 30_000);
            assert!(check == CheckType::None || seen.is_err(), "{check:?}");
        }
    }
}

#[cfg(feature = "lzma")]
#[test]
fn an_xz_dictionary_beyond_every_preset_is_refused() {
    let source = offsets(5000);
    let mut payload = xz_stream(1, lzma_rust2::CheckType::None, &source);
    let mut with_dictionary = |code: u8| {
        // The header of the block, of 12 bytes with its checksum.
        payload[12 + 4] = code;
        let checksum = crc32(&payload[12..20]);
        payload[20..24].copy_from_slice(&checksum.to_le_bytes());
        decompressed(&chunk(b"XZ\x00", &payload, 5000), 5000)
    };
    // 2 or 3 times a power of two: 64 MiB is what preset 9 has.
    assert_eq!(with_dictionary(28).unwrap(), source);
    for code in [29, 30, 39, 40] {
        let error = with_dictionary(code).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    }
}

#[cfg(feature = "lzma")]
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| (sum >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(sum & 1)))
    })
}

#[cfg(feature = "lzma")]
#[test]
fn our_xz_streams_have_no_check_and_a_small_dictionary() {
    for level in 1..=9 {
        let stored = compressed(Compression::lzma(level), &offsets(5000));
        assert_eq!(stored[9..17], [0xfd, b'7', b'z', b'X', b'Z', 0, 0, 0], "magic and check");
        // Block header: size, flags, filter 0x21 (LZMA2), one byte of properties: 6 KiB.
        assert_eq!(stored[9 + 12..9 + 17], [2, 0, 0x21, 1, 1], "level {level}");
    }
}

#[cfg(feature = "lz4")]
#[test]
fn the_checksum_of_lz4_stands_before_the_block() {
    let source = offsets(5000);
    let mut stored = compressed(Compression::lz4(1), &source);
    let hash = xxhash_rust::xxh64::xxh64(&stored[17..], 0);
    assert_eq!(stored[9..17], hash.to_be_bytes());
    // The version of the library that wrote it does not matter.
    stored[2] = 9;
    assert_eq!(decompressed(&stored, 5000).unwrap(), source);
    stored[9] ^= 1;
    let error = decompressed(&stored, 5000).unwrap_err();
    assert_eq!(error.to_string(), "lz4 chunk at byte 0 of a compressed block: checksum differs");
}

#[test]
fn headers_are_as_the_format_has_them() {
    for (settings, magic) in [
        (Compression::zlib(1), b"ZL\x08"),
        (Compression::lzma(1), b"XZ\x00"),
        (Compression::lz4(1), b"L4\x01"),
        (Compression::zstd(1), b"ZS\x01"),
    ] {
        if settings.algorithm().unwrap().is_enabled() {
            let stored = compressed(settings, &[0; 0x01_0203]);
            assert_eq!(stored[..3], magic[..], "{settings}");
            let size = stored.len() - 9;
            assert_eq!(stored[3..6], u32::try_from(size).unwrap().to_le_bytes()[..3], "{settings}");
            assert_eq!(stored[6..9], [3, 2, 1], "{settings}");
        }
    }
}

/// No prefix and no changed byte of a block panics, takes much memory, or gives another length.
fn does_no_harm(stored: &[u8], length: u64) {
    let mut decompressor = Decompressor::new();
    let mut try_out = |bytes: &[u8], must_fail: bool| {
        let mut out = b"before".to_vec();
        let result = decompressor.decompress(bytes, length, &mut out);
        assert!(out.starts_with(b"before"));
        assert_eq!(out.len() as u64, if result.is_ok() { 6 + length } else { 6 });
        assert!(!must_fail || result.is_err());
        assert!(out.capacity() <= 33 << 20);
    };
    for end in 0..stored.len() {
        try_out(&stored[..end], true);
    }
    let mut bytes = stored.to_vec();
    bytes.push(0);
    try_out(&bytes, true);
    bytes.pop();
    for at in 0..stored.len() {
        for bits in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
            bytes[at] ^= bits;
            // The header has no slack, but for the version of LZ4.
            let slack = at == 2 && bytes.starts_with(b"L4");
            try_out(&bytes, at < 9 && !slack);
            bytes[at] ^= bits;
        }
    }
    try_out(stored, false);
}

#[test]
fn damage_does_no_harm() {
    for algorithm in enabled() {
        for source in [vec![0; 300], offsets(100).repeat(4), [vec![3; 150], noise(60)].concat()] {
            let stored = compressed(Compression::new(algorithm, 6).unwrap(), &source);
            does_no_harm(&stored, source.len() as u64);
        }
        let level = Compression::new(algorithm, 1).unwrap();
        let two = [compressed(level, &[1; 100]), compressed(level, &[2; 120])].concat();
        does_no_harm(&two, 220);
    }
}

#[test]
fn another_length_than_the_promised_one_is_an_error() {
    for algorithm in enabled() {
        let settings = Compression::new(algorithm, 1).unwrap();
        let good = compressed(settings, &[5; 300]);
        assert!(decompressed(&good, 300).is_ok());
        // Promised by the container.
        for length in [0, 1, 299, 301, 600, 1 << 24, 1 << 60, u64::MAX] {
            let mut out = Vec::new();
            let error = Decompressor::new().decompress(&good, length, &mut out).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{algorithm}, {length}");
            assert!(out.is_empty() && out.capacity() < 5000, "{algorithm}, {length}");
        }
        // Promised by the chunk, and by the container just as falsely.
        for length in [1_u16, 299, 301, 600] {
            let mut bad = good.clone();
            bad[6..8].copy_from_slice(&length.to_le_bytes());
            assert!(decompressed(&bad, length.into()).is_err(), "{algorithm}, {length}");
        }
    }
}

#[test]
fn a_claim_gets_no_memory() {
    let mut out = Vec::new();
    for magic in [b"ZL\x08", b"CS\x08", b"XZ\x00", b"L4\x01", b"ZS\x01"] {
        // 16 MiB out of 400 bytes is more than any codec but zstd can do.
        let bomb = chunk(magic, &[0; 400], chunk::MAX_LENGTH);
        for length in [chunk::MAX_LENGTH as u64, 1 << 60, u64::MAX] {
            assert!(Decompressor::new().decompress(&bomb, length, &mut out).is_err());
        }
        if magic != b"ZS\x01" {
            assert_eq!(out.capacity(), 0, "{magic:?}");
        }
    }
    assert!(out.capacity() <= 2 * chunk::MAX_LENGTH);
}

#[test]
fn bytes_that_are_no_chunks_are_refused() {
    let empty = chunk(b"ZS\x01", &[], 0);
    assert!(decompressed(&empty.repeat(1000), 5).is_err());
    assert_eq!(decompressed(&[], 0).unwrap(), [0u8; 0]);
    for (bytes, length, message) in [
        (&b""[..], 5, "chunk at byte 0 of a compressed block: 9 bytes of header expected, 0 found"),
        (b"ZS\x01", 5, "chunk at byte 0 of a compressed block: 9 bytes of header expected, 3 found"),
        (
            b"ROOT\0\0\0\0\0\0",
            50,
            "chunk at byte 0 of a compressed block: 52 4f 4f begins no known kind of chunk",
        ),
        (
            b"ZS\x01\x05\0\0\x20\0\0...",
            32,
            "chunk at byte 0 of a compressed block: 5 bytes of payload expected, 3 found",
        ),
        (b"ZS\x01", 0, "the chunks of a compressed block end at byte 0, the block at byte 3"),
    ] {
        let error = decompressed(bytes, length).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfSpec);
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn bytes_after_the_content_of_a_chunk_are_refused() {
    for algorithm in enabled() {
        let good = compressed(Compression::new(algorithm, 6).unwrap(), &offsets(500));
        let magic = good.first_chunk().unwrap();
        assert_eq!(decompressed(&chunk(magic, &good[9..], 500), 500).unwrap(), offsets(500));
        let padded = [&good[9..], &[0, 0, 0, 0]].concat();
        assert!(decompressed(&chunk(magic, &padded, 500), 500).is_err(), "{algorithm}");
    }
}

#[test]
fn a_codec_that_is_left_out_is_named() {
    for (magic, algorithm) in [
        (b"ZL\x08", Algorithm::Zlib),
        (b"CS\x08", Algorithm::Zlib),
        (b"XZ\x00", Algorithm::Lzma),
        (b"L4\x01", Algorithm::Lz4),
        (b"ZS\x01", Algorithm::Zstd),
    ] {
        let reading = decompressed(&chunk(magic, &[0; 50], 100), 100).unwrap_err();
        let settings = Compression::new(algorithm, 1).unwrap();
        let writing = Compressor::new().compress(settings, &[0; 100], &mut Vec::new());
        if algorithm.is_enabled() {
            assert_eq!(reading.kind(), ErrorKind::OutOfSpec, "{algorithm}");
            assert!(writing.unwrap());
        } else {
            for error in [reading, writing.unwrap_err()] {
                assert_eq!(error.kind(), ErrorKind::FeatureDisabled, "{algorithm}");
                assert!(error.to_string().contains(&format!("`{algorithm}`")), "{error}");
            }
        }
    }
}

#[cfg(feature = "zlib")]
mod by_root {
    use super::*;
    use crate::reference;

    #[test]
    fn the_streamer_info_of_root_is_read() {
        let Some(dir) = reference::directory() else { return };
        let file = std::fs::read(dir.join("uncompressed_single-v1.0.0.0.root")).unwrap();
        let list = decompressed(&file[2130..2463], 1254).unwrap();
        // A TList: a byte count that leaves out its own four bytes, and a version.
        assert_eq!(list[..6], [0x40, 0, 0x04, 0xe2, 0, 5]);
        assert!(list.windows(13).any(|window| window == b"TStreamerInfo"));
        does_no_harm(&file[2130..2463], 1254);
    }

    /// Wherever a file by ROOT has the first bytes of a chunk and of its payload, there is a chunk.
    #[cfg(feature = "zstd")]
    #[test]
    fn every_chunk_by_root_is_read() {
        let Some(dir) = reference::directory() else { return };
        let mut decompressor = Decompressor::new();
        let mut out = Vec::new();
        let mut found = [0, 0];
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "root") {
                continue;
            }
            let file = std::fs::read(&path).unwrap();
            for at in 0..file.len().saturating_sub(13) {
                let kind = match &file[at..at + 13] {
                    [b'Z', b'L', 8, .., 0x78, _, _, _] => 0,
                    [b'Z', b'S', 1, .., 0x28, 0xb5, 0x2f, 0xfd] => 1,
                    _ => continue,
                };
                let mut rest = &file[at..];
                let chunk = Chunk::read(&mut rest).unwrap();
                out.clear();
                let stored = &file[at..file.len() - rest.len()];
                decompressor
                    .restore(stored, chunk.length as u64, &mut out)
                    .unwrap_or_else(|error| panic!("{} at {at}: {error}", path.display()));
                found[kind] += 1;
            }
        }
        println!("{} zlib and {} zstd chunks read", found[0], found[1]);
        assert!(found[0] > 0 && found[1] > 0);
    }
}

/// Runs and noise, in any order: what a page may look like.
fn content() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![
        (any::<u8>(), 1_usize..300).prop_map(|(byte, count)| vec![byte; count]),
        prop::collection::vec(any::<u8>(), 0..100),
        (0_usize..2000).prop_map(offsets),
    ];
    prop::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn any_content_comes_back(parts in prop::collection::vec(content(), 1..4)) {
        let mut compressor = Compressor::new();
        let mut decompressor = Decompressor::new();
        for settings in settings() {
            for part in &parts {
                let stored = stored(&mut compressor, settings, part);
                let mut out = Vec::new();
                decompressor.restore(&stored, part.len() as u64, &mut out)?;
                prop_assert!(&out == part, "{}", settings);
            }
        }
    }

    #[test]
    fn any_payload_does_no_harm(
        payload in prop::collection::vec(any::<u8>(), 0..200),
        kind in 0_usize..5,
        real_start in any::<bool>(),
        length in 1_u64..5000,
    ) {
        let (magic, start): (_, &[u8]) = [
            (b"ZL\x08", &[0x78, 0x9c][..]),
            (b"CS\x08", &[][..]),
            (b"XZ\x00", &[0xfd, b'7', b'z', b'X', b'Z', 0, 0, 0, 0xff, 0x12, 0xd9, 0x41][..]),
            (b"L4\x01", &[][..]),
            (b"ZS\x01", &[0x28, 0xb5, 0x2f, 0xfd][..]),
        ][kind];
        let mut payload = if real_start { [start, &payload].concat() } else { payload };
        if kind == 3 && real_start {
            // A true checksum, so that the block itself is looked at.
            let hash = xxhash_rust::xxh64::xxh64(&payload, 0);
            payload.splice(0..0, hash.to_be_bytes());
        }
        let stored = chunk(magic, &payload, usize::try_from(length).unwrap());
        let mut out = vec![1, 2, 3];
        let result = Decompressor::new().decompress(&stored, length, &mut out);
        prop_assert_eq!(out.len() as u64, if result.is_ok() { 3 + length } else { 3 });
    }

    #[test]
    fn any_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..100), length in any::<u64>()) {
        let mut out = Vec::new();
        let result = Decompressor::new().restore(&bytes, length, &mut out);
        prop_assert_eq!(out.len() as u64, if result.is_ok() { length } else { 0 });
    }
}
