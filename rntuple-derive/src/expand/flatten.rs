//! Names of members after flattening, which only constants can compare: the derive does not see other structs.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::ast::{Data, Input, Member, Shape};
use crate::side::Side;
use crate::types;

/// The constant of `Entry` that lists the names of members.
pub(super) fn members(input: &Input<'_>, members: &[Member<'_>]) -> TokenStream {
    let (private, list) = (input.private(), list(input, members));
    quote!(const MEMBERS: #private::Members = #list;)
}

/// An expression of type `Members`.
fn list(input: &Input<'_>, members: &[Member<'_>]) -> TokenStream {
    let private = input.private();
    let stored = || members.iter().filter(|member| member.is_stored());
    // Aliases too: what they find would be read twice.
    let own = stored().filter(|member| member.attrs.flatten.is_none()).flat_map(|member| {
        let aliases = member.attrs.aliases.iter().map(|alias| &alias.value);
        std::iter::once(&member.name.value).chain(aliases)
    });
    let flattened = stored().filter(|member| member.attrs.flatten.is_some()).map(|member| {
        let (ty, private) = (member.asked_type(input, Side::Read), input.private_at(member.span()));
        let prefix = member.attrs.prefix.as_ref().map_or("", |prefix| &prefix.value);
        quote_spanned!(member.span()=> (#prefix, <#ty as #private::Entry>::MEMBERS))
    });
    quote!(#private::Members { own: &[#(#own),*], flattened: &[#(#flattened),*] })
}

/// Compares the names when the crate is checked.
pub(super) fn check_now(input: &Input<'_>, members: &[Member<'_>]) -> Option<TokenStream> {
    let assertion = assertion(input, members).filter(|_| input.generics.params.is_empty())?;
    Some(quote!(const _: () = #assertion;))
}

/// Compares the names of a type with parameters when it is used.
pub(super) fn check_in_use(input: &Input<'_>, members: &[Member<'_>]) -> Option<TokenStream> {
    let assertion = assertion(input, members).filter(|_| !input.generics.params.is_empty())?;
    Some(quote!(const { #assertion };))
}

/// With no member flattened there is nothing to compare.
fn assertion(input: &Input<'_>, members: &[Member<'_>]) -> Option<TokenStream> {
    let span = members.iter().find_map(|member| member.attrs.flatten)?.resolved_at(Span::call_site());
    let private = input.private_at(span);
    // An entry has listed them, and a mistake in the list is told there.
    let list = match &input.data {
        Data::Struct(data) if data.shape == Shape::Named => {
            let this = types::at(input.this(), span);
            quote_spanned!(span=> <#this as #private::Entry>::MEMBERS)
        }
        _ => types::at(list(input, members), span),
    };
    Some(quote_spanned!(span=> #private::Members::assert_distinct(&#list)))
}
