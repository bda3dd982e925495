//! The comparison of a type with a file: what [`check_file!`](crate::check_file) does.

use std::io::ErrorKind;
use std::path::Path;

use crate::field::{Entry, ReadField};
use crate::reader::Reader;

/// What [`check_file!`](crate::check_file) expands to.
///
/// # Panics
/// The file at `path`, seen from `manifest_dir`, has no such ntuple, or `T` cannot be read from it.
#[doc(hidden)]
#[track_caller]
#[expect(clippy::panic, reason = "it is how a test fails")]
pub fn assert_file<T: Entry + ReadField>(type_name: &str, manifest_dir: &str, path: &str, ntuple: &str) {
    let file = Path::new(manifest_dir).join(path);
    let Err(error) = Reader::<T>::open(&file, ntuple) else { return };
    if error.io_error().is_some_and(|error| error.kind() == ErrorKind::NotFound) {
        panic!(
            "`{path}` is not there; `{type_name}` is to be read from its ntuple `{ntuple}`.\n\n\
             Paths are seen from the folder of Cargo.toml. This one is:\n\n    {}\n",
            file.display()
        );
    }
    if error.mismatches().is_empty() {
        panic!("`{path}`, of which `{type_name}` is to read `{ntuple}`: {error}");
    }
    let differences: String = error.mismatches().iter().map(|one| format!("    {one}\n")).collect();
    panic!(
        "`{type_name}` cannot be read from `{ntuple}` in `{path}`:\n\n{differences}
If the file is right, say what the type is in such files:
   a field has another name:        `#[rntuple(alias = \"name in the file\")]`
   the file lacks a field:          `#[rntuple(default)]`
   anything else:                   `#[rntuple(upgrade_from(OldType, when = ..))]`
"
    );
}

/// Makes a test that compares a type with a file: the ntuple must have all that the type reads, as the type reads
/// it.
///
/// The file is opened, and its schema is compared with the type as [`Reader::open`] does; no entries are read. The
/// test fails with all differences. A file of each year that is to stay readable, in the repository, makes every
/// change that would lose it visible.
///
/// The path is seen from the folder of the crate's `Cargo.toml`. The test has the name of the type, or one that is
/// written before it, as types with parameters need, types that also have a [`schema_lock!`](crate::schema_lock), and
/// types that are compared with several files:
///
/// ```
/// # use rntuple::RNTuple;
/// #[derive(RNTuple)]
/// struct Event { number: u64 }
///
/// rntuple::check_file!(Event, "samples/2024.root", "Events");
/// rntuple::check_file!(event_of_2023: Event, "samples/2023.root", "Events");
/// ```
///
/// The comparison is a test and not a step of the compiler, which knows neither what the type reads nor how to open a
/// file.
#[macro_export]
macro_rules! check_file {
    ($type:ident, $path:expr, $ntuple:expr $(,)?) => {
        $crate::check_file!($type: $type, $path, $ntuple);
    };
    ($test:ident: $type:ty, $path:expr, $ntuple:expr $(,)?) => {
        #[cfg(test)]
        #[test]
        #[allow(non_snake_case, reason = "it is the name of a type")]
        fn $test() {
            $crate::lock::assert_file::<$type>(
                ::core::stringify!($type),
                ::core::env!("CARGO_MANIFEST_DIR"),
                $path,
                $ntuple,
            );
        }
    };
}
