//! Records of data sets: manifests, transactions, deleted rows, row ids.

use rntuple_dataset::format::{
    DataFile, DataFragment, DeletionFile, DeletionVector, Field, Manifest, ManifestFile, RowIdSequence,
    RowIds, Transaction, transaction,
};

use crate::mutator::Mutator;

/// Rows of the fragment that a deletion file or row ids are of.
const ROWS: u64 = 10_000;

/// Reads bytes as the record that the first of them says.
pub(crate) fn read(bytes: &[u8]) {
    let Some((kind, record)) = bytes.split_first() else { return };
    match kind % 5 {
        0 => {
            if let Ok(file) = ManifestFile::read(record) {
                let again = file.to_bytes().and_then(|bytes| ManifestFile::read(&bytes));
                assert!(again.is_ok_and(|again| again.manifest.fragments == file.manifest.fragments));
            }
        }
        1 => {
            if let Ok(transaction) = Transaction::read(record) {
                assert!(Transaction::read(&transaction.to_bytes()).is_ok_and(|again| again == transaction));
            }
        }
        2 => {
            if let Ok(ids) = RowIdSequence::read(record, ROWS) {
                assert_eq!(ids.count(), ROWS);
            }
        }
        kind => {
            let file = DeletionFile { file_type: i32::from(kind) - 3, ..DeletionFile::default() };
            if let Ok(deleted) = DeletionVector::read(record, &file, ROWS) {
                assert!(deleted.count() <= ROWS);
            }
        }
    }
}

/// Changes a record; it stays one of its kind, most of the time.
pub(crate) fn mutate(bytes: &mut Vec<u8>, max: usize, mutator: &mut Mutator) {
    if mutator.one_in(16) || bytes.is_empty() {
        return mutator.bytes(bytes, max);
    }
    let mut record = bytes.split_off(1);
    mutator.bytes(&mut record, max.saturating_sub(1));
    bytes.extend(record);
}

/// One of each kind.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let ids = RowIdSequence::from(0..ROWS);
    let few: DeletionVector = (0..50).map(|row| row * 7).collect();
    let many: DeletionVector = (0..6000).collect();
    let file = DataFile {
        path: "a.root".to_owned(),
        fields: vec![0, 1],
        column_indices: vec![0, 1],
        ..DataFile::default()
    };
    let fragment = DataFragment {
        files: vec![file],
        physical_rows: ROWS,
        row_id_sequence: Some(RowIds::Inline(ids.to_bytes())),
        ..DataFragment::default()
    };
    let field =
        Field { name: "met".to_owned(), parent_id: -1, logical_type: "float".to_owned(), ..Field::default() };
    let append = Transaction::new(1, transaction::Append { fragments: vec![fragment.clone()] });
    let manifest =
        Manifest { fields: vec![field], fragments: vec![fragment], version: 2, ..Manifest::default() };
    let manifest = ManifestFile { transaction: Some(append.clone()), ..ManifestFile::from(manifest) };
    let holes = RowIdSequence::from(0..2 * ROWS).without(&(0..10_000u32).map(|row| row * 2).collect());
    let records = [
        (0, manifest.to_bytes().unwrap_or_default()),
        (1, append.to_bytes()),
        (2, ids.to_bytes()),
        (2, holes.to_bytes()),
        (3, few.to_bytes().map(|it| it.1).unwrap_or_default()),
        (4, many.to_bytes().map(|it| it.1).unwrap_or_default()),
    ];
    records.into_iter().map(|(kind, record)| [vec![kind], record].concat()).collect()
}
