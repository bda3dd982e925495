//! The tree: conditions on values, and values that count how often conditions are true.

use std::ops::{BitAnd, BitOr, Not};

use super::{Comparison, Literal};

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

/// A value that a [`Predicate`] compares with another one.
///
/// ```
/// use rntuple::predicate::Operand;
/// let wanted = Operand::field("muons.pt").abs().lt(2.4);
/// assert_eq!(wanted.to_string(), "abs(muons.pt) < 2.4");
/// let wanted = Operand::size("muons").ge(Operand::field("least"));
/// assert_eq!(wanted.to_string(), "size(muons) >= least");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operand {
    /// The value of the field at a path.
    Field(String),
    /// A value that is the same for all entries.
    Literal(Literal),
    /// A number without its sign.
    Abs(Box<Operand>),
    /// The number of items of the collection or array at a path, also where a field of its own has it
    /// ([`Cardinality`](crate::cxx::Cardinality)).
    Size(String),
    /// The number of items of the collection or array at a path of which a condition is true.
    Count(String, Box<Predicate>),
}

impl Operand {
    /// Takes the value of the field at a path.
    pub fn field(path: impl Into<String>) -> Self {
        Self::Field(path.into())
    }

    /// Takes the number of items of the collection or array at a path, also where a field of its own has it
    /// ([`Cardinality`](crate::cxx::Cardinality)).
    pub fn size(path: impl Into<String>) -> Self {
        Self::Size(path.into())
    }

    /// Takes the number of items of which a condition is true. Its paths begin at the item.
    pub fn count(path: impl Into<String>, condition: Predicate) -> Self {
        Self::Count(path.into(), Box::new(condition))
    }

    /// Takes the number without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        Self::Abs(Box::new(self))
    }

    /// Compares it with another value.
    pub fn compare(self, comparison: Comparison, other: impl Into<Self>) -> Predicate {
        Predicate::Compare(self, comparison, other.into())
    }

    /// Is true where it is less than another value.
    pub fn lt(self, other: impl Into<Self>) -> Predicate {
        self.compare(Comparison::Less, other)
    }

    /// Is true where it is at most another value.
    pub fn le(self, other: impl Into<Self>) -> Predicate {
        self.compare(Comparison::LessOrEqual, other)
    }

    /// Is true where it is greater than another value.
    pub fn gt(self, other: impl Into<Self>) -> Predicate {
        self.compare(Comparison::Greater, other)
    }

    /// Is true where it is at least another value.
    pub fn ge(self, other: impl Into<Self>) -> Predicate {
        self.compare(Comparison::GreaterOrEqual, other)
    }

    /// Is true where it equals another value.
    pub fn eq(self, other: impl Into<Self>) -> Predicate {
        self.compare(Comparison::Equal, other)
    }

    /// Is true where it does not equal another value.
    pub fn ne(self, other: impl Into<Self>) -> Predicate {
        self.compare(Comparison::NotEqual, other)
    }

    /// Is true where it is at least `least` and at most `most`.
    pub fn between(self, least: impl Into<Self>, most: impl Into<Self>) -> Predicate {
        self.clone().ge(least) & self.le(most)
    }

    /// Is true where it equals one of the values of a list.
    pub fn is_in<L: Into<Literal>>(self, list: impl IntoIterator<Item = L>) -> Predicate {
        Predicate::In(self, list.into_iter().map(Into::into).collect())
    }
}

impl<L: Into<Literal>> From<L> for Operand {
    fn from(literal: L) -> Self {
        Self::Literal(literal.into())
    }
}
