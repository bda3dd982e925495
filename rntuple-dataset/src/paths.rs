//! Paths and URLs of data files: the same file may be named in several ways.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use object_store::path::Path as ObjectPath;

use crate::format::names;

/// Where a URL leads, written in one way.
struct Place {
    scheme: String,
    host: String,
    path: String,
}

impl Place {
    /// `None`: it is not a URL, or has more than a path after the host.
    fn of(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let (host, path) = rest.split_once('/')?;
        let scheme = scheme.to_ascii_lowercase();
        let (scheme, port) = match &*scheme {
            "s3a" => ("s3", ""),
            "root" | "xroot" => ("root", ":1094"),
            "roots" | "xroots" => ("roots", ":1094"),
            "http" => ("http", ":80"),
            "https" => ("https", ":443"),
            other => (other, ""),
        };
        let host = host.to_ascii_lowercase();
        let host = host.strip_suffix(port).unwrap_or(&host).to_owned();
        let has_more = path.contains('?') || is_encoded(url) && path.contains('#');
        let path = if is_encoded(url) { decoded(path) } else { collapsed(path) };
        (!has_more).then(|| Self { scheme: scheme.to_owned(), host, path })
    }
}

/// Whether names in a URL are percent-encoded. Those of XRootD are not, nor are paths.
pub(crate) fn is_encoded(url: &str) -> bool {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| !matches!(&*scheme, "root" | "roots" | "xroot" | "xroots"))
}

/// The rest of a URL below the URL of a folder, so that it can be put after that; `None`: it is not below it.
pub(crate) fn below(url: &str, folder: &str) -> Option<String> {
    let (file, at) = (Place::of(url)?, Place::of(folder)?);
    if (file.scheme, file.host) != (at.scheme, at.host) {
        return None;
    }
    let name = plain_below(&file.path, &at.path)?;
    match is_encoded(folder) {
        true => Some(name.replace('%', "%25").replace('#', "%23").replace('?', "%3F")),
        false => Some(name),
    }
}

/// The rest of a path below a folder, by text alone; `None`: it is not below it, or leads elsewhere.
pub(crate) fn plain_below(path: &str, folder: &str) -> Option<String> {
    let name = path.strip_prefix(folder)?.strip_prefix('/')?;
    let is_plain = name.split('/').all(|part| !matches!(part, "" | "." | ".."));
    is_plain.then(|| name.to_owned())
}

/// A path without escapes, and with single slashes.
pub(crate) fn decoded(path: &str) -> String {
    let collapsed = collapsed(path);
    ObjectPath::from_url_path(&collapsed).map_or(collapsed, String::from)
}

/// A path with single slashes, and none at its ends.
fn collapsed(path: &str) -> String {
    path.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// The file that a path or a `file:` URL is of; `None`: it is not in the file system.
pub(crate) fn local_file(path: &str) -> Option<PathBuf> {
    let scheme = path.split_once("://").map(|(scheme, _)| scheme);
    let is_local = scheme.is_none_or(|scheme| scheme.eq_ignore_ascii_case("file"));
    rntuple::storage::local_path(Path::new(path)).ok().filter(|_| is_local)
}

/// The one path without links and `..` of a file in the file system, which may be given by several paths and `file:`
/// URLs. What is elsewhere, or missing, stays as it is.
pub(crate) fn real(path: &str) -> OsString {
    let real = local_file(path).and_then(|path| path.canonicalize().ok());
    real.map_or_else(|| path.into(), PathBuf::into_os_string)
}

/// The names that a data file may have below the folder of the data set, by its name below the folder of data files or by its
/// absolute path or URL.
///
/// A file elsewhere may be in the folder of data files, which has other URLs and paths than the one that is known. So it may be
/// any of those that its path ends with.
pub(crate) fn names_of(path: &str, is_absolute: bool) -> BTreeSet<String> {
    let path = if is_absolute { path.to_owned() } else { format!("/{}/{path}", names::DATA) };
    let without_query = path.split('?').next().unwrap_or(&path);
    let forms =
        [path.clone(), collapsed(&path), collapsed(without_query), decoded(&path), decoded(without_query)];
    let folder = format!("/{}/", names::DATA);
    let mut found = BTreeSet::new();
    for form in forms.map(|form| format!("/{form}")) {
        let ends = form.match_indices('/').filter_map(|(at, _)| form.get(at..));
        found.extend(
            ends.filter(|end| end.starts_with(&folder)).filter_map(|end| Some(end.get(1..)?.to_owned())),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_one_folder_are_equal() {
        for (url, folder, name) in [
            ("s3a://b/x.rnds/data/a.root", "s3://b/x.rnds/data", Some("a.root")),
            ("s3://b//x.rnds/data//2026/a.root", "s3://b/x.rnds/data", Some("2026/a.root")),
            ("s3://b/x%20y.rnds/data/a%20b%25.root", "s3://b/x y.rnds/data", Some("a b%25.root")),
            ("root://h:1094//x.rnds/data/a.root", "root://h//x.rnds/data", Some("a.root")),
            ("xroot://H/x.rnds/data/a%20b.root", "root://h//x.rnds/data", Some("a%20b.root")),
            ("https://h:443/x/data/a.root", "https://h/x/data", Some("a.root")),
            ("https://h:444/x/data/a.root", "https://h/x/data", None),
            ("s3://b/x/data/a.root?versionId=1", "s3://b/x/data", None),
            ("s3://b/x/data/../a.root", "s3://b/x/data", None),
            ("s3://b/x/database/a.root", "s3://b/x/data", None),
            ("s3://c/x/data/a.root", "s3://b/x/data", None),
            ("gs://b/x/data/a.root", "s3://b/x/data", None),
        ] {
            assert_eq!(below(url, folder).as_deref(), name, "{url}");
        }
    }

    #[test]
    fn a_file_elsewhere_has_the_names_that_it_ends_with() {
        let names = |path| names_of(path, true).into_iter().collect::<Vec<_>>();
        assert_eq!(names("/mnt/x.rnds/data/a.root"), ["data/a.root"]);
        assert_eq!(
            names("/mnt//data/data//a.root"),
            ["data//a.root", "data/a.root", "data/data//a.root", "data/data/a.root"]
        );
        assert_eq!(
            names("s3a://b/data/a%20b.root?x=1"),
            ["data/a b.root", "data/a b.root?x=1", "data/a%20b.root", "data/a%20b.root?x=1"]
        );
        assert!(names("/mnt/a.root").is_empty());
        assert!(names_of("50%25.root", false).contains("data/50%.root"));
        assert!(names_of("50%25.root", false).contains("data/50%25.root"));
    }

    #[test]
    fn files_of_urls_are_found() {
        let file = |path| local_file(path).map(|path| path.to_str().unwrap().to_owned());
        assert_eq!(file("file:///a%20b/c.root").as_deref(), Some("/a b/c.root"));
        assert_eq!(file("file://localhost/c.root").as_deref(), Some("/c.root"));
        assert_eq!(file("file:/a%20b/c.root").as_deref(), Some("/a b/c.root"));
        assert_eq!(file("/a%20b//c.root").as_deref(), Some("/a%20b//c.root"));
        for other in ["s3://b/c.root", "file://elsewhere/c.root", "file:///%zz.root"] {
            assert_eq!(file(other), None, "{other}");
        }
    }
}
