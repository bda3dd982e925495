//! Values that are missing: a file has those that are there, Arrow a slot for each.

use arrow_buffer::NullBuffer;
use rntuple::schema::{FieldType, Shape};

use crate::bits::pack;

/// Where values are missing among those of a field.
pub(crate) struct Gaps {
    /// How many values there are before each slot, and at last all of them.
    pub(crate) starts: Vec<u64>,
    /// What is null: nothing where the value around is, which has the nulls.
    pub(crate) nulls: Option<NullBuffer>,
}

impl Gaps {
    pub(crate) fn new(starts: Vec<u64>) -> Self {
        let is_there: Vec<bool> = starts.windows(2).map(|pair| pair.first() != pair.last()).collect();
        Self { starts, nulls: Some(NullBuffer::new(pack(&is_there))) }
    }

    pub(crate) fn slots(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Those of values that are parts of what has the gaps.
    pub(crate) fn of_parts(&self) -> Self {
        Self { starts: self.starts.clone(), nulls: None }
    }

    /// Those of the items of arrays of this size.
    pub(crate) fn of_items(&self, size: usize) -> Self {
        let mut starts = Vec::with_capacity(self.slots().saturating_mul(size).saturating_add(1));
        starts.push(0);
        let mut end = 0;
        for pair in self.starts.windows(2) {
            let step = u64::from(pair.first() != pair.last());
            starts.extend((0..size).map(|_| {
                end += step;
                end
            }));
        }
        Self { starts, nulls: None }
    }

    /// The offsets of lists, where those that are missing are empty; so also what is missing of options.
    pub(crate) fn pick(&self, offsets: &[u64]) -> Vec<u64> {
        let offset = |start: &u64| usize::try_from(*start).ok().and_then(|start| offsets.get(start).copied());
        self.starts.iter().map(|start| offset(start).unwrap_or_default()).collect()
    }

    /// The values, with anything where they are missing.
    pub(crate) fn spread<T: Copy + Default>(&self, values: &[T]) -> Vec<T> {
        let value = |pair: &[u64]| match pair {
            [start, end] if start < end => {
                usize::try_from(*start).ok().and_then(|start| values.get(start).copied())
            }
            _ => None,
        };
        self.starts.windows(2).map(|pair| value(pair).unwrap_or_default()).collect()
    }
}

/// The offsets of lists that have these gaps.
pub(crate) fn picked(offsets: Vec<u64>, gaps: Option<&Gaps>) -> Vec<u64> {
    match gaps {
        Some(gaps) => gaps.pick(&offsets),
        None => offsets,
    }
}

/// Whether a value may be null by itself: options of it become lists.
pub(crate) fn has_nulls(value: &FieldType) -> bool {
    match value.shape() {
        Shape::Optional(_) | Shape::Variant(_) => true,
        Shape::Around(value) => has_nulls(value.field_type()),
        _ => false,
    }
}
