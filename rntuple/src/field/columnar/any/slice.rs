//! Parts of columns of any type, and their values as they are in rows.

use std::fmt;
use std::ops::Range;

use super::super::{Columns, Slice, access};
use super::columns::{AnyColumns, AnyVariants};
use crate::field::any::scalars;
use crate::field::{Record, Value};

/// Many values of a type that is known only at run time, lent.
#[derive(Clone, Copy)]
pub struct AnySlice<'a> {
    columns: &'a AnyColumns,
    start: usize,
    count: usize,
}

impl<'a> AnySlice<'a> {
    /// Returns the columns that this is a part of, and which of their values it has.
    pub fn columns(self) -> (&'a AnyColumns, Range<usize>) {
        (self.columns, self.start..self.start.saturating_add(self.count))
    }

    /// Returns value `index` as it is in rows; `None` after the last one.
    pub fn value(self, index: usize) -> Option<Value> {
        let index = self.start.checked_add(index).filter(|_| index < self.count)?;
        value(self.columns, index)
    }
}

access! { ['a] AnySlice<'a> }

impl fmt::Debug for AnySlice<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries((0..self.len()).filter_map(|index| self.value(index))).finish()
    }
}

impl Slice for AnySlice<'_> {
    /// A slice of this value alone.
    type One = Self;
    type Array<const N: usize> = Self;

    fn len(self) -> usize {
        self.count
    }

    fn get(self, index: usize) -> Option<Self> {
        self.part(index..index.checked_add(1)?)
    }

    fn part(self, range: Range<usize>) -> Option<Self> {
        let count = range.end.checked_sub(range.start).filter(|_| range.end <= self.count)?;
        Some(Self { start: self.start.checked_add(range.start)?, count, ..self })
    }

    fn array<const N: usize>(self) -> Option<Self> {
        (self.count == N).then_some(self)
    }
}

fn value(columns: &AnyColumns, index: usize) -> Option<Value> {
    let items = |columns: &AnyColumns, range: Range<usize>| {
        range.map(|index| value(columns, index)).collect::<Option<_>>().map(Value::List)
    };
    Some(scalars!(match columns; AnyColumns(list) => Value::from(*list.get(index)?),
        AnyColumns::Empty => return None,
        AnyColumns::String(lists) => {
            let bytes = lists.as_slice().get(index)?.to_vec();
            String::from_utf8(bytes).map_or_else(|error| Value::Bytes(error.into_bytes()), Value::String)
        }
        AnyColumns::Streamed(lists) => Value::Streamed(lists.as_slice().get(index)?.to_vec()),
        AnyColumns::List(lists) => items(&lists.items, lists.as_slice().range(index)?)?,
        AnyColumns::Array(arrays) => items(&arrays.items, arrays.range(index)?)?,
        AnyColumns::Option(options) => {
            let values = options.as_slice();
            let position = (index < values.len()).then(|| values.position(index))?;
            Value::Option(match position {
                Some(position) => Some(Box::new(value(options.values(), position)?)),
                None => None,
            })
        }
        AnyColumns::Record(records) => {
            let values = records.members.iter().map(|member| value(member, index)).collect::<Option<_>>()?;
            (index < records.count).then(|| Value::Record(Record { names: records.names.clone(), values }))?
        }
        AnyColumns::Variant(variants) => match AnyVariants::position(*variants.switches.get(index)?) {
            None => Value::Variant { tag: 0, value: None },
            Some((number, position)) => {
                let value = value(variants.alternatives.get(number)?, position)?;
                let tag = u32::try_from(number).ok()?.saturating_add(1);
                Value::Variant { tag, value: Some(Box::new(value)) }
            }
        },
        AnyColumns::Mixed(values) => values.get(index)?.clone(),
    ))
}

impl AnyColumns {
    /// Lends all values.
    pub fn as_slice(&self) -> AnySlice<'_> {
        AnySlice { columns: self, start: 0, count: self.len() }
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        scalars!(match self; Self(list) => list.len(),
            Self::Empty => 0,
            Self::String(lists) | Self::Streamed(lists) => Columns::len(lists),
            Self::List(lists) => Columns::len(&**lists),
            Self::Option(options) => Columns::len(&**options),
            Self::Array(arrays) => arrays.count,
            Self::Record(records) => records.count,
            Self::Variant(variants) => variants.switches.len(),
            Self::Mixed(values) => values.len(),
        )
    }

    /// Returns whether there are no values.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Columns for AnyColumns {
    type Slice<'a> = AnySlice<'a>;

    fn as_slice(&self) -> AnySlice<'_> {
        self.as_slice()
    }

    fn len(&self) -> usize {
        self.len()
    }

    fn clear(&mut self) {
        scalars!(match self; Self(list) => list.clear(),
            Self::Empty => {}
            Self::String(lists) | Self::Streamed(lists) => lists.clear(),
            Self::List(lists) => lists.clear(),
            Self::Option(options) => options.clear(),
            Self::Array(arrays) => {
                arrays.count = 0;
                arrays.items.clear();
            }
            Self::Record(records) => {
                records.count = 0;
                records.members.iter_mut().for_each(Columns::clear);
            }
            Self::Variant(variants) => {
                variants.switches.clear();
                variants.alternatives.iter_mut().for_each(Columns::clear);
            }
            Self::Mixed(_) => *self = Self::Empty,
        );
    }
}
