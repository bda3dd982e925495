use super::*;
use crate::format::transaction::{
    Append, DataReplacementGroup, ExactKeySet, KeyExistenceFilter, KeySet, Merge, Overwrite, Project,
    ReserveFragments, Restore, Rewrite, RewriteGroup, UpdateBases, UpdateConfig, UpdateMap, UpdateMapEntry,
    UpdateMode,
};
use crate::format::{BasePath, DataFile, DeletionFile, Field, IndexMetadata};

/// Operations, in the order of the tables.
const NAMES: [&str; 17] = [
    "Append",
    "Delete",
    "Overwrite",
    "CreateIndex",
    "Rewrite",
    "Merge",
    "Restore",
    "ReserveFragments",
    "Update",
    "Project",
    "UpdateConfig",
    "DataReplacement",
    "UpdateMemWalState",
    "Clone",
    "UpdateBases",
    "DataOverlay",
    "AppendFragmentReuseTransitions",
];

/// What follows where both change the same: a row for each of ours, `.` for none, `r` for a retry.
const NEAR: [&str; 17] = [
    ". . x . . r x . . r . . x . . . x",
    ". . x . r r x . . . . r x . . . x",
    ". . x . . . . . . . x . x . . . x",
    ". . x r r . x . . . . r x . . . x",
    ". r x r r r x . r . . r . . . r x",
    "r r x . r r x . r x r r x . . r x",
    ". . . . . . . . . . . . x . . . x",
    ". . x . . . x . . . . . . . . . x",
    ". . x . r r x . . r . r x . . r x",
    "r . x . . r x . r r r r x . . r x",
    ". . x . . r r . . r x . . . . . x",
    ". . x r r r x . r r . r x . . . x",
    "x x x x x x x x x x x x x x x x x",
    ". . . . . . . . . . . . . . . . x",
    ". . . . . . . . . . . . . . x . x",
    "x x x x x r x x x r x x x x x x x",
    "x x x x x x x x x x x x x x x x x",
];

/// What follows where theirs changes other fragments, fields and settings, and leaves older rows valid.
const FAR: [&str; 17] = [
    ". . x . . . x . . . . . x . . . x",
    ". . x . . r x . . . . . x . . . x",
    ". . r . . . . . . . . . x . . . x",
    ". . x . . . x . . . . . x . . . x",
    ". . x . . r x . . . . . . . . r x",
    "r r x . r r x . r x . r x . . r x",
    ". . . . . . . . . . . . x . . . x",
    ". . x . . . x . . . . . . . . . x",
    ". . x . . r x . . . . . x . . r x",
    "r . x . . r x . r r . r x . . r x",
    ". . x . . r r . . r . . . . . . x",
    ". . x . . r x . . . . . x . . . x",
    "x x x x x x x x x x x x x x x x x",
    ". . . . . . . . . . . . . . . . x",
    ". . . . . . . . . . . . . . . . x",
    "x x x x x x x x x x x x x x x x x",
    "x x x x x x x x x x x x x x x x x",
];

fn fragment(id: u64) -> DataFragment {
    let file = DataFile { path: format!("{id}.root"), fields: vec![0, 1], ..Default::default() };
    DataFragment { id, files: vec![file], physical_rows: 10, ..Default::default() }
}

fn deleted(id: u64) -> DataFragment {
    DataFragment { deletion_file: Some(DeletionFile { id, ..Default::default() }), ..fragment(id) }
}

fn base() -> Manifest {
    Manifest { version: 1, fragments: vec![fragment(1), fragment(2)], ..Default::default() }
}

fn schema(ids: &[i32]) -> Vec<Field> {
    ids.iter().map(|&id| Field { id, ..Default::default() }).collect()
}

fn set(key: &str) -> Option<UpdateMap> {
    let entry = UpdateMapEntry { key: key.to_owned(), value: Some(String::new()) };
    Some(UpdateMap { update_entries: vec![entry], replace: false })
}

/// One of each operation; `near` ones change fragment 1, and leave older rows invalid.
fn operations(near: bool) -> [Operation; 17] {
    let id = if near { 1 } else { 2 };
    let key = if near { "near" } else { "far" };
    let mut fragment_bitmap = Vec::new();
    RoaringBitmap::from([if near { 1 } else { 2 }]).serialize_into(&mut fragment_bitmap).unwrap();
    let index = IndexMetadata {
        name: key.to_owned(),
        fields: vec![if near { 0 } else { 9 }],
        fragment_bitmap,
        ..Default::default()
    };
    let fields = if near { vec![0, 1] } else { vec![7] };
    let metadata = if near { vec![(0, set(key).unwrap())] } else { vec![] };
    let place = BasePath { path: key.to_owned(), ..Default::default() };
    [
        Append { fragments: vec![fragment(0)] }.into(),
        Delete { updated_fragments: vec![deleted(id)], ..Default::default() }.into(),
        Overwrite { config_upsert_values: [(key.to_owned(), String::new())].into(), ..Default::default() }
            .into(),
        CreateIndex { new_indices: vec![index], ..Default::default() }.into(),
        Rewrite {
            groups: vec![RewriteGroup { old_fragments: vec![fragment(id)], ..Default::default() }],
            ..Default::default()
        }
        .into(),
        Merge {
            fragments: vec![fragment(1), fragment(2)],
            preserves_nullability: !near,
            ..Default::default()
        }
        .into(),
        Restore { version: 1 }.into(),
        ReserveFragments { num_fragments: 1 }.into(),
        Update {
            updated_fragments: vec![deleted(id)],
            new_fragments: vec![fragment(0)],
            ..Default::default()
        }
        .into(),
        Project { schema: schema(if near { &[0] } else { &[0, 1, 7] }), preserves_nullability: !near }.into(),
        UpdateConfig {
            config_updates: set(key),
            field_metadata_updates: metadata.into_iter().collect(),
            ..Default::default()
        }
        .into(),
        DataReplacement {
            replacements: vec![DataReplacementGroup {
                fragment_id: id,
                new_file: Some(DataFile { fields, ..Default::default() }),
            }],
        }
        .into(),
        Operation::UpdateMemWalState(vec![]),
        Operation::Clone(vec![]),
        UpdateBases { new_bases: vec![place] }.into(),
        Operation::DataOverlay(vec![]),
        Operation::AppendFragmentReuseTransitions(vec![]),
    ]
}

fn symbol(ours: &Operation, theirs: &Operation) -> &'static str {
    match check(ours, theirs, &base()) {
        Ok(()) => ".",
        Err(Obstacle { is_retryable: true, .. }) => "r",
        Err(Obstacle { is_retryable: false, .. }) => "x",
    }
}

fn compare(table: &[&str; 17], theirs_near: bool) {
    let mut wrong = Vec::new();
    for ((ours, name), row) in operations(true).iter().zip(NAMES).zip(table) {
        assert_eq!(ours.name(), name);
        let cells: Vec<&str> = row.split(' ').collect();
        assert_eq!(cells.len(), 17);
        for (theirs, expected) in operations(theirs_near).iter().zip(cells) {
            let found = symbol(ours, theirs);
            if found != expected {
                wrong.push(format!("{name} after {}: {found}, expected {expected}", theirs.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn each_pair_of_operations_on_the_same_things() {
    compare(&NEAR, true);
}

#[test]
fn each_pair_of_operations_on_different_things() {
    compare(&FAR, false);
}

fn removal(id: u64) -> Operation {
    Delete { deleted_fragment_ids: vec![id], ..Default::default() }.into()
}

fn replacement(fragment_id: u64, fields: &[i32]) -> Operation {
    let new_file = Some(DataFile { fields: fields.to_vec(), ..Default::default() });
    DataReplacement { replacements: vec![DataReplacementGroup { fragment_id, new_file }] }.into()
}

#[test]
fn fragments_that_are_removed_conflict() {
    let deletion: Operation = Delete { updated_fragments: vec![deleted(1)], ..Default::default() }.into();
    assert_eq!(symbol(&deletion, &removal(1)), "r");
    assert_eq!(symbol(&removal(1), &deletion), "r");
    assert_eq!(symbol(&removal(1), &removal(1)), "r");
    assert_eq!(symbol(&deletion, &removal(2)), ".");
    assert_eq!(symbol(&replacement(1, &[0]), &removal(1)), "x");
    assert_eq!(symbol(&replacement(1, &[0]), &removal(2)), ".");
    let moved: Operation = Update { removed_fragment_ids: vec![1], ..Default::default() }.into();
    assert_eq!(symbol(&replacement(1, &[0]), &moved), "x");
}

#[test]
fn columns_that_are_rewritten_conflict_with_deletions_of_the_same_fragment() {
    let mut changed = fragment(1);
    changed.files[0].path = "new.root".to_owned();
    let columns: Operation = Update {
        updated_fragments: vec![changed],
        fields_modified: vec![0],
        update_mode: UpdateMode::RewriteColumns.into(),
        ..Default::default()
    }
    .into();
    let deletion = |id| Delete { updated_fragments: vec![deleted(id)], ..Default::default() }.into();
    assert_eq!(symbol(&columns, &deletion(1)), "r");
    assert_eq!(symbol(&deletion(1), &columns), "r");
    assert_eq!(symbol(&columns, &deletion(2)), ".");
    // Only the columns that were rewritten are stale in a replacement.
    assert_eq!(symbol(&replacement(1, &[0]), &columns), "r");
    assert_eq!(symbol(&replacement(1, &[1]), &columns), ".");
}

#[test]
fn a_field_that_was_removed_cannot_be_replaced() {
    let project: Operation = Project { schema: schema(&[0]), preserves_nullability: true }.into();
    assert_eq!(symbol(&replacement(1, &[0]), &project), ".");
    assert_eq!(symbol(&replacement(1, &[0, 1]), &project), "x");
    // The other order: what was replaced is dropped, as asked for.
    assert_eq!(symbol(&project, &replacement(1, &[1])), ".");
}

#[test]
fn rows_with_the_same_key_conflict() {
    let update = |fields: &[i32], keys: Option<&[u64]>| -> Operation {
        let data = |keys: &[u64]| KeySet::Exact(ExactKeySet { key_hashes: keys.to_vec() });
        let inserted_rows =
            keys.map(|keys| KeyExistenceFilter { field_ids: fields.to_vec(), data: Some(data(keys)) });
        Update { inserted_rows, ..Default::default() }.into()
    };
    let ours = update(&[0], Some(&[5, 6]));
    assert_eq!(symbol(&ours, &update(&[0], Some(&[7]))), ".");
    assert_eq!(symbol(&ours, &update(&[0], Some(&[7, 5]))), "r");
    assert_eq!(symbol(&ours, &update(&[1], Some(&[7]))), "r");
    assert_eq!(symbol(&ours, &update(&[0], None)), "r");
    assert_eq!(symbol(&update(&[0], None), &ours), ".");
    assert_eq!(symbol(&ours, &Append::default().into()), "r");
}

#[test]
fn settings_conflict_by_key() {
    let change = |key: &str, value: Option<&str>, replace| -> Operation {
        let entry = UpdateMapEntry { key: key.to_owned(), value: value.map(str::to_owned) };
        let config_updates = Some(UpdateMap { update_entries: vec![entry], replace });
        UpdateConfig { config_updates, ..Default::default() }.into()
    };
    let old = |key: &str| -> Operation {
        UpdateConfig { delete_keys: vec![key.to_owned()], ..Default::default() }.into()
    };
    assert_eq!(symbol(&change("a", Some(""), false), &change("a", None, false)), "x");
    assert_eq!(symbol(&change("a", Some(""), false), &old("a")), "x");
    assert_eq!(symbol(&change("a", None, false), &old("a")), ".");
    assert_eq!(symbol(&change("a", Some(""), false), &change("b", Some(""), false)), ".");
    assert_eq!(symbol(&change("a", Some(""), true), &change("b", Some(""), false)), "x");
    let table = |key| UpdateConfig { table_metadata_updates: set(key), ..Default::default() }.into();
    assert_eq!(symbol(&table("a"), &table("a")), "x");
    assert_eq!(symbol(&table("a"), &table("b")), ".");
    assert_eq!(symbol(&table("a"), &change("a", Some(""), false)), ".");
}
