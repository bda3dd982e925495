//! An optimizer rule that limits scans to the members of structs that a plan uses.
//!
//! What a scan computes itself it sees. Aggregates, sorts and `unnest` are above it: they are handed a whole column, of
//! which they may look at one member.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::Schema;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::config::ConfigOptions;
use datafusion::datasource::physical_plan::{FileScanConfig, FileScanConfigBuilder};
use datafusion::datasource::source::DataSourceExec;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::window::{PlainAggregateWindowExpr, SlidingAggregateWindowExpr, WindowExpr};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::coop::CooperativeExec;
use datafusion::physical_plan::execution_plan::{ChildrenPropertiesMode, ReplaceChildrenOptions};
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::limit::{GlobalLimitExec, LocalLimitExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::repartition::RepartitionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::union::{InterleaveExec, UnionExec};
use datafusion::physical_plan::unnest::UnnestExec;
use datafusion::physical_plan::windows::{BoundedWindowAggExec, WindowAggExec};

use crate::joins::Join;
use crate::source::RNTupleSource;
use crate::used::{Used, Wanted};

/// Limits scans to the members that the whole of a plan uses.
#[derive(Debug)]
pub(crate) struct PruneMembers;

impl PhysicalOptimizerRule for PruneMembers {
    fn optimize(&self, plan: Arc<dyn ExecutionPlan>, _: &ConfigOptions) -> Result<Arc<dyn ExecutionPlan>> {
        let wanted = whole(plan.as_ref());
        visit(plan, &wanted)
    }

    fn name(&self) -> &str {
        "rntuple_prune_members"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// All of every column.
fn whole(plan: &dyn ExecutionPlan) -> Vec<Wanted> {
    vec![None; plan.schema().fields().len()]
}

/// The plan, of whose columns this is looked at.
fn visit(plan: Arc<dyn ExecutionPlan>, wanted: &[Wanted]) -> Result<Arc<dyn ExecutionPlan>> {
    if let Some(scan) = pruned(plan.as_ref(), wanted) {
        return Ok(scan);
    }
    let children = plan.children();
    let used = below(plan.as_ref(), &children, wanted)?;
    let looked_at = |(number, child): (usize, &&Arc<dyn ExecutionPlan>)| match &used {
        Some(used) => {
            used.get(number).map_or_else(|| whole(child.as_ref()), |used| of(used, &child.schema()))
        }
        None => whole(child.as_ref()),
    };
    let visited = children.iter().enumerate().map(|(number, child)| {
        let wanted = looked_at((number, child));
        visit((*child).clone(), &wanted)
    });
    let visited = visited.collect::<Result<Vec<_>>>()?;
    let is_same = visited.iter().zip(&children).all(|(new, old)| Arc::ptr_eq(new, old));
    // Their types are the same; what else is said of them may not be.
    let options = ReplaceChildrenOptions::new(ChildrenPropertiesMode::Recompute);
    if is_same { Ok(plan) } else { plan.replace_children(visited, options) }
}

/// What is looked at of each column.
fn of(used: &Used, schema: &Schema) -> Vec<Wanted> {
    let mut looked_at = vec![Some(BTreeSet::new()); schema.fields().len()];
    for (column, path) in used.members(schema) {
        match looked_at.get_mut(column) {
            Some(slot) if path.is_empty() => *slot = None,
            Some(Some(paths)) => {
                paths.insert(path);
            }
            _ => {}
        }
    }
    looked_at
}

/// The scan that reads no more than is looked at.
fn pruned(plan: &dyn ExecutionPlan, wanted: &[Wanted]) -> Option<Arc<dyn ExecutionPlan>> {
    let config = plan.downcast_ref::<DataSourceExec>()?.data_source().downcast_ref::<FileScanConfig>()?;
    let source = config.file_source().downcast_ref::<RNTupleSource>()?;
    if wanted.iter().all(Option::is_none) {
        return None;
    }
    let source = source.clone().with_wanted(wanted.to_vec());
    let config = FileScanConfigBuilder::from(config.clone()).with_source(Arc::new(source)).build();
    Some(DataSourceExec::from_data_source(config))
}

/// What a node looks at of each child, if this is looked at of itself; `None`: everything, as far as is known.
fn below(
    plan: &dyn ExecutionPlan,
    children: &[&Arc<dyn ExecutionPlan>],
    wanted: &[Wanted],
) -> Result<Option<Vec<Used>>> {
    if let ([left, right], Some(join)) = (children, Join::of(plan)) {
        return Ok(join.below(&left.schema(), &right.schema(), wanted));
    }
    match children {
        [child] => Ok(below_one(plan, child.as_ref(), wanted)?.map(|used| vec![used])),
        children if plan.is::<UnionExec>() || plan.is::<InterleaveExec>() => {
            let mut used = Used::default();
            let columns = wanted.iter().enumerate();
            columns.for_each(|(column, wanted)| used.pass(&Column::new("", column), wanted.as_ref()));
            Ok(Some(vec![used; children.len()]))
        }
        _ => Ok(None),
    }
}

/// The same of a node with one child.
fn below_one(plan: &dyn ExecutionPlan, child: &dyn ExecutionPlan, wanted: &[Wanted]) -> Result<Option<Used>> {
    let mut used = Used::default();
    let schema = child.schema();
    let pass = |used: &mut Used, column: usize, wanted: &Wanted| {
        let name = schema.fields().get(column).map_or("", |field| field.name());
        used.pass(&Column::new(name, column), wanted.as_ref());
    };
    if let Some(projection) = plan.downcast_ref::<ProjectionExec>() {
        for (column, wanted) in projection.expr().iter().zip(wanted) {
            used.pass(column.expr.as_ref(), wanted.as_ref());
        }
    } else if let Some(filter) = plan.downcast_ref::<FilterExec>() {
        used.add(filter.predicate().as_ref());
        for (number, wanted) in wanted.iter().enumerate() {
            let column =
                filter.projection().as_ref().map_or(Some(number), |chosen| chosen.get(number).copied());
            let Some(column) = column else { return Ok(None) };
            pass(&mut used, column, wanted);
        }
    } else if let Some(aggregate) = plan.downcast_ref::<AggregateExec>() {
        let is_first = matches!(
            aggregate.mode(),
            AggregateMode::Partial | AggregateMode::Single | AggregateMode::SinglePartitioned
        );
        if !is_first {
            return Ok(None);
        }
        let groups = aggregate.group_expr();
        groups.expr().iter().chain(groups.null_expr()).for_each(|(expr, _)| used.add(expr.as_ref()));
        for function in aggregate.aggr_expr() {
            function.expressions().iter().for_each(|expr| used.add(expr.as_ref()));
            function.order_bys().iter().for_each(|sort| used.add(sort.expr.as_ref()));
        }
        aggregate.filter_expr().iter().flatten().for_each(|expr| used.add(expr.as_ref()));
    } else if let Some(unnest) = plan.downcast_ref::<UnnestExec>() {
        // A list takes the place of its column; structs and lists of lists take several.
        let is_plain = unnest.struct_column_indices().is_empty()
            && unnest.list_column_indices().iter().all(|list| list.depth == 1)
            && wanted.len() == schema.fields().len();
        if !is_plain {
            return Ok(None);
        }
        wanted.iter().enumerate().for_each(|(column, wanted)| pass(&mut used, column, wanted));
        // How many rows there are depends on these, whoever looks at them.
        let none = Some(BTreeSet::new());
        unnest
            .list_column_indices()
            .iter()
            .for_each(|list| pass(&mut used, list.index_in_input_schema, &none));
    } else if windows(plan).iter().any(|window| has_hidden_filter(window.as_ref())) {
        return Ok(None);
    } else if hands_on(plan) {
        // Windows have columns of their own after those of the child.
        let of_child = wanted.iter().take(schema.fields().len());
        of_child.enumerate().for_each(|(column, wanted)| pass(&mut used, column, wanted));
        plan.apply_expressions(&mut |expr: &Arc<dyn PhysicalExpr>| {
            used.add(expr.as_ref());
            Ok(TreeNodeRecursion::Continue)
        })?;
    } else {
        return Ok(None);
    }
    Ok(Some(used))
}

fn windows(plan: &dyn ExecutionPlan) -> &[Arc<dyn WindowExpr>] {
    match (plan.downcast_ref::<WindowAggExec>(), plan.downcast_ref::<BoundedWindowAggExec>()) {
        (Some(plan), _) => plan.window_expr(),
        (None, Some(plan)) => plan.window_expr(),
        (None, None) => &[],
    }
}

/// An aggregate over a window may have a `FILTER`, which it does not show.
fn has_hidden_filter(window: &dyn WindowExpr) -> bool {
    window.as_any().is::<PlainAggregateWindowExpr>() || window.as_any().is::<SlidingAggregateWindowExpr>()
}

/// Whether the rows of a node are those of its child, if more columns come after them.
fn hands_on(plan: &dyn ExecutionPlan) -> bool {
    plan.is::<BoundedWindowAggExec>()
        || plan.is::<CoalescePartitionsExec>()
        || plan.is::<CooperativeExec>()
        || plan.is::<GlobalLimitExec>()
        || plan.is::<LocalLimitExec>()
        || plan.is::<RepartitionExec>()
        || plan.is::<SortExec>()
        || plan.is::<SortPreservingMergeExec>()
        || plan.is::<WindowAggExec>()
}
