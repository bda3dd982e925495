//! Enums with data: which alternative each value is, and where its data is among those of its alternative.

use std::ops::Range;

use crate::error::Result;
use crate::field::{Active, VariantReader, VariantWriter};

/// Which of `N` alternatives many values are, each with its position among those of its alternative.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Switches<const N: usize> {
    tags: Vec<u8>,
    positions: Vec<u64>,
    /// Values of each alternative.
    counts: [u64; N],
}

impl<const N: usize> Default for Switches<N> {
    fn default() -> Self {
        Self { tags: Vec::new(), positions: Vec::new(), counts: [0; N] }
    }
}

impl<const N: usize> Switches<N> {
    /// The tag of values that are none of the alternatives.
    pub const NONE: u8 = u8::MAX;

    /// The number of values.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// The number of each value's alternative.
    pub fn tags(&self) -> &[u8] {
        &self.tags
    }

    /// The position of each value among those of its alternative.
    pub fn positions(&self) -> &[u64] {
        &self.positions
    }

    /// Takes all out.
    #[doc(hidden)]
    pub fn clear(&mut self) {
        self.tags.clear();
        self.positions.clear();
        self.counts = [0; N];
    }

    /// Adds a value of alternative `number`, or of none.
    #[doc(hidden)]
    #[inline]
    pub fn push(&mut self, number: usize) {
        let position = match self.counts.get_mut(number) {
            Some(count) => {
                *count += 1;
                *count - 1
            }
            None => 0,
        };
        // Alternatives are at most 125.
        self.tags.push(u8::try_from(number).unwrap_or(Self::NONE));
        self.positions.push(position);
    }

    /// Appends the values of a range to the switch of a file; adds the length in bytes to `length`. Returns where
    /// the values of each alternative are.
    #[doc(hidden)]
    pub fn append<const M: usize>(
        &self,
        range: Range<usize>,
        writer: &mut VariantWriter<[u64; M]>,
        length: &mut usize,
    ) -> [Range<usize>; N] {
        let mut ranges: [Range<usize>; N] = std::array::from_fn(|_| 0..0);
        let positions = self.positions.get(range.clone()).unwrap_or_default();
        for (&tag, &position) in self.tags.get(range).unwrap_or_default().iter().zip(positions) {
            let Some(range) = ranges.get_mut(usize::from(tag)) else {
                *length += writer.append_none();
                continue;
            };
            *length += writer.append(tag);
            // They lie one behind the other.
            let position = usize::try_from(position).unwrap_or(usize::MAX);
            if range.start == range.end {
                *range = position..position;
            }
            range.end += 1;
        }
        ranges
    }
}

/// A stretch of values, of which those of one alternative lie one behind the other.
#[doc(hidden)]
#[derive(Debug)]
pub struct Runs<const N: usize> {
    /// How many values of each alternative there are.
    pub counts: [usize; N],
    /// Where the reader of each alternative must go first, if it does not stand there.
    pub jumps: [Option<u64>; N],
    /// Values behind the stretch.
    left: usize,
    /// The value behind the stretch, whose switch is read already.
    held: Option<Active>,
}

impl<const N: usize> Runs<N> {
    /// Before the first of `count` values.
    pub fn new(count: usize) -> Self {
        Self { counts: [0; N], jumps: [None; N], left: count, held: None }
    }

    /// Goes on to the next stretch, whose switches are added to `out`; `false` behind the last one.
    ///
    /// # Errors
    /// As [`VariantReader::next`].
    pub fn next(
        &mut self,
        switch: &mut VariantReader<[u64; N]>,
        has_other: bool,
        out: &mut Switches<N>,
    ) -> Result<bool> {
        (self.counts, self.jumps) = ([0; N], [None; N]);
        if self.left == 0 && self.held.is_none() {
            return Ok(false);
        }
        loop {
            let active = match self.held.take() {
                Some(active) => active,
                None if self.left == 0 => return Ok(true),
                None => {
                    self.left -= 1;
                    if has_other { switch.next_or_other()? } else { switch.next()? }
                }
            };
            if let (Some(count), Some(jump)) =
                (self.counts.get_mut(active.number), self.jumps.get_mut(active.number))
            {
                if active.jump.is_some() {
                    if *count > 0 {
                        self.held = Some(active);
                        return Ok(true);
                    }
                    *jump = active.jump;
                }
                *count += 1;
            }
            out.push(active.number);
        }
    }
}
