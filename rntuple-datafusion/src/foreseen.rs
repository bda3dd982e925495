//! What is known of a file before it is opened: whether a filter can be true of any of its rows.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::common::pruning::PrunableStatistics;
use datafusion::common::stats::Precision;
use datafusion::common::{Result, Statistics};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use object_store::ObjectMeta;
use rntuple::{ReadOptions, Reader, Value};

use crate::error::external;
use crate::files::{OpenFile, Origin};
use crate::predicate::{filtered, necessary};

/// Whether what the plan says of a file excludes it.
pub(crate) fn is_excluded_by_plan(
    known: &Statistics,
    schema: &SchemaRef,
    filter: &Arc<dyn PhysicalExpr>,
) -> bool {
    if known.column_statistics.iter().all(|column| column.min_value.get_value().is_none()) {
        return false;
    }
    let pruning = PruningPredicateBuilder::new().with_file_schema(schema.clone()).build(filter.clone());
    let Some(pruning) = pruning else { return false };
    let known = PrunableStatistics::new(vec![Arc::new(as_bounds(known))], schema.clone());
    // What DataFusion cannot decide it may still evaluate.
    pruning.prune(&known).is_ok_and(|may_match| may_match == [false])
}

/// Statistics whose bounds count, though they need not be values that occur.
fn as_bounds(known: &Statistics) -> Statistics {
    let mut known = known.clone();
    let bound = |value: &mut Precision<_>| {
        if let Precision::Inexact(bound) = std::mem::take(value) {
            *value = Precision::Exact(bound);
        }
    };
    for column in &mut known.column_statistics {
        bound(&mut column.min_value);
        bound(&mut column.max_value);
    }
    known
}

/// Whether what is known where files come from excludes one, by a filter over the columns of another one, which has the
/// same fields, and has entries.
pub(crate) fn is_excluded_by_origin(
    origin: &dyn Origin,
    file: &ObjectMeta,
    like: &OpenFile,
    filter: &Arc<dyn PhysicalExpr>,
) -> Result<bool> {
    let Some(predicate) = necessary(filter, &like.columns) else { return Ok(false) };
    let reader = Reader::<Value>::from_dataset(like.dataset.clone(), ReadOptions::new()).map_err(external)?;
    let Some(filtered) = filtered(&reader, &predicate)? else { return Ok(false) };
    let mut bounds = HashMap::new();
    for path in filtered.fields() {
        if let Some(found) = origin.bounds(file, path)? {
            bounds.insert(path.to_owned(), found);
        }
    }
    if bounds.is_empty() {
        return Ok(false);
    }
    // The other file lends its fields. Its own statistics say nothing of this one.
    let filtered = filtered.with_file_statistics(move |_, path| bounds.get(path).cloned());
    let filtered = filtered.with_statistics(|_| Ok(None)).within(0..1);
    filtered.not_excluded().map_err(external)?;
    Ok(filtered.counters().files.skipped > 0)
}
