//! The words of `#[rntuple(..)]`, and what is meant by a misspelled one.

use std::fmt;

use quote::ToTokens as _;
use syn::Meta;

use crate::ctxt::Ctxt;

/// Where an attribute stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

const CONTAINER: &[Place] = &[Place::Struct, Place::Enum];
const STRUCT: &[Place] = &[Place::Struct];
const ENUM: &[Place] = &[Place::Enum];
const VARIANT: &[Place] = &[Place::Variant];
const MEMBER: &[Place] = &[Place::Member];
const EVERYWHERE: &[Place] = &[Place::Struct, Place::Enum, Place::Member];

/// Every attribute, and where it may stand.
pub(super) const WORDS: &[(&str, &[Place])] = &[
    ("alias", MEMBER),
    ("at", MEMBER),
    ("base", MEMBER),
    ("bound", CONTAINER),
    ("columnar", CONTAINER),
    ("compression", MEMBER),
    ("convert", MEMBER),
    ("crate", CONTAINER),
    ("default", &[Place::Struct, Place::Member]),
    ("deny_unknown_fields", STRUCT),
    ("description", &[Place::Variant, Place::Member]),
    ("double32", MEMBER),
    ("encoding", MEMBER),
    ("f16", MEMBER),
    ("flatten", MEMBER),
    ("from", MEMBER),
    ("into", MEMBER),
    ("lock", STRUCT),
    ("offsets", MEMBER),
    ("other", VARIANT),
    ("prefix", MEMBER),
    ("project", STRUCT),
    ("quantize", MEMBER),
    ("rename", &[Place::Variant, Place::Member]),
    ("rename_all", &[Place::Struct, Place::Enum, Place::Variant]),
    ("rename_all_fields", ENUM),
    ("representations", MEMBER),
    ("rows", MEMBER),
    ("serde_compat", CONTAINER),
    ("skip", MEMBER),
    ("skip_reading", EVERYWHERE),
    ("skip_writing", EVERYWHERE),
    ("tag", VARIANT),
    ("transparent", STRUCT),
    ("truncate", MEMBER),
    ("try_from", MEMBER),
    ("type_name", &[Place::Struct, Place::Enum, Place::Variant]),
    ("unit", MEMBER),
    ("untyped", STRUCT),
    ("upgrade_from", CONTAINER),
    ("version", STRUCT),
    ("with", MEMBER),
];

/// Words that may be said several times.
pub(super) const SEVERAL: &[&str] = &["alias", "at", "project", "upgrade_from"];

/// Words that may be said of a field below a member.
pub(super) const BELOW: &[&str] = &["encoding", "f16", "offsets", "quantize", "representations", "truncate"];

/// The word, if it is one and may stand here.
pub(super) fn known(meta: &Meta, place: Place, ctxt: &Ctxt) -> Option<&'static str> {
    let written = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
    let here = || WORDS.iter().filter(|(_, places)| places.contains(&place)).map(|(word, _)| *word);
    if let Some((word, places)) = WORDS.iter().find(|(word, _)| *word == written) {
        if places.contains(&place) {
            return Some(word);
        }
        let places: Vec<String> = places.iter().map(Place::to_string).collect();
        let places = places.join(" or ");
        let message = format!("`{word}` has no meaning on {place}\nhelp: use it on {places}");
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
    let distances = words.map(|word| (strsim::osa_distance(&written, &word.to_lowercase()), word));
    distances
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// `` `a`, `b`, `c` ``
pub(crate) fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_in_order() {
        assert!(WORDS.windows(2).all(|pair| pair[0].0 < pair[1].0));
        assert!(SEVERAL.iter().chain(BELOW).all(|word| WORDS.iter().any(|(known, _)| known == word)));
    }

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
            ("qunatize", Some("quantize")),
            ("compression_settings", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, words()), meant, "{written}");
        }
    }
}
