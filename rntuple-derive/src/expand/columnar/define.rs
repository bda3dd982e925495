//! The definitions, which are next to the item.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use super::names::Names;
use super::part::{Types, doc, is_certain, unstored, visibility};
use crate::ast::{Data, Enum, Input, Member, Shape};
use crate::bound;

/// The types of columns; nothing, unless they are asked for.
pub(in crate::expand) fn define(input: &Input<'_>) -> TokenStream {
    let Some(names) = Names::of(input) else { return TokenStream::new() };
    let runtime = input.runtime();
    match &input.data {
        Data::Struct(data) if data.is_newtype() => TokenStream::new(),
        Data::Union(_) => TokenStream::new(),
        Data::Struct(data) => {
            let members: Vec<_> = data.members.iter().filter(|member| member.is_stored()).collect();
            let members: Vec<_> = members.iter().map(|member| (member.column_name(), *member)).collect();
            let one = declared(input, &members, |types| types.one);
            let one = definition(input, &names, Kind::One, &quote!(struct), &one);
            let arrays = arrays(input, &names, &members, None);
            quote!(#arrays #one)
        }
        Data::Enum(data) => {
            let count = data.alternatives().count();
            let switches = |name: TokenStream| {
                quote! {
                    /// Which alternatives the values have.
                    pub switches: #runtime::#name,
                }
            };
            let switches = [switches(quote!(Switches<#count>)), switches(quote!(SwitchSlice<'a, #count>))];
            let stored = data.alternatives().flat_map(|(_, variant)| {
                let stored = variant.members.iter().filter(|member| member.is_stored());
                stored.map(move |member| (variant.column_name(member), member))
            });
            let arrays = arrays(input, &names, &stored.collect::<Vec<_>>(), Some(switches));
            let variants = variants(input, data);
            let one = definition(input, &names, Kind::One, &quote!(enum), &variants);
            quote!(#arrays #one)
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Columns,
    Slice,
    One,
}

/// The structs of columns and of slices.
fn arrays(
    input: &Input<'_>,
    names: &Names,
    members: &[(Ident, &Member<'_>)],
    switches: Option<[TokenStream; 2]>,
) -> TokenStream {
    let [owned, lent] = switches.map(|both| both.map(Some)).unwrap_or_default();
    let (columns, slices) =
        (declared(input, members, |types| types.columns), declared(input, members, |types| types.slice));
    let columns = definition(input, names, Kind::Columns, &quote!(struct), &quote!(#owned #columns));
    let slice = definition(input, names, Kind::Slice, &quote!(struct), &quote!(#lent #slices));
    quote!(#columns #slice)
}

/// Members of one of the types.
fn declared(
    input: &Input<'_>,
    members: &[(Ident, &Member<'_>)],
    ty: impl Fn(Types) -> TokenStream,
) -> TokenStream {
    let runtime = input.runtime();
    // The compiler asks of the last member whether it is `Sized`, again wherever the struct is used: one of which that
    // is certain keeps it from repeating what is wrong with another.
    let certain = members.iter().rposition(|(_, member)| is_certain(member));
    let (others, last) = members.split_at(certain.unwrap_or(members.len()));
    let (last, rest) = last.split_at(last.len().min(1));
    let members = others.iter().chain(rest).chain(last).map(|(ident, member)| {
        let (doc, vis) = (doc(input, member), visibility(input, member));
        let ty = ty(Types::of(input, member, &runtime));
        quote_spanned!(member.span()=> #[doc = #doc] #vis #ident: #ty,)
    });
    members.collect()
}

/// The variants of one value of an enum.
fn variants(input: &Input<'_>, data: &Enum<'_>) -> TokenStream {
    let runtime = input.runtime();
    let variants = data.variants.iter().map(|variant| {
        let name = variant.ident;
        let members = variant.members.iter().map(|member| {
            let unstored = unstored(input, member);
            let one = match member.is_stored() {
                true => Types::of(input, member, &runtime).one,
                false if !unstored.is_empty() => quote!(#runtime::PhantomData<fn() -> (#(#unstored,)*)>),
                false => quote!(()),
            };
            let doc = doc(input, member);
            match &member.member {
                syn::Member::Named(ident) if member.is_stored() || !unstored.is_empty() => {
                    quote!(#[doc = #doc] #ident: #one,)
                }
                syn::Member::Named(_) => TokenStream::new(),
                // A place that keeps the numbers of the others.
                syn::Member::Unnamed(_) => quote!(#one,),
            }
        });
        let members = match variant.shape {
            Shape::Unit => TokenStream::new(),
            Shape::Named => quote!({ #(#members)* }),
            Shape::Newtype | Shape::Tuple => quote!((#(#members)*)),
        };
        let doc = variant.attrs.description.as_ref().map(|text| text.value.clone());
        let doc = doc.unwrap_or_else(|| format!("`{}::{name}`", input.name()));
        quote!(#[doc = #doc] #name #members,)
    });
    variants.collect()
}

/// One of the types around its members.
fn definition(
    input: &Input<'_>,
    names: &Names,
    kind: Kind,
    keyword: &TokenStream,
    members: &TokenStream,
) -> TokenStream {
    let (runtime, vis, name) = (input.runtime(), input.vis, input.name());
    let (ident, generics, doc) = match kind {
        Kind::Columns => (&names.columns, &names.owned, format!("Many [`{name}`], column by column.")),
        Kind::Slice => (&names.slice, &names.lent, format!("Many [`{name}`], column by column, lent.")),
        Kind::One => (&names.one, &names.lent, format!("One [`{name}`] of those in a [`{}`].", names.slice)),
    };
    let (parameters, _, _) = generics.split_for_impl();
    let bounds = renamed(bound::columns(input), &runtime);
    let unused: Vec<_> = names.owned.type_params().map(|parameter| &parameter.ident).collect();
    let is_struct = keyword.to_string() == "struct";
    let marker = (is_struct && !unused.is_empty()).then(|| {
        let of = quote!(#runtime::PhantomData<fn() -> (#(#unused,)*)>);
        quote!(#[doc(hidden)] pub __of: #of,)
    });
    quote! {
        #[doc = #doc]
        #[allow(
            dead_code,
            deprecated,
            non_snake_case,
            single_use_lifetimes,
            variant_size_differences,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        #vis #keyword #ident #parameters #bounds { #members #marker }
    }
}

/// A where-clause that names the runtime in full: next to the item it has no short name.
fn renamed(bounds: TokenStream, runtime: &TokenStream) -> TokenStream {
    use proc_macro2::{Group, TokenTree};
    let rename = |token| match token {
        TokenTree::Ident(ident) if ident == "__rntuple" => runtime.clone(),
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), renamed(group.stream(), runtime))).into()
        }
        token => token.into(),
    };
    bounds.into_iter().flat_map(rename).collect()
}
