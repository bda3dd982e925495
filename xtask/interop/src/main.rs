//! The interop run: what we write is read by uproot, JSROOT, and ROOT's own container code, and what uproot
//! writes is read by us; every value and every schema is compared.
//!
//! | file | what it does |
//! | --- | --- |
//! | `model`, `shape`, `stored`, `json` | what a file must hold, worked out without the crate under test |
//! | `random`, `sample`, `record` | entries |
//! | `case`, `cases`, `structures`, `appended` | files |
//! | `environment`, `command`, `judge`, `../peers` | the foreign readers |
//! | `ours`, `foreign` | our readers |
//! | `findings`, `table`, `run` | verdicts, and their table |

use std::process::ExitCode;

mod appended;
mod case;
mod cases;
mod command;
mod environment;
mod findings;
mod foreign;
mod json;
mod judge;
mod model;
mod ours;
mod random;
mod record;
mod run;
mod sample;
mod shape;
mod stored;
mod structures;
mod table;

/// Whatever goes wrong ends the run with a sentence.
pub(crate) type Result<T, E = Box<dyn std::error::Error>> = std::result::Result<T, E>;

fn main() -> ExitCode {
    match run::run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("interop: {error}");
            ExitCode::FAILURE
        }
    }
}
