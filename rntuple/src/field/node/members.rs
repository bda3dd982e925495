//! What members ask of a record: names, prefixes, units, alternatives.

use std::iter;

use super::{FieldNode, unreadable};
use crate::error::{Error, Mismatch, Result};
use crate::schema::{FieldDescriptor, Role, UNVERSIONED, is_class};

/// A record whose members are found one by one. A member is looked for even if an earlier one differs, so that all
/// differences are kept.
#[doc(hidden)]
#[derive(Debug)]
pub struct Connecting<'a> {
    record: FieldNode<'a>,
    /// The first difference.
    error: Option<Error>,
}

impl<'a> Connecting<'a> {
    /// Returns the field of a member, given by its name and, for errors, its type.
    pub fn find(&mut self, &(name, wanted): &(&str, &str)) -> Option<FieldNode<'a>> {
        match self.record.subfield(name, wanted) {
            Ok(field) => Some(field),
            Err(error) => {
                self.keep(Err(error));
                None
            }
        }
    }

    /// Keeps the error of a member, if it is the first one.
    pub fn keep(&mut self, result: Result<()>) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
        }
    }

    /// Returns the result for the whole record.
    ///
    /// # Errors
    /// The first difference.
    pub fn finish(self) -> Result<()> {
        self.error.map_or(Ok(()), Err)
    }
}

impl<'a> FieldNode<'a> {
    /// Name of a subfield in the file.
    pub(super) fn full_name(self, name: &str) -> String {
        let prefixes = self.connection.prefixes.borrow();
        prefixes.get(self.prefix).map_or_else(|| name.to_owned(), |prefix| format!("{prefix}{name}"))
    }

    /// The field as a place of flattened members, whose names begin with `prefix`.
    #[doc(hidden)]
    #[must_use]
    pub fn flattened(mut self, prefix: &str) -> Self {
        self.is_flattened = true;
        if !prefix.is_empty() {
            let prefix = self.full_name(prefix);
            let mut prefixes = self.connection.prefixes.borrow_mut();
            self.prefix = prefixes.len();
            prefixes.push(prefix);
        }
        self
    }

    /// The alternative of this name, or what stands for it in a file from before it was added.
    #[doc(hidden)]
    #[must_use]
    pub fn alternative(self, name: &str) -> Self {
        self.find(name).unwrap_or(FieldNode { is_absent: true, ..self })
    }

    /// The field, if it has this alternative.
    #[doc(hidden)]
    #[must_use]
    pub fn place_of(self, name: &str) -> Self {
        FieldNode { is_absent: self.find(name).is_none(), ..self }
    }

    /// Whether it stands for an alternative that the file does not have.
    #[doc(hidden)]
    pub fn is_absent(self) -> bool {
        self.is_absent
    }

    /// The class version that the file states for the record, if it states one.
    #[doc(hidden)]
    pub fn stated_version(self) -> Option<u32> {
        // The class of a flattened struct is not stored; that of the struct around it is another.
        let field = self.own_descriptor()?;
        (is_class(field) && field.type_version != UNVERSIONED).then_some(field.type_version)
    }

    /// Keeps a difference if the file gives the values of the field another unit than `unit`.
    #[doc(hidden)]
    #[must_use]
    pub fn in_unit(self, unit: &str) -> Self {
        if let Some(found) = self.unit()
            && found != unit
        {
            let found = format!("values in {found}");
            self.report(self.path(), found, &format!("values in {unit}"));
        }
        self
    }

    /// The unit of the field's values: its own, or that of what it is a part of, or that of the items in it.
    pub(super) fn unit(self) -> Option<&'a str> {
        let schema = &self.connection.schema;
        let unit = |id| schema.field(id).and_then(FieldDescriptor::unit);
        let is_record =
            |id| schema.field(id).is_none_or(|field| matches!(field.role, Role::Record | Role::Variant));
        // The schema's depth is bounded, so these end.
        let outwards = iter::successors(self.id, |&id| schema.field(id)?.parent);
        let inwards = iter::successors(self.id, |&id| match schema.children(id) {
            &[item] if !is_record(id) => Some(item),
            _ => None,
        });
        outwards.chain(inwards).find_map(unit)
    }

    /// Keeps a difference for each subfield that has none of these names.
    #[doc(hidden)]
    pub fn deny_others(self, known: &[&str]) {
        // Among the members of a flattened struct are those of the struct around it.
        if self.is_absent || self.is_flattened {
            return;
        }
        // What is seen twice is no more than what is there once.
        let is_view = |field: &FieldDescriptor| field.projection_source.is_some();
        for child in self.children() {
            let is_view = child.descriptor().is_some_and(is_view);
            let name = child.descriptor().map(|field| &*field.name).unwrap_or_default();
            if !is_view && !known.contains(&name) {
                child.mismatch(Mismatch::NO_FIELD);
            }
        }
        for hidden in self.hidden() {
            let is_view = self.connection.schema.field(hidden.field).is_some_and(is_view);
            if !is_view && self.connection.is_visible(hidden.field) && !known.contains(&&*hidden.name) {
                self.report(hidden.name.clone(), unreadable(hidden), Mismatch::NO_FIELD);
            }
        }
    }

    /// The first subfield that has one of these names.
    ///
    /// # Errors
    /// There is none, or it is hidden because it needs a newer reader.
    #[doc(hidden)]
    pub fn subfield_of(self, names: &[&str], wanted: &str) -> Result<FieldNode<'a>> {
        let found = names.iter().find_map(|name| self.find(name));
        let blamed = || names.iter().find(|name| self.hides(name)).or(names.first()).copied();
        found.map_or_else(|| self.subfield(blamed().unwrap_or_default(), wanted), Ok)
    }

    /// Starts to find the members of the field, which is a record.
    #[doc(hidden)]
    pub fn members(self) -> Connecting<'a> {
        Connecting { record: self, error: None }
    }
}
