//! What the columns of one walk have at hand.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use crate::cluster::{Lease, Room};
use crate::error::Error;
use crate::limits::{self, Limits};
use crate::page::Unsealers;
use crate::pool::Pool;

/// What the columns of one walk have at hand: codec contexts, and the threads that decode ahead.
pub(crate) struct Means {
    pub(super) unsealers: Unsealers,
    /// Given once it is known that two pages of each column may be held.
    pool: OnceLock<Pool>,
    /// Whether it is in use: not for single entries that are read after a walk.
    decodes_ahead: AtomicBool,
    limits: Limits,
    /// For the pages that the columns hold, and for those that they hold ahead: what is ahead takes nothing from what
    /// is needed, so that a file is read alike with a pool and without.
    pages: Arc<Room>,
    ahead: Arc<Room>,
    /// Ntuple and file, for errors of what is read later.
    names: OnceLock<(String, String)>,
}

/// The memory of one column's pages, as far as it was taken: that of the longest ones, as buffers are kept.
#[derive(Debug)]
pub(super) struct Held {
    /// The decoded page.
    pub(super) page: Lease,
    /// The page that is decoded ahead.
    pub(super) ahead: Lease,
    /// Values of several pages.
    pub(super) assembled: Lease,
}

impl Means {
    /// With `verify`, pages whose checksum differs are refused.
    pub(crate) fn new(verify: bool, limits: &Limits) -> Self {
        let room = || Arc::new(Room::new(limits.walk_length));
        Self {
            unsealers: Unsealers::new(verify, limits),
            pool: OnceLock::new(),
            decodes_ahead: AtomicBool::new(false),
            limits: *limits,
            pages: room(),
            ahead: room(),
            names: OnceLock::new(),
        }
    }

    /// Says whose columns these are.
    pub(crate) fn name(&self, ntuple: &str, file: &str) {
        self.names.get_or_init(|| (ntuple.to_owned(), file.to_owned()));
    }

    /// Names ntuple and file of an error.
    #[cold]
    pub(crate) fn place(&self, error: Error) -> Error {
        match self.names.get() {
            Some((ntuple, file)) => error.in_ntuple(ntuple).in_file(file),
            None => error,
        }
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The memory of a column that has no pages so far.
    pub(super) fn hold(&self) -> Held {
        Held { page: self.pages.begin(), ahead: self.ahead.begin(), assembled: self.pages.begin() }
    }

    /// Bytes that the columns hold, of what is not ahead.
    pub(super) fn held(&self) -> u64 {
        self.limits.walk_length.saturating_sub(self.pages.left())
    }

    /// The error of a column that cannot have `length` bytes.
    #[cold]
    pub(super) fn too_much(&self, length: u64) -> Error {
        let (held, limit) = (self.held(), self.limits.walk_length);
        let found = format_args!("the columns hold pages of {held} bytes, and this one needs {length}");
        limits::exceeded(found, limit, "walk_length")
    }

    /// Lets `pool` decode pages before they are asked for, from now on; with `None`, no one does.
    pub(crate) fn decode_ahead(&self, pool: Option<&Pool>) {
        if let Some(pool) = pool {
            // All walks of a reader have the same.
            self.pool.get_or_init(|| pool.clone());
        }
        // Only the thread that reads the columns says and asks it.
        self.decodes_ahead.store(pool.is_some(), Relaxed);
    }

    pub(super) fn pool(&self) -> Option<&Pool> {
        self.pool.get().filter(|_| self.decodes_ahead.load(Relaxed))
    }
}

impl fmt::Debug for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Means").field("pool", &self.pool).finish_non_exhaustive()
    }
}
