//! Members that are decoded when they are needed.

use std::cell::{Cell, OnceCell};
use std::fmt;
use std::ops::Range;

use super::{Columnar, Columns, ReadColumnar, Slice, SliceOf, WriteColumnar, cut};
use crate::error::Result;
use crate::field::{Lazy, LazyReader, PointerWriter};

/// Many values of a [`Lazy`] member: columns that are empty until they are needed.
pub struct LazyColumns<C> {
    columns: OnceCell<C>,
    /// Memory for those to come.
    recycled: Cell<Option<C>>,
}

impl<C: Columns> LazyColumns<C> {
    /// Returns the values. Those that were read or pushed are there; only what is lent may lack.
    pub fn values(&self) -> &C {
        self.columns.get_or_init(C::default)
    }

    /// Lends the values.
    pub fn as_slice(&self) -> LazySlice<'_, C> {
        LazySlice { late: None, columns: &self.columns, range: (0, self.values().len()) }
    }

    /// Changes the values.
    fn change<V>(&mut self, change: impl FnOnce(&mut C) -> V) -> V {
        let mut columns = self.columns.take().or_else(|| self.recycled.take()).unwrap_or_default();
        let changed = change(&mut columns);
        self.columns = OnceCell::from(columns);
        changed
    }

    /// Forgets the values, so that others can take their place.
    fn forget(&mut self) {
        if let Some(mut columns) = self.columns.take() {
            columns.clear();
            self.recycled.set(Some(columns));
        }
    }
}

impl<C> From<C> for LazyColumns<C> {
    fn from(columns: C) -> Self {
        Self { columns: OnceCell::from(columns), recycled: Cell::new(None) }
    }
}

impl<C> Default for LazyColumns<C> {
    fn default() -> Self {
        Self { columns: OnceCell::new(), recycled: Cell::new(None) }
    }
}

impl<C: Clone> Clone for LazyColumns<C> {
    fn clone(&self) -> Self {
        Self { columns: self.columns.clone(), recycled: Cell::new(None) }
    }
}

impl<C: fmt::Debug> fmt::Debug for LazyColumns<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.columns.get().fmt(f)
    }
}

impl<C: Columns> Columns for LazyColumns<C> {
    type Slice<'a> = LazySlice<'a, C>;

    const UNCOUNTED: usize = C::UNCOUNTED;

    fn as_slice(&self) -> LazySlice<'_, C> {
        self.as_slice()
    }

    fn clear(&mut self) {
        self.forget();
    }
}

/// What decodes values that were passed.
trait Late<C> {
    fn read(&self, first: u64, count: usize, out: &mut C) -> Result<()>;
}

impl<T: ReadColumnar> Late<T::Columns> for LazyReader<T> {
    fn read(&self, first: u64, count: usize, out: &mut T::Columns) -> Result<()> {
        self.read_passed(first, count, out)
    }
}

/// Many values of a [`Lazy`] member, lent: they are decoded at the first touch of one of them, all together.
pub struct LazySlice<'a, C> {
    late: Option<Passed<'a, C>>,
    columns: &'a OnceCell<C>,
    /// Of the values of the columns.
    range: (usize, usize),
}

/// Where the values are in a file.
struct Passed<'a, C> {
    reader: &'a dyn Late<C>,
    recycled: &'a Cell<Option<C>>,
    first: u64,
    count: usize,
}

impl<C> Clone for Passed<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for Passed<'_, C> {}

impl<C> Clone for LazySlice<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for LazySlice<'_, C> {}

impl<'a, C: Columns> LazySlice<'a, C> {
    /// Returns the values, which are decoded now unless they were already.
    ///
    /// # Errors
    /// The pages of one of them are damaged, or hold what the type cannot. Or all lazy values of the batch together take
    /// more memory than one entry may ([`entry_length`](crate::Limits::entry_length)) and 64 bytes for each byte of the
    /// file: batches of fewer entries take less. The walk goes on all the same.
    pub fn values(self) -> Result<C::Slice<'a>> {
        let columns = match (self.columns.get(), self.late) {
            (Some(columns), _) => columns,
            (None, None) => self.columns.get_or_init(C::default),
            (None, Some(Passed { reader, recycled, first, count })) => {
                let mut columns = recycled.take().unwrap_or_default();
                if let Err(error) = reader.read(first, count, &mut columns) {
                    columns.clear();
                    recycled.set(Some(columns));
                    return Err(error);
                }
                self.columns.get_or_init(|| columns)
            }
        };
        Ok(cut(columns.as_slice(), &(self.range.0..self.range.1)))
    }

    /// Returns the number of values.
    #[inline]
    pub fn len(self) -> usize {
        self.range.1 - self.range.0
    }

    /// Returns whether there are no values.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl<C: Columns> fmt::Debug for LazySlice<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.values() {
            Ok(values) => values.fmt(f),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

impl<'a, C: Columns> Slice for LazySlice<'a, C> {
    type One = LazyRef<'a, C>;
    type Array<const N: usize> = Self;

    #[inline]
    fn len(self) -> usize {
        self.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<LazyRef<'a, C>> {
        let end = index.checked_add(1)?;
        self.part(index..end).map(LazyRef)
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        let is_part = range.start <= range.end && range.end <= self.len();
        let start = self.range.0;
        is_part.then_some(Self { range: (start + range.start, start + range.end), ..self })
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<Self> {
        (self.len() == N).then_some(self)
    }

    fn check(self) -> Result<()> {
        self.values()?.check()
    }
}

/// One value of a [`Lazy`] member, lent.
pub struct LazyRef<'a, C>(LazySlice<'a, C>);

impl<C> Clone for LazyRef<'_, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<C> Copy for LazyRef<'_, C> {}

impl<'a, C: Columns> LazyRef<'a, C> {
    /// Returns the value. With it those of the whole batch are decoded, unless they were already.
    ///
    /// # Errors
    /// As [`LazySlice::values`].
    pub fn value(self) -> Result<<C::Slice<'a> as Slice>::One> {
        let value = self.0.values()?.get(0);
        value.ok_or_else(|| {
            crate::error::Error::invalid_argument("the columns have fewer values than the others")
        })
    }
}

impl<C: Columns> fmt::Debug for LazyRef<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Ok(value) => value.fmt(f),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

impl<T: Columnar> Columnar for Lazy<T> {
    type Columns = LazyColumns<T::Columns>;

    fn push_to(&self, columns: &mut Self::Columns) {
        columns.change(|columns| self.0.push_to(columns));
    }
}

impl<T: ReadColumnar> ReadColumnar for Lazy<T> {
    fn read_columns(reader: &mut LazyReader<T>, count: usize, out: &mut Self::Columns) -> Result<()> {
        let first = reader.pass(count);
        out.change(|columns| reader.read_passed(first, count, columns))
    }

    fn lend<'a>(
        reader: &'a mut LazyReader<T>,
        count: usize,
        spare: &'a mut Self::Columns,
    ) -> Result<SliceOf<'a, Self>> {
        spare.forget();
        let first = reader.pass(count);
        let late = Passed { reader: &*reader, recycled: &spare.recycled, first, count };
        Ok(LazySlice { late: Some(late), columns: &spare.columns, range: (0, count) })
    }
}

impl<T: WriteColumnar> WriteColumnar for Lazy<T> {
    fn append_columns(writer: &mut PointerWriter<T::Writer>, values: SliceOf<'_, Self>) -> usize {
        // They were decoded when they were checked.
        values.values().map_or(0, |values| T::append_columns(&mut writer.0, values))
    }
}
