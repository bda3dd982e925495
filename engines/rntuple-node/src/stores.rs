//! Object stores that are named on a command line.

use std::sync::{Arc, Once};

use datafusion::common::{DataFusionError, Result, config_datafusion_err};
use datafusion::execution::memory_pool::FairSpillPool;
use datafusion::execution::object_store::ObjectStoreRegistry as _;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use rntuple::storage::without_secrets;
use rntuple_xrootd::object_store::XrootdStore;
use url::Url;

use crate::limits::Limits;
use crate::registry::Given;

/// The object stores that the queries of a process may read and write.
///
/// They are flags of the programs: `--store s3://bucket`, once for each. Credentials come from the environment of the
/// process, and are in no plan. A plan that names another store is refused.
///
/// | URL | what | credentials |
/// | --- | --- | --- |
/// | `file:///` | all files that the user of the process may open | that user's |
/// | `s3://bucket` | a bucket | `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, `AWS_ENDPOINT_URL`, .. |
/// | `gs://bucket` | a bucket of Google Cloud Storage | `GOOGLE_SERVICE_ACCOUNT`, `GOOGLE_APPLICATION_CREDENTIALS`, .. |
/// | `az://container` | a container of Azure | `AZURE_STORAGE_ACCOUNT_NAME`, `AZURE_STORAGE_ACCOUNT_KEY`, .. |
/// | `https://host`, `http://host` | a server, for reading | none |
/// | `root://host`, `roots://host` | an XRootD server | `BEARER_TOKEN`, `BEARER_TOKEN_FILE` |
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Stores {
    /// Object store that queries may use: file:///, s3://bucket, gs://bucket, az://container, https://host, root://host. Once for each
    #[arg(long = "store", value_name = "URL")]
    urls: Vec<String>,
}

impl Stores {
    /// Takes the URLs of stores.
    pub fn new<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Self {
        Self { urls: urls.into_iter().map(Into::into).collect() }
    }

    /// Makes what queries run in: these stores, and limits.
    ///
    /// Files of data sets are opened by their URLs. The first call in a process registers what opens those, with the default
    /// options; a program with other ones registers them after that, by `register_with`.
    ///
    /// # Errors
    /// A URL is of no store that is known, or the environment lacks what the store needs.
    pub fn runtime(&self, limits: &Limits) -> Result<Arc<RuntimeEnv>> {
        static PROTOCOLS: Once = Once::new();
        PROTOCOLS.call_once(|| {
            rntuple_object_store::register();
            rntuple_xrootd::register();
        });
        let given = Given::default();
        for text in &self.urls {
            // The log of a worker may be read by others than its user.
            let name = without_secrets(text);
            let wrong = |error: &dyn std::fmt::Display| config_datafusion_err!("--store {name}: {error}");
            let url = Url::parse(text).map_err(|error| wrong(&error))?;
            given.register_store(&url, open(&url).map_err(|error| wrong(&error))?);
        }
        let mut runtime = RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(given));
        if let Some(bytes) = limits.memory {
            runtime = runtime.with_memory_pool(Arc::new(FairSpillPool::new(bytes)));
        }
        if let Some(folder) = &limits.scratch {
            std::fs::create_dir_all(folder)
                .map_err(|error| DataFusionError::from(error).context("--scratch"))?;
            runtime = runtime.with_temp_file_path(folder);
        }
        if let Some(bytes) = limits.scratch_size {
            runtime = runtime.with_max_temp_directory_size(bytes);
        }
        runtime.build_arc()
    }
}

fn open(url: &Url) -> Result<Arc<dyn ObjectStore>> {
    match url.scheme() {
        "file" => Ok(Arc::new(LocalFileSystem::new())),
        "root" | "roots" => {
            // The store of the whole server: paths of plans begin at its root.
            let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
            let server = match url.port() {
                Some(port) => format!("{scheme}://{host}:{port}//"),
                None => format!("{scheme}://{host}//"),
            };
            Ok(Arc::new(XrootdStore::new(&server, &rntuple_xrootd::Options::new())?))
        }
        _ => Ok(rntuple_object_store::store(url.as_str(), &rntuple_object_store::Options::new())?.0),
    }
}

#[cfg(test)]
mod tests {
    use datafusion::execution::object_store::ObjectStoreUrl;

    use super::*;

    #[test]
    fn stores_are_those_of_the_command_line() {
        let stores =
            Stores::new(["file:///", "https://example.org", "root://example.org:1094", "gs://events"]);
        let runtime = stores.runtime(&Limits::default()).unwrap();
        for (url, is_given) in [
            ("file:///", true),
            ("https://example.org", true),
            ("root://example.org:1094", true),
            ("gs://events", true),
            ("root://example.org:1095", false),
            ("s3://bucket", false),
        ] {
            let found = runtime.object_store(ObjectStoreUrl::parse(url).unwrap());
            assert_eq!(found.is_ok(), is_given, "{url}");
        }
        assert!(
            Stores::default()
                .runtime(&Limits::default())
                .unwrap()
                .object_store(ObjectStoreUrl::local_filesystem())
                .is_err()
        );
    }

    #[test]
    fn azure_needs_an_account() {
        // The environment may have one.
        if let Err(error) = Stores::new(["az://events"]).runtime(&Limits::default()) {
            assert!(error.to_string().to_lowercase().contains("account"), "{error}");
        }
    }

    #[test]
    fn a_wrong_url_is_named_without_its_secrets() {
        for (wrong, name) in [
            ("https://user:SECRET@example.org/data", "https://example.org/data"),
            ("s3://SECRET@bucket?X-Amz-Signature=SECRET", "s3://bucket"),
            ("s4://bucket?authz=SECRET", "s4://bucket"),
        ] {
            let error = Stores::new([wrong]).runtime(&Limits::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("--store {name}: ")) && !error.contains("SECRET"), "{error}");
        }
    }

    #[test]
    fn a_wrong_url_is_named() {
        for wrong in ["bucket", "ftp://host", "s4://bucket"] {
            let error = Stores::new([wrong]).runtime(&Limits::default()).unwrap_err().to_string();
            assert!(error.contains(&format!("--store {wrong}: ")), "{error}");
        }
    }
}
