//! The stores that a process has been given.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use datafusion::common::{Result, exec_datafusion_err};
use datafusion::execution::object_store::ObjectStoreRegistry;
use object_store::ObjectStore;
use url::Url;

/// The stores that a process has been given, and no others: a plan of a stranger cannot name a place of its own.
#[derive(Debug, Default)]
pub(crate) struct Given(RwLock<HashMap<String, Arc<dyn ObjectStore>>>);

/// The part of a URL that names its store: `s3://bucket`. Users and passwords are not in it.
fn key(url: &Url) -> String {
    let (scheme, host) = (url.scheme(), url.host_str().unwrap_or_default());
    match url.port() {
        Some(port) => format!("{scheme}://{host}:{port}"),
        None => format!("{scheme}://{host}"),
    }
}

impl ObjectStoreRegistry for Given {
    fn register_store(&self, url: &Url, store: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(key(url), store)
    }

    fn deregister_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let removed = self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&key(url));
        removed.ok_or_else(|| exec_datafusion_err!("the store {} is not registered", key(url)))
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        let stores = self.0.read().unwrap_or_else(PoisonError::into_inner);
        stores.get(&key(url)).cloned().ok_or_else(|| {
            let key = key(url);
            exec_datafusion_err!("this process was not given the store {key}: start it with --store {key}")
        })
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn only_what_was_given_is_found() {
        let given = Given::default();
        given.register_store(&url("s3://bucket/"), Arc::new(InMemory::new()));
        assert!(given.get_store(&url("s3://bucket/run1.root")).is_ok());
        for other in ["s3://other/", "file:///etc/", "http://bucket/", "s3://bucket:1/"] {
            let error = given.get_store(&url(other)).unwrap_err().to_string();
            assert!(error.contains("--store"), "{error}");
        }
        assert!(given.deregister_store(&url("s3://bucket/")).is_ok());
        assert!(given.get_store(&url("s3://bucket/")).is_err());
    }

    #[test]
    fn errors_hold_no_secrets() {
        let error = Given::default().get_store(&url("https://user:secret@host/x")).unwrap_err().to_string();
        assert!(error.contains("https://host") && !error.contains("secret"), "{error}");
    }
}
