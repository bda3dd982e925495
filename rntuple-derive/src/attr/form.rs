//! What attributes say that is more than a string or a number.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens as _;
use syn::{Path, Type};

use crate::types;

/// A value, and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// What a member is where the file has none.
#[derive(Clone)]
pub(crate) enum Fallback {
    /// `Default::default()`
    Trait,
    /// What this function gives.
    Function(Path),
    /// The member of the struct's own default, or of what this function gives.
    OfContainer(Option<Path>),
}

/// Whether both make the same value, as far as it is written down.
impl PartialEq for Fallback {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Trait, Self::Trait) => true,
            (Self::Function(one), Self::Function(other)) => {
                one.to_token_stream().to_string() == other.to_token_stream().to_string()
            }
            _ => false,
        }
    }
}

/// What is asked of a file, to see whether it holds an older type.
pub(crate) enum When {
    /// `version(1)`, `version(1..=3)`: the first and the last.
    Version(u32, u32),
    /// `type_name("ns::Event")`
    TypeName(String),
    /// `has("muons.pt")`
    Has(String),
    /// `lacks("muons.pt")`
    Lacks(String),
    /// A function that says so.
    Function(Path),
}

impl When {
    /// Whether what this holds of is known to be what the other one held of before.
    pub(crate) fn meets(&self, earlier: &Self) -> bool {
        match (self, earlier) {
            (Self::Version(first, last), Self::Version(other, until)) => first <= until && other <= last,
            (Self::TypeName(one), Self::TypeName(other))
            | (Self::Has(one), Self::Has(other))
            | (Self::Lacks(one), Self::Lacks(other)) => one == other,
            (Self::Function(one), Self::Function(other)) => {
                one.to_token_stream().to_string() == other.to_token_stream().to_string()
            }
            _ => false,
        }
    }
}

/// `upgrade_from(EventV2, when = version(2), with = upgrade)`
pub(crate) struct Upgrade {
    pub(crate) ty: Type,
    /// Which files hold it.
    pub(crate) when: Spanned<When>,
    /// `with = ..` or `try_with = ..`; otherwise `From`.
    pub(crate) with: Option<Path>,
    pub(crate) is_fallible: bool,
    pub(crate) span: Span,
}

impl Upgrade {
    /// Where code about it is, resolved as the macro's own names are.
    pub(crate) fn place(&self) -> Span {
        self.span.resolved_at(Span::call_site())
    }

    /// The type, all of it at that place.
    pub(crate) fn placed(&self) -> TokenStream {
        types::at(self.ty.to_token_stream(), self.place())
    }
}

/// `project(n_muons: Cardinality = "muons")`
pub(crate) struct Projection {
    pub(crate) name: Spanned<String>,
    /// Written as a string, so that no rule changes it.
    pub(crate) is_verbatim: bool,
    pub(crate) ty: Type,
    /// The path of the field that it is a view of.
    pub(crate) source: Spanned<String>,
}

/// `columnar(columns = EventColumns, slice = EventSlice, one = EventRef)`
#[derive(Default)]
pub(crate) struct Columnar {
    pub(crate) columns: Option<syn::Ident>,
    pub(crate) slice: Option<syn::Ident>,
    pub(crate) one: Option<syn::Ident>,
}
