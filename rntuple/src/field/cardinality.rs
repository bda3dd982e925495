//! The size of a collection, without its items.

use super::collection::Offsets;
use super::project::Projected;
use super::{Attach, FieldBuilder, FieldNode, FieldReader, ReadField};
use crate::cluster::Cluster;
use crate::encoding::Index;
use crate::error::{Error, Result};
use crate::schema::{FieldDescriptor, TypeName};

/// How C++ spells the size of a collection, up to the type of the number.
const CXX: &str = "ROOT::RNTupleCardinality<";

/// Whether the field says that it is the size of a collection.
pub(super) fn is_cardinality(field: &FieldDescriptor) -> bool {
    field.type_name.starts_with(CXX)
}

/// The number of items of a collection, read from its offsets alone.
///
/// A member `muons: Cardinality` reads the sizes of the collection `muons` and none of its items; a
/// member `nMuon: Cardinality` reads what ROOT wrote as `ROOT::RNTupleCardinality` (format, section 9.4).
///
/// ```
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer, Cardinality};
/// # use rntuple::storage::Memory;
/// #[derive(RNTuple)]
/// struct Event { hits: Vec<f32> }
/// #[derive(RNTuple)]
/// #[rntuple(read_only)]
/// struct Sizes { hits: Cardinality }
/// let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// writer.fill(&Event { hits: vec![1.0, 2.0] })?;
/// let reader = Reader::<Sizes>::from_storage(writer.finish_into()?.1, "Events")?;
/// assert_eq!(reader.entries().next().unwrap()?.hits, Cardinality(2));
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// It cannot be written as a member, because it would hold what is there already; the size of a collection under a
/// name of its own is a projected field, `#[rntuple(project(n_hits: Cardinality = "hits"))]`. C++ sees numbers of 64
/// bits then, or of 32 for `Cardinality<u32>`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cardinality<N = u64>(pub N);

mod sealed {
    /// A number that a size can be.
    pub trait Size: Sized {
        const CXX: &'static str;

        fn of(size: usize) -> Option<Self>;
    }

    impl Size for u32 {
        const CXX: &'static str = "std::uint32_t";

        fn of(size: usize) -> Option<Self> {
            Self::try_from(size).ok()
        }
    }

    impl Size for u64 {
        const CXX: &'static str = "std::uint64_t";

        fn of(size: usize) -> Option<Self> {
            Some(size as Self)
        }
    }
}

impl<N: sealed::Size> Projected for Cardinality<N> {
    fn declare_view(field: &mut FieldBuilder<'_>) {
        field.plain(&TypeName::typed(format!("{CXX}{}>", N::CXX)));
    }
}

/// A column of end offsets, read as sizes.
#[derive(Debug)]
pub struct CardinalityReader(pub(super) Offsets);

impl Attach for CardinalityReader {
    fn attach(&mut self, cluster: &Cluster) -> Result<()> {
        self.0.attach(cluster)
    }

    fn seek(&mut self, position: u64) -> Result<()> {
        self.0.seek(position).map(drop)
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

    /// Whether the field has a column of end offsets that can be counted.
    pub(super) fn fits(field: FieldNode<'_>) -> bool {
        field.column_count() == 1 && field.column_reads::<Index>(0)
    }
}

impl<N: sealed::Size> FieldReader<Cardinality<N>> for CardinalityReader {
    fn read(&mut self) -> Result<Cardinality<N>> {
        // No items are read, so no size is too large for memory.
        let size = self.0.next_size(u64::MAX)?;
        let number = N::of(size).ok_or_else(|| Error::limit(format!("a collection of {size} items")))?;
        Ok(Cardinality(number))
    }
}

impl<N: sealed::Size> ReadField for Cardinality<N> {
    type Reader = CardinalityReader;

    fn connect(field: FieldNode<'_>) -> Result<CardinalityReader> {
        if !CardinalityReader::fits(field) {
            return Err(field.mismatch("a collection"));
        }
        CardinalityReader::connect_any(field)
    }
}
