//! The tree itself.

use std::ops::{BitAnd, BitOr, Not};

use super::{Comparison, Literal, Operand};

/// A condition on entries, or on the items of a collection.
///
/// It is built from the [fields of a type](super::Fields), from text, or from its parts, as an engine does that has a
/// tree of its own:
///
/// ```
/// use rntuple::predicate::{Comparison, Operand, Predicate};
/// let high = Predicate::Compare(Operand::field("met"), Comparison::Greater, 50.0.into());
/// let busy = Predicate::any("muons", Operand::field("pt").gt(20) & !Predicate::is_null("charge"));
/// let wanted = high & busy;
/// assert_eq!(wanted.to_string(), "met > 50.0 and any(muons, pt > 20 and not charge is null)");
/// assert_eq!(wanted.to_string().parse::<Predicate>()?, wanted);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// What is true where is in the documentation of the [module](crate::predicate). Whether the fields exist and have
/// such types is checked when a file is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Predicate {
    /// True or false of everything.
    Constant(bool),
    /// A comparison of two values.
    Compare(Operand, Comparison, Operand),
    /// A value equals one of a list.
    In(Operand, Vec<Literal>),
    /// There is no value at a path.
    IsNull(String),
    /// A condition is true of an item of the collection or array at a path.
    Any(String, Box<Predicate>),
    /// A condition is true of each item of the collection or array at a path.
    All(String, Box<Predicate>),
    /// All of these are true.
    And(Vec<Predicate>),
    /// One of these is true.
    Or(Vec<Predicate>),
    /// It is false.
    Not(Box<Predicate>),
}

impl Predicate {
    /// Is true where there is no value at a path.
    pub fn is_null(path: impl Into<String>) -> Self {
        Self::IsNull(path.into())
    }

    /// Is true where a condition is true of an item of the collection or array at a path. The paths of the condition begin
    /// at the item.
    pub fn any(path: impl Into<String>, condition: Self) -> Self {
        Self::Any(path.into(), Box::new(condition))
    }

    /// Is true where a condition is true of each item of the collection or array at a path. The paths of the condition
    /// begin at the item.
    pub fn all(path: impl Into<String>, condition: Self) -> Self {
        Self::All(path.into(), Box::new(condition))
    }
}

impl BitAnd for Predicate {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        match self {
            Self::And(mut all) => {
                all.push(other);
                Self::And(all)
            }
            first => Self::And(vec![first, other]),
        }
    }
}

impl BitOr for Predicate {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        match self {
            Self::Or(mut all) => {
                all.push(other);
                Self::Or(all)
            }
            first => Self::Or(vec![first, other]),
        }
    }
}

impl Not for Predicate {
    type Output = Self;

    fn not(self) -> Self {
        Self::Not(Box::new(self))
    }
}

impl From<&Self> for Predicate {
    fn from(predicate: &Self) -> Self {
        predicate.clone()
    }
}
