//! What is known of some elements of a column.

use crate::encoding::{ColumnType, ValueKind};

/// A lower and an upper bound of numbers.
///
/// They are bounds, not values: both may be numbers that no element has. A minimum of zero is `-0.0`, and a maximum of
/// zero is `0.0`, whatever the sign of the element. NaN is neither above nor below, so it is not within bounds.
///
/// Without any element, or any that is a number, they are the extremes of the type: `-128` and `127` of `Int8`, negative
/// and positive infinity of `Real32`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Bounds {
    /// Signed integers.
    Signed {
        /// No element is less.
        min: i64,
        /// No element is greater.
        max: i64,
    },
    /// Unsigned integers. `false` and `true` are 0 and 1; of a collection, sizes; of a variant, the numbers of
    /// alternatives from 1 on, and 0 for none.
    Unsigned {
        /// No element is less.
        min: u64,
        /// No element is greater.
        max: u64,
    },
    /// Numbers with a fraction. Those of single precision are exact as `f64`.
    Real {
        /// No number is less.
        min: f64,
        /// No number is greater.
        max: f64,
    },
}

/// A lower and an upper bound of strings, in the order of their characters, which is that of their bytes.
///
/// Neither is longer than 64 bytes: the lower one may be the beginning of a string, and the upper one a text that is
/// greater than the strings that begin as the greatest one does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextRange {
    /// No string is less. `None`: not known.
    pub min: Option<String>,
    /// No string is greater. `None`: not known, or there is no such text.
    pub max: Option<String>,
}

/// What is known of some elements of a column: those of a page, of a cluster, or of the file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ElementStatistics {
    /// Number of elements. For the offsets of a collection, the number of collections.
    pub elements: u64,
    /// How many elements have no value: empty collections (an `Option` without a value is one) and variants without an
    /// alternative. 0 for numbers.
    pub nulls: u64,
    /// How many elements are not numbers (NaN).
    pub nan_count: u64,
    /// Bounds of all elements that are numbers. An element within a collection is an element as any other: the bounds
    /// say whether *any* item of *any* collection can be in a range, and nothing of each of them.
    pub bounds: Bounds,
    /// Of the offsets of strings: bounds of the strings, if they are known. Those of a page may be wider, as bounds are kept
    /// of 4096 strings each.
    pub text: Option<TextRange>,
}

impl ElementStatistics {
    /// Takes what is known of some elements without nulls and NaNs. The members can be set.
    ///
    /// ```
    /// use rntuple::statistics::{Bounds, ElementStatistics};
    ///
    /// let mut known = ElementStatistics::new(10, Bounds::Real { min: 0.0, max: 91.2 });
    /// known.nan_count = 1;
    /// ```
    pub fn new(elements: u64, bounds: Bounds) -> Self {
        Self { elements, nulls: 0, nan_count: 0, bounds, text: None }
    }

    /// What is known of no elements of a column of this type; `None` if nothing is kept of such columns.
    pub(super) fn none_of(column_type: ColumnType) -> Option<Self> {
        let bounds = extremes(column_type)?;
        Some(Self { elements: 0, nulls: 0, nan_count: 0, bounds, text: None })
    }

    /// Takes in what is known of more elements.
    pub(super) fn fold(&mut self, other: &Self) {
        self.bounds = match (self.has_numbers(), other.has_numbers()) {
            (true, true) => self.bounds.and(other.bounds),
            (false, true) => other.bounds,
            _ => self.bounds,
        };
        self.text = match (self.elements, other.elements) {
            (_, 0) => self.text.take(),
            (0, _) => other.text.clone(),
            _ => self.text.take().zip(other.text.as_ref()).map(|(text, other)| text.and(other)),
        };
        self.elements = self.elements.saturating_add(other.elements);
        self.nulls = self.nulls.saturating_add(other.nulls);
        self.nan_count = self.nan_count.saturating_add(other.nan_count);
    }

    /// Whether any element is within the bounds.
    fn has_numbers(&self) -> bool {
        self.elements > self.nan_count
    }
}

impl Bounds {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Signed { min, max }, Self::Signed { min: low, max: high }) => {
                Self::Signed { min: min.min(low), max: max.max(high) }
            }
            (Self::Unsigned { min, max }, Self::Unsigned { min: low, max: high }) => {
                Self::Unsigned { min: min.min(low), max: max.max(high) }
            }
            (Self::Real { min, max }, Self::Real { min: low, max: high }) => {
                Self::real(min.min(low), max.max(high))
            }
            // A column has one type.
            (this, _) => this,
        }
    }

    /// Bounds as they are kept: the sign of zero is that which widens them.
    pub(super) fn real(min: f64, max: f64) -> Self {
        Self::Real { min: if min == 0.0 { -0.0 } else { min }, max: if max == 0.0 { 0.0 } else { max } }
    }
}

impl TextRange {
    pub(super) fn and(self, other: &Self) -> Self {
        let Self { min, max } = self;
        let both = min.zip(other.min.clone());
        Self {
            min: both.map(|(one, other)| one.min(other)),
            max: max.zip(other.max.clone()).map(|(one, other)| one.max(other)),
        }
    }
}

/// The extremes of a type; `None` if it has no order that is kept.
pub(super) fn extremes(column_type: ColumnType) -> Option<Bounds> {
    use ValueKind as V;
    let signed = |bits: u32| Bounds::Signed { min: i64::MIN >> (64 - bits), max: i64::MAX >> (64 - bits) };
    let unsigned = |bits: u32| Bounds::Unsigned { min: 0, max: u64::MAX >> (64 - bits) };
    Some(match column_type.kind() {
        V::Bool => unsigned(1),
        V::I8 => signed(8),
        V::U8 => unsigned(8),
        V::I16 => signed(16),
        V::U16 => unsigned(16),
        V::I32 => signed(32),
        V::U32 | V::Tag => unsigned(32),
        V::I64 => signed(64),
        V::U64 | V::End => unsigned(64),
        V::F16 | V::F32 | V::F64 => infinite(),
        V::Byte => return None,
    })
}

fn infinite() -> Bounds {
    Bounds::Real { min: f64::NEG_INFINITY, max: f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn real(elements: u64, nan_count: u64, min: f64, max: f64) -> ElementStatistics {
        ElementStatistics { elements, nulls: 0, nan_count, bounds: Bounds::real(min, max), text: None }
    }

    #[test]
    fn integers_have_the_extremes_of_their_width() {
        assert_eq!(extremes(ColumnType::Int8), Some(Bounds::Signed { min: -128, max: 127 }));
        assert_eq!(extremes(ColumnType::SplitInt64), Some(Bounds::Signed { min: i64::MIN, max: i64::MAX }));
        assert_eq!(extremes(ColumnType::SplitUInt16), Some(Bounds::Unsigned { min: 0, max: 65_535 }));
        assert_eq!(extremes(ColumnType::Bit), Some(Bounds::Unsigned { min: 0, max: 1 }));
        assert_eq!(extremes(ColumnType::Char), None);
    }

    #[test]
    fn pages_without_numbers_widen_nothing() {
        let mut all = ElementStatistics::none_of(ColumnType::Real32).unwrap();
        assert_eq!(all.bounds, infinite());
        all.fold(&real(3, 3, f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!((all.bounds, all.nan_count), (infinite(), 3));
        all.fold(&real(2, 1, 0.0, -0.0));
        let Bounds::Real { min, max } = all.bounds else { panic!() };
        assert!(min == 0.0 && min.is_sign_negative() && max == 0.0 && max.is_sign_positive());
        all.fold(&real(2, 2, f64::NEG_INFINITY, f64::INFINITY));
        all.fold(&real(1, 0, 2.0, 3.0));
        assert_eq!((all.bounds, all.elements, all.nan_count), (Bounds::real(0.0, 3.0), 8, 6));
    }

    #[test]
    fn texts_are_known_if_all_are() {
        let text = |min: &str, max: Option<&str>| ElementStatistics {
            text: Some(TextRange { min: Some(min.to_owned()), max: max.map(str::to_owned) }),
            ..ElementStatistics { elements: 1, ..ElementStatistics::none_of(ColumnType::Index64).unwrap() }
        };
        let mut all = ElementStatistics::none_of(ColumnType::Index64).unwrap();
        all.fold(&text("b", Some("d")));
        all.fold(&text("a", Some("c")));
        assert_eq!(all.text, text("a", Some("d")).text);
        all.fold(&text("c", None));
        assert_eq!(all.text, text("a", None).text);
        all.fold(&ElementStatistics { text: None, ..text("", None) });
        assert_eq!(all.text, None);
    }
}
