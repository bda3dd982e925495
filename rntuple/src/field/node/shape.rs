//! Which shapes a field may have for a type.

use super::FieldNode;
use crate::error::{Mismatch, Result};
use crate::schema::{Role, is_optional};

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

    /// This field, or what an atomic stands around, if it has this role and does not repeat.
    ///
    /// # Errors
    /// It has another role. `wanted` says what the type wants.
    pub fn expect(self, role: Role, wanted: &str) -> Result<FieldNode<'a>> {
        if self.is_absent {
            return Ok(self);
        }
        let mut node = self;
        // The schema's depth is bounded, so this ends. No atomic is a collection or a variant.
        while !matches!(role, Role::Collection | Role::Variant)
            && let Some(item) = node.atomic_item()
        {
            node = item;
        }
        let repeats = node.descriptor().is_some_and(|field| field.array_size.is_some()) && !node.is_item;
        if node.role() == role && !repeats { Ok(node) } else { Err(self.mismatch(wanted)) }
    }

    /// This field, or what an atomic stands around, if it repeats `count` times.
    ///
    /// # Errors
    /// It does not repeat, or not so often.
    pub fn array(self, count: usize) -> Result<FieldNode<'a>> {
        let mut node = self;
        while let Some(item) = node.atomic_item() {
            node = item;
        }
        if node.repetition() == Some(count as u64) {
            return Ok(node);
        }
        let wanted = format!("an array of {count}");
        if self.role() != Role::Collection || self.is_optional() {
            return Err(self.mismatch(&wanted));
        }
        let mismatch = Mismatch::new(self.path(), self.found(), wanted);
        Err(self.keep(mismatch.with_help("collections have any length: read it as `Vec<..>`")))
    }

    /// The items of this field, if it repeats `count` times.
    ///
    /// # Errors
    /// As [`array`](Self::array); or it has no items.
    pub(crate) fn array_item(self, count: usize) -> Result<FieldNode<'a>> {
        self.array(count)?.item()
    }

    /// The leaf itself, or what wrappers without structure (enum, `std::atomic`) stand around.
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

    fn is_atomic(self) -> bool {
        self.role() == Role::Plain
            && self.repetition().is_none()
            && self.descriptor().is_some_and(|field| field.type_name.starts_with("std::atomic<"))
    }

    /// What an atomic stands around.
    pub(in crate::field) fn atomic_item(self) -> Option<FieldNode<'a>> {
        if self.is_atomic() { self.only_child() } else { None }
    }

    /// Whether it has items that may not be seen.
    pub(in crate::field) fn hides_items(self) -> bool {
        let all = self.id.map_or(&[][..], |id| self.connection.schema.children(id));
        !all.is_empty() && self.child_count() == 0
    }

    pub(super) fn only_child(self) -> Option<FieldNode<'a>> {
        let mut children = self.children();
        children.next().filter(|_| children.next().is_none())
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

    /// This field, with any number below it read as the nearest of whatever type asks for it.
    #[doc(hidden)]
    pub fn lossy(self) -> Self {
        Self { lossy: true, ..self }
    }
}
