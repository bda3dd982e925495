//! A text about a folder that Lance wrote: versions, schema, fragments, deletions and transactions.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use roaring::RoaringBitmap;

use crate::error::{Error, ErrorKind, Result};
use crate::format::names::{self, Listing};
use crate::format::{
    DataFragment, DeletionVector, Field, IndexMetadata, Manifest, ManifestFile, RowIdSequence, RowIds,
    Transaction, flags,
};

/// How many ranges of rows are shown.
const MOST_RANGES: usize = 8;

/// Describes a data set of Lance, or one of this crate, in a folder: each version in a line, then all of `version`.
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
    let listing = list(folder)?;
    let (Some(scheme), Some(latest)) = (listing.scheme, listing.latest()) else {
        return Err(Error::new(ErrorKind::NotFound, "there is no manifest").in_file(names::VERSIONS));
    };
    let version = version.unwrap_or(latest);
    let mut text = String::new();
    for &number in &listing.versions {
        let line = match manifest(folder, &scheme.manifest(number)) {
            Ok(file) => summary(&file),
            Err(error) => format!("version {number}: {error}"),
        };
        line_of(&mut text, format_args!("{line}"));
    }
    for number in &listing.detached {
        line_of(&mut text, format_args!("detached version {number}"));
    }
    let file = manifest(folder, &scheme.manifest(version))?;
    detail(&mut text, folder, &file.manifest);
    for index in file.indices.iter().flat_map(|section| &section.indices) {
        describe_index(&mut text, index);
    }
    Ok(text)
}

fn line_of(text: &mut String, line: std::fmt::Arguments<'_>) {
    // A string takes whatever is written to it.
    let _ = writeln!(text, "{line}");
}

fn list(folder: &Path) -> Result<Listing> {
    let in_file = |error: std::io::Error| Error::from(error).in_file(names::VERSIONS);
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.join(names::VERSIONS)).map_err(in_file)? {
        if let Ok(name) = entry.map_err(in_file)?.file_name().into_string() {
            found.push(name);
        }
    }
    Listing::from_names(found.iter().map(String::as_str))
}

fn read(folder: &Path, name: &str) -> Result<Vec<u8>> {
    std::fs::read(folder.join(name)).map_err(|error| Error::from(error).in_file(name))
}

fn manifest(folder: &Path, name: &str) -> Result<ManifestFile> {
    ManifestFile::read(&read(folder, name)?).map_err(|error| error.in_file(name))
}

fn summary(file: &ManifestFile) -> String {
    let manifest = &file.manifest;
    let operation = file.transaction.as_ref().map_or_else(String::new, |transaction| {
        format!(", {} of version {}", operation(transaction), transaction.read_version)
    });
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

fn detail(text: &mut String, folder: &Path, manifest: &Manifest) {
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
    if !manifest.transaction_file.is_empty() {
        let name = format!("{}/{}", names::TRANSACTIONS, manifest.transaction_file);
        let found = read(folder, &name).and_then(|bytes| Transaction::read(&bytes));
        let said = match found {
            Ok(transaction) => operation(&transaction).to_owned(),
            Err(error) => error.to_string(),
        };
        line_of(text, format_args!("  {name}: {said}"));
    }
    line_of(text, format_args!("  schema"));
    for field in &manifest.fields {
        let depth = depth(&manifest.fields, field);
        let nullable = if field.nullable { ", nullable" } else { "" };
        line_of(
            text,
            format_args!(
                "    {:depth$}{}: {}{nullable} (id {})",
                "", field.name, field.logical_type, field.id
            ),
        );
    }
    for fragment in &manifest.fragments {
        describe_fragment(text, folder, fragment);
    }
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

fn describe_fragment(text: &mut String, folder: &Path, fragment: &DataFragment) {
    let (rows, physical) = (fragment.rows(), fragment.physical_rows);
    line_of(text, format_args!("  fragment {}: {rows} of {physical} rows", fragment.id));
    for file in &fragment.files {
        line_of(
            text,
            format_args!(
                "    {}/{}, version {}.{}, {} bytes, fields {:?}",
                names::DATA,
                file.path,
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
            name.clone().and_then(|name| DeletionVector::read(&read(folder, &name)?, deletion, physical));
        let said = match deleted {
            Ok(deleted) => format!("{} deleted: {}", deleted.count(), ranges(runs(&deleted))),
            Err(error) => error.to_string(),
        };
        line_of(text, format_args!("    {}: {said}", name.unwrap_or_default()));
    }
    match &fragment.row_id_sequence {
        Some(RowIds::Inline(bytes)) => match RowIdSequence::read(bytes, physical) {
            Ok(ids) => line_of(text, format_args!("    row ids: {}", ranges(ids.runs().iter().cloned()))),
            Err(error) => line_of(text, format_args!("    row ids: {error}")),
        },
        Some(RowIds::External(file)) => {
            let (path, offset, size) = (&file.path, file.offset, file.size);
            line_of(text, format_args!("    row ids: {size} bytes of {path} at {offset}"));
        }
        None => {}
    }
}

fn describe_index(text: &mut String, index: &IndexMetadata) {
    let uuid = index.uuid.as_ref().and_then(|uuid| uuid::Uuid::from_slice(&uuid.uuid).ok());
    let uuid = uuid.map_or_else(String::new, |uuid| format!(" in {}/{uuid}", names::INDICES));
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

/// Offsets that follow each other.
fn runs(deleted: &DeletionVector) -> impl Iterator<Item = Range<u64>> + '_ {
    let mut offsets = deleted.iter().map(u64::from).peekable();
    std::iter::from_fn(move || {
        let start = offsets.next()?;
        let mut end = start + 1;
        while offsets.next_if_eq(&end).is_some() {
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
        assert_eq!((error.kind(), error.file()), (ErrorKind::NotFound, Some(&*NamingScheme::V2.manifest(3))));
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
        assert_eq!(ranges(runs(&deleted)), "1..4, 7, 9..11");
        let deleted: DeletionVector = (0..20).map(|number| 2 * number).collect();
        assert_eq!(ranges(runs(&deleted)), "0, 2, 4, 6, 8, 10, 12, 14, ..");
    }
}
