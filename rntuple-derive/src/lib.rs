//! The derive macro of the `rntuple` crate; use it through that crate.
#![forbid(unsafe_code)]

mod ast;
mod attr;
mod bound;
mod check;
mod ctxt;
mod encoding;
mod expand;
#[cfg(test)]
mod golden;
mod side;
mod types;

use proc_macro2::TokenStream;
use syn::{DeriveInput, parse_macro_input};

use ast::Input;
use ctxt::Ctxt;

/// Makes a struct or an enum storable: it gets columns, and with named members it can be an entry.
///
/// | Rust | on storage |
/// | --- | --- |
/// | `struct Muon { pt: f32, .. }` | a record; as an entry: its members are the top-level fields |
/// | `struct Energy(f32)` | the columns of the value |
/// | `struct Pair(f32, u8)` | a record of `_0`, `_1`, .. |
/// | `struct Nothing;` | a record without members |
/// | `#[repr(u8)] enum Side { Left, Right }` | a C++ enum: its integers |
/// | `enum Hit { Strip(u32), Pixel { x: u16, y: u16 }, None }` | a `std::variant` of the alternatives |
///
/// Doc comments of members become the descriptions of their fields. Members that borrow (`&str`, `&[f32]`)
/// can be written; a struct that has some cannot be read.
///
/// # Attributes
///
/// They are written in `#[rntuple(..)]`. Names that serde has too mean what they mean there. A path or a type may
/// be written as it is, or as a string.
///
/// | on a struct or enum | |
/// | --- | --- |
/// | `type_name = "ns::Muon"` | the C++ class; without it, records have none where the format allows it. ROOT then reads them without a dictionary, but JSROOT 7.11 shows the **offsets of a collection** of such records in place of its items, without an error: give the struct a class if the file is to be looked at in a browser. The arguments of a generic type are added, unless the name has some |
/// | `untyped` | never a class: where the format needs one, declaring the type fails |
/// | `version = 3` | the class version, stored where the class is: entries and untyped records have none |
/// | `upgrade_from(EventV2, when = version(2), with = upgrade)` | an older type, and which files hold it; may be said several times. The conditions are asked in the order in which they are written, and the first that holds decides; if none holds, the type itself is read. `with` is a function of the older type, `try_with` one that returns a `Result`; without either, `From<EventV2>` |
/// | `when = version(2)`, `when = version(1..=3)` | the file states this version of the class. Entries, untyped records and flattened structs have none: asking for it there is an error when the file is opened |
/// | `when = has("muons.pt")`, `when = lacks("muons.pt")` | the file has, or does not have, a field at this path below the type; the `_0` of collections may be omitted |
/// | `when = type_name("float")` | the file states this C++ type |
/// | `when = function` | what a function of the field says, as the file has it: `fn(StoredField<'_>) -> bool` |
/// | `rename_all = "camelCase"` | a rule for the names of all members, or of all variants |
/// | `rename_all_fields = ".."` | on an enum: a rule for the names of the members of all variants |
/// | `default`, `default = path` | members that a file lacks come from the struct's `Default`, or from a function |
/// | `deny_unknown_fields` | files that have more fields are refused |
/// | `project(n_muons: Cardinality = "muons")` | on an entry: a projected field, another name for the values of the field at a path, which takes no room. Its type may be any that looks the same: `muon_pt: Vec<f32> = "muons.pt"`, or a struct with some of the members. Names follow `rename_all`, unless they are strings; paths have the names on storage. May be said several times, and have several |
/// | `transparent` | stored as its one member that is not skipped, without a record around it |
/// | `lock = "event.rntlock"` | a test that compares the schema with a file beside `Cargo.toml`; needs the Cargo feature `lock` of `rntuple` |
/// | `serde_compat` | serde's attributes on the same item count too: `rename`, `rename_all`, `alias`, `default`, `skip`, `flatten`, .. What they contradict is refused |
/// | `columnar`, `columnar(columns = .., slice = .., one = ..)` | a structure of arrays: makes `EventColumns`, `EventSlice<'_>` and `EventRef<'_>` for `Event`, or what the arguments call them, and what reads and writes them. An enum without data, or a struct without members, is kept as it is, and needs `Clone` and `Debug`; a newtype has the columns of its value; a type with a lifetime is only written |
/// | `bound = "T: Trait"` | replaces the where-clause that is inferred from the members |
/// | `skip_writing` | only what reading needs, for types with members that cannot be written, as `Cardinality` |
/// | `skip_reading` | only what writing needs |
/// | `crate = path::to::rntuple` | where the crate is, if not at `::rntuple` |
///
/// | on a variant | |
/// | --- | --- |
/// | `rename = "Strip"` | the name that is kept: in the description of the alternative, or of the integers |
/// | `rename_all = ".."` | a rule for the names of its members |
/// | `tag = 2` | the number of the alternative, instead of its position among the variants |
/// | `other` | a variant without members, for values that are none of the others. Among variants with data it is not an alternative: it is written as a variant without a value |
/// | `type_name = "ns::Circle"` | the C++ class of the alternative, instead of `Shape::Circle` |
/// | `description = ".."` | the alternative's description, instead of the doc comment |
///
/// | on a member | |
/// | --- | --- |
/// | `rename = "pt"` | the name of the field |
/// | `alias = "pT"` | another name under which a file may have it; may be said several times |
/// | `description = ".."` | its description, instead of the doc comment |
/// | `unit = "GeV"` | stored behind the description, as `[GeV]`; files that state another unit are refused |
/// | `default`, `default = path` | what it is where a file lacks it, or has an empty option |
/// | `skip` | not stored; reading makes its `Default`, or calls the function of `default = path`. `skip = false` stores a member that serde skips, in a type with `serde_compat` |
/// | `skip_writing`, `skip_reading` | one half of `skip` |
/// | `flatten`, `prefix = "jet_"` | the members of the struct stand in its place, the prefix in front of their names; `flatten(prefix = "jet_")` is the same |
/// | `with = module` | stored as `module::Stored`, by `module::store(&value)` and `module::load(stored)`, which returns a `Result` |
/// | `into = "Type"` | written as another type: `Clone` and `Into<Type>` |
/// | `from = "Type"`, `try_from = "Type"` | read from another type: `From<Type>` or `TryFrom<Type>` |
/// | `rows` | where the type is `columnar`: the values are kept as they are, in `Rows<T>`. So are those of members with `with`, `from`, `try_from` or `into`. They need `Clone` and `Debug` |
/// | `base` | a base class of the C++ class, in the order in which they stand |
/// | `f16` | floating point in half precision |
/// | `truncate(bits = 18)` | floating point with 10 to 31 bits, sign and exponent included |
/// | `quantize(bits = 12, min = -5.0, max = 5.0)` | floating point as 1 to 32 bits that count steps from `min` to `max`; a value outside is an error, or with `outside = "saturate"` becomes the nearest inside and is counted |
/// | `double32` | `f64` in single precision, which C++ sees as `Double32_t` |
/// | `encoding = "Real32"` | a column type by its name, for all values below the member that can have it |
/// | `representations("SplitReal32", f16)` | several encodings, of which a cluster has one: the first, unless `Writer::use_representation` asks for another. `f16`, `truncate(..)`, `quantize(..)`, or column types by their names |
/// | `offsets = "Index32"` | a column type for the offsets of collections and strings |
/// | `at("_0._1", offsets = "Index64")` | an encoding for one field below the member, by its path, before what is asked for the member: `encoding`, `offsets`, `f16`, `truncate`, `quantize`; may be said several times |
/// | `compression = "lz4:4"` | an algorithm and its level, or `"none"`, instead of the writer's |
/// | `convert = "lossy"` | reading takes any number for any other: floating point rounds to the nearest, integers cut the fraction off, and what is out of range becomes the least or greatest value, NaN 0 |
///
/// ```
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple, Debug, PartialEq)]
/// #[rntuple(rename_all = "camelCase")]
/// struct Event {
///     event_number: u64,
///     /// Missing transverse energy
///     #[rntuple(truncate(bits = 18), unit = "GeV")]
///     met: f32,
///     #[rntuple(flatten, prefix = "vtx_")]
///     vertex: Vertex,
///     #[rntuple(alias = "trig", default)]
///     triggers: Vec<String>,
///     #[rntuple(skip)]
///     cache: Option<f32>,
/// }
///
/// #[derive(RNTuple, Debug, PartialEq)]
/// struct Vertex { x: f32, y: f32 }
///
/// let event = Event {
///     event_number: 7,
///     met: 20.0,
///     vertex: Vertex { x: 1.0, y: 2.0 },
///     triggers: vec!["e24".to_owned()],
///     cache: None,
/// };
/// let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// writer.fill(&event)?;
/// let reader = Reader::<Event>::open(writer.finish_into()?.1, "Events")?;
/// let names: Vec<_> = reader.schema().top_level().iter().map(|&id| &*reader.schema().field(id).unwrap().name).collect();
/// assert_eq!(names, ["eventNumber", "met", "vtx_x", "vtx_y", "triggers"]);
/// assert_eq!(reader.entries().next().unwrap()?, event);
/// # Ok::<(), rntuple::Error>(())
/// ```
///
/// A projected field is read as a member like any other:
///
/// ```
/// use rntuple::cxx::{Cardinality, Cardinality32};
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer, storage::Memory};
///
/// #[derive(RNTuple)]
/// #[rntuple(project(n_muons: Cardinality32 = "muons", muon_pt: Vec<f32> = "muons.pt"))]
/// struct Event { muons: Vec<Muon> }
///
/// #[derive(RNTuple)]
/// struct Muon { pt: f32, charge: i8 }
///
/// #[derive(RNTuple)]
/// #[rntuple(skip_writing)]
/// struct Flat { n_muons: Cardinality, muon_pt: Vec<f32> }
///
/// let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
/// writer.fill(&Event { muons: vec![Muon { pt: 27.5, charge: 1 }, Muon { pt: 4.0, charge: -1 }] })?;
/// let reader = Reader::<Flat>::open(writer.finish_into()?.1, "Events")?;
/// let flat = reader.entries().next().unwrap()?;
/// assert_eq!(flat.n_muons, Cardinality(2));
/// assert_eq!(flat.muon_pt, [27.5, 4.0]);
/// # Ok::<(), rntuple::Error>(())
/// ```
#[proc_macro_derive(RNTuple, attributes(rntuple))]
pub fn derive_rntuple(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let item = parse_macro_input!(input as DeriveInput);
    derive(&item).into()
}

/// Parse, check, expand: no step needs one that comes after it.
fn derive(item: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::default();
    let input = Input::read(item, &ctxt);
    check::check(&input, &ctxt);
    expand::expand(&input, ctxt.finish())
}
