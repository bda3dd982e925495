//! `serde_compat`: serde's attributes on the same item, where they mean something here.
//!
//! What both say must agree. What serde stores in another form than the member's own type is refused, for
//! here it would be stored as itself, in silence.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Meta, Token};

use super::form::Spanned;
use super::rename::Rule;
use super::table::{ContainerAttrs, MemberAttrs, VariantAttrs};
use super::value;
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

/// Words that store another form than the type's own.
const FOREIGN: &[&str] =
    &["with", "serialize_with", "deserialize_with", "from", "into", "try_from", "remote"];

/// The way out where nothing can be added here.
const REMOVE: &str = "help: remove `serde_compat`, and write in `#[rntuple(..)]` what is meant";

/// The way out where it can be said how values are stored.
const ADD_FORM: &str =
    "help: add how the member is stored here: `#[rntuple(with = ..)]`, `into`, `from` or `try_from`";

/// What may be said of one kind of item in serde's words.
pub(super) trait Merge {
    /// Merges one of serde's words, which is at `at`; returns whether there is such a word.
    fn merge(&mut self, word: &str, meta: &Meta, at: Span, ctxt: &Ctxt) -> bool;

    /// What to do about a word that stores another form, if it is not said here which one.
    fn lacks_form(&self, word: &str) -> Option<&'static str>;
}

/// Reads serde's attributes.
pub(super) fn read(this: &mut impl Merge, attributes: &[Attribute], ctxt: &Ctxt) {
    let parse = Punctuated::<Meta, Token![,]>::parse_terminated;
    let lists = attributes.iter().filter(|attribute| attribute.path().is_ident("serde"));
    // What is wrong here, serde's own derive says.
    for meta in lists.filter_map(|list| list.parse_args_with(parse).ok()).flatten() {
        let Some(word) = meta.path().get_ident().map(ToString::to_string) else { continue };
        let at = meta.path().span();
        if FOREIGN.contains(&&*word) {
            if let Some(help) = this.lacks_form(&word) {
                let what = "stores another form than the type's own, which is not known here";
                ctxt.error_at(at, format!("serde's `{word}` {what}\n{help}"));
            }
        } else if !SILENT.contains(&&*word) && !this.merge(&word, &meta, at, ctxt) {
            // A word of a serde to come: better asked about than guessed.
            ctxt.error_at(at, format!("serde's `{word}` is not supported here\n{REMOVE}"));
        }
    }
}

impl Merge for ContainerAttrs {
    fn merge(&mut self, word: &str, meta: &Meta, at: Span, ctxt: &Ctxt) -> bool {
        match word {
            // The name of a type is not stored by serde's formats either.
            "rename" => {}
            "rename_all" => agree(&mut self.rename_all, word, rule(meta, ctxt), ctxt),
            "rename_all_fields" => agree(&mut self.rename_all_fields, word, rule(meta, ctxt), ctxt),
            "default" => agree(&mut self.default, word, value::fallback(meta).ok(), ctxt),
            "transparent" => _ = self.transparent.get_or_insert(at),
            "deny_unknown_fields" => _ = self.deny_unknown_fields.get_or_insert(at),
            _ => return false,
        }
        true
    }

    fn lacks_form(&self, _: &str) -> Option<&'static str> {
        Some(REMOVE)
    }
}

impl Merge for VariantAttrs {
    fn merge(&mut self, word: &str, meta: &Meta, at: Span, ctxt: &Ctxt) -> bool {
        match word {
            "rename" => agree(&mut self.rename, word, name(meta, ctxt), ctxt),
            "rename_all" => agree(&mut self.rename_all, word, rule(meta, ctxt), ctxt),
            "other" => _ = self.other.get_or_insert(at),
            "skip" | "skip_serializing" | "skip_deserializing" => {
                let help = "help: give the variant a member that is stored, or remove the attribute";
                ctxt.error_at(
                    at,
                    format!("serde's `{word}` has no counterpart here: all variants are stored\n{help}"),
                );
            }
            _ => return false,
        }
        true
    }

    fn lacks_form(&self, _: &str) -> Option<&'static str> {
        Some(ADD_FORM)
    }
}

impl Merge for MemberAttrs {
    fn merge(&mut self, word: &str, meta: &Meta, at: Span, ctxt: &Ctxt) -> bool {
        match word {
            "rename" => agree(&mut self.rename, word, name(meta, ctxt), ctxt),
            "alias" => {
                let is_new = |name: &Spanned<String>| self.aliases.iter().all(|one| one.value != name.value);
                let alias = value::string(meta, "").ok().filter(is_new);
                self.aliases.extend(alias);
            }
            "skip" => _ = self.skip.get_or_insert(Spanned { value: true, span: at }),
            // Stored anyway.
            "skip_serializing" | "skip_deserializing"
                if self.skip.as_ref().is_some_and(|skip| !skip.value) => {}
            "skip_serializing" => _ = self.skip_writing.get_or_insert(at),
            "skip_deserializing" => _ = self.skip_reading.get_or_insert(at),
            "default" => agree(&mut self.default, word, value::fallback(meta).ok(), ctxt),
            "flatten" => _ = self.flatten.get_or_insert(at),
            _ => return false,
        }
        true
    }

    fn lacks_form(&self, word: &str) -> Option<&'static str> {
        let is_read_from = self.from.is_some() || self.try_from.is_some();
        let is_said = match word {
            "into" | "serialize_with" => self.into.is_some() || self.skip_writing.is_some(),
            "from" | "try_from" | "deserialize_with" => is_read_from || self.skip_reading.is_some(),
            _ => self.into.is_some() && is_read_from,
        };
        (!is_said && self.with.is_none() && !self.is_skipped()).then_some(ADD_FORM)
    }
}

/// Takes a value from serde, which must be ours where there is one.
fn agree<T: PartialEq + Clone>(
    slot: &mut Option<Spanned<T>>,
    word: &str,
    theirs: Option<Spanned<T>>,
    ctxt: &Ctxt,
) {
    let Some(theirs) = theirs else { return };
    let ours = slot.get_or_insert_with(|| theirs.clone());
    if ours.value != theirs.value {
        let message = format!("serde's `{word}` and this one contradict each other");
        for span in [ours.span, theirs.span] {
            ctxt.error_at(span, format!("{message}\nhelp: make them equal, or remove `serde_compat`"));
        }
    }
}

/// `rename_all = "camelCase"`
fn rule(meta: &Meta, ctxt: &Ctxt) -> Option<Spanned<Rule>> {
    Rule::parse(&name(meta, ctxt)?).ok()
}

/// `= "name"`, or `(serialize = "name", deserialize = "name")` with one name.
fn name(meta: &Meta, ctxt: &Ctxt) -> Option<Spanned<String>> {
    let text = |meta: &Meta| value::string(meta, "").ok();
    let Meta::List(list) = meta else { return text(meta) };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let names: Vec<_> = parts.iter().filter_map(text).collect();
    match names.as_slice() {
        [one, other] if one.value == other.value => Some(one.clone()),
        _ => {
            let help = "help: one name for both, and `#[rntuple(alias = \"..\")]` for the other";
            let message = "serde's names for writing and reading differ, but a field has one name";
            ctxt.error(list, format!("{message}\n{help}"));
            None
        }
    }
}
