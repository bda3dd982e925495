//! What a predicate may be of the entries of a range, of whose values only bounds are known.

use std::cmp::Ordering;

use super::bind::{Access, Bound, Items, Node, Term};
use super::number::Number;
use super::truth::{Possible, Truth};
use super::values::Scalar;
use super::{Comparison, Literal};
use crate::schema::FieldId;

/// The least or greatest value of many.
#[derive(Clone, Debug)]
pub(crate) enum Limit {
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(Vec<u8>),
}

impl Limit {
    fn scalar(&self) -> Scalar<'_> {
        match self {
            Self::Bool(value) => Scalar::Bool(*value),
            Self::Int(value) => Scalar::Number(Number::Int(*value)),
            Self::Float(value) => Scalar::Number(Number::Float(*value)),
            Self::Text(bytes) => Scalar::Text(bytes),
        }
    }
}

/// What is known of many values: none is less than the minimum or greater than the maximum. Bounds need not be the
/// nearest.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    /// `None`: not known.
    pub(crate) min: Option<Limit>,
    pub(crate) max: Option<Limit>,
    /// Whether one of them may be NaN.
    pub(crate) may_be_nan: bool,
    /// Whether there may be one that is not NaN.
    pub(crate) may_be_value: bool,
}

impl Bounds {
    /// Of these values and others.
    pub(crate) fn and(self, other: Self) -> Self {
        // Values that are not there have no bounds, whatever is said of them.
        if !other.may_be_value {
            return Self { may_be_nan: self.may_be_nan || other.may_be_nan, ..self };
        }
        if !self.may_be_value {
            return Self { may_be_nan: self.may_be_nan || other.may_be_nan, ..other };
        }
        let outer = |one: Option<Limit>, two: Option<Limit>, wanted: Ordering| {
            let (one, two) = (one?, two?);
            let order = two.scalar().partial_cmp(&one.scalar())?;
            Some(if order == wanted { two } else { one })
        };
        Self {
            min: outer(self.min, other.min, Ordering::Less),
            max: outer(self.max, other.max, Ordering::Greater),
            may_be_nan: self.may_be_nan || other.may_be_nan,
            may_be_value: true,
        }
    }
}

/// What is known of the entries of a range.
pub(crate) trait Known {
    /// Bounds of all values of a field, also of those in collections.
    fn values(&self, field: FieldId) -> Option<Bounds>;

    /// The least and the greatest number of items of the collections or options of a field.
    fn sizes(&self, field: FieldId) -> Option<(u64, u64)>;
}

impl Bound {
    /// What the predicate may be of the entries of a range.
    pub(crate) fn possible(&self, known: &dyn Known) -> Possible {
        possible(&self.root, known)
    }
}

/// Bounds of the values of a term.
struct Span<'a> {
    min: Option<Edge<'a>>,
    max: Option<Edge<'a>>,
    may_be_nan: bool,
    may_be_value: bool,
    may_be_null: bool,
}

enum Edge<'a> {
    Own(Limit),
    Lent(Scalar<'a>),
}

impl Edge<'_> {
    fn scalar(&self) -> Scalar<'_> {
        match self {
            Self::Own(limit) => limit.scalar(),
            Self::Lent(scalar) => *scalar,
        }
    }

    fn number(&self) -> Option<Number> {
        match self.scalar() {
            Scalar::Number(number) => Some(number),
            _ => None,
        }
    }
}

impl<'a> Span<'a> {
    const UNKNOWN: Self =
        Self { min: None, max: None, may_be_nan: true, may_be_value: true, may_be_null: false };

    fn constant(scalar: Scalar<'a>) -> Self {
        let is_nan = matches!(scalar, Scalar::Number(number) if number.is_nan());
        let edge = || (!is_nan).then_some(Edge::Lent(scalar));
        Self { min: edge(), max: edge(), may_be_nan: is_nan, may_be_value: !is_nan, may_be_null: false }
    }

    fn sizes(least: u64, most: u64) -> Self {
        let edge = |size: u64| Some(Edge::Own(Limit::Int(size.into())));
        Self { min: edge(least), max: edge(most), may_be_nan: false, may_be_value: true, may_be_null: false }
    }

    /// Of what may be null, or always is.
    fn through(mut self, access: &Access, known: &dyn Known) -> Self {
        let presence = access.presence(known);
        self.may_be_null |= presence.may_be_null;
        if !presence.may_be_value {
            (self.may_be_value, self.may_be_nan) = (false, false);
        }
        self
    }

    fn abs(self) -> Self {
        let number = |edge: &Option<Edge<'_>>| edge.as_ref().and_then(Edge::number);
        let (min, max) = (number(&self.min), number(&self.max));
        let zero = Number::Int(0);
        let (least, most) = match (min, max) {
            (Some(min), _) if min >= zero => (Some(min), max),
            (_, Some(max)) if max <= zero => (Some(max.abs()), min.map(Number::abs)),
            (Some(min), Some(max)) => {
                let (one, two) = (min.abs(), max.abs());
                (Some(zero), Some(if one > two { one } else { two }))
            }
            _ => (Some(zero), None),
        };
        let edge = |number: Option<Number>| number.map(|number| Edge::Lent(Scalar::Number(number)));
        Self { min: edge(least), max: edge(most), ..self }
    }
}

/// What options on the way to a value say of it.
struct Presence {
    may_be_null: bool,
    may_be_value: bool,
}

impl Access {
    fn presence(&self, known: &dyn Known) -> Presence {
        let mut presence = Presence { may_be_null: self.has_variant, may_be_value: true };
        for option in &self.options {
            let (least, most) = known.sizes(*option).unwrap_or((0, 1));
            presence.may_be_null |= least == 0;
            presence.may_be_value &= most > 0;
        }
        presence
    }
}

impl Items {
    /// The least and the greatest number of items.
    fn bounds(&self, known: &dyn Known) -> (u64, u64) {
        match self.count {
            Some(count) => (count, count),
            None => known.sizes(self.field).unwrap_or((0, u64::MAX)),
        }
    }
}

fn span<'a>(term: &'a Term, known: &dyn Known) -> Span<'a> {
    if let Some(scalar) = term.constant() {
        return Span::constant(scalar);
    }
    match term {
        Term::Leaf(leaf) => {
            let span = match known.values(leaf.field) {
                None => Span::UNKNOWN,
                Some(Bounds { min, max, may_be_nan, may_be_value }) => Span {
                    min: min.map(Edge::Own),
                    max: max.map(Edge::Own),
                    may_be_nan,
                    may_be_value,
                    may_be_null: false,
                },
            };
            span.through(&leaf.access, known)
        }
        Term::Size(items) => {
            let (least, most) = items.bounds(known);
            Span::sizes(least, most).through(&items.access, known)
        }
        Term::Count(items, condition) => {
            let (least, most) = items.bounds(known);
            let condition = possible(condition, known);
            let least = if condition.is_always() { least } else { 0 };
            let most = if condition.is_never() { 0 } else { most };
            Span::sizes(least, most).through(&items.access, known)
        }
        Term::Abs(inner) => span(inner, known).abs(),
        Term::Literal(literal) => Span::constant(Literal::scalar(literal)),
    }
}

fn possible(node: &Node, known: &dyn Known) -> Possible {
    match node {
        Node::Constant(truth) => Possible::only(*truth),
        Node::Compare(left, comparison, right) if is_same(left, right) => {
            with_itself(&span(left, known), *comparison)
        }
        Node::Compare(left, comparison, right) => {
            compare(&span(left, known), *comparison, &span(right, known))
        }
        Node::In(term, list) => {
            let span = span(term, known);
            let is_null = span.may_be_null;
            let each = list
                .iter()
                .map(|literal| compare(&span, Comparison::Equal, &Span::constant(literal.scalar())));
            let none = Possible {
                is_true: false,
                is_false: span.may_be_value || span.may_be_nan,
                is_unknown: is_null,
            };
            let joined =
                each.fold(None, |all: Option<Possible>, one| Some(all.map_or(one, |all| all.or(one))));
            joined.unwrap_or(none)
        }
        Node::IsNull(access) => {
            let presence = access.presence(known);
            Possible { is_true: presence.may_be_null, is_false: presence.may_be_value, is_unknown: false }
        }
        Node::Items { items, is_any, condition } => {
            let (least, most) = items.bounds(known);
            let condition = possible(condition, known);
            let presence = items.access.presence(known);
            // As for `any`: what one item decides, and what takes all of them.
            let (one, all) = match is_any {
                true => (condition.is_true, condition.is_false),
                false => (condition.is_false, condition.is_true),
            };
            let (one, all) = (one && most > 0, all || least == 0);
            let (is_true, is_false) = if *is_any { (one, all) } else { (all, one) };
            let is_unknown =
                condition.is_unknown && most > 0 && presence.may_be_value || presence.may_be_null;
            Possible {
                is_true: is_true && presence.may_be_value,
                is_false: is_false && presence.may_be_value,
                is_unknown,
            }
        }
        Node::And(all) => {
            let each = all.iter().map(|node| possible(node, known));
            each.fold(Possible::only(Truth::True), Possible::and)
        }
        Node::Or(all) => {
            let each = all.iter().map(|node| possible(node, known));
            each.fold(Possible::only(Truth::False), Possible::or)
        }
        Node::Not(inner) => possible(inner, known).not(),
    }
}

/// Whether two terms are the same value of the same entry or item.
fn is_same(left: &Term, right: &Term) -> bool {
    match (left, right) {
        (Term::Leaf(left), Term::Leaf(right)) => left.field == right.field,
        (Term::Abs(left), Term::Abs(right)) => is_same(left, right),
        _ => false,
    }
}

/// A value compared with itself: only NaN differs, so that this is how one asks for NaN.
fn with_itself(value: &Span<'_>, comparison: Comparison) -> Possible {
    let equal =
        matches!(comparison, Comparison::Equal | Comparison::LessOrEqual | Comparison::GreaterOrEqual);
    let of_nan = comparison == Comparison::NotEqual;
    let may_be = |wanted: bool| value.may_be_value && equal == wanted || value.may_be_nan && of_nan == wanted;
    Possible { is_true: may_be(true), is_false: may_be(false), is_unknown: value.may_be_null }
}

fn compare(left: &Span<'_>, comparison: Comparison, right: &Span<'_>) -> Possible {
    let are_values = left.may_be_value && right.may_be_value;
    let any = |span: &Span<'_>| span.may_be_value || span.may_be_nan;
    let are_any = any(left) && any(right);
    // Whether one of the values may be NaN, while the other is something.
    let may_be_nan = are_any && (left.may_be_nan || right.may_be_nan);
    let (is_true, is_false) = match comparison {
        Comparison::Less => (may_be_less(left, right), may_be_at_least(left, right)),
        Comparison::GreaterOrEqual => (may_be_at_least(left, right), may_be_less(left, right)),
        Comparison::Greater => (may_be_less(right, left), may_be_at_least(right, left)),
        Comparison::LessOrEqual => (may_be_at_least(right, left), may_be_less(right, left)),
        Comparison::Equal => (may_be_equal(left, right), may_differ(left, right)),
        Comparison::NotEqual => (may_differ(left, right), may_be_equal(left, right)),
    };
    let nan_is_true = comparison == Comparison::NotEqual;
    Possible {
        is_true: are_values && is_true || may_be_nan && nan_is_true,
        is_false: are_values && is_false || may_be_nan && !nan_is_true,
        is_unknown: left.may_be_null || right.may_be_null,
    }
}

/// How two edges compare; `None` if one is not known.
fn order(one: &Option<Edge<'_>>, two: &Option<Edge<'_>>) -> Option<Ordering> {
    one.as_ref()?.scalar().partial_cmp(&two.as_ref()?.scalar())
}

fn may_be_less(left: &Span<'_>, right: &Span<'_>) -> bool {
    order(&left.min, &right.max).is_none_or(Ordering::is_lt)
}

fn may_be_at_least(left: &Span<'_>, right: &Span<'_>) -> bool {
    order(&left.max, &right.min).is_none_or(Ordering::is_ge)
}

fn may_be_equal(left: &Span<'_>, right: &Span<'_>) -> bool {
    may_be_at_least(left, right) && may_be_at_least(right, left)
}

/// All are the same only where both have one value.
fn may_differ(left: &Span<'_>, right: &Span<'_>) -> bool {
    let is_one = |one, two| order(one, two).is_some_and(Ordering::is_eq);
    !(is_one(&left.min, &left.max) && is_one(&right.min, &right.max) && is_one(&left.min, &right.min))
}
