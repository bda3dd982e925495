//! Numbers of any type, compared by their values.

use std::cmp::Ordering;

/// A number of any type. Nothing is rounded: every integer that a file can have is an `i128`, every `float` an `f64`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Number {
    Int(i128),
    Float(f64),
}

/// 2^127, the first `f64` that no `i128` reaches.
const BEYOND: f64 = 170_141_183_460_469_231_731_687_303_715_884_105_728.0;

impl Number {
    /// Its distance from 0.
    pub(crate) fn abs(self) -> Self {
        match self {
            Self::Int(int) => Self::Int(int.saturating_abs()),
            Self::Float(float) => Self::Float(float.abs()),
        }
    }

    pub(crate) fn is_nan(self) -> bool {
        matches!(self, Self::Float(float) if float.is_nan())
    }

    /// The `f64` of the same value, if there is one.
    pub(crate) fn exact_float(self) -> Option<f64> {
        match self {
            Self::Float(float) => Some(float),
            Self::Int(int) => {
                #[expect(clippy::cast_precision_loss, reason = "what was lost is found by the comparison")]
                let float = int as f64;
                (compare(int, float) == Some(Ordering::Equal)).then_some(float)
            }
        }
    }

    /// The integer of the same value, if there is one.
    pub(crate) fn exact_int(self) -> Option<i128> {
        match self {
            Self::Int(int) => Some(int),
            Self::Float(float) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "what was lost is found by the comparison"
                )]
                let int = float as i128;
                (compare(int, float) == Some(Ordering::Equal)).then_some(int)
            }
        }
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        match (*self, *other) {
            (Self::Int(one), Self::Int(two)) => Some(one.cmp(&two)),
            (Self::Float(one), Self::Float(two)) => one.partial_cmp(&two),
            (Self::Int(int), Self::Float(float)) => compare(int, float),
            (Self::Float(float), Self::Int(int)) => compare(int, float).map(Ordering::reverse),
        }
    }
}

fn compare(int: i128, float: f64) -> Option<Ordering> {
    if float.is_nan() {
        return None;
    }
    if float >= BEYOND {
        return Some(Ordering::Less);
    }
    if float < -BEYOND {
        return Some(Ordering::Greater);
    }
    let whole = float.trunc();
    #[expect(clippy::cast_possible_truncation, reason = "it is whole, and within range")]
    let order = int.cmp(&(whole as i128));
    Some(order.then_with(|| whole.partial_cmp(&float).unwrap_or(Ordering::Equal)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn neighbours_of_large_floats_differ() {
        let float = Number::Float(9_007_199_254_740_992.0);
        assert!(Number::Int(9_007_199_254_740_993) > float);
        assert!(Number::Int(9_007_199_254_740_992) == float);
        assert!(Number::Int(i128::from(u64::MAX)) < Number::Float(18_446_744_073_709_551_616.0));
        assert!(Number::Int(-3) > Number::Float(-3.5) && Number::Int(-4) < Number::Float(-3.5));
        assert!(Number::Int(0) == Number::Float(-0.0));
        assert!(Number::Int(i128::MAX) < Number::Float(f64::INFINITY));
        assert!(
            Number::Int(i128::MIN) == Number::Float(-BEYOND)
                && Number::Int(i128::MAX) < Number::Float(BEYOND)
        );
        assert_eq!(Number::Int(1).partial_cmp(&Number::Float(f64::NAN)), None);
        assert_eq!(Number::Int((1 << 53) + 1).exact_float(), None);
        assert_eq!((Number::Float(2.5).exact_int(), Number::Float(-2.0).exact_int()), (None, Some(-2)));
    }

    proptest! {
        #[test]
        fn small_integers_compare_as_floats(int in -1000i32..1000, eighths in -8000i32..8000) {
            let float = f64::from(eighths) / 8.0;
            let found = Number::Int(int.into()).partial_cmp(&Number::Float(float));
            prop_assert_eq!(found, f64::from(int).partial_cmp(&float));
        }
    }
}
