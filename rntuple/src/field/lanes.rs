//! Columns that stand in for one another: the representations of a field (format, sections 5.2 and 7.4).

use std::sync::Arc;
use std::sync::atomic::AtomicU16;

use crate::compression::Compression;
use crate::encoding::ColumnEncoding;
use crate::error::{Error, Result};
use crate::message::counted;
use crate::schema::{ColumnDescriptor, ColumnId, FieldId};

/// What one [`ColumnWriter`](crate::field::ColumnWriter) fills.
#[derive(Debug)]
pub(crate) struct Lane {
    /// Its columns, one of each representation of the field; a cluster has pages in one of them.
    pub(crate) columns: Vec<ColumnId>,
    /// Which of the [choices](Choice) says in which.
    pub(crate) choice: Option<usize>,
}

/// A field that has several representations, and the one that it has from the next cluster on.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub(crate) path: String,
    pub(super) field: FieldId,
    pub(crate) count: u16,
    pub(crate) chosen: Arc<AtomicU16>,
}

/// A lane under construction: how each representation of its field stores the values.
pub(super) struct Planned {
    pub(super) field: FieldId,
    pub(super) packings: Vec<ColumnEncoding>,
    pub(super) compression: Compression,
}

/// Numbers the columns, behind `known` others: field by field, and representation by representation within each.
///
/// # Errors
/// The columns of one field have different numbers of representations.
pub(super) fn arrange(
    known: usize,
    planned: &[Planned],
    choices: &[Choice],
) -> Result<(Vec<ColumnDescriptor>, Vec<Lane>)> {
    let mut columns: Vec<ColumnDescriptor> = Vec::with_capacity(planned.len());
    let mut lanes = Vec::with_capacity(planned.len());
    for own in planned.chunk_by(|a, b| a.field == b.field) {
        let choice =
            own.first().and_then(|lane| choices.iter().position(|choice| choice.field == lane.field));
        let count = choice.and_then(|choice| choices.get(choice)).map_or(1, |choice| choice.count);
        let first = lanes.len();
        lanes.extend(own.iter().map(|_| Lane { columns: Vec::with_capacity(count.into()), choice }));
        for representation in 0..count {
            for (lane, planned) in lanes.iter_mut().skip(first).zip(own) {
                // What has no say, as the characters of a string, is the same in all of them.
                let packing = match &*planned.packings {
                    [only] => Some(only),
                    several if several.len() == usize::from(count) => {
                        several.get(usize::from(representation))
                    }
                    _ => None,
                };
                let Some(packing) = packing else {
                    return Err(Error::invalid_argument(format!(
                        "a column of the field has {}, another one has {count}",
                        counted(planned.packings.len() as u64, "representation")
                    )));
                };
                let id = ColumnId(u32::try_from(known + columns.len()).unwrap_or(u32::MAX));
                let mut column =
                    ColumnDescriptor::new(packing.column_type() as u16, packing.bits(), planned.field);
                (column.range, column.representation) = (packing.range(), representation);
                columns.push(column);
                lane.columns.push(id);
            }
        }
    }
    Ok((columns, lanes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::ColumnType::{self, Char, Index32, Index64, Real16, Real32};

    fn planned(field: u32, types: &[ColumnType]) -> Planned {
        let packings = types.iter().map(|&column_type| ColumnEncoding::of(column_type)).collect();
        Planned { field: FieldId(field), packings, compression: Compression::NONE }
    }

    fn choice(field: u32, count: u16) -> Choice {
        Choice { path: String::new(), field: FieldId(field), count, chosen: Arc::default() }
    }

    #[test]
    fn columns_stand_representation_by_representation() {
        let planned = [
            planned(0, &[Real32]),
            planned(1, &[Index64, Index32]),
            planned(1, &[Char]),
            planned(2, &[Real16]),
        ];
        let (columns, lanes) = arrange(0, &planned, &[choice(1, 2)]).unwrap();
        let found: Vec<_> =
            columns.iter().map(|column| (column.field.0, column.representation, column.type_code)).collect();
        let expected =
            [(0, 0, Real32), (1, 0, Index64), (1, 0, Char), (1, 1, Index32), (1, 1, Char), (2, 0, Real16)];
        assert_eq!(found, expected.map(|(field, number, column_type)| (field, number, column_type as u16)));
        let ids: Vec<Vec<u32>> =
            lanes.iter().map(|lane| lane.columns.iter().map(|id| id.0).collect()).collect();
        assert_eq!(ids, [vec![0], vec![1, 3], vec![2, 4], vec![5]]);
        assert_eq!(lanes.iter().map(|lane| lane.choice).collect::<Vec<_>>(), [None, Some(0), Some(0), None]);
    }

    #[test]
    fn representations_of_one_field_are_as_many_in_each_column() {
        let planned = [planned(0, &[Real32, Real16]), planned(0, &[Real32, Real16, Real32])];
        let error = arrange(0, &planned, &[choice(0, 2)]).unwrap_err();
        assert_eq!(error.to_string(), "a column of the field has 3 representations, another one has 2");
    }
}
