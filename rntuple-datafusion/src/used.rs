//! Which fields the expressions of a query look at, down to the members of structs in lists.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::{DataType, Fields, Schema, SchemaRef};
use datafusion::common::ScalarValue;
use datafusion::physical_expr::expressions::{
    CastExpr, Column, IsNotNullExpr, IsNullExpr, LambdaExpr, LambdaVariable, Literal,
};
use datafusion::physical_expr::{HigherOrderFunctionExpr, PhysicalExpr, ScalarFunctionExpr};

use crate::columns::{innermost, is_record};
use crate::narrow::keep;

/// Functions whose result is made of the elements of their first argument.
const KEEPS_ELEMENTS: &[&str] =
    &["array_compact", "array_element", "array_filter", "array_first", "array_reverse", "array_slice"];

/// Functions with a lambda over the elements of their first argument.
const WITH_ELEMENTS: &[&str] = &["array_any_match", "array_filter", "array_first", "array_transform"];

/// Functions that look at the length of their first argument only.
const OF_LENGTH: &[&str] = &["array_length", "cardinality", "empty"];

/// The members that are looked at of a column, as paths from it; `None`: all of it.
pub(crate) type Wanted = Option<BTreeSet<Vec<String>>>;

/// A part of a column: the column, and the members of structs from there, through lists.
type Place = (usize, Vec<String>);

/// What expressions look at.
#[derive(Clone, Debug, Default)]
pub(crate) struct Used {
    /// The columns of a file, if those that are looked at are of one.
    of_file: Option<SchemaRef>,
    /// With all that is below them.
    whole: BTreeSet<Place>,
    /// Of which only how many there are matters.
    lengths: BTreeSet<Place>,
    /// That are handed on as they are, though no more than some of their members is looked at.
    handed_on: BTreeSet<Place>,
}

impl Used {
    /// Begins for expressions over the columns of a file, which convert those that have other types in the table.
    pub(crate) fn of_file(schema: &SchemaRef) -> Self {
        Self { of_file: Some(schema.clone()), ..Self::default() }
    }

    /// Adds what an expression looks at.
    pub(crate) fn add(&mut self, expr: &dyn PhysicalExpr) {
        let place = self.place(expr, &mut Vec::new());
        self.whole.extend(place);
    }

    /// Adds what an expression looks at, if of its values no more than these members are looked at; `None`: all of them.
    pub(crate) fn pass(&mut self, expr: &dyn PhysicalExpr, wanted: Option<&BTreeSet<Vec<String>>>) {
        let Some(wanted) = wanted else { return self.add(expr) };
        let Some((column, path)) = self.place(expr, &mut Vec::new()) else { return };
        self.handed_on.insert((column, path.clone()));
        if wanted.is_empty() {
            self.lengths.insert((column, path.clone()));
        }
        let places = wanted.iter().map(|members| path.iter().chain(members).cloned().collect());
        self.whole.extend(places.map(|path| (column, path)));
    }

    /// The columns, in order.
    pub(crate) fn columns(&self) -> BTreeSet<usize> {
        self.whole.iter().chain(&self.lengths).map(|(column, _)| *column).collect()
    }

    /// The members that are needed of each column, as paths from it: the empty path is all of it.
    pub(crate) fn members(&self, schema: &Schema) -> Vec<(usize, Vec<String>)> {
        let mut members: BTreeSet<Place> = BTreeSet::new();
        let mut lengths = self.lengths.clone();
        for (column, path) in &self.whole {
            let field = schema.fields().get(*column);
            let known = field.map_or(0, |field| separate(field.data_type(), path));
            let place = (*column, path.get(..known).unwrap_or_default().to_vec());
            // A member that a file lacks is null, as often as there is something that it would be a member of.
            match field.is_some_and(|field| lacks(field.data_type(), path)) {
                true => lengths.insert(place),
                false => members.insert(place),
            };
        }
        for (column, path) in &lengths {
            let is_covered = |(other, longer): &Place| other == column && longer.starts_with(path);
            if members.iter().any(is_covered) || self.is_inside(*column, path) {
                continue;
            }
            let mut path = path.clone();
            if let Some(field) = schema.fields().get(*column) {
                path.truncate(separate(field.data_type(), &path));
                cheapest(member(field.data_type(), &path), &mut path);
            }
            members.insert((*column, path));
        }
        let all = members.clone();
        let is_inside = |(column, path): &Place| {
            (0..path.len())
                .any(|length| all.contains(&(*column, path.get(..length).unwrap_or_default().to_vec())))
        };
        members.into_iter().filter(|place| !is_inside(place)).collect()
    }

    /// The schema with no more members of structs than are needed; `None`: all are.
    pub(crate) fn narrowed(&self, schema: &Schema) -> Option<Schema> {
        let members = self.members(schema);
        let is_whole = |(column, path): &Place| {
            let field = schema.fields().get(*column);
            field
                .and_then(|field| member(field.data_type(), path))
                .is_none_or(|found| matches!(innermost(found), DataType::Struct(_)))
        };
        let whole: BTreeSet<usize> =
            self.handed_on.iter().filter(|place| is_whole(place)).map(|(column, _)| *column).collect();
        let fields = schema.fields().iter().enumerate().map(|(column, field)| {
            let paths = members.iter().filter(|(other, _)| *other == column);
            let paths: Vec<&[String]> = paths.map(|(_, path)| path.as_slice()).collect();
            if paths.is_empty() || whole.contains(&column) {
                return field.clone();
            }
            Arc::new(field.as_ref().clone().with_data_type(keep(field.data_type(), &paths)))
        });
        let narrowed = Schema::new(fields.collect::<Fields>());
        (narrowed != *schema).then_some(narrowed)
    }

    fn is_inside(&self, column: usize, path: &[String]) -> bool {
        self.whole.iter().any(|(other, shorter)| *other == column && path.starts_with(shorter))
    }

    /// The part of a column whose values an expression has, or whose elements, if it is one. What it looks at besides is
    /// noted.
    fn place<'a>(
        &mut self,
        expr: &'a dyn PhysicalExpr,
        variables: &mut Vec<(&'a str, Option<Place>)>,
    ) -> Option<Place> {
        if let Some(column) = expr.downcast_ref::<Column>() {
            return Some((column.index(), Vec::new()));
        }
        if let Some(variable) = expr.downcast_ref::<LambdaVariable>() {
            let found = variables.iter().rev().find(|(name, _)| *name == variable.name());
            return found.and_then(|(_, place)| place.clone());
        }
        if let Some(function) = expr.downcast_ref::<HigherOrderFunctionExpr>() {
            return self.with_lambda(function, variables);
        }
        if let Some(function) = expr.downcast_ref::<ScalarFunctionExpr>() {
            return self.function(function, variables);
        }
        if let Some(cast) = expr.downcast_ref::<CastExpr>() {
            return self.cast(cast, variables);
        }
        let asks_for_null = expr.is::<IsNullExpr>() || expr.is::<IsNotNullExpr>();
        for child in expr.children() {
            let place = self.place(child.as_ref(), variables);
            match asks_for_null {
                true => self.lengths.extend(place),
                false => self.whole.extend(place),
            }
        }
        None
    }

    /// Looks into a conversion: a column that another file lacks, or has with other members, has another type in the table.
    fn cast<'a>(
        &mut self,
        cast: &'a CastExpr,
        variables: &mut Vec<(&'a str, Option<Place>)>,
    ) -> Option<Place> {
        let place = self.place(cast.expr().as_ref(), variables)?;
        let from = self.of_file.as_ref().and_then(|schema| cast.expr().data_type(schema).ok());
        if from.is_some_and(|from| from.is_nested() && is_by_member(&from, cast.cast_type())) {
            // It takes all members; those that no one looks at are zeros.
            self.handed_on.insert(place.clone());
            return Some(place);
        }
        self.whole.insert(place);
        None
    }

    fn function<'a>(
        &mut self,
        function: &'a ScalarFunctionExpr,
        variables: &mut Vec<(&'a str, Option<Place>)>,
    ) -> Option<Place> {
        let name = function.fun().name();
        let mut args = function.args().iter();
        let first = args.next().and_then(|first| self.place(first.as_ref(), variables));
        if name == "get_field" {
            let mut place = first;
            for key in args {
                match (&mut place, member_name(key.as_ref())) {
                    (Some((_, path)), Some(key)) => path.push(key.to_owned()),
                    // A key of a map.
                    (place, _) => self.whole.extend(place.take()),
                }
            }
            return place;
        }
        for arg in args {
            let place = self.place(arg.as_ref(), variables);
            self.whole.extend(place);
        }
        if KEEPS_ELEMENTS.contains(&name) {
            return first;
        }
        match OF_LENGTH.contains(&name) {
            true => self.lengths.extend(first),
            false => self.whole.extend(first),
        }
        None
    }

    fn with_lambda<'a>(
        &mut self,
        function: &'a HigherOrderFunctionExpr,
        variables: &mut Vec<(&'a str, Option<Place>)>,
    ) -> Option<Place> {
        let name = function.name();
        let is_known = WITH_ELEMENTS.contains(&name);
        let mut args = function.args().iter();
        let first = args.next().and_then(|first| self.place(first.as_ref(), variables));
        for arg in args {
            let Some(lambda) = arg.downcast_ref::<LambdaExpr>() else {
                let place = self.place(arg.as_ref(), variables);
                self.whole.extend(place);
                continue;
            };
            let before = variables.len();
            for (number, parameter) in lambda.params().iter().enumerate() {
                let element = first.clone().filter(|_| is_known && number == 0);
                variables.push((parameter, element));
            }
            let body = self.place(lambda.body().as_ref(), variables);
            self.whole.extend(body);
            variables.truncate(before);
        }
        match first {
            Some(first) if is_known && KEEPS_ELEMENTS.contains(&name) => Some(first),
            // The lambda has said what it looks at.
            Some(first) if is_known => {
                self.lengths.insert(first);
                None
            }
            other => {
                self.whole.extend(other);
                None
            }
        }
    }
}

/// The name of a member, as `get_field` has it.
pub(crate) fn member_name(key: &dyn PhysicalExpr) -> Option<&str> {
    match key.downcast_ref::<Literal>()?.value() {
        ScalarValue::Utf8(name) | ScalarValue::LargeUtf8(name) | ScalarValue::Utf8View(name) => {
            name.as_deref()
        }
        _ => None,
    }
}

/// How many members of a path can be read by themselves: those of pairs and variants cannot.
fn separate(data_type: &DataType, path: &[String]) -> usize {
    let Some((first, rest)) = path.split_first() else { return 0 };
    match innermost(data_type) {
        DataType::Struct(members) if is_record(members) => {
            members.find(first).map_or(0, |(_, member)| 1 + separate(member.data_type(), rest))
        }
        _ => 0,
    }
}

/// Whether a path leads to a member that is not there.
fn lacks(data_type: &DataType, path: &[String]) -> bool {
    let Some((first, rest)) = path.split_first() else { return false };
    match innermost(data_type) {
        DataType::Struct(members) if is_record(members) => {
            members.find(first).is_none_or(|(_, member)| lacks(member.data_type(), rest))
        }
        _ => false,
    }
}

/// Whether DataFusion converts each member of structs, also of those in lists, from the member with its name alone. Zeros are
/// numbers in all types of numbers, and nothing else is converted.
fn is_by_member(from: &DataType, to: &DataType) -> bool {
    match (from, to) {
        (DataType::Struct(from), DataType::Struct(to)) => to.iter().all(|to| {
            let from = from.find(to.name());
            from.is_none_or(|(_, from)| is_by_member(from.data_type(), to.data_type()))
        }),
        (DataType::List(from), DataType::List(to)) | (DataType::LargeList(from), DataType::LargeList(to)) => {
            is_by_member(from.data_type(), to.data_type())
        }
        (DataType::FixedSizeList(from, size), DataType::FixedSizeList(to, same)) if size == same => {
            is_by_member(from.data_type(), to.data_type())
        }
        (from, to) => from == to || (from.is_numeric() && to.is_numeric()),
    }
}

/// The type at a path of members.
fn member<'a>(data_type: &'a DataType, path: &[String]) -> Option<&'a DataType> {
    let Some((first, rest)) = path.split_first() else { return Some(data_type) };
    match innermost(data_type) {
        DataType::Struct(members) => {
            let (_, field) = members.find(first)?;
            member(field.data_type(), rest)
        }
        _ => None,
    }
}

/// Goes down to the member that takes the fewest bytes.
fn cheapest(data_type: Option<&DataType>, path: &mut Vec<String>) {
    let Some(DataType::Struct(members)) = data_type.map(innermost) else { return };
    if !is_record(members) {
        return;
    }
    let cost = |data_type: &DataType| match data_type {
        DataType::Boolean => 0,
        other => other.primitive_width().unwrap_or(usize::MAX),
    };
    if let Some(member) = members.iter().min_by_key(|member| cost(member.data_type())) {
        path.push(member.name().clone());
        cheapest(Some(member.data_type()), path);
    }
}
