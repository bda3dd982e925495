//! Values that are pushed: the first says what the columns are of.

use super::super::{Lists, Options};
use super::columns::{AnyColumns, AnyRecords, AnyVariants};
use crate::encoding::Switch;
use crate::field::{Record, Value};
use crate::schema::MOST_ALTERNATIVES;

impl AnyColumns {
    /// Appends a value. If it is of another type than those before, all are kept as they are from now on.
    pub(super) fn push(&mut self, value: &Value) {
        if matches!(self, Self::Empty) {
            *self = Self::like(value);
        }
        if self.try_push(value).is_none() {
            let values = self.as_slice();
            let mut mixed: Vec<Value> = (0..values.len()).filter_map(|index| values.value(index)).collect();
            mixed.push(value.clone());
            *self = Self::Mixed(mixed);
        }
    }

    fn like(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::Bool(Vec::new()),
            Value::I8(_) => Self::I8(Vec::new()),
            Value::U8(_) => Self::U8(Vec::new()),
            Value::I16(_) => Self::I16(Vec::new()),
            Value::U16(_) => Self::U16(Vec::new()),
            Value::I32(_) => Self::I32(Vec::new()),
            Value::U32(_) => Self::U32(Vec::new()),
            Value::I64(_) => Self::I64(Vec::new()),
            Value::U64(_) => Self::U64(Vec::new()),
            Value::F32(_) => Self::F32(Vec::new()),
            Value::F64(_) => Self::F64(Vec::new()),
            Value::String(_) | Value::Bytes(_) => Self::String(Lists::default()),
            Value::Streamed(_) => Self::Streamed(Lists::default()),
            Value::List(_) => Self::List(Box::default()),
            Value::Option(_) => Self::Option(Box::<Options<_>>::default()),
            Value::Record(record) => Self::Record(AnyRecords::empty(&record.names)),
            Value::Variant { .. } => Self::Variant(AnyVariants::default()),
        }
    }

    /// Appends a value of the same type; `None`, and nothing is appended, if it is of another.
    fn try_push(&mut self, value: &Value) -> Option<()> {
        match (self, value) {
            (Self::Bool(list), Value::Bool(value)) => list.push(*value),
            (Self::I8(list), Value::I8(value)) => list.push(*value),
            (Self::U8(list), Value::U8(value)) => list.push(*value),
            (Self::I16(list), Value::I16(value)) => list.push(*value),
            (Self::U16(list), Value::U16(value)) => list.push(*value),
            (Self::I32(list), Value::I32(value)) => list.push(*value),
            (Self::U32(list), Value::U32(value)) => list.push(*value),
            (Self::I64(list), Value::I64(value)) => list.push(*value),
            (Self::U64(list), Value::U64(value)) => list.push(*value),
            (Self::F32(list), Value::F32(value)) => list.push(*value),
            (Self::F64(list), Value::F64(value)) => list.push(*value),
            (Self::String(lists), Value::String(text)) => {
                lists.push_with(|bytes| bytes.extend_from_slice(text.as_bytes()));
            }
            (Self::String(lists), Value::Bytes(found)) | (Self::Streamed(lists), Value::Streamed(found)) => {
                lists.push_with(|bytes| bytes.extend_from_slice(found));
            }
            (Self::List(lists), Value::List(items)) => {
                lists.push_with(|columns| items.iter().for_each(|item| columns.push(item)));
            }
            (Self::Array(arrays), Value::List(items)) if items.len() == arrays.size => {
                items.iter().for_each(|item| arrays.items.push(item));
                arrays.count += 1;
            }
            (Self::Option(options), Value::Option(value)) => options.push(value.as_deref()),
            (Self::Record(records), Value::Record(Record { names, values })) if records.names == *names => {
                for (columns, value) in records.members.iter_mut().zip(values) {
                    columns.push(value);
                }
                records.count += 1;
            }
            (Self::Variant(variants), Value::Variant { tag, value }) => {
                variants.push(*tag, value.as_deref())?
            }
            (Self::Mixed(values), value) => values.push(value.clone()),
            _ => return None,
        }
        Some(())
    }
}

impl AnyVariants {
    fn push(&mut self, tag: u32, value: Option<&Value>) -> Option<()> {
        let Some(value) = value else {
            self.switches.push(Switch { index: 0, tag: (tag == 0).then_some(0)? });
            return Some(());
        };
        let number =
            usize::try_from(tag).ok()?.checked_sub(1).filter(|number| *number < MOST_ALTERNATIVES)?;
        if self.alternatives.len() <= number {
            self.alternatives.resize_with(number + 1, AnyColumns::default);
        }
        let columns = self.alternatives.get_mut(number)?;
        self.switches.push(Switch { index: columns.len() as u64, tag });
        columns.push(value);
        Some(())
    }
}
