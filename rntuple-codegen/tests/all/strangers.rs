//! Whatever a schema says, source holds structs and enums, and nothing of a stranger's but names and comments.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use proptest::prelude::*;
use rntuple::schema::{ColumnDescriptor, FieldDescriptor, FieldId, Role, Schema};
use rntuple_codegen::{Options, cxx, rust};

/// A field: where it hangs, what it is, its name, type and description, and its columns.
type Part = (usize, u16, String, String, String, Option<u64>, Vec<u16>);

fn text() -> impl Strategy<Value = String> {
    #[rustfmt::skip]
    let piece = prop::sample::select(&[
        "pt", "_0", "_1", ":_0", "type", "self", "Self", "record", "class", "std", "ns", "::", "<", ">", ",", "\"", "\\", "\n",
        "\r", "*/", "/*", "//", "]", "}", "{", ";", "#", "'", "\u{202e}", "\u{2028}", "\0", " ", ".", "0", "Ä", "Δ", "= 1", ": ",
        "r#", "std::vector<", "std::map<", "std::pair<", "std::optional<", "std::bitset<", "std::atomic<", "std::tuple<",
        "float", "double", "std::int32_t", " [GeV]", "[", ":_2", "Double32_t", "std::string", "bool", "__", "-", "Entry", "Vec", "??/",
    ][..]);
    prop_oneof![
        4 => prop::collection::vec(piece, 0..5).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let columns =
        prop::collection::vec(prop::sample::select(&[0x00, 0x04, 0x10, 0x16, 0x18, 0x1b, 0x02][..]), 0..3);
    let size = prop::option::weighted(0.2, prop::sample::select(&[0, 1, 7, 1 << 20, u64::MAX][..]));
    (any::<usize>(), 0..6u16, text(), text(), text(), size, columns)
}

fn schema(parts: &[Part]) -> Option<Schema> {
    let (mut fields, mut columns) = (Vec::new(), Vec::new());
    for (number, (parent, role, name, ty, description, size, codes)) in parts.iter().enumerate() {
        let id = FieldId(u32::try_from(number).unwrap());
        let parent = parent % (number + 1);
        let parent = (parent < number).then(|| FieldId(u32::try_from(parent).unwrap()));
        let name = if name.is_empty() { "x" } else { name };
        let mut field = FieldDescriptor::new(parent, Role::from_code(*role), name, ty.as_str());
        field.description = description.clone();
        field.array_size = *size;
        // Some of each kind: no version, small and large ones.
        field.type_version = [0, 1, 7, 40_000, u32::MAX][(number + name.len()) % 5];
        field.type_alias = if ty.len() % 2 == 0 { "Double32_t" } else { ty }.to_owned();
        fields.push(field);
        columns.extend(codes.iter().map(|code| ColumnDescriptor::new(*code, 32, id)));
    }
    Schema::build(fields, columns, vec![], vec![], &|_| Ok(true)).ok()
}

/// Items, fields and variants alone, and no attribute that was not meant.
fn check_rust(source: &str) {
    let file = syn::parse_file(source).unwrap_or_else(|error| panic!("{error}:\n{source}"));
    assert!(file.attrs.is_empty());
    let check = |attributes: &[syn::Attribute]| {
        for attribute in attributes {
            let name = attribute.path().segments[0].ident.to_string();
            let is_known = ["doc", "derive", "rntuple", "allow", "repr", "rustfmt"].contains(&&*name);
            assert!(is_known, "{name}:\n{source}");
        }
    };
    for item in &file.items {
        match item {
            syn::Item::Struct(item) => {
                check(&item.attrs);
                item.fields.iter().for_each(|field| check(&field.attrs));
            }
            syn::Item::Enum(item) => {
                check(&item.attrs);
                item.variants.iter().for_each(|variant| check(&variant.attrs));
            }
            _ => panic!("{source}"),
        }
    }
}

/// Outside comments, only what declarations are made of, with brackets that close.
fn check_cxx(source: &str) {
    let mut open = Vec::new();
    for line in source.lines() {
        let code = line.split("//").next().unwrap();
        // A comment must not continue on the next line.
        assert!(!line.ends_with('\\') && !line.ends_with("??/"), "{source}");
        if code.starts_with('#') {
            let starts = ["#pragma once", "#include <", "#pragma link ", "#ifdef __CLING__", "#endif"];
            assert!(starts.iter().any(|start| code.starts_with(start)), "{source}");
            continue;
        }
        for c in code.chars() {
            let is_known = c.is_ascii_alphanumeric() || "_:<>,;{}()=- ".contains(c);
            assert!(is_known, "{c:?} in {line}:\n{source}");
            match c {
                '{' | '<' | '(' => open.push(c),
                '}' => assert_eq!(open.pop(), Some('{'), "{source}"),
                '>' => assert_eq!(open.pop(), Some('<'), "{source}"),
                ')' => assert_eq!(open.pop(), Some('('), "{source}"),
                _ => {}
            }
        }
    }
    assert!(open.is_empty(), "{source}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn sources_are_declarations_alone(parts in prop::collection::vec(part(), 1..12), name in text(), value in text()) {
        let Some(schema) = schema(&parts) else { return Ok(()) };
        let options = Options::new().name(name).value(value);
        check_rust(&rust(&schema, &options));
        let source = cxx(&schema, &options);
        check_cxx(&source.header);
        check_cxx(&source.link_def);
    }
}
