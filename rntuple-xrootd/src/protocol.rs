//! The schemes `root` and `roots` for readers and writers of the core.

use std::io;
use std::sync::Arc;

use rntuple::storage::{Listed, Protocol, ReadAt, WriteAt, register as register_scheme};

use crate::file::XrootdFile;
use crate::options::Options;
use crate::paths;
use crate::url::Url;
use crate::wire::stat::Stat;
use crate::writer::{XrootdWriter, is_incomplete};

/// The schemes of XRootD's URLs.
const SCHEMES: [&str; 4] = ["root", "roots", "xroot", "xroots"];

/// Makes URLs of the schemes `root`, `roots`, `xroot` and `xroots` possible wherever a path is, with the default
/// [`Options`].
pub fn register() {
    register_with(Options::new());
}

/// Makes URLs of the schemes `root`, `roots`, `xroot` and `xroots` possible wherever a path is. The last options that
/// were registered count.
pub fn register_with(options: Options) {
    let protocol = Arc::new(Xrootd { options });
    for scheme in SCHEMES {
        register_scheme(scheme, protocol.clone());
    }
}

struct Xrootd {
    options: Options,
}

impl Protocol for Xrootd {
    fn open(&self, url: &str) -> io::Result<Arc<dyn ReadAt>> {
        Ok(Arc::new(XrootdFile::open(url, &self.options)?))
    }

    fn create(&self, url: &str, is_new: bool) -> io::Result<Box<dyn WriteAt>> {
        Ok(Box::new(match is_new {
            true => XrootdWriter::create_new(url, &self.options)?,
            false => XrootdWriter::create(url, &self.options)?,
        }))
    }

    fn list(&self, url: &str) -> io::Result<Vec<Listed>> {
        let entries = paths::list(&Url::parse(url)?, &self.options)?;
        // What follows a question mark in a URL is no part of the path: such a file has no URL.
        let entries = entries.into_iter().filter(|(name, _)| !name.contains('?') && !is_incomplete(name));
        let listed = |(name, stat): (String, Stat)| {
            let is_directory = stat.is_directory();
            Listed { name, is_directory, size: (!is_directory).then_some(stat.size) }
        };
        Ok(entries.map(listed).collect())
    }
}
