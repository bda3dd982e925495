//! Processes that are killed while they work.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs the test `name` of this program in a process of its own, with a variable that states its job, and kills it
/// after some time.
#[track_caller]
pub(crate) fn kill_after(time: Duration, name: &str, variable: (&str, &str)) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture"])
        .env(variable.0, variable.1)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(time);
    child.kill().unwrap();
    let status = child.wait().unwrap();
    // It ends by the signal alone.
    #[cfg(unix)]
    assert_eq!(std::os::unix::process::ExitStatusExt::signal(&status), Some(9));
    assert!(!status.success());
}
