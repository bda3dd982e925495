//! Rules about structures of arrays.

use std::collections::HashSet;

use crate::ast::{Data, Input};
use crate::ctxt::Ctxt;

pub(super) fn check(input: &Input<'_>, ctxt: &Ctxt) {
    if input.attrs.batch.is_some() {
        accessors_are_distinct(input, ctxt);
    }
}

/// The alternatives of a batch are asked for by functions, beside those that all batches of enums have.
fn accessors_are_distinct(input: &Input<'_>, ctxt: &Ctxt) {
    let Data::Enum(data) = &input.data else { return };
    let mut names: HashSet<String> = ["tags", "positions"].map(str::to_owned).into();
    for (_, variant) in data.alternatives().filter(|_| !data.is_plain()) {
        let has_values = variant.members.iter().any(|member| member.is_stored());
        let name = variant.accessor();
        if has_values && !names.insert(name.clone()) {
            let help = "help: a batch has one for the values of each variant, and `tags` and `positions`";
            let message =
                format!("two accessors of the batch would be called `{name}`\n{help}: name it differently");
            ctxt.error(variant.ident, message);
        }
    }
}
