//! Damage for small files, and what no damage may cause.
//!
//! The driver (`cargo run --release -p rntuple-fuzz -- --seconds 60`) runs on the stable toolchain. The targets take
//! plain bytes, so that a coverage-guided fuzzer can call them as well.

mod allocation;
mod corpus;
mod damage;
mod evolved;
mod targets;

pub use allocation::{Counting, peak};
pub use corpus::{Sample, corpus};
pub use damage::Damage;
pub use targets::{combine_files, edit_file, read_file};

#[cfg(test)]
mod tests {
    use rntuple::{Reader, storage::Memory};

    use super::*;
    use crate::evolved::{Evolved, Newest, Strict, Wider};

    /// Where the targets give up at once, they show nothing.
    #[test]
    fn undamaged_files_are_edited_and_combined() {
        for sample in corpus().unwrap() {
            read_file(&sample.bytes);
            edit_file(&sample.bytes);
            combine_files(&sample.bytes, &sample.bytes);
        }
    }

    /// A type that is refused when a file is opened would read nothing of it, damaged or not.
    #[test]
    fn undamaged_events_open_as_types_of_another_time() {
        let samples = corpus().unwrap();
        let events = samples.iter().find(|sample| sample.name == "events").unwrap();
        let storage = || Memory::from(events.bytes.clone());
        Reader::<Evolved>::open(storage(), "Events").unwrap();
        Reader::<Strict>::open(storage(), "Events").unwrap();
        Reader::<Wider>::open(storage(), "Events").unwrap().get(0).unwrap();
        Reader::<Newest>::open(storage(), "Events").unwrap();
    }
}
