//! `s3s-fs`: S3 in Rust, in the process of the test.

use std::fmt;
use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::thread::{self, JoinHandle};

use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;
use s3s_fs::FileSystem;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::oneshot;

use super::{ACCESS_KEY, SECRET_KEY};

/// An S3 server with its objects in a folder. It accepts requests signed with [`ACCESS_KEY`] and [`SECRET_KEY`].
pub struct S3s {
    folder: TempDir,
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for S3s {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("S3s").field("address", &self.address).finish_non_exhaustive()
    }
}

impl S3s {
    /// Starts a server without buckets.
    ///
    /// # Errors
    /// There is no free port, or no room for the folder.
    pub fn start() -> io::Result<Self> {
        let folder = tempfile::tempdir()?;
        let files = FileSystem::new(folder.path()).map_err(|error| io::Error::other(format!("{error:?}")))?;
        let mut builder = S3ServiceBuilder::new(files);
        builder.set_auth(SimpleAuth::from_single(ACCESS_KEY, SECRET_KEY));
        let service = builder.build();

        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let accept = async move {
            while let Ok((stream, _)) = listener.accept().await {
                let service = service.clone();
                tokio::spawn(async move {
                    let server = Builder::new(TokioExecutor::new());
                    // A connection that fails is the client's matter.
                    let _ = server.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        };
        let thread = thread::Builder::new().name("s3s".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    () = accept => {}
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { folder, address, stop: Some(stop), thread: Some(thread) })
    }

    /// The folder of its buckets, which are folders; and of uploads that are not complete, `.upload_id-*`.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Where it speaks HTTP.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the server, for clients of S3. Buckets are the first part of a path, not of a host name.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Makes a bucket.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn create_bucket(&self, name: &str) -> io::Result<()> {
        fs::create_dir(self.folder.path().join(name))
    }

    /// Writes an object, without metadata.
    ///
    /// # Errors
    /// There is no such bucket.
    pub fn put(&self, bucket: &str, key: &str, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.folder.path().join(bucket).join(key), bytes)
    }
}

impl Drop for S3s {
    fn drop(&mut self) {
        // Without the sender the thread stops, too.
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
