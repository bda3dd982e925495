//! Which operation excludes which.

use std::borrow::Cow;
use std::collections::BTreeSet;

use roaring::RoaringBitmap;

use super::{keys, touch};
use crate::format::transaction::{CreateIndex, DataReplacement, Delete, Operation, Update};
use crate::format::{DataFragment, Manifest};

/// What prevents an operation from being committed.
#[derive(Debug)]
pub(super) struct Obstacle {
    pub(super) is_retryable: bool,
    pub(super) reason: Cow<'static, str>,
    pub(super) fragments: Vec<u64>,
}

type Outcome = Result<(), Obstacle>;

fn retry(reason: impl Into<Cow<'static, str>>, fragments: Vec<u64>) -> Outcome {
    Err(Obstacle { is_retryable: true, reason: reason.into(), fragments })
}

fn incompatible(reason: impl Into<Cow<'static, str>>, fragments: Vec<u64>) -> Outcome {
    Err(Obstacle { is_retryable: false, reason: reason.into(), fragments })
}

/// Fails with a retryable conflict if there are common fragments.
fn exclusive(ours: &Operation, theirs: &Operation) -> Outcome {
    let common = common(ours, theirs);
    match common.is_empty() {
        true => Ok(()),
        false => retry("both change the same fragments", common),
    }
}

fn common(ours: &Operation, theirs: &Operation) -> Vec<u64> {
    touch::fragments(ours).intersection(&touch::fragments(theirs)).copied().collect()
}

const REPLACED: &str = "the data set was replaced";
const OPAQUE: &str = "this version does not support what it changes";
const SCHEMA: &str = "both change the schema";

/// Checks whether `ours`, made from the version `base`, may be committed after `theirs`.
pub(super) fn check(ours: &Operation, theirs: &Operation, base: &Manifest) -> Outcome {
    use Operation as O;
    if touch::may_alter_nullability(ours) && touch::supplies_values(theirs)
        || touch::supplies_values(ours) && touch::may_alter_nullability(theirs)
    {
        return retry("values written for one schema may be invalid in the other", vec![]);
    }
    if touch::updates_schema(ours) && matches!(theirs, O::Merge(_) | O::Project(_) | O::Restore(_))
        || matches!(ours, O::Merge(_) | O::Project(_)) && touch::updates_schema(theirs)
    {
        return retry("one changes the schema, and one its metadata", vec![]);
    }
    match (ours, theirs) {
        (_, O::AppendFragmentReuseTransitions(_)) | (O::AppendFragmentReuseTransitions(_), _) => {
            incompatible(OPAQUE, vec![])
        }
        (O::UpdateMemWalState(_) | O::DataOverlay(_), _) => incompatible(OPAQUE, vec![]),
        (O::Clone(_), _) | (_, O::Clone(_)) => Ok(()),

        (O::Restore(_), O::UpdateMemWalState(_)) => incompatible(OPAQUE, vec![]),
        (O::Restore(_), _) => Ok(()),

        (O::Overwrite(_), O::Overwrite(_)) if keys::same_settings(ours, theirs) => {
            incompatible("both set the same settings", vec![])
        }
        (O::Overwrite(_), O::Overwrite(_)) => retry(REPLACED, vec![]),
        (O::Overwrite(_), O::UpdateConfig(_)) if keys::same_settings(ours, theirs) => {
            incompatible("both set the same settings", vec![])
        }
        (O::Overwrite(_), O::UpdateMemWalState(_)) => incompatible(OPAQUE, vec![]),
        (O::Overwrite(_), _) => Ok(()),

        (O::UpdateConfig(_), O::Overwrite(_)) => {
            match touch::updates_schema(ours) || keys::same_settings(ours, theirs) {
                true => incompatible("the schema or the same settings were replaced", vec![]),
                false => Ok(()),
            }
        }
        (O::UpdateConfig(update), O::UpdateConfig(other)) => {
            match keys::same_settings(ours, theirs) || keys::same_metadata(update, other) {
                true => incompatible("both set the same settings or metadata", vec![]),
                false => Ok(()),
            }
        }
        (O::UpdateConfig(_), _) => Ok(()),

        (O::UpdateBases(new), O::UpdateBases(old)) => {
            let is_same = new.new_bases.iter().any(|new| {
                old.new_bases.iter().any(|old| {
                    new.id != 0 && new.id == old.id
                        || new.name.is_some() && new.name == old.name
                        || new.path == old.path
                })
            });
            match is_same {
                true => incompatible("both add the same place", vec![]),
                false => Ok(()),
            }
        }
        (O::UpdateBases(_), _) => Ok(()),

        // What is left of ours is about rows and columns, which these replace as a whole.
        (_, O::Overwrite(_) | O::Restore(_)) => incompatible(REPLACED, vec![]),
        (O::ReserveFragments(_), _) => Ok(()),
        (O::Rewrite(_), O::UpdateMemWalState(_)) => Ok(()),
        (_, O::UpdateMemWalState(_)) => incompatible(OPAQUE, vec![]),
        (_, O::UpdateConfig(_) | O::UpdateBases(_) | O::ReserveFragments(_)) => Ok(()),

        (O::Update(Update { inserted_rows: Some(_), .. }), O::Append(_)) => {
            retry("rows with the same key may have been added", vec![])
        }
        (O::Append(_), _) => Ok(()),
        (O::Delete(_) | O::Update(_), O::Delete(_) | O::Update(_)) => check_rows(ours, theirs, base),
        (O::Delete(_), O::DataOverlay(_)) => Ok(()),
        (O::Delete(_) | O::Update(_), O::Rewrite(_) | O::DataReplacement(_)) => exclusive(ours, theirs),
        (O::Delete(_) | O::Update(_), O::Merge(_)) => {
            retry("columns were added to the same fragments", common(ours, theirs))
        }
        (O::Update(_), O::DataOverlay(_)) => retry(OPAQUE, vec![]),
        (O::Delete(_) | O::Update(_), O::Append(_) | O::CreateIndex(_) | O::Project(_)) => Ok(()),

        (O::CreateIndex(create), O::CreateIndex(other)) => check_indices(create, other),
        (O::CreateIndex(create), O::Rewrite(_)) | (O::Rewrite(_), O::CreateIndex(create)) => {
            let rewrite = if matches!(ours, O::Rewrite(_)) { ours } else { theirs };
            check_coverage(create, &touch::fragments(rewrite))
        }
        (O::CreateIndex(create), O::DataReplacement(replacement))
        | (O::DataReplacement(replacement), O::CreateIndex(create)) => {
            check_indexed_fields(create, replacement)
        }
        (
            O::CreateIndex(_),
            O::Append(_) | O::Delete(_) | O::Update(_) | O::Merge(_) | O::Project(_) | O::DataOverlay(_),
        ) => Ok(()),

        (O::Rewrite(_), O::Append(_) | O::Project(_)) => Ok(()),
        (O::Rewrite(_), O::Delete(_) | O::Update(_) | O::Rewrite(_) | O::DataReplacement(_)) => {
            exclusive(ours, theirs)
        }
        (O::Rewrite(_), O::Merge(_)) => {
            retry("columns were added to the same fragments", common(ours, theirs))
        }
        (O::Rewrite(_), O::DataOverlay(_)) => retry(OPAQUE, vec![]),

        (O::Merge(_), O::CreateIndex(_)) => Ok(()),
        (O::Merge(_), O::Project(_)) => incompatible(SCHEMA, vec![]),
        (O::Merge(_), O::Merge(_)) => retry(SCHEMA, vec![]),
        (
            O::Merge(_),
            O::Append(_)
            | O::Delete(_)
            | O::Update(_)
            | O::Rewrite(_)
            | O::DataReplacement(_)
            | O::DataOverlay(_),
        ) => retry("the fragments that get columns were changed", common(ours, theirs)),

        (O::Project(_), O::Merge(_) | O::Project(_)) => retry(SCHEMA, vec![]),
        (O::Project(_), _) => Ok(()),

        (O::DataReplacement(_), O::Append(_) | O::DataOverlay(_)) => Ok(()),
        (O::DataReplacement(_), O::Rewrite(_)) => exclusive(ours, theirs),
        (O::DataReplacement(_), O::Merge(_)) => {
            retry("columns were added to the same fragments", common(ours, theirs))
        }
        (O::DataReplacement(replacement), O::Project(project)) => {
            let kept: BTreeSet<i32> = project.schema.iter().map(|field| field.id).collect();
            let lost = fields(replacement).find(|(_, field)| !kept.contains(field));
            match lost {
                Some((fragment, field)) => incompatible(
                    format!("field {field}, whose values are replaced, was removed"),
                    vec![fragment],
                ),
                None => Ok(()),
            }
        }
        (O::DataReplacement(replacement), O::Delete(Delete { deleted_fragment_ids: removed, .. })) => {
            check_removed(replacement, removed)
        }
        (O::DataReplacement(replacement), O::Update(update)) => {
            check_removed(replacement, &update.removed_fragment_ids)?;
            let updated: BTreeSet<u64> =
                update.updated_fragments.iter().map(|fragment| fragment.id).collect();
            let is_modified =
                |field: i32| u32::try_from(field).is_ok_and(|id| update.fields_modified.contains(&id));
            let stale = |&(fragment, field): &(u64, i32)| {
                updated.contains(&fragment) && (touch::moves_rows(update) || is_modified(field))
            };
            match fields(replacement).find(stale) {
                Some((fragment, _)) => retry("the values that are replaced were changed", vec![fragment]),
                None => Ok(()),
            }
        }
        (O::DataReplacement(ours), O::DataReplacement(theirs)) => {
            let replaced: BTreeSet<(u64, i32)> = fields(theirs).collect();
            match fields(ours).find(|part| replaced.contains(part)) {
                Some((fragment, _)) => retry("both replace the same columns", vec![fragment]),
                None => Ok(()),
            }
        }
    }
}

/// The fragments and fields that are replaced.
fn fields(replacement: &DataReplacement) -> impl Iterator<Item = (u64, i32)> + '_ {
    replacement.replacements.iter().flat_map(|group| {
        let fields = group.new_file.iter().flat_map(|file| &file.fields);
        fields.filter(|field| **field >= 0).map(|&field| (group.fragment_id, field))
    })
}

fn check_removed(replacement: &DataReplacement, removed: &[u64]) -> Outcome {
    let target = replacement.replacements.iter().map(|group| group.fragment_id);
    match target.into_iter().find(|id| removed.contains(id)) {
        Some(id) => incompatible("a fragment, whose values are replaced, was removed", vec![id]),
        None => Ok(()),
    }
}

/// Two operations that delete rows, and may write them elsewhere.
fn check_rows(ours: &Operation, theirs: &Operation, base: &Manifest) -> Outcome {
    if let (Operation::Update(ours), Operation::Update(theirs)) = (ours, theirs)
        && let Some(keys) = &ours.inserted_rows
        && theirs.inserted_rows.as_ref().is_none_or(|others| keys::same_rows(keys, others))
    {
        return retry("rows with the same key may have been added", vec![]);
    }
    let common = common(ours, theirs);
    if common.is_empty() {
        return Ok(());
    }
    // Deletions can be put together; other changes cannot.
    let before = touch::by_id(base);
    let deletes = |operation: &Operation| -> BTreeSet<u64> {
        let (updated, _) = touch::changes(operation).unwrap_or_default();
        let is_same = |fragment: &&DataFragment| {
            before.get(&fragment.id).is_some_and(|before| before.files == fragment.files)
        };
        updated.iter().filter(is_same).map(|fragment| fragment.id).collect()
    };
    let (ours, theirs) = (deletes(ours), deletes(theirs));
    let conflicting: Vec<u64> =
        common.into_iter().filter(|id| !ours.contains(id) || !theirs.contains(id)).collect();
    match conflicting.is_empty() {
        true => Ok(()),
        false => retry("both change the same fragments, and not only deletions", conflicting),
    }
}

fn check_indices(ours: &CreateIndex, theirs: &CreateIndex) -> Outcome {
    let names = |create: &CreateIndex| -> BTreeSet<String> {
        create.new_indices.iter().chain(&create.removed_indices).map(|index| index.name.clone()).collect()
    };
    let only_removes = |create: &CreateIndex| create.new_indices.is_empty();
    match only_removes(ours) && only_removes(theirs) || names(ours).is_disjoint(&names(theirs)) {
        true => Ok(()),
        false => retry("both change the same index", vec![]),
    }
}

/// An index covers fragments that were rewritten, or it cannot be seen which.
fn check_coverage(create: &CreateIndex, rewritten: &BTreeSet<u64>) -> Outcome {
    for index in &create.new_indices {
        let covered = RoaringBitmap::deserialize_from(&*index.fragment_bitmap);
        let Ok(covered) = covered else {
            return retry("it is not known which fragments the index covers", vec![]);
        };
        let moved = |id: &&u64| u32::try_from(**id).is_ok_and(|id| covered.contains(id));
        let moved: Vec<u64> = rewritten.iter().filter(moved).copied().collect();
        if !moved.is_empty() {
            return retry("rows that the index covers were moved", moved);
        }
    }
    Ok(())
}

fn check_indexed_fields(create: &CreateIndex, replacement: &DataReplacement) -> Outcome {
    let indexed: BTreeSet<i32> = create.new_indices.iter().flat_map(|index| &index.fields).copied().collect();
    match fields(replacement).find(|(_, field)| indexed.contains(field)) {
        Some((fragment, _)) => retry("values that the index is about are replaced", vec![fragment]),
        None => Ok(()),
    }
}

#[cfg(test)]
#[path = "matrix_tests.rs"]
mod tests;
