//! A place in an ntuple, from which entries are read.

mod lend;

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use super::ReadOptions;
use super::memory::Memory;
use super::prefetch::{self, Supply};
use super::source::Source;
use crate::cluster::Cluster;
use crate::column::Allowance;
use crate::dataset::Dataset;
use crate::error::{Error, ErrorKind, Result};
use crate::field::{Attach, Connection, FieldReader, ReadField};
use crate::limits::{self, Limits};
use crate::message::counted;
use crate::schema::ColumnId;

pub(super) use lend::Fault;

/// Where columns stand while an entry is read. If the storage panics meanwhile, and somebody catches it, some of them
/// have gone on and others have not.
const BETWEEN: u64 = u64::MAX;

/// The columns of a type, and where they stand.
pub(super) struct Cursor<T: ReadField> {
    source: Source,
    options: ReadOptions,
    /// Where the columns stand: all there is, or one file of many.
    dataset: Arc<Dataset>,
    /// The number of its first entry. What follows counts as the source does.
    first: u64,
    /// The least memory that a walk through these entries takes, where a budget is given.
    least: u64,
    /// Boxed: a struct of many columns is large, and moved on the way here.
    columns: Box<T::Reader>,
    selected: BTreeSet<ColumnId>,
    /// The entries that will be read one after the other; of single ones nothing is known beforehand.
    walk: Option<Range<u64>>,
    supply: Supply,
    /// A cluster that is read ahead, and its number.
    coming: Option<(usize, Cluster)>,
    allowance: Allowance,
    /// Entries of the attached cluster; empty before the first one and after an error.
    attached: Range<u64>,
    /// The entry before which the columns stand.
    next: u64,
    /// Whether the last error was about a value, not about the file.
    refused: bool,
}

impl<T: ReadField> Cursor<T> {
    /// For single entries, wherever they are.
    pub(super) fn connect(source: Source, options: &ReadOptions) -> Result<Self> {
        let (dataset, first) = source.at(0)?;
        Self::in_dataset(source, options, None, dataset, first)
    }

    /// For the entries of a range, one after the other.
    pub(super) fn walk(source: Source, options: &ReadOptions, range: Range<u64>) -> Result<Self> {
        let (dataset, first) = source.at(if range.is_empty() { 0 } else { range.start })?;
        Self::in_dataset(source, options, Some(range), dataset, first)
    }

    fn in_dataset(
        source: Source,
        options: &ReadOptions,
        walk: Option<Range<u64>>,
        dataset: Arc<Dataset>,
        first: u64,
    ) -> Result<Self> {
        let place = |error: Error| error.in_ntuple(dataset.path()).in_file(dataset.file().name());
        let selection = options.selection_in(dataset.schema()).map_err(place)?;
        let limits = options.limits_of(dataset.file());
        let connection =
            Connection::new(dataset.schema().clone(), options.verify_checksums, &limits, selection);
        let (allowance, means) = (connection.allowance(), connection.means());
        let columns = T::connect(connection.root()).map(Box::new);
        let demands = connection.demands();
        let selected = connection.finish().map_err(place)?;
        let columns = columns.map_err(place)?;
        let count = dataset.entry_count();
        let own = |entry: u64| entry.saturating_sub(first).min(count);
        let entries = walk.as_ref().map_or(0..count, |walk| own(walk.start)..own(walk.end));
        let Memory { room, decodes_ahead, least } =
            Memory::plan(&dataset, &entries, &demands, options).map_err(place)?;
        let supply = match (&walk, &options.pool) {
            (Some(_), Some(pool)) => {
                if decodes_ahead {
                    means.decode_ahead(pool);
                }
                Supply::new(options, room)
            }
            _ => Supply::within(room),
        };
        let options = options.clone();
        Ok(Self {
            source,
            options,
            dataset,
            first,
            least,
            columns,
            selected,
            walk,
            supply,
            coming: None,
            allowance,
            attached: 0..0,
            next: 0,
            refused: false,
        })
    }

    pub(super) fn least(&self) -> u64 {
        self.least
    }

    pub(super) fn limits(&self) -> Limits {
        self.options.limits_of(self.dataset.file())
    }

    /// Bytes of values that the file can account for, however many entries are read.
    pub(super) fn most_bytes(&self) -> u64 {
        self.limits().entry_length.saturating_add(limits::values_of(self.dataset.file().end()))
    }

    pub(super) fn selected(&self) -> &BTreeSet<ColumnId> {
        &self.selected
    }

    #[inline]
    pub(super) fn get(&mut self, entry: u64) -> Result<T> {
        self.go_to(entry)?;
        self.allowance.renew();
        let result = self.columns.read();
        self.went_on(entry, result)
    }

    #[inline]
    pub(super) fn read_into(&mut self, entry: u64, slot: &mut T) -> Result<()> {
        self.go_to(entry)?;
        self.allowance.renew();
        let result = self.columns.read_into(slot);
        self.went_on(entry, result)
    }

    /// Reads up to `count` entries from `entry` on at once, as many as there are in its cluster, which together may take
    /// what one entry may; returns how many.
    pub(super) fn read_with(
        &mut self,
        entry: u64,
        count: u64,
        read: impl FnOnce(&mut T::Reader, usize) -> Result<()>,
    ) -> Result<u64> {
        self.go_to(entry)?;
        let count =
            usize::try_from(count.min(self.attached.end.saturating_sub(entry)).max(1)).unwrap_or(usize::MAX);
        self.allowance.renew();
        let result = read(&mut self.columns, count);
        self.went_on(entry, result)?;
        self.next = entry + count as u64;
        Ok(count as u64)
    }

    /// Bytes of values, and items that are not on storage, of the entries that were read last.
    pub(super) fn taken(&self) -> (u64, u64) {
        self.allowance.taken()
    }

    #[inline]
    fn go_to(&mut self, entry: u64) -> Result<()> {
        if self.next != entry || !self.attached.contains(&entry) {
            self.jump(entry)?;
        }
        self.next = BETWEEN;
        Ok(())
    }

    #[inline]
    fn went_on<V>(&mut self, entry: u64, result: Result<V>) -> Result<V> {
        match result {
            Ok(value) => {
                self.next = entry + 1;
                Ok(value)
            }
            Err(error) => {
                // Behind a value that is there: so there are never more such errors than values.
                let refused = error.kind() == ErrorKind::SchemaMismatch;
                let error = self.stumble(entry, error);
                self.refused = refused;
                Err(error)
            }
        }
    }

    /// Whether the last error was about a value that the type does not take: what follows can be read.
    pub(super) fn was_value_refused(&self) -> bool {
        self.refused
    }

    #[cold]
    #[inline(never)]
    fn jump(&mut self, entry: u64) -> Result<()> {
        let result = self.try_jump(entry);
        result.map_err(|error| self.stumble(entry, error))
    }

    fn try_jump(&mut self, entry: u64) -> Result<()> {
        if self.next == BETWEEN || !self.attached.contains(&entry) {
            let is_here = entry.checked_sub(self.first).is_some_and(|own| own < self.dataset.entry_count());
            if !is_here {
                self.turn(entry)?;
            }
            let Some(index) = self.dataset.cluster_of(entry - self.first) else {
                let count = self.dataset.entry_count();
                return Err(Error::invalid_argument(format!(
                    "the ntuple has only {}",
                    counted(count, "entry")
                )));
            };
            let cluster = match self.coming.take_if(|(number, _)| *number == index) {
                Some((_, cluster)) => cluster,
                None => self.load(index, entry)?,
            };
            self.attached = 0..0;
            // From here on the reads that were let go are those of the cluster before.
            self.columns.attach(&cluster)?;
            self.attached = self.entries_of(&cluster);
            self.next = self.attached.start;
            self.look_ahead()?;
        }
        if self.next != entry {
            self.next = BETWEEN;
            self.columns.seek(entry - self.attached.start)?;
            self.next = entry;
        }
        Ok(())
    }

    /// Goes on in the file that has an entry.
    fn turn(&mut self, entry: u64) -> Result<()> {
        let (dataset, first) = self.source.at(entry)?;
        let turned = Self::in_dataset(self.source.clone(), &self.options, self.walk.clone(), dataset, first);
        *self = turned.map_err(|error| error.at_entry(entry - first))?;
        Ok(())
    }

    /// The entries of a cluster of the file, counted as the source does.
    fn entries_of(&self, cluster: &Cluster) -> Range<u64> {
        let start = self.first.saturating_add(cluster.descriptor().first_entry);
        start..start.saturating_add(cluster.descriptor().entry_count)
    }

    /// A cluster whose first wanted entry is `entry`; where all of it is wanted, it is read ahead.
    fn load(&self, index: usize, entry: u64) -> Result<Cluster> {
        let cluster = prefetch::load(&self.dataset, index, &self.selected, &self.options, &self.supply)?;
        let entries = self.entries_of(&cluster);
        let from_start = entry == entries.start && self.walk.is_some();
        let is_whole = from_start && self.walk.as_ref().is_some_and(|walk| entries.end <= walk.end);
        let cluster = cluster.walked(self.supply.walk(from_start, is_whole));
        if is_whole {
            self.supply.begin(&cluster);
        }
        Ok(cluster)
    }

    /// Begins to read the cluster behind the attached one, if the walk goes on there.
    fn look_ahead(&mut self) -> Result<()> {
        let next = self.attached.end;
        let goes_on = self.walk.as_ref().is_some_and(|walk| next < walk.end);
        if goes_on && self.supply.reads_ahead() {
            let next = self.dataset.cluster_of(next - self.first).map(|index| (index, next));
            let is_coming = self.coming.as_ref().map(|(index, _)| *index) == next.map(|(index, _)| index);
            if let Some((index, entry)) = next.filter(|_| !is_coming) {
                self.coming = Some((index, self.load(index, entry)?));
            }
        }
        Ok(())
    }

    /// Some columns have gone on and others have not: nothing can be trusted before the next attach.
    #[cold]
    #[inline(never)]
    fn stumble(&mut self, entry: u64, error: Error) -> Error {
        self.attached = 0..0;
        self.refused = false;
        // The error of an entry in another file, to which this could not turn, has it already.
        error
            .at_entry(entry.saturating_sub(self.first))
            .in_ntuple(self.dataset.path())
            .in_file(self.dataset.file().name())
    }
}
