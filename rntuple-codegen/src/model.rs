//! The fields of a schema as types. Equal types are one, so that a class that many fields have is said once.

use std::collections::{HashMap, HashSet};

use rntuple::schema::{FieldDescriptor, FieldId, Role, Schema, split_template};

use crate::scalar::{self, DOUBLE32, Scalar};
use crate::{enumerators, names};

/// A type, by its place in [`Model::types`]: what it is made of stands before it.
pub(crate) type TypeId = usize;

/// A type of the file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Type {
    Scalar(Scalar),
    String,
    /// The size of a collection.
    Cardinality,
    BitSet(u64),
    Array(TypeId, u64),
    Collection(Container, TypeId),
    Atomic(TypeId),
    Enum(Enum),
    /// `std::pair`, `std::tuple`
    Tuple {
        is_pair: bool,
        members: Vec<TypeId>,
    },
    Record(Record),
    Variant(Variant),
    /// Only a reader of any type reads it; its name in C++.
    Opaque(String),
    /// No reader reads it; why.
    Unreadable(&'static str),
}

impl Type {
    /// What the type is made of.
    pub(crate) fn parts(&self) -> Vec<TypeId> {
        match self {
            Self::Array(inner, _) | Self::Collection(_, inner) | Self::Atomic(inner) => vec![*inner],
            Self::Tuple { members, .. } => members.clone(),
            Self::Record(record) => record.members.iter().map(|(_, ty)| *ty).collect(),
            Self::Variant(variant) => variant.alternatives.iter().map(|(_, ty)| *ty).collect(),
            _ => Vec::new(),
        }
    }
}

/// What holds the items of a collection in C++.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Container {
    Vector,
    RVec,
    Set,
    Multiset,
    UnorderedSet,
    UnorderedMultiset,
    Map,
    Multimap,
    UnorderedMap,
    UnorderedMultimap,
    Optional,
    UniquePtr,
}

/// The template of each container.
pub(crate) const CONTAINERS: [(Container, &str); 12] = [
    (Container::Vector, "std::vector"),
    (Container::RVec, "ROOT::VecOps::RVec"),
    (Container::Set, "std::set"),
    (Container::Multiset, "std::multiset"),
    (Container::UnorderedSet, "std::unordered_set"),
    (Container::UnorderedMultiset, "std::unordered_multiset"),
    (Container::Map, "std::map"),
    (Container::Multimap, "std::multimap"),
    (Container::UnorderedMap, "std::unordered_map"),
    (Container::UnorderedMultimap, "std::unordered_multimap"),
    (Container::Optional, "std::optional"),
    (Container::UniquePtr, "std::unique_ptr"),
];

impl Container {
    pub(crate) fn template(self) -> &'static str {
        CONTAINERS.iter().find(|(container, _)| *container == self).map_or("", |(_, name)| name)
    }

    pub(crate) fn is_map(self) -> bool {
        matches!(self, Self::Map | Self::Multimap | Self::UnorderedMap | Self::UnorderedMultimap)
    }
}

/// An enum, or integers that have names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Enum {
    /// Empty where C++ sees integers.
    pub(crate) class: String,
    pub(crate) integer: Scalar,
    /// Names and values, if the file tells.
    pub(crate) enumerators: Vec<(String, i128)>,
}

/// A struct or class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Record {
    pub(crate) class: String,
    /// The version of the class, where one is stated.
    pub(crate) version: Option<u32>,
    /// Records without a class are of the type of their field alone.
    pub(crate) origin: Option<FieldId>,
    pub(crate) members: Vec<(String, TypeId)>,
}

/// A `std::variant`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Variant {
    pub(crate) class: String,
    pub(crate) origin: Option<FieldId>,
    /// Names, where descriptions have them, and types.
    pub(crate) alternatives: Vec<(String, TypeId)>,
}

/// All types of a schema.
#[derive(Debug)]
pub(crate) struct Model<'a> {
    pub(crate) schema: &'a Schema,
    pub(crate) types: Vec<Type>,
    /// By type: whether a reader of any type reads it.
    any: Vec<bool>,
    /// By type: templates in templates.
    depth: Vec<u32>,
    /// By type: the first field that has it.
    first: Vec<FieldId>,
    /// By field.
    of_field: Vec<TypeId>,
    ids: HashMap<Type, TypeId>,
}

impl<'a> Model<'a> {
    /// The types of all fields; `values` are to be opaque.
    pub(crate) fn new(schema: &'a Schema, values: &HashSet<FieldId>) -> Self {
        let fields: Vec<(FieldId, &FieldDescriptor)> = schema.fields().collect();
        let mut model = Self {
            schema,
            types: Vec::new(),
            any: Vec::new(),
            depth: Vec::new(),
            first: Vec::new(),
            of_field: vec![0; fields.len()],
            ids: HashMap::new(),
        };
        // Parents stand before their children, so this goes from the leaves up, without a stack.
        for (id, field) in fields.into_iter().rev() {
            let mut found = model.classify(id, field);
            let may_be_opaque = values.contains(&id);
            if may_be_opaque && model.is_readable_as_any(&found) {
                found = Type::Opaque(field.type_name.clone());
            }
            let ty = model.intern(found, id);
            if let Some(slot) = model.of_field.get_mut(id.index()) {
                *slot = ty;
            }
        }
        model
    }

    /// The type of a field.
    pub(crate) fn of_field(&self, field: FieldId) -> TypeId {
        self.of_field.get(field.index()).copied().unwrap_or_default()
    }

    pub(crate) fn get(&self, ty: TypeId) -> &Type {
        self.types.get(ty).unwrap_or(&Type::Unreadable(""))
    }

    /// The first field that has the type.
    pub(crate) fn first(&self, ty: TypeId) -> FieldId {
        self.first.get(ty).copied().unwrap_or(FieldId(0))
    }

    /// Whether values of the type can be read as `Value`.
    pub(crate) fn is_any(&self, ty: TypeId) -> bool {
        self.any.get(ty).copied().unwrap_or_default()
    }

    /// How deep the type's templates are nested.
    pub(crate) fn depth(&self, ty: TypeId) -> u32 {
        self.depth.get(ty).copied().unwrap_or_default()
    }

    /// Description of the field.
    pub(crate) fn description(&self, field: FieldId) -> &'a str {
        self.schema.field(field).map_or("", |field| &field.description)
    }

    /// Names of the fields from the top level down to this one.
    pub(crate) fn path(&self, field: FieldId) -> Vec<&'a str> {
        let mut names = Vec::new();
        let mut next = Some(field);
        while let Some(field) = next.and_then(|id| self.schema.field(id)) {
            names.push(&*field.name);
            next = field.parent;
        }
        names.reverse();
        names
    }

    fn intern(&mut self, ty: Type, field: FieldId) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            // Fields come last first.
            if let Some(first) = self.first.get_mut(id) {
                *first = field;
            }
            return id;
        }
        let id = self.types.len();
        self.any.push(self.is_readable_as_any(&ty));
        let depth = match &ty {
            Type::Record(_) => 0,
            ty => ty.parts().into_iter().map(|part| self.depth(part) + 1).max().unwrap_or_default(),
        };
        self.depth.push(depth);
        self.first.push(field);
        self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    fn is_readable_as_any(&self, ty: &Type) -> bool {
        match ty {
            Type::Unreadable(_) => false,
            ty => ty.parts().into_iter().all(|part| self.is_any(part)),
        }
    }

    fn classify(&self, id: FieldId, field: &FieldDescriptor) -> Type {
        let has_columns = !self.schema.representations(id).is_empty();
        if let Some(size) = field.array_size {
            return self.array(id, field, size, has_columns);
        }
        match field.role {
            Role::Plain if has_columns => self.leaf(id, field),
            Role::Plain => self.wrapper(id, field),
            Role::Collection => self.collection(id, field),
            Role::Record => self.record(id, field),
            Role::Variant => self.variant(id, field),
            Role::Streamer if scalar::reads_string(self.schema, id) => Type::Opaque(field.type_name.clone()),
            Role::Streamer => Type::Unreadable("a streamed object without its bytes"),
            _ => Type::Unreadable("a field of an unknown role"),
        }
    }

    /// The type of the only child, if there is exactly one and it can be read.
    fn item(&self, id: FieldId) -> Option<TypeId> {
        let [item] = self.schema.children(id) else { return None };
        let item = self.of_field(*item);
        (!matches!(self.get(item), Type::Unreadable(_))).then_some(item)
    }

    /// What only a reader of any type reads, if it does.
    fn opaque(&self, field: &FieldDescriptor, items: &[TypeId]) -> Type {
        if items.iter().all(|item| self.is_any(*item)) {
            Type::Opaque(field.type_name.clone())
        } else {
            Type::Unreadable("parts of it are unknown")
        }
    }

    fn array(&self, id: FieldId, field: &FieldDescriptor, size: u64, has_columns: bool) -> Type {
        if has_columns {
            let is_bits = field.role == Role::Plain && field.type_name.starts_with("std::bitset<");
            return match self.leaf(id, field) {
                Type::Scalar(Scalar::Bool) if is_bits => Type::BitSet(size),
                leaf => self.repeated(field, &leaf),
            };
        }
        match self.item(id) {
            Some(item) if field.role == Role::Plain && size > 0 => Type::Array(item, size),
            Some(item) => self.opaque(field, &[item]),
            None => Type::Unreadable("an array without an item"),
        }
    }

    /// A leaf whose own column repeats, and which is no bitset.
    fn repeated(&self, field: &FieldDescriptor, leaf: &Type) -> Type {
        if self.is_readable_as_any(leaf) {
            Type::Opaque(field.type_name.clone())
        } else {
            Type::Unreadable("an array of unknown items")
        }
    }

    fn leaf(&self, id: FieldId, field: &FieldDescriptor) -> Type {
        let schema = self.schema;
        let columns = scalar::column_count(schema, id);
        if columns == 2 {
            return if scalar::reads_string(schema, id) {
                Type::String
            } else {
                Type::Unreadable("two columns that are no string")
            };
        }
        if columns == 1 && scalar::reads_offsets(schema, id) {
            return Type::Cardinality;
        }
        let scalar = Scalar::named(&field.type_name)
            .or_else(|| Scalar::of_column(scalar::column_type(schema, id)?))
            .filter(|scalar| columns == 1 && scalar.reads(schema, id));
        let scalar = match scalar {
            Some(Scalar::F64) if field.type_alias == DOUBLE32 => Some(Scalar::Double32),
            scalar => scalar,
        };
        let Some(scalar) = scalar else { return Type::Unreadable("columns that do not fit its type") };
        let parent = field.parent.and_then(|parent| schema.field(parent));
        let is_wrapped =
            parent.is_some_and(|parent| parent.role == Role::Plain && parent.array_size.is_none());
        let names = scalar.range().filter(|_| !is_wrapped).map(|range| enumerators::of(field, range));
        match names {
            // One alone may be anything.
            Some(enumerators) if enumerators.len() > 1 => {
                Type::Enum(Enum { class: String::new(), integer: scalar, enumerators })
            }
            _ => Type::Scalar(scalar),
        }
    }

    /// Enums and atomics: nothing but another name for what is inside.
    fn wrapper(&self, id: FieldId, field: &FieldDescriptor) -> Type {
        let Some(item) = self.item(id) else { return Type::Unreadable("neither columns nor an item") };
        let is_atomic = field.type_name.starts_with("std::atomic<");
        match self.get(item) {
            Type::Scalar(_) | Type::Enum(_) | Type::Atomic(_) if is_atomic => Type::Atomic(item),
            Type::Scalar(integer) => match integer.range() {
                Some(range) if !field.type_name.is_empty() => {
                    let item = self.schema.children(id).first().and_then(|item| self.schema.field(*item));
                    let enumerators = item.map(|item| enumerators::of(item, range)).unwrap_or_default();
                    Type::Enum(Enum { class: field.type_name.clone(), integer: *integer, enumerators })
                }
                _ => Type::Scalar(*integer),
            },
            _ => self.opaque(field, &[item]),
        }
    }

    fn collection(&self, id: FieldId, field: &FieldDescriptor) -> Type {
        let Some(item) = self.item(id).filter(|_| scalar::reads_offsets(self.schema, id)) else {
            return Type::Unreadable("a collection without offsets or item");
        };
        let template = split_template(&field.type_name).map_or("", |(template, _)| template);
        let known = CONTAINERS.iter().find(|(_, name)| *name == template);
        let container = known.map_or(Container::Vector, |(container, _)| *container);
        let is_pair = matches!(self.get(item), Type::Tuple { members, .. } if members.len() == 2);
        match container {
            // Its items are no pairs, so it is no map whatever it says.
            map if map.is_map() && !is_pair => Type::Collection(Container::Vector, item),
            container => Type::Collection(container, item),
        }
    }

    fn record(&self, id: FieldId, field: &FieldDescriptor) -> Type {
        let children = self.schema.children(id);
        let template = split_template(&field.type_name).map_or("", |(template, _)| template);
        if matches!(template, "std::pair" | "std::tuple") {
            let member = |number: usize| self.schema.child_named(id, &format!("_{number}"));
            let members: Option<Vec<FieldId>> = (0..children.len()).map(member).collect();
            let Some(members) = members.filter(|members| !members.is_empty()) else {
                let all: Vec<TypeId> = children.iter().map(|child| self.of_field(*child)).collect();
                return self.opaque(field, &all);
            };
            let members: Vec<TypeId> = members.into_iter().map(|member| self.of_field(member)).collect();
            if members.iter().any(|member| matches!(self.get(*member), Type::Unreadable(_))) {
                return Type::Unreadable("parts of it are unknown");
            }
            return Type::Tuple { is_pair: template == "std::pair" && members.len() == 2, members };
        }
        let name = |child: &FieldId| self.schema.field(*child).map_or("", |child| &child.name).to_owned();
        let members = children.iter().map(|child| (name(child), self.of_field(*child))).collect();
        let class = field.type_name.clone();
        let origin = class.is_empty().then_some(id);
        // Neither number is one (format, section 5.1).
        let is_version = |version: &u32| !class.is_empty() && !matches!(*version, 0 | u32::MAX);
        let version = Some(field.type_version).filter(is_version);
        Type::Record(Record { class, version, origin, members })
    }

    fn variant(&self, id: FieldId, field: &FieldDescriptor) -> Type {
        let children = self.schema.children(id);
        if !scalar::reads_switch(self.schema, id) {
            return Type::Unreadable("a variant without its switch");
        }
        let types: Vec<TypeId> = children.iter().map(|child| self.of_field(*child)).collect();
        let is_numbered = |(number, child): (usize, &FieldId)| {
            self.schema.child_named(id, &format!("_{number}")) == Some(*child)
        };
        if children.is_empty() || !children.iter().enumerate().all(is_numbered) {
            return self.opaque(field, &types);
        }
        if types.iter().any(|ty| matches!(self.get(*ty), Type::Unreadable(_))) {
            return Type::Unreadable("parts of it are unknown");
        }
        let names = children.iter().map(|child| alternative(self.description(*child)).0.to_owned());
        let alternatives = names.zip(types).collect();
        let class = field.type_name.clone();
        let origin = class.is_empty().then_some(id);
        Type::Variant(Variant { class, origin, alternatives })
    }
}

/// The name of an alternative in its description, if there is one, and the rest: `Strip`, `Strip: a channel`.
pub(crate) fn alternative(description: &str) -> (&str, &str) {
    let (name, rest) = description.split_once(": ").unwrap_or((description, ""));
    let name = name.trim();
    let name = name.strip_suffix(':').unwrap_or(name);
    if names::rust(name).is_some() { (name, rest) } else { ("", description) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alternatives_are_named_by_descriptions() {
        for (description, name, rest) in [
            ("Strip", "Strip", ""),
            ("Strip: a channel: of many", "Strip", "a channel: of many"),
            ("a channel", "", "a channel"),
            ("a channel: of many", "", "a channel: of many"),
            ("Self", "", "Self"),
            ("", "", ""),
            ("Strip: ", "Strip", ""),
            ("Strip:", "Strip", ""),
        ] {
            assert_eq!(alternative(description), (name, rest), "{description}");
        }
    }
}
