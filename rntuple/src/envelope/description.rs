//! The four lists that describe a schema: all of it in the header, what was added later in the footer
//! (format, section 5).

use super::dialect::{ColumnFlags, FieldItems};
use super::{Dialect, frame};
use crate::bytes::{Cursor, Put};
use crate::error::{Error, Result};
use crate::schema::{AliasColumn, ColumnDescriptor, ColumnId, ExtraTypeInfo, FieldDescriptor, FieldId, Role};

const FIELD: usize = 16 + 4 * frame::STRING;
const COLUMN: usize = 12;
const ALIAS_COLUMN: usize = 8;
const EXTRA_TYPE_INFO: usize = 8 + 2 * frame::STRING;

/// Flags of a field record.
mod field_flag {
    pub(super) const REPETITIVE: u16 = 0x01;
    pub(super) const PROJECTED: u16 = 0x02;
    pub(super) const CHECKSUM: u16 = 0x04;
    pub(super) const SOA: u16 = 0x08;
}

/// Flags of a column record.
mod column_flag {
    pub(super) const DEFERRED: u16 = 0x01;
    pub(super) const RANGE: u16 = 0x02;
    /// Before version 1. Others, about signs and orders of values, say nothing about how these are stored.
    pub(super) const OLD_DEFERRED: u32 = 0x08;
}

/// Fields and columns as their records say, in their order; [`Schema`](crate::schema::Schema) makes sense
/// of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SchemaDescription {
    pub(crate) fields: Vec<FieldDescriptor>,
    pub(crate) columns: Vec<ColumnDescriptor>,
    pub(crate) alias_columns: Vec<AliasColumn>,
    pub(crate) extra_type_info: Vec<ExtraTypeInfo>,
}

impl SchemaDescription {
    /// Reads the lists. `first_field` is the id of the first field in them: 0 in the header, the number of
    /// the header's fields in the footer. A top-level field is known by being its own parent.
    pub(super) fn read(cursor: &mut Cursor<'_>, dialect: Dialect, first_field: u32) -> Result<Self> {
        let (width, limits) = (dialect.width, &dialect.limits);
        // A list that is too long is refused before anything is allocated for it.
        let check = |cursor: &Cursor<'_>, what: &str| {
            let (_, count) = frame::list(&mut cursor.clone(), width, what, 1)?;
            let checked = match what {
                "fields" => limits.check_fields(count as u64),
                _ => limits.check_columns(count as u64, what),
            };
            checked.map_err(|error| error.at_offset(cursor.offset()))
        };
        let mut ids = Ids(Some(first_field));
        check(cursor, "fields")?;
        let fields = frame::list_of_records(cursor, width, "fields", FIELD, |record| {
            let id = ids.next().map_err(|error| error.at_offset(record.offset()))?;
            read_field(record, dialect, id)
        })?;
        check(cursor, "columns")?;
        let columns =
            frame::list_of_records(cursor, width, "columns", COLUMN, |record| read_column(record, dialect))?;
        check(cursor, "alias columns")?;
        let alias_columns = frame::list_of_records(cursor, width, "alias columns", ALIAS_COLUMN, |record| {
            Ok(AliasColumn::new(ColumnId(record.u32_le()?), FieldId(record.u32_le()?)))
        })?;
        let what = "extra type information";
        let extra_type_info = if dialect.is_released {
            frame::list_of_records(cursor, width, what, EXTRA_TYPE_INFO, read_extra_type_info)?
        } else {
            // Nothing is read with the help of it.
            frame::list(cursor, width, what, 1)?;
            Vec::new()
        };
        Ok(Self { fields, columns, alias_columns, extra_type_info })
    }

    /// Appends the lists; `first_field` as in `read`.
    pub(super) fn put(&self, out: &mut Vec<u8>, first_field: u32) -> Result<()> {
        let mut ids = Ids(Some(first_field));
        frame::put_list_of_records(out, &self.fields, |out, field| put_field(out, field, ids.next()?))?;
        frame::put_list_of_records(out, &self.columns, put_column)?;
        frame::put_list_of_records(out, &self.alias_columns, |out, alias| {
            out.put_u32_le(alias.physical.0);
            out.put_u32_le(alias.field.0);
            Ok(())
        })?;
        frame::put_list_of_records(out, &self.extra_type_info, put_extra_type_info)
    }
}

/// Counts field ids, and stops where 32 bits do.
struct Ids(Option<u32>);

impl Ids {
    fn next(&mut self) -> Result<FieldId> {
        let id = self.0.ok_or_else(|| Error::limit("the schema has more fields than 32 bits can count"))?;
        self.0 = id.checked_add(1);
        Ok(FieldId(id))
    }
}

/// Field record (format, section 5.1): in version 1 the optional members come last, in the order of their flags.
fn read_field(record: &mut Cursor<'_>, dialect: Dialect, id: FieldId) -> Result<FieldDescriptor> {
    let field_version = record.u32_le()?;
    let type_version = record.u32_le()?;
    let parent = Some(FieldId(record.u32_le()?)).filter(|parent| *parent != id);
    let role = Role::from_code(record.u16_le()?);
    let flags = record.u16_le()?;
    let mut field = FieldDescriptor::new(parent, role, "", "");
    field.field_version = field_version;
    field.type_version = type_version;
    match dialect.field_items {
        FieldItems::Repetitions => read_field_items(record, flags & field_flag::REPETITIVE, &mut field)?,
        FieldItems::BeforeStrings => read_field_items(record, flags, &mut field)?,
        FieldItems::AfterStrings => {}
    }
    field.name = frame::name(record)?;
    field.type_name = frame::name(record)?;
    field.type_alias = frame::name(record)?;
    field.description = frame::text(record)?;
    if dialect.field_items == FieldItems::AfterStrings {
        read_field_items(record, flags, &mut field)?;
        field.is_soa = flags & field_flag::SOA != 0;
    }
    Ok(field)
}

/// The members that `flags` announce.
fn read_field_items(record: &mut Cursor<'_>, flags: u16, field: &mut FieldDescriptor) -> Result<()> {
    if flags & field_flag::REPETITIVE != 0 {
        field.array_size = Some(record.u64_le()?);
    }
    if flags & field_flag::PROJECTED != 0 {
        field.projection_source = Some(FieldId(record.u32_le()?));
    }
    if flags & field_flag::CHECKSUM != 0 {
        field.type_checksum = Some(record.u32_le()?);
    }
    Ok(())
}

fn put_field(out: &mut Vec<u8>, field: &FieldDescriptor, id: FieldId) -> Result<()> {
    let flags = [
        (field.array_size.is_some(), field_flag::REPETITIVE),
        (field.projection_source.is_some(), field_flag::PROJECTED),
        (field.type_checksum.is_some(), field_flag::CHECKSUM),
        (field.is_soa, field_flag::SOA),
    ];
    out.put_u32_le(field.field_version);
    out.put_u32_le(field.type_version);
    out.put_u32_le(field.parent.unwrap_or(id).0);
    out.put_u16_le(field.role.code());
    out.put_u16_le(flags.iter().filter(|(is_set, _)| *is_set).fold(0, |word, (_, flag)| word | flag));
    for string in [&field.name, &field.type_name, &field.type_alias, &field.description] {
        frame::put_string(out, string)?;
    }
    if let Some(size) = field.array_size {
        out.put_u64_le(size);
    }
    if let Some(source) = field.projection_source {
        out.put_u32_le(source.0);
    }
    if let Some(checksum) = field.type_checksum {
        out.put_u32_le(checksum);
    }
    Ok(())
}

/// Column record (format, section 5.2).
fn read_column(record: &mut Cursor<'_>, dialect: Dialect) -> Result<ColumnDescriptor> {
    let type_code = record.u16_le()?;
    let bits = record.u16_le()?;
    let mut column = ColumnDescriptor::new(type_code, bits, FieldId(record.u32_le()?));
    if dialect.column_flags == ColumnFlags::Wide {
        if record.u32_le()? & column_flag::OLD_DEFERRED != 0 {
            let offset = record.offset();
            let first = i64::try_from(record.u64_le()?);
            let first =
                first.map_err(|_| Error::limit("the first element is beyond 63 bits").at_offset(offset))?;
            column.first_element = Some(first);
        }
        return Ok(column);
    }
    let flags = record.u16_le()?;
    column.representation = record.u16_le()?;
    if flags & column_flag::DEFERRED != 0 {
        column.first_element = Some(record.i64_le()?);
    }
    if flags & column_flag::RANGE != 0 {
        column.range = Some((record.f64_le()?, record.f64_le()?));
    }
    Ok(column)
}

fn put_column(out: &mut Vec<u8>, column: &ColumnDescriptor) -> Result<()> {
    let deferred = column.first_element.map_or(0, |_| column_flag::DEFERRED);
    let range = column.range.map_or(0, |_| column_flag::RANGE);
    out.put_u16_le(column.type_code);
    out.put_u16_le(column.bits);
    out.put_u32_le(column.field.0);
    out.put_u16_le(deferred | range);
    out.put_u16_le(column.representation);
    if let Some(first) = column.first_element {
        out.put_i64_le(first);
    }
    if let Some((lowest, highest)) = column.range {
        out.put_f64_le(lowest);
        out.put_f64_le(highest);
    }
    Ok(())
}

/// Extra type information (format, section 5.6); the content is bytes, not text.
fn read_extra_type_info(record: &mut Cursor<'_>) -> Result<ExtraTypeInfo> {
    Ok(ExtraTypeInfo::new(
        record.u32_le()?,
        record.u32_le()?,
        frame::name(record)?,
        frame::raw_string(record)?.to_vec(),
    ))
}

fn put_extra_type_info(out: &mut Vec<u8>, info: &ExtraTypeInfo) -> Result<()> {
    out.put_u32_le(info.content_id);
    out.put_u32_le(info.type_version);
    frame::put_string(out, &info.type_name)?;
    frame::put_string(out, &info.content)
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::collection::vec;
    use proptest::option;
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        fn field()(
            versions in any::<(u32, u32)>(),
            parent in option::of(0u32..4),
            role in 0u16..7,
            strings in any::<[String; 4]>(),
            optional in any::<(Option<u64>, Option<u32>, Option<u32>, bool)>(),
        ) -> FieldDescriptor {
            let [name, type_name, type_alias, description] = strings;
            let mut field = FieldDescriptor::new(parent.map(FieldId), Role::from_code(role), name, type_name);
            (field.field_version, field.type_version) = versions;
            (field.type_alias, field.description) = (type_alias, description);
            field.array_size = optional.0;
            field.projection_source = optional.1.map(FieldId);
            (field.type_checksum, field.is_soa) = (optional.2, optional.3);
            field
        }
    }

    prop_compose! {
        fn column()(
            numbers in any::<(u16, u16, u32, u16)>(),
            first_element in any::<Option<i64>>(),
            range in any::<Option<(f64, f64)>>(),
        ) -> ColumnDescriptor {
            let mut column = ColumnDescriptor::new(numbers.0, numbers.1, FieldId(numbers.2));
            (column.representation, column.first_element, column.range) = (numbers.3, first_element, range);
            column
        }
    }

    prop_compose! {
        fn extra_type_info()(
            numbers in any::<(u32, u32)>(),
            name: String,
            content in vec(any::<u8>(), 0..40),
        ) -> ExtraTypeInfo {
            ExtraTypeInfo::new(numbers.0, numbers.1, name, content)
        }
    }

    prop_compose! {
        /// Any description whose parents are below `first_field`, so that none is its own parent.
        pub(in crate::envelope) fn description()(
            fields in vec(field(), 0..6),
            columns in vec(column(), 0..6),
            aliases in vec(any::<(u32, u32)>(), 0..4),
            extra_type_info in vec(extra_type_info(), 0..3),
        ) -> SchemaDescription {
            let alias = |(column, field)| AliasColumn::new(ColumnId(column), FieldId(field));
            let alias_columns = aliases.into_iter().map(alias).collect();
            SchemaDescription { fields, columns, alias_columns, extra_type_info }
        }
    }

    fn written(description: &SchemaDescription, first_field: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        description.put(&mut bytes, first_field).unwrap();
        bytes
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(description in description(), first_field in 4u32..1000) {
            let bytes = written(&description, first_field);
            let mut cursor = Cursor::new(&bytes, 0);
            prop_assert_eq!(SchemaDescription::read(&mut cursor, Dialect::V1, first_field).unwrap(), description);
            prop_assert_eq!(cursor.remaining(), 0);
            for end in 0..bytes.len() {
                prop_assert!(SchemaDescription::read(&mut Cursor::new(&bytes[..end], 0), Dialect::V1, first_field).is_err());
            }
        }
    }

    #[test]
    fn records_are_laid_out_as_root_does() {
        let mut array = FieldDescriptor::new(None, Role::Plain, "B", "std::bitset<25>");
        array.array_size = Some(25);
        let mut quantised = ColumnDescriptor::new(0x1d, 14, FieldId(4));
        quantised.range = Some((0.0, 1.0));
        let mut bytes = Vec::new();
        put_field(&mut bytes, &array, FieldId(18)).unwrap();
        assert_eq!(bytes[..16], [0, 0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(bytes[bytes.len() - 8..], [25, 0, 0, 0, 0, 0, 0, 0]);
        bytes.clear();
        put_column(&mut bytes, &quantised).unwrap();
        assert_eq!(bytes[..12], [0x1d, 0, 14, 0, 4, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[20..], [0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    }

    #[test]
    fn the_own_id_as_parent_means_top_level() {
        let field = FieldDescriptor::new(None, Role::Plain, "x", "float");
        let description = SchemaDescription { fields: vec![field.clone(), field], ..Default::default() };
        let bytes = written(&description, 7);
        let read = SchemaDescription::read(&mut Cursor::new(&bytes, 0), Dialect::V1, 7).unwrap();
        assert_eq!(read, description);
        let read = SchemaDescription::read(&mut Cursor::new(&bytes, 0), Dialect::V1, 8).unwrap();
        assert_eq!(read.fields[0].parent, Some(FieldId(7)));
        assert_eq!(read.fields[1].parent, Some(FieldId(8)));
    }

    #[test]
    fn tails_of_newer_records_are_passed_over() {
        let field = FieldDescriptor::new(None, Role::Plain, "x", "float");
        let mut bytes = Vec::new();
        let put = |out: &mut Vec<u8>| {
            put_field(out, &field, FieldId(0))?;
            out.put(&[1; 5]);
            Ok(())
        };
        frame::put_list(&mut bytes, 1, |out| {
            frame::put_record(out, put)?;
            out.put(&[2; 3]);
            Ok(())
        })
        .unwrap();
        bytes.put(&written(&SchemaDescription::default(), 0)[Dialect::V1.width.list()..]);
        assert_eq!(
            SchemaDescription::read(&mut Cursor::new(&bytes, 0), Dialect::V1, 0).unwrap().fields,
            [field]
        );
    }

    #[test]
    fn field_ids_do_not_wrap() {
        let field = FieldDescriptor::new(None, Role::Plain, "x", "float");
        let description = SchemaDescription { fields: vec![field.clone(), field], ..Default::default() };
        assert!(description.put(&mut Vec::new(), u32::MAX).is_err());
        let bytes = written(&description, 0);
        assert!(SchemaDescription::read(&mut Cursor::new(&bytes, 0), Dialect::V1, u32::MAX).is_err());
    }

    #[test]
    fn only_names_must_be_utf8() {
        let mut field = FieldDescriptor::new(None, Role::Plain, "name", "float");
        field.description = "description".into();
        let description = SchemaDescription { fields: vec![field], ..Default::default() };
        let bytes = written(&description, 0);
        let broken = |word: &[u8]| {
            let at = bytes.windows(word.len()).position(|window| window == word).unwrap();
            let mut bytes = bytes.clone();
            bytes[at] = 0xff;
            (at, SchemaDescription::read(&mut Cursor::new(&bytes, 0), Dialect::V1, 0))
        };
        let (at, result) = broken(b"name");
        assert_eq!(result.unwrap_err().location().offset, Some(at as u64));
        assert_eq!(broken(b"description").1.unwrap().fields[0].description, "\u{fffd}escription");
    }
}
