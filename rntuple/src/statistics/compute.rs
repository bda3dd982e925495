//! Statistics of files that have none: the pages are read.

use std::slice;

use super::facts::{Observations, is_whole};
use super::pages::{Integers, Pages};
use super::row::Row;
use super::{Source, Statistics};
use crate::dataset::Dataset;
use crate::encoding::{
    ColumnEncoding, ColumnType, Element, Index, Observed, Switch, TextBlocks, ValueKind, observe_decoded,
};
use crate::error::{Error, Result};
use crate::field::Attribute;
use crate::page::Unsealers;
#[cfg(feature = "rayon")]
use crate::pool::Pool;
use crate::schema::{
    ClusterDescriptor, ClusterId, ColumnId, ColumnRange, Locator, PageLocation, Role, Schema,
};

/// The most bytes of a string that bounds depend on, and one more.
const HEAD: usize = 65;

impl Statistics {
    /// Reads all pages of an ntuple, whoever wrote it, and computes what a writer would have kept.
    ///
    /// # Errors
    /// A page cannot be read or is damaged.
    pub fn compute(dataset: &Dataset) -> Result<Self> {
        let unsealers = Unsealers::new(true, dataset.file().limits());
        let mut rows = Vec::new();
        for (number, cluster) in dataset.clusters().enumerate() {
            rows.extend(rows_of(dataset, number as u64, &*cluster?, &unsealers, None)?);
        }
        Ok(Self::of_rows(dataset, rows))
    }

    /// As [`compute`](Self::compute), with the threads of a pool: each reads a cluster at a time.
    ///
    /// # Errors
    /// As [`compute`](Self::compute).
    #[cfg(feature = "rayon")]
    pub fn compute_on(dataset: &Dataset, pool: &Pool) -> Result<Self> {
        Self::compute_unless_copied(dataset, pool, &|_| None)
    }

    /// Computes as [`compute_on`](Self::compute_on), but for clusters that are copies of others whose statistics are known, as
    /// [merged](crate::merge) ones are: for these, `source` returns the statistics and the number of the other cluster. What
    /// is not known of its columns is computed.
    ///
    /// ```
    /// use rntuple::merge::{MergeOptions, merge_files};
    /// use rntuple::statistics::Statistics;
    /// # use rntuple::{Dataset, Pool, RNTuple, RootFile, WriteOptions, Writer};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = |name: &str| directory.path().join(name);
    /// # let mut writer = Writer::<Event>::create(path("a.root"), "Events", WriteOptions::new().statistics(true))?;
    /// # writer.fill(&Event { met: 20.0 })?;
    /// # writer.finish()?;
    /// let old = Dataset::open(&RootFile::open(path("a.root"))?, "Events")?;
    /// let known = Statistics::of(&old)?.ok_or("none")?;
    /// merge_files(&[path("a.root").into()], path("all.root"), MergeOptions::new())?;
    /// let merged = Dataset::open(&RootFile::open(path("all.root"))?, "Events")?;
    /// let same = |cluster| Some((&known, cluster));
    /// let statistics = Statistics::compute_unless_copied(&merged, &Pool::new(2)?, &same)?;
    /// let met = merged.schema().find("met").ok_or("no field")?;
    /// assert_eq!(statistics.values(met)?, known.values(met)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`compute`](Self::compute).
    #[cfg(feature = "rayon")]
    pub fn compute_unless_copied<'a>(
        dataset: &Dataset,
        pool: &Pool,
        source: &(dyn Fn(ClusterId) -> Option<(&'a Self, ClusterId)> + Sync),
    ) -> Result<Self> {
        use rayon::prelude::*;

        let unsealers = Unsealers::new(true, dataset.file().limits());
        let mut clusters = dataset.clusters().enumerate();
        let mut rows = Vec::new();
        loop {
            // Few at a time, so that not all page lists are in memory.
            let some = clusters.by_ref().take(4 * pool.threads().max(1));
            let some = some.map(|(number, cluster)| Ok((number as u64, cluster?)));
            let some: Vec<_> = some.collect::<Result<_>>()?;
            if some.is_empty() {
                return Ok(Self::of_rows(dataset, rows));
            }
            let found = pool.as_rayon().install(|| {
                let found = some.par_iter();
                found
                    .map(|(number, cluster)| {
                        let copied = u32::try_from(*number).ok().and_then(|number| source(ClusterId(number)));
                        rows_of(dataset, *number, cluster, &unsealers, copied)
                    })
                    .collect::<Result<Vec<_>>>()
            });
            rows.extend(found?.into_iter().flatten());
        }
    }

    /// What is stored of the pages of a column that are copies of those in a cluster of this file; `None`: it is not known, is
    /// damaged, or is about other pages.
    fn row_of_copy(
        &self,
        from: ClusterId,
        schema: &Schema,
        id: ColumnId,
        range: &ColumnRange,
    ) -> Option<Row> {
        let (column, path) = (schema.column(id)?, schema.path(schema.field_of(id)?));
        let mut representations = schema.representations(column.field).iter();
        let number = representations.find_map(|columns| columns.iter().position(|column| *column == id))?;
        let known = self.field(self.schema.find(&path)?, number).ok()?;
        let facts =
            known.facts(from).filter(|_| range.first_element.is_some_and(|first| is_whole(column, first)))?;
        let counts = facts.pages.iter().map(|page| page.elements);
        let is_same = counts.eq(range.pages.iter().map(|page| u64::from(page.count)));
        facts.to_row(column.column_type().filter(|_| is_same)?)
    }

    fn of_rows(dataset: &Dataset, mut rows: Vec<Attribute<Row>>) -> Self {
        rows.sort_by_key(|row| (row.value.column, row.value.cluster));
        Self::new(dataset, Source::Computed(rows))
    }
}

/// What is known of each column in a cluster, which may be a copy of another one.
fn rows_of(
    dataset: &Dataset,
    number: u64,
    cluster: &ClusterDescriptor,
    unsealers: &Unsealers,
    copied: Option<(&Statistics, ClusterId)>,
) -> Result<Vec<Attribute<Row>>> {
    let pages = Pages { dataset, unsealers };
    let entries = cluster.first_entry..cluster.first_entry.saturating_add(cluster.entry_count);
    let mut rows = Vec::new();
    for (id, range) in (0..).map(ColumnId).zip(&cluster.columns) {
        let known =
            copied.and_then(|(statistics, from)| statistics.row_of_copy(from, dataset.schema(), id, range));
        let row = known.map_or_else(|| pages.row(id, range, cluster), |known| Ok(Some(known)));
        let row = row.map_err(|error| {
            let field = dataset.schema().field_of(id).map(|field| dataset.schema().path(field));
            let error = error.in_column(id.0.into()).in_cluster(number);
            let error = field.into_iter().fold(error, Error::in_field);
            error.in_ntuple(dataset.path()).in_file(dataset.file().name())
        })?;
        if let Some(row) = row {
            let value = Row { cluster: number, column: id.0, ..row };
            rows.push(Attribute { range: entries.clone(), value });
        }
    }
    Ok(rows)
}

impl<'a> Pages<'a> {
    /// What is known of a column in a cluster.
    fn row(self, id: ColumnId, range: &ColumnRange, cluster: &'a ClusterDescriptor) -> Result<Option<Row>> {
        let schema = self.dataset.schema();
        let Some(column) = schema.column(id) else { return Ok(None) };
        let (Some(column_type), Some(first)) = (column.column_type(), range.first_element) else {
            return Ok(None);
        };
        if !is_whole(column, first) {
            return Ok(None);
        }
        let encoding = ColumnEncoding::checked(column_type, column.bits, column.range)?;
        let mut chars = self.chars_of(id, cluster);
        let mut end = 0;
        let mut text = TextBlocks::default();
        let mut observations = Observations::default();
        for page in &range.pages {
            if super::bounds::extremes(column_type).is_none()
                || matches!(page.locator, Locator::Unknown { .. })
            {
                return Ok(None);
            }
            let observed = self.observe(&encoding, page, &mut |ends| match &mut chars {
                Some(chars) => chars.note(ends, &mut end, &mut text),
                None => Ok(()),
            })?;
            observations.push(page.count, observed, chars.is_some().then_some(&text));
        }
        Ok(observations.into_row(column_type, range.pages.len()))
    }

    /// The characters, if the column has the offsets of strings.
    fn chars_of(self, id: ColumnId, cluster: &'a ClusterDescriptor) -> Option<Chars<'a>> {
        let schema = self.dataset.schema();
        let field = schema.field_of(id)?;
        let is_plain = schema.field(field).is_some_and(|field| field.role == Role::Plain);
        let columns = schema.representations(field).iter().find(|columns| columns.first() == Some(&id))?;
        let [_, chars] = **columns else { return None };
        let column = schema.column(chars)?;
        let column_type = column.column_type().filter(|found| *found == ColumnType::Char && is_plain)?;
        let encoding = ColumnEncoding::of(column_type);
        let range = cluster.columns.get(chars.index())?;
        Some(Chars { all: self, encoding, pages: range.pages.iter(), page: Vec::new(), taken: 0 })
    }

    /// What the values of a page say. `ends` gets those of a page of offsets.
    fn observe(
        self,
        encoding: &ColumnEncoding,
        page: &PageLocation,
        ends: &mut dyn FnMut(&[Index]) -> Result<()>,
    ) -> Result<Option<Observed>> {
        if page.count == 0 {
            // Says nothing, and need not be read; there is no such page in a file of ours.
            return Ok(None);
        }
        if let Some(observed) = self.integers::<Observations>(encoding, page)? {
            return Ok(observed);
        }
        match encoding.column_type().kind() {
            ValueKind::Tag => Ok(Switch::observe(encoding, &self.read::<Switch>(encoding, page)?)),
            ValueKind::End => {
                let values = self.read::<Index>(encoding, page)?;
                ends(&values)?;
                Ok(Index::observe(encoding, &values))
            }
            ValueKind::F16 | ValueKind::F32 | ValueKind::F64 => {
                Ok(observe_decoded(encoding, &self.read::<f64>(encoding, page)?))
            }
            _ => Ok(None),
        }
    }
}

impl Integers for Observations {
    type Found = Option<Observed>;

    fn find<E: Element>(encoding: &ColumnEncoding, values: &[E]) -> Option<Observed> {
        E::observe(encoding, values)
    }
}

/// The characters of strings in a cluster, page after page.
struct Chars<'a> {
    all: Pages<'a>,
    encoding: ColumnEncoding,
    pages: slice::Iter<'a, PageLocation>,
    page: Vec<u8>,
    /// How many of the page were taken.
    taken: usize,
}

impl Chars<'_> {
    /// Takes in the strings that end there; `end` is where the one before does.
    fn note(&mut self, ends: &[Index], end: &mut u64, text: &mut TextBlocks) -> Result<()> {
        let mut head = Vec::with_capacity(HEAD);
        for next in ends {
            // Of damaged offsets, the bounds count fewer strings than there are, and are not used.
            let Some(length) = next.0.checked_sub(*end) else { return Ok(()) };
            head.clear();
            if !self.take(length, &mut head)? {
                return Ok(());
            }
            *end = next.0;
            text.add(&head);
        }
        Ok(())
    }

    /// Takes characters, and appends the first of them to `head`; whether there are that many.
    fn take(&mut self, length: u64, head: &mut Vec<u8>) -> Result<bool> {
        let mut left = length;
        while left > 0 {
            let rest = self.page.get(self.taken..).unwrap_or_default();
            if rest.is_empty() {
                let Some(page) = self.pages.next() else { return Ok(false) };
                self.page = self.all.read::<u8>(&self.encoding, page)?;
                self.taken = 0;
                continue;
            }
            let count = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
            let room = HEAD - head.len().min(HEAD);
            head.extend(rest.iter().take(count.min(room)));
            self.taken += count;
            left -= count as u64;
        }
        Ok(true)
    }
}
