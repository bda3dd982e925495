//! The columns of a field.

use super::FieldNode;
use crate::column::{ColumnReader, ColumnSource, Demand, Representation};
use crate::encoding::{ColumnEncoding, ColumnType, Element, Index};
use crate::error::{Mismatch, Result};
use crate::schema::Role;

impl<'a> FieldNode<'a> {
    /// Whether the field has columns of its own.
    pub fn has_columns(self) -> bool {
        self.id.is_some_and(|id| !self.connection.schema.representations(id).is_empty())
    }

    /// Number of columns in each of the field's representations.
    pub(crate) fn column_count(self) -> usize {
        let representations = self.id.map(|id| self.connection.schema.representations(id));
        representations.and_then(|all| all.first()).map_or(0, Vec::len)
    }

    /// Whether the values of the field's `number`-th column can be read as `E`.
    pub(crate) fn column_reads<E: Element>(self, number: usize) -> bool {
        self.column_types_are(number, E::reads)
    }

    /// Whether all representations of the field's `number`-th column have such types.
    pub(super) fn column_types_are(self, number: usize, such: fn(ColumnType) -> bool) -> bool {
        let Some(id) = self.id else { return false };
        let all = self.connection.schema.representations(id);
        !all.is_empty()
            && all.iter().all(|columns| {
                let column = columns.get(number).and_then(|&id| self.connection.schema.column(id));
                column.and_then(|column| column.column_type()).is_some_and(such)
            })
    }

    /// Type of the field's `number`-th column, in its first representation.
    pub(crate) fn column_type(self, number: usize) -> Option<ColumnType> {
        let schema = &self.connection.schema;
        let columns = schema.representations(self.id?).first()?;
        schema.column(*columns.get(number)?)?.column_type()
    }

    /// The only column of the field, to be read as `E`.
    pub(crate) fn scalar<E: Element>(self) -> Result<ColumnReader<E>> {
        let leaf = self.leaf(E::NAME)?;
        if leaf.column_count() != 1 {
            return Err(self.mismatch(E::NAME));
        }
        leaf.column(0)
    }

    /// The field's `number`-th column, to be read as `E`.
    ///
    /// # Errors
    /// There is none, or its values are of another kind.
    pub fn column<E: Element>(self, number: usize) -> Result<ColumnReader<E>> {
        // What ROOT keeps as a number of its own, the size of a collection, are the collection's offsets.
        let as_counts = !self.column_reads::<E>(number) && self.is_cardinality();
        let reads = |lossy: bool| match (as_counts, lossy) {
            (false, false) => self.column_reads::<E>(number),
            (false, true) => self.column_types_are(number, E::reads_with_losses),
            (true, false) => E::reads(ColumnType::UInt64),
            (true, true) => E::reads_with_losses(ColumnType::UInt64),
        };
        if !reads(self.lossy) {
            let mismatch = Mismatch::new(self.path(), self.found(), E::NAME);
            return Err(self.keep(match reads(true) {
                true => mismatch.with_help("`#[rntuple(convert = \"lossy\")]` would convert it"),
                false => mismatch,
            }));
        }
        let representations = self.representations(number)?;
        let demands = representations.iter().map(|one| Demand::of::<E>(one.id, &one.packing, as_counts));
        self.connection.selected.borrow_mut().extend(demands);
        Ok(ColumnReader::new(ColumnSource {
            place: self.place(),
            representations,
            per_entry: if number == 0 { self.per_entry() } else { None },
            lossy: self.lossy,
            as_counts,
            means: self.connection.means.clone(),
            allowance: self.allowance(),
        }))
    }

    /// The representations of the field's `number`-th column.
    pub(super) fn representations(self, number: usize) -> Result<Vec<Representation>> {
        let schema = &self.connection.schema;
        let mut representations = Vec::new();
        let all = self.id.map(|id| schema.representations(id)).unwrap_or_default();
        for columns in all {
            let Some(&id) = columns.get(number) else { continue };
            let Some(column) = schema.column(id) else { continue };
            let Some(column_type) = column.column_type() else { continue };
            let packing = ColumnEncoding::checked(column_type, column.bits, column.range)
                .map_err(|error| error.in_field(self.path()).in_column(id.0.into()))?;
            let is_deferred = column.first_element.is_some_and(|first| first >= 0);
            representations.push(Representation { id, packing, is_deferred });
        }
        Ok(representations)
    }

    /// Whether the field is the size of a collection, with its end offsets.
    pub(super) fn is_cardinality(self) -> bool {
        self.descriptor().is_some_and(|field| field.role == Role::Plain && field.is_cardinality())
            && self.column_count() == 1
            && self.column_types_are(0, <Index as Element>::reads)
    }

    /// Elements of the field per entry, where the schema fixes them: the product of the array sizes, if no collection
    /// or variant lies above.
    pub(super) fn per_entry(self) -> Option<u64> {
        self.id.map_or(Some(1), |id| self.connection.schema.elements_per_entry(id))
    }
}
