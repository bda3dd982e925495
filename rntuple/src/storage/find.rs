//! Files whose paths or URLs match a pattern.

use std::io;
use std::path::{Path, PathBuf};

use glob::Pattern;

use super::protocol::{Listed, local_path, protocol_of, shown, url_of, without_secrets};
use crate::error::{Error, ErrorKind, Result};

/// Directories that are looked into for one pattern.
const MOST_DIRECTORIES: usize = 100_000;
/// Bytes of all URLs that are found for one pattern, those of directories included: a short list of names may lead to any
/// number of long URLs.
const MOST_BYTES: usize = 1 << 30;

/// Finds the files whose paths or URLs match a pattern, in alphabetical order: `run*/events_?.root`,
/// `root://host//data/run*.root`. [`Files::glob`](crate::Files::glob) describes patterns.
///
/// ```
/// # let directory = tempfile::tempdir()?;
/// # for run in 1..4 {
/// #     std::fs::write(directory.path().join(format!("run{run}.root")), "")?;
/// # }
/// # std::env::set_current_dir(&directory)?;
/// let files = rntuple::storage::find_files("run[12].root")?;
/// assert_eq!(files, ["run1.root", "run2.root"].map(std::path::PathBuf::from));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Files::glob`](crate::Files::glob).
pub fn find_files(pattern: &str) -> Result<Vec<PathBuf>> {
    Ok(find_listed(pattern)?.into_iter().map(|(path, _)| path).collect())
}

/// Finds files as [`find_files`], each with its size if a list has said that.
///
/// # Errors
/// As [`find_files`].
pub(crate) fn find_listed(pattern: &str) -> Result<Vec<(PathBuf, Option<u64>)>> {
    let found: Vec<_> = match url_of(Path::new(pattern)) {
        Some(_) => {
            in_protocol(pattern).map_err(|error| Error::from(error).in_file(&shown(Path::new(pattern))))?
        }
        None => {
            let path = local_path(Path::new(pattern))
                .map_err(|error| Error::from(error).in_file(&shown(Path::new(pattern))))?;
            in_file_system(&path.to_string_lossy())?.into_iter().map(|path| (path, None)).collect()
        }
    };
    if found.is_empty() {
        let message =
            format!("no file matches the pattern {:?}{}", shown_pattern(pattern), looked_in(pattern));
        return Err(Error::new(ErrorKind::NotFound, message));
    }
    Ok(found)
}

fn in_file_system(pattern: &str) -> Result<Vec<PathBuf>> {
    let found = glob::glob(pattern)
        .map_err(|error| Error::invalid_argument(format!("{pattern:?} is not a pattern: {error}")))?;
    let mut files = Vec::new();
    for path in found {
        let path = path.map_err(|error| {
            let name = error.path().display().to_string();
            Error::from(io::Error::from(error)).in_file(&name)
        })?;
        if !path.is_dir() {
            files.push(path);
        }
    }
    Ok(files)
}

/// Those of a URL, whose scheme and host are as they are.
///
/// # Errors
/// The text is not a pattern, or a directory cannot be listed.
fn in_protocol(pattern: &str) -> io::Result<Vec<(PathBuf, Option<u64>)>> {
    let protocol = protocol_of(pattern)?;
    let (pattern, query) = split_query(pattern);
    let start = pattern.find("://").map_or(0, |at| at + 3);
    let path = pattern.get(start..).and_then(|rest| rest.find('/')).map(|at| start + at + 1);
    let Some((base, path)) = path.and_then(|at| pattern.split_at_checked(at)) else { return Ok(Vec::new()) };
    let parts: Vec<&str> = path.split('/').collect();
    let mut left = MOST_DIRECTORIES;
    let mut list = |url: &str, is_certain: bool| -> io::Result<Vec<Listed>> {
        left = left.checked_sub(1).ok_or_else(too_many)?;
        match protocol.list(&format!("{url}{query}")) {
            // A directory that only might be there.
            Err(error) if !is_certain && error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            listed => listed,
        }
    };
    // Directories, each with the number of the part that comes next, and whether it is known to be there.
    let mut waiting = vec![(base.to_owned(), 0usize, true)];
    let mut found = Vec::new();
    let mut bytes = MOST_BYTES;
    let mut below = |url: &str, name: &str, end: &str| -> io::Result<String> {
        let many = || io::Error::other("the pattern finds names of over 1 GiB in all");
        bytes = bytes.checked_sub(url.len() + name.len() + end.len()).ok_or_else(many)?;
        Ok(format!("{url}{name}{end}"))
    };
    // One list may name millions.
    let is_full = |waiting: &[_]| waiting.len() >= MOST_DIRECTORIES;
    while let Some((url, number, is_certain)) = waiting.pop() {
        let Some(part) = parts.get(number) else { continue };
        let is_last = number + 1 == parts.len();
        if !is_last && *part != "**" && !part.contains(['*', '?', '[']) {
            let is_certain = is_certain && waiting.is_empty() && found.is_empty();
            waiting.push((format!("{url}{part}/"), number + 1, is_certain));
            continue;
        }
        let listed = list(&url, is_certain)?;
        if *part == "**" {
            // No directory, or one more.
            if is_last {
                for it in listed.iter().filter(|it| !it.is_directory) {
                    found.push((below(&url, &it.name, query)?, it.size));
                }
            } else {
                waiting.push((url.clone(), number + 1, true));
            }
            for it in listed.iter().filter(|it| it.is_directory) {
                if is_full(&waiting) {
                    return Err(too_many());
                }
                waiting.push((below(&url, &it.name, "/")?, number, true));
            }
            continue;
        }
        let pattern = Pattern::new(part).map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{part:?} is not a pattern: {error}"))
        })?;
        for it in listed.into_iter().filter(|it| it.is_directory != is_last && pattern.matches(&it.name)) {
            match is_last {
                true => found.push((below(&url, &it.name, query)?, it.size)),
                false if is_full(&waiting) => return Err(too_many()),
                false => waiting.push((below(&url, &it.name, "/")?, number + 1, true)),
            }
        }
    }
    found.sort();
    found.dedup_by(|one, other| one.0 == other.0);
    Ok(found.into_iter().map(|(url, size)| (PathBuf::from(url), size)).collect())
}

fn too_many() -> io::Error {
    io::Error::other(format!("the pattern leads into over {MOST_DIRECTORIES} directories"))
}

/// Schemes whose URLs may have a query, such as a token: it is no part of the path.
const WITH_QUERY: [&str; 6] = ["http", "https", "root", "roots", "xroot", "xroots"];

/// A pattern and the query after it, which begins with `?name=`: any other question mark is for one character.
fn split_query(url: &str) -> (&str, &str) {
    let scheme = url.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase()).unwrap_or_default();
    if WITH_QUERY.contains(&&*scheme) { cut_query(url) } else { (url, "") }
}

/// Splits a URL as [`split_query`] does, whatever its scheme.
fn cut_query(url: &str) -> (&str, &str) {
    let is_query = |(at, _): &(usize, &str)| {
        let name = url.get(at + 1..).and_then(|rest| rest.split_once('=')).map(|(name, _)| name);
        name.is_some_and(|name| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-._~%".contains(c))
        })
    };
    let query = url.match_indices('?').find(is_query).map_or(url.len(), |(at, _)| at);
    url.split_at(query)
}

/// What an error calls a pattern: that of a URL without what may be secret, which a query is under any scheme, and with
/// the question marks that are for one character. Two dots say that a part of the pattern itself may be missing.
fn shown_pattern(pattern: &str) -> String {
    if url_of(Path::new(pattern)).is_none() {
        return pattern.to_owned();
    }
    let has_no_query = split_query(pattern).1.is_empty();
    let (pattern, query) = cut_query(pattern);
    let more = if has_no_query && !query.is_empty() { ".." } else { "" };
    let start = pattern.find("://").map_or(0, |at| at + 3);
    let path = pattern.get(start..).and_then(|rest| rest.find('/')).map_or(pattern.len(), |at| start + at);
    let (base, path) = pattern.split_at(path);
    without_secrets(base) + path + more
}

/// Whether a URL is a pattern, where a program takes either: a question mark alone makes none where it may begin a query.
#[doc(hidden)]
#[must_use]
pub fn is_url_pattern(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else { return false };
    let is_file = scheme.eq_ignore_ascii_case("file");
    if !is_file && url_of(Path::new(text)).is_none() {
        return false;
    }
    let (pattern, _) = split_query(text);
    let rest = pattern.get(scheme.len()..).unwrap_or_default();
    // Brackets before the path are those of an IPv6 address.
    let path = match is_file {
        true => rest,
        false => rest.trim_start_matches([':', '/']).split_once('/').map_or("", |(_, path)| path),
    };
    let has_query = WITH_QUERY.contains(&&*scheme.to_ascii_lowercase());
    path.contains(['*', '[']) || (!has_query && path.contains('?'))
}

/// Where the directory of a pattern is: what comes before its first wildcard.
fn looked_in(pattern: &str) -> String {
    if url_of(Path::new(pattern)).is_some() {
        return String::new();
    }
    let fixed = pattern.split(['*', '?', '[']).next().unwrap_or_default();
    let directory = match fixed.rfind(std::path::is_separator) {
        Some(0) => fixed.get(..1).unwrap_or_default(),
        Some(end) => fixed.get(..end).unwrap_or_default(),
        None => "",
    };
    let path = Path::new(if directory.is_empty() { "." } else { directory });
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match full.is_dir() {
        true => format!("; looked in {}", full.display()),
        false => format!("; the directory {} does not exist", full.display()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::{Protocol, ReadAt, register};
    use std::collections::BTreeSet;
    use std::sync::Arc;

    struct Tree(&'static [&'static str]);

    impl Protocol for Tree {
        fn open(&self, _: &str) -> io::Result<Arc<dyn ReadAt>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn list(&self, url: &str) -> io::Result<Vec<Listed>> {
            let below = self.0.iter().filter_map(|file| file.strip_prefix(url));
            let names: BTreeSet<Listed> = below
                .map(|rest| match rest.split_once('/') {
                    Some((name, _)) => Listed { name: name.to_owned(), is_directory: true, size: None },
                    None => Listed { name: rest.to_owned(), is_directory: false, size: Some(7) },
                })
                .collect();
            if names.is_empty() {
                return Err(io::ErrorKind::NotFound.into());
            }
            Ok(names.into_iter().collect())
        }
    }

    /// A server may say that there are any number of directories.
    #[test]
    fn directories_without_end_are_refused() {
        struct Endless;
        impl Protocol for Endless {
            fn open(&self, _: &str) -> io::Result<Arc<dyn ReadAt>> {
                Err(io::ErrorKind::NotFound.into())
            }

            fn list(&self, _: &str) -> io::Result<Vec<Listed>> {
                let named =
                    |number: usize| Listed { name: number.to_string(), is_directory: true, size: None };
                Ok((0..60_000).map(named).collect())
            }
        }
        register("endless", Arc::new(Endless));
        struct Long;
        impl Protocol for Long {
            fn open(&self, _: &str) -> io::Result<Arc<dyn ReadAt>> {
                Err(io::ErrorKind::NotFound.into())
            }

            fn list(&self, url: &str) -> io::Result<Vec<Listed>> {
                let is_first = url.len() < 100;
                let name = |number: usize| if is_first { "x".repeat(20 << 20) } else { number.to_string() };
                let named = |number| Listed { name: name(number), is_directory: is_first, size: None };
                Ok((0..if is_first { 1 } else { 60_000 }).map(named).collect())
            }
        }
        register("long", Arc::new(Long));
        let error = in_protocol("long://host/*/*").unwrap_err();
        assert!(error.to_string().contains("names of over 1 GiB"), "{error}");
        for pattern in ["endless://host/**/x.root", "endless://host/*/*/*.root"] {
            let error = in_protocol(pattern).unwrap_err();
            assert!(error.to_string().contains("over 100000 directories"), "{error}");
        }
    }

    #[test]
    fn patterns_find_files_as_those_of_the_file_system_do() {
        const FILES: &[&str] = &[
            "tree://host/a/run1/x.root",
            "tree://host/a/run2/x.root",
            "tree://host/a/run2/y.root",
            "tree://host/a/other/x.root",
            "tree://host/a/run3/deep/er/x.root",
            "tree://host/b.root",
        ];
        register("tree", Arc::new(Tree(FILES)));
        let found = |pattern: &str| {
            let found = in_protocol(&format!("tree://host/{pattern}")).unwrap();
            assert!(found.iter().all(|(_, size)| *size == Some(7)));
            let own = |(url, _): (PathBuf, _)| {
                url.to_str().unwrap().strip_prefix("tree://host/").unwrap().to_owned()
            };
            found.into_iter().map(own).collect::<Vec<_>>()
        };
        assert_eq!(found("b.root"), ["b.root"]);
        assert_eq!(found("*.root"), ["b.root"]);
        assert_eq!(found("a/run?/x.root"), ["a/run1/x.root", "a/run2/x.root"]);
        assert_eq!(found("a/run[12]/*"), ["a/run1/x.root", "a/run2/x.root", "a/run2/y.root"]);
        assert_eq!(found("a/*/deep/er/x.root"), ["a/run3/deep/er/x.root"]);
        assert_eq!(
            found("**/x.root"),
            ["a/other/x.root", "a/run1/x.root", "a/run2/x.root", "a/run3/deep/er/x.root"]
        );
        assert_eq!(found("a/run3/**"), ["a/run3/deep/er/x.root"]);
        assert!(found("a/*/z.root").is_empty());
        let error = find_files("tree://host/none/*.root").unwrap_err();
        assert_eq!(error.io_error().unwrap().kind(), io::ErrorKind::NotFound);
        assert_eq!(find_files("tree://host/a/z*").unwrap_err().kind(), ErrorKind::NotFound);
        assert!(find_files("tree://host/a/[/x").is_err());
    }
    /// A server that lists nothing without a token.
    struct Guarded;

    impl Protocol for Guarded {
        fn open(&self, _: &str) -> io::Result<Arc<dyn ReadAt>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn list(&self, url: &str) -> io::Result<Vec<Listed>> {
            let entry = |name: &str, is_directory| Listed { name: name.to_owned(), is_directory, size: None };
            match url.strip_suffix("?authz=T&x=1") {
                Some("xroot://h//") => Ok(vec![entry("run1", true), entry("a", false)]),
                Some("xroot://h//run1/") => Ok(vec![entry("x.root", false), entry("y?.root", false)]),
                _ => Err(io::Error::new(io::ErrorKind::PermissionDenied, url)),
            }
        }
    }

    #[test]
    fn a_query_goes_along() {
        register("xroot", Arc::new(Guarded));
        let found = |pattern: &str| {
            let found = in_protocol(pattern).map_err(|error| error.kind())?;
            Ok::<Vec<PathBuf>, _>(found.into_iter().map(|(url, _)| url).collect())
        };
        let one = |url: &str| Ok(vec![PathBuf::from(url)]);
        assert_eq!(found("xroot://h//?*/x*?authz=T&x=1"), one("xroot://h//run1/x.root?authz=T&x=1"));
        assert_eq!(found("xroot://h//run?/?.root?authz=T&x=1"), one("xroot://h//run1/x.root?authz=T&x=1"));
        assert_eq!(found("xroot://h//a?authz=T&x=1"), one("xroot://h//a?authz=T&x=1"));
        assert_eq!(found("xroot://h//run1/**?authz=T&x=1").unwrap().len(), 2);
        assert_eq!(found("xroot://h//*"), Err(io::ErrorKind::PermissionDenied));
        for (url, query) in [
            ("root://h//a?b?c.root?x.y%20=*", "?x.y%20=*"),
            ("https://h/a?b", ""),
            ("https://h/a?=b", ""),
            ("s3://h/a?b=c", ""),
        ] {
            assert_eq!(split_query(url).1, query, "{url}");
        }
    }

    /// A server whose directories have one file.
    struct One;

    impl Protocol for One {
        fn open(&self, _: &str) -> io::Result<Arc<dyn ReadAt>> {
            Err(io::ErrorKind::NotFound.into())
        }

        fn list(&self, _: &str) -> io::Result<Vec<Listed>> {
            Ok(vec![Listed { name: "x.root".to_owned(), is_directory: false, size: None }])
        }
    }

    #[test]
    fn an_error_has_the_pattern_without_secrets() {
        register("one", Arc::new(One));
        for (pattern, text) in [
            ("one://KEY:SECRET@bucket/run?*.root", "one://bucket/run?*.root"),
            ("one://SECRET@bucket/run?*.root?sig=SECRET", "one://bucket/run?*.root.."),
        ] {
            let error = find_files(pattern).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::NotFound);
            assert!(error.to_string().contains(&format!("no file matches the pattern {text:?}")), "{error}");
        }
        for (pattern, text) in [
            ("root://me:SECRET@h//run*.root?authz=SECRET", "root://h//run*.root"),
            ("root://me@h//a@b/run*.root", "root://me@h//a@b/run*.root"),
            ("s3://KEY:SECRET@bucket", "s3://bucket"),
            ("s3://bucket/run?x=*.root", "s3://bucket/run.."),
            ("data/me:you@x/run?x=*.root", "data/me:you@x/run?x=*.root"),
        ] {
            assert_eq!(shown_pattern(pattern), text);
        }
    }

    #[test]
    fn only_urls_with_wildcards_are_patterns() {
        for text in [
            "root://[::1]:1094//a/run*.root",
            "s3://bucket/run[12].root",
            "gs://bucket/run?.root",
            "root://h//run*.root?authz=T",
            "file:///data/run?.root",
            "file:/data/run*.root",
        ] {
            assert!(is_url_pattern(text), "{text}");
        }
        for text in [
            "run*.root",
            "root://[::1]//a.root",
            "https://host/a.root?token=*",
            "https://host/a.root?token",
            "root://h//a.root?x=[1]",
            "s3://bucket",
            "file:///data/a.root",
        ] {
            assert!(!is_url_pattern(text), "{text}");
        }
    }
}
