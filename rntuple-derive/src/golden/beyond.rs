//! What one expansion has beyond another.

use quote::ToTokens;
use syn::{Expr, File, ImplItem, Item, Stmt};

/// The part of `found` that `basic` does not have, and the names of what `basic` alone has.
///
/// Of an impl that both have, the items that differ are left; of a block of items, the items.
pub(super) fn beyond(mut found: File, basic: &File) -> (File, Vec<String>) {
    let mut without = Vec::new();
    items(&mut found.items, &basic.items, &mut without);
    (found, without)
}

fn items(found: &mut Vec<Item>, basic: &[Item], without: &mut Vec<String>) {
    retain(found, basic, without, name, |found, basic, without| match (found, basic) {
        (Item::Impl(found), Item::Impl(basic)) => {
            retain(&mut found.items, &basic.items, without, member, |_, _, _| ());
        }
        (Item::Const(found), Item::Const(basic)) => {
            if let (Expr::Block(found), Expr::Block(basic)) = (&mut *found.expr, &*basic.expr) {
                statements(&mut found.block.stmts, &basic.block.stmts, without);
            }
        }
        _ => {}
    });
}

fn statements(found: &mut Vec<Stmt>, basic: &[Stmt], without: &mut Vec<String>) {
    let name = |statement: &Stmt| match statement {
        Stmt::Item(item) => name(item),
        other => text(other),
    };
    retain(found, basic, without, name, |found, basic, without| {
        if let (Stmt::Item(found), Stmt::Item(basic)) = (found, basic) {
            let mut one = vec![found.clone()];
            items(&mut one, std::slice::from_ref(basic), without);
            one.into_iter().for_each(|item| *found = item);
        }
    });
}

/// Removes what is in both lists, and calls `differ` for what has the same name in both.
fn retain<T: ToTokens>(
    found: &mut Vec<T>,
    basic: &[T],
    without: &mut Vec<String>,
    name: impl Fn(&T) -> String,
    mut differ: impl FnMut(&mut T, &T, &mut Vec<String>),
) {
    let lacks = |basic: &&T| !found.iter().any(|found| name(found) == name(basic));
    without.extend(basic.iter().filter(lacks).map(&name));
    found.retain_mut(|found| {
        if basic.iter().any(|basic| text(basic) == text(found)) {
            return false;
        }
        if let Some(basic) = basic.iter().find(|basic| name(basic) == name(found)) {
            differ(found, basic, without);
        }
        true
    });
}

fn text(tokens: &impl ToTokens) -> String {
    tokens.to_token_stream().to_string()
}

/// The item without what is inside it.
fn name(item: &Item) -> String {
    match item {
        Item::Impl(item) => text(&syn::ItemImpl { items: Vec::new(), ..item.clone() }),
        Item::Const(item) if item.ident == "_" => {
            let attributes: Vec<_> = item.attrs.iter().map(text).collect();
            format!("{} const _", attributes.concat())
        }
        Item::Struct(item) => format!("struct {}", item.ident),
        other => text(other),
    }
}

fn member(item: &ImplItem) -> String {
    match item {
        ImplItem::Fn(item) => format!("fn {}", item.sig.ident),
        ImplItem::Type(item) => format!("type {}", item.ident),
        ImplItem::Const(item) => format!("const {}", item.ident),
        other => text(other),
    }
}

#[test]
fn only_what_differs_is_left() {
    let parse = |text: &str| syn::parse_file(text).unwrap();
    let basic = parse("const _: () = { struct A; impl B for A { fn b() {} fn c() {} } impl D for A {} };");
    let found = parse("const _: () = { struct A; impl B for A { fn b() {} fn c() { 1 } } impl E for A {} };");
    let (found, without) = beyond(found, &basic);
    let left = parse("const _: () = { impl B for A { fn c() { 1 } } impl E for A {} };");
    assert_eq!(text(&found), text(&left));
    assert_eq!(without, ["impl D for A { }"]);
    let (found, without) = beyond(parse("struct A { b: u8 }"), &parse("struct A;"));
    assert_eq!((text(&found), without.len()), (text(&parse("struct A { b: u8 }")), 0));
}
