//! Rules about encodings and conversions that need no table of the runtime.

use quote::ToTokens as _;
use syn::spanned::Spanned as _;

use crate::ast::Member;
use crate::attr;
use crate::ctxt::Ctxt;
use crate::encoding::{Encoding, Quantized};
use crate::side::Side;
use crate::types::{Known, spelled};

pub(super) fn check(member: &Member<'_>, ctxt: &Ctxt) {
    conversions_fit(member, ctxt);
    ranges_are_ranges(member, ctxt);
}

/// Only numbers can be rounded.
fn conversions_fit(member: &Member<'_>, ctxt: &Ctxt) {
    let (Some(span), Some(ty)) = (member.attrs.lossy, member.written_type(Side::Read)) else { return };
    if Known::of(ty).is_some_and(|known| known.scalars.is_empty()) {
        let ty = spelled(ty.to_token_stream());
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
