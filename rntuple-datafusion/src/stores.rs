//! URLs without what may be secret, as they are sent and shown.

/// Schemes whose URLs name the user that a file is read as.
const WITH_USER: [&str; 4] = ["root", "roots", "xroot", "xroots"];

/// The URL without a query, and without a user and a password; what is not a URL stays as it is.
pub(crate) fn without_secrets(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let rest = rest.split(['?', '#']).next().unwrap_or_default();
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = match authority.rsplit_once('@') {
        Some((user, _)) if WITH_USER.contains(&scheme) && !user.contains(':') => authority,
        Some((_, host)) => host,
        None => authority,
    };
    format!("{scheme}://{host}{path}")
}

/// The store of a URL, `https://host:8080`, by which one that is registered is found.
pub(crate) fn store_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_secret_is_removed() {
        for (url, public, store) in [
            ("https://me:secret@host:1/a.root?secret#secret", "https://host:1/a.root", "https://host:1"),
            ("https://secret@host/a@b.root", "https://host/a@b.root", "https://host"),
            ("s3://key:sec@ret@bucket/a", "s3://bucket/a", "s3://bucket"),
            ("https://host?secret", "https://host", "https://host"),
            ("root://me@host//a.root?authz=secret", "root://me@host//a.root", "root://host"),
            ("root://me:secret@host//a.root", "root://host//a.root", "root://host"),
        ] {
            assert_eq!(without_secrets(url), public);
            assert_eq!(store_of(url).as_deref(), Some(store), "{url}");
        }
        assert_eq!(without_secrets("/data/a@b?.root"), "/data/a@b?.root");
        assert_eq!(store_of("/data/a.root"), None);
    }
}
