//! Columns of enums with data.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

use super::names::Names;
use super::part::{Part, unstored};
use super::record::{Special, common, each};
use super::transfer::{self, Bodies};
use crate::ast::{Enum, Input, Shape, Variant};
use crate::expand::{variant, write};
use crate::side::Side;

/// An alternative, and the columns of its members.
struct Alternative<'a> {
    number: usize,
    variant: &'a Variant<'a>,
    parts: Vec<Part<'a>>,
}

impl Alternative<'_> {
    fn number(&self) -> Literal {
        Literal::usize_unsuffixed(self.number)
    }

    /// Statements by which the columns go to their place in a run.
    fn jump(&self, input: &Input<'_>) -> Option<TokenStream> {
        let (private, number) = (input.private(), self.number());
        let mut read = self.parts.iter().filter(|part| part.member().has_columns(Side::Read)).peekable();
        read.peek()?;
        let seeks = read.map(|part| {
            let (ident, private) = (&part.column.ident, input.private_at(part.span()));
            quote_spanned!(part.span()=> #private::Attach::seek(&mut __reader.#ident, __to)?;)
        });
        Some(quote! {
            if let #private::Some(__position) = __run.jumps[#number] {
                let __to = #private::Position::at(__position);
                #(#seeks)*
            }
        })
    }

    /// The members of the variant, each with what `value` returns for its part.
    fn members(&self, input: &Input<'_>, value: impl Fn(&Part<'_>) -> TokenStream) -> Vec<TokenStream> {
        let private = input.private();
        let members = self.variant.members.iter().filter_map(|member| {
            let name = &member.member;
            match self.parts.iter().find(|part| part.member().member == *name) {
                Some(part) => {
                    let value = value(part);
                    Some(quote_spanned!(part.span()=> #name: #value))
                }
                None if !unstored(input, member).is_empty() => Some(quote!(#name: #private::PhantomData)),
                None => matches!(name, syn::Member::Unnamed(_)).then(|| quote!(#name: ())),
            }
        });
        members.collect()
    }
}

pub(super) fn expand(names: &Names, input: &Input<'_>, data: &Enum<'_>) -> TokenStream {
    let columns = variant::columns(input, data);
    let alternatives: Vec<_> = variant::alternatives(&columns, data)
        .into_iter()
        .map(|alternative| Alternative {
            number: alternative.number,
            variant: alternative.variant,
            parts: alternative.all().map(|column| Part::of_variant(column, alternative.variant)).collect(),
        })
        .collect();
    let parts: Vec<_> = alternatives
        .iter()
        .flat_map(|alternative| &alternative.parts)
        .map(|part| Part { ident: part.ident.clone(), column: part.column })
        .collect();
    let special = special(names, input, data, &alternatives);
    let common = common(names, input, &parts, &special);
    let bodies = bodies(names, input, data, &alternatives);
    let transfers = transfer::expand(input, &bodies);
    quote!(#common #transfers)
}

fn special(names: &Names, input: &Input<'_>, data: &Enum<'_>, alternatives: &[Alternative<'_>]) -> Special {
    let (private, one, marker) = (input.private(), &names.one, names.marker(input));
    let arms = alternatives.iter().map(|alternative| {
        let (name, number) = (alternative.variant.ident, alternative.number());
        let members = alternative.members(input, |part| {
            let (ident, private) = (part.placed(), input.private_at(part.span()));
            quote_spanned!(part.span()=> #private::Slice::get(self.#ident, __position)?)
        });
        quote!(#number => #private::Some(#one::#name { #(#members,)* }),)
    });
    let rest = match data.other() {
        Some(Variant { ident: other, .. }) => quote!(#private::Some(#one::#other {})),
        None => quote!(#private::None),
    };
    let all = alternatives.iter().flat_map(|alternative| &alternative.parts);
    let same = all.map(|Part { ident, .. }| quote!(#ident: self.#ident,));
    let checks = alternatives.iter().flat_map(|alternative| {
        let number = alternative.number();
        each(input, &alternative.parts, |part, private, span| {
            let (ident, label) = (part.placed(), part.label());
            quote_spanned!(span=> #private::SwitchSlice::check(self.switches, #label, #number, self.#ident)?;)
        })
    });
    Special {
        has_switches: true,
        len: quote!(#private::SwitchSlice::len(self.switches)),
        get: quote! {
            let (__number, __position) = #private::SwitchSlice::get(self.switches, __index)?;
            match __number {
                #(#arms)*
                _ => #rest,
            }
        },
        part: quote! {
            let switches = #private::SwitchSlice::part(self.switches, __range)?;
            #private::Some(Self { switches, #(#same)* #marker })
        },
        check: checks.collect(),
        debug: debug(names, input, data),
    }
}

/// The body of `fmt` of one value.
fn debug(names: &Names, input: &Input<'_>, data: &Enum<'_>) -> TokenStream {
    let (private, one) = (input.private(), &names.one);
    let arms = data.variants.iter().map(|variant| {
        let (name, title) = (variant.ident, variant.ident.unraw().to_string());
        let is_named = variant.shape == Shape::Named;
        let begin = if is_named { quote!(debug_struct) } else { quote!(debug_tuple) };
        let shown = variant.members.iter().filter(|member| member.is_stored());
        let (bindings, shown): (Vec<_>, Vec<_>) = shown
            .map(|member| {
                let (name, text) = (&member.member, member.member.to_token_stream().to_string());
                let (local, label) = (local(&text), text.trim_start_matches("r#").to_owned());
                let label = is_named.then(|| quote!(#label,));
                (quote!(#name: #local,), quote!(__debug.field(#label #local);))
            })
            .unzip();
        quote! {
            #one::#name { #(#bindings)* .. } => {
                let mut __debug = #private::fmt::Formatter::#begin(__f, #title);
                #(#shown)*
                __debug.finish()
            }
        }
    });
    quote!(match self { #(#arms)* })
}

fn local(name: &str) -> Ident {
    format_ident!("__m_{}", name.trim_start_matches("r#"))
}

fn bodies(names: &Names, input: &Input<'_>, data: &Enum<'_>, alternatives: &[Alternative<'_>]) -> Bodies {
    let (private, slice, ident, marker) = (input.private(), &names.slice, input.ident, names.marker(input));
    let has_other = data.other().is_some();
    let at = |owner: &str, part: &Part<'_>| {
        let (owner, ident) = (Ident::new(owner, part.span()), part.placed());
        quote_spanned!(part.span()=> #owner.#ident)
    };
    let pushes = alternatives.iter().map(|alternative| {
        let (variant, number) = (alternative.variant.ident, alternative.number());
        let bindings = alternative.parts.iter().map(|part| {
            let (member, local) = (&part.member().member, part.column.local());
            quote_spanned!(part.span()=> #member: #local)
        });
        let pushed = alternative
            .parts
            .iter()
            .map(|part| part.push(input, &part.column.local().into_token_stream(), &at("__columns", part)));
        quote!(#ident::#variant { #(#bindings,)* .. } => { #(#pushed)* #number })
    });
    let other = data
        .other()
        .map(|Variant { ident: other, .. }| quote!(#ident::#other { .. } => #private::usize::MAX,));
    let reads = alternatives.iter().filter(|alternative| !alternative.parts.is_empty()).map(|alternative| {
        let (number, jump) = (alternative.number(), alternative.jump(input));
        let read =
            alternative.parts.iter().map(|part| part.read(input, &quote!(__count), &at("__out", part)));
        quote! {
            let __count = __run.counts[#number];
            if __count > 0 {
                #jump
                #(#read)*
            }
        }
    });
    let jumps = alternatives.iter().filter_map(|alternative| alternative.jump(input));
    let lent = alternatives.iter().flat_map(|alternative| {
        let number = alternative.number();
        let count = quote!(__run.counts[#number]);
        let lent = alternative.parts.iter().map(move |part| {
            let (ident, lent) = (part.placed(), part.lend(input, &count, &at("__spare", part)));
            quote_spanned!(part.span()=> #ident: #lent,)
        });
        lent.collect::<Vec<_>>()
    });
    let appended = alternatives.iter().flat_map(|alternative| {
        let number = alternative.number();
        let appended = alternative.parts.iter().filter_map(move |part| {
            let (ident, private) = (part.placed(), input.private_at(part.span()));
            let values = quote_spanned!(part.span()=> #private::cut(__values.#ident, &__ranges[#number]));
            part.append(input, &values)
        });
        appended.collect::<Vec<_>>()
    });
    let sum = write::sum(appended);
    let read = quote! {
        let mut __left = __count;
        while __left > 0 {
            let __run = #private::VariantReader::next_run(
                &mut __reader.__switch, __left, #has_other, &mut __out.switches,
            )?;
            #(#reads)*
            __left -= __run.count;
        }
    };
    Bodies {
        columns: names.columns(),
        push: quote! {
            let __number = match self {
                #(#pushes)*
                #other
            };
            #private::Switches::push(&mut __columns.switches, __number);
        },
        lend: quote! {
            let #private::Some(__run) =
                #private::VariantReader::whole_run(&mut __reader.__switch, __count, #has_other)?
            else {
                #private::Columns::clear(__spare);
                let __out = &mut *__spare;
                #read
                return #private::Ok(#private::Columns::as_slice(__spare));
            };
            #(#jumps)*
            #private::Ok(#slice {
                switches: #private::VariantReader::passed(&__reader.__switch, &__run),
                #(#lent)*
                #marker
            })
        },
        read,
        append: quote! {
            let mut __switched = 0;
            let __ranges =
                #private::SwitchSlice::append(__values.switches, &mut __writer.__switch, &mut __switched);
            __switched + { #sum }
        },
    }
}
