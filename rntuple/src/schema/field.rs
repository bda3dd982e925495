//! Fields: the tree of names and types.

use serde::Serialize;

use super::FieldId;

/// The most alternatives of a variant in C++ (format, section 9.2).
pub(crate) const MOST_ALTERNATIVES: usize = 125;

/// The structural role of a field (format, section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Role {
    /// A leaf, or a wrapper without structure: enum, atomic, `std::array`, `std::bitset`.
    Plain,
    /// Its one child repeats a variable number of times.
    Collection,
    /// Struct, class, pair, tuple.
    Record,
    /// One child is active per element.
    Variant,
    /// An object serialised by ROOT's classic streamer.
    Streamer,
    /// A role of a future version: its top-level field is hidden.
    Unknown(u16),
}

impl Role {
    /// The number that stands for it in a field record.
    pub fn code(self) -> u16 {
        match self {
            Self::Plain => 0,
            Self::Collection => 1,
            Self::Record => 2,
            Self::Variant => 3,
            Self::Streamer => 4,
            Self::Unknown(code) => code,
        }
    }

    /// The role that a number in a field record stands for.
    pub fn from_code(code: u16) -> Self {
        match code {
            0 => Self::Plain,
            1 => Self::Collection,
            2 => Self::Record,
            3 => Self::Variant,
            4 => Self::Streamer,
            code => Self::Unknown(code),
        }
    }

    /// Its name in the format notes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Collection => "collection",
            Self::Record => "record",
            Self::Variant => "variant",
            Self::Streamer => "streamer",
            Self::Unknown(_) => "unknown",
        }
    }
}

/// One field record (format, section 5.1).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct FieldDescriptor {
    /// Version of the on-disk layout of the field; 0 for all that is known.
    pub field_version: u32,
    /// Class version; [`u32::MAX`] marks a class without one.
    pub type_version: u32,
    /// The parent field; `None` for a top-level field (on disk: its own id).
    pub parent: Option<FieldId>,
    /// Structural role.
    pub role: Role,
    /// Name, without the names of its parents.
    pub name: String,
    /// Normalised C++ type name; empty for untyped records and collections.
    pub type_name: String,
    /// The spelling before normalisation, where it differs.
    pub type_alias: String,
    /// Free text.
    pub description: String,
    /// Number of repetitions for each element of the parent: arrays and bitsets (flag 0x01).
    pub array_size: Option<u64>,
    /// The field that this one is a view of (flag 0x02).
    pub projection_source: Option<FieldId>,
    /// ROOT's class checksum (flag 0x04).
    pub type_checksum: Option<u32>,
    /// Written from a struct-of-arrays class (flag 0x08).
    pub is_soa: bool,
}

impl FieldDescriptor {
    /// A field without anything optional.
    pub fn new(
        parent: Option<FieldId>,
        role: Role,
        name: impl Into<String>,
        type_name: impl Into<String>,
    ) -> Self {
        Self {
            field_version: 0,
            type_version: 0,
            parent,
            role,
            name: name.into(),
            type_name: type_name.into(),
            type_alias: String::new(),
            description: String::new(),
            array_size: None,
            projection_source: None,
            type_checksum: None,
            is_soa: false,
        }
    }

    /// The unit of the values: a word in brackets at the end of the description. Numbers and sentences there are
    /// none.
    ///
    /// ```
    /// # use rntuple::schema::{FieldDescriptor, Role};
    /// let mut field = FieldDescriptor::new(None, Role::Plain, "pt", "float");
    /// field.description = "Transverse momentum [GeV]".to_owned();
    /// assert_eq!(field.unit(), Some("GeV"));
    /// ```
    pub fn unit(&self) -> Option<&str> {
        unit_in(&self.description)
    }

    /// Whether the type is the size of a collection (format, section 9.4), by its name.
    pub(crate) fn is_cardinality(&self) -> bool {
        self.type_name.starts_with("ROOT::RNTupleCardinality<")
    }
}

/// One extra-type-information record (format, section 5.6), kept as it was found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExtraTypeInfo {
    /// What the content is; 0 is ROOT's streamer info.
    pub content_id: u32,
    /// Version of the type it belongs to.
    pub type_version: u32,
    /// Name of the type it belongs to.
    pub type_name: String,
    /// The bytes.
    pub content: Vec<u8>,
}

impl ExtraTypeInfo {
    /// A record of these parts.
    pub fn new(content_id: u32, type_version: u32, type_name: String, content: Vec<u8>) -> Self {
        Self { content_id, type_version, type_name, content }
    }
}

/// The unit at the end of a description.
pub(crate) fn unit_in(description: &str) -> Option<&str> {
    let (text, unit) = description.strip_suffix(']')?.rsplit_once('[')?;
    let is_apart = text.is_empty() || text.ends_with(char::is_whitespace);
    (is_apart && is_unit(unit)).then_some(unit)
}

/// Whether the text may be a unit: `GeV`, `m/s^2`, `%`.
pub(crate) fn is_unit(text: &str) -> bool {
    let is_wrong = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '[' | ']');
    !text.contains(is_wrong)
        && text.contains(|c: char| c.is_alphabetic() || matches!(c, '%' | '\u{b0}' | '\u{2030}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_what_a_description_ends_with() {
        let unit = |description: &str| {
            let mut field = FieldDescriptor::new(None, Role::Plain, "pt", "float");
            description.clone_into(&mut field.description);
            field.unit().map(str::to_owned)
        };
        for (description, expected) in [
            ("Transverse momentum [GeV]", "GeV"),
            ("of [a] thing [m/s^2]", "m/s^2"),
            ("[GeV]", "GeV"),
            ("in two\nlines\n[GeV]", "GeV"),
        ] {
            assert_eq!(unit(description).as_deref(), Some(expected));
        }
        for none in ["", "GeV", "in [GeV] or so", "nothing []", "array[3]", "array [3]", "hits [sorted by z]"]
        {
            assert_eq!(unit(none), None, "{none}");
        }
    }
}
