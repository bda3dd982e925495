//! Random histories of many writers, compared with a map from row ids to values.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{Committed, NewDataset, apply, create, rebase, restore};
use crate::format::transaction::{
    Append, DataReplacement, DataReplacementGroup, Delete, Merge, Operation, Overwrite, Project, Restore,
    Rewrite, RewriteGroup, Update, UpdateConfig, UpdateMap, UpdateMapEntry, UpdateMode,
};
use crate::format::{
    DataFile, DataFragment, DeletionFile, DeletionVector, Field, Manifest, RowIdIndex, RowIdSequence, RowIds,
    Transaction,
};

/// The columns of a row: `a` (field 0), and `b` (field 1) as long as it exists.
type Row = (i64, Option<i64>);

/// What a writer does; numbers choose among what exists.
#[derive(Clone, Debug)]
enum Step {
    Append(Vec<i64>),
    Delete(Vec<usize>),
    Update(Vec<usize>, i64),
    Compact(usize),
    AddColumn(i64),
    DropColumn,
    /// Writes `a` of a fragment again.
    UpdateColumn(usize, i64),
    /// Replaces the file with `b` of a fragment.
    ReplaceB(usize, i64),
    /// Sets a setting, or removes it.
    Config(u8, Option<u8>),
    Overwrite(Vec<i64>),
    Restore(usize),
}

fn steps() -> impl Strategy<Value = Vec<(usize, Step)>> {
    let step = prop_oneof![
        3 => proptest::collection::vec(0..100i64, 1..6).prop_map(Step::Append),
        4 => proptest::collection::vec(any::<usize>(), 1..4).prop_map(Step::Delete),
        3 => (proptest::collection::vec(any::<usize>(), 1..4), 100..200i64)
            .prop_map(|(rows, value)| Step::Update(rows, value)),
        2 => any::<usize>().prop_map(Step::Compact),
        1 => (0..50i64).prop_map(Step::AddColumn),
        1 => Just(Step::DropColumn),
        1 => (any::<usize>(), 200..300i64).prop_map(|(fragment, value)| Step::UpdateColumn(fragment, value)),
        2 => (any::<usize>(), 300..400i64).prop_map(|(fragment, value)| Step::ReplaceB(fragment, value)),
        1 => (0..3u8, any::<Option<u8>>()).prop_map(|(key, value)| Step::Config(key, value)),
        1 => proptest::collection::vec(0..100i64, 1..4).prop_map(Step::Overwrite),
        1 => any::<usize>().prop_map(Step::Restore),
    ];
    // How many versions older than the newest one the writer's is.
    proptest::collection::vec((0..4usize, step), 1..25)
}

/// A data set in memory: what its files hold, all versions, and what each version should hold.
#[derive(Default)]
struct World {
    files: BTreeMap<String, Vec<i64>>,
    deletions: BTreeMap<u64, DeletionVector>,
    versions: Vec<Manifest>,
    transactions: Vec<Transaction>,
    models: Vec<BTreeMap<u64, Row>>,
    /// The settings that each version should have.
    settings: Vec<BTreeMap<String, String>>,
    conflicts: usize,
}

/// A row of a version, with its place.
struct Found {
    id: u64,
    fragment: u64,
    offset: u32,
    row: Row,
}

impl World {
    fn new() -> Self {
        let mut world = Self::default();
        let fragments = vec![world.fragment(&[(1, None), (2, None), (3, None)])];
        let field = Field { name: "a".to_owned(), ..Default::default() };
        let overwrite = Overwrite { fragments, schema: vec![field], ..Default::default() };
        let transaction = Transaction::new(0, overwrite);
        let manifest = create(&transaction, &NewDataset::new().stable_row_ids(true)).unwrap();
        world.versions.push(manifest);
        world.transactions.push(transaction);
        world.models.push([(0, (1, None)), (1, (2, None)), (2, (3, None))].into());
        world.settings.push(BTreeMap::new());
        world
    }

    fn file(&mut self, field: i32, values: impl Iterator<Item = i64>) -> DataFile {
        let path = format!("{}.root", self.files.len());
        self.files.insert(path.clone(), values.collect());
        DataFile { path, fields: vec![field], ..Default::default() }
    }

    fn fragment(&mut self, rows: &[Row]) -> DataFragment {
        let mut files = vec![self.file(0, rows.iter().map(|row| row.0))];
        if rows.iter().any(|row| row.1.is_some()) {
            files.push(self.file(1, rows.iter().map(|row| row.1.unwrap_or(0))));
        }
        DataFragment { files, physical_rows: rows.len() as u64, ..Default::default() }
    }

    fn deletion_file(&mut self, deleted: DeletionVector) -> DeletionFile {
        let id = self.deletions.len() as u64;
        let num_deleted_rows = deleted.count();
        self.deletions.insert(id, deleted);
        DeletionFile { id, num_deleted_rows, ..Default::default() }
    }

    fn deleted(&self, file: Option<&DeletionFile>) -> DeletionVector {
        file.map(|file| self.deletions[&file.id].clone()).unwrap_or_default()
    }

    /// All rows of a version, as a reader finds them.
    fn rows(&self, manifest: &Manifest) -> Vec<Found> {
        let mut rows = Vec::new();
        let has_b = manifest.fields.iter().any(|field| field.id == 1);
        for fragment in &manifest.fragments {
            let deleted = self.deleted(fragment.deletion_file.as_ref());
            let values = |field| fragment.file_of(field).map(|file| &self.files[&file.path]);
            for (offset, id) in (0..).zip(ids(fragment).iter()) {
                if !deleted.contains(offset) {
                    let place = offset as usize;
                    let b = has_b.then(|| values(1).map(|values| values[place])).flatten();
                    rows.push(Found {
                        id,
                        fragment: fragment.id,
                        offset,
                        row: (values(0).unwrap()[place], b),
                    });
                }
            }
        }
        rows
    }

    /// What a writer that reads `base` does, and what it means for the rows of any version.
    fn plan(&mut self, base: usize, step: &Step) -> Option<(Operation, Meaning)> {
        let manifest = self.versions[base].clone();
        let rows = self.rows(&manifest);
        let chosen = |numbers: &[usize]| -> BTreeSet<usize> {
            let rows = rows.len();
            numbers.iter().filter_map(|number| number.checked_rem(rows)).collect()
        };
        let has_b = manifest.fields.iter().any(|field| field.id == 1);
        match step {
            Step::Append(values) => {
                let rows: Vec<Row> = values.iter().map(|&value| (value, has_b.then_some(0))).collect();
                let fragments = vec![self.fragment(&rows)];
                Some((Append { fragments }.into(), Meaning::Add(rows)))
            }
            Step::Delete(numbers) => {
                let gone: Vec<&Found> = chosen(numbers).into_iter().map(|number| &rows[number]).collect();
                let (updated_fragments, deleted_fragment_ids) = self.without(&manifest, &gone);
                let ids = gone.iter().map(|found| found.id).collect();
                let delete = Delete { updated_fragments, deleted_fragment_ids, ..Default::default() };
                Some((delete.into(), Meaning::Remove(ids)))
            }
            Step::Update(numbers, value) => {
                let moved: Vec<&Found> = chosen(numbers).into_iter().map(|number| &rows[number]).collect();
                if moved.is_empty() {
                    return None;
                }
                let (updated_fragments, removed_fragment_ids) = self.without(&manifest, &moved);
                let ids: Vec<u64> = moved.iter().map(|found| found.id).collect();
                let new: Vec<Row> = moved.iter().map(|found| (*value, found.row.1)).collect();
                let new = with_ids(self.fragment(&new), &ids);
                let update = Update {
                    updated_fragments,
                    removed_fragment_ids,
                    new_fragments: vec![new],
                    fields_modified: vec![0],
                    ..Default::default()
                };
                Some((update.into(), Meaning::Set(ids, *value)))
            }
            Step::Compact(number) => {
                let first = number.checked_rem(manifest.fragments.len())?;
                let old_fragments: Vec<DataFragment> =
                    manifest.fragments.iter().skip(first).take(2).cloned().collect();
                let old: BTreeSet<u64> = old_fragments.iter().map(|fragment| fragment.id).collect();
                let kept: Vec<&Found> = rows.iter().filter(|found| old.contains(&found.fragment)).collect();
                let ids: Vec<u64> = kept.iter().map(|found| found.id).collect();
                let kept: Vec<Row> = kept.iter().map(|found| found.row).collect();
                let new_fragments = match kept.is_empty() {
                    true => vec![],
                    false => vec![with_ids(self.fragment(&kept), &ids)],
                };
                let groups = vec![RewriteGroup { old_fragments, new_fragments }];
                Some((Rewrite { groups, ..Default::default() }.into(), Meaning::Nothing))
            }
            Step::AddColumn(value) if !has_b => {
                let mut fragments = manifest.fragments.clone();
                for fragment in &mut fragments {
                    fragment.files.retain(|file| file.fields != [1]);
                    let rows = usize::try_from(fragment.physical_rows).unwrap();
                    fragment.files.push(self.file(1, std::iter::repeat_n(*value, rows)));
                }
                let mut schema = manifest.fields.clone();
                schema.push(Field { id: 1, name: "b".to_owned(), ..Default::default() });
                let merge = Merge { fragments, schema, ..Default::default() };
                Some((merge.into(), Meaning::SetB(Some(*value))))
            }
            Step::DropColumn if has_b => {
                let schema = manifest.fields.iter().filter(|field| field.id != 1).cloned().collect();
                let project = Project { schema, preserves_nullability: true };
                Some((project.into(), Meaning::SetB(None)))
            }
            Step::Restore(number) => {
                let version = number % (base + 1);
                Some((Restore { version: version as u64 + 1 }.into(), Meaning::Restore(version)))
            }
            Step::UpdateColumn(number, value) => {
                let mut fragment = nth(&manifest, *number)?;
                self.replace_file(&mut fragment, 0, *value)?;
                let ids = ids_in(&rows, fragment.id);
                let update = Update {
                    updated_fragments: vec![fragment],
                    fields_modified: vec![0],
                    update_mode: UpdateMode::RewriteColumns.into(),
                    ..Default::default()
                };
                Some((update.into(), Meaning::Set(ids, *value)))
            }
            Step::ReplaceB(number, value) if has_b => {
                let mut fragment = nth(&manifest, *number)?;
                let new_file = Some(self.replace_file(&mut fragment, 1, *value)?);
                let replacements = vec![DataReplacementGroup { fragment_id: fragment.id, new_file }];
                let meaning = Meaning::SetBOf(ids_in(&rows, fragment.id), *value);
                Some((DataReplacement { replacements }.into(), meaning))
            }
            Step::Config(key, value) => {
                let (key, value) = (key.to_string(), value.map(|value| value.to_string()));
                let entry = UpdateMapEntry { key: key.clone(), value: value.clone() };
                let updates = UpdateMap { update_entries: vec![entry], replace: false };
                let update = UpdateConfig { config_updates: Some(updates), ..Default::default() };
                Some((update.into(), Meaning::Config(key, value)))
            }
            Step::Overwrite(values) => {
                let rows: Vec<Row> = values.iter().map(|&value| (value, None)).collect();
                let fragments = vec![self.fragment(&rows)];
                let schema = manifest.fields.iter().filter(|field| field.id != 1).cloned().collect();
                let overwrite = Overwrite { fragments, schema, ..Default::default() };
                Some((overwrite.into(), Meaning::Replace(rows)))
            }
            Step::AddColumn(_) | Step::DropColumn | Step::ReplaceB(..) => None,
        }
    }

    /// Replaces the file with a field in a fragment by one with this value in all rows; returns the new file.
    fn replace_file(&mut self, fragment: &mut DataFragment, field: i32, value: i64) -> Option<DataFile> {
        let place = fragment.files.iter().position(|file| file.fields == [field])?;
        let rows = usize::try_from(fragment.physical_rows).unwrap();
        fragment.files[place] = self.file(field, std::iter::repeat_n(value, rows));
        Some(fragment.files[place].clone())
    }

    /// The fragments without some rows, and the ids of those without any.
    fn without(&mut self, manifest: &Manifest, gone: &[&Found]) -> (Vec<DataFragment>, Vec<u64>) {
        let (mut updated, mut removed) = (Vec::new(), Vec::new());
        for fragment in &manifest.fragments {
            let offsets = gone.iter().filter(|found| found.fragment == fragment.id).map(|found| found.offset);
            let offsets: DeletionVector = offsets.collect();
            if offsets.is_empty() {
                continue;
            }
            let mut deleted = self.deleted(fragment.deletion_file.as_ref());
            deleted.union(&offsets);
            match deleted.count() == fragment.physical_rows {
                true => removed.push(fragment.id),
                false => updated.push(DataFragment {
                    deletion_file: Some(self.deletion_file(deleted)),
                    ..fragment.clone()
                }),
            }
        }
        (updated, removed)
    }

    /// Commits what a writer planned on version `base`, unless it conflicts.
    fn commit(&mut self, base: usize, operation: Operation, meaning: Meaning) {
        let transaction = Transaction::new(base as u64 + 1, operation);
        let latest = self.versions.last().unwrap().clone();
        let since: Vec<Committed<'_>> = (base + 1..self.versions.len())
            .map(|number| Committed {
                version: number as u64 + 1,
                transaction: self.transactions.get(number),
            })
            .collect();
        let rebased = match rebase(&transaction, &self.versions[base], &latest, &since) {
            Ok(rebased) => rebased,
            Err(conflict) => {
                assert!(!since.is_empty(), "{conflict}");
                assert!(!matches!(meaning, Meaning::Restore(_)), "{conflict}");
                self.conflicts += 1;
                return;
            }
        };
        let mut files = BTreeMap::new();
        for merge in rebased.merges() {
            let read = |file: &Option<DeletionFile>| self.deleted(file.as_ref());
            match merge.merge(&read(&merge.base), &read(&merge.theirs), &read(&merge.ours)) {
                Ok(deleted) => drop(files.insert(merge.fragment, self.deletion_file(deleted))),
                Err(conflict) => {
                    assert!(conflict.is_retryable());
                    self.conflicts += 1;
                    return;
                }
            }
        }
        let transaction = rebased.finish(&files).unwrap();
        let manifest = match meaning {
            Meaning::Restore(old) => restore(&latest, &self.versions[old], &transaction),
            _ => apply(&latest, &transaction).unwrap(),
        };
        let mut settings = self.settings.last().unwrap().clone();
        match &meaning {
            Meaning::Config(key, Some(value)) => drop(settings.insert(key.clone(), value.clone())),
            Meaning::Config(key, None) => drop(settings.remove(key)),
            Meaning::Restore(old) => settings.clone_from(&self.settings[*old]),
            _ => {}
        }
        self.settings.push(settings);
        let model = meaning.apply(&self.models, &latest);
        self.versions.push(manifest);
        self.transactions.push(transaction);
        self.models.push(model);
    }

    fn check(&self) {
        let (manifest, model) = (self.versions.last().unwrap(), self.models.last().unwrap());
        let rows = self.rows(manifest);
        let found: BTreeMap<u64, Row> = rows.iter().map(|found| (found.id, found.row)).collect();
        assert_eq!(found.len(), rows.len(), "a row exists twice");
        assert_eq!(&found, model);
        assert_eq!(manifest.rows(), model.len() as u64);
        assert_eq!(&manifest.config, self.settings.last().unwrap());
        let sequences: Vec<_> = manifest
            .fragments
            .iter()
            .map(|fragment| (fragment.id, ids(fragment), self.deleted(fragment.deletion_file.as_ref())))
            .collect();
        let index = RowIdIndex::new(sequences.iter().map(|(id, ids, deleted)| (*id, ids, deleted))).unwrap();
        for row in rows {
            let address = index.get(row.id).unwrap();
            assert_eq!((address.fragment, address.offset), (row.fragment, u64::from(row.offset)));
        }
    }
}

fn ids(fragment: &DataFragment) -> RowIdSequence {
    match &fragment.row_id_sequence {
        Some(RowIds::Inline(bytes)) => RowIdSequence::read(bytes, fragment.physical_rows).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// A fragment, by any number.
fn nth(manifest: &Manifest, number: usize) -> Option<DataFragment> {
    Some(manifest.fragments[number.checked_rem(manifest.fragments.len())?].clone())
}

/// The ids of the rows of a fragment that are not deleted.
fn ids_in(rows: &[Found], fragment: u64) -> Vec<u64> {
    rows.iter().filter(|found| found.fragment == fragment).map(|found| found.id).collect()
}

fn with_ids(fragment: DataFragment, ids: &[u64]) -> DataFragment {
    let ids = RowIdSequence::from_ids(ids.iter().copied()).unwrap();
    DataFragment { row_id_sequence: Some(RowIds::Inline(ids.to_bytes())), ..fragment }
}

/// What an operation means for the rows of the newest version, whatever that is.
enum Meaning {
    Nothing,
    Add(Vec<Row>),
    Remove(Vec<u64>),
    Set(Vec<u64>, i64),
    SetB(Option<i64>),
    /// Rows may be deleted meanwhile.
    SetBOf(Vec<u64>, i64),
    Config(String, Option<String>),
    Replace(Vec<Row>),
    Restore(usize),
}

impl Meaning {
    fn apply(self, models: &[BTreeMap<u64, Row>], latest: &Manifest) -> BTreeMap<u64, Row> {
        let mut model = models.last().unwrap().clone();
        match self {
            Self::Nothing | Self::Config(..) => {}
            Self::Add(rows) => {
                // The column may have been removed since.
                let has_b = latest.fields.iter().any(|field| field.id == 1);
                let rows = rows.into_iter().map(|(a, b)| (a, b.filter(|_| has_b)));
                model.extend((latest.next_row_id..).zip(rows));
            }
            Self::Remove(ids) => model.retain(|id, _| !ids.contains(id)),
            Self::Set(ids, value) => {
                for id in ids {
                    model.get_mut(&id).expect("a row that is updated exists").0 = value;
                }
            }
            Self::SetB(value) => model.values_mut().for_each(|row| row.1 = value),
            Self::SetBOf(ids, value) => {
                for (id, row) in &mut model {
                    if ids.contains(id) {
                        row.1 = Some(value);
                    }
                }
            }
            Self::Replace(rows) => model = (latest.next_row_id..).zip(rows).collect(),
            Self::Restore(version) => model = models[version].clone(),
        }
        model
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn a_history_of_many_writers_is_one_after_the_other(steps in steps()) {
        let mut world = World::new();
        for (missed, step) in steps {
            let base = world.versions.len() - 1 - missed.min(world.versions.len() - 1);
            if let Some((operation, meaning)) = world.plan(base, &step) {
                world.commit(base, operation, meaning);
                world.check();
            }
        }
        prop_assert_eq!(world.versions.len() as u64, world.versions.last().unwrap().version);
    }
}

#[test]
fn different_rows_of_a_fragment_are_deleted_by_two_writers() {
    let mut world = World::new();
    let first = world.plan(0, &Step::Delete(vec![0])).unwrap();
    let second = world.plan(0, &Step::Delete(vec![2])).unwrap();
    let third = world.plan(0, &Step::Delete(vec![2])).unwrap();
    world.commit(0, first.0, first.1);
    world.commit(0, second.0, second.1);
    assert_eq!((world.versions.len(), world.conflicts), (3, 0));
    world.check();
    // The same row again.
    world.commit(0, third.0, third.1);
    assert_eq!((world.versions.len(), world.conflicts), (3, 1));
}

#[test]
fn rows_appended_for_the_older_schema_conflict_with_a_new_column() {
    let mut world = World::new();
    let column = world.plan(0, &Step::AddColumn(5)).unwrap();
    let rows = world.plan(0, &Step::Append(vec![1])).unwrap();
    world.commit(0, column.0, column.1);
    world.commit(0, rows.0, rows.1);
    assert_eq!((world.versions.len(), world.conflicts), (2, 1));
    // Two writers that append do not exclude each other.
    let rows = world.plan(1, &Step::Append(vec![1])).unwrap();
    world.commit(1, rows.0, rows.1);
    let rows = world.plan(1, &Step::Append(vec![1])).unwrap();
    world.commit(1, rows.0, rows.1);
    assert_eq!((world.versions.len(), world.conflicts), (4, 1));
    world.check();
}

#[test]
fn a_version_without_its_transaction_conflicts() {
    let mut world = World::new();
    let append = world.plan(0, &Step::Append(vec![1])).unwrap();
    let other = Transaction::new(1, append.0);
    let latest = apply(&world.versions[0], &other).unwrap();
    for since in [&[][..], &[Committed { version: 2, transaction: None }]] {
        let conflict = rebase(&other, &world.versions[0], &latest, since).unwrap_err();
        assert!(!conflict.is_retryable());
        assert_eq!(
            conflict.to_string(),
            "Append of version 1 conflicts with an unknown operation of version 2: its transaction is missing"
        );
    }
    let unknown = Transaction { operation: None, ..other.clone() };
    let since = [Committed { version: 2, transaction: Some(&unknown) }];
    let conflict = rebase(&other, &world.versions[0], &latest, &since).unwrap_err();
    assert!(conflict.to_string().ends_with("does something that this version does not know"), "{conflict}");
}

#[test]
fn a_deletion_does_not_bring_back_what_others_removed() {
    let mut world = World::new();
    let column = world.plan(0, &Step::AddColumn(5)).unwrap();
    world.commit(0, column.0, column.1);
    let deletion = world.plan(1, &Step::Delete(vec![0])).unwrap();
    let removal = world.plan(1, &Step::DropColumn).unwrap();
    world.commit(1, removal.0, removal.1);
    world.commit(1, deletion.0, deletion.1);
    world.check();
    let fragment = &world.versions.last().unwrap().fragments[0];
    assert_eq!((fragment.deleted_rows(), fragment.files.len()), (1, 1));
}

/// A writer replaces a column of a fragment in which another one has deleted a row.
#[test]
fn a_replaced_column_keeps_the_deletions_of_others() {
    let mut world = World::new();
    let column = world.plan(0, &Step::AddColumn(5)).unwrap();
    world.commit(0, column.0, column.1);
    let replacement = world.plan(1, &Step::ReplaceB(0, 7)).unwrap();
    let deletion = world.plan(1, &Step::Delete(vec![1])).unwrap();
    let late = world.plan(1, &Step::Delete(vec![2])).unwrap();
    let update = world.plan(1, &Step::UpdateColumn(0, 8)).unwrap();
    world.commit(1, deletion.0, deletion.1);
    world.commit(1, replacement.0, replacement.1);
    assert_eq!((world.versions.len(), world.conflicts), (4, 0));
    world.check();
    assert_eq!(world.models.last().unwrap(), &[(0, (1, Some(7))), (2, (3, Some(7)))].into());
    // Deletions of the fragment as it was, and new values of another column.
    world.commit(1, late.0, late.1);
    world.commit(1, update.0, update.1);
    assert_eq!((world.versions.len(), world.conflicts), (4, 2));
}

#[test]
fn settings_are_changed_by_two_writers() {
    let mut world = World::new();
    let [first, second, same] = [(0, Some(1)), (1, Some(2)), (0, None)]
        .map(|(key, value)| world.plan(0, &Step::Config(key, value)).unwrap());
    let overwrite = world.plan(0, &Step::Overwrite(vec![7])).unwrap();
    for (operation, meaning) in [first, second, same, overwrite] {
        world.commit(0, operation, meaning);
    }
    assert_eq!((world.versions.len(), world.conflicts), (4, 1));
    world.check();
    assert_eq!(world.models.last().unwrap(), &[(3, (7, None))].into());
}
