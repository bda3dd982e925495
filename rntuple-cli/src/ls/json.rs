//! What a file holds, for programs.

use std::path::Path;

use rntuple::Error;
use rntuple::root::FileKey;
use serde_json::{Value, json};

use super::listed::{Listed, Ntuple, attribute_sets, errors};
use crate::remote::shown;

/// A file that cannot be read.
pub(super) fn unreadable(path: &Path, error: &Error) -> Value {
    json!({ "file": shown(path), "error": error.to_string() })
}

/// One file, and the errors of its ntuples.
pub(super) fn file(path: &Path, listed: &Listed) -> (Value, Vec<Error>) {
    let (mut ntuples, mut found) = (Vec::new(), Vec::new());
    for (key, found_there) in listed.ntuples() {
        ntuples.push(ntuple(key, &found_there));
        found.extend(errors(key, found_there));
    }
    let document = json!({
        "file": shown(path),
        "size": listed.file.end(),
        "root_version": listed.file.root_version(),
        "ntuples": ntuples,
        "objects": listed.others.iter().map(object).collect::<Vec<_>>(),
    });
    (document, found)
}

fn ntuple(key: &FileKey, ntuple: &Result<Ntuple, Error>) -> Value {
    let dataset = match ntuple {
        Err(error) => return json!({ "path": key.path(), "error": error.to_string() }),
        Ok(ntuple) => &ntuple.dataset,
    };
    let anchor = dataset.anchor();
    let version = anchor.version.map(|part| part.to_string()).join(".");
    // Anchors of the oldest layouts do not say.
    let version = (anchor.version != [0; 4]).then_some(version);
    let sets: Vec<Value> = attribute_sets(dataset).map(|(name, set)| attribute_set(name, &set)).collect();
    json!({
        "path": dataset.path(),
        "name": dataset.name(),
        "format_version": version,
        "generation": anchor.format_version.name(),
        "writer": dataset.writer(),
        "description": dataset.description(),
        "entries": dataset.entry_count(),
        "clusters": dataset.cluster_count(),
        "cluster_groups": dataset.cluster_groups().len(),
        "attribute_sets": sets,
        "schema": &**dataset.schema(),
    })
}

fn attribute_set(name: &str, set: &Result<Ntuple, Error>) -> Value {
    match set {
        Err(error) => json!({ "name": name, "error": error.to_string() }),
        Ok(Ntuple { dataset: set, .. }) => {
            json!({ "name": name, "attributes": set.entry_count(), "schema": &**set.schema() })
        }
    }
}

fn object(key: &FileKey) -> Value {
    json!({ "path": key.path(), "class": key.class, "cycle": key.cycle, "title": key.title })
}
