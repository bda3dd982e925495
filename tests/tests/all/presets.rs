//! Options for some purposes do what their names say.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use rntuple::storage::Memory;
use rntuple::summary::Summary;
use rntuple::{Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::clusters;
use rntuple_tests::sample::{Noisy, noisy};

/// The summary, the most elements of a page, and the number of clusters.
fn written(events: &[Noisy], options: WriteOptions) -> (Summary, u64, usize) {
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(events).unwrap();
    let (summary, file) = writer.finish_into().unwrap();
    let file = RootFile::from_storage(file).unwrap();
    let reader = Reader::<Noisy>::open(&file, "Events").unwrap();
    assert!(reader.entries().map(Result::unwrap).eq(events.iter().cloned()));
    let clusters = clusters(&reader.dataset(0).unwrap());
    let pages = clusters.iter().flat_map(|cluster| &cluster.columns).flat_map(|column| &column.pages);
    (summary, pages.map(|page| u64::from(page.count)).max().unwrap(), clusters.len())
}

#[test]
fn each_preset_is_what_it_is_for() {
    let events = noisy(500_000);
    let default = written(&events, WriteOptions::new());
    let archive = written(&events, WriteOptions::archive());
    let fast = written(&events, WriteOptions::fast());
    let low_memory = written(&events, WriteOptions::low_memory());
    let streaming = written(&events, WriteOptions::streaming());
    let size = |(summary, ..): &(Summary, u64, usize)| summary.page_size;
    assert!(
        size(&archive) < size(&default) && size(&default) < size(&fast),
        "{archive:?} {default:?} {fast:?}"
    );
    // Hits have 4 bytes.
    let most = [&default, &archive, &fast, &low_memory, &streaming].map(|(_, most, _)| most * 4);
    assert_eq!(most, [256 << 10, 1 << 20, 64 << 10, 16 << 10, 256 << 10]);
    assert_eq!((default.2, archive.2), (1, 1));
    let wanted = usize::try_from(size(&streaming).div_ceil(8 << 20)).unwrap();
    assert!(wanted > 1 && streaming.2.abs_diff(wanted) <= 1, "{streaming:?}");
}
