//! Strings: end offsets, and the characters of all of them in one column.

use std::mem::ManuallyDrop;

use super::collection::Offsets;
use super::own::{connects_members, declares_members};
use super::{
    Attach, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Position, ReadField, WriteField,
};
use crate::cluster::Gathered;
use crate::column::{Allowance, ColumnReader, ColumnWriter, ItemLength};
use crate::encoding::{ColumnType, Index, TextBlocks};
use crate::error::{Error, Result};
use crate::schema::{FieldPlace, Role, TypeName};

/// The two columns of a string, being filled.
#[derive(Debug)]
pub struct StringWriter {
    pub(super) offsets: ColumnWriter<Index>,
    pub(super) chars: ColumnWriter<u8>,
    /// Characters in this cluster.
    pub(super) end: u64,
    /// Bounds of the strings of this cluster, if that was asked for.
    text: ManuallyDrop<Option<Box<TextBlocks>>>,
}

impl Commit for StringWriter {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        self.offsets.commit(cluster);
        self.chars.commit(cluster);
        if cluster.cluster_ends() {
            self.end = 0;
            self.end_text(cluster);
        }
    }
}

impl StringWriter {
    /// Offsets and characters, in a field that says what it is.
    pub(super) fn of_columns(field: &mut FieldBuilder<'_>) -> Self {
        let text = ManuallyDrop::new(field.observes().then(Box::default));
        Self { offsets: field.column(), chars: field.column_as(ColumnType::Char), end: 0, text }
    }

    /// Notes strings that are appended in another way than by [`append_bytes`](Self::append_bytes).
    #[inline]
    pub(super) fn note<'a>(&mut self, texts: impl Iterator<Item = &'a [u8]>) {
        if let Some(text) = &mut *self.text {
            texts.for_each(|bytes| text.add(bytes));
        }
    }

    /// The cluster has all its strings.
    fn end_text(&mut self, cluster: &mut Gathered<'_>) {
        let Some(text) = &mut *self.text else { return };
        let text = std::mem::take(text);
        if let Some(lane) = self.offsets.lane().filter(|_| !cluster.discards() && text.count() > 0) {
            cluster.put_text(lane, text);
        }
    }

    /// Appends a string of these bytes.
    #[inline]
    pub(super) fn append_bytes(&mut self, bytes: &[u8]) -> usize {
        self.end += bytes.len() as u64;
        if let Some(text) = &mut *self.text {
            text.add(bytes);
        }
        self.chars.extend_from_slice(bytes) + self.offsets.push(Index(self.end))
    }
}

impl Drop for StringWriter {
    /// The bounds are `ManuallyDrop`, so that the code that drops them is in this crate, and not in each program.
    #[inline(never)]
    fn drop(&mut self) {
        drop(self.text.take());
    }
}

impl FieldWriter<str> for StringWriter {
    #[inline]
    fn append(&mut self, value: &str) -> usize {
        self.append_bytes(value.as_bytes())
    }
}

impl FieldWriter<String> for StringWriter {
    #[inline]
    fn append(&mut self, value: &String) -> usize {
        FieldWriter::<str>::append(self, value)
    }
}

impl WriteField for str {
    type Writer = StringWriter;

    fn type_name() -> TypeName {
        TypeName::typed("std::string")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> StringWriter {
        field.plain(&Self::type_name());
        StringWriter::of_columns(field)
    }

    declares_members!();
}

impl WriteField for String {
    type Writer = StringWriter;

    fn type_name() -> TypeName {
        str::type_name()
    }

    fn declare(field: &mut FieldBuilder<'_>) -> StringWriter {
        str::declare(field)
    }

    declares_members!();
}

/// The two columns of a string, being read.
#[derive(Debug)]
pub struct StringReader {
    pub(super) offsets: Offsets,
    pub(super) chars: ColumnReader<u8>,
    pub(super) place: FieldPlace,
}

impl StringReader {
    pub(super) fn connect(field: FieldNode<'_>) -> Result<Self> {
        Self::connect_bytes(field.expect(Role::Plain, "a string")?)
    }

    /// Finds offsets and bytes, whatever the role: strings, and the objects of ROOT's streamer.
    pub(super) fn connect_bytes(field: FieldNode<'_>) -> Result<Self> {
        if field.column_count() != 2 || !field.column_reads::<Index>(0) || !field.column_reads::<u8>(1) {
            return Err(field.mismatch("a string"));
        }
        Ok(Self { offsets: Offsets::connect(field)?, chars: field.column(1)?, place: field.place() })
    }

    /// What the entry may take.
    pub(super) fn allowance(&self) -> &Allowance {
        self.offsets.allowance()
    }

    /// The next string's bytes, which need not be UTF-8, in place of those of `slot`.
    pub(super) fn read_bytes_into(&mut self, slot: &mut Vec<u8>) -> Result<()> {
        slot.clear();
        let count = self.offsets.next_owned(Some(self.chars.remaining()), ItemLength::of::<u8>())?;
        self.chars.append_to(count, slot)
    }
}

#[cold]
pub(super) fn not_utf8(place: &FieldPlace) -> Error {
    Error::out_of_spec("the string is not UTF-8").in_field(place.to_string())
}

impl Attach for StringReader {
    const DETACHED: Self =
        Self { offsets: Offsets::DETACHED, chars: ColumnReader::DETACHED, place: FieldPlace::NOWHERE };

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        let start = self.offsets.seek(to)?;
        Attach::seek(&mut self.chars, to.with_element(start))
    }

    fn remaining(&self) -> Option<u64> {
        self.offsets.remaining()
    }
}

impl FieldReader<String> for StringReader {
    #[inline]
    fn read(&mut self) -> Result<String> {
        let mut bytes = self.chars.spare_list();
        self.read_bytes_into(&mut bytes)?;
        String::from_utf8(bytes).map_err(|_| not_utf8(&self.place))
    }

    #[inline]
    fn read_into(&mut self, slot: &mut String) -> Result<()> {
        let mut bytes = std::mem::take(slot).into_bytes();
        self.read_bytes_into(&mut bytes)?;
        *slot = String::from_utf8(bytes).map_err(|_| not_utf8(&self.place))?;
        Ok(())
    }

    #[inline]
    fn reclaim(&mut self, value: &mut String) {
        self.chars.keep_list(std::mem::take(value).into_bytes());
    }
}

impl FieldReader<Box<str>> for StringReader {
    fn read(&mut self) -> Result<Box<str>> {
        FieldReader::<String>::read(self).map(String::into_boxed_str)
    }
}

impl ReadField for String {
    type Reader = StringReader;

    fn connect(field: FieldNode<'_>, reader: &mut StringReader) -> Result<()> {
        *reader = StringReader::connect(field)?;
        Ok(())
    }

    connects_members!();
}

impl ReadField for Box<str> {
    type Reader = StringReader;

    fn connect(field: FieldNode<'_>, reader: &mut StringReader) -> Result<()> {
        *reader = StringReader::connect(field)?;
        Ok(())
    }

    connects_members!();
}
