//! Which older type a field holds: conditions on what the file has there.

use super::FieldNode;
use crate::error::{Error, Mismatch, Result};
use crate::schema::{Role, normalize};

/// A field as a file has it: what a condition of `upgrade_from` looks at.
///
/// # Example: an older type for all files without a `charge`, or with one that is text
///
/// ```
/// use rntuple::RNTuple;
/// use rntuple::field::StoredField;
///
/// #[derive(RNTuple)]
/// #[rntuple(skip_writing, upgrade_from(OldTrack, when = has_no_number))]
/// struct Track { pt: f32, charge: i8 }
///
/// #[derive(RNTuple)]
/// struct OldTrack { pt: f32 }
///
/// fn has_no_number(track: StoredField<'_>) -> bool {
///     track.find("charge").is_none_or(|charge| charge.type_name() == "std::string")
/// }
///
/// impl From<OldTrack> for Track {
///     fn from(old: OldTrack) -> Self {
///         Self { pt: old.pt, charge: 0 }
///     }
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StoredField<'a>(FieldNode<'a>);

impl<'a> StoredField<'a> {
    /// Returns the C++ type that the file states: `ns::Track`, `std::vector<float>`; nothing for untyped records
    /// and collections, for entries, and for structs that are flattened.
    pub fn type_name(self) -> &'a str {
        // A flag of a bitset has no field of its own.
        if self.0.is_item { "bool" } else { self.0.own_descriptor().map_or("", |field| &field.type_name) }
    }

    /// Returns the version of its class. Only a class has one, and only if it declares it; so entries, untyped
    /// records and flattened structs have none.
    pub fn version(self) -> Option<u32> {
        self.0.stated_version()
    }

    /// Returns the unit of its values: what its description, or that of the field around it, ends with in
    /// brackets.
    pub fn unit(self) -> Option<&'a str> {
        self.0.unit()
    }

    /// Returns the field at `path` below it, dots between the names, in which the `_0` of collections may be
    /// omitted.
    pub fn find(self, path: &str) -> Option<Self> {
        self.0.at_path(path).map(Self)
    }

    /// Returns the name of the field; nothing for an entry.
    pub fn name(self) -> &'a str {
        self.0.descriptor().map_or("", |field| &field.name)
    }

    /// Returns the fields directly below it. For a flattened struct, these are all fields of the struct around it.
    pub fn children(self) -> impl Iterator<Item = Self> {
        self.0.children().map(Self)
    }
}

/// One condition of `upgrade_from`.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub enum When<'w> {
    /// The class has one of these versions, the first and the last included.
    Version(u32, u32),
    /// The file states this C++ type, however the two are spelled.
    TypeName(&'w str),
    /// There is a field at this path.
    Has(&'w str),
    /// There is none.
    Lacks(&'w str),
    /// What this function says.
    Holds(fn(StoredField<'_>) -> bool),
}

impl FieldNode<'_> {
    /// The number of the first condition that holds.
    ///
    /// # Errors
    /// A version is asked of a record that states none: it may be of any version.
    #[doc(hidden)]
    pub fn first_that_holds(self, conditions: &[When<'_>]) -> Result<Option<usize>> {
        // An alternative that the file does not have is of no type.
        if self.is_absent() {
            return Ok(None);
        }
        // A type is read from within an atomic, so that is what is looked at.
        let field = self.atomic_item().unwrap_or(self);
        for (number, condition) in conditions.iter().enumerate() {
            if field.holds(*condition)? {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    fn holds(self, condition: When<'_>) -> Result<bool> {
        let stored = StoredField(self);
        Ok(match condition {
            When::Version(first, last) => match stored.version() {
                Some(version) => (first..=last).contains(&version),
                None if self.role() == Role::Record => return Err(self.without_version(first, last)),
                None => false,
            },
            When::TypeName(name) => {
                stored.type_name() == name || normalize(stored.type_name()) == normalize(name)
            }
            When::Has(path) => self.has(path),
            When::Lacks(path) => !self.has(path),
            When::Holds(function) => function(stored),
        })
    }

    /// Whether the file has a field at `path`. One that needs a newer reader is there too: a file that has it is not
    /// an older one.
    fn has(self, path: &str) -> bool {
        let name = path.split('.').next().unwrap_or_default();
        self.at_path(path).is_some() || self.find_hidden(name).is_some()
    }

    #[cold]
    fn without_version(self, first: u32, last: u32) -> Error {
        let found = match (self.own_descriptor(), self.descriptor()) {
            (Some(_), _) => self.found(),
            (None, Some(_)) => "a flattened struct".to_owned(),
            (None, None) => "an entry".to_owned(),
        };
        let wanted = if first == last {
            format!("a class of version {first} or another")
        } else {
            format!("a class of version {first} to {last} or another")
        };
        let mismatch = Mismatch::new(self.path(), format!("{found}, which states no version"), wanted);
        self.keep(
            mismatch.with_help("ask for something else first: `has`, `lacks`, `type_name` or a function"),
        )
    }
}
