//! How the columns of several members are found in a file, each in its place.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::columns::Column;
use super::declare;
use crate::ast::Input;

/// Statements that find members in the field `parent`, followed by an expression of type `Result<()>`: the first difference
/// between type and file. All differences are kept.
///
/// Each member is one call that does not return early: for each `?` the compiler would emit code that drops the members found
/// before, and a record may have more than a thousand members.
pub(super) fn members(private: &TokenStream, parent: &Ident, found: &[TokenStream]) -> TokenStream {
    if found.is_empty() {
        return quote!(#private::Ok(()));
    }
    quote! {
        let mut __members = #private::FieldNode::members(#parent);
        #(#found)*
        #private::Connecting::finish(__members)
    }
}

/// For [`members`]: a statement that finds the columns of a member of the record `parent`.
pub(super) fn member(input: &Input<'_>, column: &Column<'_>, parent: &Ident) -> TokenStream {
    let name = &column.member.name.value;
    if let Some(call) = declare::connect_by_name(input, column, name) {
        return call;
    }
    let span = column.span;
    kept(&input.private_at(span), &declare::connect(input, column, parent, name))
}

/// For [`members`]: a statement that keeps the error of an expression of type `Result<()>`.
pub(super) fn kept(private: &TokenStream, result: &TokenStream) -> TokenStream {
    quote!(#private::Connecting::keep(&mut __members, #result);)
}
