//! Entries that join an ntuple that is there.

use crate::sync::Mutex;
use std::path::Path;
use std::sync::Arc;

use super::builder::ClusterState;
use super::draft::{Declaration, Declared, Draft};
use super::filler::Filler;
use super::known::{Clusters, Known};
use super::ntuple::Ntuple;
use super::sets::{KnownSet, Sets};
use super::shared_file::{SharedFile, lock_file};
use super::{ParallelWriter, WriteOptions, Writer};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::{Entry, WriteField};
use crate::hidden::Hidden;
use crate::root::{FileOptions, FileWriter, RootFile, Update};
use crate::storage::{Output, ReadAt, WriteAt};

/// An ntuple that was opened to go on.
pub(super) struct Opened<W: WriteAt> {
    pub(super) file: SharedFile<W>,
    pub(super) draft: Draft,
    pub(super) known: Known,
    /// Its attribute sets.
    pub(super) sets: Vec<KnownSet>,
}

impl<T: WriteField + ?Sized> Writer<T> {
    /// Opens an ntuple that is in a file, ours or ROOT's, to append entries of type `T`.
    ///
    /// ```
    /// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
    ///
    /// #[derive(RNTuple)]
    /// struct Event { number: u64 }
    ///
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("events.root");
    /// let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    /// writer.fill(&Event { number: 1 })?;
    /// writer.finish()?;
    ///
    /// let mut writer = Writer::<Event>::append(&path, "Events", WriteOptions::new())?;
    /// writer.fill(&Event { number: 2 })?;
    /// assert_eq!(writer.entry_count(), 2);
    /// writer.finish()?;
    ///
    /// let numbers: Vec<u64> =
    ///     Reader::<Event>::open(&path, "Events")?.entries().map(|event| Ok(event?.number)).collect::<rntuple::Result<_>>()?;
    /// assert_eq!(numbers, [1, 2]);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// The file keeps everything that is in it, and until [`finish`](Self::finish) has succeeded readers find it as it
    /// was: also when the writer is dropped, the process killed or the machine switched off before. (Where the device
    /// fails in the very last flush, `finish` reports it, and the file is the old one or the new one.) The new entries
    /// are in clusters, and in a cluster group, of their own: JSROOT 7.11, which reads only the first group, does not see
    /// them.
    ///
    /// Columns are stored as they are in the file, whatever the type or the options would choose for a new one; the
    /// options' compression holds for the new pages. Description, maximum key size, and what a file says about itself
    /// stay the file's, except for the [timestamp](WriteOptions::timestamp).
    ///
    /// # Errors
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch), before anything is written, if the type has not the fields
    /// of the file: all differences. [`NotFound`](crate::ErrorKind::NotFound) if there is no such ntuple,
    /// [`Unsupported`](crate::ErrorKind::Unsupported) if its format is older or newer than what can be written, and
    /// [`Io`](crate::ErrorKind::Io) if the file cannot be written, or another program is appending to it.
    pub fn append(file: impl AsRef<Path>, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::append_to(edit(file.as_ref())?, path, options)
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> Writer<T, W> {
    /// As [`append`](Writer::append), for a file on any storage.
    ///
    /// The commit is as safe as the storage's [`write_at`](WriteAt::write_at) and [`flush`](WriteAt::flush) are; nobody
    /// else may write to it meanwhile.
    ///
    /// # Errors
    /// As [`append`](Writer::append).
    pub fn append_to(storage: W, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
        W: ReadAt + 'static,
    {
        let opened = Opened::open(storage, path, options, Clusters::Stay)?;
        let Declared { columns, mut schema } = opened.declare::<T>(1)?;
        let draft = opened.draft.clone();
        let (ntuple, sets) = opened.resume(&mut schema);
        Ok(Self { filler: Filler::new(ntuple, ClusterState::of(&draft, schema), columns), sets })
    }
}

impl<T: WriteField + ?Sized> ParallelWriter<T> {
    /// As [`Writer::append`], for an ntuple that many threads fill.
    ///
    /// # Errors
    /// As [`Writer::append`].
    pub fn append(file: impl AsRef<Path>, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
    {
        Self::append_to(edit(file.as_ref())?, path, options)
    }
}

impl<T: WriteField + ?Sized, W: WriteAt> ParallelWriter<T, W> {
    /// As [`Writer::append_to`], for an ntuple that many threads fill.
    ///
    /// # Errors
    /// As [`Writer::append`].
    pub fn append_to(storage: W, path: &str, options: WriteOptions) -> Result<Self>
    where
        T: Entry,
        W: ReadAt + 'static,
    {
        let contexts = options.contexts;
        let opened = Opened::open(storage, path, options, Clusters::Stay)?;
        let Declared { mut schema, .. } = opened.declare::<T>(contexts)?;
        let draft = opened.draft.clone();
        let (ntuple, sets) = opened.resume(&mut schema);
        Ok(Self::from_ntuple(ntuple, sets, Hidden::new(draft)))
    }
}

pub(super) fn edit(file: &Path) -> Result<Output> {
    FileOptions::new().edit(file)
}

impl<W: WriteAt> Opened<W> {
    pub(super) fn open(storage: W, path: &str, options: WriteOptions, clusters: Clusters) -> Result<Self>
    where
        W: ReadAt + 'static,
    {
        let file_options = options.file.clone();
        let storage = Arc::new(storage);
        // Whatever reads from the storage is gone when this returns, so that it can be written to.
        let (draft, known, sets, update) = read(storage.clone(), path, options, clusters)?;
        let shared = || Error::invalid_argument("the storage is still being read");
        let storage = Arc::into_inner(storage).ok_or_else(shared)?;
        let file = Arc::new(Mutex::new(FileWriter::resume(storage, update, &file_options)));
        Ok(Self { file, draft, known, sets })
    }

    pub(super) fn declare<T: WriteField + ?Sized>(&self, contexts: usize) -> Result<Declared<T::Writer>> {
        let name = lock_file(&self.file).any().name().to_owned();
        self.draft.declare::<T>(contexts).map_err(|error| error.in_file(&name))
    }

    pub(super) fn resume(self, schema: &mut Declaration) -> (Ntuple<W>, Hidden<Sets>) {
        let (records, most) = (std::mem::take(&mut schema.records), schema.parts.share.locations);
        let Known { catalog, elements, statistics, order, .. } = self.known;
        let mut ntuple = Ntuple::resume(self.file, &self.draft, catalog, records, &elements, most);
        ntuple.know(statistics, order.as_ref());
        (ntuple, Sets::of_existing(self.sets))
    }
}

/// Reads what must be known to continue; nothing is written.
fn read(
    storage: Arc<dyn ReadAt>,
    path: &str,
    options: WriteOptions,
    clusters: Clusters,
) -> Result<(Draft, Known, Vec<KnownSet>, Update)> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let file = RootFile::from_arc(storage)?.with_limits(options.limits);
    let update = Update::read(&file, path).map_err(|error| error.in_ntuple(path))?;
    let dataset = Dataset::open(&file, path)?;
    let sets = KnownSet::all_of(&dataset, &options);
    let (known, existing, options) = Known::read(&dataset, options, clusters)?;
    let place = |error: Error| error.in_ntuple(path).in_file(file.name());
    let draft = Draft::existing(path, options, existing).map_err(place)?;
    Ok((draft, known, sets, update))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::cast_possible_truncation, reason = "numbers that are exact in either width")]

    use std::io::IoSlice;

    use super::*;
    use crate::catalog::{Catalog, EnvelopeWriter, Title};
    use crate::check::{CheckOptions, check_file};
    use crate::compression::Compression;
    use crate::envelope::SchemaDescription;
    use crate::error::ErrorKind;
    use crate::field::{ColumnWriter, FieldBuilder, FieldWriter, Value};
    use crate::root::FileOptions;
    use crate::schema::{
        ClusterDescriptor, ColumnDescriptor, ColumnRange, FieldDescriptor, FieldId, Locator, PageLocation,
        Role, TypeName,
    };
    use crate::storage::Memory;
    use crate::writer::ColumnAdder;

    /// An entry of one number, whose name is `x` or `y`.
    struct One<const NAME: char>(f32);

    impl<const NAME: char> Entry for One<NAME> {}

    impl<const NAME: char> WriteField for One<NAME> {
        type Writer = ColumnWriter<f32>;

        fn type_name() -> TypeName {
            TypeName::untyped("One")
        }

        fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
            field.record(&Self::type_name());
            f32::declare(&mut field.subfield(&NAME.to_string()))
        }
    }

    impl<const NAME: char> FieldWriter<One<NAME>> for ColumnWriter<f32> {
        fn append(&mut self, one: &One<NAME>) -> usize {
            self.push(one.0)
        }
    }

    /// A file with one field, and the clusters that `clusters` makes of a function that stores pages.
    fn file(
        header: Vec<ColumnDescriptor>,
        extension: Vec<ColumnDescriptor>,
        clusters: impl FnOnce(&mut dyn FnMut(&[u8], u32) -> PageLocation) -> Vec<(u64, Vec<ColumnRange>)>,
    ) -> Memory {
        let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
        let file = writer.any();
        let fields = vec![FieldDescriptor::new(None, Role::Plain, "x", "float")];
        let schema = SchemaDescription { fields, columns: header, ..SchemaDescription::default() };
        let title = Title { name: "nt".to_owned(), ..Title::default() };
        let envelopes = EnvelopeWriter::new(Compression::NONE, 1 << 30);
        let mut catalog = Catalog::create(file, envelopes, title, schema).unwrap();
        catalog.extend(SchemaDescription { columns: extension, ..SchemaDescription::default() }, 0);
        let mut store = |bytes: &[u8], count| {
            let offset = file.append_blob(&[IoSlice::new(bytes)], 0).unwrap();
            PageLocation::new(count, false, Locator::File { offset, size: bytes.len() as u64 })
        };
        for (entries, columns) in clusters(&mut store) {
            catalog.push(ClusterDescriptor::new(0, entries, columns)).unwrap();
        }
        let anchor = catalog.finish(file).unwrap();
        file.put_anchor("nt", &anchor).unwrap();
        file.finish().unwrap();
        writer.into_inner()
    }

    fn column(type_code: u16, bits: u16, representation: u16, first: Option<i64>) -> ColumnDescriptor {
        let mut column = ColumnDescriptor::new(type_code, bits, FieldId(0));
        (column.representation, column.first_element) = (representation, first);
        column
    }

    const REAL32: (u16, u16) = (0x0C, 32);
    const REAL16: (u16, u16) = (0x0B, 16);

    fn append(storage: Memory, values: &[f32]) -> Memory {
        let mut writer = Writer::<One<'x'>, _>::append_to(storage, "nt", WriteOptions::new()).unwrap();
        values.iter().for_each(|value| writer.fill(&One(*value)).unwrap());
        writer.finish_into().unwrap().1
    }

    /// The values of a field, in a file that is sound.
    fn values(storage: &Memory, name: &str) -> Vec<f32> {
        let file = RootFile::from_storage(storage.clone()).unwrap();
        let report = check_file(&file, CheckOptions::new());
        assert!(report.is_sound(), "{:?}", report.faults);
        let reader = crate::Reader::<Value>::open(&file, "nt").unwrap();
        let entries = reader.entries().map(|entry| {
            let entry = serde_json::to_value(entry.unwrap()).unwrap();
            entry.get(name).and_then(serde_json::Value::as_f64).unwrap() as f32
        });
        entries.collect()
    }

    fn last_cluster(storage: &Memory) -> Vec<ColumnRange> {
        let file = RootFile::from_storage(storage.clone()).unwrap();
        Dataset::open(&file, "nt").unwrap().clusters().last().unwrap().unwrap().columns.clone()
    }

    #[test]
    fn the_representation_in_use_goes_on() {
        let header = vec![column(REAL32.0, REAL32.1, 0, None), column(REAL16.0, REAL16.1, 1, None)];
        let storage = file(header, vec![], |store| {
            let wide = store(&[1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat(), 2);
            // 3, 4 and 5 in 16 bits.
            let narrow = store(&[0x00, 0x42, 0x00, 0x44, 0x00, 0x45], 3);
            vec![
                (2, vec![ColumnRange::new(0, 0, vec![wide]), ColumnRange::suppressed()]),
                (3, vec![ColumnRange::suppressed(), ColumnRange::new(2, 0, vec![narrow])]),
            ]
        });
        assert_eq!(values(&storage, "x"), [1.0, 2.0, 3.0, 4.0, 5.0]);
        let storage = append(append(storage, &[6.0]), &[7.0, 8.0]);
        assert_eq!(values(&storage, "x"), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        let columns = last_cluster(&storage);
        assert_eq!(columns[0], ColumnRange::suppressed());
        assert_eq!(columns[1].first_element, Some(6));
    }

    #[test]
    fn a_representation_that_came_later_stays_suppressed() {
        let header = vec![column(REAL32.0, REAL32.1, 0, None)];
        let later = vec![column(REAL16.0, REAL16.1, 1, Some(-2))];
        let storage = file(header, later, |store| {
            let page = store(&[1.0f32.to_le_bytes(), 2.0f32.to_le_bytes()].concat(), 2);
            vec![(2, vec![ColumnRange::new(0, 0, vec![page])])]
        });
        let grown = append(storage.clone(), &[3.0]);
        assert_eq!(values(&grown, "x"), [1.0, 2.0, 3.0]);
        assert_eq!(last_cluster(&grown)[1], ColumnRange::suppressed());
        let mut adder = ColumnAdder::<One<'y'>, _>::append_to(grown, "nt", WriteOptions::new()).unwrap();
        [7.0, 8.0, 9.0].iter().for_each(|value| adder.fill(&One(*value)).unwrap());
        let added = adder.finish_into().unwrap().1;
        assert_eq!((values(&added, "x"), values(&added, "y")), (vec![1.0, 2.0, 3.0], vec![7.0, 8.0, 9.0]));
    }

    #[test]
    fn clusters_without_entries_get_columns_too() {
        let header = vec![column(REAL32.0, REAL32.1, 0, None)];
        let storage = file(header, vec![], |store| {
            let page = store(&1.0f32.to_le_bytes(), 1);
            let range = |first, pages| vec![ColumnRange::new(first, 0, pages)];
            vec![
                (0, range(0, vec![])),
                (1, range(0, vec![page])),
                (0, range(1, vec![])),
                (1, range(1, vec![page])),
                (0, range(2, vec![])),
            ]
        });
        let mut adder = ColumnAdder::<One<'y'>, _>::append_to(storage, "nt", WriteOptions::new()).unwrap();
        [3.0, 4.0].iter().for_each(|value| adder.fill(&One(*value)).unwrap());
        let storage = append_both(adder.finish_into().unwrap().1);
        assert_eq!(
            (values(&storage, "x"), values(&storage, "y")),
            (vec![1.0, 1.0, 5.0], vec![3.0, 4.0, 6.0])
        );
    }

    #[test]
    fn a_cluster_with_entries_and_without_columns_gets_no_new_ones() {
        let storage = file(vec![column(REAL32.0, REAL32.1, 0, None)], vec![], |_| vec![(1, vec![])]);
        let error = ColumnAdder::<One<'y'>, _>::append_to(storage, "nt", WriteOptions::new()).unwrap_err();
        assert_eq!((error.kind(), error.location().cluster), (ErrorKind::OutOfSpec, Some(0)));
    }

    fn append_both(storage: Memory) -> Memory {
        type Both = crate::field::Extended<One<'x'>, One<'y'>>;
        let mut writer = Writer::<Both, _>::append_to(storage, "nt", WriteOptions::new()).unwrap();
        writer.fill_as(&(&One::<'x'>(5.0), &One::<'y'>(6.0))).unwrap();
        writer.finish_into().unwrap().1
    }

    #[test]
    fn a_column_from_beyond_the_last_element_on_is_damage() {
        let late = vec![column(REAL32.0, REAL32.1, 1, Some(-9))];
        let storage = file(vec![column(REAL32.0, REAL32.1, 0, None)], late, |_| vec![]);
        let error = Writer::<One<'x'>, _>::append_to(storage, "nt", WriteOptions::new()).unwrap_err();
        assert_eq!((error.kind(), error.location().field.as_deref()), (ErrorKind::OutOfSpec, Some("x")));
    }
}
