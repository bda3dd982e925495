//! Columns as buffers, which have the keys of the [form](crate::form). Their memory is handed over.

use numpy::{Element, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rntuple::columns::{AnyColumns, AnyRecords, AnyVariants};
use rntuple::schema::{Field, FieldType, Shape};
use rntuple::{Error, ErrorKind};

use crate::errors::exception;
use crate::form::{has_nulls, is_own_option, is_small, is_variant, list_key, option_key};

/// Buffers by their keys.
pub(crate) struct Buffers<'py> {
    found: Bound<'py, PyDict>,
}

impl<'py> Buffers<'py> {
    pub(crate) fn new(py: Python<'py>) -> Self {
        Self { found: PyDict::new(py) }
    }

    /// Adds those of entries with these fields.
    pub(crate) fn add_entries(&self, columns: AnyColumns, fields: &[Field]) -> PyResult<()> {
        match columns {
            AnyColumns::Record(records) => self.record("entry", records, fields),
            _ => Err(unlike("entry")),
        }
    }

    /// All buffers.
    pub(crate) fn found(self) -> Bound<'py, PyDict> {
        self.found
    }

    fn put<T: Element>(&self, key: &str, attribute: &str, values: Vec<T>) -> PyResult<()> {
        self.found.set_item(format!("{key}-{attribute}"), PyArray1::from_vec(self.found.py(), values))
    }

    fn record(&self, key: &str, records: AnyRecords, members: &[Field]) -> PyResult<()> {
        let (names, mut columns) = records.into_parts();
        for member in members {
            let place = names.iter().position(|name| name == member.name());
            let column = place.and_then(|place| columns.get_mut(place)).map(std::mem::take);
            self.values(
                &format!("{key}.{}", member.name()),
                column.unwrap_or_default(),
                member.field_type(),
            )?;
        }
        Ok(())
    }

    /// The buffers of the values of a field.
    fn values(&self, key: &str, columns: AnyColumns, field_type: &FieldType) -> PyResult<()> {
        let below = |name: &str| format!("{key}.{name}");
        match (field_type.shape(), columns) {
            (Shape::Around(value), columns) => self.values(key, columns, value.field_type()),
            (Shape::Cardinality, AnyColumns::U64(sizes)) if is_small(field_type) => {
                let sizes = sizes.into_iter().map(u32::try_from).collect::<Result<Vec<_>, _>>();
                self.put(key, "data", sizes.map_err(|_| unlike(key))?)
            }
            (Shape::Scalar(_) | Shape::Cardinality, columns) => self.numbers(key, columns),
            (Shape::String | Shape::Streamed, AnyColumns::String(lists) | AnyColumns::Streamed(lists)) => {
                let (offsets, bytes) = lists.into_parts();
                self.put(key, "offsets", offsets)?;
                self.put(&below("bytes"), "data", bytes)
            }
            (Shape::String | Shape::Streamed, columns) if columns.is_empty() => {
                self.put(key, "offsets", vec![0u64])?;
                self.put(&below("bytes"), "data", Vec::<u8>::new())
            }
            (Shape::Collection(item), AnyColumns::List(lists)) => {
                let (offsets, items) = lists.into_parts();
                self.put(key, "offsets", offsets)?;
                self.values(&below(item.name()), items, item.field_type())
            }
            (Shape::Collection(item), columns) if columns.is_empty() => {
                self.put(key, "offsets", vec![0u64])?;
                self.values(&below(item.name()), columns, item.field_type())
            }
            (Shape::Optional(value), AnyColumns::Option(options)) if has_nulls(value.field_type()) => {
                let (offsets, values) = options.into_parts();
                self.put(key, "offsets", offsets)?;
                self.values(&below(value.name()), values, value.field_type())
            }
            (Shape::Optional(value), columns) if columns.is_empty() && has_nulls(value.field_type()) => {
                self.put(key, "offsets", vec![0u64])?;
                self.values(&below(value.name()), AnyColumns::Empty, value.field_type())
            }
            (Shape::Optional(value), columns) => self.option(key, columns, value, false),
            (Shape::Array(_, item), AnyColumns::Array(arrays)) => {
                self.values(&below(item.name()), arrays.into_items(), item.field_type())
            }
            (Shape::Array(_, item), columns) if columns.is_empty() => {
                self.values(&below(item.name()), columns, item.field_type())
            }
            (Shape::Bits(_), AnyColumns::Array(arrays)) => self.numbers(&below("_0"), arrays.into_items()),
            (Shape::Bits(_), columns) if columns.is_empty() => self.numbers(&below("_0"), columns),
            (Shape::Record(members), AnyColumns::Record(records)) => self.record(key, records, members),
            (Shape::Record(members), columns) if columns.is_empty() => {
                members.iter().try_for_each(|member| {
                    self.values(&below(member.name()), AnyColumns::default(), member.field_type())
                })
            }
            (Shape::Variant(alternatives), AnyColumns::Variant(variants)) => {
                self.variants(key, variants, alternatives)
            }
            (Shape::Variant(alternatives), columns) if columns.is_empty() => {
                self.variants(key, AnyVariants::default(), alternatives)
            }
            _ => Err(unlike(key)),
        }
    }

    /// Options, and one more that has no value if there is to be `another`.
    fn option(&self, key: &str, columns: AnyColumns, value: &Field, another: bool) -> PyResult<()> {
        let (offsets, values) = match columns {
            AnyColumns::Option(options) => options.into_parts(),
            columns if columns.is_empty() => (vec![0], AnyColumns::Empty),
            _ => return Err(unlike(key)),
        };
        let index = offsets.windows(2).map(|pair| match pair {
            [start, end] if start < end => i64::try_from(*start).unwrap_or(-1),
            _ => -1,
        });
        self.put(key, "index", index.chain(another.then_some(-1)).collect())?;
        self.values(&format!("{key}.{}", value.name()), values, value.field_type())
    }

    fn variants(&self, key: &str, variants: AnyVariants, alternatives: &[Field]) -> PyResult<()> {
        // What has no value is the null after the values of the first alternative.
        let none = variants.alternatives().first().map_or(0, |first| first.len());
        let (mut tags, mut positions) = (Vec::new(), Vec::new());
        for place in variants.positions() {
            let (number, position) = place.unwrap_or((0, none));
            tags.push(i8::try_from(number).map_err(|_| unlike(key))?);
            positions.push(position as u64);
        }
        self.put(key, "tags", tags)?;
        self.put(key, "index", positions)?;
        let columns = variants.into_alternatives().into_iter().chain(std::iter::repeat(AnyColumns::Empty));
        for (number, (alternative, columns)) in alternatives.iter().zip(columns).enumerate() {
            self.alternative(
                &format!("{key}.{}", alternative.name()),
                columns,
                alternative.field_type(),
                number == 0,
            )?;
        }
        Ok(())
    }

    /// The values of an alternative as options, and one more without a value if there is to be `another`.
    fn alternative(
        &self,
        key: &str,
        columns: AnyColumns,
        field_type: &FieldType,
        another: bool,
    ) -> PyResult<()> {
        match field_type.shape() {
            Shape::Around(value) => self.alternative(key, columns, value.field_type(), another),
            Shape::Optional(value) if is_own_option(field_type) => self.option(key, columns, value, another),
            _ => {
                let count = i64::try_from(columns.len()).map_err(|_| unlike(key))?;
                self.put(&option_key(key), "index", (0..count).chain(another.then_some(-1)).collect())?;
                if is_variant(field_type) {
                    self.put(&list_key(key), "offsets", (0..=count).collect())?;
                }
                self.values(key, columns, field_type)
            }
        }
    }

    fn numbers(&self, key: &str, columns: AnyColumns) -> PyResult<()> {
        match columns {
            AnyColumns::Bool(values) => self.put(key, "data", values),
            AnyColumns::I8(values) => self.put(key, "data", values),
            AnyColumns::U8(values) => self.put(key, "data", values),
            AnyColumns::I16(values) => self.put(key, "data", values),
            AnyColumns::U16(values) => self.put(key, "data", values),
            AnyColumns::I32(values) => self.put(key, "data", values),
            AnyColumns::U32(values) => self.put(key, "data", values),
            AnyColumns::I64(values) => self.put(key, "data", values),
            AnyColumns::U64(values) => self.put(key, "data", values),
            AnyColumns::F32(values) => self.put(key, "data", values),
            AnyColumns::F64(values) => self.put(key, "data", values),
            AnyColumns::Empty => self.put(key, "data", Vec::<u8>::new()),
            _ => Err(unlike(key)),
        }
    }
}

/// The values are not those of the schema.
fn unlike(key: &str) -> PyErr {
    let message = "the values are not of the type that the schema says";
    exception(Error::new(ErrorKind::SchemaMismatch, message).in_field(key))
}
