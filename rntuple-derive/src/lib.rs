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
mod types;

use syn::{DeriveInput, parse_macro_input};

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
/// They stand inside `#[rntuple(..)]`.
///
/// | on a struct or enum | |
/// | --- | --- |
/// | `type_name = "ns::Muon"` | the C++ class; without it, records have none where the format allows it. The arguments of a generic type are added, unless the name has some |
/// | `bound = "T: Trait"` | replaces the where-clause that is inferred from the members |
/// | `read_only` | only what reading needs, for types with members that cannot be written, as `Cardinality` |
/// | `write_only` | only what writing needs |
/// | `crate = path::to::rntuple` | where the crate is, if not at `::rntuple` |
///
/// | on a variant | |
/// | --- | --- |
/// | `type_name = "ns::Circle"` | the C++ class of the alternative, instead of `Shape::Circle` |
/// | `description = ".."` | the alternative's description, instead of the doc comment |
///
/// | on a member | |
/// | --- | --- |
/// | `rename = "pt"` | the name of the field |
/// | `description = ".."` | its description, instead of the doc comment |
/// | `skip` | not stored; reading makes its `Default` |
/// | `f16` | floating point in half precision |
/// | `truncate(bits = 18)` | floating point with 10 to 31 bits, sign and exponent included |
/// | `quantize(bits = 12, min = -5.0, max = 5.0)` | floating point as 1 to 32 bits that count steps from `min` to `max` |
/// | `encoding = "Real32"` | a column type by its name, for all values below the member that can have it |
/// | `index = "Index32"` | a column type for the offsets of collections and strings |
#[proc_macro_derive(RNTuple, attributes(rntuple))]
pub fn derive_rntuple(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input).into()
}
