//! The values of pages, read one page at a time.

use crate::dataset::Dataset;
use crate::encoding::{ColumnEncoding, ColumnType, Conversion, Element, rank_of_real};
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

    /// The ranks of the values of a page; none if they have no order.
    pub(super) fn ranks(self, encoding: &ColumnEncoding, page: &PageLocation) -> Result<Vec<u64>> {
        use ColumnType as C;
        match encoding.column_type() {
            C::Bit => self.ranks_of::<bool>(encoding, page),
            C::Int8 => self.ranks_of::<i8>(encoding, page),
            C::UInt8 => self.ranks_of::<u8>(encoding, page),
            C::Int16 | C::SplitInt16 | C::RawSplitInt16 => self.ranks_of::<i16>(encoding, page),
            C::UInt16 | C::SplitUInt16 => self.ranks_of::<u16>(encoding, page),
            C::Int32 | C::SplitInt32 | C::RawSplitInt32 => self.ranks_of::<i32>(encoding, page),
            C::UInt32 | C::SplitUInt32 => self.ranks_of::<u32>(encoding, page),
            C::Int64 | C::SplitInt64 | C::RawSplitInt64 => self.ranks_of::<i64>(encoding, page),
            C::UInt64 | C::SplitUInt64 => self.ranks_of::<u64>(encoding, page),
            C::Real16 | C::SplitReal16 | C::Real32 | C::SplitReal32 | C::Real64 | C::SplitReal64 => {
                let values = self.read::<f64>(encoding, page)?;
                Ok(values.into_iter().map(rank_of_real).collect())
            }
            C::Switch | C::HalvedSwitch | C::PackedSwitch | C::Byte | C::Char => Ok(Vec::new()),
            C::Index32 | C::SplitIndex32 | C::Index64 | C::SplitIndex64 => Ok(Vec::new()),
            C::Real32Trunc | C::Real32Quant => Ok(Vec::new()),
        }
    }

    fn ranks_of<E: Element>(self, encoding: &ColumnEncoding, page: &PageLocation) -> Result<Vec<u64>> {
        let values = self.read::<E>(encoding, page)?;
        let mut ranks = Vec::with_capacity(values.len());
        E::ranks(encoding, &values, &mut ranks);
        Ok(ranks)
    }
}
