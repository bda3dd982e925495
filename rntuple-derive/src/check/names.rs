//! Rules about names.

use syn::ext::IdentExt as _;

use crate::ast::{Input, Member, Variant};
use crate::attr::Spanned;
use crate::ctxt::Ctxt;

/// What may be a name (format, section 9.8).
pub(super) fn are_legal(members: &[Member<'_>], ctxt: &Ctxt) {
    for member in members.iter().filter(|member| member.is_stored()) {
        if member.attrs.flatten.is_none() {
            is_legal(&member.name, "a field name", ctxt);
        }
        for alias in &member.attrs.aliases {
            is_legal(alias, "a field name", ctxt);
        }
        if let Some(prefix) = &member.attrs.prefix {
            is_legal(prefix, "a prefix", ctxt);
        }
    }
}

/// The names of variants are kept in descriptions, and in the names of classes.
pub(super) fn are_variants(input: &Input<'_>, variants: &[Variant<'_>], ctxt: &Ctxt) {
    // Where the name of a variant comes from.
    let at = |variant: &Variant<'_>| match (&variant.attrs.rename, &input.attrs.rename_all) {
        (Some(name), _) => name.span,
        (None, Some(rule)) if variant.ident.unraw() != variant.name => rule.span,
        (None, _) => variant.ident.span(),
    };
    for (position, variant) in variants.iter().enumerate() {
        let name = &variant.name;
        // Rules may put hyphens between words, as serde's do.
        let is_ruled = variant.attrs.rename.is_none();
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-' && is_ruled;
        if name.is_empty() || !name.chars().all(is_word) || name.starts_with(char::is_numeric) {
            let help = "help: use letters, digits and `_`";
            let message = format!("`{}` cannot be the name of a variant\n{help}", name.escape_default());
            ctxt.error_at(at(variant), message);
        }
        let earlier = variants.iter().take(position).find(|earlier| earlier.name == *name);
        if let Some(earlier) = earlier {
            let message = format!("two variants are named `{name}`\nhelp: rename one of the two");
            ctxt.error_at(at(earlier), &message);
            ctxt.error_at(at(variant), &message);
        }
    }
}

pub(super) fn is_legal(name: &Spanned<String>, what: &str, ctxt: &Ctxt) {
    let Spanned { value: name, span } = name;
    let wrong = name.chars().find(|c| c.is_control() || matches!(c, ' ' | '.' | '/' | '\\'));
    if name.is_empty() {
        ctxt.error_at(
            *span,
            format!("{what} cannot be empty\nhelp: give it a name, or remove the attribute"),
        );
    } else if let Some(wrong) = wrong {
        let wrong = if wrong == ' ' { "a space".to_owned() } else { format!("`{}`", wrong.escape_default()) };
        ctxt.error_at(
            *span,
            format!("`{}`: {what} cannot contain {wrong}\nhelp: use `_` in its place", name.escape_default()),
        );
    }
}

/// Names and aliases: a field is one member's.
pub(super) fn are_distinct(members: &[Member<'_>], ctxt: &Ctxt) {
    let mut seen: Vec<(&Spanned<String>, bool)> = Vec::new();
    for member in members.iter().filter(|member| member.is_stored() && member.attrs.flatten.is_none()) {
        let names = std::iter::once((&member.name, false))
            .chain(member.attrs.aliases.iter().map(|alias| (alias, true)));
        for (name, is_alias) in names {
            let earlier = seen.iter().find(|(earlier, _)| earlier.value == name.value);
            if let Some((earlier, was_alias)) = earlier {
                let message = if is_alias || *was_alias {
                    let help = "help: choose a name that no other member or alias has";
                    format!("the field `{}` would be read twice\n{help}", name.value)
                } else {
                    format!("two members are named `{}`\nhelp: rename one of the two", name.value)
                };
                ctxt.error_at(earlier.span, &message);
                ctxt.error_at(name.span, &message);
            }
            seen.push((name, is_alias));
        }
    }
}

pub(super) fn is_class(name: Option<&Spanned<String>>, ctxt: &Ctxt) {
    let Some(Spanned { value: name, span }) = name else { return };
    if name.trim().is_empty() || name.trim() != name || name.chars().any(char::is_control) {
        let message = "this is not the name of a C++ class\nhelp: write it as `\"ns::Muon\"`";
        ctxt.error_at(*span, message);
    }
}

/// What the runtime takes for a unit when it looks at a description.
pub(super) fn is_unit(member: &Member<'_>, ctxt: &Ctxt) {
    let Some(Spanned { value: unit, span }) = &member.attrs.unit else { return };
    let is_wrong = |c: char| c.is_whitespace() || c.is_control() || matches!(c, '[' | ']');
    let is_letter = |c: char| c.is_alphabetic() || matches!(c, '%' | '\u{b0}' | '\u{2030}');
    if unit.contains(is_wrong) || !unit.contains(is_letter) {
        let help = "help: write it as `\"GeV\"` or `\"m/s^2\"`, a word without spaces and brackets";
        ctxt.error_at(*span, format!("this is not the name of a unit\n{help}"));
    }
}
