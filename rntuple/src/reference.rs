//! Where the files are that ROOT wrote, for tests that read them.

use std::io::Write;
use std::path::PathBuf;

/// The folder `RNTUPLE_REFERENCE_DIR`, else `shared/data/real` next to the workspace.
///
/// A test that finds none says that it is skipped. `RNTUPLE_REFERENCE_REQUIRED=1` lets it fail instead.
pub(crate) fn directory() -> Option<PathBuf> {
    let directory = std::env::var_os("RNTUPLE_REFERENCE_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data/real")),
        PathBuf::from,
    );
    if directory.is_dir() {
        return Some(directory);
    }
    let is_required = std::env::var_os("RNTUPLE_REFERENCE_REQUIRED").is_some_and(|value| value != "0");
    assert!(!is_required, "no reference files in {}, set RNTUPLE_REFERENCE_DIR", directory.display());
    let test = std::thread::current();
    let test = test.name().unwrap_or("a test");
    // The harness keeps back what `eprintln!` prints.
    let _ = writeln!(std::io::stderr(), "skipped {test}: no reference files, set RNTUPLE_REFERENCE_DIR");
    None
}
