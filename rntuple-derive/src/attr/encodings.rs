//! The encodings that the attributes of a member ask for.

use syn::Meta;
use syn::spanned::Spanned as _;

use super::value::{self, Part, Parts, flag, string};
use super::word::listed;
use crate::ctxt::Ctxt;
use crate::encoding::{Encoding, Quantized, Wish};

/// Words that may be said of a field below a member.
pub(super) const BELOW: &[&str] = &["encoding", "f16", "offsets", "quantize", "representations", "truncate"];

/// What a word asks for: nothing where a mistake in it was reported.
pub(super) fn wishes(meta: &Meta, ctxt: &Ctxt) -> syn::Result<Vec<Wish>> {
    if meta.path().is_ident("at") {
        return below(meta, ctxt);
    }
    let (word, span) = (meta.path().require_ident()?.to_string(), meta.path().span());
    let encoding = encoding(&word, meta, ctxt)?;
    Ok(encoding.map(|encoding| Wish { word, span, encoding, path: None }).into_iter().collect())
}

/// `at("_0._1", offsets = "Index32")`: encodings of a field below the member.
fn below(meta: &Meta, ctxt: &Ctxt) -> syn::Result<Vec<Wish>> {
    let (path, metas) = value::below(meta)?;
    let mut below = Vec::new();
    for meta in &metas {
        if !BELOW.iter().any(|word| meta.path().is_ident(word)) {
            let help = format!("help: below a member there may be {}", listed(BELOW.iter().copied()));
            return Err(syn::Error::new_spanned(meta.path(), format!("no such argument\n{help}")));
        }
        below.extend(wishes(meta, ctxt)?.into_iter().map(|wish| Wish { path: Some(path.clone()), ..wish }));
    }
    Ok(below)
}

/// The encoding of a word; `None`: what is wrong with it was reported.
fn encoding(word: &str, meta: &Meta, ctxt: &Ctxt) -> syn::Result<Option<Encoding>> {
    Ok(Some(match word {
        "double32" => flag(meta).map(|_| Encoding::Double32)?,
        "encoding" => Encoding::Column(string(meta, "\"Real32\"")?),
        "f16" => flag(meta).map(|_| Encoding::F16)?,
        "offsets" => Encoding::Offsets(string(meta, "\"Index32\"")?),
        // `quantize(bits = 12, min = -5.0, max = 5.0)`
        "quantize" => {
            let example = "quantize(bits = 12, min = -5.0, max = 5.0)";
            let mut parts = Parts::read(meta, &["bits", "min", "max", "outside"], example, ctxt)?;
            let quantized = (parts.bits(), parts.number("min"), parts.number("max"));
            let saturates = parts.choice("outside", ["error", "saturate"]) == Some(1);
            parts.finish(meta)?;
            let (Some(bits), Some(min), Some(max)) = quantized else { return Ok(None) };
            Encoding::Quantized(Quantized { bits, min, max, saturates }.into())
        }
        // `truncate(bits = 18)`
        "truncate" => {
            let mut parts = Parts::read(meta, &["bits"], "truncate(bits = 18)", ctxt)?;
            let bits = parts.bits();
            parts.finish(meta)?;
            let Some(bits) = bits else { return Ok(None) };
            Encoding::Truncated { bits }
        }
        _ => Encoding::Several(representations(meta, ctxt)?),
    }))
}

/// `representations("SplitReal32", truncate(bits = 18))`
fn representations(meta: &Meta, ctxt: &Ctxt) -> syn::Result<Vec<Encoding>> {
    let mut list = Vec::new();
    for part in value::representations(meta)? {
        match part {
            Part::Name(name) => list.push(Encoding::Column(name)),
            Part::Word(word) => {
                let known =
                    ["f16", "quantize", "truncate"].into_iter().find(|name| word.path().is_ident(name));
                let Some(name) = known else {
                    let help =
                        "help: there are `f16`, `quantize(..)`, `truncate(..)`, and column types in quotes";
                    let message = format!("this is not an encoding\n{help}");
                    return Err(syn::Error::new_spanned(word.path(), message));
                };
                list.extend(encoding(name, &word, ctxt)?);
            }
        }
    }
    Ok(list)
}
