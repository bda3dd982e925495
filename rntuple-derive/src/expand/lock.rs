//! The test that compares the schema of a type with a file.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote_spanned};

use crate::ast::Input;

/// A function next to the item: tests inside of constants are not found, and in a module of its own the path of the
/// crate might lead elsewhere.
pub(super) fn expand(input: &Input<'_>) -> Option<TokenStream> {
    let lock = input.attrs.lock.as_ref()?;
    let (path, ident, runtime) = (&lock.value, input.ident, input.runtime());
    let test = format_ident!("__{}_schema_is_locked", input.name(), span = Span::call_site());
    let span = lock.span.resolved_at(Span::call_site());
    Some(quote_spanned! {span=>
        #[cfg(test)]
        #[::core::prelude::v1::test]
        #[allow(non_snake_case)]
        fn #test() {
            #runtime::assert_lock::<#ident>(::core::env!("CARGO_MANIFEST_DIR"), #path);
        }
    })
}
