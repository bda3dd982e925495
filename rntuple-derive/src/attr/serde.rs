//! `serde_compat`: serde's attributes on the same item, where they mean something here.
//!
//! What both say must agree. What serde stores in another form than the member's own type is refused, for
//! here it would be stored as itself, in silence.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Lit, LitStr, Meta, MetaNameValue, Token};

use super::{Attrs, Fallback, Place, Rule, Spanned};
use crate::ctxt::Ctxt;

/// Words that change nothing here: they are about text formats, about serde's own traits, or about what is
/// written when, which columns cannot choose.
const SILENT: &[&str] = &[
    "borrow",
    "bound",
    "content",
    "crate",
    "expecting",
    "getter",
    "skip_serializing_if",
    "tag",
    "untagged",
    "variant_identifier",
    "field_identifier",
];

impl Attrs {
    /// Reads serde's attributes of an item that stands at `place`.
    pub(super) fn read_serde(&mut self, attributes: &[Attribute], place: Place, ctxt: &Ctxt) {
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
            // What is wrong here, serde's own derive says.
            for meta in attribute.parse_args_with(parse).into_iter().flatten() {
                self.merge(&meta, place, ctxt);
            }
        }
    }

    fn merge(&mut self, meta: &Meta, place: Place, ctxt: &Ctxt) {
        let span = meta.path().span();
        let Some(word) = meta.path().get_ident().map(ToString::to_string) else { return };
        let is_container = matches!(place, Place::Struct | Place::Enum);
        match &*word {
            // The name of a type is not stored by serde's formats either.
            "rename" if is_container => {}
            "rename" => {
                let Some(name) = one_name(meta, ctxt) else { return };
                self.merge_name(name, ctxt);
            }
            "rename_all" | "rename_all_fields" => {
                let Some(rule) = one_name(meta, ctxt).and_then(|name| Rule::parse(&name).ok()) else {
                    return;
                };
                let (slot, ours) = if word == "rename_all" {
                    (&mut self.rename_all, "rename_all")
                } else {
                    (&mut self.rename_all_fields, "rename_all_fields")
                };
                match slot {
                    Some(known) if known.value != rule.value => {
                        contradiction(ours, known.span, rule.span, ctxt);
                    }
                    Some(_) => {}
                    None => *slot = Some(rule),
                }
            }
            "alias" if place == Place::Member => {
                if let Some(name) = text(meta)
                    && !self.aliases.iter().any(|alias| alias.value == name.value())
                {
                    self.aliases.push(Spanned { value: name.value(), span: name.span() });
                }
            }
            "skip" | "skip_serializing" | "skip_deserializing" if place == Place::Variant => {
                let help = "help: give the variant a member that is stored, or remove the attribute";
                ctxt.error_at(
                    span,
                    format!("serde's `{word}` has no counterpart here: all variants are stored\n{help}"),
                );
            }
            "skip" | "skip_serializing" | "skip_deserializing" if self.stored_anyway.is_some() => {}
            "skip" => self.skip = self.skip.or(Some(span)),
            "skip_serializing" => self.skip_writing = self.skip_writing.or(Some(span)),
            "skip_deserializing" => self.skip_reading = self.skip_reading.or(Some(span)),
            "default" => {
                let value = match text(meta).map(|text| text.parse()) {
                    None => Fallback::Trait,
                    Some(Ok(path)) => Fallback::Function(path),
                    Some(Err(_)) => return,
                };
                match &self.default {
                    Some(known) if !known.value.says(&value) => {
                        contradiction("default", known.span, span, ctxt);
                    }
                    Some(_) => {}
                    None => self.default = Some(Spanned { value, span }),
                }
            }
            "flatten" => self.flatten = self.flatten.or(Some(span)),
            "transparent" => self.transparent = self.transparent.or(Some(span)),
            "deny_unknown_fields" => self.deny_unknown_fields = self.deny_unknown_fields.or(Some(span)),
            "other" => self.other = self.other.or(Some(span)),
            "with" | "serialize_with" | "deserialize_with" | "from" | "into" | "try_from" | "remote" => {
                self.foreign(&word, span, is_container, ctxt);
            }
            word if SILENT.contains(&word) => {}
            // A word of a serde to come: better asked about than guessed.
            _ => {
                let help = "help: remove `serde_compat`, and write in `#[rntuple(..)]` what is meant";
                ctxt.error_at(span, format!("serde's `{word}` is not supported here\n{help}"));
            }
        }
    }

    fn merge_name(&mut self, name: Spanned<String>, ctxt: &Ctxt) {
        match &self.rename {
            Some(known) if known.value != name.value => contradiction("rename", known.span, name.span, ctxt),
            Some(_) => {}
            None => self.rename = Some(name),
        }
    }

    /// Serde stores something else than the member: what, must be said here too.
    fn foreign(&self, word: &str, span: Span, is_container: bool, ctxt: &Ctxt) {
        let is_said = !is_container
            && (self.with.is_some()
                || self.skip.is_some()
                || match word {
                    "into" | "serialize_with" => self.into.is_some() || self.skip_writing.is_some(),
                    "from" | "try_from" | "deserialize_with" => {
                        self.from.is_some() || self.try_from.is_some() || self.skip_reading.is_some()
                    }
                    _ => self.into.is_some() && (self.from.is_some() || self.try_from.is_some()),
                });
        if !is_said {
            let message =
                format!("serde's `{word}` stores another form than the type's own, which is not known here");
            let help = if is_container {
                "help: remove `serde_compat`, and write in `#[rntuple(..)]` what is meant"
            } else {
                "help: add how the member is stored here: `#[rntuple(with = ..)]`, `into`, `from` or `try_from`"
            };
            ctxt.error_at(span, format!("{message}\n{help}"));
        }
    }
}

fn contradiction(word: &str, ours: Span, theirs: Span, ctxt: &Ctxt) {
    let message = format!(
        "serde's `{word}` and this one contradict each other\nhelp: make them equal, or remove `serde_compat`"
    );
    ctxt.error_at(ours, &message);
    ctxt.error_at(theirs, &message);
}

fn text(meta: &Meta) -> Option<LitStr> {
    match meta {
        Meta::NameValue(MetaNameValue { value: Expr::Lit(ExprLit { lit: Lit::Str(text), .. }), .. }) => {
            Some(text.clone())
        }
        _ => None,
    }
}

/// `= "name"`, or `(serialize = "name", deserialize = "name")` with one name.
fn one_name(meta: &Meta, ctxt: &Ctxt) -> Option<Spanned<String>> {
    let spanned = |text: LitStr| Spanned { value: text.value(), span: text.span() };
    if let Some(text) = text(meta) {
        return Some(spanned(text));
    }
    let Meta::List(list) = meta else { return None };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let names: Vec<LitStr> = parts.iter().filter_map(text).collect();
    match names.as_slice() {
        [one, other] if one.value() == other.value() => Some(spanned(one.clone())),
        _ => {
            let help = "help: one name for both, and `#[rntuple(alias = \"..\")]` for the other";
            let message = "serde's names for writing and reading differ, but a field has one name";
            ctxt.error(list, format!("{message}\n{help}"));
            None
        }
    }
}
