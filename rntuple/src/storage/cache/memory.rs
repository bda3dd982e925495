//! Blocks in memory.

use std::collections::{BTreeMap, HashMap};

use super::super::Block;

/// What is kept is kept in blocks of this many bytes, from multiples of it on.
pub(in crate::storage) const BLOCK_SIZE: u64 = 64 << 10;

/// Which file, and which of its blocks.
pub(super) type Key = (u128, u64);

/// The blocks that were used last.
#[derive(Debug)]
pub(super) struct Shelf {
    limit: u64,
    size: u64,
    blocks: HashMap<Key, (u64, Block)>,
    /// By when they were used; each use has a number of its own.
    uses: BTreeMap<u64, Key>,
    next_use: u64,
}

impl Shelf {
    /// Takes at most `limit` bytes.
    pub(super) fn new(limit: u64) -> Self {
        Self { limit, size: 0, blocks: HashMap::new(), uses: BTreeMap::new(), next_use: 0 }
    }

    pub(super) fn get(&mut self, key: Key) -> Option<Block> {
        let (used, block) = self.blocks.get_mut(&key)?;
        self.uses.remove(used);
        *used = self.next_use;
        self.uses.insert(self.next_use, key);
        self.next_use += 1;
        Some(block.clone())
    }

    /// Keeps a block, which should not be a part of a larger one.
    pub(super) fn put(&mut self, key: Key, block: Block) {
        let size = block.len() as u64;
        if size > self.limit || self.blocks.contains_key(&key) {
            return;
        }
        while self.size + size > self.limit {
            let Some((_, oldest)) = self.uses.pop_first() else { break };
            self.size -= self.blocks.remove(&oldest).map_or(0, |(_, block)| block.len() as u64);
        }
        self.size += size;
        self.uses.insert(self.next_use, key);
        self.blocks.insert(key, (self.next_use, block));
        self.next_use += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_stays_within_the_limit() {
        let mut shelf = Shelf::new(30);
        let block = |byte: u8| Block::from(vec![byte; 10]);
        (0..3).for_each(|number| shelf.put((7, number), block(1)));
        assert!(shelf.get((7, 0)).is_some());
        shelf.put((8, 0), block(2));
        // Block 1 was not used for the longest time.
        assert!(shelf.get((7, 1)).is_none());
        assert!([(7, 0), (7, 2), (8, 0)].into_iter().all(|key| shelf.get(key).is_some()));
        shelf.put((9, 9), Block::from(vec![0; 31]));
        assert!(shelf.get((9, 9)).is_none());
        shelf.put((8, 0), block(3));
        assert_eq!((shelf.get((8, 0)).unwrap()[0], shelf.size), (2, 30));
    }
}
