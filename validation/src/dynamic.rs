//! Values of a schema known only at run time in the form of the suite's documents: the schema says which lists
//! are maps or sets without an order, and which records are pairs.

use rntuple::Value;
use rntuple::schema::{FieldId, Schema};

use crate::json::Json;
use crate::show::{sorted, sorted_map};
use crate::{Result, Show};

/// An entry.
pub(crate) fn show(schema: &Schema, entry: &Value) -> Result<Json> {
    members(schema, &in_order(schema), entry).map(Json::Object)
}

/// The top-level fields as documents show them: projected ones behind what they show.
fn in_order(schema: &Schema) -> Vec<FieldId> {
    let mut order = schema.top_level().to_vec();
    let shown = |id: FieldId| {
        let mut above = schema.field(id)?.projection_source?;
        while let Some(parent) = schema.field(above)?.parent {
            above = parent;
        }
        order.iter().position(|other| *other == above)
    };
    let mut keys: Vec<_> =
        order.iter().enumerate().map(|(own, &id)| (shown(id).unwrap_or(own), own)).collect();
    keys.sort_unstable();
    order = keys.iter().filter_map(|(_, own)| order.get(*own).copied()).collect();
    order
}

fn members(schema: &Schema, fields: &[FieldId], record: &Value) -> Result<Vec<(String, Json)>> {
    let mut members = Vec::new();
    for &id in fields {
        let name = &schema.field(id).ok_or("a field that is not there")?.name;
        let value = record.get(name).ok_or_else(|| format!("no member `{name}`"))?;
        members.push((name.to_string(), field(schema, id, value)?));
    }
    Ok(members)
}

fn field(schema: &Schema, id: FieldId, value: &Value) -> Result<Json> {
    let descriptor = schema.field(id).ok_or("a field that is not there")?;
    let (name, children) = (&*descriptor.type_name, schema.children(id));
    let is = |template: &str| name.strip_prefix(template).is_some_and(|rest| rest.starts_with('<'));
    let child = |number: usize| children.get(number).copied().ok_or_else(|| format!("no subfield {number}"));
    Ok(match value {
        // What atomics and enums stand around has the type.
        Value::U8(_) if name != "char" && schema.representations(id).is_empty() && !children.is_empty() => {
            field(schema, child(0)?, value)?
        }
        Value::U8(value) if name == "char" => value.cast_signed().show(),
        Value::Bool(value) => value.show(),
        Value::I8(value) => value.show(),
        Value::U8(value) => value.show(),
        Value::I16(value) => value.show(),
        Value::U16(value) => value.show(),
        Value::I32(value) => value.show(),
        Value::U32(value) => value.show(),
        Value::I64(value) => value.show(),
        Value::U64(value) => value.show(),
        Value::F32(value) => value.show(),
        Value::F64(value) => value.show(),
        Value::String(text) => text.show(),
        // Printed with the highest first.
        Value::List(bits) if is("std::bitset") => {
            let bit = |bit: &Value| if *bit == Value::Bool(true) { '1' } else { '0' };
            Json::Text(bits.iter().rev().map(bit).collect())
        }
        Value::List(pairs) if is("std::map") || is("std::multimap") => {
            Json::Object(keyed(schema, child(0)?, pairs)?)
        }
        Value::List(pairs) if is("std::unordered_map") || is("std::unordered_multimap") => {
            sorted_map(keyed(schema, child(0)?, pairs)?)
        }
        Value::List(items) => {
            let item = child(0)?;
            let items = items.iter().map(|value| field(schema, item, value)).collect::<Result<_>>()?;
            let is_sorted = is("std::unordered_set") || is("std::unordered_multiset");
            if is_sorted { sorted(items) } else { Json::List(items) }
        }
        Value::Option(Some(value)) => field(schema, child(0)?, value)?,
        Value::Option(None) => None::<u8>.show(),
        Value::Record(_) => {
            let members = members(schema, children, value)?;
            if is("std::pair") || is("std::tuple") {
                Json::List(members.into_iter().map(|(_, value)| value).collect())
            } else {
                Json::Object(members)
            }
        }
        Value::Variant { tag, value: Some(value) } => {
            let number = usize::try_from(*tag)?.checked_sub(1).ok_or("a variant without an alternative")?;
            field(schema, child(number)?, value)?
        }
        other => return Err(format!("no document of the suite shows {other:?}").into()),
    })
}

/// The pairs of a map, by their keys.
fn keyed(schema: &Schema, pair: FieldId, pairs: &[Value]) -> Result<Vec<(String, Json)>> {
    let mut keyed = Vec::new();
    for value in pairs {
        let Json::List(items) = field(schema, pair, value)? else {
            return Err("a map whose items are no pairs".into());
        };
        match <[Json; 2]>::try_from(items) {
            Ok([Json::Text(key), value]) => keyed.push((key, value)),
            _ => return Err("a map whose keys are no strings".into()),
        }
    }
    Ok(keyed)
}
