//! The schema of what is read.

use super::Reader;
use crate::error::Result;
use crate::field::Value;
use crate::schema::SchemaBuilder;

impl Reader<Value> {
    /// The schema of the entries that are read: that of the first file, limited to the fields that
    /// [were chosen](crate::ReadOptions::fields). With it they can be written to another file.
    ///
    /// ```
    /// # use rntuple::{RNTuple, storage::Memory};
    /// use rntuple::{ReadOptions, Reader, Value, WriteOptions, Writer};
    /// # #[derive(RNTuple)]
    /// # struct Muon { pt: f32, eta: f32 }
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32, muons: Vec<Muon> }
    /// # let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Event { met: 20.0, muons: vec![Muon { pt: 5.0, eta: 0.1 }] })?;
    /// # let file = writer.finish_into()?.1;
    /// let reader = Reader::<Value>::open_with(file, "Events", ReadOptions::new().fields(["*.pt"]))?;
    /// let options = WriteOptions::new().schema(reader.selected_schema()?);
    /// let mut skim = Writer::<Value, _>::new(Memory::new(), "Events", options)?;
    /// for batch in reader.batches(10_000) {
    ///     skim.fill_columns(batch?.as_slice())?;
    /// }
    /// assert_eq!(skim.finish()?.entries, 1);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Field::like`](crate::schema::Field::like).
    pub fn selected_schema(&self) -> Result<SchemaBuilder> {
        let schema = self.schema();
        match self.sequence().options().selection_in(schema)? {
            None => SchemaBuilder::like(schema),
            Some(selection) => SchemaBuilder::part_of(schema, &|id| selection.contains(&id)),
        }
    }
}
