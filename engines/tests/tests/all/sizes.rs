use std::sync::Arc;

use datafusion::common::TableReference;
use datafusion_proto::logical_plan::LogicalExtensionCodec as _;
use rntuple_datafusion::{RNTupleLogicalCodec, RNTupleTable, TableOptions};
use rntuple_engine_tests::{FILES, Sample, local};

use crate::alone;

/// Bytes of a table of some files, as it is sent.
async fn sent(sample: &Sample, files: &str, options: TableOptions) -> usize {
    let pattern = sample.path(files).to_str().unwrap().to_owned();
    let table = RNTupleTable::open(&local().state(), [pattern], options).await.unwrap();
    let mut bytes = Vec::new();
    let name = TableReference::bare("events");
    RNTupleLogicalCodec::default().try_encode_table_provider(&name, Arc::new(table), &mut bytes).unwrap();
    bytes.len()
}

#[test]
fn a_file_of_a_known_schema_takes_little_of_a_plan() {
    alone(async {
        let sample = Sample::write();
        let mut each = Vec::new();
        for options in [TableOptions::new().same_schema(true), TableOptions::new()] {
            let all = sent(&sample, "run?.root", options.clone()).await;
            let one = sent(&sample, "run0.root", options).await;
            each.push((all - one) / (usize::try_from(FILES).unwrap() - 1));
        }
        println!("{} bytes for a file, {} with statistics of five columns", each[0], each[1]);
        // Beyond its path.
        let path = sample.path("run0.root").to_str().unwrap().len();
        assert!(each[0] < path + 100 && each[0] < each[1], "{each:?}");
    });
}
