//! What can be seen of a type without knowing what its names stand for.

use proc_macro2::{Delimiter, Group, Ident, Spacing, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parse;
use syn::{GenericArgument, Generics, PathArguments, Type, TypePath};

/// The scalar types: what the derive knows to be nothing else.
pub(crate) const SCALARS: &[&str] =
    &["bool", "Byte", "CxxChar", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64"];

/// Containers of `std` whose first arguments are stored: how many.
const CONTAINERS: &[(&str, usize)] = &[
    ("Vec", 1),
    ("VecDeque", 1),
    ("Option", 1),
    ("Box", 1),
    ("Rc", 1),
    ("Arc", 1),
    ("Cow", 1),
    ("BTreeSet", 1),
    ("HashSet", 1),
    ("BTreeMap", 2),
    ("HashMap", 2),
];

/// Calls `visit` for the type and all that is stored inside it, as far as it can be seen: the items of
/// slices, arrays, tuples, references and of the containers of `std`.
pub(crate) fn for_each_stored<'a>(ty: &'a Type, visit: &mut impl FnMut(&'a Type)) {
    visit(ty);
    match ty {
        Type::Array(array) => for_each_stored(&array.elem, visit),
        Type::Slice(slice) => for_each_stored(&slice.elem, visit),
        Type::Reference(reference) => for_each_stored(&reference.elem, visit),
        Type::Paren(inner) => for_each_stored(&inner.elem, visit),
        Type::Group(inner) => for_each_stored(&inner.elem, visit),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|item| for_each_stored(item, visit)),
        Type::Path(TypePath { qself: None, path }) => {
            let Some(last) = path.segments.last() else { return };
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return };
            let stored = stored_arguments(&last.ident);
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(item) => Some(item),
                _ => None,
            });
            types.take(stored).for_each(|item| for_each_stored(item, visit));
        }
        _ => {}
    }
}

/// The part of a type that has no fixed size, as far as it can be seen: `[f32]` of `Vec<[f32]>`, not of `Box<[f32]>`.
pub(crate) fn unsized_part(ty: &Type) -> Option<&Type> {
    /// Containers that hold values of any size.
    const POINTERS: [&str; 4] = ["Box", "Rc", "Arc", "Cow"];
    match ty {
        Type::Slice(_) => Some(ty),
        Type::Array(array) => unsized_part(&array.elem),
        Type::Paren(inner) => unsized_part(&inner.elem),
        Type::Group(inner) => unsized_part(&inner.elem),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(unsized_part),
        Type::Path(_) if word(ty).is_some_and(|word| word == "str") => Some(ty),
        Type::Path(TypePath { qself: None, path }) => {
            let last =
                path.segments.last().filter(|last| POINTERS.iter().all(|pointer| last.ident != pointer))?;
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            let types = arguments.args.iter().filter_map(|argument| match argument {
                GenericArgument::Type(item) => Some(item),
                _ => None,
            });
            types.take(stored_arguments(&last.ident)).find_map(unsized_part)
        }
        _ => None,
    }
}

/// The name of a type that is one word: `f32`, `Vec<Muon>`.
pub(crate) fn word(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(TypePath { qself: None, path })
            if path.leading_colon.is_none() && path.segments.len() == 1 =>
        {
            path.segments.first().map(|segment| &segment.ident)
        }
        _ => None,
    }
}

/// The last word of a type's path: `f16` of `half::f16`.
pub(crate) fn last_word(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(TypePath { qself: None, path }) => path.segments.last().map(|segment| &segment.ident),
        _ => None,
    }
}

/// Whether the type is a container of `std` or a structure of the language: only its items matter.
pub(crate) fn is_structure(ty: &Type) -> bool {
    match ty {
        Type::Path(_) => last_word(ty).is_some_and(|word| CONTAINERS.iter().any(|(name, _)| word == name)),
        Type::Array(_)
        | Type::Slice(_)
        | Type::Reference(_)
        | Type::Paren(_)
        | Type::Group(_)
        | Type::Tuple(_) => true,
        _ => false,
    }
}

/// Calls `visit` for the types at which [`for_each_stored`] ends, where a structure has the type, to replace them.
pub(crate) fn for_each_leaf(ty: &mut Type, visit: &mut impl FnMut(&mut Type)) {
    if !is_structure(ty) {
        return visit(ty);
    }
    match ty {
        Type::Array(array) => for_each_leaf(&mut array.elem, visit),
        Type::Slice(slice) => for_each_leaf(&mut slice.elem, visit),
        Type::Reference(reference) => for_each_leaf(&mut reference.elem, visit),
        Type::Paren(inner) => for_each_leaf(&mut inner.elem, visit),
        Type::Group(inner) => for_each_leaf(&mut inner.elem, visit),
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(|item| for_each_leaf(item, visit)),
        Type::Path(TypePath { path, .. }) => {
            let Some(last) = path.segments.last_mut() else { return };
            let PathArguments::AngleBracketed(arguments) = &mut last.arguments else { return };
            let stored = stored_arguments(&last.ident);
            let types = arguments.args.iter_mut().filter_map(|argument| match argument {
                GenericArgument::Type(item) => Some(item),
                _ => None,
            });
            types.take(stored).for_each(|item| for_each_leaf(item, visit));
        }
        _ => {}
    }
}

/// How many of the first arguments of a path that ends in the name are stored.
fn stored_arguments(name: &Ident) -> usize {
    CONTAINERS.iter().find(|(container, _)| name == container).map_or(0, |(_, stored)| *stored)
}

/// Whether it is certain that the type can be stored, by its name.
pub(crate) fn is_known(ty: &Type) -> bool {
    last_word(ty).is_some_and(|word| word == "String" || SCALARS.contains(&&*word.to_string()))
}

/// The scalars of a type, where all of it is known by name.
pub(crate) struct Known {
    pub(crate) scalars: Vec<String>,
    pub(crate) has_offsets: bool,
}

impl Known {
    pub(crate) fn of(ty: &Type) -> Option<Self> {
        let mut known = Self { scalars: Vec::new(), has_offsets: false };
        let mut is_known = true;
        for_each_stored(ty, &mut |ty| {
            let word = last_word(ty).map(ToString::to_string).unwrap_or_default();
            if is_structure(ty) {
                known.has_offsets |= matches!(ty, Type::Slice(_))
                    || matches!(ty, Type::Path(_)) && !matches!(&*word, "Box" | "Rc" | "Arc" | "Cow");
            } else if matches!(&*word, "String" | "str") {
                known.has_offsets = true;
            } else {
                is_known &= SCALARS.contains(&&*word);
                known.scalars.push(word);
            }
        });
        is_known.then_some(known)
    }
}

/// What of the generics of its struct a type mentions.
#[derive(Default)]
pub(crate) struct Mentions {
    /// A lifetime, `'static` included.
    pub(crate) lifetime: bool,
    /// A type or const parameter.
    pub(crate) parameter: bool,
}

/// Looks through all tokens, so that arguments of macros and array lengths count too.
pub(crate) fn mentions(ty: &Type, generics: &Generics) -> Mentions {
    let mut found = Mentions::default();
    let names: Vec<&Ident> =
        generics.type_params().map(|p| &p.ident).chain(generics.const_params().map(|p| &p.ident)).collect();
    // The type itself has all of its parameters.
    let this = Ident::new("Self", Span::call_site());
    let names: Vec<&Ident> =
        if names.is_empty() { names } else { names.into_iter().chain([&this]).collect() };
    look(ty.to_token_stream(), &names, &mut found);
    found
}

/// The type parameters of its struct that a type mentions.
pub(crate) fn parameters_in<'a>(ty: &Type, generics: &'a Generics) -> Vec<&'a Ident> {
    let this = Ident::new("Self", Span::call_site());
    let is_mentioned = |name: &&Ident| {
        let mut found = Mentions::default();
        look(ty.to_token_stream(), &[*name, &this], &mut found);
        found.parameter
    };
    generics.type_params().map(|parameter| &parameter.ident).filter(is_mentioned).collect()
}

fn look(tokens: TokenStream, names: &[&Ident], found: &mut Mentions) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => look(group.stream(), names, found),
            TokenTree::Ident(ident) => found.parameter |= names.iter().any(|name| **name == ident),
            TokenTree::Punct(punct) => found.lifetime |= punct.as_char() == '\'',
            TokenTree::Literal(_) => {}
        }
    }
}

/// The type parameters in `ty`, and the types that a path makes of them (`T::Item`, `<T as Trait>::Item`):
/// what must be storable for `ty` to be.
pub(crate) fn for_each_parameter<'a>(ty: &'a Type, generics: &Generics, visit: &mut impl FnMut(&'a Type)) {
    match ty {
        Type::Array(array) => for_each_parameter(&array.elem, generics, visit),
        Type::Slice(slice) => for_each_parameter(&slice.elem, generics, visit),
        Type::Reference(reference) => for_each_parameter(&reference.elem, generics, visit),
        Type::Paren(inner) => for_each_parameter(&inner.elem, generics, visit),
        Type::Group(inner) => for_each_parameter(&inner.elem, generics, visit),
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|item| for_each_parameter(item, generics, visit)),
        Type::Path(TypePath { qself: Some(_), .. }) if mentions(ty, generics).parameter => visit(ty),
        Type::Path(TypePath { qself: None, path }) => {
            let Some(last) = path.segments.last() else { return };
            let first = path.segments.first().filter(|_| path.leading_colon.is_none());
            if first.is_some_and(|first| generics.type_params().any(|p| p.ident == first.ident)) {
                visit(ty);
            } else if let PathArguments::AngleBracketed(arguments) = &last.arguments
                && last.ident != "PhantomData"
            {
                for argument in &arguments.args {
                    if let GenericArgument::Type(item) = argument {
                        for_each_parameter(item, generics, visit);
                    }
                }
            }
        }
        _ => {}
    }
}

/// Whether values are seen to borrow: they have a reference in them, or a type with a lifetime. A `Cow` may own.
pub(crate) fn borrows(ty: &Type) -> bool {
    match ty {
        Type::Reference(_) => true,
        Type::Array(array) => borrows(&array.elem),
        Type::Slice(slice) => borrows(&slice.elem),
        Type::Paren(inner) => borrows(&inner.elem),
        Type::Group(inner) => borrows(&inner.elem),
        Type::Tuple(tuple) => tuple.elems.iter().any(borrows),
        Type::Path(TypePath { qself: None, path }) => {
            let Some(last) = path.segments.last() else { return false };
            let PathArguments::AngleBracketed(arguments) = &last.arguments else { return false };
            arguments.args.iter().any(|argument| match argument {
                GenericArgument::Lifetime(_) => last.ident != "Cow",
                GenericArgument::Type(item) => borrows(item),
                _ => false,
            })
        }
        _ => false,
    }
}

/// The tokens of a type, with the type in place of `Self`: the type is needed in impls of other types.
pub(crate) fn without_self(tokens: TokenStream, this: &TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) if ident == "Self" => this.clone(),
            TokenTree::Group(group) => {
                let mut new = Group::new(group.delimiter(), without_self(group.stream(), this));
                new.set_span(group.span());
                TokenTree::Group(new).into()
            }
            token => token.into(),
        })
        .collect()
}

/// A bound or a predicate, with the type in place of `Self`.
pub(crate) fn bound_without_self<B: ToTokens + Parse + Clone>(bound: &B, this: &TokenStream) -> B {
    // With a type in place of another one it is still what it was.
    syn::parse2(without_self(bound.to_token_stream(), this)).unwrap_or_else(|_| bound.clone())
}

/// Generics, `Self` replaced in the bounds of parameters and in the where-clause.
pub(crate) fn generics_without_self(generics: &Generics, this: &TokenStream) -> Generics {
    let mut generics = generics.clone();
    for bound in generics.type_params_mut().flat_map(|parameter| &mut parameter.bounds) {
        *bound = bound_without_self(bound, this);
    }
    for predicate in generics.where_clause.iter_mut().flat_map(|clause| &mut clause.predicates) {
        *predicate = bound_without_self(predicate, this);
    }
    generics
}

/// The tokens, all of them at one place.
pub(crate) fn at(tokens: TokenStream, span: Span) -> TokenStream {
    let place = |mut token: TokenTree| {
        let here = token.span().located_at(span);
        if let TokenTree::Group(group) = &token {
            token = TokenTree::Group(Group::new(group.delimiter(), at(group.stream(), span)));
        }
        token.set_span(here);
        token
    };
    tokens.into_iter().map(place).collect()
}

/// The tokens of a type, the lifetimes in it replaced by one.
pub(crate) fn with_lifetime(tokens: TokenStream, lifetime: &str) -> TokenStream {
    rename_lifetimes(tokens, None, lifetime)
}

/// The tokens, all lifetimes or those of a name replaced by another one.
pub(crate) fn rename_lifetimes(tokens: TokenStream, old: Option<&str>, new: &str) -> TokenStream {
    let mut is_lifetime = false;
    let replace = |token| {
        let was_lifetime = std::mem::take(&mut is_lifetime);
        match token {
            TokenTree::Punct(punct) => {
                is_lifetime = punct.as_char() == '\'';
                TokenTree::Punct(punct)
            }
            TokenTree::Ident(ident) if was_lifetime && old.is_none_or(|old| ident == old) => {
                TokenTree::Ident(Ident::new(new, ident.span()))
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), rename_lifetimes(group.stream(), old, new));
                inner.set_span(group.span());
                TokenTree::Group(inner)
            }
            token => token,
        }
    };
    tokens.into_iter().map(replace).collect()
}

/// The type as people write it: `Vec<&'a str>`.
pub(crate) fn spelled(tokens: TokenStream) -> String {
    let mut text = String::new();
    spell(tokens, &mut text);
    text
}

fn spell(tokens: TokenStream, text: &mut String) {
    /// Whether a word follows a word.
    fn ends_in_word(text: &str) -> bool {
        text.chars().next_back().is_some_and(|last| last.is_alphanumeric() || last == '_')
    }
    let mut after_lifetime_mark = false;
    for token in tokens {
        let was_lifetime = std::mem::take(&mut after_lifetime_mark);
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                if ends_in_word(text) && !was_lifetime {
                    text.push(' ');
                }
                text.push_str(open);
                spell(group.stream(), text);
                text.push_str(close);
            }
            TokenTree::Punct(punct) => match punct.as_char() {
                c @ (',' | ';') => text.extend([c, ' ']),
                c @ ('+' | '=') if punct.spacing() == Spacing::Alone => text.extend([' ', c, ' ']),
                '\'' => {
                    if ends_in_word(text) {
                        text.push(' ');
                    }
                    text.push('\'');
                    after_lifetime_mark = true;
                }
                c => text.push(c),
            },
            token => {
                if ends_in_word(text) && !was_lifetime {
                    text.push(' ');
                }
                text.push_str(&token.to_string());
            }
        }
    }
    text.truncate(text.trim_end().len());
}

#[cfg(test)]
mod tests {
    use quote::quote;
    use syn::parse_quote;

    use super::*;

    #[test]
    fn types_are_spelled_as_people_write_them() {
        for text in [
            "f32",
            "Vec<Muon>",
            "&'a str",
            "&'a mut [f32; 3]",
            "std::collections::HashMap<u32, (f32, Option<[f32; N]>)>",
            "<T as Trait>::Item",
            "Box<dyn Any + Send>",
            "[f32; { N }]",
        ] {
            let tokens: TokenStream = text.parse().unwrap();
            assert_eq!(spelled(tokens).replace("{N}", "{ N }"), text);
        }
    }

    #[test]
    fn only_what_is_stored_is_looked_at() {
        let mut seen = Vec::new();
        let ty = parse_quote!(HashMap<u8, Vec<(i8, Id<usize>)>, Seed>);
        for_each_stored(&ty, &mut |ty| seen.push(spelled(ty.to_token_stream())));
        assert_eq!(
            seen,
            [
                "HashMap<u8, Vec<(i8, Id<usize>)>, Seed>",
                "u8",
                "Vec<(i8, Id<usize>)>",
                "(i8, Id<usize>)",
                "i8",
                "Id<usize>"
            ]
        );
    }

    #[test]
    fn only_pointers_hold_what_has_no_fixed_size() {
        for (ty, part) in [
            (quote!([f32]), Some("[f32]")),
            (quote!(Vec<(u8, Option<str>)>), Some("str")),
            (quote!([[u8]; 3]), Some("[u8]")),
            (quote!(Box<[f32]>), None),
            (quote!(&'a [f32]), None),
            (quote!(Vec<Cow<'a, str>>), None),
            (quote!(My<[f32]>), None),
            (quote!([f32; 3]), None),
        ] {
            let ty = syn::parse2(ty).unwrap();
            let found = unsized_part(&ty).map(|part| spelled(part.to_token_stream()));
            assert_eq!(found.as_deref(), part);
        }
    }

    #[test]
    fn leaves_are_replaced_inside_structures() {
        for (ty, replaced) in [
            (quote!(Muon), "Leaf<Muon>"),
            (quote!(a::Hit<Muon>), "Leaf<a::Hit<Muon>>"),
            (
                quote!(HashMap<u8, Vec<(i8, [Muon; 3])>, Seed>),
                "HashMap<Leaf<u8>, Vec<(Leaf<i8>, [Leaf<Muon>; 3])>, Seed>",
            ),
        ] {
            let mut ty = syn::parse2(ty).unwrap();
            for_each_leaf(&mut ty, &mut |leaf| *leaf = parse_quote!(Leaf<#leaf>));
            assert_eq!(spelled(ty.into_token_stream()), replaced);
        }
    }

    #[test]
    fn parameters_and_what_paths_make_of_them_need_bounds() {
        let generics: Generics = parse_quote!(<'a, T, U, V, const N: usize>);
        let mut seen = Vec::new();
        let ty =
            parse_quote!((&'a [T; N], Option<U::Item>, <V as Iterator>::Item, PhantomData<T>, f32, a::T));
        for_each_parameter(&ty, &generics, &mut |ty| seen.push(spelled(ty.to_token_stream())));
        assert_eq!(seen, ["T", "U::Item", "<V as Iterator>::Item"]);
    }

    #[test]
    fn references_and_lifetimes_borrow_unless_they_may_own() {
        for (ty, is_borrowed) in [
            (quote!(&'static str), true),
            (quote!(Vec<(u8, [&'static str; 2])>), true),
            (quote!(Wrapper<&'static str>), true),
            (quote!(Inner<'static>), true),
            (quote!(Cow<'static, [&'static str]>), true),
            (quote!(std::borrow::Cow<'static, str>), false),
            (quote!(Vec<Cow<'static, [f32]>>), false),
            (quote!(HashMap<String, [f32; 3]>), false),
        ] {
            assert_eq!(borrows(&syn::parse2(ty.clone()).unwrap()), is_borrowed, "{ty}");
        }
    }

    #[test]
    fn lifetimes_and_self_are_replaced_everywhere() {
        let tokens = with_lifetime(quote!((&'a str, [Cow<'static, U>; 3])), "x");
        assert_eq!(spelled(tokens), "(&'x str, [Cow<'x, U>; 3])");
        let tokens = rename_lifetimes(quote!((&'a str, [Cow<'static, a>; 3])), Some("a"), "x");
        assert_eq!(spelled(tokens), "(&'x str, [Cow<'static, a>; 3])");
        let tokens = without_self(quote!([f32; { Self::N }]), &quote!(Muon));
        assert_eq!(spelled(tokens), "[f32; {Muon::N}]");
    }

    #[test]
    fn self_is_replaced_in_bounds_and_where_clauses() {
        let item: syn::DeriveInput = parse_quote! {
            struct Node<'a, T: AsRef<Self> + 'a, const N: usize>
            where
                Self: Near<T>,
                Vec<Self>: Clone;
        };
        let wanted: syn::DeriveInput = parse_quote! {
            struct Node<'a, T: AsRef<Node<'a, T, N>> + 'a, const N: usize>
            where
                Node<'a, T, N>: Near<T>,
                Vec<Node<'a, T, N>>: Clone;
        };
        assert_eq!(generics_without_self(&item.generics, &quote!(Node<'a, T, N>)), wanted.generics);
    }

    #[test]
    fn mentions_look_into_macros_and_lengths() {
        let generics: Generics = parse_quote!(<'a, T, const N: usize>);
        for (ty, lifetime, parameter) in [
            (quote!(f32), false, false),
            (quote!([f32; N]), false, true),
            (quote!(list!(T)), false, true),
            (quote!(&'static str), true, false),
            (quote!(&'a T), true, true),
        ] {
            let found = mentions(&syn::parse2(ty.clone()).unwrap(), &generics);
            assert_eq!((found.lifetime, found.parameter), (lifetime, parameter), "{ty}");
        }
        let generics: Generics = parse_quote!(<'a, T, U, const N: usize>);
        for (ty, parameters) in [
            (quote!([f32; N]), vec![]),
            (quote!(list!(T)), vec!["T"]),
            (quote!(&'a (U, T)), vec!["T", "U"]),
            (quote!(Vec<Self>), vec!["T", "U"]),
        ] {
            assert_eq!(parameters_in(&syn::parse2(ty.clone()).unwrap(), &generics), parameters, "{ty}");
        }
    }
}
