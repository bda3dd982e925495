//! What is written at a path or a URL.

use std::io::{self, IoSlice};
use std::ops::Range;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::protocol::{create, local_path, url_of};
use super::{Block, LocalFile, ReadAt, WriteAt};

/// The file that is written at a path, or at a URL: what [`Writer::create`](crate::Writer::create) writes to.
///
/// Files at paths can be read as well, which is what appending needs.
#[derive(Debug)]
pub struct Output(Kind);

#[derive(Debug)]
enum Kind {
    Local(LocalFile),
    Elsewhere(Elsewhere),
}

/// What a [`Protocol`](super::Protocol) created.
struct Elsewhere {
    /// Asked for by one thread: the lock is never waited for.
    sink: Mutex<Box<dyn WriteAt>>,
    name: String,
}

impl std::fmt::Debug for Elsewhere {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

impl From<LocalFile> for Output {
    fn from(file: LocalFile) -> Self {
        Self(Kind::Local(file))
    }
}

impl Output {
    /// Creates the file at a path or a URL, which is visible there once it is [published](WriteAt::publish). With `is_new`,
    /// nothing may be there.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(path: impl AsRef<Path>, is_new: bool) -> io::Result<Self> {
        let path = path.as_ref();
        match Self::at_url(path, is_new) {
            Some(output) => output,
            None if is_new => LocalFile::create_new(local_path(path)?).map(Self::from),
            None => LocalFile::create(local_path(path)?).map(Self::from),
        }
    }

    /// Creates the file at a URL; `None` where the path is none.
    pub(crate) fn at_url(path: &Path, is_new: bool) -> Option<io::Result<Self>> {
        let url = url_of(path)?;
        Some(create(url, is_new).map(|sink| {
            let name = sink.name().to_owned();
            Self(Kind::Elsewhere(Elsewhere { sink: Mutex::new(sink), name }))
        }))
    }

    fn sink(&mut self) -> &mut dyn WriteAt {
        match &mut self.0 {
            Kind::Local(file) => file,
            Kind::Elsewhere(other) => &mut **other.sink.get_mut().unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// The file, if it can be read.
    fn source(&self) -> io::Result<&LocalFile> {
        match &self.0 {
            Kind::Local(file) => Ok(file),
            Kind::Elsewhere(_) => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                "a file that is written elsewhere cannot be read",
            )),
        }
    }
}

impl WriteAt for Output {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.sink().write_at(offset, parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink().flush()
    }

    fn begin_flush(&mut self) -> io::Result<()> {
        self.sink().begin_flush()
    }

    fn end_flush(&mut self) -> io::Result<()> {
        self.sink().end_flush()
    }

    fn read_back(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<bool> {
        self.sink().read_back(offset, buffer)
    }

    fn truncate(&mut self, size: u64) -> io::Result<()> {
        self.sink().truncate(size)
    }

    fn keep(&mut self) -> io::Result<()> {
        self.sink().keep()
    }

    fn set_recoverable(&mut self) {
        self.sink().set_recoverable();
    }

    fn publish(&mut self) -> io::Result<()> {
        self.sink().publish()
    }

    fn publish_incomplete(&mut self) -> io::Result<()> {
        self.sink().publish_incomplete()?;
        let name = self.sink().name().to_owned();
        if let Kind::Elsewhere(other) = &mut self.0 {
            other.name = name;
        }
        Ok(())
    }

    fn name(&self) -> &str {
        match &self.0 {
            Kind::Local(file) => WriteAt::name(file),
            Kind::Elsewhere(other) => &other.name,
        }
    }
}

impl ReadAt for Output {
    fn size(&self) -> u64 {
        self.source().map_or(0, ReadAt::size)
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.source()?.read_at(offset, buffer)
    }

    fn block(&self, range: Range<u64>) -> io::Result<Block> {
        self.source()?.block(range)
    }

    fn block_in(&self, range: Range<u64>, spare: Vec<u8>) -> io::Result<Block> {
        self.source()?.block_in(range, spare)
    }

    fn refresh(&self) -> io::Result<()> {
        self.source()?.refresh()
    }

    fn name(&self) -> &str {
        WriteAt::name(self)
    }
}
