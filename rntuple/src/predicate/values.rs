//! Values that are compared.

use std::cmp::Ordering;

use super::number::Number;

/// One value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Scalar<'a> {
    Bool(bool),
    Number(Number),
    Text(&'a [u8]),
}

/// What kind of value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Number,
    Text,
}

impl Kind {
    /// What errors call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bool => "a `bool`",
            Self::Number => "a number",
            Self::Text => "a string",
        }
    }
}

impl Scalar<'_> {
    pub(super) fn kind(&self) -> Kind {
        match self {
            Self::Bool(_) => Kind::Bool,
            Self::Number(_) => Kind::Number,
            Self::Text(_) => Kind::Text,
        }
    }
}

impl PartialEq for Scalar<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Scalar<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Bool(one), Self::Bool(two)) => Some(one.cmp(two)),
            (Self::Number(one), Self::Number(two)) => one.partial_cmp(two),
            (Self::Text(one), Self::Text(two)) => Some(one.cmp(two)),
            _ => None,
        }
    }
}
