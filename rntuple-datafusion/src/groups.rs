//! Files in groups, each of which is read one file after the other, in the order that its rows have.

use std::cmp::Ordering;

use arrow_schema::SchemaRef;
use datafusion::common::{Result, ScalarValue};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{LexOrdering, PhysicalSortExpr};

/// If an order needed more groups than this, it is given up: to merge them, a file of each is open at the same time.
const MOST_MERGED: usize = 256;

/// Returns the groups, and what these are in order of, if each file is in order of some columns.
pub(crate) fn in_order(
    files: &[PartitionedFile],
    schema: &SchemaRef,
    order: &[String],
    partitions: usize,
) -> Result<(Vec<FileGroup>, Vec<LexOrdering>)> {
    let all = FileGroup::new(files.to_vec());
    let by = |name: &String| {
        let column = Column::new_with_schema(name, schema)?;
        Ok(PhysicalSortExpr::new_default(std::sync::Arc::new(column)).nulls_last())
    };
    let Some(by) = LexOrdering::new(order.iter().map(by).collect::<Result<Vec<_>>>()?) else {
        return Ok((all.split_files(partitions), Vec::new()));
    };
    // Files whose rows follow one another may be in one group, as far as is known of them. DataFusion sees where they do not.
    match overlapping(files, schema, order) {
        Some(count) if count > MOST_MERGED.max(partitions) => Ok((all.split_files(partitions), Vec::new())),
        Some(_) => {
            let groups = FileScanConfig::split_groups_by_statistics_with_target_partitions(
                schema,
                std::slice::from_ref(&all),
                &by,
                partitions.max(1),
            );
            Ok((groups.unwrap_or_else(|_| all.split_files(partitions)), vec![by]))
        }
        None => Ok((all.split_files(partitions), vec![by])),
    }
}

/// How many files at most have rows of the same place in the order: as many groups there are at least; `None`: not known.
fn overlapping(files: &[PartitionedFile], schema: &SchemaRef, order: &[String]) -> Option<usize> {
    let columns = order.iter().map(|name| schema.index_of(name).ok()).collect::<Option<Vec<_>>>()?;
    let (mut first, mut last) = (Vec::with_capacity(files.len()), Vec::with_capacity(files.len()));
    for file in files {
        let known = &file.statistics.as_ref()?.column_statistics;
        let of = |column: &usize| {
            let known = known.get(*column)?;
            Some((known.min_value.get_value()?, known.max_value.get_value()?))
        };
        let (min, max): (Vec<_>, Vec<_>) =
            columns.iter().map(of).collect::<Option<Vec<_>>>()?.into_iter().unzip();
        first.push(min);
        last.push(max);
    }
    let by_value = |one: &Vec<&ScalarValue>, other: &Vec<&ScalarValue>| {
        one.partial_cmp(other).unwrap_or(Ordering::Equal)
    };
    first.sort_unstable_by(by_value);
    last.sort_unstable_by(by_value);
    let (mut ended, mut most) = (0, 0);
    for (started, min) in (1..).zip(&first) {
        while last.get(ended).is_some_and(|max| by_value(max, min).is_lt()) {
            ended += 1;
        }
        most = most.max(started - ended);
    }
    Some(most)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Instant;

    use arrow_schema::{DataType, Field, Schema};
    use datafusion::common::Statistics;
    use datafusion::common::stats::Precision;

    use super::*;

    fn schema() -> SchemaRef {
        let column = |name| Field::new(name, DataType::Int64, false);
        Arc::new(Schema::new(vec![column("run"), column("met"), column("number")]))
    }

    /// A file with rows from one key to another.
    fn file((first, last): ((i64, i64), (i64, i64))) -> PartitionedFile {
        let mut known = Statistics::new_unknown(&schema());
        for (column, min, max) in [(0, first.0, last.0), (2, first.1, last.1)] {
            known.column_statistics[column].min_value = Precision::Inexact(ScalarValue::from(min));
            known.column_statistics[column].max_value = Precision::Inexact(ScalarValue::from(max));
        }
        PartitionedFile::new(format!("{first:?}"), 1).with_statistics(Arc::new(known))
    }

    fn groups(files: &[PartitionedFile], partitions: usize) -> (usize, bool) {
        let order = ["run", "number"].map(str::to_owned);
        let (groups, order) = in_order(files, &schema(), &order, partitions).unwrap();
        assert_eq!(groups.iter().map(FileGroup::len).sum::<usize>(), files.len());
        (groups.len(), !order.is_empty())
    }

    #[test]
    fn there_are_as_many_groups_as_files_overlap() {
        let after = |run| file(((run, 0), (run, 9)));
        assert_eq!(groups(&(0..9).map(after).collect::<Vec<_>>(), 1), (1, true));
        assert_eq!(groups(&(0..9).map(after).collect::<Vec<_>>(), 4), (4, true));
        // Of each run two parts that follow one another, and of one a third that does not.
        let parts = |run| [file(((run, 0), (run, 4))), file(((run, 5), (run, 9)))];
        let mut files: Vec<_> = (0..5).flat_map(parts).collect();
        assert_eq!(groups(&files, 1), (1, true));
        files.push(file(((2, 4), (2, 6))));
        assert_eq!(groups(&files, 1), (2, true));
        // The last row of one may be the first of the next, but that is not known.
        assert_eq!(groups(&[file(((0, 0), (0, 4))), file(((0, 4), (0, 9)))], 1), (2, true));
        // Nothing is known.
        files.push(PartitionedFile::new("none", 1));
        assert_eq!(groups(&files, 3), (3, true));
        assert_eq!(groups(&[], 3), (0, true));
    }

    #[test]
    fn of_very_many_files_an_order_is_kept_only_where_few_overlap() {
        const COUNT: i64 = 100_000;
        let start = Instant::now();
        let follow: Vec<_> = (0..COUNT).rev().map(|run| file(((run, 0), (run, 9)))).collect();
        assert_eq!(groups(&follow, 8), (8, true));
        let all_the_same: Vec<_> = (0..COUNT).map(|_| file(((0, 0), (9, 9)))).collect();
        assert_eq!(groups(&all_the_same, 8), (8, false));
        // Planning would take as many steps as there are pairs of files.
        assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
        assert_eq!(groups(&all_the_same[..256], 8), (256, true));
        assert_eq!(groups(&all_the_same[..257], 8), (8, false));
    }
}
