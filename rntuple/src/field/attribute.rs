//! One entry of an attribute set: what is said of a range of entries (format, section 8).

use std::ops::Range;

use super::{
    Attach, Commit, Entry, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField, WriteField, visits,
};
use crate::column::{ColumnReader, ColumnWriter};
use crate::error::{Error, Result};
use crate::schema::{RANGE_LENGTH, RANGE_START, Role, TypeName, USER_DATA};

/// What an attribute set says of a range of entries.
///
/// It is the entry of a set, which [`AttributeReader`](crate::attributes::AttributeReader) reads:
///
/// ```text
/// _rangeStart: u64 | _rangeLen: u64 | _userData: the members of `T`
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attribute<T> {
    /// The entries. Those of several attributes may overlap; an empty range is a place between two entries.
    pub range: Range<u64>,
    /// What is said of them.
    pub value: T,
}

impl<T: Entry> Entry for Attribute<T> {}

/// The columns of an attribute set, being filled.
#[derive(Debug)]
pub struct AttributeColumns<W> {
    start: ColumnWriter<u64>,
    length: ColumnWriter<u64>,
    value: W,
}

impl<W> AttributeColumns<W> {
    /// Appends one attribute; a range does not end before it begins.
    pub(crate) fn append_row<T: ?Sized>(&mut self, range: &Range<u64>, value: &T) -> usize
    where
        W: FieldWriter<T>,
    {
        let length = range.end.saturating_sub(range.start);
        self.start.push(range.start) + self.length.push(length) + self.value.append(value)
    }
}

visits! { Commit for [W: Commit] AttributeColumns<W>: start, length, value }

impl<T, W: FieldWriter<T>> FieldWriter<Attribute<T>> for AttributeColumns<W> {
    fn append(&mut self, attribute: &Attribute<T>) -> usize {
        self.append_row(&attribute.range, &attribute.value)
    }
}

impl<T: Entry + WriteField> WriteField for Attribute<T> {
    type Writer = AttributeColumns<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::untyped("Attribute")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.record(&Self::type_name());
        let start = u64::declare(&mut field.subfield(RANGE_START));
        let length = u64::declare(&mut field.subfield(RANGE_LENGTH));
        let mut user_data = field.subfield(USER_DATA);
        // Untyped, whatever class `T` is: so its members are declared in place of it.
        user_data.record(&TypeName::untyped(USER_DATA));
        let value = T::declare(&mut user_data.flattened(""));
        AttributeColumns { start, length, value }
    }
}

/// The columns of ranges, being read.
#[derive(Debug)]
pub(crate) struct RangeReader {
    start: ColumnReader<u64>,
    length: ColumnReader<u64>,
}

impl RangeReader {
    fn connect(&mut self, field: FieldNode<'_>) -> Result<()> {
        let mut members = field.members();
        u64::connect_member(&mut members, &(RANGE_START, "std::uint64_t"), &mut self.start);
        u64::connect_member(&mut members, &(RANGE_LENGTH, "std::uint64_t"), &mut self.length);
        members.finish()
    }

    #[inline]
    fn read(&mut self) -> Result<Range<u64>> {
        let (start, length) = (self.start.next()?, self.length.next()?);
        match start.checked_add(length) {
            Some(end) => Ok(start..end),
            None => Err(too_long(start, length)),
        }
    }
}

#[cold]
fn too_long(start: u64, length: u64) -> Error {
    Error::out_of_spec(format!("an attribute of {length} entries from entry {start} on ends beyond 2^64"))
}

visits! {
    Attach for [] RangeReader: start, length;
    Self { start: ColumnReader::DETACHED, length: ColumnReader::DETACHED }
}

/// The columns of an attribute set, being read.
#[derive(Debug)]
pub struct AttributeFields<R> {
    range: RangeReader,
    value: R,
}

visits! {
    Attach for [R: Attach] AttributeFields<R>: range, value;
    Self { range: RangeReader::DETACHED, value: R::DETACHED }
}

impl<T, R: FieldReader<T>> FieldReader<Attribute<T>> for AttributeFields<R> {
    #[inline]
    fn read(&mut self) -> Result<Attribute<T>> {
        Ok(Attribute { range: self.range.read()?, value: self.value.read()? })
    }

    #[inline]
    fn read_into(&mut self, slot: &mut Attribute<T>) -> Result<()> {
        slot.range = self.range.read()?;
        self.value.read_into(&mut slot.value)
    }
}

impl<T: ReadField> ReadField for Attribute<T> {
    type Reader = AttributeFields<T::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        let set = field.expect(Role::Record, "an attribute set")?;
        // Both, so that differences in either are reported.
        let range = reader.range.connect(set);
        let user_data = set.subfield(USER_DATA, "a record")?.expect(Role::Record, "a record")?;
        T::connect(user_data, &mut reader.value).and(range)
    }
}

/// The range of an attribute, without what is said of it.
#[derive(Clone, Debug)]
pub(crate) struct AttributeRange(pub(crate) Range<u64>);

impl Entry for AttributeRange {}

impl FieldReader<AttributeRange> for RangeReader {
    #[inline]
    fn read(&mut self) -> Result<AttributeRange> {
        self.read().map(AttributeRange)
    }
}

impl ReadField for AttributeRange {
    type Reader = RangeReader;

    fn connect(field: FieldNode<'_>, reader: &mut RangeReader) -> Result<()> {
        reader.connect(field)
    }
}
