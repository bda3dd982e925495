//! Files that pylance 14.0.2 wrote: copies of those that `generate.py` makes.

use std::path::Path;

use rntuple_dataset::format::transaction::Operation;
use rntuple_dataset::format::{
    DataFragment, DeletionFile, DeletionVector, ManifestFile, RowIdSequence, RowIds, Transaction, flags,
};

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)).unwrap()
}

fn manifest(name: &str) -> ManifestFile {
    let bytes = fixture(name);
    let file = ManifestFile::read(&bytes).unwrap();
    assert_eq!(file.to_bytes().unwrap(), bytes, "{name}: no byte is lost");
    file
}

#[test]
fn a_manifest_after_deletions_and_changes_of_the_schema() {
    let file = manifest("evolved.manifest");
    let manifest = &file.manifest;
    assert_eq!((manifest.version, manifest.rows(), manifest.max_fragment_id), (6, 847, Some(3)));
    assert_eq!(manifest.reader_feature_flags, flags::DELETION_FILES);
    assert_eq!(manifest.writer_version.as_ref().unwrap().version, "14.0.2");
    let fields: Vec<_> = manifest
        .fields
        .iter()
        .map(|field| (field.id, field.parent_id, &*field.name, &*field.logical_type))
        .collect();
    assert_eq!(
        fields,
        [
            (0, -1, "number", "int64"),
            (2, -1, "muons", "list.struct"),
            (3, 2, "item", "struct"),
            (4, 3, "pt", "float"),
            (5, 3, "q", "int32"),
            (6, -1, "twice", "int64"),
        ]
    );
    let fragments: Vec<_> = manifest
        .fragments
        .iter()
        .map(|fragment| (fragment.id, fragment.physical_rows, fragment.deleted_rows(), fragment.files.len()))
        .collect();
    assert_eq!(fragments, [(0, 400, 202, 2), (1, 400, 1, 2), (2, 200, 0, 2), (3, 50, 0, 2)]);
    // The field `text`, which was removed, is still in the files.
    assert_eq!(manifest.fragments[0].files[0].fields, [0, 1, 4, 5]);
    assert_eq!(manifest.fragments[0].file_of(6).unwrap().fields, [6]);
    let transaction = file.transaction.as_ref().unwrap();
    assert_eq!((transaction.read_version, transaction.operation.as_ref().unwrap().name()), (5, "Project"));
    assert!(manifest.check_readable().unwrap_err().to_string().contains("\"lance\""));
}

#[test]
fn a_manifest_of_the_first_scheme_of_names() {
    let manifest = manifest("v1.manifest").manifest;
    assert_eq!((manifest.version, manifest.rows(), manifest.fragments[0].physical_rows), (2, 9, 10));
}

fn ids(fragment: &DataFragment) -> RowIdSequence {
    let Some(RowIds::Inline(bytes)) = &fragment.row_id_sequence else { panic!("{fragment:?}") };
    let ids = RowIdSequence::read(bytes, fragment.physical_rows).unwrap();
    let again = ids.to_bytes();
    let most = bytes.len() + bytes.len() / 10;
    assert!(again.len() <= most, "{} bytes, Lance needs {}", again.len(), bytes.len());
    assert_eq!(RowIdSequence::read(&again, fragment.physical_rows).unwrap(), ids);
    ids
}

#[test]
fn row_ids_of_each_kind() {
    let manifest = manifest("row_ids.manifest").manifest;
    assert_eq!((manifest.rows(), manifest.next_row_id, manifest.has_stable_row_ids()), (7470, 12012, true));
    let ids: Vec<RowIdSequence> = manifest.fragments.iter().map(ids).collect();
    // A range, one with holes, others as bitmaps, and an array.
    assert_eq!(ids[0], RowIdSequence::from(9000..12000));
    assert_eq!(ids[1].slice(0..4).iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!((ids[1].count(), ids[1].runs().len() > 10), (1482, true));
    assert_eq!(ids[5].iter().collect::<Vec<_>>(), [11999, 3, 7, 12000, 12001]);
    assert_eq!(ids[6], RowIdSequence::from(12002..12012));
}

#[test]
fn row_ids_far_from_each_other() {
    let manifest = manifest("sparse.manifest").manifest;
    let expected = RowIdSequence::from_ids((0..80).map(|number| 500 * number)).unwrap();
    assert_eq!(ids(&manifest.fragments[0]), expected);
}

#[test]
fn deletions_of_both_kinds() {
    let file = DeletionFile { num_deleted_rows: 20, ..Default::default() };
    let few = DeletionVector::read(&fixture("few.arrow"), &file, 20_000).unwrap();
    assert!(few.iter().eq((0..20).map(|number| 1000 * number + 7)));
    let file = DeletionFile { file_type: 1, num_deleted_rows: 6014, ..file };
    let many = DeletionVector::read(&fixture("many.bin"), &file, 20_000).unwrap();
    let expected = (0..6000).chain((6..20).map(|number| 1000 * number + 7));
    assert!(many.iter().eq(expected), "{many:?}");
    assert_eq!(many.to_bytes().unwrap().0, file.file_type());
}

#[test]
fn transactions() {
    let bytes = fixture("delete.txn");
    let transaction = Transaction::read(&bytes).unwrap();
    assert_eq!((transaction.read_version, transaction.to_bytes()), (1, bytes));
    let Some(Operation::Delete(delete)) = transaction.operation else { panic!("{transaction:?}") };
    assert_eq!(delete.predicate, "number in (3, 5, 700)");
    let deleted: Vec<_> = delete.updated_fragments.iter().map(|one| (one.id, one.deleted_rows())).collect();
    assert_eq!(deleted, [(0, 2), (1, 1)]);
    let bytes = fixture("merge.txn");
    let transaction = Transaction::read(&bytes).unwrap();
    assert_eq!(transaction.to_bytes(), bytes);
    let Some(Operation::Merge(merge)) = transaction.operation else { panic!("{transaction:?}") };
    assert_eq!((merge.fragments.len(), merge.schema.last().map(|field| &*field.name)), (4, Some("twice")));
}

/// No prefix and no changed byte of a file of Lance is more than an error.
#[test]
fn damaged_files_are_read_or_refused() {
    for name in ["evolved.manifest", "row_ids.manifest", "v1.manifest"] {
        let bytes = fixture(name);
        for at in 0..bytes.len() {
            assert!(ManifestFile::read(&bytes[..at]).is_err());
            for bit in [at % 8, 7] {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                for fragment in
                    ManifestFile::read(&damaged).into_iter().flat_map(|file| file.manifest.fragments)
                {
                    if let Some(RowIds::Inline(bytes)) = &fragment.row_id_sequence {
                        let read = RowIdSequence::read(bytes, fragment.physical_rows);
                        assert!(read.is_err() || read.unwrap().count() == fragment.physical_rows);
                    }
                }
            }
        }
    }
    for (name, file_type) in [("few.arrow", 0), ("many.bin", 1)] {
        let bytes = fixture(name);
        let file = DeletionFile { file_type, ..Default::default() };
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 2000) {
            assert!(DeletionVector::read(&bytes[..at], &file, 20_000).is_err());
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << (at % 8);
            if let Ok(read) = DeletionVector::read(&damaged, &file, 20_000) {
                assert!(read.iter().all(|row| row < 20_000), "{name}, byte {at}");
            }
        }
    }
}
