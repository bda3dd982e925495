//! Files with events, and the same events in memory.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use datafusion::arrow::compute::cast;
use datafusion::datasource::MemTable;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::SessionContext;
use rntuple::{Files, RNTuple, ReadOptions, WriteOptions, Writer};
use rntuple_arrow::{ArrowOptions, ArrowReader, Variants};
use rntuple_datafusion::{RNTupleTable, TableOptions, config, with_rntuple};

#[derive(RNTuple)]
pub(crate) struct Muon {
    pub(crate) pt: f32,
    pub(crate) eta: f32,
    pub(crate) charge: i8,
}

#[derive(RNTuple)]
pub(crate) struct Vertex {
    pub(crate) x: f64,
    pub(crate) tracks: Vec<u16>,
}

#[derive(RNTuple)]
pub(crate) enum Decay {
    None(u8),
    Leptons(f32),
}

#[derive(RNTuple)]
pub(crate) struct Event {
    pub(crate) run: u32,
    pub(crate) number: u64,
    pub(crate) met: f32,
    pub(crate) name: String,
    pub(crate) muons: Vec<Muon>,
    pub(crate) vertex: Vertex,
    pub(crate) triggered: bool,
    pub(crate) weight: Option<f64>,
    pub(crate) hits: Vec<f32>,
    pub(crate) position: [f32; 3],
    pub(crate) decay: Decay,
}

/// Events of a run; their numbers are in order.
pub(crate) fn event(run: u32, number: u64) -> Event {
    let value = number as f32;
    let muon = |i: u64| Muon {
        pt: value + i as f32 * 10.0,
        eta: i as f32 - 1.5,
        charge: if i.is_multiple_of(2) { 1 } else { -1 },
    };
    Event {
        run,
        number: u64::from(run) * 1000 + number,
        met: match number % 50 {
            7 => f32::NAN,
            8 => -0.0,
            9 => 0.0,
            _ => (value * 7.0) % 100.0,
        },
        name: format!("event {}", number % 13),
        muons: (0..number % 4).map(muon).collect(),
        vertex: Vertex { x: f64::from(value) / 3.0, tracks: (0..number % 3).map(|i| i as u16).collect() },
        triggered: number.is_multiple_of(3),
        weight: (!number.is_multiple_of(5)).then_some(f64::from(value)),
        hits: (0..number % 6).map(|i| if i == 5 { f32::NAN } else { i as f32 + value }).collect(),
        position: [value, 1.0, -value],
        decay: if number.is_multiple_of(2) { Decay::None(number as u8) } else { Decay::Leptons(value) },
    }
}

pub(crate) const PER_FILE: u64 = 400;
pub(crate) const PER_CLUSTER: u64 = 100;

/// Three files of runs, of which the last has no statistics.
pub(crate) fn write(folder: &Path) -> Vec<PathBuf> {
    let file = |run: u32| {
        let path = folder.join(format!("run{run}.root"));
        let options = WriteOptions::new().statistics(run != 3).initial_page_length(64).max_page_length(256);
        let mut writer = Writer::create(&path, "Events", options).unwrap();
        for number in 0..PER_FILE {
            writer.fill(&event(run, number)).unwrap();
            if number % PER_CLUSTER == PER_CLUSTER - 1 {
                writer.commit_cluster().unwrap();
            }
        }
        writer.finish().unwrap();
        path
    };
    (1..4).map(file).collect()
}

pub(crate) fn names(files: &[PathBuf]) -> Vec<String> {
    files.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}

/// A session whose plans are cut wherever they can be.
pub(crate) fn context(partitions: usize, batch_size: usize) -> SessionContext {
    let mut config = config().with_target_partitions(partitions).with_batch_size(batch_size);
    config.options_mut().optimizer.repartition_file_min_size = 1;
    let builder = SessionStateBuilder::new().with_config(config).with_default_features();
    SessionContext::new_with_state(with_rntuple(builder).build())
}

/// The files as a table, and what is in them as a table in memory.
pub(crate) async fn tables(context: &SessionContext, files: &[PathBuf], options: TableOptions) -> SchemaRef {
    let table = RNTupleTable::open(&context.state(), names(files), options).await.unwrap();
    let schema = datafusion::catalog::TableProvider::schema(&table);
    context.register_table("events", Arc::new(table)).unwrap();
    schema
}

/// All rows, read without DataFusion.
pub(crate) fn in_memory(context: &SessionContext, files: &[PathBuf], schema: &SchemaRef) {
    let files: Files = files.iter().collect();
    let arrow = ArrowOptions::new().variants(Variants::Struct).views(true);
    let reader = ArrowReader::open_with(files, "Events", ReadOptions::new(), arrow).unwrap();
    // The same values, of types whose insides may be null.
    let typed = |batch: Result<RecordBatch, _>| {
        let batch: RecordBatch = batch.unwrap();
        let columns = batch.columns().iter().zip(schema.fields());
        let columns = columns.map(|(column, field)| cast(column, field.data_type()).unwrap());
        RecordBatch::try_new(schema.clone(), columns.collect()).unwrap()
    };
    let batches: Vec<RecordBatch> = reader.map(typed).collect();
    let table = MemTable::try_new(schema.clone(), vec![batches]).unwrap();
    context.register_table("events", Arc::new(table)).unwrap();
}

/// The rows of a query as text, in the order of the query.
pub(crate) async fn rows(context: &SessionContext, query: &str) -> Vec<String> {
    let planned = context.sql(query).await;
    let batches = planned.unwrap_or_else(|error| panic!("{query}: {error}")).collect().await;
    let batches = batches.unwrap_or_else(|error| panic!("{query}: {error}"));
    shown(&batches)
}

/// Rows as text.
pub(crate) fn shown(batches: &[RecordBatch]) -> Vec<String> {
    let format = datafusion::arrow::util::display::FormatOptions::new().with_null("null");
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<_> = batch
            .columns()
            .iter()
            .map(|column| datafusion::arrow::util::display::ArrayFormatter::try_new(column, &format).unwrap())
            .collect();
        for row in 0..batch.num_rows() {
            let values: Vec<_> = columns.iter().map(|column| column.value(row).to_string()).collect();
            rows.push(values.join(" | "));
        }
    }
    rows
}
