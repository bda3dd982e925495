//! Two transactions that exclude each other.

use std::borrow::Cow;
use std::fmt;

/// Why a transaction cannot be committed any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    /// The work can be done again on the newest version, and means the same there.
    Retryable(Clash),
    /// What the work was meant for is gone: it takes a decision of the user.
    Incompatible(Clash),
}

/// What two transactions have to do with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The operation that is not committed.
    pub ours: &'static str,
    /// The operation that is committed; `None`: it is not known.
    pub theirs: Option<&'static str>,
    /// The version that ours was made from.
    pub read_version: u64,
    /// The version that theirs made.
    pub version: u64,
    /// Ids of the fragments that both need.
    pub fragments: Vec<u64>,
    /// What both need.
    pub reason: Cow<'static, str>,
}

impl Conflict {
    /// Returns whether the work can be done again with the same meaning.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Retryable(_))
    }

    /// Returns what the transactions have to do with each other.
    pub fn clash(&self) -> &Clash {
        match self {
            Self::Retryable(clash) | Self::Incompatible(clash) => clash,
        }
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Clash { ours, theirs, read_version, version, fragments, reason } = self.clash();
        let theirs = theirs.unwrap_or("an unknown operation");
        write!(f, "{ours} of version {read_version} conflicts with {theirs} of version {version}: {reason}")?;
        for (number, fragment) in fragments.iter().take(5).enumerate() {
            write!(f, "{} {fragment}", if number == 0 { "; fragments" } else { "," })?;
        }
        if let Some(more) = fragments.len().checked_sub(5).filter(|more| *more > 0) {
            write!(f, " and {more} more")?;
        }
        match self {
            Self::Retryable(_) => write!(f, "; do it again on the newest version"),
            Self::Incompatible(_) => Ok(()),
        }
    }
}

impl std::error::Error for Conflict {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conflict_names_both_sides() {
        let clash = Clash {
            ours: "Delete",
            theirs: Some("Rewrite"),
            read_version: 3,
            version: 5,
            fragments: (1..8).collect(),
            reason: "both change the same fragments".into(),
        };
        assert_eq!(
            Conflict::Retryable(clash.clone()).to_string(),
            "Delete of version 3 conflicts with Rewrite of version 5: both change the same fragments; \
             fragments 1, 2, 3, 4, 5 and 2 more; do it again on the newest version"
        );
        let clash = Clash { theirs: None, fragments: vec![], reason: "it is not known".into(), ..clash };
        assert_eq!(
            Conflict::Incompatible(clash).to_string(),
            "Delete of version 3 conflicts with an unknown operation of version 5: it is not known"
        );
    }
}
