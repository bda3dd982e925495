//! Random predicates on random entries, against a naive evaluation entry by entry.
#![allow(clippy::cast_possible_truncation, reason = "the numbers of clusters, fields and pages are small")]

mod search;

use std::collections::HashMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::Filtered;
use super::plan::Plan;
use super::source::{Nothing, Source};
use crate::dataset::Dataset;
use crate::predicate::{Bounds, Comparison, Limit, Literal, Operand, Predicate};
use crate::reader::{EntryList, Files, ReadOptions, Reader};
use crate::root::RootFile;
use crate::schema::{
    ClusterDescriptor, ColumnId, Field, FieldId, FieldType, Role, Schema, SchemaBuilder, is_optional,
};
use crate::storage::Memory;
use crate::{Value, WriteOptions, Writer};

fn schema() -> SchemaBuilder {
    let muon = FieldType::record([
        Field::new("pt", FieldType::F32),
        Field::new("charge", FieldType::optional(FieldType::I8)),
        Field::new("hits", FieldType::vector(FieldType::U32)),
    ]);
    let vertex =
        FieldType::class("Vertex", [Field::new("x", FieldType::F64), Field::new("name", FieldType::STRING)]);
    SchemaBuilder::new()
        .field(Field::new("int", FieldType::I64))
        .field(Field::new("uint", FieldType::U64))
        .field(Field::new("met", FieldType::F32))
        .field(Field::new("double", FieldType::F64))
        .field(Field::new("good", FieldType::BOOL))
        .field(Field::new("trigger", FieldType::STRING))
        .field(Field::new("weight", FieldType::optional(FieldType::F64)))
        .field(Field::new("vertex", FieldType::optional(vertex)))
        .field(Field::new("muons", FieldType::vector(muon)))
        .field(Field::new("pair", FieldType::array(FieldType::I32, 2)))
        .field(Field::new("shape", FieldType::variant([FieldType::F32, FieldType::STRING])))
}

fn floats() -> Vec<f64> {
    vec![f64::NAN, -0.0, 0.0, 0.5, -0.5, 1.0, 2.5, -3.0, 1e10, f64::INFINITY, f64::NEG_INFINITY, 16_777_217.0]
}

fn ints() -> Vec<i64> {
    vec![i64::MIN, i64::MAX, -1, 0, 1, 2, 3, -3, (1 << 53) + 1, 1 << 53]
}

fn texts() -> Vec<&'static str> {
    vec!["", "a", "ab", "b", "\u{7ff}", "a\u{0}"]
}

fn float() -> impl Strategy<Value = f64> {
    prop_oneof![prop::sample::select(floats()), -4.0..4.0f64]
}

fn int() -> impl Strategy<Value = i64> {
    prop_oneof![prop::sample::select(ints()), -4..4i64]
}

fn text() -> impl Strategy<Value = String> {
    prop::sample::select(texts()).prop_map(str::to_owned)
}

#[expect(clippy::cast_possible_truncation, reason = "any value will do")]
fn single(float: f64) -> f32 {
    float as f32
}

fn some(value: Option<Value>) -> Value {
    Value::Option(value.map(Box::new))
}

fn muon() -> impl Strategy<Value = Value> {
    (float(), prop::option::of(-2..2i8), prop::collection::vec(0..3u32, 0..3)).prop_map(
        |(pt, charge, hits)| {
            Value::record([
                ("pt", Value::F32(single(pt))),
                ("charge", some(charge.map(Value::I8))),
                ("hits", Value::List(hits.into_iter().map(Value::U32).collect())),
            ])
        },
    )
}

fn shape() -> impl Strategy<Value = Value> {
    prop_oneof![
        float().prop_map(|value| Value::Variant { tag: 1, value: Some(Box::new(Value::F32(single(value)))) }),
        text().prop_map(|value| Value::Variant { tag: 2, value: Some(Box::new(Value::String(value))) }),
        Just(Value::Variant { tag: 0, value: None }),
    ]
}

fn row() -> impl Strategy<Value = Value> {
    let numbers = (int(), any::<u64>(), 0..4u64, any::<bool>(), float(), float());
    let vertex = prop::option::of((float(), text()));
    let rest = (any::<bool>(), text(), prop::option::of(float()), vertex);
    let nested = (prop::collection::vec(muon(), 0..4), (-3..3i32, -3..3i32), shape());
    (numbers, rest, nested).prop_map(|(numbers, rest, nested)| {
        let (int, large, small, is_large, met, double) = numbers;
        let (good, trigger, weight, vertex) = rest;
        let (muons, pair, shape) = nested;
        let vertex =
            vertex.map(|(x, name)| Value::record([("x", Value::F64(x)), ("name", Value::String(name))]));
        Value::record([
            ("int", Value::I64(int)),
            ("uint", Value::U64(if is_large { large } else { small })),
            ("met", Value::F32(single(met))),
            ("double", Value::F64(double)),
            ("good", Value::Bool(good)),
            ("trigger", Value::String(trigger)),
            ("weight", some(weight.map(Value::F64))),
            ("vertex", some(vertex)),
            ("muons", Value::List(muons)),
            ("pair", Value::List(vec![Value::I32(pair.0), Value::I32(pair.1)])),
            ("shape", shape),
        ])
    })
}

/// Clusters of entries. Some of them have entries that are much alike.
fn clusters() -> impl Strategy<Value = Vec<Vec<Value>>> {
    let alike = (row(), 1..6usize).prop_map(|(row, count)| vec![row; count]);
    let cluster = prop_oneof![prop::collection::vec(row(), 1..14), alike];
    prop::collection::vec(cluster, 1..5)
}

fn number_literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        float().prop_map(Literal::Float),
        int().prop_map(Literal::from),
        prop::sample::select(vec![u64::MAX, 1 << 63, 7]).prop_map(Literal::from),
    ]
}

fn comparison() -> impl Strategy<Value = Comparison> {
    use Comparison as C;
    let all = vec![C::Less, C::LessOrEqual, C::Equal, C::NotEqual, C::GreaterOrEqual, C::Greater];
    prop::sample::select(all)
}

/// Fields of entries, or of items.
#[derive(Clone, Copy, Debug)]
struct Names {
    numbers: &'static [&'static str],
    texts: &'static [&'static str],
    bools: &'static [&'static str],
    collections: &'static [(&'static str, &'static Names)],
    nullable: &'static [&'static str],
}

static ENTRY: Names = Names {
    numbers: &["int", "uint", "met", "double", "weight", "vertex.x", "shape._0"],
    texts: &["trigger", "vertex.name", "shape._1"],
    bools: &["good"],
    collections: &[("muons", &MUON), ("pair", &NUMBER)],
    nullable: &["weight", "vertex", "vertex.x", "shape._0", "met"],
};

static MUON: Names = Names {
    numbers: &["pt", "charge"],
    texts: &[],
    bools: &[],
    collections: &[("hits", &NUMBER)],
    nullable: &["charge", "pt"],
};

static NUMBER: Names = Names { numbers: &[""], texts: &[], bools: &[], collections: &[], nullable: &[] };

fn number(names: Names, depth: u32) -> BoxedStrategy<Operand> {
    let field = prop::sample::select(names.numbers).prop_map(Operand::field);
    let abs = prop::sample::select(names.numbers).prop_map(|path| Operand::field(path).abs());
    if names.collections.is_empty() {
        return prop_oneof![4 => field, 1 => abs].boxed();
    }
    let size = prop::sample::select(names.collections).prop_map(|(path, _)| Operand::size(path));
    let count = prop::sample::select(names.collections).prop_flat_map(move |(path, items)| {
        predicate(*items, depth.saturating_sub(1)).prop_map(move |condition| Operand::count(path, condition))
    });
    prop_oneof![6 => field, 1 => abs, 1 => size, 1 => count].boxed()
}

fn predicate(names: Names, depth: u32) -> BoxedStrategy<Predicate> {
    let compare = (number(names, depth.min(1)), comparison(), number_literal(), any::<bool>()).prop_map(
        |(operand, comparison, literal, is_swapped)| match is_swapped {
            true => Operand::Literal(literal).compare(comparison, operand),
            false => operand.compare(comparison, literal),
        },
    );
    let two = (number(names, 0), comparison(), number(names, 0))
        .prop_map(|(left, comparison, right)| left.compare(comparison, right));
    let list = (number(names, 0), prop::collection::vec(number_literal(), 0..3))
        .prop_map(|(operand, list)| operand.is_in(list));
    let mut leaves =
        vec![compare.boxed(), two.boxed(), list.boxed(), any::<bool>().prop_map(Predicate::Constant).boxed()];
    if !names.texts.is_empty() {
        let text = (prop::sample::select(names.texts), comparison(), text())
            .prop_map(|(path, comparison, text)| Operand::field(path).compare(comparison, text));
        leaves.push(text.boxed());
    }
    if !names.bools.is_empty() {
        let truth = (prop::sample::select(names.bools), comparison(), any::<bool>())
            .prop_map(|(path, comparison, truth)| Operand::field(path).compare(comparison, truth));
        leaves.push(truth.boxed());
    }
    if !names.nullable.is_empty() {
        leaves.push(prop::sample::select(names.nullable).prop_map(Predicate::is_null).boxed());
    }
    let leaf = prop::strategy::Union::new(leaves);
    if depth == 0 {
        return leaf.boxed();
    }
    let inner = move || predicate(names, depth - 1);
    let joined = prop_oneof![
        prop::collection::vec(inner(), 1..3).prop_map(Predicate::And),
        prop::collection::vec(inner(), 1..3).prop_map(Predicate::Or),
        inner().prop_map(|inner| !inner),
    ];
    if names.collections.is_empty() {
        return prop_oneof![1 => leaf, 1 => joined].boxed();
    }
    let items = (prop::sample::select(names.collections), any::<bool>()).prop_flat_map(
        move |((path, items), is_any)| {
            predicate(*items, depth - 1).prop_map(move |condition| match is_any {
                true => Predicate::any(path, condition),
                false => Predicate::all(path, condition),
            })
        },
    );
    prop_oneof![2 => leaf, 2 => joined, 1 => items].boxed()
}

/// What a predicate is, asked of one value: `None` is unknown.
fn naive(predicate: &Predicate, value: &Value) -> Option<bool> {
    match predicate {
        Predicate::Constant(truth) => Some(*truth),
        Predicate::Compare(left, comparison, right) => {
            let (left, right) = (operand(left, value)?, operand(right, value)?);
            Some(holds(&left, *comparison, &right))
        }
        Predicate::In(one, list) => {
            let one = operand(one, value)?;
            Some(list.iter().any(|literal| holds(&one, Comparison::Equal, &of_literal(literal))))
        }
        Predicate::IsNull(path) => Some(at(value, path).is_none()),
        Predicate::Any(path, condition) => {
            decided(true, items(value, path)?.iter().map(|item| naive(condition, item)))
        }
        Predicate::All(path, condition) => {
            decided(false, items(value, path)?.iter().map(|item| naive(condition, item)))
        }
        Predicate::And(all) => decided(false, all.iter().map(|one| naive(one, value))),
        Predicate::Or(all) => decided(true, all.iter().map(|one| naive(one, value))),
        Predicate::Not(inner) => naive(inner, value).map(|truth| !truth),
    }
}

/// The truth of several: one that is `decisive` decides, and otherwise one that is not known.
fn decided(decisive: bool, truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let truths: Vec<_> = truths.collect();
    if truths.contains(&Some(decisive)) {
        Some(decisive)
    } else if truths.contains(&None) {
        None
    } else {
        Some(!decisive)
    }
}

#[derive(Debug)]
enum Naive {
    Int(i128),
    Float(f64),
    Bool(bool),
    Text(String),
}

fn of_literal(literal: &Literal) -> Naive {
    match literal {
        Literal::Bool(truth) => Naive::Bool(*truth),
        Literal::Int(int) => Naive::Int(*int),
        Literal::Float(float) => Naive::Float(*float),
        Literal::String(text) => Naive::Text(text.clone()),
    }
}

fn of_value(value: &Value) -> Naive {
    match value {
        Value::Bool(truth) => Naive::Bool(*truth),
        Value::I8(int) => Naive::Int((*int).into()),
        Value::I32(int) => Naive::Int((*int).into()),
        Value::U32(int) => Naive::Int((*int).into()),
        Value::I64(int) => Naive::Int((*int).into()),
        Value::U64(int) => Naive::Int((*int).into()),
        Value::F32(float) => Naive::Float((*float).into()),
        Value::F64(float) => Naive::Float(*float),
        Value::String(text) => Naive::Text(text.clone()),
        other => panic!("{other:?} is compared"),
    }
}

fn holds(left: &Naive, comparison: Comparison, right: &Naive) -> bool {
    use std::cmp::Ordering as O;
    // Floats that are compared with integers are halves, or too large for that to matter.
    let halves = |float: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "it saturates")]
        let twice = (float * 2.0).floor() as i128;
        twice
    };
    let order = match (left, right) {
        (Naive::Int(one), Naive::Int(two)) => Some(one.cmp(two)),
        (Naive::Float(one), Naive::Float(two)) => one.partial_cmp(two),
        (Naive::Int(one), Naive::Float(two)) if two.fract() == 0.0 || two.is_infinite() => {
            Some((one * 2).cmp(&halves(*two)))
        }
        (Naive::Float(one), Naive::Int(two)) if one.fract() == 0.0 || one.is_infinite() => {
            Some(halves(*one).cmp(&(two * 2)))
        }
        // Between two integers, of which it is greater than the lower one.
        (Naive::Int(one), Naive::Float(two)) if !two.is_nan() => {
            Some(one.cmp(&(halves(two.floor()) / 2)).then(O::Less))
        }
        (Naive::Float(one), Naive::Int(two)) if !one.is_nan() => {
            Some((halves(one.floor()) / 2).cmp(two).then(O::Greater))
        }
        (Naive::Bool(one), Naive::Bool(two)) => Some(one.cmp(two)),
        (Naive::Text(one), Naive::Text(two)) => Some(one.as_bytes().cmp(two.as_bytes())),
        _ => None,
    };
    match comparison {
        Comparison::Less => order == Some(O::Less),
        Comparison::LessOrEqual => matches!(order, Some(O::Less | O::Equal)),
        Comparison::Equal => order == Some(O::Equal),
        Comparison::NotEqual => order != Some(O::Equal),
        Comparison::GreaterOrEqual => matches!(order, Some(O::Greater | O::Equal)),
        Comparison::Greater => order == Some(O::Greater),
    }
}

fn operand(operand: &Operand, value: &Value) -> Option<Naive> {
    Some(match operand {
        Operand::Field(path) => of_value(&at(value, path)?),
        Operand::Literal(literal) => of_literal(literal),
        Operand::Abs(inner) => match self::operand(inner, value)? {
            Naive::Int(int) => Naive::Int(int.abs()),
            Naive::Float(float) => Naive::Float(float.abs()),
            other => other,
        },
        Operand::Size(path) => Naive::Int(items(value, path)?.len() as i128),
        Operand::Count(path, condition) => {
            let all = items(value, path)?;
            Naive::Int(all.iter().filter(|item| naive(condition, item) == Some(true)).count() as i128)
        }
    })
}

fn items(value: &Value, path: &str) -> Option<Vec<Value>> {
    match at(value, path)? {
        Value::List(items) => Some(items),
        other => panic!("{other:?} has no items"),
    }
}

/// The value at a path, without the options around it.
fn at(value: &Value, path: &str) -> Option<Value> {
    let value = match value {
        Value::Option(inner) => return at(inner.as_deref()?, path),
        value => value,
    };
    let Some((name, rest)) = (!path.is_empty()).then(|| path.split_once('.').unwrap_or((path, ""))) else {
        return Some(value.clone());
    };
    match value {
        Value::Record(record) => at(record.get(name).unwrap_or_else(|| panic!("no {name}")), rest),
        Value::Variant { tag, value } => {
            let wanted = name.strip_prefix('_').unwrap().parse::<u32>().unwrap() + 1;
            if *tag == wanted { at(value.as_deref()?, rest) } else { None }
        }
        other => panic!("{other:?} has no {name}"),
    }
}

/// Bounds of what was written, of which some are missing.
struct Oracle {
    schema: Arc<Schema>,
    clusters: Vec<Vec<Value>>,
    descriptors: Vec<Arc<ClusterDescriptor>>,
    /// Bits that say what is missing.
    missing: u64,
}

impl Oracle {
    fn is_missing(&self, number: u64) -> bool {
        self.missing >> (number % 64) & 1 == 1
    }

    /// The elements of a field.
    fn elements(&self, id: FieldId, rows: &[Value]) -> Vec<Value> {
        let field = self.schema.field(id).unwrap();
        let Some(above) = field.parent else {
            return rows
                .iter()
                .map(|row| at(row, "").and_then(|row| member(&row, &field.name)).unwrap())
                .collect();
        };
        let values = self.elements(above, rows);
        let parent = self.schema.field(above).unwrap();
        let number = self.schema.children(above).iter().position(|child| *child == id).unwrap() as u32 + 1;
        values
            .into_iter()
            .flat_map(|value| match (parent.role, value) {
                (Role::Record, value) => vec![member(&value, &field.name).unwrap()],
                (_, Value::List(items)) => items,
                (_, Value::Option(inner)) => inner.into_iter().map(|inner| *inner).collect(),
                (_, Value::Variant { tag, value }) => {
                    value.filter(|_| tag == number).map(|value| *value).into_iter().collect()
                }
                (role, value) => panic!("{role:?} of {value:?}"),
            })
            .collect()
    }

    fn bounds(&self, column: ColumnId, rows: &[Value]) -> Option<Bounds> {
        let id = self.schema.field_of(column)?;
        self.bounds_of(id, self.elements(id, rows))
    }

    fn bounds_of(&self, id: FieldId, elements: Vec<Value>) -> Option<Bounds> {
        let field = self.schema.field(id)?;
        if field.role == Role::Variant {
            return None;
        }
        let limits: Vec<Limit> = elements
            .into_iter()
            .map(|value| match value {
                Value::List(items) => Limit::Int(items.len() as i128),
                Value::Option(inner) => Limit::Int(inner.is_some().into()),
                value => match of_value(&value) {
                    Naive::Int(int) => Limit::Int(int),
                    Naive::Float(float) => Limit::Float(float),
                    Naive::Bool(truth) => Limit::Bool(truth),
                    Naive::Text(text) => Limit::Text(text.into_bytes()),
                },
            })
            .collect();
        assert!(
            field.role != Role::Collection
                || is_optional(&field.type_name)
                || !limits.iter().any(|limit| !matches!(limit, Limit::Int(_)))
        );
        let is_nan = |limit: &&Limit| matches!(limit, Limit::Float(float) if float.is_nan());
        let may_be_nan = limits.iter().any(|limit| is_nan(&limit));
        let values: Vec<&Limit> = limits.iter().filter(|limit| !is_nan(limit)).collect();
        let order = |one: &&&Limit, two: &&&Limit| match (one, two) {
            (Limit::Int(one), Limit::Int(two)) => one.cmp(two),
            (Limit::Float(one), Limit::Float(two)) => one.partial_cmp(two).unwrap(),
            (Limit::Bool(one), Limit::Bool(two)) => one.cmp(two),
            (Limit::Text(one), Limit::Text(two)) => one.cmp(two),
            _ => panic!("unlike"),
        };
        let (min, max) = (values.iter().min_by(order), values.iter().max_by(order));
        Some(Bounds {
            min: min.map(|limit| (*limit).clone()),
            max: max.map(|limit| (*limit).clone()),
            may_be_nan,
            may_be_value: !values.is_empty(),
        })
    }
}

fn member(value: &Value, name: &str) -> Option<Value> {
    match value {
        Value::Record(record) => record.get(name).cloned(),
        _ => None,
    }
}

impl Source for Oracle {
    fn file(&self, column: ColumnId) -> Option<Bounds> {
        if self.is_missing(column.0.into()) {
            return None;
        }
        self.bounds(column, &self.clusters.concat())
    }

    fn cluster(&self, cluster: u64, column: ColumnId) -> Option<Bounds> {
        if self.is_missing(7 * cluster + u64::from(column.0)) {
            return None;
        }
        self.bounds(column, &self.clusters[cluster as usize])
    }

    fn pages(&self, cluster: u64, column: ColumnId) -> Option<Vec<Bounds>> {
        if self.is_missing(11 * cluster + 3 * u64::from(column.0)) {
            return None;
        }
        let id = self.schema.field_of(column)?;
        let mut elements = self.elements(id, &self.clusters[cluster as usize]).into_iter();
        let pages = &self.descriptors[cluster as usize].columns[column.index()].pages;
        pages
            .iter()
            .map(|page| self.bounds_of(id, elements.by_ref().take(page.count as usize).collect()))
            .collect()
    }
}

fn write(clusters: &[Vec<Value>], page_length: usize) -> RootFile {
    let options = WriteOptions::new()
        .schema(schema())
        .statistics(true)
        .initial_page_length(page_length)
        .max_page_length(page_length.max(64));
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    for cluster in clusters {
        cluster.iter().for_each(|row| writer.fill(row).unwrap());
        writer.commit_cluster().unwrap();
    }
    RootFile::from_storage(writer.finish_into().unwrap().1).unwrap()
}

fn filtered(
    reader: &Reader<Value>,
    predicate: &Predicate,
    source: impl Fn(&Dataset) -> Arc<dyn Source> + Send + Sync + 'static,
) -> Filtered<Value> {
    let plan = Plan::new(reader.scan(), predicate).unwrap_or_else(|error| panic!("{predicate}: {error}"));
    let plan = Arc::new(plan.with_source(source));
    Filtered { reader: reader.shared(), plan, within: EntryList::from(..) }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// With all statistics, without any, and with some of them.
    #[test]
    fn what_matches_is_found_and_nothing_else(
        clusters in clusters(),
        predicates in prop::collection::vec(predicate(ENTRY, 3), 8),
        page_length in 8..64usize,
        missing in any::<u64>(),
        within in prop::option::of((0..20u64, 0..30u64)),
    ) {
        let file = write(&clusters, page_length);
        let files: Files = [file.clone(), file].into_iter().collect();
        let reader = Reader::<Value>::open_with(files, "Events", ReadOptions::new()).unwrap();
        let rows: Vec<Value> = clusters.concat().into_iter().cycle().take(2 * clusters.concat().len()).collect();
        let within = within.map_or(EntryList::from(..), |(start, count)| EntryList::from(start..start + count));
        for predicate in predicates {
            let expected: EntryList = (0..)
                .zip(&rows)
                .filter(|(number, row)| within.contains(*number) && naive(&predicate, row) == Some(true))
                .map(|(number, _)| number)
                .collect();
            let kept = reader.filter(&predicate).unwrap().within(&within);
            prop_assert_eq!(&kept.matching().unwrap(), &expected, "{}, by its own statistics", predicate);
            for missing in [0, u64::MAX, missing] {
                let clusters = clusters.clone();
                let filtered = filtered(&reader, &predicate, move |dataset| {
                    if missing == u64::MAX {
                        return Arc::new(Nothing);
                    }
                    Arc::new(Oracle {
                        schema: dataset.schema().clone(),
                        clusters: clusters.clone(),
                        descriptors: dataset.clusters().map(Result::unwrap).collect(),
                        missing,
                    })
                });
                let filtered = filtered.within(&within);
                prop_assert_eq!(&filtered.matching().unwrap(), &expected, "{}, missing {:x}", predicate, missing);
                let counters = filtered.counters();
                let entries = counters.entries;
                prop_assert_eq!(counters.matched, expected.entry_count());
                prop_assert_eq!(entries.considered, within.before(rows.len() as u64).entry_count());
                prop_assert!(entries.certain <= counters.matched && counters.matched + entries.skipped <= entries.considered);
                if missing == u64::MAX && predicate_has_fields(&predicate) {
                    prop_assert_eq!(counters.clusters.skipped + counters.clusters.certain, 0);
                }
            }
        }
    }
}

/// Whether nothing about it is certain without statistics. (Sizes of arrays are.)
fn predicate_has_fields(predicate: &Predicate) -> bool {
    matches!(predicate, Predicate::Compare(Operand::Field(_), _, Operand::Literal(Literal::Int(_))))
}

#[test]
fn entries_and_batches_are_those_that_match() {
    let row = |number: i64| {
        let mut values: HashMap<&str, Value> = HashMap::new();
        values.insert("int", Value::I64(number));
        values
    };
    let schema = SchemaBuilder::new().field(Field::new("int", FieldType::I64));
    let options = WriteOptions::new().schema(schema).initial_page_length(64).max_page_length(64);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..1000 {
        writer.fill(&Value::record(row(number))).unwrap();
        if number % 300 == 299 {
            writer.commit_cluster().unwrap();
        }
    }
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<Value>::open(file, "Events").unwrap();
    let wanted: Predicate = "int >= 290 and int < 310 or int == 999".parse().unwrap();
    let filtered = reader.filter(&wanted).unwrap();
    let int = |value: &Value| match at(value, "int") {
        Some(Value::I64(int)) => int,
        other => panic!("{other:?}"),
    };
    let expected: Vec<i64> = (290..310).chain([999]).collect();
    let entries: Vec<i64> = filtered.entries().map(|entry| int(&entry.unwrap())).collect();
    assert_eq!(entries, expected);
    let mut batches = filtered.batches(8);
    let (mut found, mut sizes) = (Vec::new(), Vec::new());
    let mut columns = crate::field::columnar::AnyColumns::Empty;
    while batches.read_into(&mut columns).unwrap() {
        let slice = columns.as_slice();
        sizes.push(columns.len());
        found.extend((0..columns.len()).map(|index| int(&slice.value(index).unwrap())));
    }
    // They are full wherever clusters end.
    assert_eq!((found, sizes), (expected.clone(), vec![8, 8, 5]));
    #[cfg(feature = "rayon")]
    {
        use rayon::iter::ParallelIterator as _;
        let parallel: Vec<i64> = filtered.par_entries().map(|entry| int(&entry.unwrap())).collect();
        assert_eq!(parallel, expected);
    }
    assert_eq!(filtered.within(300..).entries().count(), 11);
}

#[test]
fn what_a_file_does_not_have_is_an_error_before_anything_is_read() {
    let file = write(&[vec![]], 64);
    let reader = Reader::<Value>::open(file, "Events").unwrap();
    for (text, expected) in [
        ("mett > 5", "no field \"mett\"; did you mean \"met\"?"),
        ("any(muons, charg > 5)", "no field \"muons._0.charg\"; did you mean \"muons._0.charge\"?"),
        ("met > \"x\"", "`met` is a number and cannot be compared with `\"x\"`, a string"),
        ("good > 1", "`good` is a `bool` and cannot be compared with `1`, a number"),
        ("trigger in (\"a\", 1)", "`trigger` is a string and cannot be compared with `1`, a number"),
        ("abs(trigger) > 1", "`abs(trigger)` is of a string, not of a number"),
        ("size(met) > 1", "field `met` is neither a collection nor an array"),
        (
            "muons.pt > 1",
            "field `muons` is a collection: `any(path, ..)`, `all(path, ..)` and `count(path, ..)` look into it",
        ),
        ("vertex > 1", "field `vertex` is a record: name one of its members"),
        ("shape > 1", "field `shape` is a variant: name one of its alternatives, `_0`, `_1`, .."),
    ] {
        let error = reader.filter(&text.parse().unwrap()).unwrap_err();
        assert_eq!(error.message(), expected);
        assert!(error.to_string().starts_with("memory: Events: "), "{error}");
    }
}

/// One cluster of events in which items and names rise, in small pages.
fn rising(entries: u32) -> Memory {
    let item = FieldType::record([
        Field::new("pt", FieldType::F32),
        Field::new("hits", FieldType::vector(FieldType::U32)),
    ]);
    let schema = SchemaBuilder::new()
        .field(Field::new("name", FieldType::STRING))
        .field(Field::new("items", FieldType::vector(item)))
        .field(Field::new("pair", FieldType::array(FieldType::U32, 2)));
    let options =
        WriteOptions::new().schema(schema).statistics(true).initial_page_length(256).max_page_length(256);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..entries {
        let items = (0..number % 3).map(|item| {
            let hits = (0..number % 4).map(|hit| Value::U32(number + hit)).collect();
            let pt = number as f32 + item as f32 / 4.0;
            Value::record([("pt", Value::F32(pt)), ("hits", Value::List(hits))])
        });
        let row = Value::record([
            ("name", Value::String(format!("event {number:06}"))),
            ("items", Value::List(items.collect())),
            ("pair", Value::List(vec![Value::U32(number), Value::U32(2 * number)])),
        ]);
        writer.fill(&row).unwrap();
    }
    writer.finish_into().unwrap().1
}

#[test]
fn pages_of_items_and_of_strings_are_skipped() {
    const ENTRIES: u32 = 20_000;
    let reader = Reader::<Value>::open(rising(ENTRIES), "Events").unwrap();
    assert_eq!(reader.dataset(0).unwrap().cluster_count(), 1);
    let rows: Vec<Value> = reader.entries().collect::<crate::Result<_>>().unwrap();
    for (text, most) in [
        ("any(items, pt > 19000.1)", 1100),
        ("any(items, pt >= 100 and pt < 101)", 200),
        ("any(items, any(hits, item == 7777))", 200),
        ("count(items, size(hits) > 0 and pt < 50) > 0", 300),
        ("not all(items, pt >= 50)", 300),
        ("any(pair, item > 39900)", 200),
        ("any(items, pt > 19000.1) or any(items, pt < 50.1)", 1300),
        // Bounds are kept of 4096 strings each.
        ("name >= \"event 019990\"", 4096),
    ] {
        let predicate: Predicate = text.parse().unwrap();
        let filtered = reader.filter(&predicate).unwrap();
        let expected: EntryList = (0..)
            .zip(&rows)
            .filter(|(_, row)| naive(&predicate, row) == Some(true))
            .map(|(number, _)| number)
            .collect();
        assert_eq!(filtered.matching().unwrap(), expected, "{text}");
        let counters = filtered.counters();
        assert!(counters.entries.read() <= most && counters.matched > 0, "{text}: {counters}");
        assert!(counters.pages.skipped > 0, "{text}: {counters}");
        let within = filtered.within(50..u64::from(ENTRIES) - 50).matching().unwrap();
        assert_eq!(within, expected.intersection(&(50..u64::from(ENTRIES) - 50).into()), "{text}");
    }
}

#[test]
fn pages_that_match_as_a_whole_are_not_skipped() {
    let schema = SchemaBuilder::new().field(Field::new("number", FieldType::U64));
    let options =
        WriteOptions::new().schema(schema).statistics(true).initial_page_length(256).max_page_length(256);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..128 {
        writer.fill(&Value::record([("number", Value::U64(number))])).unwrap();
    }
    let reader = Reader::<Value>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    // Pages of 32 numbers: in the first nothing matches, in the third everything.
    for (within, certain) in [(0..128, 1), (0..64, 0)] {
        let filtered = reader.filter(&"number >= 40 and number < 100".parse().unwrap()).unwrap();
        let filtered = filtered.within(within.clone());
        let expected = EntryList::from(40..100).intersection(&within.into());
        assert_eq!(filtered.matching().unwrap(), expected);
        let pages = filtered.counters().pages;
        let read = 1 + certain;
        assert_eq!((pages.considered, pages.skipped, pages.certain), (4, 4 - read - certain, certain));
    }
}

/// Lists of numbers that rise, eight to a page, so that an entry has items in several pages.
fn risen(sizes: &[usize]) -> (Memory, Vec<Vec<i64>>) {
    let schema = SchemaBuilder::new().field(Field::new("items", FieldType::vector(FieldType::I64)));
    let options =
        WriteOptions::new().schema(schema).statistics(true).initial_page_length(64).max_page_length(64);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    let mut items = (0i64..).map(|number| number / 3);
    let rows: Vec<Vec<i64>> = sizes.iter().map(|size| items.by_ref().take(*size).collect()).collect();
    for row in &rows {
        let list = row.iter().copied().map(Value::I64).collect();
        writer.fill(&Value::record([("items", Value::List(list))])).unwrap();
    }
    (writer.finish_into().unwrap().1, rows)
}

/// The same of lists of lists of pairs.
fn risen_inside(sizes: &[Vec<usize>]) -> (Memory, Vec<Vec<i64>>) {
    let pairs = FieldType::vector(FieldType::array(FieldType::I64, 2));
    let schema = SchemaBuilder::new().field(Field::new("items", FieldType::vector(pairs)));
    let options =
        WriteOptions::new().schema(schema).statistics(true).initial_page_length(64).max_page_length(64);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    let mut numbers = (0i64..).map(|number| number / 3);
    let mut rows = Vec::new();
    for sizes in sizes {
        let mut row = Vec::new();
        let mut pair = || {
            let pair: Vec<i64> = numbers.by_ref().take(2).collect();
            row.extend_from_slice(&pair);
            Value::List(pair.into_iter().map(Value::I64).collect())
        };
        let list = sizes.iter().map(|size| Value::List((0..*size).map(|_| pair()).collect()));
        let list = Value::List(list.collect());
        writer.fill(&Value::record([("items", list)])).unwrap();
        rows.push(row);
    }
    (writer.finish_into().unwrap().1, rows)
}

#[test]
fn few_entries_are_looked_at_for_items_of_items() {
    let sizes = [vec![], vec![2, 0, 3], vec![1], vec![0]].into_iter().cycle().take(1000).collect::<Vec<_>>();
    let (file, rows) = risen_inside(&sizes);
    let wanted = rows[501][0];
    let reader = Reader::<Value>::open(file, "Events").unwrap();
    let text = format!("any(items, any(item, any(item, item == {wanted})))");
    let filtered = reader.filter(&text.parse().unwrap()).unwrap();
    assert!(filtered.matching().unwrap().contains(501));
    // Each page has the items of three entries or fewer, and others are empty.
    assert!(filtered.counters().entries.read() < 20, "{}", filtered.counters());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn items_in_several_pages_are_found_in_each(sizes in prop::collection::vec(0..20usize, 1..30)) {
        let (file, rows) = risen(&sizes);
        let reader = Reader::<Value>::open(file, "Events").unwrap();
        for wanted in 0..=rows.concat().last().map_or(0, |last| last + 1) {
            let is_wanted = |row: &&Vec<i64>| row.contains(&wanted);
            let texts = [
                (format!("any(items, item == {wanted})"), true),
                (format!("all(items, item != {wanted})"), false),
                (format!("count(items, item == {wanted}) > 0"), true),
            ];
            for (text, are_with) in texts {
                let found = reader.filter(&text.parse().unwrap()).unwrap().matching().unwrap();
                let expected: EntryList =
                    (0..).zip(&rows).filter(|(_, row)| is_wanted(row) == are_with).map(|(number, _)| number).collect();
                prop_assert_eq!(found, expected, "{}", text);
            }
        }
    }

    #[test]
    fn items_of_items_are_found_in_each_page(
        sizes in prop::collection::vec(prop::collection::vec(0..6usize, 0..6), 1..30),
    ) {
        let (file, rows) = risen_inside(&sizes);
        let reader = Reader::<Value>::open(file, "Events").unwrap();
        for wanted in 0..=rows.concat().last().map_or(0, |last| last + 1) {
            let text = format!("any(items, any(item, any(item, item == {wanted})))");
            let filtered = reader.filter(&text.parse().unwrap()).unwrap();
            let expected: EntryList =
                (0..).zip(&rows).filter(|(_, row)| row.contains(&wanted)).map(|(number, _)| number).collect();
            prop_assert_eq!(filtered.matching().unwrap(), expected, "{}", text);
        }
    }
}
