//! The definitions, which stand beside the item.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::parts::{Names, form, is_newtype, visibility};
use crate::ast::{Data, Enum, Input, Member, Struct};
use crate::bound;

/// The structs of arrays; nothing, unless they are asked for.
pub(in crate::expand) fn define(input: &Input<'_>) -> TokenStream {
    let Some(names) = Names::of(input) else { return TokenStream::new() };
    match &input.data {
        Data::Struct(data) => of_struct(input, &names, data),
        Data::Enum(data) if data.is_plain() => of_plain_enum(input, &names),
        Data::Enum(data) => of_enum(input, &names, data),
        Data::Union(_) => TokenStream::new(),
    }
}

/// The name of a member in its batch.
fn ident_of(member: &Member<'_>) -> Ident {
    match &member.member {
        syn::Member::Named(ident) => ident.clone(),
        syn::Member::Unnamed(index) => format_ident!("_{}", index.index, span = member.span()),
    }
}

fn of_struct(input: &Input<'_>, names: &Names, data: &Struct<'_>) -> TokenStream {
    let runtime = input.runtime();
    let stored: Vec<_> = data.members.iter().filter(|member| member.is_stored()).collect();
    let text =
        format!("Many values of [`{}`], each member of all of them in one piece of memory.", input.name());
    let batch = batch_struct(input, names, &names.batch, &text, &stored);
    if is_newtype(data) {
        return batch;
    }
    let (vis, columns) = (input.vis, &names.columns);
    let (generics, _, _) = names.generics.split_for_impl();
    let bounds = renamed(bound::batch(input, None), &runtime);
    let members = stored.iter().map(|member| {
        let (ident, vis, form) = (ident_of(member), visibility(input, member), form(input, member, &runtime));
        let text = format!("`{ident}` of all values.");
        quote_spanned!(member.span()=> #[doc = #text] #vis #ident: #form)
    });
    let text =
        format!("The members of a [`{}`], from which one is made if they are equally long.", names.batch);
    quote! {
        #batch

        #[doc = #text]
        #[allow(dead_code, missing_debug_implementations)]
        #vis struct #columns #generics #bounds {
            #(#members,)*
        }
    }
}

/// A struct of the batches of members.
fn batch_struct(
    input: &Input<'_>,
    names: &Names,
    ident: &Ident,
    text: &str,
    members: &[&Member<'_>],
) -> TokenStream {
    let (runtime, vis) = (input.runtime(), input.vis);
    let (generics, _, _) = names.generics.split_for_impl();
    let bounds = renamed(bound::batch(input, None), &runtime);
    let members = members.iter().map(|member| {
        let (ident, form) = (ident_of(member), form(input, member, &runtime));
        quote_spanned!(member.span()=> #ident: #form)
    });
    let end = marker(names, &runtime);
    quote! {
        #[doc = #text]
        #vis struct #ident #generics #bounds {
            #(#members,)*
            /// The number of values.
            __rntuple_len: #runtime::usize,
            #end
        }
    }
}

/// A member that has all parameters in its type.
fn marker(names: &Names, runtime: &TokenStream) -> TokenStream {
    let parameters = names.generics.type_params().map(|parameter| &parameter.ident);
    quote!(__rntuple_end: #runtime::PhantomData<fn() -> (#(#parameters,)*)>,)
}

/// A where-clause that names the runtime in full: beside the item it has no short name.
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

fn of_enum(input: &Input<'_>, names: &Names, data: &Enum<'_>) -> TokenStream {
    let (runtime, vis, batch) = (input.runtime(), input.vis, &names.batch);
    let (generics, arguments, _) = names.generics.split_for_impl();
    let bounds = renamed(bound::batch(input, None), &runtime);
    let count = data.alternatives().count();
    let mut structs = Vec::new();
    let mut members = Vec::new();
    for (number, variant) in data.alternatives() {
        let stored: Vec<_> = variant.members.iter().filter(|member| member.is_stored()).collect();
        let ident = format_ident!("_{number}");
        match super::variant::payload(variant.shape, stored.len()) {
            super::variant::Payload::None => {}
            super::variant::Payload::Value => {
                members.extend(stored.iter().map(|member| {
                    let form = form(input, member, &runtime);
                    quote_spanned!(member.span()=> #ident: #form)
                }));
            }
            super::variant::Payload::Record => {
                let name = names.alternative(variant.ident);
                let text = format!("Many values of [`{}::{}`].", input.name(), variant.ident);
                structs.push(batch_struct(input, names, &name, &text, &stored));
                members.push(quote!(#ident: #name #arguments));
            }
        }
    }
    let end = marker(names, &runtime);
    let text = format!("Many values of [`{}`], those of each alternative by themselves.", input.name());
    quote! {
        #(#structs)*

        #[doc = #text]
        #vis struct #batch #generics #bounds {
            __rntuple_switch: #runtime::Switches<#count>,
            #(#members,)*
            #end
        }
    }
}

fn of_plain_enum(input: &Input<'_>, names: &Names) -> TokenStream {
    let (runtime, vis, batch, this) = (input.runtime(), input.vis, &names.batch, input.this());
    let generics = &input.generics.params;
    let generics = if generics.is_empty() { TokenStream::new() } else { quote!(<#generics>) };
    let text = format!("Many values of [`{}`].", input.name());
    quote! {
        #[doc = #text]
        #[allow(dead_code)]
        #vis type #batch #generics = #runtime::Rows<#this>;
    }
}
