//! Rules about encodings: what fits a type, and what cannot be said together.

use quote::ToTokens as _;
use syn::Type;
use syn::spanned::Spanned as _;

use crate::ast::Member;
use crate::attr::{self, listed};
use crate::ctxt::Ctxt;
use crate::encoding::{Encoding, Quantized, Wish};
use crate::side::Side;
use crate::types::{self, SCALARS, for_each_stored, last_word};

pub(super) fn check(member: &Member<'_>, ctxt: &Ctxt) {
    encodings_agree(member, ctxt);
    encodings_fit(member, ctxt);
    conversions_fit(member, ctxt);
    ranges_are_ranges(member, ctxt);
}

fn encodings_agree(member: &Member<'_>, ctxt: &Ctxt) {
    let wishes = &member.attrs.wishes;
    for (position, wish) in wishes.iter().enumerate() {
        let suits = wish.encoding.suits();
        let contradicts = |other: &Wish| {
            other.path == wish.path
                && ((wish.encoding.is_index() && other.encoding.is_index())
                    || other.encoding.suits().iter().any(|ty| suits.contains(ty)))
        };
        for earlier in wishes.iter().take(position).filter(|earlier| contradicts(earlier)) {
            let message = format!(
                "`{}` and `{}` contradict each other\nhelp: a column has one encoding: keep one of the two",
                earlier.word, wish.word
            );
            ctxt.error_at(earlier.span, &message);
            ctxt.error_at(wish.span, &message);
        }
    }
}

/// The scalars of a type, where all of it is known by name.
struct Known {
    scalars: Vec<String>,
    has_offsets: bool,
}

impl Known {
    fn of(ty: &Type) -> Option<Self> {
        let mut known = Self { scalars: Vec::new(), has_offsets: false };
        let mut is_known = true;
        for_each_stored(ty, &mut |ty| {
            let word = last_word(ty).map(ToString::to_string).unwrap_or_default();
            if types::is_structure(ty) {
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

/// Refuses what no value of the member can have, where all of its type is known by name.
fn encodings_fit(member: &Member<'_>, ctxt: &Ctxt) {
    let Some(ty) = member.written_type(Side::Write) else { return };
    let Some(known) = Known::of(ty) else { return };
    // What is below a member, declaring it finds out.
    for wish in member.attrs.wishes.iter().filter(|wish| wish.path.is_none()) {
        let suits = wish.encoding.suits();
        if suits.is_empty() && !wish.encoding.is_index() {
            let help = "help: the encodings of one field are for values of one type";
            ctxt.error_at(wish.span, format!("no value can have all of these encodings\n{help}"));
            continue;
        }
        let (fits, help) = if wish.encoding.is_index() {
            (known.has_offsets, "collections and strings".to_owned())
        } else {
            let fits = known.scalars.iter().any(|scalar| suits.contains(&&**scalar));
            (fits, format!("{} and types made of them", listed(suits.iter().copied())))
        };
        if !fits {
            let ty = types::spelled(ty.to_token_stream());
            ctxt.error_at(
                wish.span,
                format!("`{}` does not fit the type `{ty}`\nhelp: this encoding is for {help}", wish.word),
            );
        }
    }
}

/// Only numbers can be rounded.
fn conversions_fit(member: &Member<'_>, ctxt: &Ctxt) {
    let (Some(span), Some(ty)) = (member.attrs.lossy, member.written_type(Side::Read)) else { return };
    if Known::of(ty).is_some_and(|known| known.scalars.is_empty()) {
        let ty = types::spelled(ty.to_token_stream());
        let help = "help: use it on numbers and types made of them";
        ctxt.error_at(span, format!("`convert` does not fit the type `{ty}`\n{help}"));
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
            ctxt.error_at(min.span(), "`min` must be below `max`\nhelp: the range goes from `min` to `max`");
        }
    }
}
