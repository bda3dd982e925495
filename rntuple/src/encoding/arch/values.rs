//! The values of a page: a buffer that they were decoded into, or the bytes of the file themselves.

use std::fmt;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::NonNull;

use crate::bytes::Block;

/// The values of a page, which are in memory of their own or lent by a file that is in memory.
///
/// Which of the two is asked for only when they go: reading them is reading a slice.
pub(crate) struct Values<E> {
    /// The first of `count` values that stay where they are and as they are as long as `owner` is not touched.
    start: NonNull<E>,
    count: usize,
    owner: Owner,
}

enum Owner {
    /// A `Vec` of this capacity begins at the first value.
    Buffer(usize),
    /// The first value stands in the memory of this block, which is not in the block itself: it may move.
    Lent(Block),
}

// SAFETY: a `Values` is a `Vec<E>` or a shared slice of `E` with the `Block` that has it; the block may go to
// another thread, and both may do what `E` may. The pointer leads to nothing else.
unsafe impl<E: Send + Sync> Send for Values<E> {}
// SAFETY: shared, it gives out nothing but `&[E]`.
unsafe impl<E: Sync> Sync for Values<E> {}

impl<E: Copy> Values<E> {
    /// The values that `view` sees in a block; `None` where it sees none.
    pub(crate) fn lent(block: Block, view: impl for<'a> FnOnce(&'a [u8]) -> Option<&'a [E]>) -> Option<Self> {
        // The bytes are those of an owner behind an `Arc`, of which the block keeps a clone: so the owner is not
        // dropped, not moved, and lent to nobody for writing, as if the borrow that is made here went on. What it
        // lends for reading must then stay, whoever else asks.
        let values = view(&block)?;
        let (start, count) = (NonNull::from(values).cast(), values.len());
        Some(Self { start, count, owner: Owner::Lent(block) })
    }

    /// Lets the values go; their buffer, if they had one, is what remains.
    pub(crate) fn take_buffer(&mut self) -> Vec<E> {
        let this = ManuallyDrop::new(std::mem::take(self));
        match &this.owner {
            Owner::Buffer(capacity) => {
                // SAFETY: `start` and the capacity are those of a `Vec<E>` that was taken apart in `from`, and
                // `this` is not dropped, so nobody else has them. Without values nothing has to be initialised.
                unsafe { Vec::from_raw_parts(this.start.as_ptr(), 0, *capacity) }
            }
            Owner::Lent(_) => {
                drop(ManuallyDrop::into_inner(this));
                Vec::new()
            }
        }
    }

    /// Lets the values go, if they were lent; what they were a part of remains.
    pub(crate) fn take_lent(&mut self) -> Option<Block> {
        if let Owner::Buffer(_) = self.owner {
            return None;
        }
        // From here on `self` is what an empty `Vec` is made of, and leads nowhere.
        self.start = NonNull::dangling();
        self.count = 0;
        match std::mem::replace(&mut self.owner, Owner::Buffer(0)) {
            Owner::Lent(block) => Some(block),
            Owner::Buffer(_) => None,
        }
    }

    /// Lets the values go, but not their buffer.
    pub(crate) fn clear(&mut self) {
        self.count = 0;
    }
}

impl<E: Copy> From<Vec<E>> for Values<E> {
    fn from(values: Vec<E>) -> Self {
        let mut values = ManuallyDrop::new(values);
        let (count, capacity) = (values.len(), values.capacity());
        let start = NonNull::new(values.as_mut_ptr()).unwrap_or_else(NonNull::dangling);
        Self { start, count, owner: Owner::Buffer(capacity) }
    }
}

impl<E> Values<E> {
    /// What an empty `Vec` is made of.
    pub(crate) const EMPTY: Self = Self { start: NonNull::dangling(), count: 0, owner: Owner::Buffer(0) };
}

impl<E> Default for Values<E> {
    fn default() -> Self {
        Self::EMPTY
    }
}

impl<E> Deref for Values<E> {
    type Target = [E];

    #[inline]
    fn deref(&self) -> &[E] {
        // SAFETY: `start` leads to `count` values: those of the `Vec` that `from` took apart, whose memory is freed
        // by `take_buffer` and `drop` alone, or those of a slice of the block, which is dropped with `self`; see
        // `lent`. `count` only becomes less. Nobody writes to them while `self` is borrowed.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.count) }
    }
}

impl<E> Drop for Values<E> {
    fn drop(&mut self) {
        if let Owner::Buffer(capacity) = self.owner {
            // SAFETY: as in `take_buffer`; this is the last use of the memory. The values are `Copy` wherever a
            // buffer comes from, so none has to be dropped.
            drop(unsafe { Vec::from_raw_parts(self.start.as_ptr(), 0, capacity) });
        }
    }
}

impl<E: fmt::Debug> fmt::Debug for Values<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    /// The bytes from a place on, or nothing.
    fn bytes_from(start: usize) -> impl for<'a> FnOnce(&'a [u8]) -> Option<&'a [u8]> {
        move |bytes| bytes.get(start..)
    }

    #[test]
    fn a_buffer_comes_back_with_its_capacity() {
        let mut buffer = Vec::with_capacity(100);
        buffer.extend([1u32, 2, 3]);
        let place = buffer.as_ptr();
        let mut values = Values::from(buffer);
        assert_eq!(&*values, [1, 2, 3]);
        let moved = std::mem::take(&mut values);
        assert!(values.is_empty());
        assert_eq!(&*moved, [1, 2, 3]);
        values = moved;
        values.clear();
        assert!(values.is_empty());
        let buffer = values.take_buffer();
        assert_eq!((buffer.len(), buffer.capacity(), buffer.as_ptr()), (0, 100, place));
        assert!(values.take_buffer().is_empty());
        assert!(Values::<u64>::default().is_empty());
        assert_eq!(Values::from(Vec::<u16>::new()).len(), 0);
    }

    #[test]
    fn lent_values_keep_their_owner_and_are_no_copy() {
        let owner = Arc::new(vec![1u8, 2, 3, 4]);
        let block = Block::new(owner.clone());
        let mut values = Values::lent(block.slice(1..4).unwrap(), bytes_from(1)).unwrap();
        drop(block);
        assert_eq!(Arc::strong_count(&owner), 2);
        assert_eq!(values.as_ptr(), owner[2..].as_ptr());
        let values = std::thread::spawn(move || {
            assert_eq!(&*values, [3, 4]);
            values.clear();
            assert!(values.is_empty());
            values
        });
        let mut values = values.join().unwrap();
        assert_eq!(values.take_buffer().capacity(), 0);
        assert_eq!(Arc::strong_count(&owner), 1, "let go");
        let mut values = Values::lent(Block::new(owner.clone()), bytes_from(1)).unwrap();
        assert_eq!(&*values.take_lent().unwrap(), [1, 2, 3, 4]);
        assert!(values.is_empty() && values.take_lent().is_none());
        let mut values = Values::from(vec![1u8]);
        assert!(values.take_lent().is_none());
        assert_eq!(&*values, [1], "a buffer is not lent");
        assert!(Values::lent(Block::new(owner.clone()), bytes_from(5)).is_none());
        drop(Values::lent(Block::new(owner.clone()), bytes_from(0)));
        assert_eq!(Arc::strong_count(&owner), 1);
    }

    #[test]
    fn a_column_of_values_stays_small() {
        assert!(size_of::<Values<f64>>() <= 56);
    }
}
