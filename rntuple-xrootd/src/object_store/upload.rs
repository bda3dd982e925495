//! An object that is written in parts.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use object_store::path::Path;
use object_store::{MultipartUpload, PutPayload, PutResult, Result, UploadPart};
use rntuple::storage::WriteAt;
use tokio::runtime::Handle;

use super::places::Places;
use super::work::run;
use crate::locks::lock;
use crate::options::Options;
use crate::paths;
use crate::url::Url;
use crate::writer::XrootdWriter;

/// Parts, each written at its offset, of a file that has its name once it is complete.
pub(super) struct Upload {
    file: Arc<Mutex<Unfinished>>,
    /// Where the next part begins.
    length: u64,
    url: Url,
    options: Options,
    places: Arc<Places>,
    path: String,
}

struct Unfinished {
    /// `None` once it is complete, or given up.
    writer: Option<XrootdWriter>,
    /// Bytes of the parts that were written. A part that failed, or whose future was dropped, leaves a hole.
    written: u64,
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload")
            .field("path", &self.path)
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

impl Upload {
    pub(super) fn new(
        writer: XrootdWriter,
        url: Url,
        options: Options,
        places: Arc<Places>,
        path: &Path,
    ) -> Self {
        let file = Arc::new(Mutex::new(Unfinished { writer: Some(writer), written: 0 }));
        Self { file, length: 0, url, options, places, path: path.to_string() }
    }
}

/// A writer that is dropped removes its file, and waits for the server: that keeps no other task of the runtime
/// waiting.
impl Drop for Upload {
    fn drop(&mut self) {
        if let Ok(runtime) = Handle::try_current() {
            let file = Arc::clone(&self.file);
            runtime.spawn_blocking(move || drop(lock(&file).writer.take()));
        }
    }
}

fn ended() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "the upload is complete, or was given up")
}

#[async_trait]
impl MultipartUpload for Upload {
    fn put_part(&mut self, data: PutPayload) -> UploadPart {
        let (file, offset, path) = (Arc::clone(&self.file), self.length, self.path.clone());
        let length = data.content_length() as u64;
        self.length = self.length.saturating_add(length);
        let write = move || {
            let parts: Vec<_> = data.iter().map(|part| io::IoSlice::new(part)).collect();
            let mut file = lock(&file);
            file.writer.as_mut().ok_or_else(ended)?.write_at(offset, &parts)?;
            file.written = file.written.saturating_add(length);
            Ok(())
        };
        Box::pin(async move { run(&path, write).await })
    }

    async fn complete(&mut self) -> Result<PutResult> {
        let (file, url, options) = (Arc::clone(&self.file), self.url.clone(), self.options.clone());
        let (length, places, path) = (self.length, Arc::clone(&self.places), self.path.clone());
        let publish = move || {
            let mut file = lock(&file);
            if file.writer.is_some() && file.written != length {
                let text =
                    format!("{url}: of the {length} bytes of all parts, {} were written", file.written);
                return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
            }
            let mut writer = file.writer.take().ok_or_else(ended)?;
            writer.flush()?;
            let published = writer.publish();
            // It may be on another server now, also where it is not known whether it was published.
            places.forget(&path);
            published?;
            paths::stat(&url, &options)
        };
        let stat = run(&self.path, publish).await?;
        Ok(PutResult { e_tag: Some(stat.version()), version: None })
    }

    async fn abort(&mut self) -> Result<()> {
        let file = Arc::clone(&self.file);
        let remove = move || {
            drop(lock(&file).writer.take());
            Ok(())
        };
        run(&self.path, remove).await
    }
}
