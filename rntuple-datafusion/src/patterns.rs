//! Patterns of files, at paths and at URLs.
//!
//! DataFusion has patterns at paths alone, and compares them with one name: the first one below their fixed part.

use std::pin::pin;

use datafusion::common::{DataFusionError, Result, plan_err};
use datafusion::datasource::listing::ListingTableUrl;
use futures_util::{Stream, StreamExt as _, TryStreamExt as _, stream};
use glob::{MatchOptions, Pattern};
use object_store::path::Path;
use object_store::{ListResult, ObjectMeta, ObjectStore};
use rntuple::storage::without_secrets;

/// Folders that are listed at once.
const AT_ONCE: usize = 16;

/// Folders that one pattern leads into: a server may say that there are any number of them.
const MOST_FOLDERS: usize = 100_000;

/// Bytes of all names that are found for one pattern, those of folders included.
const MOST_BYTES: usize = 1 << 30;

/// What makes a name a pattern.
const WILDCARDS: [char; 3] = ['*', '?', '['];

/// Schemes whose URLs often have a query: a question mark alone makes no pattern of them.
const WITH_QUERY: [&str; 6] = ["http", "https", "root", "roots", "xroot", "xroots"];

/// How a pattern of several names is compared: only a `**` is for a `/`.
const OF_NAMES: MatchOptions = MatchOptions {
    case_sensitive: true,
    require_literal_separator: true,
    require_literal_leading_dot: false,
};

/// The place of files at a path or a URL, each of which may be a pattern.
pub(crate) fn location(text: &str) -> Result<ListingTableUrl> {
    let (folder, pattern) = match of_url(text) {
        Some((folder, pattern)) => (folder, Some(pattern)),
        None => (text, None),
    };
    let place = ListingTableUrl::parse(folder)?;
    let has_slash = |path: &str| path.to_ascii_lowercase().contains("%2f");
    let is_http = matches!(place.scheme(), "http" | "https");
    if is_http && (has_slash(place.get_url().path()) || has_slash(pattern.unwrap_or_default())) {
        let url = without_secrets(&format!("{}{}", place.as_str(), pattern.unwrap_or_default()));
        return plan_err!("{url}: the path has an escaped slash (%2F), which would be asked for as `/`");
    }
    let Some(pattern) = pattern else { return Ok(place) };
    // A URL is escaped, and the names in a store are not.
    let name = |name: &str| -> Result<String> { Ok(Path::from_url_path(name)?.to_string()) };
    let names = pattern.split('/').map(name).collect::<Result<Vec<_>>>()?;
    place.with_glob(&names.join("/"))
}

/// The folder that the pattern of a URL begins in, with a `/` at its end, and the pattern from there, without a query. `None`:
/// this is not a URL, or not a pattern.
fn of_url(text: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = text.split_once(':')?;
    // One letter would be a drive.
    let is_scheme =
        scheme.len() > 1 && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c));
    // Brackets before the path are those of an IPv6 address.
    let authority = match rest.strip_prefix("//") {
        Some(rest) => 2 + rest.find('/')?,
        None => 0,
    };
    let start = scheme.len() + 1 + authority;
    let path = without_query(text.get(start..)?);
    if !is_scheme || !path.starts_with('/') {
        return None;
    }
    let has_query = WITH_QUERY.contains(&&*scheme.to_ascii_lowercase());
    let is_pattern = path.contains(['*', '[']) || (!has_query && path.contains('?'));
    let first = path.find(WILDCARDS)?;
    let name = start + path.get(..first)?.rfind('/')? + 1;
    let end = start + path.len();
    is_pattern.then_some((text.get(..name)?, text.get(name..end)?))
}

/// A path without the query after it, which begins with `?name=`: any other question mark may be for one character.
fn without_query(path: &str) -> &str {
    let is_query = |(at, _): &(usize, &str)| {
        let name = path.get(at + 1..).and_then(|rest| rest.split_once('=')).map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-._~%".contains(c))
        })
    };
    let end = path.match_indices('?').find(is_query).map_or(path.len(), |(at, _)| at);
    path.get(..end).unwrap_or(path)
}

/// The files of a store that match a pattern from a folder on, in the order of their names. Folders are listed that the
/// pattern leads into, and no others: a bucket may have millions of objects below.
pub(crate) async fn matching(
    store: &dyn ObjectStore,
    folder: &Path,
    pattern: &str,
) -> Result<Vec<ObjectMeta>> {
    let names: Vec<&str> = pattern.split(std::path::is_separator).collect();
    let mut folders = vec![folder.clone()];
    let mut found = Vec::new();
    let mut left = Left { folders: MOST_FOLDERS, bytes: MOST_BYTES };
    for (number, name) in names.iter().enumerate() {
        let rest = names.get(number..).unwrap_or_default();
        if *name == "**" {
            found = at_any_depth(store, folders, &rest.join("/"), &mut left).await?;
            break;
        }
        let is_last = rest.len() == 1;
        if !is_last && !name.contains(WILDCARDS) {
            folders = folders.iter().map(|folder| child(folder, name)).collect::<Result<_>>()?;
            continue;
        }
        let wanted = compiled(name)?;
        let is_wanted = |path: &Path| path.filename().is_some_and(|name| wanted.matches(name));
        let mut next = Vec::new();
        let mut lists = pin!(listed(store, folders));
        while let Some((folder, inside)) = lists.try_next().await? {
            if !is_last {
                for inner in inside.common_prefixes.into_iter().filter(&is_wanted) {
                    left.take_folder(&inner)?;
                    next.push(inner);
                }
                continue;
            }
            // A bucket may have an object with the name of the folder.
            let is_found = |meta: &ObjectMeta| meta.location != folder && is_wanted(&meta.location);
            for meta in inside.objects.into_iter().filter(is_found) {
                left.take_name(&meta.location)?;
                found.push(meta);
            }
        }
        folders = next;
    }
    // Stores list objects in any order, and the first one gives columns their order.
    found.sort_unstable_by(|one, other| one.location.cmp(&other.location));
    Ok(found)
}

/// What one pattern may still find.
struct Left {
    folders: usize,
    bytes: usize,
}

impl Left {
    fn take_folder(&mut self, path: &Path) -> Result<()> {
        let Some(folders) = self.folders.checked_sub(1) else {
            return plan_err!("the pattern leads into over {MOST_FOLDERS} folders");
        };
        self.folders = folders;
        self.take_name(path)
    }

    fn take_name(&mut self, path: &Path) -> Result<()> {
        let Some(bytes) = self.bytes.checked_sub(path.as_ref().len()) else {
            return plan_err!("the pattern finds names of over 1 GiB in all");
        };
        self.bytes = bytes;
        Ok(())
    }
}

/// What is in each of some folders.
fn listed(store: &dyn ObjectStore, folders: Vec<Path>) -> impl Stream<Item = Result<(Path, ListResult)>> {
    let list = move |folder: Path| async move {
        let inside = match store.list_with_delimiter(prefix(&folder)).await {
            // There need not be such a folder.
            Err(object_store::Error::NotFound { .. }) => {
                ListResult { common_prefixes: Vec::new(), objects: Vec::new() }
            }
            inside => inside?,
        };
        Ok::<_, DataFusionError>((folder, inside))
    };
    stream::iter(folders).map(list).buffered(AT_ONCE)
}

/// The files in and below some folders whose names from there match.
async fn at_any_depth(
    store: &dyn ObjectStore,
    folders: Vec<Path>,
    pattern: &str,
    left: &mut Left,
) -> Result<Vec<ObjectMeta>> {
    let wanted = compiled(pattern)?;
    let mut found = Vec::new();
    for folder in folders {
        let mut below = store.list(prefix(&folder));
        while let Some(meta) = below.try_next().await? {
            let names = meta.location.as_ref().strip_prefix(folder.as_ref()).unwrap_or_default();
            let names = names.trim_start_matches('/');
            if !names.is_empty() && wanted.matches_with(names, OF_NAMES) {
                left.take_name(&meta.location)?;
                found.push(meta);
            }
        }
    }
    Ok(found)
}

/// A folder as stores take it: some have another one for an empty name than for none.
fn prefix(folder: &Path) -> Option<&Path> {
    Some(folder).filter(|folder| !folder.as_ref().is_empty())
}

fn child(folder: &Path, name: &str) -> Result<Path> {
    Ok(Path::parse(format!("{folder}/{name}"))?)
}

fn compiled(pattern: &str) -> Result<Pattern> {
    Pattern::new(pattern).or_else(|error| plan_err!("{pattern:?} is not a pattern: {error}"))
}

#[cfg(test)]
mod tests {
    use object_store::ObjectStoreExt as _;
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn patterns_of_urls_are_split() {
        for (url, expected) in [
            ("s3://bucket/run*.root", Some(("s3://bucket/", "run*.root"))),
            ("s3://bucket/data/run?.root", Some(("s3://bucket/data/", "run?.root"))),
            ("s3://bucket/*/run[12]/x.root?key=a*b", Some(("s3://bucket/", "*/run[12]/x.root"))),
            ("root://[::1]:1094/data/run*?.root", Some(("root://[::1]:1094/data/", "run*?.root"))),
            ("file:///data/**/x.root", Some(("file:///data/", "**/x.root"))),
            ("file:/data/run?.root", Some(("file:/data/", "run?.root"))),
            ("memory://me:word@files/a*?x=[", Some(("memory://me:word@files/", "a*"))),
            ("s3://bucket/run1.root", None),
            ("s3://bucket", None),
            ("memory://files/run1.root?token=*", None),
            ("https://host/run1.root?token", None),
            ("root://[::1]/run1.root?x=[1]", None),
            ("/data/run*.root", None),
            ("data/a:b/run*.root", None),
            ("run*.root", None),
        ] {
            assert_eq!(of_url(url), expected, "{url}");
        }
    }

    #[test]
    fn names_in_a_pattern_are_those_of_the_store() {
        for (text, prefix, pattern) in [
            ("s3://bucket/my%20data/a%20b*.root", "my data", Some("a b*.root")),
            ("s3://bucket/my data/50%*.root", "my data", Some("50%*.root")),
            ("s3://bucket/run%5B1%5D.root", "run[1].root", None),
        ] {
            let place = location(text).unwrap();
            let found = place.get_glob().as_ref().map(Pattern::as_str);
            assert_eq!((place.prefix().to_string(), found), (prefix.to_owned(), pattern), "{text}");
        }
    }

    #[tokio::test]
    async fn all_names_of_a_pattern_count() {
        const FILES: &[&str] = &[
            "b.root",
            "data/a.root",
            "data/notes.txt",
            "data/run1/deep/x.root",
            "data/run1/x.root",
            "data/run2/x.root",
            "data/run2/y.root",
            "database/x.root",
        ];
        let store = InMemory::new();
        for name in FILES {
            store.put(&Path::from(*name), "".into()).await.unwrap();
        }
        let found = async |folder: &str, pattern: &str| {
            let found = matching(&store, &Path::from(folder), pattern).await.unwrap();
            found.into_iter().map(|meta| meta.location.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(found("data", "*").await, ["data/a.root", "data/notes.txt"]);
        assert_eq!(found("data", "run*").await, [""; 0]);
        assert_eq!(found("", "*.root").await, ["b.root"]);
        assert_eq!(found("data", "*/x.root").await, ["data/run1/x.root", "data/run2/x.root"]);
        assert_eq!(found("", "data/run?/[xy].root").await.len(), 3);
        assert_eq!(found("data", "run[1]/deep/x*").await, ["data/run1/deep/x.root"]);
        assert_eq!(found("data", "**/*.root").await.len(), 5);
        let expected = ["data/run1/deep/x.root", "data/run1/x.root", "data/run2/x.root"];
        assert_eq!(found("data", "r*/**/x.root").await, expected);
        assert_eq!(found("data", "run1/**").await, &expected[..2]);
        assert_eq!(found("", "none/*.root").await, [""; 0]);
        assert_eq!(found("data", "run*/").await, [""; 0]);
        let error = matching(&store, &Path::from("data"), "[/x").await.unwrap_err().to_string();
        assert!(error.contains("not a pattern"), "{error}");
    }

    #[tokio::test]
    async fn folders_without_end_are_refused() {
        let store = InMemory::new();
        for number in 0..=MOST_FOLDERS {
            store.put(&Path::from(format!("{number}/x.root")), "".into()).await.unwrap();
        }
        let error = matching(&store, &Path::from(""), "*/x.root").await.unwrap_err().to_string();
        assert!(error.contains("over 100000 folders"), "{error}");
        let mut left = Left { folders: 2, bytes: 6 };
        left.take_folder(&Path::from("abc")).unwrap();
        let error = left.take_name(&Path::from("abcd")).unwrap_err().to_string();
        assert!(error.contains("over 1 GiB"), "{error}");
    }
}
