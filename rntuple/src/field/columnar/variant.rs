//! Enums with data: which alternative each value has, and where it is among the values of that.

use std::fmt;
use std::ops::Range;

use super::{Slice, check_member};
use crate::column::Passed;
use crate::encoding::Switch;
use crate::error::{Error, Result};
use crate::field::variant::jump;
use crate::field::{VariantReader, VariantWriter};

/// Which of `N` alternatives each of many values has.
#[derive(Clone, Debug)]
pub struct Switches<const N: usize> {
    list: Vec<Switch>,
    /// Values of each alternative.
    counts: [u64; N],
}

impl<const N: usize> Default for Switches<N> {
    fn default() -> Self {
        Self { list: Vec::new(), counts: [0; N] }
    }
}

impl<const N: usize> Switches<N> {
    /// Makes the switches of values that have these alternatives, counted from 0; `None` has none of them.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no such alternative.
    pub fn from_alternatives(alternatives: impl IntoIterator<Item = Option<usize>>) -> Result<Self> {
        let mut this = Self::default();
        for alternative in alternatives {
            if let Some(number) = alternative.filter(|number| *number >= N) {
                let message = format!("there is no alternative {number}, only {N} from 0");
                return Err(Error::invalid_argument(message));
            }
            this.push(alternative.unwrap_or(usize::MAX));
        }
        Ok(this)
    }

    /// Lends the switches.
    pub fn as_slice(&self) -> SwitchSlice<'_, N> {
        SwitchSlice { list: &self.list, firsts: [0; N], counts: self.counts }
    }

    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.list.clear();
        self.counts = [0; N];
    }

    /// Appends that of a value of alternative `number`, or of none.
    #[doc(hidden)]
    #[inline]
    pub fn push(&mut self, number: usize) {
        let switch = match self.counts.get_mut(number) {
            Some(count) => {
                *count += 1;
                // Alternatives are at most 125.
                Switch { index: *count - 1, tag: u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1) }
            }
            None => Switch { index: 0, tag: 0 },
        };
        self.list.push(switch);
    }
}

/// Which of `N` alternatives each of many values has, lent.
#[derive(Clone, Copy)]
pub struct SwitchSlice<'a, const N: usize> {
    /// The values of an alternative follow each other.
    list: &'a [Switch],
    /// The first values of the slices of alternatives.
    firsts: [u64; N],
    /// The number of values in these.
    counts: [u64; N],
}

impl<const N: usize> SwitchSlice<'_, N> {
    /// Returns the number of values.
    #[inline]
    pub fn len(self) -> usize {
        self.list.len()
    }

    /// Returns whether there are no values.
    pub fn is_empty(self) -> bool {
        self.list.is_empty()
    }

    /// Returns the alternative of each value, counted from 0; `None` where it has none of them.
    pub fn alternatives(self) -> impl ExactSizeIterator<Item = Option<usize>> {
        self.list.iter().map(|switch| number_of::<N>(*switch))
    }

    /// Returns the alternative of value `index` and its position among the values of that; for a value without an
    /// alternative, a number that none has.
    #[doc(hidden)]
    #[inline]
    pub fn get(self, index: usize) -> Option<(usize, usize)> {
        let switch = *self.list.get(index)?;
        let Some(number) = number_of::<N>(switch) else { return Some((usize::MAX, 0)) };
        let position = switch.index.checked_sub(*self.firsts.get(number)?)?;
        Some((number, usize::try_from(position).ok()?))
    }

    #[doc(hidden)]
    #[inline]
    pub fn part(self, range: Range<usize>) -> Option<Self> {
        Some(Self { list: self.list.get(range)?, ..self })
    }

    /// Appends the switches to a file's; adds their length in bytes to `length`. Returns where the values of each
    /// alternative are in its slices.
    #[doc(hidden)]
    pub fn append<const M: usize>(
        self,
        writer: &mut VariantWriter<[u64; M]>,
        length: &mut usize,
    ) -> [Range<usize>; N] {
        let mut ranges = [const { 0..0 }; N];
        for Switch { index, tag } in self.list {
            let number = (*tag as usize).wrapping_sub(1);
            let (Some(range), Some(first)) = (ranges.get_mut(number), self.firsts.get(number)) else {
                *length += writer.append_none();
                continue;
            };
            #[expect(clippy::cast_possible_truncation, reason = "alternatives are at most 125")]
            let written = writer.append(number as u8);
            *length += written;
            if range.start == range.end {
                let start = usize::try_from(index.saturating_sub(*first)).unwrap_or(usize::MAX);
                *range = start..start;
            }
            range.end = range.end.saturating_add(1);
        }
        ranges
    }

    /// Checks that member `name` of alternative `number` has the values that the switches need.
    ///
    /// # Errors
    /// As [`Slice::check`].
    #[doc(hidden)]
    pub fn check<S: Slice>(self, name: &str, number: usize, values: S) -> Result<()> {
        let count = self.counts.get(number).copied().unwrap_or_default();
        check_member(name, values, usize::try_from(count).unwrap_or(usize::MAX))
    }
}

impl<const N: usize> fmt::Debug for SwitchSlice<'_, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.alternatives()).finish()
    }
}

fn number_of<const N: usize>(switch: Switch) -> Option<usize> {
    let number = (switch.tag as usize).checked_sub(1)?;
    (number < N).then_some(number)
}

/// Values that are read at once.
const MOST_OF_A_RUN: usize = 1024;

/// Values of an enum of which those of each alternative follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Run<const N: usize> {
    /// Their number.
    pub count: usize,
    /// How many values of each alternative they have.
    pub counts: [usize; N],
    /// The first of these.
    firsts: [u64; N],
    /// Where the reader of each alternative must go first, if it is somewhere else.
    pub jumps: [Option<u64>; N],
    switches: Passed,
}

impl<const N: usize> VariantReader<[u64; N]> {
    /// Reads the switches of the next values, at most `most`, into `out`.
    ///
    /// # Errors
    /// There are fewer values; one has no alternative, which only an enum with another variant for such (`has_other`)
    /// can represent; or the file names an alternative that it does not have.
    pub fn next_run(&mut self, most: usize, has_other: bool, out: &mut Switches<N>) -> Result<Run<N>> {
        // A file may scatter values, so that the same switches are looked at again and again.
        let (start, most) = (self.switch.position(), most.min(MOST_OF_A_RUN));
        let run = self.pass_run(most, has_other)?;
        for switch in self.switch.passed(run.switches).iter().take(run.count) {
            out.push(number_of::<N>(*switch).unwrap_or(usize::MAX));
        }
        if run.count < most {
            self.switch.seek(start + run.count as u64)?;
        }
        self.pass_values(&run);
        Ok(run)
    }

    /// Passes the switches of the next `count` values; `None`, and nothing is passed, if the values of an alternative
    /// do not follow each other.
    ///
    /// # Errors
    /// As [`next_run`](Self::next_run).
    pub fn whole_run(&mut self, count: usize, has_other: bool) -> Result<Option<Run<N>>> {
        let start = self.switch.position();
        let run = self.pass_run(count, has_other)?;
        if run.count < count {
            self.switch.seek(start)?;
            return Ok(None);
        }
        self.pass_values(&run);
        Ok(Some(run))
    }

    /// The switches of the run that was passed last.
    pub fn passed(&self, run: &Run<N>) -> SwitchSlice<'_, N> {
        let list = self.switch.passed(run.switches);
        SwitchSlice { list, firsts: run.firsts, counts: run.counts.map(|count| count as u64) }
    }

    /// Passes `most` switches, of which the first are a run.
    fn pass_run(&mut self, most: usize, has_other: bool) -> Result<Run<N>> {
        let switches = self.switch.pass(most)?;
        let mut run = Run { count: 0, counts: [0; N], firsts: [0; N], jumps: [None; N], switches };
        for switch in self.switch.passed(switches) {
            if switch.tag as usize > self.count {
                return Err(self.switch.place(Self::unknown_of(switch.tag, self.count)));
            }
            match number_of::<N>(*switch) {
                Some(number) if !run.add(number, switch.index, &self.positions) => break,
                None if !has_other => return Err(self.switch.place(Self::valueless())),
                _ => run.count += 1,
            }
        }
        Ok(run)
    }

    /// The alternatives' readers will be after the values of a run.
    fn pass_values(&mut self, run: &Run<N>) {
        for ((position, first), count) in self.positions.iter_mut().zip(run.firsts).zip(run.counts) {
            if count > 0 {
                jump(position, first, &self.switch);
                *position = first.wrapping_add(count as u64);
            }
        }
    }
}

impl<const N: usize> Run<N> {
    /// Whether value `index` of an alternative follows those of the run.
    #[inline]
    fn add(&mut self, number: usize, index: u64, positions: &[u64; N]) -> bool {
        let Self { counts, firsts, jumps, .. } = self;
        let (Some(count), Some(first), Some(jump), Some(position)) =
            (counts.get_mut(number), firsts.get_mut(number), jumps.get_mut(number), positions.get(number))
        else {
            return false;
        };
        if *count == 0 {
            (*first, *jump) = (index, (*position != index).then_some(index));
        } else if index.checked_sub(*first) != Some(*count as u64) {
            return false;
        }
        *count += 1;
        true
    }
}
