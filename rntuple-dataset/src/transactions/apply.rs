//! The manifest that a transaction makes of the one before it.

use std::collections::{BTreeMap, BTreeSet};

use super::touch;
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
    /// The highest version of the format of data files: of RNTuple, `1.0.1.0`. Default: empty.
    pub format_version: String,
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

    /// Sets the highest version of the format of data files.
    #[must_use]
    pub fn format_version(mut self, format_version: impl Into<String>) -> Self {
        self.format_version = format_version.into();
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
    let format =
        DataStorageFormat { file_format: flags::FILE_FORMAT.to_owned(), version: new.format_version.clone() };
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
    Manifest {
        max_fragment_id: current.max_fragment_id.max(old.max_fragment_id),
        next_row_id: current.next_row_id.max(old.next_row_id),
        ..next(old, current.version, transaction)
    }
}

/// Returns the manifest that a transaction makes of the newest one.
///
/// New fragments get ids, and their rows where the data set has such ids. The manifest has no time; the caller sets it.
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
            let last = next_fragment_id(&manifest)? + u64::from(reserve.num_fragments);
            if let Some(last) = last.checked_sub(1).filter(|_| reserve.num_fragments > 0) {
                raise_max_fragment_id(&mut manifest, last)?;
            }
        }
        Some(Operation::UpdateConfig(update)) => apply_config(&mut manifest, update)?,
        Some(Operation::UpdateBases(UpdateBases { new_bases })) => add_bases(&mut manifest, new_bases)?,
        Some(Operation::Restore(restore)) => {
            return Err(Error::invalid_argument(format!(
                "Restore needs the manifest of version {}: see `restore`",
                restore.version
            )));
        }
        Some(
            other @ (Operation::CreateIndex(_)
            | Operation::Clone(_)
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
        version: version + 1,
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
    if missing > 0 {
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
        next = next.max(id + 1);
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
