//! A type that goes on with the columns of a file: are they the ones that it would have made?

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::lanes::Lane;
use super::node::suggest;
use crate::encoding::{ColumnEncoding, ColumnType};
use crate::error::{Error, Mismatch, Result};
use crate::schema::{
    ColumnDescriptor, ColumnId, FieldDescriptor, FieldId, MAX_TEMPLATE_DEPTH, Role, Scalar, Schema,
    contradiction, is_class, normalize, split_template,
};

/// The schema of an ntuple that goes on.
#[derive(Debug)]
pub(crate) struct Existing {
    pub(crate) schema: Arc<Schema>,
    /// By column: whether the last cluster has its elements there, and not in another representation.
    pub(crate) active: Vec<bool>,
}

/// The fields of a plan, found in a schema.
#[derive(Debug)]
pub(super) struct Adoption {
    existing: Arc<Existing>,
    /// By field of the plan, as far as they were looked at.
    ids: Vec<Option<FieldId>>,
    /// By field of the file: the representation that is written, and how many of its columns were asked for.
    taken: HashMap<FieldId, (usize, usize)>,
    /// What is written, in the order in which it was asked for.
    lanes: Vec<Lane>,
    /// Columns that the elements do not fit.
    misfits: Vec<Mismatch>,
}

impl Adoption {
    /// The schema of the file.
    pub(super) fn schema(&self) -> &Schema {
        &self.existing.schema
    }

    pub(super) fn new(existing: Arc<Existing>) -> Self {
        let (ids, taken, lanes, misfits) = Default::default();
        Self { existing, ids, taken, lanes, misfits }
    }

    /// The next column of a field, for elements that can be written as one of `writes`. `None`: there is none, which
    /// [`finish`](Self::finish) tells.
    pub(super) fn column(
        &mut self,
        fields: &[FieldDescriptor],
        field: FieldId,
        element: &str,
        writes: &[ColumnType],
    ) -> Option<ColumnEncoding> {
        self.look_up(fields);
        let id = self.ids.get(field.index()).copied().flatten()?;
        let existing = self.existing.clone();
        let lists = existing.schema.representations(id);
        let packing_of = |column: &ColumnId| {
            let column = existing.schema.column(*column)?;
            ColumnEncoding::checked(ColumnType::from_code(column.type_code)?, column.bits, column.range).ok()
        };
        let fits =
            |column: &ColumnId| packing_of(column).filter(|packing| writes.contains(&packing.column_type()));
        let (list, number) = *self.taken.entry(id).or_insert_with(|| {
            // The one that is in use, or else any that will do.
            let is_active = |list: &Vec<ColumnId>| {
                let first = list.first().and_then(|column| existing.active.get(column.index()));
                first.copied().unwrap_or_default()
            };
            let usable = |list: &Vec<ColumnId>| list.first().is_some_and(|column| fits(column).is_some());
            let active = lists.iter().position(|list| is_active(list) && usable(list));
            (active.or_else(|| lists.iter().position(usable)).unwrap_or_default(), 0)
        });
        self.taken.insert(id, (list, number + 1));
        let column = lists.get(list).and_then(|list| list.get(number)).copied();
        let Some((column, packing)) = column.and_then(|column| Some((column, fits(&column)?))) else {
            let stored = column.as_ref().and_then(packing_of);
            let stored = stored
                .map_or_else(|| "no such column".to_owned(), |packing| format!("a column of {packing}"));
            let wanted = format!("one that `{element}` can be written to");
            self.misfits.push(Mismatch::new(existing.schema.path(id), stored, wanted));
            return None;
        };
        self.lanes.push(Lane { columns: vec![column], choice: None });
        Some(packing)
    }

    /// Finds the fields of the plan that were added since.
    fn look_up(&mut self, fields: &[FieldDescriptor]) {
        let schema = &self.existing.schema;
        for field in fields.get(self.ids.len()..).unwrap_or_default() {
            let id = match field.parent {
                None => schema.top_level_named(&field.name),
                Some(parent) => {
                    let parent = self.ids.get(parent.index()).copied().flatten();
                    parent.and_then(|parent| schema.child_named(parent, &field.name))
                }
            };
            self.ids.push(id);
        }
    }

    /// Compares the finished plan with the file.
    ///
    /// # Errors
    /// All differences that keep the type from going on with the file's columns.
    pub(super) fn finish(mut self, fields: &[FieldDescriptor]) -> Result<Vec<Lane>> {
        self.look_up(fields);
        let schema = &self.existing.schema;
        let mut mismatches = Vec::new();
        let mut written = vec![false; schema.fields().count()];
        // Fields of the file that have another type: what their subfields lack follows from that.
        let mut refused = HashSet::new();
        for ((at, field), id) in (0..).map(FieldId).zip(fields).zip(&self.ids) {
            let parent = field.parent.and_then(|parent| self.ids.get(parent.index()));
            match id.and_then(|id| Some((id, schema.field(id)?))) {
                Some((id, found)) => {
                    if let Some(written) = written.get_mut(id.index()) {
                        *written = true;
                    }
                    mismatches.extend(compare(field, found, &schema.path(id)));
                    if is_other_type(field, found) {
                        refused.insert(id);
                    }
                }
                // The subfields of a field that is missing are missing too.
                None if parent == Some(&None) => {}
                None if parent.copied().flatten().is_some_and(|parent| refused.contains(&parent)) => {}
                None => {
                    let path = crate::schema::path(fields, at);
                    let mismatch = Mismatch::new(path, Mismatch::NO_FIELD, describe(field));
                    mismatches.push(match field.parent {
                        None => mismatch.with_help("`extend` or a `ColumnAdder` adds new fields"),
                        Some(_) => mismatch,
                    });
                }
            }
        }
        for (id, field) in schema.fields() {
            let is_known = |id: FieldId| written.get(id.index()).copied().unwrap_or_default();
            let parent_is_known =
                field.parent.is_none_or(|parent| is_known(parent) && !refused.contains(&parent));
            if is_known(id) || !parent_is_known || field.projection_source.is_some() {
                continue;
            }
            mismatches.push(Mismatch::new(schema.path(id), describe(field), Mismatch::NO_FIELD));
        }
        // Where the type itself is another one, its column says nothing new.
        let is_told =
            |misfit: &Mismatch| mismatches.iter().any(|known: &Mismatch| known.field == misfit.field);
        self.misfits.retain(|misfit| !is_told(misfit));
        mismatches.append(&mut self.misfits);
        if !mismatches.is_empty() {
            let lacks = mismatches.iter().any(|mismatch| mismatch.wanted == Mismatch::NO_FIELD);
            let reason = if lacks { ": an appended entry needs a value for every field" } else { "" };
            let error = Error::schema_mismatch(suggest(schema, mismatches));
            return Err(error.rephrase(|_| format!("the type does not fit the fields of the ntuple{reason}")));
        }
        Ok(self.lanes)
    }

    /// All fields and columns of the file.
    pub(super) fn records(&self) -> (Vec<FieldDescriptor>, Vec<ColumnDescriptor>) {
        let schema = &self.existing.schema;
        (
            schema.fields().map(|(_, field)| field.clone()).collect(),
            schema.columns().map(|(_, column)| column.clone()).collect(),
        )
    }
}

/// What keeps values of a field from being written as those of a field of the file.
fn compare(own: &FieldDescriptor, found: &FieldDescriptor, path: &str) -> Option<Mismatch> {
    let differ = |found: String, wanted: String| Some(Mismatch::new(path.to_owned(), found, wanted));
    if found.projection_source.is_some() {
        if own.projection_source.is_some() {
            return None;
        }
        return differ(format!("a projection, {}", describe(found)), describe(own));
    }
    if is_other_type(own, found) {
        let mismatch = Mismatch::new(path.to_owned(), describe(found), describe(own));
        let name = &*found.type_name;
        let has_name = own.role == found.role && !name.is_empty() && !name.starts_with("std::");
        let is_enum = has_name && !own.enumerators().is_empty() && Scalar::named(name).is_none();
        let help = || format!("an enum is stored as the one of the file with `type_name = \"{name}\"`");
        return Some(if is_enum { mismatch.with_help(help()) } else { mismatch });
    }
    if let Some((found, wanted)) = contradiction(found, own) {
        return differ(found, wanted);
    }
    // An untyped record is nobody's class.
    if !is_class(own) || !is_class(found) {
        return None;
    }
    if own.type_version != found.type_version {
        let version = |field: &FieldDescriptor| match field.type_version {
            u32::MAX => format!("{} without a class version", field.type_name),
            version => format!("version {version} of {}", field.type_name),
        };
        return differ(version(found), version(own));
    }
    match (own.type_checksum, found.type_checksum) {
        (Some(wanted), Some(sum)) if wanted != sum => {
            let name = &own.type_name;
            differ(format!("{name} with class checksum {sum:#010x}"), format!("{wanted:#010x}"))
        }
        _ => None,
    }
}

/// Whether values of the two fields are not alike, whatever the versions of their classes.
fn is_other_type(own: &FieldDescriptor, found: &FieldDescriptor) -> bool {
    let is_same = own.role == found.role && own.array_size == found.array_size && own.is_soa == found.is_soa;
    !is_same || !is_same_type(&own.type_name, &found.type_name)
}

/// Whether values of one type are those of the other: the names are the same, or one is left out.
fn is_same_type(own: &str, found: &str) -> bool {
    let spelled = |name: &str| spell(&normalize(name), MAX_TEMPLATE_DEPTH);
    own.is_empty() || found.is_empty() || own == found || spelled(own) == spelled(found)
}

/// A normalised name in which types that are one in Rust, and whose columns are the same, have one name: ROOT's own
/// vector and the standard library's, a pair and a tuple of two, a pointer that may be null and an option. Up to
/// `depth` templates are looked into: a file may have names of any depth.
fn spell(name: &str, depth: usize) -> String {
    let split = depth.checked_sub(1).zip(split_template(name));
    let Some((depth, (template, arguments))) = split else { return name.to_owned() };
    let template = match template {
        "ROOT::VecOps::RVec" | "ROOT::RVec" => "std::vector",
        "std::pair" => "std::tuple",
        "std::unique_ptr" => "std::optional",
        other => other,
    };
    let arguments: Vec<_> = arguments.into_iter().map(|argument| spell(argument, depth)).collect();
    format!("{template}<{}>", arguments.join(","))
}

/// A field in words: `std::vector<float>`, `an untyped record`.
fn describe(field: &FieldDescriptor) -> String {
    let mut text = match (&*field.type_name, field.role) {
        ("", Role::Record) => "an untyped record".to_owned(),
        ("", Role::Collection) => "an untyped collection".to_owned(),
        ("", role) => format!("a field of role {}", role.name()),
        (name, _) => name.to_owned(),
    };
    if let (Some(size), false) = (field.array_size, text.ends_with('>')) {
        text.push_str(&format!(" of {size} items"));
    }
    if field.role == Role::Streamer {
        text.push_str(", streamed");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_mean_the_same_columns_are_the_same() {
        for (own, found) in [
            ("float", "float"),
            ("", "Muon"),
            ("Muon", ""),
            ("std::vector<float>", "ROOT::VecOps::RVec<float>"),
            ("std::pair<float,std::string>", "std::tuple<float,std::string>"),
            ("std::optional<Muon>", "std::unique_ptr<Muon>"),
            ("std::vector<std::vector<std::int32_t>>", "std::vector<ROOT::RVec<int>>"),
            ("std::map<std::string,std::vector<float>>", "std::map<std::string,ROOT::VecOps::RVec<float>>"),
        ] {
            assert!(is_same_type(own, found), "{own} {found}");
            assert!(is_same_type(found, own), "{found} {own}");
        }
        for (own, found) in [
            ("float", "double"),
            ("std::vector<float>", "std::set<float>"),
            ("std::optional<Muon>", "std::optional<Electron>"),
            ("std::array<float,3>", "std::array<float,4>"),
        ] {
            assert!(!is_same_type(own, found), "{own} {found}");
        }
    }

    #[test]
    fn names_of_any_depth_are_compared() {
        let deep = |item: &str| format!("{}{item}{}", "a<".repeat(30_000), ">".repeat(30_000));
        assert!(is_same_type(&deep("b"), &deep("b")));
        assert!(!is_same_type(&deep("b"), &deep("c")));
    }

    #[test]
    fn classes_are_told_apart_by_version_and_checksum() {
        let class = |name: &str, version, sum| {
            let mut field = FieldDescriptor::new(None, Role::Record, "muon", name);
            (field.type_version, field.type_checksum) = (version, sum);
            field
        };
        let own = class("Muon", 2, Some(7));
        assert_eq!(compare(&own, &class("Muon", 2, Some(7)), "muon"), None);
        assert_eq!(compare(&own, &class("Muon", 2, None), "muon"), None);
        assert_eq!(compare(&own, &class("", 0, None), "muon"), None);
        assert_eq!(compare(&class("", 0, None), &own, "muon"), None);
        let version = compare(&own, &class("Muon", 3, Some(7)), "muon").unwrap();
        assert_eq!((&*version.found, &*version.wanted), ("version 3 of Muon", "version 2 of Muon"));
        let sum = compare(&own, &class("Muon", 2, Some(8)), "muon").unwrap();
        assert_eq!((&*sum.found, &*sum.wanted), ("Muon with class checksum 0x00000008", "0x00000007"));
        assert!(compare(&own, &class("Electron", 2, Some(7)), "muon").is_some());
        let mut array = class("Muon", 2, Some(7));
        array.array_size = Some(2);
        assert!(compare(&own, &array, "muon").is_some());
    }
}
