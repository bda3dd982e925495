//! What the tests of the container share.

#![expect(clippy::cast_possible_truncation, reason = "extents are in memory")]

use std::collections::BTreeMap;
use std::io::{self, IoSlice};
use std::path::PathBuf;

use super::anchor::{Anchor, EnvelopeSpan};
use super::listing::ANCHOR_CLASS;
use super::options::FileOptions;
use super::writer::FileWriter;
use crate::storage::{Memory, ReadAt, WriteAt};

/// A file of any size with few bytes in it; the rest is zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Sparse {
    extents: BTreeMap<u64, Vec<u8>>,
    size: u64,
}

impl From<Vec<u8>> for Sparse {
    fn from(bytes: Vec<u8>) -> Self {
        Self { size: bytes.len() as u64, extents: BTreeMap::from([(0, bytes)]) }
    }
}

impl WriteAt for Sparse {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.iter().copied()).collect();
        self.size = self.size.max(offset + bytes.len() as u64);
        // What is left of an extent on either side of the new one stays.
        let end = offset + bytes.len() as u64;
        let overlapped = self.extents.range(..end).filter(|(start, old)| *start + old.len() as u64 > offset);
        for start in overlapped.map(|(start, _)| *start).collect::<Vec<_>>() {
            let mut old = self.extents.remove(&start).unwrap_or_default();
            if start + old.len() as u64 > end {
                self.extents.insert(end, old.split_off((end - start) as usize));
            }
            if start < offset {
                old.truncate((offset - start) as usize);
                self.extents.insert(start, old);
            }
        }
        self.extents.insert(offset, bytes);
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ReadAt for Sparse {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(buffer.len() as u64).filter(|&end| end <= self.size);
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.fill(0);
        for (&start, bytes) in self.extents.range(..end) {
            let from = start.max(offset);
            let to = (start + bytes.len() as u64).min(end);
            if from < to {
                let source = &bytes[(from - start) as usize..(to - start) as usize];
                buffer[(from - offset) as usize..(to - offset) as usize].copy_from_slice(source);
            }
        }
        Ok(())
    }
}

/// The files by ROOT, where they are at hand: path without extension.
pub(super) fn reference_files() -> Vec<PathBuf> {
    let Some(directory) = crate::reference::directory() else { return Vec::new() };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&directory)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| path.with_extension(""))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no reference files", directory.display());
    files
}

/// `stem` with another extension; the stems contain dots.
pub(super) fn with_extension(stem: &std::path::Path, extension: &str) -> PathBuf {
    let mut path = stem.as_os_str().to_owned();
    path.push(extension);
    path.into()
}

/// A new file whose first record is at `offset`, after gaps.
pub(super) fn starting_at<W: WriteAt>(sink: W, offset: u64) -> FileWriter<W> {
    let mut writer = FileWriter::create(sink, FileOptions::new()).unwrap();
    writer.any().skip_to(offset).unwrap();
    writer
}

/// Appends a header, pages and a footer that nobody can read, and an anchor for them.
pub(super) fn put_dummy<W: WriteAt>(writer: &mut FileWriter<W>, path: &str) -> Anchor {
    let mut envelope = |byte: u8, size: usize| {
        let bytes = vec![byte; size];
        let offset =
            writer.any().append_payload(&bytes, 2 * size as u64, Anchor::DEFAULT_MAX_KEY_SIZE).unwrap();
        EnvelopeSpan { offset, size: size as u64, length: 2 * size as u64 }
    };
    let header = envelope(b'h', 40);
    envelope(b'p', 100);
    let footer = envelope(b'f', 30);
    let anchor = Anchor::new([1, 0, 0, 1], header, footer);
    writer.any().put_anchor(path, &anchor).unwrap();
    anchor
}

/// A finished file with ntuples at `paths`.
pub(super) fn file_with(paths: &[&str]) -> Vec<u8> {
    let mut writer = FileWriter::create(Memory::new(), FileOptions::new()).unwrap();
    for path in paths {
        put_dummy(&mut writer, path);
    }
    let size = writer.any().finish().unwrap();
    let bytes = writer.into_inner().into_bytes();
    assert_eq!(bytes.len() as u64, size);
    bytes
}

/// The file with an object of another class in the place of an ntuple: `class` is as long as an anchor's or shorter.
pub(super) fn with_class(mut bytes: Vec<u8>, name: &str, class: &str) -> Vec<u8> {
    let strings = |class: &str, title: &str| -> Vec<u8> {
        [class, name, title].iter().flat_map(|text| [&[text.len() as u8], text.as_bytes()].concat()).collect()
    };
    let from = strings(ANCHOR_CLASS, "");
    // What the class is shorter, the title is longer.
    let to = strings(class, &" ".repeat(ANCHOR_CLASS.len() - class.len()));
    let found: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(&from)).collect();
    assert_eq!(found.len(), 2, "the key, and the list of keys");
    for at in found {
        bytes[at..at + to.len()].copy_from_slice(&to);
    }
    bytes
}
