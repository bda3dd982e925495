//! Options: the values of those that have one, and which these are.

use std::ops::Range;

use super::bounds::{Bounds, offsets_of};
use super::list::{ListSlice, Lists, append};
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
#[derive(Clone, Debug, Default)]
pub struct Options<C>(
    /// Of at most one value each.
    Lists<C>,
);

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
        Ok(Self(Lists { offsets, items: values }))
    }

    /// Returns the number of values before each option, and at last that of all.
    pub fn offsets(&self) -> &[u64] {
        self.0.offsets()
    }

    /// Returns the values of the options that have one.
    pub fn values(&self) -> &C {
        self.0.items()
    }

    /// Returns the offsets and the values.
    pub fn into_parts(self) -> (Vec<u64>, C) {
        self.0.into_parts()
    }

    /// Lends the options.
    pub fn as_slice(&self) -> OptionSlice<'_, C::Slice<'_>> {
        OptionSlice(self.0.as_slice())
    }

    pub(super) fn push<T: Columnar<Columns = C>>(&mut self, value: Option<&T>) {
        self.0.push_with(|values| value.into_iter().for_each(|value| value.push_to(values)));
    }
}

impl<C: Columns> Columns for Options<C> {
    type Slice<'a> = OptionSlice<'a, C::Slice<'a>>;

    const UNCOUNTED: usize = C::UNCOUNTED;

    fn as_slice(&self) -> Self::Slice<'_> {
        self.as_slice()
    }

    fn clear(&mut self) {
        self.0.clear();
    }
}

/// Many options, lent: the values of those that have one, and which these are.
#[derive(Clone, Copy)]
pub struct OptionSlice<'a, S>(
    /// Of at most one value each.
    ListSlice<'a, S>,
);

impl<S: Slice> OptionSlice<'_, S> {
    /// Returns the values of the options that have one.
    #[inline]
    pub fn values(self) -> S {
        self.0.items()
    }

    /// Returns where the value of option `index` is among the [values](Self::values), if it has one.
    #[inline]
    pub fn position(self, index: usize) -> Option<usize> {
        self.0.range(index)?.next()
    }

    /// Returns for each option whether it has a value.
    pub fn mask(self) -> impl ExactSizeIterator<Item = bool> {
        self.0.counts().map(|count| count > 0)
    }
}

methods! { ['a, S: Slice] OptionSlice<'a, S> }

impl<S: Slice> Slice for OptionSlice<'_, S> {
    type One = Option<S::One>;
    type Array<const N: usize> = Self;

    #[inline]
    fn len(self) -> usize {
        self.0.len()
    }

    #[inline]
    fn get(self, index: usize) -> Option<Option<S::One>> {
        let value = self.0.bounds.get(index)?;
        if value.is_empty() { Some(None) } else { self.0.items.get(value.start).map(Some) }
    }

    #[inline]
    fn part(self, range: Range<usize>) -> Option<Self> {
        self.0.part(range).map(Self)
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
        bounds.append_to(&mut out.0.offsets);
        T::read_columns(&mut reader.item, values, &mut out.0.items)
    }

    #[inline]
    fn lend<'a>(
        reader: &'a mut OptionReader<T::Reader>,
        count: usize,
        spare: &'a mut Self::Columns,
    ) -> Result<SliceOf<'a, Self>> {
        let (bounds, values) = next_bounds(&mut reader.presence, count)?;
        Ok(OptionSlice(ListSlice { bounds, items: T::lend(&mut reader.item, values, &mut spare.0.items)? }))
    }
}

impl<T: WriteColumnar> WriteColumnar for Option<T> {
    fn append_columns(writer: &mut CollectionWriter<T::Writer>, values: SliceOf<'_, Self>) -> usize {
        append::<T>(writer, values.0)
    }
}
