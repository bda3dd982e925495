//! What predicates compare.

use super::{Literal, Predicate};

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
    /// The number of items of the collection or array at a path.
    Size(String),
    /// The number of items of the collection or array at a path of which a condition is true.
    Count(String, Box<Predicate>),
}

/// How two values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `>=`
    GreaterOrEqual,
    /// `>`
    Greater,
}

impl Comparison {
    /// Returns the comparison that is true of `b` and `a` where this one is true of `a` and `b`.
    ///
    /// ```
    /// use rntuple::predicate::Comparison;
    /// assert_eq!(Comparison::Less.swapped(), Comparison::Greater);
    /// ```
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Equal => Self::Equal,
            Self::NotEqual => Self::NotEqual,
            Self::GreaterOrEqual => Self::LessOrEqual,
            Self::Greater => Self::Less,
        }
    }

    /// Whether it is true of two values, as Rust compares them.
    #[inline]
    pub(super) fn holds<V: PartialOrd>(self, left: &V, right: &V) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Equal => left == right,
            Self::NotEqual => left != right,
            Self::GreaterOrEqual => left >= right,
            Self::Greater => left > right,
        }
    }
}

impl Operand {
    /// Takes the value of the field at a path.
    pub fn field(path: impl Into<String>) -> Self {
        Self::Field(path.into())
    }

    /// Takes the number of items of the collection or array at a path.
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
