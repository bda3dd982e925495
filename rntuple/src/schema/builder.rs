//! Schemas that are put together at run time.

use super::{Field, FieldId, Schema};
use crate::error::Result;

/// A schema for entries of the type [`Value`](crate::Value), put together at run time: by hand, or from that of a
/// file.
///
/// ```
/// use rntuple::schema::{Field, FieldType, SchemaBuilder};
/// use rntuple::{Reader, Value, WriteOptions, Writer, storage::Memory};
///
/// let muon = FieldType::record([
///     Field::new("pt", FieldType::F32).with_unit("GeV"),
///     Field::new("charge", FieldType::I8),
/// ]);
/// let schema = SchemaBuilder::new()
///     .field(Field::new("number", FieldType::U64))
///     .field(Field::new("muons", FieldType::vector(muon)));
///
/// let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", WriteOptions::new().schema(schema))?;
/// let muon = Value::record([("pt", Value::from(31.5f32)), ("charge", Value::from(-1i8))]);
/// writer.fill(&Value::record([("number", Value::from(7u64)), ("muons", Value::List(vec![muon]))]))?;
/// let file = writer.finish_into()?.1;
///
/// // The same again, from the file's schema.
/// let reader = Reader::<Value>::open(file, "Events")?;
/// let schema = SchemaBuilder::like(reader.schema())?;
/// let mut copy = Writer::<Value, _>::new(Memory::new(), "Events", WriteOptions::new().schema(schema))?;
/// for batch in reader.batches(1000) {
///     copy.fill_columns(batch?.as_slice())?;
/// }
/// assert_eq!(copy.finish()?.entries, 1);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// [`WriteOptions::schema`](crate::WriteOptions::schema) takes it.
#[derive(Clone, Debug, Default, PartialEq)]
#[must_use]
pub struct SchemaBuilder {
    fields: Vec<Field>,
}

impl SchemaBuilder {
    /// A schema without fields.
    pub fn new() -> Self {
        Self::default()
    }

    /// The schema of a file: fields [like](Field::like) all of its top-level fields, views among them.
    ///
    /// # Errors
    /// As [`Field::like`].
    pub fn like(schema: &Schema) -> Result<Self> {
        Self::part_of(schema, &|_| true)
    }

    /// The part of the schema of a file that `is_wanted`: the fields that are, in those that are.
    ///
    /// # Errors
    /// As [`Field::like`].
    pub(crate) fn part_of(schema: &Schema, is_wanted: &dyn Fn(FieldId) -> bool) -> Result<Self> {
        let fields = schema.top_level().iter().filter(|id| is_wanted(**id));
        let fields = fields.map(|id| Field::part_of(schema, *id, is_wanted));
        Ok(Self { fields: fields.collect::<Result<_>>()? })
    }

    /// Adds a top-level field, after those that are there.
    pub fn field(mut self, field: Field) -> Self {
        self.fields.push(field);
        self
    }

    /// Returns the top-level fields.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
}
