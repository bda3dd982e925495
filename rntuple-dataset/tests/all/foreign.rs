//! Data sets that pylance made, compared with what it says about them.

use std::collections::BTreeSet;
use std::path::Path;

use rntuple_dataset::format::names::{self, Listing, NamingScheme};
use rntuple_dataset::format::transaction::Operation;
use rntuple_dataset::format::{
    DataFragment, DeletionFileType, DeletionVector, Field, Manifest, ManifestFile, RowIdIndex, RowIdSequence,
    RowIds, Transaction,
};
use rntuple_dataset::{Location, Log};
use serde_json::{Value, json};

use crate::pylance::generated;

pub(crate) fn listing(dataset: &Path) -> Listing {
    let names: Vec<String> = std::fs::read_dir(dataset.join(names::VERSIONS))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    Listing::from_names(names.iter().map(String::as_str)).unwrap()
}

fn fields(fields: &[Field]) -> Value {
    let field = |field: &Field| json!({"id": field.id, "parent": field.parent_id, "name": field.name, "nullable": field.nullable});
    fields.iter().map(field).collect()
}

fn files(fragment: &DataFragment) -> Value {
    let file = |file: &rntuple_dataset::format::DataFile| {
        json!({
            "path": file.path,
            "fields": file.fields,
            "column_indices": file.column_indices,
            "file_major_version": file.file_major_version,
            "file_minor_version": file.file_minor_version,
            "file_size_bytes": match file.file_size_bytes { 0 => Value::Null, size => size.into() },
            "base_id": file.base_id,
        })
    };
    fragment.files.iter().map(file).collect()
}

/// The fragment as pylance says it, without what it keeps to itself.
fn metadata(fragment: &DataFragment) -> Value {
    let deletion = fragment.deletion_file.map(|file| {
        let file_type = match file.file_type() {
            DeletionFileType::ArrowArray => "array",
            DeletionFileType::Bitmap => "bitmap",
        };
        json!({
            "read_version": file.read_version,
            "id": file.id,
            "file_type": file_type,
            "num_deleted_rows": file.num_deleted_rows,
            "base_id": file.base_id,
        })
    });
    let row_ids = fragment.row_id_sequence.as_ref().map(|ids| match ids {
        RowIds::Inline(bytes) => json!({"Inline": bytes}),
        RowIds::External(_) => panic!("row ids in a file"),
    });
    json!({
        "id": fragment.id,
        "files": files(fragment),
        "physical_rows": fragment.physical_rows,
        "deletion_file": deletion,
        "row_id_meta": row_ids,
    })
}

fn assert_fragments(ours: &[DataFragment], theirs: &Value, place: &str) {
    let theirs = theirs.as_array().unwrap();
    assert_eq!(ours.len(), theirs.len(), "{place}");
    for (ours, theirs) in ours.iter().zip(theirs) {
        let found = metadata(ours);
        for (key, value) in found.as_object().unwrap() {
            assert_eq!(value, &theirs[key], "{place}: {key} of fragment {}", ours.id);
        }
    }
}

pub(crate) fn deleted(dataset: &Path, fragment: &DataFragment) -> DeletionVector {
    let Some(file) = &fragment.deletion_file else { return DeletionVector::new() };
    let path = dataset.join(names::deletion_file(fragment.id, file).unwrap());
    DeletionVector::read(&std::fs::read(path).unwrap(), file, fragment.physical_rows).unwrap()
}

fn row_ids(fragment: &DataFragment) -> Option<RowIdSequence> {
    match fragment.row_id_sequence.as_ref()? {
        RowIds::Inline(bytes) => Some(RowIdSequence::read(bytes, fragment.physical_rows).unwrap()),
        RowIds::External(_) => panic!("row ids in a file"),
    }
}

/// Rows that are left, and their ids, are those that pylance scans.
fn assert_rows(dataset: &Path, manifest: &Manifest, said: &Value, place: &str) {
    let mut sequences = Vec::new();
    for (fragment, theirs) in manifest.fragments.iter().zip(said["fragments"].as_array().unwrap()) {
        let deleted = deleted(dataset, fragment);
        let rows = u32::try_from(fragment.physical_rows).unwrap();
        let live: Vec<u32> = (0..rows).filter(|offset| !deleted.contains(*offset)).collect();
        assert_eq!(json!(live), theirs["live"], "{place}: fragment {}", fragment.id);
        if let Some(ids) = row_ids(fragment) {
            let kept = ids.without(&deleted);
            assert_eq!(json!(kept.iter().collect::<Vec<_>>()), theirs["row_ids"], "{place}");
            sequences.push((fragment.id, ids, deleted));
        }
    }
    assert_eq!(manifest.rows(), said["rows"].as_u64().unwrap(), "{place}");
    let index = RowIdIndex::new(sequences.iter().map(|(id, ids, deleted)| (*id, ids, deleted))).unwrap();
    for (fragment, theirs) in manifest.fragments.iter().zip(said["fragments"].as_array().unwrap()) {
        let ids = theirs["row_ids"].as_array().into_iter().flatten();
        for (id, offset) in ids.zip(theirs["live"].as_array().unwrap()).step_by(97) {
            let address = index.get(id.as_u64().unwrap()).unwrap();
            assert_eq!((address.fragment, json!(address.offset)), (fragment.id, offset.clone()), "{place}");
        }
    }
}

fn assert_transaction(ours: &Transaction, theirs: &Value, place: &str) {
    assert_eq!(json!(ours.read_version), theirs["read_version"], "{place}");
    assert_eq!(ours.uuid, theirs["uuid"].as_str().unwrap(), "{place}");
    let operation = ours.operation.as_ref().unwrap();
    // pylance has no class for some operations.
    if theirs["name"] != "BaseOperation" {
        assert_eq!(operation.name(), theirs["name"].as_str().unwrap(), "{place}");
    }
    match operation {
        Operation::Append(append) => assert_fragments(&append.fragments, &theirs["fragments"], place),
        Operation::Delete(delete) => {
            assert_fragments(&delete.updated_fragments, &theirs["updated_fragments"], place);
            assert_eq!(json!(delete.deleted_fragment_ids), theirs["deleted_fragment_ids"], "{place}");
            assert_eq!(delete.predicate, theirs["predicate"].as_str().unwrap(), "{place}");
        }
        Operation::Update(update) => {
            assert_fragments(&update.updated_fragments, &theirs["updated_fragments"], place);
            assert_fragments(&update.new_fragments, &theirs["new_fragments"], place);
            assert_eq!(json!(update.removed_fragment_ids), theirs["removed_fragment_ids"], "{place}");
            assert_eq!(json!(update.fields_modified), theirs["fields_modified"], "{place}");
        }
        Operation::Overwrite(overwrite) => {
            assert_fragments(&overwrite.fragments, &theirs["fragments"], place);
            assert_eq!(fields(&overwrite.schema), theirs["schema"], "{place}");
        }
        Operation::Merge(merge) => {
            assert_fragments(&merge.fragments, &theirs["fragments"], place);
            assert_eq!(fields(&merge.schema), theirs["schema"], "{place}");
        }
        Operation::Project(project) => assert_eq!(fields(&project.schema), theirs["schema"], "{place}"),
        Operation::Restore(restore) => assert_eq!(json!(restore.version), theirs["version"], "{place}"),
        Operation::Rewrite(rewrite) => {
            let theirs = theirs["groups"].as_array().unwrap();
            assert_eq!(rewrite.groups.len(), theirs.len(), "{place}");
            for (group, theirs) in rewrite.groups.iter().zip(theirs) {
                assert_fragments(&group.old_fragments, &theirs["old"], place);
                assert_fragments(&group.new_fragments, &theirs["new"], place);
            }
        }
        Operation::UpdateConfig(_) | Operation::CreateIndex(_) | Operation::ReserveFragments(_) => {}
        other => panic!("{place}: {}", other.name()),
    }
}

#[test]
fn data_sets_of_pylance_are_what_it_says() {
    let Some(generated) = generated("data_sets_of_pylance_are_what_it_says") else { return };
    let (mut operations, mut tag_count) = (BTreeSet::new(), 0);
    for name in generated.said("names").as_array().unwrap() {
        let name = name.as_str().unwrap();
        let (dataset, said) = (generated.dataset(name), generated.said(name));
        let listing = listing(&dataset);
        let scheme = if name == "v1_names" { NamingScheme::V1 } else { NamingScheme::V2 };
        assert_eq!(listing.scheme, Some(scheme));
        assert_eq!(json!(listing.latest()), said["latest"]);
        let log = Log::new(Location::new(dataset.to_str().unwrap()).unwrap());
        let tags = rntuple_object_store::wait(async move { log.tags().await }).unwrap();
        assert_eq!(json!(tags), said["tags"], "{name}");
        tag_count += tags.len();
        let versions = said["versions"].as_array().unwrap();
        assert_eq!(listing.versions.len(), versions.len());
        for (&version, said) in listing.versions.iter().zip(versions) {
            let place = format!("{name}, version {version}");
            let bytes = std::fs::read(dataset.join(scheme.manifest(version))).unwrap();
            let file = ManifestFile::read(&bytes).unwrap();
            let manifest = &file.manifest;
            assert_eq!((manifest.version, said["version"].as_u64()), (version, Some(version)));
            assert_eq!(json!(manifest.has_stable_row_ids()), said["stable_row_ids"], "{place}");
            let format = manifest.data_format.as_ref().unwrap();
            assert_eq!(
                (&*format.file_format, Some(&*format.version)),
                ("lance", said["storage_version"].as_str())
            );
            assert_eq!(manifest.writer_version.as_ref().unwrap().version, "14.0.2");
            let seconds = manifest.timestamp.unwrap().seconds;
            assert!((seconds as f64 - said["seconds"].as_f64().unwrap()).abs() < 2.0, "{place}: {seconds}");
            assert_eq!(fields(&manifest.fields), said["fields"], "{place}");
            assert_eq!(json!(manifest.config), said["config"], "{place}");
            assert_fragments(&manifest.fragments, &said["fragments"], &place);
            assert_rows(&dataset, manifest, said, &place);

            let indices = file.indices.iter().flat_map(|section| &section.indices);
            let indices: BTreeSet<&str> = indices.map(|index| &*index.name).collect();
            let theirs: BTreeSet<&str> =
                said["indices"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!(indices, theirs, "{place}");

            let path = dataset.join(names::TRANSACTIONS).join(&manifest.transaction_file);
            let bytes_of_transaction = std::fs::read(path).unwrap();
            let transaction = Transaction::read(&bytes_of_transaction).unwrap();
            assert_eq!(file.transaction.as_ref(), Some(&transaction), "{place}");
            if !said["transaction"].is_null() {
                assert_transaction(&transaction, &said["transaction"], &place);
            }
            operations.insert(transaction.operation.as_ref().unwrap().name());

            // Not a byte is lost. Lance writes maps of more than one entry in any order.
            assert_eq!(transaction.to_bytes().len(), bytes_of_transaction.len(), "{place}");
            assert_eq!(file.to_bytes().unwrap().len(), bytes.len(), "{place}");
            if manifest.config.len() < 2 && !matches!(transaction.operation, Some(Operation::UpdateConfig(_)))
            {
                assert_eq!(transaction.to_bytes(), bytes_of_transaction, "{place}");
                let ours = file.to_bytes().unwrap();
                // Lance writes the transaction first, or the indices, as it happens.
                if manifest.index_section.is_none() {
                    assert_eq!(ours, bytes, "{place}");
                }
            }
        }
    }
    assert!(tag_count > 0);
    let expected = [
        "Append",
        "CreateIndex",
        "Delete",
        "Merge",
        "Overwrite",
        "Project",
        "ReserveFragments",
        "Restore",
        "Rewrite",
        "Update",
        "UpdateConfig",
    ];
    assert_eq!(operations.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn sequences_of_each_kind_are_met() {
    let Some(generated) = generated("sequences_of_each_kind_are_met") else { return };
    let mut kinds = BTreeSet::new();
    for name in ["row_ids", "sparse"] {
        let dataset = generated.dataset(name);
        for version in listing(&dataset).versions {
            let bytes = std::fs::read(dataset.join(NamingScheme::V2.manifest(version))).unwrap();
            for fragment in ManifestFile::read(&bytes).unwrap().manifest.fragments {
                let Some(RowIds::Inline(bytes)) = &fragment.row_id_sequence else { panic!() };
                // The key of the first segment, its length, and the key of its kind.
                let kind = bytes.iter().skip(1).skip_while(|byte| **byte >= 0x80).nth(1);
                kinds.insert(kind.map(|key| key >> 3));
            }
        }
    }
    assert!((1..=5).all(|kind| kinds.contains(&Some(kind))), "{kinds:?}");
}

/// Deletion files and row ids are written again by us, and read by pylance.
#[test]
fn pylance_reads_deletions_and_row_ids_that_we_wrote() {
    let Some(generated) = generated("pylance_reads_deletions_and_row_ids_that_we_wrote") else { return };
    for name in ["deletions", "row_ids", "sparse", "storage_2.1"] {
        let copy = generated.copy(name);
        let version = listing(copy.path()).latest().unwrap();
        let path = copy.path().join(NamingScheme::V2.manifest(version));
        let mut file = ManifestFile::read(&std::fs::read(&path).unwrap()).unwrap();
        let mut rewritten = 0;
        for fragment in &mut file.manifest.fragments {
            if let Some(deletion) = &fragment.deletion_file {
                let deleted = deleted(copy.path(), fragment);
                let (file_type, bytes) = deleted.to_bytes().unwrap();
                assert_eq!(file_type, deletion.file_type());
                std::fs::write(copy.path().join(names::deletion_file(fragment.id, deletion).unwrap()), bytes)
                    .unwrap();
                rewritten += 1;
            }
            if let Some(ids) = row_ids(fragment) {
                fragment.row_id_sequence = Some(RowIds::Inline(ids.to_bytes()));
                rewritten += 1;
            }
        }
        assert!(rewritten > 0);
        std::fs::write(&path, file.to_bytes().unwrap()).unwrap();

        let said = generated.said(name);
        let before = said["versions"].as_array().unwrap().last().unwrap();
        let now = generated.open(copy.path());
        assert_eq!(now["rows"], before["rows"], "{now}");
        for (now, before) in
            now["fragments"].as_array().unwrap().iter().zip(before["fragments"].as_array().unwrap())
        {
            assert_eq!((&now["live"], &now["row_ids"]), (&before["live"], &before["row_ids"]), "{name}");
        }
    }
}
