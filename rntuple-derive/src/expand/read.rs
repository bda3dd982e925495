//! How values of a member are read: as they are, from another form, or from nothing.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::spanned::Spanned as _;

use super::columns::Column;
use super::impls::types_of;
use crate::ast::{Form, Input, Member};
use crate::attr::Fallback;
use crate::side::Side;
use crate::types;

/// An expression that reads a member's value; faults are returned by `?`.
pub(super) fn value(input: &Input<'_>, column: &Column<'_>) -> TokenStream {
    value_of(input, column, "self")
}

/// As [`value`], where the struct of columns is `columns`.
pub(super) fn value_of(input: &Input<'_>, column: &Column<'_>, columns: &str) -> TokenStream {
    let (ident, span) = (&column.ident, column.span);
    let columns = Ident::new(columns, span);
    let private = input.private_at(span);
    if !column.is_optional(input) {
        return converted(input, column, &quote_spanned!(span=> &mut #columns.#ident));
    }
    let value = converted(input, column, &quote_spanned!(span=> __reader));
    let fallback = match column.member.fallback(input) {
        Some(fallback) => made(input, column.member, &fallback),
        None => {
            quote_spanned!(span=> return #private::Err(#private::DefaultReader::missing(&#columns.#ident)))
        }
    };
    quote_spanned! {span=>
        match #private::DefaultReader::next(&mut #columns.#ident)? {
            #private::Some(__reader) => #value,
            #private::None => #fallback,
        }
    }
}

/// A statement that reads a member's value in place of that of the expression `slot`.
pub(super) fn into_slot(input: &Input<'_>, column: &Column<'_>, slot: &TokenStream) -> TokenStream {
    let (ident, span) = (&column.ident, column.span);
    let private = input.private_at(span);
    if let Form::Own = column.member.form(Side::Read) {
        if !column.is_optional(input) {
            return quote_spanned!(span=> #private::FieldReader::read_into(&mut self.#ident, &mut #slot)?;);
        }
        if let Some(fallback) = column.member.fallback(input) {
            let fallback = made(input, column.member, &fallback);
            return quote_spanned! {span=>
                match #private::DefaultReader::next(&mut self.#ident)? {
                    #private::Some(__reader) => #private::FieldReader::read_into(__reader, &mut #slot)?,
                    #private::None => #slot = #fallback,
                }
            };
        }
    }
    let value = value(input, column);
    quote_spanned!(span=> #slot = #value;)
}

/// A statement that takes what a member's value has allocated, where it is read in place.
pub(super) fn reclaim(input: &Input<'_>, column: &Column<'_>, slot: &TokenStream) -> Option<TokenStream> {
    let (ident, span) = (&column.ident, column.span);
    let private = input.private_at(span);
    let in_place = matches!(column.member.form(Side::Read), Form::Own) && !column.is_optional(input);
    in_place.then(|| quote_spanned!(span=> #private::FieldReader::reclaim(&mut self.#ident, &mut #slot);))
}

/// The next value of a reader, in the member's own form.
fn converted(input: &Input<'_>, column: &Column<'_>, reader: &TokenStream) -> TokenStream {
    let span = column.span;
    let private = input.private_at(span);
    let (own, stored) = types_of(input, column.member, Side::Read);
    let form = column.member.form(Side::Read);
    if let Form::Own = form {
        // At one place, else the compiler tells of the type once more.
        let own = types::at(own, span);
        return quote_spanned!(span=> #private::FieldReader::<#own>::read(#reader)?);
    }
    if let Form::Type(_) = form {
        return quote_spanned! {span=>
            <#own as #private::From<#stored>>::from(#private::FieldReader::<#stored>::read(#reader)?)
        };
    }
    let load = match form {
        Form::Module(module) => {
            let at = module.span().resolved_at(Span::call_site());
            let module = input.named(module);
            quote_spanned!(at=> #module::load(__stored))
        }
        _ => quote_spanned!(span=> <#own as #private::TryFrom<#stored>>::try_from(__stored)),
    };
    quote_spanned! {span=> {
        let __placed = #reader;
        let __stored = #private::FieldReader::<#stored>::read(#private::PlacedReader::reader(__placed))?;
        #private::PlacedReader::accept(__placed, #load)?
    }}
}

/// What a member is that is not in the file.
pub(super) fn absent(input: &Input<'_>, member: &Member<'_>) -> TokenStream {
    made(input, member, &member.fallback(input).unwrap_or(Fallback::Trait))
}

/// The value that a fallback makes.
fn made(input: &Input<'_>, member: &Member<'_>, fallback: &Fallback) -> TokenStream {
    let (span, name) = (member.span(), &member.member);
    let private = input.private_at(span);
    match fallback {
        Fallback::Trait => quote_spanned!(span=> #private::Default::default()),
        Fallback::Function(path) => {
            let at = path.span().resolved_at(Span::call_site());
            let path = input.named(path);
            quote_spanned!(at=> #path())
        }
        Fallback::OfContainer(None) => {
            let this = input.this();
            quote_spanned!(span=> <#this as #private::Default>::default().#name)
        }
        Fallback::OfContainer(Some(path)) => {
            let at = path.span().resolved_at(Span::call_site());
            let path = input.named(path);
            quote_spanned!(at=> #path().#name)
        }
    }
}
