//! The schema for other programs: the tree as JSON or any other format of serde.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::{ColumnId, FieldId, Schema, UNVERSIONED};
use crate::encoding::ColumnType;

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("fields", &Fields { schema: self, ids: self.top_level() })?;
        if !self.hidden().is_empty() {
            map.serialize_entry("hidden", self.hidden())?;
        }
        map.end()
    }
}

/// Siblings.
struct Fields<'a> {
    schema: &'a Schema,
    ids: &'a [FieldId],
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.ids.iter().map(|id| Field { schema: self.schema, id: *id }))
    }
}

/// One field with all below it: the depth is limited when a schema is built.
struct Field<'a> {
    schema: &'a Schema,
    id: FieldId,
}

impl Serialize for Field<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { schema, id } = *self;
        let mut map = serializer.serialize_map(None)?;
        if let Some(field) = schema.field(id) {
            map.serialize_entry("id", &id)?;
            map.serialize_entry("name", &field.name)?;
            map.serialize_entry("type", &field.type_name)?;
            map.serialize_entry("role", &field.role)?;
            for (key, text) in [("type_alias", &field.type_alias), ("description", &field.description)] {
                if !text.is_empty() {
                    map.serialize_entry(key, text)?;
                }
            }
            match field.type_version {
                0 => {}
                UNVERSIONED => map.serialize_entry("type_version", &None::<u32>)?,
                version => map.serialize_entry("type_version", &version)?,
            }
            if let Some(size) = field.array_size {
                map.serialize_entry("array_size", &size)?;
            }
            if let Some(source) = field.projection_source {
                map.serialize_entry("projection_source", &source)?;
            }
            if let Some(checksum) = field.type_checksum {
                map.serialize_entry("type_checksum", &checksum)?;
            }
            if field.is_soa {
                map.serialize_entry("is_soa", &true)?;
            }
        }
        map.serialize_entry("columns", &Columns { schema, lists: schema.representations(id) })?;
        map.serialize_entry("children", &Fields { schema, ids: schema.children(id) })?;
        map.end()
    }
}

/// The columns of a field, or those that a projected field looks at.
struct Columns<'a> {
    schema: &'a Schema,
    lists: &'a [Vec<ColumnId>],
}

impl Serialize for Columns<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ids = self.lists.iter().flatten();
        serializer.collect_seq(ids.map(|id| Column { schema: self.schema, id: *id }))
    }
}

struct Column<'a> {
    schema: &'a Schema,
    id: ColumnId,
}

impl Serialize for Column<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("id", &self.id)?;
        if let Some(column) = self.schema.column(self.id) {
            map.serialize_entry("type", &column.column_type().map(ColumnType::name))?;
            map.serialize_entry("type_code", &column.type_code)?;
            map.serialize_entry("bits", &column.bits)?;
            map.serialize_entry("representation", &column.representation)?;
            if let Some(first) = column.first_element {
                map.serialize_entry("first_element", &first)?;
            }
            if let Some(range) = column.range {
                map.serialize_entry("range", &range)?;
            }
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::schema::{AliasColumn, ColumnDescriptor, ColumnId, FieldDescriptor, FieldId, Role, Schema};

    #[test]
    fn the_tree_has_what_the_records_say() {
        let mut fields = vec![
            FieldDescriptor::new(None, Role::Collection, "muons", "std::vector<Muon>"),
            FieldDescriptor::new(Some(FieldId(0)), Role::Record, "_0", "Muon"),
            FieldDescriptor::new(Some(FieldId(1)), Role::Plain, "pt", "float"),
            FieldDescriptor::new(None, Role::Plain, "nMuon", "ROOT::RNTupleCardinality<std::uint32_t>"),
            FieldDescriptor::new(None, Role::Unknown(9), "new", ""),
        ];
        (fields[1].type_version, fields[1].type_checksum) = (u32::MAX, Some(7));
        fields[2].description = "transverse momentum".into();
        fields[3].projection_source = Some(FieldId(0));
        let mut columns =
            vec![ColumnDescriptor::new(0x1b, 64, FieldId(0)), ColumnDescriptor::new(0x1d, 14, FieldId(2))];
        columns[1].range = Some((0.0, 1.5));
        let aliases = vec![AliasColumn::new(ColumnId(0), FieldId(3))];
        let schema = Schema::build(fields, columns, aliases, vec![], &|_| Ok(true)).unwrap();
        let offsets = json!([
            {"id": 0, "type": "SplitIndex64", "type_code": 27, "bits": 64, "representation": 0},
        ]);
        let pt = json!({
            "id": 2, "name": "pt", "type": "float", "role": "plain", "description": "transverse momentum",
            "columns": [{
                "id": 1, "type": "Real32Quant", "type_code": 29, "bits": 14,
                "representation": 0, "range": [0.0, 1.5],
            }],
            "children": [],
        });
        let muon = json!({
            "id": 1, "name": "_0", "type": "Muon", "role": "record",
            "type_version": null, "type_checksum": 7, "columns": [], "children": [pt],
        });
        let expected = json!({
            "fields": [
                {
                    "id": 0, "name": "muons", "type": "std::vector<Muon>", "role": "collection",
                    "columns": offsets, "children": [muon],
                },
                {
                    "id": 3, "name": "nMuon", "type": "ROOT::RNTupleCardinality<std::uint32_t>",
                    "role": "plain", "projection_source": 0, "columns": offsets, "children": [],
                },
            ],
            "hidden": [{"field": 4, "name": "new", "reason": "new has the unknown role 9"}],
        });
        assert_eq!(serde_json::to_value(&schema).unwrap(), expected);
    }

    #[test]
    fn the_deepest_tree_that_is_built_can_be_shown() {
        let parent = |id: u32| id.checked_sub(1).map(FieldId);
        let fields = (0..256).map(|id| FieldDescriptor::new(parent(id), Role::Record, "x", "")).collect();
        let schema = Schema::build(fields, vec![], vec![], vec![], &|_| Ok(true)).unwrap();
        assert_eq!(serde_json::to_string(&schema).unwrap().matches("\"role\":\"record\"").count(), 256);
    }
}
