//! The whole comparison, as a test: so it is compiled with what other tests have compiled.
#![allow(clippy::unwrap_used, reason = "a test that cannot continue has failed")]

use std::process::Command;

#[test]
#[ignore = "installs uproot and JSROOT: `cargo xtask interop` runs it"]
fn other_readers_and_writers_agree() {
    let status = Command::new(env!("CARGO_BIN_EXE_rntuple-interop")).status().unwrap();
    assert!(status.success(), "{status}");
}
