//! Where a data set is, and its small files.

use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use futures_util::TryStreamExt as _;
use object_store::local::LocalFileSystem;
use object_store::path::Path as ObjectPath;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};

use crate::durable;
use crate::error::{Error, ErrorKind, Result};
use crate::format::names;
use crate::paths;

/// The folder of a data set: in the file system, or in an object store.
///
/// Small files are read and written through the store; data files are opened by readers of `rntuple`, at the path or
/// URL that [`data_file`](Self::data_file) returns.
#[derive(Clone)]
pub struct Location {
    store: Arc<dyn ObjectStore>,
    prefix: ObjectPath,
    /// Path or URL of the folder, without a slash at its end.
    root: String,
    is_local: bool,
    /// Why two writers could both create one file, if they could.
    race: Option<&'static str>,
}

/// The longest manifest, or other small file, that is read: one of a million files takes about a fifth of this.
const LONGEST: u64 = 1 << 30;

/// A small file, or a data file, in a folder of a data set.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its name below the folder that was listed.
    pub(crate) name: String,
    pub(crate) size: u64,
    pub(crate) modified: SystemTime,
}

impl Location {
    /// Finds the folder at a path or a URL: `events.rnds`, `s3://bucket/events.rnds`, `file:///data/events.rnds`.
    ///
    /// With the feature `xrootd`, also at `root://host//data/events.rnds`, with the default options of
    /// `rntuple_xrootd`. A program that reads data files there registers that crate too. Versions are committed there
    /// [through a store of manifests](crate::Log::with_manifest_store), since servers of XRootD may let two writers
    /// create one file.
    ///
    /// # Errors
    /// The URL is of no store that is known, or the store's configuration is incomplete; or a `file:` URL names another
    /// machine.
    pub fn new(url: &str) -> Result<Self> {
        Self::with_options(url, &rntuple_object_store::Options::new())
    }

    /// Finds a folder as [`new`](Self::new) does, with the configuration of its store.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_options(url: &str, options: &rntuple_object_store::Options) -> Result<Self> {
        let root = url.trim_end_matches('/').to_owned();
        let at = |error: io::Error| Error::from(error).in_file(&root);
        if let Some((scheme, _)) = root.split_once("://")
            && !scheme.eq_ignore_ascii_case("file")
        {
            if matches!(scheme, "root" | "roots" | "xroot" | "xroots") {
                return xrootd(root);
            }
            let (store, prefix) = rntuple_object_store::store(&root, options).map_err(at)?;
            return Ok(Self { store, prefix, root, is_local: false, race: None });
        }
        // As files are found.
        let path = rntuple::storage::local_path(Path::new(url));
        let path = path.map_err(|error| Error::invalid_argument(error.to_string()).in_file(&root))?;
        let path = without_parents(&std::path::absolute(path).map_err(at)?);
        let prefix = ObjectPath::from_absolute_path(&path);
        let prefix = prefix.map_err(|error| Error::invalid_argument(error.to_string()).in_file(&root))?;
        let root = path.to_str().map(str::to_owned);
        let root = root.ok_or_else(|| Error::invalid_argument("the path of a data set must be UTF-8"))?;
        Ok(Self { store: Arc::new(LocalFileSystem::new()), prefix, root, is_local: true, race: None })
    }

    /// Takes a folder of a store, which readers of `rntuple` reach at the URL `root`.
    pub fn in_store(store: Arc<dyn ObjectStore>, prefix: ObjectPath, root: &str) -> Self {
        let root = root.trim_end_matches('/').to_owned();
        Self { store, prefix, root, is_local: false, race: None }
    }

    /// Returns the path or URL of the folder.
    pub fn root(&self) -> &str {
        &self.root
    }

    /// Whether it is in the file system.
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Why two writers could both create one file, if they could.
    pub(crate) fn race(&self) -> Option<&'static str> {
        self.race
    }

    /// Returns the path or URL of a data file, as [`DataFile::path`](crate::format::DataFile::path) names it: below the
    /// folder of data files, unless it is absolute.
    pub fn data_file(&self, path: &str) -> String {
        match is_absolute(path) {
            true => path.to_owned(),
            false => format!("{}/{}/{path}", self.root, names::DATA),
        }
    }

    /// What the data set calls a file at an absolute path or a URL, if it is in its folder of data files.
    pub(crate) fn own_data_file(&self, path: &str) -> Option<String> {
        let folder = format!("{}/{}", self.root, names::DATA);
        if self.root.contains("://") {
            return paths::below(path, &folder);
        }
        let path = paths::local_file(path)?;
        if let Some(name) = paths::plain_below(path.to_str()?, &folder) {
            return Some(name);
        }
        // The same folder may have several paths.
        let real = |path: &Path| Some(path.canonicalize().ok()?.to_str()?.to_owned());
        paths::plain_below(&real(&path).filter(|_| self.is_local)?, &real(Path::new(&folder))?)
    }

    /// What the storage calls a file that is called `name` in a URL or a path below the folder.
    pub(crate) fn key(&self, name: &str) -> String {
        match paths::is_encoded(&self.root) {
            true => paths::decoded(name),
            false => name.to_owned(),
        }
    }

    /// Whether a file that is listed below the folder is in it. In a file system, it may be in another one to which a link
    /// leads, or be a link.
    pub(crate) fn is_inside(&self, name: &str) -> bool {
        let root = Path::new(&self.root);
        let real = |path: &Path| path.canonicalize().ok();
        // Part by part: after `\\?\`, Windows has no other separator than its own.
        let below = |folder: PathBuf| name.split('/').fold(folder, |path, part| path.join(part));
        !self.is_local || real(root).is_some_and(|folder| real(&root.join(name)) == Some(below(folder)))
    }

    /// Makes the folders that the file system needs before files are in them.
    pub(crate) fn prepare(&self) -> Result<()> {
        [names::DATA, names::STATISTICS].iter().try_for_each(|folder| self.prepare_folder(folder))
    }

    /// Makes a folder that the file system needs before files are in it.
    pub(crate) fn prepare_folder(&self, folder: &str) -> Result<()> {
        let folder = Path::new(&self.root).join(folder);
        match self.is_local {
            true => durable::create_folder(&folder)
                .map_err(|error| Error::from(error).in_file(folder.display().to_string())),
            false => Ok(()),
        }
    }

    /// Makes the folder that the file system needs before a file of this name is there.
    pub(crate) fn prepare_for(&self, name: &str) -> Result<()> {
        name.rsplit_once('/').map_or(Ok(()), |(folder, _)| self.prepare_folder(folder))
    }

    /// Removes a folder that the file system has, if it is empty. One that stays does no harm.
    pub(crate) fn delete_folder(&self, folder: &str) {
        if self.is_local {
            let _ = std::fs::remove_dir(Path::new(&self.root).join(folder));
        }
    }

    fn path(&self, name: &str) -> Result<ObjectPath> {
        // A path that is joined from parts has them escaped.
        let path = match self.prefix.as_ref() {
            "" => ObjectPath::parse(name),
            prefix => ObjectPath::parse(format!("{prefix}/{name}")),
        };
        path.map_err(|error| Error::invalid_argument(error.to_string()).in_file(self.place(name)))
    }

    fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    fn fail(&self, name: &str, error: &object_store::Error) -> Error {
        let found = match error {
            object_store::Error::NotFound { .. } => {
                io::Error::new(io::ErrorKind::NotFound, reason(error)).into()
            }
            object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
                io::Error::new(io::ErrorKind::PermissionDenied, reason(error)).into()
            }
            object_store::Error::NotImplemented { .. } | object_store::Error::NotSupported { .. } => {
                Error::unsupported(reason(error))
            }
            _ => Error::new(ErrorKind::Io, reason(error)),
        };
        found.in_file(self.place(name))
    }

    /// Reads a small file.
    pub(crate) async fn get(&self, name: &str) -> Result<Vec<u8>> {
        let found = self.store.get(&self.path(name)?).await.map_err(|error| self.fail(name, &error))?;
        // It would be in memory at once.
        if found.meta.size > LONGEST {
            let message = format!("the file has {} bytes, expected at most {LONGEST}", found.meta.size);
            return Err(Error::limit(message).in_file(self.place(name)));
        }
        found.bytes().await.map(Vec::from).map_err(|error| self.fail(name, &error))
    }

    /// Reads a small file; `None`: there is none.
    pub(crate) async fn find(&self, name: &str) -> Result<Option<Vec<u8>>> {
        match self.get(name).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether there is a file.
    pub(crate) async fn has(&self, name: &str) -> Result<bool> {
        match self.store.head(&self.path(name)?).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::NotFound { .. }) => Ok(false),
            Err(error) => Err(self.fail(name, &error)),
        }
    }

    /// Returns when a file was written, by the clock of the storage.
    pub(crate) async fn modified(&self, name: &str) -> Result<SystemTime> {
        let found = self.store.head(&self.path(name)?).await;
        found.map(|meta| meta.last_modified.into()).map_err(|error| self.fail(name, &error))
    }

    /// Writes a small file, in place of what is there. In a file system, it is on the medium then.
    pub(crate) async fn put(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        match self.is_local {
            true => self.write(name, bytes, false).await.map(drop),
            false => self.put_passing(name, bytes).await,
        }
    }

    /// Writes a small file that may get lost with the power, in place of what is there.
    pub(crate) async fn put_passing(&self, name: &str, bytes: Vec<u8>) -> Result<()> {
        let put = self.store.put(&self.path(name)?, PutPayload::from(bytes)).await;
        put.map(|_| ()).map_err(|error| self.fail(name, &error))
    }

    /// Writes a small file where there is none; `false`: there was one. In a file system, it is on the medium then.
    pub(crate) async fn put_new(&self, name: &str, bytes: Vec<u8>) -> Result<bool> {
        if self.is_local {
            return self.write(name, bytes, true).await;
        }
        let options = PutOptions::from(PutMode::Create);
        match self.store.put_opts(&self.path(name)?, PutPayload::from(bytes), options).await {
            Ok(_) => Ok(true),
            Err(object_store::Error::AlreadyExists { .. } | object_store::Error::Precondition { .. }) => {
                Ok(false)
            }
            Err(error) => Err(self.fail(name, &error)),
        }
    }

    /// Writes a small file of the file system: `object_store` does not wait until it is on the medium.
    async fn write(&self, name: &str, bytes: Vec<u8>, is_new: bool) -> Result<bool> {
        self.path(name)?;
        self.blocking(name, move |path| durable::write(path, &bytes, is_new)).await
    }

    /// Waits until a small file, which another program may have written, is on the medium of the file system.
    pub(crate) async fn sync(&self, name: &str) -> Result<()> {
        match self.is_local {
            true => self.blocking(name, durable::sync).await,
            false => Ok(()),
        }
    }

    /// Works on a file of the file system, on a thread that may be blocked.
    async fn blocking<T: Send + 'static>(
        &self,
        name: &str,
        work: impl FnOnce(&Path) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let path = Path::new(&self.root).join(name);
        let done = match tokio::runtime::Handle::try_current() {
            Ok(runtime) => {
                let done = runtime.spawn_blocking(move || work(&path)).await;
                done.unwrap_or_else(|error| Err(io::Error::other(error)))
            }
            Err(_) => work(&path),
        };
        done.map_err(|error| Error::from(error).in_file(self.place(name)))
    }

    /// Removes a file; none is there afterwards.
    pub(crate) async fn delete(&self, name: &str) -> Result<()> {
        match self.store.delete(&self.path(name)?).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(self.fail(name, &error)),
        }
    }

    /// Small files in a folder of the file system that were being written when a program died, or are being written now: `name#1`.
    /// The store does not list them.
    pub(crate) fn half_written(&self, folder: &str) -> Vec<Found> {
        let path = Path::new(&self.root).join(folder);
        let entries = self.is_local.then(|| std::fs::read_dir(path).ok()).flatten();
        let found = |entry: std::fs::DirEntry| {
            let (name, metadata) = (entry.file_name().into_string().ok()?, entry.metadata().ok()?);
            // As the store recognises them: it lists `run#2#1`, which may be a data file.
            let (_, number) = name.split_once('#')?;
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            let modified = metadata.modified().ok().filter(|_| is_number && metadata.is_file())?;
            Some(Found { name, size: metadata.len(), modified })
        };
        entries.into_iter().flatten().filter_map(|entry| found(entry.ok()?)).collect()
    }

    /// Removes a file that is [half written](Self::half_written); none is there afterwards.
    pub(crate) fn delete_half_written(&self, name: &str) -> Result<()> {
        match std::fs::remove_file(Path::new(&self.root).join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(Error::from(error).in_file(self.place(name)))
            }
            _ => Ok(()),
        }
    }

    /// Lists the files of a folder, and of those in it, in no order. A folder that does not exist is empty.
    pub(crate) async fn list(&self, folder: &str) -> Result<Vec<Found>> {
        let path = self.path(folder)?;
        let found = |meta: ObjectMeta| {
            let name = meta.location.as_ref().strip_prefix(path.as_ref())?.strip_prefix('/')?.to_owned();
            Some(Found { name, size: meta.size, modified: meta.last_modified.into() })
        };
        let listed: Vec<ObjectMeta> = match self.store.list(Some(&path)).try_collect().await {
            Ok(listed) => listed,
            Err(object_store::Error::NotFound { .. }) => Vec::new(),
            Err(error) => return Err(self.fail(folder, &error)),
        };
        Ok(listed.into_iter().filter_map(found).collect())
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Location").field(&self.root).finish()
    }
}

#[cfg(feature = "xrootd")]
fn xrootd(root: String) -> Result<Location> {
    let store = rntuple_xrootd::object_store::XrootdStore::new(&root, &rntuple_xrootd::Options::new());
    let store = store.map_err(|error| Error::invalid_argument(error.to_string()).in_file(&root))?;
    Ok(Location {
        store: Arc::new(store),
        prefix: ObjectPath::default(),
        root,
        is_local: false,
        race: Some("a server of XRootD looks for the target before it renames a file, and not in one step"),
    })
}

#[cfg(not(feature = "xrootd"))]
fn xrootd(root: String) -> Result<Location> {
    let message = "data sets at root:// need the feature `xrootd` of rntuple-dataset";
    Err(Error::unsupported(message).in_file(root))
}

/// Whether a path or a URL needs no folder in front of it.
pub(crate) fn is_absolute(path: &str) -> bool {
    path.contains("://") || Path::new(path).is_absolute()
}

/// The name of the statistics of a data file, below the folder of the data set.
pub(crate) fn statistics_of(path: &str) -> String {
    match is_absolute(path) {
        true => names::statistics_elsewhere(path),
        false => names::statistics(path),
    }
}

/// An absolute path without `..`, which stores refuse.
fn without_parents(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            // The parent of where a link leads to.
            found = found.canonicalize().unwrap_or(found);
            found.pop();
        } else {
            found.push(part);
        }
    }
    found
}

/// What a store says, without the causes that it repeats.
fn reason(error: &object_store::Error) -> String {
    let text = error.to_string();
    let mut deepest: &dyn std::error::Error = error;
    while let Some(source) = deepest.source() {
        deepest = source;
    }
    let cause = deepest.to_string();
    match text.contains(&cause) {
        true => text,
        false => format!("{text}: {cause}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_are_found() {
        let directory = tempfile::tempdir().unwrap();
        let directory = directory.path().canonicalize().unwrap();
        std::fs::create_dir_all(directory.join("a/b")).unwrap();
        let root =
            |path: &str| Location::new(directory.join(path).to_str().unwrap()).unwrap().root().to_owned();
        let wanted = directory.join("events.rnds").to_str().unwrap().to_owned();
        for path in ["events.rnds", "a/../events.rnds", "./a/b/../../events.rnds", "none/../events.rnds"] {
            assert_eq!(root(path), wanted, "{path}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(directory.join("a/b"), directory.join("link")).unwrap();
            assert_eq!(root("link/../../events.rnds"), wanted);
        }
    }

    #[cfg(unix)]
    #[test]
    fn file_urls_are_paths() {
        for url in [
            "/data/my set.rnds",
            "file:///data/my%20set.rnds",
            "file:/data/my%20set.rnds/",
            "FILE://localhost/data/./my%20set.rnds",
        ] {
            let location = Location::new(url).unwrap();
            assert_eq!((location.root(), location.is_local()), ("/data/my set.rnds", true), "{url}");
        }
        for url in ["file://elsewhere/data/x.rnds", "file:///data/%zz.rnds"] {
            assert_eq!(Location::new(url).unwrap_err().kind(), ErrorKind::InvalidArgument, "{url}");
        }
    }
}
