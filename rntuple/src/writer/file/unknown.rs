//! A file that every reader must refuse.

use super::RootFileWriter;
use crate::catalog::{Catalog, EnvelopeWriter, Title};
use crate::compression::Compression;
use crate::envelope::SchemaDescription;
use crate::error::{Error, Result};
use crate::storage::WriteAt;
use crate::writer::WriteOptions;
use crate::writer::draft::Draft;
use crate::writer::shared_file::lock_file;

impl<W: WriteAt> RootFileWriter<W> {
    /// Adds an ntuple without fields that claims a feature which no reader knows: what every reader must refuse
    /// (format, section 4.6). For tests of readers.
    ///
    /// # Errors
    /// As [`writer`](Self::writer); or the number is one that marks the end of a word of flags.
    #[doc(hidden)]
    pub fn put_unknown_feature(&self, path: &str, feature: u32) -> Result<()> {
        if feature % 64 == 63 {
            return Err(Error::invalid_argument(format!("feature {feature} cannot be claimed")));
        }
        let word = usize::try_from(feature / 64).unwrap_or_default();
        let mut feature_flags = vec![0; word];
        feature_flags.push(1 << (feature % 64));
        let options = WriteOptions::new().compression(Compression::NONE);
        let draft = Draft::new(path, options)?;
        let mut guard = lock_file(&self.file);
        let file = guard.any();
        file.reserve(path)?;
        let title = Title { name: draft.name().to_owned(), feature_flags, ..Title::default() };
        let envelopes = EnvelopeWriter::new(draft.options.compression, draft.options.max_key_size);
        let mut catalog = Catalog::create(file, envelopes, title, SchemaDescription::default())?;
        let anchor = catalog.finish(file)?;
        file.put_anchor(path, &anchor)
    }
}
