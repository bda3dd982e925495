//! Tests that compare a type with files: with the text of its schema, and with files that must stay readable.
//!
//! This module needs the Cargo feature `lock`.
//!
//! A schema lock is a text file next to the code that says what files of a type hold, and a test that compares the
//! two. [`check_file!`](crate::check_file) is a test that compares a type with a file of data, and [`assert_file`] the
//! same for build scripts.
//!
//! A struct is a file format as soon as somebody keeps a file of it. A lock makes every change of the format
//! visible, in review and before the first file is written with it: the test fails, shows what is different,
//! and says what can be done.
//!
//! ```
//! use rntuple::RNTuple;
//!
//! #[derive(RNTuple)]
//! struct Muon {
//!     /// Transverse momentum [GeV]
//!     pt: f32,
//!     #[rntuple(quantize(bits = 12, min = -5.0, max = 5.0))]
//!     eta: f32,
//! }
//!
//! #[derive(RNTuple)]
//! struct Event { number: u64, name: String, muons: Vec<Muon> }
//!
//! // A test; the file stands beside Cargo.toml.
//! rntuple::schema_lock!(Event, "event.rntlock");
//!
//! assert_eq!(
//!     rntuple::lock::text::<Event>()?,
//!     "\
//! ## What files of `Event` hold: the schema that rntuple writes, one line for each field.
//! ## A test compares it with the type. To accept a change: RNTUPLE_BLESS=1 cargo test
//! number: std::uint64_t as SplitUInt64
//! name: std::string as SplitIndex64 + Char
//! muons: collection as SplitIndex64
//! muons._0: record
//! muons._0.pt: float as SplitReal32 [GeV]
//! muons._0.eta: float as Real32Quant(12 bits, -5..5)
//! "
//! );
//! # Ok::<(), rntuple::Error>(())
//! ```
//!
//! Each line has the path of a field, its C++ type (or `record`, or `collection`, where it has none), the version
//! of its class and the size of an array where there is one, the types of its columns, and its unit: what a
//! description ends with in brackets. Of enums it has the names of the variants and their integers. Descriptions themselves, and how columns are compressed, may change freely.

mod diff;
mod drift;
mod file;
mod line;

use std::io::ErrorKind;
use std::path::Path;
use std::{env, fs};

use self::drift::BLESS;
pub use self::drift::Drift;
pub use self::file::assert_file;
#[doc(hidden)]
pub use self::file::assert_file_in;
use crate::compression::{Algorithm, Compression};
use crate::error::{Error, Result};
use crate::field::{Entry, WriteField};
use crate::schema::Schema;
use crate::writer::WriteOptions;

/// What a lock of `T` holds: the schema that a [`Writer`](crate::Writer) with the default options writes.
///
/// # Errors
/// `T` cannot be written.
pub fn text<T: Entry + WriteField + ?Sized>() -> Result<String> {
    let type_name = T::type_name();
    let mut text = format!(
        "# What files of `{}` hold: the schema that rntuple writes, one line for each field.\n\
         # A test compares it with the type. To accept a change: {BLESS}=1 cargo test\n",
        type_name.spelling()
    );
    for line in lines::<T>()? {
        text += &line;
        text.push('\n');
    }
    Ok(text)
}

/// Compares `T` with the lock at `path`.
///
/// Comments and line endings of the file do not matter.
///
/// ```
/// # use rntuple::RNTuple;
/// #[derive(RNTuple)]
/// struct Event { number: u64 }
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("event.rntlock");
/// assert!(rntuple::lock::check::<Event>(&path).unwrap_err().to_string().contains("RNTUPLE_BLESS=1"));
///
/// std::fs::write(&path, rntuple::lock::text::<Event>()?).unwrap();
/// rntuple::lock::check::<Event>(&path).unwrap();
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// # Errors
/// They differ, or the file is not there or cannot be read, or `T` cannot be written.
pub fn check<T: Entry + WriteField + ?Sized>(path: impl AsRef<Path>) -> Result<(), Drift> {
    let path = path.as_ref();
    compare::<T>(path, &path.display().to_string())
}

/// What [`schema_lock!`](crate::schema_lock) and the derive's `lock` expand to.
///
/// # Panics
/// The lock at `path`, seen from `manifest_dir`, is not that of `T`.
#[doc(hidden)]
#[track_caller]
#[expect(clippy::panic, reason = "it is how a test fails")]
pub fn assert_lock<T: Entry + WriteField + ?Sized>(manifest_dir: &str, path: &str) {
    let bless = env::var_os(BLESS).is_some_and(|value| !value.is_empty() && value != "0");
    let result = verify::<T>(&Path::new(manifest_dir).join(path), path, bless);
    if let Err(drift) = result {
        panic!("{drift}");
    }
}

/// Compares, or with `bless` writes what differs.
fn verify<T: Entry + WriteField + ?Sized>(file: &Path, shown: &str, bless: bool) -> Result<(), Drift> {
    let result = compare::<T>(file, shown);
    let Err(drift) = result else { return Ok(()) };
    if !bless || !drift.can_be_blessed() {
        return Err(drift);
    }
    let write = || -> Result<()> {
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(fs::write(file, text::<T>()?)?)
    };
    write().map_err(|error| Drift::impossible(name::<T>(), shown, error))
}

fn compare<T: Entry + WriteField + ?Sized>(file: &Path, shown: &str) -> Result<(), Drift> {
    let impossible = |error: Error| Drift::impossible(name::<T>(), shown, error);
    let new = lines::<T>().map_err(impossible)?;
    let old = match fs::read(file) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(Drift::missing(name::<T>(), shown)),
        Err(error) => return Err(impossible(error.into())),
    };
    // What is not UTF-8 is different, and shown as such.
    let old: Vec<String> = String::from_utf8_lossy(&old)
        .lines()
        .map(str::trim_end)
        .filter(|line| !line.is_empty() && !is_comment(line))
        .map(str::to_owned)
        .collect();
    if old == new { Ok(()) } else { Err(Drift::changed(name::<T>(), shown, old, new)) }
}

fn name<T: WriteField + ?Sized>() -> String {
    T::type_name().spelling().to_owned()
}

/// The fields of `T`, parents before children.
fn lines<T: Entry + WriteField + ?Sized>() -> Result<Vec<String>> {
    // A schema does not say which codec it is, and a build may lack the default one.
    let codec = Algorithm::ALL.into_iter().find(|algorithm| algorithm.is_enabled());
    let settings = codec.and_then(|codec| Compression::new(codec, 1).ok()).unwrap_or_default();
    let schema = Schema::of::<T>(&WriteOptions::new().compression(settings))?;
    Ok(schema.fields().map(|(id, field)| line::of(&schema, id, field)).collect())
}

/// No name of a field has a space, so none looks like this.
fn is_comment(line: &str) -> bool {
    line == "#" || line.starts_with("# ")
}

/// Makes a test that compares a type with its lock: see [`lock`](crate::lock).
///
/// The path is seen from the folder of the crate's `Cargo.toml`. The test has the name of the type, or one that
/// stands before it, as types with parameters need:
///
/// ```
/// # use rntuple::RNTuple;
/// #[derive(RNTuple)]
/// struct Event { number: u64 }
///
/// #[derive(RNTuple)]
/// struct Sample<T> { value: T }
///
/// rntuple::schema_lock!(Event, "locks/event.rntlock");
/// rntuple::schema_lock!(sample_of_floats: Sample<f32>, "locks/sample.rntlock");
/// ```
///
/// `RNTUPLE_BLESS=1 cargo test` writes the files.
#[macro_export]
macro_rules! schema_lock {
    ($type:ident, $path:expr $(,)?) => {
        $crate::schema_lock!($type: $type, $path);
    };
    ($test:ident: $type:ty, $path:expr $(,)?) => {
        #[cfg(test)]
        #[test]
        #[allow(non_snake_case, reason = "it is the name of a type")]
        fn $test() {
            $crate::lock::assert_lock::<$type>(::core::env!("CARGO_MANIFEST_DIR"), $path);
        }
    };
}
