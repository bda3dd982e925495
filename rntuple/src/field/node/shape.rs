//! Which shapes a field may have for a type, and what it may be read as if it were.

use super::FieldNode;
use super::connection::{MAX_STEPS, Step};
use crate::error::Result;
use crate::field::option::is_optional;
use crate::schema::Role;

impl<'a> FieldNode<'a> {
    /// The item of a collection or array.
    ///
    /// # Errors
    /// There is not exactly one subfield.
    pub fn item(self) -> Result<FieldNode<'a>> {
        if self.has_columns() && self.repetition().is_some() {
            return Ok(FieldNode { is_item: true, ..self });
        }
        let mut children = self.children();
        match (children.next(), children.next()) {
            (Some(item), None) => Ok(item),
            _ => Err(self.mismatch("one kind of item")),
        }
    }

    /// How often an array or bitset repeats.
    pub(crate) fn repetition(self) -> Option<u64> {
        self.descriptor()
            .filter(|field| field.role == Role::Plain && !self.is_item)
            .and_then(|field| field.array_size)
    }

    /// This field, if it has this role and does not repeat; otherwise what an atomic or an optional stands around
    /// (see [`presume`](Self::presume)), if collections and variants are not what is wanted.
    ///
    /// # Errors
    /// It has another role. `wanted` says what the type wants.
    pub fn expect(self, role: Role, wanted: &str) -> Result<FieldNode<'a>> {
        if self.is_absent {
            return Ok(self);
        }
        let mut node = self;
        // The schema's depth is bounded, so this ends.
        loop {
            let repeats = node.descriptor().is_some_and(|field| field.array_size.is_some()) && !node.is_item;
            if node.role() == role && !repeats {
                return Ok(node);
            }
            if matches!(role, Role::Collection | Role::Variant) {
                return Err(self.mismatch(wanted));
            }
            node = node.inside().ok_or_else(|| self.mismatch(wanted))?;
        }
    }

    /// This field, if it is a record, and not in an option: without columns, nothing would tell an empty one.
    ///
    /// # Errors
    /// It is something else.
    #[doc(hidden)]
    pub fn expect_unit(self) -> Result<FieldNode<'a>> {
        match self.optional_item() {
            Some(_) => Err(self.mismatch("a record without members, which an option may not have")),
            None => self.expect(Role::Record, "a record"),
        }
    }

    /// This field, if it is a variant; or what an optional stands around, as in [`expect`](Self::expect).
    ///
    /// # Errors
    /// It has another role.
    pub fn variant(self, wanted: &str) -> Result<FieldNode<'a>> {
        let mut node = self;
        // The schema's depth is bounded, so this ends.
        while node.role() != Role::Variant || node.repetition().is_some() {
            node = node.presume().ok_or_else(|| self.mismatch(wanted))?;
        }
        Ok(node)
    }

    /// This field, if it repeats `count` times; or what an optional stands around, as in [`expect`](Self::expect).
    ///
    /// # Errors
    /// It does not repeat, or not so often.
    pub fn array(self, count: usize) -> Result<FieldNode<'a>> {
        let mut node = self;
        loop {
            match node.repetition() {
                Some(found) if found == count as u64 => return Ok(node),
                Some(_) => return Err(self.mismatch(&format!("an array of {count}"))),
                None => {}
            }
            node = node.inside().ok_or_else(|| self.mismatch(&format!("an array of {count}")))?;
        }
    }

    /// The leaf itself, or what wrappers without structure (enum, `std::atomic`) or an optional stand around.
    ///
    /// # Errors
    /// The field is no leaf.
    pub fn leaf(self, wanted: &str) -> Result<FieldNode<'a>> {
        let mut node = self.expect(Role::Plain, wanted)?;
        // The schema's depth is bounded, so this ends.
        while !node.has_columns() {
            let item =
                node.only_child().filter(|item| item.role() == Role::Plain && item.repetition().is_none());
            node = item.ok_or_else(|| self.mismatch(wanted))?;
        }
        Ok(node)
    }

    /// What an atomic, or an optional, stands around.
    pub(super) fn inside(self) -> Option<FieldNode<'a>> {
        if self.is_atomic() { self.only_child() } else { self.presume() }
    }

    fn is_atomic(self) -> bool {
        self.role() == Role::Plain
            && self.repetition().is_none()
            && self.descriptor().is_some_and(|field| field.type_name.starts_with("std::atomic<"))
    }

    /// What an atomic stands around.
    pub(in crate::field) fn atomic_item(self) -> Option<FieldNode<'a>> {
        if self.is_atomic() { self.only_child() } else { None }
    }

    pub(super) fn only_child(self) -> Option<FieldNode<'a>> {
        let mut children = self.children();
        children.next().filter(|_| children.next().is_none())
    }

    /// Whether the field has several values for each element of its parent.
    pub(crate) fn holds_many(self) -> bool {
        self.role() == Role::Collection || self.repetition().is_some()
    }

    /// Whether the field is a `std::optional` or a `std::unique_ptr`.
    pub(crate) fn is_optional(self) -> bool {
        self.descriptor().is_some_and(|field| {
            field.role == Role::Collection && field.array_size.is_none() && is_optional(&field.type_name)
        })
    }

    /// The item of a `std::optional` or `std::unique_ptr`, of which there are as many as options with a value.
    pub fn optional_item(self) -> Option<FieldNode<'a>> {
        if self.is_optional() { self.only_child() } else { None }
    }

    /// The item of a `std::optional` or `std::unique_ptr`, read as if every option had a value. That is checked
    /// when a cluster is attached, by its columns: their elements must be as many as the options.
    pub fn presume(self) -> Option<FieldNode<'a>> {
        let (item, optional) = (self.optional_item()?, self.id?);
        let mut steps = self.connection.presumed.borrow_mut();
        let depth = self.presumed.and_then(|above| steps.get(above)).map_or(1, |above| above.depth + 1);
        if depth > MAX_STEPS {
            return None;
        }
        steps.push(Step { optional, above: self.presumed, depth });
        Some(FieldNode { presumed: Some(steps.len() - 1), ..item })
    }

    /// This field, with any number below it read as the nearest of whatever type asks for it.
    pub fn lossy(self) -> Self {
        Self { lossy: true, ..self }
    }
}
