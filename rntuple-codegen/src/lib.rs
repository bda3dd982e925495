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
mod options;
mod rust;
mod scalar;
mod text;

use rntuple::schema::Schema;

pub use cxx::Cxx;
pub use options::Options;

/// Structs and enums with `#[derive(RNTuple)]` that read the entries of an ntuple, the entry first.
///
/// They also write, unless the schema has what cannot be written (`#[rntuple(skip_writing)]` then says so): values
/// of unknown types, projections, sizes of collections, enums without names. What is left out is named in a comment.
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
