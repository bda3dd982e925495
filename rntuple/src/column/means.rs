//! What the columns of one walk have at hand.

use std::fmt;
use std::sync::OnceLock;

use crate::page::Unsealers;
use crate::pool::Pool;

/// What the columns of one walk have at hand: codec contexts, and the threads that decode ahead.
pub(crate) struct Means {
    pub(super) unsealers: Unsealers,
    /// Given once it is known that two pages of each column may be held.
    pool: OnceLock<Pool>,
}

impl Means {
    /// With `verify`, pages whose checksum differs are refused.
    pub(crate) fn new(verify: bool) -> Self {
        Self { unsealers: Unsealers::new(verify), pool: OnceLock::new() }
    }

    /// Lets `pool` decode pages before they are asked for.
    pub(crate) fn decode_ahead(&self, pool: &Pool) {
        // A walk is begun once: nobody gives it a second pool.
        let _ = self.pool.set(pool.clone());
    }

    pub(super) fn pool(&self) -> Option<&Pool> {
        self.pool.get()
    }
}

impl fmt::Debug for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Means").field("pool", &self.pool).finish_non_exhaustive()
    }
}
