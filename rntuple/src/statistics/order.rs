//! The order of entries, as statistics keep it.

use std::cmp::Ordering;

use super::ascent::Span;
use super::keys::{KeyField, key_fields};
use super::row::Row;
use crate::encoding::{RankKind, real_of_rank, signed_of_rank};
use crate::field::Attribute;
use crate::schema::{ColumnDescriptor, FieldDescriptor, Schema};

/// The column of the row that has the order. It is about all columns, and no ntuple has one of this number.
const EVERY_COLUMN: u32 = u32::MAX;

/// The fields by which the entries of an ntuple are in ascending order, and the range that these have.
///
/// Entries are compared by the first field, those that are equal by the second one, and so on. Entries may be equal. The
/// two zeros are equal, and no value of a field in an order is NaN. Values are compared as they are read.
#[derive(Clone, Debug, PartialEq)]
pub struct SortOrder {
    fields: Vec<String>,
    kinds: Vec<RankKind>,
    span: Option<Span>,
}

/// The value of a field that entries are sorted by.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum SortKey {
    /// A signed integer.
    Signed(i64),
    /// An unsigned integer; `false` and `true` are 0 and 1.
    Unsigned(u64),
    /// A number with a fraction. It is never NaN, nor a negative zero.
    Real(f64),
}

impl SortKey {
    pub(crate) fn of_rank(rank: u64, kind: RankKind) -> Self {
        match kind {
            RankKind::Signed => Self::Signed(signed_of_rank(rank)),
            RankKind::Unsigned => Self::Unsigned(rank),
            RankKind::Real => Self::Real(real_of_rank(rank)),
        }
    }
}

impl PartialOrd for SortKey {
    /// Compares integers of any kind, and numbers with a fraction; `None` for one of each.
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let integer = |key: &Self| match *key {
            Self::Signed(value) => Some(i128::from(value)),
            Self::Unsigned(value) => Some(i128::from(value)),
            Self::Real(_) => None,
        };
        match (self, other) {
            (Self::Real(this), Self::Real(other)) => this.partial_cmp(other),
            _ => integer(self).zip(integer(other)).map(|(this, other)| this.cmp(&other)),
        }
    }
}

impl SortOrder {
    /// What was found of the entries.
    pub(crate) fn new(fields: &[KeyField], span: Option<Span>) -> Self {
        let kinds = fields.iter().map(|field| field.kind).collect();
        Self { fields: fields.iter().map(|field| field.path.clone()).collect(), kinds, span }
    }

    /// Returns the paths of the fields: `run`, `header.event`.
    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    /// Returns the fields of the first entry; `None` if there is no entry.
    pub fn first(&self) -> Option<Vec<SortKey>> {
        self.span.as_ref().map(|span| self.keys(&span.first))
    }

    /// Returns the fields of the last entry; `None` if there is no entry.
    pub fn last(&self) -> Option<Vec<SortKey>> {
        self.span.as_ref().map(|span| self.keys(&span.last))
    }

    /// Whether all entries may come before those of another ntuple, in the order of the fields that both are sorted by.
    pub fn precedes(&self, other: &Self) -> bool {
        let (Some(last), Some(first)) = (self.last(), other.first()) else { return true };
        for (this, other) in last.iter().zip(&first) {
            match this.partial_cmp(other) {
                Some(Ordering::Equal) => {}
                found => return found == Some(Ordering::Less),
            }
        }
        true
    }

    fn keys(&self, ranks: &[u64]) -> Vec<SortKey> {
        ranks.iter().zip(&self.kinds).map(|(rank, kind)| SortKey::of_rank(*rank, *kind)).collect()
    }

    pub(crate) fn span(&self) -> Option<&Span> {
        self.span.as_ref()
    }

    /// The same by the first fields alone, under other names.
    pub(super) fn renamed(&self, names: Vec<String>) -> Self {
        let mut kinds = self.kinds.clone();
        kinds.truncate(names.len());
        let span = self.span.clone().map(|span| span.cut(names.len()));
        Self { fields: names, kinds, span }
    }

    /// The row that keeps it. Its mark is that of all page lists, as it is about all entries.
    pub(crate) fn to_row(&self, page_lists: u64, clusters: u64, entries: u64) -> Attribute<Row> {
        let ranks = self.span.iter().flat_map(|span| span.first.iter().chain(&span.last));
        let value = Row {
            page_list: page_lists,
            cluster: clusters,
            column: EVERY_COLUMN,
            unsigned: ranks.copied().collect(),
            text: self.fields.clone(),
            ..Row::default()
        };
        Attribute { range: 0..entries, value }
    }

    /// Whether a row keeps an order.
    pub(super) fn is_in(column: u32) -> bool {
        column == EVERY_COLUMN
    }

    /// Reads a row about the entries of an ntuple with this schema; `None` if it contradicts itself or the schema.
    pub(super) fn of_row(row: Row, schema: &Schema) -> Option<Self> {
        let Row { text, unsigned, .. } = row;
        let fields: Vec<FieldDescriptor> = schema.fields().map(|(_, field)| field.clone()).collect();
        let columns: Vec<ColumnDescriptor> = schema.columns().map(|(_, column)| column.clone()).collect();
        let keys = key_fields(&text, &fields, &columns).ok().filter(|keys| !keys.is_empty())?;
        let span = match unsigned.len() {
            0 => None,
            length if length == 2 * keys.len() => {
                let (first, last) = unsigned.split_at(keys.len());
                let is_number = |(rank, key): (&u64, &KeyField)| {
                    key.kind != RankKind::Real || !real_of_rank(*rank).is_nan()
                };
                let are_numbers = [first, last].iter().all(|ranks| ranks.iter().zip(&keys).all(is_number));
                if first > last || !are_numbers {
                    return None;
                }
                Some(Span { first: first.to_vec(), last: last.to_vec() })
            }
            _ => return None,
        };
        Some(Self::new(&keys, span))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::rank_of_real;
    use crate::schema::{Field, FieldType, SchemaBuilder};
    use crate::{Value, WriteOptions};

    fn order(kind: RankKind, span: Option<(u64, u64)>) -> SortOrder {
        let span = span.map(|(first, last)| Span { first: vec![first], last: vec![last] });
        SortOrder { fields: vec!["x".to_owned()], kinds: vec![kind], span }
    }

    #[test]
    fn rows_that_contradict_themselves_or_the_schema_say_nothing() {
        let fields = [Field::new("run", FieldType::U32), Field::new("time", FieldType::F64)];
        let builder = fields.into_iter().fold(SchemaBuilder::new(), SchemaBuilder::field);
        let schema = Schema::of::<Value>(&WriteOptions::new().schema(builder)).unwrap();
        let (one, two, nan) = (rank_of_real(1.0), rank_of_real(2.0), rank_of_real(f64::NAN));
        let of = |text: &[&str], unsigned: &[u64]| {
            let text = text.iter().map(|path| (*path).to_owned()).collect();
            SortOrder::of_row(Row { text, unsigned: unsigned.to_vec(), ..Row::default() }, &schema)
        };
        let found = of(&["run", "time"], &[3, two, 4, one]).unwrap();
        assert_eq!(found.first(), Some(vec![SortKey::Unsigned(3), SortKey::Real(2.0)]));
        assert_eq!(of(&["run"], &[]).unwrap().last(), None);
        for (text, unsigned) in [
            (&["run"][..], &[3][..]),
            (&["run"], &[3, 4, 5]),
            (&["run"], &[4, 3]),
            (&["run", "time"], &[3, two, 3, one]),
            (&["time"], &[one, nan]),
            (&["time"], &[0, one]),
            (&[], &[]),
            (&["runs"], &[3, 4]),
            (&["run", "run"], &[3, 3, 4, 4]),
        ] {
            assert_eq!(of(text, unsigned), None, "{text:?} {unsigned:?}");
        }
    }

    #[test]
    fn ranges_may_touch_and_not_overlap() {
        let unsigned = |first, last| order(RankKind::Unsigned, Some((first, last)));
        assert!(unsigned(1, 5).precedes(&unsigned(5, 5)));
        assert!(!unsigned(1, 5).precedes(&unsigned(4, 9)));
        assert!(order(RankKind::Unsigned, None).precedes(&unsigned(0, 1)));
        // Kinds that have nothing in common are in no order.
        assert!(!unsigned(1, 5).precedes(&order(RankKind::Real, Some((u64::MAX - 1, u64::MAX - 1)))));
        let signed = order(RankKind::Signed, Some(((1 << 63) + 5, (1 << 63) + 7)));
        assert_eq!(signed.first(), Some(vec![SortKey::Signed(5)]));
        assert!(unsigned(1, 5).precedes(&signed));
    }
}
