//! Keys of settings and metadata that operations change, and keys of rows that they add.

use std::collections::BTreeSet;

use crate::format::transaction::{KeyExistenceFilter, KeySet, Operation, UpdateConfig, UpdateMap};

/// The keys of settings that an operation sets, and those that it removes.
fn settings(operation: &Operation) -> (BTreeSet<&str>, BTreeSet<&str>) {
    match operation {
        Operation::Overwrite(overwrite) => {
            (overwrite.config_upsert_values.keys().map(String::as_str).collect(), BTreeSet::new())
        }
        Operation::UpdateConfig(update) => {
            let mut set: BTreeSet<&str> = update.upsert_values.keys().map(String::as_str).collect();
            let mut removed: BTreeSet<&str> = update.delete_keys.iter().map(String::as_str).collect();
            for entry in update.config_updates.iter().flat_map(|updates| &updates.update_entries) {
                match entry.value {
                    Some(_) => set.insert(&entry.key),
                    None => removed.insert(&entry.key),
                };
            }
            (set, removed)
        }
        _ => Default::default(),
    }
}

/// Whether an operation replaces all settings.
fn replaces(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::UpdateConfig(UpdateConfig { config_updates: Some(UpdateMap { replace: true, .. }), .. })
    )
}

/// Returns whether one operation sets what the other sets or removes.
pub(super) fn same_settings(ours: &Operation, theirs: &Operation) -> bool {
    let (our_set, our_removed) = settings(ours);
    let (their_set, their_removed) = settings(theirs);
    let touches = |set: &BTreeSet<&str>, removed: &BTreeSet<&str>| !set.is_empty() || !removed.is_empty();
    !our_set.is_disjoint(&their_set)
        || !our_set.is_disjoint(&their_removed)
        || !our_removed.is_disjoint(&their_set)
        || replaces(ours) && touches(&their_set, &their_removed)
        || replaces(theirs) && touches(&our_set, &our_removed)
}

/// Returns whether two changes of settings and metadata are about the same metadata.
pub(super) fn same_metadata(ours: &UpdateConfig, theirs: &UpdateConfig) -> bool {
    let schema = |update: &UpdateConfig| {
        update.schema_metadata_updates.is_some() || !update.schema_metadata.is_empty()
    };
    let fields = |update: &UpdateConfig| -> BTreeSet<i64> {
        let old = update.field_metadata.keys().map(|&id| i64::from(id));
        update.field_metadata_updates.keys().map(|&id| i64::from(id)).chain(old).collect()
    };
    let table = |update: &UpdateConfig| update.table_metadata_updates.clone();
    schema(ours) && schema(theirs)
        || !fields(ours).is_disjoint(&fields(theirs))
        || table(ours).zip(table(theirs)).is_some_and(|(ours, theirs)| same_entries(&ours, &theirs))
}

fn same_entries(ours: &UpdateMap, theirs: &UpdateMap) -> bool {
    ours.replace
        || theirs.replace
        || ours
            .update_entries
            .iter()
            .any(|entry| theirs.update_entries.iter().any(|other| other.key == entry.key))
}

/// Returns whether two operations may add rows with the same key; `true` where it cannot be seen.
pub(super) fn same_rows(ours: &KeyExistenceFilter, theirs: &KeyExistenceFilter) -> bool {
    if ours.field_ids != theirs.field_ids {
        return true;
    }
    match (&ours.data, &theirs.data) {
        (Some(KeySet::Exact(ours)), Some(KeySet::Exact(theirs))) => {
            let ours: BTreeSet<u64> = ours.key_hashes.iter().copied().collect();
            theirs.key_hashes.iter().any(|hash| ours.contains(hash))
        }
        _ => true,
    }
}
