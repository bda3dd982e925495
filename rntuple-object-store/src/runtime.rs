//! The threads that drive all requests.

use std::cell::Cell;
use std::future::Future;
use std::io;
use std::num::NonZero;
use std::sync::mpsc::sync_channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http::StatusCode;
use rntuple::storage::PerProcess;
use tokio::runtime::{Builder, Handle, Runtime};

/// Threads for a machine with `cores`. A piece that arrives wakes a second thread for nothing where there is one; a single
/// one copies and decrypts over a gigabyte in a second, which few cores could use.
fn threads(cores: usize) -> usize {
    cores.div_ceil(8).min(4)
}

/// The runtime of this process, which lasts as long as it does.
pub(crate) fn handle() -> io::Result<Handle> {
    // A process that was forked has the runtime of its parent, but not the threads: work for these would wait for ever.
    static RUNTIME: PerProcess<Mutex<Option<&Runtime>>> = PerProcess::new();
    let mut shared = RUNTIME.get().lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(runtime) = *shared {
        return Ok(runtime.handle().clone());
    }
    let mut builder = Builder::new_multi_thread();
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    let runtime =
        builder.worker_threads(threads(cores)).thread_name("rntuple network").enable_all().build()?;
    // Never dropped: that would wait for threads, and those of a parent do not exist.
    let runtime: &Runtime = Box::leak(Box::new(runtime));
    *shared = Some(runtime);
    Ok(runtime.handle().clone())
}

/// Waits for work on the threads of this crate. The caller may be in a runtime of its own, on a thread that may be blocked.
///
/// ```
/// let answer = rntuple_object_store::wait(async { Ok::<_, std::io::Error>(42) })?;
/// assert_eq!(answer, 42);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
/// That of the work; or there are no threads, or the work has panicked.
pub fn wait<T, E>(work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, E>
where
    T: Send + 'static,
    E: From<io::Error> + Send + 'static,
{
    let (done, result) = sync_channel(1);
    handle()?.spawn(async move {
        // The caller may be gone.
        let _ = done.send(work.await);
    });
    let panicked = "the client of the store has panicked: standard error says why";
    result.recv().unwrap_or_else(|_| Err(io::Error::other(panicked).into()))
}

tokio::task_local! {
    /// The status that a server answered last to the request of this task, where that was a reason to ask again.
    static FAULT: Cell<Option<StatusCode>>;
}

/// Notes what a server has answered to the request that is [under way](within), if that is a reason to ask again.
pub(crate) fn note(fault: Option<StatusCode>) {
    // Of other requests no one asks for it.
    let _ = FAULT.try_with(|last| last.set(fault));
}

/// What was [noted](note) last.
pub(crate) fn fault() -> Option<StatusCode> {
    FAULT.try_with(Cell::get).ok().flatten()
}

/// Drops a request that takes longer than `timeout`, with all its attempts.
///
/// # Errors
/// That of the request; or [`io::ErrorKind::TimedOut`], which says what was asked, and what was answered last.
pub(crate) async fn within<T>(
    timeout: Duration,
    request: &str,
    work: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    let work = async {
        tokio::time::timeout(timeout, work).await.unwrap_or_else(|_| {
            let but = fault().map(|status| format!(" but {status}")).unwrap_or_default();
            let message = format!("{request}: no answer within {timeout:?}{but}");
            Err(io::Error::new(io::ErrorKind::TimedOut, message))
        })
    };
    FAULT.scope(Cell::default(), work).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_machine_has_one_thread_and_none_has_many() {
        assert_eq!([1, 8, 9, 32, 256].map(threads), [1, 1, 2, 4, 4]);
    }
}
