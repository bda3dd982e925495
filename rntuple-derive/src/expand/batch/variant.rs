//! Batches of enums with data.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

use super::parts::{Names, Part, conditional, transfer_impl, versions};
use super::record::{methods_but, record};
use crate::ast::{Enum, Input, Shape, Variant};
use crate::bound;
use crate::expand::columns::Columns;
use crate::expand::write;
use crate::side::Side;

/// What a batch has of an alternative.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// Nothing but the number of values.
    None,
    /// The batch of the one value.
    Value,
    /// A struct of batches.
    Record,
}

/// What there is of an alternative of this shape and so many stored members.
pub(super) fn payload(shape: Shape, stored: usize) -> Payload {
    match (shape, stored) {
        (_, 0) => Payload::None,
        (Shape::Newtype, 1) => Payload::Value,
        _ => Payload::Record,
    }
}

/// An alternative and its members.
struct Alternative<'a> {
    number: usize,
    /// Its member of the batch.
    ident: Ident,
    variant: &'a Variant<'a>,
    payload: Payload,
    parts: Vec<Part<'a>>,
}

impl Alternative<'_> {
    /// What it is called by those who ask for its values.
    fn accessor(&self) -> Ident {
        let name = self.variant.accessor();
        let span = self.variant.ident.span();
        match syn::parse_str::<Ident>(&name) {
            Ok(_) => Ident::new(&name, span),
            Err(_) => Ident::new_raw(&name, span),
        }
    }

    fn form(&self, input: &Input<'_>, names: &Names) -> Option<TokenStream> {
        match self.payload {
            Payload::None => None,
            Payload::Value => self.parts.first().map(|part| part.form(input, &input.private())),
            Payload::Record => {
                let (name, (_, arguments, _)) =
                    (names.alternative(self.variant.ident), names.generics.split_for_impl());
                Some(quote!(#name #arguments))
            }
        }
    }

    /// The place in the batch of one of its members.
    fn place(&self, part: &Part<'_>) -> TokenStream {
        let (own, ident) = (&self.ident, &part.ident);
        match self.payload {
            Payload::Record => quote_spanned!(part.column.span=> __batch.#own.#ident),
            _ => quote_spanned!(part.column.span=> __batch.#own),
        }
    }

    /// A statement that counts values that were added.
    fn counted(&self, count: &TokenStream) -> Option<TokenStream> {
        let ident = &self.ident;
        (self.payload == Payload::Record).then(|| quote!(__batch.#ident.__rntuple_len += #count;))
    }
}

pub(super) fn expand(names: &Names, columns: &Columns<'_>, data: &Enum<'_>) -> TokenStream {
    let input = columns.input;
    let mut rest = columns.list.iter();
    let alternatives: Vec<_> = data
        .alternatives()
        .map(|(number, variant)| {
            let stored = variant.members.iter().filter(|member| member.is_stored()).count();
            let parts = rest.by_ref().take(stored).map(Part::new).collect();
            let ident = format_ident!("_{number}");
            Alternative { number, ident, variant, payload: payload(variant.shape, stored), parts }
        })
        .collect();
    let records = alternatives.iter().filter(|alternative| alternative.payload == Payload::Record);
    let records = records.map(|own| record(input, names, &names.alternative(own.variant.ident), &own.parts));
    let common = common(input, names, &alternatives);
    let batched = batched(input, names, &alternatives, data.other());
    let read = input.has(Side::Read).then(|| {
        let (own, versions) =
            (reading(names, columns, &alternatives, data.other().is_some()), versions(names, input));
        quote!(#own #versions)
    });
    let write = input.has(Side::Write).then(|| writing(names, columns, &alternatives));
    quote!(#(#records)* #common #batched #read #write)
}

fn common(input: &Input<'_>, names: &Names, alternatives: &[Alternative<'_>]) -> TokenStream {
    let (private, vis, batch) = (input.private(), input.vis, &names.batch);
    let (generics, arguments, _) = names.generics.split_for_impl();
    let bounds = bound::batch(input, None);
    let with_form: Vec<_> = alternatives
        .iter()
        .filter_map(|alternative| Some((alternative, alternative.form(input, names)?)))
        .collect();
    let idents: Vec<_> = with_form.iter().map(|(alternative, _)| &alternative.ident).collect();
    let forms: Vec<_> = with_form.iter().map(|(_, form)| form.clone()).collect();
    let labels = with_form.iter().map(|(alternative, _)| alternative.accessor().unraw().to_string());
    let mut taken = vec!["tags".to_owned(), "positions".to_owned()];
    taken.extend(with_form.iter().map(|(alternative, _)| alternative.accessor().unraw().to_string()));
    let methods = methods_but(input, names, &taken);
    let accessors = with_form.iter().map(|(alternative, form)| {
        let (name, own, ident) = (alternative.accessor(), alternative.variant.ident, &alternative.ident);
        let text = format!("The values of alternative {}, `{own}`.", alternative.number);
        quote! {
            #[doc = #text]
            #[inline]
            #vis fn #name(&self) -> <#form as #private::Batch>::View<'_> {
                #private::Batch::view(&self.#ident)
            }
        }
    });
    let name = batch.unraw().to_string();
    let conditional = |of, items| conditional(input, names, batch, &forms, &of, &items);
    let clone = conditional(
        quote!(#private::Clone),
        quote! {
            fn clone(&self) -> Self {
                Self {
                    __rntuple_switch: #private::Clone::clone(&self.__rntuple_switch),
                    #(#idents: #private::Clone::clone(&self.#idents),)*
                    __rntuple_end: #private::PhantomData,
                }
            }
        },
    );
    let equal = conditional(
        quote!(#private::PartialEq),
        quote! {
            fn eq(&self, __other: &Self) -> #private::bool {
                #private::PartialEq::eq(&self.__rntuple_switch, &__other.__rntuple_switch)
                    #(&& #private::PartialEq::eq(&self.#idents, &__other.#idents))*
            }
        },
    );
    let debug = conditional(
        quote!(#private::fmt::Debug),
        quote! {
            fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                let mut __f = #private::fmt::Formatter::debug_struct(__f, #name);
                #private::fmt::DebugStruct::field(&mut __f, "tags", &#private::Switches::tags(&self.__rntuple_switch));
                #(#private::fmt::DebugStruct::field(&mut __f, #labels, &self.#idents);)*
                #private::fmt::DebugStruct::finish(&mut __f)
            }
        },
    );
    quote! {
        #[automatically_derived]
        impl #generics #private::Default for #batch #arguments #bounds {
            fn default() -> Self {
                Self {
                    __rntuple_switch: #private::Default::default(),
                    #(#idents: #private::Default::default(),)*
                    __rntuple_end: #private::PhantomData,
                }
            }
        }

        #clone
        #equal
        #debug
        #methods

        #[allow(dead_code)]
        impl #generics #batch #arguments #bounds {
            /// The number of each value's alternative.
            #[inline]
            #vis fn tags(&self) -> &[#private::u8] {
                #private::Switches::tags(&self.__rntuple_switch)
            }

            /// The position of each value among those of its alternative.
            #[inline]
            #vis fn positions(&self) -> &[#private::u64] {
                #private::Switches::positions(&self.__rntuple_switch)
            }

            #(#accessors)*
        }

        #[automatically_derived]
        impl #generics #private::Batch for #batch #arguments #bounds {
            type View<'__view> = &'__view Self where Self: '__view;

            fn len(&self) -> #private::usize {
                #private::Switches::len(&self.__rntuple_switch)
            }

            fn clear(&mut self) {
                #private::Switches::clear(&mut self.__rntuple_switch);
                #(#private::Batch::clear(&mut self.#idents);)*
            }

            fn view(&self) -> Self::View<'_> {
                self
            }
        }
    }
}

fn batched(
    input: &Input<'_>,
    names: &Names,
    alternatives: &[Alternative<'_>],
    other: Option<&Variant<'_>>,
) -> TokenStream {
    let (private, this, batch, ident) = (input.private(), input.this(), names.this(), input.ident);
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::batch(input, None);
    let arms = alternatives.iter().map(|alternative| {
        let (variant, number) = (alternative.variant.ident, Literal::usize_unsuffixed(alternative.number));
        let bindings = alternative.parts.iter().map(|part| {
            let (member, local) = (&part.member().member, part.column.local());
            quote_spanned!(part.column.span=> #member: #local)
        });
        let pushed = alternative
            .parts
            .iter()
            .map(|part| part.push(input, &part.column.local().into_token_stream(), &alternative.place(part)));
        let counted = alternative.counted(&quote!(1));
        quote! {
            #ident::#variant { #(#bindings,)* .. } => {
                #(#pushed)*
                #counted
                #number
            }
        }
    });
    let other =
        other.map(|Variant { ident: other, .. }| quote!(#ident::#other { .. } => #private::usize::MAX,));
    quote! {
        #[automatically_derived]
        impl #generics #private::Batched for #this #bounds {
            type Batch = #batch;

            #[inline]
            fn push_to(&self, __batch: &mut Self::Batch) {
                let __number = match self {
                    #(#arms)*
                    #other
                };
                #private::Switches::push(&mut __batch.__rntuple_switch, __number);
            }
        }
    }
}

fn reading(
    names: &Names,
    columns: &Columns<'_>,
    alternatives: &[Alternative<'_>],
    has_other: bool,
) -> TokenStream {
    let input = columns.input;
    let (private, batch) = (input.private(), names.this());
    let reads = alternatives.iter().filter(|alternative| !alternative.parts.is_empty()).map(|alternative| {
        let number = Literal::usize_unsuffixed(alternative.number);
        let stored = alternative.parts.iter().filter(|part| part.member().has_columns(Side::Read));
        let seek = stored.map(|part| {
            let (ident, span) = (&part.column.ident, part.column.span);
            let private = input.private_at(span);
            quote_spanned!(span=> #private::Attach::seek(&mut self.#ident, __position)?;)
        });
        let read =
            alternative.parts.iter().map(|part| part.read(input, &quote!(__count), &alternative.place(part)));
        let counted = alternative.counted(&quote!(__count));
        quote! {
            let __count = __runs.counts[#number];
            if __count > 0 {
                if let #private::Some(__position) = __runs.jumps[#number] {
                    #(#seek)*
                }
                #(#read)*
                #counted
            }
        }
    });
    let items = quote! {
        #[allow(unused_variables)]
        fn read_batch(&mut self, __count: #private::usize, __batch: &mut #batch) -> #private::Result<()> {
            let mut __runs = #private::Runs::new(__count);
            while #private::Runs::next(
                &mut __runs,
                &mut self.__switch,
                #has_other,
                &mut __batch.__rntuple_switch,
            )? {
                #(#reads)*
            }
            #private::Ok(())
        }
    };
    transfer_impl(names, columns, Side::Read, &items)
}

fn writing(names: &Names, columns: &Columns<'_>, alternatives: &[Alternative<'_>]) -> TokenStream {
    let input = columns.input;
    let (private, batch) = (input.private(), names.this());
    let lengths = alternatives.iter().flat_map(|alternative| {
        let number = Literal::usize_unsuffixed(alternative.number);
        let range = quote!(&__ranges[#number]);
        let lengths = alternative
            .parts
            .iter()
            .filter_map(move |part| part.append(input, &range, &alternative.place(part)));
        lengths.collect::<Vec<_>>()
    });
    let sum = write::sum(lengths);
    let items = quote! {
        #[allow(unused_variables)]
        fn append_batch(
            &mut self,
            __batch: &#batch,
            __range: #private::Range<#private::usize>,
        ) -> #private::usize {
            let mut __switched = 0;
            let __ranges = #private::Switches::append(
                &__batch.__rntuple_switch,
                __range,
                &mut self.__switch,
                &mut __switched,
            );
            __switched + { #sum }
        }
    };
    transfer_impl(names, columns, Side::Write, &items)
}
