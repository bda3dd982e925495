//! The impl of `ReadField`, with the older types from which values may come.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::impls::field_impl;
use crate::ast::Input;
use crate::attr::{Upgrade, When};
use crate::side::Side;
use crate::{bound, types};

/// How the type itself is connected.
pub(super) struct Connected {
    /// The type of its columns.
    pub(super) readers: TokenStream,
    /// Statements that find them in `__field`, and an expression of type `Result<()>`.
    pub(super) body: TokenStream,
    /// Whether it is an option: newtypes may be.
    pub(super) is_option: TokenStream,
    /// Items of the impl that are anything special: arrays of newtypes.
    pub(super) items: TokenStream,
}

impl Connected {
    /// Of what is nothing special.
    pub(super) fn plain(readers: TokenStream, body: TokenStream) -> Self {
        Self { readers, body, is_option: TokenStream::new(), items: TokenStream::new() }
    }
}

/// The impl of `ReadField`.
pub(super) fn read_field(input: &Input<'_>, connected: &Connected) -> TokenStream {
    let private = input.private();
    let Connected { readers, body, is_option, items: special } = connected;
    if input.attrs.upgrades.is_empty() {
        let items = quote! {
            type Reader = #readers;

            fn connect(
                __field: #private::FieldNode<'_>,
                __reader: &mut Self::Reader,
            ) -> #private::Result<()> {
                #body
            }

            #is_option
            #special
        };
        return field_impl(input, Side::Read, &items);
    }
    let reader = versions(input, readers);
    let older = older(input);
    let conditions = older.iter().map(|Older { upgrade, .. }| condition(input, upgrade));
    let arms = older.iter().zip(0_usize..).map(|(Older { upgrade, connect, columns }, number)| {
        let number = Literal::usize_unsuffixed(number);
        // All at one place, as `versions` is.
        let private = types::at(private.clone(), upgrade.place());
        quote_spanned! {upgrade.place()=>
            #private::Some(#number) => {
                let mut __columns = <_ as #private::Attach>::DETACHED;
                #connect(__field, &mut __columns)?;
                *__versions = #columns;
            }
        }
    });
    let is_hidden = is_hidden(input);
    let definition = is_hidden.then(|| define_hidden(input, &reader));
    let (columns, place) = match is_hidden {
        true => (hidden(input), quote!(&mut __reader.__versions)),
        false => (reader.clone(), quote!(__reader)),
    };
    let items = quote! {
        type Reader = #columns;
        #is_option

        fn connect(
            __field: #private::FieldNode<'_>,
            __reader: &mut Self::Reader,
        ) -> #private::Result<()> {
            let __current =
                |__field: #private::FieldNode<'_>, __reader: &mut #readers| -> #private::Result<()> { #body };
            let __versions: &mut #reader = #place;
            match #private::FieldNode::first_that_holds(__field, &[#(#conditions),*])? {
                #(#arms)*
                _ => {
                    let mut __columns = <_ as #private::Attach>::DETACHED;
                    __current(__field, &mut __columns)?;
                    *__versions = #private::VersionReader::Current(__columns);
                }
            }
            #private::Ok(())
        }
    };
    let (field, values) = (field_impl(input, Side::Read, &items), values(input, &columns, is_hidden));
    quote!(#definition #field #values)
}

/// A struct of this module may hide older types that are private; with parameters it cannot name them.
pub(super) fn is_hidden(input: &Input<'_>) -> bool {
    input.generics.params.is_empty()
}

/// The struct around the columns of all versions.
pub(super) fn hidden(input: &Input<'_>) -> TokenStream {
    format_ident!("__{}Versions", input.ident, span = Span::call_site()).into_token_stream()
}

fn define_hidden(input: &Input<'_>, reader: &TokenStream) -> TokenStream {
    let (private, vis, hidden) = (input.private(), input.vis, hidden(input));
    quote! {
        #vis struct #hidden {
            __versions: #reader,
        }

        #[automatically_derived]
        impl #private::Attach for #hidden {
            const DETACHED: Self = Self { __versions: #private::Attach::DETACHED };

            fn seek(&mut self, __to: #private::Position<'_>) -> #private::Result<()> {
                #private::Attach::seek(&mut self.__versions, __to)
            }

            #[inline]
            fn remaining(&self) -> #private::Option<#private::u64> {
                #private::Attach::remaining(&self.__versions)
            }
        }
    }
}

/// The condition of one older type.
fn condition(input: &Input<'_>, upgrade: &Upgrade) -> TokenStream {
    let span = upgrade.when.span.resolved_at(Span::call_site());
    let private = input.private_at(span);
    match &upgrade.when.value {
        When::Version(first, last) => {
            let (first, last) = (Literal::u32_unsuffixed(*first), Literal::u32_unsuffixed(*last));
            quote_spanned!(span=> #private::When::Version(#first, #last))
        }
        When::TypeName(name) => quote_spanned!(span=> #private::When::TypeName(#name)),
        When::Has(path) => quote_spanned!(span=> #private::When::Has(#path)),
        When::Lacks(path) => quote_spanned!(span=> #private::When::Lacks(#path)),
        When::Function(function) => {
            let function = input.named(function);
            quote_spanned!(span=> #private::When::Holds(#function))
        }
    }
}

/// One older type.
struct Older<'a> {
    upgrade: &'a Upgrade,
    /// A function of the field.
    connect: TokenStream,
    /// A pattern, or an expression, of its columns among those of all versions.
    columns: TokenStream,
}

fn older<'a>(input: &'a Input<'_>) -> Vec<Older<'a>> {
    let private = input.private();
    let upgrades = &input.attrs.upgrades;
    let older = |(position, upgrade): (usize, &'a Upgrade)| {
        let (ty, span) = (upgrade.placed(), upgrade.place());
        let private_here = input.private_at(span);
        let mut connect = quote_spanned!(span=> <#ty as #private_here::ReadField>::connect);
        if upgrade.is_fallible {
            connect = quote! {
                (|__field, __reader: &mut _| #private::PlacedReader::connect(__reader, __field, #connect))
            };
        }
        let mut columns = quote!(__columns);
        if position + 1 < upgrades.len() {
            columns = quote!(#private::VersionReader::Current(#columns));
        }
        for _ in 0..=position {
            columns = quote!(#private::VersionReader::Older(#columns));
        }
        Older { upgrade, connect, columns }
    };
    upgrades.iter().enumerate().map(older).collect()
}

/// The type of the columns of all versions: the current one, or else the older ones in a chain.
fn versions(input: &Input<'_>, readers: &TokenStream) -> TokenStream {
    let private = input.private();
    let older = input.attrs.upgrades.iter().map(|upgrade| {
        let (ty, private) = (upgrade.placed(), input.private_at(upgrade.place()));
        let reader = quote_spanned!(upgrade.place()=> <#ty as #private::ReadField>::Reader);
        let place = upgrade.place();
        if upgrade.is_fallible { quote_spanned!(place=> #private::PlacedReader<#reader>) } else { reader }
    });
    // All at one place, else the compiler tells of a type in it once more.
    let place = input.attrs.upgrades.first().map_or_else(Span::call_site, Upgrade::place);
    let private = types::at(private, place);
    let readers = types::at(readers.clone(), place);
    let chain = |older: TokenStream, current: TokenStream| quote_spanned!(place=> #private::VersionReader<#current, #older>);
    let older = older.rev().reduce(chain).unwrap_or_default();
    quote_spanned!(place=> #private::VersionReader<#readers, #older>)
}

/// The impl of `FieldReader` for the columns of all versions.
fn values(input: &Input<'_>, reader: &TokenStream, is_hidden: bool) -> TokenStream {
    let (private, this) = (input.private(), input.this());
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::field(input, Side::Read);
    let older = older(input);
    let arms = older.iter().map(|Older { upgrade, columns, .. }| {
        let (ty, span) = (upgrade.placed(), upgrade.place());
        let private = input.private_at(span);
        let upgraded = |value: TokenStream| match &upgrade.with {
            Some(function) => {
                let at = function.span().resolved_at(Span::call_site());
                let function = input.named(function);
                quote_spanned!(at=> #function(#value))
            }
            None => {
                let this = types::at(this.clone(), span);
                quote_spanned!(span=> <#this as #private::From<#ty>>::from(#value))
            }
        };
        if upgrade.is_fallible {
            let upgraded = upgraded(quote!(__value));
            quote_spanned! {span=>
                #columns => {
                    let __value = #private::FieldReader::<#ty>::read(#private::PlacedReader::reader(__columns))?;
                    #private::PlacedReader::accept(__columns, #upgraded)
                }
            }
        } else {
            let upgraded = upgraded(quote_spanned!(span=> #private::FieldReader::<#ty>::read(__columns)?));
            quote_spanned!(span=> #columns => #private::Ok(#upgraded),)
        }
    });
    let versions = if is_hidden { quote!(&mut self.__versions) } else { quote!(self) };
    quote! {
        #[automatically_derived]
        impl #generics #private::FieldReader<#this> for #reader #bounds {
            #[inline]
            fn read(&mut self) -> #private::Result<#this> {
                match #versions {
                    #private::VersionReader::Current(__columns) => {
                        #private::FieldReader::<#this>::read(__columns)
                    }
                    #(#arms)*
                }
            }

            #[inline]
            fn read_into(&mut self, __slot: &mut #this) -> #private::Result<()> {
                if let #private::VersionReader::Current(__columns) = #versions {
                    return #private::FieldReader::<#this>::read_into(__columns, __slot);
                }
                *__slot = #private::FieldReader::<#this>::read(self)?;
                #private::Ok(())
            }
        }
    }
}
