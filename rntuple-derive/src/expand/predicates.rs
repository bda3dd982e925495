//! `#[rntuple(predicates)]`: names of the fields, for predicates that the compiler checks.
//!
//! The definition is next to the item, where it can be named; the impls are with the others.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

use crate::ast::{Data, Enum, Input, Member, Shape, Struct, Variant};
use crate::side::Side;

/// The struct that has a member for each field; nothing, unless it is asked for.
pub(super) fn define(input: &Input<'_>) -> TokenStream {
    let Some(data) = record(input) else { return TokenStream::new() };
    let (runtime, vis, ident) = (input.runtime(), input.vis, fields(input));
    let members = stored(data).map(|member| {
        let (name, vis, ty) = (member.column_name(), member.vis, stored_type(input, member));
        let doc = format!("`{}`", member.name.value);
        quote_spanned!(member.span()=> #[doc = #doc] #vis #name: <#ty as #runtime::Fields>::At,)
    });
    let doc = format!("The fields of [`{}`], for predicates.", input.name());
    quote! {
        #[doc = #doc]
        #[allow(
            dead_code,
            deprecated,
            missing_debug_implementations,
            non_snake_case,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        #vis struct #ident {
            #(#members)*
            // The compiler asks of the last member whether it is `Sized`, wherever the struct is used: one of which that is
            // certain keeps it from repeating what is wrong with another.
            __rntuple_end: (),
        }
    }
}

/// The impl of `Fields`.
pub(super) fn expand(input: &Input<'_>) -> Option<TokenStream> {
    input.attrs.predicates?;
    match &input.data {
        Data::Struct(data) => match value(data) {
            Some(value) => {
                let (private, ty) = (input.private_at(value.span()), stored_type(input, value));
                let at = quote_spanned!(value.span()=> <#ty as #private::Fields>::At);
                let body = quote_spanned!(value.span()=> <#ty as #private::Fields>::at(__path));
                Some(implement(input, &at, &body))
            }
            None => Some(of_record(input, data)),
        },
        Data::Enum(data) if data.is_plain() => Some(of_plain_enum(input, data)),
        Data::Enum(_) => {
            let private = input.private();
            Some(implement(input, &quote!(#private::Opaque), &quote!(#private::Opaque::at(__path))))
        }
        Data::Union(_) => None,
    }
}

/// An impl that only exists, next to an error.
pub(super) fn fallback(input: &Input<'_>) -> TokenStream {
    if input.attrs.predicates.is_none() || !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (runtime, ident) = (input.runtime(), input.ident);
    quote! {
        #[doc(hidden)]
        const _: () = {
            impl #runtime::Fields for #ident {
                type At = #runtime::Opaque;
                fn at(_: #runtime::FieldPath) -> Self::At { loop {} }
            }
        };
    }
}

fn implement(input: &Input<'_>, at: &TokenStream, body: &TokenStream) -> TokenStream {
    let (private, this) = (input.private(), input.this());
    quote! {
        #[automatically_derived]
        impl #private::Fields for #this {
            type At = #at;

            fn at(__path: #private::FieldPath) -> Self::At {
                #body
            }
        }
    }
}

fn of_record(input: &Input<'_>, data: &Struct<'_>) -> TokenStream {
    let ident = fields(input);
    let members = stored(data).map(|member| {
        let (span, name) = (member.span(), member.column_name());
        let (private, ty) = (input.private_at(span), stored_type(input, member));
        let path = match member.attrs.flatten {
            Some(_) => {
                let prefix = member.attrs.prefix.as_ref().map_or("", |prefix| &prefix.value);
                quote_spanned!(span=> #private::FieldPath::flattened(&__path, #prefix))
            }
            None => {
                let name = &member.name.value;
                quote_spanned!(span=> #private::FieldPath::member(&__path, #name))
            }
        };
        quote_spanned!(span=> #name: <#ty as #private::Fields>::at(#path),)
    });
    implement(input, &quote!(#ident), &quote!(#ident { #(#members)* __rntuple_end: () }))
}

fn of_plain_enum(input: &Input<'_>, data: &Enum<'_>) -> TokenStream {
    let (private, ident) = (input.private(), input.ident);
    let names = data.variants.iter().map(|variant| {
        let (name, variant) = (&variant.name, variant.ident);
        quote!(#ident::#variant => #name,)
    });
    let fields = implement(input, &quote!(#private::Choice<Self>), &quote!(#private::Choice::at(__path)));
    let known = data.other().and_then(|other| known(input, data, other));
    quote! {
        #fields

        #[automatically_derived]
        impl #private::Named for #ident {
            fn name(&self) -> &'static #private::str {
                match *self { #(#names)* }
            }

            #known
        }
    }
}

/// The function that says which integers are not those of the variant for all others.
fn known(input: &Input<'_>, data: &Enum<'_>, other: &Variant<'_>) -> Option<TokenStream> {
    let (private, ident, other) = (input.private(), input.ident, other.ident);
    // Not the user's token: `u8` may be something else here, but not in `#[repr(u8)]`.
    let integer = Ident::new(&input.attrs.repr.as_ref()?.to_string(), Span::call_site());
    let variants = data.variants.iter().filter(|variant| variant.attrs.other.is_none());
    let (names, known): (Vec<_>, Vec<_>) = variants.map(|variant| (&variant.name, variant.ident)).unzip();
    Some(quote! {
        fn known(&self) -> #private::Option<&'static [(&'static #private::str, #private::i128)]> {
            const __KNOWN: &[(&#private::str, #private::i128)] =
                &[#((#names, #ident::#known as #private::#integer as #private::i128),)*];
            match *self {
                #(#ident::#known => #private::None,)*
                #ident::#other => #private::Some(__KNOWN),
            }
        }
    })
}

/// A struct with a field for each member, if predicates are asked for.
fn record<'a>(input: &'a Input<'_>) -> Option<&'a Struct<'a>> {
    input.attrs.predicates?;
    match &input.data {
        Data::Struct(data) if value(data).is_none() => Some(data),
        _ => None,
    }
}

/// What the struct is called.
fn fields(input: &Input<'_>) -> Ident {
    let span = input.ident.span().resolved_at(Span::call_site());
    format_ident!("{}Fields", input.ident.unraw(), span = span)
}

/// The one value that a newtype is stored as.
fn value<'a>(data: &'a Struct<'a>) -> Option<&'a Member<'a>> {
    let mut stored = stored(data);
    stored.next().filter(|_| data.shape == Shape::Newtype && stored.next().is_none())
}

fn stored<'a>(data: &'a Struct<'a>) -> impl Iterator<Item = &'a Member<'a>> {
    data.members.iter().filter(|member| member.is_stored())
}

/// The type whose columns are read, or else written.
fn stored_type(input: &Input<'_>, member: &Member<'_>) -> TokenStream {
    let side = if member.has_columns(Side::Read) { Side::Read } else { Side::Write };
    member.stored_type(input, side)
}
