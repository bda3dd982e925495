//! The bytes of links and anchors (format, sections 7.1 and 8).

use rntuple::Compression;
use rntuple::root::RecordKind;
use rntuple::schema::Locator;

use super::*;

fn plain() -> WriteOptions {
    WriteOptions::new().compression(Compression::NONE)
}

fn bytes(file: &RootFile, offset: u64, size: u64) -> Vec<u8> {
    file.storage().block(offset..offset + size).unwrap().to_vec()
}

#[test]
fn the_version_tells_whether_there_are_sets() {
    let without = close(writer(plain()));
    assert_eq!(version(&without, "Events"), [1, 0, 0, 1]);
    let mut writer = writer(plain());
    let _ = writer.attributes::<RunInfo>("runs").unwrap();
    let with = close(writer);
    assert_eq!(version(&with, "Events"), [1, 0, 1, 0]);
    assert_sound(&with);
}

#[test]
fn the_footer_links_the_payload_of_an_anchor_that_no_directory_lists() {
    let mut writer = writer(plain());
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    fill(&mut writer, 2);
    runs.add(0..2, &info(1)).unwrap();
    let file = close(writer);
    let dataset = Dataset::open(&file, "Events").unwrap();
    let set = &dataset.attribute_sets()[0];
    assert_eq!((&*set.name, set.version, set.anchor_length), ("runs", (1, 0), 78));
    let Locator::File { offset, size } = set.anchor else { panic!("in the file") };
    assert_eq!(size, 78);

    // The record that holds it: an anchor's, whose key stands in no list.
    let records: Vec<_> = file.records().collect::<Result<_, _>>().unwrap();
    let is_anchor =
        |kind: &RecordKind| matches!(kind, RecordKind::Object { class, .. } if class == "ROOT::RNTuple");
    let anchors: Vec<_> = records.iter().filter(|record| is_anchor(&record.kind)).collect();
    assert_eq!(anchors.len(), 2);
    let RecordKind::Object { name, key_size, length, cycle, .. } = &anchors[0].kind else { unreachable!() };
    assert_eq!((&**name, *length, *cycle), ("runs", 78, 1));
    assert_eq!(anchors[0].offset + u64::from(*key_size), offset);
    let keys = file.keys().unwrap();
    assert_eq!(keys.iter().map(|key| key.path()).collect::<Vec<_>>(), ["Events"]);
    assert!(keys.iter().all(|key| key.offset != anchors[0].offset));
    assert_eq!(bytes(&file, offset, 14), [0x40, 0, 0, 0x42, 0, 2, 0, 1, 0, 0, 0, 0, 0, 1]);

    // A list of one record at the end of the footer: version 1.0, length 78, locator, name.
    let footer = dataset.anchor().footer;
    let footer = bytes(&file, footer.offset, footer.length);
    let mut record = vec![];
    record.extend(1u16.to_le_bytes());
    record.extend(0u16.to_le_bytes());
    record.extend(78u32.to_le_bytes());
    record.extend(78u32.to_le_bytes());
    record.extend(offset.to_le_bytes());
    record.extend(4u32.to_le_bytes());
    record.extend(b"runs");
    let mut list = vec![];
    let size = record.len() as i64 + 8;
    list.extend((-(size + 12)).to_le_bytes());
    list.extend(1u32.to_le_bytes());
    list.extend(size.to_le_bytes());
    list.extend(record);
    let end = footer.len() - 8;
    assert_eq!(footer[end - list.len()..end], list);
}

#[test]
fn the_fields_of_a_set_are_those_of_the_format() {
    let mut writer = writer(plain());
    let _ = writer.attributes::<RunInfo>("runs").unwrap();
    let file = close(writer);
    let set = Dataset::open(&file, "Events").unwrap().attribute_set("runs").unwrap();
    let schema = set.schema();
    let fields: Vec<_> = schema
        .fields()
        .map(|(id, field)| format!("{} {} {:?}", schema.path(id), field.type_name, field.role))
        .collect();
    assert_eq!(
        fields,
        [
            "_rangeStart std::uint64_t Plain",
            "_rangeLen std::uint64_t Plain",
            "_userData  Record",
            "_userData.run std::uint32_t Plain",
            "_userData.generator std::string Plain",
            "_userData.cuts std::vector<double> Collection",
            "_userData.cuts._0 double Plain",
        ]
    );
    assert!(schema.fields().all(|(_, field)| field.projection_source.is_none()));
}
