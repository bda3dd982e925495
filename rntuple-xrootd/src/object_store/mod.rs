//! Servers as an [`ObjectStore`], for engines such as DataFusion.
//!
//! ```no_run
//! use object_store::{ObjectStore, ObjectStoreExt, path::Path};
//! use rntuple_xrootd::{Options, object_store::XrootdStore};
//!
//! # async fn example() -> object_store::Result<()> {
//! let store = XrootdStore::new("root://localhost:1094/", &Options::new())?;
//! let bytes = store.get(&Path::from("data/events.root")).await?.bytes().await?;
//! # Ok(())
//! # }
//! ```

use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::stream::{self, BoxStream, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{
    Attributes, CopyOptions, Error, GetOptions, GetResult, GetResultPayload, ListResult, MultipartUpload,
    ObjectMeta, ObjectStore, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, RenameOptions,
    RenameTargetMode, Result,
};

use self::kept::Kept;
use self::places::Places;
use self::upload::Upload;
use self::work::{NAME, run, store_error};
use crate::failure::Deadline;
use crate::file::XrootdFile;
use crate::options::Options;
use crate::paths;
use crate::url::Url;
use crate::wire::stat::Stat;
use crate::writer::{XrootdWriter, is_incomplete};

mod kept;
mod places;
mod upload;
mod work;

/// How much of an object is read before the caller takes it, in bytes.
const READ: u64 = 8 << 20;

/// Directories that are looked into for one list, as many as for a pattern of [`find_files`](rntuple::storage::find_files).
const MOST_DIRECTORIES: usize = 100_000;

/// Levels of directories below the one that is listed. A server may say that each directory has another one in it.
const MOST_LEVELS: usize = 100;

/// A directory of an XRootD server as an object store.
///
/// The e-tag of an object is made of its time, in whole seconds, and its size. Where a server redirects to one of
/// several copies, which may have other times, the store reads an object from the server that had it first: for ten
/// seconds, and after that where a request names its e-tag (`if_match`). If that fails, another copy is read, which is
/// another version if it has another time. A list, and the store of another process, may find another copy.
///
/// A file stays open for some seconds for requests that name its e-tag. With [`PutMode::Create`] the store
/// looks whether there is an object, and then renames what was written: two that do so at the same moment may both succeed,
/// and one is lost. Each request runs on a thread of the [runtime of
/// tokio](tokio::task::spawn_blocking) that is meant for such work.
///
/// Names with a question mark are not listed, and refused: for a server, what follows it is not a part of the name.
///
/// A list of all objects ([`ObjectStore::list`]) looks into up to 100 000 directories, which are up to 100 levels deep. More
/// are an error.
#[derive(Clone, Debug)]
pub struct XrootdStore {
    base: Url,
    options: Options,
    kept: Arc<Kept>,
    places: Arc<Places>,
}

impl fmt::Display for XrootdStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "XrootdStore({})", self.base)
    }
}

impl XrootdStore {
    /// Returns the store of the directory at a URL such as `root://host:1094/`. No connection is made yet.
    ///
    /// # Errors
    /// The URL is wrong.
    pub fn new(url: &str, options: &Options) -> Result<Self> {
        let base = Url::parse(url).map_err(|error| store_error("", error))?;
        Ok(Self { base, options: options.clone(), kept: Arc::default(), places: Arc::default() })
    }

    /// # Errors
    /// There is a question mark in the location. What follows it is not a part of the path for a server, which would do
    /// what it is asked for with another file.
    fn url(&self, location: &Path) -> Result<Url> {
        if location.as_ref().contains('?') {
            let text = format!("{location}: a path on a server cannot have a question mark");
            return Err(store_error(location.as_ref(), io::Error::new(io::ErrorKind::InvalidInput, text)));
        }
        let folder = self.base.path.trim_end_matches('/');
        Ok(self.base.with_path(format!("{folder}/{location}")))
    }

    /// Runs what waits for the server where it keeps no one else waiting.
    async fn run<T: Send + 'static>(
        &self,
        location: &Path,
        work: impl FnOnce(&Url, &Options) -> io::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (url, options) = (self.url(location)?, self.options.clone());
        run(location.as_ref(), move || work(&url, &options)).await
    }

    async fn open(&self, location: &Path, version: Option<String>) -> Result<Arc<XrootdFile>> {
        let (places, path) = (Arc::clone(&self.places), location.to_string());
        let open = move |url: &Url, options: &Options| {
            places.open(&path, version.as_deref(), url, options).map(Arc::new)
        };
        let file = self.run(location, open).await?;
        self.kept.put(location, &file);
        Ok(file)
    }

    /// Forgets what was read of an object that is replaced or removed: before that, and after, as it may be read
    /// meanwhile.
    fn forget(&self, location: &Path) {
        self.kept.forget(location);
        self.places.forget(location.as_ref());
    }
}

fn meta(location: Path, stat: &Stat) -> ObjectMeta {
    ObjectMeta {
        location,
        last_modified: DateTime::<Utc>::from_timestamp(stat.modified, 0).unwrap_or_default(),
        size: stat.size,
        e_tag: Some(stat.version()),
        version: None,
    }
}

/// What is in a directory, with the paths that a store has for it. Names that such paths cannot have are not in it.
fn entries(folder: &Url, prefix: &Path, options: &Options) -> io::Result<Vec<(Path, Stat)>> {
    let listed = match paths::list(folder, options) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listed => listed?,
    };
    let listed = listed.into_iter().filter(|(name, _)| !name.contains('?') && !is_incomplete(name));
    let located = listed.filter_map(|(name, stat)| {
        let path = format!("{prefix}/{name}");
        Some((Path::parse(path.trim_start_matches('/')).ok()?, stat))
    });
    Ok(located.collect())
}

/// Lists all files in and below a directory. `list` lists one directory.
fn walk(
    base: &Url,
    prefix: &Path,
    list: impl Fn(&Url, &Path) -> io::Result<Vec<(Path, Stat)>>,
) -> io::Result<Vec<ObjectMeta>> {
    let root = base.path.trim_end_matches('/');
    let url = |folder: &Path| base.with_path(format!("{root}/{folder}"));
    let beyond =
        |limit: &str| io::Error::other(format!("{}: kXR_dirlist: the list leads into {limit}", url(prefix)));
    let mut found = Vec::new();
    let mut left = vec![(prefix.clone(), 0)];
    let mut listed = 0;
    while let Some((folder, level)) = left.pop() {
        listed += 1;
        for (path, stat) in list(&url(&folder), &folder)? {
            if stat.is_directory() {
                if level == MOST_LEVELS {
                    return Err(beyond(&format!("over {MOST_LEVELS} levels of directories")));
                }
                // Those that wait count as well: one list may have millions.
                if listed + left.len() == MOST_DIRECTORIES {
                    return Err(beyond(&format!("over {MOST_DIRECTORIES} directories")));
                }
                left.push((path, level + 1));
            } else if stat.is_file() {
                found.push(meta(path, &stat));
            }
        }
    }
    Ok(found)
}

/// Writes a whole object.
fn put(url: &Url, options: &Options, is_new: bool, payload: &PutPayload) -> io::Result<Stat> {
    use rntuple::storage::WriteAt;
    let mut writer = XrootdWriter::begin(url.clone(), options, is_new)?;
    let parts: Vec<_> = payload.iter().map(|part| io::IoSlice::new(part)).collect();
    writer.write_at(0, &parts)?;
    writer.flush()?;
    writer.publish()?;
    paths::stat(url, options)
}

#[async_trait]
impl ObjectStore for XrootdStore {
    async fn put_opts(&self, location: &Path, payload: PutPayload, opts: PutOptions) -> Result<PutResult> {
        let is_new = match opts.mode {
            PutMode::Overwrite => false,
            PutMode::Create => true,
            PutMode::Update(_) => {
                return Err(Error::NotImplemented {
                    operation: "put_opts with PutMode::Update".into(),
                    implementer: NAME.into(),
                });
            }
        };
        self.forget(location);
        let written = self.run(location, move |url, options| put(url, options, is_new, &payload)).await;
        self.forget(location);
        Ok(PutResult { e_tag: Some(written?.version()), version: None })
    }

    async fn put_multipart_opts(
        &self,
        location: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        let writer =
            self.run(location, |url, options| XrootdWriter::begin(url.clone(), options, false)).await?;
        let (url, options, places) = (self.url(location)?, self.options.clone(), Arc::clone(&self.places));
        Ok(Box::new(Upload::new(writer, url, options, places, location)))
    }

    async fn get_opts(&self, location: &Path, options: GetOptions) -> Result<GetResult> {
        let file = match self.kept.find(location, &options) {
            Some(file) => file,
            None => self.open(location, options.if_match.clone()).await?,
        };
        let meta = meta(location.clone(), &file.stat());
        options.check_preconditions(&meta)?;
        let range = match &options.range {
            None => 0..meta.size,
            Some(range) => range
                .as_range(meta.size)
                .map_err(|error| Error::Generic { store: NAME, source: error.into() })?,
        };
        let left = if options.head { range.start..range.start } else { range.clone() };
        let path = location.to_string();
        let pieces = stream::try_unfold(left, move |left: Range<u64>| {
            let (file, path) = (Arc::clone(&file), path.clone());
            async move {
                if left.is_empty() {
                    return Ok(None);
                }
                let end = left.end.min(left.start.saturating_add(READ));
                let piece = left.start..end;
                let bytes = run(&path, move || file.read_one(piece)).await?;
                Ok(Some((Bytes::from(bytes), end..left.end)))
            }
        });
        let payload = GetResultPayload::Stream(pieces.boxed());
        Ok(GetResult { payload, meta, range, attributes: Attributes::new() })
    }

    async fn get_ranges(&self, location: &Path, ranges: &[Range<u64>]) -> Result<Vec<Bytes>> {
        let (ranges, places, path) = (ranges.to_vec(), Arc::clone(&self.places), location.to_string());
        let read = move |url: &Url, options: &Options| {
            let file = places.open(&path, None, url, options)?;
            let read = file.read_all(&ranges, &|_| Vec::new())?;
            Ok(read.into_iter().map(Bytes::from).collect())
        };
        self.run(location, read).await
    }

    fn delete_stream(&self, locations: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let store = self.clone();
        let removed = locations.and_then(move |location| {
            let store = store.clone();
            async move {
                let remove = |url: &Url, options: &Options| {
                    paths::remove(url, options, Deadline::after(options.timeout))
                };
                store.forget(&location);
                let removed = store.run(&location, remove).await;
                store.forget(&location);
                removed.map(|()| location)
            }
        });
        removed.boxed()
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (store, prefix) = (self.clone(), prefix.cloned().unwrap_or_default());
        let found = async move {
            store.url(&prefix)?;
            let (base, options, folder) = (store.base, store.options, prefix.clone());
            let list = move |url: &Url, folder: &Path| entries(url, folder, &options);
            let found = run(prefix.as_ref(), move || walk(&base, &folder, list)).await?;
            Ok::<_, Error>(stream::iter(found.into_iter().map(Ok)))
        };
        stream::once(found).try_flatten().boxed()
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        let prefix = prefix.cloned().unwrap_or_default();
        let folder = prefix.clone();
        let found = self.run(&prefix, move |url, options| entries(url, &folder, options)).await?;
        let (mut objects, mut common_prefixes) = (Vec::new(), Vec::new());
        for (path, stat) in found {
            match stat.is_directory() {
                true => common_prefixes.push(path),
                false => objects.push(meta(path, &stat)),
            }
        }
        Ok(ListResult { common_prefixes, objects })
    }

    async fn copy_opts(&self, _: &Path, _: &Path, _: CopyOptions) -> Result<()> {
        Err(Error::NotImplemented { operation: "copy".into(), implementer: NAME.into() })
    }

    async fn rename_opts(&self, from: &Path, to: &Path, options: RenameOptions) -> Result<()> {
        let target = self.url(to)?;
        let may_replace = matches!(options.target_mode, RenameTargetMode::Overwrite);
        let rename = move |url: &Url, options: &Options| match paths::exists(&target, options)? {
            true if !may_replace => Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                format!("{target}: the file exists already"),
            )),
            true => paths::replace(url, &target, None, options),
            false => paths::rename(url, &target, None, options),
        };
        [from, to].into_iter().for_each(|path| self.forget(path));
        let renamed = self.run(from, rename).await;
        [from, to].into_iter().for_each(|path| self.forget(path));
        renamed
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::wire::code::stats;

    /// Walks through directories that have in them what `inside` says: for a path its names, and whether they are directories.
    fn walked(inside: impl Fn(&str) -> Vec<(String, bool)>) -> (io::Result<Vec<ObjectMeta>>, usize) {
        let base = Url::parse("root://host//data").unwrap();
        let count = Cell::new(0);
        let found = walk(&base, &Path::from("top"), |url, folder| {
            count.set(count.get() + 1);
            assert_eq!(url.path, format!("/data/{folder}"));
            let entry = |(name, is_directory)| {
                let flags = if is_directory { stats::DIRECTORY } else { 0 };
                (Path::from(format!("{folder}/{name}")), Stat { id: None, size: 7, flags, modified: 0 })
            };
            Ok(inside(folder.as_ref()).into_iter().map(entry).collect())
        });
        (found, count.get())
    }

    #[test]
    fn a_list_ends() {
        let (found, _) = walked(|_| vec![("a".to_owned(), true), ("b".to_owned(), true)]);
        let error = found.unwrap_err().to_string();
        assert!(error.contains("root://host//data/top: ") && error.contains("over 100 levels"), "{error}");

        let wide = |count: usize| {
            walked(move |path| match path {
                "top" => (0..count).map(|number| (number.to_string(), true)).collect(),
                _ => vec![("x".to_owned(), false)],
            })
        };
        let (found, listed) = wide(MOST_DIRECTORIES - 1);
        assert_eq!((found.unwrap().len(), listed), (MOST_DIRECTORIES - 1, MOST_DIRECTORIES));
        let (found, listed) = wide(MOST_DIRECTORIES);
        assert!(found.unwrap_err().to_string().contains("over 100000 directories"));
        assert_eq!(listed, 1, "none of those is listed that are too many");
    }

    #[test]
    fn a_list_leads_into_all_levels_that_are_permitted() {
        let is_deepest = |path: &str| path.split('/').count() > MOST_LEVELS;
        let (found, listed) = walked(|path| vec![("d".to_owned(), !is_deepest(path))]);
        assert_eq!((found.unwrap().len(), listed), (1, MOST_LEVELS + 1));
    }
}
