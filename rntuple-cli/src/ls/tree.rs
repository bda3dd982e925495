//! The fields of an ntuple as a tree.

use rntuple::schema::{ColumnId, FieldDescriptor, FieldId, Schema};

use super::compression::Codecs;
use crate::text::{Table, printable};

/// Name, type, role, columns, remarks: one row for each field.
pub(super) fn fields(schema: &Schema, compression: &Codecs) -> Table {
    let mut table = Table::default();
    for &id in schema.top_level() {
        row(schema, compression, id, String::new(), &mut table);
        below(schema, compression, id, "", &mut table);
    }
    table
}

/// The fields of an attribute set: where it is one, only what its user has put there.
pub(super) fn attributes(schema: &Schema, compression: &Codecs) -> Table {
    let Some(user_data) = schema.top_level_named("_userData") else { return fields(schema, compression) };
    let mut table = Table::default();
    for &id in schema.children(user_data) {
        row(schema, compression, id, String::new(), &mut table);
        below(schema, compression, id, "", &mut table);
    }
    table
}

/// The depth of a schema is limited when it is read.
fn below(schema: &Schema, compression: &Codecs, id: FieldId, indent: &str, table: &mut Table) {
    let children = schema.children(id);
    for (number, &child) in children.iter().enumerate() {
        let (branch, next) =
            if number + 1 == children.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        row(schema, compression, child, format!("{indent}{branch}"), table);
        below(schema, compression, child, &format!("{indent}{next}"), table);
    }
}

fn row(schema: &Schema, compression: &Codecs, id: FieldId, branch: String, table: &mut Table) {
    let Some(field) = schema.field(id) else { return };
    let cells = [
        branch + &printable(&field.name),
        type_name(field),
        field.role.name().to_owned(),
        columns(schema, compression, id),
        remarks(schema, field),
    ];
    table.row(cells);
}

fn type_name(field: &FieldDescriptor) -> String {
    let name = match &*field.type_name {
        "" => "(untyped)".into(),
        name => printable(name),
    };
    match &*field.type_alias {
        "" => name.into_owned(),
        alias => format!("{name} ({})", printable(alias)),
    }
}

/// `SplitIndex64[64] Char[8] | Index32[32] Char[8]`: two representations.
fn columns(schema: &Schema, compression: &Codecs, id: FieldId) -> String {
    let lists = schema.representations(id).iter();
    let lists = lists.map(|columns| {
        columns.iter().map(|&id| column(schema, compression, id)).collect::<Vec<_>>().join(" ")
    });
    let text = lists.collect::<Vec<_>>().join(" | ");
    if text.is_empty() { "-".to_owned() } else { text }
}

fn column(schema: &Schema, compression: &Codecs, id: ColumnId) -> String {
    let Some(column) = schema.column(id) else { return String::new() };
    let name = match column.column_type() {
        Some(known) => known.name().to_owned(),
        None => format!("{:#06x}", column.type_code),
    };
    let range = column.range.map(|(min, max)| format!(", {min}..{max}")).unwrap_or_default();
    let deferred = match column.first_element {
        Some(first) if first < 0 => ", suppressed at first".to_owned(),
        Some(first) => format!(", from element {first}"),
        None => String::new(),
    };
    let compression = compression.of_column(id).map(|text| format!(", {text}")).unwrap_or_default();
    format!("{name}[{}{range}{deferred}{compression}]", column.bits)
}

fn remarks(schema: &Schema, field: &FieldDescriptor) -> String {
    let mut remarks = Vec::new();
    if let Some(source) = field.projection_source {
        remarks.push(format!("projects {}", printable(&schema.path(source))));
    }
    if field.is_soa {
        remarks.push("struct of arrays".to_owned());
    }
    if !field.description.is_empty() {
        remarks.push(format!("\"{}\"", printable(&field.description)));
    }
    remarks.join(", ")
}

#[cfg(test)]
mod tests {
    use rntuple::schema::{AliasColumn, ColumnDescriptor, Role};

    use super::*;

    #[test]
    fn a_tree_has_branches_and_all_representations() {
        let mut fields = vec![
            FieldDescriptor::new(None, Role::Collection, "muons", ""),
            FieldDescriptor::new(Some(FieldId(0)), Role::Record, "_0", "Muon"),
            FieldDescriptor::new(Some(FieldId(1)), Role::Plain, "pt", "float"),
            FieldDescriptor::new(Some(FieldId(1)), Role::Plain, "q", "float"),
            FieldDescriptor::new(None, Role::Plain, "nMuon", "ROOT::RNTupleCardinality<std::uint32_t>"),
        ];
        fields[2].description = "GeV".to_owned();
        fields[4].projection_source = Some(FieldId(0));
        let mut columns = [(0x1b, 64, 0), (0x18, 32, 2), (0x1d, 8, 3), (0x0b, 16, 2)]
            .map(|(code, bits, field)| ColumnDescriptor::new(code, bits, FieldId(field)));
        columns[2].range = Some((-2.0, 3.5));
        (columns[3].representation, columns[3].first_element) = (1, Some(-7));
        let aliases = vec![AliasColumn::new(ColumnId(0), FieldId(4))];
        let schema = Schema::build(fields, columns.into(), aliases, vec![], &|_| Ok(true)).unwrap();
        let wanted = "\
muons     (untyped)                                collection  SplitIndex64[64]
└─ _0     Muon                                     record      -
   ├─ pt  float                                    plain       SplitReal32[32] | Real16[16, suppressed at first]  \"GeV\"
   └─ q   float                                    plain       Real32Quant[8, -2..3.5]
nMuon     ROOT::RNTupleCardinality<std::uint32_t>  plain       SplitIndex64[64]                                   projects muons
";
        assert_eq!(super::fields(&schema, &Codecs::default()).lines(""), wanted);
    }
}
