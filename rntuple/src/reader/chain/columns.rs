//! One column of many files.

use super::Chain;
use crate::encoding::Element;
use crate::error::Result;
use crate::field::ReadField;
use crate::reader::{Collection, Column};

impl<T: ReadField> Chain<T> {
    /// The scalars of the field at a path in all files, as [`Reader::column`](crate::Reader::column) reads those of one.
    ///
    /// The path need not be one of `T`'s. The first file must have it at once, the others when the walk comes to them.
    ///
    /// ```
    /// # use rntuple::{Chain, RNTuple, ReadOptions, RootFile, Value, WriteOptions, Writer, storage::Memory};
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # fn main() -> rntuple::Result<()> {
    /// # let mut files = Vec::new();
    /// # for _ in 0..2 {
    /// #     let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// #     writer.fill(&Event { met: 20.0 })?;
    /// #     files.push(RootFile::from_storage(writer.finish_into()?.1)?);
    /// # }
    /// let chain = Chain::<Value>::from_files(files, "Events", ReadOptions::new())?;
    /// let mut met = Vec::new();
    /// chain.column::<f32>("met")?.read_into(usize::MAX, &mut met)?;
    /// assert_eq!(met, [20.0, 20.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if the path leads nowhere,
    /// [`SchemaMismatch`](crate::ErrorKind::SchemaMismatch) if it leads to something else.
    pub fn column<E: Element>(&self, path: &str) -> Result<Column<E>> {
        Column::of(self.source(), path, self.options())
    }

    /// The collections at a path in all files, seen without their items, as
    /// [`Reader::collection`](crate::Reader::collection) reads those of one.
    ///
    /// # Errors
    /// As [`column`](Self::column).
    pub fn collection(&self, path: &str) -> Result<Collection> {
        Collection::of(self.source(), path, self.options())
    }

    /// How many items each of the collections at a path has.
    ///
    /// # Errors
    /// As [`column`](Self::column), or a page is damaged.
    pub fn cardinality(&self, path: &str) -> Result<Vec<u64>> {
        self.collection(path)?.counts()
    }
}
