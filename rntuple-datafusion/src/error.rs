//! Errors of this side as those of DataFusion.

use datafusion::common::DataFusionError;

/// An error of `rntuple`, which stays what it is: a caller can get it back by `find_root` and a downcast.
pub(crate) fn external(error: impl std::error::Error + Send + Sync + 'static) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
