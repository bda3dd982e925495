//! Reads one part of a file: finds the rows that match the filter, and computes the projection for them.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::{Array as _, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, SchemaRef};
use arrow_select::coalesce::BatchCoalescer;
use arrow_select::filter::{filter_record_batch, prep_null_mask_filter};
use datafusion::common::{Result, exec_datafusion_err};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::projection::{ProjectionExprs, Projector};
use datafusion::physical_expr::utils::reassign_expr_columns;
use datafusion::physical_expr_common::physical_expr::{snapshot_generation, snapshot_physical_expr};
use rntuple::filter::Filtered;
use rntuple::{EntryList, ReadOptions, Reader, Value};
use rntuple_arrow::ArrowReader;
use tokio::sync::mpsc;

use crate::error::external;
use crate::files::{OpenFile, Origin};
use crate::metrics::ScanMetrics;
use crate::narrow::narrowed;
use crate::options::TableOptions;
use crate::predicate::{filtered, necessary};
use crate::used::{Used, Wanted};

/// The most clusters that are read before the filter is asked again what it still wants.
const MOST_CLUSTERS: usize = 16;

/// The most batches that are handed over at once, and the bytes of which there are no more in them: each time two
/// threads wait for each other, which takes as long as a batch of numbers takes to be read.
const MOST_BATCHES: usize = 16;
const MOST_BYTES: usize = 1 << 20;

/// If no more than one entry in this many matches, its other columns are read for the matches alone.
const RARE: u64 = 8;

/// What is read of a file.
pub(crate) struct Scan {
    pub(crate) file: Arc<OpenFile>,
    /// Where the file comes from.
    pub(crate) origin: Arc<dyn Origin>,
    pub(crate) options: TableOptions,
    /// In terms of the columns of the file.
    pub(crate) filter: Option<Arc<dyn PhysicalExpr>>,
    pub(crate) projection: ProjectionExprs,
    /// What is looked at of each column of the projection; empty: all.
    pub(crate) wanted: Vec<Wanted>,
    pub(crate) batch_size: usize,
    /// The most rows that are wanted.
    pub(crate) limit: Option<usize>,
    pub(crate) metrics: ScanMetrics,
    pub(crate) rows: Rows,
}

/// Batches that are handed over at once, or why there are none.
pub(crate) type Handful = Result<Vec<RecordBatch>>;

/// Where the rows of a scan go.
#[derive(Clone)]
pub(crate) struct Rows(pub(crate) mpsc::Sender<Handful>);

impl Rows {
    /// Waits until there is room for some batches. Returns whether more are wanted.
    pub(crate) fn give(&self, batches: Handful) -> bool {
        self.0.blocking_send(batches).is_ok()
    }

    /// Whether the query still takes rows. A scan whose filter is true of few rows seldom gives any, and has to ask.
    fn are_wanted(&self) -> bool {
        !self.0.is_closed()
    }
}

impl Scan {
    /// Reads the rows of some clusters.
    pub(crate) fn run(&self, clusters: &[Range<u64>]) -> Result<()> {
        let mut output = Output::new(self.limit, self.batch_size, &self.rows);
        let result = self.read(clusters, &mut output);
        output.finish()?;
        result
    }

    fn read(&self, clusters: &[Range<u64>], output: &mut Output<'_>) -> Result<()> {
        let within = |clusters: &[Range<u64>]| {
            let entries: EntryList = clusters.iter().cloned().collect();
            match &self.file.live {
                Some(live) => live.intersection(&entries),
                None => entries,
            }
        };
        let Some(filter) = &self.filter else {
            let mut entries = within(clusters);
            if let Some(limit) = self.limit {
                entries = first(&entries, limit as u64);
            }
            let has_entries = |cluster: &&Range<u64>| has_any(&entries, cluster);
            self.metrics.clusters(clusters.iter().filter(has_entries).count(), 0);
            self.metrics.unasked(entries.entry_count());
            let columns = self.columns(None, true)?;
            let projector = columns.projector(&self.projection)?;
            columns.read(&entries, self, &mut |batch| output.give(projector.project_batch(&batch)?))?;
            return Ok(());
        };

        let of_filter = self.columns(Some(filter), false)?;
        let of_rest = self.columns(None, true)?;
        let both = self.columns(Some(filter), true)?;
        let condition = of_filter.expr(filter)?;
        let condition_of_both = both.expr(filter)?;
        let (project_rest, project_both) =
            (of_rest.projector(&self.projection)?, both.projector(&self.projection)?);
        // Where the filter has all columns that are wanted, they are read once.
        let is_more = of_rest.columns.iter().any(|column| !of_filter.columns.contains(column))
            || of_rest.paths.iter().any(|path| !of_filter.paths.contains(path));

        let mut pruning = Pruning { filter, reader: OnceCell::new(), known: None };
        let mut chunk = 1;
        let mut is_rare = true;
        let mut rest = clusters;
        while !rest.is_empty() && self.rows.are_wanted() {
            let (now, later) = rest.split_at_checked(chunk).unwrap_or((rest, &[]));
            rest = later;
            chunk = (chunk * 2).min(MOST_CLUSTERS);
            let entries = pruning.candidates(self, within(now))?;
            let skipped = now.iter().filter(|cluster| !has_any(&entries, cluster)).count();
            self.metrics.clusters(now.len(), skipped);
            if entries.ranges().is_empty() {
                continue;
            }
            let mut matched = 0;
            if is_rare && is_more {
                let Some(found) = of_filter.matching(&entries, self, &condition)? else { return Ok(()) };
                matched = found.entry_count();
                let goes_on = of_rest
                    .read(&found, self, &mut |batch| output.give(project_rest.project_batch(&batch)?))?;
                if !goes_on {
                    return Ok(());
                }
            } else {
                let goes_on = both.read(&entries, self, &mut |batch| {
                    let mask = mask(condition_of_both.as_ref(), &batch)?;
                    matched += mask.true_count() as u64;
                    match mask.true_count() {
                        0 => Ok(true),
                        _ => output.give(project_both.project_batch(&filter_record_batch(&batch, &mask)?)?),
                    }
                })?;
                if !goes_on {
                    return Ok(());
                }
            }
            self.metrics.matched(matched);
            is_rare = matched.saturating_mul(RARE) <= entries.entry_count();
        }
        Ok(())
    }

    /// The columns that the filter looks at, and those of the projection.
    fn columns(&self, filter: Option<&Arc<dyn PhysicalExpr>>, projection: bool) -> Result<Columns> {
        let mut used = Used::of_file(&self.file.columns.schema);
        if let Some(filter) = filter {
            used.add(filter.as_ref());
        }
        if projection {
            for (number, column) in self.projection.iter().enumerate() {
                used.pass(column.expr.as_ref(), self.wanted.get(number).and_then(Option::as_ref));
            }
        }
        let mut columns = Columns::new(&self.file, &used, &self.options)?;
        let projected = self.projection.iter().map(|column| &column.expr).filter(|_| projection);
        columns.narrow(&used, filter.into_iter().chain(projected));
        Ok(columns)
    }
}

/// Hands out rows until there are enough. What a filter leaves of batches is put together, since what is above a scan
/// takes as long for a few rows as for many.
struct Output<'a> {
    left: Option<usize>,
    size: usize,
    merged: Option<BatchCoalescer>,
    handful: Vec<RecordBatch>,
    bytes: usize,
    /// How many batches are handed over at once. It grows: the first rows may be all that is wanted.
    at_once: usize,
    is_open: bool,
    rows: &'a Rows,
}

impl<'a> Output<'a> {
    fn new(left: Option<usize>, size: usize, rows: &'a Rows) -> Self {
        Self {
            left,
            size: size.max(1),
            merged: None,
            handful: Vec::new(),
            bytes: 0,
            at_once: 1,
            is_open: left != Some(0),
            rows,
        }
    }

    /// Whether more are wanted.
    fn give(&mut self, batch: RecordBatch) -> Result<bool> {
        let batch = match &mut self.left {
            Some(left) => {
                let rows = batch.num_rows().min(*left);
                *left -= rows;
                batch.slice(0, rows)
            }
            None => batch,
        };
        let size = self.size;
        let merged = self.merged.get_or_insert_with(|| {
            BatchCoalescer::new(batch.schema(), size).with_biggest_coalesce_batch_size(Some(size / 2))
        });
        merged.push_batch(batch)?;
        self.gather();
        Ok(self.is_open && self.left != Some(0))
    }

    /// Hands out what is left.
    fn finish(mut self) -> Result<()> {
        if let Some(merged) = &mut self.merged {
            merged.finish_buffered_batch()?;
        }
        self.gather();
        self.hand_over();
        Ok(())
    }

    /// Takes what was put together.
    fn gather(&mut self) {
        while self.is_open
            && let Some(batch) = self.merged.as_mut().and_then(BatchCoalescer::next_completed_batch)
        {
            self.bytes = self.bytes.saturating_add(batch.get_array_memory_size());
            self.handful.push(batch);
            if self.handful.len() >= self.at_once || self.bytes >= MOST_BYTES {
                self.hand_over();
                self.at_once = (2 * self.at_once).min(MOST_BATCHES);
            }
        }
    }

    fn hand_over(&mut self) {
        if self.is_open && !self.handful.is_empty() {
            self.bytes = 0;
            self.is_open = self.rows.give(Ok(std::mem::take(&mut self.handful)));
        }
    }
}

/// Whether some entries are in a range.
fn has_any(entries: &EntryList, range: &Range<u64>) -> bool {
    let ranges = entries.ranges();
    let next = ranges.partition_point(|other| other.end <= range.start);
    ranges.get(next).is_some_and(|other| other.start < range.end)
}

/// The first of some entries.
fn first(entries: &EntryList, count: u64) -> EntryList {
    let mut left = count;
    let mut ranges = Vec::new();
    for range in entries.ranges() {
        let end = range.end.min(range.start.saturating_add(left));
        left -= end - range.start;
        ranges.push(range.start..end);
        if left == 0 {
            break;
        }
    }
    ranges.into_iter().collect()
}

fn mask(condition: &dyn PhysicalExpr, batch: &RecordBatch) -> Result<BooleanArray> {
    let values = condition.evaluate(batch)?.into_array(batch.num_rows())?;
    let values =
        values.as_boolean_opt().ok_or_else(|| exec_datafusion_err!("a filter is not a condition"))?;
    Ok(if values.null_count() > 0 { prep_null_mask_filter(values) } else { values.clone() })
}

/// What statistics say of the filter, which may change while it is read.
struct Pruning<'a> {
    filter: &'a Arc<dyn PhysicalExpr>,
    /// Connected when statistics are first asked.
    reader: OnceCell<Reader<Value>>,
    /// What is asked of statistics, as the filter was at a generation; `None`: it may be true of any entry.
    known: Option<(u64, Option<Filtered<Value>>)>,
}

impl Pruning<'_> {
    /// Those of some entries that statistics do not exclude.
    fn candidates(&mut self, scan: &Scan, entries: EntryList) -> Result<EntryList> {
        let generation = snapshot_generation(self.filter);
        let known = match self.known.take() {
            Some((known, filtered)) if known == generation => filtered,
            _ => self.filtered(scan)?,
        };
        let (_, known) = self.known.insert((generation, known));
        let Some(filtered) = known else {
            scan.metrics.unasked(entries.entry_count());
            return Ok(entries);
        };
        let before = filtered.counters();
        let found = filtered.clone().within(entries).not_excluded().map_err(external)?;
        scan.metrics.asked(&before, &filtered.counters());
        Ok(found)
    }

    fn filtered(&self, scan: &Scan) -> Result<Option<Filtered<Value>>> {
        let filter = snapshot_physical_expr(self.filter.clone())?;
        let Some(predicate) = necessary(&filter, &scan.file.columns) else { return Ok(None) };
        let reader = match self.reader.get() {
            Some(reader) => reader,
            None => {
                let dataset = scan.file.dataset.clone();
                let reader = Reader::from_dataset(dataset, ReadOptions::new()).map_err(external)?;
                self.reader.get_or_init(|| reader)
            }
        };
        let (file, origin) = (scan.file.clone(), scan.origin.clone());
        let filtered = filtered(reader, &predicate)?;
        Ok(filtered.map(|filtered| filtered.with_statistics(move |_| file.statistics(origin.as_ref()))))
    }
}

/// Some columns of a file.
struct Columns {
    file: Arc<OpenFile>,
    /// Connected when something is read: of three sets of columns, a scan often reads but one.
    reader: OnceCell<Arc<Reader<Value>>>,
    options: TableOptions,
    columns: Vec<usize>,
    /// Of the members that are read; none: only the number of rows matters.
    paths: Vec<String>,
    schema: SchemaRef,
    /// Expressions over the columns of the file, and over these, if they have fewer members of structs.
    narrow: Vec<(Arc<dyn PhysicalExpr>, Arc<dyn PhysicalExpr>)>,
}

impl Columns {
    fn new(file: &Arc<OpenFile>, used: &Used, options: &TableOptions) -> Result<Self> {
        let of_file = &file.columns;
        let columns: Vec<usize> = used.columns().into_iter().collect();
        let schema = Arc::new(of_file.schema.project(&columns)?);
        let path = |(column, members): (usize, Vec<String>)| {
            let path: Vec<_> = of_file.path(column).iter().cloned().chain(members).collect();
            path.join(".")
        };
        let paths = used.members(&of_file.schema).into_iter().map(path).collect();
        let reader = OnceCell::new();
        Ok(Self {
            file: file.clone(),
            reader,
            options: options.clone(),
            columns,
            paths,
            schema,
            narrow: Vec::new(),
        })
    }

    fn reader(&self) -> Result<&Arc<Reader<Value>>> {
        if let Some(reader) = self.reader.get() {
            return Ok(reader);
        }
        let options = ReadOptions::new().fields(self.paths.iter().cloned());
        let reader = Reader::from_dataset(self.file.dataset.clone(), options).map_err(external)?;
        Ok(self.reader.get_or_init(|| Arc::new(reader)))
    }

    /// Leaves out members of structs that were not read, if these expressions, which are all of them, do not need them.
    fn narrow<'a>(&mut self, used: &Used, exprs: impl Iterator<Item = &'a Arc<dyn PhysicalExpr>>) {
        let whole = &self.file.columns.schema;
        let Some(schema) = used.narrowed(whole) else { return };
        let Ok(schema) = schema.project(&self.columns) else { return };
        let narrow = |expr: &Arc<dyn PhysicalExpr>| Some((expr.clone(), narrowed(expr, whole, &schema)?));
        if let Some(exprs) = exprs.map(narrow).collect() {
            self.narrow = exprs;
            self.schema = Arc::new(schema);
        }
    }

    /// An expression over the columns of the file, as one over these.
    fn expr(&self, expr: &Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
        match self.narrow.iter().find(|(whole, _)| Arc::ptr_eq(whole, expr)) {
            Some((_, narrow)) => Ok(narrow.clone()),
            None => reassign_expr_columns(expr.clone(), &self.schema),
        }
    }

    fn projector(&self, projection: &ProjectionExprs) -> Result<Projector> {
        projection.clone().try_map_exprs(|expr| self.expr(&expr))?.make_projector(&self.schema)
    }

    /// Reads entries in batches until no more are wanted. Returns whether more are.
    fn read(
        &self,
        entries: &EntryList,
        scan: &Scan,
        take: &mut dyn FnMut(RecordBatch) -> Result<bool>,
    ) -> Result<bool> {
        if self.paths.is_empty() {
            return self.count(entries, scan, take);
        }
        let reader = self.reader()?;
        scan.metrics.read(&self.file.dataset, reader.selected_columns(), entries)?;
        let batches = ArrowReader::new(reader.clone(), &self.options.arrow()).map_err(external)?;
        for batch in batches.entries(entries.clone()).batch_size(scan.batch_size) {
            if !take(self.batch(&batch?)?)? || !scan.rows.are_wanted() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Batches without columns.
    fn count(
        &self,
        entries: &EntryList,
        scan: &Scan,
        take: &mut dyn FnMut(RecordBatch) -> Result<bool>,
    ) -> Result<bool> {
        let mut left = entries.entry_count();
        while left > 0 {
            let rows = left.min(scan.batch_size as u64);
            left -= rows;
            let options = RecordBatchOptions::new().with_row_count(usize::try_from(rows).ok());
            let batch = RecordBatch::try_new_with_options(self.schema.clone(), Vec::new(), &options)?;
            if !take(batch)? || !scan.rows.are_wanted() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The columns of the table, from those of the reader.
    fn batch(&self, read: &RecordBatch) -> Result<RecordBatch> {
        let array = |(column, field): (&usize, &FieldRef)| -> Result<ArrayRef> {
            let top = self.file.columns.path(*column).first().map(String::as_str).unwrap_or_default();
            let top =
                read.column_by_name(top).ok_or_else(|| exec_datafusion_err!("field {top:?} was not read"))?;
            self.file.columns.array(*column, top, field.data_type())
        };
        let arrays = self.columns.iter().zip(self.schema.fields()).map(array).collect::<Result<Vec<_>>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(read.num_rows()));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), arrays, &options)?)
    }

    /// The entries that a condition is true of; `None`: no more rows are wanted.
    fn matching(
        &self,
        entries: &EntryList,
        scan: &Scan,
        condition: &Arc<dyn PhysicalExpr>,
    ) -> Result<Option<EntryList>> {
        let mut numbers = entries.iter();
        let mut found: Vec<Range<u64>> = Vec::new();
        let goes_on = self.read(entries, scan, &mut |batch| {
            let mask = mask(condition.as_ref(), &batch)?;
            for (is_match, entry) in mask.values().iter().zip(numbers.by_ref()) {
                match found.last_mut() {
                    _ if !is_match => {}
                    Some(last) if last.end == entry => last.end += 1,
                    _ => found.push(entry..entry + 1),
                }
            }
            Ok(true)
        })?;
        Ok(goes_on.then(|| found.into_iter().collect()))
    }
}
