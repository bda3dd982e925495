//! Is a data set sound? From the manifests to the pages.

mod statistics;
mod transactions;

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use rntuple::check::{CheckOptions, check_file};
use rntuple::{Dataset, RootFile};

pub(super) use statistics::includes;

use super::Table;
use super::pool::all_cores;
use crate::error::{Error, Result};
use crate::format::{DataFile, Field, ManifestFile};
use crate::order;
use crate::schema::Paths;
use crate::snapshot::Snapshot;

/// What is wrong with a data set.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The version that it was found in; `None`: it concerns all of them.
    pub version: Option<u64>,
    /// What is wrong, and where.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.version {
            Some(version) => write!(f, "version {version}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// What a check has found.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Versions that were looked at.
    pub versions: usize,
    /// Data files that were looked at, each once.
    pub files: usize,
    /// What is wrong.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

/// What was looked at, and need not be again for other versions.
#[derive(Default)]
struct Seen {
    /// Paths or URLs of data files.
    files: HashSet<String>,
    /// Fragments: the number of their schema, their files, and their count of rows.
    fragments: HashSet<(usize, Vec<DataFile>, u64)>,
    schemas: Vec<Vec<Field>>,
    /// Indices, each with fragments and files that it says something about.
    indexed: HashSet<(Vec<u8>, u64, u64)>,
}

impl Seen {
    /// The number of a schema. Neighbouring versions mostly have the same one.
    fn schema(&mut self, fields: &[Field]) -> usize {
        self.schemas.iter().rposition(|seen| seen == fields).unwrap_or_else(|| {
            self.schemas.push(fields.to_vec());
            self.schemas.len() - 1
        })
    }
}

impl Table {
    /// Checks all versions: that each has its files, that these hold what the version says, that rows are deleted once and
    /// have ids of their own, and that the [index of bounds](Self::index_bounds) excludes nothing that the files have. The
    /// transaction of each version must make it from the version before, as far as that and what else it needs was not
    /// cleaned up.
    ///
    /// With `pages`, every page of every data file is read as well, and compared with what statistics say of it, in the file
    /// and next to it. The rows of fragments that are said to be sorted are compared.
    ///
    /// # Errors
    /// The versions cannot be listed. What is wrong with them is in the report.
    pub fn check(&self, pages: bool) -> Result<Report> {
        let log = self.log.clone();
        let versions = rntuple_object_store::wait(async move { log.versions().await })?;
        let mut report = Report::default();
        let mut seen = Seen::default();
        let mut before: Option<Arc<ManifestFile>> = None;
        for version in versions {
            report.versions += 1;
            let log = self.log.clone();
            let file = match rntuple_object_store::wait(async move { log.load(version).await }) {
                Ok(file) => Arc::new(file),
                Err(error) => {
                    report.findings.push(Finding { version: Some(version), message: error.to_string() });
                    continue;
                }
            };
            let (log, made) = (self.log.clone(), file.clone());
            let before = before.replace(file.clone());
            let by_transaction = transactions::check(log, made, before);
            let by_transaction = rntuple_object_store::wait(by_transaction);
            let checked = Snapshot::new(self.location().clone(), (*file).clone())
                .and_then(|snapshot| self.check_version(&snapshot, pages, &mut seen, &mut report));
            for error in [by_transaction, checked].into_iter().filter_map(Result::err) {
                report.findings.push(Finding { version: Some(version), message: error.to_string() });
            }
        }
        let log = self.log.clone();
        for (tag, version) in rntuple_object_store::wait(async move { log.read_tags().await })? {
            let message = match version {
                Ok(version) => match self.at(&*tag) {
                    Ok(_) => continue,
                    Err(error) => format!("the tag {tag:?} names version {version}: {error}"),
                },
                Err(error) => format!("the tag {tag:?}: {error}"),
            };
            report.findings.push(Finding { version: None, message });
        }
        report.files = seen.files.len();
        Ok(report)
    }

    fn check_version(
        &self,
        snapshot: &Snapshot,
        pages: bool,
        seen: &mut Seen,
        report: &mut Report,
    ) -> Result<()> {
        let mut found = |message: String| {
            report.findings.push(Finding { version: Some(snapshot.version()), message });
        };
        snapshot.deletions()?;
        let ids = snapshot.ids()?;
        let next = snapshot.manifest().next_row_id;
        for (ids, fragment) in ids.iter().zip(snapshot.fragments()) {
            if let Some(id) = ids.runs().iter().map(|run| run.end).max().filter(|end| *end > next) {
                found(format!(
                    "fragment {} has the row id {}, and {next} is said to be free",
                    fragment.id,
                    id - 1
                ));
            }
        }
        // Two rows with one id are an error.
        snapshot.entry_of(0)?;
        Paths::new(snapshot.fields())?;
        let schema = seen.schema(snapshot.fields());
        for (position, fragment) in snapshot.fragments().iter().enumerate() {
            if !seen.fragments.insert((schema, fragment.files.clone(), fragment.physical_rows)) {
                continue;
            }
            let is_new = |file: &&DataFile| seen.files.insert(snapshot.file(file));
            let new: Vec<&DataFile> = fragment.files.iter().filter(is_new).collect();
            if let Err(error) = check_fragment(snapshot, position) {
                found(format!("fragment {}: {error}", fragment.id));
                continue;
            }
            if !pages || new.is_empty() {
                continue;
            }
            if let Err(error) = order::check(snapshot, position) {
                found(format!("fragment {}: it is said to be sorted: {error}", fragment.id));
            }
            for file in new {
                if let Err(error) = check_pages(snapshot, file, &mut found) {
                    found(error.to_string());
                }
            }
        }
        super::bounds::check(snapshot, pages, &mut seen.indexed, &mut found)
    }
}

/// Reads every page of a data file, and compares them with what statistics say.
fn check_pages(snapshot: &Snapshot, file: &DataFile, found: &mut dyn FnMut(String)) -> Result<()> {
    let opened = RootFile::open(snapshot.file(file))?;
    let faults = check_file(&opened, CheckOptions::new()).faults;
    faults.iter().for_each(|fault| found(fault.to_string()));
    if !faults.is_empty() {
        return Ok(());
    }
    let dataset = Dataset::open(&opened, snapshot.ntuple())?;
    statistics::check(snapshot.location(), &file.path, &dataset, &all_cores()?, found)
}

fn check_fragment(snapshot: &Snapshot, position: usize) -> Result<()> {
    // It also compares the number of entries with that of the manifest.
    let reader = snapshot.stored_reader(position)?;
    check_fields(snapshot, position)?;
    let wanted: HashSet<&str> =
        snapshot.fields().iter().filter(|field| field.parent_id == -1).map(|field| &*field.name).collect();
    let schema = reader.schema();
    let names = schema.top_level().iter().filter_map(|id| schema.field(*id));
    let found: HashSet<&str> = names.map(|field| &*field.name).collect();
    if let Some(missing) = wanted.difference(&found).min() {
        return Err(Error::out_of_spec(format!("none of its files has the field {missing:?}")));
    }
    Ok(())
}

/// Checks that each field is in one file of a fragment.
fn check_fields(snapshot: &Snapshot, position: usize) -> Result<()> {
    let mut counts: HashMap<i32, usize> = snapshot.fields().iter().map(|field| (field.id, 0)).collect();
    let fragment = snapshot.fragments().get(position);
    for id in fragment.iter().flat_map(|fragment| &fragment.files).flat_map(|file| &file.fields) {
        if let Some(count) = counts.get_mut(id) {
            *count += 1;
        }
    }
    match counts.into_iter().filter(|(_, count)| *count != 1).min() {
        Some((id, count)) => Err(Error::out_of_spec(format!(
            "the field with the id {id} is in {count} of its files, expected one"
        ))),
        None => Ok(()),
    }
}
