//! From a URL to a store and a path in it.

use std::collections::HashMap;
use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use object_store::ObjectStore;
use object_store::multipart::MultipartStore;
use object_store::path::Path;
use rntuple::storage::{PerProcess, without_secrets};
use url::{Position, Url, form_urlencoded};
use xxhash_rust::xxh3::xxh3_64;

use crate::http::Connector;
use crate::options::Options;

/// Buckets whose stores are kept.
const MOST_STORES: usize = 64;

/// What the variables begin with from which stores are configured.
const VARIABLES: [&str; 5] = ["AWS_", "AZURE_", "GOOGLE_", "IDENTITY_", "SERVICE_ACCOUNT"];

/// Where an object is.
#[derive(Clone)]
pub(crate) struct Located {
    pub(crate) store: Arc<dyn ObjectStore>,
    /// The same store, if it takes objects in parts.
    pub(crate) parts: Option<Arc<dyn MultipartStore>>,
    pub(crate) path: Path,
    /// The URL, without secrets.
    pub(crate) name: String,
    /// The hash of a query that says which object is meant.
    pub(crate) choice: Option<u64>,
}

impl Located {
    /// Refuses the URL of a bucket. HTTP servers may have a file at their root.
    ///
    /// # Errors
    /// There is no name of an object.
    pub(crate) fn object(self) -> io::Result<Self> {
        if self.path.as_ref().is_empty() && self.parts.is_some() {
            let message =
                format!("{}: the URL names a bucket, and no object in it: s3://bucket/name", self.name);
            return Err(invalid(message));
        }
        Ok(self)
    }
}

/// The stores of one set of options: what is known of a bucket, and connections, serve all objects.
pub(crate) struct Stores {
    pub(crate) options: Options,
    #[cfg_attr(
        not(any(feature = "s3", feature = "http", feature = "gcs", feature = "azure")),
        expect(dead_code, reason = "without any store, nothing connects")
    )]
    connector: Connector,
    /// Those of this process: a thread of its parent could have had the lock.
    known: PerProcess<Mutex<Known>>,
}

/// Stores by bucket, and by the hash of the environment that they were made in: it may be completed after a failure.
type Known = HashMap<(String, u64), Store>;

type Store = (Arc<dyn ObjectStore>, Option<Arc<dyn MultipartStore>>);

/// Finds the object of a URL.
///
/// # Errors
/// The URL is of no store that is known, or has a path that cannot be asked for, or the store's configuration is
/// incomplete.
pub(crate) fn locate(url: &str, options: &Options) -> io::Result<Located> {
    Stores::new(options.clone()).locate(url)
}

impl Stores {
    pub(crate) fn new(options: Options) -> Self {
        Self { connector: Connector::new(&options), options, known: PerProcess::new() }
    }

    /// Finds the object of a URL.
    ///
    /// # Errors
    /// As [`locate`].
    pub(crate) fn locate(&self, text: &str) -> io::Result<Located> {
        let url = Url::parse(text).map_err(|error| invalid(format!("this is not a URL: {error}")))?;
        let path = path_of(&url)?;
        let is_http = matches!(url.scheme(), "http" | "https");
        if !is_http && (url.query().is_some() || url.fragment().is_some()) {
            let message =
                "? and # have no meaning in such a URL: in the name of an object, write %3F and %23";
            return Err(invalid(message.to_owned()));
        }
        let (store, parts) = if is_http { self.http(&url)? } else { self.bucket(&url)? };
        Ok(Located { store, parts, path, name: without_secrets(url.as_str()), choice: choice_of(&url) })
    }

    fn bucket(&self, url: &Url) -> io::Result<Store> {
        let key = (url[..Position::BeforePath].to_owned(), environment());
        let mut known = self.known.get().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = known.get(&key) {
            return Ok(store.clone());
        }
        let store = self.build(url)?;
        if known.len() >= MOST_STORES {
            known.clear();
        }
        known.insert(key, store.clone());
        Ok(store)
    }

    #[cfg(any(feature = "s3", feature = "http", feature = "gcs", feature = "azure"))]
    fn retry(&self) -> object_store::RetryConfig {
        use object_store::{BackoffConfig, RetryConfig};
        use std::time::Duration;

        let init_backoff = Duration::from_millis(100);
        // A pause is any between the first one and `base` times the one before: on average twice that one.
        let backoff = BackoffConfig { init_backoff, max_backoff: Duration::from_secs(15), base: 4.0 };
        RetryConfig { backoff, max_retries: self.options.retries, retry_timeout: self.options.timeout }
    }

    #[cfg(feature = "http")]
    fn http(&self, url: &Url) -> io::Result<Store> {
        if !url.username().is_empty() || url.password().is_some() {
            return Err(invalid("user and password are not taken from a URL: use a bearer token".to_owned()));
        }
        // What follows the path stays: it may be what grants access.
        let mut base = url.clone();
        base.set_path("");
        base.set_fragment(None);
        let store = object_store::http::HttpBuilder::new()
            .with_url(base)
            .with_config(object_store::ClientConfigKey::AllowHttp, (url.scheme() == "http").to_string())
            .with_retry(self.retry())
            .with_http_connector(self.connector.clone().with_token())
            .build();
        Ok((Arc::new(store.map_err(|error| incomplete(&error))?), None))
    }

    #[cfg(not(feature = "http"))]
    fn http(&self, _: &Url) -> io::Result<Store> {
        Err(disabled("http"))
    }

    fn build(&self, url: &Url) -> io::Result<Store> {
        match url.scheme() {
            #[cfg(feature = "s3")]
            "s3" | "s3a" => self.built(object_store::aws::AmazonS3Builder::from_env(), url),
            #[cfg(not(feature = "s3"))]
            "s3" | "s3a" => Err(disabled("s3")),
            #[cfg(feature = "gcs")]
            "gs" => self.built(object_store::gcp::GoogleCloudStorageBuilder::from_env(), url),
            #[cfg(not(feature = "gcs"))]
            "gs" => Err(disabled("gcs")),
            #[cfg(feature = "azure")]
            "az" | "adl" | "azure" | "abfs" | "abfss" => {
                self.built(object_store::azure::MicrosoftAzureBuilder::from_env(), url)
            }
            #[cfg(not(feature = "azure"))]
            "az" | "adl" | "azure" | "abfs" | "abfss" => Err(disabled("azure")),
            other => Err(invalid(format!("no store is known for {other}:// URLs"))),
        }
    }

    #[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
    fn built<B: Build>(&self, builder: B, url: &Url) -> io::Result<Store> {
        let mut builder = builder;
        for (key, value) in &self.options.config {
            builder = builder.set(key, &value.0)?;
        }
        // Where it is none, a request would panic.
        if let Some(endpoint) = builder.endpoint()
            && !Url::parse(&endpoint)
                .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
        {
            return Err(invalid("the endpoint of the store is not an http:// or https:// URL".to_owned()));
        }
        // Only the bucket: what else is in the URL is not.
        let bucket = &url[..Position::BeforePath];
        let store = builder.finish(bucket, self.retry(), self.connector.clone());
        let store = Arc::new(store.map_err(|error| incomplete(&error))?);
        Ok((store.clone(), Some(store)))
    }
}

/// Parameters of queries that grant access. They are renewed, and the object stays the same.
const GRANTS: [&str; 9] = [
    "access_token",
    "authorization",
    "authz",
    "awsaccesskeyid",
    "expires",
    "key-pair-id",
    "sig",
    "signature",
    "token",
];

/// The same of a shared access signature of Azure. Elsewhere, names as short as these may choose an object.
const GRANTS_OF_AZURE: [&str; 21] = [
    "saoid", "scid", "sdd", "se", "ses", "si", "sip", "ske", "skoid", "sks", "skt", "sktid", "skv", "sp",
    "spr", "sr", "srt", "ss", "st", "suoid", "sv",
];

/// The hash of what a query says, but for what grants access. It is in the keys of caches on disk: it is the same in all
/// versions of this crate.
fn choice_of(url: &Url) -> Option<u64> {
    let has = |wanted: &str| url.query_pairs().any(|(name, _)| name.eq_ignore_ascii_case(wanted));
    let (is_of_azure, is_of_cloudfront) = (has("sig") && has("sv"), has("signature") && has("key-pair-id"));
    let chooses = |name: &str| {
        let name = name.to_ascii_lowercase();
        let grants = GRANTS.contains(&&*name)
            || name.starts_with("x-amz-")
            || name.starts_with("x-goog-")
            || is_of_azure && GRANTS_OF_AZURE.contains(&&*name)
            || is_of_cloudfront && name == "policy";
        !grants
    };
    let mut choice = form_urlencoded::Serializer::new(String::new());
    choice.extend_pairs(url.query_pairs().filter(|(name, _)| chooses(name)));
    let choice = choice.finish();
    (!choice.is_empty()).then(|| xxh3_64(choice.as_bytes()))
}

/// What the builders of `object_store` have in common.
#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
trait Build {
    type Store: ObjectStore + MultipartStore;

    /// What the keys of this store begin with.
    const PREFIX: &str;

    /// Sets a key, if it is one of this store.
    ///
    /// # Errors
    /// It has the prefix of this store, which does not have it.
    fn set(self, key: &str, value: &str) -> io::Result<Self>
    where
        Self: Sized;

    /// The URL of the server, where it is not the usual one.
    fn endpoint(&self) -> Option<String>;

    fn finish(
        self,
        url: &str,
        retry: object_store::RetryConfig,
        connector: Connector,
    ) -> object_store::Result<Self::Store>;
}

#[cfg(any(feature = "s3", feature = "gcs", feature = "azure"))]
macro_rules! build {
    ($feature:literal $prefix:literal $builder:ty => $store:ty, $endpoint:expr) => {
        #[cfg(feature = $feature)]
        impl Build for $builder {
            type Store = $store;

            const PREFIX: &str = $prefix;

            fn set(self, key: &str, value: &str) -> io::Result<Self> {
                match key.parse() {
                    Ok(key) => Ok(self.with_config(key, value)),
                    Err(_) if key.starts_with(Self::PREFIX) => {
                        Err(invalid(format!("`object_store` has no configuration key {key:?}")))
                    }
                    Err(_) => Ok(self),
                }
            }

            fn endpoint(&self) -> Option<String> {
                self.get_config_value(&$endpoint)
            }

            fn finish(
                self,
                url: &str,
                retry: object_store::RetryConfig,
                connector: Connector,
            ) -> object_store::Result<Self::Store> {
                self.with_url(url).with_retry(retry).with_http_connector(connector).build()
            }
        }
    };
}

#[cfg(feature = "s3")]
build! {
    "s3" "aws_" object_store::aws::AmazonS3Builder => object_store::aws::AmazonS3,
    object_store::aws::AmazonS3ConfigKey::Endpoint
}
#[cfg(feature = "gcs")]
build! {
    "gcs" "google_" object_store::gcp::GoogleCloudStorageBuilder => object_store::gcp::GoogleCloudStorage,
    object_store::gcp::GoogleConfigKey::BaseUrl
}
#[cfg(feature = "azure")]
build! {
    "azure" "azure_" object_store::azure::MicrosoftAzureBuilder => object_store::azure::MicrosoftAzure,
    object_store::azure::AzureConfigKey::Endpoint
}

/// A hash of all variables from which stores are configured.
fn environment() -> u64 {
    let is_of_store = |name: &str| VARIABLES.iter().any(|start| name.starts_with(start));
    let mut variables: Vec<_> =
        env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_store)).collect();
    variables.sort_unstable();
    let mut hasher = DefaultHasher::new();
    variables.hash(&mut hasher);
    hasher.finish()
}

/// The path of an object. Stores have paths decoded and without empty parts: a URL that cannot be had back from that is
/// refused, as another object would be read, or replaced.
fn path_of(url: &Url) -> io::Result<Path> {
    let path = url.path().replace("%2f", "%2F");
    let path = if matches!(url.scheme(), "http" | "https") {
        if path.contains("%2F") {
            let message = "the path has an escaped slash (%2F), which would be asked for as `/`, and may then be that \
                           of another file: download it, or use a URL without %2F";
            return Err(invalid(message.to_owned()));
        }
        // Several slashes in a row are one, as for a file.
        path.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
    } else {
        // Here it is a part of the name, however it is written.
        let path = path.replace("%2F", "/");
        let name = path.strip_prefix('/').unwrap_or(&path);
        // A slash at the end is that of a folder.
        let is_part_empty = name.strip_suffix('/').unwrap_or(name).split('/').any(str::is_empty);
        if is_part_empty && !name.is_empty() {
            let message = "the name of the object has an empty part (`a//b`, `/a`), which cannot be asked for; without \
                           it, this would be the name of another object: rename the object, or remove a slash";
            return Err(invalid(message.to_owned()));
        }
        path
    };
    Path::from_url_path(path).map_err(|error| invalid(format!("the path is not possible: {error}")))
}

fn invalid(message: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, message)
}

#[cfg(any(feature = "s3", feature = "http", feature = "gcs", feature = "azure"))]
fn incomplete(error: &object_store::Error) -> io::Error {
    let mut reason = crate::error::reason(error);
    // What the builder calls an account has its name in a variable.
    if reason.contains("Account must be specified") {
        reason += ": set AZURE_STORAGE_ACCOUNT_NAME";
    }
    invalid(format!("the configuration of the store is not complete: {reason}"))
}

#[cfg(not(all(feature = "s3", feature = "http", feature = "gcs", feature = "azure")))]
fn disabled(feature: &str) -> io::Error {
    let message = format!("the crate rntuple-object-store was built without its feature `{feature}`");
    io::Error::new(io::ErrorKind::Unsupported, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(url: &str) -> io::Result<(String, String)> {
        let options = Options::new().config("aws_region", "r").config("aws_skip_signature", "true");
        locate(url, &options).map(|it| (it.path.to_string(), it.name))
    }

    #[test]
    fn urls_lead_to_paths_and_names_have_no_secrets() {
        #[cfg(any(feature = "s3", feature = "http"))]
        let pair = |path: &str, name: &str| (path.to_owned(), name.to_owned());
        #[cfg(feature = "s3")]
        assert_eq!(
            located("s3://bucket/a/b%20c.root").unwrap(),
            pair("a/b c.root", "s3://bucket/a/b%20c.root")
        );
        #[cfg(feature = "http")]
        {
            assert_eq!(
                located("https://host:8443//eos/x.root?authz=SECRET").unwrap(),
                pair("eos/x.root", "https://host:8443//eos/x.root")
            );
            let error = located("https://user:SECRET@host/x").unwrap_err().to_string();
            assert!(error.contains("bearer token") && !error.contains("SECRET"), "{error}");
        }
        for url in ["nothing", "ftp://host/x", "s3://bucket/a?versionId=1", "s3://bucket/a#1.root"] {
            assert_eq!(located(url).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{url}");
        }
        #[cfg(feature = "s3")]
        for url in ["s3://bucket", "s3://bucket/"] {
            let options = Options::new().config("aws_region", "r").config("aws_skip_signature", "true");
            let error = locate(url, &options).and_then(Located::object).map(drop).unwrap_err();
            assert!(error.to_string().contains("names a bucket"), "{error}");
        }
        #[cfg(not(feature = "gcs"))]
        assert!(located("gs://bucket/x").unwrap_err().to_string().contains("`gcs`"));
    }

    #[test]
    fn paths_that_would_become_those_of_other_objects_are_refused() {
        let path = |url: &str| path_of(&Url::parse(url).unwrap()).map(String::from);
        for (url, expected) in [
            ("https://host:8443//eos//x.root", "eos/x.root"),
            ("https://host/a%20b%252F.root?file=a%2Fb", "a b%2F.root"),
            ("s3://bucket", ""),
            ("s3://bucket/", ""),
            ("s3://bucket/a/", "a"),
            ("s3://bucket/a%2Fb.root", "a/b.root"),
            ("gs://bucket/a%252Fb.root", "a%2Fb.root"),
        ] {
            assert_eq!(path(url).unwrap(), expected, "{url}");
        }
        for (url, why) in [
            ("https://host/o/dir%2Fx.root?alt=media", "%2F"),
            ("http://host/dir%2fx.root", "%2F"),
            ("s3://bucket//", "empty part"),
            ("s3://bucket//x.root", "empty part"),
            ("s3a://bucket/a//x.root", "empty part"),
            ("gs://bucket/a//", "empty part"),
            ("az://container/%2Fx.root", "empty part"),
            ("abfss://container@account/a%2F/x.root", "empty part"),
        ] {
            let error = path(url).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{url}");
            assert!(error.to_string().contains(why), "{url}: {error}");
        }
    }

    #[test]
    fn what_grants_access_does_not_choose_an_object() {
        let choice = |query: &str| choice_of(&Url::parse(&format!("https://host/x.root{query}")).unwrap());
        // Of Azure, CloudFront, S3, Google Cloud Storage, and WLCG.
        let azure = "sv=2024-11-04&st=2026-01-01&se=2026-01-02&sr=b&sp=r&spr=https&sip=1.2.3.4&skoid=a&sktid=b\
                     &skt=2026-01-01&ske=2026-01-02&sks=b&skv=2024-11-04&sig=SECRET";
        let grants = [
            azure,
            "Policy=SECRET&Signature=SECRET&Key-Pair-Id=K",
            "Expires=1&Signature=SECRET&Key-Pair-Id=K",
            "X-Amz-Date=20260101&X-Amz-Signature=SECRET",
            "X-Goog-Date=20260101&X-Goog-Signature=SECRET",
            "authz=SECRET",
        ];
        let version = choice("?versionId=1");
        assert!(version.is_some() && version != choice("?versionId=2"));
        for grant in grants {
            assert_eq!(choice(&format!("?{grant}")), None, "{grant}");
            assert_eq!(choice(&format!("?{grant}&versionId=1")), version, "{grant}");
            assert_eq!(choice(&format!("?versionId=1&{grant}")), version, "{grant}");
        }
        let snapshot = |time: &str| choice(&format!("?snapshot={time}&{azure}"));
        assert!(snapshot("1").is_some() && snapshot("1") != snapshot("2"));
        // Of other servers, what these names say may choose an object.
        for query in ["?st=1", "?se=1&sp=2", "?policy=1"] {
            assert!(choice(query).is_some(), "{query}");
        }
        // However it is written; and names and values are not confused.
        assert_eq!(choice("?file=a%2Fb"), choice("?file=a/b"));
        assert_ne!(choice("?a=b&c=d"), choice("?a=b%26c%3Dd"));
        assert_eq!((choice(""), choice("?"), choice("?&")), (None, None, None));
    }

    #[test]
    fn the_hash_of_a_choice_stays_the_same() {
        let url = Url::parse("https://host/x.root?file=run1.root&authz=SECRET").unwrap();
        // The XXH3 of `file=run1.root`.
        assert_eq!(choice_of(&url), Some(0xeb00_0aad_03d2_9b38));
    }
}
