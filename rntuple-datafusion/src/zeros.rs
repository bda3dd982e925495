//! Values that no one looks at.

use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{Array, ArrayRef, StructArray, make_array, new_null_array};
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_data::ArrayData;
use arrow_schema::{DataType, FieldRef};
use datafusion::common::Result;

/// Zeros of a field: members of structs of which a query does not ask. The memory is the same for all of them.
pub(crate) fn zeros(field: &FieldRef, count: usize) -> Result<ArrayRef> {
    let data_type = field.data_type();
    let data = || ArrayData::builder(data_type.clone()).len(count);
    let built = match data_type {
        DataType::Struct(members) => {
            let columns = members.iter().map(|member| zeros(member, count)).collect::<Result<Vec<_>>>()?;
            return Ok(Arc::new(StructArray::try_new_with_length(members.clone(), columns, None, count)?));
        }
        DataType::List(item) | DataType::Map(item, _) => {
            data().add_buffer(shared(4 * (count + 1))).add_child_data(zeros(item, 0)?.to_data())
        }
        DataType::LargeList(item) => {
            data().add_buffer(shared(8 * (count + 1))).add_child_data(zeros(item, 0)?.to_data())
        }
        DataType::FixedSizeList(item, size) => {
            let size = usize::try_from(*size).unwrap_or_default();
            data().add_child_data(zeros(item, size.saturating_mul(count))?.to_data())
        }
        DataType::Utf8 | DataType::Binary => data().add_buffer(shared(4 * (count + 1))).add_buffer(shared(0)),
        DataType::LargeUtf8 | DataType::LargeBinary => {
            data().add_buffer(shared(8 * (count + 1))).add_buffer(shared(0))
        }
        DataType::Boolean => data().add_buffer(shared(count.div_ceil(8))),
        DataType::FixedSizeBinary(size) => {
            data().add_buffer(shared(usize::try_from(*size).unwrap_or_default().saturating_mul(count)))
        }
        other => match other.primitive_width() {
            Some(width) => data().add_buffer(shared(width.saturating_mul(count))),
            None => return Ok(new_null_array(other, count)),
        },
    };
    Ok(make_array(built.build()?))
}

/// At least as many zero bytes as asked for.
fn shared(size: usize) -> Buffer {
    static ZEROS: Mutex<Option<Buffer>> = Mutex::new(None);
    let mut zeros = ZEROS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(zeros) = zeros.as_ref().filter(|zeros| zeros.len() >= size) {
        return zeros.slice_with_length(0, size);
    }
    let larger = Buffer::from(MutableBuffer::from_len_zeroed(size.next_power_of_two().max(1 << 16)));
    let part = larger.slice_with_length(0, size);
    *zeros = Some(larger);
    part
}
