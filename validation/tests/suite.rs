//! Every category: what is written holds the expected entries in the expected schema, for every reader.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use rntuple::check::{CheckOptions, check_file};
use rntuple::encoding::ColumnType;
use rntuple::schema::{ColumnDescriptor, Locator, Schema};
use rntuple::{Dataset, RootFile, Settings, WriteOptions, Writer};
use rntuple_validation::json::Json;
use rntuple_validation::{CATEGORIES, Category, NTUPLE, named};

fn expected(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("expected").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Writes the files of all categories that can be written.
fn written(folder: &Path) -> impl Iterator<Item = (&'static Category, PathBuf)> + '_ {
    CATEGORIES.iter().filter(|category| category.is_written()).map(|category| {
        let file = folder.join(format!("{}.root", category.name));
        category.write(&file).unwrap_or_else(|error| panic!("{}: {error}", category.name));
        (category, file)
    })
}

#[test]
fn every_category_is_as_the_suite_says() {
    let (folder, text) = (tempfile::tempdir().unwrap(), expected("schemas.txt"));
    let mut schemas: Vec<&str> = text.trim_end().split("\n\n").collect();
    for (category, file) in written(folder.path()) {
        let (name, expected) = (category.name, expected(&format!("{}.json", category.name)));
        assert_eq!(category.read(&file).unwrap(), expected, "{name}, typed");
        assert_eq!(category.read_dynamic(&file).unwrap(), expected, "{name}, dynamic");
        let root = RootFile::open(&file).unwrap();
        let report = check_file(&root, CheckOptions::new());
        assert!(report.is_sound() && report.notes.is_empty(), "{name}: {report:?}");
        let dataset = Dataset::open(&root, NTUPLE).unwrap();
        let schema = format!("{name}\n{}", lines(dataset.schema()));
        let known = schemas.iter().position(|known| *known == schema.trim_end());
        schemas.remove(known.unwrap_or_else(|| panic!("another schema:\n{schema}")));
        check_structure(name, &dataset);
    }
    assert_eq!(schemas, [""; 0], "schemas without a file");
}

/// A line for each field, a field's own before those of its subfields.
fn lines(schema: &Schema) -> String {
    let mut lines = String::new();
    let mut open: Vec<_> = schema.top_level().iter().rev().copied().collect();
    while let Some(id) = open.pop() {
        let columns: Vec<String> = match schema.representations(id) {
            [] => Vec::new(),
            [columns] => columns.iter().map(|&id| column(schema.column(id).unwrap())).collect(),
            several => panic!("{} representations of {}", several.len(), schema.path(id)),
        };
        let columns = if columns.is_empty() { String::new() } else { format!(" [{}]", columns.join(", ")) };
        lines += &format!("  {}: {}{columns}\n", schema.path(id), schema.field(id).unwrap().type_name);
        open.extend(schema.children(id).iter().rev());
    }
    lines
}

/// The column type, and what else there is to it.
fn column(column: &ColumnDescriptor) -> String {
    let column_type = ColumnType::from_code(column.type_code).unwrap();
    let name = column_type.name();
    match (column_type, column.range) {
        (ColumnType::Real32Trunc, None) => format!("{name} {}", column.bits),
        (ColumnType::Real32Quant, Some((min, max))) => {
            let real = |value| Json::real(value).to_string().replace('"', "");
            format!("{name} {} {}..{}", column.bits, real(min), real(max))
        }
        (_, None) => name.to_owned(),
        (_, Some(range)) => panic!("{name} with the range {range:?}"),
    }
}

/// The compression of the pages, the clusters and their groups, as write.C makes them.
fn check_structure(name: &str, dataset: &Dataset) {
    let clusters: Vec<u64> = dataset.clusters().iter().map(|cluster| cluster.entry_count).collect();
    let settings: Vec<u32> = dataset
        .clusters()
        .iter()
        .flat_map(|cluster| cluster.columns.iter().map(|column| column.compression))
        .collect();
    let (expected, code) = match name {
        "structure.empty" => (vec![], 0),
        "structure.attributes" => (vec![3], 505),
        "structure.clusters" => (vec![1; 2], 0),
        "structure.cluster_groups" => (vec![1; 4], 0),
        "compression.algorithms.zlib" => (vec![32], 101),
        "compression.algorithms.lzma" => (vec![32], 207),
        "compression.algorithms.lz4" => (vec![32], 404),
        "compression.algorithms.zstd" => (vec![32], 505),
        "compression.block.short" => (vec![2], 505),
        "compression.block.big" => (vec![40 * 1024 * 1024 / 8], 509),
        _ => (vec![dataset.entry_count()], 0),
    };
    assert_eq!(clusters, expected, "{}", name);
    assert!(settings.iter().all(|settings| *settings == code), "{}: {settings:?}", name);
    let groups = match name {
        "structure.empty" => 0,
        "structure.cluster_groups" => 2,
        _ => 1,
    };
    assert_eq!(dataset.cluster_groups().len(), groups, "{}", name);
    let pages: Vec<(u32, u64)> = dataset
        .clusters()
        .iter()
        .flat_map(|cluster| cluster.columns.iter().flat_map(|column| &column.pages))
        .map(|page| match page.locator {
            Locator::File { size, .. } => (page.count, size),
            other => panic!("{other:?}"),
        })
        .collect();
    match name {
        // One page of three blocks, which is far smaller than its 40 MiB.
        "compression.block.big" => {
            assert!(matches!(pages[..], [(5_242_880, length)] if length < 1 << 20), "{pages:?}");
        }
        // Stored as it is: two integers.
        "compression.block.short" => assert_eq!(pages, [(2, 16)]),
        _ => {}
    }
}

/// The categories that are only read: fields of the same names and types that are no projections.
#[test]
fn projections_are_read_as_their_sources() {
    use rntuple::{RNTuple, RVec};

    #[derive(RNTuple)]
    #[rntuple(rename_all = "PascalCase")]
    struct Cardinality {
        index32: Vec<i32>,
        index64: Vec<i32>,
        split_index32: Vec<i32>,
        split_index64: Vec<i32>,
        index32_cardinality: Vec<i32>,
        index64_cardinality: Vec<i32>,
        split_index32_cardinality: Vec<i32>,
        split_index64_cardinality: Vec<i32>,
    }

    #[derive(RNTuple)]
    #[rntuple(rename_all = "PascalCase")]
    struct Collection {
        vector: Vec<i32>,
        projected: RVec<i32>,
    }

    #[derive(RNTuple)]
    #[rntuple(rename_all = "PascalCase")]
    struct Leaf {
        pair: (i32, f32),
        int32: i32,
        float: f32,
    }

    #[derive(RNTuple)]
    #[rntuple(rename_all = "PascalCase")]
    struct Nested {
        vector_pair: Vec<(i32, f32)>,
        vector_int: Vec<i32>,
        vector_float: Vec<f32>,
    }

    let lists = |[one, two, three, four]: [&[i32]; 4]| {
        let ([a, b, c, d], [e, f, g, h]) = ([one, two, three, four], [one, two, three, four]);
        Cardinality {
            index32: a.to_vec(),
            index64: b.to_vec(),
            split_index32: c.to_vec(),
            split_index64: d.to_vec(),
            index32_cardinality: e.to_vec(),
            index64_cardinality: f.to_vec(),
            split_index32_cardinality: g.to_vec(),
            split_index64_cardinality: h.to_vec(),
        }
    };
    read_like(
        "projections.cardinality",
        &[
            lists([&[1], &[2], &[3], &[4]]),
            lists([&[]; 4]),
            lists([&[1], &[2, 3], &[4, 5, 6], &[7, 8, 9, 10]]),
        ],
    );
    let collection = |items: &[i32]| Collection { vector: items.to_vec(), projected: items.to_vec().into() };
    read_like("projections.collection", &[collection(&[1, 2]), collection(&[])]);
    read_like("projections.leaf", &[Leaf { pair: (1, 2.0), int32: 1, float: 2.0 }]);
    read_like(
        "projections.nested",
        &[
            Nested {
                vector_pair: vec![(1, 2.0), (3, 4.0)],
                vector_int: vec![1, 3],
                vector_float: vec![2.0, 4.0],
            },
            Nested { vector_pair: vec![], vector_int: vec![], vector_float: vec![] },
        ],
    );
}

/// Writes entries, and reads them as those of a category.
fn read_like<T: rntuple::RNTuple + rntuple::field::WriteField>(name: &str, entries: &[T]) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("like.root");
    let options = WriteOptions::new().compression(Settings::NONE);
    let mut writer = Writer::<T>::create(&file, NTUPLE, options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish().unwrap();
    let category = named(name).unwrap();
    assert_eq!(category.read(&file).unwrap(), expected(&format!("{name}.json")), "{name}");
}
