//! What the types are called, and what they are generic over.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics};

use crate::ast::{Input, Member};
use crate::bound::without_a;

/// What the types are called, and what they are generic over.
pub(super) struct Names {
    pub(super) columns: Ident,
    pub(super) slice: Ident,
    pub(super) one: Ident,
    /// The item's parameters, but for lifetimes: columns own their values.
    pub(super) owned: Generics,
    /// The same after the lifetime of what is lent.
    pub(super) lent: Generics,
}

impl Names {
    /// `None` unless the attribute asks for them, and there are columns.
    pub(super) fn of(input: &Input<'_>) -> Option<Self> {
        let given = input.attrs.columnar.as_ref().filter(|_| !is_kept(input))?;
        let name = |name: &Option<Ident>, ending: &str| {
            let span = input.ident.span().resolved_at(Span::call_site());
            name.clone().unwrap_or_else(|| format_ident!("{}{ending}", input.ident.unraw(), span = span))
        };
        let mut owned = input.generics.clone();
        owned.where_clause = None;
        owned.params = std::mem::take(&mut owned.params)
            .into_iter()
            .filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
            .map(|mut parameter| {
                if let GenericParam::Type(parameter) = &mut parameter {
                    let bounds = std::mem::take(&mut parameter.bounds).into_iter();
                    let is_trait = |bound: &_| matches!(bound, syn::TypeParamBound::Trait(_));
                    let renamed =
                        |bound: syn::TypeParamBound| syn::parse2(without_a(&bound)).unwrap_or(bound);
                    parameter.bounds = bounds.filter(is_trait).map(renamed).collect();
                }
                parameter
            })
            .collect();
        let mut lent = owned.clone();
        lent.params.insert(0, syn::parse_quote!('a));
        let (columns, slice, one) =
            (name(&given.columns, "Columns"), name(&given.slice, "Slice"), name(&given.one, "Ref"));
        Some(Self { columns, slice, one, owned, lent })
    }

    /// What fills the member of structs that has all parameters in its type.
    pub(super) fn marker(&self, input: &Input<'_>) -> Option<TokenStream> {
        let private = input.private();
        self.owned.type_params().next().map(|_| quote!(__of: #private::PhantomData,))
    }

    /// The columns with their generic arguments.
    pub(super) fn columns(&self) -> TokenStream {
        let (ident, (_, arguments, _)) = (&self.columns, self.owned.split_for_impl());
        quote!(#ident #arguments)
    }
}

/// Whether values are kept as they are, because they have no members with columns.
fn is_kept(input: &Input<'_>) -> bool {
    !input.members().any(Member::is_stored)
}
