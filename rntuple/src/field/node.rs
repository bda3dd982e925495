//! The fields of a file, as a type finds its way through them.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};

use crate::column::{Allowance, ColumnReader, ColumnSource, Representation};
use crate::encoding::{ColumnType, Element, Packing};
use crate::error::{Error, Mismatch, Result};
use crate::page::Unsealer;
use crate::schema::{ColumnId, FieldDescriptor, FieldId, FieldPlace, Role, Schema};

/// A type being matched with a file: collects the columns it selects and every difference.
pub(crate) struct Connection {
    schema: Arc<Schema>,
    unsealer: Arc<Mutex<Unsealer>>,
    selected: RefCell<BTreeSet<ColumnId>>,
    mismatches: RefCell<Vec<Mismatch>>,
    allowance: Allowance,
    /// The fields that may be seen; `None`: all.
    visible: Option<Arc<HashSet<FieldId>>>,
}

impl Connection {
    pub(crate) fn new(
        schema: Arc<Schema>,
        verify_checksums: bool,
        visible: Option<Arc<HashSet<FieldId>>>,
    ) -> Self {
        let unsealer = Arc::new(Mutex::new(Unsealer::new(verify_checksums)));
        Self {
            schema,
            unsealer,
            selected: RefCell::default(),
            mismatches: RefCell::default(),
            allowance: Allowance::new(),
            visible,
        }
    }

    fn is_visible(&self, id: FieldId) -> bool {
        self.visible.as_ref().is_none_or(|visible| visible.contains(&id))
    }

    /// The entry itself, whose subfields are the top-level fields.
    pub(crate) fn root(&self) -> FieldNode<'_> {
        FieldNode { connection: self, id: None }
    }

    /// What the entries may have without a column: renewed for each of them.
    pub(crate) fn allowance(&self) -> Allowance {
        self.allowance.clone()
    }

    /// The columns that the type reads.
    ///
    /// # Errors
    /// Every difference between the type and the file.
    pub(crate) fn finish(self) -> Result<BTreeSet<ColumnId>> {
        let mismatches = self.mismatches.into_inner();
        if mismatches.is_empty() {
            Ok(self.selected.into_inner())
        } else {
            Err(Error::schema_mismatch(mismatches))
        }
    }
}

/// A field of a file, offered to a Rust type.
#[derive(Clone, Copy)]
pub struct FieldNode<'a> {
    connection: &'a Connection,
    /// `None`: the entry itself.
    id: Option<FieldId>,
}

impl<'a> FieldNode<'a> {
    /// What the file says of the field; `None` for the entry itself.
    pub fn descriptor(&self) -> Option<&'a FieldDescriptor> {
        self.connection.schema.field(self.id?)
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

    /// Its subfields in order.
    pub fn children(self) -> impl Iterator<Item = FieldNode<'a>> + Clone {
        let schema = &self.connection.schema;
        let ids = match self.id {
            Some(id) => schema.children(id),
            None => schema.top_level(),
        };
        let visible = ids.iter().filter(move |&&id| self.connection.is_visible(id));
        visible.map(move |&id| FieldNode { connection: self.connection, id: Some(id) })
    }

    /// The number of its subfields.
    pub fn child_count(self) -> usize {
        self.children().count()
    }

    /// The subfield of this name, if there is one.
    pub fn find(self, name: &str) -> Option<FieldNode<'a>> {
        let schema = &self.connection.schema;
        let found = match self.id {
            Some(id) => schema.child_named(id, name),
            None => schema.top_level_named(name),
        };
        let id = found.filter(|&id| self.connection.is_visible(id))?;
        Some(FieldNode { connection: self.connection, id: Some(id) })
    }

    /// The subfield of this name.
    ///
    /// # Errors
    /// There is none, or it is hidden because it needs a newer reader.
    pub fn subfield(self, name: &str, wanted: &str) -> Result<FieldNode<'a>> {
        match self.find(name) {
            Some(child) => Ok(child),
            None => {
                let path = match self.id {
                    Some(_) => format!("{}.{name}", self.path()),
                    None => name.to_owned(),
                };
                let hidden = self.connection.schema.hidden().iter().find(|hidden| hidden.name == name);
                let found = match hidden.filter(|_| self.id.is_none()) {
                    Some(hidden) => format!("a field that cannot be read ({})", hidden.reason),
                    None => "no such field".to_owned(),
                };
                Err(self.report(path, found, wanted))
            }
        }
    }

    /// The item of a collection or array.
    ///
    /// # Errors
    /// There is not exactly one subfield.
    pub fn item(self) -> Result<FieldNode<'a>> {
        let mut children = self.children();
        match (children.next(), children.next()) {
            (Some(item), None) => Ok(item),
            _ => Err(self.mismatch("one kind of item")),
        }
    }

    /// This field, if it has this role and does not repeat.
    ///
    /// # Errors
    /// It has another role. `wanted` says what the type wants.
    pub fn expect(self, role: Role, wanted: &str) -> Result<FieldNode<'a>> {
        let repeats = self.descriptor().is_some_and(|field| field.array_size.is_some());
        if self.role() == role && !repeats { Ok(self) } else { Err(self.mismatch(wanted)) }
    }

    /// This field, if it repeats `count` times.
    ///
    /// # Errors
    /// It does not repeat, or not so often.
    pub fn array(self, count: usize) -> Result<FieldNode<'a>> {
        match self.descriptor().and_then(|field| field.array_size) {
            Some(found) if found == count as u64 => Ok(self),
            _ => Err(self.mismatch(&format!("an array of {count}"))),
        }
    }

    /// The leaf itself, or what wrappers without structure (enum, `std::atomic`) stand around.
    ///
    /// # Errors
    /// The field is no leaf.
    pub fn leaf(self, wanted: &str) -> Result<FieldNode<'a>> {
        let mut node = self.expect(Role::Plain, wanted)?;
        // The schema's depth is bounded, so this ends.
        while !node.has_columns() {
            node = match node.item() {
                Ok(item) if item.role() == Role::Plain => item.expect(Role::Plain, wanted)?,
                _ => return Err(self.mismatch(wanted)),
            };
        }
        Ok(node)
    }

    /// The limit for items without columns.
    pub(crate) fn allowance(self) -> Allowance {
        self.connection.allowance()
    }

    /// Whether the field has columns of its own.
    pub fn has_columns(self) -> bool {
        self.id.is_some_and(|id| !self.connection.schema.representations(id).is_empty())
    }

    /// Number of columns in each of the field's representations.
    pub(crate) fn column_count(self) -> usize {
        let representations = self.id.map(|id| self.connection.schema.representations(id));
        representations.and_then(|all| all.first()).map_or(0, Vec::len)
    }

    /// Whether the values of the field's `number`-th column can be read as `E`.
    pub(crate) fn column_reads<E: Element>(self, number: usize) -> bool {
        let Some(id) = self.id else { return false };
        let all = self.connection.schema.representations(id);
        !all.is_empty()
            && all.iter().all(|columns| {
                let column = columns.get(number).and_then(|&id| self.connection.schema.column(id));
                column.and_then(|column| ColumnType::from_code(column.type_code)).is_some_and(E::reads)
            })
    }

    /// Type of the field's `number`-th column, in its first representation.
    pub(crate) fn column_type(self, number: usize) -> Option<ColumnType> {
        let schema = &self.connection.schema;
        let columns = schema.representations(self.id?).first()?;
        ColumnType::from_code(schema.column(*columns.get(number)?)?.type_code)
    }

    /// The field's `number`-th column, to be read as `E`.
    ///
    /// # Errors
    /// There is none, or its values are of another kind.
    pub fn column<E: Element>(self, number: usize) -> Result<ColumnReader<E>> {
        if !self.column_reads::<E>(number) {
            return Err(self.mismatch(E::NAME));
        }
        let schema = &self.connection.schema;
        let mut representations = Vec::new();
        let all = self.id.map(|id| schema.representations(id)).unwrap_or_default();
        for columns in all {
            let Some(&id) = columns.get(number) else { continue };
            let Some(column) = schema.column(id) else { continue };
            let Some(column_type) = ColumnType::from_code(column.type_code) else { continue };
            let packing = Packing::checked(column_type, column.bits, column.range)
                .map_err(|error| error.in_field(self.path()).in_column(id.0.into()))?;
            let is_deferred = column.first_element.is_some_and(|first| first >= 0);
            representations.push(Representation { id, packing, is_deferred });
            self.connection.selected.borrow_mut().insert(id);
        }
        Ok(ColumnReader::new(ColumnSource {
            place: self.place(),
            representations,
            per_entry: if number == 0 { self.per_entry() } else { None },
            unsealer: self.connection.unsealer.clone(),
            allowance: self.allowance(),
        }))
    }

    /// Elements of the field per entry, where the schema fixes them.
    fn per_entry(self) -> Option<u64> {
        let schema = &self.connection.schema;
        let mut product = 1u64;
        let mut id = self.id;
        let mut is_self = true;
        while let Some(field) = id.and_then(|id| schema.field(id)) {
            if !is_self && matches!(field.role, Role::Collection | Role::Variant) {
                return None;
            }
            product = product.checked_mul(field.array_size.unwrap_or(1))?;
            is_self = false;
            id = field.parent;
        }
        Some(product)
    }

    /// Keeps the difference for the error that tells them all, and returns one that tells this.
    #[cold]
    pub fn mismatch(self, wanted: &str) -> Error {
        let found = self.found();
        self.report(self.path(), found, wanted)
    }

    #[cold]
    fn report(self, path: String, found: String, wanted: &str) -> Error {
        let mismatch = Mismatch::new(path, found, wanted);
        self.connection.mismatches.borrow_mut().push(mismatch.clone());
        Error::schema_mismatch(vec![mismatch])
    }

    /// The field in words: `std::vector<float>`, `a record`, `float (SplitReal32)`.
    fn found(self) -> String {
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
            .filter_map(|&id| ColumnType::from_code(schema.column(id)?.type_code))
            .map(ColumnType::name)
            .collect();
        if !names.is_empty() {
            text.push_str(&format!(" ({})", names.join(", ")));
        }
        text
    }
}

impl std::fmt::Debug for FieldNode<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FieldNode({})", self.path())
    }
}
