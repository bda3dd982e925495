use std::path::Path;
use std::sync::Arc;

use datafusion::physical_plan::{ExecutionPlan, collect, displayable};
use datafusion::prelude::SessionContext;
use datafusion_proto::bytes::{
    logical_plan_from_bytes_with_extension_codec, logical_plan_to_bytes_with_extension_codec,
    physical_plan_from_bytes_with_extension_codec, physical_plan_to_bytes_with_extension_codec,
};
use rntuple::root::FileOptions;
use rntuple::{RNTuple, RootFileWriter, WriteOptions};
use rntuple_datafusion::{RNTupleLogicalCodec, RNTuplePhysicalCodec, RNTupleTable, TableOptions};
use tempfile::TempDir;

use crate::sample::{context, rows, shown, tables, write};

const QUERIES: &[&str] = &[
    "SELECT run, count(*), sum(number) FROM events WHERE met > 20 GROUP BY run ORDER BY run",
    "SELECT number, array_transform(muons, m -> m['pt']) FROM events WHERE array_any_match(muons, m -> m['pt'] > 415) ORDER BY number",
    "SELECT number FROM events WHERE name LIKE '%1_' ORDER BY number LIMIT 3",
    "SELECT a.number FROM events a JOIN events b ON a.number = b.number + 1 WHERE b.met > 98 ORDER BY a.number",
];

/// Two sessions, of which the first has the sample as a table, in a folder.
async fn here_and_there(
    partitions: usize,
    batch_size: usize,
    options: TableOptions,
) -> (TempDir, SessionContext, SessionContext) {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let (here, there) = (context(partitions, batch_size), context(partitions, batch_size));
    tables(&here, &paths, options).await;
    (folder, here, there)
}

pub(crate) fn sent(plan: Arc<dyn ExecutionPlan>, to: &SessionContext) -> Arc<dyn ExecutionPlan> {
    let codec = RNTuplePhysicalCodec::default();
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
    physical_plan_from_bytes_with_extension_codec(&bytes, &to.task_ctx(), &codec).unwrap()
}

#[tokio::test]
async fn plans_give_the_same_rows_elsewhere() {
    let (_folder, here, there) = here_and_there(3, 100, TableOptions::new()).await;
    for query in QUERIES {
        let plan = here.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        let found = sent(plan.clone(), &there);
        let indented = |plan: &dyn ExecutionPlan| displayable(plan).indent(false).to_string();
        assert_eq!(indented(found.as_ref()), indented(plan.as_ref()));
        let batches = collect(found, there.task_ctx()).await.unwrap();
        assert_eq!(shown(&batches), rows(&here, query).await, "{query}");
    }
}

/// DataFusion's own message cuts it to 32 bits.
#[tokio::test]
async fn a_limit_may_be_beyond_all_files() {
    let (_folder, here, there) = here_and_there(1, 100, TableOptions::new()).await;
    for (limit, offset, count) in [(1u64 << 32, 0, 1200), ((1 << 32) - 6, 11, 1189), (7, 3, 7)] {
        let query = format!("SELECT number FROM events LIMIT {limit} OFFSET {offset}");
        let plan = here.sql(&query).await.unwrap().create_physical_plan().await.unwrap();
        let found = collect(sent(plan, &there), there.task_ctx()).await.unwrap();
        assert_eq!(shown(&found).len(), count, "{query}");
    }
}

#[derive(RNTuple)]
struct Raw {
    number: u64,
    met: f32,
}

#[derive(RNTuple)]
struct Calibrated {
    number: u64,
    scale: f32,
}

/// Elsewhere, the files that all plans open are kept together.
#[tokio::test]
async fn two_ntuples_of_a_file_stay_two_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("two.root");
    let file = RootFileWriter::create(&path, FileOptions::new()).unwrap();
    let mut raw = file.writer::<Raw>("Raw", WriteOptions::new()).unwrap();
    let mut calibrated = file.writer::<Calibrated>("Calibrated", WriteOptions::new()).unwrap();
    for number in 0..3u8 {
        raw.fill(&Raw { number: number.into(), met: number.into() }).unwrap();
        calibrated.fill(&Calibrated { number: number.into(), scale: 0.5 }).unwrap();
    }
    raw.finish().unwrap();
    calibrated.finish().unwrap();
    file.finish().unwrap();
    let (here, there) = (context(1, 100), context(1, 100));
    for name in ["Raw", "Calibrated"] {
        let options = TableOptions::new().ntuple(name);
        let table = RNTupleTable::open(&here.state(), [path.to_str().unwrap()], options).await.unwrap();
        here.register_table(name.to_lowercase(), Arc::new(table)).unwrap();
    }
    let query =
        "SELECT r.number, r.met * c.scale FROM raw r JOIN calibrated c ON r.number = c.number ORDER BY 1";
    let plan = here.sql(query).await.unwrap().create_physical_plan().await.unwrap();
    let batches = collect(sent(plan, &there), there.task_ctx()).await.unwrap();
    assert_eq!(shown(&batches), ["0 | 0.0", "1 | 0.5", "2 | 1.0"]);
}

#[tokio::test]
async fn files_are_written_elsewhere() {
    let (folder, here, there) = here_and_there(3, 100, TableOptions::new()).await;
    let to = folder.path().join("there.root");
    let query = format!("COPY (SELECT number FROM events WHERE run = 1) TO '{}'", to.display());
    let plan = here.sql(&query).await.unwrap().create_physical_plan().await.unwrap();
    let batches = collect(sent(plan, &there), there.task_ctx()).await.unwrap();
    assert_eq!(shown(&batches), ["400"]);
    assert_eq!(
        rntuple::Dataset::open(&rntuple::RootFile::open(&to).unwrap(), "Events").unwrap().entry_count(),
        400
    );
}

/// Options of a file that is not as by default.
const OPTIONS: &str =
    "OPTIONS ('format.ntuple' 'Skim', 'format.compression' 'lz4:4', 'format.statistics' 'false')";

/// Whether a file is as [`OPTIONS`] say.
fn is_as_options_say(path: &Path, entries: u64) -> bool {
    let file = rntuple::Dataset::open(&rntuple::RootFile::open(path).unwrap(), "Skim").unwrap();
    let compressions = file.clusters().flat_map(|cluster| cluster.unwrap().columns.clone());
    file.entry_count() == entries
        && compressions.map(|column| column.compression).eq([404])
        && rntuple::statistics::Statistics::of(&file).unwrap().is_none()
}

#[tokio::test]
async fn options_of_files_are_sent() {
    let (folder, here, there) = here_and_there(1, 400, TableOptions::new()).await;
    let to = |name: &str| folder.path().join(name);
    let copy = |path: &Path, options: &str| {
        format!("COPY (SELECT number FROM events WHERE run = 1) TO '{}' {options}", path.display())
    };
    let physical = to("physical.root");
    let plan = here.sql(&copy(&physical, OPTIONS)).await.unwrap().create_physical_plan().await.unwrap();
    collect(sent(plan, &there), there.task_ctx()).await.unwrap();
    assert!(is_as_options_say(&physical, 400));

    let logical = to("logical.root");
    let codec = RNTupleLogicalCodec::default();
    for (options, message) in [
        (OPTIONS, None),
        ("OPTIONS ('format.compresion' 'lz4:4')", Some("compresion")),
        ("OPTIONS ('format.compression' 'zip')", Some("zip")),
    ] {
        let done = async {
            let plan = here.sql(&copy(&logical, options)).await?.into_optimized_plan()?;
            let bytes = logical_plan_to_bytes_with_extension_codec(&plan, &codec)?;
            let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &there.task_ctx(), &codec)?;
            there.execute_logical_plan(plan).await?.collect().await
        };
        match (done.await, message) {
            (Ok(_), None) => assert!(is_as_options_say(&logical, 400)),
            (Err(error), Some(message)) => assert!(error.to_string().contains(message), "{error}"),
            (done, _) => panic!("{options}: {done:?}"),
        }
    }
}

#[tokio::test]
async fn tables_and_formats_are_planned_elsewhere() {
    let (folder, here, there) = here_and_there(3, 100, TableOptions::new().leaves(true)).await;
    let codec = RNTupleLogicalCodec::default();
    let to = folder.path().join("skim.root");
    let copy = format!("COPY (SELECT number FROM events WHERE run = 2) TO '{}'", to.display());
    for query in [r#"SELECT sum(cardinality("muons.pt")) FROM events WHERE number < 1010"#, &copy] {
        let plan = here.sql(query).await.unwrap().into_unoptimized_plan();
        let bytes = logical_plan_to_bytes_with_extension_codec(&plan, &codec).unwrap();
        let plan = logical_plan_from_bytes_with_extension_codec(&bytes, &there.task_ctx(), &codec).unwrap();
        let batches = there.execute_logical_plan(plan).await.unwrap().collect().await.unwrap();
        let expected = if query == copy { "400" } else { "13" };
        assert_eq!(shown(&batches), [expected], "{query}");
    }
    assert!(to.exists());
}

#[tokio::test]
async fn tables_of_other_releases_are_refused() {
    let (_folder, here, there) = here_and_there(1, 100, TableOptions::new()).await;
    let codec = RNTupleLogicalCodec::default();
    let plan = here.sql(QUERIES[0]).await.unwrap().into_unoptimized_plan();
    let bytes = logical_plan_to_bytes_with_extension_codec(&plan, &codec).unwrap();
    let mark = b"\x89rntuple";
    let at = bytes.windows(mark.len()).position(|window| window == mark).unwrap();
    for (offset, message) in [(0, "version"), (2, "DataFusion")] {
        let mut other = bytes.to_vec();
        other[at + mark.len() + offset] ^= 1;
        let decoded = logical_plan_from_bytes_with_extension_codec(&other, &there.task_ctx(), &codec);
        let error = decoded.unwrap_err().to_string();
        assert!(error.contains(message) && error.contains("same release"), "{error}");
    }
}

#[tokio::test]
async fn plans_of_strangers_are_refused() {
    let (_folder, here, there) = here_and_there(1, 100, TableOptions::new()).await;
    let codec = RNTuplePhysicalCodec::default();
    let plan = here.sql(QUERIES[0]).await.unwrap().create_physical_plan().await.unwrap();
    let bytes = physical_plan_to_bytes_with_extension_codec(plan, &codec).unwrap();
    let mark = b"\x89rntuple";
    let at = bytes.windows(mark.len()).position(|window| window == mark).unwrap();
    let mut newer = bytes.to_vec();
    newer[at + mark.len()] = 99;
    let decode =
        |bytes: &[u8]| physical_plan_from_bytes_with_extension_codec(bytes, &there.task_ctx(), &codec);
    let error = decode(&newer).unwrap_err().to_string();
    assert!(error.contains("version 99"), "{error}");
    // After the version there is that of DataFusion, with its length.
    let mut other = bytes.to_vec();
    other[at + mark.len() + 2] ^= 1;
    let error = decode(&other).unwrap_err().to_string();
    assert!(error.contains("DataFusion") && error.contains("same release"), "{error}");
    // Damage anywhere is an error or a plan, never a panic.
    for position in 0..bytes.len() {
        for change in [0x01, 0x55, 0x80] {
            let mut damaged = bytes.to_vec();
            damaged[position] ^= change;
            let _ = decode(&damaged);
        }
        let _ = decode(&bytes[..position]);
    }
}
