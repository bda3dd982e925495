//! Ntuples written by hand, sound and with one fault each.

#![expect(clippy::cast_possible_truncation, reason = "the numbers are small")]

mod left_over;

use std::io::IoSlice;

use super::*;
use crate::compression::Compression;
use crate::dataset::Dataset;
use crate::encoding::{ColumnEncoding, ColumnType, Element, Index, Switch};
use crate::envelope::{Footer, Header, PageList, SchemaDescription};
use crate::error::{ErrorKind, Result};
use crate::page::Sealer;
use crate::root::{Anchor, EnvelopeSpan, FileOptions, FileWriter};
use crate::schema::{
    AliasColumn, ClusterDescriptor, ClusterGroup, ColumnDescriptor, ColumnId, ColumnRange, FieldDescriptor,
    FieldId, LinkedAttributeSet, Locator, PageLocation, Role,
};
use crate::storage::Memory;

/// A file being written, and the parts of the one ntuple in it.
struct Draft {
    file: FileWriter<Memory>,
    name: &'static str,
    header: SchemaDescription,
    extension: SchemaDescription,
    clusters: Vec<ClusterDescriptor>,
    /// How the footer tells the clusters apart; default: all in one group.
    groups: Option<Vec<(u64, u64, u32)>>,
    sets: Option<Vec<LinkedAttributeSet>>,
    compression: Compression,
}

fn field(parent: Option<u32>, role: Role, name: &str, type_name: &str) -> FieldDescriptor {
    FieldDescriptor::new(parent.map(FieldId), role, name, type_name)
}

fn column(column_type: ColumnType, field: u32) -> ColumnDescriptor {
    ColumnDescriptor::new(column_type as u16, *column_type.bit_range().end(), FieldId(field))
}

impl Draft {
    fn new(fields: Vec<FieldDescriptor>, columns: Vec<ColumnDescriptor>) -> Self {
        let file = FileWriter::create(Memory::new(), FileOptions::new().name("f.root")).unwrap();
        let header = SchemaDescription { fields, columns, ..SchemaDescription::default() };
        let extension = SchemaDescription::default();
        let (name, compression) = ("Events", Compression::NONE);
        Self { file, name, header, extension, clusters: vec![], groups: None, sets: None, compression }
    }

    /// One page.
    fn page<E: Element>(&mut self, column_type: ColumnType, values: &[E]) -> PageLocation {
        let page = Sealer::new(true, None)
            .seal_copy(&ColumnEncoding::of(column_type), self.compression, values)
            .unwrap()
            .wait()
            .unwrap();
        let offset = self.file.any().append_blob(&[IoSlice::new(&page.to_stored())], 0).unwrap();
        PageLocation::new(page.count(), true, Locator::File { offset, size: page.size() as u64 })
    }

    /// A column of one page, or of none.
    fn range<E: Element>(&mut self, first: u64, column_type: ColumnType, values: &[E]) -> ColumnRange {
        let page = (!values.is_empty()).then(|| self.page(column_type, values));
        ColumnRange::new(first, self.compression.code(), page.into_iter().collect())
    }

    fn offsets(&mut self, first: u64, ends: &[u64]) -> ColumnRange {
        let ends: Vec<_> = ends.iter().map(|end| Index(*end)).collect();
        self.range(first, ColumnType::Index64, &ends)
    }

    fn cluster(&mut self, first_entry: u64, entries: u64, columns: Vec<ColumnRange>) {
        self.clusters.push(ClusterDescriptor::new(first_entry, entries, columns));
    }

    fn envelope(&mut self, bytes: &[u8]) -> EnvelopeSpan {
        let offset = self.file.any().append_blob(&[IoSlice::new(bytes)], 0).unwrap();
        EnvelopeSpan { offset, size: bytes.len() as u64, length: bytes.len() as u64 }
    }

    /// Writes the envelopes; returns the anchor.
    fn close(&mut self) -> Anchor {
        let header = Header { name: self.name.to_owned(), schema: self.header.clone(), ..Header::default() };
        let fields = header.schema.fields.len() as u32;
        let (bytes, header_checksum) = header.write().unwrap();
        let header = self.envelope(&bytes);
        let groups = self.groups.clone().unwrap_or_else(|| {
            let entries = self.clusters.iter().map(|cluster| cluster.entry_count).sum();
            vec![(0, entries, self.clusters.len() as u32)]
        });
        let mut clusters = self.clusters.clone().into_iter();
        let mut cluster_groups = Vec::new();
        for (first, entries, count) in groups {
            let clusters = clusters.by_ref().take(count as usize).collect();
            let list = PageList { header_checksum, clusters }.write().unwrap();
            let EnvelopeSpan { offset, size, length } = self.envelope(&list);
            let locator = Locator::File { offset, size };
            cluster_groups.push(ClusterGroup::new(first, entries, count, length, locator));
        }
        let footer = Footer {
            header_checksum,
            extension: self.extension.clone(),
            cluster_groups,
            attribute_sets: self.sets.clone(),
            ..Footer::default()
        };
        let footer = self.envelope(&footer.write(fields).unwrap());
        Anchor::new([1, 0, 1, 0], header, footer)
    }

    fn finish(mut self) -> Vec<u8> {
        let anchor = self.close();
        self.file.any().put_anchor("Events", &anchor).unwrap();
        self.file.any().finish().unwrap();
        self.file.into_inner().into_bytes()
    }

    /// Faults and notes.
    fn check(self) -> Vec<String> {
        let report = report(self.finish());
        let notes = report.notes.iter().map(|note| &note.error);
        report.faults.iter().chain(notes).map(short).collect()
    }
}

fn report(bytes: Vec<u8>) -> Report {
    check_file(&RootFile::from_storage(Memory::from(bytes)).unwrap(), CheckOptions::new())
}

/// Without what is the same in all, and without offsets.
fn short(error: &Error) -> String {
    let text = error.to_string();
    let text = text.strip_prefix("memory: Events: ").unwrap_or(&text);
    match (text.find(", offset "), text.find(": ")) {
        (Some(start), Some(end)) if start < end => format!("{}{}", &text[..start], &text[end..]),
        _ => text.to_owned(),
    }
}

/// `struct Event { n: i32, hits: Vec<f32> }`
fn event() -> Draft {
    Draft::new(
        vec![
            field(None, Role::Plain, "n", "std::int32_t"),
            field(None, Role::Collection, "hits", "std::vector<float>"),
            field(Some(1), Role::Plain, "_0", "float"),
        ],
        vec![column(ColumnType::Int32, 0), column(ColumnType::Index64, 1), column(ColumnType::Real32, 2)],
    )
}

/// Columns of `event`.
fn columns(draft: &mut Draft, first: [u64; 3], n: &[i32], ends: &[u64], hits: &[f32]) -> Vec<ColumnRange> {
    vec![
        draft.range(first[0], ColumnType::Int32, n),
        draft.offsets(first[1], ends),
        draft.range(first[2], ColumnType::Real32, hits),
    ]
}

/// Two clusters of two entries.
fn two_clusters() -> Draft {
    let mut draft = event();
    let one = columns(&mut draft, [0, 0, 0], &[1, 2], &[1, 3], &[0.0, 0.5, 1.0]);
    draft.cluster(0, 2, one);
    let two = columns(&mut draft, [2, 2, 3], &[3, 4], &[0, 2], &[1.5, 2.0]);
    draft.cluster(2, 2, two);
    draft
}

#[test]
fn readers_compare_groups_with_their_clusters() {
    let open = |draft: Draft| {
        let file = RootFile::from_storage(Memory::from(draft.finish())).unwrap();
        Dataset::open(&file, "Events")
    };
    let with = |groups: &[(u64, u64, u32)]| Draft { groups: Some(groups.to_vec()), ..two_clusters() };
    let entries: Vec<u64> = two_clusters().clusters.iter().map(|cluster| cluster.entry_count).collect();
    let (one, two) = (entries[0], entries[1]);
    let sound = open(with(&[(0, one, 1), (one, 0, 0), (one, two, 1)])).unwrap();
    assert_eq!((sound.clusters().filter(Result::is_ok).count(), sound.entry_count()), (2, one + two));
    assert_eq!(sound.cluster_of(one).unwrap(), Some(1));
    // ROOT writes that groups without clusters begin with entry 0.
    let sound = open(with(&[(0, one, 1), (0, 0, 0), (one, two, 1), (0, 0, 0)])).unwrap();
    assert_eq!((sound.clusters().filter(Result::is_ok).count(), sound.entry_count()), (2, one + two));
    let clusters = [0, one, one + two].map(|entry| sound.cluster_of(entry).unwrap());
    assert_eq!(clusters, [Some(0), Some(1), None]);

    // What the footer alone gets wrong.
    for groups in
        [[(0, one, 1), (one + 1, two, 1)], [(1, one, 1), (one, two, 1)], [(0, 9, 1), (9, u64::MAX, 1)]]
    {
        let error = open(with(&groups)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfSpec);
        assert!(error.location().offset.is_some(), "{error}");
    }
    // What the page list says differently: of the entries, where they begin, and the number of clusters.
    let first = |groups: &[_], cluster| {
        let error = open(with(groups)).unwrap().clusters().find_map(Result::err).unwrap();
        assert_eq!((error.kind(), error.location().cluster), (ErrorKind::OutOfSpec, cluster), "{error}");
        error.to_string()
    };
    let message = first(&[(0, one + two + 1, 2)], None);
    assert!(message.ends_with(&format!("end with entry {}, their group with {}", one + two, one + two + 1)));
    let message = first(&[(0, one + 1, 1), (one + 1, two, 1)], None);
    assert!(message.contains("their group with"), "{message}");
    let message = first(&[(0, 0, 0), (0, 1, 1), (1, one + two - 1, 1)], None);
    assert!(message.contains("their group with"), "{message}");
}

#[test]
fn entries_without_elements_are_counted_over_all_groups() {
    let most = 1 << 24;
    let mut draft = Draft::new(vec![field(None, Role::Record, "r", "")], vec![]);
    draft.cluster(0, most, vec![]);
    draft.cluster(most, 1, vec![]);
    draft.groups = Some(vec![(0, most, 1), (most, 1, 1)]);
    let file = RootFile::from_storage(Memory::from(draft.finish())).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    for _ in 0..2 {
        let error = dataset.clusters().find_map(Result::err).unwrap();
        assert_eq!((error.kind(), error.location().cluster), (ErrorKind::OutOfSpec, Some(1)), "{error}");
        assert_eq!(dataset.cluster(0).unwrap().entry_count, most);
    }
}

#[test]
fn a_sound_ntuple_is_sound() {
    let report = report(two_clusters().finish());
    assert!(report.is_sound() && report.notes.is_empty(), "{:?}", report.faults);
    let ntuple = &report.ntuples[0];
    assert_eq!((ntuple.entries, ntuple.clusters, ntuple.pages), (4, 2, 6));
    let payload = 4 * 4 + 4 * 8 + 5 * 4 + 6 * 8;
    assert_eq!((ntuple.bytes, ntuple.is_checked, &*ntuple.path), (payload, true, "Events"));
    assert_eq!(report.pages(), 6);
}

#[test]
fn element_offsets_are_running_sums() {
    let mut draft = two_clusters();
    draft.clusters[1].columns[0].first_element = Some(3);
    draft.clusters[1].columns[2].first_element = Some(2);
    assert_eq!(
        draft.check(),
        [
            "column 0 (n), cluster 1: begins with element 3, 2 is the next",
            "column 2 (hits._0), cluster 1: begins with element 2, 3 is the next",
        ]
    );
}

#[test]
fn columns_have_the_elements_that_entries_and_offsets_need() {
    let mut draft = event();
    let first = columns(&mut draft, [0, 0, 0], &[1, 2, 3], &[1, 3], &[0.0; 4]);
    draft.cluster(0, 2, first);
    assert_eq!(
        draft.check(),
        [
            "column 0 (n), cluster 0: 2 entries need 2 elements, the pages hold 3",
            "column 2 (hits._0), cluster 0: 3 values of hits need 3 elements, the pages hold 4",
        ]
    );
}

#[test]
fn offsets_never_fall_within_and_between_pages() {
    let mut draft = event();
    let first = columns(&mut draft, [0, 0, 0], &[1, 2], &[3, 1], &[0.0]);
    draft.cluster(0, 2, first);
    let mut second = columns(&mut draft, [2, 2, 1], &[1, 2], &[3], &[0.0]);
    let page = draft.page(ColumnType::Index64, &[Index(1)]);
    second[1].pages.push(page);
    draft.cluster(2, 2, second);
    assert_eq!(
        draft.check(),
        [
            "page 0 of column 1 (hits), cluster 0: element 1 of the page ends at item 1, before 3",
            "page 1 of column 1 (hits), cluster 1: begins with an end at item 1, the page before ends at 3",
        ]
    );
}

fn variant() -> Draft {
    Draft::new(
        vec![
            field(None, Role::Variant, "v", "std::variant<float,std::int8_t>"),
            field(Some(0), Role::Plain, "_0", "float"),
            field(Some(0), Role::Plain, "_1", "std::int8_t"),
        ],
        vec![column(ColumnType::Switch, 0), column(ColumnType::Real32, 1), column(ColumnType::Int8, 2)],
    )
}

fn switched(draft: &mut Draft, switches: &[(u64, u32)], a: usize, b: usize) -> Vec<ColumnRange> {
    let switches: Vec<_> = switches.iter().map(|&(index, tag)| Switch { index, tag }).collect();
    vec![
        draft.range(0, ColumnType::Switch, &switches),
        draft.range(0, ColumnType::Real32, &vec![1.0f32; a]),
        draft.range(0, ColumnType::Int8, &vec![1i8; b]),
    ]
}

#[test]
fn switches_agree_with_their_alternatives() {
    let check = |switches: &[(u64, u32)], a, b| {
        let mut draft = variant();
        let columns = switched(&mut draft, switches, a, b);
        draft.cluster(0, switches.len() as u64, columns);
        draft.check()
    };
    assert_eq!(check(&[(0, 1), (0, 2), (0, 0), (1, 1)], 2, 1), [""; 0]);
    assert_eq!(
        check(&[(0, 1), (0, 3)], 1, 0),
        ["page 0 of column 0 (v), cluster 0: element 1 of the page names alternative 3 of 2"]
    );
    assert_eq!(
        check(&[(1, 1)], 1, 0),
        ["page 0 of column 0 (v), cluster 0: begins at 1 of alternative 1, 0 is the next"]
    );
    assert_eq!(
        check(&[(0, 2)], 1, 1),
        ["column 1 (v._0), cluster 0: 0 values of v need 0 elements, the pages hold 1"]
    );
}

#[test]
fn values_fit_the_type_of_their_field() {
    let mut draft =
        Draft::new(vec![field(None, Role::Plain, "n", "std::int8_t")], vec![column(ColumnType::Int32, 0)]);
    let range = draft.range(0, ColumnType::Int32, &[5, 128]);
    draft.cluster(0, 2, vec![range]);
    assert_eq!(draft.check(), ["page 0 of column 0 (n), cluster 0: element 1 of the page does not fit"]);
}

#[test]
fn clusters_and_groups_follow_each_other() {
    let mut draft = two_clusters();
    draft.clusters[1].first_entry = 3;
    // The element offsets are then wrong too.
    assert_eq!(draft.check()[0], "cluster 1: begins with entry 3, 2 is the next");
    let groups = |groups: &[(u64, u64, u32)]| {
        let mut draft = two_clusters();
        draft.groups = Some(groups.to_vec());
        draft.check()
    };
    assert_eq!(groups(&[(0, 2, 1), (2, 2, 1)]), [""; 0]);
    assert_eq!(groups(&[(0, 2, 1), (2, 0, 0), (2, 2, 1)]), [""; 0]);
    assert_eq!(groups(&[(0, 2, 1), (0, 0, 0), (2, 2, 1), (0, 0, 0)]), [""; 0]);
    assert_eq!(groups(&[(0, 5, 2)]), ["group 0 ends with entry 5, its clusters with 4"]);
    assert_eq!(
        groups(&[(0, 2, 1), (3, 1, 1)]),
        ["group 1 begins with entry 3, 2 is the next", "cluster 1: begins with entry 2, 3 is the next"]
    );
}

#[test]
fn every_fault_is_listed_and_none_hides_another() {
    let mut draft = two_clusters();
    draft.groups = Some(vec![(0, 2, 1), (2, 2, 1)]);
    let (mut bytes, clusters) = {
        let clusters = draft.clusters.clone();
        (draft.finish(), clusters)
    };
    let mut damage = |cluster: usize, column: usize| {
        let Locator::File { offset, .. } = clusters[cluster].columns[column].pages[0].locator else {
            panic!()
        };
        bytes[offset as usize] ^= 1;
    };
    damage(0, 0);
    damage(0, 1);
    damage(1, 2);
    let found = report(bytes);
    let faults: Vec<_> = found.faults.iter().map(short).collect();
    assert_eq!(
        faults,
        [
            "page 0 of column 0 (n), cluster 0: checksum differs",
            "page 0 of column 1 (hits), cluster 0: checksum differs",
            "page 0 of column 2 (hits._0), cluster 1: checksum differs",
        ]
    );
    assert_eq!(found.faults[0].location().page, Some(0));
    assert!(found.faults[0].location().offset.is_some());
}

/// The bytes of one envelope of the file, found by its beginning.
fn envelope_at(bytes: &[u8], kind: u8) -> usize {
    let mut at = (8..bytes.len()).filter(|&at| bytes[at..].starts_with(&[kind, 0]));
    at.find(|&at| {
        let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) >> 16;
        let end = at as u64 + length;
        length > 16 && end <= bytes.len() as u64 && {
            let end = end as usize;
            let stored = u64::from_le_bytes(bytes[end - 8..end].try_into().unwrap());
            xxhash_rust::xxh3::xxh3_64(&bytes[at..end - 8]) == stored
        }
    })
    .unwrap()
}

#[test]
fn pages_are_checked_without_the_header() {
    let draft = two_clusters();
    let clusters = draft.clusters.clone();
    let mut bytes = draft.finish();
    let header = envelope_at(&bytes, 1);
    bytes[header + 20] ^= 1;
    let Locator::File { offset, .. } = clusters[1].columns[1].pages[0].locator else { panic!() };
    bytes[offset as usize] ^= 1;
    let found = report(bytes);
    let faults: Vec<_> = found.faults.iter().map(short).collect();
    assert_eq!(faults.len(), 2, "{faults:?}");
    assert!(faults[0].contains("header envelope: checksum differs"), "{faults:?}");
    assert_eq!(faults[1], "page 0 of column 1, cluster 1: checksum differs");
    assert!(!found.ntuples[0].is_checked);
    assert_eq!(found.ntuples[0].pages, 6);
}

#[test]
fn a_lost_group_does_not_spoil_the_next() {
    let mut draft = two_clusters();
    draft.groups = Some(vec![(0, 2, 1), (2, 2, 1)]);
    let mut bytes = draft.finish();
    let list = envelope_at(&bytes, 3);
    bytes[list + 20] ^= 1;
    let found = report(bytes);
    let faults: Vec<_> = found.faults.iter().map(short).collect();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(faults[0].contains("page list envelope: checksum differs"), "{faults:?}");
    assert_eq!((found.ntuples[0].clusters, found.ntuples[0].entries), (1, 2));
}

#[test]
fn pages_are_equal_or_apart_and_lie_in_blobs() {
    let mut draft = two_clusters();
    // Equal values of two entries, stored once.
    draft.clusters[1].columns[1] = draft.clusters[0].columns[1].clone();
    draft.clusters[1].columns[1].first_element = Some(2);
    let hits = draft.page(ColumnType::Real32, &[1f32, 2.0, 3.0]);
    draft.clusters[1].columns[2].pages = vec![hits];
    let notes = draft.check();
    assert!(notes[0].contains("40 bytes in 2 blobs that nothing refers to"), "{notes:?}");
    assert_eq!(notes.len(), 1);

    let shifted = |by: u64| {
        let mut draft = two_clusters();
        let page = &mut draft.clusters[1].columns[0].pages[0];
        let Locator::File { offset, size } = &mut page.locator else { panic!() };
        *offset += by;
        let _ = size;
        // The page of the other cluster is read first.
        draft.clusters[0].columns[0].pages[0].locator = Locator::File { offset: *offset - by, size: *size };
        draft.check()
    };
    let faults = shifted(4);
    assert!(faults[0].contains("overlap another page or envelope"), "{faults:?}");

    let mut draft = two_clusters();
    draft.clusters[0].columns[0].pages[0].locator = Locator::File { offset: 100, size: 8 };
    let faults = draft.check();
    assert!(
        faults[0].starts_with("page 0 of column 0 (n), cluster 0: bytes 100 to 116 do not lie"),
        "{faults:?}"
    );

    let mut draft = two_clusters();
    draft.clusters[0].columns[0].pages[0].locator = Locator::File { offset: 1 << 40, size: 8 };
    assert!(draft.check()[0].contains("a page of 16 bytes, but the file ends at"));
}

#[test]
fn settings_say_where_pages_are_compressed() {
    let mut draft = event();
    draft.compression = Compression::zstd(1);
    let hits = vec![1.0f32; 1000];
    let mut ranges = columns(&mut draft, [0, 0, 0], &[1], &[1000], &hits);
    assert_ne!(ranges[2].compression, 0);
    draft.cluster(0, 1, ranges.clone());
    ranges[2].compression = 0;
    for (range, first) in ranges.iter_mut().zip([1, 1, 1000]) {
        range.first_element = Some(first);
    }
    draft.cluster(1, 1, ranges);
    assert_eq!(
        draft.check(),
        [
            "page 0 of column 2 (hits._0), cluster 1: compressed, but the column's settings say that nothing is (0)"
        ]
    );
}

/// `n` as Int32, or as Int8 where that is enough.
fn two_representations() -> Draft {
    let mut draft = Draft::new(
        vec![field(None, Role::Plain, "n", "std::int32_t")],
        vec![column(ColumnType::Int32, 0), column(ColumnType::Int8, 0)],
    );
    draft.header.columns[1].representation = 1;
    draft
}

#[test]
fn exactly_one_representation_is_active() {
    let mut draft = two_representations();
    let wide = draft.range(0, ColumnType::Int32, &[1000, 2000]);
    let narrow = draft.range(2, ColumnType::Int8, &[1i8]);
    draft.cluster(0, 2, vec![wide.clone(), ColumnRange::suppressed()]);
    draft.cluster(2, 1, vec![ColumnRange::suppressed(), narrow]);
    assert_eq!(draft.check(), [""; 0]);

    let mut draft = two_representations();
    let wide = draft.range(0, ColumnType::Int32, &[1000]);
    let narrow = draft.range(0, ColumnType::Int8, &[1i8]);
    draft.cluster(0, 1, vec![wide, narrow]);
    draft.cluster(1, 1, vec![ColumnRange::suppressed(), ColumnRange::suppressed()]);
    assert_eq!(
        draft.check(),
        [
            "column 1 (n), cluster 0: active, as column 0 is, which it stands in for",
            "column 0 (n), cluster 1: every representation of the field is suppressed",
        ]
    );
}

/// A field that was added after `entries` entries; `deferred` as its columns say it.
fn extended(deferred: Option<i64>) -> Draft {
    let mut draft = event();
    draft.extension.fields = vec![field(None, Role::Plain, "late", "std::array<float,2>")];
    draft.extension.fields[0].array_size = Some(2);
    draft.extension.fields.push(field(Some(3), Role::Plain, "_0", "float"));
    draft.extension.columns = vec![column(ColumnType::Real32, 4)];
    draft.extension.columns[0].first_element = deferred;
    let one = columns(&mut draft, [0, 0, 0], &[1, 2], &[1, 1], &[0.0]);
    draft.cluster(0, 2, one);
    draft
}

#[test]
fn columns_that_came_later_are_deferred() {
    // Entry 3, the second of the second cluster, is the first to have the array.
    for (deferred, first, values) in [(Some(6), 6, 2), (Some(4), 4, 4), (Some(0), 4, 4), (None, 4, 4)] {
        let mut draft = extended(deferred);
        let mut two = columns(&mut draft, [2, 2, 1], &[3, 4], &[0, 0], &[]);
        let late = draft.range(first, ColumnType::Real32, &vec![1f32; values]);
        two.push(late);
        draft.cluster(2, 2, two);
        let faults = draft.check();
        match deferred {
            Some(4..) => assert_eq!(faults, [""; 0]),
            _ => assert_eq!(
                faults[0],
                "column 3 (late._0), cluster 1: no pages for entries 0 to 2, and not deferred"
            ),
        }
    }
    assert_eq!(extended(Some(4)).check(), [""; 0]);
    assert_eq!(
        extended(Some(3)).check(),
        ["column 3 (late._0): no pages for entries 0 to 2, and not deferred"]
    );
}

#[test]
fn a_cluster_lists_the_columns_of_the_header() {
    let mut draft = two_clusters();
    draft.clusters[0].columns.truncate(2);
    let faults = draft.check();
    assert_eq!(faults[0], "cluster 0: 2 columns, 3 to 3 expected");
    assert!(
        faults.contains(
            &"column 1 (hits), cluster 0: 3 values in columns that the cluster does not list".into()
        )
    );
}

#[test]
fn the_header_repeats_the_name_of_the_key() {
    let mut draft = two_clusters();
    draft.name = "Other";
    let faults = draft.check();
    assert_eq!(faults.len(), 1);
    assert!(faults[0].ends_with("its header calls it \"Other\""), "{faults:?}");
}

#[test]
fn what_is_of_a_later_version_is_noted() {
    let mut draft = event();
    draft.header.fields.push(field(None, Role::Plain, "new", "T"));
    draft.header.columns.push(column(ColumnType::Int8, 3));
    draft.header.columns[3].type_code = 0x99;
    let mut one = columns(&mut draft, [0, 0, 0], &[1], &[1], &[0.0]);
    // Whatever the elements are, the checksum can be compared.
    let mut page = draft.page(ColumnType::Int8, &[1i8, 2, 3]);
    page.count = 1;
    one.push(ColumnRange::new(0, 0, vec![page]));
    draft.cluster(0, 1, one);
    assert_eq!(draft.check(), ["new: column 3 (new) has the unknown type 0x99"]);
}

/// Each representation has one column, which looks like a field of one column.
#[test]
fn columns_that_are_no_values_are_faults() {
    let mut bytes = column(ColumnType::Char, 0);
    bytes.representation = 1;
    let draft = Draft::new(
        vec![field(None, Role::Plain, "text", "std::string")],
        vec![column(ColumnType::Index64, 0), bytes],
    );
    assert_eq!(draft.check(), ["text: the columns of std::string (Index64, Char) are no values"]);
}

/// `struct Quality { n: i32 }`, about ranges of entries.
fn quality() -> Draft {
    Draft::new(
        vec![
            field(None, Role::Plain, "_rangeStart", "std::uint64_t"),
            field(None, Role::Plain, "_rangeLen", "std::uint64_t"),
            field(None, Role::Record, "_userData", ""),
            field(Some(2), Role::Plain, "n", "std::int32_t"),
        ],
        vec![column(ColumnType::UInt64, 0), column(ColumnType::UInt64, 1), column(ColumnType::Int32, 3)],
    )
}

/// Four entries, and two sets that are one, of another version the second time.
fn with_set(set: Draft, fill: impl FnOnce(&mut Draft)) -> Report {
    report(file_with_set(set, fill))
}

fn file_with_set(mut set: Draft, fill: impl FnOnce(&mut Draft)) -> Vec<u8> {
    let mut draft = two_clusters();
    std::mem::swap(&mut set.file, &mut draft.file);
    fill(&mut set);
    let anchor = set.close();
    let (offset, size) = set.file.any().put_unlisted_anchor("quality", &anchor).unwrap();
    std::mem::swap(&mut set.file, &mut draft.file);
    let locator = Locator::File { offset, size: size.into() };
    draft.sets = Some(vec![
        LinkedAttributeSet::new("quality", (1, 3), size, locator),
        LinkedAttributeSet::new("future", (2, 0), size, locator),
    ]);
    draft.finish()
}

fn attributes(set: &mut Draft, ranges: &[(u64, u64)]) {
    let (starts, lengths): (Vec<_>, Vec<_>) = ranges.iter().copied().unzip();
    let values: Vec<i32> = ranges.iter().map(|_| 7).collect();
    let columns = vec![
        set.range(0, ColumnType::UInt64, &starts),
        set.range(0, ColumnType::UInt64, &lengths),
        set.range(0, ColumnType::Int32, &values),
    ];
    set.cluster(0, ranges.len() as u64, columns);
}

#[test]
fn attribute_sets_are_checked_too() {
    let report = with_set(quality(), |set| attributes(set, &[(0, 4), (1, 2), (4, 0)]));
    assert_eq!(report.verdict, Verdict::Incomplete, "{:?}", report.faults);
    assert_eq!(report.ntuples.len(), 3);
    assert_eq!(report.ntuples[1].path, "Events, attribute set quality");
    assert_eq!((report.ntuples[1].entries, report.ntuples[1].pages), (3, 3));
    assert_eq!(report.notes.len(), 1);
    assert!(report.notes[0].to_string().contains("the attribute set has version 2.0"));
}

/// A few bytes may name many sets of millions of ranges.
#[test]
fn so_many_ranges_are_looked_at_in_all_sets_together() {
    let mut draft = quality();
    attributes(&mut draft, &[(0, 4), (1, 2), (4, 9)]);
    let file = RootFile::from_storage(Memory::from(draft.finish())).unwrap();
    let path = file.ntuples().unwrap().remove(0).path();
    let set = std::sync::Arc::new(Dataset::open(&file, &path).unwrap());
    let (mut findings, mut ranges) = (Findings::new("f", 10), 5);
    let mut check = || {
        attributes::check_set(&set, 3, Some(4), &mut ranges, &mut findings);
        (ranges, findings.faults.count(), findings.notes.count())
    };
    assert_eq!(check(), (2, 1, 0));
    // The third one, which goes too far, is out of reach.
    assert_eq!(check(), (0, 1, 1));
    let (notes, _) = findings.notes.into_parts();
    assert_eq!(notes[0].to_string(), "f: only the first 2 ranges of 3");
}

#[test]
fn attributes_say_nothing_of_entries_that_are_not_there() {
    let faults = |ranges: &[(u64, u64)]| -> Vec<String> {
        let report = with_set(quality(), |set| attributes(set, ranges));
        report.faults.iter().map(ToString::to_string).collect()
    };
    let beyond = faults(&[(0, 4), (3, 2), (5, 0), (2, 2)]);
    assert_eq!(beyond.len(), 2, "{beyond:?}");
    assert!(
        beyond[0].contains("entry 1") && beyond[0].contains("up to 5, but there are only 4"),
        "{beyond:?}"
    );
    assert!(beyond[1].contains("entry 2"), "{beyond:?}");
    let overflow = faults(&[(u64::MAX, 2), (9, 9)]);
    assert!(overflow[0].contains("beyond 2^64"), "{overflow:?}");
}

#[test]
fn attribute_sets_have_the_fields_of_attribute_sets() {
    let fault = |change: fn(&mut Draft), text: &str| {
        let mut set = quality();
        change(&mut set);
        let bytes = file_with_set(set, |_| {});
        #[cfg(feature = "recover")]
        assert!(prove(&bytes).unwrap_err().to_string().contains("attribute set"), "{text}");
        let report = report(bytes);
        let faults: Vec<String> = report.faults.iter().map(ToString::to_string).collect();
        assert!(faults.iter().any(|fault| fault.contains(text)), "{text}: {faults:?}");
        assert!(report.ntuples[1].is_checked);
    };
    fault(
        |set| set.header.fields[0].name = "start".into(),
        "field 0 of an attribute set should be _rangeStart",
    );
    fault(
        |set| set.header.fields[1].type_name = "std::uint32_t".into(),
        "should be _rangeLen, std::uint64_t",
    );
    fault(|set| set.header.fields[2].type_name = "Quality".into(), "should be _userData, an untyped record");
    fault(|set| *set = event_of(set), "field 0 of an attribute set");
    fault(
        |set| {
            let mut projection = field(None, Role::Plain, "again", "std::uint64_t");
            projection.projection_source = Some(FieldId(0));
            set.header.fields.push(projection);
            set.header.alias_columns.push(AliasColumn::new(ColumnId(0), FieldId(4)));
        },
        "a projected field, which an attribute set cannot have",
    );
}

/// Whether a recovery would save the set.
#[cfg(feature = "recover")]
fn prove(bytes: &[u8]) -> Result<()> {
    let file = RootFile::from_storage(Memory::from(bytes.to_vec())).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    let set = std::sync::Arc::new(dataset.attribute_set("quality").unwrap());
    prove_set(&set, &dataset.attribute_sets()[0], 4)
}

#[cfg(feature = "recover")]
#[test]
fn a_set_that_breaks_a_rule_is_not_proved() {
    let with = |ranges: &[(u64, u64)]| prove(&file_with_set(quality(), |set| attributes(set, ranges)));
    with(&[(0, 4), (1, 2), (4, 0)]).unwrap();
    assert!(with(&[(0, 4), (3, 2)]).unwrap_err().to_string().contains("there are only 4"));
}

/// An event where a set should be.
fn event_of(set: &mut Draft) -> Draft {
    let mut event = event();
    std::mem::swap(&mut event.file, &mut set.file);
    event
}

#[test]
fn attribute_sets_are_told_apart_by_name() {
    let mut draft = two_clusters();
    let mut set = quality();
    std::mem::swap(&mut set.file, &mut draft.file);
    let anchor = set.close();
    let (offset, size) = set.file.any().put_unlisted_anchor("q", &anchor).unwrap();
    std::mem::swap(&mut set.file, &mut draft.file);
    let locator = Locator::File { offset, size: size.into() };
    let sets = ["q", "q", ""].map(|name| LinkedAttributeSet::new(name, (1, 0), size, locator));
    draft.sets = Some(sets.to_vec());
    let faults = draft.check();
    assert_eq!(faults[0], "two attribute sets are called \"q\"");
    assert_eq!(faults[1], "an attribute set without a name");
}

#[test]
fn the_same_ntuple_under_two_names_is_checked_once() {
    let mut draft = two_clusters();
    let anchor = draft.close();
    for path in ["Events", "copy/Events"] {
        draft.file.any().put_anchor(path, &anchor).unwrap();
    }
    draft.file.any().finish().unwrap();
    let report = report(draft.file.into_inner().into_bytes());
    assert!(report.is_sound(), "{:?}", report.faults);
    assert_eq!(report.pages(), 6);
    assert!(report.notes[0].to_string().contains("the same ntuple as"));
}

/// A page list may name one page as often as it likes; looking at it again and again would take for ever.
#[test]
fn a_page_that_is_named_without_end_is_read_twice() {
    let mut draft =
        Draft::new(vec![field(None, Role::Plain, "n", "std::uint64_t")], vec![column(ColumnType::UInt64, 0)]);
    draft.compression = Compression::zstd(1);
    let mut range = draft.range(0, ColumnType::UInt64, &vec![0u64; 1 << 20]);
    range.pages = vec![range.pages[0]; 100_000];
    draft.cluster(0, 100_000 << 20, vec![range]);
    let started = std::time::Instant::now();
    let report = report(draft.finish());
    assert!(report.is_sound(), "{:?}", report.faults);
    assert_eq!(report.pages(), 100_000);
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

#[test]
fn faults_without_end_are_counted() {
    let mut draft = event();
    let mut one = columns(&mut draft, [0, 0, 0], &[1], &[0], &[]);
    one[0].pages[0].count = 2;
    one[0].pages = vec![one[0].pages[0]; 50_000];
    draft.cluster(0, 1, one);
    let file = RootFile::from_storage(Memory::from(draft.finish())).unwrap();
    let report = check_file(&file, CheckOptions::new().fault_limit(100));
    assert_eq!(report.faults.len(), 100);
    assert_eq!(report.fault_count(), 50_001);
}

#[test]
fn progress_is_told_behind_each_column() {
    let mut seen = Vec::new();
    let file = RootFile::from_storage(Memory::from(two_clusters().finish())).unwrap();
    let options = CheckOptions::new().progress(|at| {
        assert_eq!((at.ntuple, at.entry_count), ("Events", 4));
        seen.push((at.entries, at.pages));
    });
    check_file(&file, options);
    assert_eq!(seen, [(0, 1), (1, 2), (2, 3), (2, 4), (3, 5), (4, 6)]);
}

#[test]
fn alias_columns_cost_nothing() {
    let mut draft = two_clusters();
    let mut projection = field(None, Role::Plain, "nHits", "ROOT::RNTupleCardinality<std::uint32_t>");
    projection.projection_source = Some(FieldId(1));
    draft.header.fields.push(projection);
    draft.header.alias_columns.push(AliasColumn::new(ColumnId(1), FieldId(3)));
    assert_eq!(draft.check(), [""; 0]);
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.bits() >> 11) as usize % limit.max(1)
    }

    /// Something near, or something extreme.
    fn near(&mut self, value: u64) -> u64 {
        match self.below(6) {
            0 => u64::MAX >> self.below(64),
            1 => 0,
            2 => value.wrapping_sub(1),
            3 => value.wrapping_mul(2),
            _ => value.wrapping_add(1),
        }
    }
}

/// `struct { words: [String; 2], either: Vec<Either>, flags: BitSet<3>, object: streamed }`
fn everything() -> Draft {
    use ColumnType as C;
    let fields = vec![
        field(None, Role::Plain, "words", "std::array<std::string,2>"),
        field(Some(0), Role::Plain, "_0", "std::string"),
        field(None, Role::Collection, "either", "std::vector<std::variant<float,std::int8_t>>"),
        field(Some(2), Role::Variant, "_0", "std::variant<float,std::int8_t>"),
        field(Some(3), Role::Plain, "_0", "float"),
        field(Some(3), Role::Plain, "_1", "std::int8_t"),
        field(None, Role::Plain, "flags", "std::bitset<3>"),
        field(None, Role::Streamer, "object", "T"),
    ];
    let columns = vec![
        column(C::Index64, 1),
        column(C::Char, 1),
        column(C::Index64, 2),
        column(C::Switch, 3),
        column(C::Real32, 4),
        column(C::Int8, 5),
        column(C::Bit, 6),
        column(C::Index64, 7),
        column(C::Byte, 7),
    ];
    let mut draft = Draft::new(fields, columns);
    (draft.header.fields[0].array_size, draft.header.fields[6].array_size) = (Some(2), Some(3));
    let mut first = [0; 9];
    for cluster in 0..2 {
        let switches = [(0, 1), (0, 2), (1, 1), (0, 0)].map(|(index, tag)| Switch { index, tag });
        let ranges = vec![
            draft.offsets(first[0], &[1, 1, 3, 4]),
            draft.range(first[1], C::Char, &[b'a', b'b', b'c', b'd'].map(crate::encoding::CxxChar)),
            draft.offsets(first[2], &[3, 4]),
            draft.range(first[3], C::Switch, &switches),
            draft.range(first[4], C::Real32, &[1f32, 2.0]),
            draft.range(first[5], C::Int8, &[-1i8]),
            draft.range(first[6], C::Bit, &[true, false, true, true, true, false]),
            draft.offsets(first[7], &[0, 2]),
            draft.range(first[8], C::Byte, &[1, 2].map(crate::encoding::Byte)),
        ];
        for (first, range) in first.iter_mut().zip(&ranges) {
            *first += range.stored_count();
        }
        draft.cluster(cluster * 2, 2, ranges);
    }
    draft
}

/// Changes one number somewhere.
fn mutate(draft: &mut Draft, random: &mut Random) {
    let cluster = random.below(draft.clusters.len());
    let cluster = &mut draft.clusters[cluster];
    let (columns, fields) = (draft.header.columns.len(), draft.header.fields.len());
    if cluster.columns.is_empty() {
        return;
    }
    let range = random.below(cluster.columns.len());
    match random.below(16) {
        0 => cluster.first_entry = random.near(cluster.first_entry) >> 8,
        1 => cluster.entry_count = random.near(cluster.entry_count) >> 8,
        2 => cluster.columns.truncate(range),
        3 => cluster.columns.push(cluster.columns[range].clone()),
        4 => cluster.columns[range] = ColumnRange::suppressed(),
        5 => {
            let range = &mut cluster.columns[range];
            range.first_element = Some(random.near(range.first_element.unwrap_or(0)) >> 1);
        }
        6..9 => {
            let range = &mut cluster.columns[range];
            let count = range.pages.len();
            let Some(page) = range.pages.get_mut(random.below(count)) else { return };
            let Locator::File { offset, size } = &mut page.locator else { return };
            match random.below(5) {
                0 => *offset = random.near(*offset),
                1 => *size = random.near(*size),
                2 => page.has_checksum = false,
                3 => range.pages.clear(),
                _ => page.count = random.near(page.count.into()).clamp(1, 0x7fff_ffff) as u32,
            }
        }
        9 => {
            let column = &mut draft.header.columns[random.below(columns)];
            let column_type = ColumnType::ALL[random.below(ColumnType::ALL.len())];
            (column.type_code, column.bits) = (column_type as u16, *column_type.bit_range().end());
            column.range = Some((0.0, 1.0));
        }
        10 => {
            let first = random.near(2).cast_signed();
            draft.header.columns[random.below(columns)].first_element = Some(first);
        }
        11 => {
            let field = &mut draft.header.fields[random.below(fields)];
            field.role = Role::from_code(random.below(6) as u16);
        }
        12 => {
            let field = &mut draft.header.fields[random.below(fields)];
            field.array_size = Some(random.near(field.array_size.unwrap_or(1)));
        }
        13 => {
            let id = random.below(fields);
            let parent = random.below(fields + 1).checked_sub(1).filter(|parent| *parent < id);
            draft.header.fields[id].parent = parent.map(|parent| FieldId(parent as u32));
        }
        14 => {
            let column = random.below(columns);
            draft.header.columns[column].field = FieldId(random.below(fields) as u32);
            draft.header.columns[column].representation = random.below(2) as u16;
        }
        _ => draft.header.fields[random.below(fields)].type_name = "std::uint64_t".to_owned(),
    }
}

/// The promise of `check`: whatever it finds sound can be read, entry by entry; and nothing makes it panic.
#[test]
fn what_is_sound_can_be_read() {
    let bases: [fn() -> Draft; 4] = [
        two_clusters,
        everything,
        || extended(Some(4)),
        || {
            let mut draft = two_representations();
            let wide = draft.range(0, ColumnType::Int32, &[1000, 2000]);
            let narrow = draft.range(2, ColumnType::Int8, &[1i8, 2]);
            draft.cluster(0, 2, vec![wide, ColumnRange::suppressed()]);
            draft.cluster(2, 2, vec![ColumnRange::suppressed(), narrow]);
            draft
        },
    ];
    for base in bases {
        assert_eq!(base().check(), [""; 0]);
    }
    let mut random = Random(1);
    let mut sound = 0;
    for round in 0..6000 {
        let mut draft = bases[round % bases.len()]();
        for _ in 0..1 + random.below(2) {
            mutate(&mut draft, &mut random);
        }
        let file = RootFile::from_storage(Memory::from(draft.finish())).unwrap();
        let started = std::time::Instant::now();
        let report = check_file(&file, CheckOptions::new());
        assert!(started.elapsed().as_secs() < 5);
        let is_whole = report.notes.iter().all(|note| note.kind != NoteKind::Unchecked);
        if report.faults.is_empty() && is_whole {
            sound += 1;
            let reader = crate::Reader::<crate::Value>::open(&file, "Events");
            let reader = reader.unwrap_or_else(|error| panic!("round {round}: {error}"));
            for entry in reader.entries().take(100) {
                assert!(entry.is_ok(), "round {round}: {entry:?}");
            }
        }
    }
    assert!(sound > 100, "{sound}");
}
