//! The envelopes of files written by ROOT: contents as listed beside the files, bytes as ROOT wrote them.

use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use super::{Dialect, Footer, Header, PageList, SchemaDescription};
use crate::dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::format_version::FormatVersion;
use crate::reference;
use crate::root::{EnvelopeSpan, RootFile};
use crate::schema::{ColumnDescriptor, Locator, Schema, normalize};
use crate::storage::Memory;

/// The column types by code: name and permitted widths.
#[rustfmt::skip]
const TYPES: &[(&str, u16, u16)] = &[
    ("Bit", 1, 1), ("Byte", 8, 8), ("Char", 8, 8), ("Int8", 8, 8), ("UInt8", 8, 8), ("Int16", 16, 16),
    ("UInt16", 16, 16), ("Int32", 32, 32), ("UInt32", 32, 32), ("Int64", 64, 64), ("UInt64", 64, 64),
    ("Real16", 16, 16), ("Real32", 32, 32), ("Real64", 64, 64), ("Index32", 32, 32), ("Index64", 64, 64),
    ("Switch", 96, 96), ("SplitInt16", 16, 16), ("SplitUInt16", 16, 16), ("SplitInt32", 32, 32),
    ("SplitUInt32", 32, 32), ("SplitInt64", 64, 64), ("SplitUInt64", 64, 64), ("SplitReal16", 16, 16),
    ("SplitReal32", 32, 32), ("SplitReal64", 64, 64), ("SplitIndex32", 32, 32), ("SplitIndex64", 64, 64),
    ("Real32Trunc", 10, 31), ("Real32Quant", 1, 32),
];

fn is_known(column: &ColumnDescriptor) -> Result<bool> {
    match TYPES.get(usize::from(column.type_code)) {
        None => Ok(false),
        Some((_, low, high)) if (*low..=*high).contains(&column.bits) => Ok(true),
        Some((name, ..)) => Err(Error::out_of_spec(format!("{name} with {} bits", column.bits))),
    }
}

/// One ntuple of a file: its envelopes, decompressed.
pub(super) struct Envelopes {
    pub(super) header: Vec<u8>,
    pub(super) footer: Vec<u8>,
    pub(super) page_lists: Vec<Vec<u8>>,
}

impl Envelopes {
    /// Follows an anchor (format, section 2).
    fn of_anchor(file: &[u8], anchor: &[u8]) -> Self {
        let number = |at: usize| u64::from_be_bytes(anchor[at..at + 8].try_into().unwrap());
        let envelope = |at: usize| unpack(file, number(at), number(at + 8), number(at + 16));
        let (header, footer) = (envelope(14), envelope(38));
        let fields = Header::read(&header, Dialect::V1).unwrap().0.schema.fields.len();
        let page_lists = Footer::read(&footer, Dialect::V1, fields.try_into().unwrap())
            .unwrap()
            .cluster_groups
            .iter()
            .map(|group| match group.page_list {
                Locator::File { offset, size } => unpack(file, offset, size, group.page_list_length),
                Locator::Unknown { kind } => panic!("locator kind {kind}"),
            })
            .collect();
        Self { header, footer, page_lists }
    }
}

/// A stored payload, decompressed if need be (format, section 3). ROOT wrote all of these with zstd.
fn unpack(file: &[u8], offset: u64, size: u64, length: u64) -> Vec<u8> {
    let at = usize::try_from(offset).unwrap();
    let stored = &file[at..at + usize::try_from(size).unwrap()];
    match size == length {
        true => stored.to_vec(),
        false => unzstd(stored, usize::try_from(length).unwrap()).expect("one block of zstd"),
    }
}

#[cfg(feature = "zstd")]
fn unzstd(block: &[u8], length: usize) -> Option<Vec<u8>> {
    zstd::bulk::decompress(block.strip_prefix(b"ZS\x01")?.get(6..)?, length).ok()
}

#[cfg(not(feature = "zstd"))]
fn unzstd(_: &[u8], _: usize) -> Option<Vec<u8>> {
    None
}

/// Every anchor in a file, wherever it is: found by what it begins with, believed by its checksum.
fn anchors(file: &[u8]) -> Vec<Vec<u8>> {
    let is_anchor = |bytes: &[u8]| {
        bytes.starts_with(&[0x40, 0, 0, 0x42, 0, 2, 0, 1])
            && bytes.get(70..78) == Some(&xxh3_64(&bytes[6..70]).to_be_bytes()[..])
    };
    let raw = (0..file.len()).filter_map(|at| file.get(at..at + 78).filter(|bytes| is_anchor(bytes)));
    // A compressed one is the start of no longer block than itself.
    let packed = (0..file.len().saturating_sub(9)).filter(|at| file[*at..].starts_with(b"ZS\x01"));
    let packed = packed.filter_map(|at| {
        let size = usize::from(file[at + 3]) + 9;
        unzstd(file.get(at..at + size)?, 78).filter(|bytes| bytes.len() == 78 && is_anchor(bytes))
    });
    raw.map(<[u8]>::to_vec).chain(packed).collect()
}

/// Each file whose name has this part: name, bytes, expected contents.
pub(super) fn files(part: &str) -> Vec<(String, Vec<u8>, Value)> {
    let Some(folder) = reference::directory() else { return Vec::new() };
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut files = Vec::new();
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "root") && name.contains(part) {
            let file = std::fs::read(&path).unwrap();
            let json = std::fs::read(path.with_extension("json")).unwrap();
            files.push((name, file, serde_json::from_slice(&json).unwrap()));
        }
    }
    files
}

/// Each ntuple of the released format: file name, envelopes, expected contents.
pub(super) fn ntuples() -> Vec<(String, Envelopes, Value)> {
    let mut ntuples = Vec::new();
    for (name, file, json) in files("-v1.") {
        let anchors = anchors(&file);
        let expected = json["rntuples"].as_array().unwrap();
        if cfg!(not(feature = "zstd")) && !name.starts_with("uncompressed") {
            continue;
        }
        assert_eq!(anchors.len(), expected.len(), "{name}");
        for anchor in anchors {
            let envelopes = Envelopes::of_anchor(&file, &anchor);
            let (header, _) = Header::read(&envelopes.header, Dialect::V1).unwrap();
            let matching = expected.iter().find(|ntuple| ntuple["name"] == *header.name);
            ntuples.push((name.clone(), envelopes, matching.unwrap().clone()));
        }
    }
    ntuples
}

/// Each ntuple of before version 1: file name, generation, envelopes.
pub(super) fn older() -> Vec<(String, FormatVersion, Envelopes)> {
    let mut older = Vec::new();
    for (name, bytes, _) in files("-epoch0-") {
        let file = RootFile::from_storage(Memory::from(bytes)).unwrap();
        for key in file.ntuples().unwrap() {
            let anchor = match file.anchor(&key.path()) {
                Err(error) if error.kind() == ErrorKind::FeatureDisabled => continue,
                anchor => anchor.unwrap().1,
            };
            let mut envelopes = dataset::Envelopes::new(&file, anchor.max_key_size);
            let mut load = |span| match envelopes.load(span) {
                Err(error) if error.kind() == ErrorKind::FeatureDisabled => None,
                bytes => Some(bytes.unwrap().to_vec()),
            };
            let (Some(header), Some(footer)) = (load(anchor.header), load(anchor.footer)) else { continue };
            let dialect = Dialect::of(anchor.format_version);
            let groups = Footer::read(&footer, dialect, 0).unwrap().cluster_groups;
            let page_lists = groups.iter().filter_map(|group| match group.page_list {
                Locator::File { offset, size } => {
                    load(EnvelopeSpan { offset, size, length: group.page_list_length })
                }
                Locator::Unknown { kind } => panic!("locator kind {kind}"),
            });
            let envelopes = Envelopes { page_lists: page_lists.collect(), header, footer };
            if !envelopes.page_lists.is_empty() {
                older.push((name.clone(), anchor.format_version, envelopes));
            }
        }
    }
    older
}

/// What `read` makes of the three kinds of envelope.
pub(super) struct Contents {
    pub(super) header: Header,
    pub(super) footer: Footer,
    pub(super) page_lists: Vec<PageList>,
}

fn read(name: &str, envelopes: &Envelopes) -> Contents {
    let (header, checksum) = Header::read(&envelopes.header, Dialect::V1).unwrap();
    let footer =
        Footer::read(&envelopes.footer, Dialect::V1, header.schema.fields.len().try_into().unwrap()).unwrap();
    let page_lists: Vec<_> = envelopes
        .page_lists
        .iter()
        .map(|bytes| PageList::read(bytes, Dialect::V1, Vec::new()).unwrap())
        .collect();
    assert_eq!(footer.header_checksum, checksum, "{name}");
    assert!(page_lists.iter().all(|list| list.header_checksum == checksum), "{name}");
    Contents { header, footer, page_lists }
}

pub(super) fn schema(contents: Contents) -> Result<Schema> {
    let (header, extension) = (contents.header.schema, contents.footer.extension);
    Schema::build(
        [header.fields, extension.fields].concat(),
        [header.columns, extension.columns].concat(),
        [header.alias_columns, extension.alias_columns].concat(),
        [header.extra_type_info, extension.extra_type_info].concat(),
        &is_known,
    )
}

#[test]
fn the_schema_is_what_is_listed() {
    for (file, envelopes, expected) in ntuples() {
        let contents = read(&file, &envelopes);
        for (key, text) in [
            ("name", &contents.header.name),
            ("description", &contents.header.description),
            ("writer", &contents.header.writer),
        ] {
            assert_eq!(expected[key], **text, "{file}: {key}");
        }
        assert_eq!(expected["num_fields_header"], contents.header.schema.fields.len());
        assert_eq!(expected["num_columns_header"], contents.header.schema.columns.len());

        let schema = schema(contents).unwrap();
        assert_eq!(expected["num_alias_columns"], schema.alias_columns().len());
        assert!(schema.hidden().is_empty(), "{file}: {:?}", schema.hidden());
        let fields = expected["fields"].as_array().unwrap();
        assert_eq!(schema.fields().count(), fields.len(), "{file}");
        for ((id, field), expected) in schema.fields().zip(fields) {
            let place = format!("{file}: {}", schema.path(id));
            let number = |key: &str| expected.get(key).and_then(Value::as_u64);
            assert_eq!(expected["id"], id.0, "{place}");
            assert_eq!(expected["parent"].as_u64(), field.parent.map(|id| id.0.into()), "{place}");
            assert_eq!(expected["name"], field.name, "{place}");
            assert_eq!(expected["type"], field.type_name, "{place}");
            assert_eq!(expected["role"], field.role.name(), "{place}");
            assert_eq!(expected.get("type_alias").map_or("", |v| v.as_str().unwrap()), field.type_alias);
            assert_eq!(expected.get("description").map_or("", |v| v.as_str().unwrap()), field.description);
            assert_eq!(number("repetitions"), field.array_size, "{place}");
            assert_eq!(number("projection_source"), field.projection_source.map(|id| id.0.into()), "{place}");
            assert_eq!(number("type_checksum"), field.type_checksum.map(u64::from), "{place}");
            assert_eq!(number("type_version").unwrap_or(0), u64::from(field.type_version), "{place}");
            assert_eq!(field.field_version, 0, "{place}");
            assert_eq!(schema.find(&schema.path(id)), Some(id), "{place}");
            // ROOT writes normal names, so they must stay as they are.
            assert_eq!(normalize(&field.type_name), field.type_name, "{place}");
        }

        let columns = expected["columns"].as_array().unwrap();
        assert_eq!(schema.columns().count(), columns.len(), "{file}");
        for ((id, column), expected) in schema.columns().zip(columns) {
            let place = format!("{file}: column {id}");
            let option = |key: &str| expected.get(4).and_then(|options| options.get(key));
            assert_eq!(expected[0], id.0, "{place}");
            assert_eq!(expected[1], column.field.0, "{place}");
            assert_eq!(expected[2], TYPES[usize::from(column.type_code)].0, "{place}");
            assert_eq!(expected[3], column.bits, "{place}");
            assert_eq!(option("repidx").map_or(0, |v| v.as_u64().unwrap()), u64::from(column.representation));
            assert_eq!(option("first").and_then(Value::as_i64), column.first_element, "{place}");
            // A bound of zero is left out of the list.
            let bound = |key: &str| option(key).map_or(0.0, |v| v.as_f64().unwrap());
            let range = column.range.unwrap_or_default();
            assert_eq!((bound("min"), bound("max")), range, "{place}");
            let is_quantised = TYPES[usize::from(column.type_code)].0 == "Real32Quant";
            assert_eq!(column.range.is_some(), is_quantised, "{place}");
            let lists = schema.representations(column.field);
            assert!(lists[usize::from(column.representation)].contains(&id), "{place}");
        }
        for (id, field) in schema.fields() {
            if let Some(source) = field.projection_source {
                assert_eq!(schema.representations(id), schema.representations(source), "{file}: {id}");
            }
        }
    }
}

/// Of an older ntuple everything is read: nothing is left at the end of any record that is known.
#[test]
fn envelopes_of_before_version_1_are_read_whole() {
    for (name, format_version, envelopes) in older() {
        let dialect = Dialect::of(format_version);
        let (header, checksum) = Header::read(&envelopes.header, dialect).unwrap();
        let footer =
            Footer::read(&envelopes.footer, dialect, header.schema.fields.len().try_into().unwrap()).unwrap();
        assert_eq!(footer.header_checksum, checksum, "{name}");
        assert_eq!(footer.extension, SchemaDescription::default(), "{name}");
        let is_narrow = format_version < FormatVersion::Rc20;
        assert_eq!(footer.summaries.len(), if is_narrow { footer.cluster_groups.len() } else { 0 }, "{name}");
        let mut entry = 0;
        let mut summaries = footer.summaries.into_iter();
        for (group, bytes) in footer.cluster_groups.iter().zip(&envelopes.page_lists) {
            let list = PageList::read(bytes, dialect, summaries.next().unwrap_or_default()).unwrap();
            assert_eq!(list.header_checksum, if is_narrow { 0 } else { checksum }, "{name}");
            assert_eq!(group.first_entry, entry, "{name}");
            entry += list.clusters.iter().map(|cluster| cluster.entry_count).sum::<u64>();
            assert_eq!(group.first_entry + group.entry_count, entry, "{name}");
            assert!(list.clusters.iter().all(|cluster| cluster.columns.len() == header.schema.columns.len()));
            let mut pages = list.clusters.iter().flat_map(|c| &c.columns).flat_map(|c| &c.pages);
            assert!(pages.all(|page| page.has_checksum == (format_version == FormatVersion::Rc21)), "{name}");
        }
    }
}

#[test]
fn the_clusters_are_what_is_listed() {
    for (file, envelopes, expected) in ntuples() {
        let contents = read(&file, &envelopes);
        let (groups, lists) = (&contents.footer.cluster_groups, &contents.page_lists);
        assert_eq!(expected["num_cluster_groups"], groups.len(), "{file}");
        let mut entries = 0;
        let mut clusters = 0;
        for (group, list) in groups.iter().zip(lists) {
            assert_eq!(group.first_entry, entries, "{file}");
            assert_eq!(group.cluster_count as usize, list.clusters.len(), "{file}");
            for cluster in &list.clusters {
                assert_eq!(cluster.first_entry, entries, "{file}");
                assert_eq!(cluster.columns.len(), contents.header.schema.columns.len(), "{file}");
                assert!(cluster.columns.iter().all(|column| column.first_element.is_some()), "{file}");
                assert!(
                    cluster.columns.iter().flat_map(|c| &c.pages).all(|page| page.has_checksum),
                    "{file}"
                );
                entries += cluster.entry_count;
                clusters += 1;
            }
            assert_eq!(group.first_entry + group.entry_count, entries, "{file}");
        }
        assert_eq!(expected["num_entries"], entries, "{file}");
        assert_eq!(expected["num_clusters"], clusters, "{file}");
        let has_sets = expected["format_version"].as_str().unwrap() >= "1.0.1.0";
        assert_eq!(contents.footer.attribute_sets, has_sets.then(Vec::new), "{file}");
    }
}

#[test]
fn written_again_the_bytes_are_the_same() {
    let mut count = 0;
    for (file, envelopes, _) in ntuples() {
        let contents = read(&file, &envelopes);
        let fields = contents.header.schema.fields.len().try_into().unwrap();
        let (header, checksum) = contents.header.write().unwrap();
        assert_eq!(header, envelopes.header, "{file}: header");
        assert_eq!(checksum, contents.footer.header_checksum, "{file}: header");
        assert_eq!(contents.footer.write(fields).unwrap(), envelopes.footer, "{file}: footer");
        for (list, bytes) in contents.page_lists.iter().zip(&envelopes.page_lists) {
            assert_eq!(list.write().unwrap(), *bytes, "{file}: page list");
            count += 1;
        }
    }
    println!("{count} page lists written again");
}

#[test]
#[cfg(feature = "zstd")]
fn streamer_information_is_kept_as_bytes() {
    for (file, envelopes, _) in ntuples() {
        let infos = read(&file, &envelopes).footer.extension.extra_type_info;
        let expected = usize::from(file.starts_with("jsroot_all_types"));
        assert_eq!(infos.len(), expected, "{file}");
        for crate::schema::ExtraTypeInfo { content_id, type_name, content, .. } in infos {
            assert_eq!((content_id, &*type_name, content.len()), (0, "", 362));
            assert!(content.starts_with(b"\x40\x00\x01\x66\xff\xff\xff\xffTList\0"));
        }
    }
}
