//! Files that ROOT wrote, merged with themselves.

use rntuple::join::Overlay;
use rntuple::merge::{Input, MergeOptions, SchemaMode, merge_into};
use rntuple::storage::Memory;
use rntuple::{Compression, Dataset, ErrorKind, Reader, RootFile, Value};
use rntuple_tests::reference;

use super::common::{assert_sound, entries};

#[test]
fn every_file_by_root_merges_with_itself() {
    for reference in reference::files("-v1.") {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let path = key.path();
            let mut wanted = entries(&file, &path);
            wanted.extend(wanted.clone());
            let inputs = [Input::open(&file).ntuple(&path), Input::file(&reference.file).ntuple(&path)];
            for options in [
                MergeOptions::new(),
                MergeOptions::new().single_group(true).compression(Compression::zstd(2)),
                MergeOptions::new().schema(SchemaMode::Union),
                MergeOptions::new().schema(SchemaMode::Filter).compression(Compression::NONE),
            ] {
                let said = format!("{} {path} {options:?}", reference.name);
                let (summary, memory) = merge_into(&inputs, Memory::new(), options).expect(&said);
                let merged = RootFile::from_storage(memory).unwrap();
                assert_sound(&merged);
                assert!(entries(&merged, &path) == wanted, "{said}");
                assert_eq!(summary.entries, wanted.len() as u64);
                same_schema(&Dataset::open(&file, &path).unwrap(), &Dataset::open(&merged, &path).unwrap());
            }
        }
    }
}

#[test]
fn overlays_have_the_streamer_information_of_their_files() {
    for reference in reference::files("jsroot_all_types").iter().filter(|one| one.name.contains("-v1.")) {
        let file = RootFile::open(&reference.file).unwrap();
        for key in file.ntuples().unwrap() {
            let path = key.path();
            let overlay = Overlay::new(&reference.file).side(&reference.file, &path);
            let reader = Reader::<Value>::open(overlay, &path).unwrap();
            let input = Input::dataset(&reader.dataset(0).unwrap());
            let (_, memory) = merge_into(&[input], Memory::new(), MergeOptions::new()).unwrap();
            let merged = RootFile::from_storage(memory).unwrap();
            let (dataset, merged) =
                (Dataset::open(&file, &path).unwrap(), Dataset::open(&merged, &path).unwrap());
            let infos = dataset.schema().extra_type_info();
            assert!(!infos.is_empty(), "{}", reference.name);
            assert_eq!(merged.schema().extra_type_info(), infos, "{}", reference.name);
        }
    }
}

/// Fields, columns, projections, streamer information: as they were, in whatever order.
fn same_schema(one: &Dataset, other: &Dataset) {
    let (one, other) = (one.schema(), other.schema());
    let fields = |schema: &rntuple::schema::Schema| {
        let mut fields: Vec<String> = schema
            .fields()
            .map(|(id, field)| {
                let source = field.projection_source.map(|source| schema.path(source));
                let columns: Vec<Vec<(u16, u16, u16)>> = schema
                    .representations(id)
                    .iter()
                    .map(|list| {
                        let columns = list.iter().map(|id| schema.column(*id).unwrap());
                        columns.map(|column| (column.type_code, column.bits, column.representation)).collect()
                    })
                    .collect();
                let children: Vec<String> =
                    schema.children(id).iter().map(|id| schema.field(*id).unwrap().name.clone()).collect();
                let mut field = field.clone();
                (field.parent, field.projection_source) = (None, None);
                format!("{} {source:?} {columns:?} {children:?} {field:?}", schema.path(id))
            })
            .collect();
        fields.sort();
        fields
    };
    assert_eq!(fields(one), fields(other));
    assert_eq!(one.extra_type_info(), other.extra_type_info());
}

#[test]
fn older_formats_are_refused() {
    for reference in reference::files("-epoch0-") {
        let file = RootFile::open(&reference.file).unwrap();
        let path = file.ntuples().unwrap()[0].path();
        let inputs = [Input::open(&file).ntuple(path)];
        let error = merge_into(&inputs, Memory::new(), MergeOptions::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
        let said = error.to_string();
        assert!(
            said.contains("pre-release rc") && said.contains("read its entries and write them"),
            "{said}"
        );
    }
}
