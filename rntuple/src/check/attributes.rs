//! Rules for attribute sets (format, section 8): which fields they have, and which entries they may speak of.

use std::collections::HashSet;
use std::sync::Arc;

use super::findings::{Findings, shorten};
use super::report::NoteKind;
use super::schema::path;
use crate::dataset::Dataset;
use crate::error::Error;
use crate::field::AttributeRange;
use crate::reader::{ReadOptions, Reader};
use crate::schema::{LinkedAttributeSet, RANGE_LENGTH, RANGE_START, Role, Schema, USER_DATA};

/// Pages may be named without end, and so there may be ranges without end: so many, and one for each byte of the file,
/// are looked at in all sets together.
pub(super) const MOST_RANGES: u64 = 1 << 24;

/// Names that tell the sets of an ntuple apart.
pub(super) fn check_names(sets: &[LinkedAttributeSet], findings: &mut Findings) {
    let mut seen = HashSet::new();
    for set in sets {
        let name = || shorten(set.name.clone());
        if set.name.is_empty() {
            findings.fault(|| Error::out_of_spec("an attribute set without a name"));
        } else if !seen.insert(&*set.name) {
            findings.fault(|| Error::out_of_spec(format!("two attribute sets are called {:?}", name())));
        }
    }
}

/// Finds what is wrong with a set that is sound as an ntuple. What it belongs to has so many entries, if that is known.
/// `ranges` may still be looked at.
pub(super) fn check_set(
    set: &Arc<Dataset>,
    minor: u16,
    entries: Option<u64>,
    ranges: &mut u64,
    findings: &mut Findings,
) {
    let schema = set.schema();
    // What is hidden has been noted, and may be anything.
    if !schema.hidden().is_empty() {
        return;
    }
    let faults_before = findings.faults.count();
    check_fields(schema, minor, findings);
    if findings.faults.count() == faults_before {
        check_ranges(set, entries, ranges, findings);
    }
}

fn check_fields(schema: &Schema, minor: u16, findings: &mut Findings) {
    let wanted = [
        (RANGE_START, Role::Plain, "std::uint64_t"),
        (RANGE_LENGTH, Role::Plain, "std::uint64_t"),
        (USER_DATA, Role::Record, ""),
    ];
    let top_level = schema.top_level();
    for (number, (name, role, type_name)) in wanted.into_iter().enumerate() {
        let field = top_level.get(number).and_then(|&id| schema.field(id));
        let fits = |field: &&crate::schema::FieldDescriptor| {
            field.name == name
                && field.role == role
                && field.type_name == type_name
                && field.array_size.is_none()
        };
        if field.filter(fits).is_none() {
            let what = if role == Role::Record { "an untyped record" } else { type_name };
            findings.fault(|| {
                Error::out_of_spec(format!("field {number} of an attribute set should be {name}, {what}"))
            });
        }
    }
    // A later minor version may have more.
    if minor == 0 && top_level.len() > wanted.len() {
        let count = top_level.len();
        findings.fault(|| Error::out_of_spec(format!("an attribute set of {count} fields instead of 3")));
    }
    for (id, field) in schema.fields() {
        let what = match field.role {
            _ if field.projection_source.is_some() => "a projected field",
            Role::Streamer => "a field of streamed objects",
            _ => continue,
        };
        findings.fault(|| {
            Error::out_of_spec(format!("{what}, which an attribute set cannot have"))
                .in_field(path(schema, id))
        });
    }
}

fn check_ranges(set: &Arc<Dataset>, entries: Option<u64>, ranges: &mut u64, findings: &mut Findings) {
    let reader = match Reader::<AttributeRange>::from_dataset(set.clone(), ReadOptions::new()) {
        Ok(reader) => reader,
        Err(error) => return findings.add(error),
    };
    let (count, most) = (set.entry_count(), *ranges);
    *ranges = most.saturating_sub(count);
    if count > most {
        findings
            .note(NoteKind::Unchecked, || Error::limit(format!("only the first {most} ranges of {}", count)));
    }
    for (number, range) in (0..).zip(reader.entries_in(0..most)) {
        match (range, entries) {
            (Ok(AttributeRange(range)), Some(entries)) if range.end > entries => findings.fault(|| {
                let message =
                    format!("says something of entries up to {}, but there are only {entries}", range.end);
                Error::out_of_spec(message).at_entry(number)
            }),
            (Ok(_), _) => {}
            // Which names file and ntuple already.
            (Err(error), _) => return findings.add(error),
        }
    }
}
