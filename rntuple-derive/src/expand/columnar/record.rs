//! What is common to the types of columns of structs and of enums, and what is special about those of structs.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::names::Names;
use super::part::{Part, Types, is_certain, is_counted};
use super::transfer::{self, Bodies};
use crate::ast::Input;
use crate::bound;
use crate::expand::columns::Columns;
use crate::expand::write;

/// Tokens for each part, all at its place: the compiler reports what is wrong with a type at one place once.
pub(super) fn each(
    input: &Input<'_>,
    parts: &[Part<'_>],
    tokens: impl Fn(&Part<'_>, TokenStream, Span) -> TokenStream,
) -> Vec<TokenStream> {
    parts.iter().map(|part| tokens(part, input.private_at(part.span()), part.span())).collect()
}

/// What the bodies of a type's impls depend on: whether it is of a struct or of an enum.
pub(super) struct Special {
    /// The member of switches, of enums.
    pub(super) has_switches: bool,
    /// The number of values of `self`, a slice.
    pub(super) len: TokenStream,
    /// Value `__index` of `self`, an option.
    pub(super) get: TokenStream,
    /// The values of `__range` of `self`, an option.
    pub(super) part: TokenStream,
    /// Statements that check `self`.
    pub(super) check: TokenStream,
    /// The body of `fmt` of one value.
    pub(super) debug: TokenStream,
}

pub(super) fn expand(names: &Names, columns: &Columns<'_>, parts: &[Part<'_>]) -> TokenStream {
    let input = columns.input;
    let (private, one, marker) = (input.private(), &names.one, names.marker(input));
    let first = parts.iter().find(|part| is_certain(part.member())).or(parts.first());
    let len = first.map(|part| {
        let (ident, private) = (part.placed(), input.private_at(part.span()));
        quote_spanned!(part.span()=> #private::Slice::len(self.#ident))
    });
    let gets = each(input, parts, |part, private, span| {
        let ident = part.placed();
        quote_spanned!(span=> #ident: #private::Slice::get(self.#ident, __index)?,)
    });
    let cuts = each(input, parts, |part, private, span| {
        let ident = part.placed();
        quote_spanned!(span=> #ident: #private::Slice::part(self.#ident, #private::Clone::clone(&__range))?,)
    });
    let checks = each(input, parts, |part, private, span| {
        let (ident, label) = (part.placed(), part.label());
        quote_spanned!(span=> #private::check_member(#label, self.#ident, __count)?;)
    });
    let shown = each(input, parts, |part, private, span| {
        let (ident, label) = (part.placed(), part.label());
        let value = match part.member().is_rows() {
            true => quote_spanned!(span=> #private::shown(self.#ident)),
            false => quote_spanned!(span=> &self.#ident),
        };
        quote_spanned!(span=> #private::fmt::DebugStruct::field(&mut __debug, #label, #value);)
    });
    let title = one.to_string();
    let special = Special {
        has_switches: false,
        len: len.unwrap_or_default(),
        get: quote!(#private::Some(#one { #(#gets)* #marker })),
        part: quote!(#private::Some(Self { #(#cuts)* #marker })),
        check: quote! {
            let __count = #private::Slice::len(self);
            #(#checks)*
        },
        debug: quote! {
            let mut __debug = #private::fmt::Formatter::debug_struct(__f, #title);
            #(#shown)*
            #private::fmt::DebugStruct::finish(&mut __debug)
        },
    };
    let common = common(names, input, parts, &special);

    let count = quote!(__count);
    let at = |owner: &str, part: &Part<'_>| {
        let (owner, ident) = (Ident::new(owner, part.span()), part.placed());
        quote_spanned!(part.span()=> #owner.#ident)
    };
    let pushed = parts.iter().map(|part| {
        let member = &part.member().member;
        part.push(input, &quote_spanned!(part.span()=> &self.#member), &at("__columns", part))
    });
    let read = parts.iter().map(|part| part.read(input, &count, &at("__out", part)));
    let lent = parts.iter().map(|part| {
        let (ident, lent) = (part.placed(), part.lend(input, &count, &at("__spare", part)));
        quote_spanned!(part.span()=> #ident: #lent,)
    });
    let slice = &names.slice;
    let appended = parts.iter().filter_map(|part| part.append(input, &at("__values", part)));
    let bodies = Bodies {
        columns: names.columns(),
        push: pushed.collect(),
        read: read.collect(),
        lend: quote!(#private::Ok(#slice { #(#lent)* #marker })),
        append: write::sum(appended),
    };
    let transfers = transfer::expand(input, &bodies);
    quote!(#common #transfers)
}

/// The traits and methods of the three types.
pub(super) fn common(names: &Names, input: &Input<'_>, parts: &[Part<'_>], special: &Special) -> TokenStream {
    let (columns, lent) = (owned(names, input, parts, special), lent(names, input, special));
    quote!(#columns #lent)
}

/// What columns that own their values can do.
fn owned(names: &Names, input: &Input<'_>, parts: &[Part<'_>], special: &Special) -> TokenStream {
    let (private, vis, this, marker) = (input.private(), input.vis, input.this(), names.marker(input));
    let (ident, slice) = (&names.columns, &names.slice);
    let (parameters, arguments, _) = names.owned.split_for_impl();
    let (_, lent, _) = names.lent.split_for_impl();
    let bounds = bound::columns(input);
    let all = |value: fn(&TokenStream, &Ident, Span) -> TokenStream| {
        let switches = special.has_switches.then(|| {
            let span = Span::call_site();
            let value = value(&private, &Ident::new("switches", span), span);
            quote!(switches: #value,)
        });
        let rest = each(input, parts, |part, private, span| {
            let ident = part.placed();
            let value = value(&private, &ident, span);
            quote_spanned!(span=> #ident: #value,)
        });
        quote!(#switches #(#rest)* #marker)
    };
    let defaults = all(|private, _, span| quote_spanned!(span=> #private::Default::default()));
    let clones = all(|private, ident, span| quote_spanned!(span=> #private::Clone::clone(&self.#ident)));
    let slices = each(input, parts, |part, private, span| {
        let ident = part.placed();
        quote_spanned!(span=> #ident: #private::Columns::as_slice(&self.#ident),)
    });
    let cleared = each(input, parts, |part, private, span| {
        let ident = part.placed();
        quote_spanned!(span=> #private::Columns::clear(&mut self.#ident);)
    });
    let (switch_slice, switch_clear) = match special.has_switches {
        true => (
            quote!(switches: #private::Switches::as_slice(&self.switches),),
            quote!(#private::Switches::clear(&mut self.switches);),
        ),
        false => (TokenStream::new(), TokenStream::new()),
    };
    let uncounted = parts.iter().filter(|part| !is_counted(part.member())).map(|part| {
        let private = input.private_at(part.span());
        let ty = Types::of(input, part.member(), &private).columns;
        quote_spanned!(part.span()=> __sum += <#ty as #private::Columns>::UNCOUNTED;)
    });
    let uncounted: Vec<_> = uncounted.collect();
    let uncounted = (!uncounted.is_empty()).then(|| {
        quote! {
            const UNCOUNTED: #private::usize = {
                let mut __sum = 0;
                #(#uncounted)*
                __sum
            };
        }
    });
    let lifetimes: Vec<_> = input.generics.lifetimes().collect();
    let lifetimes = if lifetimes.is_empty() { TokenStream::new() } else { quote!(<#(#lifetimes),*>) };
    quote! {
        #[automatically_derived]
        impl #parameters #private::Default for #ident #arguments #bounds {
            fn default() -> Self {
                Self { #defaults }
            }
        }

        #[automatically_derived]
        impl #parameters #private::Clone for #ident #arguments #bounds {
            fn clone(&self) -> Self {
                Self { #clones }
            }
        }

        #[automatically_derived]
        impl #parameters #private::fmt::Debug for #ident #arguments #bounds {
            fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                #private::fmt_slice(#private::Columns::as_slice(self), __f)
            }
        }

        #[automatically_derived]
        impl #parameters #private::Columns for #ident #arguments #bounds {
            type Slice<'a> = #slice #lent;

            #uncounted

            fn as_slice(&self) -> Self::Slice<'_> {
                #slice { #switch_slice #(#slices)* #marker }
            }

            fn clear(&mut self) {
                #switch_clear
                #(#cleared)*
            }
        }

        #[allow(dead_code)]
        impl #parameters #ident #arguments #bounds {
            /// Lends all values.
            #vis fn as_slice(&self) -> <Self as #private::Columns>::Slice<'_> {
                #private::Columns::as_slice(self)
            }

            /// Returns the number of values.
            #vis fn len(&self) -> #private::usize {
                #private::Columns::len(self)
            }

            /// Returns whether there are no values.
            #vis fn is_empty(&self) -> #private::bool {
                #private::Columns::is_empty(self)
            }

            /// Removes all values and keeps the memory.
            #vis fn clear(&mut self) {
                #private::Columns::clear(self);
            }

            /// Appends a value.
            #vis fn push #lifetimes(&mut self, value: &#this) {
                #private::Columnar::push_to(value, self);
            }
        }
    }
}

/// What slices, and one value of them, can do.
fn lent(names: &Names, input: &Input<'_>, special: &Special) -> TokenStream {
    let (private, vis) = (input.private(), input.vis);
    let (ident, one) = (&names.slice, &names.one);
    let (parameters, arguments, _) = names.lent.split_for_impl();
    let bounds = bound::columns(input);
    let copies = [ident, one].map(|ident| {
        quote! {
            #[automatically_derived]
            impl #parameters #private::Copy for #ident #arguments #bounds {}

            #[automatically_derived]
            impl #parameters #private::Clone for #ident #arguments #bounds {
                #[inline]
                fn clone(&self) -> Self {
                    *self
                }
            }
        }
    });
    let Special { len, get, part, check, debug, .. } = special;
    quote! {
        #(#copies)*

        #[automatically_derived]
        impl #parameters #private::fmt::Debug for #ident #arguments #bounds {
            fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                #private::fmt_slice(*self, __f)
            }
        }

        #[automatically_derived]
        impl #parameters #private::fmt::Debug for #one #arguments #bounds {
            fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                #debug
            }
        }

        #[automatically_derived]
        impl #parameters #private::Slice for #ident #arguments #bounds {
            type One = #one #arguments;
            type Array<const __N: #private::usize> = Self;

            #[inline]
            fn len(self) -> #private::usize {
                #len
            }

            #[inline]
            fn get(self, __index: #private::usize) -> #private::Option<Self::One> {
                #get
            }

            #[inline]
            fn part(self, __range: #private::Range<#private::usize>) -> #private::Option<Self> {
                #part
            }

            #[inline]
            fn array<const __N: #private::usize>(self) -> #private::Option<Self> {
                if #private::Slice::len(self) == __N { #private::Some(self) } else { #private::None }
            }

            fn check(self) -> #private::Result<()> {
                #check
                #private::Ok(())
            }
        }

        #[allow(dead_code)]
        impl #parameters #ident #arguments #bounds {
            /// Returns the number of values.
            #[inline]
            #vis fn len(self) -> #private::usize {
                #private::Slice::len(self)
            }

            /// Returns whether there are no values.
            #[inline]
            #vis fn is_empty(self) -> #private::bool {
                #private::Slice::is_empty(self)
            }

            /// Returns value `index`; `None` after the last one.
            #[inline]
            #vis fn get(self, index: #private::usize) -> #private::Option<#one #arguments> {
                #private::Slice::get(self, index)
            }

            /// Iterates over the values in order.
            #[inline]
            #vis fn iter(self) -> #private::Iter<Self> {
                #private::Iter::new(self)
            }
        }

        #[automatically_derived]
        impl #parameters #private::IntoIterator for #ident #arguments #bounds {
            type Item = #one #arguments;
            type IntoIter = #private::Iter<Self>;

            #[inline]
            fn into_iter(self) -> #private::Iter<Self> {
                #private::Iter::new(self)
            }
        }
    }
}
