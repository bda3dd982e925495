//! The HTTP client under all stores.

use std::error::Error;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use http::header::{AUTHORIZATION, CONTENT_LENGTH, CONTENT_RANGE, HeaderMap, HeaderValue, RANGE};
use http::{Method, StatusCode, uri::Scheme};
use http_body_util::{BodyExt as _, Limited};
use object_store::client::{
    ClientConfigKey, ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest,
    HttpResponse, HttpResponseBody, HttpService,
};
use rntuple::storage::PerProcess;

use crate::options::{Options, Secret};
use crate::retry_after;
use crate::runtime;
use crate::upload;

/// Where a machine in a cloud asks for its credentials. Elsewhere nothing answers there, for as long as the system waits.
pub(crate) const MACHINES: &str = "169.254.169.254";

/// How long that may take.
const LONGEST_OF_MACHINES: Duration = Duration::from_secs(2);

/// The most bytes of an answer that is neither an object nor a part of one,
const LONGEST_ANSWER: usize = 256 << 20;
/// and of one that says what is wrong.
const LONGEST_REFUSAL: usize = 1 << 20;

/// Parameters by which stores are asked for something other than an object: Google Cloud Storage and S3 for a list, Azure for
/// a list, S3 Express for a session. HTTP servers are asked for a list by a method of its own.
const NO_OBJECT: [&str; 3] = ["list-type=2", "comp=list", "session"];

/// Makes the clients of stores. Its clones share their connections.
///
/// It writes names of headers with capitals, `Range`: XRootD before 5.7 ignores the header `range`, and sends the whole
/// file.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    options: Options,
    /// A process that was forked has its own: the connections of its parent are driven by threads that it does not
    /// have.
    clients: Arc<PerProcess<Clients>>,
    sends_token: bool,
}

/// The clients that were made so far, each for what it was made from.
type Clients = Mutex<Vec<(Settings, reqwest::Client)>>;

/// What a client is made from, apart from the options. Stores share connections where all of this is the same: one may
/// accept certificates, or use a proxy, that another one must not.
#[derive(Debug, PartialEq, Eq)]
struct Settings {
    allows_http: bool,
    accepts_invalid_certificates: bool,
    /// Its URL may have a password.
    proxy: Option<Secret>,
    excluded_from_proxy: Option<String>,
    /// Whether it is for requests with [long bodies](upload::send).
    is_long: bool,
}

impl Settings {
    fn of(settings: &ClientOptions, is_long: bool) -> Self {
        let is_set = |key| settings.get_config_value(&key).is_some_and(|value| value == "true");
        Self {
            allows_http: is_set(ClientConfigKey::AllowHttp),
            accepts_invalid_certificates: is_set(ClientConfigKey::AllowInvalidCertificates),
            proxy: settings.get_config_value(&ClientConfigKey::ProxyUrl).map(Secret),
            excluded_from_proxy: settings.get_config_value(&ClientConfigKey::ProxyExcludes),
            is_long,
        }
    }
}

impl Connector {
    pub(crate) fn new(options: &Options) -> Self {
        Self { options: options.clone(), clients: Arc::default(), sends_token: false }
    }

    /// For servers that are given the bearer token.
    #[cfg(feature = "http")]
    pub(crate) fn with_token(mut self) -> Self {
        self.sends_token = true;
        self
    }

    /// The client for requests with or without [long bodies](upload::send).
    fn client(
        &self,
        settings: &ClientOptions,
        is_long: bool,
    ) -> Result<reqwest::Client, Box<dyn Error + Send + Sync>> {
        let settings = Settings::of(settings, is_long);
        let mut known = self.clients.get().lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, client)) = known.iter().find(|(known, _)| *known == settings) {
            return Ok(client.clone());
        }
        let mut builder = reqwest::Client::builder()
            // With HTTP/2, all requests to a server share one connection, and the few MiB that may be on their way on
            // it.
            .http1_only()
            .http1_title_case_headers()
            .https_only(!settings.allows_http)
            .connect_timeout(self.options.connect_timeout)
            // Not even to another host: it would have the query, which may be what grants access.
            .referer(false)
            .user_agent(concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION")))
            // A compressed answer would have another length.
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .danger_accept_invalid_certs(settings.accepts_invalid_certificates);
        if !is_long {
            builder = builder.read_timeout(self.options.stall_timeout);
        }
        for pem in &self.options.ca_certificates {
            let certificates = reqwest::Certificate::from_pem_bundle(pem)?;
            if certificates.is_empty() {
                return Err("an option `ca_certificate` has no certificate in PEM".into());
            }
            for certificate in certificates {
                builder = builder.add_root_certificate(certificate);
            }
        }
        if let Some(proxy) = &settings.proxy {
            let excluded = settings.excluded_from_proxy.as_deref().unwrap_or_default();
            let proxy = reqwest::Proxy::all(&*proxy.0)?.no_proxy(reqwest::NoProxy::from_string(excluded));
            builder = builder.proxy(proxy);
        }
        let client = builder.build()?;
        known.push((settings, client.clone()));
        Ok(client)
    }
}

impl HttpConnector for Connector {
    fn connect(&self, settings: &ClientOptions) -> object_store::Result<HttpClient> {
        let generic = |source| object_store::Error::Generic { store: "HTTP", source };
        // What is wrong with the settings is an error now.
        self.client(settings, false).map_err(generic)?;
        let token = if self.sends_token { self.options.bearer_token.now() } else { Ok(None) };
        let token = token.map_err(|error| generic(error.into()))?;
        let token = token.map(|token| HeaderValue::try_from(format!("Bearer {}", token.0)));
        let mut token = token.transpose().map_err(|error| generic(error.into()))?;
        if let Some(token) = &mut token {
            token.set_sensitive(true);
        }
        Ok(HttpClient::new(Service { connector: self.clone(), settings: settings.clone(), token }))
    }
}

#[derive(Debug)]
struct Service {
    connector: Connector,
    settings: ClientOptions,
    token: Option<HeaderValue>,
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, mut request: HttpRequest) -> Result<HttpResponse, HttpError> {
        if let Some(token) = self.token.as_ref().filter(|_| request.uri().scheme() == Some(&Scheme::HTTPS)) {
            request.headers_mut().insert(AUTHORIZATION, token.clone());
        }
        let is_for_credentials = request.uri().host() == Some(MACHINES);
        let is_long = upload::is_long(&request);
        let of_object = status_of_object(&request);
        let client = self.connector.client(&self.settings, is_long);
        let client =
            client.map_err(|error| HttpError::new(HttpErrorKind::Unknown, io::Error::other(error)))?;
        let call = async {
            match is_long {
                true => upload::send(&client, request, self.connector.options.stall_timeout).await,
                false => HttpService::call(&client, request).await,
            }
        };
        let mut response =
            if is_for_credentials { brief(LONGEST_OF_MACHINES, call).await? } else { call.await? };
        if response.status() == StatusCode::PARTIAL_CONTENT {
            mend(response.headers_mut());
        }
        let is_passing =
            response.status() == StatusCode::TOO_MANY_REQUESTS || response.status().is_server_error();
        runtime::note(is_passing.then(|| response.status()));
        if is_passing && let Some(pause) = retry_after::pause(response.headers(), SystemTime::now()) {
            // Longest time that a server may ask to wait before the next attempt.
            if pause > self.connector.options.timeout {
                let (status, seconds) = (response.status(), pause.as_secs());
                let message = format!("the server answers {status}, and to ask again in {seconds} s");
                return Err(HttpError::new(HttpErrorKind::Unknown, io::Error::other(message)));
            }
            // The caller sees the status then, and repeats the request.
            tokio::time::sleep(pause).await;
        }
        Ok(if of_object == Some(response.status()) { response } else { bounded(response) })
    }
}

/// The status of an answer that is an object or a part of one: it may be of any length, as the caller reads it in pieces. `None`:
/// the request is for something else.
fn status_of_object(request: &HttpRequest) -> Option<StatusCode> {
    let query = request.uri().query().unwrap_or_default();
    let host = request.uri().host().unwrap_or_default();
    // Of clouds, whatever their addresses say is about the machine that asks.
    let is_other = host.starts_with("169.254.")
        || host.starts_with("metadata")
        || query.split('&').any(|parameter| NO_OBJECT.contains(&parameter));
    let is_object = request.method() == Method::GET && !is_other;
    let is_part = request.headers().contains_key(RANGE);
    is_object.then_some(if is_part { StatusCode::PARTIAL_CONTENT } else { StatusCode::OK })
}

/// Limits an answer that is neither an object nor a part of one: `object_store` puts all of it into memory, or into an error. A
/// list of files may be long.
fn bounded(response: HttpResponse) -> HttpResponse {
    let most = if response.status().is_success() { LONGEST_ANSWER } else { LONGEST_REFUSAL };
    response.map(|body| {
        let body = Limited::new(body, most);
        HttpResponseBody::new(body.map_err(|error| match error.downcast::<HttpError>() {
            Ok(error) => *error,
            Err(error) => HttpError::new(HttpErrorKind::Unknown, io::Error::other(error)),
        }))
    })
}

/// The result of a request that is answered soon or not at all: it is not repeated.
async fn brief<T>(limit: Duration, call: impl Future<Output = Result<T, HttpError>>) -> Result<T, HttpError> {
    let late = |_| Err(HttpError::new(HttpErrorKind::Unknown, io::Error::from(io::ErrorKind::TimedOut)));
    let answer = tokio::time::timeout(limit, call).await.unwrap_or_else(late);
    answer.map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))
}

/// Prepares the headers of an answer for `object_store`: it needs a length, which proxies that send chunks omit, and
/// adds 1 to the number of the last byte.
fn mend(headers: &mut HeaderMap) {
    let range = headers.get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    let range =
        range.and_then(|range| range.trim().strip_prefix("bytes ")?.split('/').next()?.split_once('-'));
    let Some((first, last)) = range else { return };
    let (Ok(first), Ok(last)) = (first.parse::<u64>(), last.parse::<u64>()) else { return };
    match last.checked_add(1).and_then(|end| end.checked_sub(first)) {
        // The answer is then refused.
        None => drop(headers.remove(CONTENT_RANGE)),
        Some(length) if !headers.contains_key(CONTENT_LENGTH) => {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
        }
        Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::net::TcpListener;
    use std::thread;

    use object_store::client::HttpRequestBody;

    use super::*;

    /// Over HTTP/2, a server would get the requests of all files on one connection.
    #[test]
    fn servers_are_offered_http_1_alone() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("https://{}/x", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let mut socket = listener.accept().unwrap().0;
            // A record of TLS: `type 1 | version 2 | length 2`, and a list of protocols in it, each after its length.
            let mut header = [0; 5];
            socket.read_exact(&mut header).unwrap();
            let mut hello = vec![0; usize::from(u16::from_be_bytes([header[3], header[4]]))];
            socket.read_exact(&mut hello).unwrap();
            hello
        });
        let client = Connector::new(&Options::new()).client(&ClientOptions::new(), false).unwrap();
        let asked = runtime::wait(async move { client.get(url).send().await.map_err(io::Error::other) });
        asked.unwrap_err();
        let hello = server.join().unwrap();
        let has = |protocol: &[u8]| hello.windows(protocol.len()).any(|bytes| bytes == protocol);
        assert!(has(b"\x08http/1.1") && !has(b"\x02h2"), "{hello:?}");
    }

    #[test]
    fn stores_share_connections_where_all_settings_are_the_same() {
        let connector = Connector::new(&Options::new());
        let usual = || ClientOptions::new().with_allow_http(true);
        let all = [
            ClientOptions::new(),
            usual(),
            usual().with_allow_invalid_certificates(true),
            usual().with_proxy_url("http://user:SECRET@localhost:1"),
            usual().with_proxy_url("http://localhost:2"),
            usual().with_proxy_url("http://localhost:2").with_proxy_excludes("localhost"),
        ];
        for settings in all.iter().chain(&all) {
            connector.client(settings, false).unwrap();
            connector.client(settings, true).unwrap();
        }
        let known = connector.clients.get().lock().unwrap();
        assert_eq!(known.len(), 2 * all.len());
        let shown = format!("{:?}", known.iter().map(|(settings, _)| settings).collect::<Vec<_>>());
        assert!(shown.contains("proxy: Some((hidden))") && !shown.contains("SECRET"), "{shown}");
    }

    #[test]
    fn credentials_of_a_machine_are_not_waited_for() {
        let begun = std::time::Instant::now();
        let done = runtime::wait(async {
            let silent =
                brief(Duration::from_millis(20), std::future::pending::<Result<(), HttpError>>()).await;
            let refused =
                HttpError::new(HttpErrorKind::Connect, io::Error::from(io::ErrorKind::HostUnreachable));
            let refused = brief(Duration::from_secs(60), async { Err::<(), _>(refused) }).await;
            Ok::<_, io::Error>([silent, refused].map(|answer| answer.unwrap_err().kind()))
        });
        // The store repeats neither.
        assert!(done.unwrap().iter().all(|kind| *kind == HttpErrorKind::Unknown));
        assert!(begun.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn objects_may_be_of_any_length_and_lists_may_not() {
        let status = |method: Method, url: &str, range: Option<&str>| {
            let mut request = http::Request::builder().method(method).uri(url);
            if let Some(range) = range {
                request = request.header(RANGE, range);
            }
            status_of_object(&request.body(HttpRequestBody::empty()).unwrap())
        };
        let (whole, part) = (Some(StatusCode::OK), Some(StatusCode::PARTIAL_CONTENT));
        for url in [
            "https://host/table.csv",
            "https://host/table.csv?authz=SECRET&list=2",
            "https://bucket.s3.amazonaws.com/table.csv?versionId=1",
            "https://account.blob.core.windows.net/bucket/table.csv?snapshot=1&sig=x",
            "https://storage.googleapis.com/bucket/table%2Ecsv?generation=1",
        ] {
            assert_eq!(status(Method::GET, url, None), whole, "{url}");
            assert_eq!(status(Method::GET, url, Some("bytes=0-9")), part, "{url}");
            assert_eq!(status(Method::PUT, url, None), None, "{url}");
        }
        // What the stores are asked for lists, and for credentials.
        for url in [
            "https://bucket.s3.amazonaws.com/?delimiter=%2F&list-type=2&prefix=a",
            "https://storage.googleapis.com/bucket?list-type=2",
            "https://account.blob.core.windows.net/bucket?restype=container&comp=list&prefix=a",
            "https://bucket.s3express-use1-az4.us-east-1.amazonaws.com?session",
            "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
            "http://169.254.170.23/v1/credentials",
            "http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token",
        ] {
            assert_eq!(status(Method::GET, url, None), None, "{url}");
        }
        let list = Method::from_bytes(b"PROPFIND").unwrap();
        assert_eq!(status(list, "https://host/folder", None), None);
    }

    #[test]
    fn headers_are_mended() {
        let mended = |range: &'static str, length: Option<u64>| {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_RANGE, HeaderValue::from_static(range));
            length.map(|length| headers.insert(CONTENT_LENGTH, HeaderValue::from(length)));
            mend(&mut headers);
            let length = headers.get(CONTENT_LENGTH).map(|length| length.to_str().unwrap().to_owned());
            (headers.contains_key(CONTENT_RANGE), length)
        };
        let length = |length: &str| Some(length.to_owned());
        assert_eq!(mended("bytes 10-19/100", None), (true, length("10")));
        assert_eq!(mended("bytes 10-19/*", Some(7)), (true, length("7")));
        assert_eq!(mended("bytes 0-18446744073709551615/18446744073709551615", None), (false, None));
        assert_eq!(mended("bytes 5-1/100", None), (false, None));
        assert_eq!(mended("lines 1-2/3", None), (true, None));
    }
}
