//! Rules about what can be said together of one member.

use crate::ast::{Input, Member};
use crate::ctxt::Ctxt;

/// Pairs that contradict each other, and the way out.
const CONTRADICTIONS: &[(&str, &[&str], &str)] = &[
    ("with", &["from", "into", "try_from"], "the module converts in both directions: keep one of the two"),
    ("from", &["try_from"], "a conversion can fail or not: keep one of the two"),
    (
        "flatten",
        &["alias", "default", "description", "from", "into", "rename", "try_from", "unit", "with"],
        "a flattened struct has no field of its own: use it on the members of the struct",
    ),
    (
        "base",
        &["alias", "default", "flatten", "from", "into", "rename", "try_from", "unit", "with"],
        "a base class is found by its number, as it is",
    ),
    ("skip_reading", &["alias", "convert", "from", "try_from"], "this is about reading: keep one of the two"),
    (
        "skip_writing",
        &[
            "at",
            "compression",
            "double32",
            "encoding",
            "f16",
            "into",
            "offsets",
            "quantize",
            "representations",
            "truncate",
        ],
        "this is about writing: keep one of the two",
    ),
    ("skip_reading", &["skip_writing"], "write `skip` in their place"),
];

/// What is said about writing.
const OF_WRITING: &[&str] = &[
    "at",
    "compression",
    "double32",
    "encoding",
    "f16",
    "into",
    "offsets",
    "quantize",
    "representations",
    "skip_writing",
    "truncate",
];

/// What is said about reading.
const OF_READING: &[&str] = &["alias", "convert", "default", "from", "skip_reading", "try_from"];

pub(super) fn check(input: &Input<'_>, member: &Member<'_>, ctxt: &Ctxt) {
    skipped_members_say_nothing(member, ctxt);
    halves_say_nothing_of_each_other(input, member, ctxt);
    contradictions(member, ctxt);
    prefixes_are_of_something(member, ctxt);
}

fn contradictions(member: &Member<'_>, ctxt: &Ctxt) {
    for (word, others, help) in CONTRADICTIONS {
        let Some(span) = member.attrs.used.span_of(word) else { continue };
        for other in *others {
            if let Some(at) = member.attrs.used.span_of(other) {
                let message = format!("`{word}` and `{other}` contradict each other\nhelp: {help}");
                ctxt.error_at(span, &message);
                ctxt.error_at(at, &message);
            }
        }
    }
}

fn skipped_members_say_nothing(member: &Member<'_>, ctxt: &Ctxt) {
    if !member.attrs.is_skipped() {
        return;
    }
    let is_serdes = member.attrs.used.span_of("skip").is_none();
    for (word, span) in member.attrs.used.iter().filter(|(word, _)| !matches!(*word, "skip" | "default")) {
        let message = if is_serdes {
            format!(
                "`{word}` has no meaning on a member that is skipped, as serde's `skip` says\n\
                 help: remove `{word}`, or add `#[rntuple(skip = false)]` to store what serde skips"
            )
        } else {
            format!("`{word}` has no meaning on a member that is skipped\nhelp: remove `{word}` or `skip`")
        };
        ctxt.error_at(span, message);
    }
}

/// Words about the half that is not derived.
fn halves_say_nothing_of_each_other(input: &Input<'_>, member: &Member<'_>, ctxt: &Ctxt) {
    let (missing, half, does) = match (input.attrs.skip_writing, input.attrs.skip_reading) {
        (Some(_), None) => (OF_WRITING, "skip_writing", "read"),
        (None, Some(_)) => (OF_READING, "skip_reading", "written"),
        _ => return,
    };
    for (word, span) in member.attrs.used.iter().filter(|(word, _)| missing.contains(word)) {
        let help = match *word == *half {
            true => format!("help: remove `{word}` from the member or from the type"),
            false => format!("help: remove `{word}`, or `{half}` from the type"),
        };
        ctxt.error_at(span, format!("`{word}` has no meaning in a type that is only {does}\n{help}"));
    }
}

fn prefixes_are_of_something(member: &Member<'_>, ctxt: &Ctxt) {
    if let Some(prefix) = member.attrs.prefix.as_ref().filter(|_| member.attrs.flatten.is_none()) {
        let help = "help: add `flatten`, or use `rename`";
        ctxt.error_at(prefix.span, format!("a prefix is for the members of a flattened struct\n{help}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attr::words_of_encodings;

    #[test]
    fn all_words_of_encodings_are_about_writing() {
        let words = words_of_encodings();
        assert!(words.contains(&"at") && words.contains(&"representations"), "{words:?}");
        let (_, contradicted, _) = CONTRADICTIONS.iter().find(|(word, ..)| *word == "skip_writing").unwrap();
        for word in words {
            assert!(OF_WRITING.contains(&word) && contradicted.contains(&word), "{word}");
        }
    }
}
