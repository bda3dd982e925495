//! Members that are decoded when they are needed.

use std::cell::RefCell;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use super::columnar::{Columnar, ReadColumnar};
use super::{Attach, FieldNode, FieldReader, Position, ReadField};
use crate::column::Means;
use crate::error::Result;

/// A member that is decoded at the first touch, where it is read column by column.
///
/// It is stored as `T` is. [`Batches::lend`](crate::columns::Batches::lend) lends it as a [`LazySlice`], whose
/// [`values`](crate::columns::LazySlice::values) are decoded when they are requested, and not at all if they are not. Where entries are
/// read as structs it is a plain value.
///
/// ```
/// use rntuple::columns::Lazy;
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple)]
/// #[rntuple(columnar)]
/// struct Event { met: f32, hits: Lazy<Vec<f32>> }
///
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # for met in [1.0, 50.0] {
/// #     writer.fill(&Event { met, hits: vec![met; 3].into() })?;
/// # }
/// # let storage = writer.finish_into()?.1;
/// let reader = Reader::<Event>::open(storage, "Events")?;
/// let mut batches = reader.batches(100);
/// while let Some(events) = batches.lend()? {
///     // Where no event is selected, the hits of the batch are not decoded.
///     for event in events.iter().filter(|event| event.met > 20.0) {
///         let hits: &[f32] = event.hits.value()?;
///         assert_eq!(hits, [50.0; 3]);
///     }
/// }
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// [`LazySlice`]: crate::columns::LazySlice
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lazy<T>(pub T);

impl<T> Deref for Lazy<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Lazy<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> From<T> for Lazy<T> {
    fn from(value: T) -> Self {
        Self(value)
    }
}

/// The columns of a member that is decoded when it is needed.
pub struct LazyReader<T: ReadField> {
    /// It may be elsewhere in the cluster than the walk.
    inner: RefCell<Inner<T::Reader>>,
    /// The next element of the walk.
    next: u64,
    /// Elements of the cluster.
    count: Option<u64>,
    /// `None`: attached to no file.
    means: Option<Arc<Means>>,
}

struct Inner<R> {
    reader: R,
    /// The element that it would read; `None` after an error.
    at: Option<u64>,
}

impl<R: Attach> Inner<R> {
    /// Goes to an element.
    #[inline]
    fn go_to(&mut self, element: u64) -> Result<&mut R> {
        if self.at != Some(element) {
            self.reader.seek(Position::at(element))?;
        }
        self.at = None;
        Ok(&mut self.reader)
    }
}

impl<T: ReadField> LazyReader<T> {
    /// Prepares for a field. Returns the inner reader, which the caller connects.
    fn connect(&mut self, field: FieldNode<'_>) -> &mut T::Reader {
        self.means = Some(field.means());
        &mut self.inner.get_mut().reader
    }

    /// Passes elements that may be read later; returns the first of them.
    pub(super) fn pass(&mut self, count: usize) -> u64 {
        let first = self.next;
        self.next = first.saturating_add(count as u64);
        first
    }
}

impl<T: Columnar + ReadColumnar> LazyReader<T> {
    /// Reads elements that were passed, or are next.
    pub(super) fn read_passed(&self, first: u64, count: usize, out: &mut T::Columns) -> Result<()> {
        // The cell is not borrowed by anyone else: nothing below leads back here.
        let Ok(mut inner) = self.inner.try_borrow_mut() else { return Ok(()) };
        let read = inner.go_to(first).and_then(|reader| T::read_columns(reader, count, out));
        read.map_err(|error| match &self.means {
            Some(means) => means.place(error),
            None => error,
        })?;
        inner.at = Some(first.saturating_add(count as u64));
        Ok(())
    }
}

impl<T: ReadField> Attach for LazyReader<T> {
    const DETACHED: Self = Self {
        inner: RefCell::new(Inner { reader: T::Reader::DETACHED, at: None }),
        next: 0,
        count: None,
        means: None,
    };

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        if let Some(cluster) = to.cluster() {
            let inner = self.inner.get_mut();
            // Before the first touch no other thread decodes a page either.
            inner.reader.seek(Position::start_of(&cluster.waiting()).with_element(to.element()))?;
            (self.count, inner.at) = (inner.reader.remaining(), Some(to.element()));
        }
        self.next = to.element();
        Ok(())
    }

    #[inline]
    fn remaining(&self) -> Option<u64> {
        self.count.map(|count| count.saturating_sub(self.next))
    }
}

impl<T: ReadField> FieldReader<Lazy<T>> for LazyReader<T> {
    #[inline]
    fn read(&mut self) -> Result<Lazy<T>> {
        let first = self.pass(1);
        let inner = self.inner.get_mut();
        let value = inner.go_to(first)?.read()?;
        inner.at = Some(first + 1);
        Ok(Lazy(value))
    }

    #[inline]
    fn read_into(&mut self, slot: &mut Lazy<T>) -> Result<()> {
        let first = self.pass(1);
        let inner = self.inner.get_mut();
        inner.go_to(first)?.read_into(&mut slot.0)?;
        inner.at = Some(first + 1);
        Ok(())
    }

    #[inline]
    fn reclaim(&mut self, value: &mut Lazy<T>) {
        self.inner.get_mut().reader.reclaim(&mut value.0);
    }
}

impl<T: ReadField> ReadField for Lazy<T> {
    type Reader = LazyReader<T>;

    const IS_OPTION: bool = T::IS_OPTION;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        T::connect(field, reader.connect(field))
    }

    fn connect_array(field: FieldNode<'_>, count: usize, reader: &mut Self::Reader) -> Result<()> {
        T::connect_array(field, count, reader.connect(field))
    }
}

impl<T: ReadField> fmt::Debug for LazyReader<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LazyReader").field("next", &self.next).finish_non_exhaustive()
    }
}
