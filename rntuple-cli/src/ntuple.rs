//! Which ntuple of a file is meant.

use rntuple::{FileKey, RootFile};

use crate::failure::{Failure, Status};

/// Names that an error lists.
const NAMES_SHOWN: usize = 20;

/// The path that was given, or that of the only ntuple.
pub(crate) fn choose(file: &RootFile, given: Option<&str>) -> Result<String, Failure> {
    if let Some(path) = given {
        return Ok(path.to_owned());
    }
    let ntuples = file.ntuples()?;
    match &*ntuples {
        [only] => Ok(only.path()),
        [] => Err(Failure::Message(
            Status::Unreadable,
            format!("{}: there is no ntuple in the file", file.name()),
        )),
        several => {
            let mut names: Vec<String> = several.iter().take(NAMES_SHOWN).map(FileKey::path).collect();
            if let Some(more) = several.len().checked_sub(NAMES_SHOWN).filter(|more| *more > 0) {
                names.push(format!("and {more} more"));
            }
            let names = names.join(", ");
            let message = format!("{}: several ntuples, choose one with --ntuple: {names}", file.name());
            Err(Failure::Message(Status::Usage, message))
        }
    }
}
