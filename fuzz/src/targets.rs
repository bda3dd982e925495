//! What is done with damaged bytes.

use rntuple::storage::Memory;
use rntuple::{Dataset, Reader, RootFile, Value};
use rntuple_tests::sample::{Event, One, Process};

use crate::evolved::{Evolved, Newest, Strict, Wider};

/// Entries of one ntuple that are read: more would only show the same again.
const ENTRIES: usize = 200;

/// Opens the bytes as a file and reads whatever it lists, in every way there is.
pub fn read_file(bytes: &[u8]) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes.to_vec())) else { return };
    let _ = file.verify();
    let _ = rntuple::check::check_file(&file, rntuple::check::CheckOptions::default());
    for key in file.ntuples().unwrap_or_default() {
        let path = key.path();
        let Ok(dataset) = Dataset::open(&file, &path) else { continue };
        let _ = dataset.schema().hidden();
        drain::<Value>(&file, &path);
        drain::<Event>(&file, &path);
        drain::<One<Vec<Process>>>(&file, &path);
        drain::<Evolved>(&file, &path);
        drain::<Strict>(&file, &path);
        drain::<Wider>(&file, &path);
        drain::<Newest>(&file, &path);
    }
}

fn drain<T: rntuple::RNTuple + rntuple::field::ReadField>(file: &RootFile, path: &str) {
    let Ok(mut reader) = Reader::<T>::from_file(file, path, Default::default()) else { return };
    let walked = reader.entries().take(ENTRIES).take_while(Result::is_ok).count() as u64;
    // Behind the damage, and at the end.
    for index in [walked + 1, reader.len() / 2, reader.len().saturating_sub(1)] {
        let _ = reader.get(index);
    }
}
