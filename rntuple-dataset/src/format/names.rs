//! Names of the files of a data set, below its folder.
//!
//! | file | name |
//! | --- | --- |
//! | manifest, scheme 1 | `_versions/{version}.manifest` |
//! | manifest, scheme 2 | `_versions/{u64::MAX - version, 20 digits}.manifest` |
//! | detached manifest | `_versions/d{version}.manifest` |
//! | mark of a version that was removed | `_versions/{u64::MAX - version, 20 digits}.removed-{read_version}-{uuid}` |
//! | files that a clean-up removes, a line each | `_versions/cleanup-{uuid}.txt` |
//! | transaction | `_transactions/{read_version}-{uuid}.txn` |
//! | deletions | `_deletions/{fragment}-{read_version}-{id}.arrow` or `.bin` |
//! | data | `data/{path}` |
//! | statistics of a data file | `_stats/{path}` |
//! | statistics of a data file elsewhere | `_stats/{hash of its path or URL, 16 digits}.root` |
//! | files of an index | `_indices/{uuid}/{path}` |
//! | row ids of a fragment, if they take much space | `_rowids/{uuid}.bin` |
//!
//! Names of scheme 2 sort the newest version first, so that a listing of an object store finds it at once.

use std::collections::HashSet;

use uuid::Uuid;

use super::{DeletionFile, DeletionFileType};
use crate::error::{Error, Result};

/// The folder of manifests.
pub const VERSIONS: &str = "_versions";
/// The folder of transactions.
pub const TRANSACTIONS: &str = "_transactions";
/// The folder of deletion files.
pub const DELETIONS: &str = "_deletions";
/// The folder of data files.
pub const DATA: &str = "data";
/// The folder of statistics.
pub const STATISTICS: &str = "_stats";

/// What is between the version and the transaction in the name of a mark.
const REMOVED: &str = ".removed-";

/// How the name of the announcement of a clean-up begins.
const CLEANUP: &str = "cleanup-";

/// The folder of indices.
pub const INDICES: &str = "_indices";

/// The folder of row ids that are not in the manifest.
pub const ROW_IDS: &str = "_rowids";

/// Versions from this one on are detached: they belong to no sequence of versions.
const FIRST_DETACHED: u64 = 1 << 63;

/// How manifests are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NamingScheme {
    /// The version itself.
    V1,
    /// `u64::MAX` less the version, in 20 digits.
    V2,
}

impl NamingScheme {
    /// Returns the name of the manifest of `version`, from the folder of the data set.
    ///
    /// ```
    /// use rntuple_dataset::format::names::NamingScheme;
    ///
    /// assert_eq!(NamingScheme::V1.manifest(3), "_versions/3.manifest");
    /// assert_eq!(NamingScheme::V2.manifest(3), "_versions/18446744073709551612.manifest");
    /// ```
    pub fn manifest(self, version: u64) -> String {
        match self {
            Self::V1 => format!("{VERSIONS}/{version}.manifest"),
            Self::V2 => format!("{VERSIONS}/{:020}.manifest", u64::MAX - version),
        }
    }
}

/// What the name of a file in the folder of manifests says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ManifestName {
    /// The manifest of a version.
    Version(u64, NamingScheme),
    /// A version of Lance that belongs to no sequence.
    Detached(u64),
    /// Something else: a manifest that is being written, or a hint.
    Other,
}

impl ManifestName {
    /// Reads the name of a file, without its folder.
    pub fn parse(name: &str) -> Self {
        Self::parse_known(name).unwrap_or(Self::Other)
    }

    fn parse_known(name: &str) -> Option<Self> {
        let stem = name.strip_suffix(".manifest")?;
        if let Some(version) = stem.strip_prefix('d') {
            return Some(Self::Detached(number(version)?));
        }
        let (version, scheme) = match stem.len() {
            20 if stem.bytes().all(|byte| byte.is_ascii_digit()) => {
                (u64::MAX - stem.parse::<u64>().ok()?, NamingScheme::V2)
            }
            _ => (number(stem)?, NamingScheme::V1),
        };
        (1..FIRST_DETACHED).contains(&version).then_some(Self::Version(version, scheme))
    }
}

/// Checks that a version may have this number.
///
/// # Errors
/// [`LimitExceeded`](crate::ErrorKind::LimitExceeded): it is that of a detached version, which no reader would find.
pub(crate) fn check_version(version: u64) -> Result<()> {
    match version < FIRST_DETACHED {
        true => Ok(()),
        false => Err(Error::limit(format!(
            "there is no number for another version: {version} would be the next one"
        ))),
    }
}

/// Returns the name of the mark of a version that was removed, from the folder of the data set: its number must not be used
/// again, by a writer that has never seen it. `transaction` is the name of the transaction that made it.
///
/// ```
/// use rntuple_dataset::format::names;
///
/// let transaction = "6-7a2c8bb6-4d0e-4a7e-9d0c-0f3d1f0e2b11.txn";
/// let mark = names::removed(7, transaction);
/// assert_eq!(mark, "_versions/18446744073709551608.removed-6-7a2c8bb6-4d0e-4a7e-9d0c-0f3d1f0e2b11");
/// assert!(names::is_mark_of(mark.strip_prefix("_versions/").unwrap(), 7, transaction));
/// ```
pub fn removed(version: u64, transaction: &str) -> String {
    // A name that is not ours may be anything.
    let made = parse_transaction(transaction).map(|(version, uuid)| format!("{version}-{uuid}"));
    format!("{VERSIONS}/{:020}{REMOVED}{}", u64::MAX - version, made.unwrap_or_default())
}

/// Whether a file in the folder of manifests, without the folder, is the mark of a version that this transaction made.
pub fn is_mark_of(name: &str, version: u64, transaction: &str) -> bool {
    removed(version, transaction).strip_prefix(VERSIONS).and_then(|mark| mark.strip_prefix('/')) == Some(name)
}

/// The name of the transaction that made a version, by the mark of that version.
pub(crate) fn removed_transaction(mark: &str) -> Option<String> {
    let (_, made) = mark.split_once(REMOVED)?;
    Some(format!("{made}.txn"))
}

/// Returns the name of the announcement of a clean-up, from the folder of the data set.
pub(crate) fn cleanup(id: Uuid) -> String {
    format!("{VERSIONS}/{CLEANUP}{id}.txt")
}

/// Returns a name for the row ids of a fragment, from the folder of the data set.
pub(crate) fn row_ids(id: Uuid) -> String {
    format!("{ROW_IDS}/{id}.bin")
}

/// Whether a file in the folder of manifests, without the folder, is the announcement of a clean-up.
pub(crate) fn is_cleanup(name: &str) -> bool {
    name.starts_with(CLEANUP)
}

/// The version that a mark is about.
pub(crate) fn parse_removed(name: &str) -> Option<u64> {
    let (version, _) = name.split_once(REMOVED)?;
    let is_version = version.len() == 20 && version.bytes().all(|byte| byte.is_ascii_digit());
    let version = u64::MAX - version.parse::<u64>().ok().filter(|_| is_version)?;
    (1..FIRST_DETACHED).contains(&version).then_some(version)
}

/// What is in the folder of manifests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listing {
    /// How the manifests are named; `None`: there are none.
    pub scheme: Option<NamingScheme>,
    /// The versions, the oldest first, without those that are marked as removed.
    pub versions: Vec<u64>,
    /// Versions that are marked as removed, and the names of their marks, in no order.
    pub removed: Vec<(u64, String)>,
    /// Versions that belong to no sequence, in no order.
    pub detached: Vec<u64>,
    /// Names of files that are not manifests of a version.
    pub others: Vec<String>,
}

impl Listing {
    /// Reads the names of the files in the folder of manifests, without the folder, in any order.
    ///
    /// # Errors
    ///
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where manifests are named by two schemes.
    pub fn from_names<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Self> {
        let mut listing = Self::default();
        let mut first = "";
        for name in names {
            match ManifestName::parse(name) {
                ManifestName::Version(version, scheme) => {
                    if *listing.scheme.get_or_insert(scheme) != scheme {
                        return Err(Error::out_of_spec(format!(
                            "manifests are named by two schemes: {first} and {name}"
                        ))
                        .in_file(VERSIONS));
                    }
                    first = name;
                    listing.versions.push(version);
                }
                ManifestName::Detached(version) => listing.detached.push(version),
                ManifestName::Other => match parse_removed(name) {
                    Some(version) => listing.removed.push((version, name.to_owned())),
                    None => listing.others.push(name.to_owned()),
                },
            }
        }
        let removed: HashSet<u64> = listing.removed.iter().map(|(version, _)| *version).collect();
        listing.versions.retain(|version| !removed.contains(version));
        listing.versions.sort_unstable();
        Ok(listing)
    }

    /// Returns the newest version.
    pub fn latest(&self) -> Option<u64> {
        self.versions.last().copied()
    }
}

/// Returns the name of a transaction, as [`transaction_file`](super::Manifest::transaction_file) has it: without the
/// folder.
pub fn transaction(read_version: u64, uuid: Uuid) -> String {
    format!("{read_version}-{uuid}.txn")
}

/// Reads the name of a transaction: the version it was made from, and its id.
pub fn parse_transaction(name: &str) -> Option<(u64, Uuid)> {
    let (version, uuid) = name.strip_suffix(".txn")?.split_once('-')?;
    Some((number(version)?, Uuid::try_parse(uuid).ok()?))
}

/// Returns the name of the statistics of a data file that is below the folder of data files, from the folder of the data
/// set.
///
/// ```
/// use rntuple_dataset::format::names::statistics;
///
/// assert_eq!(statistics("3f2c.root"), "_stats/3f2c.root");
/// ```
pub fn statistics(path: &str) -> String {
    format!("{STATISTICS}/{path}")
}

/// Returns the name of the statistics of a data file that is somewhere else, by its absolute path or its URL, from the
/// folder of the data set. Two files may have one name: statistics say which file they are about.
///
/// ```
/// use rntuple_dataset::format::names::statistics_elsewhere;
///
/// assert_eq!(statistics_elsewhere("/data/run1.root"), "_stats/885bd0bfbfae7eef.root");
/// ```
pub fn statistics_elsewhere(path: &str) -> String {
    // FNV-1a, 64 bits.
    let hash = path.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{STATISTICS}/{hash:016x}.root")
}

/// Returns the name of a deletion file, from the folder of the data set.
///
/// # Errors
///
/// [`Unsupported`](crate::ErrorKind::Unsupported) where its type is not known.
pub fn deletion_file(fragment: u64, file: &DeletionFile) -> Result<String> {
    let ending = match DeletionFileType::try_from(file.file_type) {
        Ok(DeletionFileType::ArrowArray) => "arrow",
        Ok(DeletionFileType::Bitmap) => "bin",
        Err(_) => {
            let message = format!("the type of the deletion file is {}, which is not known", file.file_type);
            return Err(Error::unsupported(message).in_field(format!("fragment {fragment}")));
        }
    };
    Ok(format!("{DELETIONS}/{fragment}-{}-{}.{ending}", file.read_version, file.id))
}

/// A decimal number without a sign or leading zeros.
fn number(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    is_plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn odd_names_are_no_versions() {
        for name in [
            "latest_version_hint.json",
            "0.manifest",
            "01.manifest",
            "+1.manifest",
            ".manifest",
            "x.manifest",
            "1.manifest-3f2c",
            "00000000000000000001.manifest",
            "99999999999999999999.manifest",
            "9223372036854775808.manifest",
            "18446744073709551615.manifest",
            "d.manifest",
        ] {
            assert_eq!(ManifestName::parse(name), ManifestName::Other, "{name}");
        }
        assert_eq!(
            ManifestName::parse("d9223372036854775809.manifest"),
            ManifestName::Detached(9_223_372_036_854_775_809)
        );
    }

    #[test]
    fn a_listing_is_sorted_and_of_one_scheme() {
        let names = ["18446744073709551612.manifest", "hint.json", "18446744073709551614.manifest"];
        let listing = Listing::from_names(names).unwrap();
        assert_eq!((listing.scheme, listing.latest()), (Some(NamingScheme::V2), Some(3)));
        assert_eq!(
            (&listing.versions[..], &listing.others[..]),
            (&[1, 3][..], &["hint.json".to_owned()][..])
        );
        let error = Listing::from_names(["1.manifest", "18446744073709551613.manifest"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "_versions: manifests are named by two schemes: 1.manifest and 18446744073709551613.manifest"
        );
        assert_eq!(Listing::from_names([]).unwrap().latest(), None);
    }

    #[test]
    fn names_of_deletion_files_say_how_they_are_stored() {
        let file = DeletionFile { read_version: 12, id: u64::MAX, ..Default::default() };
        assert_eq!(deletion_file(21, &file).unwrap(), "_deletions/21-12-18446744073709551615.arrow");
        let file = DeletionFile { file_type: 1, ..file };
        assert_eq!(deletion_file(21, &file).unwrap(), "_deletions/21-12-18446744073709551615.bin");
        assert!(deletion_file(21, &DeletionFile { file_type: 2, ..file }).is_err());
    }

    proptest! {
        #[test]
        fn names_are_read_as_they_were_written(version in 1..FIRST_DETACHED, read: u64, id: u128) {
            for scheme in [NamingScheme::V1, NamingScheme::V2] {
                let name = scheme.manifest(version);
                let name = name.strip_prefix("_versions/").unwrap();
                prop_assert_eq!(ManifestName::parse(name), ManifestName::Version(version, scheme));
            }
            let uuid = Uuid::from_u128(id);
            prop_assert_eq!(parse_transaction(&transaction(read, uuid)), Some((read, uuid)));
        }

        #[test]
        fn newer_names_sort_first(a in 1..FIRST_DETACHED, b in 1..FIRST_DETACHED) {
            let [first, second] = [a, b].map(|version| NamingScheme::V2.manifest(version));
            prop_assert_eq!(a.cmp(&b), second.cmp(&first));
        }
    }
}
