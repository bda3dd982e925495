//! Statistics on their way to storage: those of an ntuple that is written, and others.

use std::path::Path;
use std::sync::{Arc, PoisonError};

use super::builder::ClusterState;
use super::draft::{Declared, Draft};
use super::filler::Filler;
use super::guest::Guest;
use super::ntuple::State;
use super::observed::{Marks, StatisticsRows};
use super::sets::options_of_set;
use super::shared_file::AnyFile;
use super::{WriteOptions, Writer};
use crate::catalog::{Catalog, EnvelopeWriter};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::field::Attribute;
use crate::root::{Author, FileOptions, FileWriter, RootFile, Update};
use crate::schema::LinkedAttributeSet;
use crate::statistics::{NAME, Row, Statistics, all_marks};
use crate::storage::{ReadAt, WriteAt};
use crate::sync::Mutex;

impl State {
    /// Writes what is known of the clusters so far, whose page lists are written, and links it. Returns the number of rows.
    pub(super) fn put_statistics(
        &mut self,
        file: &AnyFile<'_>,
        rows: StatisticsRows,
        marks: &Marks,
    ) -> Result<u64> {
        let mut rows = rows.signed(marks);
        let count = rows.len() as u64;
        // By column, and no column comes after it.
        rows.extend(self.order_row(marks));
        let options = options_of_set(self.options());
        if let Some(link) = put_set(file, self.author(), self.path(), options, &rows)? {
            self.link(link);
        }
        Ok(count)
    }
}

/// Writes rows as an attribute set of the ntuple at `owner`, which `author` writes; returns the link to it.
fn put_set(
    file: &AnyFile<'_>,
    author: Author,
    owner: &str,
    options: WriteOptions,
    rows: &[Attribute<Row>],
) -> Result<Option<LinkedAttributeSet>> {
    let draft = Draft::of_set(owner, NAME, options)?;
    let Declared { columns, mut schema } = draft.declare::<Attribute<Row>>(1)?;
    let set = Guest::create(file, &draft, &mut schema, author)?;
    let mut filler = Filler::<Attribute<Row>, _>::new(set, ClusterState::of(&draft, schema), columns);
    rows.iter().try_for_each(|row| filler.fill(row))?;
    filler.commit_cluster()?;
    filler.builder.destination.finish_set(NAME)
}

impl Statistics {
    /// Writes the statistics into the file that they are about: those of a [computed](Self::compute) or another origin,
    /// in place of any that the file has.
    ///
    /// ```
    /// # use rntuple::statistics::Statistics;
    /// # use rntuple::{Dataset, RNTuple, RootFile, WriteOptions, Writer};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("events.root");
    /// # let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 20.0 })?;
    /// # writer.finish()?;
    /// let statistics = Statistics::compute(&Dataset::open(&RootFile::open(&path)?, "Events")?)?;
    /// statistics.add_to(&path, WriteOptions::new())?;
    /// assert!(Statistics::of(&Dataset::open(&RootFile::open(&path)?, "Events")?)?.is_some());
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// All that is in the file stays, and readers find it as it was until the last bytes are written, as with
    /// [`Writer::append`]. Of the options, compression, checksums and the [timestamp](WriteOptions::timestamp) apply.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument), before anything is written, if the file has another state
    /// of the ntuple than the statistics; [`Unsupported`](crate::ErrorKind::Unsupported) if its format is older or newer
    /// than what can be written; [`Io`](crate::ErrorKind::Io) if it cannot be written, or another program is appending
    /// to it.
    pub fn add_to(self, file: impl AsRef<Path>, options: WriteOptions) -> Result<()> {
        let storage = FileOptions::new().edit(file.as_ref())?;
        self.add_to_storage(storage, options).map(drop)
    }

    /// As [`add_to`](Self::add_to), for a file on any storage; gives the storage back.
    ///
    /// # Errors
    /// As [`add_to`](Self::add_to).
    pub fn add_to_storage<W: ReadAt + WriteAt + 'static>(
        self,
        storage: W,
        options: WriteOptions,
    ) -> Result<W> {
        options.check()?;
        let path = self.path().to_owned();
        let name = WriteAt::name(&storage).to_owned();
        let place = |error: Error| error.in_ntuple(&path).in_file(&name);
        let storage = Arc::new(storage);
        let file = RootFile::from_arc(storage.clone())?.with_limits(options.limits);
        let update = Update::read(&file, &path).map_err(|error| error.in_ntuple(&path))?;
        let dataset = Dataset::open(&file, &path)?;
        if !self.is_about(&dataset) {
            let message = "the file has another state of the ntuple than the statistics are about";
            return Err(place(Error::invalid_argument(message)));
        }
        let max_key_size = dataset.anchor().max_key_size;
        let mut catalog = Catalog::resume(&dataset, EnvelopeWriter::new(options.compression, max_key_size));
        let marks = Marks::new(dataset.header_checksum(), dataset.cluster_groups());
        let order = self.order_row(all_marks(marks.list()));
        let mut rows = marks.sign(self.into_rows()?);
        rows.extend(order);
        drop((dataset, file));
        // Whatever reads from the storage is gone by now, so that it can be written to.
        let shared = || place(Error::invalid_argument("the storage is still being read"));
        let storage = Arc::into_inner(storage).ok_or_else(shared)?;
        let file = Arc::new(Mutex::new(FileWriter::resume(storage, update, &options.file)));
        // No one else writes to it.
        let link = put_set(&*file, Author::default(), &path, options_of_set(&options), &rows);
        if let Some(link) = link.map_err(place)? {
            catalog.link(link);
        }
        let file = Arc::into_inner(file).ok_or_else(shared)?;
        let mut file = file.into_inner().unwrap_or_else(PoisonError::into_inner);
        let anchor = catalog.finish(file.any()).map_err(place)?;
        file.any().put_anchor(&path, &anchor).map_err(place)?;
        file.any().finish().map_err(place)?;
        Ok(file.into_inner())
    }

    /// Writes the statistics into a file of their own, which [`open`](Self::open) reads: for files that cannot be
    /// changed, or are better not. It may be the one that they were read from.
    ///
    /// # Errors
    /// The file cannot be created: see [`Writer::create`].
    pub fn save(self, file: impl AsRef<Path>, options: WriteOptions) -> Result<()> {
        // Nothing is read any more when the file is created.
        let (path, rows) = self.into_signed_rows()?;
        fill(Writer::<Attribute<Row>>::create(file, &path, options)?, &rows)?.finish().map(drop)
    }

    /// As [`save`](Self::save), to any storage; gives the storage back.
    ///
    /// # Errors
    /// The storage cannot be written.
    pub fn save_to_storage<W: WriteAt>(self, storage: W, options: WriteOptions) -> Result<W> {
        let (path, rows) = self.into_signed_rows()?;
        let writer = fill(Writer::<Attribute<Row>, W>::new(storage, &path, options)?, &rows)?;
        writer.finish_into().map(|(_, storage)| storage)
    }

    /// The path of the ntuple, and the rows of a file of their own.
    fn into_signed_rows(self) -> Result<(String, Vec<Attribute<Row>>)> {
        let (marks, path) = (Marks::of(self.marks()), self.path().to_owned());
        let order = self.order_row(all_marks(marks.list()));
        let mut rows = marks.sign(self.into_rows()?);
        rows.extend(order);
        Ok((path, rows))
    }
}

/// Fills a file of statistics.
fn fill<W: WriteAt>(
    mut writer: Writer<Attribute<Row>, W>,
    rows: &[Attribute<Row>],
) -> Result<Writer<Attribute<Row>, W>> {
    rows.iter().try_for_each(|row| writer.fill(row))?;
    Ok(writer)
}
