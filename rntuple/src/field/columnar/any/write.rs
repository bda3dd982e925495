//! Writing: the columns of a file are those that rows are written to.

use std::ops::Range;

use super::super::{Slice, WriteColumnar};
use super::columns::{AnyColumns, AnyRecords, AnyVariants};
use super::slice::AnySlice;
use crate::encoding::{Byte, CxxChar};
use crate::error::{Error, Result};
use crate::field::any::{no_alternative, places};
use crate::field::{AnyWriter, FieldWriter, Value, VariantWriter};

impl WriteColumnar for Value {
    fn check_columns(writer: &AnyWriter, values: AnySlice<'_>) -> Result<()> {
        let (columns, range) = values.columns();
        check(writer, columns, range)
    }

    fn append_columns(writer: &mut AnyWriter, values: AnySlice<'_>) -> usize {
        let (columns, range) = values.columns();
        append(writer, columns, range)
    }
}

/// What is checked of values of a range, which are all for columns of one type.
fn check(writer: &AnyWriter, columns: &AnyColumns, range: Range<usize>) -> Result<()> {
    use AnyColumns as C;
    use AnyWriter as W;
    match (writer, columns) {
        // Whatever they are, there are none.
        _ if columns.is_empty() => Ok(()),
        (W::Bool(_), C::Bool(_))
        | (W::Byte(_) | W::Char(_) | W::U8(_), C::U8(_))
        | (W::I8(_), C::I8(_))
        | (W::I16(_), C::I16(_))
        | (W::U16(_), C::U16(_))
        | (W::I32(_), C::I32(_))
        | (W::U32(_), C::U32(_))
        | (W::I64(_), C::I64(_))
        | (W::U64(_), C::U64(_))
        | (W::F32(_), C::F32(_))
        | (W::F64(_), C::F64(_))
        | (W::String(_), C::String(_)) => Ok(()),
        (W::Collection(writer), C::List(lists)) => {
            check(&writer.item, &lists.items, 0..lists.items.len()).map_err(|error| error.below("_0"))
        }
        (W::Optional(writer), C::Option(options)) => {
            check(&writer.item, options.values(), 0..options.values().len())
                .map_err(|error| error.below("_0"))
        }
        (W::Array(writer, size), C::Array(arrays)) => {
            if arrays.size != *size {
                let found = arrays.size;
                return Err(Error::invalid_argument(format!("the array has {size} items, not {found}")));
            }
            check(&writer.item, &arrays.items, 0..arrays.items.len()).map_err(|error| error.below("_0"))
        }
        (W::Record(writer), C::Record(records)) => {
            writer.check_names(&records.names)?;
            let places = places(&writer.names, &records.names);
            for ((name, member), place) in writer.names.iter().zip(&writer.members).zip(places) {
                let Some(columns) = place.and_then(|place| records.members.get(place)) else { continue };
                check(member, columns, 0..columns.len()).map_err(|error| error.below(name))?;
            }
            Ok(())
        }
        (W::Variant(_, writers), C::Variant(variants)) => {
            for (number, columns) in variants.alternatives.iter().enumerate() {
                match writers.get(number) {
                    Some(writer) => check(writer, columns, 0..columns.len())
                        .map_err(|error| error.below(&format!("_{number}")))?,
                    None if columns.is_empty() => {}
                    None => {
                        let tag = u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
                        return Err(no_alternative(tag, writers.len()));
                    }
                }
            }
            Ok(())
        }
        (writer, C::Mixed(values)) => {
            values.get(range).unwrap_or_default().iter().try_for_each(|value| writer.check(value))
        }
        // Arrays of a file are lists where they were pushed as values.
        (W::Array(writer, size), C::List(lists)) => {
            let slice = lists.as_slice();
            match slice.counts().find(|count| *count != *size as u64) {
                Some(found) => {
                    Err(Error::invalid_argument(format!("the array has {size} items, not {found}")))
                }
                None => {
                    check(&writer.item, &lists.items, 0..lists.items.len()).map_err(|error| error.below("_0"))
                }
            }
        }
        (writer, columns) => Err(writer.refuse(columns.kind())),
    }
}

/// Appends the values of a range, which were checked; returns their length in bytes.
fn append(writer: &mut AnyWriter, columns: &AnyColumns, range: Range<usize>) -> usize {
    use AnyColumns as C;
    use AnyWriter as W;
    /// The values of the range, as the writer's column takes them.
    macro_rules! scalars {
        ($column:expr, $list:expr) => {
            $column.extend_from_slice($list.get(range).unwrap_or_default())
        };
        ($column:expr, $list:expr, $of:expr) => {
            $column.extend_items($list.get(range).unwrap_or_default().iter().copied().map($of))
        };
    }
    match (writer, columns) {
        (W::Bool(column), C::Bool(list)) => scalars!(column, list),
        (W::Byte(column), C::U8(list)) => scalars!(column, list, Byte),
        (W::Char(column), C::U8(list)) => scalars!(column, list, CxxChar),
        (W::I8(column), C::I8(list)) => scalars!(column, list),
        (W::U8(column), C::U8(list)) => scalars!(column, list),
        (W::I16(column), C::I16(list)) => scalars!(column, list),
        (W::U16(column), C::U16(list)) => scalars!(column, list),
        (W::I32(column), C::I32(list)) => scalars!(column, list),
        (W::U32(column), C::U32(list)) => scalars!(column, list),
        (W::I64(column), C::I64(list)) => scalars!(column, list),
        (W::U64(column), C::U64(list)) => scalars!(column, list),
        (W::F32(column), C::F32(list)) => scalars!(column, list),
        (W::F64(column), C::F64(list)) => scalars!(column, list),
        (W::String(writer), C::String(lists)) => {
            lists.as_slice().part(range).map_or(0, |strings| strings.append_bytes(writer))
        }
        (W::Collection(writer), C::List(lists)) => {
            lists.as_slice().part(range).map_or(0, |lists| <Vec<Value>>::append_columns(writer, lists))
        }
        (W::Optional(writer), C::Option(options)) => {
            options.as_slice().part(range).map_or(0, |part| <Option<Value>>::append_columns(writer, part))
        }
        (W::Array(writer, size), C::Array(arrays)) => {
            let items = range.start.saturating_mul(*size)..range.end.saturating_mul(*size);
            append(&mut writer.item, &arrays.items, items)
        }
        (W::Array(writer, _), C::List(lists)) => {
            let (columns, items) =
                lists.as_slice().part(range).map_or((&lists.items, 0..0), |lists| lists.items().columns());
            append(&mut writer.item, columns, items)
        }
        (W::Record(writer), C::Record(AnyRecords { names, members, .. })) => {
            let mut length = 0;
            for (writer, place) in writer.members.iter_mut().zip(places(&writer.names, names)) {
                let columns = place.and_then(|place| members.get(place));
                length += columns.map_or(0, |columns| append(writer, columns, range.clone()));
            }
            length
        }
        (W::Variant(switch, writers), C::Variant(variants)) => {
            append_variants(switch, writers, variants, range)
        }
        (writer, C::Mixed(values)) => {
            values.get(range).unwrap_or_default().iter().map(|value| writer.append(value)).sum()
        }
        _ => 0,
    }
}

/// Values of an alternative that follow each other are written together.
fn append_variants(
    switch: &mut VariantWriter<Vec<u64>>,
    writers: &mut [AnyWriter],
    variants: &AnyVariants,
    range: Range<usize>,
) -> usize {
    let mut length = 0;
    let mut waiting = vec![0..0; writers.len()];
    for value in variants.switches.get(range).unwrap_or_default() {
        let position = AnyVariants::position(*value);
        let run = position.and_then(|(number, position)| Some((number, position, waiting.get_mut(number)?)));
        let Some((number, position, run)) = run else {
            length += switch.append_none();
            continue;
        };
        #[expect(clippy::cast_possible_truncation, reason = "alternatives are at most 125")]
        let appended = switch.append(number as u8);
        length += appended;
        if run.end != position {
            length += append_run(writers, variants, number, std::mem::replace(run, position..position));
        }
        run.end = position + 1;
    }
    for (number, run) in waiting.into_iter().enumerate() {
        length += append_run(writers, variants, number, run);
    }
    length
}

fn append_run(writers: &mut [AnyWriter], variants: &AnyVariants, number: usize, run: Range<usize>) -> usize {
    match (writers.get_mut(number), variants.alternatives.get(number)) {
        (Some(writer), Some(columns)) if !run.is_empty() => append(writer, columns, run),
        _ => 0,
    }
}
