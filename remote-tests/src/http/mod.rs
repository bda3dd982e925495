//! A file server on loopback that answers as a test asks for: correctly, or with the faults of real servers.
//!
//! ```
//! use rntuple_remote_tests::client;
//! use rntuple_remote_tests::http::{Fault, FileServer, Rule};
//!
//! let server = FileServer::start([("/events.root", vec![7; 1000])])?;
//! server.add(Rule::new(Fault::status(503).retry_after(1)).times(1));
//!
//! let ask = || client::request(server.address(), "GET", "/events.root", &[("Range", "bytes=0-9")], &[]);
//! assert_eq!(ask()?.status, 503);
//! assert_eq!(ask()?.status, 206);
//! assert_eq!(server.requests().len(), 2);
//! # Ok::<(), std::io::Error>(())
//! ```

use std::fs;
use std::io;
use std::net::{Shutdown, SocketAddr};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread;

mod answer;
mod connection;
mod date;
mod file;
mod habits;
mod range;
mod request;
mod rounds;
mod rule;
mod state;

use file::File;
pub use habits::{ETag, Habits};
pub use request::Request;
use rounds::Rounds;
pub use rule::{Fault, Rule, Status};
use state::{Shared, State, lock};

use crate::acceptor::Acceptor;

/// A server of files in memory. It ends, with all of its connections, when it is dropped.
#[derive(Debug)]
pub struct FileServer {
    acceptor: Acceptor,
    shared: Arc<Shared>,
}

impl FileServer {
    /// Serves files, each under its path, which begins with `/`.
    ///
    /// # Errors
    /// There is no free port.
    pub fn start<P: Into<String>, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (P, B)>,
    ) -> io::Result<Self> {
        let files = files.into_iter().map(|(path, bytes)| (path.into(), File::new(bytes.into(), 1)));
        let state = State { files: files.collect(), ..State::default() };
        let shared =
            Arc::new(Shared { state: Mutex::new(state), open: Mutex::default(), arrived: Condvar::new() });
        let (of, mut number) = (Arc::clone(&shared), 0);
        let acceptor = Acceptor::start(move |stream| {
            number += 1;
            let (of, number) = (Arc::clone(&of), number);
            if let Ok(stream) = stream.try_clone() {
                lock(&of.open).insert(number, stream);
            }
            let _ = thread::Builder::new().spawn(move || {
                // A connection that fails is the client's matter.
                let _ = connection::serve(&stream, number, &of);
                let _ = stream.shutdown(Shutdown::Both);
                lock(&of.open).remove(&number);
            });
        })?;
        Ok(Self { acceptor, shared })
    }

    /// Serves the files of a folder, as they are now: `folder/a.root` is `/a.root`. Folders in it are not served.
    ///
    /// # Errors
    /// A file cannot be read, or there is no free port.
    pub fn of_folder(folder: &Path) -> io::Result<Self> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| path.is_file()) {
                files.push((format!("/{name}"), fs::read(&path)?));
            }
        }
        Self::start(files)
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.acceptor.address()
    }

    /// Returns the URL of a path, which begins with `/`.
    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address())
    }

    /// Adds a rule, after those that were added before: the first that applies to a request decides.
    pub fn add(&self, rule: Rule) {
        self.state().rules.push(rule);
    }

    /// Removes all rules.
    pub fn clear_rules(&self) {
        self.state().rules.clear();
    }

    /// Answers the next requests in rounds of this many: none of a round before all of it have arrived. Those after the
    /// last round are answered at once.
    ///
    /// So a client that makes its requests in more rounds, one after the other, gets no answer: the test needs no clock.
    /// It must not repeat requests, since a repeated one counts as one more.
    pub fn answer_in_rounds(&self, counts: &[usize]) {
        self.state().rounds = Rounds::new(counts);
    }

    /// Sets how the server behaves in every answer.
    pub fn set_habits(&self, habits: Habits) {
        self.state().habits = habits;
    }

    /// Writes a file, or replaces it: its e-tag and date change.
    pub fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.state().put(path, bytes.into());
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) {
        self.state().files.remove(path);
    }

    /// Returns a file as it is now.
    pub fn file(&self, path: &str) -> Option<Arc<Vec<u8>>> {
        self.state().files.get(path).map(|file| Arc::clone(&file.bytes))
    }

    /// Returns all requests so far, in the order in which they arrived.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    /// Forgets the requests so far, and returns them.
    pub fn take_requests(&self) -> Vec<Request> {
        std::mem::take(&mut self.state().requests)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.shared.state)
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.state().rounds.end();
        self.shared.arrived.notify_all();
        for stream in lock(&self.shared.open).values() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}
