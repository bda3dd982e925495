//! Columns: what a field's values are stored in.

use super::{ColumnId, FieldId};
use crate::encoding::{ColumnEncoding, ColumnType};
use crate::error::{Error, Result};

/// One column record (format, section 5.2).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnDescriptor {
    /// Column type code of version 1, known or not (the table of `encoding`); that of an older file is translated.
    /// [`column_type`](Self::column_type) makes sense of it.
    pub type_code: u16,
    /// Bits of one element on storage.
    pub bits: u16,
    /// The field it belongs to.
    pub field: FieldId,
    /// Which of the field's representations it belongs to.
    pub representation: u16,
    /// Deferred column (flag 0x01): elements before this one were never written and read as zero.
    /// Negative: deferred and suppressed.
    pub first_element: Option<i64>,
    /// Value range of a quantised column (flag 0x02): lowest and highest value.
    pub range: Option<(f64, f64)>,
    /// A type that version 1 left out, and has no code for.
    old_type: Option<ColumnType>,
}

impl ColumnDescriptor {
    /// A column of the field's first representation, neither deferred nor with a range.
    pub fn new(type_code: u16, bits: u16, field: FieldId) -> Self {
        let old_type = None;
        Self { type_code, bits, field, representation: 0, first_element: None, range: None, old_type }
    }

    /// The column's type; `None` for one of a future version.
    pub fn column_type(&self) -> Option<ColumnType> {
        self.old_type.or_else(|| ColumnType::from_code(self.type_code))
    }

    /// Makes the column one of this type, which need not be one of version 1.
    #[cfg(any(test, feature = "prerelease"))]
    pub(super) fn set_type(&mut self, column_type: ColumnType) {
        self.type_code = column_type as u16;
        self.old_type = Some(column_type).filter(|column_type| column_type.is_old());
    }
}

/// One alias column record (format, section 5.4): a projected field's use of a physical column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AliasColumn {
    /// The column that holds the data.
    pub physical: ColumnId,
    /// The projected field.
    pub field: FieldId,
}

impl AliasColumn {
    /// `field` reads from `physical`.
    pub fn new(physical: ColumnId, field: FieldId) -> Self {
        Self { physical, field }
    }
}

/// Whether the column's type is known; a column of a future version hides its top-level field.
///
/// # Errors
/// A known type that cannot have the column's width or value range.
pub(crate) fn is_known_column(column: &ColumnDescriptor) -> Result<bool> {
    let Some(column_type) = column.column_type() else { return Ok(false) };
    match ColumnEncoding::checked(column_type, column.bits, column.range) {
        Ok(_) => Ok(true),
        Err(error) => Err(Error::out_of_spec(error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_our_own_mean_nothing_in_a_file() {
        let mut column = ColumnDescriptor::new(ColumnType::PackedSwitch as u16, 64, FieldId(0));
        assert_eq!(column.column_type(), None);
        assert!(!is_known_column(&column).unwrap());
        column.set_type(ColumnType::PackedSwitch);
        assert_eq!(column.column_type(), Some(ColumnType::PackedSwitch));
        assert!(is_known_column(&column).unwrap());
        column.set_type(ColumnType::Switch);
        assert_eq!((column.column_type(), column.type_code), (Some(ColumnType::Switch), 0x10));
        assert!(is_known_column(&column).is_err(), "64 bits");
    }
}
