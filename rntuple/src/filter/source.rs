//! Where bounds come from.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::encoding::ColumnType;
use crate::error::{ErrorKind, Result};
use crate::predicate::{Bounds, Limit};
use crate::schema::{ClusterId, ColumnId, FieldId, Schema};
use crate::statistics::{self, ColumnStatistics, ElementStatistics, Statistics};

/// Bounds of the elements of columns in one file. Those of offsets are bounds of the sizes of collections. What is not
/// known is `None`.
pub(super) trait Source: Send + Sync {
    /// In the whole file.
    fn file(&self, column: ColumnId) -> Option<Bounds>;

    /// In one cluster.
    fn cluster(&self, cluster: u64, column: ColumnId) -> Option<Bounds>;

    /// In each page of a cluster, in order.
    fn pages(&self, cluster: u64, column: ColumnId) -> Option<Vec<Bounds>>;
}

/// Of a file of which nothing is known.
pub(super) struct Nothing;

impl Source for Nothing {
    fn file(&self, _: ColumnId) -> Option<Bounds> {
        None
    }

    fn cluster(&self, _: u64, _: ColumnId) -> Option<Bounds> {
        None
    }

    fn pages(&self, _: u64, _: ColumnId) -> Option<Vec<Bounds>> {
        None
    }
}

/// Of a file with statistics.
pub(super) struct Kept(BTreeMap<ColumnId, Column>);

struct Column {
    statistics: Arc<ColumnStatistics>,
    meaning: Meaning,
}

/// What the elements of a field's first column are.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Bools,
    /// The offsets of strings.
    Text,
    Numbers,
}

impl Kept {
    /// Reads what is known of the columns of some fields. Damaged statistics are as good as none: what they say of other
    /// columns and of the file is not in doubt.
    ///
    /// # Errors
    /// The storage fails.
    pub(super) fn of<'a>(
        statistics: &Statistics,
        schema: &Schema,
        fields: impl Iterator<Item = &'a FieldId>,
    ) -> Result<Self> {
        let mut columns = BTreeMap::new();
        let representations = fields
            .flat_map(|field| schema.representations(*field).iter().map(move |columns| (*field, columns)));
        for (field, representation) in representations {
            let Some(first) = representation.first() else { continue };
            if statistics::is_rounded(schema, field, *first) {
                continue;
            }
            let found = match statistics.column(*first) {
                Ok(found) => found,
                Err(error) if error.kind() == ErrorKind::Io => return Err(error),
                Err(_) => continue,
            };
            let meaning = Meaning::of(schema, representation);
            columns.insert(*first, Column { statistics: found, meaning });
        }
        Ok(Self(columns))
    }
}

impl Source for Kept {
    fn file(&self, column: ColumnId) -> Option<Bounds> {
        let column = self.0.get(&column)?;
        column.meaning.bounds(&column.statistics.file()?)
    }

    fn cluster(&self, cluster: u64, column: ColumnId) -> Option<Bounds> {
        let column = self.0.get(&column)?;
        column.meaning.bounds(column.statistics.cluster(ClusterId(u32::try_from(cluster).ok()?))?)
    }

    fn pages(&self, cluster: u64, column: ColumnId) -> Option<Vec<Bounds>> {
        let column = self.0.get(&column)?;
        let pages = column.statistics.pages(ClusterId(u32::try_from(cluster).ok()?))?;
        pages.iter().map(|page| column.meaning.bounds(page)).collect()
    }
}

impl Meaning {
    /// Of the columns that a field has in some clusters.
    pub(super) fn of(schema: &Schema, columns: &[ColumnId]) -> Self {
        let column_type = |id: &ColumnId| schema.column(*id)?.column_type();
        match columns {
            [_, _] => Self::Text,
            [first] if column_type(first) == Some(ColumnType::Bit) => Self::Bools,
            _ => Self::Numbers,
        }
    }

    /// What is known of elements as a predicate sees them.
    pub(super) fn bounds(self, found: &ElementStatistics) -> Option<Bounds> {
        let (may_be_nan, may_be_value) = (found.nan_count > 0, found.elements > found.nan_count);
        let (min, max) = match (self, found.bounds) {
            (Self::Text, _) => {
                let limit = |text: &String| Limit::Text(text.clone().into_bytes());
                let text = found.text.as_ref()?;
                (text.min.as_ref().map(limit), text.max.as_ref().map(limit))
            }
            (Self::Bools, statistics::Bounds::Unsigned { min, max }) => {
                (Some(Limit::Bool(min > 0)), Some(Limit::Bool(max > 0)))
            }
            (_, statistics::Bounds::Unsigned { min, max }) => {
                (Some(Limit::Int(min.into())), Some(Limit::Int(max.into())))
            }
            (_, statistics::Bounds::Signed { min, max }) => {
                (Some(Limit::Int(min.into())), Some(Limit::Int(max.into())))
            }
            (_, statistics::Bounds::Real { min, max }) => (Some(Limit::Float(min)), Some(Limit::Float(max))),
        };
        Some(Bounds { min, max, may_be_nan, may_be_value })
    }
}
