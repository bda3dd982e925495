//! The model: what was written, with the attributes read but the rules not yet checked.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::{DeriveInput, Fields, Generics, Type, Visibility};

use crate::attr::{Attrs, Place, Spanned};
use crate::ctxt::Ctxt;
use crate::types;

/// The item under `#[derive(RNTuple)]`.
pub(crate) struct Input<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) vis: &'a Visibility,
    pub(crate) generics: &'a Generics,
    pub(crate) attrs: Attrs,
    pub(crate) data: Data<'a>,
}

pub(crate) enum Data<'a> {
    Struct(Struct<'a>),
    Enum(Enum<'a>),
    /// An error in any case.
    Union(&'a syn::DataUnion),
}

/// How the members of a struct or variant are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `{ pt: f32 }`: a record.
    Named,
    /// `(f32)`: the columns of the one member.
    Newtype,
    /// `(f32, f32)`: a record whose members are `_0`, `_1`.
    Tuple,
    /// Nothing: an empty record.
    Unit,
}

pub(crate) struct Struct<'a> {
    pub(crate) shape: Shape,
    pub(crate) members: Vec<Member<'a>>,
}

pub(crate) struct Enum<'a> {
    pub(crate) variants: Vec<Variant<'a>>,
}

pub(crate) struct Variant<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) attrs: Attrs,
    pub(crate) shape: Shape,
    pub(crate) members: Vec<Member<'a>>,
}

pub(crate) struct Member<'a> {
    /// The name or number by which Rust knows it.
    pub(crate) member: syn::Member,
    /// The field's name.
    pub(crate) name: Spanned<String>,
    /// The type as written.
    pub(crate) ty: &'a Type,
    pub(crate) attrs: Attrs,
}

impl<'a> Input<'a> {
    pub(crate) fn read(input: &'a DeriveInput, ctxt: &Ctxt) -> Self {
        let place = if matches!(input.data, syn::Data::Enum(_)) { Place::Enum } else { Place::Struct };
        let attrs = Attrs::read(&input.attrs, place, ctxt);
        let data = match &input.data {
            syn::Data::Struct(data) => {
                let (shape, members) = members(&data.fields, ctxt);
                Data::Struct(Struct { shape, members })
            }
            syn::Data::Enum(data) => {
                let read = |variant: &'a syn::Variant| {
                    let attrs = Attrs::read(&variant.attrs, Place::Variant, ctxt);
                    let (shape, members) = members(&variant.fields, ctxt);
                    Variant { ident: &variant.ident, attrs, shape, members }
                };
                Data::Enum(Enum { variants: data.variants.iter().map(read).collect() })
            }
            syn::Data::Union(data) => Data::Union(data),
        };
        Self { ident: &input.ident, vis: &input.vis, generics: &input.generics, attrs, data }
    }

    /// The module through which expansions reach the runtime.
    pub(crate) fn private(&self) -> TokenStream {
        match &self.attrs.krate {
            Some(path) => quote!(#path::__private),
            None => quote!(::rntuple::__private),
        }
    }

    /// As [`private`](Self::private), for code about what is written at `span`.
    pub(crate) fn private_at(&self, span: Span) -> TokenStream {
        let located = |mut token: TokenTree| {
            token.set_span(token.span().located_at(span));
            token
        };
        self.private().into_iter().map(located).collect()
    }

    /// The type with its generic arguments.
    pub(crate) fn this(&self) -> TokenStream {
        let (ident, (_, arguments, _)) = (self.ident, self.generics.split_for_impl());
        quote!(#ident #arguments)
    }

    /// The name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// The members of the struct, or of all variants.
    pub(crate) fn members(&self) -> impl Iterator<Item = &Member<'a>> {
        let (members, variants): (&[_], &[_]) = match &self.data {
            Data::Struct(data) => (&data.members, &[]),
            Data::Enum(data) => (&[], &data.variants),
            Data::Union(_) => (&[], &[]),
        };
        members.iter().chain(variants.iter().flat_map(|variant: &Variant<'_>| &variant.members))
    }

    /// The members that have columns.
    pub(crate) fn stored(&self) -> impl Iterator<Item = &Member<'a>> {
        self.members().filter(|member| member.is_stored())
    }
}

impl Enum<'_> {
    /// Whether it is stored as integers.
    pub(crate) fn is_plain(&self) -> bool {
        self.variants.iter().all(|variant| variant.shape == Shape::Unit)
    }
}

impl Member<'_> {
    pub(crate) fn is_stored(&self) -> bool {
        self.attrs.skip.is_none()
    }

    /// Where errors about the member point: at its type, resolved as the macro's own names are. It is the
    /// same for all that is made of a member, for then the compiler tells a mistake once.
    pub(crate) fn span(&self) -> Span {
        self.ty.span().resolved_at(Span::call_site())
    }

    /// The type, to be named in impls of other types.
    pub(crate) fn tokens(&self, input: &Input<'_>) -> TokenStream {
        types::without_self(self.ty.to_token_stream(), &input.this())
    }
}

fn members<'a>(fields: &'a Fields, ctxt: &Ctxt) -> (Shape, Vec<Member<'a>>) {
    let shape = match fields {
        Fields::Named(_) => Shape::Named,
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 => Shape::Newtype,
        Fields::Unnamed(_) => Shape::Tuple,
        Fields::Unit => Shape::Unit,
    };
    let read = |(field, member): (&'a syn::Field, syn::Member)| {
        let attrs = Attrs::read(&field.attrs, Place::Member, ctxt);
        let name = match (&attrs.rename, &member) {
            (Some(name), _) => name.clone(),
            (None, syn::Member::Named(ident)) => {
                Spanned { value: ident.unraw().to_string(), span: ident.span() }
            }
            (None, syn::Member::Unnamed(index)) => {
                Spanned { value: format!("_{}", index.index), span: field.ty.span() }
            }
        };
        Member { member, name, ty: &field.ty, attrs }
    };
    (shape, fields.iter().zip(fields.members()).map(read).collect())
}
