//! The columns of a schema that is put together at run time.

use super::value::Value;
use super::writer::{AnyWriter, RecordWriter};
use crate::error::Error;
use crate::field::{ArrayWriter, CollectionWriter, FieldBuilder, StringWriter, VariantWriter, WriteField};
use crate::schema::{Field, FieldType, MOST_ALTERNATIVES, Scalar, Shape, TypeName};

/// An entry, whose fields the options say.
impl WriteField for Value {
    type Writer = AnyWriter;

    fn type_name() -> TypeName {
        TypeName::untyped("Value").without_class()
    }

    fn declare(field: &mut FieldBuilder<'_>) -> AnyWriter {
        let schema = field.values();
        let fields = schema.as_ref().map_or(&[][..], |schema| schema.fields());
        field.record(&Self::type_name());
        AnyWriter::Record(declare_members(fields, field))
    }
}

fn declare_members(fields: &[Field], record: &mut FieldBuilder<'_>) -> RecordWriter {
    let (views, written): (Vec<&Field>, Vec<&Field>) =
        fields.iter().partition(|field| field.source.is_some());
    let members = written.iter().map(|field| declare_in(field, record)).collect();
    for view in &views {
        let source = view.source.as_deref().unwrap_or_default();
        let text = format!("{} as a view of {source}", view.name);
        record.project_as(&view.name, text, source, |field| drop(declare(&view.field_type, field, true)));
    }
    RecordWriter {
        names: written.iter().map(|field| field.name.clone()).collect(),
        members,
        views: views.iter().map(|field| field.name.clone()).collect(),
    }
}

fn declare_in(field: &Field, parent: &mut FieldBuilder<'_>) -> AnyWriter {
    let mut builder = parent.subfield(&field.name);
    if field.source.is_some() {
        builder.fault(Error::invalid_argument("only fields of entries can be views of others"));
    }
    if !field.description.is_empty() {
        builder = builder.description(&field.description);
    }
    if let Some(unit) = &field.unit {
        builder = builder.unit(unit);
    }
    if field.is_double32 {
        builder = builder.double32();
    }
    if !field.representations.is_empty() {
        builder = builder.representations(field.representations.iter().copied().map(Ok));
    }
    declare(&field.field_type, &mut builder, false)
}

fn declare(field_type: &FieldType, field: &mut FieldBuilder<'_>, is_view: bool) -> AnyWriter {
    let name = &field_type.name;
    match &field_type.shape {
        Shape::Scalar(scalar) => {
            field.plain(name);
            declare_scalar(*scalar, field)
        }
        Shape::String => {
            field.plain(name);
            AnyWriter::String(StringWriter::of_columns(field))
        }
        Shape::Collection(item) | Shape::Optional(item) => {
            let writer = Box::new(CollectionWriter::declare_in(field, name, |field| declare_in(item, field)));
            match field_type.shape {
                Shape::Optional(_) => AnyWriter::Optional(writer),
                _ => AnyWriter::Collection(writer),
            }
        }
        Shape::Array(size, item) => {
            let size = declare_size(*size, name, field);
            AnyWriter::Array(Box::new(ArrayWriter { item: declare_in(item, field) }), size)
        }
        Shape::Bits(size) => {
            let size = declare_size(*size, name, field);
            AnyWriter::Array(Box::new(ArrayWriter { item: AnyWriter::Bool(field.column()) }), size)
        }
        Shape::Record(members) => {
            field.record(name);
            AnyWriter::Record(RecordWriter {
                names: members.iter().map(|member| member.name.clone()).collect(),
                members: members.iter().map(|member| declare_in(member, field)).collect(),
                views: Vec::new(),
            })
        }
        Shape::Variant(alternatives) => {
            if alternatives.len() > MOST_ALTERNATIVES {
                let message = format!("a variant has at most {MOST_ALTERNATIVES} alternatives");
                field.fault(Error::invalid_argument(message));
            }
            let switch = VariantWriter::declare_any(field, name, alternatives.len());
            let alternatives =
                alternatives.iter().map(|alternative| declare_in(alternative, field)).collect();
            AnyWriter::Variant(Box::new(switch), alternatives)
        }
        Shape::Around(item) => {
            field.plain(name);
            declare_in(item, field)
        }
        Shape::Cardinality => {
            field.plain(name);
            if !is_view {
                field.fault(Error::invalid_argument("the size of a collection can only be a view of it"));
            }
            nothing()
        }
        Shape::Streamed => {
            let message =
                "objects that ROOT's streamer wrote cannot be written as values; `merge` copies them";
            field.fault(Error::unsupported(message));
            nothing()
        }
    }
}

fn declare_size(size: u64, name: &TypeName, field: &mut FieldBuilder<'_>) -> usize {
    let items = usize::try_from(size).unwrap_or_else(|_| {
        field.fault(Error::limit(format!("an array of {size} items")));
        0
    });
    field.array(name, items);
    items
}

fn declare_scalar(scalar: Scalar, field: &mut FieldBuilder<'_>) -> AnyWriter {
    match scalar {
        Scalar::Bool => AnyWriter::Bool(field.column()),
        Scalar::Byte => AnyWriter::Byte(field.column()),
        Scalar::Char => AnyWriter::Char(field.column()),
        Scalar::I8 => AnyWriter::I8(field.column()),
        Scalar::U8 => AnyWriter::U8(field.column()),
        Scalar::I16 => AnyWriter::I16(field.column()),
        Scalar::U16 => AnyWriter::U16(field.column()),
        Scalar::I32 => AnyWriter::I32(field.column()),
        Scalar::U32 => AnyWriter::U32(field.column()),
        Scalar::I64 => AnyWriter::I64(field.column()),
        Scalar::U64 => AnyWriter::U64(field.column()),
        Scalar::F32 => AnyWriter::F32(field.column()),
        Scalar::F64 => AnyWriter::F64(field.column()),
    }
}

/// What takes the place of columns where there are none of its own.
fn nothing() -> AnyWriter {
    AnyWriter::Record(RecordWriter { names: [].into(), members: Vec::new(), views: Vec::new() })
}
