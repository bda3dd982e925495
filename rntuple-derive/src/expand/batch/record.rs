//! Batches of structs, and of alternatives that have members.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;

use super::parts::{Names, Part, conditional, is_newtype, transfer_impl, versions, visibility};
use crate::ast::{Input, Struct};
use crate::bound;
use crate::expand::columns::Columns;
use crate::expand::write;
use crate::side::Side;

pub(super) fn expand(names: &Names, columns: &Columns<'_>, data: &Struct<'_>) -> TokenStream {
    let input = columns.input;
    let parts: Vec<_> = columns.list.iter().map(Part::new).collect();
    let batch = &names.batch;
    let common = match (is_newtype(data), &*parts) {
        (true, [value]) => newtype(input, names, value),
        _ => record(input, names, batch, &parts),
    };
    let methods = methods(input, names, if is_newtype(data) { &[] } else { &parts });
    let columns_impl = (!is_newtype(data)).then(|| from_columns(input, names, &parts));
    let (batched, transfers) = (batched(input, names, &parts), transfers(names, columns, &parts));
    quote!(#common #methods #columns_impl #batched #transfers)
}

/// What a struct of batches is: an empty one, accessors, and the traits that its members have too.
pub(super) fn record(input: &Input<'_>, names: &Names, ident: &Ident, parts: &[Part<'_>]) -> TokenStream {
    let private = input.private();
    let (generics, arguments, _) = names.generics.split_for_impl();
    let bounds = bound::batch(input, None);
    let traits = traits(input, names, ident, parts);
    let accessors = parts.iter().map(|part| {
        let (name, span) = (&part.ident, part.column.span);
        let (vis, private) = (visibility(input, part.member()), input.private_at(span));
        let form = part.form(input, &private);
        let text = format!("`{}` of all values.", name.unraw());
        quote_spanned! {span=>
            #[doc = #text]
            #[inline]
            #vis fn #name(&self) -> <#form as #private::Batch>::View<'_> {
                #private::Batch::view(&self.#name)
            }
        }
    });
    let cleared = parts.iter().map(|Part { ident, column }| {
        let private = input.private_at(column.span);
        quote_spanned!(column.span=> #private::Batch::clear(&mut self.#ident);)
    });
    quote! {
        #traits

        #[allow(dead_code)]
        impl #generics #ident #arguments #bounds {
            #(#accessors)*
        }

        #[automatically_derived]
        impl #generics #private::Batch for #ident #arguments #bounds {
            type View<'__view> = &'__view Self where Self: '__view;

            fn len(&self) -> #private::usize {
                self.__rntuple_len
            }

            fn clear(&mut self) {
                self.__rntuple_len = 0;
                #(#cleared)*
            }

            fn view(&self) -> Self::View<'_> {
                self
            }
        }
    }
}

/// As [`record`], for what is seen as the one value inside it.
fn newtype(input: &Input<'_>, names: &Names, value: &Part<'_>) -> TokenStream {
    let private = input.private();
    let (generics, arguments, _) = names.generics.split_for_impl();
    let (bounds, batch, ident) = (bound::batch(input, None), &names.batch, &value.ident);
    let (vis, form) = (input.vis, value.form(input, &private));
    let traits = traits(input, names, batch, std::slice::from_ref(value));
    quote! {
        #traits

        #[allow(dead_code)]
        impl #generics #batch #arguments #bounds {
            /// Many values, from those inside them.
            #vis fn new(#ident: #form) -> Self {
                let __rntuple_len = #private::Batch::len(&#ident);
                Self { #ident, __rntuple_len, __rntuple_end: #private::PhantomData }
            }
        }

        #[automatically_derived]
        impl #generics #private::Deref for #batch #arguments #bounds {
            type Target = #form;

            fn deref(&self) -> &Self::Target {
                &self.#ident
            }
        }

        #[automatically_derived]
        impl #generics #private::Batch for #batch #arguments #bounds {
            type View<'__view> = <#form as #private::Batch>::View<'__view> where Self: '__view;

            fn len(&self) -> #private::usize {
                self.__rntuple_len
            }

            fn clear(&mut self) {
                self.__rntuple_len = 0;
                #private::Batch::clear(&mut self.#ident);
            }

            fn view(&self) -> Self::View<'_> {
                #private::Batch::view(&self.#ident)
            }
        }
    }
}

/// `Default`, and where the members allow it `Clone`, `PartialEq` and `Debug`.
fn traits(input: &Input<'_>, names: &Names, ident: &Ident, parts: &[Part<'_>]) -> TokenStream {
    let private = input.private();
    let (generics, arguments, _) = names.generics.split_for_impl();
    let bounds = bound::batch(input, None);
    let forms: Vec<_> = parts.iter().map(|part| part.form(input, &private)).collect();
    let name = ident.unraw().to_string();
    // Each line at its member, where the compiler has told already what is wrong with its type.
    let each = |line: fn(&TokenStream, &Ident, Span) -> TokenStream| -> Vec<_> {
        let lines = parts.iter().map(|part| {
            let span = part.column.span;
            line(&input.private_at(span), &part.ident, span)
        });
        lines.collect()
    };
    let defaults = each(|private, ident, span| quote_spanned!(span=> #ident: #private::Default::default()));
    let clones =
        each(|private, ident, span| quote_spanned!(span=> #ident: #private::Clone::clone(&self.#ident)));
    let equals = each(
        |private, ident, span| quote_spanned!(span=> #private::PartialEq::eq(&self.#ident, &__other.#ident)),
    );
    let shown = each(|private, ident, span| {
        let label = ident.unraw().to_string();
        quote_spanned!(span=> #private::fmt::DebugStruct::field(&mut __f, #label, &self.#ident);)
    });
    let conditional = |of, items| conditional(input, names, ident, &forms, &of, &items);
    let clone = conditional(
        quote!(#private::Clone),
        quote! {
            fn clone(&self) -> Self {
                Self {
                    #(#clones,)*
                    __rntuple_len: self.__rntuple_len,
                    __rntuple_end: #private::PhantomData,
                }
            }
        },
    );
    let equal = conditional(
        quote!(#private::PartialEq),
        quote! {
            fn eq(&self, __other: &Self) -> #private::bool {
                self.__rntuple_len == __other.__rntuple_len
                    #(&& #equals)*
            }
        },
    );
    let debug = conditional(
        quote!(#private::fmt::Debug),
        quote! {
            fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                let mut __f = #private::fmt::Formatter::debug_struct(__f, #name);
                #(#shown)*
                #private::fmt::DebugStruct::finish(&mut __f)
            }
        },
    );
    quote! {
        #[automatically_derived]
        impl #generics #private::Default for #ident #arguments #bounds {
            fn default() -> Self {
                Self {
                    #(#defaults,)*
                    __rntuple_len: 0,
                    __rntuple_end: #private::PhantomData,
                }
            }
        }

        #clone
        #equal
        #debug
    }
}

/// Methods that need no trait in scope, where no member is called so.
pub(super) fn methods(input: &Input<'_>, names: &Names, parts: &[Part<'_>]) -> TokenStream {
    let taken: Vec<_> = parts.iter().map(|part| part.ident.unraw().to_string()).collect();
    methods_but(input, names, &taken)
}

/// As [`methods`], but for these names.
pub(super) fn methods_but(input: &Input<'_>, names: &Names, taken: &[String]) -> TokenStream {
    let (private, vis, this, batch) = (input.private(), input.vis, input.this(), &names.batch);
    let (generics, arguments, _) = names.generics.split_for_impl();
    let bounds = bound::batch(input, None);
    let is_free = |name: &str| !taken.iter().any(|taken| taken == name);
    let len = is_free("len").then(|| {
        quote! {
            /// The number of values.
            #[inline]
            #vis fn len(&self) -> #private::usize {
                #private::Batch::len(self)
            }
        }
    });
    let is_empty = is_free("is_empty").then(|| {
        quote! {
            /// Whether there are no values.
            #[inline]
            #vis fn is_empty(&self) -> #private::bool {
                #private::Batch::len(self) == 0
            }
        }
    });
    let clear = is_free("clear").then(|| {
        quote! {
            /// Takes all values out; the memory stays for those to come.
            #vis fn clear(&mut self) {
                #private::Batch::clear(self);
            }
        }
    });
    let lifetimes: Vec<_> = input.generics.lifetimes().collect();
    let lifetimes = if lifetimes.is_empty() { TokenStream::new() } else { quote!(<#(#lifetimes),*>) };
    let push = is_free("push").then(|| {
        quote! {
            /// Adds a value.
            #vis fn push #lifetimes(&mut self, __value: &#this) {
                #private::Batched::push_to(__value, self);
            }
        }
    });
    quote! {
        #[allow(dead_code)]
        impl #generics #batch #arguments #bounds {
            #len
            #is_empty
            #clear
            #push
        }
    }
}

fn from_columns(input: &Input<'_>, names: &Names, parts: &[Part<'_>]) -> TokenStream {
    let private = input.private();
    let (generics, arguments, _) = names.generics.split_for_impl();
    let (bounds, batch, columns) = (bound::batch(input, None), &names.batch, &names.columns);
    let (lengths, values): (Vec<_>, Vec<_>) = parts
        .iter()
        .map(|Part { ident, column }| {
            let (label, private) = (ident.unraw().to_string(), input.private_at(column.span));
            let length = quote_spanned!(column.span=> (#label, #private::Batch::len(&__columns.#ident)));
            (length, quote_spanned!(column.span=> #ident: __columns.#ident))
        })
        .unzip();
    quote! {
        #[automatically_derived]
        impl #generics #private::TryFrom<#columns #arguments> for #batch #arguments #bounds {
            type Error = #private::Error;

            fn try_from(__columns: #columns #arguments) -> #private::Result<Self> {
                let __rntuple_len =
                    #private::same_length(&[#(#lengths),*])?;
                #private::Ok(Self {
                    #(#values,)*
                    __rntuple_len,
                    __rntuple_end: #private::PhantomData,
                })
            }
        }
    }
}

fn batched(input: &Input<'_>, names: &Names, parts: &[Part<'_>]) -> TokenStream {
    let (private, this, batch) = (input.private(), input.this(), names.this());
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::batch(input, None);
    let pushed = parts.iter().map(|part| {
        let (ident, member) = (&part.ident, &part.member().member);
        let (value, to) = (
            quote_spanned!(part.column.span=> &self.#member),
            quote_spanned!(part.column.span=> __batch.#ident),
        );
        part.push(input, &value, &to)
    });
    quote! {
        #[automatically_derived]
        impl #generics #private::Batched for #this #bounds {
            type Batch = #batch;

            #[inline]
            fn push_to(&self, __batch: &mut Self::Batch) {
                #(#pushed)*
                __batch.__rntuple_len += 1;
            }
        }
    }
}

fn transfers(names: &Names, columns: &Columns<'_>, parts: &[Part<'_>]) -> TokenStream {
    let input = columns.input;
    let (private, batch) = (input.private(), names.this());
    let read = input.has(Side::Read).then(|| {
        let read = parts.iter().map(|part| {
            let ident = &part.ident;
            part.read(input, &quote!(__count), &quote_spanned!(part.column.span=> __batch.#ident))
        });
        let items = quote! {
            fn read_batch(&mut self, __count: #private::usize, __batch: &mut #batch) -> #private::Result<()> {
                #(#read)*
                __batch.__rntuple_len += __count;
                #private::Ok(())
            }
        };
        let own = transfer_impl(names, columns, Side::Read, &items);
        let versions = versions(names, input);
        quote!(#own #versions)
    });
    let write = input.has(Side::Write).then(|| {
        let lengths = parts.iter().filter_map(|part| {
            let ident = &part.ident;
            part.append(input, &quote!(&__range), &quote_spanned!(part.column.span=> __batch.#ident))
        });
        let sum = write::sum(lengths);
        let items = quote! {
            fn append_batch(
                &mut self,
                __batch: &#batch,
                __range: #private::Range<#private::usize>,
            ) -> #private::usize {
                #sum
            }
        };
        transfer_impl(names, columns, Side::Write, &items)
    });
    quote!(#read #write)
}
