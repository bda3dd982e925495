//! The rules, one function each. All of them look at all of the input, so that every mistake is told.

use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::{DataUnion, Type};

use crate::ast::{Data, Enum, Input, Member, Shape, Variant};
use crate::attr::{self, Spanned, listed};
use crate::ctxt::Ctxt;
use crate::encoding::{Encoding, Quantized, SCALARS};
use crate::types::{self, for_each_stored, last_word, word};

/// Alternatives that an enum with data may have: the switch column's tag leaves room for 125.
const MOST_VARIANTS: usize = 125;

/// The integers that an enum without data may be stored as.
const INTEGERS: [&str; 8] = ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"];

/// Checks everything.
pub(crate) fn check(input: &Input<'_>, ctxt: &Ctxt) {
    match &input.data {
        Data::Struct(data) => {
            names_are_distinct(&data.members, ctxt);
            if data.shape == Shape::Newtype {
                newtypes_say_nothing(input, &data.members, ctxt);
            } else {
                names_are_legal(&data.members, ctxt);
            }
        }
        Data::Enum(data) => {
            enums_have_alternatives(input, data, ctxt);
            if data.is_plain() {
                plain_enums_have_integers(input, data, ctxt);
            }
            for variant in &data.variants {
                check_variant(data, variant, ctxt);
            }
        }
        Data::Union(data) => unions_are_refused(data, ctxt),
    }
    halves_are_left(input, ctxt);
    members_can_be_borrowed(input, ctxt);
    type_names_are_legal(input.attrs.type_name.as_ref(), ctxt);
    for member in input.members() {
        skipped_members_say_nothing(member, ctxt);
        if member.is_stored() {
            types_are_storable(member, ctxt);
            types_are_finite(input, member, ctxt);
            encodings_agree(member, ctxt);
            encodings_fit(member, ctxt);
            ranges_are_ranges(member, ctxt);
        }
    }
}

fn halves_are_left(input: &Input<'_>, ctxt: &Ctxt) {
    if let (Some(read), Some(write)) = (input.attrs.read_only, input.attrs.write_only) {
        let message =
            "`read_only` and `write_only` leave nothing to derive\nhelp: keep one of the two, or none";
        ctxt.error_at(read, message);
        ctxt.error_at(write, message);
    }
}

fn check_variant(data: &Enum<'_>, variant: &Variant<'_>, ctxt: &Ctxt) {
    names_are_distinct(&variant.members, ctxt);
    type_names_are_legal(variant.attrs.type_name.as_ref(), ctxt);
    if variant.shape == Shape::Newtype {
        alternatives_have_no_names(variant, ctxt);
    } else {
        names_are_legal(&variant.members, ctxt);
    }
    if data.is_plain() {
        for (word, span) in variant.attrs.used() {
            let message = format!("`{word}` says nothing about a variant of an enum without data");
            ctxt.error_at(span, message + "\nhelp: its variants are stored as integers alone");
        }
    }
}

fn unions_are_refused(data: &DataUnion, ctxt: &Ctxt) {
    ctxt.error(
        data.union_token,
        "a union cannot be stored: nothing says which of its members is valid\nhelp: make it an enum",
    );
}

fn enums_have_alternatives(input: &Input<'_>, data: &Enum<'_>, ctxt: &Ctxt) {
    if data.variants.is_empty() {
        let help = "help: give it variants, or leave the derive away";
        ctxt.error(input.ident, format!("an enum without variants has no values to store\n{help}"));
    }
    if let Some(variant) = data.variants.get(MOST_VARIANTS).filter(|_| !data.is_plain()) {
        ctxt.error(
            variant.ident,
            format!(
                "an enum with data can have {MOST_VARIANTS} variants, this is one too many\n\
                 help: group some of them in an enum of their own"
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
            let message = "an enum without data is stored as integers, and nothing says which";
            ctxt.error(input.ident, format!("{message}\n{help}"));
        }
        Some(repr) if !INTEGERS.iter().any(|integer| repr == integer) => {
            ctxt.error(repr, format!("an enum cannot be stored as `{repr}`\n{help}"));
        }
        Some(_) => {}
    }
}

/// What may be a name (format, section 9.8).
fn names_are_legal(members: &[Member<'_>], ctxt: &Ctxt) {
    for member in members.iter().filter(|member| member.is_stored()) {
        let Spanned { value: name, span } = &member.name;
        let wrong = name.chars().find(|c| c.is_control() || matches!(c, ' ' | '.' | '/' | '\\'));
        if name.is_empty() {
            ctxt.error_at(
                *span,
                "a field name cannot be empty\nhelp: give it a name, or leave `rename` away",
            );
        } else if let Some(wrong) = wrong {
            let wrong =
                if wrong == ' ' { "a space".to_owned() } else { format!("`{}`", wrong.escape_default()) };
            ctxt.error_at(
                *span,
                format!(
                    "`{}`: a field name cannot contain {wrong}\nhelp: use `_` in its place",
                    name.escape_default()
                ),
            );
        }
    }
}

fn names_are_distinct(members: &[Member<'_>], ctxt: &Ctxt) {
    let stored: Vec<_> = members.iter().filter(|member| member.is_stored()).collect();
    for (position, member) in stored.iter().enumerate() {
        let earlier = stored.iter().take(position).find(|earlier| earlier.name.value == member.name.value);
        if let Some(earlier) = earlier {
            let message =
                format!("two members are named `{}`\nhelp: rename one of the two", member.name.value);
            ctxt.error_at(earlier.name.span, &message);
            ctxt.error_at(member.name.span, &message);
        }
    }
}

fn type_names_are_legal(name: Option<&Spanned<String>>, ctxt: &Ctxt) {
    let Some(Spanned { value: name, span }) = name else { return };
    if name.trim().is_empty() || name.trim() != name || name.chars().any(char::is_control) {
        let message = "this is not the name of a C++ class\nhelp: write it as `\"ns::Muon\"`";
        ctxt.error_at(*span, message);
    }
}

/// A newtype is stored as the value inside it, which its own attributes describe.
fn newtypes_say_nothing(input: &Input<'_>, members: &[Member<'_>], ctxt: &Ctxt) {
    for (word, span) in members.iter().flat_map(|member| member.attrs.used()) {
        ctxt.error_at(
            span,
            format!(
                "`{word}` says nothing about the value of a newtype, which is stored in its place\n\
                 help: put it on the members whose type is `{}`",
                input.name()
            ),
        );
    }
    if let Some(name) = &input.attrs.type_name {
        let help = "help: leave `type_name` away, or give the member a name to make a record";
        ctxt.error_at(name.span, format!("a newtype has the type name of its value\n{help}"));
    }
}

fn alternatives_have_no_names(variant: &Variant<'_>, ctxt: &Ctxt) {
    for (word, span) in variant.members.iter().flat_map(|member| member.attrs.used()) {
        if matches!(word, "rename" | "skip") {
            let message = format!("`{word}` says nothing about the only value of a variant");
            ctxt.error_at(
                span,
                message + "\nhelp: alternatives are stored whole, and have numbers for names",
            );
        }
    }
    if let Some(name) = &variant.attrs.type_name {
        let help = "help: leave `type_name` away, or give the member a name to make a record";
        ctxt.error_at(
            name.span,
            format!("an alternative of one value has the type name of the value\n{help}"),
        );
    }
}

fn members_can_be_borrowed(input: &Input<'_>, ctxt: &Ctxt) {
    if let Some(span) = input.attrs.packed {
        let message = "the members of a packed struct cannot be borrowed, and so not be written";
        ctxt.error_at(span, format!("{message}\nhelp: leave `packed` away: columns have no padding anyway"));
    }
}

fn skipped_members_say_nothing(member: &Member<'_>, ctxt: &Ctxt) {
    if member.is_stored() {
        return;
    }
    for (word, span) in member.attrs.used().filter(|(word, _)| *word != "skip") {
        let help = format!("help: leave `{word}` or `skip` away");
        ctxt.error_at(span, format!("`{word}` says nothing about a member that is skipped\n{help}"));
    }
}

/// What has no columns however it is written. What needs knowledge of types is told by the traits.
fn types_are_storable(member: &Member<'_>, ctxt: &Ctxt) {
    for_each_stored(member.ty, &mut |ty| {
        let (why, help) = match ty {
            Type::Ptr(_) => ("a raw pointer", "an address means nothing in a file\nhelp: store the value"),
            Type::BareFn(_) => ("a function pointer", "an address means nothing in a file\nhelp: `skip` it"),
            Type::TraitObject(_) => {
                ("a trait object", "its type, and with it its columns, are not known\nhelp: use an enum")
            }
            Type::Never(_) => ("`!`", "it has no values\nhelp: `skip` it"),
            _ => match word(ty).map(ToString::to_string).as_deref() {
                Some("usize") => ("`usize`", "its width differs between machines\nhelp: use `u64`"),
                Some("isize") => ("`isize`", "its width differs between machines\nhelp: use `i64`"),
                Some("u128") => ("`u128`", "no column is so wide\nhelp: use `u64` or `[u64; 2]`"),
                Some("i128") => ("`i128`", "no column is so wide\nhelp: use `i64` or `[u64; 2]`"),
                Some("char") => (
                    "`char`",
                    "C++ has no such type\nhelp: use `String` for text, `u32` for a code point, \
                     `rntuple::CxxChar` for C++'s `char`",
                ),
                _ => return,
            },
        };
        ctxt.error(ty, format!("{why} cannot be stored: {help}"));
    });
}

/// The columns of a type are counted when it is declared, so it cannot contain itself.
fn types_are_finite(input: &Input<'_>, member: &Member<'_>, ctxt: &Ctxt) {
    for_each_stored(member.ty, &mut |ty| {
        if word(ty).is_some_and(|word| word == input.ident || word == "Self") {
            ctxt.error(
                ty,
                format!(
                    "`{}` contains itself through `{}`, so it would have columns without end\n\
                     help: keep all of them in one `Vec`, and refer to them by index",
                    input.name(),
                    member.name.value
                ),
            );
        }
    });
}

fn encodings_agree(member: &Member<'_>, ctxt: &Ctxt) {
    let wishes = &member.attrs.wishes;
    for (position, wish) in wishes.iter().enumerate() {
        let suits = wish.encoding.suits();
        let contradicts = |other: &Encoding| {
            (wish.encoding.is_index() && other.is_index())
                || other.suits().iter().any(|ty| suits.contains(ty))
        };
        for earlier in wishes.iter().take(position).filter(|earlier| contradicts(&earlier.encoding)) {
            let message = format!(
                "`{}` and `{}` contradict each other\nhelp: a column has one encoding: keep one of the two",
                earlier.word, wish.word
            );
            ctxt.error_at(earlier.span, &message);
            ctxt.error_at(wish.span, &message);
        }
    }
}

/// Refuses what no value of the member can have, where all of its type is known by name.
fn encodings_fit(member: &Member<'_>, ctxt: &Ctxt) {
    let mut scalars = Vec::new();
    let mut is_known = true;
    let mut has_offsets = false;
    for_each_stored(member.ty, &mut |ty| {
        let word = last_word(ty).map(ToString::to_string).unwrap_or_default();
        if types::is_structure(ty) {
            has_offsets |= matches!(ty, Type::Slice(_))
                || matches!(ty, Type::Path(_)) && !matches!(&*word, "Box" | "Rc" | "Arc" | "Cow");
        } else if matches!(&*word, "String" | "str") {
            has_offsets = true;
        } else {
            is_known &= SCALARS.contains(&&*word);
            scalars.push(word);
        }
    });
    for wish in member.attrs.wishes.iter().filter(|_| is_known) {
        let suits = wish.encoding.suits();
        let (fits, help) = if wish.encoding.is_index() {
            (has_offsets, "collections and strings".to_owned())
        } else {
            let fits = scalars.iter().any(|scalar| suits.contains(&&**scalar));
            (fits, format!("{} and what is made of them", listed(suits.iter().copied())))
        };
        if !fits {
            let ty = types::spelled(member.ty.to_token_stream());
            ctxt.error_at(
                wish.span,
                format!("`{}` does not fit the type `{ty}`\nhelp: this encoding is for {help}", wish.word),
            );
        }
    }
}

/// What the runtime asks of a range, where its ends are written as numbers.
fn ranges_are_ranges(member: &Member<'_>, ctxt: &Ctxt) {
    for wish in &member.attrs.wishes {
        let Encoding::Quantized(quantized) = &wish.encoding else { continue };
        let Quantized { min, max, .. } = &**quantized;
        let (low, high) = (attr::number(min), attr::number(max));
        for (value, end) in [(low, min), (high, max)] {
            if value.is_some_and(|value| value != 0.0 && !value.is_normal()) {
                ctxt.error(end, "this number is too large or too small\nhelp: it must be zero or normal");
            }
        }
        if let (Some(low), Some(high)) = (low, high)
            && (low >= high || !(high - low).is_finite())
        {
            ctxt.error_at(
                min.span(),
                "`min` must be below `max`\nhelp: values from `min` to `max` can be stored",
            );
        }
    }
}
