//! A model of pages that threads of a pool and the thread that fills compress.

use crate::compression::Compression;
use crate::encoding::{ColumnEncoding, ColumnType};
use crate::page::{PendingPage, Sealer};
use crate::pool::Pool;

/// Seals pages, all of which are on their way before one is taken, and another one with the buffers of the first.
fn seal(sealer: &Sealer) -> Vec<Vec<u8>> {
    let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
    let begin = |number: u32| {
        let values = [number; 100];
        sealer.seal_copy(&packing, Compression::lz4(1), &values).unwrap()
    };
    let finish = |page: PendingPage| {
        let page = page.wait().unwrap();
        let bytes = [page.bytes(), page.checksum().unwrap()].concat();
        sealer.recycle([page]);
        bytes
    };
    let mut pages: Vec<PendingPage> = (0..2).map(begin).collect();
    let first = finish(pages.remove(0));
    pages.push(begin(2));
    let rest = pages.into_iter().map(finish);
    [first].into_iter().chain(rest).collect()
}

#[test]
fn pages_have_the_same_bytes_in_every_order_of_threads() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let alone = seal(&Sealer::new(true, None));
        let sealer = Sealer::new(true, Some(Pool));
        sealer.keep_spare(10_000);
        assert_eq!(seal(&sealer), alone);
        // A page that no thread waits for is no hindrance.
        let packing = ColumnEncoding::of(ColumnType::SplitUInt32);
        drop(sealer.seal_copy(&packing, Compression::lz4(1), &[7u32; 100]).unwrap());
    });
}
