//! The stores that URLs lead to.

/// The store of a URL, `https://host:8080`, by which one that is registered is found.
pub(crate) fn store_of(url: &str) -> Option<String> {
    let (scheme, authority) = parts_of(url)?;
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    Some(format!("{scheme}://{host}"))
}

/// The container of a URL of Azure, `abfss://container@account.dfs.core.windows.net/a.root`, which has it where others have a
/// user. The name of the store is without it: DataFusion finds stores by their hosts.
pub(crate) fn container_of(url: &str) -> Option<&str> {
    let (scheme, authority) = parts_of(url)?;
    let (user, _) = authority.rsplit_once('@')?;
    let container = user.split_once(':').map_or(user, |(container, _)| container);
    matches!(scheme, "abfs" | "abfss").then_some(container)
}

/// The scheme of a URL, and what is between that and the path.
fn parts_of(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once("://")?;
    // Of some schemes, parsers of URLs take `\` for `/`: what is after it is not a host.
    Some((scheme, rest.split(['/', '\\', '?', '#']).next().unwrap_or_default()))
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

    #[test]
    fn a_container_is_where_other_urls_have_a_user() {
        for (url, container) in [
            ("abfss://c1@account.dfs.core.windows.net/a@b.root", Some("c1")),
            ("abfs://c1:secret@account/a.root", Some("c1")),
            ("abfs://container/a@b.root", None),
            ("root://me@host//a.root", None),
            ("/data/a.root", None),
        ] {
            assert_eq!(container_of(url), container, "{url}");
        }
    }
}
