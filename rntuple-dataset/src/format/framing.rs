//! The file of a manifest: messages with their lengths, and a tail that says where the manifest is.
//!
//! ```text
//!  u32 length | IndexSection          where `Manifest::index_section` says
//!  u32 length | Transaction           where `Manifest::transaction_section` says
//!  u32 length | Manifest              at `position`
//!  u64 position | u16 0 | u16 2 | "LANC"
//! ```
//!
//! All numbers are little-endian.

use prost::Message;

use super::transaction::TRANSACTION;
use super::wire::{LEAF, Shape, check_size, decode};
use super::{IndexSection, Manifest, Transaction};
use crate::error::{Error, Result};

const MAGIC: &[u8; 4] = b"LANC";
/// Size of the tail in bytes.
const TAIL: usize = 16;
/// What Lance writes as the version of the file, and what its readers do not look at.
const VERSION: [u16; 2] = [0, 2];

const FRAGMENT: &Shape = &Shape(&[(2, LEAF), (11, LEAF)]);
const MANIFEST: &Shape = &Shape(&[(1, LEAF), (2, FRAGMENT), (18, LEAF)]);
const INDEX: &Shape = &Shape(&[(10, LEAF)]);
const INDICES: &Shape = &Shape(&[(1, INDEX)]);

/// A manifest, and the messages in front of it in its file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ManifestFile {
    /// The version itself.
    pub manifest: Manifest,
    /// The transaction that made it.
    pub transaction: Option<Transaction>,
    /// The indices of the version.
    pub indices: Option<IndexSection>,
}

impl From<Manifest> for ManifestFile {
    fn from(manifest: Manifest) -> Self {
        Self { manifest, transaction: None, indices: None }
    }
}

impl ManifestFile {
    /// Reads the whole file of a manifest.
    ///
    /// # Errors
    ///
    /// [`OutOfSpec`](crate::ErrorKind::OutOfSpec) where the bytes are not such a file, with the offset, and
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) for a message above [`MOST_MESSAGE_SIZE`](super::MOST_MESSAGE_SIZE).
    pub fn read(bytes: &[u8]) -> Result<Self> {
        let (before, position) = tail(bytes)?;
        let (message, rest) = frame(before, position).map_err(|error| error.in_field("manifest"))?;
        if !rest.is_empty() {
            return Err(Error::out_of_spec(format!(
                "{} bytes are between the manifest and the tail, expected none",
                rest.len()
            ))
            .at_offset(position));
        }
        let manifest: Manifest =
            decode(message, MANIFEST).map_err(|error| error.in_field("manifest").at_offset(position))?;
        let sections = bytes.get(..usize::try_from(position).unwrap_or(usize::MAX)).unwrap_or_default();
        Ok(Self {
            transaction: section(sections, manifest.transaction_section, TRANSACTION)
                .map_err(|error| error.in_field("transaction_section"))?,
            indices: section(sections, manifest.index_section, INDICES)
                .map_err(|error| error.in_field("index_section"))?,
            manifest,
        })
    }

    /// Returns the bytes of the file. The positions of the sections in the manifest are set as they are there.
    ///
    /// # Errors
    ///
    /// [`LimitExceeded`](crate::ErrorKind::LimitExceeded) where a message is larger than
    /// [`MOST_MESSAGE_SIZE`](super::MOST_MESSAGE_SIZE).
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let index_section = self.indices.as_ref().map(|indices| put(&mut bytes, indices)).transpose()?;
        let transaction_section =
            self.transaction.as_ref().map(|transaction| put(&mut bytes, transaction)).transpose()?;
        let manifest = &self.manifest;
        let position = match (manifest.index_section, manifest.transaction_section)
            == (index_section, transaction_section)
        {
            true => put(&mut bytes, manifest)?,
            false => put(&mut bytes, &Manifest { index_section, transaction_section, ..manifest.clone() })?,
        };
        bytes.extend(position.to_le_bytes());
        bytes.extend(VERSION.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(MAGIC);
        Ok(bytes)
    }
}

/// Reads the tail: what is in front of it, and the position of the manifest.
fn tail(bytes: &[u8]) -> Result<(&[u8], u64)> {
    let Some((before, tail)) = bytes.split_last_chunk::<TAIL>() else {
        return Err(Error::out_of_spec(format!(
            "the file has {} bytes, expected a manifest with a tail of {TAIL} bytes",
            bytes.len()
        )));
    };
    let (position, rest) = tail.split_first_chunk::<8>().unwrap_or((&[0; 8], &[]));
    if !rest.ends_with(MAGIC) {
        return Err(Error::out_of_spec("the file does not end with `LANC`, so it is not a manifest")
            .at_offset(before.len() as u64 + 12));
    }
    Ok((before, u64::from_le_bytes(*position)))
}

/// Returns the message at `position`, and what follows it.
fn frame(bytes: &[u8], position: u64) -> Result<(&[u8], &[u8])> {
    let start = usize::try_from(position).ok().and_then(|position| bytes.get(position..));
    let Some((length, rest)) = start.and_then(|start| start.split_first_chunk::<4>()) else {
        return Err(Error::out_of_spec(format!(
            "the message is said to be at {position}, after the end at {}",
            bytes.len()
        )));
    };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    check_size(length).map_err(|error| error.at_offset(position))?;
    rest.split_at_checked(length).ok_or_else(|| {
        let left = rest.len();
        Error::out_of_spec(format!("the message is said to have {length} bytes, and {left} are left"))
            .at_offset(position)
    })
}

fn section<M: Message + Default>(bytes: &[u8], position: Option<u64>, shape: &Shape) -> Result<Option<M>> {
    let Some(position) = position else { return Ok(None) };
    let (message, _) = frame(bytes, position)?;
    decode(message, shape).map(Some).map_err(|error| error.at_offset(position))
}

/// Appends a message with its length; returns its position.
fn put(bytes: &mut Vec<u8>, message: &impl Message) -> Result<u64> {
    let position = bytes.len() as u64;
    let length = message.encoded_len();
    check_size(length)?;
    let length = u32::try_from(length).map_err(|_| Error::limit("the message has more than 4 GiB"))?;
    bytes.extend(length.to_le_bytes());
    bytes.reserve(message.encoded_len());
    message.encode(bytes).map_err(|error| Error::limit(error.to_string()))?;
    Ok(position)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ErrorKind;
    use crate::format::{DataFile, DataFragment, IndexMetadata};

    fn small() -> ManifestFile {
        let file = DataFile { path: "a.root".to_owned(), fields: vec![0, -2], ..Default::default() };
        let fragment = DataFragment { id: 7, files: vec![file], physical_rows: 3, ..Default::default() };
        let manifest = Manifest { version: 2, fragments: vec![fragment], ..Default::default() };
        let index = IndexMetadata { name: "i".to_owned(), ..Default::default() };
        ManifestFile {
            manifest,
            transaction: Some(Transaction { read_version: 1, ..Default::default() }),
            indices: Some(IndexSection { indices: vec![index] }),
        }
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let file = small();
        let bytes = file.to_bytes().unwrap();
        let read = ManifestFile::read(&bytes).unwrap();
        assert_eq!((&read.transaction, &read.indices), (&file.transaction, &file.indices));
        assert_eq!(read.manifest.index_section, Some(0));
        assert_eq!(read.manifest.fragments, file.manifest.fragments);
        assert_eq!(read.to_bytes().unwrap(), bytes);
        let alone = ManifestFile::from(read.manifest);
        assert_eq!(ManifestFile::read(&alone.to_bytes().unwrap()).unwrap().manifest, file.manifest);
    }

    #[test]
    fn no_prefix_is_a_file() {
        let bytes = small().to_bytes().unwrap();
        for length in 0..bytes.len() {
            let error = ManifestFile::read(&bytes[..length]).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{length}: {error}");
        }
    }

    #[test]
    fn a_fault_is_said_with_its_place() {
        let bytes = small().to_bytes().unwrap();
        let text = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = bytes.clone();
            change(&mut bytes);
            ManifestFile::read(&bytes).unwrap_err().to_string()
        };
        let end = bytes.len();
        assert!(text(&|bytes| bytes[end - 1] = b'X').contains("does not end with `LANC`"));
        assert!(text(&|bytes| bytes[end - 9] = 1).starts_with("manifest: the message is said to be at "));
        let moved = text(&|bytes| bytes[end - 16] += 1);
        assert!(moved.starts_with("manifest, offset 16: the message has 301989888 bytes"), "{moved}");
        assert_eq!(
            text(&|bytes| bytes[0] = 200),
            "index_section, offset 0: the message is said to have 200 bytes, and 11 are left"
        );
    }

    proptest! {
        #[test]
        fn flipped_bytes_are_read_or_refused(at in any::<proptest::sample::Index>(), value: u8) {
            let mut bytes = small().to_bytes().unwrap();
            *at.get_mut(&mut bytes) = value;
            if let Ok(file) = ManifestFile::read(&bytes) {
                prop_assert!(file.to_bytes().unwrap().len() <= 2 * bytes.len() + 100);
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(mut bytes: Vec<u8>, position in 0..40u64) {
            bytes.extend(position.to_le_bytes());
            bytes.extend([0, 0, 2, 0, b'L', b'A', b'N', b'C']);
            let _ = ManifestFile::read(&bytes);
        }
    }
}
