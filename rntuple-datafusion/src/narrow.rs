//! Expressions over columns that have no more members of structs than the expressions look at.
//!
//! Functions that make lists of structs copy each member, also those that no one looks at afterwards. Where a column does not
//! leave the scan, it is made without these.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Schema};
use datafusion::common::{Result, internal_datafusion_err, internal_err};
use datafusion::logical_expr::{LambdaParametersProgress, ValueOrLambda};
use datafusion::physical_expr::expressions::{Column, LambdaExpr, LambdaVariable};
use datafusion::physical_expr::{HigherOrderFunctionExpr, PhysicalExpr, ScalarFunctionExpr};

use crate::columns::with_items;

/// The type without the members that are on none of these paths.
pub(crate) fn keep(data_type: &DataType, paths: &[&[String]]) -> DataType {
    if paths.iter().any(|path| path.is_empty()) {
        return data_type.clone();
    }
    match data_type {
        DataType::Struct(members) => {
            let members = members.iter().filter_map(|member| {
                let below = paths.iter().filter_map(|path| {
                    let (first, rest) = path.split_first()?;
                    (first == member.name()).then_some(rest)
                });
                let paths: Vec<&[String]> = below.collect();
                (!paths.is_empty()).then(|| with_type(member, keep(member.data_type(), &paths)))
            });
            DataType::Struct(members.collect())
        }
        DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..) => {
            with_items(data_type, &|item| with_type(item, keep(item.data_type(), paths)))
        }
        other => other.clone(),
    }
}

fn with_type(field: &Field, data_type: DataType) -> FieldRef {
    Arc::new(field.clone().with_data_type(data_type))
}

/// The expression over the columns of `schema`, which are found by their names, if its values are the same.
pub(crate) fn narrowed(
    expr: &Arc<dyn PhysicalExpr>,
    whole: &Schema,
    schema: &Schema,
) -> Option<Arc<dyn PhysicalExpr>> {
    let narrow = rebuilt(expr, schema, &mut Vec::new()).ok()?;
    let is_same = narrow.return_field(schema).ok()? == expr.return_field(whole).ok()?;
    is_same.then_some(narrow)
}

/// `variables` are the parameters of the lambdas around the expression.
fn rebuilt(
    expr: &Arc<dyn PhysicalExpr>,
    schema: &Schema,
    variables: &mut Vec<FieldRef>,
) -> Result<Arc<dyn PhysicalExpr>> {
    if let Some(column) = expr.downcast_ref::<Column>() {
        return Ok(Arc::new(Column::new_with_schema(column.name(), schema)?));
    }
    if let Some(variable) = expr.downcast_ref::<LambdaVariable>() {
        let field = variables.iter().rev().find(|field| field.name() == variable.name());
        let field = field.ok_or_else(|| internal_datafusion_err!("no parameter {:?}", variable.name()))?;
        return Ok(Arc::new(LambdaVariable::new(variable.index(), field.clone())));
    }
    if let Some(function) = expr.downcast_ref::<HigherOrderFunctionExpr>() {
        return with_lambdas(function, schema, variables);
    }
    let children = expr.children().into_iter().map(|child| rebuilt(child, schema, variables));
    let children = children.collect::<Result<Vec<_>>>()?;
    match expr.downcast_ref::<ScalarFunctionExpr>() {
        // The type of its result may be another.
        Some(function) => {
            let (fun, config) = (function.fun().clone(), function.config_options().clone());
            Ok(Arc::new(ScalarFunctionExpr::try_new(Arc::new(fun), children, schema, Arc::new(config))?))
        }
        None if children.is_empty() => Ok(expr.clone()),
        None => expr.clone().with_new_children(children),
    }
}

fn with_lambdas(
    function: &HigherOrderFunctionExpr,
    schema: &Schema,
    variables: &mut Vec<FieldRef>,
) -> Result<Arc<dyn PhysicalExpr>> {
    let mut values = Vec::new();
    let mut fields = Vec::new();
    for arg in function.args() {
        let value = if arg.is::<LambdaExpr>() { None } else { Some(rebuilt(arg, schema, variables)?) };
        fields.push(match &value {
            Some(value) => ValueOrLambda::Value(value.return_field(schema)?),
            None => ValueOrLambda::Lambda(None),
        });
        values.push(value);
    }
    let LambdaParametersProgress::Complete(parameters) = function.fun().lambda_parameters(0, &fields)? else {
        return internal_err!("the parameters of a lambda depend on what another one returns");
    };
    let mut parameters = parameters.into_iter();
    let mut args: Vec<Arc<dyn PhysicalExpr>> = Vec::new();
    for (arg, value) in function.args().iter().zip(values) {
        if let Some(value) = value {
            args.push(value);
            continue;
        }
        let Some(lambda) = arg.downcast_ref::<LambdaExpr>() else { continue };
        let names = lambda.params();
        let before = variables.len();
        let fields = parameters.next().unwrap_or_default();
        let named =
            fields.iter().zip(names).map(|(field, name)| Arc::new(field.as_ref().clone().with_name(name)));
        variables.extend(named);
        let body = rebuilt(lambda.body(), schema, variables);
        variables.truncate(before);
        args.push(Arc::new(LambdaExpr::try_new(names.to_vec(), body?)?));
    }
    let (fun, config) = (function.fun().clone(), function.config_options().clone());
    let function =
        HigherOrderFunctionExpr::try_new_with_schema(Arc::new(fun), args, schema, Arc::new(config))?;
    Ok(Arc::new(function))
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{Float32Builder, ListBuilder, StructBuilder};
    use arrow_array::{Array as _, RecordBatch};
    use arrow_schema::Fields;
    use datafusion::common::DFSchema;

    use super::*;
    use crate::used::Used;

    fn members() -> Fields {
        ["pt", "eta", "phi"].map(|name| Field::new(name, DataType::Float32, true)).into_iter().collect()
    }

    fn schema() -> Schema {
        let item = Field::new("item", DataType::Struct(members()), true);
        Schema::new(vec![Field::new("jets", DataType::List(Arc::new(item)), true)])
    }

    /// Three rows with none, one and two jets.
    fn rows() -> RecordBatch {
        let mut jets = ListBuilder::new(StructBuilder::from_fields(members(), 3));
        for count in 0..3 {
            for number in 0..count {
                for member in 0..3u8 {
                    let values = jets.values().field_builder::<Float32Builder>(usize::from(member)).unwrap();
                    values.append_value(f32::from(member * 10 + number));
                }
                jets.values().append(true);
            }
            jets.append(true);
        }
        RecordBatch::try_new(Arc::new(schema()), vec![Arc::new(jets.finish())]).unwrap()
    }

    /// What is left of the type of jets in expressions of SQL; `None`: all of it.
    fn left(sql: &str) -> Option<Vec<String>> {
        let whole = schema();
        let context = crate::session();
        let named = DFSchema::try_from(whole.clone()).unwrap();
        let expr = context.parse_sql_expr(sql, &named).unwrap();
        let expr = context.create_physical_expr(expr, &named).unwrap();
        let mut used = Used::default();
        used.add(expr.as_ref());
        let narrow_schema = used.narrowed(&whole)?;
        let narrow = narrowed(&expr, &whole, &narrow_schema).unwrap();

        let rows = rows();
        let jets = crate::columns::complete(rows.column(0), narrow_schema.field(0).data_type()).unwrap();
        let narrow_rows = RecordBatch::try_new(Arc::new(narrow_schema.clone()), vec![jets]).unwrap();
        let values = |expr: &Arc<dyn PhysicalExpr>, rows: &RecordBatch| {
            expr.evaluate(rows).unwrap().into_array(rows.num_rows()).unwrap().to_data()
        };
        assert_eq!(values(&narrow, &narrow_rows), values(&expr, &rows), "{sql}");

        let DataType::List(item) = narrow_schema.field(0).data_type() else { panic!("{narrow_schema}") };
        let DataType::Struct(members) = item.data_type() else { panic!("{item}") };
        Some(members.iter().map(|member| member.name().clone()).collect())
    }

    #[test]
    fn expressions_are_given_the_members_that_they_look_at() {
        let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>());
        assert_eq!(left("cardinality(array_filter(jets, j -> j['pt'] > 0))"), names(&["pt"]));
        assert_eq!(left("array_filter(jets, j -> j['pt'] >= 0)[1]['phi']"), names(&["pt", "phi"]));
        assert_eq!(left("array_transform(array_reverse(jets), j -> j['eta'] + 1)"), names(&["eta"]));
        let nested = "array_filter(jets, j -> array_any_match(jets, k -> k['eta'] > j['eta']))[1]['pt']";
        assert_eq!(left(nested), names(&["pt", "eta"]));
        assert_eq!(left("array_filter(jets, j -> j['pt'] > 0)"), None);
        assert_eq!(left("jets"), None);
    }
}
