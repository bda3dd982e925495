//! Files whose paths or URLs match a pattern.

use std::io;
use std::path::{Path, PathBuf};

use glob::Pattern;

use super::protocol::{Listed, local_path, protocol_of, shown, url_of};
use crate::error::{Error, ErrorKind, Result};

/// Directories that are looked into for one pattern.
const MOST_DIRECTORIES: usize = 100_000;

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
    let found = match url_of(Path::new(pattern)) {
        Some(_) => {
            in_protocol(pattern).map_err(|error| Error::from(error).in_file(&shown(Path::new(pattern))))?
        }
        None => {
            let path = local_path(Path::new(pattern))
                .map_err(|error| Error::from(error).in_file(&shown(Path::new(pattern))))?;
            in_file_system(&path.to_string_lossy())?
        }
    };
    if found.is_empty() {
        let message = format!("no file matches the pattern {pattern:?}{}", looked_in(pattern));
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
fn in_protocol(pattern: &str) -> io::Result<Vec<PathBuf>> {
    let protocol = protocol_of(pattern)?;
    let start = pattern.find("://").map_or(0, |at| at + 3);
    let path = pattern.get(start..).and_then(|rest| rest.find('/')).map(|at| start + at + 1);
    let Some((base, path)) = path.and_then(|at| pattern.split_at_checked(at)) else { return Ok(Vec::new()) };
    let parts: Vec<&str> = path.split('/').collect();
    let mut left = MOST_DIRECTORIES;
    let mut list = |url: &str, is_certain: bool| -> io::Result<Vec<Listed>> {
        left = left.checked_sub(1).ok_or_else(|| {
            io::Error::other(format!("the pattern leads into over {MOST_DIRECTORIES} directories"))
        })?;
        match protocol.list(url) {
            // A directory that only might be there.
            Err(error) if !is_certain && error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            listed => listed,
        }
    };
    // Directories, each with the number of the part that comes next, and whether it is known to be there.
    let mut waiting = vec![(base.to_owned(), 0usize, true)];
    let mut found = Vec::new();
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
                found.extend(
                    listed.iter().filter(|it| !it.is_directory).map(|it| format!("{url}{}", it.name)),
                );
            } else {
                waiting.push((url.clone(), number + 1, true));
            }
            let deeper = listed.iter().filter(|it| it.is_directory);
            waiting.extend(deeper.map(|it| (format!("{url}{}/", it.name), number, true)));
            continue;
        }
        let pattern = Pattern::new(part).map_err(|error| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{part:?} is not a pattern: {error}"))
        })?;
        for it in listed.into_iter().filter(|it| it.is_directory != is_last && pattern.matches(&it.name)) {
            match is_last {
                true => found.push(format!("{url}{}", it.name)),
                false => waiting.push((format!("{url}{}/", it.name), number + 1, true)),
            }
        }
    }
    found.sort();
    found.dedup();
    Ok(found.into_iter().map(PathBuf::from).collect())
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
                    Some((name, _)) => Listed { name: name.to_owned(), is_directory: true },
                    None => Listed { name: rest.to_owned(), is_directory: false },
                })
                .collect();
            if names.is_empty() {
                return Err(io::ErrorKind::NotFound.into());
            }
            Ok(names.into_iter().collect())
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
            let own = |url: PathBuf| url.to_str().unwrap().strip_prefix("tree://host/").unwrap().to_owned();
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
}
