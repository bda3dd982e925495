//! Pointers: a batch of what they point to.

use std::borrow::Cow;
use std::ops::{Deref, Range};
use std::rc::Rc;
use std::sync::Arc;

use super::{Batch, Batched, ReadBatch, WriteBatch};
use crate::error::Result;
use crate::field::{PointerReader, PointerWriter};

/// What many pointers point to; as a member it is seen as the batch itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pointees<B>(pub(in crate::field) B);

/// A batch of what is pointed to.
impl<B> From<B> for Pointees<B> {
    fn from(batch: B) -> Self {
        Self(batch)
    }
}

impl<B> Deref for Pointees<B> {
    type Target = B;

    fn deref(&self) -> &B {
        &self.0
    }
}

impl<B: Batch> Batch for Pointees<B> {
    type View<'a>
        = B::View<'a>
    where
        B: 'a;

    const UNCOUNTED: usize = B::UNCOUNTED;

    fn len(&self) -> usize {
        self.0.len()
    }

    fn clear(&mut self) {
        self.0.clear();
    }

    fn view(&self) -> B::View<'_> {
        self.0.view()
    }
}

impl<B, R: ReadBatch<B>> ReadBatch<Pointees<B>> for PointerReader<R> {
    fn read_batch(&mut self, count: usize, out: &mut Pointees<B>) -> Result<()> {
        self.0.read_batch(count, &mut out.0)
    }
}

impl<B, W: WriteBatch<B>> WriteBatch<Pointees<B>> for PointerWriter<W> {
    fn append_batch(&mut self, batch: &Pointees<B>, range: Range<usize>) -> usize {
        self.0.append_batch(&batch.0, range)
    }
}

macro_rules! pointers {
    ($([$($generics:tt)*] $pointer:ty;)*) => {$(
        impl<$($generics)*> Batched for $pointer {
            type Batch = Pointees<T::Batch>;

            #[inline]
            fn push_to(&self, batch: &mut Self::Batch) {
                (**self).push_to(&mut batch.0);
            }
        }
    )*};
}

pointers! {
    [T: Batched + ?Sized] &T;
    [T: Batched + ?Sized] Box<T>;
    [T: Batched + ?Sized] Rc<T>;
    [T: Batched + ?Sized] Arc<T>;
    [T: Batched + ToOwned + ?Sized] Cow<'_, T>;
}
