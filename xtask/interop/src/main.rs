//! The interop run: what we write is read by uproot, JSROOT, and ROOT's own container code, and what uproot
//! writes is read by us; every value and every schema is compared. So are the files of the RNTuple Validation Suite;
//! `rntuple-interop validation` does that alone. Two variables concern these files:
//!
//! | variable | |
//! | --- | --- |
//! | `RNTUPLE_VALIDATION_SUITE` | a checkout of the suite, whose own scripts for JSROOT are then run too |
//! | `RNTUPLE_BLESS` | the table in the book is made anew |
//!
//! | file | what it does |
//! | --- | --- |
//! | `model`, `shape`, `stored`, `json` | what a file must hold, worked out without the crate under test |
//! | `random`, `sample`, `record` | entries |
//! | `case`, `cases`, `structures`, `appended`, `added` | files |
//! | `environment`, `command`, `judge`, `../peers` | the foreign readers |
//! | `ours`, `foreign` | our readers |
//! | `findings`, `failure`, `table`, `run` | verdicts, and their table |
//! | `validation` | the files of the RNTuple Validation Suite |

use std::process::ExitCode;

mod added;
mod appended;
mod case;
mod cases;
mod command;
mod environment;
mod failure;
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
mod validation;

use failure::Result;

fn main() -> ExitCode {
    let done = match std::env::args().nth(1).as_deref() {
        None => run::run(),
        Some("validation") => validation::run_alone(),
        Some(other) => Err(format!("`{other}` is no part of the run: there is `validation`").into()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("interop: {error}");
            ExitCode::FAILURE
        }
    }
}
