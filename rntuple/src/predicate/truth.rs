//! True, false, unknown: of one entry, and of those of a range.

/// What a predicate is of one entry. The order is that of certainty to match: `and` is the least, `or` the greatest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum Truth {
    False,
    Unknown,
    True,
}

impl Truth {
    #[inline]
    pub(crate) fn of(is_true: bool) -> Self {
        if is_true { Self::True } else { Self::False }
    }

    #[inline]
    pub(super) fn not(self) -> Self {
        match self {
            Self::False => Self::True,
            Self::Unknown => Self::Unknown,
            Self::True => Self::False,
        }
    }
}

/// What a predicate may be of the entries of a range: nothing else is possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Possible {
    pub(super) is_true: bool,
    pub(super) is_false: bool,
    pub(super) is_unknown: bool,
}

impl Possible {
    /// No entry matches.
    pub(crate) const NEVER: Self = Self { is_true: false, is_false: true, is_unknown: true };

    pub(super) fn only(truth: Truth) -> Self {
        Self {
            is_true: truth == Truth::True,
            is_false: truth == Truth::False,
            is_unknown: truth == Truth::Unknown,
        }
    }

    /// Whether no entry can match.
    pub(crate) fn is_never(self) -> bool {
        !self.is_true
    }

    /// Whether every entry matches.
    pub(crate) fn is_always(self) -> bool {
        self.is_true && !self.is_false && !self.is_unknown
    }

    pub(super) fn not(self) -> Self {
        Self { is_true: self.is_false, is_false: self.is_true, ..self }
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self {
            is_true: self.is_true && other.is_true,
            is_false: self.is_false || other.is_false,
            is_unknown: self.is_unknown && (other.is_unknown || other.is_true)
                || self.is_true && other.is_unknown,
        }
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Truth; 3] = [Truth::False, Truth::Unknown, Truth::True];

    fn sets() -> impl Iterator<Item = (Possible, Vec<Truth>)> {
        (0..8u8).map(|bits| {
            let has = |truth: Truth| bits >> truth as u8 & 1 == 1;
            let set = Possible {
                is_true: has(Truth::True),
                is_false: has(Truth::False),
                is_unknown: has(Truth::Unknown),
            };
            (set, ALL.into_iter().filter(|truth| has(*truth)).collect())
        })
    }

    fn of(truths: impl IntoIterator<Item = Truth>) -> Possible {
        let none = Possible { is_true: false, is_false: false, is_unknown: false };
        truths.into_iter().fold(none, |set, truth| Possible {
            is_true: set.is_true || truth == Truth::True,
            is_false: set.is_false || truth == Truth::False,
            is_unknown: set.is_unknown || truth == Truth::Unknown,
        })
    }

    #[test]
    fn sets_of_truths_combine_as_truths_do() {
        for (one, ones) in sets().filter(|(_, truths)| !truths.is_empty()) {
            assert_eq!(one.not(), of(ones.iter().map(|truth| truth.not())));
            for (two, twos) in sets().filter(|(_, truths)| !truths.is_empty()) {
                let pairs = || ones.iter().flat_map(|one| twos.iter().map(move |two| (*one, *two)));
                assert_eq!(one.and(two), of(pairs().map(|(one, two)| one.min(two))));
                assert_eq!(one.or(two), of(pairs().map(|(one, two)| one.max(two))));
            }
        }
    }
}
