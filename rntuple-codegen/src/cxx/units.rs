//! Which classes and enums a header defines, under which names, and in which order.

use std::collections::{HashMap, HashSet};

use rntuple::schema::split_template;

use crate::model::{Model, Type, TypeId};
use crate::names::{self, Scope};
use crate::rust;
use crate::scalar::{DOUBLE32, Scalar};

/// Classes in classes, namespaces in namespaces: more are given other names.
const DEEPEST: usize = 16;

/// A class or enum.
#[derive(Clone, Debug, Default)]
pub(super) struct Unit {
    /// The namespaces, or the class, around it.
    pub(super) scope: Vec<String>,
    pub(super) name: String,
    /// `<float,3>`, as it stands behind the name.
    pub(super) arguments: String,
    /// The kinds of the arguments: types or numbers.
    pub(super) parameters: Vec<&'static str>,
    /// Units among the arguments.
    pub(super) arguments_of: Vec<TypeId>,
    /// The class that it is defined in.
    pub(super) outer: Option<TypeId>,
    /// Whether the file has another name for it, or none.
    pub(super) is_renamed: bool,
}

impl Unit {
    /// `ns::Hit<float>`
    pub(super) fn spelled(&self) -> String {
        let mut out = String::new();
        for part in &self.scope {
            out.push_str(part);
            out.push_str("::");
        }
        out + &self.name + &self.arguments
    }
}

/// All units.
#[derive(Debug)]
pub(super) struct Units {
    pub(super) by_type: HashMap<TypeId, Unit>,
    /// Those that stand in no class, each behind what it needs.
    pub(super) order: Vec<TypeId>,
    /// Those that stand in a class.
    pub(super) nested: HashMap<TypeId, Vec<TypeId>>,
    pub(super) entry: String,
    /// Types that are reached from the entry, by their first fields.
    pub(super) types: Vec<TypeId>,
    /// What `std` and the like could be taken for, so that names must begin with `::`.
    pub(super) is_absolute: bool,
}

impl Units {
    pub(super) fn of(model: &Model<'_>, entry: &str) -> Self {
        let types = reachable(model);
        let (rust_entry, rust_names) = rust::item_names(model, entry);
        let mut names = Names::new(model, &types);
        let entry = names.scope.claim(&plain(&rust_entry));
        let mut by_type = HashMap::new();
        // Outer classes first, and names of one's own before those that are made up.
        let mut items: Vec<(TypeId, &str)> =
            types.iter().filter_map(|ty| Some((*ty, class(model.get(*ty))?))).collect();
        items.sort_by_key(|(ty, class)| (class.is_empty(), class.len(), model.first(*ty)));
        for &(ty, class) in &items {
            let unit = names.unit(ty, class).unwrap_or_else(|| {
                let path = || names::from_path(model.path(model.first(ty)).into_iter());
                let name = rust_names.get(&ty).cloned().unwrap_or_else(|| match class {
                    "" => path(),
                    class => names::long_class(class),
                });
                Unit { name: names.scope.claim(&plain(&name)), is_renamed: true, ..Unit::default() }
            });
            by_type.insert(ty, unit);
        }
        let mut nested: HashMap<TypeId, Vec<TypeId>> = HashMap::new();
        let mut types = types;
        types.sort_by_key(|ty| model.first(*ty));
        for &ty in &types {
            if let Some(outer) = by_type.get(&ty).and_then(|unit| unit.outer) {
                nested.entry(outer).or_default().push(ty);
            }
        }
        let order = order(model, &types, &by_type, &nested);
        let roots: HashSet<&str> = by_type
            .values()
            .map(|unit| unit.scope.first().map_or(&*unit.name, |root| root))
            .chain(["std", "ROOT", DOUBLE32, &*entry])
            .collect();
        let inner = by_type
            .values()
            .flat_map(|unit| unit.scope.iter().skip(1).chain((!unit.scope.is_empty()).then_some(&unit.name)));
        let members = model.schema.fields().map(|(_, field)| &field.name);
        let is_absolute = inner.chain(members).any(|name| roots.contains(&**name));
        Self { by_type, order, nested, entry, types, is_absolute }
    }
}

/// The class of a record or enum; empty where a record has none.
fn class(ty: &Type) -> Option<&str> {
    match ty {
        Type::Record(record) => Some(&record.class),
        Type::Enum(plain) if !plain.class.is_empty() => Some(&plain.class),
        _ => None,
    }
}

/// A name of Rust's as one of C++'s.
fn plain(name: &str) -> String {
    names::sanitized(name.trim_start_matches("r#"), true)
}

/// Types that are part of an entry. What a type is made of has smaller numbers, so it comes first.
fn reachable(model: &Model<'_>) -> Vec<TypeId> {
    let mut is_reached = vec![false; model.types.len()];
    for field in model.schema.top_level() {
        if let Some(slot) = is_reached.get_mut(model.of_field(*field)) {
            *slot = true;
        }
    }
    for ty in (0..model.types.len()).rev() {
        if is_reached.get(ty) == Some(&true) {
            for part in model.get(ty).parts() {
                if let Some(slot) = is_reached.get_mut(part) {
                    *slot = true;
                }
            }
        }
    }
    (0..model.types.len()).filter(|ty| is_reached.get(*ty) == Some(&true)).collect()
}

/// Names that are given away.
struct Names<'m> {
    scope: Scope,
    /// Classes that others may stand in.
    records: HashMap<&'m str, TypeId>,
    enums: HashSet<&'m str>,
    /// The parameters of each template, once the first class of it has been named.
    templates: HashMap<&'m str, Option<Vec<&'static str>>>,
    /// Units under the names that the file has for them.
    named: HashMap<&'m str, TypeId>,
}

impl<'m> Names<'m> {
    fn new(model: &'m Model<'_>, types: &[TypeId]) -> Self {
        let mut scope = Scope::default();
        let (mut records, mut enums, mut templates) = (HashMap::new(), HashSet::new(), HashMap::new());
        scope.take("std");
        scope.take("ROOT");
        scope.take(DOUBLE32);
        for &ty in types {
            let Some(class) = class(model.get(ty)) else { continue };
            // Whatever is made up keeps away from the file's own names.
            scope.take(class.split(['<', ':']).next().unwrap_or_default());
            if let Some((path, _)) = split_template(class) {
                templates.insert(path, None);
            }
            match model.get(ty) {
                Type::Record(_) if is_path(class) => {
                    records.entry(class).or_insert(ty);
                }
                Type::Enum(_) => {
                    enums.insert(class);
                }
                _ => {}
            }
        }
        Self { scope, records, enums, templates, named: HashMap::new() }
    }

    /// The unit of a class, if C++ can have it under this name.
    fn unit(&mut self, ty: TypeId, class: &'m str) -> Option<Unit> {
        // Two types of one name: the first has it.
        if self.named.contains_key(class) {
            return None;
        }
        let (path, arguments) = match split_template(class) {
            Some((path, arguments)) => (path, Some(arguments)),
            None => (class, None),
        };
        if !is_path(path)
            || matches!(path, "std" | "ROOT" | DOUBLE32)
            || path.starts_with("std::")
            || Scalar::named(path).is_some()
        {
            return None;
        }
        let mut scope: Vec<String> = path.split("::").map(str::to_owned).collect();
        let name = scope.pop().filter(|_| scope.len() < DEEPEST)?;
        let outer = self.outer(&scope, &name)?;
        let mut unit = Unit { scope, name, outer, ..Unit::default() };
        if let Some(arguments) = arguments {
            // A class cannot have been declared before the class around it.
            if outer.is_some() || self.records.contains_key(path) || self.enums.contains(path) {
                return None;
            }
            for argument in &arguments {
                let known = self.named.get(argument);
                unit.parameters.push(if known.is_some() { "typename" } else { kind(argument)? });
                unit.arguments_of.extend(known);
            }
            let parameters = self.templates.entry(path).or_default();
            if *parameters.get_or_insert_with(|| unit.parameters.clone()) != unit.parameters {
                return None;
            }
            unit.arguments = format!("<{}>", arguments.join(","));
        }
        self.named.insert(class, ty);
        Some(unit)
    }

    /// The class around something of this name, if one is; `None` if the name cannot be.
    fn outer(&self, scope: &[String], name: &str) -> Option<Option<TypeId>> {
        let mut path = String::new();
        let mut outer = None;
        for part in scope {
            if !path.is_empty() {
                path.push_str("::");
            }
            path.push_str(part);
            let record = self.records.get(&*path).copied();
            // A record that had to be called otherwise has no place for others.
            let record = record.filter(|record| self.named.get(&*path) == Some(record));
            let is_other = self.enums.contains(&*path)
                || self.templates.contains_key(&*path)
                || self.records.contains_key(&*path) && record.is_none();
            if is_other || outer.is_some() && record.is_none() {
                return None;
            }
            outer = record;
        }
        (outer.is_none() || scope.last().is_none_or(|last| last != name)).then_some(outer)
    }
}

/// Whether the text is `a::b::c`.
fn is_path(text: &str) -> bool {
    text.split("::").all(names::is_cxx)
}

/// What a template argument is, if it is one that needs no declarations.
fn kind(argument: &str) -> Option<&'static str> {
    let number = argument.strip_prefix('-').unwrap_or(argument);
    let number = number.strip_suffix('u').unwrap_or(number);
    if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) {
        return Some("auto");
    }
    (Scalar::named(argument).is_some() || argument == "std::string").then_some("typename")
}

/// Units that stand in no class, each behind what it and what stands in it needs.
fn order(
    model: &Model<'_>,
    types: &[TypeId],
    by_type: &HashMap<TypeId, Unit>,
    nested: &HashMap<TypeId, Vec<TypeId>>,
) -> Vec<TypeId> {
    /// The unit on the outside of a unit.
    fn outermost(by_type: &HashMap<TypeId, Unit>, mut ty: TypeId) -> TypeId {
        while let Some(outer) = by_type.get(&ty).and_then(|unit| unit.outer) {
            ty = outer;
        }
        ty
    }
    // Units that each unit needs, through whatever stands between them.
    let needs = |unit: TypeId| {
        let arguments = by_type.get(&unit).map_or(&[][..], |unit| &unit.arguments_of);
        let mut found: Vec<TypeId> = arguments.iter().map(|argument| outermost(by_type, *argument)).collect();
        let mut seen = HashSet::new();
        let mut stack = vec![unit];
        while let Some(ty) = stack.pop() {
            if ty != unit && by_type.contains_key(&ty) {
                found.push(outermost(by_type, ty));
            } else {
                stack.extend(model.get(ty).parts().into_iter().filter(|part| seen.insert(*part)));
            }
        }
        found
    };
    let mut done = HashSet::new();
    let mut order = Vec::new();
    for &ty in types.iter().filter(|ty| by_type.contains_key(ty)) {
        let mut stack = vec![(outermost(by_type, ty), false)];
        while let Some((unit, is_ready)) = stack.pop() {
            if is_ready {
                order.push(unit);
                continue;
            }
            // Those under way are not visited again, so that even a circle ends.
            if !done.insert(unit) {
                continue;
            }
            stack.push((unit, true));
            let mut inside = vec![unit];
            while let Some(member) = inside.pop() {
                inside.extend(nested.get(&member).into_iter().flatten());
                stack.extend(needs(member).into_iter().map(|need| (need, false)));
            }
        }
    }
    order
}
