//! Every category: what is written holds the expected entries in the expected schema, for every reader.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};

use rntuple::check::{CheckOptions, check_file};
use rntuple::encoding::ColumnType;
use rntuple::schema::{ColumnDescriptor, Locator, Schema};
use rntuple::{Dataset, RootFile};
use rntuple_validation::json::Json;
use rntuple_validation::{CATEGORIES, Category, NTUPLE};

fn expected(name: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("expected").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Writes the files of all categories.
fn written(folder: &Path) -> impl Iterator<Item = (&'static Category, PathBuf)> + '_ {
    CATEGORIES.iter().map(|category| {
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
        if name == "structure.feature_flag" {
            // Nobody may read it any further.
            let error = Dataset::open(&root, NTUPLE).unwrap_err();
            assert!(error.to_string().contains("feature flag 137"), "{error}");
            continue;
        }
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
        let field = schema.field(id).unwrap();
        let columns: Vec<String> = match schema.representations(id) {
            _ if field.projection_source.is_some() => Vec::new(),
            [] => Vec::new(),
            [columns] => columns.iter().map(|&id| column(schema.column(id).unwrap())).collect(),
            several => panic!("{} representations of {}", several.len(), schema.path(id)),
        };
        let columns = if columns.is_empty() { String::new() } else { format!(" [{}]", columns.join(", ")) };
        let source = field.projection_source.map(|source| format!(" = {}", schema.path(source)));
        let source = source.unwrap_or_default();
        lines += &format!("  {}: {}{columns}{source}\n", schema.path(id), field.type_name);
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
    let all = dataset.clusters().collect::<Result<Vec<_>, _>>().unwrap();
    let clusters: Vec<u64> = all.iter().map(|cluster| cluster.entry_count).collect();
    let settings: Vec<u32> =
        all.iter().flat_map(|cluster| cluster.columns.iter().map(|column| column.compression)).collect();
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
    let pages: Vec<(u32, u64)> = all
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
