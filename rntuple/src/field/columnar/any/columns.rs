//! The columns themselves.

use std::ops::Range;
use std::sync::Arc;

use super::super::{Lists, Options, check_member};
use crate::encoding::Switch;
use crate::error::{Error, Result};
use crate::field::Value;
use crate::schema::MOST_ALTERNATIVES;

/// Many values of a type that is known only at run time, column by column: what [`Reader<Value>`](crate::Reader) reads
/// in batches.
///
/// ```
/// use rntuple::columns::AnyColumns;
/// use rntuple::{RNTuple, Reader, Value, WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple)]
/// struct Event { met: f32, pt: Vec<f64> }
///
/// let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// writer.fill(&Event { met: 20.0, pt: vec![1.0, 2.0] })?;
/// writer.fill(&Event { met: 30.0, pt: vec![] })?;
/// let file = writer.finish_into()?.1;
///
/// let batch = Reader::<Value>::open(file, "Events")?.batches(1000).next().unwrap()?;
/// let AnyColumns::Record(event) = batch else { panic!("entries are records") };
/// assert_eq!(event.names(), ["met", "pt"]);
/// let Some(AnyColumns::F32(met)) = event.get("met") else { panic!("another type") };
/// assert_eq!(met, &[20.0, 30.0]);
/// let Some(AnyColumns::List(pt)) = event.get("pt") else { panic!("another type") };
/// assert_eq!(pt.offsets(), [0, 2, 2]);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub enum AnyColumns {
    /// No values yet.
    #[default]
    Empty,
    /// `bool`
    Bool(Vec<bool>),
    /// `std::int8_t`
    I8(Vec<i8>),
    /// `std::uint8_t`, `std::byte`, `char`
    U8(Vec<u8>),
    /// `std::int16_t`
    I16(Vec<i16>),
    /// `std::uint16_t`
    U16(Vec<u16>),
    /// `std::int32_t`
    I32(Vec<i32>),
    /// `std::uint32_t`
    U32(Vec<u32>),
    /// `std::int64_t`
    I64(Vec<i64>),
    /// `std::uint64_t`, and the sizes of collections
    U64(Vec<u64>),
    /// `float`
    F32(Vec<f32>),
    /// `double`
    F64(Vec<f64>),
    /// `std::string`: the bytes, which need not be UTF-8
    String(Lists<Vec<u8>>),
    /// Objects as ROOT's streamer wrote them
    Streamed(Lists<Vec<u8>>),
    /// Collections
    List(Box<Lists<AnyColumns>>),
    /// Arrays and bitsets
    Array(Box<AnyArrays>),
    /// `std::optional`, `std::unique_ptr`
    Option(Box<Options<AnyColumns>>),
    /// Structs, classes, pairs, tuples, entries
    Record(AnyRecords),
    /// `std::variant`
    Variant(AnyVariants),
    /// Values of several types, kept as they are: where unlike ones were [pushed](crate::columns::Columnar::push_to)
    Mixed(Vec<Value>),
}

impl AnyColumns {
    /// What they are, for errors.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Empty => "nothing",
            Self::Bool(_) => "`bool`",
            Self::I8(_) => "`i8`",
            Self::U8(_) => "`u8`",
            Self::I16(_) => "`i16`",
            Self::U16(_) => "`u16`",
            Self::I32(_) => "`i32`",
            Self::U32(_) => "`u32`",
            Self::I64(_) => "`i64`",
            Self::U64(_) => "`u64`",
            Self::F32(_) => "`f32`",
            Self::F64(_) => "`f64`",
            Self::String(_) => "strings",
            Self::Streamed(_) => "objects of ROOT's streamer",
            Self::List(_) => "lists",
            Self::Array(_) => "arrays",
            Self::Option(_) => "options",
            Self::Record(_) => "records",
            Self::Variant(_) => "variants",
            Self::Mixed(_) => "values of several types",
        }
    }
}

/// Many arrays of a length that is known only at run time: the items of all of them.
#[derive(Clone, Debug)]
pub struct AnyArrays {
    pub(super) size: usize,
    pub(super) count: usize,
    pub(super) items: AnyColumns,
}

impl AnyArrays {
    /// Makes `count` arrays of `size` of these items each.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there are more items, or fewer.
    pub fn new(size: usize, count: usize, items: AnyColumns) -> Result<Self> {
        if size.checked_mul(count) != Some(items.len()) {
            let found = items.len();
            let message = format!("{count} arrays of {size} items need other than {found} items");
            return Err(Error::invalid_argument(message));
        }
        Ok(Self { size, count, items })
    }

    /// Returns the items of all arrays, in place of the arrays.
    pub fn into_items(self) -> AnyColumns {
        self.items
    }

    /// Returns the number of items of each array.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the items of all arrays.
    pub fn items(&self) -> &AnyColumns {
        &self.items
    }

    /// The items of an array.
    pub(super) fn range(&self, index: usize) -> Option<Range<usize>> {
        let first = index.checked_mul(self.size)?;
        (index < self.count).then_some(first..first.checked_add(self.size)?)
    }
}

/// Many records whose members are known only at run time: the columns of each member.
#[derive(Clone, Debug)]
pub struct AnyRecords {
    pub(super) count: usize,
    pub(super) names: Arc<[String]>,
    pub(super) members: Vec<AnyColumns>,
}

impl AnyRecords {
    /// Makes `count` records of these members.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) names the first member that has more values, or fewer.
    pub fn from_members<N: Into<String>>(
        count: usize,
        members: impl IntoIterator<Item = (N, AnyColumns)>,
    ) -> Result<Self> {
        let (names, members): (Vec<String>, Vec<AnyColumns>) =
            members.into_iter().map(|(name, columns)| (name.into(), columns)).unzip();
        for (name, columns) in names.iter().zip(&members) {
            check_member(name, columns.as_slice(), count)?;
        }
        Ok(Self { count, names: names.into(), members })
    }

    /// Returns the names of the members and their columns.
    pub fn into_parts(self) -> (Arc<[String]>, Vec<AnyColumns>) {
        (self.names, self.members)
    }

    pub(super) fn empty(names: &Arc<[String]>) -> Self {
        let members = names.iter().map(|_| AnyColumns::Empty).collect();
        Self { count: 0, names: names.clone(), members }
    }

    /// Returns the names of the members.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the columns of the members, in the order of the names.
    pub fn members(&self) -> &[AnyColumns] {
        &self.members
    }

    /// Returns the columns of the member of this name.
    pub fn get(&self, name: &str) -> Option<&AnyColumns> {
        self.names.iter().zip(&self.members).find(|(known, _)| *known == name).map(|(_, member)| member)
    }
}

/// Many variants whose alternatives are known only at run time: the columns of each alternative, and which of them
/// each value has.
#[derive(Clone, Debug, Default)]
pub struct AnyVariants {
    /// The index is that among the values of the alternative here.
    pub(super) switches: Vec<Switch>,
    pub(super) alternatives: Vec<AnyColumns>,
}

impl AnyVariants {
    /// Makes variants that have these alternatives, counted from 0, `None` for those without a value. The values of each
    /// alternative are in their order.
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no such alternative, or if one has more
    /// values, or fewer.
    pub fn from_alternatives(
        chosen: impl IntoIterator<Item = Option<usize>>,
        alternatives: Vec<AnyColumns>,
    ) -> Result<Self> {
        let mut counts = vec![0; alternatives.len()];
        let mut switches = Vec::new();
        for chosen in chosen {
            let Some(number) = chosen else {
                switches.push(Switch { index: 0, tag: 0 });
                continue;
            };
            let Some(count) = counts.get_mut(number).filter(|_| number < MOST_ALTERNATIVES) else {
                let message = format!("there is no alternative {number}, only {} from 0", alternatives.len());
                return Err(Error::invalid_argument(message));
            };
            let tag = u32::try_from(number).unwrap_or(u32::MAX).saturating_add(1);
            switches.push(Switch { index: *count as u64, tag });
            *count += 1;
        }
        for (number, (columns, count)) in alternatives.iter().zip(counts).enumerate() {
            check_member(&format!("_{number}"), columns.as_slice(), count)?;
        }
        Ok(Self { switches, alternatives })
    }

    /// Returns the columns of the alternatives, in place of the variants.
    pub fn into_alternatives(self) -> Vec<AnyColumns> {
        self.alternatives
    }

    /// Returns the number of the alternative of each value, counted from 0, and the position of the value among those of
    /// the alternative; `None` for a variant without a value.
    pub fn positions(&self) -> impl ExactSizeIterator<Item = Option<(usize, usize)>> {
        self.switches.iter().map(|switch| Self::position(*switch))
    }

    /// Returns the columns of the alternatives.
    pub fn alternatives(&self) -> &[AnyColumns] {
        &self.alternatives
    }

    /// The number of the alternative, and the position of the value among those of it.
    pub(super) fn position(switch: Switch) -> Option<(usize, usize)> {
        Some((usize::try_from(switch.tag.checked_sub(1)?).ok()?, usize::try_from(switch.index).ok()?))
    }
}
