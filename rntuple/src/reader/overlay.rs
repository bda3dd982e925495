//! Fields of several files as those of one.

use std::fmt;
use std::sync::Arc;

use super::files::{Layers, Origin, Part};
use crate::schema::FieldId;

/// Fields of several files as those of one: columns that were computed later, and lie in a file next to the first one.
///
/// It is opened like a file, alone or as one of many:
///
/// ```
/// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
/// use rntuple::{Reader, join::Overlay};
///
/// #[derive(RNTuple)]
/// struct Event { met: f32 }
///
/// #[derive(RNTuple)]
/// struct Weights { weight: f64 }
///
/// # fn main() -> rntuple::Result<()> {
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill_all(&[Event { met: 20.0 }, Event { met: 30.0 }])?;
/// # let events = writer.finish_into()?.1;
/// # let mut writer = Writer::new(Memory::new(), "Weights", WriteOptions::new())?;
/// # writer.fill_all(&[Weights { weight: 1.0 }, Weights { weight: 0.5 }])?;
/// # let weights = writer.finish_into()?.1;
/// #[derive(RNTuple)]
/// struct Weighted { met: f32, weight: f64 }
///
/// let both = Overlay::new(events).side(weights, "Weights");
/// let reader = Reader::<Weighted>::open(both, "Events")?;
/// assert_eq!(reader.get(1)?.weight, 0.5);
/// # Ok(())
/// # }
/// ```
///
/// The clusters of all files must begin and end with the same entries. [`Reader::zip`](crate::Reader::zip) needs no such
/// clusters, and reads two types. Where two files have a top-level field of the same name, that of the later one is seen.
///
/// In errors, the offsets of the n-th file after the first one begin at n × 2^40.
pub struct Overlay(Layers<Origin>);

impl Overlay {
    /// Begins with the fields of a file, whose ntuple has the path that the reader is given.
    pub fn new(file: impl Into<Origin>) -> Self {
        Self(Layers { parts: vec![part(file.into(), None)], entry_count: None })
    }

    /// Adds the fields of the ntuple at `path` of another file.
    #[must_use]
    pub fn side(mut self, file: impl Into<Origin>, path: &str) -> Self {
        self.0.parts.push(part(file.into(), Some(path.to_owned())));
        self
    }

    /// Shows only these fields of the file that was added last, under these names. Subfields are listed like their fields;
    /// only those of records may be missing.
    #[must_use]
    pub fn fields(mut self, fields: impl Into<Arc<[(FieldId, String)]>>) -> Self {
        if let Some(last) = self.0.parts.last_mut() {
            last.fields = Some(fields.into());
        }
        self
    }

    /// Shows fields of the file that was added last with these types, where they
    /// [include](crate::schema::type_includes) the fields' own: files with narrower types are then read like the others,
    /// also where types are known only at run time. Fields of other types are shown as they are.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer, storage::Memory};
    /// use rntuple::{Reader, Value, join::Overlay, schema::FieldId};
    ///
    /// #[derive(RNTuple)]
    /// struct Old { met: f32 }
    ///
    /// #[derive(RNTuple)]
    /// struct New { met: f64 }
    ///
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&Old { met: 20.0 })?;
    /// # let old = writer.finish_into()?.1;
    /// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    /// # writer.fill(&New { met: 30.0 })?;
    /// # let new = writer.finish_into()?.1;
    /// let types = [(FieldId(0), "double".to_owned())];
    /// let files = [new, old].map(|file| Overlay::new(file).types(types.clone()));
    /// let reader = Reader::<Value>::open(files, "Events")?;
    /// assert_eq!(reader.get(1)?.get("met"), Some(&20f64.into()));
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    #[must_use]
    pub fn types(mut self, types: impl Into<Arc<[(FieldId, String)]>>) -> Self {
        if let Some(last) = self.0.parts.last_mut() {
            last.types = types.into();
        }
        self
    }

    /// States how many entries there are. A reader of many overlays then knows where the entries of each are without
    /// opening the ones before, if it is opened with [`same_schema`](crate::ReadOptions::same_schema). An overlay that has
    /// another number of entries is an error once it is opened.
    ///
    /// ```
    /// # use rntuple::{RNTuple, WriteOptions, Writer};
    /// use rntuple::{ReadOptions, Reader, join::Overlay};
    ///
    /// # #[derive(RNTuple)]
    /// # struct Event { met: f32 }
    /// # let directory = tempfile::tempdir().unwrap();
    /// # let path = directory.path().join("last.root");
    /// # let mut writer = Writer::create(&path, "Events", WriteOptions::new())?;
    /// # writer.fill_all(&[Event { met: 20.0 }, Event { met: 30.0 }])?;
    /// # writer.finish()?;
    /// # let first = path.clone();
    /// let files = [(first, 2), ("not there.root".into(), 1000), (path, 2)];
    /// let files = files.map(|(path, count)| Overlay::new(path).entry_count(count));
    /// let options = ReadOptions::new().same_schema(true);
    /// let reader = Reader::<Event>::open_with(files, "Events", options)?;
    /// assert_eq!(reader.entry_count()?, 1004);
    /// assert_eq!(reader.get(1003)?.met, 30.0);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    #[must_use]
    pub fn entry_count(mut self, count: u64) -> Self {
        self.0.entry_count = Some(count);
        self
    }
}

/// All fields of a file, as they are.
fn part(file: Origin, path: Option<String>) -> Part<Origin> {
    Part { file, path, fields: None, types: [].into() }
}

impl From<Overlay> for Origin {
    fn from(overlay: Overlay) -> Self {
        Self::overlay(overlay.0)
    }
}

impl fmt::Debug for Overlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.parts.iter().map(|part| &part.file)).finish()
    }
}
