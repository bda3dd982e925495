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

#[doc = include_str!("derive.md")]
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
