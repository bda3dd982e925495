//! `#[rntuple(batch)]`: the structure of arrays of an item, and what reads and writes it.
//!
//! The definitions stand beside the item, where they can be named; the impls stand with the others.

mod define;
mod parts;
mod record;
mod transfer;
mod variant;

use proc_macro2::TokenStream;
use quote::quote;

use self::parts::Names;
use super::columns::Columns;
use crate::ast::{Enum, Input, Struct};

pub(super) use define::define;

/// The impls of a struct's batch.
pub(super) fn of_struct(columns: &Columns<'_>, data: &Struct<'_>) -> Option<TokenStream> {
    let names = Names::of(columns.input)?;
    Some(record::expand(&names, columns, data))
}

/// The impls of the batch of an enum with data.
pub(super) fn of_enum(columns: &Columns<'_>, data: &Enum<'_>) -> Option<TokenStream> {
    let names = Names::of(columns.input)?;
    Some(variant::expand(&names, columns, data))
}

/// What makes a slice the batch of an enum without data.
pub(super) fn of_plain_enum(input: &Input<'_>, data: &Enum<'_>) -> Option<TokenStream> {
    input.attrs.batch.as_ref()?;
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let (generics, _, bounds) = input.generics.split_for_impl();
    let variants = data.variants.iter().map(|variant| variant.ident);
    Some(quote! {
        #[automatically_derived]
        impl #generics #private::Batched for #this #bounds {
            type Batch = #private::Rows<#this>;

            #[inline]
            fn push_to(&self, __batch: &mut Self::Batch) {
                // Not a copy of the value, which may not be `Clone`.
                #private::Rows::push(__batch, match self {
                    #(#ident::#variants => #ident::#variants,)*
                });
            }
        }
    })
}

/// A batch that only exists, beside an error.
pub(super) fn fallback(input: &Input<'_>) -> TokenStream {
    let Some(Names { batch, .. }) = Names::of(input) else { return TokenStream::new() };
    let (runtime, this, vis) = (input.runtime(), input.this(), input.vis);
    let (generics, _, bounds) = input.generics.split_for_impl();
    quote! {
        #[doc(hidden)]
        #[allow(dead_code)]
        #vis type #batch #generics = #runtime::Rows<#this>;

        #[doc(hidden)]
        impl #generics #runtime::Batched for #this #bounds {
            type Batch = #runtime::Rows<#this>;
            fn push_to(&self, _: &mut Self::Batch) { loop {} }
        }
    }
}
