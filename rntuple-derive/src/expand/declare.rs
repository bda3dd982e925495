//! How the columns of a member are declared and connected: its names, and what its attributes ask for.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::columns::Column;
use super::{Side, implementation};
use crate::ast::{Input, Member};
use crate::attr::{Attrs, Spanned};
use crate::types;

/// A builder, and what the attributes say about its field.
pub(super) fn dressed(
    input: &Input<'_>,
    mut builder: TokenStream,
    description: Option<&Spanned<String>>,
    attrs: &Attrs,
) -> TokenStream {
    let private = input.private();
    if let Some(Spanned { value: text, .. }) = description {
        builder = quote!(#private::FieldBuilder::description(#builder, #text));
    }
    if let Some(Spanned { value: text, .. }) = &attrs.unit {
        builder = quote!(#private::FieldBuilder::unit(#builder, #text));
    }
    for wish in &attrs.wishes {
        let packing = wish.encoding.packing(&private);
        let span = wish.span.resolved_at(Span::call_site());
        builder = quote_spanned!(span=> #private::FieldBuilder::encoding(#builder, #packing));
        if wish.encoding.is_double32() {
            builder = quote_spanned!(span=> #private::FieldBuilder::double32(#builder));
        }
    }
    if let Some(Spanned { value: compression, span }) = &attrs.compression {
        let settings = compression.settings(&private);
        let span = span.resolved_at(Span::call_site());
        builder = quote_spanned!(span=> #private::FieldBuilder::compression(#builder, #settings));
    }
    builder
}

/// Whether there is anything to be said about the field.
pub(super) fn is_dressed(attrs: &Attrs) -> bool {
    attrs.unit.is_some() || !attrs.wishes.is_empty() || attrs.compression.is_some()
}

/// The columns of a member, declared in the record `parent`.
pub(super) fn declare(input: &Input<'_>, member: &Member<'_>, parent: &TokenStream) -> TokenStream {
    let Member { name, attrs, .. } = member;
    let (private, span) = (input.private_at(member.span()), member.span());
    let name = &name.value;
    if attrs.flatten.is_some() {
        let (ty, prefix) = (member.tokens(input), prefix(attrs));
        let builder = quote!(#private::FieldBuilder::flattened(#parent, #prefix));
        let builder = dressed(input, builder, None, attrs);
        return quote_spanned!(span=> #private::declare_flattened::<#ty>(&mut #builder));
    }
    let declare = implementation(input, member, Side::Write, "declare");
    let builder = {
        let private = input.private();
        quote!(#private::FieldBuilder::subfield(#parent, #name))
    };
    let builder = dressed(input, builder, attrs.description.as_ref(), attrs);
    quote_spanned!(span=> #declare(&mut #builder))
}

fn prefix(attrs: &Attrs) -> &str {
    attrs.prefix.as_ref().map_or("", |prefix| &prefix.value)
}

/// The columns of a column's member, or what is wrong with them, found in the field `parent`: under `name`, or
/// under one of its aliases.
pub(super) fn connect(input: &Input<'_>, column: &Column<'_>, parent: &Ident, name: &str) -> TokenStream {
    let (member, span) = (column.member, column.span);
    let attrs = &member.attrs;
    let private = input.private_at(span);
    if attrs.flatten.is_some() {
        let (ty, prefix) = (member.tokens(input), prefix(attrs));
        let node = quote_spanned!(span=> #private::FieldNode::flattened(#parent, #prefix));
        let node = asked(input, attrs, node);
        return if column.is_optional(input) {
            quote_spanned!(span=> #private::DefaultReader::flattened(#node, #private::connect_flattened::<#ty>))
        } else {
            quote_spanned!(span=> #private::connect_flattened::<#ty>(#node))
        };
    }
    let wanted = types::spelled(quote::ToTokens::to_token_stream(member.ty));
    let connect = implementation(input, member, Side::Read, "connect");
    let node = asked(input, attrs, quote_spanned!(span=> __member));
    let connected = if member.can_fail() {
        quote_spanned!(span=> #private::PlacedReader::connect(#node, #connect))
    } else {
        quote_spanned!(span=> #connect(#node))
    };
    let aliases = attrs.aliases.iter().map(|alias| &alias.value);
    if column.is_optional(input) {
        let has_default = member.fallback(input).is_some();
        let is_option = types::last_word(member.ty).is_some_and(|word| word == "Option");
        return quote_spanned! {span=>
            #private::DefaultReader::connect(
                #parent,
                #private::Lack { names: &[#name #(, #aliases)*], wanted: #wanted, has_default: #has_default, is_option: #is_option },
                |__member| #connected,
            )
        };
    }
    let found = if attrs.aliases.is_empty() {
        quote_spanned!(span=> #private::FieldNode::subfield(#parent, #name, #wanted))
    } else {
        quote_spanned!(span=> #private::FieldNode::subfield_of(#parent, &[#name #(, #aliases)*], #wanted))
    };
    quote_spanned! {span=>
        match #found {
            #private::Ok(__member) => #connected,
            #private::Err(__error) => #private::Err(__error),
        }
    }
}

/// A node, and what the attributes ask of it.
pub(super) fn asked(input: &Input<'_>, attrs: &Attrs, mut node: TokenStream) -> TokenStream {
    let private = input.private();
    if let Some(Spanned { value: unit, .. }) = &attrs.unit {
        node = quote!(#private::FieldNode::in_unit(#node, #unit));
    }
    if attrs.lossy.is_some() {
        node = quote!(#private::FieldNode::lossy(#node));
    }
    node
}
