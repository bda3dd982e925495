//! Enums with data: the switches, and for each alternative a slice of its values.

use std::ops::Range;

use crate::encoding::Switch;
use crate::error::{Error, Result};
use crate::field::member::State;
use crate::field::{Attach, DefaultReader, VariantReader};
use crate::message::counted;

/// Which alternatives many values have, and where in the slices of these the values are.
#[derive(Clone, Copy, Debug)]
pub struct Switches<'a, const N: usize> {
    /// Checked: none has a tag or an index that is not among the values of the slices.
    list: &'a [Switch],
    /// The first of the values of each alternative.
    firsts: [u64; N],
}

/// The values of one alternative that a run of switches is about.
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// The first of them.
    first: u64,
    /// From there to the last.
    pub count: usize,
    /// Switches that are about one of them.
    uses: usize,
    /// Where the alternative's reader must go first, if it does not stand there.
    pub jump: Option<u64>,
}

impl<const N: usize> Switches<'_, N> {
    /// No values.
    #[must_use]
    pub const fn empty() -> Self {
        Self { list: &[], firsts: [0; N] }
    }

    /// The number of values.
    #[inline]
    #[must_use]
    pub fn count(self) -> usize {
        self.list.len()
    }

    /// The alternative of value `index`, counted from 0, and its place in the slice of that. A number that no
    /// alternative has stands for values of none.
    #[inline]
    #[must_use]
    pub fn at(self, index: usize) -> Option<(usize, usize)> {
        let Switch { index, tag } = *self.list.get(index)?;
        let number = (tag as usize).wrapping_sub(1);
        let Some(first) = self.firsts.get(number) else { return Some((usize::MAX, 0)) };
        Some((number, usize::try_from(index.checked_sub(*first)?).ok()?))
    }

    /// The values of a range.
    #[inline]
    #[must_use]
    pub fn part(self, range: Range<usize>) -> Option<Self> {
        Some(Self { list: self.list.get(range)?, ..self })
    }
}

impl<const N: usize> VariantReader<[u64; N]> {
    /// The alternatives of the next `count` values; of each the values that are to be read.
    ///
    /// # Errors
    /// No values are left, one of them is of no alternative, which only an enum with another variant for such
    /// (`has_other`) can say, or the file names an alternative that it does not have.
    pub fn next_many(&mut self, count: usize, has_other: bool) -> Result<(Switches<'_, N>, [Span; N])> {
        let (known, positions) = (self.count, &mut self.positions);
        let (list, spans) = self.switch.slice_if(count, |list| {
            let mut spans = [Span::default(); N];
            for switch in list {
                if switch.tag as usize > known {
                    return Err(Self::unknown_of(switch.tag, known));
                }
                let number = (switch.tag as usize).wrapping_sub(1);
                let Some(span) = spans.get_mut(number) else {
                    if has_other {
                        continue;
                    }
                    return Err(Self::valueless());
                };
                span.add(switch.index)?;
            }
            for (span, position) in
                spans.iter_mut().zip(positions.iter_mut()).filter(|(span, _)| span.uses > 0)
            {
                span.jump = (*position != span.first).then_some(span.first);
                *position = span.first.wrapping_add(span.count as u64);
            }
            Ok(spans)
        })?;
        Ok((Switches { list, firsts: spans.map(|span| span.first) }, spans))
    }
}

impl Span {
    /// Widens it as far as value `index`.
    #[inline]
    fn add(&mut self, index: u64) -> Result<()> {
        if self.uses == 0 {
            self.first = index;
        }
        let end = self.first.saturating_add(self.count as u64).max(index.saturating_add(1));
        self.first = self.first.min(index);
        self.count = usize::try_from(end - self.first)
            .map_err(|_| Error::limit("the values do not fit in the address space"))?;
        self.uses += 1;
        Ok(())
    }
}

impl<R: Attach> DefaultReader<R> {
    /// The columns, which must have a value for the next element.
    ///
    /// # Errors
    /// They are not in the file.
    #[inline]
    pub fn present(&mut self) -> Result<&mut R> {
        match &mut self.state {
            State::Present(reader) => Ok(reader),
            _ => Err(Self::missing_at(&self.place)),
        }
    }

    /// The columns of an alternative, which must have the values of a span.
    ///
    /// # Errors
    /// They are not in the file, or not so many.
    pub fn spanned(&mut self, span: &Span) -> Result<&mut R> {
        let remaining = self.remaining();
        let most = remaining.unwrap_or(span.uses as u64);
        if span.count as u64 > most {
            let message = format!(
                "{} from {} on are needed, but {most} are left",
                counted(span.count as u64, "value"),
                span.first
            );
            return Err(Error::out_of_spec(message).in_field(self.place.to_string()));
        }
        self.present()
    }
}
