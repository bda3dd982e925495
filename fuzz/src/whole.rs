//! The target that does everything with a file, of entries with all that entries can have.

use rntuple::columns::Lazy;
use rntuple::merge::{MergeOptions, SchemaMode};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, Reader, RootFile, Value};
use rntuple_tests::sample::{Event, Muon, One, Process};

use crate::corpus;
use crate::evolved::{Evolved, Newest, Strict, Wider};
use crate::ways::{
    ENTRIES, add_column, add_entries, as_one, check, columns, container, drain, dynamic, each, join, limits,
    merge_files, recover,
};

/// What events can be joined by.
#[derive(Debug, PartialEq, Eq, Hash, RNTuple)]
#[rntuple(skip_writing)]
struct Key {
    number: u64,
}

/// What is decoded when it is needed.
#[derive(Debug, RNTuple)]
#[rntuple(columnar)]
struct Late {
    number: u64,
    met: Lazy<f32>,
    muons: Lazy<Vec<Muon>>,
}

/// Opens the bytes as a file, and does everything with it.
///
/// # Panics
/// If something that was written cannot be read.
pub(crate) fn file(bytes: &[u8]) {
    container(bytes);
    check(bytes);
    recover(bytes);
    dynamic(bytes);
    each(bytes, |file, path| {
        drain::<Event>(file, path);
        drain::<One<Vec<Process>>>(file, path);
        drain::<Evolved>(file, path);
        drain::<Strict>(file, path);
        drain::<Wider>(file, path);
        drain::<Newest>(file, path);
        columns::<Event, Muon>(file, path, "muons");
        columns::<One<Vec<Process>>, Process>(file, path, "value");
        columns::<Evolved, Muon>(file, path, "muons");
        late(file, path);
        add_entries::<Event>(file, bytes, path);
        add_entries::<One<f32>>(file, bytes, path);
        add_entries::<One<Vec<Process>>>(file, bytes, path);
        add_column(bytes, path);
        combine(file, path);
    });
}

/// Touches some of what is decoded late.
fn late(file: &RootFile, path: &str) {
    let Ok(reader) = Reader::<Late>::open(file, path) else { return };
    let mut batches = reader.batches_in(..ENTRIES as u64, 7);
    while let Ok(Some(entries)) = batches.lend() {
        let touched = entries.number.iter().any(|number| number % 2 == 0);
        if touched && let Some(last) = entries.get(entries.len() - 1) {
            let _ = (last.muons.value().is_ok(), entries.met.values().is_ok());
        }
    }
}

fn combine(file: &RootFile, path: &str) {
    let other = corpus::sound().and_then(|bytes| RootFile::from_storage(Memory::from(bytes)));
    let Ok(other) = other else { return };
    let files = [file.clone(), other.with_limits(limits()), file.clone()];
    for (inputs, mode) in [(&files[..1], SchemaMode::Strict), (&files, SchemaMode::Union)] {
        for options in [MergeOptions::new(), MergeOptions::new().compression(Compression::zstd(1))] {
            merge_files::<Event>(inputs, path, options.schema(mode));
        }
    }
    as_one::<Value>(&files, path);
    as_one::<Event>(&files, path);
    join::<Key>(&files, path);
}
