//! What a reader, or a writer, must support before it touches a data set.
//!
//! A bit of [`reader_feature_flags`](super::Manifest::reader_feature_flags) that a reader does not know keeps it out,
//! and a bit of [`writer_feature_flags`](super::Manifest::writer_feature_flags) a writer. The low bits are those of
//! Lance. [`RNTUPLE`] is a bit that Lance does not know.

/// Some fragment has a deletion file.
pub const DELETION_FILES: u64 = 1 << 0;
/// Rows have ids that stay when they are moved, in the metadata of the fragments.
pub const STABLE_ROW_IDS: u64 = 1 << 1;
/// Data files are of version 2 of the Lance format. Lance no longer sets it.
pub const V2_FORMAT: u64 = 1 << 2;
/// The manifest has settings.
pub const TABLE_CONFIG: u64 = 1 << 3;
/// Files may be outside of the data set's folder.
pub const BASE_PATHS: u64 = 1 << 4;
/// Commits write no transaction files.
pub const NO_TRANSACTION_FILES: u64 = 1 << 5;
/// Fragments have overlay files.
pub const DATA_OVERLAYS: u64 = 1 << 6;
/// Some index holds values of columns that it is not sorted by.
pub const COVERING_INDICES: u64 = 1 << 7;
/// Data files are RNTuple files. Lance does not know this bit, so no version of it reads such a data set.
pub const RNTUPLE: u64 = 1 << 62;

/// The [`file_format`](super::DataStorageFormat::file_format) of data sets of this crate.
pub const FILE_FORMAT: &str = "rntuple";

/// The [`version`](super::DataStorageFormat::version) of data sets of this crate.
///
/// It is a version that Lance knows, whatever the files are: Lance 14.0.2 reads this text before it looks at the flags,
/// and only an error about [`RNTUPLE`] says what is the matter. The version of an RNTuple file is in the file.
pub const FORMAT_VERSION: &str = "2.0";

/// The bits that this crate supports, for readers and for writers.
pub const SUPPORTED: u64 = DELETION_FILES | STABLE_ROW_IDS | V2_FORMAT | TABLE_CONFIG | RNTUPLE;

/// Returns the names of the bits that are set: `deletion files, bit 17`.
pub fn describe(flags: u64) -> String {
    let names: Vec<String> =
        (0..u64::BITS).map(|bit| 1 << bit).filter(|bit| flags & bit != 0).map(name).collect();
    match names.is_empty() {
        true => "none".to_owned(),
        false => names.join(", "),
    }
}

fn name(bit: u64) -> String {
    let name = match bit {
        DELETION_FILES => "deletion files",
        STABLE_ROW_IDS => "stable row ids",
        V2_FORMAT => "version 2 of the file format",
        TABLE_CONFIG => "settings",
        BASE_PATHS => "base paths",
        NO_TRANSACTION_FILES => "no transaction files",
        DATA_OVERLAYS => "overlay files",
        COVERING_INDICES => "covering indices",
        RNTUPLE => "RNTuple files",
        _ => return format!("bit {}", bit.trailing_zeros()),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_have_names() {
        assert_eq!(describe(0), "none");
        assert_eq!(describe(DELETION_FILES | RNTUPLE | 1 << 17), "deletion files, bit 17, RNTuple files");
    }
}
