//! The names and members of a batch, and impls of either half.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{GenericParam, Generics, Visibility};

use crate::ast::{Data, Input, Member, Shape, Struct};
use crate::bound;
use crate::expand::columns::{Column, Columns};
use crate::expand::upgrade;
use crate::side::Side;
use crate::types;

/// What the definitions are called, and what they are generic over.
pub(super) struct Names {
    pub(super) batch: Ident,
    pub(super) columns: Ident,
    /// Those of the item, but for lifetimes: a batch owns its values.
    pub(super) generics: Generics,
}

impl Names {
    pub(super) fn of(input: &Input<'_>) -> Option<Self> {
        let wish = input.attrs.batch.as_ref()?;
        let batch = match &wish.value {
            Some(name) => name.clone(),
            None => {
                let span = wish.span.resolved_at(Span::call_site());
                format_ident!("{}Batch", input.ident.unraw(), span = span)
            }
        };
        let mut generics = input.generics.clone();
        generics.where_clause = None;
        generics.params = std::mem::take(&mut generics.params)
            .into_iter()
            .filter(|parameter| !matches!(parameter, GenericParam::Lifetime(_)))
            .map(|mut parameter| {
                if let GenericParam::Type(parameter) = &mut parameter {
                    let bounds = std::mem::take(&mut parameter.bounds).into_iter();
                    let is_trait = |bound: &_| matches!(bound, syn::TypeParamBound::Trait(_));
                    parameter.bounds = bounds.filter(is_trait).collect();
                }
                parameter
            })
            .collect();
        let columns = format_ident!("{}Columns", batch.unraw(), span = batch.span());
        Some(Self { batch, columns, generics })
    }

    /// The batch with its generic arguments.
    pub(super) fn this(&self) -> TokenStream {
        let (batch, (_, arguments, _)) = (&self.batch, self.generics.split_for_impl());
        quote!(#batch #arguments)
    }

    /// What the values of one alternative are called.
    pub(super) fn alternative(&self, variant: &Ident) -> Ident {
        format_ident!("{}{}", self.batch.unraw(), variant.unraw(), span = self.batch.span())
    }
}

/// A member of a batch.
pub(super) struct Part<'a> {
    /// Its name in the batch.
    pub(super) ident: Ident,
    pub(super) column: &'a Column<'a>,
}

impl<'a> Part<'a> {
    pub(super) fn new(column: &'a Column<'a>) -> Self {
        let ident = match &column.member.member {
            syn::Member::Named(ident) => ident.clone(),
            syn::Member::Unnamed(index) => format_ident!("_{}", index.index, span = column.span),
        };
        Self { ident, column }
    }

    pub(super) fn member(&self) -> &'a Member<'a> {
        self.column.member
    }

    pub(super) fn form(&self, input: &Input<'_>, private: &TokenStream) -> TokenStream {
        form(input, self.member(), private)
    }
}

/// The type of many values of a member.
pub(super) fn form(input: &Input<'_>, member: &Member<'_>, private: &TokenStream) -> TokenStream {
    let span = member.span();
    let ty = types::with_lifetime(member.tokens(input), "static");
    if member.is_converted() {
        quote_spanned!(span=> #private::Rows<#ty>)
    } else {
        quote_spanned!(span=> <#ty as #private::Batched>::Batch)
    }
}

/// The accessor's visibility: that of the member, or of the enum.
pub(super) fn visibility<'a>(input: &'a Input<'_>, member: &Member<'a>) -> &'a Visibility {
    match &input.data {
        Data::Enum(_) => input.vis,
        _ => member.vis,
    }
}

/// Whether a struct is stored as its one value.
pub(super) fn is_newtype(data: &Struct<'_>) -> bool {
    data.shape == Shape::Newtype && data.members.iter().filter(|member| member.is_stored()).count() == 1
}

/// The impl of a trait that a batch has if all of its members do.
pub(super) fn conditional(
    input: &Input<'_>,
    names: &Names,
    ident: &Ident,
    forms: &[TokenStream],
    of: &TokenStream,
    items: &TokenStream,
) -> TokenStream {
    let (generics, arguments, _) = names.generics.split_for_impl();
    let predicates = forms.iter().map(|form| {
        // At the member, where the compiler has already reported what is wrong with its type.
        let span = form.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
        let of = types::at(of.clone(), span);
        quote_spanned!(span=> for<'__any> #form: #of)
    });
    let bounds = with_bounds(bound::batch(input, None), predicates);
    quote! {
        #[automatically_derived]
        impl #generics #of for #ident #arguments #bounds {
            #items
        }
    }
}

/// A where-clause, and some predicates more.
pub(super) fn with_bounds(bounds: TokenStream, more: impl Iterator<Item = TokenStream>) -> TokenStream {
    let mut more = more.peekable();
    if more.peek().is_none() {
        return bounds;
    }
    if bounds.is_empty() { quote!(where #(#more),*) } else { quote!(#bounds, #(#more),*) }
}

/// The impl of `ReadBatch` or `WriteBatch` for the columns of an item.
pub(super) fn transfer_impl(
    names: &Names,
    columns: &Columns<'_>,
    side: Side,
    items: &TokenStream,
) -> TokenStream {
    let input = columns.input;
    let (private, batch, generic) = (input.private(), names.this(), columns.generic(side));
    let mut generics = input.generics.clone();
    for (parameter, column) in columns.parameters(side) {
        let span = column.span;
        let private = input.private_at(span);
        let bound: GenericParam = if column.member.is_converted() {
            let (ty, values) = (column.member.stored_type(input, side), side.values(span));
            syn::parse_quote_spanned!(span=> #parameter: #private::#values<#ty>)
        } else {
            let (form, transfer) = (form(input, column.member, &private), transfer(side, span));
            syn::parse_quote_spanned!(span=> #parameter: #private::#transfer<#form>)
        };
        generics.params.push(bound);
    }
    let (parameters, _, _) = generics.split_for_impl();
    let (bounds, transfer) = (bound::batch(input, Some(side)), transfer(side, Span::call_site()));
    quote! {
        #[automatically_derived]
        impl #parameters #private::#transfer<#batch> for #generic #bounds {
            #items
        }
    }
}

pub(super) fn transfer(side: Side, span: Span) -> Ident {
    Ident::new(if side == Side::Write { "WriteBatch" } else { "ReadBatch" }, span)
}

/// The impl of `ReadBatch` for columns that may be those of an older type, which are read value by value.
pub(super) fn versions(names: &Names, input: &Input<'_>) -> Option<TokenStream> {
    if input.attrs.upgrades.is_empty() || !upgrade::is_hidden(input) {
        return None;
    }
    let (private, this, batch, reader) =
        (input.private(), input.this(), names.this(), upgrade::hidden(input));
    Some(quote! {
        #[automatically_derived]
        impl #private::ReadBatch<#batch> for #reader {
            fn read_batch(&mut self, __count: #private::usize, __batch: &mut #batch) -> #private::Result<()> {
                if let #private::VersionReader::Current(__columns) = &mut self.__versions {
                    return #private::ReadBatch::read_batch(__columns, __count, __batch);
                }
                #private::read_rows::<#this, Self>(self, __count, __batch)
            }
        }
    })
}
