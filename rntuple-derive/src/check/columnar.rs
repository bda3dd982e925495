//! Rules about columns.

use std::collections::HashSet;

use syn::ext::IdentExt as _;

use crate::ast::{Data, Enum, Input, Member};
use crate::ctxt::Ctxt;

pub(super) fn check(input: &Input<'_>, ctxt: &Ctxt) {
    let Some(names) = &input.attrs.columnar else {
        return rows_are_of_columns(input, ctxt);
    };
    let named = [&names.columns, &names.slice, &names.one].into_iter().flatten().next();
    if let (Some(name), Some(why)) = (named, without_types(input)) {
        let message = format!("no types are made for `{}`, {why}", input.name());
        ctxt.error(name, message + "\nhelp: write `columnar` alone");
    }
    if let Data::Enum(data) = &input.data {
        columns_are_distinct(data, ctxt);
    }
}

/// Why there are no types that could be named.
fn without_types(input: &Input<'_>) -> Option<&'static str> {
    match &input.data {
        _ if !input.members().any(Member::is_stored) => Some("whose values are kept as they are"),
        Data::Struct(data) if data.is_newtype() => Some("which has the columns of its value"),
        _ => None,
    }
}

/// `rows` says how a member is kept among columns.
fn rows_are_of_columns(input: &Input<'_>, ctxt: &Ctxt) {
    for span in input.members().filter_map(|member| member.attrs.rows) {
        let message = format!("`rows` has no meaning in `{}`, which is not columnar", input.name());
        ctxt.error_at(span, message + "\nhelp: remove it, or add `#[rntuple(columnar)]` to the type");
    }
}

/// The columns of all alternatives are members of one struct, next to the switches.
fn columns_are_distinct(data: &Enum<'_>, ctxt: &Ctxt) {
    let mut names: HashSet<String> = ["switches".to_owned()].into();
    for (_, variant) in data.alternatives() {
        for member in variant.members.iter().filter(|member| member.is_stored()) {
            let name = variant.column_name(member).unraw().to_string();
            if !names.insert(name.clone()) {
                let help = "help: columns are called by variant and member, and `switches` is another one";
                let message = format!("two columns would be called `{name}`\n{help}: name one differently");
                ctxt.error(variant.ident, message);
            }
        }
    }
}
