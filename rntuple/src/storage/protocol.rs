//! Files whose paths are URLs: what opens them is registered by scheme.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use super::{LocalFile, ReadAt, WriteAt};

/// Opens, creates and lists the files of a URL scheme: `s3` in `s3://bucket/events.root`.
///
/// A program [registers](register) one for each scheme that it needs, most often by a function of the crate that has it.
/// From then on, URLs of the scheme may be given wherever a path is. (`file:///data/events.root` and `file:/data/events.root` need nothing.)
///
/// ```
/// use rntuple::storage::{Listed, Memory, Protocol, ReadAt, WriteAt, register};
/// use std::{collections::BTreeMap, io, sync::Arc};
///
/// /// Files in memory, by URL.
/// struct Shelf(BTreeMap<String, Memory>);
///
/// impl Protocol for Shelf {
///     fn open(&self, url: &str) -> io::Result<Arc<dyn ReadAt>> {
///         let file = self.0.get(url).ok_or(io::ErrorKind::NotFound)?;
///         Ok(Arc::new(file.clone()))
///     }
/// }
///
/// # use rntuple::{RNTuple, Reader, WriteOptions, Writer};
/// # #[derive(RNTuple)]
/// # struct Event { met: f32 }
/// # let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { met: 20.0 })?;
/// # let file = writer.finish_into()?.1;
/// register("shelf", Arc::new(Shelf(BTreeMap::from([("shelf://a/events.root".to_owned(), file)]))));
/// let reader = Reader::<Event>::open("shelf://a/events.root", "Events")?;
/// assert_eq!(reader.entry_count()?, 1);
/// # Ok::<(), rntuple::Error>(())
/// ```
pub trait Protocol: Send + Sync {
    /// Opens the file at a URL for reading. Its [name](ReadAt::name) should be the URL, without secrets.
    ///
    /// # Errors
    /// It does not exist, or cannot be reached.
    fn open(&self, url: &str) -> io::Result<Arc<dyn ReadAt>>;

    /// Opens the file at a URL for reading, of which a [list](Self::list) has said the size: so its end can be asked for
    /// together with its beginning. By now the file may have another size. Default: [`open`](Self::open).
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn open_sized(&self, url: &str, size: u64) -> io::Result<Arc<dyn ReadAt>> {
        let _ = size;
        self.open(url)
    }

    /// Creates the file at a URL, which is visible there once it is [published](WriteAt::publish). With `is_new`, nothing
    /// may be there. Default: [`io::ErrorKind::Unsupported`].
    ///
    /// # Errors
    /// It cannot be created.
    fn create(&self, url: &str, is_new: bool) -> io::Result<Box<dyn WriteAt>> {
        let _ = (url, is_new);
        Err(io::Error::new(io::ErrorKind::Unsupported, "files cannot be created there"))
    }

    /// Lists what is in the directory at a URL, which ends with `/`. Default: [`io::ErrorKind::Unsupported`].
    ///
    /// # Errors
    /// It cannot be listed.
    fn list(&self, url: &str) -> io::Result<Vec<Listed>> {
        let _ = url;
        Err(io::Error::new(io::ErrorKind::Unsupported, "directories cannot be listed there"))
    }
}

/// A file or directory in a directory of a [`Protocol`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Listed {
    /// Its name there, without the path.
    pub name: String,
    /// Whether it is a directory.
    pub is_directory: bool,
    /// The size of a file in bytes, where the directory says it.
    pub size: Option<u64>,
}

static PROTOCOLS: RwLock<BTreeMap<String, Arc<dyn Protocol>>> = RwLock::new(BTreeMap::new());

/// Registers what opens the URLs of `scheme` (`s3`, without `://`) in this process. The last one that was registered
/// counts.
pub fn register(scheme: &str, protocol: Arc<dyn Protocol>) {
    let mut protocols = PROTOCOLS.write().unwrap_or_else(PoisonError::into_inner);
    protocols.insert(scheme.to_ascii_lowercase(), protocol);
}

/// The scheme of a URL; `None` for what is a path.
fn scheme_of(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once("://")?;
    let is_scheme = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    // One letter would be a drive.
    (is_scheme && scheme.len() > 1).then_some(scheme)
}

/// The URL that a path is, if it leads out of the file system.
pub(crate) fn url_of(path: &Path) -> Option<&str> {
    let text = path.to_str()?;
    scheme_of(text).filter(|scheme| !scheme.eq_ignore_ascii_case("file")).map(|_| text)
}

/// Schemes whose URLs say before an `@` what is no secret: the user that a file is read as, or the container that it is in.
const WITH_USER: [&str; 6] = ["abfs", "abfss", "root", "roots", "xroot", "xroots"];

/// Returns a URL without what may be secret: a query, a password, and a user, which may be a token. What is not a URL stays as
/// it is.
pub fn without_secrets(text: &str) -> String {
    let is_remote = url_of(Path::new(text)).is_some();
    let Some((scheme, rest)) = text.split_once("://").filter(|_| is_remote) else { return text.to_owned() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = match authority.rsplit_once('@') {
        Some((user, _)) if WITH_USER.contains(&&*scheme.to_ascii_lowercase()) && !user.contains(':') => {
            authority
        }
        Some((_, host)) => host,
        None => authority,
    };
    format!("{scheme}://{authority}{path}")
}

/// What errors call a file: its path, or its URL without what may be secret.
pub(crate) fn shown(path: &Path) -> String {
    url_of(path).map_or_else(|| path.display().to_string(), without_secrets)
}

/// The path of a `file:` URL, and any other path as it is.
///
/// # Errors
/// The URL names another machine, or an escape in it is damaged.
pub fn local_path(path: &Path) -> io::Result<PathBuf> {
    let url = path.to_str().and_then(|text| text.split_once(':'));
    let Some((_, rest)) =
        url.filter(|(scheme, rest)| scheme.eq_ignore_ascii_case("file") && rest.starts_with('/'))
    else {
        return Ok(path.to_owned());
    };
    // `file:/data/x`, `file:///data/x` and `file://localhost/data/x` are the same.
    let rest = rest.strip_prefix("//").map_or(rest, |rest| rest.strip_prefix("localhost").unwrap_or(rest));
    if !rest.starts_with('/') {
        let message = "a file: URL needs an absolute path: file:///data/events.root";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
    let escape =
        || io::Error::new(io::ErrorKind::InvalidInput, "after % in a URL there must be two hex digits");
    let mut bytes = Vec::with_capacity(rest.len());
    let mut parts = rest.split('%');
    bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.chars().all(|c| c.is_ascii_hexdigit()));
        let digits = digits.ok_or_else(escape)?;
        bytes.push(u8::from_str_radix(digits, 16).map_err(|_| escape())?);
        bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
    }
    let path = String::from_utf8(bytes).map_err(|_| escape())?;
    Ok(PathBuf::from(path))
}

/// What was registered for the scheme of a URL.
///
/// # Errors
/// Nothing was.
pub(crate) fn protocol_of(url: &str) -> io::Result<Arc<dyn Protocol>> {
    let scheme = scheme_of(url).unwrap_or_default().to_ascii_lowercase();
    let protocols = PROTOCOLS.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(protocol) = protocols.get(&scheme) {
        return Ok(protocol.clone());
    }
    let advice = match &*scheme {
        "http" | "https" | "s3" | "s3a" | "gs" | "az" | "azure" | "abfs" | "abfss" | "adl" => {
            "call `rntuple_object_store::register()` at the start of the program (crate rntuple-object-store)"
        }
        "root" | "roots" | "xroot" | "xroots" => {
            "call `rntuple_xrootd::register()` at the start of the program (crate rntuple-xrootd)"
        }
        _ => "`rntuple::storage::register` says what opens them",
    };
    let message = format!("no storage is registered for {scheme}:// URLs: {advice}");
    Err(io::Error::new(io::ErrorKind::Unsupported, message))
}

/// Opens the file at a path or a URL for reading.
///
/// # Errors
/// It cannot be opened.
pub(crate) fn open(path: &Path) -> io::Result<Arc<dyn ReadAt>> {
    open_listed(path, None)
}

/// Opens a file as [`open`], of which a list may have said the size.
///
/// # Errors
/// It cannot be opened.
pub(crate) fn open_listed(path: &Path, size: Option<u64>) -> io::Result<Arc<dyn ReadAt>> {
    match (url_of(path), size) {
        (Some(url), Some(size)) => protocol_of(url)?.open_sized(url, size),
        (Some(url), None) => protocol_of(url)?.open(url),
        (None, _) => Ok(Arc::new(LocalFile::open(local_path(path)?)?)),
    }
}

/// Creates the file at a URL.
pub(super) fn create(url: &str, is_new: bool) -> io::Result<Box<dyn WriteAt>> {
    protocol_of(url)?.create(url, is_new)
}

impl fmt::Debug for dyn Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Protocol")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_not_paths() {
        for url in ["s3://bucket/a.root", "root://host:1094//a.root", "HTTPS://host/a b.root"] {
            assert_eq!(url_of(Path::new(url)), Some(url));
        }
        for path in ["events.root", "/data/run:1/a.root", "a/://b", "c://x", "://x", "file:///a", "1s://x"] {
            assert_eq!(url_of(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn secrets_of_urls_are_not_shown() {
        for (path, text) in [
            ("https://host/a.root?authz=SECRET", "https://host/a.root"),
            ("https://me:SECRET@host:1/a@b.root#SECRET", "https://host:1/a@b.root"),
            ("https://SECRET@host/a.root", "https://host/a.root"),
            ("https://host?SECRET", "https://host"),
            ("s3://key:SEC@RET@bucket/a", "s3://bucket/a"),
            ("s3://bucket", "s3://bucket"),
            ("root://me@host//a.root?cap.sym=SECRET", "root://me@host//a.root"),
            ("ROOT://me@host//a.root", "ROOT://me@host//a.root"),
            ("root://me:SECRET@host//a.root", "root://host//a.root"),
            (
                "abfss://container@account.dfs.core.windows.net/a",
                "abfss://container@account.dfs.core.windows.net/a",
            ),
            ("data/what?.root", "data/what?.root"),
            ("/data/a@b?.root", "/data/a@b?.root"),
            ("file:///data/a@b?.root", "file:///data/a@b?.root"),
        ] {
            assert_eq!(shown(Path::new(path)), text);
        }
        let error = crate::RootFile::open("none://host/a.root?authz=SECRET").unwrap_err();
        assert!(error.to_string().starts_with("none://host/a.root: "), "{error}");
    }

    #[test]
    fn file_urls_are_paths() {
        let path = |url: &str| local_path(Path::new(url)).map(|path| path.display().to_string());
        assert_eq!(path("file:///data/a%20b%25.root").unwrap(), "/data/a b%.root");
        assert_eq!(path("FILE://localhost/data/x").unwrap(), "/data/x");
        assert_eq!(path("file:/data/a%20b.root").unwrap(), "/data/a b.root");
        assert_eq!(path("file:data/x").unwrap(), "file:data/x");
        assert_eq!(path("data/100%.root").unwrap(), "data/100%.root");
        for bad in
            ["file://elsewhere/a", "file://a.root", "file:///%", "file:///%4", "file:///%zz", "file:///%ff"]
        {
            assert_eq!(path(bad).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{bad}");
        }
    }

    #[test]
    fn what_is_not_registered_is_an_error_with_advice() {
        let error = open(Path::new("s3://bucket/a.root")).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("rntuple_object_store::register()"), "{error}");
        let error = open(Path::new("gopher://host/a.root")).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("gopher://"), "{error}");
    }
}
