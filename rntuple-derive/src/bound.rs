//! Where-clauses from member types.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Type, WherePredicate};

use crate::ast::{Input, Member};
use crate::attr::Fallback;
use crate::side::Side;
use crate::types::{for_each_parameter, mentions, rename_lifetimes, with_lifetime};

/// The lifetime of predicates about members that borrow.
const ANY: &str = "__any";

/// The where-clause of the impl of `WriteField` or `ReadField`.
///
/// Members that are made of parameters bound these, as serde does it. Members that borrow can usually
/// only be written; whether they can be read is left open: it is asked where somebody reads the struct.
pub(crate) fn field(input: &Input<'_>, side: Side) -> TokenStream {
    let mut predicates = Predicates::written(input);
    predicates.stored(input, side);
    predicates.finish()
}

/// The where-clause of the impl of `Entry`.
pub(crate) fn entry(input: &Input<'_>) -> TokenStream {
    let mut predicates = Predicates::written(input);
    predicates.flattened(input);
    predicates.finish()
}

/// The where-clause of the impl of `FieldWriter` or `FieldReader`, whose columns are parameters.
pub(crate) fn values(input: &Input<'_>, side: Side) -> TokenStream {
    let mut predicates = Predicates::written(input);
    // What conversions of members ask of parameters, only the user can say.
    input.attrs.bound.iter().flatten().for_each(|predicate| predicates.push(quote!(#predicate)));
    if side == Side::Read {
        predicates.defaults(input);
    }
    predicates.finish()
}

/// The where-clause of the types of columns, which have no lifetimes of the item, and of `Columnar`.
pub(crate) fn columns(input: &Input<'_>) -> TokenStream {
    let mut predicates = Predicates { tokens: Vec::new(), seen: Vec::new() };
    let written = input.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let written = written.chain(input.attrs.bound.iter().flatten());
    for predicate in written.filter_map(|predicate| without_lifetimes(predicate, input)) {
        predicates.push(without_a(predicate));
    }
    for member in input.members().filter(|member| member.is_stored() && !member.is_rows()) {
        predicates.columnar(input, member, "Columnar");
    }
    predicates.owned(input);
    predicates.finish()
}

/// The where-clause of `ReadColumnar` or `WriteColumnar`.
pub(crate) fn columnar(input: &Input<'_>, side: Side) -> TokenStream {
    let mut predicates = Predicates::written(input);
    predicates.stored(input, side);
    for member in input.members().filter(|member| member.is_stored() && !member.is_rows()) {
        let word = match side {
            _ if !member.has_columns(side) => "Columnar",
            Side::Write => "WriteColumnar",
            Side::Read => "ReadColumnar",
        };
        predicates.columnar(input, member, word);
    }
    predicates.owned(input);
    predicates.finish()
}

/// The predicate without bounds that name a lifetime of the item; `None` if nothing is left of it.
fn without_lifetimes(predicate: &WherePredicate, input: &Input<'_>) -> Option<WherePredicate> {
    let WherePredicate::Type(predicate) = predicate else { return None };
    if names_lifetime(predicate.bounded_ty.to_token_stream(), input) {
        return None;
    }
    let mut kept = predicate.clone();
    let bounds = predicate.bounds.iter().filter(|bound| !names_lifetime(bound.to_token_stream(), input));
    kept.bounds = bounds.cloned().collect();
    let is_left = !kept.bounds.is_empty() || predicate.bounds.is_empty();
    is_left.then_some(WherePredicate::Type(kept))
}

/// The bound with another name for the lifetime of a `for<'a>`, which must not shadow the parameter `'a` of slices.
pub(crate) fn without_a(bound: impl ToTokens) -> TokenStream {
    rename_lifetimes(bound.into_token_stream(), Some("a"), "__a")
}

/// Whether a lifetime of the item is named: neither `'static` nor one of `for<'x>`.
fn names_lifetime(tokens: TokenStream, input: &Input<'_>) -> bool {
    let mut is_lifetime = false;
    tokens.into_iter().any(|token| {
        let was_mark = std::mem::take(&mut is_lifetime);
        match token {
            TokenTree::Group(group) => names_lifetime(group.stream(), input),
            TokenTree::Punct(punct) => {
                is_lifetime = punct.as_char() == '\'';
                false
            }
            TokenTree::Ident(ident) => {
                was_mark && input.generics.lifetimes().any(|own| own.lifetime.ident == ident)
            }
            TokenTree::Literal(_) => false,
        }
    })
}

/// The type parameters that are stored as they are: arguments of the type's name.
pub(crate) fn stored_parameters<'a>(input: &'a Input<'_>) -> Vec<&'a Type> {
    let mut stored = Vec::new();
    for written in input.stored(Side::Write).filter_map(|member| member.written_type(Side::Write)) {
        for_each_parameter(written, &input.generics, &mut |parameter| stored.push(parameter));
    }
    stored
}

/// Predicates, each once.
struct Predicates {
    tokens: Vec<TokenStream>,
    seen: Vec<String>,
}

impl Predicates {
    /// What the user wrote.
    fn written(input: &Input<'_>) -> Self {
        let mut this = Self { tokens: Vec::new(), seen: Vec::new() };
        let written = input.generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        written.for_each(|predicate: &WherePredicate| this.push(predicate.to_token_stream()));
        this
    }

    /// What can be written, or read.
    fn stored(&mut self, input: &Input<'_>, side: Side) {
        if let Some(bound) = &input.attrs.bound {
            bound.iter().for_each(|predicate| self.push(quote!(#predicate)));
        } else {
            for member in input.stored(side) {
                let (ty, span) = (member.stored_type(input, side), member.span());
                let Some(written) = member.written_type(side) else { continue };
                let (private, field) = (input.private_at(span), side.field(span));
                if side == Side::Read && mentions(written, &input.generics).lifetime {
                    let any = syn::Lifetime::new(&format!("'{ANY}"), span);
                    let ty = with_lifetime(ty, ANY);
                    let this = input.this();
                    self.push(quote_spanned!(span=> for<#any> #ty: #private::ReadLent<#this>));
                } else {
                    for_each_parameter(written, &input.generics, &mut |parameter| {
                        self.push(quote_spanned!(span=> #parameter: #private::#field));
                    });
                }
            }
        }
        self.flattened(input);
        if side == Side::Read {
            self.defaults(input);
        }
    }

    /// Parameters in the type of a member have a trait of columns.
    fn columnar(&mut self, input: &Input<'_>, member: &Member<'_>, word: &str) {
        let (span, private) = (member.span(), input.private_at(member.span()));
        let word = proc_macro2::Ident::new(word, span);
        for_each_parameter(member.ty, &input.generics, &mut |parameter| {
            self.push(quote_spanned!(span=> #parameter: #private::#word));
        });
    }

    /// Columns own their values.
    fn owned(&mut self, input: &Input<'_>) {
        for parameter in input.generics.type_params() {
            let ident = &parameter.ident;
            self.push(quote!(#ident: 'static));
        }
        for member in input.members().filter(|member| member.is_stored() && member.is_rows()) {
            if mentions(member.ty, &input.generics).parameter {
                let (ty, span) = (member.tokens(input), member.span());
                let private = input.private_at(span);
                self.push(quote_spanned!(span=> #ty: #private::Row));
            }
        }
    }

    /// What is flattened has names of members.
    fn flattened(&mut self, input: &Input<'_>) {
        for member in input.members().filter(|member| member.attrs.flatten.is_some()) {
            if mentions(member.ty, &input.generics).parameter {
                let (ty, span) = (member.tokens(input), member.span());
                let private = input.private_at(span);
                self.push(quote_spanned!(span=> #ty: #private::Entry));
            }
        }
    }

    /// Members that are not in the file are made from nothing.
    fn defaults(&mut self, input: &Input<'_>) {
        for member in input.members().filter(|member| mentions(member.ty, &input.generics).parameter) {
            let fallback = match (member.fallback(input), member.has_columns(Side::Read)) {
                (Some(fallback), _) => fallback,
                (None, false) => Fallback::Trait,
                (None, true) => continue,
            };
            let (ty, span) = (member.tokens(input), member.span());
            let private = input.private_at(span);
            match fallback {
                Fallback::Trait => self.push(quote_spanned!(span=> #ty: #private::Default)),
                Fallback::OfContainer(None) => {
                    let this = input.this();
                    self.push(quote_spanned!(span=> #this: #private::Default));
                }
                Fallback::Function(_) | Fallback::OfContainer(Some(_)) => {}
            }
        }
    }

    fn push(&mut self, predicate: TokenStream) {
        let text = predicate.to_string();
        if !self.seen.contains(&text) {
            self.seen.push(text);
            self.tokens.push(predicate);
        }
    }

    fn finish(self) -> TokenStream {
        let tokens = self.tokens;
        if tokens.is_empty() { TokenStream::new() } else { quote!(where #(#tokens),*) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ctxt::Ctxt;

    #[test]
    fn columns_lose_only_bounds_that_name_lifetimes_of_the_item() {
        let item: syn::DeriveInput = syn::parse_quote! {
            struct Event<'a, T> {
                value: &'a T,
            }
        };
        let input = Input::read(&item, &Ctxt::default());
        for (written, kept) in [
            ("T: Detector + 'static", Some("T: Detector + 'static")),
            ("T: Detector + for<'x> Near<'x>", Some("T: Detector + for<'x> Near<'x>")),
            ("for<'x> &'x T: Sum<&'x T>", Some("for<'x> &'x T: Sum<&'x T>")),
            ("Vec<T>:", Some("Vec<T>:")),
            ("T: Detector + 'a", Some("T: Detector")),
            ("T: Near<'a>", None),
            ("&'a T: Sum", None),
            ("T: From<(&'a str, u8)>", None),
            ("'a: 'static", None),
        ] {
            let found = without_lifetimes(&syn::parse_str(written).unwrap(), &input);
            let kept = kept.map(|kept| syn::parse_str::<WherePredicate>(kept).unwrap());
            assert_eq!(found, kept, "{written}");
        }
    }
}
