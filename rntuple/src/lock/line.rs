//! One field as one line.

use std::fmt::Write as _;

use crate::schema::{ColumnId, FieldDescriptor, FieldId, Role, Schema, enumerators};

/// `muons._0.pt: float as SplitReal32 [GeV]`.
pub(super) fn of(schema: &Schema, id: FieldId, field: &FieldDescriptor) -> String {
    let type_name = match (&*field.type_name, field.role) {
        ("", Role::Record) => "record",
        ("", role) => role.name(),
        (name, _) => name,
    };
    let mut line = format!("{}: {type_name}", schema.path(id));
    // Writing to a string does not fail.
    if field.type_version != 0 && field.type_version != u32::MAX {
        let _ = write!(line, ", version {}", field.type_version);
    }
    if let Some(size) = field.array_size {
        let _ = write!(line, ", size {size}");
    }
    match field.projection_source {
        Some(source) => {
            let _ = write!(line, ", view of {}", schema.path(source));
        }
        None => {
            let of_one = |columns: &Vec<ColumnId>| {
                columns.iter().map(|&id| column(schema, id)).collect::<Vec<_>>().join(" + ")
            };
            let all: Vec<String> = schema.representations(id).iter().map(of_one).collect();
            if !all.is_empty() {
                let _ = write!(line, " as {}", all.join(" | "));
            }
        }
    }
    if let Some(unit) = field.unit() {
        let _ = write!(line, " [{}]", unit.escape_debug());
    }
    if let Some(variants) = variants(schema, field) {
        let _ = write!(line, " ({})", variants.escape_debug());
    }
    line
}

/// What a description keeps of an enum's variants, by which readers notice that some have moved: the name of an
/// alternative, or `Left = 0, Right = 1` of the integers.
fn variants(schema: &Schema, field: &FieldDescriptor) -> Option<String> {
    let parent = field.parent.and_then(|parent| schema.field(parent));
    let alternative = parent.filter(|parent| parent.role == Role::Variant).map(|_| {
        let description = &*field.description;
        description.split_once(':').map_or(description, |(name, _)| name)
    });
    let list = enumerators::spelled(&field.enumerators());
    let both: Vec<&str> = alternative.into_iter().chain([&*list]).filter(|part| !part.is_empty()).collect();
    (!both.is_empty()).then(|| both.join(": "))
}

/// `Real32Quant(12 bits, -5..5)`; no bits where the type has only one width.
fn column(schema: &Schema, id: ColumnId) -> String {
    let Some(column) = schema.column(id) else { return String::new() };
    let Some(column_type) = column.column_type() else {
        return format!("{:#06x}({} bits)", column.type_code, column.bits);
    };
    let widths = column_type.bit_range();
    match column.range {
        Some((min, max)) => format!("{column_type}({} bits, {min}..{max})", column.bits),
        None if widths.start() != widths.end() => format!("{column_type}({} bits)", column.bits),
        None => column_type.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{AliasColumn, ColumnDescriptor};

    #[test]
    fn a_line_has_all_that_decides_what_a_reader_finds() {
        let mut fields = vec![
            FieldDescriptor::new(None, Role::Collection, "muons", ""),
            FieldDescriptor::new(Some(FieldId(0)), Role::Record, "_0", "Muon"),
            FieldDescriptor::new(Some(FieldId(1)), Role::Plain, "pt", "float"),
            FieldDescriptor::new(Some(FieldId(1)), Role::Plain, "q", "float"),
            FieldDescriptor::new(None, Role::Plain, "nMuon", "ROOT::RNTupleCardinality<std::uint32_t>"),
            FieldDescriptor::new(None, Role::Plain, "bits", "std::bitset<9>"),
            FieldDescriptor::new(None, Role::Record, "vertex", "Vertex"),
        ];
        fields[1].type_version = 3;
        fields[2].description = "Momentum [GeV]".to_owned();
        fields[4].projection_source = Some(FieldId(0));
        fields[5].array_size = Some(9);
        fields[6].type_version = u32::MAX;
        let mut columns = [(0x1b, 64, 0), (0x18, 32, 2), (0x1d, 8, 3), (0x1c, 16, 2), (0x00, 1, 5)]
            .map(|(code, bits, field)| ColumnDescriptor::new(code, bits, FieldId(field)));
        columns[2].range = Some((-2.0, 3.5));
        columns[3].representation = 1;
        let aliases = vec![AliasColumn::new(ColumnId(0), FieldId(4))];
        let schema = Schema::build(fields, columns.into(), aliases, vec![], &|_| Ok(true)).unwrap();
        let lines: Vec<String> = schema.fields().map(|(id, field)| of(&schema, id, field)).collect();
        let wanted = [
            "muons: collection as SplitIndex64",
            "muons._0: Muon, version 3",
            "muons._0.pt: float as SplitReal32 | Real32Trunc(16 bits) [GeV]",
            "muons._0.q: float as Real32Quant(8 bits, -2..3.5)",
            "nMuon: ROOT::RNTupleCardinality<std::uint32_t>, view of muons",
            "bits: std::bitset<9>, size 9 as Bit",
            "vertex: Vertex",
        ];
        assert_eq!(lines, wanted);
    }
}
