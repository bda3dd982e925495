//! Options: a mask, and the values that are there.

use std::ops::Range;

use super::ends::{append_ends, items_of};
use super::{Batch, Batched, ReadBatch, Rows, WriteBatch};
use crate::encoding::{Element, Index};
use crate::error::{Error, Result};
use crate::field::collection::Offsets;
use crate::field::{CollectionWriter, OptionReader, Presence, UniquePtr};
use crate::message::counted;

/// Many options: which of them have a value, and a batch of those values.
///
/// ```
/// use rntuple::batch::Options;
/// let sigma = Options::from_mask(vec![true, false, true], vec![0.1, 0.3])?;
/// assert_eq!(sigma.values(), [0.1, 0.3]);
/// assert_eq!(sigma.iter().collect::<Vec<_>>(), [Some(&0.1), None, Some(&0.3)]);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Options<B> {
    mask: Vec<bool>,
    /// How many values there are before each option; behind these the number of all.
    offsets: Vec<u64>,
    values: B,
}

impl<B: Default> Default for Options<B> {
    fn default() -> Self {
        Self { mask: Vec::new(), offsets: vec![0], values: B::default() }
    }
}

impl<B: Batch> Options<B> {
    /// Options of which those that `mask` says have one of these values each.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are more values, or fewer.
    pub fn from_mask(mask: Vec<bool>, values: B) -> Result<Self> {
        let mut this = Self { mask: Vec::new(), offsets: vec![0], values };
        mask.iter().for_each(|is_some| this.offsets.push(this.end() + u64::from(*is_some)));
        this.mask = mask;
        if this.end() == this.values.len() as u64 {
            return Ok(this);
        }
        let message =
            format!("the mask says {}, the batch has {}", counted(this.end(), "value"), this.values.len());
        Err(Error::invalid_argument(message))
    }

    /// The number of options.
    pub fn len(&self) -> usize {
        self.mask.len()
    }

    /// Whether there are no options.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Which options have a value.
    pub fn mask(&self) -> &[bool] {
        &self.mask
    }

    /// How many values there are before each option; behind these the number of all.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The values that are there.
    pub fn values(&self) -> B::View<'_> {
        self.values.view()
    }

    /// Where the value of an option is among those that are there.
    ///
    /// # Panics
    /// If there is no such option.
    #[expect(clippy::indexing_slicing, reason = "the documented panic, as a slice's")]
    pub fn position(&self, index: usize) -> Option<usize> {
        let is_some = self.mask[index];
        is_some.then(|| items_of(&self.offsets, &(index..index)).start)
    }

    /// Where the value of each option is among those that are there.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Option<usize>> + '_ {
        (0..self.len()).map(|index| self.position(index))
    }

    fn end(&self) -> u64 {
        self.offsets.last().copied().unwrap_or_default()
    }
}

impl<E: Element> Options<Vec<E>> {
    /// The value of an option.
    ///
    /// # Panics
    /// If there is no such option.
    pub fn get(&self, index: usize) -> Option<&E> {
        self.values.get(self.position(index)?)
    }

    /// The options in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&E>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<T> Options<Rows<T>> {
    /// The value of an option.
    ///
    /// # Panics
    /// If there is no such option.
    pub fn get(&self, index: usize) -> Option<&T> {
        self.values.get(self.position(index)?)
    }

    /// The options in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&T>> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<B: Batch> Batch for Options<B> {
    type View<'a>
        = &'a Self
    where
        B: 'a;

    const UNCOUNTED: usize = B::UNCOUNTED;

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn clear(&mut self) {
        self.mask.clear();
        self.offsets.truncate(1);
        self.values.clear();
    }

    fn view(&self) -> &Self {
        self
    }
}

impl Presence {
    /// Appends whether the next `count` options have a value to `mask`, and how many have until then to
    /// `offsets`; returns how many have.
    fn read_mask(&mut self, count: usize, mask: &mut Vec<bool>, offsets: &mut Vec<u64>) -> Result<usize> {
        let start = self.0.end;
        let shift = offsets.last().copied().unwrap_or_default().wrapping_sub(start);
        let mut too_many = false;
        self.0.each_chunk(count, |mut before, ends| {
            offsets.extend(ends.iter().map(|Index(end)| end.wrapping_add(shift)));
            mask.extend(ends.iter().map(|Index(end)| {
                let count = end - before;
                too_many |= count > 1;
                before = *end;
                count != 0
            }));
        })?;
        let values = self.0.end.saturating_sub(start);
        // With one each at most, there are not more than options.
        if too_many { Err(no_option(&self.0)) } else { Ok(usize::try_from(values).unwrap_or(usize::MAX)) }
    }
}

#[cold]
fn no_option(offsets: &Offsets) -> Error {
    offsets.place(Error::out_of_spec("an option has several values"))
}

impl<B: Batch, R: ReadBatch<B>> ReadBatch<Options<B>> for OptionReader<R> {
    fn read_batch(&mut self, count: usize, out: &mut Options<B>) -> Result<()> {
        let Some(presence) = &mut self.presence else {
            let start = out.end();
            self.item.read_batch(count, &mut out.values)?;
            out.mask.resize(out.mask.len() + count, true);
            out.offsets.extend((1..=count as u64).map(|number| start + number));
            return Ok(());
        };
        let values = presence.read_mask(count, &mut out.mask, &mut out.offsets)?;
        self.item.read_batch(values, &mut out.values)
    }
}

impl<B: Batch, W: WriteBatch<B>> WriteBatch<Options<B>> for CollectionWriter<W> {
    fn append_batch(&mut self, batch: &Options<B>, range: Range<usize>) -> usize {
        let values = items_of(&batch.offsets, &range);
        append_ends(&mut self.offsets, &mut self.end, &batch.offsets, &range)
            + self.item.append_batch(&batch.values, values)
    }
}

impl<T: Batched> Batched for Option<T> {
    type Batch = Options<T::Batch>;

    fn push_to(&self, batch: &mut Options<T::Batch>) {
        if let Some(value) = self {
            value.push_to(&mut batch.values);
        }
        batch.mask.push(self.is_some());
        batch.offsets.push(batch.values.len() as u64);
    }
}

impl<T: Batched> Batched for UniquePtr<T> {
    type Batch = Options<T::Batch>;

    fn push_to(&self, batch: &mut Options<T::Batch>) {
        if let Some(value) = &self.0 {
            (**value).push_to(&mut batch.values);
        }
        batch.mask.push(self.is_some());
        batch.offsets.push(batch.values.len() as u64);
    }
}
