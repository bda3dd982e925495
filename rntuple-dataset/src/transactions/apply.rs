//! The manifest that follows, once a transaction is applied.

use std::collections::{BTreeMap, BTreeSet};

use super::touch;
use crate::config;
use crate::error::{Error, Result};
use crate::format::transaction::{
    DataReplacement, Merge, Operation, Overwrite, Project, Rewrite, UpdateBases, UpdateConfig, UpdateMap,
};
use crate::format::{
    BasePath, DataFragment, DataStorageFormat, Field, Manifest, RowIdSequence, RowIds, TOMBSTONE,
    Transaction, flags,
};

/// What is decided when a data set is created, and stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewDataset {
    /// Whether rows get ids that stay when they are moved. Default: they do not.
    pub stable_row_ids: bool,
}

impl NewDataset {
    /// Creates the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets whether rows get ids that stay when they are moved.
    #[must_use]
    pub fn stable_row_ids(mut self, stable_row_ids: bool) -> Self {
        self.stable_row_ids = stable_row_ids;
        self
    }
}

/// Returns the first manifest of a data set. It has no time and no writer: the caller sets them.
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the transaction is not an
/// [`Overwrite`], or does not fit.
pub fn create(transaction: &Transaction, new: &NewDataset) -> Result<Manifest> {
    let mut flags = flags::RNTUPLE;
    if new.stable_row_ids {
        flags |= flags::STABLE_ROW_IDS;
    }
    let format = DataStorageFormat {
        file_format: flags::FILE_FORMAT.to_owned(),
        version: flags::FORMAT_VERSION.to_owned(),
    };
    let nothing = Manifest {
        reader_feature_flags: flags,
        writer_feature_flags: flags,
        data_format: Some(format),
        ..Default::default()
    };
    match &transaction.operation {
        Some(Operation::Overwrite(overwrite)) => {
            let mut manifest = apply(&nothing, transaction)?;
            add_bases(&mut manifest, &overwrite.initial_bases)?;
            manifest.update_flags();
            Ok(manifest)
        }
        other => Err(Error::invalid_argument(format!(
            "a data set begins with Overwrite, not with {}",
            other.as_ref().map_or("an unknown operation", Operation::name)
        ))),
    }
}

/// Returns the manifest of `old`, as the one that follows `current`. Ids that were given are not given again.
pub fn restore(current: &Manifest, old: &Manifest, transaction: &Transaction) -> Manifest {
    let mut manifest = Manifest {
        max_fragment_id: current.max_fragment_id.max(old.max_fragment_id),
        next_row_id: current.next_row_id.max(old.next_row_id),
        ..next(old, current.version, transaction)
    };
    config::keep_last_field(&mut manifest.schema_metadata, &current.schema_metadata);
    manifest
}

/// Uses no ids that versions may have given which cannot be read: rows that were noted by such an id must not become others.
/// Versions that passed over some themselves may be among them.
pub(crate) fn pass_over_ids(manifest: &mut Manifest, versions: u64) {
    /// Far more than one version could have given.
    const ROWS: u64 = 1 << 40;
    const FRAGMENTS: u32 = 1 << 20;
    if manifest.has_stable_row_ids() {
        manifest.next_row_id = manifest.next_row_id.saturating_add(ROWS.saturating_mul(versions));
    }
    let fragments = FRAGMENTS.saturating_mul(u32::try_from(versions).unwrap_or(u32::MAX));
    let last = manifest.max_fragment_id.map_or(fragments, |id| id.saturating_add(fragments));
    manifest.max_fragment_id = Some(last);
}

/// Returns the manifest that follows the newest one, with a transaction applied.
///
/// Its indices are those that [`indices`](super::indices) returns. New fragments get ids, and their rows where the data set has such ids. The manifest has no time; the caller sets it.
///
/// # Errors
///
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) where the transaction does not fit the manifest,
/// [`Unsupported`](crate::ErrorKind::Unsupported) for operations of Lance that mean nothing here, and
/// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) where there are no more ids.
pub fn apply(current: &Manifest, transaction: &Transaction) -> Result<Manifest> {
    let mut manifest = next(current, current.version, transaction);
    match &transaction.operation {
        Some(Operation::Append(append)) => add_fragments(&mut manifest, &append.fragments)?,
        Some(Operation::Delete(delete)) => {
            change(&mut manifest, &delete.updated_fragments, &delete.deleted_fragment_ids)?;
        }
        Some(Operation::Update(update)) => {
            change(&mut manifest, &update.updated_fragments, &update.removed_fragment_ids)?;
            add_fragments(&mut manifest, &update.new_fragments)?;
        }
        Some(Operation::Overwrite(overwrite)) => apply_overwrite(&mut manifest, overwrite)?,
        Some(Operation::Rewrite(rewrite)) => apply_rewrite(&mut manifest, rewrite)?,
        Some(Operation::Merge(merge)) => apply_merge(&mut manifest, merge)?,
        Some(Operation::Project(project)) => apply_project(&mut manifest, project),
        Some(Operation::DataReplacement(replacement)) => apply_replacement(&mut manifest, replacement)?,
        Some(Operation::ReserveFragments(reserve)) => {
            let last = next_fragment_id(&manifest)?.saturating_add(reserve.num_fragments.into());
            if let Some(last) = last.checked_sub(1).filter(|_| reserve.num_fragments > 0) {
                raise_max_fragment_id(&mut manifest, last)?;
            }
        }
        Some(Operation::UpdateConfig(update)) => apply_config(&mut manifest, update)?,
        // Indices are next to the manifest: see `indices`.
        Some(Operation::CreateIndex(_)) => {}
        Some(Operation::UpdateBases(UpdateBases { new_bases })) => add_bases(&mut manifest, new_bases)?,
        Some(Operation::Restore(restore)) => {
            return Err(Error::invalid_argument(format!(
                "Restore needs the manifest of version {}: see `restore`",
                restore.version
            )));
        }
        Some(
            other @ (Operation::Clone(_)
            | Operation::UpdateMemWalState(_)
            | Operation::DataOverlay(_)
            | Operation::AppendFragmentReuseTransitions(_)),
        ) => return Err(Error::unsupported(format!("{} is not supported", other.name()))),
        None => return Err(Error::unsupported("the transaction does something that is not known")),
    }
    for fragment in &mut manifest.fragments {
        fragment.files.retain(|file| file.fields.is_empty() || file.fields.iter().any(|id| *id != TOMBSTONE));
    }
    manifest.fragments.sort_by_key(|fragment| fragment.id);
    manifest.update_flags();
    Ok(manifest)
}

/// The manifest that follows, before anything is changed.
fn next(from: &Manifest, version: u64, transaction: &Transaction) -> Manifest {
    Manifest {
        version: version.saturating_add(1),
        tag: transaction.tag.clone(),
        timestamp: None,
        version_aux_data: 0,
        index_section: None,
        transaction_section: None,
        transaction_file: format!("{}-{}.txn", transaction.read_version, transaction.uuid),
        ..from.clone()
    }
}

fn next_fragment_id(manifest: &Manifest) -> Result<u64> {
    let used = manifest.fragments.iter().map(|fragment| fragment.id).max();
    let used = used.max(manifest.max_fragment_id.map(u64::from));
    let next = used.map_or(Some(0), |used| used.checked_add(1));
    next.ok_or_else(|| Error::limit("there are no more ids of fragments"))
}

fn raise_max_fragment_id(manifest: &mut Manifest, id: u64) -> Result<()> {
    let id = u32::try_from(id).map_err(|_| Error::limit("there are no more ids of fragments"))?;
    manifest.max_fragment_id = manifest.max_fragment_id.max(Some(id));
    Ok(())
}

/// Adds fragments with new ids, and ids for their rows.
fn add_fragments(manifest: &mut Manifest, fragments: &[DataFragment]) -> Result<()> {
    let first = next_fragment_id(manifest)?;
    for (id, fragment) in (first..).zip(fragments) {
        let mut fragment = DataFragment { id, ..fragment.clone() };
        if manifest.has_stable_row_ids() {
            assign_row_ids(&mut fragment, &mut manifest.next_row_id)?;
        }
        raise_max_fragment_id(manifest, fragment.id)?;
        manifest.fragments.push(fragment);
    }
    Ok(())
}

/// Gives ids to the rows that have none: all of a new fragment, or those after the rows that were moved there.
fn assign_row_ids(fragment: &mut DataFragment, next: &mut u64) -> Result<()> {
    let name = format!("fragment {}", fragment.id);
    let rows = fragment.physical_rows;
    let mut ids = match &fragment.row_id_sequence {
        None => RowIdSequence::new(),
        Some(RowIds::Inline(bytes)) => {
            RowIdSequence::read_partial(bytes, rows).map_err(|error| error.in_field(&name))?
        }
        Some(RowIds::External(_)) => return Ok(()),
    };
    let missing = rows - ids.count();
    // Also a fragment without rows has a sequence: Lance expects one in each fragment, or in none.
    if missing > 0 || fragment.row_id_sequence.is_none() {
        let end = next.checked_add(missing);
        let end = end.ok_or_else(|| Error::limit("there are no more ids of rows").in_field(&name))?;
        ids.extend(&RowIdSequence::from(*next..end));
        *next = end;
        fragment.row_id_sequence = Some(RowIds::Inline(ids.to_bytes()));
    }
    Ok(())
}

/// Replaces and removes fragments.
fn change(manifest: &mut Manifest, updated: &[DataFragment], removed: &[u64]) -> Result<()> {
    let places = places(manifest);
    let place = |id: u64| {
        let place = places.get(&id).copied();
        place.ok_or_else(|| Error::invalid_argument(format!("there is no fragment {id}")))
    };
    for fragment in updated {
        if let Some(slot) = manifest.fragments.get_mut(place(fragment.id)?) {
            if fragment.physical_rows != slot.physical_rows {
                return Err(Error::invalid_argument(format!(
                    "fragment {} has {} rows, and {} after the change",
                    fragment.id, slot.physical_rows, fragment.physical_rows
                )));
            }
            *slot = fragment.clone();
        }
    }
    removed.iter().try_for_each(|&id| place(id).map(drop))?;
    let removed: BTreeSet<u64> = removed.iter().copied().collect();
    manifest.fragments.retain(|fragment| !removed.contains(&fragment.id));
    Ok(())
}

fn places(manifest: &Manifest) -> BTreeMap<u64, usize> {
    manifest.fragments.iter().enumerate().map(|(place, fragment)| (fragment.id, place)).collect()
}

fn apply_overwrite(manifest: &mut Manifest, overwrite: &Overwrite) -> Result<()> {
    let max = next_fragment_id(manifest)?.checked_sub(1);
    manifest.fragments.clear();
    if let Some(max) = max {
        raise_max_fragment_id(manifest, max)?;
    }
    manifest.fields = overwrite.schema.clone();
    manifest.schema_metadata = overwrite.schema_metadata.clone();
    manifest.config.extend(overwrite.config_upsert_values.clone());
    add_fragments(manifest, &overwrite.fragments)
}

fn apply_rewrite(manifest: &mut Manifest, rewrite: &Rewrite) -> Result<()> {
    let old: Vec<u64> = touch::old_fragments(rewrite).map(|fragment| fragment.id).collect();
    change(manifest, &[], &old)?;
    let mut used: BTreeSet<u64> = manifest.fragments.iter().map(|fragment| fragment.id).chain(old).collect();
    let reserved = manifest.max_fragment_id.map_or(0, u64::from);
    let mut next = next_fragment_id(manifest)?;
    let new =
        rewrite.new_fragments.iter().chain(rewrite.groups.iter().flat_map(|group| &group.new_fragments));
    for fragment in new {
        // Id 0 is never reserved: the first fragment of a data set has it.
        let id = match fragment.id {
            0 => next,
            id => id,
        };
        next = next.max(id.saturating_add(1));
        if !used.insert(id) || fragment.id > reserved {
            return Err(Error::invalid_argument(format!("the id {id} of a fragment was not reserved")));
        }
        if manifest.has_stable_row_ids() && fragment.row_id_sequence.is_none() {
            return Err(Error::invalid_argument(
                "rows that are moved keep their ids, and a fragment has none",
            ));
        }
        raise_max_fragment_id(manifest, id)?;
        manifest.fragments.push(DataFragment { id, ..fragment.clone() });
    }
    Ok(())
}

fn apply_merge(manifest: &mut Manifest, merge: &Merge) -> Result<()> {
    let ids = |fragments: &[DataFragment]| -> BTreeSet<u64> {
        fragments.iter().map(|fragment| fragment.id).collect()
    };
    if ids(&manifest.fragments) != ids(&merge.fragments) || merge.fragments.len() != manifest.fragments.len()
    {
        return Err(Error::invalid_argument("columns are added to all fragments, and to no others"));
    }
    change(manifest, &merge.fragments, &[])?;
    manifest.fields = merge.schema.clone();
    manifest.schema_metadata = merge.schema_metadata.clone();
    Ok(())
}

fn apply_project(manifest: &mut Manifest, project: &Project) {
    let kept: BTreeSet<i32> = project.schema.iter().map(|field| field.id).collect();
    manifest.fields = project.schema.clone();
    for fragment in &mut manifest.fragments {
        // A file of which no field is left. The last file stays, since it is what has the rows.
        let is_used = |files: &[i32]| files.iter().any(|id| kept.contains(id));
        if fragment.files.iter().any(|file| is_used(&file.fields)) {
            fragment.files.retain(|file| is_used(&file.fields));
        }
    }
}

fn apply_replacement(manifest: &mut Manifest, replacement: &DataReplacement) -> Result<()> {
    let places = places(manifest);
    for group in &replacement.replacements {
        let id = group.fragment_id;
        let fragment = places.get(&id).and_then(|place| manifest.fragments.get_mut(*place));
        let (Some(fragment), Some(new)) = (fragment, &group.new_file) else {
            return Err(Error::invalid_argument(format!("there is no fragment {id}, or no file for it")));
        };
        match fragment.files.iter_mut().find(|file| file.fields == new.fields) {
            Some(file) => *file = new.clone(),
            None => {
                for field in fragment.files.iter_mut().flat_map(|file| &mut file.fields) {
                    if *field >= 0 && new.fields.contains(field) {
                        *field = TOMBSTONE;
                    }
                }
                fragment.files.push(new.clone());
            }
        }
    }
    Ok(())
}

fn apply_config(manifest: &mut Manifest, update: &UpdateConfig) -> Result<()> {
    manifest.config.extend(update.upsert_values.clone());
    manifest.config.retain(|key, _| !update.delete_keys.contains(key));
    apply_map(&mut manifest.config, update.config_updates.as_ref(), |value| value);
    apply_map(&mut manifest.table_metadata, update.table_metadata_updates.as_ref(), |value| value);
    if !update.schema_metadata.is_empty() {
        let metadata = update.schema_metadata.clone().into_iter();
        manifest.schema_metadata = metadata.map(|(key, value)| (key, value.into_bytes())).collect();
    }
    apply_map(&mut manifest.schema_metadata, update.schema_metadata_updates.as_ref(), String::into_bytes);
    for (&id, new) in &update.field_metadata {
        let metadata = new.metadata.clone().into_iter();
        field(manifest, id.into())?.metadata =
            metadata.map(|(key, value)| (key, value.into_bytes())).collect();
    }
    for (&id, updates) in &update.field_metadata_updates {
        apply_map(&mut field(manifest, id.into())?.metadata, Some(updates), String::into_bytes);
    }
    Ok(())
}

fn field(manifest: &mut Manifest, id: i64) -> Result<&mut Field> {
    let found = manifest.fields.iter_mut().find(|field| i64::from(field.id) == id);
    found.ok_or_else(|| Error::invalid_argument(format!("there is no field with the id {id}")))
}

fn apply_map<V>(map: &mut BTreeMap<String, V>, updates: Option<&UpdateMap>, value: impl Fn(String) -> V) {
    let Some(updates) = updates else { return };
    if updates.replace {
        map.clear();
    }
    for entry in &updates.update_entries {
        match &entry.value {
            Some(new) => drop(map.insert(entry.key.clone(), value(new.clone()))),
            None => drop(map.remove(&entry.key)),
        }
    }
}

fn add_bases(manifest: &mut Manifest, new: &[BasePath]) -> Result<()> {
    for base in new {
        let is_same = |old: &BasePath| {
            old.path == base.path
                || base.name.is_some() && old.name == base.name
                || base.id != 0 && old.id == base.id
        };
        if manifest.base_paths.iter().any(is_same) {
            return Err(Error::invalid_argument(format!("the place {} exists already", base.path)));
        }
        let id = match base.id {
            0 => manifest.base_paths.iter().map(|old| old.id).max().unwrap_or(0).checked_add(1),
            id => Some(id),
        };
        let id = id.ok_or_else(|| Error::limit("there are no more ids of places"))?;
        manifest.base_paths.push(BasePath { id, ..base.clone() });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;
    use crate::format::transaction::{
        Append, DataReplacementGroup, Delete, ReserveFragments, Restore, RewriteGroup, Update, UpdateMapEntry,
    };
    use crate::format::{DataFile, DeletionFile};

    fn rows(count: u64) -> DataFragment {
        let file = DataFile { path: format!("{count}.root"), fields: vec![0, 1], ..Default::default() };
        DataFragment { files: vec![file], physical_rows: count, ..Default::default() }
    }

    fn schema(ids: &[i32]) -> Vec<Field> {
        ids.iter().map(|&id| Field { id, ..Default::default() }).collect()
    }

    /// A data set with fragments of 10 and 20 rows.
    fn two() -> Manifest {
        let overwrite =
            Overwrite { fragments: vec![rows(10), rows(20)], schema: schema(&[0, 1]), ..Default::default() };
        create(&Transaction::new(0, overwrite), &NewDataset::new().stable_row_ids(true)).unwrap()
    }

    fn after(manifest: &Manifest, operation: impl Into<Operation>) -> Manifest {
        apply(manifest, &Transaction::new(manifest.version, operation)).unwrap()
    }

    fn refusal(manifest: &Manifest, operation: impl Into<Operation>) -> String {
        apply(manifest, &Transaction::new(manifest.version, operation)).unwrap_err().to_string()
    }

    fn ids(manifest: &Manifest) -> Vec<u64> {
        manifest.fragments.iter().map(|fragment| fragment.id).collect()
    }

    fn row_ids(fragment: &DataFragment) -> RowIdSequence {
        match &fragment.row_id_sequence {
            Some(RowIds::Inline(bytes)) => RowIdSequence::read(bytes, fragment.physical_rows).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_new_data_set_is_readable_by_us() {
        let manifest = two();
        manifest.check_writable().unwrap();
        assert_eq!((manifest.version, manifest.max_fragment_id, manifest.next_row_id), (1, Some(1), 30));
        assert_eq!(ids(&manifest), [0, 1]);
        assert_eq!(row_ids(&manifest.fragments[1]), RowIdSequence::from(10..30));
        let (version, _) = crate::format::names::parse_transaction(&manifest.transaction_file)
            .expect("a name of a transaction");
        assert_eq!(version, 0);
        let append = Transaction::new(0, Append::default());
        let error = create(&append, &NewDataset::new()).unwrap_err();
        assert_eq!(error.to_string(), "a data set begins with Overwrite, not with Append");
    }

    #[test]
    fn ids_of_fragments_and_rows_are_given_once() {
        let manifest = after(&two(), Append { fragments: vec![rows(5)] });
        assert_eq!((ids(&manifest), manifest.next_row_id), (vec![0, 1, 2], 35));
        let delete = Delete { deleted_fragment_ids: vec![2], ..Default::default() };
        let manifest = after(&manifest, delete);
        let manifest = after(&manifest, Append { fragments: vec![rows(5)] });
        assert_eq!((ids(&manifest), manifest.next_row_id), (vec![0, 1, 3], 40));
        let overwrite = Overwrite { fragments: vec![rows(1)], ..Default::default() };
        let manifest = after(&manifest, overwrite);
        assert_eq!((ids(&manifest), manifest.next_row_id), (vec![4], 41));

        let restored = restore(&manifest, &two(), &Transaction::new(5, Restore { version: 1 }));
        assert_eq!((restored.version, ids(&restored)), (6, vec![0, 1]));
        assert_eq!((restored.max_fragment_id, restored.next_row_id), (Some(4), 41));
        assert!(refusal(&manifest, Restore { version: 1 }).contains("see `restore`"));
    }

    #[test]
    fn rows_that_move_keep_their_ids() {
        // Three rows of fragment 0 were updated, and one was inserted.
        let moved = RowIdSequence::from(4..7);
        let new = DataFragment { row_id_sequence: Some(RowIds::Inline(moved.to_bytes())), ..rows(4) };
        let update = Update { new_fragments: vec![new], ..Default::default() };
        let manifest = after(&two(), update);
        assert_eq!(row_ids(&manifest.fragments[2]).iter().collect::<Vec<_>>(), [4, 5, 6, 30]);
        assert_eq!(manifest.next_row_id, 31);
        let new = DataFragment { row_id_sequence: Some(RowIds::Inline(moved.to_bytes())), ..rows(2) };
        let text = refusal(&two(), Append { fragments: vec![new] });
        assert_eq!(text, "fragment 2: there are more row ids than the 2 rows");
    }

    #[test]
    fn a_rewrite_takes_reserved_ids_or_new_ones() {
        let manifest = after(&two(), ReserveFragments { num_fragments: 2 });
        assert_eq!(manifest.max_fragment_id, Some(3));
        let new = |id| DataFragment {
            id,
            row_id_sequence: Some(RowIds::Inline(RowIdSequence::from(0..30).to_bytes())),
            ..rows(30)
        };
        let rewrite = |new: Vec<DataFragment>| Rewrite {
            groups: vec![RewriteGroup { old_fragments: manifest.fragments.clone(), new_fragments: new }],
            ..Default::default()
        };
        assert_eq!(ids(&after(&manifest, rewrite(vec![new(2)]))), [2]);
        assert_eq!(ids(&after(&manifest, rewrite(vec![new(0)]))), [4]);
        for id in [1, 4, 9] {
            let text = refusal(&manifest, rewrite(vec![new(id)]));
            assert_eq!(text, format!("the id {id} of a fragment was not reserved"));
        }
        assert!(refusal(&manifest, rewrite(vec![new(2), new(2)])).contains("not reserved"));
        let text = refusal(&manifest, rewrite(vec![rows(30)]));
        assert!(text.contains("keep their ids"), "{text}");
    }

    #[test]
    fn changes_are_of_fragments_that_exist() {
        let unknown = DataFragment { id: 7, ..rows(10) };
        let delete = Delete { updated_fragments: vec![unknown], ..Default::default() };
        assert_eq!(refusal(&two(), delete), "there is no fragment 7");
        let delete = Delete { deleted_fragment_ids: vec![7], ..Default::default() };
        assert_eq!(refusal(&two(), delete), "there is no fragment 7");
        let shorter = DataFragment { id: 0, ..rows(9) };
        let delete = Delete { updated_fragments: vec![shorter], ..Default::default() };
        assert_eq!(refusal(&two(), delete), "fragment 0 has 10 rows, and 9 after the change");
        let merge = Merge { fragments: vec![rows(10)], ..Default::default() };
        assert!(refusal(&two(), merge).starts_with("columns are added to all fragments"));
    }

    #[test]
    fn deletions_set_their_flag() {
        let mut fragment = two().fragments[0].clone();
        fragment.deletion_file = Some(DeletionFile { num_deleted_rows: 3, ..Default::default() });
        let manifest = after(&two(), Delete { updated_fragments: vec![fragment], ..Default::default() });
        assert_eq!(manifest.rows(), 27);
        assert_ne!(manifest.reader_feature_flags & flags::DELETION_FILES, 0);
    }

    #[test]
    fn columns_are_added_replaced_and_removed_without_the_others() {
        let file = |path: &str, fields: &[i32]| DataFile {
            path: path.to_owned(),
            fields: fields.to_vec(),
            ..Default::default()
        };
        let mut fragments = two().fragments;
        fragments.iter_mut().for_each(|fragment| fragment.files.push(file("new.root", &[2])));
        let merge = Merge { fragments, schema: schema(&[0, 1, 2]), ..Default::default() };
        let manifest = after(&two(), merge);
        assert_eq!(manifest.fields.len(), 3);

        let replace = |fields: &[i32]| DataReplacement {
            replacements: vec![DataReplacementGroup {
                fragment_id: 1,
                new_file: Some(file("other.root", fields)),
            }],
        };
        let paths = |manifest: &Manifest| -> Vec<String> {
            let files = manifest.fragments[1].files.iter();
            files.map(|file| format!("{} {:?}", file.path, file.fields)).collect()
        };
        assert_eq!(paths(&after(&manifest, replace(&[2]))), ["20.root [0, 1]", "other.root [2]"]);
        let replaced = after(&manifest, replace(&[1, 2]));
        assert_eq!(paths(&replaced), ["20.root [0, -2]", "other.root [1, 2]"]);

        let dropped = after(&replaced, Project { schema: schema(&[1, 2]), preserves_nullability: true });
        assert_eq!(paths(&dropped), ["other.root [1, 2]"]);
        // Rows do not vanish with the last column.
        let empty = after(&dropped, Project { schema: schema(&[9]), preserves_nullability: true });
        assert_eq!(paths(&empty), ["other.root [1, 2]"]);
    }

    #[test]
    fn settings_and_metadata_are_changed_by_key() {
        let map = |key: &str, value: Option<&str>, replace| {
            let entry = UpdateMapEntry { key: key.to_owned(), value: value.map(str::to_owned) };
            UpdateMap { update_entries: vec![entry], replace }
        };
        let update = UpdateConfig {
            config_updates: Some(map("a", Some("1"), false)),
            field_metadata_updates: [(1, map("unit", Some("GeV"), false))].into(),
            ..Default::default()
        };
        let manifest = after(&two(), update);
        assert_eq!(manifest.config["a"], "1");
        assert_eq!(manifest.fields[1].metadata["unit"], b"GeV");
        assert_ne!(manifest.writer_feature_flags & flags::TABLE_CONFIG, 0);
        let change = |map| UpdateConfig { config_updates: Some(map), ..Default::default() };
        assert_eq!(after(&manifest, change(map("b", Some("2"), true))).config.len(), 1);
        assert!(after(&manifest, change(map("a", None, false))).config.is_empty());
        let update = UpdateConfig {
            field_metadata_updates: [(5, map("unit", None, false))].into(),
            ..Default::default()
        };
        assert_eq!(refusal(&manifest, update), "there is no field with the id 5");
        let base = BasePath { path: "/far".to_owned(), ..Default::default() };
        let manifest = after(&manifest, UpdateBases { new_bases: vec![base.clone()] });
        assert_eq!(manifest.base_paths[0].id, 1);
        assert_eq!(
            refusal(&manifest, UpdateBases { new_bases: vec![base] }),
            "the place /far exists already"
        );
    }

    #[test]
    fn what_means_nothing_here_is_not_supported() {
        let apply = |operation| apply(&two(), &Transaction { operation, ..Default::default() }).unwrap_err();
        assert_eq!(apply(None).kind(), ErrorKind::Unsupported);
        assert_eq!(apply(Some(Operation::Clone(vec![]))).to_string(), "Clone is not supported");
    }

    #[test]
    fn a_hundred_thousand_fragments_are_changed_soon() {
        let start = std::time::Instant::now();
        let overwrite = Overwrite { fragments: vec![rows(10); 100_000], ..Default::default() };
        let manifest =
            create(&Transaction::new(0, overwrite), &NewDataset::new().stable_row_ids(true)).unwrap();
        let delete = Delete { updated_fragments: manifest.fragments.clone(), ..Default::default() };
        let delete = Transaction::new(1, delete);
        let other = Transaction::new(1, Append { fragments: vec![rows(1)] });
        let latest = apply(&manifest, &other).unwrap();
        let since = [super::super::Committed { version: 2, transaction: Some(&other) }];
        let rebased = super::super::rebase(&delete, &manifest, &latest, &since).unwrap();
        let last = apply(&latest, &rebased.finish(&BTreeMap::new()).unwrap()).unwrap();
        assert_eq!(last.fragments.len(), 100_001);
        assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    }
}
