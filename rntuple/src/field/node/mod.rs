//! The fields of a file, as a type finds its way through them.

mod columns;
mod connection;
mod members;
mod names;
mod path;
mod shape;
mod when;

use std::sync::Arc;

use crate::column::{Allowance, Means};
use crate::encoding::ColumnType;
use crate::error::{Error, Mismatch, Result};
use crate::schema::{FieldDescriptor, FieldId, FieldPlace, HiddenField, Role};

pub(crate) use connection::Connection;
pub(super) use connection::suggest;
pub use members::Connecting;
pub(crate) use path::Descent;
pub use when::{StoredField, When};

/// A field of a file, offered to a Rust type.
#[derive(Clone, Copy)]
pub struct FieldNode<'a> {
    connection: &'a Connection,
    /// `None`: the entry itself.
    id: Option<FieldId>,
    /// Whether this is one flag of a bitset, which has no field of its own.
    is_item: bool,
    /// Whether any number may be read as any other.
    lossy: bool,
    /// What stands in front of the names of its subfields: a number of the connection's list.
    prefix: usize,
    /// The members of a flattened struct stand in it, among others.
    is_flattened: bool,
    /// It stands for an alternative that the file does not have.
    is_absent: bool,
}

impl Connection {
    /// The entry itself, whose subfields are the top-level fields.
    pub(crate) fn root(&self) -> FieldNode<'_> {
        FieldNode {
            connection: self,
            id: None,
            is_item: false,
            lossy: false,
            prefix: 0,
            is_flattened: false,
            is_absent: false,
        }
    }
}

impl<'a> FieldNode<'a> {
    /// What the file says of the field; `None` for the entry itself.
    pub fn descriptor(&self) -> Option<&'a FieldDescriptor> {
        self.connection.schema.field(self.id?)
    }

    /// The same of a struct that is not flattened: one that is has no field of its own.
    fn own_descriptor(&self) -> Option<&'a FieldDescriptor> {
        self.descriptor().filter(|_| !self.is_flattened)
    }

    /// Its structural role; the entry itself is a record.
    pub fn role(&self) -> Role {
        self.descriptor().map_or(Role::Record, |field| field.role)
    }

    /// Its path, dots between the parts.
    pub fn path(&self) -> String {
        self.place().to_string()
    }

    /// The field, for errors to come.
    pub(crate) fn place(&self) -> FieldPlace {
        FieldPlace::new(self.connection.schema.clone(), self.id)
    }

    /// What the columns have at hand.
    pub(super) fn means(&self) -> Arc<Means> {
        self.connection.means()
    }

    /// Notes that the field is read as values of whatever type it has.
    pub(super) fn note_values(self) {
        // What is absent has no values.
        if !self.is_absent {
            self.connection.values.borrow_mut().push(self.id);
        }
    }

    /// Its subfields in order.
    pub fn children(self) -> impl Iterator<Item = FieldNode<'a>> + Clone {
        let schema = &self.connection.schema;
        let ids = match self.id {
            Some(id) => schema.children(id),
            None => schema.top_level(),
        };
        let visible = ids.iter().filter(move |&&id| self.connection.is_visible(id));
        visible.map(move |&id| self.child(id))
    }

    /// One of its subfields.
    pub(super) fn child(self, id: FieldId) -> FieldNode<'a> {
        FieldNode { id: Some(id), is_item: false, prefix: 0, is_flattened: false, ..self }
    }

    /// The number of its subfields.
    pub(crate) fn child_count(self) -> usize {
        self.children().count()
    }

    /// The subfield of this name, if there is one.
    pub fn find(self, name: &str) -> Option<FieldNode<'a>> {
        if self.is_absent {
            return None;
        }
        let schema = &self.connection.schema;
        let name = &*self.full_name(name);
        let found = match self.id {
            Some(id) => schema.child_named(id, name),
            None => schema.top_level_named(name),
        };
        let id = found.filter(|&id| self.connection.is_visible(id))?;
        Some(self.child(id))
    }

    /// The subfield of this name.
    ///
    /// # Errors
    /// There is none, or it is hidden because it needs a newer reader.
    pub fn subfield(self, name: &str, wanted: &str) -> Result<FieldNode<'a>> {
        match self.find(name) {
            Some(child) => Ok(child),
            None => {
                let full_name = self.full_name(name);
                let path = match self.id {
                    Some(_) => format!("{}.{full_name}", self.path()),
                    None => full_name,
                };
                let found = self.find_hidden(name).map_or_else(|| Mismatch::NO_FIELD.to_owned(), unreadable);
                Err(self.report(path, found, wanted))
            }
        }
    }

    /// The subfields that the file has and this crate cannot read: only an entry has any.
    fn hidden(self) -> impl Iterator<Item = &'a HiddenField> {
        self.connection.schema.hidden().iter().filter(move |_| self.id.is_none())
    }

    /// The one of them that has this name.
    fn find_hidden(self, name: &str) -> Option<&'a HiddenField> {
        let name = self.full_name(name);
        self.hidden().find(|hidden| hidden.name == name)
    }

    /// Whether the type would see a subfield of this name if it could be read.
    pub(super) fn hides(self, name: &str) -> bool {
        self.find_hidden(name).is_some_and(|hidden| self.connection.is_visible(hidden.field))
    }

    /// The limit for items without columns.
    pub(crate) fn allowance(self) -> Allowance {
        self.connection.allowance()
    }

    /// Keeps the difference for the error that tells them all, and returns one that tells this.
    #[cold]
    pub fn mismatch(self, wanted: &str) -> Error {
        let mismatch = Mismatch::new(self.path(), self.found(), wanted);
        // What a struct does not have has no type that could be another.
        self.keep(match self.is_optional() && wanted != Mismatch::NO_FIELD {
            true => mismatch.with_help("read it as `Option<..>`, or give the member a `default`"),
            false => mismatch,
        })
    }

    #[cold]
    pub(super) fn report(self, path: String, found: String, wanted: &str) -> Error {
        self.keep(Mismatch::new(path, found, wanted))
    }

    #[cold]
    fn keep(self, mismatch: Mismatch) -> Error {
        self.connection.mismatches.borrow_mut().push(mismatch.clone());
        Error::schema_mismatch(vec![mismatch])
    }

    /// The field in words: `std::vector<float>`, `a record`, `float (SplitReal32)`.
    pub(super) fn found(self) -> String {
        let Some(field) = self.descriptor() else { return "an entry".to_owned() };
        let mut text = match (&*field.type_name, field.role) {
            ("", Role::Record) => "an untyped record".to_owned(),
            ("", Role::Collection) => "an untyped collection".to_owned(),
            ("", role) => format!("a field of role {}", role.name()),
            (name, _) => name.to_owned(),
        };
        let schema = &self.connection.schema;
        let columns = self.id.map(|id| schema.representations(id)).unwrap_or_default();
        let names: Vec<&str> = columns
            .iter()
            .flatten()
            .filter_map(|&id| schema.column(id)?.column_type())
            .map(ColumnType::name)
            .collect();
        if !names.is_empty() {
            text.push_str(&format!(" ({})", names.join(", ")));
        }
        text
    }
}

/// A field that needs a newer reader, in words.
fn unreadable(hidden: &HiddenField) -> String {
    format!("a field that cannot be read ({})", hidden.reason)
}

impl std::fmt::Debug for FieldNode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FieldNode({})", self.path())
    }
}
