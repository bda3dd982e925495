//! Inputs that are damaged, and what no damage may cause.
//!
//! [`TARGETS`] is the table of what is given damaged bytes. Each target has a mutator that knows what the bytes mean, so
//! that sizes and checksums are right again after most changes, and a limit of the memory that an input may take.
//!
//! With libFuzzer, which looks for inputs that reach new code: `cargo xtask fuzz --hours 1`. On the stable toolchain,
//! blindly: `cargo run --release -p rntuple-fuzz -- --seconds 60`.

mod allocation;
mod anatomy;
mod archive;
mod corpus;
mod evolved;
mod items;
mod mutator;
mod plan;
mod records;
mod small;
pub mod targets;
mod text;
mod tiny;
mod ways;
mod whole;
mod wire;

pub use allocation::{Counting, peak};
pub use corpus::by_root;
#[cfg(feature = "libfuzzer")]
#[doc(hidden)]
pub use libfuzzer_sys;
pub use mutator::{Mutator, Strike, strike};
#[doc(hidden)]
pub use rntuple_tests::sample::Random;
pub use targets::{TARGETS, Target};

/// The program of a target for libFuzzer.
#[cfg(feature = "libfuzzer")]
#[macro_export]
macro_rules! program {
    ($target:ident) => {
        #[global_allocator]
        static ALLOCATOR: $crate::Counting = $crate::Counting;

        $crate::libfuzzer_sys::fuzz_target!(|data: &[u8]| $crate::targets::$target.run(data));

        $crate::libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
            $crate::mutate(&$crate::targets::$target, data, size, max_size, seed)
        });
    };
}

/// Changes an input of libFuzzer's; returns its new size.
#[cfg(feature = "libfuzzer")]
pub fn mutate(target: &Target, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    fn strike(bytes: &mut Vec<u8>, max: usize, _: &mut Random) {
        let size = bytes.len().min(max);
        bytes.resize(max, 0);
        let size = libfuzzer_sys::fuzzer_mutate(bytes, size, max);
        bytes.truncate(size);
    }

    let mut bytes = data.get(..size).unwrap_or_default().to_vec();
    let mut mutator = Mutator { random: Random::new(seed.into()), strike };
    let max = max_size.min(data.len());
    target.mutate(&mut bytes, max, &mut mutator);
    bytes.truncate(max);
    for (to, from) in data.iter_mut().zip(&bytes) {
        *to = *from;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use rntuple::{Reader, storage::Memory};

    use super::*;
    use crate::evolved::{Evolved, Newest, Strict, Wider};

    /// Where the targets give up at once, they show nothing.
    #[test]
    fn seeds_are_given_to_every_target() {
        for target in &TARGETS {
            let seeds = target.seeds(&by_root()).unwrap();
            assert!(!seeds.is_empty(), "{}", target.name);
            seeds.iter().for_each(|seed| target.run(seed));
        }
    }

    /// A row without a program would never be used.
    #[test]
    fn every_target_has_a_program() {
        for target in &TARGETS {
            let path = format!("{}/fuzz_targets/{}.rs", env!("CARGO_MANIFEST_DIR"), target.name);
            let program = std::fs::read_to_string(&path).unwrap();
            let line = format!("rntuple_fuzz::program!({});", target.name.to_uppercase());
            assert!(program.contains(&line), "{path}");
        }
    }

    /// A type that is refused when a file is opened would read nothing of it, damaged or not.
    #[test]
    fn undamaged_events_open_as_types_of_another_time() {
        let storage = || Memory::from(corpus::sound().unwrap());
        Reader::<Evolved>::open(storage(), "Events").unwrap();
        Reader::<Strict>::open(storage(), "Events").unwrap();
        Reader::<Wider>::open(storage(), "Events").unwrap().get(0).unwrap();
        Reader::<Newest>::open(storage(), "Events").unwrap();
    }
}
