//! What the connections of a server share.

use std::collections::{BTreeMap, HashMap};
use std::net::TcpStream;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::file::File;
use super::habits::Habits;
use super::request::Request;
use super::rounds::Rounds;
use super::rule::Rule;

/// What connections share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    pub(super) state: Mutex<State>,
    pub(super) open: Mutex<HashMap<u64, TcpStream>>,
    /// Notified when a request arrives, and at the end.
    pub(super) arrived: Condvar,
}

#[derive(Debug, Default)]
pub(super) struct State {
    pub(super) files: BTreeMap<String, File>,
    pub(super) habits: Habits,
    pub(super) rules: Vec<Rule>,
    pub(super) requests: Vec<Request>,
    pub(super) rounds: Rounds,
}

impl State {
    pub(super) fn put(&mut self, path: &str, bytes: Vec<u8>) {
        let version = self.files.get(path).map_or(0, |file| file.version) + 1;
        self.files.insert(path.to_owned(), File::new(bytes, version));
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
