//! Sessions that know RNTuple files.

use std::sync::Arc;

use datafusion::datasource::file_format::FileFormatFactory;
use datafusion::execution::SessionStateBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::copy::PrepareCopy;
use crate::create::RNTupleTableFactory;
use crate::format::RNTupleFormatFactory;
use crate::order::KeepOrder;
use crate::prune::PruneMembers;

/// The names under which SQL knows the format: in `TO 'skim.root'`, and in `STORED AS RNTUPLE`.
pub(crate) const FORMATS: [&str; 2] = ["root", "rntuple"];

/// Makes a session in which SQL knows RNTuple files, and lambdas (`m -> m['pt']`).
///
/// It is that of [`with_rntuple`] with [`config`].
pub fn session() -> SessionContext {
    let builder = SessionStateBuilder::new().with_config(config()).with_default_features();
    SessionContext::new_with_state(with_rntuple(builder).build())
}

/// The configuration that SQL with lambdas needs: another dialect than the default.
pub fn config() -> SessionConfig {
    SessionConfig::new().with_information_schema(true).set_str("datafusion.sql_parser.dialect", "duckdb")
}

/// Adds RNTuple files to what a session knows: `CREATE EXTERNAL TABLE .. STORED AS RNTUPLE`, `COPY .. TO 'skim.root'`, and
/// the rules by which scans read no more members of structs than the whole of a plan looks at, files are read in the order that
/// they are declared to have, and the options of a `COPY` are sent with it. Other sessions do not use an order.
///
/// An order that SQL declares with `WITH ORDER` is believed, as DataFusion does for all formats: the rows of a file are not
/// compared. If they are in another order, what relies on it is wrong: an `ORDER BY` gives rows as they are in the file. Of
/// files that are read one after the other, the order is used only where their statistics say that it holds between them.
///
/// ```
/// use datafusion::execution::SessionStateBuilder;
/// use datafusion::prelude::SessionContext;
/// use rntuple_datafusion::{config, with_rntuple};
/// let config = config().with_target_partitions(8);
/// let builder = SessionStateBuilder::new().with_config(config).with_default_features();
/// let context = SessionContext::new_with_state(with_rntuple(builder).build());
/// ```
#[must_use]
pub fn with_rntuple(mut builder: SessionStateBuilder) -> SessionStateBuilder {
    let formats =
        FORMATS.map(|name| Arc::new(RNTupleFormatFactory::named(name)) as Arc<dyn FileFormatFactory>);
    builder.file_formats().get_or_insert_default().extend(formats);
    builder
        .with_table_factory("RNTUPLE".to_owned(), Arc::new(RNTupleTableFactory::default()))
        .with_optimizer_rule(Arc::new(PrepareCopy))
        .with_physical_optimizer_rule(Arc::new(PruneMembers))
        .with_physical_optimizer_rule(Arc::new(KeepOrder))
}
