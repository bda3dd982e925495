//! What knows RNTuple files on their way between processes: ours, around Ballista's own.

use std::sync::Arc;

use ballista_core::serde::{BallistaLogicalExtensionCodec, BallistaPhysicalExtensionCodec};
use rntuple_datafusion::{RNTupleLogicalCodec, RNTuplePhysicalCodec};

pub(crate) fn logical() -> Arc<RNTupleLogicalCodec> {
    Arc::new(RNTupleLogicalCodec::around(Arc::new(BallistaLogicalExtensionCodec::default())))
}

pub(crate) fn physical() -> Arc<RNTuplePhysicalCodec> {
    Arc::new(RNTuplePhysicalCodec::around(Arc::new(BallistaPhysicalExtensionCodec::default())))
}
