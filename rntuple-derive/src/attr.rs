//! `#[rntuple(..)]` and doc comments, each value with its span.
//!
//! | to add an attribute | touch |
//! | --- | --- |
//! | its word and where it may stand | a row of `WORDS` |
//! | its value | a member of [`Attrs`], an arm of [`Attrs::set`] |

use std::fmt;

use proc_macro2::Span;
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Lit, Meta, MetaNameValue, Path, Token, UnOp, WherePredicate};

use crate::ctxt::Ctxt;
use crate::encoding::{self, Encoding, Quantized, Wish};

/// Where an attribute stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Struct,
    Enum,
    Variant,
    Member,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Struct => "a struct",
            Self::Enum => "an enum",
            Self::Variant => "a variant",
            Self::Member => "a member",
        })
    }
}

/// Every attribute, and where it may stand.
const WORDS: &[(&str, &[Place])] = &[
    ("bound", &[Place::Struct, Place::Enum]),
    ("crate", &[Place::Struct, Place::Enum]),
    ("description", &[Place::Variant, Place::Member]),
    ("encoding", &[Place::Member]),
    ("f16", &[Place::Member]),
    ("index", &[Place::Member]),
    ("quantize", &[Place::Member]),
    ("read_only", &[Place::Struct, Place::Enum]),
    ("rename", &[Place::Member]),
    ("skip", &[Place::Member]),
    ("truncate", &[Place::Member]),
    ("type_name", &[Place::Struct, Place::Enum, Place::Variant]),
    ("write_only", &[Place::Struct, Place::Enum]),
];

/// A value, and where it was written.
#[derive(Clone, Debug)]
pub(crate) struct Spanned<T> {
    pub(crate) value: T,
    pub(crate) span: Span,
}

/// What the attributes of one item say.
#[derive(Default)]
pub(crate) struct Attrs {
    /// Replaces the where-clauses that the derive would infer.
    pub(crate) bound: Option<Punctuated<WherePredicate, Token![,]>>,
    /// Where this crate's macro finds `rntuple`.
    pub(crate) krate: Option<Path>,
    /// The attribute, or else the doc comment.
    pub(crate) description: Option<Spanned<String>>,
    /// Encodings asked for, however they were spelled.
    pub(crate) wishes: Vec<Wish>,
    pub(crate) rename: Option<Spanned<String>>,
    /// Only the half of the derive that reads.
    pub(crate) read_only: Option<Span>,
    pub(crate) skip: Option<Span>,
    pub(crate) type_name: Option<Spanned<String>>,
    /// Only the half of the derive that writes.
    pub(crate) write_only: Option<Span>,
    /// The integer type of `#[repr(..)]`.
    pub(crate) repr: Option<syn::Ident>,
    /// `#[repr(packed)]`.
    pub(crate) packed: Option<Span>,
    /// The words that were used.
    used: Vec<(&'static str, Span)>,
}

impl Attrs {
    /// Reads all attributes of an item that stands at `place`.
    pub(crate) fn read(attributes: &[Attribute], place: Place, ctxt: &Ctxt) -> Self {
        let mut this = Self::default();
        for attribute in attributes {
            if attribute.path().is_ident("rntuple") {
                this.read_list(attribute, place, ctxt);
            } else if attribute.path().is_ident("repr") {
                this.read_repr(attribute);
            }
        }
        if this.description.is_none() {
            this.description = doc_comment(attributes);
        }
        this
    }

    fn read_list(&mut self, attribute: &Attribute, place: Place, ctxt: &Ctxt) {
        let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
        let Some(metas) = ctxt.ok(attribute.parse_args_with(parse)) else { return };
        for meta in metas {
            let Some(word) = known(&meta, place, ctxt) else { continue };
            if let Some((_, first)) = self.used.iter().find(|(used, _)| *used == word) {
                let message = format!("`{word}` is said twice\nhelp: keep one of the two");
                ctxt.error_at(*first, &message);
                ctxt.error(meta.path(), &message);
                continue;
            }
            self.used.push((word, meta.path().span()));
            ctxt.ok(self.set(word, &meta, ctxt));
        }
    }

    fn set(&mut self, word: &'static str, meta: &Meta, ctxt: &Ctxt) -> syn::Result<()> {
        let span = meta.path().span();
        match word {
            "bound" => {
                let parse = Punctuated::parse_terminated;
                self.bound = Some(literal(meta, "\"T: Clone\"")?.parse_with(parse)?);
            }
            "crate" => self.krate = Some(path(meta)?),
            "description" => self.description = Some(string(meta, "\"transverse momentum in GeV\"")?),
            "encoding" => {
                let name = string(meta, "\"Real32\"")?;
                self.wish(word, span, encoding::column_type(&name)?);
            }
            "f16" => {
                flag(meta)?;
                self.wish(word, span, Encoding::Column("Real16"));
            }
            "index" => {
                let name = string(meta, "\"Index32\"")?;
                self.wish(word, span, encoding::index_type(&name)?);
            }
            "quantize" => {
                let mut parts = Parts::read(meta, &["bits", "min", "max"], ctxt)?;
                let quantized = (parts.bits(1..=32), parts.number("min"), parts.number("max"));
                parts.finish(meta, "quantize(bits = 12, min = -5.0, max = 5.0)")?;
                if let (Some(bits), Some(min), Some(max)) = quantized {
                    self.wish(word, span, Encoding::Quantized(Quantized { bits, min, max }.into()));
                }
            }
            "rename" => self.rename = Some(string(meta, "\"pt\"")?),
            "skip" => {
                flag(meta)?;
                self.skip = Some(span);
            }
            "truncate" => {
                let mut parts = Parts::read(meta, &["bits"], ctxt)?;
                let bits = parts.bits(10..=31);
                parts.finish(meta, "truncate(bits = 18)")?;
                if let Some(bits) = bits {
                    self.wish(word, span, Encoding::Truncated { bits });
                }
            }
            "read_only" => {
                flag(meta)?;
                self.read_only = Some(span);
            }
            "type_name" => self.type_name = Some(string(meta, "\"ns::Muon\"")?),
            "write_only" => {
                flag(meta)?;
                self.write_only = Some(span);
            }
            _ => {}
        }
        Ok(())
    }

    fn wish(&mut self, word: &'static str, span: Span, encoding: Encoding) {
        self.wishes.push(Wish { word, span, encoding });
    }

    /// The words that were used, and where.
    pub(crate) fn used(&self) -> impl Iterator<Item = (&'static str, Span)> {
        self.used.iter().copied()
    }

    fn read_repr(&mut self, attribute: &Attribute) {
        // What is wrong here, the compiler says itself.
        let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
        for meta in attribute.parse_args_with(parse).into_iter().flatten() {
            let Some(ident) = meta.path().get_ident() else { continue };
            match &*ident.to_string() {
                "C" | "align" | "transparent" | "Rust" | "simd" => {}
                "packed" => self.packed = Some(ident.span()),
                _ => self.repr = Some(ident.clone()),
            }
        }
    }
}

/// The word, if it is one and may stand here.
fn known(meta: &Meta, place: Place, ctxt: &Ctxt) -> Option<&'static str> {
    let written = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
    let here = || WORDS.iter().filter(|(_, places)| places.contains(&place)).map(|(word, _)| *word);
    if let Some((word, places)) = WORDS.iter().find(|(word, _)| *word == written) {
        if places.contains(&place) {
            return Some(word);
        }
        let places: Vec<String> = places.iter().map(Place::to_string).collect();
        let places = places.join(" or ");
        let message = format!("`{word}` says nothing about {place}\nhelp: it may stand on {places}");
        ctxt.error(meta.path(), message);
        return None;
    }
    let help = match nearest(&written, here()) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("{place} may have {}", listed(here())),
    };
    let written = meta.path().to_token_stream().to_string().replace(' ', "");
    ctxt.error(meta.path(), format!("unknown attribute `{written}`\nhelp: {help}"));
    None
}

/// The word that is meant by a misspelled one.
pub(crate) fn nearest<'a>(written: &str, words: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let written = written.to_lowercase();
    if written.len() > 2 {
        let mut longer = words.clone().filter(|word| word.to_lowercase().starts_with(&written));
        if let Some(word) = longer.next() {
            return Some(word);
        }
    }
    let limit = written.len() / 3 + 1;
    let distances = words.map(|word| (distance(&written, &word.to_lowercase()), word));
    distances
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// Letters to add, drop or replace on the way from one word to the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (to, above) in b.iter().zip(row.iter_mut().skip(1)) {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = *above;
            left = replaced.min(*above + 1).min(left + 1);
            *above = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or_default()
}

/// `` `a`, `b`, `c` ``
pub(crate) fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn usage(meta: &Meta, example: &str) -> syn::Error {
    let word = meta.path().to_token_stream();
    let wrong = if matches!(meta, Meta::Path(_)) { "a value" } else { "another kind of value" };
    syn::Error::new_spanned(meta, format!("`{word}` needs {wrong}\nhelp: write it as `{word} = {example}`"))
}

fn flag(meta: &Meta) -> syn::Result<()> {
    match meta {
        Meta::Path(_) => Ok(()),
        _ => {
            let word = meta.path().to_token_stream();
            Err(syn::Error::new_spanned(meta, format!("`{word}` takes no value\nhelp: write `{word}` alone")))
        }
    }
}

fn literal(meta: &Meta, example: &str) -> syn::Result<syn::LitStr> {
    match meta {
        Meta::NameValue(MetaNameValue { value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. }) => {
            Ok(text.clone())
        }
        _ => Err(usage(meta, example)),
    }
}

fn string(meta: &Meta, example: &str) -> syn::Result<Spanned<String>> {
    let text = literal(meta, example)?;
    Ok(Spanned { value: text.value(), span: text.span() })
}

fn path(meta: &Meta) -> syn::Result<Path> {
    match meta {
        Meta::NameValue(MetaNameValue { value: Expr::Path(path), .. }) if path.qself.is_none() => {
            Ok(path.path.clone())
        }
        _ => Err(usage(meta, "::physics::rntuple")),
    }
}

/// The arguments of `quantize(bits = 12, min = -5.0, max = 5.0)`.
struct Parts<'a> {
    parts: Vec<MetaNameValue>,
    missing: Vec<&'static str>,
    /// What is missing may be what is misspelled, which was told.
    is_misspelled: bool,
    ctxt: &'a Ctxt,
}

impl<'a> Parts<'a> {
    fn read(meta: &Meta, words: &[&'static str], ctxt: &'a Ctxt) -> syn::Result<Self> {
        let parts: Vec<MetaNameValue> = match meta {
            Meta::List(list) => {
                list.parse_args_with(Punctuated::<_, Token![,]>::parse_terminated)?.into_iter().collect()
            }
            _ => Vec::new(),
        };
        let mut is_misspelled = false;
        for (position, part) in parts.iter().enumerate() {
            let is = |word: &&str| part.path.is_ident(word);
            if !words.iter().any(is) {
                is_misspelled = true;
                let message = format!("no such argument\nhelp: there is {}", listed(words.iter().copied()));
                ctxt.error(&part.path, message);
            } else if parts.iter().take(position).any(|earlier| earlier.path == part.path) {
                ctxt.error(&part.path, "this argument is given twice\nhelp: keep one of the two");
            }
        }
        Ok(Self { parts, missing: Vec::new(), is_misspelled, ctxt })
    }

    fn find(&mut self, word: &'static str) -> Option<Expr> {
        let found = self.parts.iter().find(|part| part.path.is_ident(word)).map(|part| part.value.clone());
        if found.is_none() {
            self.missing.push(word);
        }
        found
    }

    /// The number of bits, if it is one of these.
    fn bits(&mut self, range: std::ops::RangeInclusive<u16>) -> Option<u16> {
        let value = self.find("bits")?;
        let bits = match &value {
            Expr::Lit(ExprLit { lit: Lit::Int(bits), .. }) => bits.base10_parse().ok(),
            _ => None,
        };
        let bits = bits.filter(|bits| range.contains(bits));
        if bits.is_none() {
            let (least, most) = (range.start(), range.end());
            let message =
                format!("this cannot be the number of bits\nhelp: it lies between {least} and {most}");
            self.ctxt.error(value, message);
        }
        bits
    }

    fn number(&mut self, word: &'static str) -> Option<Expr> {
        self.find(word)
    }

    /// Refuses what is incomplete.
    fn finish(self, meta: &Meta, example: &str) -> syn::Result<()> {
        if self.missing.is_empty() || self.is_misspelled {
            return Ok(());
        }
        let missing = listed(self.missing.iter().copied());
        Err(syn::Error::new_spanned(meta, format!("{missing} must be given\nhelp: write it as `{example}`")))
    }
}

/// The value of a number, if it is written as one.
pub(crate) fn number(value: &Expr) -> Option<f64> {
    match value {
        Expr::Lit(ExprLit { lit: Lit::Float(number), .. }) => number.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) => number.base10_parse().ok(),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => number(expr).map(|number| -number),
        Expr::Paren(inner) => number(&inner.expr),
        Expr::Group(inner) => number(&inner.expr),
        _ => None,
    }
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
    fn misspelled_words_have_a_nearest_one() {
        let words = || WORDS.iter().map(|(word, _)| *word);
        for (written, meant) in [
            ("renam", Some("rename")),
            ("trunkate", Some("truncate")),
            ("quantise", Some("quantize")),
            ("trunc", Some("truncate")),
            ("typename", Some("type_name")),
            ("F16", Some("f16")),
            ("compression_settings", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, words()), meant, "{written}");
        }
    }

    #[test]
    fn distances_are_those_of_levenshtein() {
        for (a, b, expected) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("abc", "abc", 0)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
        }
    }

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
    fn numbers_may_be_negative_and_whole() {
        for (text, value) in [("-5.5", Some(-5.5)), ("(-5)", Some(-5.0)), ("1e3", Some(1e3)), ("PI", None)] {
            assert_eq!(number(&syn::parse_str(text).unwrap()), value, "{text}");
        }
    }
}
