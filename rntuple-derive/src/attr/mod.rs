//! `#[rntuple(..)]`, `#[serde(..)]` where asked for, and doc comments: each value with its span.
//!
//! What may be said, and where, is in [`table`]; here is how it is read.

mod encodings;
mod form;
mod rename;
mod serde;
mod table;
mod value;
mod word;

use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue, Token};

use crate::ctxt::Ctxt;
use word::{SEVERAL, Set, Words, listed};

pub(crate) use form::{Fallback, Projection, Spanned, Upgrade, When};
pub(crate) use rename::Rule;
pub(crate) use table::{ContainerAttrs, MemberAttrs, VariantAttrs};
pub(crate) use value::number;
pub(crate) use word::{Place, nearest};

impl ContainerAttrs {
    /// Reads all attributes of a struct or an enum.
    pub(crate) fn read(attributes: &[Attribute], place: Place, ctxt: &Ctxt) -> Self {
        let mut this: Self = list(attributes, place, ctxt);
        this.read_repr(attributes);
        if this.serde_compat.is_some() {
            serde::read(&mut this, attributes, ctxt);
        }
        this
    }

    fn read_repr(&mut self, attributes: &[Attribute]) {
        let lists = attributes.iter().filter(|attribute| attribute.path().is_ident("repr"));
        // What is wrong here, the compiler says itself.
        let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
        for meta in lists.filter_map(|list| list.parse_args_with(parse).ok()).flatten() {
            let Some(ident) = meta.path().get_ident() else { continue };
            match &*ident.to_string() {
                "C" | "align" | "transparent" | "Rust" | "simd" => {}
                "packed" => self.packed = Some(ident.span()),
                _ => self.repr = Some(ident.clone()),
            }
        }
    }
}

impl VariantAttrs {
    /// Reads all attributes of a variant; with `serde`, also those that are serde's.
    pub(crate) fn read(attributes: &[Attribute], serde: bool, ctxt: &Ctxt) -> Self {
        let mut this: Self = list(attributes, Place::Variant, ctxt);
        this.description = this.description.or_else(|| doc_comment(attributes));
        if serde {
            serde::read(&mut this, attributes, ctxt);
        }
        this
    }
}

impl MemberAttrs {
    /// Reads all attributes of a member; with `serde`, also those that are serde's.
    pub(crate) fn read(attributes: &[Attribute], serde: bool, ctxt: &Ctxt) -> Self {
        let mut this: Self = list(attributes, Place::Member, ctxt);
        this.description = this.description.or_else(|| doc_comment(attributes));
        if serde {
            serde::read(&mut this, attributes, ctxt);
        } else if let Some(Spanned { value: false, span }) = this.skip {
            let message = "`skip = false` is for members that serde skips, which needs `serde_compat`";
            let help = "help: remove it, or add `#[rntuple(serde_compat)]` to the type";
            ctxt.error_at(span, format!("{message}\n{help}"));
        }
        this
    }
}

/// Reads `#[rntuple(..)]` of an item at `place`.
fn list<T: Words>(attributes: &[Attribute], place: Place, ctxt: &Ctxt) -> T {
    let mut this = T::default();
    let lists = attributes.iter().filter(|attribute| attribute.path().is_ident("rntuple"));
    for meta in lists.filter_map(|list| ctxt.ok(value::words(list))).flatten() {
        let Some((word, set)) = known::<T>(&meta, place, ctxt) else { continue };
        if let Some(first) = this.used().span_of(word).filter(|_| !SEVERAL.contains(&word)) {
            let message = format!("`{word}` is given twice\nhelp: keep one of the two");
            ctxt.error_at(first, &message);
            ctxt.error(meta.path(), &message);
        } else if ctxt.ok(set(&mut this, &meta, ctxt)).is_some() {
            // What has no value contradicts nothing.
            this.used().0.push((word, meta.path().span()));
        }
    }
    this
}

/// Every word, and where it may be.
fn all() -> impl Iterator<Item = (&'static str, &'static [Place])> {
    fn of<T: Words>() -> impl Iterator<Item = (&'static str, &'static [Place])> {
        T::WORDS.iter().map(|(word, places, _)| (*word, *places))
    }
    of::<ContainerAttrs>().chain(of::<VariantAttrs>()).chain(of::<MemberAttrs>())
}

/// The words that ask for an encoding of a member: those whose value is a wish.
///
/// # Panics
/// No sample is a value of a word, so that it is not known what the word sets.
#[cfg(test)]
pub(crate) fn words_of_encodings() -> Vec<&'static str> {
    let values = [
        "",
        "= \"Real32\"",
        "= \"lossy\"",
        "(bits = 12)",
        "(bits = 12, min = 0, max = 1)",
        "(\"Real32\", f16)",
    ];
    let attrs_of = |word: &str, value: &str, set: Set<MemberAttrs>| {
        let (mut attrs, ctxt) = (MemberAttrs::default(), Ctxt::default());
        let meta = syn::parse_str::<Meta>(&format!("{word} {value}")).ok()?;
        set(&mut attrs, &meta, &ctxt).and_then(|()| ctxt.finish()).ok()?;
        Some(attrs)
    };
    let is_wish = |word: &str, set: Set<MemberAttrs>| {
        let all: Vec<_> = values.iter().filter_map(|&value| attrs_of(word, value, set)).collect();
        assert!(!all.is_empty(), "no sample is a value of `{word}`: add one");
        all.iter().any(|attrs| !attrs.wishes.is_empty())
    };
    let words = MemberAttrs::WORDS.iter().filter(|(word, _, set)| is_wish(word, *set));
    words.map(|(word, ..)| *word).collect()
}

/// The word and what keeps its value, if it is one and may be here.
fn known<T: Words>(meta: &Meta, place: Place, ctxt: &Ctxt) -> Option<(&'static str, Set<T>)> {
    let written = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
    let here = T::WORDS.iter().filter(|(_, places, _)| places.contains(&place));
    if let Some((word, _, set)) = here.clone().find(|(word, ..)| *word == written) {
        return Some((word, *set));
    }
    let places = all().filter(|(word, _)| *word == written).flat_map(|(_, places)| places);
    let places: Vec<String> = places.map(Place::to_string).collect();
    let message = if places.is_empty() {
        let mut words: Vec<&str> = here.map(|(word, ..)| *word).collect();
        words.sort_unstable();
        let help = match nearest(&written, words.iter().copied()) {
            Some(word) => format!("did you mean `{word}`?"),
            None => format!("{place} may have {}", listed(words.into_iter())),
        };
        let written = meta.path().to_token_stream().to_string().replace(' ', "");
        format!("unknown attribute `{written}`\nhelp: {help}")
    } else {
        format!("`{written}` has no meaning on {place}\nhelp: use it on {}", places.join(" or "))
    };
    ctxt.error(meta.path(), message);
    None
}

/// The doc comment, lines trimmed, without empty ones around it.
fn doc_comment(attributes: &[Attribute]) -> Option<Spanned<String>> {
    let mut span = None;
    let mut text = String::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("doc")) {
        let Meta::NameValue(MetaNameValue { value: Expr::Lit(ExprLit { lit: Lit::Str(line), .. }), .. }) =
            &attribute.meta
        else {
            continue;
        };
        span.get_or_insert(line.span());
        for line in line.value().split('\n') {
            text.push_str(line.trim());
            text.push('\n');
        }
    }
    let value = text.trim().to_owned();
    let span = span.filter(|_| !value.is_empty())?;
    Some(Spanned { value, span })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doc_comments_lose_their_margins() {
        let item: syn::ItemStruct = syn::parse_quote! {
            ///
            /// Transverse momentum
            ///   in GeV.
            ///
            /// Measured.
            ///
            #[doc(hidden)]
            struct S;
        };
        assert_eq!(doc_comment(&item.attrs).unwrap().value, "Transverse momentum\nin GeV.\n\nMeasured.");
        let item: syn::ItemStruct = syn::parse_quote!(
            #[doc = " "]
            struct S;
        );
        assert!(doc_comment(&item.attrs).is_none());
    }

    #[test]
    fn words_that_are_listed_exist() {
        let mut listed = SEVERAL.iter().chain(encodings::BELOW);
        assert!(listed.all(|word| all().any(|(known, _)| known == *word)));
    }

    #[test]
    fn misspelled_words_have_a_nearest_one() {
        let mut words: Vec<&str> = all().map(|(word, _)| word).collect();
        words.sort_unstable();
        for (written, meant) in [
            ("renam", Some("rename")),
            ("trunkate", Some("truncate")),
            ("quantise", Some("quantize")),
            ("trunc", Some("truncate")),
            ("typename", Some("type_name")),
            ("F16", Some("f16")),
            ("qunatize", Some("quantize")),
            ("compression_settings", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, words.iter().copied()), meant, "{written}");
        }
    }
}
