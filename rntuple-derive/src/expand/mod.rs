//! Tokens from the checked model.
//!
//! Every path begins with the runtime's name, every call names its trait, and names that users could have too begin with `__`,
//! so that expansions do not depend on what is in scope where they stand.

mod batch;
mod borrowed;
mod class;
mod columns;
mod connect;
mod declare;
mod fallback;
mod flatten;
mod impls;
mod lock;
mod plain_enum;
mod read;
mod record;
mod upgrade;
mod variant;
mod write;

use proc_macro2::TokenStream;
use quote::quote;

use self::borrowed::{Borrowing, Connected};
use crate::ast::{Data, Input};

/// The impls for an item. If `checked` is an error: that error, and impls that only exist.
pub(crate) fn expand(input: &Input<'_>, checked: syn::Result<()>) -> TokenStream {
    let (items, connected, beside, errors) = match checked {
        Err(errors) => {
            (fallback::expand(input), Connected::Never, batch::fallback(input), errors.to_compile_error())
        }
        Ok(()) => {
            let (lock, batch) = (lock::expand(input), batch::define(input));
            (expand_data(input), Connected::Soundly, quote!(#lock #batch), TokenStream::new())
        }
    };
    let (types, borrowing) = match borrowed::expand(input, connected) {
        Some(Borrowing { types, impls }) => (Some(types), Some(impls)),
        None => (None, None),
    };
    let runtime = input.runtime();
    quote! {
        #errors

        #beside

        #types

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

            #items

            #borrowing
        };
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
