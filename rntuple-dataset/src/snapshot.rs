//! One version of a data set, to be read.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use rntuple::field::ReadField;
use rntuple::join::Overlay;
use rntuple::{Entry, EntryList, ReadOptions, Reader, Value};
use roaring::RoaringBitmap;

use crate::bounds::{self, Bounds};
use crate::config;
use crate::error::{Error, ErrorKind, Result};
use crate::format::names;
use crate::format::{
    DataFile, DataFragment, DeletionFile, DeletionVector, Field, IndexMetadata, IndexSection, Manifest,
    ManifestFile, RowIdIndex, RowIdSequence,
};
use crate::location::Location;
use crate::row_ids;
use crate::schema::{self, Seen};

/// Files that are fetched at once.
const AT_ONCE: usize = 32;

/// One version of a data set. It stays as it is, whatever is committed later.
///
/// Its rows are read by readers of `rntuple`, as the entries of all its data files one after the other: all of them by
/// [`reader`](Self::reader), those that a predicate matches by [`filter`](Self::filter), and some by their ids by
/// [`take`](Self::take). What is deleted is passed over; numbers of entries count it, so that they are the same in a file and
/// here.
#[derive(Clone)]
pub struct Snapshot(Arc<Inner>);

struct Inner {
    location: Location,
    manifest: Manifest,
    indices: Option<IndexSection>,
    ntuple: String,
    /// By fragment: its first entry; and the end of the last one.
    starts: Vec<u64>,
    /// By fragment: the deleted rows, once they were read.
    deletions: OnceLock<Vec<DeletionVector>>,
    ids: OnceLock<Vec<RowIdSequence>>,
    index: OnceLock<RowIdIndex>,
    /// What is known of values in all fragments, once it was opened.
    bounds: OnceLock<Option<Arc<Bounds>>>,
}

impl Snapshot {
    /// # Errors
    /// The manifest lacks the name of the ntuple, or has over 2^64 rows.
    pub(crate) fn new(location: Location, file: ManifestFile) -> Result<Self> {
        let ManifestFile { manifest, indices, .. } = file;
        let place = |error: Error| error.in_file(location.root());
        let ntuple = config::ntuple(&manifest).map_err(place)?.to_owned();
        let mut starts = Vec::with_capacity(manifest.fragments.len() + 1);
        let mut end = 0u64;
        starts.push(end);
        for fragment in &manifest.fragments {
            if fragment.deleted_rows() > fragment.physical_rows {
                let message =
                    format!("{} of {} rows are deleted", fragment.deleted_rows(), fragment.physical_rows);
                return Err(place(Error::out_of_spec(message).in_field(format!("fragment {}", fragment.id))));
            }
            end = end
                .checked_add(fragment.physical_rows)
                .ok_or_else(|| place(Error::limit("over 2^64 rows")))?;
            starts.push(end);
        }
        Ok(Self(Arc::new(Inner {
            location,
            manifest,
            indices,
            ntuple,
            starts,
            deletions: OnceLock::new(),
            ids: OnceLock::new(),
            index: OnceLock::new(),
            bounds: OnceLock::new(),
        })))
    }

    /// Returns the number of the version.
    pub fn version(&self) -> u64 {
        self.0.manifest.version
    }

    /// Returns when the version was committed, as the clock of its writer said.
    pub fn created(&self) -> Option<SystemTime> {
        self.0.manifest.timestamp.and_then(crate::format::Timestamp::to_system_time)
    }

    /// Returns the number of rows that are not deleted. Where the manifest does not say how many rows of a fragment are,
    /// the deletion files are read; if they cannot be, the rows of that fragment do not count.
    pub fn len(&self) -> u64 {
        let rows = |(position, fragment): (usize, &DataFragment)| match self.deleted_in(position) {
            Ok(deleted) => fragment.physical_rows.saturating_sub(deleted),
            Err(_) => 0,
        };
        self.fragments().iter().enumerate().map(rows).fold(0, u64::saturating_add)
    }

    /// The count of rows of a fragment that are deleted.
    ///
    /// # Errors
    /// The manifest does not state it, and a deletion file cannot be read.
    pub(crate) fn deleted_in(&self, position: usize) -> Result<u64> {
        match self.fragments().get(position) {
            Some(fragment) if fragment.states_deleted_rows() => Ok(fragment.deleted_rows()),
            _ => Ok(self.deletions()?.get(position).map_or(0, DeletionVector::count)),
        }
    }

    /// Whether all rows are deleted, or there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the number of entries of the data files, those included that are deleted.
    pub fn entry_count(&self) -> u64 {
        self.0.starts.last().copied().unwrap_or_default()
    }

    /// Returns the path of the ntuple in each data file.
    pub fn ntuple(&self) -> &str {
        &self.0.ntuple
    }

    /// Returns the fields, parents before their children.
    pub fn fields(&self) -> &[Field] {
        &self.0.manifest.fields
    }

    /// Returns the groups of rows, each in a data file of its own with those of its later columns.
    pub fn fragments(&self) -> &[DataFragment] {
        &self.0.manifest.fragments
    }

    /// Returns all that the version says about itself.
    pub fn manifest(&self) -> &Manifest {
        &self.0.manifest
    }

    /// Returns the indices, each with files of its own: what [`Table::index_bounds`](crate::Table::index_bounds) made.
    pub fn indices(&self) -> &[IndexMetadata] {
        self.0.indices.as_ref().map_or(&[], |section| &section.indices)
    }

    /// Returns of how many fragments the [index of bounds](crate::Table::index_bounds) knows something; 0 without an index.
    pub fn indexed_fragments(&self) -> u64 {
        let index = bounds::find(self.indices());
        let covered = index.map(|index| RoaringBitmap::deserialize_from(&*index.fragment_bitmap));
        covered.and_then(Result::ok).map_or(0, |covered| covered.len())
    }

    pub(crate) fn index_section(&self) -> Option<&IndexSection> {
        self.0.indices.as_ref()
    }

    /// What is known of values in all fragments, if there is an index that says it. A damaged index is as good as none.
    ///
    /// # Errors
    /// The storage fails.
    pub(crate) fn bounds(&self) -> Result<Option<Arc<Bounds>>> {
        if let Some(bounds) = self.0.bounds.get() {
            return Ok(bounds.clone());
        }
        let open = |index| Bounds::open(self.location(), index, self.fields());
        let opened = match bounds::find(self.indices()).map(open) {
            Some(Err(error)) if bounds::is_failure(&error) => return Err(error.into()),
            Some(opened) => opened.ok().map(Arc::new),
            None => None,
        };
        Ok(self.0.bounds.get_or_init(|| opened).clone())
    }

    /// Returns where the data set is.
    pub fn location(&self) -> &Location {
        &self.0.location
    }

    /// Opens the rows for reading. The type is a projection, as always.
    ///
    /// # Errors
    /// A data file cannot be opened, or does not hold what `T` asks for; or a deletion file cannot be read.
    #[doc(alias = "scan")]
    pub fn reader<T: Entry + ReadField>(&self) -> Result<Reader<T>> {
        self.reader_with(ReadOptions::new())
    }

    /// Opens the rows as [`reader`](Self::reader) does, with options. Files are opened as they are reached: all of them have
    /// the schema of the data set.
    ///
    /// # Errors
    /// As [`reader`](Self::reader).
    pub fn reader_with<T: Entry + ReadField>(&self, options: ReadOptions) -> Result<Reader<T>> {
        let options = match self.has_deletions() {
            true => options.only(&self.live()?),
            false => options,
        };
        self.reader_with_deleted(options)
    }

    /// Opens the rows as [`reader_with`](Self::reader_with) does, those included that are deleted: what
    /// [`Table::add_columns_from`](crate::Table::add_columns_from) needs new values for.
    ///
    /// # Errors
    /// As [`reader`](Self::reader).
    pub fn reader_with_deleted<T: Entry + ReadField>(&self, options: ReadOptions) -> Result<Reader<T>> {
        let all = 0..self.fragments().len();
        Ok(Reader::open_with(self.overlays(all, true)?, &self.0.ntuple, options.same_schema(true))?)
    }

    /// Opens the entries of one fragment, those included that are deleted.
    ///
    /// # Errors
    /// As [`reader`](Self::reader); or there is no such fragment.
    pub(crate) fn fragment_reader<T: Entry + ReadField>(
        &self,
        position: usize,
        options: ReadOptions,
    ) -> Result<Reader<T>> {
        Ok(Reader::open_with(self.overlays(position..position + 1, true)?, &self.0.ntuple, options)?)
    }

    /// Opens the entries of one fragment with the types that they have in their files, which may be narrower than those of
    /// the data set.
    ///
    /// # Errors
    /// As [`fragment_reader`](Self::fragment_reader).
    pub(crate) fn stored_reader(&self, position: usize) -> Result<Reader<Value>> {
        let files = self.overlays(position..position + 1, false)?;
        Ok(Reader::open_with(files, &self.0.ntuple, ReadOptions::new())?)
    }

    /// Opens the ntuple of a fragment, whose files are seen as one. Entries that are deleted are among its own.
    ///
    /// # Errors
    /// A data file cannot be opened; or there is no such fragment.
    pub fn fragment(&self, position: usize) -> Result<Arc<rntuple::Dataset>> {
        Ok(self.fragment_reader::<Value>(position, ReadOptions::new())?.dataset(0)?)
    }

    /// Returns the entries of a fragment that are not deleted, as it counts them; `None`: all.
    ///
    /// # Errors
    /// A deletion file cannot be read.
    pub fn live_in(&self, position: usize) -> Result<Option<EntryList>> {
        let Some(fragment) =
            self.fragments().get(position).filter(|fragment| fragment.deletion_file.is_some())
        else {
            return Ok(None);
        };
        let deleted = self.deletions()?.get(position).map(DeletionVector::iter).into_iter().flatten();
        let deleted: EntryList = deleted.map(u64::from).collect();
        Ok(Some(EntryList::from(0..fragment.physical_rows).difference(&deleted)))
    }

    /// The files of fragments, for readers, with the types of the data set or with their own.
    fn overlays(&self, positions: std::ops::Range<usize>, widens: bool) -> Result<Vec<Overlay>> {
        let fields: HashMap<i32, &Field> = self.fields().iter().map(|field| (field.id, field)).collect();
        // Most files have the same fields under the same numbers.
        let mut known: HashMap<(&[i32], &[i32]), Seen> = HashMap::new();
        let fragments = self.fragments().get(positions).unwrap_or_default();
        let mut overlays = Vec::with_capacity(fragments.len());
        for fragment in fragments {
            let mut overlay: Option<Overlay> = None;
            for file in &fragment.files {
                let Seen { names, types } = match known.get(&(&*file.fields, &*file.column_indices)) {
                    Some(known) => known.clone(),
                    None => {
                        let found = schema::seen(&fields, file)?;
                        known.insert((&file.fields, &file.column_indices), found.clone());
                        found
                    }
                };
                if names.is_empty() && overlay.is_some() {
                    continue;
                }
                let path = self.file(file);
                let with_file = match overlay {
                    None => Overlay::new(path),
                    Some(overlay) => overlay.side(path, &self.0.ntuple),
                };
                let with_file = with_file.fields(names);
                overlay = Some(if widens { with_file.types(types) } else { with_file });
            }
            let overlay = overlay.ok_or_else(|| {
                let error = Error::out_of_spec("the fragment has no data file");
                error.in_field(format!("fragment {}", fragment.id)).in_file(self.0.location.root())
            })?;
            overlays.push(overlay.entry_count(fragment.physical_rows));
        }
        Ok(overlays)
    }

    /// The path or URL of a data file.
    pub(crate) fn file(&self, file: &DataFile) -> String {
        self.0.location.data_file(&file.path)
    }

    /// The first entry of each fragment, and the end of the last one.
    pub(crate) fn starts(&self) -> &[u64] {
        &self.0.starts
    }

    fn has_deletions(&self) -> bool {
        self.fragments().iter().any(|fragment| fragment.deletion_file.is_some())
    }

    /// Returns the entries that are not deleted.
    ///
    /// # Errors
    /// A deletion file cannot be read.
    pub fn live(&self) -> Result<EntryList> {
        let deletions = self.deletions()?;
        let mut deleted = Vec::new();
        for (start, deletions) in self.0.starts.iter().zip(deletions) {
            for offset in deletions.iter() {
                let entry = start + u64::from(offset);
                match deleted.last_mut() {
                    Some(std::ops::Range { end, .. }) if *end == entry => *end += 1,
                    _ => deleted.push(entry..entry + 1),
                }
            }
        }
        Ok(EntryList::from(0..self.entry_count()).difference(&deleted.into_iter().collect()))
    }

    /// Reads the deletion files and the row ids, unless they were read. After that, [`len`](Self::len),
    /// [`live`](Self::live), [`live_in`](Self::live_in), [`entry_of`](Self::entry_of) and [`row_id`](Self::row_id) do not wait
    /// for the storage: a program with a runtime may call them anywhere.
    ///
    /// # Errors
    /// They cannot be read.
    pub async fn fetch(&self) -> Result<()> {
        if self.0.deletions.get().is_none() {
            let read = deletions(self.location(), self.fragments()).await?;
            self.0.deletions.get_or_init(|| read);
        }
        if self.0.ids.get().is_none() {
            let read = row_ids::read(self.location(), self.fragments()).await?;
            self.0.ids.get_or_init(|| read);
        }
        Ok(())
    }

    /// The deleted rows of each fragment.
    pub(crate) fn deletions(&self) -> Result<&[DeletionVector]> {
        if let Some(deletions) = self.0.deletions.get() {
            return Ok(deletions);
        }
        let this = self.clone();
        let read = async move { deletions(this.location(), this.fragments()).await };
        let read = rntuple_object_store::wait(read)?;
        Ok(self.0.deletions.get_or_init(|| read))
    }

    /// The row ids of each fragment.
    pub(crate) fn ids(&self) -> Result<&[RowIdSequence]> {
        if let Some(ids) = self.0.ids.get() {
            return Ok(ids);
        }
        let this = self.clone();
        let read = async move { row_ids::read(this.location(), this.fragments()).await };
        let read = rntuple_object_store::wait(read)?;
        Ok(self.0.ids.get_or_init(|| read))
    }

    fn index(&self) -> Result<&RowIdIndex> {
        if let Some(index) = self.0.index.get() {
            return Ok(index);
        }
        let rows = self.ids()?.iter().zip(self.deletions()?);
        let parts = (0u64..).zip(rows).map(|(position, (ids, deleted))| (position, ids, deleted));
        let index = RowIdIndex::new(parts).map_err(|error| error.in_file(self.0.location.root()))?;
        Ok(self.0.index.get_or_init(|| index))
    }

    /// Returns the entry of a row, by its id; `None`: there is no such row, or it is deleted.
    ///
    /// # Errors
    /// Row ids or deletion files cannot be read.
    pub fn entry_of(&self, row_id: u64) -> Result<Option<u64>> {
        let Some(address) = self.index()?.get(row_id) else { return Ok(None) };
        let position = usize::try_from(address.fragment).unwrap_or(usize::MAX);
        Ok(self.0.starts.get(position).map(|start| start + address.offset))
    }

    /// Returns the id of the row at an entry, which it keeps when it is moved; `None` after the last entry.
    ///
    /// # Errors
    /// Row ids cannot be read.
    pub fn row_id(&self, entry: u64) -> Result<Option<u64>> {
        let Some((position, offset)) = self.locate(entry) else { return Ok(None) };
        Ok(self.ids()?.get(position).and_then(|ids| ids.get(offset)))
    }

    /// The position of the fragment that has an entry, and the number of the entry in it.
    pub(crate) fn locate(&self, entry: u64) -> Option<(usize, u64)> {
        let position = self.0.starts.partition_point(|start| *start <= entry).checked_sub(1)?;
        (entry < self.entry_count())
            .then(|| (position, entry - self.0.starts.get(position).copied().unwrap_or(entry)))
    }

    /// Reads rows by their ids, in the order of the ids.
    ///
    /// # Errors
    /// [`NotFound`](ErrorKind::NotFound): a row does not exist, or is deleted; and as [`reader`](Self::reader).
    pub fn take<T: Entry + ReadField>(&self, row_ids: &[u64]) -> Result<Vec<T>> {
        let mut by_fragment: std::collections::BTreeMap<usize, Vec<(usize, u64)>> = Default::default();
        for (place, id) in row_ids.iter().enumerate() {
            let Some(address) = self.index()?.get(*id) else {
                let message = format!("there is no row with the id {id}, or it is deleted");
                return Err(Error::new(ErrorKind::NotFound, message).in_file(self.0.location.root()));
            };
            let position = usize::try_from(address.fragment).unwrap_or(usize::MAX);
            by_fragment.entry(position).or_default().push((place, address.offset));
        }
        let mut rows: Vec<(usize, T)> = Vec::with_capacity(row_ids.len());
        for (position, wanted) in by_fragment {
            let reader = self.fragment_reader::<T>(position, ReadOptions::new())?;
            let offsets: Vec<u64> = wanted.iter().map(|(_, offset)| *offset).collect();
            let read = reader.take(&offsets)?;
            rows.extend(wanted.iter().map(|(place, _)| *place).zip(read));
        }
        rows.sort_unstable_by_key(|(place, _)| *place);
        Ok(rows.into_iter().map(|(_, row)| row).collect())
    }
}

/// Reads the deleted rows of fragments.
pub(crate) async fn deletions(
    location: &Location,
    fragments: &[DataFragment],
) -> Result<Vec<DeletionVector>> {
    let read = |(position, id, file, rows): (usize, u64, DeletionFile, u64)| {
        let location = location.clone();
        async move {
            let name = names::deletion_file(id, &file)?;
            let bytes = location.get(&name).await?;
            let place = |error: Error| error.in_file(format!("{}/{name}", location.root()));
            DeletionVector::read(&bytes, &file, rows).map_err(place).map(|vector| (position, vector))
        }
    };
    // Most fragments have none.
    let files = fragments.iter().enumerate().filter_map(|(position, fragment)| {
        Some((position, fragment.id, fragment.deletion_file?, fragment.physical_rows))
    });
    let files: Vec<_> = files.collect();
    let found: Vec<(usize, DeletionVector)> =
        stream::iter(files).map(read).buffered(AT_ONCE).try_collect().await?;
    let mut all = vec![DeletionVector::new(); fragments.len()];
    for (position, vector) in found {
        if let Some(slot) = all.get_mut(position) {
            *slot = vector;
        }
    }
    Ok(all)
}

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("location", &self.0.location)
            .field("version", &self.version())
            .field("rows", &self.0.manifest.rows())
            .finish_non_exhaustive()
    }
}
