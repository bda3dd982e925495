//! An object that is written.

use std::collections::VecDeque;
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, IoSlice};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use object_store::multipart::{MultipartStore, PartId};
use object_store::path::Path;
use object_store::{
    Attribute, Attributes, GetOptions, MultipartId, ObjectMeta, ObjectStore, ObjectStoreExt as _, PutMode,
    PutOptions, PutPayload,
};
use rntuple::storage::WriteAt;
use tokio::task::JoinHandle;

use crate::error::io_error;
use crate::locate::{Located, locate};
use crate::options::Options;
use crate::runtime::{handle, wait, within};

/// Parts that are being sent at once.
const MOST_UNDER_WAY: usize = 2;

/// Longer than this a writer does not wait for what it need not know.
const LONGEST_HEAD: Duration = Duration::from_secs(10);

/// Pause before a writer looks again whether its object is there.
const BETWEEN_HEADS: Duration = Duration::from_millis(500);

/// The metadata that say which writer has put an object, in the words that all stores accept.
const WRITER: &str = "rntuplewriter";

/// Longer than this a writer that is dropped does not wait for a part that is being sent, and for the end of its upload.
const LONGEST_ABORT: Duration = Duration::from_secs(10);

/// An object under construction, for a [`Writer`](rntuple::Writer): it is visible when it is complete.
///
/// ```text
/// part 0     stays in memory until the end, as the first bytes of a ROOT file are written last
/// part 1 ..  sent when they are full, two at a time
/// ```
///
/// Bytes of a part that was sent cannot be written again: a file that is filled from front to back does not need it.
/// Dropped before it is published, nothing is left of it.
///
/// An object that must be new is put with that condition if it is one part, and with a random number in its metadata
/// (`rntuplewriter`): where the answer is lost, that says who has put what is there. Uploads of several parts do not support conditions: the
/// writer looks for the object right before the upload becomes visible, so two writers that finish at the same moment may both succeed.
pub struct ObjectWriter {
    target: Target,
    is_new: bool,
    options: Options,
    first: Vec<u8>,
    /// The part that is filled after the first one, which begins at `start`.
    current: Vec<u8>,
    start: u64,
    upload: Option<Upload>,
    /// The process that writes. One that was forked from it has a copy of the writer, which does nothing.
    process: u32,
    /// What went wrong; nothing is written after it.
    failure: Option<(io::ErrorKind, String)>,
}

#[derive(Clone)]
struct Target {
    store: Arc<dyn ObjectStore>,
    parts: Arc<dyn MultipartStore>,
    path: Path,
    name: String,
}

/// An upload that was begun.
struct Upload {
    id: MultipartId,
    /// The parts that are being sent, in order.
    under_way: VecDeque<JoinHandle<io::Result<PartId>>>,
    /// Those that were sent, from part 1 on.
    sent: Vec<PartId>,
}

impl ObjectWriter {
    /// Creates the object at a URL, in place of what is there. With `is_new`, nothing may be there, now and at the end.
    ///
    /// # Errors
    /// The URL is of no store that is known, or of one that does not take objects in parts, or has a
    /// [path](crate#paths) that cannot be asked for.
    pub fn create(url: &str, is_new: bool, options: &Options) -> io::Result<Self> {
        Self::at(locate(url, options)?.object()?, is_new, options)
    }

    /// Creates an object of a store, which errors call `name`.
    ///
    /// # Errors
    /// With `is_new`: there is something already, or the store cannot be reached.
    pub fn in_store<S: ObjectStore + MultipartStore>(
        store: Arc<S>,
        path: Path,
        name: String,
        is_new: bool,
        options: &Options,
    ) -> io::Result<Self> {
        Self::at(
            Located { store: store.clone(), parts: Some(store), path, name, choice: None },
            is_new,
            options,
        )
    }

    pub(crate) fn at(located: Located, is_new: bool, options: &Options) -> io::Result<Self> {
        let Located { store, parts, path, name, .. } = located;
        let Some(parts) = parts else {
            let message = "files cannot be written over HTTP: write to s3://, root:// or a local path";
            return Err(io::Error::new(io::ErrorKind::Unsupported, message));
        };
        let target = Target { store, parts, path, name };
        if is_new {
            target.check_new(options)?;
        }
        Ok(Self {
            target,
            is_new,
            options: options.clone(),
            first: Vec::new(),
            current: Vec::new(),
            start: options.part_size as u64,
            upload: None,
            process: std::process::id(),
            failure: None,
        })
    }

    /// Bytes so far.
    fn end(&self) -> u64 {
        match (self.first.len(), self.current.len()) {
            (first, 0) if first < self.options.part_size => first as u64,
            (_, current) => self.start + current as u64,
        }
    }

    fn put(&mut self, offset: u64, mut bytes: &[u8]) -> io::Result<()> {
        let mut at = offset;
        while !bytes.is_empty() {
            let part_size = self.options.part_size;
            let (part, start) = match at < part_size as u64 {
                true => (&mut self.first, 0),
                false => (&mut self.current, self.start),
            };
            let Some(position) = at.checked_sub(start).and_then(|at| usize::try_from(at).ok()) else {
                return Err(io::Error::new(
                    io::ErrorKind::Unsupported,
                    format!("the bytes at {at} were sent already, and cannot be written again"),
                ));
            };
            let Some(room) = part_size.checked_sub(position).filter(|room| *room > 0) else {
                // Zeros up to the end of the part, where a gap was left.
                self.current.resize(part_size, 0);
                self.send()?;
                continue;
            };
            let (now, later) = bytes.split_at(bytes.len().min(room));
            let end = position + now.len();
            if part.len() < end {
                // As a vector grows, but not beyond the part.
                let capacity = part.capacity().saturating_mul(2).clamp(end, part_size);
                part.reserve_exact(capacity - part.len());
                part.resize(position.max(part.len()), 0);
                part.extend_from_slice(now.get(part.len() - position..).unwrap_or_default());
            }
            // The bytes that were there before.
            if let Some(slot) = part.get_mut(position..end) {
                slot.copy_from_slice(now);
            }
            at += now.len() as u64;
            bytes = later;
            if self.current.len() == part_size {
                self.send()?;
            }
        }
        Ok(())
    }

    /// Begins to send the current part, once there is room among those under way.
    fn send(&mut self) -> io::Result<()> {
        let part_size = self.options.part_size;
        self.first.resize(part_size, 0);
        self.begin()?;
        self.settle(MOST_UNDER_WAY - 1)?;
        let bytes = std::mem::take(&mut self.current);
        self.start += bytes.len() as u64;
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let number = 1 + upload.sent.len() + upload.under_way.len();
        let part = self.target.clone().send_part(upload.id.clone(), number, bytes, self.options.timeout);
        upload.under_way.push_back(handle()?.spawn(part));
        Ok(())
    }

    /// Begins the upload, unless that was done.
    fn begin(&mut self) -> io::Result<()> {
        if self.upload.is_none() {
            let (target, timeout) = (self.target.clone(), self.options.timeout);
            let id = wait(async move {
                let request = "POST to begin an upload";
                within(timeout, request, async {
                    let id = target.parts.create_multipart(&target.path).await;
                    id.map_err(|error| io_error(&error, request))
                })
                .await
            })?;
            self.upload = Some(Upload { id, under_way: VecDeque::new(), sent: Vec::new() });
        }
        Ok(())
    }

    /// Waits until at most `left` parts are under way.
    fn settle(&mut self, left: usize) -> io::Result<()> {
        let Some(upload) = &mut self.upload else { return Ok(()) };
        while upload.under_way.len() > left {
            let Some(part) = upload.under_way.pop_front() else { break };
            // Each part has a time-out of its own.
            let part = wait(async move { part.await.unwrap_or_else(|error| Err(io::Error::other(error))) })?;
            upload.sent.push(part);
        }
        Ok(())
    }

    /// Makes the object visible.
    fn complete(&mut self) -> io::Result<()> {
        if self.is_new {
            self.target.check_new(&self.options)?;
        }
        if self.upload.is_none() && self.current.is_empty() {
            let (target, bytes) = (self.target.clone(), std::mem::take(&mut self.first));
            let writer = self.is_new.then(random);
            let mode = if self.is_new { PutMode::Create } else { PutMode::Overwrite };
            let mut options = PutOptions::from(mode);
            if let Some(writer) = writer.clone() {
                options.attributes = Attributes::from_iter([(Attribute::Metadata(WRITER.into()), writer)]);
            }
            let timeout = self.options.timeout;
            return wait(async move {
                let done = within(timeout, "PUT", async {
                    let put = target.store.put_opts(&target.path, PutPayload::from(bytes), options);
                    put.await.map(drop).map_err(|error| io_error(&error, "PUT"))
                })
                .await;
                match (done, writer) {
                    // The answer to an attempt may be lost: the next one finds the object.
                    (Err(_), Some(writer)) if target.is_of(&writer, timeout).await => Ok(()),
                    (done, _) => done,
                }
            });
        }
        if !self.current.is_empty() {
            self.send()?;
        }
        self.settle(0)?;
        let (size, target, first) = (self.end(), self.target.clone(), std::mem::take(&mut self.first));
        let Some(upload) = &mut self.upload else { return Ok(()) };
        let (id, sent, timeout) = (upload.id.clone(), upload.sent.clone(), self.options.timeout);
        let send_first = target.clone().send_part(id.clone(), 0, first, timeout);
        let first = wait(send_first)?;
        let before = match self.is_new {
            true => {
                // Again, because sending the parts may have taken long.
                self.target.check_new(&self.options)?;
                Before::Nothing
            }
            false => self.target.before(timeout),
        };
        wait(async move {
            let mut parts = vec![first];
            parts.extend(sent);
            let request = "POST to complete an upload";
            let done = within(timeout, request, async {
                let complete = target.parts.complete_multipart(&target.path, &id, parts).await;
                complete.map(drop).map_err(|error| io_error(&error, request))
            })
            .await;
            match done {
                // The answer to the first attempt may be lost: there is no upload any more then, but the object.
                Err(_) if target.becomes_complete(&before, size, timeout).await => Ok(()),
                done => done,
            }
        })?;
        self.upload = None;
        Ok(())
    }

    /// Does something, after which nothing is possible if it fails.
    fn attempt(&mut self, work: impl FnOnce(&mut Self) -> io::Result<()>) -> io::Result<()> {
        if self.process != std::process::id() {
            return Err(io::Error::other("the object is written by another process"));
        }
        if let Some((kind, message)) = &self.failure {
            return Err(io::Error::new(*kind, format!("an earlier write failed: {message}")));
        }
        let done = work(self);
        if let Err(error) = &done {
            self.failure = Some((error.kind(), error.to_string()));
        }
        done
    }
}

/// A number that no other writer has, as text.
fn random() -> String {
    let half = || RandomState::new().hash_one((std::process::id(), SystemTime::now()));
    format!("{:016x}{:016x}", half(), half())
}

/// What was under the name of an object before its upload was completed.
enum Before {
    /// The store did not say.
    Unknown,
    Nothing,
    Object(ObjectMeta),
}

impl Target {
    /// Looks what there is. A writer that may not do that need not know.
    fn before(&self, timeout: Duration) -> Before {
        let target = self.clone();
        let head = wait(async move {
            within(timeout.min(LONGEST_HEAD), "HEAD", async { Ok(target.store.head(&target.path).await) })
                .await
        });
        match head {
            Ok(Ok(meta)) => Before::Object(meta),
            Ok(Err(object_store::Error::NotFound { .. })) => Before::Nothing,
            _ => Before::Unknown,
        }
    }

    /// Whether there is an object of this size which is not the one from before.
    async fn is_complete(&self, before: &Before, size: u64, timeout: Duration) -> bool {
        let head = within(timeout.min(LONGEST_HEAD), "HEAD", async {
            self.store.head(&self.path).await.map_err(|error| io_error(&error, "HEAD"))
        });
        match (head.await, before) {
            (Ok(now), Before::Nothing) => now.size == size,
            (Ok(now), Before::Object(before)) => {
                let is_other = now.e_tag != before.e_tag || now.last_modified != before.last_modified;
                now.size == size && is_other
            }
            _ => false,
        }
    }

    /// Whether there is such an object now or soon: the server may not be done with the first attempt yet.
    async fn becomes_complete(&self, before: &Before, size: u64, timeout: Duration) -> bool {
        let look = async {
            while !self.is_complete(before, size, timeout).await {
                tokio::time::sleep(BETWEEN_HEADS).await;
            }
        };
        !matches!(before, Before::Unknown)
            && tokio::time::timeout(timeout.min(LONGEST_HEAD), look).await.is_ok()
    }

    /// Whether there is an object that this writer has put.
    async fn is_of(&self, writer: &str, timeout: Duration) -> bool {
        let head = GetOptions { head: true, ..GetOptions::default() };
        let found = within(timeout.min(LONGEST_HEAD), "HEAD", async {
            let found = self.store.get_opts(&self.path, head).await;
            found.map_err(|error| io_error(&error, "HEAD"))
        });
        let attribute = Attribute::Metadata(WRITER.into());
        found.await.is_ok_and(|found| found.attributes.get(&attribute).is_some_and(|it| **it == *writer))
    }

    /// # Errors
    /// There is an object already.
    fn check_new(&self, options: &Options) -> io::Result<()> {
        let (target, timeout) = (self.clone(), options.timeout);
        wait(async move {
            within(timeout, "HEAD", async {
                match target.store.head(&target.path).await {
                    Ok(_) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "the object exists already")),
                    Err(object_store::Error::NotFound { .. }) => Ok(()),
                    Err(error) => Err(io_error(&error, "HEAD")),
                }
            })
            .await
        })
    }

    async fn send_part(
        self,
        id: MultipartId,
        number: usize,
        bytes: Vec<u8>,
        timeout: Duration,
    ) -> io::Result<PartId> {
        // Stores count from 1.
        let request = format!("PUT part {} of the upload", number + 1);
        within(timeout, &request, async {
            let put = self.parts.put_part(&self.path, &id, number, PutPayload::from(bytes));
            put.await.map_err(|error| io_error(&error, &request))
        })
        .await
    }
}

impl WriteAt for ObjectWriter {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.attempt(|this| {
            let mut at = offset;
            for part in parts {
                this.put(at, part)?;
                at += part.len() as u64;
            }
            Ok(())
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        // A store keeps parts until the object is complete: there is nothing to wait for but what may fail.
        self.attempt(|this| this.settle(0))
    }

    fn keep(&mut self) -> io::Result<()> {
        let message = "an object cannot be read before it is complete: checkpoints need a file";
        Err(io::Error::new(io::ErrorKind::Unsupported, message))
    }

    fn publish(&mut self) -> io::Result<()> {
        self.attempt(Self::complete)
    }

    fn publish_incomplete(&mut self) -> io::Result<()> {
        self.is_new = true;
        self.attempt(Self::complete)
    }

    fn name(&self) -> &str {
        &self.target.name
    }
}

impl Drop for ObjectWriter {
    fn drop(&mut self) {
        let is_own = self.process == std::process::id();
        if let Some(upload) = self.upload.take().filter(|_| is_own) {
            let target = self.target.clone();
            let timeout = self.options.timeout.min(LONGEST_ABORT);
            // Where this fails, the store's rule for uploads that were never completed removes the parts.
            let _ = wait(async move {
                // A part that arrives after the upload was aborted could stay.
                for mut part in upload.under_way {
                    if tokio::time::timeout(timeout, &mut part).await.is_err() {
                        part.abort();
                    }
                }
                within(timeout, "DELETE of an upload", async {
                    let abort = target.parts.abort_multipart(&target.path, &upload.id).await;
                    abort.map_err(|error| io_error(&error, "DELETE of an upload"))
                })
                .await
            });
        }
    }
}

impl fmt::Debug for ObjectWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ObjectWriter")
            .field("name", &self.target.name)
            .field("size", &self.end())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn an_object_from_before_is_not_the_one_that_was_uploaded() {
        let store = Arc::new(InMemory::new());
        let (path, timeout) = (Path::from("x"), Duration::from_secs(10));
        let target =
            Target { store: store.clone(), parts: store.clone(), path: path.clone(), name: "x".to_owned() };
        let is_complete = |before: Before| {
            let target = target.clone();
            wait(async move { Ok::<_, io::Error>(target.is_complete(&before, 3, timeout).await) }).unwrap()
        };
        let put = |bytes: &'static [u8]| {
            let (store, path) = (store.clone(), path.clone());
            wait(async move { store.put(&path, bytes.into()).await.map_err(io::Error::other) }).unwrap()
        };
        let nothing = target.before(timeout);
        assert!(matches!(nothing, Before::Nothing));
        assert!(!is_complete(nothing));
        put(b"123");
        assert!(is_complete(Before::Nothing));
        assert!(!is_complete(target.before(timeout)), "it was there before");
        let before = target.before(timeout);
        put(b"12");
        assert!(!is_complete(before), "it has another size");
        let before = target.before(timeout);
        put(b"123");
        assert!(is_complete(before));
        assert!(!is_complete(Before::Unknown));
    }

    #[test]
    fn an_object_that_is_not_there_yet_is_waited_for() {
        let store = Arc::new(InMemory::new());
        let path = Path::from("x");
        let target =
            Target { store: store.clone(), parts: store.clone(), path: path.clone(), name: "x".to_owned() };
        let becomes = |before: Before, seconds| {
            let (target, timeout) = (target.clone(), Duration::from_secs(seconds));
            wait(async move { Ok::<_, io::Error>(target.becomes_complete(&before, 3, timeout).await) })
                .unwrap()
        };
        assert!(!becomes(Before::Nothing, 1), "it does not come");
        let later = handle().unwrap().spawn(async move {
            tokio::time::sleep(BETWEEN_HEADS / 2).await;
            store.put(&path, b"123".as_slice().into()).await
        });
        assert!(becomes(Before::Nothing, 60));
        wait(async move { later.await.unwrap().map_err(io::Error::other) }).unwrap();
        assert!(!becomes(Before::Unknown, 60), "it is not known what was there");
    }
}
