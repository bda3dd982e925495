//! What workers cannot send to each other.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{Result, plan_err};
use datafusion_distributed::{WorkerPlanRewriteEvent, WorkerPlanRewriteEventResponse};

/// Refuses a part of a plan that would send lists with offsets of 64 bits.
///
/// Arrow Flight 59 says of them that they have offsets of 32 bits, and sends those of 64. Few rows can then be read as other
/// rows, without an error.
pub(crate) fn without_large_lists(
    event: WorkerPlanRewriteEvent<'_>,
) -> Result<WorkerPlanRewriteEventResponse> {
    for field in event.plan.schema().fields() {
        if has_large_lists(field.data_type()) {
            let advice =
                "open the table without TableOptions::large_lists, in SQL 'format.large_lists', or cast";
            return plan_err!(
                "column {:?} is a {}, which workers cannot send: {advice}",
                field.name(),
                field.data_type()
            );
        }
    }
    Ok(WorkerPlanRewriteEventResponse::new(event.plan))
}

fn has_large_lists(data_type: &DataType) -> bool {
    match data_type {
        DataType::LargeList(_) => true,
        DataType::List(item)
        | DataType::ListView(item)
        | DataType::LargeListView(item)
        | DataType::FixedSizeList(item, _)
        | DataType::Map(item, _)
        | DataType::RunEndEncoded(_, item) => has_large_lists(item.data_type()),
        DataType::Struct(members) => members.iter().any(|member| has_large_lists(member.data_type())),
        DataType::Union(variants, _) => {
            variants.iter().any(|(_, variant)| has_large_lists(variant.data_type()))
        }
        DataType::Dictionary(_, value) => has_large_lists(value),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use datafusion::arrow::datatypes::Field;

    use super::*;

    #[test]
    fn large_lists_are_found_wherever_they_are() {
        let field = |data_type| Arc::new(Field::new("x", data_type, true));
        let small = DataType::List(field(DataType::LargeUtf8));
        let large = DataType::LargeList(field(DataType::Float32));
        for (inside, is_found) in [(small, false), (large, true)] {
            let inside = field(inside);
            for data_type in [
                inside.data_type().clone(),
                DataType::List(inside.clone()),
                DataType::FixedSizeList(inside.clone(), 2),
                DataType::Struct(vec![field(DataType::Int8), inside.clone()].into()),
                DataType::Dictionary(Box::new(DataType::Int8), Box::new(inside.data_type().clone())),
            ] {
                assert_eq!(has_large_lists(&data_type), is_found, "{data_type}");
            }
        }
    }
}
