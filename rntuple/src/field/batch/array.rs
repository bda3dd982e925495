//! Arrays: a batch of the items, so many for each.

use std::ops::{Deref, Range};

use super::{Batch, Batched, ReadBatch, Rows, WriteBatch};
use crate::encoding::Element;
use crate::error::{Error, Result};
use crate::field::BitSet;
use crate::field::array::{ArrayReader, ArrayWriter};
use crate::message::counted;

/// Many arrays of `N` items: a batch of the items of all.
///
/// It derefs to that batch, so that the members of the items are members of this.
///
/// ```
/// use rntuple::batch::Arrays;
/// let positions = Arrays::<_, 3>::new(2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(positions.as_arrays(), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrays<B, const N: usize> {
    len: usize,
    /// `N` times as many.
    items: B,
}

impl<B: Batch, const N: usize> Arrays<B, N> {
    /// So many arrays of these items.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are more items, or fewer.
    pub fn new(len: usize, items: B) -> Result<Self> {
        if len.checked_mul(N) == Some(items.len()) {
            return Ok(Self { len, items });
        }
        let message = format!(
            "{} of {N} cannot be made of {}",
            counted(len as u64, "array"),
            counted(items.len() as u64, "item")
        );
        Err(Error::invalid_argument(message))
    }

    /// The number of arrays.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no arrays.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The items of all arrays.
    pub fn items(&self) -> B::View<'_> {
        self.items.view()
    }
}

impl<E: Element, const N: usize> Arrays<Vec<E>, N> {
    /// The arrays in order; `N` is not 0.
    pub fn as_arrays(&self) -> &[[E; N]] {
        self.items.as_chunks().0
    }
}

impl<T, const N: usize> Arrays<Rows<T>, N> {
    /// The arrays in order; `N` is not 0.
    pub fn as_arrays(&self) -> &[[T; N]] {
        self.items.as_chunks().0
    }
}

/// The batch of the items.
impl<B, const N: usize> Deref for Arrays<B, N> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.items
    }
}

impl<B: Batch, const N: usize> Batch for Arrays<B, N> {
    type View<'a>
        = &'a Self
    where
        B: 'a;

    const UNCOUNTED: usize = B::UNCOUNTED.saturating_mul(N);

    fn len(&self) -> usize {
        self.len
    }

    fn clear(&mut self) {
        self.len = 0;
        self.items.clear();
    }

    fn view(&self) -> &Self {
        self
    }
}

impl<B: Batch, R: ReadBatch<B>, const N: usize> ReadBatch<Arrays<B, N>> for ArrayReader<R> {
    fn read_batch(&mut self, count: usize, out: &mut Arrays<B, N>) -> Result<()> {
        let items = self.items_of(count)?;
        self.item.read_batch(items, &mut out.items)?;
        out.len += count;
        Ok(())
    }
}

impl<B: Batch, W: WriteBatch<B>, const N: usize> WriteBatch<Arrays<B, N>> for ArrayWriter<W> {
    fn append_batch(&mut self, batch: &Arrays<B, N>, range: Range<usize>) -> usize {
        self.item.append_batch(&batch.items, range.start * N..range.end * N)
    }
}

impl<T: Batched, const N: usize> Batched for [T; N] {
    type Batch = Arrays<T::Batch, N>;

    fn push_to(&self, batch: &mut Self::Batch) {
        self.iter().for_each(|item| item.push_to(&mut batch.items));
        batch.len += 1;
    }
}

impl<const N: usize> Batched for BitSet<N> {
    type Batch = Arrays<Vec<bool>, N>;

    fn push_to(&self, batch: &mut Self::Batch) {
        self.as_array().push_to(batch);
    }
}
