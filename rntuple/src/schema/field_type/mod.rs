//! Types of fields that are put together at run time.

mod existing;
mod spelled;

use std::fmt;

use super::{MAX_TEMPLATE_DEPTH, TypeName, split_template, unit_in};
use crate::encoding::ColumnEncoding;

/// The type of a field, where no Rust type says it: put together from others, read from its name in C++, or
/// that of a field of a file.
///
/// ```
/// use rntuple::encoding::ColumnEncoding;
/// use rntuple::schema::{Field, FieldType};
///
/// let muon = FieldType::record([Field::new("pt", FieldType::F32), Field::new("charge", FieldType::I8)]);
/// let muons = FieldType::vector(muon);
/// // A part may say more than its type.
/// let weights = FieldType::vector(Field::from(FieldType::F32).with_encoding(ColumnEncoding::truncated(12)?));
/// let trigger: FieldType = "std::map<std::string, bool>".parse()?;
/// assert_eq!(trigger.to_string(), "std::map<std::string,bool>");
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// It says what values are (format, section 9.2); how they are stored is a matter of the [`Field`].
#[derive(Clone, Debug, PartialEq)]
pub struct FieldType {
    pub(crate) name: TypeName,
    pub(crate) shape: Shape,
}

/// How the values of a type are laid out (format, section 9.2).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Shape {
    /// One column.
    Scalar(Scalar),
    /// Offsets and characters.
    String,
    /// Offsets, and the items as one subfield.
    Collection(Box<Field>),
    /// A collection of nothing or one.
    Optional(Box<Field>),
    /// This many of the subfield for each element of the parent.
    Array(u64, Box<Field>),
    /// This many bits for each element of the parent.
    Bits(u64),
    /// The members as subfields.
    Record(Vec<Field>),
    /// A switch, and the alternatives as subfields.
    Variant(Vec<Field>),
    /// Another name for the subfield: an enum, an atomic.
    Around(Box<Field>),
    /// The size of a collection, of which a field can only be a view.
    Cardinality,
    /// Offsets, and the bytes of objects as ROOT's streamer wrote them, which can only be read.
    Streamed,
}

/// What a single column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scalar {
    /// `bool`
    Bool,
    /// `std::byte`
    Byte,
    /// `char`
    Char,
    /// `std::int8_t`
    I8,
    /// `std::uint8_t`
    U8,
    /// `std::int16_t`
    I16,
    /// `std::uint16_t`
    U16,
    /// `std::int32_t`
    I32,
    /// `std::uint32_t`
    U32,
    /// `std::int64_t`
    I64,
    /// `std::uint64_t`
    U64,
    /// `float`
    F32,
    /// `double`
    F64,
}

/// A field that is put together at run time: its name, its type, and how it is stored.
///
/// ```
/// use rntuple::encoding::ColumnEncoding;
/// use rntuple::schema::{Field, FieldType};
///
/// let met = Field::new("met", FieldType::F32)
///     .with_description("Missing transverse energy")
///     .with_unit("GeV")
///     .with_encoding(ColumnEncoding::truncated(16)?);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Field {
    pub(crate) name: String,
    pub(crate) field_type: FieldType,
    pub(crate) description: String,
    pub(crate) unit: Option<String>,
    pub(crate) is_double32: bool,
    /// Empty: the defaults.
    pub(crate) representations: Vec<ColumnEncoding>,
    /// The path of the field that this one is a view of.
    pub(crate) source: Option<String>,
}

impl Field {
    /// A field of this name, stored by the defaults of its type.
    pub fn new(name: impl Into<String>, field_type: FieldType) -> Self {
        Self {
            name: name.into(),
            field_type,
            description: String::new(),
            unit: None,
            is_double32: false,
            representations: Vec::new(),
            source: None,
        }
    }

    /// Gives it another type.
    pub fn with_type(mut self, field_type: FieldType) -> Self {
        self.field_type = field_type;
        self
    }

    /// Describes the field in free text, which readers show.
    pub fn with_description(mut self, text: impl Into<String>) -> Self {
        self.description = text.into();
        self
    }

    /// States the unit of the values, shown after the description: `Transverse momentum [GeV]`.
    pub fn with_unit(mut self, unit: impl Into<String>) -> Self {
        self.unit = Some(unit.into());
        self
    }

    /// Lets C++ see each `double` of the field as a `Double32_t` (format, section 9.2).
    pub fn as_double32(mut self) -> Self {
        self.is_double32 = true;
        self
    }

    /// Stores the field, or whatever below it can be stored so, in this encoding.
    pub fn with_encoding(self, encoding: ColumnEncoding) -> Self {
        self.with_representations([encoding])
    }

    /// Stores the field, or whatever below it can be, in one of several encodings: each cluster has one of them, the
    /// first unless [`Writer::use_representation`](crate::Writer::use_representation) says otherwise.
    pub fn with_representations(mut self, encodings: impl IntoIterator<Item = ColumnEncoding>) -> Self {
        self.representations = encodings.into_iter().collect();
        self
    }

    /// Makes it a view of the field at `path` (`muons.pt`), without values of its own. Only fields of entries can be
    /// views; their values are not written.
    ///
    /// ```
    /// use rntuple::schema::{Field, FieldType, SchemaBuilder};
    /// use rntuple::schema::Schema;
    /// use rntuple::{Value, WriteOptions};
    ///
    /// let muon = FieldType::record([Field::new("pt", FieldType::F32)]);
    /// let builder = SchemaBuilder::new()
    ///     .field(Field::new("muons", FieldType::vector(muon)))
    ///     .field(Field::new("n_muons", FieldType::CARDINALITY).view_of("muons"));
    /// let schema = Schema::of::<Value>(&WriteOptions::new().schema(builder))?;
    /// assert_eq!(schema.alias_columns().len(), 1);
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    pub fn view_of(mut self, path: impl Into<String>) -> Self {
        self.source = Some(path.into());
        self
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the type.
    pub fn field_type(&self) -> &FieldType {
        &self.field_type
    }

    /// Returns the free text.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Returns the unit of the values, also where a [description](crate::schema::FieldDescriptor::unit) ends with one.
    pub fn unit(&self) -> Option<&str> {
        self.unit.as_deref().or_else(|| unit_in(&self.description))
    }

    /// Returns the encodings that it asks for; none for the defaults.
    pub fn representations(&self) -> &[ColumnEncoding] {
        &self.representations
    }

    /// Returns whether C++ sees each `double` of it as a `Double32_t`.
    pub fn is_double32(&self) -> bool {
        self.is_double32
    }

    /// Returns the path of the field that this one is a view of.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// The same, called `_0`: the item of a collection or array.
    fn item(self) -> Box<Self> {
        Box::new(Self { name: "_0".to_owned(), ..self })
    }

    /// The alternatives of a variant, the members of a tuple: called `_0`, `_1`, ..
    fn numbered(fields: impl IntoIterator<Item = impl Into<Self>>) -> Vec<Self> {
        let numbered = fields.into_iter().enumerate();
        numbered.map(|(number, field)| Self { name: format!("_{number}"), ..field.into() }).collect()
    }
}

/// A part of another type, whose name follows from that.
impl From<FieldType> for Field {
    fn from(field_type: FieldType) -> Self {
        Self::new("", field_type)
    }
}

macro_rules! scalars {
    ($($name:ident $scalar:ident $spelling:literal;)*) => {
        impl Scalar {
            /// The type that C++ calls so (format, section 9.2).
            pub fn named(name: &str) -> Option<Self> {
                match name {
                    $($spelling => Some(Self::$scalar),)*
                    _ => None,
                }
            }
        }

        /// Types of one column.
        impl FieldType {
            $(
                #[doc = concat!("`", $spelling, "`")]
                pub const $name: Self = Self::known($spelling, Shape::Scalar(Scalar::$scalar));
            )*
        }
    };
}

impl Scalar {
    /// Whether it has all values of another number type, so that any reader reads these as its own: `double` has those of
    /// `float`. Integers are not read as floats unless a type asks for it.
    pub fn includes(self, other: Self) -> bool {
        use Scalar as S;
        let narrower: &[Self] = match self {
            S::I16 => &[S::I8, S::U8],
            S::U16 => &[S::U8],
            S::I32 => &[S::I8, S::U8, S::I16, S::U16],
            S::U32 => &[S::U8, S::U16],
            S::I64 => &[S::I8, S::U8, S::I16, S::U16, S::I32, S::U32],
            S::U64 => &[S::U8, S::U16, S::U32],
            S::F64 => &[S::F32],
            _ => &[],
        };
        self == other || narrower.contains(&other)
    }
}

/// Whether a type has all values of another one, so that any reader reads these as its own: they are the same, or templates
/// with arguments of which this is true, or numbers of which one [includes](Scalar::includes) the other. Of types
/// that are nested over 64 templates deep and differ there, neither includes the other.
///
/// ```
/// use rntuple::schema::type_includes;
///
/// assert!(type_includes("std::vector<std::optional<double>>", "std::vector<std::optional<float>>"));
/// assert!(!type_includes("std::vector<float>", "std::vector<double>"));
/// assert!(!type_includes("std::array<double,3>", "std::array<float,2>"));
/// ```
pub fn type_includes(wide: &str, narrow: &str) -> bool {
    includes(wide, narrow, MAX_TEMPLATE_DEPTH)
}

/// The same, where up to `depth` templates are looked into: a file may have names of any depth.
fn includes(wide: &str, narrow: &str, depth: usize) -> bool {
    if wide == narrow {
        return true;
    }
    if let Some((wide, narrow)) = Scalar::named(wide).zip(Scalar::named(narrow)) {
        return wide.includes(narrow);
    }
    let Some(depth) = depth.checked_sub(1) else { return false };
    match split_template(wide).zip(split_template(narrow)) {
        Some(((wide, ours), (narrow, theirs))) => {
            let mut arguments = ours.iter().zip(&theirs);
            wide == narrow
                && ours.len() == theirs.len()
                && arguments.all(|(ours, theirs)| includes(ours, theirs, depth))
        }
        None => false,
    }
}

scalars! {
    BOOL Bool "bool";
    BYTE Byte "std::byte";
    CHAR Char "char";
    I8 I8 "std::int8_t";
    U8 U8 "std::uint8_t";
    I16 I16 "std::int16_t";
    U16 U16 "std::uint16_t";
    I32 I32 "std::int32_t";
    U32 U32 "std::uint32_t";
    I64 I64 "std::int64_t";
    U64 U64 "std::uint64_t";
    F32 F32 "float";
    F64 F64 "double";
}

impl FieldType {
    /// `std::string`
    pub const STRING: Self = Self::known("std::string", Shape::String);

    /// `ROOT::RNTupleCardinality<std::uint64_t>`: the size of a collection, of which a field can only be a
    /// [view](Field::view_of).
    pub const CARDINALITY: Self = Self::known("ROOT::RNTupleCardinality<std::uint64_t>", Shape::Cardinality);

    const fn known(name: &'static str, shape: Shape) -> Self {
        Self { name: TypeName::known(name), shape }
    }

    /// `std::vector<item>`; of a record without a class, an untyped collection.
    pub fn vector(item: impl Into<Field>) -> Self {
        let item = item.into();
        Self { name: vector_of(&item.field_type), shape: Shape::Collection(item.item()) }
    }

    /// `std::optional<item>`. The item of one cannot be a record without a class (format, section 9.9).
    pub fn optional(item: impl Into<Field>) -> Self {
        let item = item.into();
        Self { name: TypeName::optional(&item.field_type.name), shape: Shape::Optional(item.item()) }
    }

    /// `std::array<item,count>`; of `bool`, `std::bitset<count>`.
    pub fn array(item: impl Into<Field>, count: u64) -> Self {
        let item = item.into();
        if item.field_type.shape == Shape::Scalar(Scalar::Bool) {
            let name = TypeName::typed(format!("std::bitset<{count}>"));
            return Self { name, shape: Shape::Bits(count) };
        }
        Self::array_of(item, count)
    }

    /// The same of whatever item.
    fn array_of(item: Field, count: u64) -> Self {
        let name = TypeName::typed(format!("std::array<{},{count}>", item.field_type.name.spelling()));
        Self { name, shape: Shape::Array(count, item.item()) }
    }

    /// `std::map<key,value>`.
    pub fn map(key: impl Into<Field>, value: impl Into<Field>) -> Self {
        let (key, value) = (key.into(), value.into());
        let name = TypeName::template("std::map", [&key.field_type.name, &value.field_type.name]);
        Self { name, shape: Shape::Collection(Field::from(Self::tuple([key, value])).item()) }
    }

    /// `std::pair<a,b>` of two members, else `std::tuple<a,b,..>`.
    pub fn tuple(members: impl IntoIterator<Item = impl Into<Field>>) -> Self {
        let members = Field::numbered(members);
        let template = if members.len() == 2 { "std::pair" } else { "std::tuple" };
        let name = TypeName::template(template, members.iter().map(|member| &member.field_type.name));
        Self { name, shape: Shape::Record(members) }
    }

    /// `std::variant<a,b,..>`.
    pub fn variant(alternatives: impl IntoIterator<Item = impl Into<Field>>) -> Self {
        let alternatives = Field::numbered(alternatives);
        let names = alternatives.iter().map(|alternative| &alternative.field_type.name);
        Self { name: TypeName::template("std::variant", names), shape: Shape::Variant(alternatives) }
    }

    /// A record that has no class in C++. It can be a member of an entry, of another such record, and the item of a
    /// [`vector`](Self::vector) there; elsewhere the format needs a [`class`](Self::class).
    pub fn record(members: impl IntoIterator<Item = Field>) -> Self {
        let name = TypeName::known("").without_class();
        Self { name, shape: Shape::Record(members.into_iter().collect()) }
    }

    /// A record that is a class of this name in C++, which is stored in the form of [`normalize`](super::normalize).
    /// Members whose names begin with `:_` are the classes that it inherits.
    pub fn class(name: impl Into<String>, members: impl IntoIterator<Item = Field>) -> Self {
        Self { name: TypeName::typed(name), shape: Shape::Record(members.into_iter().collect()) }
    }

    /// The same, of a class that has this version.
    #[must_use]
    pub fn class_version(mut self, version: u32) -> Self {
        self.name = self.name.version(version);
        self
    }

    /// An enum of this name, over an integer type.
    pub fn enumeration(name: impl Into<String>, integer: impl Into<Field>) -> Self {
        Self { name: TypeName::typed(name), shape: Shape::Around(integer.into().item()) }
    }

    /// Returns the version of a class that states one.
    pub fn version(&self) -> Option<u32> {
        self.name.class_version()
    }

    /// Returns how values are laid out.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the members of a record, the alternatives of a variant, or the one item of a collection, an option, an
    /// array, an enum.
    pub fn subfields(&self) -> &[Field] {
        match &self.shape {
            Shape::Record(fields) | Shape::Variant(fields) => fields,
            Shape::Collection(item) | Shape::Optional(item) | Shape::Array(_, item) | Shape::Around(item) => {
                std::slice::from_ref(item)
            }
            Shape::Scalar(_) | Shape::String | Shape::Bits(_) | Shape::Cardinality | Shape::Streamed => &[],
        }
    }
}

/// The name of a vector: none of one of records without a class.
fn vector_of(item: &FieldType) -> TypeName {
    match item.name.spelling() {
        "" => TypeName::known("").without_class(),
        _ => TypeName::vector(&item.name),
    }
}

/// As C++ spells it; nothing for a record without a class.
impl fmt::Display for FieldType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name.spelling())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_of_any_depth_are_compared() {
        let nested = |depth: usize, item: &str| format!("{}{item}{}", "a<".repeat(depth), ">".repeat(depth));
        let is_wider = |depth: usize| type_includes(&nested(depth, "double"), &nested(depth, "float"));
        assert!(is_wider(MAX_TEMPLATE_DEPTH));
        assert!(!is_wider(MAX_TEMPLATE_DEPTH + 1));
        assert!(!is_wider(30_000));
        assert!(type_includes(&nested(30_000, "float"), &nested(30_000, "float")));
    }
}
