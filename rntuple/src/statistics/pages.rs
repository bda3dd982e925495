//! The values of pages, read one page at a time.

use crate::dataset::Dataset;
use crate::encoding::{ColumnEncoding, Conversion, Element, RankKind, ValueKind, rank_of_real};
use crate::error::{Error, Result};
use crate::page::Unsealers;
use crate::schema::{Locator, PageLocation};

/// The pages of an ntuple.
#[derive(Clone, Copy)]
pub(super) struct Pages<'a> {
    pub(super) dataset: &'a Dataset,
    pub(super) unsealers: &'a Unsealers,
}

impl Pages<'_> {
    /// The values of a page.
    pub(super) fn read<E: Element>(self, encoding: &ColumnEncoding, page: &PageLocation) -> Result<Vec<E>> {
        let Locator::File { offset, size } = page.locator else {
            return Err(Error::unsupported("the page is not in the file"));
        };
        let stored = size.saturating_add(if page.has_checksum { 8 } else { 0 });
        let stored = self.dataset.file().payload(offset, stored, self.dataset.anchor().max_key_size)?;
        let mut values = Vec::new();
        let how = Conversion::default();
        let misfit = self.unsealers.with(|unsealer| {
            unsealer.unseal(encoding, &stored, page.has_checksum, page.count, how, &mut values)
        });
        match misfit.map_err(|error| error.at_offset(offset))? {
            None => Ok(values),
            Some(misfit) => {
                let message = format!("element {} of the page is not of its type", misfit.position);
                Err(Error::out_of_spec(message).at_offset(offset))
            }
        }
    }

    /// What the values of a page say, if they are integers or truth values; `None` for others, which are not read.
    pub(super) fn integers<I: Integers>(
        self,
        encoding: &ColumnEncoding,
        page: &PageLocation,
    ) -> Result<Option<I::Found>> {
        match encoding.column_type().kind() {
            ValueKind::Bool => self.integers_of::<bool, I>(encoding, page),
            ValueKind::I8 => self.integers_of::<i8, I>(encoding, page),
            ValueKind::U8 => self.integers_of::<u8, I>(encoding, page),
            ValueKind::I16 => self.integers_of::<i16, I>(encoding, page),
            ValueKind::U16 => self.integers_of::<u16, I>(encoding, page),
            ValueKind::I32 => self.integers_of::<i32, I>(encoding, page),
            ValueKind::U32 => self.integers_of::<u32, I>(encoding, page),
            ValueKind::I64 => self.integers_of::<i64, I>(encoding, page),
            ValueKind::U64 => self.integers_of::<u64, I>(encoding, page),
            _ => Ok(None),
        }
    }

    fn integers_of<E: Element, I: Integers>(
        self,
        encoding: &ColumnEncoding,
        page: &PageLocation,
    ) -> Result<Option<I::Found>> {
        Ok(Some(I::find(encoding, &self.read::<E>(encoding, page)?)))
    }

    /// The ranks of the values of a page; none if they have no order.
    pub(super) fn ranks(self, encoding: &ColumnEncoding, page: &PageLocation) -> Result<Vec<u64>> {
        if let Some(ranks) = self.integers::<RanksOf>(encoding, page)? {
            return Ok(ranks);
        }
        match RankKind::of(encoding.column_type()) {
            Some(RankKind::Real) => {
                let values = self.read::<f64>(encoding, page)?;
                Ok(values.into_iter().map(rank_of_real).collect())
            }
            _ => Ok(Vec::new()),
        }
    }
}

/// Something that integers say, of whatever type they are.
pub(super) trait Integers {
    type Found;
    fn find<E: Element>(encoding: &ColumnEncoding, values: &[E]) -> Self::Found;
}

struct RanksOf;

impl Integers for RanksOf {
    type Found = Vec<u64>;

    fn find<E: Element>(encoding: &ColumnEncoding, values: &[E]) -> Vec<u64> {
        let mut ranks = Vec::with_capacity(values.len());
        E::ranks(encoding, values, &mut ranks);
        ranks
    }
}
