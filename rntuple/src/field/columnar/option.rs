//! Options: the values of those that have one, and which these are.

use std::ops::Range;

use super::bounds::{Bounds, offsets_of};
use super::{Columnar, Columns, ReadColumnar, Slice, SliceOf, WriteColumnar, methods};
use crate::error::{Error, Result};
use crate::field::{CollectionWriter, OptionReader, Presence};
use crate::message::counted;

/// Many options: the values of those that have one, and which these are.
///
/// ```
/// use rntuple::columns::Options;
/// let sigma = Options::from_mask([true, false, true], vec![0.1, 0.3])?;
/// assert_eq!(sigma.values(), &[0.1, 0.3]);
/// assert!(sigma.as_slice().iter().eq([Some(0.1), None, Some(0.3)]));
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Options<C> {
    /// The number of values before each option, and at last that of all.
    offsets: Vec<u64>,
    values: C,
}

impl<C: Default> Default for Options<C> {
    fn default() -> Self {
        Self { offsets: vec![0], values: C::default() }
    }
}

impl<C: Columns> Options<C> {
    /// Makes options, of which those that `mask` says have one of these values each.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are more values, or fewer; or if members of
    /// the values are not equally many.
    pub fn from_mask(mask: impl IntoIterator<Item = bool>, values: C) -> Result<Self> {
        let offsets = offsets_of(mask.into_iter().map(u64::from))?;
        let (wanted, found) = (offsets.last().copied().unwrap_or_default(), values.len());
        if wanted != found as u64 {
            let message = format!("the mask says {}, but there are {found}", counted(wanted, "value"));
            return Err(Error::invalid_argument(message));
        }
        values.as_slice().check()?;
        Ok(Self { offsets, values })
    }

    /// Returns the number of values before each option, and at last that of all.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// Returns the values of the options that have one.
    pub fn values(&self) -> &C {
        &self.values
    }

    /// Returns the offsets and the values.
    pub fn into_parts(self) -> (Vec<u64>, C) {
        (self.offsets, self.values)
    }

    /// Lends the options.
    pub fn as_slice(&self) -> OptionSlice<'_, C::Slice<'_>> {
        OptionSlice { bounds: Bounds::Owned(&self.offsets), values: self.values.as_slice() }
    }

    pub(super) fn push<T: Columnar<Columns = C>>(&mut self, value: Option<&T>) {
        if let Some(value) = value {
            value.push_to(&mut self.values);
        }
        self.offsets.push(self.values.len() as u64);
    }
}

impl<C: Columns> Columns for Options<C> {
    type Slice<'a> = OptionSlice<'a, C::Slice<'a>>;

    const UNCOUNTED: usize = C::UNCOUNTED;

    fn as_slice(&self) -> Self::Slice<'_> {
        self.as_slice()
    }

    fn clear(&mut self) {
        self.offsets.truncate(1);
        self.values.clear();
    }
}

/// Many options, lent: the values of those that have one, and which these are.
#[derive(Clone, Copy)]
pub struct OptionSlice<'a, S> {
    /// Of lists of at most one value.
    bounds: Bounds<'a>,
    values: S,
}

impl<S: Slice> OptionSlice<'_, S> {
    /// Returns the values of the options that have one.
    #[inline]
    pub fn values(self) -> S {
        self.bounds.all().and_then(|all| self.values.part(all)).unwrap_or(self.values)
    }

    /// Returns where the value of option `index` is among the [values](Self::values), if it has one.
    #[inline]
    pub fn position(self, index: usize) -> Option<usize> {
        let value = self.bounds.get(index)?;
        (!value.is_empty()).then_some(value.start - self.bounds.all()?.start)
    }

    /// Returns for each option whether it has a value.
    pub fn mask(self) -> impl ExactSizeIterator<Item = bool> {
        self.bounds.sizes().map(|size| size > 0)
    }
}

methods! { ['a, S: Slice] OptionSlice<'a, S> }

impl<S: Slice> Slice for OptionSlice<'_, S> {
    type One = Option<S::One>;
    type Array<const N: usize> = Self;

    #[inline]
    fn len(self) -> usize {
        self.bounds.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<Option<S::One>> {
        let value = self.bounds.get(index)?;
        if value.is_empty() { Some(None) } else { self.values.get(value.start).map(Some) }
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        Some(Self { bounds: self.bounds.part(range)?, ..self })
    }

    #[inline]
    fn array<const N: usize>(self) -> Option<Self> {
        (self.len() == N).then_some(self)
    }
}

/// Which of the next `count` options have a value, and how many.
#[inline]
fn next_bounds(presence: &mut Option<Presence>, count: usize) -> Result<(Bounds<'_>, usize)> {
    match presence {
        Some(presence) => presence.0.next_bounds_of(count, 1),
        None => Ok((Bounds::Fixed { size: 1, skipped: 0, count }, count)),
    }
}

impl<T: Columnar> Columnar for Option<T> {
    type Columns = Options<T::Columns>;

    fn push_to(&self, columns: &mut Self::Columns) {
        columns.push(self.as_ref());
    }
}

impl<T: ReadColumnar> ReadColumnar for Option<T> {
    fn read_columns(
        reader: &mut OptionReader<T::Reader>,
        count: usize,
        out: &mut Self::Columns,
    ) -> Result<()> {
        let (bounds, values) = next_bounds(&mut reader.presence, count)?;
        bounds.append_to(&mut out.offsets);
        T::read_columns(&mut reader.item, values, &mut out.values)
    }

    #[inline]
    fn lend<'a>(
        reader: &'a mut OptionReader<T::Reader>,
        count: usize,
        spare: &'a mut Self::Columns,
    ) -> Result<SliceOf<'a, Self>> {
        let (bounds, values) = next_bounds(&mut reader.presence, count)?;
        Ok(OptionSlice { bounds, values: T::lend(&mut reader.item, values, &mut spare.values)? })
    }
}

impl<T: WriteColumnar> WriteColumnar for Option<T> {
    fn append_columns(writer: &mut CollectionWriter<T::Writer>, values: SliceOf<'_, Self>) -> usize {
        values.bounds.append_ends(&mut writer.offsets, &mut writer.end)
            + T::append_columns(&mut writer.item, values.values())
    }
}
