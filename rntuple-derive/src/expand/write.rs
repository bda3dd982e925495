//! How values of a member are appended: as they are, or in another form.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::columns::Column;
use super::impls::types_of;
use crate::ast::{Form, Input};
use crate::side::Side;

/// An expression of type `usize` that appends a value, given as an expression of a reference to it.
pub(super) fn append(input: &Input<'_>, column: &Column<'_>, value: &TokenStream) -> TokenStream {
    let (ident, span) = (&column.ident, column.span);
    let private = input.private_at(span);
    match stored(input, column, value) {
        None => quote_spanned!(span=> #private::FieldWriter::append(&mut self.#ident, #value)),
        Some(stored) => {
            let ty = column.member.stored_type(input, Side::Write);
            quote_spanned!(span=> #private::FieldWriter::<#ty>::append(&mut self.#ident, &#stored))
        }
    }
}

/// As [`append`], for the members of all items of the iterator `__values`.
pub(super) fn append_each(input: &Input<'_>, column: &Column<'_>) -> TokenStream {
    let (ident, member, span) = (&column.ident, &column.member.member, column.span);
    let private = input.private_at(span);
    let ty = column.member.stored_type(input, Side::Write);
    match stored(input, column, &quote_spanned!(span=> &__value.#member)) {
        None => quote_spanned! {span=>
            #private::FieldWriter::<#ty>::append_each(
                &mut self.#ident,
                #private::Iterator::map(#private::Clone::clone(&__values), |__value| &__value.#member),
            )
        },
        Some(stored) => quote_spanned! {span=>
            #private::append_converted::<#ty, _>(
                &mut self.#ident,
                #private::Iterator::map(#private::Clone::clone(&__values), |__value| #stored),
            )
        },
    }
}

/// The value in the form in which it is stored, if that is another than its own.
pub(super) fn stored(input: &Input<'_>, column: &Column<'_>, value: &TokenStream) -> Option<TokenStream> {
    let span = column.span;
    let private = input.private_at(span);
    match column.member.form(Side::Write) {
        Form::Own => None,
        Form::Module(module) => {
            let at = module.span().resolved_at(Span::call_site());
            let module = input.named(module);
            Some(quote_spanned!(at=> #module::store(#value)))
        }
        Form::Type(_) | Form::Checked(_) => {
            let (own, stored) = types_of(input, column.member, Side::Write);
            Some(
                quote_spanned!(span=> <#own as #private::Into<#stored>>::into(#private::Clone::clone(#value))),
            )
        }
    }
}

/// The sum of lengths. Statements, because a sum of a thousand members nests as deep.
pub(super) fn sum(lengths: impl Iterator<Item = TokenStream>) -> TokenStream {
    let mut lengths = lengths.peekable();
    if lengths.peek().is_none() {
        return quote!(0);
    }
    quote! {
        let mut __length = 0;
        #(__length += #lengths;)*
        __length
    }
}
