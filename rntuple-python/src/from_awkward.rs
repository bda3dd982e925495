//! Arrays of Awkward Array and NumPy as arrays of Arrow: the way back from [buffers](crate::buffers).

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, DurationMicrosecondType, DurationMillisecondType, DurationNanosecondType,
    DurationSecondType, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array, ArrayRef, BooleanArray, FixedSizeListArray, GenericBinaryArray, GenericListArray,
    GenericStringArray, Int64Array, NullArray, PrimitiveArray, RecordBatch, RecordBatchOptions, StructArray,
    UnionArray,
};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{Field, Fields, Schema, UnionFields};
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3_arrow::PyRecordBatch;
use pyo3_arrow::input::AnyArray;
use serde_json::Value;

/// A column: an array of Arrow, or the form, the length and the buffers of one.
#[derive(FromPyObject)]
pub(crate) enum Column<'py> {
    Buffers(String, usize, Bound<'py, PyDict>),
    Arrow(AnyArray),
}

/// A record batch of columns of these names.
#[pyfunction]
pub(crate) fn record_batch(names: Vec<String>, columns: Vec<Column<'_>>) -> PyResult<PyRecordBatch> {
    let mut fields = Vec::new();
    let mut arrays = Vec::new();
    for (name, column) in names.iter().zip(columns) {
        let (array, is_nullable) = match column {
            Column::Buffers(form, length, buffers) => {
                let form: Value =
                    serde_json::from_str(&form).map_err(|error| refused(name, &error.to_string()))?;
                Part { form: &form, path: name, buffers: &buffers }.array(length)?
            }
            Column::Arrow(array) => {
                let (chunks, field) = array.into_chunked_array()?.into_inner();
                let chunks: Vec<&dyn Array> = chunks.iter().map(AsRef::as_ref).collect();
                let array = match &chunks[..] {
                    [] => arrow_array::new_empty_array(field.data_type()),
                    chunks => arrow_select::concat::concat(chunks)
                        .map_err(|error| refused(name, &error.to_string()))?,
                };
                (array, field.is_nullable())
            }
        };
        let length = arrays.first().map_or(array.len(), |first: &ArrayRef| first.len());
        if array.len() != length {
            let message = format!("{name}: the column has {} values, and others have {length}", array.len());
            return Err(PyValueError::new_err(message));
        }
        fields.push(Field::new(name, array.data_type().clone(), is_nullable));
        arrays.push(array);
    }
    let options = RecordBatchOptions::new().with_row_count(Some(arrays.first().map_or(0, Array::len)));
    let batch = RecordBatch::try_new_with_options(Arc::new(Schema::new(fields)), arrays, &options);
    batch.map(PyRecordBatch::new).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn refused(path: &str, why: &str) -> PyErr {
    PyTypeError::new_err(format!("{path}: {why}"))
}

/// A part of an array.
#[derive(Clone, Copy)]
struct Part<'a, 'py> {
    form: &'a Value,
    path: &'a str,
    buffers: &'a Bound<'py, PyDict>,
}

impl<'a> Part<'a, '_> {
    fn refused(&self, why: &str) -> PyErr {
        refused(self.path, why)
    }

    fn text(&self, key: &str) -> &'a str {
        self.form.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    fn part(self, form: &'a Value, path: &'a str) -> Self {
        Self { form, path, ..self }
    }

    fn content(self) -> PyResult<Self> {
        let content = self.form.get("content").ok_or_else(|| self.refused("the form has no content"))?;
        Ok(self.part(content, self.path))
    }

    fn contents(&self) -> &'a [Value] {
        self.form.get("contents").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// A buffer that has exactly this type.
    fn buffer<T: Element>(&self, attribute: &str) -> PyResult<Vec<T>> {
        let key = format!("{}-{attribute}", self.text("form_key"));
        let found =
            self.buffers.get_item(&key)?.ok_or_else(|| self.refused(&format!("there is no buffer {key}")))?;
        let array = found
            .cast::<PyArray1<T>>()
            .map_err(|_| self.refused("a buffer is not of the type of the form"))?;
        Ok(array.to_vec()?)
    }

    /// A buffer of integers, of the type that the form has for it.
    fn integers(&self, attribute: &str) -> PyResult<Vec<i64>> {
        Ok(match self.text(attribute) {
            "i8" => self.buffer::<i8>(attribute)?.into_iter().map(i64::from).collect(),
            "u8" => self.buffer::<u8>(attribute)?.into_iter().map(i64::from).collect(),
            "i32" => self.buffer::<i32>(attribute)?.into_iter().map(i64::from).collect(),
            "u32" => self.buffer::<u32>(attribute)?.into_iter().map(i64::from).collect(),
            _ => self.buffer::<i64>(attribute)?,
        })
    }

    /// The array of this many values, of which the buffers may have more, and whether its values may be null.
    fn array(self, length: usize) -> PyResult<(ArrayRef, bool)> {
        let by_arrow = |error: arrow_schema::ArrowError| self.refused(&error.to_string());
        Ok(match self.text("class") {
            "NumpyArray" => {
                let numbers = self.numbers(length)?;
                let is_nullable = numbers.null_count() > 0;
                (numbers, is_nullable)
            }
            "EmptyArray" => (Arc::new(NullArray::new(length)), true),
            "ListOffsetArray" => (self.lists(length)?, false),
            "RegularArray" => {
                let size = self.form.get("size").and_then(Value::as_u64).unwrap_or_default();
                let size = i32::try_from(size).map_err(|_| self.refused("an array has too many items"))?;
                let (items, is_nullable) =
                    self.content()?.array(length.saturating_mul(size.unsigned_abs() as usize))?;
                let field = Arc::new(Field::new("item", items.data_type().clone(), is_nullable));
                let lists = FixedSizeListArray::try_new_with_length(field, size, items, None, length);
                (Arc::new(lists.map_err(by_arrow)?), false)
            }
            "RecordArray" => {
                let names = self.form.get("fields").and_then(Value::as_array);
                let mut fields = Vec::new();
                let mut columns = Vec::new();
                for (number, form) in self.contents().iter().enumerate() {
                    let name = names.and_then(|names| names.get(number)).and_then(Value::as_str);
                    let name = name.map_or_else(|| format!("_{number}"), str::to_owned);
                    let (array, is_nullable) =
                        self.part(form, &format!("{}.{name}", self.path)).array(length)?;
                    fields.push(Field::new(name, array.data_type().clone(), is_nullable));
                    columns.push(array);
                }
                let records = StructArray::try_new_with_length(Fields::from(fields), columns, None, length);
                (Arc::new(records.map_err(by_arrow)?), false)
            }
            "UnionArray" => (self.union(length)?, false),
            "UnmaskedArray" => (self.content()?.array(length)?.0, true),
            "IndexedArray" => self.content()?.of_index(&self.positions(length)?)?,
            "IndexedOptionArray" => (self.content()?.of_index(&self.positions(length)?)?.0, true),
            "ByteMaskedArray" => {
                let mask = self.buffer::<i8>("mask")?;
                let valid = self.form.get("valid_when").and_then(Value::as_bool).unwrap_or(true);
                let is_valid = mask.iter().map(|byte| (*byte != 0) == valid);
                (self.content()?.masked(length, is_valid)?, true)
            }
            "BitMaskedArray" => {
                let mask = self.buffer::<u8>("mask")?;
                let flag = |key| self.form.get(key).and_then(Value::as_bool).unwrap_or(true);
                let (valid, is_low_first) = (flag("valid_when"), flag("lsb_order"));
                let bits = mask.iter().flat_map(|byte| {
                    (0..8).map(move |bit| byte >> if is_low_first { bit } else { 7 - bit } & 1 != 0)
                });
                (self.content()?.masked(length, bits.map(|bit| bit == valid))?, true)
            }
            other => return Err(self.refused(&format!("arrays of the class {other:?} are not written"))),
        })
    }

    /// The positions of this many values.
    fn positions(&self, length: usize) -> PyResult<Vec<i64>> {
        let mut index = self.integers("index")?;
        if index.len() < length {
            return Err(self.refused("a buffer is too short"));
        }
        index.truncate(length);
        Ok(index)
    }

    /// The values at these positions; none where the position is negative.
    fn of_index(self, index: &[i64]) -> PyResult<(ArrayRef, bool)> {
        let length = index.iter().max().map_or(0, |last| usize::try_from(last + 1).unwrap_or_default());
        let (values, is_nullable) = self.array(length)?;
        let index = Int64Array::from_iter(index.iter().map(|position| (*position >= 0).then_some(*position)));
        let taken = arrow_select::take::take(&values, &index, None);
        Ok((taken.map_err(|error| self.refused(&error.to_string()))?, is_nullable))
    }

    /// Values of which some count.
    fn masked(self, length: usize, is_valid: impl Iterator<Item = bool>) -> PyResult<ArrayRef> {
        let index = (0i64..).zip(is_valid.take(length)).map(|(place, valid)| if valid { place } else { -1 });
        Ok(self.of_index(&index.collect::<Vec<_>>())?.0)
    }

    fn lists(self, length: usize) -> PyResult<ArrayRef> {
        let mut offsets = self.integers("offsets")?;
        // There are more lists where the last ones are masked.
        offsets.truncate(length.saturating_add(1));
        let is_in_order = offsets.is_sorted() && offsets.first() == Some(&0) && offsets.len() == length + 1;
        let end = offsets.last().and_then(|end| usize::try_from(*end).ok());
        let (true, Some(end)) = (is_in_order, end) else {
            return Err(self.refused("the offsets are not those of packed lists"));
        };
        let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
        let kind = self.form.pointer("/parameters/__array__").and_then(Value::as_str);
        let by_arrow = |error: arrow_schema::ArrowError| self.refused(&error.to_string());
        Ok(match kind {
            Some("string") => {
                let bytes = Buffer::from_vec(self.content()?.data::<u8>(end)?);
                Arc::new(GenericStringArray::<i64>::try_new(offsets, bytes, None).map_err(by_arrow)?)
            }
            Some("bytestring") => {
                let bytes = Buffer::from_vec(self.content()?.data::<u8>(end)?);
                Arc::new(GenericBinaryArray::<i64>::try_new(offsets, bytes, None).map_err(by_arrow)?)
            }
            _ => {
                let (items, is_nullable) = self.content()?.array(end)?;
                let field = Arc::new(Field::new("item", items.data_type().clone(), is_nullable));
                Arc::new(GenericListArray::<i64>::try_new(field, offsets, items, None).map_err(by_arrow)?)
            }
        })
    }

    /// Each alternative's values become those that are used, in their order.
    fn union(self, length: usize) -> PyResult<ArrayRef> {
        let mut tags = self.buffer::<i8>("tags")?;
        tags.truncate(length);
        let index = self.positions(length)?;
        let mut offsets = Vec::with_capacity(tags.len());
        let mut own = vec![Vec::new(); self.contents().len()];
        for (tag, position) in tags.iter().zip(index) {
            let list = usize::try_from(*tag).ok().and_then(|tag| own.get_mut(tag));
            let list = list.ok_or_else(|| self.refused("there is no such alternative"))?;
            offsets.push(i32::try_from(list.len()).map_err(|_| self.refused("there are too many values"))?);
            list.push(position);
        }
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        for (number, (form, index)) in self.contents().iter().zip(own).enumerate() {
            let name = format!("_{number}");
            let path = format!("{}.{name}", self.path);
            let (values, is_nullable) = self.part(form, &path).of_index(&index)?;
            fields.push(Field::new(name, values.data_type().clone(), is_nullable));
            columns.push(values);
        }
        let ids = (0i8..).take(fields.len());
        let fields = UnionFields::try_new(ids, fields).map_err(|error| self.refused(&error.to_string()))?;
        let union =
            UnionArray::try_new(fields, ScalarBuffer::from(tags), Some(ScalarBuffer::from(offsets)), columns);
        Ok(Arc::new(union.map_err(|error| self.refused(&error.to_string()))?))
    }

    /// The data of numbers, of which there are this many or more.
    fn data<T: Element>(&self, length: usize) -> PyResult<Vec<T>> {
        let mut data = self.buffer::<T>("data")?;
        if data.len() < length {
            return Err(self.refused("a buffer is too short"));
        }
        data.truncate(length);
        Ok(data)
    }

    fn primitive<T: ArrowPrimitiveType<Native: Element>>(&self, length: usize) -> PyResult<ArrayRef> {
        let values = ScalarBuffer::from(self.data::<T::Native>(length)?);
        Ok(Arc::new(PrimitiveArray::<T>::new(values, None::<NullBuffer>)))
    }

    /// Times, of which the smallest integer is none: `NaT`.
    fn times<T: ArrowPrimitiveType<Native = i64>>(&self, length: usize) -> PyResult<ArrayRef> {
        let times = self.data::<i64>(length)?;
        let nulls = times.contains(&i64::MIN).then(|| times.iter().map(|time| *time != i64::MIN).collect());
        Ok(Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(times), nulls)))
    }

    fn numbers(&self, length: usize) -> PyResult<ArrayRef> {
        match self.text("primitive") {
            "bool" => Ok(Arc::new(BooleanArray::from(self.data::<bool>(length)?))),
            "int8" => self.primitive::<Int8Type>(length),
            "uint8" => self.primitive::<UInt8Type>(length),
            "int16" => self.primitive::<Int16Type>(length),
            "uint16" => self.primitive::<UInt16Type>(length),
            "int32" => self.primitive::<Int32Type>(length),
            "uint32" => self.primitive::<UInt32Type>(length),
            "int64" => self.primitive::<Int64Type>(length),
            "uint64" => self.primitive::<UInt64Type>(length),
            "float16" => self.primitive::<Float16Type>(length),
            "float32" => self.primitive::<Float32Type>(length),
            "float64" => self.primitive::<Float64Type>(length),
            "datetime64[s]" => self.times::<TimestampSecondType>(length),
            "datetime64[ms]" => self.times::<TimestampMillisecondType>(length),
            "datetime64[us]" => self.times::<TimestampMicrosecondType>(length),
            "datetime64[ns]" => self.times::<TimestampNanosecondType>(length),
            "timedelta64[s]" => self.times::<DurationSecondType>(length),
            "timedelta64[ms]" => self.times::<DurationMillisecondType>(length),
            "timedelta64[us]" => self.times::<DurationMicrosecondType>(length),
            "timedelta64[ns]" => self.times::<DurationNanosecondType>(length),
            other => Err(self.refused(&format!("the type {other} is not written"))),
        }
    }
}
