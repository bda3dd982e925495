//! Stores that do not take what is written.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use datafusion::execution::object_store::ObjectStoreUrl;
use futures_util::stream::BoxStream;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta, ObjectStore,
    PutMultipartOptions, PutOptions, PutPayload, PutResult, Result, UploadPart,
};
use rntuple_datafusion::TableOptions;

use crate::sample::{context, tables, write};

/// How many uploads were begun, and aborted.
#[derive(Debug, Default)]
struct Uploads {
    begun: AtomicUsize,
    aborted: AtomicUsize,
}

impl Uploads {
    fn counts(&self) -> (usize, usize) {
        (self.begun.load(Ordering::SeqCst), self.aborted.load(Ordering::SeqCst))
    }
}

/// A store that takes no part of an object.
#[derive(Debug)]
struct Full {
    objects: InMemory,
    uploads: Arc<Uploads>,
    /// How many uploads are begun before it says so, by an error for those of run 1. The others never get an answer.
    patience: usize,
}

impl fmt::Display for Full {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Full")
    }
}

#[derive(Debug)]
struct Upload {
    uploads: Arc<Uploads>,
    patience: usize,
    is_silent: bool,
}

#[async_trait::async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, _: PutPayload) -> UploadPart {
        let (uploads, patience, is_silent) = (self.uploads.clone(), self.patience, self.is_silent);
        Box::pin(async move {
            while is_silent || uploads.counts().0 < patience {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            Err(Error::Generic { store: "Full", source: "no space".into() })
        })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        Ok(PutResult { e_tag: None, version: None })
    }

    async fn abort(&mut self) -> Result<()> {
        self.uploads.aborted.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }
}

#[async_trait::async_trait]
impl ObjectStore for Full {
    async fn put_opts(&self, path: &Path, payload: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.objects.put_opts(path, payload, options).await
    }

    async fn put_multipart_opts(
        &self,
        path: &Path,
        _: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.uploads.begun.fetch_add(1, Ordering::SeqCst);
        let is_silent = path.as_ref().contains("run=") && !path.as_ref().contains("run=1");
        Ok(Box::new(Upload { uploads: self.uploads.clone(), patience: self.patience, is_silent }))
    }

    async fn get_opts(&self, path: &Path, options: GetOptions) -> Result<GetResult> {
        self.objects.get_opts(path, options).await
    }

    fn delete_stream(&self, paths: BoxStream<'static, Result<Path>>) -> BoxStream<'static, Result<Path>> {
        self.objects.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.objects.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.objects.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.objects.copy_opts(from, to, options).await
    }
}

/// Copies the sample to a place in such a store. Returns what became of the uploads.
async fn copy(to: &str, patience: usize) -> (usize, usize) {
    let folder = tempfile::tempdir().unwrap();
    let paths = write(folder.path());
    let context = context(1, 50);
    tables(&context, &paths, TableOptions::new()).await;
    let uploads = Arc::<Uploads>::default();
    let store = Full { objects: InMemory::new(), uploads: uploads.clone(), patience };
    context.register_object_store(ObjectStoreUrl::parse("memory://files").unwrap().as_ref(), Arc::new(store));
    let query = format!("COPY (SELECT number, run FROM events) TO 'memory://files/{to}");
    let error = context.sql(&query).await.unwrap().collect().await.unwrap_err().to_string();
    assert!(error.contains("no space"), "{error}");
    // Those of other files are aborted by tasks.
    let begun = Instant::now();
    loop {
        let (all, aborted) = uploads.counts();
        if all == aborted || begun.elapsed() > Duration::from_secs(20) {
            return (all, aborted);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// The last part of a file, which is the only one here.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upload_whose_last_part_fails_is_aborted() {
    assert_eq!(copy("skim.root'", 1).await, (1, 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_of_other_files_are_aborted_too() {
    let to = "parts/' STORED AS ROOT PARTITIONED BY (run)";
    assert_eq!(copy(to, 3).await, (3, 3));
}
