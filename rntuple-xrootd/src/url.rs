//! URLs of files on XRootD servers, and where redirections lead.

use std::fmt;
use std::io;

use crate::failure::Failure;
use crate::wire::response::Redirect;

/// The port of a server that does not say another one.
const PORT: u16 = 1094;

/// Longest URL, in bytes. Servers accept shorter ones only.
const LONGEST: usize = 16 << 10;

/// Parameters of URLs that are no secrets, and beginnings of their names: they say what is asked for, and by which program.
const HARMLESS: [&str; 3] = ["eos.app", "svcclass", "filetype"];
const HARMLESS_PREFIXES: [&str; 3] = ["xrd.", "xrdcl.", "scitag."];

/// A server, and the name and token that it is given.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Host {
    /// Whether the connection has to be TLS; it is too where the server requires it.
    pub(crate) tls: bool,
    pub(crate) user: Option<String>,
    /// Without the brackets of an IPv6 address.
    pub(crate) name: String,
    pub(crate) port: u16,
    /// What the server is given at the login, as a redirection said.
    pub(crate) token: String,
}

impl Host {
    /// As it is called in errors.
    pub(crate) fn address(&self) -> String {
        let Self { name, port, .. } = self;
        if name.contains(':') { format!("[{name}]:{port}") } else { format!("{name}:{port}") }
    }
}

/// Shows the address only: the token is secret.
impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Host({})", self.address())
    }
}

/// `root://user@host:1094//path?opaque`.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) host: Host,
    /// Absolute.
    pub(crate) path: String,
    /// What follows the question mark: may be secret, and never is in errors.
    opaque: String,
}

/// Shows the URL without user, usual port and opaque part.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.host.tls { "roots" } else { "root" };
        let address = self.host.address();
        let usual = format!(":{PORT}");
        write!(f, "{scheme}://{}/{}", address.strip_suffix(&usual).unwrap_or(&address), self.path)
    }
}

/// As [`Display`](fmt::Display): without what may be secret.
impl fmt::Debug for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Url({self})")
    }
}

impl Url {
    /// Reads a URL; the scheme may be `root`, `roots`, `xroot` or `xroots`.
    pub(crate) fn parse(url: &str) -> io::Result<Self> {
        Self::read(url).map_err(|fault| {
            let shown = url.split('?').next().unwrap_or_default();
            let shown = shown.rsplit_once('@').map_or(shown, |(_, rest)| rest);
            let text = format!("`{shown}`: {fault}; expected root://host:port//path");
            io::Error::new(io::ErrorKind::InvalidInput, text)
        })
    }

    fn read(url: &str) -> Result<Self, &'static str> {
        if url.len() > LONGEST {
            return Err("the URL is too long");
        }
        if url.chars().any(|c| c.is_control()) {
            return Err("the URL has a control character in it");
        }
        let (scheme, rest) = url.split_once("://").ok_or("the URL has no scheme")?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "root" | "xroot" => false,
            "roots" | "xroots" => true,
            _ => return Err("the scheme is not one of XRootD"),
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (user, address) = match authority.rsplit_once('@') {
            Some((user, address)) => (user.split(':').next().filter(|user| !user.is_empty()), address),
            None => (None, authority),
        };
        let (name, port) = split_address(address)?;
        let (path, opaque) = rest.split_once('?').unwrap_or((rest, ""));
        Ok(Self {
            host: Host {
                tls,
                user: user.map(str::to_owned),
                name: name.to_owned(),
                port: port.unwrap_or(PORT),
                token: String::new(),
            },
            path: format!("/{}", path.trim_start_matches('/')),
            opaque: opaque.trim_matches('&').to_owned(),
        })
    }

    /// The URL of another path on the same server.
    pub(crate) fn with_path(&self, path: String) -> Self {
        Self { path, ..self.clone() }
    }

    /// Whether the URL has something for servers that may grant access, such as `authz`.
    pub(crate) fn has_secret(&self) -> bool {
        self.opaque.split('&').filter(|parameter| !parameter.is_empty()).any(|parameter| {
            let name = parameter.split('=').next().unwrap_or_default().to_ascii_lowercase();
            !HARMLESS.contains(&&*name) && !HARMLESS_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
        })
    }

    /// What a request says: the path, and the opaque parts that there are.
    pub(crate) fn target(&self, path: &str, more: &[&str]) -> String {
        let mut target = path.to_owned();
        let parts = std::iter::once(self.opaque.as_str()).chain(more.iter().copied());
        for (part, separator) in parts.filter(|part| !part.is_empty()).zip(["?", "&", "&", "&"]) {
            target.push_str(separator);
            target.push_str(part);
        }
        target
    }
}

/// Splits `host`, `host:port`, `[::1]` and `[::1]:port`.
fn split_address(address: &str) -> Result<(&str, Option<u16>), &'static str> {
    let (name, port) = match address.strip_prefix('[') {
        Some(rest) => {
            let (name, rest) = rest.split_once(']').ok_or("the IPv6 address has no closing bracket")?;
            match rest.strip_prefix(':') {
                Some(port) => (name, Some(port)),
                None if rest.is_empty() => (name, None),
                None => return Err("there is text after the IPv6 address"),
            }
        }
        None => match address.rsplit_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (address, None),
        },
    };
    if name.is_empty() {
        return Err("the URL has no host");
    }
    let port = match port {
        None | Some("") => None,
        Some(port) => Some(port.parse().ok().filter(|&port| port != 0).ok_or("the port is not a number")?),
    };
    Ok((name, port))
}

/// A server, with what each request to it has to contain.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) host: Host,
    /// The path that the file has there, where a redirection said another one than that of the URL.
    pub(crate) path: Option<String>,
    pub(crate) opaque: String,
}

/// Without the opaque part, which may be secret.
impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place").field("host", &self.host).field("path", &self.path).finish_non_exhaustive()
    }
}

impl Place {
    pub(crate) fn of(url: &Url) -> Self {
        Self { host: url.host.clone(), path: None, opaque: String::new() }
    }

    /// Where a redirection leads. What was TLS stays TLS.
    pub(crate) fn redirected(&self, redirect: &Redirect) -> Result<Self, Failure> {
        let nowhere = |why: &str| {
            let text = format!("the server redirects to where this client cannot follow: {why}");
            Failure::Final(io::Error::new(io::ErrorKind::Unsupported, text))
        };
        // The opaque part of a host may have URLs in it.
        let address = redirect.target.split('?').next().unwrap_or_default();
        if redirect.port < 0 || address.contains("://") {
            let url = Url::read(&redirect.target).map_err(nowhere)?;
            let tls = url.host.tls || self.host.tls;
            let user = url.host.user.or_else(|| self.host.user.clone());
            // A URL without a path leads to the same path.
            let path = if url.path == "/" { self.path.clone() } else { Some(url.path) };
            return Ok(Self { host: Host { tls, user, ..url.host }, path, opaque: url.opaque });
        }
        let mut parts = redirect.target.splitn(3, '?');
        let (name, port) = split_address(parts.next().unwrap_or_default()).map_err(nowhere)?;
        let port = match u16::try_from(redirect.port) {
            Ok(0) => port.unwrap_or(PORT),
            Ok(port) => port,
            Err(_) => return Err(nowhere("the port is not a number")),
        };
        let opaque = parts.next().unwrap_or_default().trim_matches('&').to_owned();
        let token = parts.next().unwrap_or_default().to_owned();
        let host = Host { name: name.to_owned(), port, token, ..self.host.clone() };
        Ok(Self { host, path: self.path.clone(), opaque })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_name_host_port_and_path() {
        let url = Url::parse("root://me:x@eos.cern.ch:1095//eos/a b.root?authz=secret&").unwrap();
        assert_eq!(
            (url.host.name.as_str(), url.host.port, url.path.as_str()),
            ("eos.cern.ch", 1095, "/eos/a b.root")
        );
        assert_eq!(url.host.user.as_deref(), Some("me"));
        assert_eq!(url.to_string(), "root://eos.cern.ch:1095//eos/a b.root");
        assert_eq!(url.target("/x", &["", "tried=a"]), "/x?authz=secret&tried=a");

        let url = Url::parse("xroots://[::1]/x").unwrap();
        assert_eq!((url.host.tls, url.host.name.as_str(), url.host.port), (true, "::1", 1094));
        assert_eq!(url.to_string(), "roots://[::1]//x");
        assert_eq!(url.target(&url.path, &[]), "/x");
        assert_eq!(Url::parse("ROOT://h").unwrap().path, "/");
    }

    #[test]
    fn what_grants_access_is_secret() {
        let has_secret = |query: &str| Url::parse(&format!("root://h//x?{query}")).unwrap().has_secret();
        for query in
            ["authz=a", "eos.app=x&AuthZ=a", "access_token=a&x=1", "eos.authz=a=b", "token", "cap.sym=a"]
        {
            assert!(has_secret(query), "{query}");
        }
        for query in ["", "eos.app=x", "svcClass=authz&xrd.wantprot=unix", "filetype=raw&scitag.flow=66"] {
            assert!(!has_secret(query), "{query}");
        }
    }

    #[test]
    fn an_error_does_not_show_secrets() {
        for bad in
            ["root://:1//x", "http://h/x", "root://h:x//y", "root://h:0/y", "root://[::1/x", "root://a\n/x"]
        {
            let url = format!("{bad}?authz=secret");
            let error = Url::parse(&url).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
        let error = Url::parse("root://me:secret@h:x//y").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn redirections_lead_to_a_host() {
        let here = Place::of(&Url::parse("roots://me@a//x?b=1").unwrap());
        let to = |port, target: &str| here.redirected(&Redirect { port, target: target.to_owned() });
        let there = to(1095, "b.example?&cap=1&x=2?tok").unwrap();
        assert_eq!(there.host.address(), "b.example:1095");
        assert_eq!((there.opaque.as_str(), there.host.token.as_str()), ("cap=1&x=2", "tok"));
        assert_eq!(there.host.user.as_deref(), Some("me"));
        assert_eq!(to(0, "[::1]:7").unwrap().host.address(), "[::1]:7");
        assert_eq!(to(7, "[::1]").unwrap().host.address(), "[::1]:7");
        assert_eq!(to(7, "b?from=root://a//x").unwrap().opaque, "from=root://a//x");
        let there = to(-1, "root://c:9//x?q=1").unwrap();
        assert!(there.host.tls, "never back to plain text");
        assert_eq!((there.host.port, there.opaque.as_str()), (9, "q=1"));
        assert_eq!(there.path.as_deref(), Some("/x"));
        // What does not say a path keeps it.
        for (port, target) in [(-1, "root://d"), (-1, "root://d/?q=2"), (7, "d?q=2")] {
            let path =
                |place: &Place| place.redirected(&Redirect { port, target: target.to_owned() }).unwrap().path;
            assert_eq!((path(&here), path(&there)), (None, Some("/x".to_owned())), "{target}");
        }
        for (port, target) in [(1, ""), (70_000, "h"), (-1, "file:///x"), (-1, "h")] {
            assert!(to(port, target).is_err(), "{target}");
        }
    }
}
