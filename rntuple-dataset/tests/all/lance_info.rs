//! What is printed about data sets that pylance made, compared with what it says about them.

use std::ops::Range;
use std::path::Path;

use rntuple_dataset::lance_info;
use serde_json::Value;

use crate::pylance::generated;

/// A line, as far as pylance says what is in it.
enum Line {
    Is(String),
    Begins(String),
    /// An ending follows that pylance does not say.
    BeginsAndEnds(String, String),
}

impl Line {
    fn is(&self, line: &str) -> bool {
        match self {
            Self::Is(text) => line == text,
            Self::Begins(start) => line.starts_with(start),
            Self::BeginsAndEnds(start, end) => line.starts_with(start) && line.ends_with(end),
        }
    }
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is not a number"))
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a text"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is not a list"))
}

/// The name of the operation, if pylance has one.
fn operation(version: &Value) -> Option<&str> {
    version["transaction"]["name"].as_str().filter(|name| *name != "BaseOperation")
}

fn summary(version: &Value) -> Line {
    let (rows, fragments) = (number(&version["rows"]), list(&version["fragments"]).len());
    let start = format!("version {}: {rows} rows in {fragments} fragments, ", version["version"]);
    let end = ", by lance 14.0.2";
    let read = &version["transaction"]["read_version"];
    match operation(version) {
        Some(name) => Line::Is(format!("{start}{name} of version {read}{end}")),
        None if read.is_null() => Line::BeginsAndEnds(start, end.to_owned()),
        None => Line::BeginsAndEnds(start, format!(" of version {read}{end}")),
    }
}

/// The type that Lance has for a type of Arrow.
fn logical(arrow: &str) -> String {
    match arrow {
        "int64" | "int32" | "float" | "double" | "string" => arrow.to_owned(),
        _ if arrow.starts_with("struct<") => "struct".to_owned(),
        _ if arrow.contains("list<") && arrow.contains("struct<") => "list.struct".to_owned(),
        _ => panic!("{arrow}"),
    }
}

fn schema(version: &Value) -> Vec<Line> {
    fields(version, &version["fields"], 4)
}

fn fields(version: &Value, fields: &Value, indent: usize) -> Vec<Line> {
    let fields = list(fields);
    let parent = |of: &Value| fields.iter().find(|field| field["id"] == of["parent"]);
    let line = |field: &Value| {
        let depth = indent + 2 * std::iter::successors(Some(field), |field| parent(field)).count() - 2;
        let (id, nullable) = (&field["id"], if field["nullable"] == true { ", nullable" } else { "" });
        let logical = logical(text(&version["types"][id.to_string()]));
        Line::Is(format!("{:depth$}{}: {logical}{nullable} (id {id})", "", text(&field["name"])))
    };
    fields.iter().map(line).collect()
}

/// What a transaction changes; `None`: pylance does not say.
fn changes(version: &Value) -> Option<Vec<Line>> {
    let said = &version["transaction"];
    let ids = |fragments: &Value| list(fragments).iter().map(|it| number(&it["id"])).collect::<Vec<_>>();
    let numbers = |ids: &Value| list(ids).iter().map(number).collect::<Vec<_>>();
    let named = |mut ids: Vec<u64>| {
        ids.sort_unstable();
        match ids.len() {
            0 => "no fragments".to_owned(),
            1 => format!("fragment {}", ids[0]),
            _ => format!("fragments {}", ranges(ids)),
        }
    };
    let new = |fragments: &Value| {
        let rows = |it: &Value| {
            number(&it["physical_rows"]) - it["deletion_file"]["num_deleted_rows"].as_u64().unwrap_or(0)
        };
        let (count, rows) = (list(fragments).len(), list(fragments).iter().map(rows).sum::<u64>());
        format!("{count} fragment{} of {rows} rows", if count == 1 { "" } else { "s" })
    };
    let line = |text: String| Line::Is(format!("    {text}"));
    let new_schema = || {
        let mut lines = vec![line("new schema".to_owned())];
        lines.extend(fields(version, &said["schema"], 6));
        lines
    };
    Some(match operation(version)? {
        "Append" => vec![line(format!("adds {}", new(&said["fragments"])))],
        "Delete" => vec![
            line(format!("deletes {}", text(&said["predicate"]))),
            line(format!("changes {}", named(ids(&said["updated_fragments"])))),
            line(format!("removes {}", named(numbers(&said["deleted_fragment_ids"])))),
        ],
        "Overwrite" => {
            let mut lines = vec![line(format!("adds {}", new(&said["fragments"])))];
            lines.extend(new_schema());
            lines
        }
        "Merge" => {
            let mut lines = vec![line(format!("changes {}", named(ids(&said["fragments"]))))];
            lines.extend(new_schema());
            lines
        }
        "Project" => new_schema(),
        "Restore" => vec![line(format!("restores version {}", said["version"]))],
        "Update" => vec![
            line(format!("changes {}", named(ids(&said["updated_fragments"])))),
            line(format!("removes {}", named(numbers(&said["removed_fragment_ids"])))),
            line(format!("adds {}", new(&said["new_fragments"]))),
            Line::BeginsAndEnds(
                "    writes ".to_owned(),
                format!(" again, fields {:?}", numbers(&said["fields_modified"])),
            ),
        ],
        "Rewrite" => {
            let group = |group: &Value| {
                line(format!("replaces {} by {}", named(ids(&group["old"])), new(&group["new"])))
            };
            list(&said["groups"]).iter().map(group).collect()
        }
        _ => return None,
    })
}

/// Numbers as ranges, up to eight of them.
fn ranges(numbers: impl IntoIterator<Item = u64>) -> String {
    let mut ranges: Vec<Range<u64>> = Vec::new();
    for number in numbers {
        match ranges.last_mut() {
            Some(last) if last.end == number => last.end += 1,
            _ => ranges.push(number..number + 1),
        }
    }
    let shown = |range: &Range<u64>| match range.end - range.start {
        1 => range.start.to_string(),
        _ => format!("{range:?}"),
    };
    let mut shown: Vec<String> = ranges.iter().map(shown).collect();
    if shown.len() > 8 {
        shown.truncate(8);
        shown.push("..".to_owned());
    }
    shown.join(", ")
}

fn fragment(fragment: &Value) -> Vec<Line> {
    let live: Vec<u64> = list(&fragment["live"]).iter().map(number).collect();
    let (id, physical) = (&fragment["id"], number(&fragment["physical_rows"]));
    let mut lines = vec![Line::Is(format!("  fragment {id}: {} of {physical} rows", live.len()))];
    for file in list(&fragment["files"]) {
        let (major, minor) = (&file["file_major_version"], &file["file_minor_version"]);
        let (path, size) = (text(&file["path"]), number(&file["file_size_bytes"]));
        let fields = list(&file["fields"]).iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
        lines.push(Line::Is(format!(
            "    data/{path}, version {major}.{minor}, {size} bytes, fields [{fields}]"
        )));
    }
    let deletion = &fragment["deletion_file"];
    if !deletion.is_null() {
        let ending = match text(&deletion["file_type"]) {
            "array" => "arrow",
            _ => "bin",
        };
        let gone: Vec<u64> = (0..physical).filter(|row| live.binary_search(row).is_err()).collect();
        assert_eq!(gone.len() as u64, number(&deletion["num_deleted_rows"]));
        lines.push(Line::Is(format!(
            "    _deletions/{id}-{}-{}.{ending}: {} deleted: {}",
            deletion["read_version"],
            deletion["id"],
            gone.len(),
            ranges(gone)
        )));
    }
    match fragment["row_ids"].as_array() {
        // pylance says the ids of rows that are left.
        Some(_) if !deletion.is_null() => lines.push(Line::Begins("    row ids: ".to_owned())),
        Some(ids) => lines.push(Line::Is(format!("    row ids: {}", ranges(ids.iter().map(number))))),
        None => {}
    }
    lines
}

/// All that is printed of one version.
fn wanted(versions: &[Value], version: &Value) -> Vec<Line> {
    let mut lines: Vec<Line> = versions.iter().map(summary).collect();
    lines.push(Line::Is(String::new()));
    lines.push(Line::Is(format!("version {}", version["version"])));
    lines.push(Line::Is(format!("  data files: lance {}", text(&version["storage_version"]))));
    lines.push(Line::Begins("  readers must support: ".to_owned()));
    lines.push(Line::Begins("  writers must support: ".to_owned()));
    if version["stable_row_ids"] == true {
        lines.push(Line::Begins("  next row id: ".to_owned()));
    }
    for (key, value) in version["config"].as_object().unwrap() {
        lines.push(Line::Is(format!("  {key} = {}", text(value))));
    }
    let transaction = &version["transaction"];
    lines.push(match (transaction.is_null(), operation(version)) {
        (true, _) => Line::Begins("  _transactions/".to_owned()),
        (false, name) => {
            let (read, uuid) = (&transaction["read_version"], text(&transaction["uuid"]));
            let start = format!("  _transactions/{read}-{uuid}.txn: ");
            name.map_or(Line::Begins(start.clone()), |name| Line::Is(format!("{start}{name}")))
        }
    });
    lines.extend(changes(version).into_iter().flatten());
    lines.push(Line::Is("  schema".to_owned()));
    lines.extend(schema(version));
    lines.extend(list(&version["fragments"]).iter().flat_map(fragment));
    for index in list(&version["indices"]) {
        lines.push(Line::Begins(format!("  index {}, ", text(index))));
    }
    lines
}

fn assert_lines(folder: &Path, said: &Value) {
    let versions = list(&said["versions"]);
    for version in versions {
        let found = lance_info::describe(folder, Some(number(&version["version"]))).unwrap();
        // Which files an index has, pylance does not say.
        let lines: Vec<&str> = found.lines().collect();
        let is_file_of_index = |place: usize| {
            let mut before = lines[..place].iter().rev().skip_while(|line| line.starts_with("    "));
            lines[place].starts_with("    ") && before.next().is_some_and(|line| line.starts_with("  index "))
        };
        // Nor what some transactions change.
        let of_schema = lines.iter().position(|line| *line == "  schema").unwrap();
        let is_unsaid = |place: usize| {
            changes(version).is_none() && place < of_schema && lines[place].starts_with("    ")
        };
        let lines: Vec<&str> = (0..lines.len())
            .filter(|it| !is_file_of_index(*it) && !is_unsaid(*it))
            .map(|it| lines[it])
            .collect();
        let wanted = wanted(versions, version);
        for (line, wanted) in lines.iter().zip(&wanted) {
            let (Line::Is(text) | Line::Begins(text) | Line::BeginsAndEnds(text, _)) = wanted;
            assert!(wanted.is(line), "{line:?} is not {text:?} in\n{found}");
        }
        assert_eq!(lines.len(), wanted.len(), "{found}");
    }
    let newest = versions.last().map(|version| number(&version["version"]));
    let of_newest = lance_info::describe(folder, newest).unwrap();
    assert_eq!(lance_info::describe(folder, None).unwrap(), of_newest);
}

#[test]
fn what_is_printed_of_data_sets_of_pylance_is_what_it_says() {
    let Some(generated) = generated("what_is_printed_of_data_sets_of_pylance_is_what_it_says") else {
        return;
    };
    let names = generated.said("names");
    assert!(list(&names).len() > 8);
    for name in list(&names).iter().map(text) {
        assert_lines(&generated.dataset(name), &generated.said(name));
    }
}
