//! Writing and reading, and what each calls its traits and types.

use proc_macro2::{Ident, Span};
use quote::format_ident;

/// One of the two halves of an expansion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Write,
    Read,
}

impl Side {
    /// The trait of types.
    pub(crate) fn field(self, span: Span) -> Ident {
        Ident::new(if self == Self::Write { "WriteField" } else { "ReadField" }, span)
    }

    /// The associated type: the columns of a type.
    pub(crate) fn columns(self) -> &'static str {
        if self == Self::Write { "Writer" } else { "Reader" }
    }

    /// The trait of columns that values of one type go through.
    pub(crate) fn values(self, span: Span) -> Ident {
        Ident::new(if self == Self::Write { "FieldWriter" } else { "FieldReader" }, span)
    }

    /// The trait of columns, whatever goes through them.
    pub(crate) fn any(self) -> Ident {
        Ident::new(if self == Self::Write { "Commit" } else { "Attach" }, Span::call_site())
    }

    /// The struct of the columns of the item `item`.
    pub(crate) fn ident(self, item: &Ident) -> Ident {
        format_ident!("__{}{}", item, self.columns(), span = Span::call_site())
    }

    /// The `number`-th type parameter of that struct.
    pub(crate) fn parameter(self, number: usize) -> Ident {
        let letter = if self == Self::Write { "W" } else { "R" };
        format_ident!("__{letter}{number}", span = Span::call_site())
    }
}
