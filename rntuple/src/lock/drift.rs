//! How a type and its lock differ, told to whoever changed the type.

use std::error;
use std::fmt;

use super::diff;
use crate::error::Error;

/// Makes tests write locks instead of comparing them.
pub(super) const BLESS: &str = "RNTUPLE_BLESS";

/// A type is not what its lock says. The text shows what is different, and what can be done.
#[derive(Debug)]
pub struct Drift {
    type_name: String,
    path: String,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Missing,
    Changed {
        old: Vec<String>,
        new: Vec<String>,
    },
    /// The file cannot be read or written, or the type cannot be stored.
    Impossible(Error),
}

impl Drift {
    pub(super) fn missing(type_name: String, path: &str) -> Self {
        Self { type_name, path: path.to_owned(), kind: Kind::Missing }
    }

    pub(super) fn changed(type_name: String, path: &str, old: Vec<String>, new: Vec<String>) -> Self {
        Self { type_name, path: path.to_owned(), kind: Kind::Changed { old, new } }
    }

    pub(super) fn impossible(type_name: String, path: &str, error: Error) -> Self {
        Self { type_name, path: path.to_owned(), kind: Kind::Impossible(error) }
    }

    /// Writing the file anew would do.
    pub(super) fn can_be_blessed(&self) -> bool {
        !matches!(self.kind, Kind::Impossible(_))
    }
}

impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { type_name, path, kind } = self;
        match kind {
            Kind::Missing => write!(
                f,
                "`{path}` is not there; it is to hold the schema of `{type_name}`.\n\n\
                 Create it, and commit it:\n\n    {BLESS}=1 cargo test\n"
            ),
            Kind::Changed { old, new } => {
                writeln!(f, "files of `{type_name}` would not hold what `{path}` says (-), but this (+):\n")?;
                for line in diff::text(old, new).lines() {
                    writeln!(f, "    {line}")?;
                }
                write!(
                    f,
                    "
A change of the type changes the files that are written from now on. Three ways out:

1. It was a mistake: undo it. A member that needs another name in Rust can keep the one in files:
   `#[rntuple(rename = \"name in files\")]`.

2. It is meant, and the type must still read older files. Say how, then accept the change as below:
   a member has a new name:         `#[rntuple(alias = \"old name\")]`
   older files lack a member:       `#[rntuple(default)]`
   anything else:                   `#[rntuple(upgrade_from(OldType, when = ..))]`

3. It is meant, and no older files are left to read. Accept it, and commit `{path}`:

    {BLESS}=1 cargo test
"
                )
            }
            Kind::Impossible(error) => write!(f, "`{path}`, the schema of `{type_name}`: {error}"),
        }
    }
}

impl error::Error for Drift {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match &self.kind {
            Kind::Impossible(error) => Some(error),
            Kind::Missing | Kind::Changed { .. } => None,
        }
    }
}
