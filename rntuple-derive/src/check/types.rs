//! Rules about types, as far as they can be seen: the traits tell the rest.

use quote::ToTokens as _;
use syn::Type;

use crate::ast::{Form, Input, Member};
use crate::ctxt::Ctxt;
use crate::side::Side;
use crate::types::{for_each_stored, spelled, unsized_part, word};

pub(super) fn check(input: &Input<'_>, member: &Member<'_>, ctxt: &Ctxt) {
    let of = |side| member.written_type(side).filter(|_| input.has(side) && member.has_columns(side));
    let is_own = |side| matches!(member.form(side), Form::Own);
    let read = of(Side::Read);
    // The member's own type is looked at once.
    let write = of(Side::Write).filter(|_| !(is_own(Side::Write) && is_own(Side::Read) && read.is_some()));
    for ty in write.into_iter().chain(read) {
        types_are_storable(input, ty, ctxt);
        types_are_finite(input, member, ty, ctxt);
    }
    if let Some(ty) = read.and_then(unsized_part) {
        let owned = match ty {
            Type::Slice(slice) => format!("Vec<{}>", spelled(slice.elem.to_token_stream())),
            _ => "String".to_owned(),
        };
        let spelled = spelled(ty.to_token_stream());
        ctxt.error(ty, format!("`{spelled}` cannot be read: its size is not fixed\nhelp: write `{owned}`"));
    }
}

/// What has no columns however it is written. What needs knowledge of types is told by the traits.
fn types_are_storable(input: &Input<'_>, ty: &Type, ctxt: &Ctxt) {
    for_each_stored(ty, &mut |ty| {
        let (why, help) = match ty {
            Type::Reference(reference) if reference.mutability.is_some() => {
                ("a mutable reference", "writing needs no exclusive access\nhelp: remove `mut`")
            }
            Type::Reference(_) if !input.has(Side::Write) => {
                let help = "help: write `String` for `&str`, `Vec<T>` for `&[T]`, `T` for `&T`";
                ctxt.error(
                    ty,
                    format!(
                        "a reference cannot be read: nothing owns the value that it would borrow\n{help}"
                    ),
                );
                return;
            }
            Type::Ptr(_) => ("a raw pointer", "an address means nothing in a file\nhelp: store the value"),
            Type::BareFn(_) => ("a function pointer", "an address means nothing in a file\nhelp: `skip` it"),
            Type::TraitObject(_) => {
                ("a trait object", "its type, and with it its columns, are not known\nhelp: use an enum")
            }
            Type::Never(_) => ("`!`", "it has no values\nhelp: `skip` it"),
            _ => match word(ty).map(ToString::to_string).as_deref() {
                Some("usize") => ("`usize`", "its width differs between machines\nhelp: use `u64`"),
                Some("isize") => ("`isize`", "its width differs between machines\nhelp: use `i64`"),
                Some("u128") => ("`u128`", "no column is so wide\nhelp: use `u64` or `[u64; 2]`"),
                Some("i128") => ("`i128`", "no column is so wide\nhelp: use `i64` or `[u64; 2]`"),
                Some("char") => (
                    "`char`",
                    "C++ has no such type\nhelp: use `String` for text, `u32` for a code point, \
                     `rntuple::cxx::CxxChar` for C++'s `char`",
                ),
                _ => return,
            },
        };
        ctxt.error(ty, format!("{why} cannot be stored: {help}"));
    });
}

/// The columns of a type are counted when it is declared, so it cannot contain itself.
fn types_are_finite(input: &Input<'_>, member: &Member<'_>, ty: &Type, ctxt: &Ctxt) {
    for_each_stored(ty, &mut |ty| {
        if word(ty).is_some_and(|word| word == input.ident || word == "Self") {
            ctxt.error(
                ty,
                format!(
                    "`{}` contains itself through `{}`, so it would have columns without end\n\
                     help: keep all of them in one `Vec`, and refer to them by index",
                    input.name(),
                    member.name.value
                ),
            );
        }
    });
}
