//! Pages: the unit of encoding, of compression and of checksums.
//!
//! ```text
//! values --encode--> bytes --compress--> fewer bytes --checksum--> sealed page
//! ```
//!
//! Values that are stored as they are in memory are not copied: the memory of the open page becomes the sealed one.

mod seal;
mod sealed;
mod spare;
mod unseal;

pub(crate) use seal::{PendingPage, Sealer};
pub(crate) use sealed::{OpenPage, SealedPage};
#[cfg(feature = "check")]
pub(crate) use unseal::Unsealer;
pub(crate) use unseal::{Unsealers, append_values};

#[cfg(all(test, rntuple_model))]
mod model;

#[cfg(test)]
mod tests {
    use xxhash_rust::xxh3::xxh3_64;

    use super::*;
    use crate::compression::Compression;
    use crate::encoding::{ColumnEncoding, ColumnType, Conversion, Element, Index, as_elements};
    use crate::limits::Limits;

    const ALL: Conversion = Conversion { skip: 0, lossy: false };

    fn sealed(compression: Compression, checksums: bool) -> (ColumnEncoding, Vec<u32>, SealedPage) {
        let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
        let values: Vec<u32> = (0..1000).collect();
        let sealer = Sealer::new(checksums, None);
        let page = sealer.seal_copy(&packing, compression, &values).unwrap().wait().unwrap();
        (packing, values, page)
    }

    #[test]
    fn pages_come_back_sealed_in_every_way() {
        for compression in [
            Compression::NONE,
            Compression::zstd(1),
            Compression::lz4(1),
            Compression::zlib(6),
            Compression::lzma(1),
        ] {
            for checksums in [false, true] {
                let (packing, values, page) = sealed(compression, checksums);
                assert_eq!(page.length(), 4000);
                assert_eq!(page.size() < 4000, !compression.is_none());
                let mut out = Vec::<u32>::new();
                Unsealer::new(true, &Limits::new())
                    .unseal(&packing, &page.to_stored(), page.has_checksum(), page.count(), ALL, &mut out)
                    .unwrap();
                assert_eq!(out, values);
            }
        }
    }

    #[test]
    fn every_flipped_byte_of_a_signed_page_is_noticed() {
        let (packing, _, page) = sealed(Compression::zstd(1), true);
        for position in 0..page.to_stored().len() {
            let mut bytes = page.to_stored();
            bytes[position] ^= 0x40;
            let mut out = Vec::<u32>::new();
            let error = Unsealer::new(true, &Limits::new())
                .unseal(&packing, &bytes, true, 1000, ALL, &mut out)
                .unwrap_err();
            assert_eq!(error.to_string(), "checksum differs");
            // Unverified, the damage may pass or be found further down, but never panics.
            let _ = Unsealer::new(false, &Limits::new()).unseal(&packing, &bytes, true, 1000, ALL, &mut out);
        }
    }

    /// LZ4 blocks have checksums of their own.
    #[test]
    fn a_checksum_inside_counts_unless_that_of_the_page_is_right() {
        let (packing, values, page) = sealed(Compression::lz4(1), true);
        let mut body = page.bytes().to_vec();
        body[9] ^= 1;
        let whole = [&body[..], &xxh3_64(&body).to_le_bytes()].concat();
        let unseal = |unsealer: Unsealer, stored: &[u8], has_checksum| {
            let (mut unsealer, mut out) = (unsealer, Vec::<u32>::new());
            unsealer.unseal(&packing, stored, has_checksum, 1000, ALL, &mut out).map(|_| out)
        };
        let unsealer = |verify| Unsealer::new(verify, &Limits::new());
        assert_eq!(unseal(unsealer(true), &whole, true).unwrap(), values);
        for (unsealer, stored, has_checksum) in [
            (unsealer(true).thorough(), &whole, true),
            (unsealer(false), &whole, true),
            (unsealer(true), &body, false),
        ] {
            let error = unseal(unsealer, stored, has_checksum).unwrap_err();
            assert!(error.to_string().ends_with("checksum differs"), "{error}");
        }
    }

    #[test]
    fn a_wrong_count_is_noticed() {
        let (packing, _, page) = sealed(Compression::NONE, true);
        for count in [0, 999, 1001, u32::MAX] {
            let mut out = Vec::<u32>::new();
            assert!(
                Unsealer::new(true, &Limits::new())
                    .unseal(&packing, &page.to_stored(), true, count, ALL, &mut out)
                    .is_err()
            );
        }
    }

    #[test]
    fn one_sealer_serves_columns_of_all_settings() {
        let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
        let values: Vec<u32> = (0..1000).collect();
        let all = [
            (Compression::lz4(4), b"L4"),
            (Compression::NONE, b"  "),
            (Compression::zstd(1), b"ZS"),
            (Compression::lzma(1), b"XZ"),
            (Compression::zlib(6), b"ZL"),
        ];
        let sealer = Sealer::new(true, None);
        // A second round: contexts and recycled buffers leave no traces.
        for (compression, magic) in all.into_iter().chain(all) {
            let page = sealer.seal_copy(&packing, compression, &values).unwrap().wait().unwrap();
            assert_eq!(page.to_stored(), sealed(compression, true).2.to_stored());
            if compression.is_none() {
                assert_eq!(page.size(), 4000);
            } else {
                assert!(page.bytes().starts_with(magic), "{compression}");
            }
            sealer.recycle([page]);
        }
    }

    #[test]
    fn a_page_that_does_not_shrink_is_stored_raw() {
        let packing = ColumnEncoding::of(ColumnType::UInt8);
        let sealer = Sealer::new(false, None);
        let page = sealer.seal_copy(&packing, Compression::zstd(1), &[7u8]).unwrap().wait().unwrap();
        assert_eq!(page.to_stored(), [7]);
    }

    /// Seals the first `count` values of an open page; returns the address of its memory before.
    fn seal_page<E: Element>(values: &[E], count: usize, packing: ColumnEncoding) -> (*const E, SealedPage) {
        let sealer = Sealer::new(true, None);
        let mut page: OpenPage<E> = values.into();
        let address = page.as_ptr();
        let sealed = sealer.seal(&packing, Compression::NONE, &mut page, count).unwrap().wait().unwrap();
        assert_eq!(page.len(), values.len());
        (address, sealed)
    }

    #[test]
    fn memory_that_is_the_page_is_not_copied() {
        let plain = ColumnEncoding::of(ColumnType::Index64);
        let values: Vec<Index> = (0..1000).map(Index).collect();
        let (address, page) = seal_page(&values, 1000, plain);
        assert_eq!(page.bytes().as_ptr() == address.cast(), cfg!(target_endian = "little"));
        assert_eq!((page.count(), page.length(), page.memory()), (1000, 8000, 8000));
        assert_eq!(as_elements::<Index>(page.bytes(), &plain).unwrap(), values);
        let copy = Sealer::new(true, None).seal_copy(&plain, Compression::NONE, &values);
        assert_eq!(page.to_stored(), copy.unwrap().wait().unwrap().to_stored());
        // What is not full would keep more memory than it needs.
        let (address, page) = seal_page(&values, 400, plain);
        assert_ne!(page.bytes().as_ptr(), address.cast());
        assert_eq!(page.bytes().len(), 3200);
        let (address, page) = seal_page(&values, 1000, ColumnEncoding::of(ColumnType::SplitIndex64));
        assert_ne!(page.bytes().as_ptr(), address.cast());
    }

    #[test]
    fn memory_of_written_pages_serves_the_next_ones() {
        let sealer = Sealer::new(true, None);
        sealer.keep_spare(1 << 20);
        let packing = ColumnEncoding::of(ColumnType::Real32);
        let mut page: OpenPage<f32> = [1.5; 1000].into();
        let seal = |page: &mut OpenPage<f32>| {
            sealer.seal(&packing, Compression::NONE, page, 1000).unwrap().wait().unwrap()
        };
        let first = seal(&mut page);
        let address = first.bytes().as_ptr();
        sealer.recycle([first]);
        let second = seal(&mut page);
        assert_eq!(page.as_ptr().cast(), address);
        assert_eq!(second.bytes().len(), 4000);
    }
}
