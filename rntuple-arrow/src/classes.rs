//! Records inside of types of C++, where the format needs a class.

use rntuple::schema::{Field, FieldType, Shape, split_template};

/// The field with a class for each record in it that has none. The names of these classes are made of those of the fields.
pub(crate) fn with_classes(field: Field, name: &str) -> Field {
    if !has_record(field.field_type()) {
        return field;
    }
    let field_type = field.field_type();
    let own = field_type.to_string();
    let inside = |part: &Field| with_classes(part.clone(), name);
    let template = |arguments: Vec<Field>| {
        let template = split_template(&own).map_or("std::vector", |(template, _)| template);
        FieldType::template(template, arguments).ok()
    };
    let classed = match field_type.shape() {
        Shape::Record(members) => {
            let members: Vec<Field> =
                members.iter().map(|member| with_classes(member.clone(), member.name())).collect();
            match (&*own, split_template(&own)) {
                ("", _) => Some(FieldType::class(class_name(name, &members), members)),
                (_, Some(_)) => template(members),
                (class, None) => Some(FieldType::class(class, members)),
            }
        }
        // A map has the members of its pairs.
        Shape::Collection(pair)
            if split_template(&own).is_some_and(|(_, arguments)| arguments.len() == 2) =>
        {
            template(pair.field_type().subfields().iter().map(inside).collect())
        }
        Shape::Collection(item) | Shape::Optional(item) => template(vec![inside(item)]),
        Shape::Array(size, item) => Some(FieldType::array(inside(item), *size)),
        Shape::Variant(alternatives) => template(alternatives.iter().map(inside).collect()),
        _ => None,
    };
    match classed {
        Some(classed) => field.with_type(classed),
        None => field,
    }
}

/// Whether there is a record without a class in it.
fn has_record(field_type: &FieldType) -> bool {
    let is_one = matches!(field_type.shape(), Shape::Record(_)) && field_type.to_string().is_empty();
    is_one || field_type.subfields().iter().any(|field| has_record(field.field_type()))
}

/// A name for the class of such a record: two records that differ have two names.
fn class_name(name: &str, members: &[Field]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    // FNV-1a: the same for the same members, in every run.
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for byte in format!("{members:?}").bytes() {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("Arrow_{name}_{:08x}", hash >> 32)
}
