//! Encodings that writing would not choose by itself, as attributes of members.

use rntuple::encoding::ColumnType;
use rntuple::schema::FieldId;

use crate::model::{Model, Type};
use crate::scalar::{self, Scalar};

/// The arguments of the attribute for a member that is floating point, or a collection of such.
pub(super) fn of(model: &Model<'_>, field: FieldId) -> Option<String> {
    let schema = model.schema;
    let mut field = field;
    let scalar = loop {
        match model.get(model.of_field(field)) {
            Type::Scalar(scalar @ (Scalar::F32 | Scalar::F64)) => break *scalar,
            Type::Collection(container, _) if !container.is_map() => {}
            Type::Array(..) | Type::Atomic(_) => {}
            _ => return None,
        }
        // The depth of a schema is bounded.
        field = *schema.children(field).first()?;
    };
    let column_type = scalar::column_type(schema, field)?;
    let column = schema.column(*schema.representations(field).first()?.first()?)?;
    let bits = column.bits;
    match column_type {
        ColumnType::Real16 => Some("f16".to_owned()),
        ColumnType::Real32Trunc if (10..=31).contains(&bits) => Some(format!("truncate(bits = {bits})")),
        ColumnType::Real32Quant if (1..=32).contains(&bits) => {
            let (min, max) = column.range?;
            let is_range = min < max && (max - min).is_finite();
            let is_number = |end: f64| end == 0.0 || end.is_normal();
            (is_range && is_number(min) && is_number(max))
                .then(|| format!("quantize(bits = {bits}, min = {min:?}, max = {max:?})"))
        }
        ColumnType::Real32 | ColumnType::SplitReal32 if scalar == Scalar::F64 => {
            Some(format!("encoding = \"{}\"", column_type.name()))
        }
        _ => None,
    }
}
