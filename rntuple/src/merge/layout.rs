//! What the header of a merged ntuple will say.

use super::tree::{Slot, Tree};
use crate::envelope::SchemaDescription;
use crate::error::Result;

/// The merged schema, and where the columns of its fields are in it.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) tree: Tree,
    pub(super) slots: Vec<Slot>,
    pub(super) schema: SchemaDescription,
    pub(super) name: String,
    pub(super) description: String,
}

impl Layout {
    pub(super) fn new(tree: Tree, name: String, description: String) -> Result<Self> {
        let (schema, slots) = tree.describe()?;
        Ok(Self { tree, slots, schema, name, description })
    }

    /// The path of the field that a slot belongs to.
    pub(super) fn path_of(&self, slot: usize) -> &str {
        let node = self.slots.get(slot).and_then(|slot| self.tree.nodes.get(slot.node));
        node.map_or("", |node| &node.path)
    }
}
