//! What the schema of a file must say: the mapping of types, written down a second time.
//!
//! Nothing here asks the `rntuple` crate how it stores a type. The tables are those of the format notes
//! (sections 5.2 and 9.2), so that a mistake in the crate's own tables shows as a difference.

use serde_json::{Value as Json, json};

use crate::stored::Stored;

/// One field, with all below it.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    role: &'static str,
    /// The full C++ spelling.
    pub(crate) name: String,
    /// Whether the name is left out at the top level and below other untyped fields.
    can_be_untyped: bool,
    /// What C++ declares it as, where that is something else.
    alias: Option<String>,
    /// Of a class.
    version: Option<u32>,
    description: String,
    repetitions: Option<u64>,
    columns: Vec<Column>,
    children: Vec<(String, Shape)>,
}

#[derive(Clone, Debug)]
struct Column {
    kind: String,
    bits: u16,
    range: Option<(f64, f64)>,
    /// An attribute asked for it.
    is_asked: bool,
}

/// Bits on storage of the column types that have one width.
fn width(kind: &str) -> u16 {
    match kind {
        "Bit" => 1,
        "Byte" | "Char" | "Int8" | "UInt8" => 8,
        "Switch" => 96,
        _ if kind.ends_with("16") => 16,
        _ if kind.ends_with("32") => 32,
        _ => 64,
    }
}

impl Column {
    fn new(kind: impl Into<String>) -> Self {
        let kind = kind.into();
        Self { bits: width(&kind), kind, range: None, is_asked: false }
    }

    /// The type by its name, in its split form where the pages are compressed.
    fn perhaps_split(kind: &str, compressed: bool) -> Self {
        Self::new(if compressed { format!("Split{kind}") } else { kind.to_owned() })
    }

    /// Into its split form, if it has one and is not in it.
    fn split(&mut self) {
        let has_one =
            ["16", "32", "64"].iter().any(|width| self.kind.ends_with(width)) && self.kind != "Real16";
        if has_one && !self.kind.starts_with("Split") {
            self.kind.insert_str(0, "Split");
        }
    }
}

impl Shape {
    fn new(role: &'static str, name: impl Into<String>) -> Self {
        Self {
            role,
            name: name.into(),
            can_be_untyped: false,
            alias: None,
            version: None,
            description: String::new(),
            repetitions: None,
            columns: Vec::new(),
            children: Vec::new(),
        }
    }

    /// A leaf whose column has no split form.
    pub(crate) fn leaf(name: &str, kind: &str) -> Self {
        Self { columns: vec![Column::new(kind)], ..Self::new("plain", name) }
    }

    /// A leaf whose column is split where the pages are compressed.
    pub(crate) fn split_leaf(name: &str, kind: &str, compressed: bool) -> Self {
        Self { columns: vec![Column::perhaps_split(kind, compressed)], ..Self::new("plain", name) }
    }

    pub(crate) fn string(compressed: bool) -> Self {
        let columns = vec![Column::perhaps_split("Index64", compressed), Column::new("Char")];
        Self { columns, ..Self::new("plain", "std::string") }
    }

    fn collection(name: String, item: Self, compressed: bool) -> Self {
        let columns = vec![Column::perhaps_split("Index64", compressed)];
        Self { columns, children: vec![("_0".into(), item)], ..Self::new("collection", name) }
    }

    /// `std::vector`; untyped where its items are.
    pub(crate) fn vector(item: Self, compressed: bool) -> Self {
        let can_be_untyped = item.can_be_untyped;
        let name = format!("std::vector<{}>", item.name);
        Self { can_be_untyped, ..Self::collection(name, item, compressed) }
    }

    /// `template<item>`: sets, optionals.
    pub(crate) fn container(template: &str, item: Self, compressed: bool) -> Self {
        Self::collection(format!("{template}<{}>", item.name), item, compressed)
    }

    /// `template<key,value>`: maps.
    pub(crate) fn map(template: &str, key: Self, value: Self, compressed: bool) -> Self {
        let name = format!("{template}<{},{}>", key.name, value.name);
        Self::collection(name, Self::tuple(vec![key, value]), compressed)
    }

    /// `std::pair` or `std::tuple`.
    pub(crate) fn tuple(members: Vec<Self>) -> Self {
        let names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
        let template = if members.len() == 2 { "std::pair" } else { "std::tuple" };
        let name = format!("{template}<{}>", names.join(","));
        Self { children: numbered(members), ..Self::new("record", name) }
    }

    /// `std::array`.
    pub(crate) fn array(item: Self, count: u64) -> Self {
        let name = format!("std::array<{},{count}>", item.name);
        let children = vec![("_0".into(), item)];
        Self { repetitions: Some(count), children, ..Self::new("plain", name) }
    }

    /// `std::bitset`, whose bits are a column of its own.
    pub(crate) fn bitset(count: u64) -> Self {
        let columns = vec![Column::new("Bit")];
        Self { columns, repetitions: Some(count), ..Self::new("plain", format!("std::bitset<{count}>")) }
    }

    /// A record that C++ knows by this name.
    pub(crate) fn class(name: &str, members: Vec<(&str, Self)>) -> Self {
        let children = members.into_iter().map(|(name, member)| (name.to_owned(), member)).collect();
        Self { children, ..Self::new("record", name) }
    }

    /// A record that has no name where the format allows it.
    pub(crate) fn record(name: &str, members: Vec<(&str, Self)>) -> Self {
        Self { can_be_untyped: true, ..Self::class(name, members) }
    }

    /// `std::variant`; that alternatives have names is said in their descriptions.
    pub(crate) fn variant(alternatives: Vec<(&str, Self)>) -> Self {
        let alternatives: Vec<Self> =
            alternatives.into_iter().map(|(name, alternative)| alternative.described(name)).collect();
        let names: Vec<&str> = alternatives.iter().map(|each| each.name.as_str()).collect();
        let name = format!("std::variant<{}>", names.join(","));
        let columns = vec![Column::new("Switch")];
        Self { columns, children: numbered(alternatives), ..Self::new("variant", name) }
    }

    /// An enum over the integers `inner`.
    pub(crate) fn plain_enum(name: &str, inner: Self) -> Self {
        Self { children: vec![("_0".into(), inner)], ..Self::new("plain", name) }
    }

    /// Integers that are described by their names.
    pub(crate) fn named(self, integers: &[(&str, i128)]) -> Self {
        let integers: Vec<String> =
            integers.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        self.described(&integers.join(", "))
    }

    /// The field with a description.
    pub(crate) fn described(mut self, text: &str) -> Self {
        text.clone_into(&mut self.description);
        self
    }

    /// The class with a version.
    pub(crate) fn versioned(mut self, version: u32) -> Self {
        self.version = Some(version);
        self
    }

    /// The members as those of the struct that they are flattened into.
    pub(crate) fn flattened(self, prefix: &str) -> Vec<(String, Self)> {
        self.children.into_iter().map(|(name, member)| (format!("{prefix}{name}"), member)).collect()
    }

    /// The field with the columns that were asked for, wherever they fit and nobody nearer asked for others.
    pub(crate) fn stored(mut self, stored: Stored) -> Self {
        if let Stored::All(all) = stored {
            return all.iter().fold(self, |shape, &stored| shape.stored(stored));
        }
        if stored == Stored::Double32 {
            let alias = self.name.replace("double", "Double32_t");
            self.alias = (alias != self.name).then_some(alias);
        }
        let count = self.columns.len();
        for (number, column) in self.columns.iter_mut().enumerate().filter(|(_, column)| !column.is_asked) {
            let alone = count == 1;
            let is_real = alone && ["float", "double"].contains(&&*self.name);
            let asked = match stored {
                Stored::Column(kind) => {
                    let same = column.kind.trim_start_matches("Split") == kind.trim_start_matches("Split");
                    (alone && (same || is_real && kind.contains("Real"))).then(|| Column::new(kind))
                }
                Stored::Index(kind) => {
                    (number == 0 && column.kind.contains("Index")).then(|| Column::new(kind))
                }
                Stored::Truncated(bits) => is_real.then(|| Column { bits, ..Column::new("Real32Trunc") }),
                Stored::Quantized(bits, min, max) => {
                    is_real.then(|| Column { bits, range: Some((min, max)), ..Column::new("Real32Quant") })
                }
                Stored::Double32 => (is_real && self.name == "double").then(|| Column::new("SplitReal32")),
                // Not about the type alone: others may still ask for one.
                Stored::Uncompressed => {
                    *column = Column::new(column.kind.trim_start_matches("Split"));
                    None
                }
                Stored::Compressed => {
                    column.split();
                    None
                }
                Stored::Default | Stored::All(_) => None,
            };
            if let Some(asked) = asked {
                *column = Column { is_asked: true, ..asked };
            }
        }
        self.children = self.children.into_iter().map(|(name, child)| (name, child.stored(stored))).collect();
        self
    }

    /// The members of an entry as the list that the peers give: fields with their columns, numbered
    /// depth first.
    pub(crate) fn fields(&self) -> Json {
        let mut list = List { fields: Vec::new(), columns: 0 };
        for (name, member) in &self.children {
            list.push(name, member, None, true);
        }
        Json::Array(list.fields)
    }

    /// Whether it is a class of the user's.
    fn is_class(&self) -> bool {
        self.role == "record" && !self.name.starts_with("std::")
    }

    /// ROOT's checksum of the class: its name, name and checksum of each base, and name and type of each member,
    /// folded byte by byte.
    fn checksum(&self) -> u32 {
        fn fold(sum: u32, text: &str) -> u32 {
            text.bytes().fold(sum, |sum, byte| sum.wrapping_mul(3).wrapping_add(u32::from(byte)))
        }
        let mut sum = fold(0, &dictionary_name(&self.name));
        let (bases, members): (Vec<_>, Vec<_>) =
            self.children.iter().partition(|(name, _)| name.starts_with(":_"));
        for (_, base) in bases {
            sum = fold(sum, &dictionary_name(&base.name)).wrapping_mul(3).wrapping_add(base.checksum());
        }
        for (name, member) in members {
            let wraps = member.role == "plain" && member.children.len() == 1;
            if wraps && !member.name.starts_with("std::") {
                // What ROOT adds for an enum.
                sum = fold(sum, "\u{1}");
            }
            sum = fold(fold(sum, name), &dictionary_name(member.alias.as_ref().unwrap_or(&member.name)));
        }
        sum
    }

    /// The names of the members.
    pub(crate) fn members(&self) -> impl Iterator<Item = &str> {
        self.children.iter().map(|(name, _)| name.as_str())
    }
}

/// A type as ROOT's dictionaries spell it.
fn dictionary_name(name: &str) -> String {
    // Longer names first: `uint8_t` ends like `int8_t`.
    let spellings = [
        ("std::uint8_t", "unsigned char"),
        ("std::uint16_t", "unsigned short"),
        ("std::uint32_t", "unsigned int"),
        ("std::uint64_t", "unsigned long"),
        ("std::int8_t", "signed char"),
        ("std::int16_t", "short"),
        ("std::int32_t", "int"),
        ("std::int64_t", "long"),
        ("std::", ""),
    ];
    let mut name = name.to_owned();
    for (standard, own) in spellings {
        name = name.replace(standard, own);
    }
    while name.contains(">>") {
        name = name.replace(">>", "> >");
    }
    name
}

fn numbered(shapes: Vec<Shape>) -> Vec<(String, Shape)> {
    shapes.into_iter().enumerate().map(|(number, shape)| (format!("_{number}"), shape)).collect()
}

/// A schema being written down.
struct List {
    fields: Vec<Json>,
    columns: u64,
}

impl List {
    fn push(&mut self, name: &str, shape: &Shape, parent: Option<usize>, parent_is_untyped: bool) {
        let is_untyped = shape.can_be_untyped && parent_is_untyped;
        let id = self.fields.len();
        let columns: Vec<Json> = shape.columns.iter().map(|column| self.column(column)).collect();
        let mut field = json!({
            "id": id,
            "parent": parent,
            "name": name,
            "type": if is_untyped { "" } else { &shape.name },
            "role": shape.role,
            "columns": columns,
        });
        if let Some(field) = field.as_object_mut() {
            if let Some(count) = shape.repetitions {
                field.insert("repetitions".into(), json!(count));
            }
            if shape.is_class() && !is_untyped {
                field.insert("type_checksum".into(), json!(shape.checksum()));
                field.insert("type_version".into(), json!(shape.version.unwrap_or(u32::MAX)));
            }
            if let Some(alias) = &shape.alias {
                field.insert("type_alias".into(), json!(alias));
            }
            if !shape.description.is_empty() {
                field.insert("description".into(), json!(shape.description));
            }
        }
        self.fields.push(field);
        for (name, child) in &shape.children {
            self.push(name, child, Some(id), is_untyped);
        }
    }

    fn column(&mut self, column: &Column) -> Json {
        let mut json = json!({"id": self.columns, "type": column.kind, "bits": column.bits});
        if let (Some((min, max)), Some(column)) = (column.range, json.as_object_mut()) {
            column.insert("min".into(), json!(min));
            column.insert("max".into(), json!(max));
        }
        self.columns += 1;
        json
    }
}
