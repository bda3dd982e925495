//! Damaged envelopes: every prefix, every flipped byte, and sizes that cannot be.

use xxhash_rust::xxh3::xxh3_64;

use super::crc32::crc32;
use super::dialect::Framing;
use super::reference::{Contents, Envelopes, ntuples, older, schema};
use super::{Dialect, Footer, Header, PageList};
use crate::dataset::build_schema;
use crate::error::Result;
use crate::generation::Generation;
use crate::schema::{
    AliasColumn, ClusterDescriptor, ClusterGroup, ColumnDescriptor, ColumnId, ColumnRange, ExtraTypeInfo,
    FieldDescriptor, FieldId, LinkedAttributeSet, Locator, PageLocation, Role,
};

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
fn try_all(envelopes: &Envelopes, generation: Generation) -> Result<()> {
    if generation.is_pre_release() {
        return try_older(envelopes, generation);
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
fn try_older(envelopes: &Envelopes, generation: Generation) -> Result<()> {
    let dialect = Dialect::of(generation);
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
    let (schema, header_fields) = build_schema(generation, header.schema, footer.extension)?;
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

fn fix_checksum(bytes: &mut [u8], generation: Generation) {
    if Dialect::of(generation).framing == Framing::Versions {
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
fn torture(mut envelopes: Envelopes, generation: Generation) {
    let is_typed = Dialect::of(generation).framing == Framing::Typed;
    try_all(&envelopes, generation).unwrap();
    each_envelope(&mut envelopes, |all, pick| {
        let whole = pick(all).clone();
        for end in 0..whole.len() {
            *pick(all) = whole[..end].to_vec();
            assert!(try_all(all, generation).is_err(), "prefix of {end}");
            // With length and checksum made to fit it may be a shorter envelope, but never a panic.
            if end >= 16 {
                if is_typed {
                    pick(all)[2..8].copy_from_slice(&(end as u64).to_le_bytes()[..6]);
                }
                fix_checksum(pick(all), generation);
                let _ = try_all(all, generation);
            }
        }
        for at in 0..whole.len() {
            for flip in [0x01, 0x80, 0xff] {
                *pick(all) = whole.clone();
                pick(all)[at] ^= flip;
                assert!(try_all(all, generation).is_err(), "byte {at} ^ {flip:#x}");
                fix_checksum(pick(all), generation);
                let _ = try_all(all, generation);
            }
        }
        // Sizes, counts and lengths of every kind, wherever they are.
        for at in 8..whole.len() - 16 {
            for word in [u64::MAX, 1 << 63, u64::MAX >> 1, 0xffff_ffff, 0x8000_0000, 0] {
                for width in [2, 4, 8] {
                    *pick(all) = whole.clone();
                    pick(all)[at..at + width].copy_from_slice(&word.to_le_bytes()[8 - width..]);
                    fix_checksum(pick(all), generation);
                    let _ = try_all(all, generation);
                    pick(all)[at..at + width].copy_from_slice(&word.to_le_bytes()[..width]);
                    fix_checksum(pick(all), generation);
                    let _ = try_all(all, generation);
                }
            }
        }
        *pick(all) = whole;
    });
}

#[test]
fn no_change_of_a_small_file_is_a_panic() {
    torture(small(), Generation::V1);
}

#[test]
fn no_change_of_a_real_file_is_a_panic() {
    for (file, envelopes, _) in ntuples() {
        if ["minimal", "emptystruct", "uncompressed_single"].iter().any(|name| file.starts_with(name)) {
            torture(envelopes, Generation::V1);
        }
    }
}

#[test]
fn no_change_of_a_file_of_before_version_1_is_a_panic() {
    let names = ["bit-", "minimal", "emptystruct", "int_float"];
    for (file, generation, envelopes) in older() {
        if names.iter().any(|name| file.starts_with(name)) {
            torture(envelopes, generation);
        }
    }
}
