//! Which ntuple of a file is meant.

use rntuple::{ErrorKind, RootFile};

use crate::failure::{Failure, Status};

/// The path that was given, or that of the only ntuple.
pub(crate) fn choose(file: &RootFile, given: Option<&str>) -> Result<String, Failure> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    file.only_ntuple().map(|key| key.path()).map_err(|error| match error.kind() {
        ErrorKind::NotFound => Failure::Message(Status::Unreadable, error.to_string()),
        ErrorKind::InvalidArgument => {
            Failure::Message(Status::Usage, format!("{error}; name it with --ntuple"))
        }
        _ => error.into(),
    })
}
