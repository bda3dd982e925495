//! Fields by their paths, and the way down to the elements of one entry.

use super::FieldNode;
use crate::column::ColumnReader;
use crate::encoding::Element;
use crate::error::{Error, Result};
use crate::field::Position;
use crate::field::collection::{Offsets, array_start};
use crate::schema::Role;

/// One step from the elements of a field to those of a field below it.
#[derive(Debug)]
enum Step {
    /// The items of collections.
    Ends(Offsets),
    /// The items of arrays.
    Times(u64),
}

/// The way from an entry to the elements of a field.
#[derive(Debug, Default)]
pub(crate) struct Descent(Vec<Step>);

impl Descent {
    /// The first element of an entry.
    ///
    /// # Errors
    /// The cluster contradicts itself or has fewer entries, or offsets on the way are damaged.
    pub(crate) fn first_of(&mut self, entry: Position<'_>) -> Result<u64> {
        self.renew();
        let first = self.0.iter_mut().try_fold(entry, |to, step| match step {
            Step::Ends(offsets) => Ok(to.with_element(offsets.seek(to)?)),
            Step::Times(size) => Ok(to.with_element(array_start(to.element(), *size)?)),
        });
        first.map(Position::element)
    }

    /// In place of each of some elements in order, puts the first entry of the cluster whose elements begin there or later;
    /// one beyond all entries if none does. Each page of offsets is read once, in order.
    ///
    /// # Errors
    /// Offsets cannot be read.
    pub(crate) fn rise(&mut self, elements: &mut [u64]) -> Result<()> {
        self.renew();
        for step in self.0.iter_mut().rev() {
            match step {
                Step::Ends(offsets) => offsets.find(elements)?,
                Step::Times(size) => {
                    for element in elements.iter_mut().skip_while(|element| **element == 0) {
                        *element = if *size == 0 { u64::MAX } else { element.div_ceil(*size) };
                    }
                }
            }
        }
        Ok(())
    }

    /// What comes next is as an entry by itself.
    fn renew(&self) {
        let offsets = self.0.iter().find_map(|step| match step {
            Step::Ends(offsets) => Some(offsets),
            Step::Times(_) => None,
        });
        offsets.into_iter().for_each(|offsets| offsets.allowance().renew());
    }
}

impl<'a> FieldNode<'a> {
    /// The field at `path` below this one, in which the `_0` of collections may be left out.
    ///
    /// # Errors
    /// The path leads nowhere.
    pub(crate) fn at(self, path: &str) -> Result<FieldNode<'a>> {
        self.at_path(path).ok_or_else(|| self.no_field(path))
    }

    /// The same, if there is one.
    pub(super) fn at_path(self, path: &str) -> Option<FieldNode<'a>> {
        let mut node = self;
        for part in path.split('.') {
            // A name that is not there may be a member of the only item; the schema's depth is bounded.
            node = loop {
                if let Some(found) = node.find(part) {
                    break found;
                }
                node = node.wrapped()?;
            };
        }
        Some(node)
    }

    #[cold]
    fn no_field(self, path: &str) -> Error {
        let whole = match self.id {
            Some(_) => format!("{}.{path}", self.path()),
            None => path.to_owned(),
        };
        self.connection.schema.no_field(&whole)
    }

    /// The item of a collection or array, or what an enum or an atomic stands around.
    fn wrapped(self) -> Option<FieldNode<'a>> {
        match self.role() {
            Role::Plain if self.has_columns() => {
                self.repetition().map(|_| FieldNode { is_item: true, ..self })
            }
            Role::Plain | Role::Collection => self.only_child(),
            _ => None,
        }
    }

    /// The field itself, or the scalars inside the collections, arrays and wrappers that it is.
    ///
    /// # Errors
    /// There are none, or several.
    fn scalars(self, wanted: &str) -> Result<FieldNode<'a>> {
        let mut node = self;
        while !(node.role() == Role::Plain && node.has_columns() && node.repetition().is_none()) {
            node = node.wrapped().ok_or_else(|| self.mismatch(wanted))?;
        }
        if node.column_count() == 1 { Ok(node) } else { Err(self.mismatch(wanted)) }
    }

    /// The scalars of the field, or of its items, as one column.
    ///
    /// # Errors
    /// It has none, or they are of another kind.
    pub(crate) fn values<E: Element>(self) -> Result<ColumnReader<E>> {
        self.scalars(E::NAME)?.column(0)
    }

    /// The way from the entry down to the elements of the field at `path`, or to `scalars` inside it.
    ///
    /// # Errors
    /// The path leads nowhere, or through a variant, whose alternatives are not in the order of entries.
    pub(crate) fn descent(self, path: &str, scalars: bool) -> Result<Descent> {
        let mut target = self.at(path)?;
        if scalars {
            target = target.scalars("a scalar")?;
        }
        let mut steps = Vec::new();
        let schema = &self.connection.schema;
        // From the target up; its own offsets are elements of it, not a way to them.
        let mut id = target.id;
        let mut is_target = true;
        while let Some(field) = id.and_then(|id| schema.field(id)) {
            let node = FieldNode { id, is_item: false, ..self };
            match field.role {
                Role::Collection if !is_target => steps.push(Step::Ends(Offsets::connect(node)?)),
                Role::Variant if !is_target => {
                    let message = format!(
                        "{path:?} is inside a variant, whose values do not follow the order of the entries"
                    );
                    return Err(Error::invalid_argument(message));
                }
                _ => {}
            }
            if let Some(size) = field.array_size.filter(|_| !is_target || target.is_item) {
                steps.push(Step::Times(size));
            }
            is_target = false;
            id = field.parent;
        }
        steps.reverse();
        Ok(Descent(steps))
    }
}
