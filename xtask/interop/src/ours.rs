//! Our own readers, compared like anybody else's.

use std::path::Path;

use rntuple::check::{CheckOptions, check_file};
use rntuple::encoding::ColumnType;
use rntuple::{Dataset, RootFile};
use serde_json::{Value as Json, json};

use crate::Result;
use crate::case::{Columns, Ntuple, read_any};
use crate::findings::{FileFindings, Finding};
use crate::json::difference;

/// Reads a file as the types that it was written as.
pub(crate) fn typed(file: &Path, ntuples: &[Ntuple]) -> FileFindings {
    let mut findings = FileFindings::default();
    match RootFile::open(file) {
        Err(error) => findings.different.push(error.to_string()),
        Ok(root) => {
            for ntuple in ntuples {
                let found = (ntuple.read)(&root, &ntuple.path).map_err(Into::into);
                compare(&mut findings, &ntuple.path, &ntuple.values, found);
            }
        }
    }
    findings
}

/// Reads a file as whatever it has; compares its schema too, and checks every byte of the file.
pub(crate) fn untyped(file: &Path, ntuples: &[Ntuple]) -> FileFindings {
    let mut findings = FileFindings::default();
    if let Err(error) = untyped_into(file, ntuples, &mut findings) {
        findings.different.push(error.to_string());
    }
    findings
}

fn untyped_into(file: &Path, ntuples: &[Ntuple], findings: &mut FileFindings) -> Result<()> {
    let root = RootFile::open(file)?;
    let report = check_file(&root, CheckOptions::new());
    findings.different.extend(report.faults.iter().map(|fault| format!("check: {fault}")));
    let unchecked = report.ntuples.iter().filter(|ntuple| !ntuple.is_checked);
    findings.different.extend(unchecked.map(|ntuple| format!("check: {} is not checked", ntuple.path)));
    let mut found: Vec<String> = root.ntuples()?.iter().map(rntuple::root::FileKey::path).collect();
    let mut wanted: Vec<String> = ntuples.iter().map(|ntuple| ntuple.path.clone()).collect();
    found.sort();
    wanted.sort();
    if found != wanted {
        findings.different.push(format!("ntuples {found:?}, not {wanted:?}"));
    }
    for ntuple in ntuples {
        let dataset = Dataset::open(&root, &ntuple.path)?;
        let path = &ntuple.path;
        let about = json!({
            "name": dataset.name(),
            "description": dataset.description(),
            "entries": dataset.entry_count(),
            "num_cluster_groups": dataset.cluster_groups().len(),
            "fields": schema(&dataset),
        });
        findings.different.extend(difference(&ntuple.about(), &about, path));
        compare(findings, path, &ntuple.values, read_any(&root, path));
    }
    Ok(())
}

/// Compares columns; fields that were not written are differences too.
pub(crate) fn compare(findings: &mut FileFindings, path: &str, wanted: &Columns, found: Result<Columns>) {
    let found = match found {
        Ok(found) => found,
        Err(error) => return findings.different.push(error.to_string()),
    };
    for (name, values) in wanted {
        let finding = match found.get(name).map(|found| difference(values, found, name)) {
            Some(None) => Finding::same(),
            Some(Some(difference)) => Finding::different(difference),
            None => Finding::different("not found"),
        };
        findings.insert(path, name, finding);
    }
    for name in found.keys().filter(|name| !wanted.contains_key(*name)) {
        findings.different.push(format!("{path}: {name} was never written"));
    }
}

/// The schema in the form that the peers give it in.
fn schema(dataset: &Dataset) -> Json {
    let schema = dataset.schema();
    let mut fields = Vec::new();
    for (id, field) in schema.fields() {
        let columns = schema.columns().filter(|(_, column)| column.field == id).map(|(id, column)| {
            let kind = column.column_type().map_or("?", ColumnType::name);
            let mut json = json!({"id": id, "type": kind, "bits": column.bits});
            if let (Some((min, max)), Some(json)) = (column.range, json.as_object_mut()) {
                json.extend([("min".to_owned(), json!(min)), ("max".to_owned(), json!(max))]);
            }
            if let Some(json) = json.as_object_mut() {
                json.extend(column.first_element.map(|first| ("first".to_owned(), json!(first))));
                let number = column.representation;
                json.extend((number > 0).then(|| ("repidx".to_owned(), json!(number))));
            }
            json
        });
        let columns: Vec<Json> = columns.collect();
        let mut json = json!({
            "id": id,
            "parent": field.parent,
            "name": field.name,
            "type": field.type_name,
            "role": field.role.name(),
            "columns": columns,
        });
        // What the peers list only where it is there.
        let texts = [("type_alias", &field.type_alias), ("description", &field.description)];
        let texts =
            texts.into_iter().filter(|(_, text)| !text.is_empty()).map(|(key, text)| (key, json!(text)));
        let numbers = [
            ("repetitions", field.array_size.map(Json::from)),
            ("projection_source", field.projection_source.map(|id| json!(id))),
            ("type_checksum", field.type_checksum.map(Json::from)),
            ("type_version", (field.type_version != 0).then(|| json!(field.type_version))),
        ];
        let numbers = numbers.into_iter().filter_map(|(key, number)| Some((key, number?)));
        if let Some(json) = json.as_object_mut() {
            json.extend(texts.chain(numbers).map(|(key, value)| (key.to_owned(), value)));
        }
        fields.push(json);
    }
    Json::Array(fields)
}
