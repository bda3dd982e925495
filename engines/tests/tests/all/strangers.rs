use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use datafusion::common::TableReference;
use datafusion::common::tree_node::{TreeNode as _, TreeNodeRecursion};
use datafusion::datasource::file_format::file_type_to_format;
use datafusion::datasource::sink::DataSinkExec;
use datafusion::datasource::source::DataSourceExec;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::{ExecutionPlan, ExecutionPlanProperties as _};
use datafusion::prelude::SessionContext;
use datafusion_proto::logical_plan::LogicalExtensionCodec as _;
use datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec as _};
use futures_util::StreamExt as _;
use rntuple_datafusion::{RNTupleLogicalCodec, RNTuplePhysicalCodec, TableOptions, config, with_rntuple};
use rntuple_engine_tests::{Sample, local, tables, within};
use rntuple_node::{Limits, Stores};
use rntuple_tests::memory::peak;
use rntuple_tests::sample::Random;

use crate::alone;

/// Changed messages of each kind. `RNTUPLE_STRANGERS` is another number.
const COUNT: usize = 3000;

/// Bytes of memory for each byte of a message: a field of no length takes two bytes, and its struct some hundred.
const PER_BYTE: usize = 1000;

/// What errors and caches take, however short the message is.
const AROUND: usize = 1 << 20;

const QUERIES: &[&str] = &[
    "SELECT number, array_transform(muons, m -> m['pt']) FROM events WHERE met > 20 AND name LIKE 't%' LIMIT 9",
    "SELECT sum(weight) FROM version WHERE number < 5000",
    "COPY (SELECT number FROM events) TO '/nowhere/skim.root'",
    COPY,
];

/// A query whose format has options.
const COPY: &str = "COPY (SELECT number, met FROM events ORDER BY number) TO '/nowhere/skim.root' OPTIONS \
    ('format.ntuple' 'Skim', 'format.compression' 'lz4:4', 'format.statistics' 'false', 'format.nested_nulls' 'true')";

/// A part of a plan as it is sent, and what it was made of.
struct Message {
    bytes: Vec<u8>,
    inputs: Vec<Arc<dyn ExecutionPlan>>,
}

/// The scans and sinks of plans.
async fn messages(context: &SessionContext) -> Vec<Message> {
    let codec = RNTuplePhysicalCodec::default();
    let mut messages = Vec::new();
    for query in QUERIES {
        let plan = context.sql(query).await.unwrap().create_physical_plan().await.unwrap();
        plan.apply(|node| {
            if node.downcast_ref::<DataSourceExec>().is_some()
                || node.downcast_ref::<DataSinkExec>().is_some()
            {
                let mut bytes = Vec::new();
                codec.try_encode(node.clone(), &mut bytes, &DefaultPhysicalProtoConverter {}).unwrap();
                messages.push(Message { bytes, inputs: node.children().into_iter().cloned().collect() });
            }
            Ok(TreeNodeRecursion::Continue)
        })
        .unwrap();
    }
    messages
}

fn decode(
    message: &[u8],
    inputs: &[Arc<dyn ExecutionPlan>],
    context: &TaskContext,
) -> datafusion::common::Result<Arc<dyn ExecutionPlan>> {
    RNTuplePhysicalCodec::default().try_decode(message, inputs, context, &DefaultPhysicalProtoConverter {})
}

/// Changes bytes as damage and malice would: bits, numbers of lengths, parts that are cut, moved or repeated.
fn change(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    const LENGTHS: [&[u8]; 5] =
        [&[0], &[0x7F], &[0xFF, 0xFF, 0x7F], &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F], &[0xFF; 10]];
    let mut changed = bytes.to_vec();
    for _ in 0..=random.below(4) {
        // After the mark and the version, most of the time.
        let at =
            if random.below(20) == 0 { random.below(changed.len()) } else { 9 + random.below(changed.len()) };
        let at = at.min(changed.len().saturating_sub(1));
        let end = (at + 1 + random.below(40)).min(changed.len());
        match random.below(7) {
            0 => changed.truncate(at),
            1 => changed[at] ^= 1 << random.below(8),
            2 => changed[at] = random.bits() as u8,
            3 => {
                changed.splice(at..at + 1, LENGTHS[random.below(LENGTHS.len())].iter().copied());
            }
            4 => {
                changed.drain(at..end);
            }
            5 => {
                let part = changed[at..end].to_vec();
                let to = 9.max(random.below(changed.len())).min(changed.len());
                changed.splice(to..to, part);
            }
            _ => {
                let part = changed[at..end].repeat(1 + random.below(100));
                changed.splice(at..end, part);
            }
        }
        if changed.is_empty() {
            break;
        }
    }
    changed
}

fn count() -> usize {
    std::env::var("RNTUPLE_STRANGERS").ok().and_then(|count| count.parse().ok()).unwrap_or(COUNT)
}

/// Runs work on a message, which must neither panic nor take more memory than the message allows.
fn bounded<T>(message: &[u8], work: impl FnOnce() -> T) -> T {
    let (held, done) = peak(|| catch_unwind(AssertUnwindSafe(work)));
    assert!(held <= AROUND + PER_BYTE * message.len(), "{held} bytes for a message of {}", message.len());
    done.unwrap_or_else(|_| panic!("a panic for the message {message:02x?}"))
}

#[test]
fn changed_parts_of_plans_are_errors_or_plans() {
    alone(async {
        let sample = Sample::write();
        let context = local();
        tables(&context, &sample, &TableOptions::new()).await;
        let (mut plans, mut errors) = (0, 0);
        for (seed, message) in messages(&context).await.iter().enumerate() {
            let mut random = Random::new(seed as u64);
            for _ in 0..count() {
                let changed = change(&message.bytes, &mut random);
                let task = context.task_ctx();
                let plan = bounded(&changed, || decode(&changed, &message.inputs, &task));
                let Ok(plan) = plan else {
                    errors += 1;
                    continue;
                };
                plans += 1;
                // Sinks would write.
                if message.inputs.is_empty() && random.below(10) == 0 {
                    within(60, "a changed scan", run(plan, task)).await;
                }
            }
        }
        assert!(plans > 100 && errors > 100, "{plans} plans, {errors} errors");
    });
}

/// Runs a changed scan to its end or first error.
async fn run(plan: Arc<dyn ExecutionPlan>, task: Arc<TaskContext>) {
    for partition in 0..plan.output_partitioning().partition_count().min(4) {
        let Ok(mut rows) = plan.execute(partition, task.clone()) else { return };
        let mut left = 1000;
        while let Some(Ok(_)) = rows.next().await {
            left -= 1;
            if left == 0 {
                return;
            }
        }
    }
}

#[test]
fn changed_tables_are_errors_or_tables() {
    alone(async {
        let sample = Sample::write();
        let context = local();
        tables(&context, &sample, &TableOptions::new()).await;
        let codec = RNTupleLogicalCodec::default();
        let (mut found, mut errors) = (0, 0);
        for (seed, name) in ["events", "version"].into_iter().enumerate() {
            let table = context.table_provider(name).await.unwrap();
            let (name, schema) = (TableReference::bare(name), table.schema());
            let mut bytes = Vec::new();
            codec.try_encode_table_provider(&name, table, &mut bytes).unwrap();
            let mut random = Random::new(seed as u64);
            for _ in 0..count() {
                let changed = change(&bytes, &mut random);
                let task = context.task_ctx();
                let work = || codec.try_decode_table_provider(&changed, &name, schema.clone(), &task);
                match bounded(&changed, work) {
                    Ok(_) => found += 1,
                    Err(_) => errors += 1,
                }
            }
        }
        assert!(found > 100 && errors > 100, "{found} tables, {errors} errors");
    });
}

/// The format of a `COPY`, as it is sent.
async fn format(context: &SessionContext) -> Vec<u8> {
    let plan = context.sql(COPY).await.unwrap().into_optimized_plan().unwrap();
    let LogicalPlan::Copy(copy) = plan else { panic!("{plan}") };
    let mut bytes = Vec::new();
    let format = file_type_to_format(&copy.file_type).unwrap();
    RNTupleLogicalCodec::default().try_encode_file_format(&mut bytes, format).unwrap();
    bytes
}

#[test]
fn changed_formats_are_errors_or_formats() {
    alone(async {
        let sample = Sample::write();
        let context = local();
        tables(&context, &sample, &TableOptions::new()).await;
        let (state, task) = (context.state(), context.task_ctx());
        let bytes = format(&context).await;
        let decode = |bytes: &[u8]| RNTupleLogicalCodec::default().try_decode_file_format(bytes, &task);
        assert!(bytes.windows(5).any(|part| part == b"lz4:4"));
        let mut random = Random::new(1);
        let (mut formats, mut errors, mut options) = (0, 0, 0);
        for _ in 0..count() {
            let changed = change(&bytes, &mut random);
            match bounded(&changed, || decode(&changed)) {
                Ok(format) => {
                    formats += 1;
                    // Options are read where a file is written.
                    options +=
                        usize::from(bounded(&changed, || format.create(&state, &HashMap::new())).is_ok());
                }
                Err(_) => errors += 1,
            }
        }
        assert!(formats > 100 && errors > 100, "{formats} formats, {errors} errors");
        assert!(options > 5 && options < formats - 100, "{options} of {formats} formats have sound options");
    });
}

#[test]
fn a_plan_opens_nothing_outside_of_the_stores_of_its_process() {
    alone(async {
        let sample = Sample::write();
        let here = local();
        tables(&here, &sample, &TableOptions::new()).await;
        let runtime = Stores::new(["http://127.0.0.1:9"]).runtime(&Limits::default()).unwrap();
        let builder =
            datafusion::execution::SessionStateBuilder::new().with_config(config()).with_default_features();
        let there = SessionContext::new_with_state(with_rntuple(builder.with_runtime_env(runtime)).build());
        let mut refused = 0;
        for message in messages(&here).await {
            let error = match decode(&message.bytes, &message.inputs, &there.task_ctx()) {
                Err(error) => error,
                Ok(plan) => match plan.execute(0, there.task_ctx()) {
                    Err(error) => error,
                    Ok(mut rows) => within(60, "an error", rows.next()).await.unwrap().unwrap_err(),
                },
            };
            assert!(error.to_string().contains("--store file://"), "{error}");
            refused += 1;
        }
        assert!(refused >= 6, "{refused}");
        assert!(!std::path::Path::new("/nowhere").exists());
    });
}
