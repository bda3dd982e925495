//! A toy experiment: proton collisions, a detector, and the events that come out of it.
//!
//! The programs in the folder of this crate write and read such events. The physics is simple, but every
//! spectrum has the right shape: what compresses well or badly here does so in real data too.
//!
//! | module | |
//! | --- | --- |
//! | [`event`] | what is stored: the structs with `#[derive(RNTuple)]` |
//! | [`collision`] | what happens in a collision: pp → Z → μμ, Drell–Yan, minimum bias |
//! | [`detector`] | what a detector sees of it |
//! | [`jets`] | the anti-kt algorithm |
//! | [`vector`] | energy and momentum |
//! | [`histogram`] | counts in bins, drawn in a terminal |

pub mod collision;
pub mod detector;
pub mod event;
pub mod histogram;
pub mod jets;
pub mod vector;

use std::io::{self, Write};
use std::process::ExitCode;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::collision::Collision;
use crate::event::Event;

/// Makes events, one after the other; on one machine, the same seed makes the same ones.
///
/// ```
/// use rntuple_examples::Simulation;
/// let first = Simulation::new(1).next().unwrap();
/// assert_eq!(first.number, 0);
/// assert_eq!(Some(first), Simulation::new(1).next());
/// ```
#[derive(Clone, Debug)]
pub struct Simulation {
    random: ChaCha8Rng,
    number: u64,
}

impl Simulation {
    /// The run that all events belong to.
    pub const RUN: u32 = 2026;

    /// A simulation that begins with event 0.
    pub fn new(seed: u64) -> Self {
        Self { random: ChaCha8Rng::seed_from_u64(seed), number: 0 }
    }
}

impl Iterator for Simulation {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        // Every event has random numbers of its own: changing one thing in an event changes no other event.
        self.random.set_stream(self.number);
        self.random.set_word_pos(0);
        let collision = Collision::happen(&mut self.random);
        let event = detector::observe(&collision, Self::RUN, self.number, &mut self.random);
        self.number += 1;
        Some(event)
    }

    fn nth(&mut self, n: usize) -> Option<Event> {
        self.number += n as u64;
        self.next()
    }
}

/// How a program ends: the text on standard output, or the error, with the program's name, on standard error.
///
/// That nobody reads on, as in `analyze | head`, is no error.
pub fn end(program: &str, outcome: rntuple::Result<String>) -> ExitCode {
    let printed = outcome.map_err(|error| error.to_string()).and_then(|text| {
        match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.to_string()),
            _ => Ok(()),
        }
    });
    match printed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{program}: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Compiles what the README shows.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

/// Runs the examples of the derive macro.
#[cfg(doctest)]
#[doc = include_str!("../../rntuple-derive/src/derive.md")]
struct Derive;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_depends_on_its_number_alone() {
        let walked = Simulation::new(7).take(12).last();
        assert_eq!(Simulation::new(7).nth(11), walked);
        assert_ne!(Simulation::new(8).nth(11), walked);
    }
}
