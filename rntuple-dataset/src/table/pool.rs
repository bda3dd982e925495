//! The threads on which values are computed.

use rntuple::Pool;

use crate::error::Result;

/// A thread for each core.
pub(crate) fn all_cores() -> Result<Pool> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Ok(Pool::new(threads)?)
}
