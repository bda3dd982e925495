//! `rntuple query --output`: rows that are written to a file.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::datasource::file_format::{FileFormatFactory, format_as_file_type};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::logical_expr::LogicalPlanBuilder;
use datafusion::prelude::{DataFrame, SessionContext};
use object_store::ObjectStoreExt as _;
use rntuple::storage::without_secrets;
use rntuple_datafusion::listing_url;

use super::print::{Format, failure, print};
use crate::failure::{Failure, Status};
use crate::remote::{self, Stores};

/// The names of our own format.
const FORMATS: [&str; 2] = ["root", "rntuple"];

/// Links that a path may lead through.
const MOST_LINKS: usize = 40;

/// Writes rows to a path or a URL.
pub(super) async fn run(
    context: &SessionContext,
    stores: &mut Stores,
    rows: DataFrame,
    path: &Path,
    options: &[(String, String)],
    force: bool,
) -> Result<(), Failure> {
    let shown = without_secrets(&path.to_string_lossy());
    let usage = |message: String| Failure::Message(Status::Usage, format!("{shown}: {message}"));
    let url = path.to_str().filter(|path| path.contains("://"));
    // What follows the `?` of a URL is no part of a name.
    let name = url.map_or(path, |url| Path::new(url.split('?').next().unwrap_or_default()));
    let extension = name.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let format = context.state().get_file_format_factory(extension).ok_or_else(|| {
        usage("the name of a file says its format: .root, .parquet, .arrow, .csv, .json".to_owned())
    })?;
    let exists = || usage("the file exists; --force replaces it".to_owned());
    if let Some(url) = url {
        if extension.eq_ignore_ascii_case("csv") {
            return Err(usage("files of CSV are written to paths, not to URLs".to_owned()));
        }
        if ["http://", "https://"].iter().any(|scheme| url.to_ascii_lowercase().starts_with(scheme)) {
            return Err(usage("servers of HTTP are read, not written to".to_owned()));
        }
        remote::register_stores(context, &[url.to_owned()], stores)?;
        let url = listing_url(url);
        if !force && is_object(context, &url).await {
            return Err(exists());
        }
        return copy(rows, &url, format, options).await;
    }
    // A link to nowhere would create a file elsewhere.
    if !force && path.symlink_metadata().is_ok() {
        return Err(exists());
    }
    let path = &followed(path).map_err(|error| unwritable(path, &error))?;
    if extension.eq_ignore_ascii_case("csv") {
        if let Some((name, _)) = options.first() {
            return Err(usage(format!("no option {name:?} for CSV files; COPY .. TO has some")));
        }
        let unfinished = Unfinished::of(path);
        save_csv(rows, path, &unfinished.0).await?;
        return unfinished.finish(path, force);
    }
    let utf8 = |path: &Path| {
        path.to_str().map(str::to_owned).ok_or_else(|| usage("the path is not UTF-8".to_owned()))
    };
    // Our own files get their names at the end anyway.
    if FORMATS.iter().any(|name| extension.eq_ignore_ascii_case(name)) {
        return copy(rows, &literal(&utf8(path)?), format, options).await;
    }
    let unfinished = Unfinished::of(path);
    copy(rows, &literal(&utf8(&unfinished.0)?), format, options).await?;
    unfinished.finish(path, force)
}

/// A path as DataFusion takes it: as a URL where it would be taken for a pattern.
pub(super) fn literal(path: &str) -> Cow<'_, str> {
    let absolute = std::path::absolute(path).ok().filter(|_| path.contains(['*', '?', '[']));
    let Some(absolute) = absolute.as_deref().and_then(Path::to_str) else { return path.into() };
    let mut url = "file://".to_owned();
    for byte in absolute.bytes() {
        match byte {
            b'/' | b'-' | b'_' | b'.' | b'~' => url.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => url.push(char::from(byte)),
            _ => url.push_str(&format!("%{byte:02X}")),
        }
    }
    url.into()
}

/// Writes rows to a file at a path or a URL, in a format of DataFusion or in ours.
async fn copy(
    rows: DataFrame,
    to: &str,
    format: Arc<dyn FileFormatFactory>,
    options: &[(String, String)],
) -> Result<(), Failure> {
    let (state, plan) = rows.into_parts();
    let (to, options) = (to.to_owned(), options.iter().cloned().collect::<HashMap<_, _>>());
    let copy = LogicalPlanBuilder::copy_to(plan, to, format_as_file_type(format), options, Vec::new());
    let copy = copy.and_then(LogicalPlanBuilder::build).map_err(failure)?;
    DataFrame::new(state, copy).collect().await.map_err(failure)?;
    Ok(())
}

/// Whether a store has something at a URL. Where it does not say, writing says what is wrong.
async fn is_object(context: &SessionContext, url: &str) -> bool {
    let Ok(url) = ListingTableUrl::parse(url) else { return false };
    match context.runtime_env().object_store(&url) {
        Ok(store) => store.head(url.prefix()).await.is_ok(),
        Err(_) => false,
    }
}

/// Where a path leads through links, as an absolute path. Nothing need be there.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut path = std::path::absolute(path)?;
    for _ in 0..MOST_LINKS {
        let Ok(next) = std::fs::read_link(&path) else { return Ok(path) };
        path = path.parent().unwrap_or(Path::new("/")).join(next);
    }
    Err(io::Error::other("the path leads through too many links"))
}

/// A file under the name that it has until it has all its rows. It is removed if it does not get them.
struct Unfinished(PathBuf);

impl Unfinished {
    fn of(path: &Path) -> Self {
        let text = |part: Option<&OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
        // Its extension says the format.
        let (name, extension) = (text(path.file_name()), text(path.extension()));
        Self(path.with_file_name(format!(".{name}.{}.{extension}", std::process::id())))
    }

    /// Gives it its name, which another file may have got meanwhile: only with `force` that one is replaced.
    fn finish(self, path: &Path, force: bool) -> Result<(), Failure> {
        let named = match force {
            true => std::fs::rename(&self.0, path),
            false => match std::fs::hard_link(&self.0, path) {
                // The file system has no links; or it will say again what is wrong.
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => std::fs::rename(&self.0, path),
                linked => linked,
            },
        };
        named.map_err(|error| unwritable(path, &error))
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        // One that is finished has another name, or this one too.
        let _ = std::fs::remove_file(&self.0);
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::Message(Status::Unreadable, format!("{}: {error}", path.display()))
}

/// Writes a file of CSV for what is to be at a path.
async fn save_csv(rows: DataFrame, path: &Path, unfinished: &Path) -> Result<(), Failure> {
    let file = std::fs::File::create(unfinished).map_err(|error| unwritable(path, &error))?;
    let printed = print(rows, Format::Csv, false, &mut io::BufWriter::new(file)).await;
    printed.map_err(|failure| match failure {
        Failure::Output(error) => unwritable(path, &error),
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_came_meanwhile_stays_unless_it_may_be_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.csv");
        for (force, expected) in [(false, "theirs"), (true, "ours")] {
            let unfinished = Unfinished::of(&path);
            std::fs::write(&unfinished.0, "ours").unwrap();
            std::fs::write(&path, "theirs").unwrap();
            assert_eq!(unfinished.finish(&path, force).is_ok(), force);
            assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
            assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
        }
        std::fs::remove_file(&path).unwrap();
        let unfinished = Unfinished::of(&path);
        std::fs::write(&unfinished.0, "ours").unwrap();
        unfinished.finish(&path, false).unwrap();
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }
}
