//! The stores that URLs lead to.

/// The store of a URL, `https://host:8080`, by which one that is registered is found.
pub(crate) fn store_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    // Of some schemes, parsers of URLs take `\` for `/`: what is after it is not a host.
    let authority = rest.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_named_without_secrets() {
        for (url, store) in [
            ("https://me:secret@host:1/a.root?secret#secret", "https://host:1"),
            ("https://secret@host/a@b.root", "https://host"),
            ("s3://key:sec@ret@bucket/a", "s3://bucket"),
            ("https://host?secret", "https://host"),
            ("root://me@host//a.root?authz=secret", "root://host"),
            (r"https://elsewhere\@host/a.root", "https://elsewhere"),
        ] {
            assert_eq!(store_of(url).as_deref(), Some(store), "{url}");
        }
        assert_eq!(store_of("/data/a.root"), None);
    }
}
