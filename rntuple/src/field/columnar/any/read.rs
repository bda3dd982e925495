//! Reading: the columns of a file are those that rows are read from.

use super::super::{Columnar, Lists, Options, ReadColumnar};
use super::columns::{AnyArrays, AnyColumns, AnyRecords, AnyVariants};
use crate::column::ItemLength;
use crate::encoding::Switch;
use crate::error::{Error, ErrorKind, Result};
use crate::field::any::RecordReader;
use crate::field::{AnyReader, Attach, Cardinality, Position, StringReader, Value, VariantReader};

impl Columnar for Value {
    type Columns = AnyColumns;

    fn push_to(&self, columns: &mut AnyColumns) {
        columns.push(self);
    }
}

/// The columns of one kind in `$columns`, which become of that kind if they have no values.
macro_rules! of_kind {
    ($columns:expr, $kind:ident($made:expr)) => {{
        if !matches!($columns, AnyColumns::$kind(_)) {
            $columns.become_empty(AnyColumns::$kind($made))?;
        }
        match $columns {
            AnyColumns::$kind(list) => list,
            _ => return Err(another_type()),
        }
    }};
}

impl ReadColumnar for Value {
    fn read_columns(reader: &mut AnyReader, count: usize, out: &mut AnyColumns) -> Result<()> {
        match reader {
            AnyReader::Bool(column) => bool::read_columns(column, count, of_kind!(out, Bool(Vec::new()))),
            AnyReader::I8(column) => i8::read_columns(column, count, of_kind!(out, I8(Vec::new()))),
            AnyReader::U8(column) => u8::read_columns(column, count, of_kind!(out, U8(Vec::new()))),
            AnyReader::I16(column) => i16::read_columns(column, count, of_kind!(out, I16(Vec::new()))),
            AnyReader::U16(column) => u16::read_columns(column, count, of_kind!(out, U16(Vec::new()))),
            AnyReader::I32(column) => i32::read_columns(column, count, of_kind!(out, I32(Vec::new()))),
            AnyReader::U32(column) => u32::read_columns(column, count, of_kind!(out, U32(Vec::new()))),
            AnyReader::I64(column) => i64::read_columns(column, count, of_kind!(out, I64(Vec::new()))),
            AnyReader::U64(column) => u64::read_columns(column, count, of_kind!(out, U64(Vec::new()))),
            AnyReader::F32(column) => f32::read_columns(column, count, of_kind!(out, F32(Vec::new()))),
            AnyReader::F64(column) => f64::read_columns(column, count, of_kind!(out, F64(Vec::new()))),
            AnyReader::Cardinality(reader) => {
                Cardinality::read_columns(reader, count, of_kind!(out, U64(Vec::new())))
            }
            AnyReader::String(reader) => read_bytes(reader, count, of_kind!(out, String(Lists::default()))),
            AnyReader::Streamed(reader) => {
                read_bytes(reader, count, of_kind!(out, Streamed(Lists::default())))
            }
            AnyReader::Collection(reader) => {
                <Vec<Self>>::read_columns(reader, count, of_kind!(out, List(Box::default())))
            }
            AnyReader::Optional(reader) => <Option<Self>>::read_columns(
                reader,
                count,
                of_kind!(out, Option(Box::<Options<_>>::default())),
            ),
            AnyReader::Array(reader) => {
                let size = reader.items_of(1)?;
                let empty = AnyArrays { size, count: 0, items: AnyColumns::Empty };
                let arrays = of_kind!(out, Array(Box::new(empty)));
                if arrays.size != size && arrays.count > 0 {
                    return Err(another_type());
                }
                arrays.size = size;
                let items = reader.items_of(count)?;
                if reader.item.remaining().is_none() {
                    // They have no columns: nothing in the file bounds them.
                    reader.item.allowance().take(items as u64)?;
                }
                Self::read_columns(&mut reader.item, items, &mut arrays.items)?;
                arrays.count = arrays.count.saturating_add(count);
                Ok(())
            }
            AnyReader::Record(reader) => {
                read_records(reader, count, of_kind!(out, Record(AnyRecords::empty(&reader.names))))
            }
            AnyReader::Variant(switch, alternatives) => {
                read_variants(switch, alternatives, count, of_kind!(out, Variant(AnyVariants::default())))
            }
        }
    }
}

impl AnyColumns {
    fn become_empty(&mut self, empty: Self) -> Result<()> {
        if !self.is_empty() {
            return Err(another_type());
        }
        *self = empty;
        Ok(())
    }
}

fn another_type() -> Error {
    Error::new(ErrorKind::SchemaMismatch, "the columns have values of another type already")
}

fn read_bytes(reader: &mut StringReader, count: usize, out: &mut Lists<Vec<u8>>) -> Result<()> {
    let (bounds, length) = reader.offsets.next_bounds(count, Some(reader.chars.remaining()))?;
    bounds.append_to(&mut out.offsets);
    reader.chars.append_to(length, &mut out.items)?;
    let taken = reader.allowance().take_values(length, ItemLength::exactly(1));
    taken.map_err(|error| reader.offsets.place(error))
}

fn read_records(reader: &mut RecordReader, count: usize, out: &mut AnyRecords) -> Result<()> {
    // Those of another file may be there, without values.
    if out.names != reader.names && out.count == 0 {
        *out = AnyRecords::empty(&reader.names);
    }
    if out.names == reader.names {
        for (reader, columns) in reader.members.iter_mut().zip(&mut out.members) {
            Value::read_columns(reader, count, columns)?;
        }
    } else {
        read_by_name(reader, count, out)?;
    }
    out.count = out.count.saturating_add(count);
    Ok(())
}

/// Reads the members of a file that has them in another order.
fn read_by_name(reader: &mut RecordReader, count: usize, out: &mut AnyRecords) -> Result<()> {
    if out.names.len() != reader.names.len() {
        return Err(another_type());
    }
    // Where, against the rules, several have a name, each is taken once.
    let mut columns: Vec<_> = out.members.iter_mut().map(Some).collect();
    for (name, reader) in reader.names.iter().zip(&mut reader.members) {
        let named = out.names.iter().zip(&mut columns).find(|(known, free)| *known == name && free.is_some());
        let columns = named.and_then(|(_, columns)| columns.take()).ok_or_else(another_type)?;
        Value::read_columns(reader, count, columns)?;
    }
    Ok(())
}

/// Values of an alternative that follow each other are read together.
fn read_variants(
    switch: &mut VariantReader<Vec<u64>>,
    readers: &mut [AnyReader],
    count: usize,
    out: &mut AnyVariants,
) -> Result<()> {
    out.alternatives.resize_with(readers.len().max(out.alternatives.len()), AnyColumns::default);
    let mut alternatives: Vec<_> = (readers.iter_mut().zip(&mut out.alternatives))
        .map(|(reader, columns)| (reader, columns.len() as u64, 0, columns))
        .collect();
    for _ in 0..count {
        let Some(active) = switch.next_or_none()? else {
            out.switches.push(Switch { index: 0, tag: 0 });
            continue;
        };
        let Some((reader, end, waiting, columns)) = alternatives.get_mut(active.number) else {
            return Err(Error::out_of_spec("the variant has no such alternative"));
        };
        if let Some(position) = active.jump {
            Value::read_columns(reader, std::mem::take(waiting), columns)?;
            reader.seek(Position::at(position))?;
        }
        *waiting += 1;
        let tag = u32::try_from(active.number).unwrap_or(u32::MAX).saturating_add(1);
        out.switches.push(Switch { index: *end, tag });
        *end += 1;
    }
    for (reader, _, waiting, columns) in alternatives {
        Value::read_columns(reader, waiting, columns)?;
    }
    Ok(())
}
