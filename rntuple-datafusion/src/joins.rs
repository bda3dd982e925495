//! What joins look at of their two sides.

use arrow_schema::Schema;
use datafusion::common::{JoinSide, JoinType};
use datafusion::physical_expr::PhysicalExprRef;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::joins::utils::{ColumnIndex, JoinFilter, build_join_schema};
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec};

use crate::used::{Used, Wanted};

/// A join of any kind.
pub(crate) struct Join<'a> {
    join_type: JoinType,
    on: &'a [(PhysicalExprRef, PhysicalExprRef)],
    filter: Option<&'a JoinFilter>,
    /// Those of its columns that it hands on; `None`: all.
    projection: Option<&'a [usize]>,
}

impl<'a> Join<'a> {
    pub(crate) fn of(plan: &'a dyn ExecutionPlan) -> Option<Self> {
        if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
            let (join_type, projection) = (*join.join_type(), join.projection.as_deref());
            return Some(Self { join_type, on: join.on(), filter: join.filter(), projection });
        }
        if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>() {
            let (on, filter) = (join.on(), join.filter().as_ref());
            return Some(Self { join_type: join.join_type(), on, filter, projection: None });
        }
        if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
            let (join_type, projection) = (*join.join_type(), join.projection().as_deref());
            return Some(Self { join_type, on: &[], filter: join.filter(), projection });
        }
        let is_cross = plan.is::<CrossJoinExec>();
        is_cross.then_some(Self { join_type: JoinType::Inner, on: &[], filter: None, projection: None })
    }

    /// What it looks at of each side, if this is looked at of itself.
    pub(crate) fn below(&self, left: &Schema, right: &Schema, wanted: &[Wanted]) -> Option<Vec<Used>> {
        let (_, columns) = build_join_schema(left, right, &self.join_type);
        let (mut of_left, mut of_right) = (Used::default(), Used::default());
        let mut pass = |column: &ColumnIndex, wanted: &Wanted| {
            let side = match column.side {
                JoinSide::Left => &mut of_left,
                JoinSide::Right => &mut of_right,
                // Whether there is a match.
                JoinSide::None => return,
            };
            side.pass(&Column::new("", column.index), wanted.as_ref());
        };
        for (number, wanted) in wanted.iter().enumerate() {
            let number = self.projection.map_or(Some(number), |chosen| chosen.get(number).copied())?;
            pass(columns.get(number)?, wanted);
        }
        let of_filter = self.filter.iter().flat_map(|filter| filter.column_indices());
        of_filter.for_each(|column| pass(column, &None));
        for (left, right) in self.on {
            of_left.add(left.as_ref());
            of_right.add(right.as_ref());
        }
        Some(vec![of_left, of_right])
    }
}
