//! What is done with damaged bytes.

use rntuple::storage::Memory;
use rntuple::{Dataset, Reader, RootFile, Value};
use rntuple_tests::sample::{Event, One, Process};

use crate::evolved::{Evolved, Newest, Strict, Wider};

/// Entries of one ntuple that are read: more would only show the same again.
const ENTRIES: usize = 200;

/// Attribute sets that are read.
const SETS: usize = 4;

/// Opens the bytes as a file and reads whatever it lists, in every way there is.
pub fn read_file(bytes: &[u8]) {
    let Ok(file) = RootFile::from_storage(Memory::from(bytes.to_vec())) else { return };
    let _ = file.verify();
    let _ = rntuple::check::check_file(&file, rntuple::check::CheckOptions::default());
    for key in file.ntuples().unwrap_or_default() {
        let path = key.path();
        let Ok(dataset) = Dataset::open(&file, &path) else { continue };
        let _ = dataset.schema().hidden();
        for set in dataset.attribute_sets().iter().take(SETS) {
            attributes::<Value>(&file, &path, &set.name);
            attributes::<One<u64>>(&file, &path, &set.name);
        }
        drain::<Value>(&file, &path);
        drain::<Event>(&file, &path);
        drain::<One<Vec<Process>>>(&file, &path);
        drain::<Evolved>(&file, &path);
        drain::<Strict>(&file, &path);
        drain::<Wider>(&file, &path);
        drain::<Newest>(&file, &path);
    }
}

fn attributes<A: rntuple::RNTuple + rntuple::field::ReadField>(file: &RootFile, path: &str, name: &str) {
    let Ok(reader) = Reader::<Value>::from_file(file, path, Default::default()) else { return };
    let Ok(mut attributes) = reader.attributes::<A>(name) else { return };
    let _ = attributes.entries().take(ENTRIES).take_while(Result::is_ok).count();
    let _ = attributes.get(attributes.len().saturating_sub(1));
    // All ranges are read for this.
    if attributes.len() < 10_000 {
        for entry in [0, 3, u64::MAX] {
            let _ = attributes.covering(entry).take(ENTRIES).count();
        }
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
