//! `unsafe`, as the compiler sees it: not in comments or strings.

use proc_macro2::{TokenStream, TokenTree};

/// What the code does that only the rooms for unsafe code may do, each as it is written.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// `unsafe {`, `unsafe fn`, `unsafe impl`, `unsafe trait`, `unsafe extern`, `unsafe(`.
    pub(super) unsafe_code: Vec<String>,
    /// `allow(unsafe_code)`, `expect(unsafe_code)`, `warn(unsafe_code)`.
    pub(super) permissions: Vec<String>,
}

/// Looks through the text of a file.
pub(super) fn unsafe_in(text: &str) -> Found {
    let mut found = Found::default();
    walk(text.parse().expect("the source of a crate that compiles"), &mut found);
    found
}

fn walk(tokens: TokenStream, found: &mut Found) {
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(word) if word == "unsafe" => {
                let next = match tokens.peek() {
                    Some(TokenTree::Group(group)) if group.to_string().starts_with('(') => "(".to_owned(),
                    Some(TokenTree::Group(_)) => " {".to_owned(),
                    Some(token) => format!(" {token}"),
                    None => String::new(),
                };
                found.unsafe_code.push(format!("unsafe{next}"));
            }
            TokenTree::Ident(word) if ["allow", "expect", "warn"].iter().any(|level| word == level) => {
                if let Some(TokenTree::Group(group)) = tokens.peek()
                    && group.stream().into_iter().any(|token| token.to_string() == "unsafe_code")
                {
                    found.permissions.push(format!("{word}(unsafe_code)"));
                }
            }
            TokenTree::Group(group) => walk(group.stream(), found),
            _ => {}
        }
    }
}
