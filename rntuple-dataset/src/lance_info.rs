//! A text about a folder that Lance wrote: versions, schema, fragments, deletions and transactions.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use roaring::RoaringBitmap;

use crate::error::{Error, ErrorKind, Result};
use crate::format::names::{self, Listing};
use crate::format::transaction::{Operation, RewriteGroup, UpdateConfig, UpdateMap, UpdateMode};
use crate::format::{
    DataFragment, DeletionVector, Field, IndexMetadata, IndexUuid, ManifestFile, RowIdSequence, RowIds,
    Transaction, flags,
};
use crate::location::{Location, is_absolute};

/// How many ranges of rows are shown.
const MOST_RANGES: usize = 8;

/// Describes a data set of Lance, or one of this crate, in a folder: each version in a line, then all of `version`, and what
/// the transaction has changed that made it.
///
/// `None` is the newest version. What cannot be read is said in its place, where the rest can be.
///
/// # Errors
///
/// [`NotFound`](ErrorKind::NotFound) where there is no manifest, and any error of the manifest that is described.
///
/// ```no_run
/// print!("{}", rntuple_dataset::lance_info::describe("events.lance".as_ref(), None)?);
/// # Ok::<(), rntuple_dataset::Error>(())
/// ```
pub fn describe(folder: &Path, version: Option<u64>) -> Result<String> {
    describe_from(&Files::Folder(folder), version)
}

/// Describes a data set as [`describe`] does, which may be in an object store.
///
/// # Errors
///
/// As [`describe`]; or the store cannot be reached.
pub fn describe_at(location: &Location, version: Option<u64>) -> Result<String> {
    describe_from(&Files::Location(location), version)
}

fn describe_from(files: &Files<'_>, version: Option<u64>) -> Result<String> {
    let listing = files.list()?;
    let (Some(scheme), Some(latest)) = (listing.scheme, listing.latest()) else {
        return Err(
            Error::new(ErrorKind::NotFound, "there is no manifest").in_file(files.place(names::VERSIONS))
        );
    };
    let version = version.unwrap_or(latest);
    let mut text = String::new();
    for &number in &listing.versions {
        let line = match manifest(files, &scheme.manifest(number)) {
            Ok(file) => summary(files, &file),
            Err(error) => format!("version {number}: {error}"),
        };
        line_of(&mut text, format_args!("{line}"));
    }
    for number in &listing.detached {
        line_of(&mut text, format_args!("detached version {number}"));
    }
    let file = manifest(files, &scheme.manifest(version)).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            let message = format!("there is no version {version}, or it was cleaned up");
            Error::new(ErrorKind::NotFound, message).in_file(files.place(names::VERSIONS))
        }
        _ => error,
    })?;
    detail(&mut text, files, &file);
    for index in file.indices.iter().flat_map(|section| &section.indices) {
        describe_index(&mut text, index);
    }
    Ok(text)
}

/// Where the files of a data set are.
enum Files<'a> {
    Folder(&'a Path),
    Location(&'a Location),
}

impl Files<'_> {
    /// The path or URL of a file or folder.
    fn place(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => folder.join(name).display().to_string(),
            Self::Location(location) => format!("{}/{name}", location.root()),
        }
    }

    fn list(&self) -> Result<Listing> {
        let in_file = |error: std::io::Error| Error::from(error).in_file(self.place(names::VERSIONS));
        let mut found = Vec::new();
        match self {
            Self::Folder(folder) => {
                for entry in std::fs::read_dir(folder.join(names::VERSIONS)).map_err(in_file)? {
                    if let Ok(name) = entry.map_err(in_file)?.file_name().into_string() {
                        found.push(name);
                    }
                }
            }
            Self::Location(location) => {
                let location = Location::clone(location);
                let listed = rntuple_object_store::wait(async move { location.list(names::VERSIONS).await })?;
                found.extend(listed.into_iter().map(|file| file.name));
            }
        }
        Listing::from_names(found.iter().map(String::as_str))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>> {
        match self {
            Self::Folder(folder) => {
                std::fs::read(folder.join(name)).map_err(|error| Error::from(error).in_file(name))
            }
            Self::Location(location) => {
                let (location, name) = (Location::clone(location), name.to_owned());
                rntuple_object_store::wait(async move { location.get(&name).await })
            }
        }
    }
}

fn line_of(text: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes whatever is written to it.
    let _ = writeln!(text, "{line}");
}

fn manifest(files: &Files<'_>, name: &str) -> Result<ManifestFile> {
    ManifestFile::read(&files.read(name)?).map_err(|error| error.in_file(name))
}

/// The transaction that made a version, in its manifest or in a file; `None`: there is none.
fn transaction_of(files: &Files<'_>, file: &ManifestFile) -> Option<Result<Transaction>> {
    if let Some(transaction) = &file.transaction {
        return Some(Ok(transaction.clone()));
    }
    let name = Some(&file.manifest.transaction_file).filter(|name| !name.is_empty())?;
    let name = format!("{}/{name}", names::TRANSACTIONS);
    Some(files.read(&name).and_then(|bytes| Transaction::read(&bytes).map_err(|error| error.in_file(name))))
}

fn summary(files: &Files<'_>, file: &ManifestFile) -> String {
    let manifest = &file.manifest;
    let operation = match transaction_of(files, file) {
        Some(Ok(transaction)) => {
            format!(", {} of version {}", operation(&transaction), transaction.read_version)
        }
        _ => String::new(),
    };
    let writer = manifest
        .writer_version
        .as_ref()
        .map_or_else(String::new, |writer| format!(", by {} {}", writer.library, writer.version));
    format!(
        "version {}: {} rows in {} fragments{operation}{writer}",
        manifest.version,
        manifest.rows(),
        manifest.fragments.len()
    )
}

fn operation(transaction: &Transaction) -> &'static str {
    transaction.operation.as_ref().map_or("an unknown operation", |operation| operation.name())
}

fn detail(text: &mut String, files: &Files<'_>, file: &ManifestFile) {
    let manifest = &file.manifest;
    line_of(text, format_args!("\nversion {}", manifest.version));
    if let Some(format) = &manifest.data_format {
        line_of(text, format_args!("  data files: {} {}", format.file_format, format.version));
    }
    line_of(text, format_args!("  readers must support: {}", flags::describe(manifest.reader_feature_flags)));
    line_of(text, format_args!("  writers must support: {}", flags::describe(manifest.writer_feature_flags)));
    if manifest.has_stable_row_ids() {
        line_of(text, format_args!("  next row id: {}", manifest.next_row_id));
    }
    for (key, value) in &manifest.config {
        line_of(text, format_args!("  {key} = {value}"));
    }
    let name = match manifest.transaction_file.is_empty() {
        true => "transaction".to_owned(),
        false => format!("{}/{}", names::TRANSACTIONS, manifest.transaction_file),
    };
    match transaction_of(files, file) {
        Some(Ok(transaction)) => {
            line_of(text, format_args!("  {name}: {}", operation(&transaction)));
            describe_transaction(text, &transaction);
        }
        Some(Err(error)) => line_of(text, format_args!("  {name}: {error}")),
        None => {}
    }
    line_of(text, format_args!("  schema"));
    describe_fields(text, &manifest.fields, 4);
    for fragment in &manifest.fragments {
        describe_fragment(text, files, fragment);
    }
}

fn describe_fields(text: &mut String, fields: &[Field], indent: usize) {
    for field in fields {
        let depth = indent + depth(fields, field);
        let nullable = if field.nullable { ", nullable" } else { "" };
        line_of(
            text,
            format_args!("{:depth$}{}: {}{nullable} (id {})", "", field.name, field.logical_type, field.id),
        );
    }
}

/// What a transaction changes.
fn describe_transaction(text: &mut String, transaction: &Transaction) {
    let mut line = |line: std::fmt::Arguments<'_>| line_of(text, format_args!("    {line}"));
    if !transaction.tag.is_empty() {
        line(format_args!("tag {}", transaction.tag));
    }
    for (key, value) in &transaction.transaction_properties {
        line(format_args!("{key} = {value}"));
    }
    match &transaction.operation {
        Some(Operation::Append(append)) => line(format_args!("adds {}", new_fragments(&append.fragments))),
        Some(Operation::Delete(delete)) => {
            line(format_args!("deletes {}", delete.predicate));
            line(format_args!("changes {}", fragments(ids(&delete.updated_fragments))));
            line(format_args!("removes {}", fragments(delete.deleted_fragment_ids.iter().copied())));
        }
        Some(Operation::Overwrite(overwrite)) => {
            line(format_args!("adds {}", new_fragments(&overwrite.fragments)));
            for (key, value) in &overwrite.config_upsert_values {
                line(format_args!("setting {key} = {value}"));
            }
            for base in &overwrite.initial_bases {
                line(format_args!("adds the place {}", base.path));
            }
            describe_schema(text, &overwrite.schema);
        }
        Some(Operation::CreateIndex(create)) => {
            for (verb, indices) in [("adds", &create.new_indices), ("removes", &create.removed_indices)] {
                for index in indices {
                    line(format_args!("{verb} index {}{}", index.name, folder_of(index.uuid.as_ref())));
                }
            }
        }
        Some(Operation::Rewrite(rewrite)) => {
            let flat = RewriteGroup {
                old_fragments: rewrite.old_fragments.clone(),
                new_fragments: rewrite.new_fragments.clone(),
            };
            let has_flat = !flat.old_fragments.is_empty() || !flat.new_fragments.is_empty();
            for group in rewrite.groups.iter().chain(has_flat.then_some(&flat)) {
                let (old, new) = (ids(&group.old_fragments), new_fragments(&group.new_fragments));
                line(format_args!("replaces {} by {new}", fragments(old)));
            }
            for index in &rewrite.rewritten_indices {
                let (old, new) = (folder_of(index.old_id.as_ref()), folder_of(index.new_id.as_ref()));
                line(format_args!("replaces the index{old} by the one{new}"));
            }
        }
        Some(Operation::Merge(merge)) => {
            line(format_args!("changes {}", fragments(ids(&merge.fragments))));
            describe_schema(text, &merge.schema);
        }
        Some(Operation::Restore(restore)) => line(format_args!("restores version {}", restore.version)),
        Some(Operation::ReserveFragments(reserve)) => {
            line(format_args!("takes {} ids of fragments", reserve.num_fragments));
        }
        Some(Operation::Update(update)) => {
            line(format_args!("changes {}", fragments(ids(&update.updated_fragments))));
            line(format_args!("removes {}", fragments(update.removed_fragment_ids.iter().copied())));
            line(format_args!("adds {}", new_fragments(&update.new_fragments)));
            let what = match UpdateMode::try_from(update.update_mode) {
                Ok(UpdateMode::RewriteRows) => "rows",
                Ok(UpdateMode::RewriteColumns) => "columns",
                Err(_) => "something that is not known",
            };
            line(format_args!("writes {what} again, fields {:?}", update.fields_modified));
        }
        Some(Operation::Project(project)) => describe_schema(text, &project.schema),
        Some(Operation::UpdateConfig(update)) => describe_config(text, update),
        Some(Operation::DataReplacement(replacement)) => {
            for group in &replacement.replacements {
                let file = group.new_file.as_ref();
                let (path, fields) = file.map_or(("nothing", &[][..]), |file| (&*file.path, &*file.fields));
                let path = data_file(path);
                line(format_args!("fragment {}: {path}, fields {fields:?}", group.fragment_id));
            }
        }
        Some(Operation::UpdateBases(update)) => {
            for base in &update.new_bases {
                line(format_args!("adds the place {}", base.path));
            }
        }
        Some(
            Operation::UpdateMemWalState(_)
            | Operation::Clone(_)
            | Operation::DataOverlay(_)
            | Operation::AppendFragmentReuseTransitions(_),
        )
        | None => {}
    }
}

fn describe_schema(text: &mut String, schema: &[Field]) {
    line_of(text, format_args!("    new schema"));
    describe_fields(text, schema, 6);
}

fn describe_config(text: &mut String, update: &UpdateConfig) {
    let mut line = |line: std::fmt::Arguments<'_>| line_of(text, format_args!("    {line}"));
    for (key, value) in &update.upsert_values {
        line(format_args!("setting {key} = {value}"));
    }
    for key in &update.delete_keys {
        line(format_args!("setting {key} is removed"));
    }
    for (key, value) in &update.schema_metadata {
        line(format_args!("metadata of the schema {key} = {value}"));
    }
    for (field, metadata) in &update.field_metadata {
        for (key, value) in &metadata.metadata {
            line(format_args!("metadata of field {field} {key} = {value}"));
        }
    }
    let mut changes = |what: &str, map: Option<&UpdateMap>| {
        let Some(map) = map else { return };
        if map.replace {
            line(format_args!("{what}: all others are removed"));
        }
        for entry in &map.update_entries {
            match &entry.value {
                Some(value) => line(format_args!("{what} {} = {value}", entry.key)),
                None => line(format_args!("{what} {} is removed", entry.key)),
            }
        }
    };
    changes("setting", update.config_updates.as_ref());
    changes("metadata", update.table_metadata_updates.as_ref());
    changes("metadata of the schema", update.schema_metadata_updates.as_ref());
    for (field, map) in &update.field_metadata_updates {
        changes(&format!("metadata of field {field}"), Some(map));
    }
}

fn ids(fragments: &[DataFragment]) -> impl Iterator<Item = u64> {
    fragments.iter().map(|fragment| fragment.id)
}

/// Fragments by their ids: `fragments 0..3, 7`.
fn fragments(ids: impl Iterator<Item = u64>) -> String {
    let mut ids: Vec<u64> = ids.collect();
    ids.sort_unstable();
    match &*ids {
        [] => "no fragments".to_owned(),
        [one] => format!("fragment {one}"),
        _ => format!("fragments {}", ranges(runs(ids.into_iter()))),
    }
}

/// Fragments that have no ids yet: `2 fragments of 50 rows`.
fn new_fragments(fragments: &[DataFragment]) -> String {
    let rows = fragments.iter().map(DataFragment::rows).fold(0, u64::saturating_add);
    let plural = if fragments.len() == 1 { "" } else { "s" };
    format!("{} fragment{plural} of {rows} rows", fragments.len())
}

/// The folder of an index.
fn folder_of(uuid: Option<&IndexUuid>) -> String {
    let uuid = uuid.and_then(|uuid| uuid::Uuid::from_slice(&uuid.uuid).ok());
    uuid.map_or_else(String::new, |uuid| format!(" in {}/{uuid}", names::INDICES))
}

/// How far to indent a field: two spaces for each parent, as far as there are some.
fn depth(fields: &[Field], field: &Field) -> usize {
    let parent = |of: &Field| fields.iter().find(|field| field.id == of.parent_id && field.id != of.id);
    let mut found = 0;
    let mut at = field;
    // Ids of a damaged file may form a circle.
    while let Some(above) = parent(at).filter(|_| found < 64) {
        found += 2;
        at = above;
    }
    found
}

/// Where a data file is: below the folder of the data set, unless its path is absolute.
fn data_file(path: &str) -> Cow<'_, str> {
    if is_absolute(path) { path.into() } else { format!("{}/{path}", names::DATA).into() }
}

fn describe_fragment(text: &mut String, files: &Files<'_>, fragment: &DataFragment) {
    let (rows, physical) = (fragment.rows(), fragment.physical_rows);
    line_of(text, format_args!("  fragment {}: {rows} of {physical} rows", fragment.id));
    for file in &fragment.files {
        line_of(
            text,
            format_args!(
                "    {}, version {}.{}, {} bytes, fields {:?}",
                data_file(&file.path),
                file.file_major_version,
                file.file_minor_version,
                file.file_size_bytes,
                file.fields
            ),
        );
    }
    if let Some(deletion) = &fragment.deletion_file {
        let name = names::deletion_file(fragment.id, deletion);
        let deleted =
            name.clone().and_then(|name| DeletionVector::read(&files.read(&name)?, deletion, physical));
        let said = match deleted {
            Ok(deleted) => {
                format!("{} deleted: {}", deleted.count(), ranges(runs(deleted.iter().map(u64::from))))
            }
            Err(error) => error.to_string(),
        };
        line_of(text, format_args!("    {}: {said}", name.unwrap_or_default()));
    }
    let (place, bytes) = match &fragment.row_id_sequence {
        Some(RowIds::Inline(bytes)) => (String::new(), Ok(bytes.clone())),
        Some(RowIds::External(file)) => {
            let (path, offset, size) = (&file.path, file.offset, file.size);
            let part = |bytes: Vec<u8>| {
                let start = usize::try_from(offset).ok();
                let end = usize::try_from(offset.saturating_add(size)).ok();
                let part = start.zip(end).and_then(|(start, end)| bytes.get(start..end)).map(<[u8]>::to_vec);
                part.ok_or_else(|| Error::out_of_spec("the file is too short").in_file(path))
            };
            (format!(" in {size} bytes of {path} at {offset}"), files.read(path).and_then(part))
        }
        None => return,
    };
    match bytes.and_then(|bytes| RowIdSequence::read(&bytes, physical)) {
        Ok(ids) => line_of(text, format_args!("    row ids{place}: {}", ranges(ids.runs().iter().cloned()))),
        Err(error) => line_of(text, format_args!("    row ids{place}: {error}")),
    }
}

fn describe_index(text: &mut String, index: &IndexMetadata) {
    let uuid = folder_of(index.uuid.as_ref());
    let kind = index.index_details.as_ref().map_or("of an unknown kind", |details| &*details.type_url);
    let fragments = match RoaringBitmap::deserialize_from(&*index.fragment_bitmap) {
        Ok(covered) => format!("{} fragments", covered.len()),
        Err(_) => "an unknown number of fragments".to_owned(),
    };
    let (name, version, fields) = (&index.name, index.dataset_version, &index.fields);
    line_of(
        text,
        format_args!(
            "  index {name}, {kind}{uuid}: {fragments}, made from version {version}, fields {fields:?}"
        ),
    );
    for file in &index.files {
        line_of(text, format_args!("    {}, {} bytes", file.path, file.size_bytes));
    }
}

/// Numbers that follow each other, of numbers in ascending order.
fn runs(numbers: impl Iterator<Item = u64>) -> impl Iterator<Item = Range<u64>> {
    let mut numbers = numbers.peekable();
    std::iter::from_fn(move || {
        let start = numbers.next()?;
        let mut end = start.saturating_add(1);
        while end < u64::MAX && numbers.next_if_eq(&end).is_some() {
            end += 1;
        }
        Some(start..end)
    })
}

fn ranges(runs: impl Iterator<Item = Range<u64>>) -> String {
    let mut runs = runs.peekable();
    let shown = runs.by_ref().take(MOST_RANGES).map(|run| match run.end - run.start {
        1 => run.start.to_string(),
        _ => format!("{}..{}", run.start, run.end),
    });
    let mut shown: Vec<String> = shown.collect();
    if runs.peek().is_some() {
        shown.push("..".to_owned());
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::names::NamingScheme;

    /// A data set of one manifest that Lance wrote, without its other files.
    fn folder(manifest: &[u8], version: u64) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join(names::VERSIONS)).unwrap();
        std::fs::write(folder.path().join(NamingScheme::V2.manifest(version)), manifest).unwrap();
        folder
    }

    #[test]
    fn a_manifest_is_described_although_other_files_are_missing() {
        let folder = folder(include_bytes!("../tests/fixtures/evolved.manifest"), 6);
        let text = describe(folder.path(), None).unwrap();
        for line in [
            "version 6: 847 rows in 4 fragments, Project of version 5, by lance 14.0.2",
            "  data files: lance 2.2",
            "  readers must support: deletion files",
            "    number: int64, nullable (id 0)",
            "    muons: list.struct, nullable (id 2)",
            "        pt: float, nullable (id 4)",
            "  fragment 0: 198 of 400 rows",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(text.contains(".arrow: _deletions/0-3-"), "{text}");
    }

    #[test]
    fn row_ids_are_shown_as_ranges() {
        let folder = folder(include_bytes!("../tests/fixtures/row_ids.manifest"), 10);
        let text = describe(folder.path(), Some(10)).unwrap();
        assert!(text.contains("    row ids: 11999, 3, 7, 12000..12002\n"), "{text}");
        assert!(text.contains("    row ids: 9000..12000\n"), "{text}");
        let error = describe(folder.path(), Some(3)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotFound);
        assert!(error.to_string().contains("_versions: there is no version 3"), "{error}");
        let nothing = tempfile::tempdir().unwrap();
        assert_eq!(describe(nothing.path(), None).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[test]
    fn parents_of_damaged_fields_may_form_a_circle() {
        let field = |id, parent_id| Field { id, parent_id, ..Default::default() };
        let fields = [field(1, 2), field(2, 1)];
        assert_eq!(depth(&fields, &fields[0]), 64);
    }

    #[test]
    fn deleted_rows_that_follow_each_other_are_ranges() {
        let deleted: DeletionVector = [1, 2, 3, 7, 9, 10].into_iter().collect();
        assert_eq!(ranges(runs(deleted.iter().map(u64::from))), "1..4, 7, 9..11");
        let deleted: DeletionVector = (0..20).map(|number| 2 * number).collect();
        assert_eq!(ranges(runs(deleted.iter().map(u64::from))), "0, 2, 4, 6, 8, 10, 12, 14, ..");
    }
}
