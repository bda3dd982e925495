//! Other programs.

use std::ffi::OsStr;
use std::process::{Command, Stdio};

use crate::Result;

/// Runs a program whose output is of interest only if it fails.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| unstarted(command, &error))?;
    if output.status.success() {
        return Ok(());
    }
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let last: Vec<&str> = text.lines().rev().take(30).collect();
    let last: Vec<&str> = last.into_iter().rev().collect();
    Err(format!("`{}`: {}\n{}", shown(command), output.status, last.join("\n")).into())
}

/// What a program prints, whatever its exit code says.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| unstarted(command, &error))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn unstarted(command: &Command, error: &std::io::Error) -> String {
    format!("`{}` does not start: {error}", command.get_program().to_string_lossy())
}

fn shown(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.take(12).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}
