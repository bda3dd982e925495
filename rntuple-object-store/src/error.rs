//! Errors of stores, in the words of files.

use std::error::Error as _;
use std::io;

use object_store::Error;
use object_store::client::{HttpError, HttpErrorKind};

use crate::http::MACHINES;

/// The most characters of what a server says that are shown.
const MOST_OF_A_TEXT: usize = 300;

/// What `object_store` and what it uses put before the reason.
const PREFIXES: &[&str] = &[
    "HTTP error",
    "error sending request",
    "client error (Connect)",
    "client error (SendRequest)",
    "request or response body error",
    "error reading a body from connection",
    "error writing a body to connection",
    "connection error",
];

/// The error of a store, with what was asked for.
///
/// The kind says what a caller can do; [`io::ErrorKind::StaleNetworkFileHandle`] is an object that has changed.
#[cold]
pub(crate) fn io_error(error: &Error, request: &str) -> io::Error {
    let kind = match error {
        Error::NotFound { .. } => io::ErrorKind::NotFound,
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        Error::AlreadyExists { .. } => io::ErrorKind::AlreadyExists,
        Error::Precondition { .. } => return changed(request),
        Error::NotSupported { .. } | Error::NotImplemented { .. } => io::ErrorKind::Unsupported,
        Error::InvalidPath { .. } => io::ErrorKind::InvalidInput,
        _ => kind_of_cause(error).unwrap_or(io::ErrorKind::Other),
    };
    let reason = reason(error);
    let code = code(error).map(|code| format!(" ({code})")).unwrap_or_default();
    let message = match error {
        Error::NotFound { .. } if code == " (NoSuchBucket)" => "there is no such bucket".to_owned(),
        Error::NotFound { .. } if code == " (NoSuchUpload)" => {
            "the upload was aborted by someone else".to_owned()
        }
        Error::NotFound { .. } => "there is no such object".to_owned(),
        Error::PermissionDenied { .. } => {
            format!("the server refuses access{code}; are the credentials those of this store?")
        }
        Error::Unauthenticated { .. } => format!("the server asks for credentials{code}"),
        Error::AlreadyExists { .. } => "the object exists already".to_owned(),
        Error::NotSupported { .. } if request.starts_with("GET") => ignores_ranges(),
        _ if reason.starts_with("Received non-partial response") => ignores_ranges(),
        error if lacks_credentials(error) => no_credentials(error),
        _ => reason,
    };
    io::Error::new(kind, format!("{request}: {message}"))
}

/// Where no credentials are given, those of the machine in a cloud are asked for, which is of no use elsewhere.
fn lacks_credentials(error: &Error) -> bool {
    error.to_string().contains(&format!("http://{MACHINES}/"))
}

/// Which variables have credentials, in the words of the store.
fn no_credentials(error: &Error) -> String {
    let (keys, prefix) = match error {
        Error::Generic { store: "GCS", .. } => ("GOOGLE_SERVICE_ACCOUNT to the path of a key", "GOOGLE"),
        Error::Generic { store: "MicrosoftAzure", .. } => {
            ("AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY", "AZURE")
        }
        _ => ("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", "AWS"),
    };
    format!(
        "there are no credentials: set {keys}, or {prefix}_SKIP_SIGNATURE=true for data that are open to all"
    )
}

/// Whether the server says that the bytes which were asked for are beyond the end of the object.
#[cold]
pub(crate) fn is_beyond_end(error: &Error) -> bool {
    reason(error).starts_with("the server answers 416")
}

/// The object is not the one that was opened.
#[cold]
pub(crate) fn changed(request: &str) -> io::Error {
    let message = format!("{request}: the object was replaced while it was read: open it again");
    io::Error::new(io::ErrorKind::StaleNetworkFileHandle, message)
}

fn ignores_ranges() -> String {
    "the server ignores requests for ranges of bytes: download the file, or ask another server that has it"
        .to_owned()
}

/// The kind of the first error of the operating system among the causes.
fn kind_of_cause(error: &Error) -> Option<io::ErrorKind> {
    let mut cause = error.source();
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        if let Some(error) = error.downcast_ref::<HttpError>()
            && error.kind() == HttpErrorKind::Timeout
        {
            return Some(io::ErrorKind::TimedOut);
        }
        cause = error.source();
    }
    None
}

/// An error and what caused it, each said once.
pub(crate) fn reason(error: &Error) -> String {
    let text = error.to_string();
    let retries = text.split_once(", after ").and_then(|(_, after)| after.split_once(" retries"));
    let retries = retries.map(|(count, _)| format!(" (after {count} retries)")).unwrap_or_default();
    let mut said = plain(&text);
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = plain(&error.to_string());
        if said.is_empty() {
            said = more;
        } else if !said.contains(&more) {
            said = format!("{said}: {more}");
        }
        cause = error.source();
    }
    if said.contains("URL scheme is not allowed") {
        return if said.contains("redirect") {
            "the server redirects from https:// to http://, which is not followed".to_owned()
        } else {
            "the endpoint is http://, which needs the configuration `allow_http` (`AWS_ALLOW_HTTP=true` for S3)"
                .to_owned()
        };
    }
    if said.contains("InvalidContentType") {
        return "the server does not speak TLS at this port: is it http://?".to_owned();
    }
    // In the words of tokio.
    said.replace("deadline has elapsed", "timed out") + &retries
}

/// What a text says, without secrets, and without what is said elsewhere.
fn plain(text: &str) -> String {
    // `Error performing GET <url> in 3ms, after 2 retries, .. - <reason>`: the name of the object says where.
    let performed = text.split_once("Error performing ").and_then(|(_, text)| text.split_once(" - "));
    let mut text = performed.map_or(text, |(_, reason)| reason);
    if let Some((_, rest)) = text.strip_prefix("Generic ").and_then(|text| text.split_once(" error: ")) {
        text = rest;
    }
    // After its own reason, rustls says where its manual explains that.
    text = text.split(": https://docs.rs/").next().unwrap_or(text);
    while let Some(rest) = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        text = rest.trim_start_matches(": ");
    }
    if let Some((_, sent)) = text.strip_prefix("Requested ").and_then(|text| text.split_once(", got ")) {
        return format!("the server sent bytes {sent}");
    }
    let Some(answer) = text.strip_prefix("Server returned non-2xx status code: ") else {
        return without_queries(text);
    };
    let (status, body) = answer.split_once(": ").unwrap_or((answer, ""));
    let body = match (element(body, "Code"), element(body, "Message")) {
        (Some(code), Some(message)) => without_queries(&format!("{code}: {message}")),
        // A page for a browser says what the status says.
        _ if is_html(body) => String::new(),
        _ => without_queries(body),
    };
    let body: Vec<&str> = body.split_whitespace().collect();
    let body: String = body.join(" ").chars().take(MOST_OF_A_TEXT).collect();
    match body.is_empty() {
        true => format!("the server answers {status}"),
        false => format!("the server answers {status}: {body}"),
    }
}

fn is_html(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(14).collect();
    let start = start.to_ascii_lowercase();
    start.starts_with("<!doctype html") || start.starts_with("<html")
}

/// What S3 and others call an error: `NoSuchBucket`.
fn code(error: &Error) -> Option<String> {
    element(&error.source()?.to_string(), "Code").map(str::to_owned)
}

/// The text of an XML element.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = xml.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(text, _)| text)
}

/// The text without what follows a `?` in each of its words, which may be URLs or paths with secrets.
fn without_queries(text: &str) -> String {
    let strip = |word: &str| match word.split_once('?') {
        Some((start, query)) if query.contains('=') => format!("{start}?.."),
        _ => word.to_owned(),
    };
    text.split_whitespace().map(strip).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        io_error(&Error::Generic { store: "S3", source: text.into() }, "GET").to_string()
    }

    #[test]
    fn a_lack_of_credentials_is_said() {
        let source = "Error performing PUT http://169.254.169.254/latest/api/token in 2ms - refused".into();
        let text = io_error(&Error::Generic { store: "S3", source }, "GET").to_string();
        assert!(text.contains("AWS_ACCESS_KEY_ID") && !text.contains("169"), "{text}");
        for (store, name) in
            [("GCS", "GOOGLE_SERVICE_ACCOUNT"), ("MicrosoftAzure", "AZURE_STORAGE_ACCOUNT_KEY")]
        {
            let source = "Error performing GET http://169.254.169.254/x in 2ms - refused".into();
            let text = io_error(&Error::Generic { store, source }, "GET").to_string();
            assert!(text.contains(name) && !text.contains("AWS"), "{text}");
        }
    }

    #[test]
    fn secrets_of_urls_are_not_shown() {
        assert_eq!(
            said("following https://host/a.root?authz=SECRET failed - why?"),
            "GET: following https://host/a.root?.. failed - why?"
        );
        for words in ["no /a.root?authz=SECRET", "<Code>C</Code><Message>no /a.root?authz=SECRET</Message>"] {
            let text = said(&format!("x - Server returned non-2xx status code: 410 Gone: {words}"));
            assert!(!text.contains("SECRET"), "{text}");
            let text = said(&format!(
                "Error performing GET https://host/a in 3ms - Server returned non-2xx status code: 410 Gone: {words}"
            ));
            assert!(text.ends_with("no /a.root?..") && text.contains("410"), "{text}");
        }
        let text = said(
            "Error performing GET https://host/a?authz=SECRET in 3ms - Server returned non-2xx status code: 410 Gone: \n",
        );
        assert_eq!(text, "GET: the server answers 410 Gone");
    }

    #[test]
    fn reasons_are_said_once() {
        let before = "Error performing GET http://host/a in 3s, after 2 retries, max_retries: 2, retry_timeout: 10s  - ";
        let text = said(&format!("{before}HTTP error: error sending request: operation timed out"));
        assert_eq!(text, "GET: operation timed out (after 2 retries)");
        let xml = "<?xml?>\n<Error><Code>SlowDown</Code><Message>Less.</Message><Key>k</Key></Error>";
        let text =
            said(&format!("{before}Server returned non-2xx status code: 503 Service Unavailable: {xml}"));
        assert_eq!(
            text,
            "GET: the server answers 503 Service Unavailable: SlowDown: Less. (after 2 retries)"
        );
        let page = "502 Bad Gateway: <html>\r\n<head><title>502 Bad Gateway</title></head>\r\n</html>";
        let text = said(&format!("{before}Server returned non-2xx status code: {page}"));
        assert_eq!(text, "GET: the server answers 502 Bad Gateway (after 2 retries)");
        let text = said("received corrupt message of type InvalidContentType");
        assert_eq!(text, "GET: the server does not speak TLS at this port: is it http://?");
        let text = said("peer closed connection without a word: https://docs.rs/rustls/latest/a.html#b");
        assert_eq!(text, "GET: peer closed connection without a word");
        assert_eq!(said("Requested 0..10, got 0..5"), "GET: the server sent bytes 0..5");
    }
}
