//! Pairs of commits, which pylance was asked to make one after the other from the same version.

use std::collections::BTreeMap;

use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::format::{Manifest, ManifestFile, Transaction};
use rntuple_dataset::transactions::{Committed, rebase};

use crate::pylance::generated;

/// Where we permit what pylance refuses. It does not see which rows are deleted; we compare the deletion files.
const PERMITTED: [(&str, &str); 5] = [
    ("delete_first", "delete_first"),
    ("delete_first", "update_first"),
    ("delete_second", "delete_second"),
    ("update_first", "delete_first"),
    ("update_first", "update_first"),
];

#[test]
fn what_excludes_each_other_is_what_pylance_refuses() {
    let Some(generated) = generated("what_excludes_each_other_is_what_pylance_refuses") else { return };
    let said = generated.said("races");
    let read_version = said["read_version"].as_u64().unwrap();
    let read = |dataset: &str, version| {
        let path = generated.dataset(dataset).join(NamingScheme::V2.manifest(version));
        ManifestFile::read(&std::fs::read(path).unwrap()).unwrap()
    };
    let base = read("race", read_version).manifest;
    let names: Vec<&str> =
        said["names"].as_array().unwrap().iter().filter_map(|name| name.as_str()).collect();
    let commits: BTreeMap<&str, (Manifest, Transaction)> = names
        .iter()
        .map(|name| {
            let file = read(&format!("race_{name}"), read_version + 1);
            (*name, (file.manifest, file.transaction.unwrap()))
        })
        .collect();
    let (mut differences, mut compared) = (Vec::new(), 0);
    for outcome in said["outcomes"].as_array().unwrap() {
        let (ours, theirs) = (outcome["ours"].as_str().unwrap(), outcome["theirs"].as_str().unwrap());
        let text = outcome["outcome"].as_str().unwrap();
        let expected = match text {
            "ok" => "ok",
            text if text.starts_with("Retryable commit conflict") => "retryable",
            text if text.contains("ncompatible") => "incompatible",
            // An overwrite is committed in another way, which the number of retries stops.
            text if text.contains("after 0 retries") => continue,
            text => panic!("{ours} after {theirs}: {text}"),
        };
        let (latest, transaction) = &commits[theirs];
        let since = [Committed { version: read_version + 1, transaction: Some(transaction) }];
        let rebased = rebase(&commits[ours].1, &base, latest, &since);
        let found = match &rebased {
            Ok(_) => "ok",
            Err(conflict) if conflict.is_retryable() => "retryable",
            Err(_) => "incompatible",
        };
        compared += 1;
        if PERMITTED.contains(&(ours, theirs)) {
            assert_eq!((found, expected), ("ok", "retryable"), "{ours} after {theirs}");
            assert_eq!(rebased.unwrap().merges().len(), 1);
        } else if found != expected {
            differences.push(format!("{ours} after {theirs}: {found}, pylance: {text}"));
        }
    }
    assert!(compared > 200, "{compared}");
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
}
