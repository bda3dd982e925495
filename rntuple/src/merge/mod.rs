//! Merging ntuples: pages are copied as they are stored, nothing is decoded.
//!
//! This module needs the Cargo feature `merge`.
//!
//! Many files become one, as fast as they can be read and written: the pages of all inputs stand one behind the
//! other, and only what describes them is new.
//!
//! ```
//! use rntuple::merge::{MergeOptions, merge_files};
//! use rntuple::{RNTuple, Reader, WriteOptions, Writer};
//!
//! #[derive(RNTuple)]
//! struct Event { number: u64 }
//!
//! # let directory = tempfile::tempdir().unwrap();
//! # let path = |name: &str| directory.path().join(name);
//! for (name, numbers) in [("a.root", 0..100), ("b.root", 100..250)] {
//!     let mut writer = Writer::<Event>::create(path(name), "Events", WriteOptions::new())?;
//!     for number in numbers {
//!         writer.fill(&Event { number })?;
//!     }
//!     writer.finish()?;
//! }
//! let inputs = [path("a.root").into(), path("b.root").into()];
//! let summary = merge_files(&inputs, path("all.root"), MergeOptions::new())?;
//! assert_eq!(summary.entries, 250);
//!
//! let mut reader = Reader::<Event>::open(path("all.root"), "Events")?;
//! assert_eq!(reader.get(249)?.number, 249);
//! # Ok::<(), rntuple::Error>(())
//! ```
//!
//! # What may differ
//!
//! Fields are known by their paths; their order may differ. A field must be the same wherever it is: role, type,
//! class version and checksum, array size, range of quantised values. Vectors of both kinds, `std::vector` and
//! `ROOT::VecOps::RVec`, have the same bytes and are taken for the same. Descriptions may differ; the first one
//! stays, unless a later one says all that it does and also a unit, or more variants of an enum. They may not contradict
//! each other about units (of times in Arrow too), or about the names and integers of an enum's variants. Fields that
//! only some inputs have are what [`SchemaMode`] is about.
//!
//! The columns of a field may differ: `Int32` here and `SplitInt32` there become two representations of the field,
//! one of which is suppressed in each cluster (format, section 7.4). ROOT and uproot read that, JSROOT 7.11 does
//! not: see [`MergeOptions::strict_encoding`]. Compression may differ page by page.
//!
//! # What is new
//!
//! Members that joined an input late (format, section 5.3) have zeros in the entries before, and these zeros are
//! now stored. Pages without a checksum have one. Projections and the streamer information of all inputs are kept.
//! Attribute sets of one name become one, whose ranges are counted anew: see [`AttributePolicy`]. Other objects of the
//! files are not looked at.

use std::path::Path;

mod differ;
mod input;
mod layout;
mod mapping;
mod merger;
mod options;
mod output;
mod pages;
mod ranges;
mod sets;
mod tree;
mod type_info;
mod zeros;

use self::merger::Plan;
#[cfg(feature = "recover")]
use crate::dataset::Dataset;
use crate::error::{Error, Result};
#[cfg(feature = "recover")]
use crate::root::FileOptions;
use crate::root::FileWriter;
use crate::storage::WriteAt;

pub use input::Input;
pub use options::{AttributePolicy, MergeOptions, Progress, SchemaMode, Summary};

/// Merges ntuples into a new file, which is there only once it is complete.
///
/// The same inputs and options give the same bytes. Inputs are only read. It takes some 32 MiB of memory, and more
/// only for pages that are longer, for the page lists of a few cluster groups and where the shared pages of an input are
/// now (up to some 150 MB for the millions of pages of a large one), and for those of the merged ntuple where it has
/// [one cluster group](MergeOptions::single_group).
///
/// # Errors
/// An input cannot be read or is damaged, as far as its pages tell without being decoded; inputs have fields that
/// cannot be merged ([`SchemaMismatch`](crate::ErrorKind::SchemaMismatch)); `out` is one of the inputs, or exists
/// ([`MergeOptions::overwrite`]), or cannot be written. There is then no new file, and an old one is as it was.
pub fn merge_files(inputs: &[Input], out: impl AsRef<Path>, options: MergeOptions<'_>) -> Result<Summary> {
    merge_to_path(inputs, out.as_ref(), options)
}

fn merge_to_path(inputs: &[Input], out: &Path, options: MergeOptions<'_>) -> Result<Summary> {
    output::check(out, inputs, options.overwrite)?;
    let plan = Plan::new(inputs, &options)?;
    let storage = options.file.create(out, !options.overwrite)?;
    write(&plan, inputs, storage, options).map(|(summary, _)| summary)
}

/// As [`merge_files`], into any storage. Whether that holds something already is the caller's business; after an
/// error it holds a file that nobody finished.
///
/// ```
/// # use rntuple::{RNTuple, RootFile, WriteOptions, Writer};
/// # #[derive(RNTuple)]
/// # struct Event { number: u64 }
/// # let mut writer = Writer::new(rntuple::storage::Memory::new(), "Events", WriteOptions::new())?;
/// # writer.fill(&Event { number: 1 })?;
/// # let file = RootFile::from_storage(writer.finish_into()?.1)?;
/// use rntuple::merge::{Input, MergeOptions, merge_into};
/// use rntuple::storage::Memory;
///
/// let inputs = [Input::open(&file), Input::open(&file)];
/// let (summary, storage) = merge_into(&inputs, Memory::new(), MergeOptions::new())?;
/// assert_eq!((summary.entries, summary.clusters), (2, 2));
/// # let _ = storage;
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// # Errors
/// As [`merge_files`], but for what is about files.
pub fn merge_into<W: WriteAt>(
    inputs: &[Input],
    storage: W,
    options: MergeOptions<'_>,
) -> Result<(Summary, W)> {
    let plan = Plan::new(inputs, &options)?;
    write(&plan, inputs, storage, options)
}

/// Refuses an ntuple that cannot be copied into a new file, whatever its pages are.
///
/// # Errors
/// Its fields, or those of its attribute sets, cannot be merged.
#[cfg(feature = "recover")]
pub(crate) fn require_copyable(dataset: &Dataset) -> Result<()> {
    Plan::new(&[Input::dataset(dataset)], &options_of_copy(dataset)).map(drop)
}

#[cfg(feature = "recover")]
fn options_of_copy(dataset: &Dataset) -> MergeOptions<'static> {
    MergeOptions::new().limits(*dataset.file().limits())
}

/// Copies what is left of the ntuples of a file into a new one.
#[cfg(feature = "recover")]
pub(crate) fn copy_into<W: WriteAt>(
    datasets: &[Dataset],
    storage: W,
    options: FileOptions,
) -> Result<(u64, W)> {
    let name = storage.name().to_owned();
    let place = |error: Error| error.in_file(&name);
    let mut file = FileWriter::create(storage, options).map_err(place)?;
    for dataset in datasets {
        let inputs = [Input::dataset(dataset)];
        let options = options_of_copy(dataset);
        Plan::new(&inputs, &options)?.run(&inputs, options, file.any()).map_err(place)?;
    }
    let size = file.any().finish().map_err(place)?;
    Ok((size, file.into_inner()))
}

/// Refuses to write over one of the files that are read, or over any without being asked to.
#[cfg(feature = "recover")]
pub(crate) fn check_output(out: &Path, input: &Path, overwrite: bool) -> Result<()> {
    output::check(out, &[Input::file(input)], overwrite)
}

fn write<W: WriteAt>(
    plan: &Plan,
    inputs: &[Input],
    storage: W,
    options: MergeOptions<'_>,
) -> Result<(Summary, W)> {
    let name = storage.name().to_owned();
    let place = |error: Error| error.in_file(&name);
    let mut file = FileWriter::create(storage, options.file.clone()).map_err(place)?;
    let mut summary = plan.run(inputs, options, file.any()).map_err(place)?;
    summary.file_size = file.any().finish().map_err(place)?;
    Ok((summary, file.into_inner()))
}
