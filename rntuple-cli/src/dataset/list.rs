//! What a data set has, for people and for programs.

use std::io::{self, Write};
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, Utc};
use rntuple_dataset::{Snapshot, VersionInfo};
use serde_json::json;

use crate::failure::Failure;
use crate::json::printable_json;
use crate::text::{Table, bytes, count, printable};

/// All digits: `--at` finds the version of a time, and a time that was cut is before its version.
fn time(time: Option<SystemTime>) -> String {
    let text = |time| DateTime::<Utc>::from(time).to_rfc3339_opts(SecondsFormat::Nanos, true);
    time.map_or_else(|| "-".to_owned(), text)
}

/// The versions, the oldest first.
pub(super) fn versions(versions: &[VersionInfo]) -> Result<(), Failure> {
    let mut table = Table::default();
    table.row(["version", "time", "operation", "rows", "fragments", "tags"].map(str::to_owned));
    for version in versions {
        table.row([
            version.version.to_string(),
            time(version.created),
            version.operation.unwrap_or("unknown").to_owned(),
            version.rows.to_string(),
            version.fragments.to_string(),
            printable(&version.tags.join(", ")).into_owned(),
        ]);
    }
    Ok(write!(io::stdout(), "{}", table.lines(""))?)
}

/// The fields and files of a version.
pub(super) fn version(snapshot: &Snapshot, as_json: bool) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    if as_json {
        let fields = snapshot.fields().iter().map(|field| {
            json!({ "id": field.id, "parent": field.parent_id, "name": field.name, "type": field.logical_type })
        });
        let fragments = snapshot.fragments().iter().map(|fragment| {
            let files: Vec<String> =
                fragment.files.iter().map(|file| snapshot.location().data_file(&file.path)).collect();
            json!({
                "id": fragment.id,
                "rows": fragment.rows(),
                "deleted_rows": fragment.deleted_rows(),
                "files": files,
            })
        });
        let document = json!({
            "dataset": snapshot.location().root(),
            "version": snapshot.version(),
            "time": time(snapshot.created()),
            "ntuple": snapshot.ntuple(),
            "rows": snapshot.len(),
            "sort_order": snapshot.sort_order(),
            "fields": fields.collect::<Vec<_>>(),
            "fragments": fragments.collect::<Vec<_>>(),
        });
        let document = serde_json::to_string_pretty(&document)?;
        return Ok(writeln!(out, "{}", printable_json(&document))?);
    }
    let (root, rows) = (snapshot.location().root(), count(snapshot.len(), "row"));
    let made = time(snapshot.created());
    writeln!(
        out,
        "{}: version {} of {made}, {rows} of {}",
        printable(root),
        snapshot.version(),
        printable(snapshot.ntuple())
    )?;
    let order = snapshot.sort_order();
    if !order.is_empty() {
        writeln!(out, "  sorted by {}", printable(&order.join(", ")))?;
    }
    let mut fields = Table::default();
    let mut depths = std::collections::HashMap::new();
    for field in snapshot.fields() {
        let depth = depths.get(&field.parent_id).map_or(0, |depth| depth + 1);
        depths.insert(field.id, depth);
        fields.row([
            format!("{}{}", "  ".repeat(depth), printable(&field.name)),
            printable(&field.logical_type).into_owned(),
        ]);
    }
    write!(out, "{}", fields.lines("  "))?;
    let mut fragments = Table::default();
    for fragment in snapshot.fragments() {
        for (number, file) in fragment.files.iter().enumerate() {
            let mut cells = vec![String::new(); 3];
            if number == 0 {
                cells = vec![
                    format!("fragment {}", fragment.id),
                    count(fragment.rows(), "row"),
                    match fragment.deleted_rows() {
                        0 => String::new(),
                        deleted => format!("{deleted} deleted"),
                    },
                ];
            }
            cells.push(bytes(file.file_size_bytes));
            cells.push(printable(&snapshot.location().data_file(&file.path)).into_owned());
            fragments.row(cells);
        }
    }
    Ok(write!(out, "{}", fragments.lines("  "))?)
}
