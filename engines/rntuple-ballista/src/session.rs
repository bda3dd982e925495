//! Sessions whose queries run on a cluster.

use std::sync::Arc;

use ballista::extension::{SessionConfigExt as _, SessionContextExt as _};
use datafusion::common::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::prelude::SessionContext;
use rntuple_datafusion::{config, with_rntuple};

use crate::again::Planner;
use crate::{MESSAGE, codecs};

/// Starts a session whose queries run on the cluster of a scheduler, and in which SQL knows RNTuple files.
///
/// The URL is `df://host:50050`. Stores of the runtime serve for looking into files; executors have their own.
///
/// # Errors
/// The URL is wrong. Whether the scheduler is there turns out with the first query.
pub async fn session(scheduler: &str, runtime: Arc<RuntimeEnv>) -> Result<SessionContext> {
    let builder = SessionStateBuilder::new().with_config(config()).with_default_features();
    session_of(scheduler, builder.with_runtime_env(runtime)).await
}

/// Starts a session with a configuration of the caller's.
///
/// A query that the scheduler cancels before it has given rows is run again, up to three times; one that writes files is not.
///
/// ```no_run
/// # async fn run() -> datafusion::common::Result<()> {
/// use datafusion::execution::SessionStateBuilder;
/// // A stage has as many parts as all executors have cores.
/// let config = rntuple_datafusion::config().with_target_partitions(64);
/// let builder = SessionStateBuilder::new().with_config(config).with_default_features();
/// let context = rntuple_ballista::session_of("df://scheduler:50050", builder).await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// As [`session`].
pub async fn session_of(scheduler: &str, mut builder: SessionStateBuilder) -> Result<SessionContext> {
    let config = builder.config().take().unwrap_or_else(config);
    let config = config
        .upgrade_for_ballista()
        // With it, Ballista 55 does not run a stage again whose rows were lost with an executor, and the query never ends.
        .with_ballista_adaptive_query_planner(false)
        .with_ballista_grpc_client_max_message_size(usize::try_from(MESSAGE).unwrap_or(usize::MAX))
        .with_ballista_logical_extension_codec(codecs::logical());
    let state = with_rntuple(builder.with_config(config)).build();
    let state = SessionContext::remote_with_state(scheduler, state).await?.state();
    let (session, planner) = (state.session_id().to_owned(), Planner(state.query_planner().clone()));
    let builder = SessionStateBuilder::new_from_existing(state).with_session_id(session);
    Ok(SessionContext::new_with_state(builder.with_query_planner(Arc::new(planner)).build()))
}
