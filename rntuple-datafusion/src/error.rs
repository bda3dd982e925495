//! Errors of this side as those of DataFusion.

use datafusion::common::DataFusionError;
use tokio::task::JoinError;

/// An error of `rntuple`, which stays what it is: a caller can get it back by `find_root` and a downcast.
pub(crate) fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}

/// The error of a task that panicked, or was stopped.
pub(crate) fn joined(error: JoinError) -> DataFusionError {
    DataFusionError::ExecutionJoin(Box::new(error))
}
