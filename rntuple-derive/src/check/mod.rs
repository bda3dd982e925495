//! The rules, one function each. All of them look at all of the input, so that every mistake is told.

mod columnar;
mod encodings;
mod enums;
mod members;
mod names;
mod projections;
mod types;

use proc_macro2::Span;
use quote::ToTokens as _;
use syn::DataUnion;

use crate::ast::{Data, Input, Member, Shape, Struct};
use crate::attr::When;
use crate::ctxt::Ctxt;
use crate::types::spelled;

/// Checks everything.
pub(crate) fn check(input: &Input<'_>, ctxt: &Ctxt) {
    match &input.data {
        Data::Struct(data) => check_struct(input, data, ctxt),
        Data::Enum(data) => enums::check(input, data, ctxt),
        Data::Union(data) => unions_are_refused(data, ctxt),
    }
    contradictions(input, ctxt);
    versions_are_numbers(input, ctxt);
    upgrades_are_from_others(input, ctxt);
    locks_are_of_types(input, ctxt);
    members_can_be_borrowed(input, ctxt);
    columnar::check(input, ctxt);
    predicates_are_of_one_type(input, ctxt);
    names::is_class(input.attrs.type_name.as_ref(), ctxt);
    for member in input.members() {
        members::check(input, member, ctxt);
        if member.is_stored() {
            types::check(input, member, ctxt);
            encodings::check(member, ctxt);
            names::is_unit(member, ctxt);
        }
    }
}

fn check_struct(input: &Input<'_>, data: &Struct<'_>, ctxt: &Ctxt) {
    names::are_distinct(&data.members, ctxt);
    projections::check(&input.attrs.projections, data, ctxt);
    if data.shape == Shape::Newtype {
        newtypes_have_no_names(input, &data.members, ctxt);
    } else {
        names::are_legal(&data.members, ctxt);
        transparency_needs_one_value(input, data, ctxt);
        bases_need_a_class(input, data, ctxt);
        flattened_fields_are_not_known(input, data, ctxt);
    }
}

/// Pairs of words about a struct or enum that contradict each other, and the way out.
const CONTRADICTIONS: &[(&str, &str, &str)] = &[
    ("skip_writing", "skip_reading", "nothing is left to derive: keep at most one of the two"),
    ("project", "skip_writing", "projected fields are written: remove one of the two"),
    ("untyped", "type_name", "a record has a class or none: keep one of the two"),
    ("untyped", "version", "only classes have versions: remove one of the two"),
    ("upgrade_from", "skip_reading", "upgrades are for reading: remove one of the two"),
    ("lock", "skip_writing", "a lock is about what is written: remove one of the two"),
    ("default", "skip_reading", "this is about reading: remove one of the two"),
    ("deny_unknown_fields", "skip_reading", "this is about reading: remove one of the two"),
];

fn contradictions(input: &Input<'_>, ctxt: &Ctxt) {
    for (word, other, help) in CONTRADICTIONS {
        if let (Some(first), Some(second)) = (input.attrs.used.span_of(word), input.attrs.used.span_of(other))
        {
            mark(first, second, &format!("`{word}` and `{other}` contradict each other\nhelp: {help}"), ctxt);
        }
    }
}

/// One mistake of two places.
fn mark(first: Span, second: Span, message: &str, ctxt: &Ctxt) {
    ctxt.error_at(first, message);
    ctxt.error_at(second, message);
}

fn unions_are_refused(data: &DataUnion, ctxt: &Ctxt) {
    ctxt.error(
        data.union_token,
        "a union cannot be stored: it is not known which of its members is valid\nhelp: make it an enum",
    );
}

/// The struct of the fields of a generic type would be generic too, for each member in another way.
fn predicates_are_of_one_type(input: &Input<'_>, ctxt: &Ctxt) {
    if let Some(span) = input.attrs.predicates.filter(|_| !input.generics.params.is_empty()) {
        let message = format!("predicates cannot name the fields of `{}`, which is generic", input.name());
        ctxt.error_at(
            span,
            message + "\nhelp: remove it, and write such predicates as text or with `Operand`",
        );
    }
}

/// What would be about a record is nothing about a newtype, which is stored as the value inside it.
fn newtypes_have_no_names(input: &Input<'_>, members: &[Member<'_>], ctxt: &Ctxt) {
    const OF_RECORDS: &[&str] = &[
        "alias",
        "base",
        "default",
        "description",
        "flatten",
        "prefix",
        "rename",
        "skip_reading",
        "skip_writing",
    ];
    const OF_CLASSES: &[&str] = &["default", "deny_unknown_fields", "lock", "untyped", "version"];
    let is_newtype = matches!(members, [Member { member: syn::Member::Unnamed(_), .. }]);
    let (what, help) = if is_newtype {
        ("a newtype", "remove it, or use a struct with named members, which is a record")
    } else {
        ("a transparent struct", "remove it, or `transparent`")
    };
    for member in members {
        let is_alone = members.len() == 1;
        let words = member.attrs.used.iter().filter(|(word, _)| {
            OF_RECORDS.contains(word) && !member.attrs.is_skipped()
                || *word == "skip" && member.attrs.is_skipped() && is_alone
        });
        for (word, span) in words {
            ctxt.error_at(
                span,
                format!(
                    "`{word}` has no meaning on the value of {what}, which is stored as the value\n\
                     help: use it on the members whose type is `{}`",
                    input.name()
                ),
            );
        }
    }
    if let Some(name) = &input.attrs.type_name {
        ctxt.error_at(name.span, format!("{what} has the type name of its value\nhelp: {help}"));
    }
    for (word, span) in input.attrs.used.iter().filter(|(word, _)| OF_CLASSES.contains(word)) {
        let message = format!("`{word}` has no meaning on {what}, which is stored as its value");
        ctxt.error_at(span, format!("{message}\nhelp: {help}"));
    }
}

fn transparency_needs_one_value(input: &Input<'_>, data: &Struct<'_>, ctxt: &Ctxt) {
    let Some(span) = input.attrs.transparent else { return };
    let stored = data.members.iter().filter(|member| !member.attrs.is_skipped()).count();
    let help = if stored == 0 {
        "help: give it a member that is stored"
    } else {
        "help: `skip` all others, or remove `transparent`"
    };
    ctxt.error_at(
        span,
        format!("a transparent struct is stored as one member, and this has {stored}\n{help}"),
    );
}

fn bases_need_a_class(input: &Input<'_>, data: &Struct<'_>, ctxt: &Ctxt) {
    let base = data.members.iter().find_map(|member| member.attrs.base);
    if let Some(span) = base.filter(|_| input.attrs.type_name.is_none()) {
        let help = format!("help: add `#[rntuple(type_name = \"{}\")]` to the struct", input.name());
        ctxt.error_at(span, format!("only C++ classes have bases, and this struct has no class\n{help}"));
    }
}

/// The names that a flattened struct brings are not seen from here.
fn flattened_fields_are_not_known(input: &Input<'_>, data: &Struct<'_>, ctxt: &Ctxt) {
    let flatten = data.members.iter().find_map(|member| member.attrs.flatten);
    if let (Some(deny), Some(flatten)) = (input.attrs.deny_unknown_fields, flatten) {
        let help = "help: remove one of the two: the names in the flattened struct are not known here";
        mark(
            deny,
            flatten,
            &format!("`deny_unknown_fields` and `flatten` contradict each other\n{help}"),
            ctxt,
        );
    }
}

fn versions_are_numbers(input: &Input<'_>, ctxt: &Ctxt) {
    let Some(version) = &input.attrs.version else { return };
    if version.value == 0 || version.value == u32::MAX {
        let help = "help: count from 1; for a class without a version, remove the attribute";
        ctxt.error_at(
            version.span,
            format!("version {} is reserved for classes without a version\n{help}", version.value),
        );
    }
}

fn upgrades_are_from_others(input: &Input<'_>, ctxt: &Ctxt) {
    for (position, upgrade) in input.attrs.upgrades.iter().enumerate() {
        let ty = &upgrade.ty;
        let spelling = spelled(ty.to_token_stream());
        let (when, span) = (&upgrade.when.value, upgrade.when.span);
        for earlier in input.attrs.upgrades.iter().take(position) {
            if when.meets(&earlier.when.value) {
                let other = spelled(earlier.ty.to_token_stream());
                let help =
                    "help: the first condition that holds decides: keep one of the two, or make them differ";
                let message = format!("one file would hold both `{other}` and `{spelling}`\n{help}");
                mark(earlier.when.span, span, &message, ctxt);
            }
        }
        let this = crate::types::word(ty).is_some_and(|word| word == input.ident || word == "Self");
        if this {
            let help = "help: keep the struct as it was before under another name, and give that name";
            ctxt.error(ty, format!("`{}` cannot be upgraded from itself\n{help}", input.name()));
        }
        if let (Some(own), When::Version(first, last)) = (&input.attrs.version, when)
            && *last >= own.value
        {
            let (name, ty) = (input.name(), spelling);
            let message = match *first <= own.value {
                true => format!("`{ty}` and `{name}` have the same version"),
                false => format!("`{ty}` is newer than `{name}`"),
            };
            let help = "help: increase the version of the struct when it changes";
            mark(own.span, span, &format!("{message}\n{help}"), ctxt);
        }
    }
}

fn locks_are_of_types(input: &Input<'_>, ctxt: &Ctxt) {
    let Some(lock) = &input.attrs.lock else { return };
    if let Some(parameter) = input.generics.params.first() {
        let help = "help: lock a struct that gives the arguments: `rntuple::schema_lock!(Event<f32>, \"event.rntlock\");`";
        ctxt.error(parameter, format!("a struct with parameters has a schema for each use\n{help}"));
    }
    if lock.value.is_empty() {
        let help = "help: write it as `lock = \"event.rntlock\"`";
        ctxt.error_at(lock.span, format!("a lock needs the name of a file\n{help}"));
    }
}

fn members_can_be_borrowed(input: &Input<'_>, ctxt: &Ctxt) {
    if let Some(span) = input.attrs.packed {
        let message = "the members of a packed struct cannot be borrowed, so they cannot be written";
        ctxt.error_at(span, format!("{message}\nhelp: remove `packed`: columns have no padding anyway"));
    }
}
