//! What no ntuple uses, what could not be looked at, and what is good to know: notes, and the verdict that follows.

use super::*;
use crate::Limits;

/// The verdict, and the notes with their kinds.
fn notes(report: &Report) -> (Verdict, Vec<(NoteKind, String)>) {
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    let notes = report.notes.iter().map(|note| (note.kind, note.to_string())).collect();
    (report.verdict, notes)
}

/// A blob of `size` bytes that nothing leads to.
fn lose(draft: &mut Draft, size: usize) -> u64 {
    draft.file.any().append_blob(&[IoSlice::new(&vec![7; size])], 0).unwrap()
}

#[test]
fn pages_of_lost_clusters_are_noticed() {
    let mut draft = two_clusters();
    let first = lose(&mut draft, 1000);
    lose(&mut draft, 24);
    let report = report(draft.finish());
    let text = "1024 bytes in 2 blobs that nothing refers to, such as entries that a writer lost";
    let note = (NoteKind::Unreferenced, format!("memory: offset {first}: {text}"));
    assert_eq!(notes(&report), (Verdict::Incomplete, vec![note]));
    assert_eq!((report.unreferenced_bytes, report.is_sound()), (1024, false));

    // Without a single entry, as a full disk leaves it, and without an ntuple.
    let mut draft = event();
    lose(&mut draft, 8);
    assert_eq!(super::report(draft.finish()).unreferenced_bytes, 8);
    let mut draft = event();
    lose(&mut draft, 9);
    draft.file.any().finish().unwrap();
    assert_eq!(super::report(draft.file.into_inner().into_bytes()).unreferenced_bytes, 9);
}

#[test]
fn pages_of_a_lost_page_list_are_not_called_lost() {
    let mut draft = two_clusters();
    lose(&mut draft, 1000);
    draft.groups = Some(vec![(0, 2, 1), (2, 2, 1)]);
    let bytes = draft.finish();
    let file = RootFile::from_storage(Memory::from(bytes.clone())).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let Locator::File { offset, .. } = dataset.cluster_groups()[1].page_list else { panic!() };
    let mut bad = bytes;
    bad[usize::try_from(offset).unwrap() + 20] ^= 1;
    let report = report(bad);
    assert_eq!((report.verdict, report.unreferenced_bytes), (Verdict::Damaged, 0));
    assert!(report.notes.is_empty(), "{:?}", report.notes);
}

#[test]
fn a_part_of_a_blob_is_left_over_unless_it_is_padding() {
    for (byte, size, left) in [(0, 100, 0), (0, 5000, 5000), (1, 100, 100)] {
        let mut draft = two_clusters();
        let page = Sealer::new(true, None)
            .seal_copy(&ColumnEncoding::of(ColumnType::Int32), draft.compression, &[3i32, 4])
            .unwrap()
            .wait()
            .unwrap();
        let parts = [&vec![byte; size][..], &page.to_stored()];
        let at = draft.file.any().append_blob(&parts.map(IoSlice::new), 0).unwrap();
        let locator = Locator::File { offset: at + size as u64, size: page.size() as u64 };
        draft.clusters[1].columns[0].pages = vec![PageLocation::new(2, true, locator)];
        // The page that it replaces has 16 bytes.
        assert_eq!(report(draft.finish()).unreferenced_bytes, left + 16);
    }
}

/// Envelopes that nothing leads to any more, as they are and compressed.
#[test]
fn what_was_replaced_is_an_older_state() {
    let mut draft = two_clusters();
    draft.close();
    let header = Header { description: "old ".repeat(100), ..Header::default() };
    let (header, _) = header.write().unwrap();
    let mut stored = Vec::new();
    let compressor = &mut crate::compression::Compressor::new();
    assert!(compressor.compress(Compression::zlib(1), &header, &mut stored).unwrap());
    draft.file.any().append_blob(&[IoSlice::new(&stored)], header.len() as u64).unwrap();
    let report = report(draft.finish());
    let (verdict, notes) = notes(&report);
    assert_eq!((verdict, notes.len(), report.unreferenced_bytes), (Verdict::Sound, 1, 0), "{notes:?}");
    assert_eq!(notes[0].0, NoteKind::Superseded);
    // The page list of before says what is still so: it is as good as a record for a recovery.
    assert!(notes[0].1.contains(" bytes in 3 blobs of older states, which newer ones have replaced"));
}

/// Of two ntuples of one name the later one hides the other, which is there all the same.
#[test]
fn what_an_older_cycle_uses_is_an_older_state() {
    let mut draft = two_clusters();
    let old = draft.close();
    draft.file.any().put_anchor("Events", &old).unwrap();
    let old_pages = 6;
    let two = columns(&mut draft, [0, 0, 0], &[3, 4], &[0, 2], &[1.5, 2.0]);
    draft.clusters = vec![ClusterDescriptor::new(0, 2, two)];
    let report = report(draft.finish());
    let (verdict, notes) = notes(&report);
    assert_eq!((verdict, report.pages(), notes.len()), (Verdict::Sound, 3, 1));
    // Envelopes and pages.
    assert!(notes[0].1.contains(&format!(" bytes in {} blobs of older states", 3 + old_pages)), "{notes:?}");
}

/// As uproot writes it: a greatest key of 0 bytes.
#[test]
fn bytes_that_are_never_cut_are_accounted_for() {
    let mut draft = two_clusters();
    let mut anchor = draft.close();
    anchor.max_key_size = 0;
    let lost = lose(&mut draft, 10);
    draft.file.any().put_anchor("Events", &anchor).unwrap();
    draft.file.any().finish().unwrap();
    let report = report(draft.file.into_inner().into_bytes());
    assert_eq!((report.pages(), report.unreferenced_bytes), (6, 10), "{:?}", report.faults);
    assert_eq!(report.notes[0].location().offset, Some(lost));
}

/// A payload in several blobs, and its other parts.
#[test]
fn parts_in_other_blobs_are_the_pages_own() {
    let mut draft = two_clusters();
    let mut page = Sealer::new(true, None)
        .seal_copy(&ColumnEncoding::of(ColumnType::Int32), draft.compression, &[7i32; 1000])
        .unwrap()
        .wait()
        .unwrap();
    let put = |draft: &mut Draft, page: &crate::page::SealedPage| {
        let offset = draft.file.any().append_payload(&page.to_stored(), 0, 1200).unwrap();
        PageLocation::new(1000, true, Locator::File { offset, size: page.size() as u64 })
    };
    let first = put(&mut draft, &page);
    page = Sealer::new(true, None)
        .seal_copy(&ColumnEncoding::of(ColumnType::Int32), draft.compression, &[8i32; 1000])
        .unwrap()
        .wait()
        .unwrap();
    let second = put(&mut draft, &page);
    let finish = |mut draft: Draft, pages: Vec<PageLocation>| {
        let elements = 1000 * pages.len() as u64;
        draft.header.fields.truncate(1);
        draft.header.columns.truncate(1);
        let range = ColumnRange::new(0, draft.compression.code(), pages);
        draft.clusters = vec![ClusterDescriptor::new(0, elements, vec![range])];
        let mut anchor = draft.close();
        anchor.max_key_size = 1200;
        draft.file.any().put_anchor("Events", &anchor).unwrap();
        draft.file.any().finish().unwrap();
        draft.file.into_inner().into_bytes()
    };
    // What is left over are the six pages of the draft.
    let old = 4 * 4 + 4 * 8 + 5 * 4 + 6 * 8;
    let bytes = finish(draft, vec![first, second]);
    assert_eq!(report(bytes.clone()).unreferenced_bytes, old);
    // The second page says that its last part is where that of the first one is.
    let last_part = |page: PageLocation| {
        let Locator::File { offset, .. } = page.locator else { panic!() };
        let at = usize::try_from(offset + 1200 - 8).unwrap();
        at..at + 8
    };
    let mut shared = bytes;
    let part = shared[last_part(first)].to_vec();
    shared[last_part(second)].copy_from_slice(&part);
    let faults: Vec<String> = report(shared).faults.iter().map(ToString::to_string).collect();
    assert!(faults.iter().any(|fault| fault.contains("belong to another page, too")), "{faults:?}");
}

/// As a write that fails leaves them, or an append that never finished.
#[test]
fn bytes_after_the_end_are_noticed() {
    let mut bytes = two_clusters().finish();
    let end = bytes.len();
    bytes.extend([7; 100]);
    let report = report(bytes);
    let text = "100 bytes after the end of the file, such as those of a write that failed or an append that never \
                finished";
    let note = (NoteKind::Unreferenced, format!("memory: offset {end}: {text}"));
    assert_eq!(notes(&report), (Verdict::Incomplete, vec![note]));
    assert_eq!(report.unreferenced_bytes, 100);
}

/// As uproot writes it: the streamer info describes other classes than that of the anchor.
#[test]
fn an_anchor_that_is_not_described_is_a_remark() {
    let mut bytes = two_clusters().finish();
    let info = u32::from_be_bytes(bytes[37..41].try_into().unwrap()) as usize;
    let name = b"ROOT::RNTuple";
    let mut places = bytes.windows(name.len()).enumerate().filter(|(at, found)| *at > info && found == name);
    let (at, _) = places.next().unwrap();
    bytes[at] = b'S';
    let text = "the streamer info does not describe ROOT::RNTuple, so JSROOT cannot read the ntuples; ROOT and \
                uproot can";
    let note = (NoteKind::Remark, format!("memory: {text}"));
    assert_eq!(notes(&report(bytes)), (Verdict::Sound, vec![note]));
}

/// The limit is on what the values take, not on their number.
#[test]
fn pages_beyond_the_limit_are_counted_and_not_called_sound() {
    let check = |limit: u64| {
        let fields = vec![
            field(None, Role::Plain, "n", "std::uint8_t"),
            field(None, Role::Collection, "hits", "std::vector<std::uint8_t>"),
            field(Some(1), Role::Plain, "_0", "std::uint8_t"),
        ];
        let types = [ColumnType::UInt8, ColumnType::Index64, ColumnType::UInt8];
        let columns = (0..3).zip(types).map(|(id, column_type)| column(column_type, id)).collect();
        let mut draft = Draft::new(fields, columns);
        let ranges = vec![
            draft.range(0, ColumnType::UInt8, &[7u8; 1000]),
            draft.offsets(0, &[1; 1000]),
            draft.range(0, ColumnType::UInt8, &[9u8]),
        ];
        draft.cluster(0, 1000, ranges);
        let file = RootFile::from_storage(Memory::from(draft.finish())).unwrap();
        check_file(&file.with_limits(Limits::new().page_length(limit)), CheckOptions::new())
    };
    for (limit, pages, text) in [
        (8000, 3, None),
        (1000, 2, Some("Events: page 0 of column 1 (hits), cluster 0, ")),
        (999, 1, Some("Events: page 0 of column 0 (n), cluster 0, ")),
    ] {
        let report = check(limit);
        let (verdict, notes) = notes(&report);
        assert_eq!((report.pages(), report.unchecked_pages()), (pages, 3 - pages));
        // The bytes of a page that is not looked into are its own all the same.
        assert_eq!(report.unreferenced_bytes, 0);
        let Some(text) = text else {
            assert_eq!((verdict, notes.len()), (Verdict::Sound, 0));
            continue;
        };
        assert_eq!((verdict, notes[0].0), (Verdict::Incomplete, NoteKind::Unchecked));
        let size = if pages == 2 { 8000 } else { 1000 };
        let reason = format!(
            "the page has {size} bytes, expected at most {limit}; `Limits::page_length` sets this limit"
        );
        assert!(notes[0].1.contains(text) && notes[0].1.contains(&reason), "{notes:?}");
    }
}
