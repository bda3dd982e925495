//! `#[rntuple(..)]`, `#[serde(..)]` where asked for, and doc comments: each value with its span.
//!
//! | to add an attribute | touch |
//! | --- | --- |
//! | its word and where it may stand | a row of `word::WORDS` |
//! | its value | a member of [`Attrs`], an arm of [`Attrs::set`] |

mod form;
mod rename;
mod serde;
mod value;
mod word;

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, Meta, MetaNameValue, Path, Token, Type, WherePredicate};

use crate::ctxt::Ctxt;
use crate::encoding::{self, Compression, Encoding, Quantized, Wish};
pub(crate) use form::{Columnar, Projection, Spanned, Upgrade, When};
pub(crate) use rename::Rule;
pub(crate) use value::number;
use value::{Part, Parts, flag, integer, literal, path, string, ty};
pub(crate) use word::{Place, listed, nearest};

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

impl Fallback {
    /// Whether both make the same value, as far as it is written down.
    fn says(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Trait, Self::Trait) => true,
            (Self::Function(one), Self::Function(other)) => {
                one.to_token_stream().to_string() == other.to_token_stream().to_string()
            }
            _ => false,
        }
    }
}

/// What the attributes of one item say.
#[derive(Default)]
pub(crate) struct Attrs {
    /// Other names under which a file may have the member.
    pub(crate) aliases: Vec<Spanned<String>>,
    /// The member stands for a base class.
    pub(crate) base: Option<Span>,
    /// Replaces the where-clauses that the derive would infer.
    pub(crate) bound: Option<Punctuated<WherePredicate, Token![,]>>,
    /// There is a structure of arrays.
    pub(crate) columnar: Option<Columnar>,
    pub(crate) compression: Option<Spanned<Compression>>,
    /// Numbers may be rounded and cut when they are read.
    pub(crate) lossy: Option<Span>,
    /// Where this crate's macro finds `rntuple`.
    pub(crate) krate: Option<Path>,
    pub(crate) default: Option<Spanned<Fallback>>,
    pub(crate) deny_unknown_fields: Option<Span>,
    /// The attribute, or else the doc comment.
    pub(crate) description: Option<Spanned<String>>,
    /// Encodings asked for, however they were spelled.
    pub(crate) wishes: Vec<Wish>,
    pub(crate) flatten: Option<Span>,
    pub(crate) from: Option<Spanned<Type>>,
    pub(crate) into: Option<Spanned<Type>>,
    pub(crate) lock: Option<Spanned<String>>,
    /// The variant for values that are none of the others.
    pub(crate) other: Option<Span>,
    pub(crate) prefix: Option<Spanned<String>>,
    /// Fields that are views of others.
    pub(crate) projections: Vec<Projection>,
    pub(crate) rename: Option<Spanned<String>>,
    pub(crate) rename_all: Option<Spanned<Rule>>,
    pub(crate) rename_all_fields: Option<Spanned<Rule>>,
    /// Values are kept as they are among columns.
    pub(crate) rows: Option<Span>,
    pub(crate) serde_compat: Option<Span>,
    pub(crate) skip: Option<Span>,
    /// Stored although serde skips it: `skip = false`.
    stored_anyway: Option<Span>,
    /// A member is not read; of a type only what writing needs is derived.
    pub(crate) skip_reading: Option<Span>,
    /// A member is not written; of a type only what reading needs is derived.
    pub(crate) skip_writing: Option<Span>,
    /// The number of an alternative.
    pub(crate) tag: Option<Spanned<u32>>,
    pub(crate) transparent: Option<Span>,
    pub(crate) try_from: Option<Spanned<Type>>,
    pub(crate) type_name: Option<Spanned<String>>,
    pub(crate) unit: Option<Spanned<String>>,
    pub(crate) untyped: Option<Span>,
    pub(crate) upgrades: Vec<Upgrade>,
    pub(crate) version: Option<Spanned<u32>>,
    pub(crate) with: Option<Spanned<Path>>,
    /// The integer type of `#[repr(..)]`.
    pub(crate) repr: Option<syn::Ident>,
    /// `#[repr(packed)]`.
    pub(crate) packed: Option<Span>,
    /// The words that were used.
    used: Vec<(&'static str, Span)>,
}

impl Attrs {
    /// Reads all attributes of a struct or an enum.
    pub(crate) fn container(attributes: &[Attribute], place: Place, ctxt: &Ctxt) -> Self {
        let mut this = Self::read(attributes, place, false, ctxt);
        if this.serde_compat.is_some() {
            this.read_serde(attributes, place, ctxt);
        }
        this
    }

    /// Reads all attributes of an item that stands at `place`; with `serde`, also those that are serde's.
    pub(crate) fn read(attributes: &[Attribute], place: Place, serde: bool, ctxt: &Ctxt) -> Self {
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
        if serde {
            this.read_serde(attributes, place, ctxt);
        } else if let Some(span) = this.stored_anyway {
            let message = "`skip = false` is for members that serde skips, which needs `serde_compat`";
            let help = "help: remove it, or add `#[rntuple(serde_compat)]` to the type";
            ctxt.error_at(span, format!("{message}\n{help}"));
        }
        this
    }

    fn read_list(&mut self, attribute: &Attribute, place: Place, ctxt: &Ctxt) {
        let Some(metas) = ctxt.ok(value::words(attribute)) else { return };
        for meta in metas {
            let Some(word) = word::known(&meta, place, ctxt) else { continue };
            let first = self.span_of(word).filter(|_| !word::SEVERAL.contains(&word));
            if let Some(first) = first {
                let message = format!("`{word}` is given twice\nhelp: keep one of the two");
                ctxt.error_at(first, &message);
                ctxt.error(meta.path(), &message);
                continue;
            }
            // What has no value contradicts nothing.
            if ctxt.ok(self.set(word, &meta, ctxt)).is_some() {
                self.used.push((word, meta.path().span()));
            }
        }
    }

    fn set(&mut self, word: &'static str, meta: &Meta, ctxt: &Ctxt) -> syn::Result<()> {
        let span = meta.path().span();
        match word {
            "alias" => self.aliases.push(string(meta, "\"pT\"")?),
            "at" => self.wish_below(meta, ctxt)?,
            "base" => self.base = flag(meta)?,
            "bound" => {
                let text = literal(meta, "\"T: Clone\"")?;
                let bound = text.parse_with(Punctuated::parse_terminated).map_err(|_| {
                    let help = "help: write it as `bound = \"T: Clone, U: Copy\"`";
                    let message = format!(
                        "`bound` needs a comma-separated list of bounds, found `{}`\n{help}",
                        text.value()
                    );
                    syn::Error::new(text.span(), message)
                })?;
                self.bound = Some(bound);
            }
            "columnar" => self.columnar = Some(value::columnar(meta)?),
            "compression" => {
                let text = string(meta, "\"lz4:4\"")?;
                self.compression = Some(Spanned { value: Compression::parse(&text)?, span });
            }
            "convert" => {
                let text = string(meta, "\"lossy\"")?;
                if text.value != "lossy" {
                    let message = "conversions are exact unless they are `\"lossy\"`";
                    let help = "help: write `convert = \"lossy\"`, or remove it";
                    return Err(syn::Error::new(text.span, format!("{message}\n{help}")));
                }
                self.lossy = Some(span);
            }
            "crate" => self.krate = Some(path(meta, "the crate", "::physics::rntuple")?),
            "default" => {
                let value = match meta {
                    Meta::Path(_) => Fallback::Trait,
                    _ => Fallback::Function(path(meta, "a function", "\"path::to::function\"")?),
                };
                self.default = Some(Spanned { value, span });
            }
            "deny_unknown_fields" => self.deny_unknown_fields = flag(meta)?,
            "description" => self.description = Some(string(meta, "\"transverse momentum\"")?),
            "double32" => {
                flag(meta)?;
                self.wish(word, span, Encoding::Double32);
            }
            "encoding" => {
                let name = string(meta, "\"Real32\"")?;
                self.wish(word, span, encoding::column_type(&name)?);
            }
            "f16" => {
                flag(meta)?;
                self.wish(word, span, Encoding::Column("Real16"));
            }
            "flatten" => match meta {
                // Both are read as what is meant: `flatten, prefix = ".."` and `flatten(prefix = "..")`.
                Meta::List(list) => {
                    let inner: Meta = list.parse_args()?;
                    if !inner.path().is_ident("prefix") {
                        let help = "help: there is `prefix = \"jet_\"`";
                        let message = format!("no such argument\n{help}");
                        return Err(syn::Error::new_spanned(inner.path(), message));
                    }
                    self.prefix = Some(string(&inner, "\"jet_\"")?);
                    self.flatten = Some(span);
                }
                _ => self.flatten = flag(meta)?,
            },
            "from" => self.from = Some(ty(meta)?),
            "offsets" => {
                let name = string(meta, "\"Index32\"")?;
                self.wish(word, span, encoding::index_type(&name)?);
            }
            "into" => self.into = Some(ty(meta)?),
            "lock" => self.lock = Some(string(meta, "\"event.rntlock\"")?),
            "other" => self.other = flag(meta)?,
            "prefix" => self.prefix = Some(string(meta, "\"jet_\"")?),
            "project" => self.projections.extend(value::projections(meta)?),
            "quantize" => {
                if let Some(quantized) = quantized(meta, ctxt)? {
                    self.wish(word, span, quantized);
                }
            }
            "rename" => self.rename = Some(string(meta, "\"pt\"")?),
            "rename_all" => self.rename_all = Some(Rule::parse(&string(meta, "\"camelCase\"")?)?),
            "rename_all_fields" => {
                self.rename_all_fields = Some(Rule::parse(&string(meta, "\"camelCase\"")?)?);
            }
            "representations" => {
                let list = representations(meta, ctxt)?;
                self.wish(word, span, Encoding::Several(list));
            }
            "rows" => {
                // Also where it has a value, else one mistake would become many.
                self.rows = Some(span);
                flag(meta)?;
            }
            "serde_compat" => self.serde_compat = flag(meta)?,
            "skip" => match value::truth(meta)? {
                true => self.skip = Some(span),
                false => self.stored_anyway = Some(span),
            },
            "skip_reading" => self.skip_reading = flag(meta)?,
            "skip_writing" => self.skip_writing = flag(meta)?,
            "tag" => self.tag = Some(integer(meta, "3")?),
            "transparent" => self.transparent = flag(meta)?,
            "truncate" => {
                if let Some(truncated) = truncated(meta, ctxt)? {
                    self.wish(word, span, truncated);
                }
            }
            "try_from" => self.try_from = Some(ty(meta)?),
            "type_name" => self.type_name = Some(string(meta, "\"ns::Muon\"")?),
            "unit" => self.unit = Some(string(meta, "\"GeV\"")?),
            "untyped" => self.untyped = flag(meta)?,
            "upgrade_from" => self.upgrades.push(value::upgrade(meta)?),
            "version" => self.version = Some(integer(meta, "2")?),
            "with" => {
                let value = path(meta, "a module", "module")?;
                self.with = Some(Spanned { value, span });
            }
            _ => {}
        }
        Ok(())
    }

    fn wish(&mut self, word: &'static str, span: Span, encoding: Encoding) {
        self.wishes.push(Wish { word, span, encoding, path: None });
    }

    /// `at("_0._1", offsets = "Index32")`: encodings of a field below the member.
    fn wish_below(&mut self, meta: &Meta, ctxt: &Ctxt) -> syn::Result<()> {
        let (path, metas) = value::below(meta)?;
        let mut below = Self::default();
        for meta in &metas {
            let Some(word) = word::BELOW.iter().find(|word| meta.path().is_ident(word)) else {
                let help =
                    format!("help: below a member there may be {}", listed(word::BELOW.iter().copied()));
                return Err(syn::Error::new_spanned(meta.path(), format!("no such argument\n{help}")));
            };
            below.set(word, meta, ctxt)?;
        }
        let placed = |wish: Wish| Wish { path: Some(path.clone()), ..wish };
        self.wishes.extend(below.wishes.into_iter().map(placed));
        Ok(())
    }

    /// The words that were used, and where.
    pub(crate) fn used(&self) -> impl Iterator<Item = (&'static str, Span)> {
        self.used.iter().copied()
    }

    /// Where a word stands.
    pub(crate) fn span_of(&self, word: &str) -> Option<Span> {
        self.used.iter().find(|(used, _)| *used == word).map(|(_, span)| *span)
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

/// `quantize(bits = 12, min = -5.0, max = 5.0)`; `None`: what is wrong with it was told.
fn quantized(meta: &Meta, ctxt: &Ctxt) -> syn::Result<Option<Encoding>> {
    let example = "quantize(bits = 12, min = -5.0, max = 5.0)";
    let mut parts = Parts::read(meta, &["bits", "min", "max", "outside"], example, ctxt)?;
    let quantized = (parts.bits(1..=32), parts.number("min"), parts.number("max"));
    let saturates = parts.choice("outside", ["error", "saturate"]) == Some(1);
    parts.finish(meta)?;
    let (Some(bits), Some(min), Some(max)) = quantized else { return Ok(None) };
    Ok(Some(Encoding::Quantized(Quantized { bits, min, max, saturates }.into())))
}

/// `truncate(bits = 18)`; `None`: what is wrong with it was told.
fn truncated(meta: &Meta, ctxt: &Ctxt) -> syn::Result<Option<Encoding>> {
    let mut parts = Parts::read(meta, &["bits"], "truncate(bits = 18)", ctxt)?;
    let bits = parts.bits(10..=31);
    parts.finish(meta)?;
    Ok(bits.map(|bits| Encoding::Truncated { bits }))
}

/// `representations("SplitReal32", truncate(bits = 18))`
fn representations(meta: &Meta, ctxt: &Ctxt) -> syn::Result<Vec<Encoding>> {
    let mut list = Vec::new();
    for part in value::representations(meta)? {
        match &part {
            Part::Name(name) => list.push(encoding::column_type(name)?),
            Part::Word(word) if word.path().is_ident("f16") => {
                flag(word)?;
                list.push(Encoding::Column("Real16"));
            }
            Part::Word(word) if word.path().is_ident("quantize") => list.extend(quantized(word, ctxt)?),
            Part::Word(word) if word.path().is_ident("truncate") => list.extend(truncated(word, ctxt)?),
            Part::Word(word) => {
                let help =
                    "help: there are `f16`, `quantize(..)`, `truncate(..)`, and column types in quotes";
                return Err(syn::Error::new_spanned(word.path(), format!("this is not an encoding\n{help}")));
            }
        }
    }
    Ok(list)
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
}
