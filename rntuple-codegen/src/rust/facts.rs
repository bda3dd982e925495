//! What each type is in Rust: itself, a value of any type, or nothing.

use std::collections::{HashMap, HashSet};

use crate::model::{Container, Model, Record, Type, TypeId};
use crate::scalar::Scalar;

/// Types nested deeper than this are values of any type: compilers have limits too.
pub(super) const DEEPEST: u32 = 24;

/// Tuples have traits up to this many members.
const LARGEST_TUPLE: usize = 12;

/// Alternatives of an enum that the derive takes.
const MOST_ALTERNATIVES: usize = 125;

/// Bytes of an array: larger ones are values of any type, which live on the heap.
const LARGEST_ARRAY: u64 = 1 << 16;

/// Bytes of a struct; what would make it larger is a value of any type.
const LARGEST_STRUCT: u64 = 1 << 20;

/// Bytes of a `Value`, or a little more.
const VALUE: u64 = 64;

/// What a type or member is in Rust.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Typed,
    Value,
    /// Left out, and why.
    Out(&'static str),
}

/// The members of a struct.
#[derive(Debug, Default)]
pub(super) struct Members {
    pub(super) forms: Vec<Form>,
    pub(super) is_read_only: bool,
    depth: u32,
    size: u64,
}

/// What each type is.
#[derive(Debug)]
pub(super) struct Facts {
    pub(super) entry: Members,
    /// Of records.
    pub(super) members: HashMap<TypeId, Members>,
    types: Vec<Fact>,
}

#[derive(Clone, Copy, Debug)]
struct Fact {
    form: Form,
    depth: u32,
    /// Bytes in memory, roughly.
    size: u64,
    is_read_only: bool,
}

impl Facts {
    pub(super) fn of(model: &Model<'_>) -> Self {
        let mut facts = Self { entry: Members::default(), members: HashMap::new(), types: Vec::new() };
        let repeated = repeated_classes(model);
        // What a type is made of stands before it.
        for (id, ty) in model.types.iter().enumerate() {
            let mut fact = facts.fact(id, ty, model);
            let class = class_of(ty);
            fact.is_read_only |= !class.is_empty() && (!is_class_name(class) || repeated.contains(class));
            if let Some(members) = facts.members.get_mut(&id) {
                members.is_read_only |= fact.is_read_only;
            }
            if fact.form == Form::Typed && fact.depth > DEEPEST {
                fact.form = Form::Value;
            }
            if fact.form == Form::Value {
                fact = Fact { form: Form::Value, depth: 1, size: VALUE, is_read_only: true };
                if !model.is_any(id) {
                    fact.form = Form::Out("too large or too deep, with unknown parts");
                }
            }
            facts.types.push(fact);
        }
        let schema = model.schema;
        let name = |id| schema.field(id).map_or("", |field| &*field.name);
        let top: Vec<(&str, TypeId)> =
            schema.top_level().iter().map(|id| (name(*id), model.of_field(*id))).collect();
        facts.entry = facts.choose(model, &top);
        facts.entry.is_read_only |= schema
            .top_level()
            .iter()
            .any(|id| schema.field(*id).is_some_and(|field| field.projection_source.is_some()));
        facts
    }

    pub(super) fn form(&self, ty: TypeId) -> Form {
        self.get(ty).form
    }

    pub(super) fn is_read_only(&self, ty: TypeId) -> bool {
        self.get(ty).is_read_only
    }

    fn get(&self, ty: TypeId) -> Fact {
        let nothing = Fact { form: Form::Out("unknown"), depth: 1, size: 0, is_read_only: true };
        self.types.get(ty).copied().unwrap_or(nothing)
    }

    fn fact(&mut self, id: TypeId, ty: &Type, model: &Model<'_>) -> Fact {
        let leaf = |size| Fact { form: Form::Typed, depth: 1, size, is_read_only: false };
        match ty {
            Type::Scalar(_) => leaf(8),
            // Without names it is an integer, which would be written as one.
            Type::Enum(plain) => {
                let is_integer = !plain.class.is_empty() && plain.enumerators.is_empty();
                Fact { is_read_only: is_integer, ..leaf(8) }
            }
            Type::String => leaf(24),
            Type::Cardinality => Fact { is_read_only: true, ..leaf(8) },
            Type::BitSet(count) => limited(leaf(*count), *count),
            Type::Array(item, count) => {
                let item = self.around(&[*item]);
                let size = item.size.saturating_mul(*count);
                // Items without bytes still take their time.
                limited(Fact { size, ..item }, size.max(*count))
            }
            Type::Atomic(inner) => self.around(&[*inner]),
            Type::Collection(container, item) => {
                let item = self.around(&[*item]);
                let is_option = matches!(container, Container::Optional | Container::UniquePtr);
                // Others keep their items elsewhere.
                Fact { size: if is_option { item.size.saturating_add(8) } else { 48 }, ..item }
            }
            Type::Tuple { members, .. } => {
                let fact = self.around(members);
                let is_small = members.len() <= LARGEST_TUPLE && fact.size <= LARGEST_ARRAY;
                if is_small { fact } else { Fact { form: Form::Value, ..fact } }
            }
            Type::Variant(variant) => {
                let types: Vec<TypeId> = variant.alternatives.iter().map(|(_, ty)| *ty).collect();
                let fact = self.around(&types);
                if types.len() <= MOST_ALTERNATIVES { fact } else { Fact { form: Form::Value, ..fact } }
            }
            Type::Record(record) => self.record(id, record, model),
            Type::Opaque(_) => Fact { form: Form::Value, ..leaf(VALUE) },
            Type::Unreadable(why) => Fact { form: Form::Out(why), ..leaf(0) },
        }
    }

    /// Of something around these types, which cannot do without any of them.
    fn around(&self, types: &[TypeId]) -> Fact {
        let mut fact = Fact { form: Form::Typed, depth: 1, size: 0, is_read_only: false };
        for inner in types.iter().map(|ty| self.get(*ty)) {
            if let Form::Out(_) = inner.form {
                fact.form = inner.form;
            }
            fact.depth = fact.depth.max(inner.depth + 1);
            fact.size = fact.size.saturating_add(inner.size);
            fact.is_read_only |= inner.is_read_only;
        }
        fact
    }

    fn record(&mut self, id: TypeId, record: &Record, model: &Model<'_>) -> Fact {
        let list: Vec<(&str, TypeId)> = record.members.iter().map(|(name, ty)| (&**name, *ty)).collect();
        let mut members = self.choose(model, &list);
        // Half a class must not be written under its name.
        members.is_read_only |= members.forms.iter().any(|form| matches!(form, Form::Out(_)));
        let (depth, size, is_read_only) = (members.depth, members.size, members.is_read_only);
        self.members.insert(id, members);
        Fact { form: Form::Typed, depth, size, is_read_only }
    }

    fn choose(&self, model: &Model<'_>, list: &[(&str, TypeId)]) -> Members {
        let mut members = Members { depth: 1, ..Members::default() };
        let mut seen = HashSet::new();
        for (name, ty) in list {
            let fact = self.get(*ty);
            let too_large = members.size.saturating_add(fact.size) > LARGEST_STRUCT && fact.size > VALUE;
            let form = match fact.form {
                _ if !is_field_name(name) => Form::Out("a name that fields cannot have"),
                _ if !seen.insert(*name) => Form::Out("another field has this name"),
                Form::Typed if too_large && model.is_any(*ty) => Form::Value,
                Form::Typed if too_large => Form::Out("too large, with unknown parts"),
                form => form,
            };
            members.forms.push(form);
            match form {
                Form::Typed => {
                    members.depth = members.depth.max(fact.depth + 1);
                    members.size = members.size.saturating_add(fact.size);
                    members.is_read_only |= fact.is_read_only;
                }
                Form::Value => {
                    members.size = members.size.saturating_add(VALUE);
                    members.is_read_only = true;
                }
                Form::Out(_) => {}
            }
        }
        members
    }
}

fn limited(fact: Fact, size: u64) -> Fact {
    if size <= LARGEST_ARRAY || fact.form != Form::Typed { fact } else { Fact { form: Form::Value, ..fact } }
}

/// Names that several different types have, although C++ would know only one.
fn repeated_classes<'m>(model: &'m Model<'_>) -> HashSet<&'m str> {
    let mut seen = HashSet::new();
    model.types.iter().map(class_of).filter(|class| !class.is_empty() && !seen.insert(*class)).collect()
}

/// Whether the format, and so the derive, allows the name for a field.
fn is_field_name(name: &str) -> bool {
    !name.is_empty() && !name.contains(|c: char| c.is_control() || matches!(c, ' ' | '.' | '/' | '\\'))
}

/// Whether values of the type can be keys of sets and maps.
pub(super) fn is_key(model: &Model<'_>, ty: TypeId) -> bool {
    match model.get(ty) {
        Type::Scalar(scalar) => Scalar::is_key(*scalar),
        Type::String => true,
        Type::Enum(plain) => plain.enumerators.is_empty(),
        _ => false,
    }
}

/// The C++ class of a type, if it has one.
pub(super) fn class_of(ty: &Type) -> &str {
    match ty {
        Type::Record(record) => &record.class,
        Type::Enum(plain) => &plain.class,
        _ => "",
    }
}

/// Whether the derive takes it as the name of a class.
pub(super) fn is_class_name(class: &str) -> bool {
    !class.is_empty() && class.trim() == class && !class.chars().any(char::is_control)
}
