//! Where a merged file may be written.

use std::fs;
use std::io;
use std::path::Path;

use super::input::Input;
use crate::error::{Error, Result};
use crate::storage::{Identity, shown, url_of};

/// Refuses a place that is taken, or that of an input.
pub(super) fn check(path: &Path, inputs: &[Input], overwrite: bool) -> Result<()> {
    let refuse = |message: String| Err(Error::invalid_argument(message).in_file(&shown(path)));
    if url_of(path).is_some() {
        // Whether there is a file is asked when the output is created.
        return match inputs.iter().find(|input| input.path() == path) {
            Some(input) => refuse(format!("the output is one of the inputs: {}", input.name())),
            None => Ok(()),
        };
    }
    match fs::metadata(path) {
        Ok(metadata) => {
            if let Some(input) = inputs.iter().find(|input| is_same(path, input.path())) {
                return refuse(format!("the output is one of the inputs: {}", input.name()));
            }
            if !metadata.is_file() {
                return refuse("the output is not a regular file".to_owned());
            }
            if !overwrite {
                return refuse(format!("the output exists already; {WAY_OUT}"));
            }
            Ok(())
        }
        // A link to nowhere would create a file elsewhere.
        Err(error) if error.kind() == io::ErrorKind::NotFound => match fs::symlink_metadata(path) {
            Ok(_) if !overwrite => {
                refuse(format!("the output exists already, as a link to nowhere; {WAY_OUT}"))
            }
            _ => Ok(()),
        },
        Err(error) => Err(Error::from(error).in_file(&shown(path))),
    }
}

const WAY_OUT: &str = "`--force` replaces it (`MergeOptions::overwrite` in a program)";

fn is_same(a: &Path, b: &Path) -> bool {
    matches!((Identity::of_path(a), Identity::of_path(b)), (Ok(a), Ok(b)) if a == b)
}
