//! A file that is sent to a store, in parts.

use std::fs::File;
use std::io::Read as _;
use std::path::Path as FilePath;

use datafusion::common::Result;
use datafusion::common::runtime::JoinSet;
use object_store::path::Path;
use object_store::{MultipartUpload, ObjectStore, PutMultipartOptions};
use tokio::runtime::Handle;

use crate::error::joined;

/// Bytes that are sent to a store at once, at least.
const PART: u64 = 8 << 20;

/// The most parts that an object may have: on S3, which permits the fewest.
const MOST_PARTS: u64 = 10_000;

/// Parts of a file that are sent at once.
const AT_ONCE: usize = 2;

/// Parts that are on their way.
type Parts = JoinSet<object_store::Result<()>>;

/// An upload that was begun. A store would keep the parts that it has, and may charge for them: unless it is complete,
/// it is aborted.
struct Upload {
    /// `None` once it is complete, or aborted.
    upload: Option<Box<dyn MultipartUpload>>,
    parts: Parts,
}

/// Sends a file to a store, where it is visible once it is complete.
///
/// # Errors
/// The file cannot be read, or the store does not take it. Then the store keeps nothing of it.
pub(super) async fn send(from: &FilePath, store: &dyn ObjectStore, to: &Path) -> Result<()> {
    let upload = store.put_multipart_opts(to, PutMultipartOptions::default()).await?;
    let mut upload = Upload { upload: Some(upload), parts: JoinSet::new() };
    let done = upload.send(from).await;
    if done.is_err() {
        // A program that ends after this error would end before a task that aborts it.
        if let Some(begun) = &mut upload.upload {
            abort(begun.as_mut(), &mut upload.parts).await;
        }
        upload.upload = None;
    }
    done
}

impl Upload {
    async fn send(&mut self, from: &FilePath) -> Result<()> {
        let Self { upload: Some(upload), parts } = self else { return Ok(()) };
        let file = File::open(from)?;
        let size = part_size(file.metadata()?.len());
        loop {
            let mut bytes = Vec::new();
            (&file).take(size).read_to_end(&mut bytes)?;
            if bytes.is_empty() {
                break;
            }
            settle(parts, AT_ONCE - 1).await?;
            parts.spawn(upload.put_part(bytes.into()));
        }
        settle(parts, 0).await?;
        upload.complete().await?;
        self.upload = None;
        Ok(())
    }
}

/// Of a query that is cancelled, or of which another file failed.
impl Drop for Upload {
    fn drop(&mut self) {
        if let (Some(mut upload), Ok(runtime)) = (self.upload.take(), Handle::try_current()) {
            let mut parts = std::mem::take(&mut self.parts);
            runtime.spawn(async move { abort(upload.as_mut(), &mut parts).await });
        }
    }
}

/// Bytes of each part of a file of this length.
fn part_size(length: u64) -> u64 {
    length.div_ceil(MOST_PARTS).max(PART)
}

/// Waits until at most `left` parts are on their way.
async fn settle(parts: &mut Parts, left: usize) -> Result<()> {
    while parts.len() > left
        && let Some(part) = parts.join_next().await
    {
        part.map_err(joined)??;
    }
    Ok(())
}

async fn abort(upload: &mut dyn MultipartUpload, parts: &mut Parts) {
    // A part that arrives after the upload was aborted could stay.
    parts.shutdown().await;
    // Where this fails, what led to it is the error that counts.
    let _ = upload.abort().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_any_length_has_no_more_parts_than_a_store_permits() {
        assert_eq!([0, 1, PART, MOST_PARTS * PART].map(part_size), [PART; 4]);
        for length in [MOST_PARTS * PART + 1, 5 << 40, u64::MAX] {
            let parts = length.div_ceil(part_size(length));
            assert!(part_size(length) > PART && parts <= MOST_PARTS, "{length}: {parts}");
        }
    }
}
