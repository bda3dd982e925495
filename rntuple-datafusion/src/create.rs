//! Tables that SQL creates: `CREATE EXTERNAL TABLE .. STORED AS RNTUPLE`.

use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Fields, Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider, TableProviderFactory};
use datafusion::common::{Result, plan_err};
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use datafusion::logical_expr::CreateExternalTable;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use object_store::{ObjectStore, ObjectStoreExt as _};
use rntuple::storage::without_secrets;

use crate::facts;
use crate::format::RNTupleFormat;
use crate::options::TableOptions;
use crate::patterns;
use crate::sink::WriteSettings;
use crate::table::{RNTupleTable, listing_url};

/// Locations that are looked up at once.
const AT_ONCE: usize = 32;

/// Makes the tables of `CREATE EXTERNAL TABLE .. STORED AS RNTUPLE`.
#[derive(Debug, Default)]
pub(crate) struct RNTupleTableFactory(());

#[async_trait]
impl TableProviderFactory for RNTupleTableFactory {
    async fn create(
        &self,
        state: &dyn Session,
        command: &CreateExternalTable,
    ) -> Result<Arc<dyn TableProvider>> {
        // Folders whose names have values, such as `run=7`, and orders that are declared, are DataFusion's own.
        let is_plain = command.table_partition_cols.is_empty() && command.order_exprs.is_empty();
        if !is_plain || !command.schema.fields().is_empty() {
            return Ok(Arc::new(listing(state, command).await?));
        }
        let options = TableOptions::from_sql(&command.options)?;
        Ok(Arc::new(RNTupleTable::open(state, &command.locations, options).await?))
    }
}

/// A table whose files DataFusion lists for each query. Its own factory takes files of all kinds, unless a folder is one of
/// this machine and its files say which columns there are.
async fn listing(state: &dyn Session, command: &CreateExternalTable) -> Result<ListingTable> {
    let paths = locations(state, command).await?;
    let (write, read) = WriteSettings::from_sql(&command.options)?;
    let format = RNTupleFormat::new(TableOptions::from_sql(&read)?, write);
    let options = ListingOptions::new(Arc::new(format)).with_file_extension("");

    let (of_folders, declared) = (&command.table_partition_cols, command.schema.inner());
    let is_declared = !declared.fields().is_empty();
    let may_infer = state.config_options().execution.listing_table_factory_infer_partitions;
    let names = match paths.first() {
        Some(first) if !is_declared && of_folders.is_empty() && may_infer => {
            options.infer_partitions(state, first).await?
        }
        _ => of_folders.clone(),
    };
    let typed = |name: String| -> Result<(String, DataType)> {
        let data_type = match is_declared {
            true => declared.field_with_name(&name)?.data_type().clone(),
            false => DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8)),
        };
        Ok((name, data_type))
    };
    let options =
        options.with_table_partition_cols(names.into_iter().map(typed).collect::<Result<Vec<_>>>()?);
    for path in &paths {
        options.validate_partitions(state, path).await?;
    }

    let schema = match is_declared {
        true => {
            let is_of_files = |field: &&FieldRef| !of_folders.contains(field.name());
            let fields: Fields = declared.fields().iter().filter(is_of_files).cloned().collect();
            Arc::new(Schema::new(fields))
        }
        false => inferred(state, command, &options, &paths).await?,
    };
    let config = ListingTableConfig::new_with_multi_paths(paths)
        .with_listing_options(options.with_file_sort_order(command.order_exprs.clone()))
        .with_schema(schema);
    let table = ListingTable::try_new(config)?
        .with_cache(state.runtime_env().cache_manager.get_file_statistic_cache())
        .with_definition(command.definition.clone())
        .with_constraints(command.constraints.clone())
        .with_column_defaults(command.column_defaults.clone());
    if state.config().collect_statistics() {
        // Statistics are kept for queries. A query also says what is wrong with a file.
        let _ = table.list_files_for_scan(state, &[], None).await;
    }
    Ok(table)
}

/// Where the files are: of folders, those whose names end in `.root`.
async fn locations(state: &dyn Session, command: &CreateExternalTable) -> Result<Vec<ListingTableUrl>> {
    let location = |text: &String| patterns::location(&listing_url(text));
    let paths = command.locations.iter().map(location).collect::<Result<Vec<_>>>()?;
    let paths = stream::iter(paths).map(|path| of_folder(state, path)).buffered(AT_ONCE);
    let paths = paths.map_ok(|path| path.with_table_ref(command.name.clone()));
    let paths: Vec<ListingTableUrl> = paths.try_collect().await?;
    let Some(first) = paths.first() else { return plan_err!("a table needs a file") };
    if let Some(other) = paths.iter().find(|path| path.object_store() != first.object_store()) {
        return plan_err!(
            "files of one table are in one store, not in those of {} and {}",
            without_secrets(first.as_str()),
            without_secrets(other.as_str())
        );
    }
    Ok(paths)
}

/// The location, or the pattern of the files of a folder.
async fn of_folder(state: &dyn Session, path: ListingTableUrl) -> Result<ListingTableUrl> {
    if path.get_glob().is_some() {
        return Ok(path);
    }
    if path.is_collection() {
        return path.with_glob("*.root");
    }
    if !is_folder(state, &path).await {
        return Ok(path);
    }
    let mut url = path.get_url().clone();
    let with_slash = format!("{}/", url.path());
    url.set_path(&with_slash);
    ListingTableUrl::try_new(url, None)?.with_glob("*.root")
}

/// Whether a location without a slash at its end is a folder with files. Where the store does not say it, a query reports why.
async fn is_folder(state: &dyn Session, path: &ListingTableUrl) -> bool {
    let Ok(store) = state.runtime_env().object_store(path) else { return false };
    let store: &dyn ObjectStore = store.as_ref();
    let is_object = !matches!(store.head(path.prefix()).await, Err(object_store::Error::NotFound { .. }));
    !is_object && matches!(store.list(Some(path.prefix())).next().await, Some(Ok(_)))
}

/// The columns of the files.
async fn inferred(
    state: &dyn Session,
    command: &CreateExternalTable,
    options: &ListingOptions,
    paths: &[ListingTableUrl],
) -> Result<SchemaRef> {
    let mut schemas = Vec::with_capacity(paths.len());
    for path in paths {
        schemas.push((without_secrets(path.as_str()), options.infer_schema(state, path).await?));
    }
    let schema = facts::merge(&schemas)?;
    let columns = command.order_exprs.iter().flatten().flat_map(|sort| sort.expr.column_refs());
    for column in columns {
        if schema.index_of(column.name()).is_err() {
            return plan_err!("there is no column {column} to order by");
        }
    }
    Ok(schema)
}
