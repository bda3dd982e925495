//! A data set in a store in memory, whose data files are opened by URL, and stores that fail.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use futures_util::stream::{BoxStream, StreamExt as _};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    ObjectStoreExt as _, PutMode, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use rntuple::storage::{Protocol, ReadAt, WriteAt};
use rntuple_dataset::Location;

/// Returns a store of the scheme `memory`, which may fail, and the folder of a data set in it. Names are used once. URLs
/// of the shelf `alias-of-{name}` lead to the same files.
pub(crate) fn shelf(name: &str) -> (Arc<Faulty>, Location) {
    static SHELVES: Mutex<BTreeMap<String, Arc<Faulty>>> = Mutex::new(BTreeMap::new());

    /// Opens `memory://shelf/path`.
    struct Shelves;

    impl Shelves {
        fn find(url: &str) -> io::Result<(Arc<Faulty>, Path)> {
            // As in a URL that is signed, a query is not a part of the name.
            let url = url.split('?').next().unwrap();
            let (shelf, path) = url.trim_start_matches("memory://").split_once('/').unwrap();
            let store = SHELVES.lock().unwrap().get(shelf).cloned().ok_or(io::ErrorKind::NotFound)?;
            Ok((store, Path::from(path)))
        }
    }

    impl Protocol for Shelves {
        fn open(&self, url: &str) -> io::Result<Arc<dyn ReadAt>> {
            let (store, path) = Self::find(url)?;
            let bytes = wait(async move { store.get(&path).await?.bytes().await })?;
            Ok(Arc::new(bytes.to_vec()))
        }

        fn create(&self, url: &str, _: bool) -> io::Result<Box<dyn WriteAt>> {
            let (store, path) = Self::find(url)?;
            Ok(Box::new(File { store, path, bytes: Vec::new() }))
        }
    }

    let store = Arc::new(Faulty::default());
    for name in [name.to_owned(), format!("alias-of-{name}")] {
        assert!(SHELVES.lock().unwrap().insert(name, store.clone()).is_none());
    }
    rntuple::storage::register("memory", Arc::new(Shelves));
    let root = format!("memory://{name}/events.rnds");
    let location = Location::in_store(store.clone(), Path::from("events.rnds"), &root);
    (store, location)
}

fn wait<T: Send + 'static>(work: impl Future<Output = Result<T>> + Send + 'static) -> io::Result<T> {
    rntuple_object_store::wait(async move { work.await.map_err(io::Error::from) })
}

/// A file that is put into a store once it is written.
struct File {
    store: Arc<Faulty>,
    path: Path,
    bytes: Vec<u8>,
}

impl WriteAt for File {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        let mut at = offset as usize;
        for part in parts {
            let end = at + part.len();
            self.bytes.resize(self.bytes.len().max(end), 0);
            self.bytes[at..end].copy_from_slice(part);
            at = end;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn publish(&mut self) -> io::Result<()> {
        let (store, path, bytes) = (self.store.clone(), self.path.clone(), std::mem::take(&mut self.bytes));
        wait(async move { store.put(&path, bytes.into()).await }).map(drop)
    }
}

/// What a store does wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// A call does nothing, and is an error.
    Fails,
    /// A call does what it should, and is an error.
    Forgets,
    /// A call does what it should, is an error to the client, and is made again by it: as object stores' clients do.
    Repeats,
    /// A call does what it should and is an error, and all calls after it fail.
    Dies,
}

/// A store in memory, one of whose calls goes wrong.
#[derive(Debug, Default)]
pub(crate) struct Faulty {
    inner: InMemory,
    /// Calls until that one; 0: none.
    left: AtomicUsize,
    fault: Mutex<Option<Fault>>,
    /// Whether all calls fail.
    is_down: AtomicBool,
    /// What is done where nothing may be there.
    create: Mutex<Create>,
    /// Whether the next file of a kind waits before it is put, and a part of its name.
    stall: AtomicU8,
    stalls: Mutex<&'static str>,
    /// How late the clock is, in seconds, and how late it was when files were put.
    delay: AtomicU32,
    delays: Mutex<BTreeMap<Path, u32>>,
}

/// The next file is put at once.
const NO_STALL: u8 = 0;
/// It will wait.
const ARMED: u8 = 1;
/// It waits.
const STALLED: u8 = 2;

/// How a store creates a file that may exist.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Create {
    #[default]
    Works,
    Overwrites,
    IsMissing,
}

impl Faulty {
    /// Has the call of this number go wrong, from now on and from 1.
    pub(crate) fn fail(&self, call: usize, fault: Fault) {
        *self.fault.lock().unwrap() = Some(fault);
        self.left.store(call, Ordering::SeqCst);
    }

    /// Has no more calls go wrong; returns whether the call was never made.
    pub(crate) fn heal(&self) -> bool {
        self.left.swap(0, Ordering::SeqCst) > 0
    }

    /// Has all calls fail, or no more.
    pub(crate) fn set_down(&self, is_down: bool) {
        self.is_down.store(is_down, Ordering::SeqCst);
    }

    pub(crate) fn set_create(&self, create: Create) {
        *self.create.lock().unwrap() = create;
    }

    /// Has the next file with this in its name wait before it is put.
    pub(crate) fn stall(&self, name: &'static str) {
        *self.stalls.lock().unwrap() = name;
        self.stall.store(ARMED, Ordering::SeqCst);
    }

    /// Returns when a file waits.
    pub(crate) fn wait_for_stall(&self) {
        while self.stall.load(Ordering::SeqCst) != STALLED {
            std::thread::yield_now();
        }
    }

    /// Has the file that waits be put.
    pub(crate) fn release(&self) {
        self.stall.store(NO_STALL, Ordering::SeqCst);
    }

    /// Has all files be older by some seconds.
    pub(crate) fn age(&self, seconds: u32) {
        self.delays.lock().unwrap().values_mut().for_each(|delay| *delay += seconds);
    }

    /// Has the clock be late by some seconds, for files that are put from now on.
    pub(crate) fn set_delay(&self, seconds: u32) {
        self.delay.store(seconds, Ordering::SeqCst);
    }

    /// The store itself.
    pub(crate) fn inner(&self) -> &InMemory {
        &self.inner
    }

    /// Whether this call goes wrong, and how.
    fn call(&self) -> Option<Fault> {
        if self.is_down.load(Ordering::SeqCst) {
            return Some(Fault::Fails);
        }
        let count = |left: usize| left.checked_sub(1);
        let left = self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, count).ok()?;
        let fault = (left == 1).then(|| self.fault.lock().unwrap().unwrap());
        self.is_down.fetch_or(fault == Some(Fault::Dies), Ordering::SeqCst);
        fault
    }
}

/// A file, by the clock of the time when it was put.
fn delayed(delays: &BTreeMap<Path, u32>, mut meta: ObjectMeta) -> ObjectMeta {
    let delay = delays.get(&meta.location).copied().unwrap_or_default();
    meta.last_modified -= std::time::Duration::from_secs(delay.into());
    meta
}

fn broken() -> object_store::Error {
    object_store::Error::Generic { store: "faulty", source: "the line is broken".into() }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Faulty")
    }
}

#[async_trait::async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, path: &Path, payload: PutPayload, mut options: PutOptions) -> Result<PutResult> {
        let fault = self.call();
        if fault == Some(Fault::Fails) {
            return Err(broken());
        }
        let stalls = path.as_ref().contains(*self.stalls.lock().unwrap());
        if stalls && self.stall.compare_exchange(ARMED, STALLED, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            while self.stall.load(Ordering::SeqCst) == STALLED {
                tokio::task::yield_now().await;
            }
        }
        if options.mode == PutMode::Create {
            match *self.create.lock().unwrap() {
                Create::Works => {}
                Create::Overwrites => options.mode = PutMode::Overwrite,
                Create::IsMissing => {
                    let operation = "put_opts with PutMode::Create".to_owned();
                    return Err(object_store::Error::NotImplemented {
                        operation,
                        implementer: "faulty".to_owned(),
                    });
                }
            }
        }
        let put = self.inner.put_opts(path, payload.clone(), options.clone()).await?;
        self.delays.lock().unwrap().insert(path.clone(), self.delay.load(Ordering::SeqCst));
        match fault {
            Some(Fault::Forgets | Fault::Dies) => Err(broken()),
            Some(Fault::Repeats) => self.inner.put_opts(path, payload, options).await,
            _ => Ok(put),
        }
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(path, options).await
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        match self.call() {
            Some(Fault::Fails | Fault::Forgets | Fault::Dies) => Err(broken()),
            _ => {
                let mut found = self.inner.get_opts(path, options).await?;
                found.meta = delayed(&self.delays.lock().unwrap(), found.meta);
                Ok(found)
            }
        }
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        let fault = self.call();
        if fault == Some(Fault::Fails) {
            return futures_util::stream::once(async { Err(broken()) }).boxed();
        }
        let deleted = self.inner.delete_stream(paths);
        match fault {
            Some(Fault::Forgets | Fault::Dies) => deleted.map(|done| done.and(Err(broken()))).boxed(),
            _ => deleted,
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        match self.call() {
            Some(Fault::Fails | Fault::Forgets | Fault::Dies) => {
                futures_util::stream::once(async { Err(broken()) }).boxed()
            }
            _ => {
                let delays = self.delays.lock().unwrap().clone();
                let delayed = move |meta: Result<ObjectMeta>| meta.map(|meta| delayed(&delays, meta));
                self.inner.list(prefix).map(delayed).boxed()
            }
        }
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        match self.call() {
            Some(Fault::Fails) => Err(broken()),
            _ => self.inner.copy_opts(from, to, options).await,
        }
    }
}
