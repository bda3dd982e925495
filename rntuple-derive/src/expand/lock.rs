//! The test that compares the schema of a type with a file.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};

use crate::ast::Input;

/// A module beside the item: tests inside of constants are not found.
pub(super) fn expand(input: &Input<'_>) -> Option<TokenStream> {
    let lock = input.attrs.lock.as_ref()?;
    let (path, ident, runtime) = (&lock.value, input.ident, input.runtime());
    let module = format_ident!("__{}_lock", input.name(), span = Span::call_site());
    let span = lock.span.resolved_at(Span::call_site());
    Some(quote_spanned! {span=>
        #[cfg(test)]
        #[doc(hidden)]
        #[allow(non_snake_case)]
        mod #module {
            #[::core::prelude::v1::test]
            fn schema_is_locked() {
                #runtime::assert_lock::<super::#ident>(::core::env!("CARGO_MANIFEST_DIR"), #path);
            }
        }
    })
}
