//! Tokens from the checked model.
//!
//! Every path begins with the runtime's name, every call names its trait, and names that users could have too begin with `__`,
//! so that expansions do not depend on what is in scope where they stand.

mod class;
mod columnar;
mod columns;
mod connect;
mod declare;
mod fallback;
mod flatten;
mod impls;
mod lock;
mod plain_enum;
mod predicates;
mod read;
mod record;
mod upgrade;
mod variant;
mod wishes;
mod write;

use proc_macro2::TokenStream;
use quote::quote;

use crate::ast::{Data, Input};

/// The impls for an item. If `checked` is an error: that error, and impls that only exist.
pub(crate) fn expand(input: &Input<'_>, checked: syn::Result<()>) -> TokenStream {
    let (items, beside, errors) = match checked {
        Err(errors) => {
            let (columnar, predicates) = (columnar::fallback(input), predicates::fallback(input));
            (fallback::expand(input), quote!(#columnar #predicates), errors.to_compile_error())
        }
        Ok(()) => {
            let (lock, types, fields) =
                (lock::expand(input), columnar::define(input), predicates::define(input));
            let (items, columnar, predicates) =
                (expand_data(input), columnar::expand(input), predicates::expand(input));
            (quote!(#items #columnar #predicates), quote!(#lock #types #fields), TokenStream::new())
        }
    };
    let (runtime, wishes) = (input.runtime(), wishes::check(input));
    quote! {
        #errors

        #[doc(hidden)]
        #[allow(
            deprecated,
            missing_debug_implementations,
            non_snake_case,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        const _: () = {
            use #runtime as __rntuple;

            #wishes
            #items
        };

        #beside
    }
}

fn expand_data(input: &Input<'_>) -> TokenStream {
    match &input.data {
        Data::Struct(data) => record::expand(input, data),
        Data::Enum(data) if data.is_plain() => plain_enum::expand(input, data),
        Data::Enum(data) => variant::expand(input, data),
        Data::Union(_) => fallback::expand(input),
    }
}
