//! Rules about enums and their variants.

use crate::ast::{Enum, Input, Shape, Variant};
use crate::ctxt::Ctxt;

use super::names;

/// Alternatives that an enum with data may have: the switch column's tag leaves room for 125.
const MOST_VARIANTS: usize = 125;

/// The integers that an enum without data may be stored as.
const INTEGERS: [&str; 8] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];

pub(super) fn check(input: &Input<'_>, data: &Enum<'_>, ctxt: &Ctxt) {
    enums_have_alternatives(input, data, ctxt);
    others_are_alone(data, ctxt);
    if data.is_plain() {
        plain_enums_have_integers(input, data, ctxt);
    } else {
        numbers_are_distinct(data, ctxt);
    }
    names::are_variants(input, &data.variants, ctxt);
    for variant in &data.variants {
        check_variant(data, variant, ctxt);
    }
}

fn check_variant(data: &Enum<'_>, variant: &Variant<'_>, ctxt: &Ctxt) {
    names::are_distinct(&variant.members, ctxt);
    names::is_class(variant.attrs.type_name.as_ref(), ctxt);
    if variant.shape == Shape::Newtype {
        alternatives_have_no_names(variant, ctxt);
    } else {
        names::are_legal(&variant.members, ctxt);
        alternatives_have_no_bases(variant, ctxt);
    }
    if data.is_plain() {
        for (word, span) in variant.attrs.used.iter().filter(|(word, _)| !matches!(*word, "rename" | "other"))
        {
            let message = format!("`{word}` has no meaning on a variant of an enum without data");
            ctxt.error_at(
                span,
                message + "\nhelp: its variants are stored as integers, without anything else",
            );
        }
    }
}

fn enums_have_alternatives(input: &Input<'_>, data: &Enum<'_>, ctxt: &Ctxt) {
    if data.variants.is_empty() {
        let help = "help: give it variants, or remove the derive";
        ctxt.error(input.ident, format!("an enum without variants has no values to store\n{help}"));
    }
    if let Some((_, variant)) = data.alternatives().nth(MOST_VARIANTS).filter(|_| !data.is_plain()) {
        ctxt.error(
            variant.ident,
            format!(
                "an enum with data can have {MOST_VARIANTS} variants, this is one more\n\
                 help: move some of them to another enum"
            ),
        );
    }
}

fn plain_enums_have_integers(input: &Input<'_>, data: &Enum<'_>, ctxt: &Ctxt) {
    if data.variants.is_empty() {
        return;
    }
    let help = "help: add `#[repr(u8)]`, or another of `i8` to `i64` and `u8` to `u64`";
    match &input.attrs.repr {
        None => {
            let message = "an enum without data is stored as integers, and their type is not given";
            ctxt.error(input.ident, format!("{message}\n{help}"));
        }
        Some(repr) if !INTEGERS.iter().any(|integer| repr == integer) => {
            ctxt.error(repr, format!("an enum cannot be stored as `{repr}`\n{help}"));
        }
        Some(_) => {}
    }
}

/// Values that are none of the others have one variant, which is not stored itself where others have data.
fn others_are_alone(data: &Enum<'_>, ctxt: &Ctxt) {
    let mut others = data.variants.iter().filter_map(|variant| Some((variant, variant.attrs.other?)));
    let Some((variant, span)) = others.next() else { return };
    if let Some((_, second)) = others.next() {
        let message = "two variants are for all other values\nhelp: keep `other` on one of the two";
        ctxt.error_at(span, message);
        ctxt.error_at(second, message);
    }
    if variant.shape != Shape::Unit {
        let help = "help: use a variant without members";
        ctxt.error_at(
            span,
            format!("`other` does not keep the value, so the variant cannot have members\n{help}"),
        );
    }
    if data.variants.len() == 1 {
        let help = "help: give the enum variants that are stored";
        ctxt.error_at(span, format!("an enum of unknown values has nothing to store\n{help}"));
    }
    if !data.is_plain() {
        for (word, at) in variant.attrs.used.iter().filter(|(word, _)| *word != "other") {
            let help = "help: it is written as a variant without a value, which has no number and no class";
            ctxt.error_at(at, format!("`{word}` has no meaning on the variant for other values\n{help}"));
        }
    }
}

/// The numbers of alternatives are those of C++'s `std::variant`: 0, 1, 2, without gaps.
fn numbers_are_distinct(data: &Enum<'_>, ctxt: &Ctxt) {
    let count = data.alternatives().count();
    let mut seen: Vec<(usize, &Variant<'_>)> = Vec::new();
    for (number, variant) in data.alternatives() {
        let span = variant.attrs.tag.as_ref().map(|tag| tag.span);
        if let Some(span) = span.filter(|_| number >= count) {
            let help =
                format!("help: {count} alternatives have the numbers 0 to {}", count.saturating_sub(1));
            ctxt.error_at(span, format!("alternatives are numbered without gaps\n{help}"));
        }
        if let Some((_, earlier)) = seen.iter().find(|(taken, _)| *taken == number) {
            let message =
                format!("two alternatives have the number {number}\nhelp: give all of them a `tag`");
            let at = |variant: &Variant<'_>| {
                variant.attrs.tag.as_ref().map_or(variant.ident.span(), |tag| tag.span)
            };
            ctxt.error_at(at(earlier), &message);
            ctxt.error_at(at(variant), &message);
        }
        seen.push((number, variant));
    }
}

fn alternatives_have_no_bases(variant: &Variant<'_>, ctxt: &Ctxt) {
    for span in variant.members.iter().filter_map(|member| member.attrs.base) {
        let help = "help: put the base on a struct, and use that struct as the value of the variant";
        ctxt.error_at(span, format!("only C++ classes have bases, and a variant is not a class\n{help}"));
    }
}

fn alternatives_have_no_names(variant: &Variant<'_>, ctxt: &Ctxt) {
    const NAMES: &[&str] =
        &["alias", "base", "default", "flatten", "prefix", "rename", "skip", "skip_reading", "skip_writing"];
    for (word, span) in variant.members.iter().flat_map(|member| member.attrs.used.iter()) {
        if NAMES.contains(&word) {
            let message = format!("`{word}` has no meaning on the only value of a variant");
            ctxt.error_at(span, message + "\nhelp: alternatives are stored as a whole, by number");
        }
    }
    if let Some(name) = &variant.attrs.type_name {
        let help = "help: remove `type_name`, or give the member a name, which makes it a record";
        ctxt.error_at(
            name.span,
            format!("an alternative of one value has the type name of the value\n{help}"),
        );
    }
}
