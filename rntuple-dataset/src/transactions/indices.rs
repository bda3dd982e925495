//! What becomes of the indices of a version.

use std::collections::BTreeSet;

use roaring::RoaringBitmap;

use crate::format::transaction::{CreateIndex, Operation, UpdateMode};
use crate::format::{IndexMetadata, IndexSection, Manifest, Transaction};

/// Returns the indices of the version `next`, which a transaction has made of one with the indices `current`; of a version
/// that was restored, `current` are its own.
///
/// An index no longer covers fragments that were removed, or of which it is about replaced values. What it is about can
/// also be removed: fields, all fragments, the data set.
pub fn indices(
    current: Option<&IndexSection>,
    transaction: &Transaction,
    next: &Manifest,
) -> Option<IndexSection> {
    let mut indices = current.map_or_else(Vec::new, |section| section.indices.clone());
    match &transaction.operation {
        Some(Operation::Overwrite(_)) => return None,
        Some(Operation::CreateIndex(create)) => replace(&mut indices, create),
        _ => {}
    }
    if indices.is_empty() {
        return None;
    }
    let ids = next.fragments.iter().filter_map(|fragment| u32::try_from(fragment.id).ok());
    let (fragments, fields): (RoaringBitmap, BTreeSet<i32>) =
        (ids.collect(), next.fields.iter().map(|field| field.id).collect());
    let replaced = transaction.operation.as_ref().map_or_else(Vec::new, replaced);
    indices.retain_mut(|index| prune(index, &fragments, &fields, &replaced));
    (!indices.is_empty()).then_some(IndexSection { indices })
}

fn replace(indices: &mut Vec<IndexMetadata>, create: &CreateIndex) {
    let is_gone = |index: &IndexMetadata| {
        let is_removed = |removed: &IndexMetadata| removed.uuid == index.uuid;
        let is_replaced = |new: &IndexMetadata| new.name == index.name || new.uuid == index.uuid;
        create.removed_indices.iter().any(is_removed) || create.new_indices.iter().any(is_replaced)
    };
    indices.retain(|index| !is_gone(index));
    indices.extend(create.new_indices.iter().cloned());
}

/// The fragments in which values of some fields were replaced, where they were.
fn replaced(operation: &Operation) -> Vec<(u64, Vec<i32>)> {
    match operation {
        Operation::DataReplacement(replacement) => {
            let groups = replacement.replacements.iter();
            groups
                .map(|it| (it.fragment_id, it.new_file.iter().flat_map(|file| file.fields.clone()).collect()))
                .collect()
        }
        Operation::Update(update) if update.update_mode == i32::from(UpdateMode::RewriteColumns) => {
            let fields = update.fields_modified.iter().filter_map(|field| i32::try_from(*field).ok());
            let fields: Vec<i32> = fields.collect();
            update.updated_fragments.iter().map(|fragment| (fragment.id, fields.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// Removes from an index what it is no longer about; returns whether anything is left.
fn prune(
    index: &mut IndexMetadata,
    fragments: &RoaringBitmap,
    fields: &BTreeSet<i32>,
    replaced: &[(u64, Vec<i32>)],
) -> bool {
    if !index.fields.is_empty() {
        index.fields.retain(|field| fields.contains(field));
        if index.fields.is_empty() {
            return false;
        }
    }
    // Which fragments it covers may not be known.
    let Ok(covered) = RoaringBitmap::deserialize_from(&*index.fragment_bitmap) else { return true };
    let mut left = &covered & fragments;
    for (fragment, changed) in replaced {
        if let Ok(fragment) = u32::try_from(*fragment)
            && changed.iter().any(|field| index.fields.contains(field))
        {
            left.remove(fragment);
        }
    }
    if left != covered {
        index.fragment_bitmap = bitmap(&left);
    }
    !left.is_empty()
}

/// The bytes of a set of fragments.
pub(crate) fn bitmap(fragments: &RoaringBitmap) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(fragments.serialized_size());
    // A vector takes whatever is written to it.
    let _ = fragments.serialize_into(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::transaction::{
        Append, DataReplacement, DataReplacementGroup, Delete, Overwrite, Project, Update,
    };
    use crate::format::{DataFile, DataFragment, Field, IndexUuid};

    fn index(name: &str, uuid: u8, fields: &[i32], fragments: &[u32]) -> IndexMetadata {
        IndexMetadata {
            uuid: Some(IndexUuid { uuid: vec![uuid; 16] }),
            name: name.to_owned(),
            fields: fields.to_vec(),
            fragment_bitmap: bitmap(&fragments.iter().copied().collect()),
            ..Default::default()
        }
    }

    fn manifest(fields: &[i32], fragments: &[u64]) -> Manifest {
        Manifest {
            fields: fields.iter().map(|&id| Field { id, ..Default::default() }).collect(),
            fragments: fragments.iter().map(|&id| DataFragment { id, ..Default::default() }).collect(),
            ..Default::default()
        }
    }

    /// What is left: the names, fields and fragments.
    fn after(
        current: &[IndexMetadata],
        operation: impl Into<Operation>,
        next: &Manifest,
    ) -> Vec<(String, Vec<i32>, Vec<u32>)> {
        let current = IndexSection { indices: current.to_vec() };
        let left = indices(Some(&current), &Transaction::new(1, operation), next);
        let left = left.into_iter().flat_map(|section| section.indices);
        let covered =
            |index: &IndexMetadata| RoaringBitmap::deserialize_from(&*index.fragment_bitmap).unwrap();
        left.map(|index| (index.name.clone(), index.fields.clone(), covered(&index).iter().collect()))
            .collect()
    }

    #[test]
    fn an_index_covers_what_is_left() {
        let both = [index("a", 1, &[0, 1], &[1, 2, 3]), index("b", 2, &[7], &[2])];
        let named = |name: &str, fields: &[i32], fragments: &[u32]| {
            (name.to_owned(), fields.to_vec(), fragments.to_vec())
        };
        let all = manifest(&[0, 1, 7], &[1, 2, 3, 4]);
        let kept = [named("a", &[0, 1], &[1, 2, 3]), named("b", &[7], &[2])];
        assert_eq!(after(&both, Append::default(), &all), kept);
        assert_eq!(after(&both, Overwrite::default(), &all), []);
        assert_eq!(
            after(&both, Delete::default(), &manifest(&[0, 1, 7], &[1, 3])),
            [named("a", &[0, 1], &[1, 3])]
        );
        assert_eq!(
            after(&both, Project::default(), &manifest(&[1], &[1, 2, 3])),
            [named("a", &[1], &[1, 2, 3])]
        );
        let new_file = Some(DataFile { fields: vec![1, 5], ..Default::default() });
        let replacement =
            DataReplacement { replacements: vec![DataReplacementGroup { fragment_id: 2, new_file }] };
        assert_eq!(after(&both, replacement, &all), [named("a", &[0, 1], &[1, 3]), kept[1].clone()]);
        let update = Update {
            updated_fragments: vec![DataFragment { id: 2, ..Default::default() }],
            fields_modified: vec![7],
            update_mode: UpdateMode::RewriteColumns.into(),
            ..Default::default()
        };
        assert_eq!(after(&both, update, &all), [kept[0].clone()]);
    }

    #[test]
    fn an_index_takes_the_place_of_one_of_its_name() {
        let both = [index("a", 1, &[0], &[1]), index("b", 2, &[0], &[1])];
        let all = manifest(&[0], &[1, 2]);
        let create = CreateIndex { new_indices: vec![index("a", 3, &[0], &[1, 2])], ..Default::default() };
        let names = |left: Vec<(String, Vec<i32>, Vec<u32>)>| -> Vec<(String, usize)> {
            left.into_iter().map(|(name, _, fragments)| (name, fragments.len())).collect()
        };
        assert_eq!(names(after(&both, create, &all)), [("b".to_owned(), 1), ("a".to_owned(), 2)]);
        let remove = CreateIndex { removed_indices: vec![both[0].clone()], ..Default::default() };
        assert_eq!(names(after(&both, remove, &all)), [("b".to_owned(), 1)]);
        assert_eq!(indices(None, &Transaction::new(1, Append::default()), &all), None);
        // Which fragments it covers is not known.
        let unknown = [IndexMetadata { fragment_bitmap: vec![1, 2, 3], ..both[0].clone() }];
        let left = indices(
            Some(&IndexSection { indices: unknown.to_vec() }),
            &Transaction::new(1, Append::default()),
            &all,
        );
        assert_eq!(left.unwrap().indices, unknown);
    }
}
