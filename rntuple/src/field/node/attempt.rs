//! Types that may fit a field or not: tried, and taken back.

use super::FieldNode;
use super::connection::Connection;
use crate::error::{Error, Mismatch, Result};

impl<'a> FieldNode<'a> {
    /// Tries to connect this field. Where that fails, the columns it selected and the differences it told are
    /// forgotten, so that something else can be tried; the error has those differences: see
    /// [`refuse`](Self::refuse).
    ///
    /// # Errors
    /// Those of `connect`, or the differences that it told.
    pub fn attempt<T>(self, connect: impl FnOnce(FieldNode<'a>) -> Result<T>) -> Result<T> {
        let Connection { selected, mismatches, presumed, .. } = self.connection;
        let before = (selected.borrow().len(), mismatches.borrow().len(), presumed.borrow().len());
        let result = connect(self);
        let told: Vec<Mismatch> = {
            let mut mismatches = mismatches.borrow_mut();
            let at = before.1.min(mismatches.len());
            mismatches.drain(at..).collect()
        };
        if result.is_ok() && told.is_empty() {
            return result;
        }
        selected.borrow_mut().truncate(before.0);
        presumed.borrow_mut().truncate(before.2);
        match result {
            // Something that is worse than a difference.
            Err(error) if told.is_empty() => Err(error),
            _ => Err(Error::schema_mismatch(told)),
        }
    }

    /// Keeps the differences of a failed [`attempt`](Self::attempt) for the error that tells them all.
    #[cold]
    pub fn refuse(self, error: Error) -> Error {
        self.connection.mismatches.borrow_mut().extend_from_slice(error.mismatches());
        error
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::connection::MAX_STEPS;
    use super::*;
    use crate::encoding::ColumnType;
    use crate::field::ReadField;
    use crate::schema::{ColumnDescriptor, FieldDescriptor, FieldId, Role, Schema};

    /// A chain of fields, each the item of the one before; the last has a column of 32-bit floats, optionals
    /// have offsets.
    fn connection(types: &[(Role, &str)]) -> Connection {
        let mut fields = Vec::new();
        let mut columns = Vec::new();
        for (id, (role, name)) in (0..).zip(types) {
            let parent = u32::checked_sub(id, 1).map(FieldId);
            fields.push(FieldDescriptor::new(parent, *role, if id == 0 { "value" } else { "_0" }, *name));
            let (column_type, bits) = match role {
                Role::Collection => (ColumnType::Index64, 64),
                _ => (ColumnType::Real32, 32),
            };
            columns.push(ColumnDescriptor::new(column_type as u16, bits, FieldId(id)));
        }
        let schema = Schema::build(fields, columns, vec![], vec![], &|_| Ok(true)).unwrap();
        Connection::new(Arc::new(schema), true, &crate::limits::Limits::new(), None)
    }

    fn optionals(count: usize) -> Connection {
        let mut types = vec![(Role::Collection, "std::optional<X>"); count];
        types.push((Role::Plain, "float"));
        connection(&types)
    }

    #[test]
    fn a_failed_attempt_leaves_nothing_behind() {
        let connection = optionals(1);
        let node = connection.root().find("value").unwrap();
        let error = node
            .attempt(|node| {
                let _ = Vec::<f32>::connect(node)?;
                assert_eq!(connection.selected.borrow().len(), 2);
                String::connect(node)
            })
            .unwrap_err();
        assert_eq!(error.mismatches().len(), 1);
        assert!(connection.selected.borrow().is_empty() && connection.mismatches.borrow().is_empty());
        assert!(connection.presumed.borrow().is_empty());
        // What was told counts, not what was returned.
        assert!(node.attempt(|node| Ok(node.mismatch("nothing"))).is_err());
        assert!(connection.mismatches.borrow().is_empty());
        node.attempt(f64::connect).unwrap();
        assert_eq!(connection.selected.borrow().len(), 1);
        let _ = node.refuse(error);
        assert_eq!(connection.finish().unwrap_err().mismatches().len(), 1);
    }

    #[test]
    fn optionals_are_looked_through_up_to_a_depth() {
        for count in 0..12 {
            let connection = optionals(count);
            let node = connection.root().find("value").unwrap();
            assert_eq!(f32::connect(node).is_ok(), count <= MAX_STEPS, "{count}");
            // A list takes one as its items, and begins anew below it.
            let list = count > 0 && count <= 2 * MAX_STEPS + 1;
            assert_eq!(Vec::<f32>::connect(node).is_ok(), list, "{count}");
        }
    }

    #[test]
    fn an_attempt_in_an_attempt_is_no_explosion() {
        type Deep = Vec<Vec<Vec<Vec<String>>>>;
        let connection = optionals(40);
        assert!(Deep::connect(connection.root().find("value").unwrap()).is_err());
        assert!(connection.presumed.borrow().len() < 10_000, "{}", connection.presumed.borrow().len());
    }

    #[test]
    fn the_item_of_an_optional_stands_alone() {
        let connection = connection(&[
            (Role::Collection, "std::optional<std::vector<float>>"),
            (Role::Collection, "std::vector<float>"),
            (Role::Plain, "float"),
        ]);
        let node = connection.root().find("value").unwrap();
        assert!(node.optional_item().unwrap().presumed.is_none());
        let inside = node.presume().unwrap();
        assert_eq!(inside.presumed_above().unwrap().len(), 1);
        assert!(inside.optional_item().is_none() && inside.presume().is_none());
        // The vector's offsets count its items.
        assert!(inside.item().unwrap().presumed.is_none());
        assert!(inside.lossy().item().unwrap().lossy);
    }
}
