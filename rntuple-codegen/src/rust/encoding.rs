//! Encodings that writing would not choose by itself, as attributes of members.

use rntuple::encoding::ColumnType;
use rntuple::schema::FieldId;

use crate::model::{Model, Type};
use crate::scalar::{self, Scalar};

/// The attribute for a member that is floating point, or is made of such: one for all of it, or none.
pub(super) fn of(model: &Model<'_>, field: FieldId) -> Option<String> {
    let mut found: Option<Option<String>> = None;
    let mut stack = vec![field];
    while let Some(field) = stack.pop() {
        match model.get(model.of_field(field)) {
            Type::Scalar(scalar @ (Scalar::F32 | Scalar::F64 | Scalar::Double32)) => {
                let own = of_scalar(model, field, *scalar);
                if found.get_or_insert_with(|| own.clone()) != &own {
                    return None;
                }
            }
            Type::Collection(..) | Type::Array(..) | Type::Atomic(_) | Type::Tuple { .. } => {
                stack.extend(model.schema.children(field));
            }
            // What is said of a member is said of all below it, but their members speak for themselves.
            Type::Record(_) | Type::Variant(_) | Type::Opaque(_) | Type::Unreadable(_) => return None,
            _ => {}
        }
    }
    found.flatten()
}

fn of_scalar(model: &Model<'_>, field: FieldId, scalar: Scalar) -> Option<String> {
    let schema = model.schema;
    let column_type = scalar::column_type(schema, field)?;
    let column = schema.column(*schema.representations(field).first()?.first()?)?;
    let bits = column.bits;
    match column_type {
        ColumnType::Real16 => Some("f16".to_owned()),
        ColumnType::Real32Trunc if column_type.bit_range().contains(&bits) => {
            Some(format!("truncate(bits = {bits})"))
        }
        ColumnType::Real32Quant if column_type.bit_range().contains(&bits) => {
            let (min, max) = column.range?;
            let is_range = min < max && (max - min).is_finite();
            let is_number = |end: f64| end == 0.0 || end.is_normal();
            (is_range && is_number(min) && is_number(max))
                .then(|| format!("quantize(bits = {bits}, min = {min:?}, max = {max:?})"))
        }
        ColumnType::Real32 | ColumnType::SplitReal32 => match scalar {
            Scalar::F64 => Some(format!("encoding = \"{}\"", column_type.name())),
            Scalar::Double32 => Some("double32".to_owned()),
            _ => None,
        },
        _ => None,
    }
}
