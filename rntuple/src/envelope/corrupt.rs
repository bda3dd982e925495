//! Damaged envelopes: every prefix, every flipped byte, and sizes that cannot be.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

use super::crc32::crc32;
use super::dialect::Framing;
use super::reference::{Contents, Envelopes, files, ntuples, older, schema};
use super::{Dialect, Footer, Header, PageList};
use crate::check::{CheckOptions, check_file};
use crate::dataset::{self, build_schema};
use crate::error::Result;
use crate::field::Value;
use crate::format_version::FormatVersion;
use crate::reader::Reader;
use crate::root::{EnvelopeSpan, RootFile};
use crate::schema::{
    AliasColumn, ClusterDescriptor, ClusterGroup, ColumnDescriptor, ColumnId, ColumnRange, ExtraTypeInfo,
    FieldDescriptor, FieldId, LinkedAttributeSet, Locator, PageLocation, Role,
};
use crate::storage::Memory;

/// A small ntuple with one of everything, for tests that try every byte.
fn small() -> Envelopes {
    let mut array = FieldDescriptor::new(None, Role::Plain, "hits", "std::array<float,2>");
    (array.array_size, array.type_checksum, array.is_soa) = (Some(2), Some(1), true);
    let item = FieldDescriptor::new(Some(FieldId(0)), Role::Plain, "_0", "float");
    let mut view = FieldDescriptor::new(None, Role::Plain, "view", "float");
    view.projection_source = Some(FieldId(1));
    let mut quantised = ColumnDescriptor::new(0x1d, 9, FieldId(1));
    quantised.range = Some((-1.0, 1.0));
    let mut header = Header { name: "n".into(), writer: "w".into(), ..Header::default() };
    header.schema.fields = vec![array, item, view];
    header.schema.columns = vec![quantised];
    header.schema.alias_columns = vec![AliasColumn::new(ColumnId(0), FieldId(2))];
    let (header_bytes, header_checksum) = header.write().unwrap();

    let mut late = ColumnDescriptor::new(0x18, 32, FieldId(3));
    late.first_element = Some(5);
    let place = |size| Locator::File { offset: 300, size };
    let mut footer = Footer { header_checksum, ..Footer::default() };
    footer.extension.fields = vec![FieldDescriptor::new(None, Role::Plain, "late", "float")];
    footer.extension.columns = vec![late];
    footer.extension.extra_type_info = vec![ExtraTypeInfo::new(0, 0, String::new(), vec![0xff; 5])];
    footer.cluster_groups = vec![ClusterGroup::new(0, 7, 1, 200, place(100))];
    footer.attribute_sets = Some(vec![LinkedAttributeSet::new("set", (1, 0), 78, place(1 << 31))]);

    let pages = vec![PageLocation::new(7, true, place(8)), PageLocation::new(7, false, place(1 << 40))];
    let columns = vec![ColumnRange::new(0, 505, pages), ColumnRange::suppressed()];
    let clusters = vec![ClusterDescriptor::new(0, 7, columns)];
    Envelopes {
        header: header_bytes,
        footer: footer.write(3).unwrap(),
        page_lists: vec![PageList { header_checksum, clusters }.write().unwrap()],
    }
}

/// Reads all; and if that works, makes a schema of it and writes it again, which must read the same.
fn try_all(envelopes: &Envelopes, format_version: FormatVersion) -> Result<()> {
    if format_version.is_pre_release() {
        return try_older(envelopes, format_version);
    }
    let (header, _) = Header::read(&envelopes.header, Dialect::V1)?;
    let fields = header.schema.fields.len().try_into().unwrap();
    let footer = Footer::read(&envelopes.footer, Dialect::V1, fields)?;
    let page_lists = envelopes
        .page_lists
        .iter()
        .map(|list| PageList::read(list, Dialect::V1, Vec::new()))
        .collect::<Result<Vec<_>>>()?;

    // Nothing that was reserved is out of proportion to what was read.
    let total = envelopes.header.len() + envelopes.footer.len() + envelopes.page_lists.concat().len();
    let pages = page_lists.iter().flat_map(|list| &list.clusters).flat_map(|cluster| &cluster.columns);
    let pages: usize = pages.map(|column| column.pages.capacity()).sum();
    assert!(header.schema.fields.capacity() + footer.extension.fields.capacity() + pages <= total);

    if let Ok((bytes, _)) = header.write() {
        assert_eq!(format!("{:?}", Header::read(&bytes, Dialect::V1).unwrap().0), format!("{header:?}"));
    }
    if let Ok(bytes) = footer.write(fields) {
        assert_eq!(
            format!("{:?}", Footer::read(&bytes, Dialect::V1, fields).unwrap()),
            format!("{footer:?}")
        );
    }
    for list in &page_lists {
        if let Ok(bytes) = list.write() {
            assert_eq!(PageList::read(&bytes, Dialect::V1, Vec::new()).unwrap(), *list);
        }
    }
    let schema = schema(Contents { header, footer, page_lists })?;
    assert!(serde_json::to_string(&schema).is_ok());
    Ok(())
}

/// Reads all; and if that works, makes a schema of it. Nothing writes it again.
fn try_older(envelopes: &Envelopes, format_version: FormatVersion) -> Result<()> {
    let dialect = Dialect::of(format_version);
    let (header, _) = Header::read(&envelopes.header, dialect)?;
    let footer = Footer::read(&envelopes.footer, dialect, header.schema.fields.len().try_into().unwrap())?;
    let mut reserved = header.schema.fields.capacity() + footer.extension.fields.capacity();
    let mut summaries = footer.summaries.into_iter();
    for list in &envelopes.page_lists {
        let list = PageList::read(list, dialect, summaries.next().unwrap_or_default())?;
        let columns = list.clusters.iter().flat_map(|cluster| &cluster.columns);
        reserved += list.clusters.capacity() + columns.map(|column| column.pages.capacity()).sum::<usize>();
    }
    let total = envelopes.header.len() + envelopes.footer.len() + envelopes.page_lists.concat().len();
    assert!(reserved <= total, "{reserved} reserved for {total} bytes");
    let fields = header.schema.fields.len() + footer.extension.fields.len();
    let (schema, header_fields) =
        build_schema(format_version, &crate::limits::Limits::new(), header.schema, footer.extension)?;
    let count = schema.fields().count();
    assert!(header_fields as usize <= count && count <= 2 * fields);
    assert!(serde_json::to_string(&schema).is_ok());
    Ok(())
}

/// The envelopes of an ntuple with one of them changed.
fn each_envelope(
    envelopes: &mut Envelopes,
    mut change: impl FnMut(&mut Envelopes, fn(&mut Envelopes) -> &mut Vec<u8>),
) {
    change(envelopes, |all| &mut all.header);
    change(envelopes, |all| &mut all.footer);
    change(envelopes, |all| &mut all.page_lists[0]);
}

fn fix_checksum(bytes: &mut [u8], format_version: FormatVersion) {
    if Dialect::of(format_version).framing == Framing::Versions {
        let end = bytes.len() - 4;
        let checksum = crc32(&bytes[..end]);
        bytes[end..].copy_from_slice(&checksum.to_le_bytes());
        return;
    }
    let end = bytes.len() - 8;
    let checksum = xxh3_64(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
}

/// Tries every prefix and every change of a byte, without and with a checksum that fits.
fn torture(mut envelopes: Envelopes, format_version: FormatVersion) {
    let is_typed = Dialect::of(format_version).framing == Framing::Typed;
    try_all(&envelopes, format_version).unwrap();
    each_envelope(&mut envelopes, |all, pick| {
        let whole = pick(all).clone();
        for end in 0..whole.len() {
            *pick(all) = whole[..end].to_vec();
            assert!(try_all(all, format_version).is_err(), "prefix of {end}");
            // With length and checksum made to fit it may be a shorter envelope, but never a panic.
            if end >= 16 {
                if is_typed {
                    pick(all)[2..8].copy_from_slice(&(end as u64).to_le_bytes()[..6]);
                }
                fix_checksum(pick(all), format_version);
                let _ = try_all(all, format_version);
            }
        }
        for at in 0..whole.len() {
            for flip in [0x01, 0x80, 0xff] {
                *pick(all) = whole.clone();
                pick(all)[at] ^= flip;
                assert!(try_all(all, format_version).is_err(), "byte {at} ^ {flip:#x}");
                fix_checksum(pick(all), format_version);
                let _ = try_all(all, format_version);
            }
        }
        // Sizes, counts and lengths of every kind, wherever they are.
        for at in 8..whole.len() - 16 {
            for word in [u64::MAX, 1 << 63, u64::MAX >> 1, 0xffff_ffff, 0x8000_0000, 0] {
                for width in [2, 4, 8] {
                    *pick(all) = whole.clone();
                    pick(all)[at..at + width].copy_from_slice(&word.to_le_bytes()[8 - width..]);
                    fix_checksum(pick(all), format_version);
                    let _ = try_all(all, format_version);
                    pick(all)[at..at + width].copy_from_slice(&word.to_le_bytes()[..width]);
                    fix_checksum(pick(all), format_version);
                    let _ = try_all(all, format_version);
                }
            }
        }
        *pick(all) = whole;
    });
}

#[test]
fn no_change_of_a_small_file_is_a_panic() {
    torture(small(), FormatVersion::V1);
}

#[test]
fn no_change_of_a_real_file_is_a_panic() {
    for (file, envelopes, _) in ntuples() {
        if ["minimal", "emptystruct", "uncompressed_single"].iter().any(|name| file.starts_with(name)) {
            torture(envelopes, FormatVersion::V1);
        }
    }
}

#[test]
fn no_change_of_a_file_of_before_version_1_is_a_panic() {
    let names = ["bit-", "minimal", "emptystruct", "int_float"];
    for (file, format_version, envelopes) in older() {
        if names.iter().any(|name| file.starts_with(name)) {
            torture(envelopes, format_version);
        }
    }
}

/// A file of release candidate 1 with its envelopes behind its end, not compressed; and where these are. Nothing but
/// the envelopes has a checksum, so that all can be changed and signed.
fn unpacked(bytes: &[u8]) -> Option<(Vec<u8>, [Range<usize>; 3])> {
    let file = RootFile::from_storage(Memory::from(bytes.to_vec())).unwrap();
    let key = file.ntuples().unwrap().remove(0);
    let anchor = file.anchor(&key.path()).ok()?.1;
    let mut envelopes = dataset::Envelopes::new(&file, anchor.max_key_size);
    let (header, mut footer) =
        (envelopes.load(anchor.header).ok()?, envelopes.load(anchor.footer).ok()?.to_vec());
    let group =
        Footer::read(&footer, Dialect::of(anchor.format_version), 0).unwrap().cluster_groups.remove(0);
    let Locator::File { offset, size } = group.page_list else { panic!("in the file") };
    let list = envelopes.load(EnvelopeSpan { offset, size, length: group.page_list_length }).ok()?;

    let word = |number: u64| u32::try_from(number).unwrap();
    let link = |length: u64, size: u64, offset: u64| {
        [&word(length).to_le_bytes()[..], &word(size).to_le_bytes(), &offset.to_le_bytes()].concat()
    };
    let mut out = bytes.to_vec();
    let mut append = |bytes: &[u8]| {
        out.extend_from_slice(bytes);
        out.len() - bytes.len()..out.len()
    };
    let (header, list) = (append(&header), append(&list));
    let old = link(group.page_list_length, size, offset);
    let at = footer.windows(old.len()).position(|bytes| bytes == old).unwrap();
    footer[at..at + old.len()].copy_from_slice(&link(
        list.len() as u64,
        list.len() as u64,
        list.start as u64,
    ));
    fix_checksum(&mut footer, anchor.format_version);
    let footer = append(&footer);

    // The end of the file, and the two links of the anchor, which is not compressed.
    let end = word(out.len() as u64).to_be_bytes();
    out[12..16].copy_from_slice(&end);
    let anchor_at = usize::try_from(key.offset + key.size).unwrap() - 58;
    for (at, range) in [(18, &header), (34, &footer)] {
        let link = out[anchor_at + at..].first_chunk_mut::<16>().unwrap();
        link[..8].copy_from_slice(&(range.start as u64).to_be_bytes());
        link[8..12].copy_from_slice(&word(range.len() as u64).to_be_bytes());
        link[12..].copy_from_slice(&word(range.len() as u64).to_be_bytes());
    }
    Some((out, [header, list, footer]))
}

/// Everything there is to read of a file, and the checker.
fn try_file(bytes: Vec<u8>) -> Option<usize> {
    let file = RootFile::from_storage(Memory::from(bytes)).unwrap();
    let path = file.ntuples().unwrap()[0].path();
    let report = check_file(&file, CheckOptions::new());
    assert!(!report.ntuples.is_empty());
    let reader = Reader::<Value>::open(&file, &path).ok()?;
    reader.dataset(0).unwrap().clusters().try_for_each(|cluster| cluster.map(drop)).ok()?;
    Some(reader.entries().take_while(std::result::Result::is_ok).count())
}

#[test]
fn signed_lies_of_release_candidate_1_are_no_panic() {
    for (name, bytes, _) in files("-epoch0-rc1.") {
        if !["int_float", "bit-", "stl_containers-epoch0-rc1.0"].iter().any(|part| name.starts_with(part)) {
            continue;
        }
        let Some((bytes, ranges)) = unpacked(&bytes) else { continue };
        let entries = try_file(bytes.clone()).unwrap();
        assert!(entries == 10 || name.starts_with("stl"), "{name}: {entries}");
        for range in ranges {
            // Of the long header of containers every seventh byte will do.
            let step = if range.len() > 400 { 7 } else { 1 };
            for at in range.clone().step_by(step) {
                for flip in [0x01, 0x80, 0xff] {
                    let mut bytes = bytes.clone();
                    bytes[at] ^= flip;
                    assert!(
                        try_file(bytes.clone()).is_none(),
                        "{name}: byte {at} without a checksum that fits"
                    );
                    fix_checksum(&mut bytes[range.clone()], FormatVersion::Rc10);
                    let _ = try_file(bytes);
                }
            }
        }
    }
}
