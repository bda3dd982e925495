//! Sessions that know RNTuple files.

use std::sync::Arc;

use datafusion::common::Result;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::format::{RNTupleFormatFactory, RNTupleTableFactory};

/// The names under which SQL knows the format: in `TO 'skim.root'`, and in `STORED AS RNTUPLE`.
pub(crate) const FORMATS: [&str; 2] = ["root", "rntuple"];

/// Makes a session in which SQL knows RNTuple files, and lambdas (`m -> m['pt']`).
///
/// It is that of [`register`] on a state with [`config`].
pub fn session() -> SessionContext {
    let mut state = SessionStateBuilder::new().with_config(config()).with_default_features().build();
    // Nothing else has these names.
    let _ = register(&mut state);
    SessionContext::new_with_state(state)
}

/// The configuration that SQL with lambdas needs: another dialect than the default.
pub fn config() -> SessionConfig {
    SessionConfig::new().with_information_schema(true).set_str("datafusion.sql_parser.dialect", "duckdb")
}

/// Adds RNTuple files to what SQL knows: `CREATE EXTERNAL TABLE .. STORED AS RNTUPLE`, `COPY .. TO 'skim.root'`.
///
/// # Errors
/// The state has other formats of these names.
pub fn register(state: &mut SessionState) -> Result<()> {
    state.table_factories_mut().insert("RNTUPLE".to_owned(), Arc::new(RNTupleTableFactory::default()));
    for name in FORMATS {
        state.register_file_format(Arc::new(RNTupleFormatFactory::named(name)), false)?;
    }
    Ok(())
}
