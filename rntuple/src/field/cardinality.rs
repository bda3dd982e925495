//! The size of a collection, without its items.

use super::collection::Offsets;
use super::project::Projected;
use super::{Attach, FieldBuilder, FieldNode, FieldReader, Position, ReadField};
use crate::column::Allowance;
use crate::encoding::Index;
use crate::error::{Error, Result};
use crate::schema::TypeName;

/// The number of items of a collection, read from its offsets alone.
///
/// A member `muons: Cardinality` reads the sizes of the collection `muons` and none of its items; a
/// member `nMuon: Cardinality` reads what ROOT wrote as `ROOT::RNTupleCardinality` (format, section 9.4).
///
/// ```
/// use rntuple::cxx::Cardinality;
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
/// # use rntuple::storage::Memory;
/// #[derive(RNTuple)]
/// struct Event { hits: Vec<f32> }
/// #[derive(RNTuple)]
/// #[rntuple(skip_writing)]
/// struct Sizes { hits: Cardinality }
/// let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// writer.fill(&Event { hits: vec![1.0, 2.0] })?;
/// let reader = Reader::<Sizes>::open(writer.finish_into()?.1, "Events")?;
/// assert_eq!(reader.entries().next().unwrap()?.hits, Cardinality(2));
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// It cannot be written as a member, because it would hold what is there already; the size of a collection under a
/// name of its own is a projected field, `#[rntuple(project(n_hits: Cardinality = "hits"))]`. C++ sees numbers of 64
/// bits then, or of 32 for [`Cardinality32`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cardinality(pub u64);

/// As [`Cardinality`], in 32 bits: what most of ROOT's own files have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cardinality32(pub u32);

impl Projected for Cardinality {
    fn declare_view(field: &mut FieldBuilder<'_>) {
        field.plain(&TypeName::known("ROOT::RNTupleCardinality<std::uint64_t>"));
    }
}

impl Projected for Cardinality32 {
    fn declare_view(field: &mut FieldBuilder<'_>) {
        field.plain(&TypeName::known("ROOT::RNTupleCardinality<std::uint32_t>"));
    }
}

/// A column of end offsets, read as sizes.
#[derive(Debug)]
pub struct CardinalityReader(pub(super) Offsets);

impl Attach for CardinalityReader {
    const DETACHED: Self = Self(Offsets::DETACHED);

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.0.seek(to).map(drop)
    }

    fn remaining(&self) -> Option<u64> {
        self.0.remaining()
    }
}

impl CardinalityReader {
    /// The sizes of whatever has a column of end offsets.
    pub(super) fn connect_any(field: FieldNode<'_>) -> Result<Self> {
        Offsets::connect(field).map(Self)
    }

    /// What the entry may take.
    pub(super) fn allowance(&self) -> &Allowance {
        self.0.allowance()
    }

    /// Whether the field has a column of end offsets that can be counted.
    pub(super) fn fits(field: FieldNode<'_>) -> bool {
        field.column_count() == 1 && field.column_reads::<Index>(0)
    }
}

impl FieldReader<Cardinality> for CardinalityReader {
    fn read(&mut self) -> Result<Cardinality> {
        // No items are read, so no size is too large.
        Ok(Cardinality(self.0.next_size(u64::MAX)? as u64))
    }
}

impl FieldReader<Cardinality32> for CardinalityReader {
    fn read(&mut self) -> Result<Cardinality32> {
        let size = self.0.next_size(u64::MAX)?;
        let number = u32::try_from(size);
        Ok(Cardinality32(number.map_err(|_| {
            Error::limit(format!("a collection has {size} items, more than 32 bits can count"))
        })?))
    }
}

impl ReadField for Cardinality {
    type Reader = CardinalityReader;

    fn connect(field: FieldNode<'_>, reader: &mut CardinalityReader) -> Result<()> {
        if !CardinalityReader::fits(field) {
            return Err(field.mismatch("a collection"));
        }
        *reader = CardinalityReader::connect_any(field)?;
        Ok(())
    }
}

impl ReadField for Cardinality32 {
    type Reader = CardinalityReader;

    fn connect(field: FieldNode<'_>, reader: &mut CardinalityReader) -> Result<()> {
        Cardinality::connect(field, reader)
    }
}
