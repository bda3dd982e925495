//! Damaged inputs: errors that say where, and nothing else.

use rntuple::merge::{Input, MergeOptions, SchemaMode, merge_into};
use rntuple::schema::Locator;
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, ErrorKind, RootFile, WriteOptions, Writer};
use rntuple_tests::forge::{Forge, field, projection};
use rntuple_tests::places::places;
use rntuple_tests::sample::{Event, One, samples};

use super::common::{entries, write};

fn bytes(file: &RootFile) -> Vec<u8> {
    file.storage().block(0..file.end()).unwrap().to_vec()
}

#[test]
fn a_damaged_page_is_named() {
    let file = write::<Event>(&samples(50, 1), WriteOptions::new().cluster_size(2000));
    let dataset = Dataset::open(&file, "Events").unwrap();
    let id = dataset.schema().find("muons._0.pt").unwrap();
    let column = dataset.schema().representations(id)[0][0];
    let pages = &dataset.cluster(1).unwrap().columns[column.index()].pages;
    let Locator::File { offset, .. } = pages[0].locator else { panic!() };
    let mut damaged = bytes(&file);
    damaged[offset as usize] ^= 1;
    let damaged = RootFile::from_storage(Memory::from(damaged)).unwrap();
    for options in [MergeOptions::new(), MergeOptions::new().compression(Compression::lz4(1))] {
        let inputs = [Input::open(&file), Input::open(&damaged)];
        let error = merge_into(&inputs, Memory::new(), options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::OutOfSpec);
        let wanted = format!(
            "memory: Events: page 0 of column {column} (muons._0.pt), cluster 1, offset {offset}: checksum differs"
        );
        assert_eq!(error.to_string(), wanted);
    }
}

/// Projected fields are listed after all others: the header of what was merged could not be read.
#[test]
fn what_is_in_a_projection_must_be_projected() {
    let file = write::<One<u8>>(&[], WriteOptions::new().compression(Compression::NONE));
    let schema =
        |inside| Forge::new(bytes(&file)).schema(&[field("x", 0), projection("y", 1, 0), inside], &[]);
    let merge = |forged: Forge| {
        let file = RootFile::from_storage(Memory::from(forged.into_bytes())).unwrap();
        merge_into(&[Input::open(&file)], Memory::new(), MergeOptions::new())
    };
    let error = merge(schema(field("z", 1))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    let wanted = "memory: Events: y.z: it is not projected, but the field around it is";
    assert_eq!(error.to_string(), wanted);
    merge(schema(projection("z", 1, 0))).unwrap();
}

#[test]
fn no_prefix_and_no_flipped_byte_panics() {
    let none = || WriteOptions::new().cluster_size(100).compression(Compression::NONE);
    let zstd = || WriteOptions::new().cluster_size(100);
    for (options, has_checksums) in [(none(), true), (zstd(), true), (zstd().checksums(false), false)] {
        let write = |options| write::<One<Vec<Option<u16>>>>(&samples(4, 1), options);
        let (sound, file) = (write(zstd()), &write(options));
        let all = bytes(file);
        let mut wanted = entries(&sound, "Events");
        wanted.extend(entries(file, "Events"));
        let merge = |bytes: Vec<u8>, options: MergeOptions<'_>| {
            let damaged = RootFile::from_storage(Memory::from(bytes)).ok()?;
            let inputs = [Input::open(&sound), Input::open(&damaged)];
            merge_into(&inputs, Memory::new(), options).ok().map(|(_, memory)| memory)
        };
        for length in places(all.len()) {
            assert!(merge(all[..length].to_vec(), MergeOptions::new()).is_none(), "cut at {length}");
        }
        for position in places(all.len()) {
            let mut damaged = all.clone();
            damaged[position] ^= if position % 2 == 0 { 0x01 } else { 0x80 };
            if position % 3 == 0 {
                let union = MergeOptions::new().schema(SchemaMode::Union).compression(Compression::lz4(1));
                merge(damaged.clone(), union);
            }
            let Some(merged) = merge(damaged, MergeOptions::new()) else { continue };
            if has_checksums {
                let merged = RootFile::from_storage(merged).unwrap();
                assert_eq!(entries(&merged, "Events"), wanted, "byte {position} flipped");
            }
        }
    }
}

/// A link takes some thirty bytes; what it leads to may take any number of fields in memory, once for each of them.
#[test]
fn many_links_to_one_attribute_set_are_refused() {
    let mut writer = Writer::<One<u8>, _>::new(
        Memory::new(),
        "Events",
        WriteOptions::new().compression(Compression::NONE),
    )
    .unwrap();
    writer.fill(&One { value: 1 }).unwrap();
    for name in ["runs", "eras"] {
        writer.attributes::<One<u16>>(name).unwrap().add(0..1, &One { value: 7 }).unwrap();
    }
    let mut bytes = writer.finish_into().unwrap().1.into_bytes();
    let sound = RootFile::from_storage(Memory::from(bytes.clone())).unwrap();
    merge_into(&[Input::open(&sound)], Memory::new(), MergeOptions::new()).unwrap();

    // Version (2 + 2), length (4), locator (4 + 8), name (4 + 4), all of it behind a size (8).
    const RECORD: usize = 28;
    let footer = Dataset::open(&sound, "Events").unwrap().anchor().footer;
    let body = footer.offset as usize..(footer.offset + footer.length) as usize - 8;
    let locator = |record: usize| {
        let start = body.end - record * (RECORD + 8) + 8 + 8;
        start..start + 12
    };
    bytes.copy_within(locator(2), locator(1).start);
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[body.clone()]);
    bytes[body.end..][..8].copy_from_slice(&checksum.to_le_bytes());
    let damaged = RootFile::from_storage(Memory::from(bytes)).unwrap();
    let sets = Dataset::open(&damaged, "Events").unwrap();
    assert_eq!(sets.attribute_sets()[0].anchor, sets.attribute_sets()[1].anchor);

    let error = merge_into(&[Input::open(&damaged)], Memory::new(), MergeOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(
        error
            .to_string()
            .ends_with("attribute set eras: the attribute set shares its header with another ntuple"),
        "{error}"
    );
}
