//! A predicate that was compared with a schema: every path leads to columns, and every comparison has a meaning.

use std::collections::HashSet;

use super::number::Number;
use super::truth::Truth;
use super::values::{Kind, Scalar};
use super::{Comparison, Literal, Operand, Predicate};
use crate::encoding::ColumnType;
use crate::error::{Error, Result};
use crate::schema::{FieldId, Role, Schema, enumerators, is_optional};

/// How deep conditions may be inside each other.
const DEEPEST: usize = 128;

/// A predicate in the terms of one file.
#[derive(Debug)]
pub(crate) struct Bound {
    pub(super) root: Node,
    fields: HashSet<FieldId>,
    has_enums: bool,
}

impl Bound {
    /// The fields that are read to evaluate it, with those around them. Of collections of which only the sizes matter,
    /// the items are not among them.
    pub(crate) fn fields(&self) -> &HashSet<FieldId> {
        &self.fields
    }

    /// Whether one of the fields is an enum: in another file, its variants may have other numbers.
    pub(crate) fn has_enums(&self) -> bool {
        self.has_enums
    }
}

#[derive(Debug)]
pub(super) enum Node {
    Constant(Truth),
    Compare(Term, Comparison, Term),
    In(Term, Vec<Literal>),
    IsNull(Access),
    /// Of the items: whether one is enough, rather than all.
    Items {
        items: Items,
        is_any: bool,
        condition: Box<Self>,
    },
    And(Vec<Self>),
    Or(Vec<Self>),
    Not(Box<Self>),
}

#[derive(Debug)]
pub(super) enum Term {
    Leaf(Leaf),
    Size(Items),
    Count(Items, Box<Node>),
    Abs(Box<Self>),
    Literal(Literal),
}

/// The way from the values of one place, entries or items, to those of a field below.
#[derive(Debug, Default)]
pub(super) struct Access {
    pub(super) steps: Vec<Step>,
    /// The options on the way.
    pub(super) options: Vec<FieldId>,
    pub(super) has_variant: bool,
}

#[derive(Debug)]
pub(super) enum Step {
    Member(String),
    /// The value of an option.
    Value,
    /// An alternative of a variant, counted from 0.
    Alternative(usize),
}

/// The names of an enum's variants, and their integers.
type Names = Vec<(String, i128)>;

/// A field with one value, or none, for each of those that the access begins at.
#[derive(Debug)]
pub(super) struct Leaf {
    pub(super) access: Access,
    pub(super) field: FieldId,
    kind: Kind,
    /// For an enum: what the file says of its variants.
    names: Option<Names>,
}

/// A collection or array.
#[derive(Debug)]
pub(super) struct Items {
    pub(super) access: Access,
    pub(super) field: FieldId,
    /// The number of items, if it is always the same.
    pub(super) count: Option<u64>,
}

/// Finds the fields of a predicate in a schema.
///
/// # Errors
/// [`InvalidArgument`](crate::ErrorKind::InvalidArgument) if there is no such field, or if its values cannot be compared
/// as the predicate does.
pub(crate) fn bind(predicate: &Predicate, schema: &Schema) -> Result<Bound> {
    let mut binder = Binder { schema, fields: HashSet::new(), has_enums: false, depth: 0 };
    let root = binder.node(predicate, Place::ENTRY)?;
    Ok(Bound { root, fields: binder.fields, has_enums: binder.has_enums })
}

/// Where paths begin or lead to.
#[derive(Clone, Copy)]
struct Place {
    /// `None`: the entry itself.
    id: Option<FieldId>,
    /// Whether this is one of the values of a field that repeats, as of a bitset, which has no field of its own.
    is_item: bool,
}

impl Place {
    const ENTRY: Self = Self { id: None, is_item: false };

    fn field(id: FieldId) -> Self {
        Self { id: Some(id), is_item: false }
    }
}

/// What a place is.
enum Shape {
    Record,
    Variant,
    Leaf,
    /// Something without structure around one value: an enum, an atomic.
    Wrapper(Place),
    Option(Place),
    Collection(Place),
    Array(Place, u64),
    Other,
}

struct Binder<'a> {
    schema: &'a Schema,
    fields: HashSet<FieldId>,
    has_enums: bool,
    depth: usize,
}

impl Binder<'_> {
    fn deeper<V>(&mut self, bind: impl FnOnce(&mut Self) -> Result<V>) -> Result<V> {
        if self.depth == DEEPEST {
            return Err(Error::invalid_argument(format!("a predicate is over {DEEPEST} levels deep")));
        }
        self.depth += 1;
        let result = bind(self);
        self.depth -= 1;
        result
    }

    fn node(&mut self, predicate: &Predicate, scope: Place) -> Result<Node> {
        self.deeper(|binder| match predicate {
            Predicate::Constant(value) => Ok(Node::Constant(Truth::of(*value))),
            Predicate::Compare(left, comparison, right) => binder.compare(left, *comparison, right, scope),
            Predicate::In(operand, list) => {
                let (term, kind) = binder.term(operand, scope)?;
                let names = binder.names_of(&term);
                let literal = |literal: &Literal| {
                    let literal = named(literal, names.as_deref(), operand)?;
                    comparable(operand, kind, &literal, literal.scalar().kind())?;
                    Ok(literal)
                };
                Ok(Node::In(term, list.iter().map(literal).collect::<Result<_>>()?))
            }
            Predicate::IsNull(path) => {
                let (_, mut access) = binder.resolve(scope, path, true)?;
                let is_certain = |step: &Step| matches!(step, Step::Member(_));
                let kept = access.steps.iter().rposition(|step| !is_certain(step)).map_or(0, |last| last + 1);
                access.steps.truncate(kept);
                match access.options.last() {
                    _ if kept == 0 => return Ok(Node::Constant(Truth::False)),
                    Some(&option) if matches!(access.steps.last(), Some(Step::Value)) => binder.add(option),
                    // The last step is one to an alternative, which is read as part of its variant.
                    _ => binder.add_variant_at(scope, path)?,
                }
                Ok(Node::IsNull(access))
            }
            Predicate::Any(path, condition) => binder.items_node(path, condition, true, scope),
            Predicate::All(path, condition) => binder.items_node(path, condition, false, scope),
            Predicate::And(all) => binder.nodes(all, scope).map(Node::And),
            Predicate::Or(all) => binder.nodes(all, scope).map(Node::Or),
            Predicate::Not(inner) => Ok(Node::Not(Box::new(binder.node(inner, scope)?))),
        })
    }

    fn nodes(&mut self, all: &[Predicate], scope: Place) -> Result<Vec<Node>> {
        all.iter().map(|one| self.node(one, scope)).collect()
    }

    fn items_node(&mut self, path: &str, condition: &Predicate, is_any: bool, scope: Place) -> Result<Node> {
        let (items, item) = self.items(path, scope)?;
        let condition = Box::new(self.node(condition, item)?);
        Ok(Node::Items { items, is_any, condition })
    }

    fn compare(
        &mut self,
        left: &Operand,
        comparison: Comparison,
        right: &Operand,
        scope: Place,
    ) -> Result<Node> {
        let (mut one, mut one_kind) = self.term(left, scope)?;
        let (mut two, mut two_kind) = self.term(right, scope)?;
        // The name of an enum's variant is its integer.
        let (one_names, two_names) = (self.names_of(&one), self.names_of(&two));
        for (term, kind, names, operand) in
            [(&mut one, &mut one_kind, two_names, right), (&mut two, &mut two_kind, one_names, left)]
        {
            if let (Term::Literal(literal), Some(names)) = (&mut *term, names) {
                *literal = named(literal, Some(&names), operand)?;
                *kind = literal.scalar().kind();
            }
        }
        comparable(left, one_kind, right, two_kind)?;
        Ok(Node::Compare(one, comparison, two))
    }

    fn term(&mut self, operand: &Operand, scope: Place) -> Result<(Term, Kind)> {
        self.deeper(|binder| match operand {
            Operand::Field(path) => {
                let leaf = binder.leaf(path, scope)?;
                let kind = leaf.kind;
                Ok((Term::Leaf(leaf), kind))
            }
            Operand::Literal(literal) => Ok((Term::Literal(literal.clone()), literal.scalar().kind())),
            Operand::Abs(inner) => {
                let (term, kind) = binder.term(inner, scope)?;
                if kind != Kind::Number {
                    let message = format!("`{operand}` is of {}, not of a number", kind.name());
                    return Err(Error::invalid_argument(message));
                }
                Ok((Term::Abs(Box::new(term)), Kind::Number))
            }
            // The size of a collection, as a field of its own.
            Operand::Size(path) if binder.is_cardinality(path, scope) => {
                let leaf = binder.leaf(path, scope)?;
                Ok((Term::Leaf(leaf), Kind::Number))
            }
            Operand::Size(path) => {
                let (items, _) = binder.items(path, scope)?;
                Ok((Term::Size(items), Kind::Number))
            }
            Operand::Count(path, condition) => {
                let (items, item) = binder.items(path, scope)?;
                let condition = Box::new(binder.node(condition, item)?);
                Ok((Term::Count(items, condition), Kind::Number))
            }
        })
    }

    fn is_cardinality(&self, path: &str, scope: Place) -> bool {
        let Ok((place, _)) = self.resolve(scope, path, true) else { return false };
        let field = place.id.and_then(|id| self.schema.field(id));
        matches!(self.shape(place), Shape::Leaf) && field.is_some_and(|field| field.is_cardinality())
    }

    /// What the file says of the variants of an enum, if the term is one.
    fn names_of(&self, term: &Term) -> Option<Names> {
        match term {
            Term::Leaf(leaf) => leaf.names.clone(),
            _ => None,
        }
    }

    fn leaf(&mut self, path: &str, scope: Place) -> Result<Leaf> {
        let (place, access) = self.resolve(scope, path, true)?;
        let found = match (self.shape(place), place.id) {
            (Shape::Leaf, Some(id)) => self.kind(id).map(|kind| (id, kind)),
            _ => None,
        };
        let Some((field, kind)) = found else {
            let help = match self.shape(place) {
                Shape::Collection(_) | Shape::Array(..) => {
                    "a collection: `any(path, ..)`, `all(path, ..)`, `count(path, ..)` and `size(path)` look into it"
                }
                Shape::Record => "a record: name one of its members",
                Shape::Variant => "a variant: name one of its alternatives, `_0`, `_1`, ..",
                _ => "nothing that can be compared",
            };
            let message = format!("field `{}` is {help}", self.full(scope, path));
            return Err(Error::invalid_argument(message));
        };
        self.add(field);
        let names = self.names(field);
        self.has_enums |= names.is_some();
        Ok(Leaf { access, field, kind, names })
    }

    fn items(&mut self, path: &str, scope: Place) -> Result<(Items, Place)> {
        let (place, access) = self.resolve(scope, path, true)?;
        let (item, count) = match self.shape(place) {
            Shape::Collection(item) => (item, None),
            Shape::Array(item, count) => (item, Some(count)),
            _ => {
                let message =
                    format!("field `{}` is neither a collection nor an array", self.full(scope, path));
                return Err(Error::invalid_argument(message));
            }
        };
        let Some(field) = place.id else { return Err(self.schema.no_field(path)) };
        self.add(field);
        if count.is_some() {
            // An array has no column of its own: its items say how many there are, by whatever column they have.
            self.add_item(item);
        }
        Ok((Items { access, field, count }, item))
    }

    /// Follows a path; `unwrap`: to what is in the options and wrappers at its end.
    fn resolve(&self, scope: Place, path: &str, unwrap: bool) -> Result<(Place, Access)> {
        let (mut place, mut access) = (scope, Access::default());
        let names = path.split('.').filter(|_| !path.is_empty());
        for name in names {
            place = self.unwrap(place, &mut access);
            place = self.member(&mut access, place, name).ok_or_else(|| {
                let found = self.schema.no_field(&self.full(scope, path));
                match self.shape(place) {
                    Shape::Collection(_) | Shape::Array(..) => {
                        let whole = place.id.map(|id| self.schema.path(id)).unwrap_or_default();
                        let help = "`any(path, ..)`, `all(path, ..)` and `count(path, ..)` look into it";
                        Error::invalid_argument(format!("field `{whole}` is a collection: {help}"))
                    }
                    _ => found,
                }
            })?;
        }
        if unwrap {
            place = self.unwrap(place, &mut access);
        }
        Ok((place, access))
    }

    /// What is in options and wrappers.
    fn unwrap(&self, mut place: Place, access: &mut Access) -> Place {
        loop {
            match (self.shape(place), place.id) {
                (Shape::Wrapper(item), _) => place = item,
                (Shape::Option(item), Some(id)) => {
                    access.steps.push(Step::Value);
                    access.options.push(id);
                    place = item;
                }
                _ => return place,
            }
        }
    }

    fn member(&self, access: &mut Access, place: Place, name: &str) -> Option<Place> {
        let id = match place.id {
            None => self.schema.top_level_named(name)?,
            Some(id) => self.schema.child_named(id, name)?,
        };
        match self.shape(place) {
            Shape::Record => access.steps.push(Step::Member(name.to_owned())),
            Shape::Variant => {
                let number = self.schema.children(place.id?).iter().position(|child| *child == id)?;
                access.has_variant = true;
                access.steps.push(Step::Alternative(number));
            }
            _ => return None,
        }
        Some(Place::field(id))
    }

    fn shape(&self, place: Place) -> Shape {
        let Some(id) = place.id else { return Shape::Record };
        let Some(field) = self.schema.field(id).filter(|_| !place.is_item) else { return Shape::Leaf };
        let has_columns = !self.schema.representations(id).is_empty();
        let child = match self.schema.children(id) {
            &[item] => Some(Place::field(item)),
            _ => None,
        };
        match (field.role, field.array_size, child) {
            (Role::Plain, Some(size), _) if has_columns => {
                Shape::Array(Place { id: Some(id), is_item: true }, size)
            }
            (Role::Plain, Some(size), Some(item)) => Shape::Array(item, size),
            (Role::Plain, None, _) if has_columns => Shape::Leaf,
            (Role::Plain, None, Some(item)) => Shape::Wrapper(item),
            (Role::Collection, None, Some(item)) if is_optional(&field.type_name) => Shape::Option(item),
            (Role::Collection, None, Some(item)) => Shape::Collection(item),
            (Role::Record, None, _) => Shape::Record,
            (Role::Variant, None, _) => Shape::Variant,
            _ => Shape::Other,
        }
    }

    /// What the values of a leaf are.
    fn kind(&self, id: FieldId) -> Option<Kind> {
        let columns = self.schema.representations(id).first()?;
        let column_type = self.schema.column(*columns.first()?)?.column_type()?;
        let name = &*self.schema.field(id)?.type_name;
        Some(match (columns.len(), name, column_type) {
            (2, _, _) => Kind::Text,
            (_, "bool", _) => Kind::Bool,
            (_, name, ColumnType::Bit) if !is_number(name) => Kind::Bool,
            (_, _, ColumnType::Switch) => return None,
            _ => Kind::Number,
        })
    }

    /// What the file says of the variants of an enum.
    fn names(&self, id: FieldId) -> Option<Names> {
        let names = self.schema.field(id)?.enumerators();
        (!names.is_empty()).then(|| names.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
    }

    /// Adds a field, and what is around it.
    fn add(&mut self, id: FieldId) {
        let mut next = Some(id);
        while let Some(at) = next {
            let Some(field) = self.schema.field(at) else { return };
            self.fields.insert(at);
            // Alternatives are distinguished by number: a variant is taken as a whole.
            if field.role == Role::Variant {
                self.add_below(at);
            }
            next = field.parent;
        }
    }

    /// Adds an item, down to something that has a column or consists of members.
    fn add_item(&mut self, item: Place) {
        let Some(id) = item.id else { return };
        self.add(id);
        if let Shape::Wrapper(inner) | Shape::Array(inner, _) = self.shape(item) {
            self.add_item(inner);
        }
    }

    fn add_below(&mut self, id: FieldId) {
        let mut below = vec![id];
        while let Some(id) = below.pop() {
            self.fields.insert(id);
            below.extend(self.schema.children(id));
        }
    }

    /// Adds the last variant on a path.
    fn add_variant_at(&mut self, scope: Place, path: &str) -> Result<()> {
        let mut at = self.resolve(scope, path, false)?.0.id;
        while let Some(id) = at {
            let Some(field) = self.schema.field(id) else { break };
            if field.role == Role::Variant {
                self.add(id);
                break;
            }
            at = field.parent;
        }
        Ok(())
    }

    fn full(&self, scope: Place, path: &str) -> String {
        match (scope.id, path) {
            (None, path) => path.to_owned(),
            (Some(id), "") => self.schema.path(id),
            (Some(id), path) => format!("{}.{path}", self.schema.path(id)),
        }
    }
}

/// Whether the type of this name is one of C++'s numbers.
fn is_number(name: &str) -> bool {
    let integer = name.strip_prefix("std::").and_then(|name| name.strip_suffix("_t"));
    integer.is_some() || matches!(name, "float" | "double" | "char" | "std::byte")
}

/// The integer of an enum's variant for its name; what is not about an enum stays as it is.
fn named(literal: &Literal, names: Option<&[(String, i128)]>, operand: &Operand) -> Result<Literal> {
    let (Literal::String(name), Some(names)) = (literal, names) else { return Ok(literal.clone()) };
    let found = names.iter().find(|(own, _)| own == name);
    found.map(|(_, number)| Literal::Int(*number)).ok_or_else(|| {
        let names = enumerators::spelled(names);
        Error::invalid_argument(format!(
            "no variant of `{operand}` is called {name:?}; the file has: {names}"
        ))
    })
}

fn comparable(
    left: &Operand,
    left_kind: Kind,
    right: &impl std::fmt::Display,
    right_kind: Kind,
) -> Result<()> {
    if left_kind == right_kind {
        return Ok(());
    }
    let (one, two) = (left_kind.name(), right_kind.name());
    Err(Error::invalid_argument(format!("`{left}` is {one} and cannot be compared with `{right}`, {two}")))
}

impl Term {
    /// The number that it always is, if it is one.
    pub(super) fn constant(&self) -> Option<Scalar<'_>> {
        match self {
            Self::Literal(literal) => Some(literal.scalar()),
            Self::Abs(inner) => match inner.constant()? {
                Scalar::Number(number) => Some(Scalar::Number(Number::abs(number))),
                _ => None,
            },
            _ => None,
        }
    }
}
