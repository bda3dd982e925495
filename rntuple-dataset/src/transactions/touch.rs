//! What an operation needs, or changes.

use std::collections::{BTreeMap, BTreeSet};

use crate::format::transaction::{Operation, Rewrite, Update, UpdateMode};
use crate::format::{DataFragment, Manifest};

/// Ids of the fragments that the operation changes or removes.
pub(super) fn fragments(operation: &Operation) -> BTreeSet<u64> {
    let ids = |fragments: &[DataFragment]| fragments.iter().map(|fragment| fragment.id).collect::<Vec<_>>();
    match operation {
        Operation::Delete(delete) => {
            ids(&delete.updated_fragments).into_iter().chain(delete.deleted_fragment_ids.clone()).collect()
        }
        Operation::Update(update) => {
            ids(&update.updated_fragments).into_iter().chain(update.removed_fragment_ids.clone()).collect()
        }
        Operation::Rewrite(rewrite) => old_fragments(rewrite).map(|fragment| fragment.id).collect(),
        Operation::DataReplacement(replacement) => {
            replacement.replacements.iter().map(|group| group.fragment_id).collect()
        }
        Operation::Merge(merge) => ids(&merge.fragments).into_iter().collect(),
        _ => BTreeSet::new(),
    }
}

/// The fragments of a version by their ids.
pub(super) fn by_id(manifest: &Manifest) -> BTreeMap<u64, &DataFragment> {
    manifest.fragments.iter().map(|fragment| (fragment.id, fragment)).collect()
}

/// The fragments that a rewrite removes.
pub(super) fn old_fragments(rewrite: &Rewrite) -> impl Iterator<Item = &DataFragment> {
    rewrite.old_fragments.iter().chain(rewrite.groups.iter().flat_map(|group| &group.old_fragments))
}

/// The fragments that the operation gives new contents or deletions, and the ids of those that it removes.
pub(super) fn changes(operation: &Operation) -> Option<(&[DataFragment], &[u64])> {
    match operation {
        Operation::Delete(delete) => Some((&delete.updated_fragments, &delete.deleted_fragment_ids)),
        Operation::Update(update) => Some((&update.updated_fragments, &update.removed_fragment_ids)),
        _ => None,
    }
}

/// Whether rows leave their fragments for new ones.
pub(super) fn moves_rows(update: &Update) -> bool {
    !update.new_fragments.is_empty() && update.update_mode != i32::from(UpdateMode::RewriteColumns)
}

/// Whether it writes values, made for the schema that it saw.
pub(super) fn supplies_values(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::Append(_)
            | Operation::Update(_)
            | Operation::DataReplacement(_)
            | Operation::DataOverlay(_)
    )
}

/// Whether rows that were written for the older schema may be invalid afterwards.
pub(super) fn may_alter_nullability(operation: &Operation) -> bool {
    match operation {
        Operation::Merge(merge) => !merge.preserves_nullability,
        Operation::Project(project) => !project.preserves_nullability,
        _ => false,
    }
}

/// Whether it changes metadata that are a part of the schema.
pub(super) fn updates_schema(operation: &Operation) -> bool {
    match operation {
        Operation::UpdateConfig(update) => {
            update.schema_metadata_updates.is_some()
                || !update.field_metadata_updates.is_empty()
                || !update.schema_metadata.is_empty()
                || !update.field_metadata.is_empty()
        }
        _ => false,
    }
}
