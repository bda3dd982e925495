//! Rules about what can be said together of one member.

use crate::ast::Member;
use crate::ctxt::Ctxt;

/// Pairs that contradict each other, and the way out.
const CONTRADICTIONS: &[(&str, &[&str], &str)] = &[
    ("with", &["from", "into", "try_from"], "the module says both: keep one of the two"),
    ("from", &["try_from"], "every value can be made, or not every one: keep one of the two"),
    (
        "flatten",
        &["alias", "default", "description", "from", "into", "rename", "try_from", "unit", "with"],
        "a flattened struct has no field of its own: say it of its members",
    ),
    (
        "base",
        &["alias", "default", "flatten", "from", "into", "rename", "try_from", "unit", "with"],
        "a base class is found by its number, as it is",
    ),
    ("skip_reading", &["alias", "convert", "from", "try_from"], "this is about reading: keep one of the two"),
    (
        "skip_writing",
        &["compression", "double32", "encoding", "f16", "index", "into", "quantize", "truncate"],
        "this is about writing: keep one of the two",
    ),
    ("skip_reading", &["skip_writing"], "write `skip` in their place"),
];

pub(super) fn check(member: &Member<'_>, ctxt: &Ctxt) {
    skipped_members_say_nothing(member, ctxt);
    contradictions(member, ctxt);
    prefixes_are_of_something(member, ctxt);
}

fn contradictions(member: &Member<'_>, ctxt: &Ctxt) {
    for (word, others, help) in CONTRADICTIONS {
        let Some(span) = member.attrs.span_of(word) else { continue };
        for other in *others {
            if let Some(at) = member.attrs.span_of(other) {
                let message = format!("`{word}` and `{other}` contradict each other\nhelp: {help}");
                ctxt.error_at(span, &message);
                ctxt.error_at(at, &message);
            }
        }
    }
}

fn skipped_members_say_nothing(member: &Member<'_>, ctxt: &Ctxt) {
    if member.attrs.skip.is_none() {
        return;
    }
    for (word, span) in member.attrs.used().filter(|(word, _)| !matches!(*word, "skip" | "default")) {
        let help = format!("help: leave `{word}` or `skip` away");
        ctxt.error_at(span, format!("`{word}` says nothing about a member that is skipped\n{help}"));
    }
}

fn prefixes_are_of_something(member: &Member<'_>, ctxt: &Ctxt) {
    if let Some(prefix) = member.attrs.prefix.as_ref().filter(|_| member.attrs.flatten.is_none()) {
        let help = "help: add `flatten`, or use `rename`";
        ctxt.error_at(prefix.span, format!("a prefix is for the members of a flattened struct\n{help}"));
    }
}
