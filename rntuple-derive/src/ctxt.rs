//! Collects every error before any is shown.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::Span;
use quote::ToTokens;

/// The mistakes found so far, in the order in which they were found.
#[derive(Default)]
pub(crate) struct Ctxt {
    errors: RefCell<Vec<syn::Error>>,
}

impl Ctxt {
    /// Underlines all of `at`.
    pub(crate) fn error(&self, at: impl ToTokens, message: impl Display) {
        self.push(syn::Error::new_spanned(at, message));
    }

    /// Underlines one token.
    pub(crate) fn error_at(&self, at: Span, message: impl Display) {
        self.push(syn::Error::new(at, message));
    }

    pub(crate) fn push(&self, error: syn::Error) {
        self.errors.borrow_mut().push(error);
    }

    /// The value, or the error kept for later.
    pub(crate) fn ok<T>(&self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// All errors as one.
    pub(crate) fn finish(self) -> syn::Result<()> {
        let combine = |mut all: syn::Error, error| {
            all.combine(error);
            all
        };
        self.errors.into_inner().into_iter().reduce(combine).map_or(Ok(()), Err)
    }
}
