//! Source code for the schema of an ntuple: Rust structs that read it, C++ classes that ROOT knows it by.
//!
//! ```
//! # use rntuple::schema::{ColumnDescriptor, FieldDescriptor, FieldId, Role, Schema};
//! # let fields = vec![
//! #     FieldDescriptor::new(None, Role::Plain, "met", "float"),
//! #     FieldDescriptor::new(None, Role::Collection, "muons", "std::vector<ns::Muon>"),
//! #     FieldDescriptor::new(Some(FieldId(1)), Role::Record, "_0", "ns::Muon"),
//! #     FieldDescriptor::new(Some(FieldId(2)), Role::Plain, "pt", "float"),
//! # ];
//! # let columns = vec![
//! #     ColumnDescriptor::new(0x18, 32, FieldId(0)),
//! #     ColumnDescriptor::new(0x1b, 64, FieldId(1)),
//! #     ColumnDescriptor::new(0x18, 32, FieldId(3)),
//! # ];
//! # let schema = Schema::build(fields, columns, vec![], vec![], &|_| Ok(true))?;
//! use rntuple_codegen::{Options, cxx, rust};
//!
//! let source = rust(&schema, &Options::new().name("Event"));
//! assert!(source.contains(r#"#[rntuple(type_name = "ns::Muon")]"#));
//! assert!(source.contains("    pub muons: Vec<Muon>,"));
//!
//! let source = cxx(&schema, &Options::new().name("Event"));
//! assert!(source.header.contains("std::vector<ns::Muon> muons;"));
//! assert!(source.link_def.contains("#pragma link C++ class ns::Muon+;"));
//! # Ok::<(), rntuple::Error>(())
//! ```
//!
//! | stop | module |
//! | --- | --- |
//! | fields become types, equal ones become one | `model` |
//! | names become identifiers, no two alike | `names` |
//! | free text becomes comments and literals that nothing gets out of | `text` |
//! | types become source | `rust`, `cxx` |
//!
//! The schema may be anybody's: no name, description or type of a field can add code of its own, and neither
//! depth nor width of a schema is a reason to fail.

mod cxx;
mod enumerators;
mod model;
mod names;
mod rust;
mod scalar;
mod text;

use std::collections::HashSet;

use rntuple::schema::{FieldId, Schema};

/// What may be chosen about the generated source.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    name: String,
    values: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self::new()
    }
}

impl Options {
    /// An entry named `Entry`, and every field as the type that fits it best.
    pub fn new() -> Self {
        Self { name: "Entry".to_owned(), values: Vec::new() }
    }

    /// The name of the struct that is an entry, which is made one in Rust's spelling: `MyEvent` for `my_event`.
    /// Default: `Entry`.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Keeps the field at this path (`jets._0.tag`) an [`rntuple::Value`]: for strings that are not UTF-8, or
    /// enums with values that have no names. Default: none. A path that names nothing changes nothing, and
    /// nothing changes in C++.
    #[must_use]
    pub fn value(mut self, path: impl Into<String>) -> Self {
        self.values.push(path.into());
        self
    }

    fn entry_name(&self) -> &str {
        &self.name
    }

    fn values(&self, schema: &Schema) -> HashSet<FieldId> {
        self.values.iter().filter_map(|path| schema.find(path)).collect()
    }
}

/// C++ source: what compilers need, and what ROOT's dictionary generator needs besides.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cxx {
    /// Classes and enums, those that others need first.
    pub header: String,
    /// The `LinkDef.h` for `rootcling`.
    pub link_def: String,
}

/// Structs and enums with `#[derive(RNTuple)]` that read the entries of an ntuple, the entry first.
///
/// They also write, unless the schema has what cannot be written (`#[rntuple(read_only)]` then says so): values
/// of unknown types, projections, sizes of collections. What is left out is named in a comment.
pub fn rust(schema: &Schema, options: &Options) -> String {
    rust::generate(schema, options)
}

/// C++ classes for the records of an ntuple, and for its entry.
///
/// Classes and enums get the names that the file has for them; untyped records, and classes whose names are no
/// names in C++, get those that [`rust`] gives them. A class whose version the file states has it from
/// `ClassDefNV`, which is ROOT's, as is `Double32_t`: where there is one of them, the header includes `Rtypes.h`.
pub fn cxx(schema: &Schema, options: &Options) -> Cxx {
    cxx::generate(schema, options)
}
