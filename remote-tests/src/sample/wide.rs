//! Many columns, each in many small pages.

use std::sync::Arc;

use rntuple::field::Record;
use rntuple::schema::{Field, FieldType, SchemaBuilder};
use rntuple::storage::{Memory, WriteAt};
use rntuple::{Compression, Result, Value, WriteOptions, Writer};

use super::Random;

/// A file of many columns, an ntuple named `Wide`.
#[derive(Clone, Copy, Debug)]
#[must_use]
pub struct Wide {
    columns: u16,
    clusters: u64,
    entries: u64,
}

impl Wide {
    /// The name of the ntuple.
    pub const NAME: &str = "Wide";

    /// A file of this many columns and clusters, each of this many entries.
    pub fn new(columns: u16, clusters: u64, entries: u64) -> Self {
        Self { columns, clusters, entries }
    }

    /// 300 columns in 20 clusters of 1000 entries: 6000 pages of 4 and 8 kB, one for each column and cluster, 36 MB in all.
    pub fn large() -> Self {
        Self::new(300, 20, 1000)
    }

    /// 30 columns in 5 clusters of 100 entries.
    pub fn small() -> Self {
        Self::new(30, 5, 100)
    }

    /// The columns of the file.
    pub fn columns(self) -> u16 {
        self.columns
    }

    /// The entries of the file.
    pub fn count(self) -> u64 {
        self.clusters * self.entries
    }

    /// The name of a column: `c007`.
    pub fn name(column: u16) -> String {
        format!("c{column:03}")
    }

    /// The type of a column: `f32`, `f64`, `i32` and `u64` in turn.
    pub fn field_type(column: u16) -> FieldType {
        match column % 4 {
            0 => FieldType::F32,
            1 => FieldType::F64,
            2 => FieldType::I32,
            _ => FieldType::U64,
        }
    }

    /// The value of a column in an entry.
    pub fn value(column: u16, entry: u64) -> Value {
        let noise = Random::new(entry << 16 | u64::from(column)).short();
        match column % 4 {
            0 => Value::F32(f32::from(noise) / 64.0),
            1 => Value::F64(f64::from(noise) / 1024.0),
            2 => Value::I32(i32::from(noise) - 32768),
            _ => Value::U64(entry << 16 | u64::from(noise)),
        }
    }

    /// Returns the file, without compression. It always has the same bytes.
    ///
    /// # Errors
    /// There is not enough memory.
    pub fn write(self) -> Result<Vec<u8>> {
        Ok(self.write_to(Memory::new(), WriteOptions::new())?.into_bytes())
    }

    /// Writes the file, without compression, to a storage, and returns that.
    ///
    /// # Errors
    /// Those of the storage.
    pub fn write_to<W: WriteAt>(self, storage: W, options: WriteOptions) -> Result<W> {
        let names: Arc<[String]> = (0..self.columns).map(Self::name).collect();
        let fields = (0..self.columns).map(|column| Field::new(Self::name(column), Self::field_type(column)));
        let schema = fields.fold(SchemaBuilder::new(), SchemaBuilder::field);
        let options = options.schema(schema).compression(Compression::NONE);
        let mut writer = Writer::<Value, _>::new(storage, Self::NAME, options)?;
        for entry in 0..self.count() {
            let values = (0..self.columns).map(|column| Self::value(column, entry)).collect();
            writer.fill(&Value::Record(Record::new(Arc::clone(&names), values)?))?;
            if (entry + 1).is_multiple_of(self.entries) {
                writer.commit_cluster()?;
            }
        }
        Ok(writer.finish_into()?.1)
    }
}
