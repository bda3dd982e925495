//! Impls of either half, and the implementations of members that they call.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use crate::ast::{Input, Member};
use crate::bound;
use crate::side::Side;

/// The halves that are requested, one after the other.
pub(super) fn halves(input: &Input<'_>, write: TokenStream, read: TokenStream) -> TokenStream {
    let write = input.has(Side::Write).then_some(write);
    let read = input.has(Side::Read).then_some(read);
    quote!(#write #read)
}

/// The impl of `WriteField` or `ReadField`, around its items.
pub(super) fn field_impl(input: &Input<'_>, side: Side, items: &TokenStream) -> TokenStream {
    let this = input.this();
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::field(input, side);
    // The compiler takes a trait for a derived one if its name in the impl comes from the derive. Where a bound does
    // not hold, it then advises to write the impl by hand.
    let (private, field, place) = (input.private(), side.field(Span::call_site()), input.ident.span());
    let implemented = format_ident!("__{field}", span = place);
    quote! {
        use #private::#field as #implemented;

        #[automatically_derived]
        impl #generics #implemented for #this #bounds {
            #items
        }
    }
}

/// `<Type as WriteField>::item` or `<Type as ReadField>::item` of a member's type.
pub(super) fn implementation(input: &Input<'_>, member: &Member<'_>, side: Side, item: &str) -> TokenStream {
    let (ty, span) = (member.asked_type(input, side), member.span());
    let private = input.private_at(span);
    let (field, item) = (side.field(span), Ident::new(item, span));
    quote_spanned!(span=> <#ty as #private::#field>::#item)
}

/// The type of a member, and the type whose columns it has.
pub(super) fn types_of(input: &Input<'_>, member: &Member<'_>, side: Side) -> (TokenStream, TokenStream) {
    (member.tokens(input), member.stored_type(input, side))
}
