//! Predicates of many entries at once, column by column.

use std::ops::Range;

use super::bind::{Access, Bound, Items, Leaf, Node, Step, Term};
use super::number::Number;
use super::truth::Truth;
use super::values::Scalar;
use super::{Comparison, Literal};
use crate::error::{Error, Result};
use crate::field::columnar::{AnyColumns, AnySlice, AnyVariants};

impl Bound {
    /// What the predicate is of each of these entries.
    ///
    /// # Errors
    /// The columns are not those that the predicate was bound to.
    pub(crate) fn evaluate(&self, entries: AnySlice<'_>) -> Result<Vec<Truth>> {
        let (columns, rows) = entries.columns();
        truths(&self.root, Scope { columns, rows })
    }
}

/// The values that a condition is about: entries, or items.
#[derive(Clone)]
struct Scope<'a> {
    columns: &'a AnyColumns,
    rows: Range<usize>,
}

/// Where the value of each row is among those of a column, if it has one.
enum Rows {
    Range(Range<usize>),
    Each(Vec<Option<usize>>),
}

impl Rows {
    fn iter(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        let (range, each) = match self {
            Self::Range(range) => (range.clone(), &[][..]),
            Self::Each(rows) => (0..0, &rows[..]),
        };
        range.map(Some).chain(each.iter().copied())
    }

    /// Where the rows lead that a column leads on.
    fn through(&self, lead: impl Fn(usize) -> Option<usize>) -> Self {
        Self::Each(self.iter().map(|row| row.and_then(&lead)).collect())
    }
}

/// The columns are others than those of the schema.
#[cold]
fn other_columns() -> Error {
    Error::invalid_argument("the columns are not those that the predicate is about")
}

impl Access {
    fn find<'a>(&self, scope: &Scope<'a>) -> Result<(&'a AnyColumns, Rows)> {
        let (mut columns, mut rows) = (scope.columns, Rows::Range(scope.rows.clone()));
        for step in &self.steps {
            (columns, rows) = match (step, columns) {
                // Columns without values have no kind.
                (_, AnyColumns::Empty) => (columns, rows),
                (Step::Member(name), AnyColumns::Record(records)) => {
                    (records.get(name).ok_or_else(other_columns)?, rows)
                }
                (Step::Value, AnyColumns::Option(options)) => {
                    let slice = options.as_slice();
                    (options.values(), rows.through(|row| slice.position(row)))
                }
                // Only whether there is one was read.
                (Step::Value, AnyColumns::U64(sizes)) => {
                    (columns, rows.through(|row| sizes.get(row).filter(|size| **size > 0).map(|_| row)))
                }
                (Step::Alternative(number), AnyColumns::Variant(variants)) => {
                    let alternative = variants.alternatives().get(*number).ok_or_else(other_columns)?;
                    (alternative, through_variants(&rows, variants, *number))
                }
                _ => return Err(other_columns()),
            };
        }
        Ok((columns, rows))
    }
}

fn through_variants(rows: &Rows, variants: &AnyVariants, number: usize) -> Rows {
    let positions: Vec<_> = variants.positions().collect();
    rows.through(|row| {
        let (own, position) = (*positions.get(row)?)?;
        (own == number).then_some(position)
    })
}

fn truths(node: &Node, scope: Scope<'_>) -> Result<Vec<Truth>> {
    match node {
        _ if scope.rows.is_empty() => Ok(Vec::new()),
        Node::Constant(truth) => Ok(vec![*truth; scope.rows.len()]),
        Node::Compare(left, comparison, right) => compare(left, *comparison, right, &scope),
        Node::In(term, list) => {
            let is_in = |value: Scalar<'_>| list.iter().any(|literal| literal.scalar() == value);
            values(term, &scope)?.truths(is_in)
        }
        Node::IsNull(access) => {
            let (_, rows) = access.find(&scope)?;
            Ok(rows.iter().map(|row| Truth::of(row.is_none())).collect())
        }
        Node::Items { items, is_any, condition } => {
            let found = items.find(&scope)?;
            let all = found.truths(condition)?;
            let (certain, none) =
                if *is_any { (Truth::True, Truth::False) } else { (Truth::False, Truth::True) };
            let fold = |truths: &[Truth]| match truths.contains(&certain) {
                true => certain,
                false if truths.contains(&Truth::Unknown) => Truth::Unknown,
                false => none,
            };
            Ok(found.each(&all).map(|truths| truths.map_or(Truth::Unknown, fold)).collect())
        }
        Node::And(all) => join(all, &scope, Truth::True, Truth::min),
        Node::Or(all) => join(all, &scope, Truth::False, Truth::max),
        Node::Not(inner) => {
            let mut all = truths(inner, scope)?;
            all.iter_mut().for_each(|truth| *truth = truth.not());
            Ok(all)
        }
    }
}

fn join(
    nodes: &[Node],
    scope: &Scope<'_>,
    none: Truth,
    combine: fn(Truth, Truth) -> Truth,
) -> Result<Vec<Truth>> {
    let mut joined = vec![none; scope.rows.len()];
    for node in nodes {
        for (one, two) in joined.iter_mut().zip(truths(node, scope.clone())?) {
            *one = combine(*one, two);
        }
    }
    Ok(joined)
}

/// The items of collections, and which of them each row has.
struct Found<'a> {
    columns: &'a AnyColumns,
    rows: Rows,
    ends: Ends<'a>,
}

enum Ends<'a> {
    Offsets(&'a [u64]),
    Fixed(usize),
    /// Of collections whose items were not read.
    Counted(Vec<u64>),
}

impl Items {
    fn find<'a>(&self, scope: &Scope<'a>) -> Result<Found<'a>> {
        let (columns, rows) = self.access.find(scope)?;
        let (columns, ends) = match columns {
            AnyColumns::Empty => (columns, Ends::Fixed(0)),
            AnyColumns::List(lists) => (lists.items(), Ends::Offsets(lists.offsets())),
            AnyColumns::Array(arrays) => (arrays.items(), Ends::Fixed(arrays.size())),
            AnyColumns::U64(sizes) => {
                let mut end = 0u64;
                let ends = sizes.iter().map(|size| {
                    end = end.saturating_add(*size);
                    end
                });
                (&AnyColumns::Empty, Ends::Counted(std::iter::once(0).chain(ends).collect()))
            }
            _ => return Err(other_columns()),
        };
        Ok(Found { columns, rows, ends })
    }
}

impl Found<'_> {
    fn range(&self, row: usize) -> Option<Range<usize>> {
        let offsets = match &self.ends {
            Ends::Offsets(offsets) => offsets,
            Ends::Counted(offsets) => &offsets[..],
            Ends::Fixed(size) => {
                let start = row.checked_mul(*size)?;
                return Some(start..start.checked_add(*size)?);
            }
        };
        let end = |index: usize| usize::try_from(*offsets.get(index)?).ok();
        Some(end(row)?..end(row.checked_add(1)?)?)
    }

    fn sizes(&self) -> impl Iterator<Item = Option<usize>> + '_ {
        self.rows.iter().map(|row| row.and_then(|row| self.range(row)).map(|range| range.len()))
    }

    /// What a condition is of the items of all collections of the columns.
    fn truths(&self, condition: &Node) -> Result<ItemTruths> {
        if let Ends::Counted(_) = self.ends {
            // It is the same of all items: their number is only claimed, and may be any.
            let one = truths(condition, Scope { columns: self.columns, rows: 0..1 })?;
            return one.first().copied().map(ItemTruths::Constant).ok_or_else(other_columns);
        }
        let scope = Scope { columns: self.columns, rows: 0..self.columns.len() };
        truths(condition, scope).map(ItemTruths::Each)
    }

    /// Those of each row's items; `None` for a row without a collection. Of a constant, one is as good as many.
    fn each<'a>(&'a self, truths: &'a ItemTruths) -> impl Iterator<Item = Option<&'a [Truth]>> {
        self.rows.iter().map(|row| {
            let range = self.range(row?)?;
            match truths {
                ItemTruths::Each(truths) => truths.get(range),
                ItemTruths::Constant(_) if range.is_empty() => Some(&[][..]),
                ItemTruths::Constant(truth) => Some(std::slice::from_ref(truth)),
            }
        })
    }
}

enum ItemTruths {
    Each(Vec<Truth>),
    Constant(Truth),
}

/// The values of a term, one for each row.
enum Values<'a> {
    Columns(&'a AnyColumns, Rows),
    Numbers(Vec<Option<Number>>),
    Constant(Scalar<'a>, usize),
}

impl Values<'_> {
    /// One by one; `None` is null.
    fn scalars(&self) -> Result<Vec<Option<Scalar<'_>>>> {
        match self {
            Self::Columns(columns, rows) => {
                let value = |row| scalar(columns, row).ok_or_else(other_columns);
                rows.iter().map(|row| row.map(value).transpose()).collect()
            }
            Self::Numbers(numbers) => Ok(numbers.iter().map(|number| number.map(Scalar::Number)).collect()),
            Self::Constant(value, count) => Ok(vec![Some(*value); *count]),
        }
    }

    fn truths(&self, is_true: impl Fn(Scalar<'_>) -> bool) -> Result<Vec<Truth>> {
        let truth = |value: Option<_>| value.map_or(Truth::Unknown, |value| Truth::of(is_true(value)));
        Ok(self.scalars()?.into_iter().map(truth).collect())
    }
}

/// Value `row` of columns of scalars.
fn scalar(columns: &AnyColumns, row: usize) -> Option<Scalar<'_>> {
    let int = |value: i128| Scalar::Number(Number::Int(value));
    let float = |value: f64| Scalar::Number(Number::Float(value));
    Some(match columns {
        AnyColumns::Bool(list) => Scalar::Bool(*list.get(row)?),
        AnyColumns::I8(list) => int((*list.get(row)?).into()),
        AnyColumns::U8(list) => int((*list.get(row)?).into()),
        AnyColumns::I16(list) => int((*list.get(row)?).into()),
        AnyColumns::U16(list) => int((*list.get(row)?).into()),
        AnyColumns::I32(list) => int((*list.get(row)?).into()),
        AnyColumns::U32(list) => int((*list.get(row)?).into()),
        AnyColumns::I64(list) => int((*list.get(row)?).into()),
        AnyColumns::U64(list) => int((*list.get(row)?).into()),
        AnyColumns::F32(list) => float((*list.get(row)?).into()),
        AnyColumns::F64(list) => float(*list.get(row)?),
        AnyColumns::String(lists) => Scalar::Text(lists.as_slice().get(row)?),
        _ => return None,
    })
}

fn values<'a>(term: &'a Term, scope: &Scope<'a>) -> Result<Values<'a>> {
    if let Some(value) = term.constant() {
        return Ok(Values::Constant(value, scope.rows.len()));
    }
    let number = |count: usize| Number::Int(count as i128);
    Ok(match term {
        Term::Leaf(Leaf { access, .. }) => {
            let (columns, rows) = access.find(scope)?;
            Values::Columns(columns, rows)
        }
        Term::Size(items) => {
            Values::Numbers(items.find(scope)?.sizes().map(|size| size.map(number)).collect())
        }
        Term::Count(items, condition) => {
            let found = items.find(scope)?;
            let truths = found.truths(condition)?;
            if let ItemTruths::Constant(truth) = truths {
                let counted = |size| number(if truth == Truth::True { size } else { 0 });
                return Ok(Values::Numbers(found.sizes().map(|size| size.map(counted)).collect()));
            }
            let count = |truths: &[Truth]| truths.iter().filter(|truth| **truth == Truth::True).count();
            Values::Numbers(
                found.each(&truths).map(|truths| truths.map(|truths| number(count(truths)))).collect(),
            )
        }
        Term::Abs(inner) => {
            let number = |value: Option<Scalar<'_>>| match value {
                Some(Scalar::Number(number)) => Some(number.abs()),
                _ => None,
            };
            Values::Numbers(values(inner, scope)?.scalars()?.into_iter().map(number).collect())
        }
        // A constant.
        Term::Literal(literal) => Values::Constant(Literal::scalar(literal), scope.rows.len()),
    })
}

fn compare(left: &Term, comparison: Comparison, right: &Term, scope: &Scope<'_>) -> Result<Vec<Truth>> {
    let (one, two) = (values(left, scope)?, values(right, scope)?);
    match (&one, &two) {
        (_, Values::Constant(literal, _)) => with_literal(&one, comparison, *literal),
        (Values::Constant(literal, _), _) => with_literal(&two, comparison.swapped(), *literal),
        _ => {
            let truth = |(one, two): (&Option<Scalar<'_>>, &Option<Scalar<'_>>)| match (one, two) {
                (Some(one), Some(two)) => Truth::of(comparison.holds(one, two)),
                _ => Truth::Unknown,
            };
            Ok(one.scalars()?.iter().zip(&two.scalars()?).map(truth).collect())
        }
    }
}

fn with_literal(values: &Values<'_>, comparison: Comparison, literal: Scalar<'_>) -> Result<Vec<Truth>> {
    if let (Values::Columns(columns, Rows::Range(rows)), Scalar::Number(number)) = (values, literal)
        && let Some(truths) = fast(columns, rows, comparison, number)
    {
        return Ok(truths);
    }
    values.truths(|value| comparison.holds(&value, &literal))
}

/// Numbers that follow each other and a literal that is exact in their type, or a wider one: a loop that vectorises.
fn fast(
    columns: &AnyColumns,
    rows: &Range<usize>,
    comparison: Comparison,
    literal: Number,
) -> Option<Vec<Truth>> {
    let small = || literal.exact_int().and_then(|int| i64::try_from(int).ok());
    let rows = rows.clone();
    match columns {
        AnyColumns::F32(list) => Some(each(list.get(rows)?, comparison, literal.exact_float()?, f64::from)),
        AnyColumns::F64(list) => {
            Some(each(list.get(rows)?, comparison, literal.exact_float()?, |value| value))
        }
        AnyColumns::I8(list) => Some(each(list.get(rows)?, comparison, small()?, i64::from)),
        AnyColumns::U8(list) => Some(each(list.get(rows)?, comparison, small()?, i64::from)),
        AnyColumns::I16(list) => Some(each(list.get(rows)?, comparison, small()?, i64::from)),
        AnyColumns::U16(list) => Some(each(list.get(rows)?, comparison, small()?, i64::from)),
        AnyColumns::I32(list) => Some(each(list.get(rows)?, comparison, small()?, i64::from)),
        AnyColumns::U32(list) => Some(each(list.get(rows)?, comparison, small()?, i64::from)),
        AnyColumns::I64(list) => Some(each(list.get(rows)?, comparison, small()?, |value| value)),
        AnyColumns::U64(list) => {
            let literal = u64::try_from(literal.exact_int()?).ok()?;
            Some(each(list.get(rows)?, comparison, literal, |value| value))
        }
        _ => None,
    }
}

fn each<E: Copy, W: PartialOrd + Copy>(
    list: &[E],
    comparison: Comparison,
    literal: W,
    widen: impl Fn(E) -> W,
) -> Vec<Truth> {
    macro_rules! loops {
        ($($comparison:ident $sign:tt),*) => {
            match comparison {
                $(Comparison::$comparison => {
                    list.iter().map(|value| Truth::of(widen(*value) $sign literal)).collect()
                })*
            }
        };
    }
    loops!(Less <, LessOrEqual <=, Equal ==, NotEqual !=, GreaterOrEqual >=, Greater >)
}
