//! The comparison of a type with a file: what [`check_file!`](crate::check_file) does.

use std::any::type_name;
use std::io::ErrorKind;
use std::path::Path;

use crate::field::{Entry, ReadField};
use crate::reader::Reader;

/// Compares a type with a file, as the test of [`check_file!`](crate::check_file) does.
///
/// Called by a build script, it compares them before the program is compiled:
///
/// ```no_run
/// # mod event {
/// #     #[derive(rntuple::RNTuple)]
/// #     pub struct Event { number: u64 }
/// # }
/// // In build.rs, with `#[path = "src/event.rs"] mod event;`
/// println!("cargo::rerun-if-changed=src/event.rs");
/// println!("cargo::rerun-if-changed=samples/2024.root");
/// rntuple::lock::assert_file::<event::Event>("samples/2024.root", "Events");
/// ```
///
/// The path is seen from the folder of `Cargo.toml`, in which Cargo runs build scripts and tests.
///
/// # Panics
/// The file has no such ntuple, or `T` cannot be read from it: with all differences.
#[track_caller]
pub fn assert_file<T: Entry + ReadField>(path: impl AsRef<Path>, ntuple: &str) {
    let folder = std::env::current_dir().unwrap_or_default();
    assert_file_in::<T>(short(type_name::<T>()), &folder, path.as_ref(), ntuple);
}

/// The name of a type without the modules that it is in.
fn short(name: &str) -> &str {
    let end = name.find('<').unwrap_or(name.len());
    let start = name.get(..end).and_then(|name| name.rfind("::")).map_or(0, |colons| colons + 2);
    name.get(start..).unwrap_or(name)
}

/// What [`check_file!`](crate::check_file) expands to.
///
/// # Panics
/// The file at `path`, seen from `manifest_dir`, has no such ntuple, or `T` cannot be read from it.
#[doc(hidden)]
#[track_caller]
#[expect(clippy::panic, reason = "it is how a test fails")]
pub fn assert_file_in<T: Entry + ReadField>(
    type_name: &str,
    manifest_dir: impl AsRef<Path>,
    path: impl AsRef<Path>,
    ntuple: &str,
) {
    let file = manifest_dir.as_ref().join(&path);
    let path = path.as_ref().display();
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
/// file. To compare before the program is compiled, call [`lock::assert_file`](crate::lock::assert_file) in its build
/// script.
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
            $crate::lock::assert_file_in::<$type>(
                ::core::stringify!($type),
                ::core::env!("CARGO_MANIFEST_DIR"),
                $path,
                $ntuple,
            );
        }
    };
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_type_is_shown_without_its_modules() {
        for (name, expected) in [
            ("build_script_build::event::Event", "Event"),
            ("Event", "Event"),
            ("event::Sample<alloc::vec::Vec<f32>>", "Sample<alloc::vec::Vec<f32>>"),
        ] {
            assert_eq!(short(name), expected);
        }
    }
}
