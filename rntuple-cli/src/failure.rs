//! What goes wrong, where it is told, and with which exit code.

use std::io::{self, Write};
use std::process::ExitCode;

use rntuple::{Error, ErrorKind};

use crate::limits::in_options;
use crate::text::printable;

/// How a run ended, the worst last; the exit codes are documented in the help.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    #[default]
    Good,
    /// Of a file without faults not everything could be checked, or not everything belongs to an ntuple.
    Incomplete,
    Damaged,
    Usage,
    /// Another program has changed the data set.
    #[cfg(feature = "dataset")]
    Conflict,
    Unreadable,
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        ExitCode::from(match status {
            Status::Good => 0,
            Status::Damaged => 1,
            Status::Usage => 2,
            Status::Unreadable => 3,
            Status::Incomplete => 4,
            #[cfg(feature = "dataset")]
            Status::Conflict => 5,
        })
    }
}

impl Status {
    /// The exit code for an error of the library.
    pub(crate) fn of(error: &Error) -> Self {
        match error.kind() {
            ErrorKind::OutOfSpec
            | ErrorKind::Unfinished
            | ErrorKind::LimitExceeded
            | ErrorKind::SchemaMismatch => Self::Damaged,
            ErrorKind::InvalidArgument | ErrorKind::NotFound => Self::Usage,
            _ => Self::Unreadable,
        }
    }

    /// Tells of an error, and becomes the worse of the two.
    pub(crate) fn report(&mut self, error: Error) {
        *self = (*self).max(Failure::from(error).report());
    }
}

/// Says something on standard error that does not end the run.
pub(crate) fn note(message: &str) {
    // If no one listens, nothing is lost.
    let _ = writeln!(io::stderr(), "rntuple: note: {}", printable(message));
}

/// Why a run cannot go on.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The library says so.
    Library(Error),
    /// Standard output cannot be written.
    Output(io::Error),
    /// A file and what is wrong with it, or with what was asked of it.
    Message(Status, String),
}

impl Failure {
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    /// Tells of it on standard error.
    pub(crate) fn report(&self) -> Status {
        let (status, message) = match self {
            Self::Library(error) => (Status::of(error), in_options(&error.to_string())),
            Self::Output(error) => (Status::Unreadable, format!("standard output: {error}")),
            Self::Message(status, message) => (*status, message.clone()),
        };
        // Differences between a type and a file stand one to a line.
        let lines: Vec<_> = message.split("\n  ").map(printable).collect();
        // Where nobody listens, the exit code says it all.
        let _ = writeln!(io::stderr(), "rntuple: {}", lines.join("\n  "));
        status
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Library(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::Output(error.into())
    }
}
