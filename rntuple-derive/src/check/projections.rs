//! Rules about projected fields, as far as the struct itself shows them.

use super::names::is_legal;
use crate::ast::{Shape, Struct};
use crate::attr::{Projection, Spanned, nearest};
use crate::ctxt::Ctxt;
use crate::side::Side;

pub(super) fn check(projections: &[Projection], data: &Struct<'_>, ctxt: &Ctxt) {
    let Some(first) = projections.first() else { return };
    if data.shape != Shape::Named {
        let help = "help: remove it, or give the struct named members";
        ctxt.error_at(
            first.name.span,
            format!("projected fields need an entry, which is a struct with named members\n{help}"),
        );
        return;
    }
    for (position, projection) in projections.iter().enumerate() {
        is_legal(&projection.name, "a field name", ctxt);
        is_new(&projection.name, projections.iter().take(position), data, ctxt);
        leads_somewhere(&projection.source, data, ctxt);
    }
}

/// A field has one name, and a name one field.
fn is_new<'a>(
    name: &Spanned<String>,
    mut earlier: impl Iterator<Item = &'a Projection>,
    data: &Struct<'_>,
    ctxt: &Ctxt,
) {
    let is_own = |other: &&Spanned<String>| other.value == name.value;
    let members = data
        .members
        .iter()
        .filter(|member| member.has_columns(Side::Write) && member.attrs.flatten.is_none());
    let member = members.map(|member| &member.name).find(is_own);
    let (what, other) = match (member, earlier.find(|other| is_own(&&other.name))) {
        (Some(member), _) => ("a member and a projected field", member),
        (None, Some(other)) => ("two projected fields", &other.name),
        (None, None) => return,
    };
    let message = format!("{what} are named `{}`\nhelp: rename one of the two", name.value);
    ctxt.error_at(other.span, &message);
    ctxt.error_at(name.span, &message);
}

/// The first part of a path is a member, where all of them can be seen.
fn leads_somewhere(source: &Spanned<String>, data: &Struct<'_>, ctxt: &Ctxt) {
    let Spanned { value: path, span } = source;
    if path.split('.').any(str::is_empty) {
        let help = "help: write it as `\"muons.pt\"`";
        ctxt.error_at(*span, format!("this is not the path of a field\n{help}"));
        return;
    }
    let written = || data.members.iter().filter(|member| member.has_columns(Side::Write));
    let first = path.split('.').next().unwrap_or_default();
    let names = || written().map(|member| &*member.name.value);
    if written().any(|member| member.attrs.flatten.is_some()) || names().any(|name| name == first) {
        return;
    }
    let help = match nearest(first, names()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => "begin the path with the name that a member has on storage".to_owned(),
    };
    ctxt.error_at(*span, format!("no member is named `{first}`\nhelp: {help}"));
}
