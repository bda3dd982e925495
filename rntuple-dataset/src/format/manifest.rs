//! `lance.table.Manifest`: what one version of a data set consists of.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::flags;
use super::{DataFragment, Field};
use crate::error::{Error, Result};

/// One version of a data set.
///
/// ```
/// use rntuple_dataset::format::{DataFragment, Manifest, ManifestFile};
///
/// let fragment = DataFragment { physical_rows: 1000, ..Default::default() };
/// let manifest = Manifest { version: 1, fragments: vec![fragment], ..Default::default() };
/// let bytes = ManifestFile::from(manifest.clone()).to_bytes()?;
/// assert_eq!(ManifestFile::read(&bytes)?.manifest, manifest);
/// # Ok::<(), rntuple_dataset::Error>(())
/// ```
#[derive(Clone, PartialEq, prost::Message)]
pub struct Manifest {
    /// All fields of the schema, parents before their children.
    #[prost(message, repeated, tag = "1")]
    pub fields: Vec<Field>,
    /// The fragments, in the order of their ids.
    #[prost(message, repeated, tag = "2")]
    pub fragments: Vec<DataFragment>,
    /// Number of the version, from 1.
    #[prost(uint64, tag = "3")]
    pub version: u64,
    /// Position of data that belong to this version alone.
    #[prost(uint64, tag = "4")]
    pub version_aux_data: u64,
    /// What else is known about the schema.
    #[prost(btree_map = "string, bytes", tag = "5")]
    pub schema_metadata: BTreeMap<String, Vec<u8>>,
    /// Position of the [`IndexSection`](super::IndexSection) in the file of the manifest.
    #[prost(uint64, optional, tag = "6")]
    pub index_section: Option<u64>,
    /// When the version was made.
    #[prost(message, optional, tag = "7")]
    pub timestamp: Option<Timestamp>,
    /// A name of the version.
    #[prost(string, tag = "8")]
    pub tag: String,
    /// What a reader must support: see [`flags`](super::flags).
    #[prost(uint64, tag = "9")]
    pub reader_feature_flags: u64,
    /// What a writer must support: see [`flags`](super::flags).
    #[prost(uint64, tag = "10")]
    pub writer_feature_flags: u64,
    /// The highest id that a fragment of any version had. `None`: there were no fragments.
    #[prost(uint32, optional, tag = "11")]
    pub max_fragment_id: Option<u32>,
    /// Name of the file in `_transactions` that says what made this version. It may be empty.
    #[prost(string, tag = "12")]
    pub transaction_file: String,
    /// What wrote the version.
    #[prost(message, optional, tag = "13")]
    pub writer_version: Option<WriterVersion>,
    /// The next row id that is free, in data sets with stable row ids.
    #[prost(uint64, tag = "14")]
    pub next_row_id: u64,
    /// Format of the data files.
    #[prost(message, optional, tag = "15")]
    pub data_format: Option<DataStorageFormat>,
    /// Settings. The keys of this crate begin with `rntuple.`.
    #[prost(btree_map = "string, string", tag = "16")]
    pub config: BTreeMap<String, String>,
    /// Version of a second data set with large values. Lance no longer has it.
    #[prost(uint64, tag = "17")]
    pub blob_dataset_version: u64,
    /// Other places where files of the data set are.
    #[prost(message, repeated, tag = "18")]
    pub base_paths: Vec<BasePath>,
    /// What users say about the data set.
    #[prost(btree_map = "string, string", tag = "19")]
    pub table_metadata: BTreeMap<String, String>,
    /// Name of the branch; `None`: the main one.
    #[prost(string, optional, tag = "20")]
    pub branch: Option<String>,
    /// Position of the [`Transaction`](super::Transaction) in the file of the manifest.
    ///
    /// The published `.proto` files have it as number 21; Lance 14.0.2 writes it as number 23, after the
    /// [`IndexSection`](super::IndexSection).
    #[prost(uint64, optional, tag = "23")]
    pub transaction_section: Option<u64>,
}

impl Manifest {
    /// Returns the fragment of this id.
    pub fn fragment(&self, id: u64) -> Option<&DataFragment> {
        // Of other writers they may be in another order.
        let sorted = self.fragments.binary_search_by_key(&id, |fragment| fragment.id);
        let sorted = sorted.ok().and_then(|place| self.fragments.get(place));
        sorted.or_else(|| self.fragments.iter().find(|fragment| fragment.id == id))
    }

    /// Returns the count of rows that are not deleted, as far as it is [stated](DataFragment::states_deleted_rows).
    pub fn rows(&self) -> u64 {
        self.fragments.iter().fold(0, |sum, fragment| sum.saturating_add(fragment.rows()))
    }

    /// Returns whether rows have ids that stay when they are moved.
    pub fn has_stable_row_ids(&self) -> bool {
        self.reader_feature_flags & flags::STABLE_ROW_IDS != 0
    }

    /// Checks that this crate supports what a reader of the data set must support.
    ///
    /// # Errors
    ///
    /// [`Unsupported`](crate::ErrorKind::Unsupported) for a data set with files of another format, and for a flag that
    /// is not known.
    pub fn check_readable(&self) -> Result<()> {
        let format = self.data_format.as_ref().map_or("lance", |format| &format.file_format);
        if format != flags::FILE_FORMAT {
            return Err(Error::unsupported(format!(
                "the data files are of the format {format:?}, expected {:?}",
                flags::FILE_FORMAT
            )));
        }
        if self.reader_feature_flags & flags::RNTUPLE == 0 {
            let message =
                "the flag for RNTuple files is not set, although the data files are said to be such";
            return Err(Error::out_of_spec(message).in_field("reader_feature_flags"));
        }
        check_flags(self.reader_feature_flags, "reading")
            .map_err(|error| error.in_field("reader_feature_flags"))
    }

    /// Checks that this crate supports what a writer of the data set must support, and a reader.
    ///
    /// # Errors
    ///
    /// As [`check_readable`](Self::check_readable).
    pub fn check_writable(&self) -> Result<()> {
        self.check_readable()?;
        check_flags(self.writer_feature_flags, "writing")
            .map_err(|error| error.in_field("writer_feature_flags"))
    }

    /// Sets the flags that follow from what the manifest holds. Other flags stay.
    pub fn update_flags(&mut self) {
        let has_deletions = self.fragments.iter().any(|fragment| fragment.deletion_file.is_some());
        let has_row_ids = self.fragments.iter().any(|fragment| fragment.row_id_sequence.is_some());
        let set = |flags: &mut u64, bit: u64, is_set: bool| match is_set {
            true => *flags |= bit,
            false => *flags &= !bit,
        };
        for flags in [&mut self.reader_feature_flags, &mut self.writer_feature_flags] {
            set(flags, flags::DELETION_FILES, has_deletions);
            set(flags, flags::BASE_PATHS, !self.base_paths.is_empty());
            // Without fragments there is nothing to see the ids from.
            if has_row_ids {
                *flags |= flags::STABLE_ROW_IDS;
            }
        }
        set(&mut self.writer_feature_flags, flags::TABLE_CONFIG, !self.config.is_empty());
    }
}

fn check_flags(found: u64, purpose: &str) -> Result<()> {
    match found & !flags::SUPPORTED {
        0 => Ok(()),
        unknown => Err(Error::unsupported(format!(
            "{purpose} the data set needs what this version does not support: {}; a later version may",
            flags::describe(unknown)
        ))),
    }
}

/// The library that wrote a version.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct WriterVersion {
    /// Name of the library.
    #[prost(string, tag = "1")]
    pub library: String,
    /// Its version: `2.0.0`.
    #[prost(string, tag = "2")]
    pub version: String,
    /// What follows `-` in the version: `rc.1`.
    #[prost(string, optional, tag = "3")]
    pub prerelease: Option<String>,
    /// What follows `+` in the version.
    #[prost(string, optional, tag = "4")]
    pub build_metadata: Option<String>,
}

/// The format of the data files.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct DataStorageFormat {
    /// `lance`; [`flags::FILE_FORMAT`](super::flags::FILE_FORMAT) in data sets of this crate.
    #[prost(string, tag = "1")]
    pub file_format: String,
    /// The highest version of the format that a data file may have;
    /// [`flags::FORMAT_VERSION`](super::flags::FORMAT_VERSION) in data sets of this crate.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// A point in time, in UTC: `google.protobuf.Timestamp`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Message)]
pub struct Timestamp {
    /// Seconds since 1970.
    #[prost(int64, tag = "1")]
    pub seconds: i64,
    /// Nanoseconds after that.
    #[prost(int32, tag = "2")]
    pub nanos: i32,
}

impl Timestamp {
    /// Returns the time of now.
    pub fn now() -> Self {
        Self::from(SystemTime::now())
    }

    /// Returns the time as the system has it; `None` where it is out of range.
    pub fn to_system_time(self) -> Option<SystemTime> {
        let nanos = Duration::from_nanos(u64::try_from(self.nanos).ok()?);
        let seconds = Duration::from_secs(self.seconds.unsigned_abs());
        let start = match self.seconds < 0 {
            true => UNIX_EPOCH.checked_sub(seconds)?,
            false => UNIX_EPOCH.checked_add(seconds)?,
        };
        start.checked_add(nanos)
    }
}

impl From<SystemTime> for Timestamp {
    fn from(time: SystemTime) -> Self {
        let (seconds, nanos) = match time.duration_since(UNIX_EPOCH) {
            Ok(since) => (i64::try_from(since.as_secs()).unwrap_or(i64::MAX), since.subsec_nanos()),
            // Nanoseconds count forward, also before 1970.
            Err(error) => {
                let before = error.duration();
                let seconds = -i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
                match before.subsec_nanos() {
                    0 => (seconds, 0),
                    nanos => (seconds - 1, 1_000_000_000 - nanos),
                }
            }
        };
        Self { seconds, nanos: i32::try_from(nanos).unwrap_or_default() }
    }
}

/// Another place where files of the data set are.
#[derive(Clone, PartialEq, Eq, Hash, prost::Message)]
pub struct BasePath {
    /// What files name it by.
    #[prost(uint32, tag = "1")]
    pub id: u32,
    /// What users name it by.
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    /// Whether the folder has the structure of a data set; otherwise data files are directly in it.
    #[prost(bool, tag = "3")]
    pub is_dataset_root: bool,
    /// URL or absolute path.
    #[prost(string, tag = "4")]
    pub path: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::DeletionFile;

    fn ours() -> Manifest {
        let format =
            DataStorageFormat { file_format: flags::FILE_FORMAT.to_owned(), version: "1.0".to_owned() };
        Manifest {
            data_format: Some(format),
            reader_feature_flags: flags::RNTUPLE,
            writer_feature_flags: flags::RNTUPLE,
            ..Default::default()
        }
    }

    #[test]
    fn what_is_not_supported_is_refused_by_name() {
        ours().check_writable().unwrap();
        let text = |manifest: &Manifest| manifest.check_writable().unwrap_err().to_string();

        let lance = DataStorageFormat { file_format: "lance".to_owned(), version: "2.2".to_owned() };
        let lance = Manifest { data_format: Some(lance), ..ours() };
        assert_eq!(text(&lance), "the data files are of the format \"lance\", expected \"rntuple\"");
        assert!(text(&Manifest { data_format: None, ..ours() }).contains("\"lance\""));

        let unknown = Manifest { reader_feature_flags: flags::RNTUPLE | flags::DATA_OVERLAYS, ..ours() };
        assert!(text(&unknown).starts_with("reader_feature_flags: reading"), "{}", text(&unknown));
        assert!(text(&unknown).contains("overlay files"));
        let unknown = Manifest { writer_feature_flags: 1 << 20, ..ours() };
        unknown.check_readable().unwrap();
        assert!(text(&unknown).contains("bit 20"));
        let unmarked = Manifest { reader_feature_flags: 0, ..ours() };
        assert_eq!(unmarked.check_readable().unwrap_err().kind(), crate::ErrorKind::OutOfSpec);
    }

    #[test]
    fn flags_follow_the_content() {
        let mut manifest = ours();
        manifest.reader_feature_flags |= flags::STABLE_ROW_IDS;
        manifest.fragments =
            vec![DataFragment { deletion_file: Some(DeletionFile::default()), ..Default::default() }];
        manifest.config.insert("k".to_owned(), "v".to_owned());
        manifest.update_flags();
        let both = flags::RNTUPLE | flags::DELETION_FILES;
        assert_eq!(manifest.reader_feature_flags, both | flags::STABLE_ROW_IDS);
        assert_eq!(manifest.writer_feature_flags, both | flags::TABLE_CONFIG);
        manifest.fragments.clear();
        manifest.config.clear();
        manifest.update_flags();
        assert_eq!(manifest.reader_feature_flags, flags::RNTUPLE | flags::STABLE_ROW_IDS);
        assert_eq!(manifest.writer_feature_flags, flags::RNTUPLE);
    }

    #[test]
    fn times_before_1970_count_nanoseconds_forward() {
        let half = Duration::from_millis(500);
        for time in [UNIX_EPOCH, UNIX_EPOCH + half, UNIX_EPOCH - half, UNIX_EPOCH - Duration::from_secs(1)] {
            let stamp = Timestamp::from(time);
            assert!((0..1_000_000_000).contains(&stamp.nanos), "{stamp:?}");
            assert_eq!(stamp.to_system_time(), Some(time));
        }
        assert_eq!(Timestamp::from(UNIX_EPOCH - half), Timestamp { seconds: -1, nanos: 500_000_000 });
        assert_eq!(Timestamp { seconds: 0, nanos: -1 }.to_system_time(), None);
    }
}
