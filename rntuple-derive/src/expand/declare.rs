//! How the columns of a member are declared and connected: its names, and what its attributes ask for.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};

use super::columns::Column;
use super::impls::implementation;
use crate::ast::{Input, Member};
use crate::attr::{MemberAttrs, Spanned};
use crate::side::Side;
use crate::types;

/// A builder, and what the attributes say about its field.
pub(super) fn dressed(
    input: &Input<'_>,
    mut builder: TokenStream,
    description: Option<&Spanned<String>>,
    attrs: &MemberAttrs,
) -> TokenStream {
    let private = input.private();
    if let Some(Spanned { value: text, .. }) = description {
        builder = quote!(#private::FieldBuilder::description(#builder, #text));
    }
    if let Some(Spanned { value: text, .. }) = &attrs.unit {
        builder = quote!(#private::FieldBuilder::unit(#builder, #text));
    }
    for wish in &attrs.wishes {
        let packings = wish.encoding.representations().iter().map(|one| one.packing(&private));
        let span = wish.span.resolved_at(Span::call_site());
        builder = match (&wish.path, wish.encoding.representations()) {
            (None, [_]) => quote_spanned!(span=> #private::FieldBuilder::encoding(#builder, #(#packings)*)),
            (None, _) => {
                quote_spanned!(span=> #private::FieldBuilder::representations(#builder, [#(#packings),*]))
            }
            (Some(path), [_]) => {
                quote_spanned!(span=> #private::FieldBuilder::encoding_at(#builder, #path, #(#packings)*))
            }
            (Some(path), _) => quote_spanned! {span=>
                #private::FieldBuilder::representations_at(#builder, #path, [#(#packings),*])
            },
        };
        if wish.encoding.is_double32() {
            builder = quote_spanned!(span=> #private::FieldBuilder::double32(#builder));
        }
    }
    if let Some(Spanned { value: text, .. }) = &attrs.compression {
        builder = quote!(#private::FieldBuilder::compression(#builder, #private::wish::compression(#text)));
    }
    builder
}

/// Whether there is anything to be said about the field.
pub(super) fn is_dressed(attrs: &MemberAttrs) -> bool {
    attrs.unit.is_some() || !attrs.wishes.is_empty() || attrs.compression.is_some()
}

/// The columns of a member, declared in the record `parent`.
pub(super) fn declare(input: &Input<'_>, member: &Member<'_>, parent: &TokenStream) -> TokenStream {
    let Member { name, attrs, .. } = member;
    let (private, span) = (input.private_at(member.span()), member.span());
    let name = &name.value;
    if attrs.flatten.is_some() {
        let (ty, prefix) = (member.asked_type(input, Side::Write), prefix(attrs));
        let builder = quote!(#private::FieldBuilder::flattened(#parent, #prefix));
        let builder = dressed(input, builder, None, attrs);
        return quote_spanned!(span=> #private::declare_flattened::<#ty>(&mut #builder));
    }
    if !is_dressed(attrs) && attrs.description.is_none() {
        let declare = implementation(input, member, Side::Write, "declare_member");
        return quote_spanned!(span=> #declare(#parent, #name));
    }
    let declare = implementation(input, member, Side::Write, "declare");
    let builder = {
        let private = input.private();
        quote!(#private::FieldBuilder::subfield(#parent, #name))
    };
    let builder = dressed(input, builder, attrs.description.as_ref(), attrs);
    quote_spanned!(span=> #declare(&mut #builder))
}

fn prefix(attrs: &MemberAttrs) -> &str {
    attrs.prefix.as_ref().map_or("", |prefix| &prefix.value)
}

/// A statement that finds a member by its name; `None` if its attributes ask for more than that.
pub(super) fn connect_by_name(input: &Input<'_>, column: &Column<'_>, name: &str) -> Option<TokenStream> {
    let Member { attrs, .. } = column.member;
    let is_plain = !column.is_optional(input)
        && !column.member.can_fail()
        && attrs.aliases.is_empty()
        && attrs.flatten.is_none()
        && attrs.unit.is_none()
        && attrs.lossy.is_none();
    let (connect, wanted) =
        (implementation(input, column.member, Side::Read, "connect_member"), wanted(column.member));
    let place = column.place();
    is_plain.then(|| quote_spanned!(column.span=> #connect(&mut __members, &(#name, #wanted), #place);))
}

/// An expression of type `Result<()>`, which finds the columns of a member in the field `parent`: under `name`, or
/// under one of its aliases.
pub(super) fn connect(input: &Input<'_>, column: &Column<'_>, parent: &Ident, name: &str) -> TokenStream {
    let (member, span) = (column.member, column.span);
    let attrs = &member.attrs;
    let (private, place) = (input.private_at(span), column.place());
    if attrs.flatten.is_some() {
        let (ty, prefix) = (member.asked_type(input, Side::Read), prefix(attrs));
        let node = quote_spanned!(span=> #private::FieldNode::flattened(#parent, #prefix));
        let node = asked(input, attrs, node);
        return if column.is_optional(input) {
            quote_spanned!(span=> #private::DefaultReader::flattened(#place, #node, #private::connect_flattened::<#ty>))
        } else {
            quote_spanned!(span=> #private::connect_flattened::<#ty>(#node, #place))
        };
    }
    let wanted = wanted(member);
    let connect = implementation(input, member, Side::Read, "connect");
    let node = asked(input, attrs, quote_spanned!(span=> __member));
    let connected = |place: &TokenStream| {
        if member.can_fail() {
            quote_spanned!(span=> #private::PlacedReader::connect(#place, #node, #connect))
        } else {
            quote_spanned!(span=> #connect(#node, #place))
        }
    };
    let aliases = attrs.aliases.iter().map(|alias| &alias.value);
    if column.is_optional(input) {
        let has_default = member.fallback(input).is_some();
        let is_option = implementation(input, member, Side::Read, "IS_OPTION");
        let connected = connected(&quote_spanned!(span=> __reader));
        return quote_spanned! {span=>
            #private::DefaultReader::connect(
                #place,
                #parent,
                #private::Lack { names: &[#name #(, #aliases)*], wanted: #wanted, has_default: #has_default, is_option: #is_option },
                |__member, __reader| #connected,
            )
        };
    }
    let connected = connected(&place);
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

fn wanted(member: &Member<'_>) -> String {
    types::spelled(member.ty.to_token_stream())
}

/// A node, and what the attributes ask of it.
pub(super) fn asked(input: &Input<'_>, attrs: &MemberAttrs, mut node: TokenStream) -> TokenStream {
    let private = input.private();
    if let Some(Spanned { value: unit, .. }) = &attrs.unit {
        node = quote!(#private::FieldNode::in_unit(#node, #unit));
    }
    if attrs.lossy.is_some() {
        node = quote!(#private::FieldNode::lossy(#node));
    }
    node
}
