//! Compares what generated structs read with what a reader of any type reads: built into the crate that
//! `compiled.rs` makes.

use std::fmt::Debug;

use rntuple::field::ReadField;
use rntuple::schema::{ColumnDescriptor, Schema};
use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Value, WriteOptions, Writer};

/// Reads all entries, and finds in them the very numbers and texts of the file.
pub fn reads<T: rntuple::Entry + ReadField + Debug>(file: &str, ntuple: &str, is_ordered: bool) -> Vec<T> {
    let values = Reader::<Value>::open(file, ntuple).unwrap();
    let typed = Reader::<T>::open(file, ntuple).unwrap();
    assert_eq!(values.entry_count().unwrap(), typed.entry_count().unwrap(), "{file}");
    let mut entries = Vec::new();
    let mut compared = 0;
    for (number, (value, entry)) in values.entries().zip(typed.entries()).enumerate() {
        let entry = entry.unwrap_or_else(|error| panic!("{file}: entry {number}: {error}"));
        let mut wanted = Vec::new();
        tokens(&value.unwrap(), &mut wanted);
        let mut found = debug_tokens(&format!("{entry:?}"));
        if !is_ordered {
            wanted.sort();
            found.sort();
        }
        assert_eq!(found, wanted, "{file}: entry {number}: {entry:?}");
        compared += wanted.len();
        entries.push(entry);
    }
    assert_eq!(entries.len() as u64, typed.entry_count().unwrap(), "{file}");
    println!("{file}: {ntuple}: {} entries, {compared} values", entries.len());
    entries
}

/// The same, and writes them again: the new file has the same values. Its reader.
pub fn writes<T: RNTuple + Debug>(
    file: &str,
    ntuple: &str,
    is_ordered: bool,
) -> Reader<Value> {
    let entries = reads::<T>(file, ntuple, is_ordered);
    let mut writer = Writer::<T, _>::new(Memory::new(), "again", WriteOptions::new()).unwrap();
    writer.fill_all(&entries).unwrap();
    let again = Reader::<Value>::open(writer.finish_into().unwrap().1, "again").unwrap();
    let values = Reader::<Value>::open(file, ntuple).unwrap();
    assert_eq!(again.entry_count().unwrap(), values.entry_count().unwrap());
    for (found, wanted) in again.entries().zip(values.entries()) {
        let (found, wanted) = (found.unwrap(), wanted.unwrap());
        let (found, wanted) = (normal(&found, is_ordered), normal(&wanted, is_ordered));
        assert_eq!(found, wanted, "{file}");
    }
    again
}

/// The same, and the new file has the same schema, for the old one was written by such structs.
pub fn keeps<T: RNTuple + Debug>(file: &str, ntuple: &str, is_ordered: bool) {
    let again = writes::<T>(file, ntuple, is_ordered);
    let values = Reader::<Value>::open(file, ntuple).unwrap();
    let (found, wanted) = (again.schema(), values.schema());
    for ((id, found_field), (_, wanted_field)) in found.fields().zip(wanted.fields()) {
        assert_eq!(found_field, wanted_field, "{file}");
        let columns = |schema: &Schema| {
            let ids = schema.representations(id).concat().into_iter();
            ids.map(|id| column(schema.column(id).unwrap())).collect::<Vec<_>>()
        };
        assert_eq!(columns(found), columns(wanted), "{file}: {found_field:?}");
    }
    assert_eq!(found.fields().count(), wanted.fields().count(), "{file}");
}

/// What a column is; offsets are of one kind, for nothing is said of their width.
fn column(column: &ColumnDescriptor) -> (String, u16, Option<(f64, f64)>) {
    let name = column.column_type().unwrap().name();
    if name.contains("Index") { ("Index".to_owned(), 0, None) } else { (name.to_owned(), column.bits, column.range) }
}

/// Text that is equal for equal values, `NaN` among them.
fn normal(value: &Value, is_ordered: bool) -> String {
    match value {
        Value::List(items) => {
            let mut items: Vec<String> = items.iter().map(|item| normal(item, is_ordered)).collect();
            if !is_ordered {
                items.sort();
            }
            format!("{items:?}")
        }
        Value::Record(record) => {
            let members = record.iter().map(|(name, value)| (name, normal(value, is_ordered)));
            format!("{:?}", members.collect::<Vec<_>>())
        }
        Value::Option(Some(value)) => format!("Some({})", normal(value, is_ordered)),
        Value::Variant { tag, value: Some(value) } => format!("{tag}: {}", normal(value, is_ordered)),
        value => format!("{value:?}"),
    }
}

/// The numbers, truths and texts in a value.
fn tokens(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::Bool(value) => out.push(value.to_string()),
        Value::I8(value) => out.push(value.to_string()),
        Value::U8(value) => out.push(value.to_string()),
        Value::I16(value) => out.push(value.to_string()),
        Value::U16(value) => out.push(value.to_string()),
        Value::I32(value) => out.push(value.to_string()),
        Value::U32(value) => out.push(value.to_string()),
        Value::I64(value) => out.push(value.to_string()),
        Value::U64(value) => out.push(value.to_string()),
        Value::F32(value) if value.is_finite() => out.push(format!("{value:?}")),
        Value::F64(value) if value.is_finite() => out.push(format!("{value:?}")),
        Value::F32(_) | Value::F64(_) => {}
        Value::String(value) => out.push(format!("{value:?}")),
        Value::Bytes(bytes) | Value::Streamed(bytes) => out.extend(bytes.iter().map(u8::to_string)),
        Value::List(items) => items.iter().for_each(|item| tokens(item, out)),
        Value::Option(value) => value.iter().for_each(|value| tokens(value, out)),
        Value::Record(record) => record.iter().for_each(|(_, value)| tokens(value, out)),
        Value::Variant { value, .. } => value.iter().for_each(|value| tokens(value, out)),
        value => panic!("{value:?}"),
    }
}

/// The numbers, truths and texts in what `Debug` prints.
fn debug_tokens(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    // What only a `Value` tells: the numbers of alternatives, the names of members.
    let text = without(text, "Variant { tag: ", ", value");
    let text = without(&text, "Record { names: [", "], values");
    let mut rest = &*text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => {
                let mut is_escaped = false;
                let end = rest[1..].find(|c| {
                    let ends = c == '"' && !is_escaped;
                    is_escaped = c == '\\' && !is_escaped;
                    ends
                });
                end.unwrap() + 2
            }
            '-' | '0'..='9' => rest[1..]
                .find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c))
                .map_or(rest.len(), |end| end + 1),
            c if c.is_alphabetic() || c == '_' => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_' && c != '#').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, tail) = rest.split_at(end);
        rest = tail;
        if token == "BitSet" {
            // The highest flag stands first.
            let (bits, tail) = rest[1..].split_once(')').unwrap();
            out.extend(bits.chars().rev().map(|bit| (bit == '1').to_string()));
            rest = tail;
        } else if matches!(token, "true" | "false") || first == '"' {
            out.push(token.to_owned());
        } else if first.is_ascii_digit() || first == '-' && token != "-inf" {
            out.push(token.to_owned());
        }
    }
    out
}

/// The text without what stands between `start` and `end`.
fn without(text: &str, start: &str, end: &str) -> String {
    let mut parts = text.split(start);
    let first = parts.next().unwrap().to_owned();
    parts.fold(first, |out, part| out + part.split_once(end).unwrap().1)
}
