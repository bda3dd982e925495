//! What a filter of DataFusion says of the entries that it can be true of, as a predicate of `rntuple`.
//!
//! The predicate is true of every row of which the filter is true, and of others: DataFusion evaluates the filter itself.
//! In its comparisons NaN is greater than every number, NaN with a minus sign, as x86 makes it of 0/0, is less, and -0.0 equals
//! 0.0. Only `ORDER BY`, `min` and `max` have -0.0 below 0.0.

use std::sync::Arc;

use arrow_schema::{DataType, FieldRef};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::Operator;
use datafusion::physical_expr::expressions::{
    BinaryExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, LambdaExpr, LambdaVariable, Literal,
    NotExpr,
};
use datafusion::physical_expr::{HigherOrderFunctionExpr, PhysicalExpr, ScalarFunctionExpr};
use rntuple::filter::Filtered;
use rntuple::predicate::{Comparison, Literal as Value, Operand, Predicate};
use rntuple::{ErrorKind, Reader};

use crate::columns::Columns;
use crate::error::external;
use crate::used::member_name;

/// The predicate of a filter over the columns of a file; `None`: it may be true of any entry.
pub(crate) fn necessary(filter: &Arc<dyn PhysicalExpr>, columns: &Columns) -> Option<Predicate> {
    Converter { columns, item: None }.condition(filter.as_ref())
}

/// Limits a reader to what a predicate can be true of, as far as the reader can compare it; `None`: it cannot.
pub(crate) fn filtered(
    reader: &Reader<rntuple::Value>,
    predicate: &Predicate,
) -> Result<Option<Filtered<rntuple::Value>>> {
    if let Some(filtered) = whole(reader, predicate)? {
        return Ok(Some(filtered));
    }
    match weaker(reader, predicate, &|all| all)? {
        Some(weaker) => whole(reader, &weaker),
        None => Ok(None),
    }
}

/// The predicate without the conditions that a reader cannot compare, such as one on the tag of a variant. It is true of more
/// entries. `within` is what makes a predicate about entries of it, where it is about items.
fn weaker(
    reader: &Reader<rntuple::Value>,
    predicate: &Predicate,
    within: &dyn Fn(Predicate) -> Predicate,
) -> Result<Option<Predicate>> {
    match predicate {
        Predicate::And(all) => {
            let all = all.iter().filter_map(|one| weaker(reader, one, within).transpose());
            let all = all.collect::<Result<Vec<_>>>()?;
            Ok((!all.is_empty()).then_some(Predicate::And(all)))
        }
        // If one of these may be true of any entry, so may the whole.
        Predicate::Or(all) => {
            let all = all.iter().map(|one| weaker(reader, one, within));
            Ok(all.collect::<Result<Option<Vec<_>>>>()?.map(Predicate::Or))
        }
        Predicate::Any(path, condition) => {
            let of_items = |condition| within(Predicate::any(path, condition));
            let condition = weaker(reader, condition, &of_items)?;
            Ok(condition.map(|condition| Predicate::any(path, condition)))
        }
        one => Ok(whole(reader, &within(one.clone()))?.map(|_| one.clone())),
    }
}

/// The same for the whole predicate; `None`: a part of it cannot be compared, though DataFusion may.
fn whole(reader: &Reader<rntuple::Value>, predicate: &Predicate) -> Result<Option<Filtered<rntuple::Value>>> {
    match reader.filter(predicate) {
        Ok(filtered) => Ok(Some(filtered)),
        Err(error) if error.kind() == ErrorKind::InvalidArgument => Ok(None),
        Err(error) => Err(external(error)),
    }
}

#[derive(Clone, Copy)]
struct Converter<'a> {
    columns: &'a Columns,
    /// The variable of the lambda that this is in, and the path of its value from the item.
    item: Option<Item<'a>>,
}

#[derive(Clone, Copy)]
struct Item<'a> {
    variable: &'a str,
    path: &'a str,
}

/// A value of an entry, or of an item.
struct Field {
    path: String,
    is_float: bool,
    is_bool: bool,
}

/// The collection that a list is, or is taken from.
struct Collection {
    path: String,
    /// From the items to the values of the list.
    value: String,
}

impl Converter<'_> {
    fn condition(&self, expr: &dyn PhysicalExpr) -> Option<Predicate> {
        if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
            return self.binary(binary);
        }
        if let Some(literal) = expr.downcast_ref::<Literal>() {
            // Neither false nor null is true.
            return match literal.value() {
                ScalarValue::Boolean(value) => Some(Predicate::Constant(value.unwrap_or(false))),
                _ => None,
            };
        }
        if let Some(list) = expr.downcast_ref::<InListExpr>() {
            return self.in_list(list);
        }
        if let Some(is_null) = expr.downcast_ref::<IsNullExpr>() {
            return Some(Predicate::is_null(self.field(is_null.arg().as_ref())?.path));
        }
        if let Some(is_not_null) = expr.downcast_ref::<IsNotNullExpr>() {
            return Some(!Predicate::is_null(self.field(is_not_null.arg().as_ref())?.path));
        }
        if let Some(not) = expr.downcast_ref::<NotExpr>() {
            let field = self.field(not.arg().as_ref()).filter(|field| field.is_bool)?;
            return Some(Operand::field(field.path).eq(false));
        }
        if let Some(function) = expr.downcast_ref::<HigherOrderFunctionExpr>() {
            return self.any(function);
        }
        let field = self.field(expr).filter(|field| field.is_bool)?;
        Some(Operand::field(field.path).eq(true))
    }

    fn binary(&self, binary: &BinaryExpr) -> Option<Predicate> {
        let (left, right) = (binary.left().as_ref(), binary.right().as_ref());
        match binary.op() {
            Operator::And => match (self.condition(left), self.condition(right)) {
                (Some(left), Some(right)) => Some(left & right),
                (one, other) => one.or(other),
            },
            Operator::Or => Some(self.condition(left)? | self.condition(right)?),
            operator => {
                let comparison = comparison(*operator)?;
                match literal(right) {
                    Some(value) => self.compare(left, comparison, value),
                    None => self.compare(right, mirrored(comparison), literal(left)?),
                }
            }
        }
    }

    fn compare(
        &self,
        operand: &dyn PhysicalExpr,
        comparison: Comparison,
        value: &ScalarValue,
    ) -> Option<Predicate> {
        let (operand, field) = self.operand(operand)?;
        let value = if is_float(value) { float(value)? } else { plain(value)? };
        let is_float = field.as_ref().is_some_and(|field| field.is_float);
        let is_zero = matches!(value, Value::Float(zero) if zero == 0.0) && is_float;
        // Also right where -0.0 is less than 0.0, as in an order.
        let comparison = match comparison {
            Comparison::Less if is_zero => Comparison::LessOrEqual,
            Comparison::Greater if is_zero => Comparison::GreaterOrEqual,
            Comparison::NotEqual if is_zero => return None,
            other => other,
        };
        // Statistics do not say which signs NaNs have.
        let may_be_nan = is_float && !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
        let compared = operand.clone().compare(comparison, value);
        Some(match may_be_nan {
            true => compared | operand.clone().ne(operand),
            false => compared,
        })
    }

    fn in_list(&self, list: &InListExpr) -> Option<Predicate> {
        let field = self.field(list.expr().as_ref())?;
        let values = list.list().iter().map(|item| literal(item.as_ref()));
        if list.negated() {
            return None;
        }
        let mut wanted = Vec::with_capacity(values.len());
        for value in values {
            let value = value?;
            if !value.is_null() {
                wanted.push(if is_float(value) { float(value)? } else { plain(value)? });
            }
        }
        Some(Operand::field(field.path).is_in(wanted))
    }

    /// `array_any_match(muons, m -> ..)`.
    fn any(&self, function: &HigherOrderFunctionExpr) -> Option<Predicate> {
        let [list, lambda] = function.args() else { return None };
        if function.name() != "array_any_match" {
            return None;
        }
        let lambda = lambda.downcast_ref::<LambdaExpr>()?;
        let [variable] = lambda.params() else { return None };
        let collection = self.collection(list.as_ref())?;
        let item = Some(Item { variable, path: &collection.value });
        let condition = Converter { columns: self.columns, item }.condition(lambda.body().as_ref())?;
        Some(Predicate::any(collection.path, condition))
    }

    fn operand(&self, expr: &dyn PhysicalExpr) -> Option<(Operand, Option<Field>)> {
        if let Some(function) = expr.downcast_ref::<ScalarFunctionExpr>() {
            match (function.fun().name(), function.args()) {
                ("cardinality" | "array_length", [list]) => {
                    return Some((Operand::size(self.flat(list.as_ref())?.path), None));
                }
                ("abs", [value]) => {
                    // The absolute value of the least integer is not one.
                    let field = self.field(value.as_ref()).filter(|field| field.is_float)?;
                    return Some((Operand::field(field.path.clone()).abs(), Some(field)));
                }
                _ => {}
            }
        }
        let field = self.field(expr)?;
        Some((Operand::field(field.path.clone()), Some(field)))
    }

    fn field(&self, expr: &dyn PhysicalExpr) -> Option<Field> {
        let (path, data_type) = self.path(expr)?;
        Some(Field { path, is_float: data_type.is_floating(), is_bool: data_type == DataType::Boolean })
            .filter(|_| !matches!(data_type, DataType::Float16) && !data_type.is_nested())
    }

    /// The path of a value from the entry or the item.
    fn path(&self, expr: &dyn PhysicalExpr) -> Option<(String, DataType)> {
        if let Some(column) = expr.downcast_ref::<Column>() {
            let field = self.columns.schema.fields().get(column.index())?;
            let path = self.columns.path(column.index()).join(".");
            return (self.item.is_none()).then(|| (path, field.data_type().clone()));
        }
        if let Some(variable) = expr.downcast_ref::<LambdaVariable>() {
            let item = self.item.filter(|item| item.variable == variable.name())?;
            return Some((item.path.to_owned(), variable.field().data_type().clone()));
        }
        if let Some(cast) = expr.downcast_ref::<CastExpr>() {
            let (path, data_type) = self.path(cast.expr().as_ref())?;
            return keeps_values(&data_type, cast.cast_type()).then_some((path, data_type));
        }
        let function = expr.downcast_ref::<ScalarFunctionExpr>()?;
        let [value, keys @ ..] = function.args() else { return None };
        if function.fun().name() != "get_field" {
            return None;
        }
        let (mut path, mut data_type) = self.path(value.as_ref())?;
        for key in keys {
            let DataType::Struct(members) = &data_type else { return None };
            let key = member_name(key.as_ref())?;
            let member = members.find(key)?.1.data_type().clone();
            path = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
            data_type = member;
        }
        Some((path, data_type))
    }

    /// What is converted, if that changes no value: a column that another file lacks has another type in the table.
    fn before_cast<'e>(&self, expr: &'e dyn PhysicalExpr) -> &'e dyn PhysicalExpr {
        let Some(cast) = expr.downcast_ref::<CastExpr>() else { return expr };
        match cast.expr().data_type(&self.columns.schema) {
            Ok(from) if keeps_values(&from, cast.cast_type()) => cast.expr().as_ref(),
            _ => expr,
        }
    }

    /// A collection whose items are no lists: of others, `cardinality` counts the items of those; and a list of up to one
    /// list may be an option, whose size is that of what it has.
    fn flat(&self, expr: &dyn PhysicalExpr) -> Option<Collection> {
        let expr = self.before_cast(expr);
        let data_type = match expr.downcast_ref::<Column>() {
            Some(column) => self.columns.schema.fields().get(column.index())?.data_type().clone(),
            None => self.path(expr)?.1,
        };
        let (DataType::List(item) | DataType::LargeList(item)) = data_type else { return None };
        match item.data_type() {
            DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => None,
            _ => self.collection(expr),
        }
    }

    fn collection(&self, expr: &dyn PhysicalExpr) -> Option<Collection> {
        let expr = self.before_cast(expr);
        let column = expr.downcast_ref::<Column>();
        if let Some(column) = column {
            // Of a member of structs in a list, as a column of its own.
            let path = self.columns.path(column.index());
            if path.len() > 1 {
                let (list, value) = self.columns.list_of(column.index())?;
                return self.item.is_none().then_some(Collection { path: list, value });
            }
        }
        let (path, data_type) = self.path(expr)?;
        let is_list = matches!(data_type, DataType::List(_) | DataType::LargeList(_));
        is_list.then_some(Collection { path, value: String::new() })
    }
}

fn literal(expr: &dyn PhysicalExpr) -> Option<&ScalarValue> {
    expr.downcast_ref::<Literal>().map(Literal::value)
}

fn is_float(value: &ScalarValue) -> bool {
    matches!(value, ScalarValue::Float16(_) | ScalarValue::Float32(_) | ScalarValue::Float64(_))
}

fn float(value: &ScalarValue) -> Option<Value> {
    let value = match value {
        ScalarValue::Float32(Some(value)) => f64::from(*value),
        ScalarValue::Float64(Some(value)) => *value,
        _ => return None,
    };
    (!value.is_nan()).then_some(Value::Float(value))
}

fn plain(value: &ScalarValue) -> Option<Value> {
    let value = match value {
        ScalarValue::Boolean(value) => (*value)?.into(),
        ScalarValue::Int8(value) => (*value)?.into(),
        ScalarValue::Int16(value) => (*value)?.into(),
        ScalarValue::Int32(value) => (*value)?.into(),
        ScalarValue::Int64(value) => (*value)?.into(),
        ScalarValue::UInt8(value) => (*value)?.into(),
        ScalarValue::UInt16(value) => (*value)?.into(),
        ScalarValue::UInt32(value) => (*value)?.into(),
        ScalarValue::UInt64(value) => (*value)?.into(),
        ScalarValue::Utf8(value) | ScalarValue::LargeUtf8(value) | ScalarValue::Utf8View(value) => {
            value.as_deref()?.into()
        }
        _ => return None,
    };
    Some(value)
}

fn comparison(operator: Operator) -> Option<Comparison> {
    Some(match operator {
        Operator::Eq => Comparison::Equal,
        Operator::NotEq => Comparison::NotEqual,
        Operator::Lt => Comparison::Less,
        Operator::LtEq => Comparison::LessOrEqual,
        Operator::Gt => Comparison::Greater,
        Operator::GtEq => Comparison::GreaterOrEqual,
        _ => return None,
    })
}

/// The comparison with its sides exchanged.
fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        other => other,
    }
}

/// Whether a conversion changes no value, so that the one before compares as the one after. Members of structs are converted
/// by their names, and those that are not there are null.
fn keeps_values(from: &DataType, to: &DataType) -> bool {
    let width = |data_type: &DataType| data_type.primitive_width().unwrap_or_default();
    match (from, to) {
        _ if from == to => true,
        (DataType::List(from), DataType::List(to)) | (DataType::LargeList(from), DataType::LargeList(to)) => {
            keeps_inside(from, to)
        }
        (DataType::Struct(from), DataType::Struct(to)) => {
            to.iter().all(|to| from.find(to.name()).is_none_or(|(_, from)| keeps_inside(from, to)))
        }
        (DataType::Float32, DataType::Float64) => true,
        (DataType::Utf8 | DataType::LargeUtf8, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) => {
            true
        }
        _ if from.is_signed_integer() && to.is_signed_integer() => width(to) >= width(from),
        _ if from.is_unsigned_integer() && to.is_unsigned_integer() => width(to) >= width(from),
        _ if from.is_unsigned_integer() && to.is_signed_integer() => width(to) > width(from),
        _ if from.is_integer() && *to == DataType::Float64 => width(from) <= 4,
        _ => false,
    }
}

/// The same of items and members. A lambda has them with their types in the table, which also say what is a float.
fn keeps_inside(from: &FieldRef, to: &FieldRef) -> bool {
    let (from, to) = (from.data_type(), to.data_type());
    from.is_floating() == to.is_floating() && keeps_values(from, to)
}

#[cfg(test)]
mod tests {
    use rntuple::{RNTuple, WriteOptions, Writer};

    use super::*;

    #[derive(RNTuple)]
    enum Decay {
        Muon(f32),
        Electron(f32),
    }

    #[derive(RNTuple)]
    struct Item {
        pt: f32,
        decay: Decay,
        parts: Vec<Part>,
    }

    #[derive(RNTuple)]
    struct Part {
        decay: Decay,
        e: f32,
    }

    #[derive(RNTuple)]
    struct Event {
        items: Vec<Item>,
    }

    #[test]
    fn what_cannot_be_compared_is_dropped_within_lambdas_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.root");
        let mut writer = Writer::create(&path, "Events", WriteOptions::new()).unwrap();
        let parts = vec![Part { decay: Decay::Electron(1.0), e: 2.0 }];
        writer.fill(&Event { items: vec![Item { pt: 1.0, decay: Decay::Muon(2.0), parts }] }).unwrap();
        writer.finish().unwrap();
        let reader = Reader::<rntuple::Value>::open(&path, "Events").unwrap();

        let hard = || Operand::field("pt").gt(5.0);
        let tag = || Operand::field("decay.tag").eq(1);
        let any = Predicate::any;
        let cases = [
            (any("items", hard() & tag()), Some(any("items", Predicate::And(vec![hard()])))),
            (any("items", tag()), None),
            // True of an item with this tag, whatever it has besides.
            (any("items", hard() | tag()), None),
            (any("items", hard()) & any("items", tag()), Some(Predicate::And(vec![any("items", hard())]))),
            (
                any("items", any("parts", Operand::field("e").lt(3.0) & tag())),
                Some(any("items", any("parts", Predicate::And(vec![Operand::field("e").lt(3.0)])))),
            ),
        ];
        for (predicate, expected) in cases {
            assert!(
                whole(&reader, &predicate).unwrap().is_none(),
                "{predicate:?} has to be one that it refuses"
            );
            assert_eq!(weaker(&reader, &predicate, &|all| all).unwrap(), expected, "{predicate:?}");
        }
    }
}
