//! The structs of columns: one that is filled, one that is read.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;

use super::impls::implementation;
use crate::ast::{Input, Member, Struct};
use crate::bound;
use crate::side::Side;
use crate::types::{SCALARS, last_word, mentions};

/// The columns of an item.
///
/// Those of members whose types mention parameters or lifetimes of the item are type parameters of the
/// struct of columns. So it has none of the item's generics and bounds, and above all no lifetime: one writer
/// takes values that borrow from different places.
pub(super) struct Columns<'a> {
    pub(super) input: &'a Input<'a>,
    pub(super) list: Vec<Column<'a>>,
    /// Number of alternatives of an enum, which begins with a switch.
    pub(super) alternatives: Option<usize>,
}

/// The columns of a member.
pub(super) struct Column<'a> {
    /// The member's name in the struct of columns.
    pub(super) ident: Ident,
    pub(super) member: &'a Member<'a>,
    pub(super) span: Span,
    /// Whether it belongs to an alternative, which older files may lack.
    pub(super) is_alternative: bool,
}

impl<'a> Column<'a> {
    /// The columns of a member of a struct, or of the `alternative`-th variant of an enum.
    pub(super) fn new(member: &'a Member<'a>, alternative: Option<usize>) -> Self {
        let span = member.span();
        let ident = match (&member.member, alternative) {
            (syn::Member::Named(ident), None) => ident.clone(),
            (syn::Member::Unnamed(index), None) => format_ident!("_{}", index.index, span = span),
            (syn::Member::Named(ident), Some(number)) => {
                format_ident!("_{}_{}", number, ident.unraw(), span = span)
            }
            (syn::Member::Unnamed(index), Some(number)) => {
                format_ident!("_{number}_{}", index.index, span = span)
            }
        };
        Self { ident, member, span, is_alternative: alternative.is_some() }
    }

    /// A local variable for them.
    pub(super) fn local(&self) -> Ident {
        // Not a name that expansions have for anything else.
        format_ident!("__m_{}", self.ident.unraw(), span = self.span)
    }

    /// Where they are found: in the struct of columns that is read.
    pub(super) fn place(&self) -> TokenStream {
        let ident = &self.ident;
        quote_spanned!(self.span=> &mut __reader.#ident)
    }

    /// Whether they are a type parameter of the struct of columns.
    fn is_parameter(&self, input: &Input<'_>, side: Side) -> bool {
        let mentions = self.member.written_type(side).map(|ty| mentions(ty, &input.generics));
        mentions.is_some_and(|mentions| mentions.lifetime || mentions.parameter)
    }

    /// Whether a file may lack the member.
    pub(super) fn is_optional(&self, input: &Input<'_>) -> bool {
        self.is_alternative || self.member.fallback(input).is_some()
    }

    /// Whether it is certain that there are columns: a type of this name has some.
    fn has_columns(&self, input: &Input<'_>) -> bool {
        let word = self.member.written_type(Side::Read).and_then(last_word).map(ToString::to_string);
        let has = |word: String| SCALARS.contains(&&*word) || matches!(&*word, "String" | "Vec" | "Option");
        !self.is_optional(input) && self.member.attrs.flatten.is_none() && word.is_some_and(has)
    }

    /// The type of what is read, around the reader of the stored type.
    fn wrapped(&self, input: &Input<'_>, side: Side, columns: TokenStream) -> TokenStream {
        if side == Side::Write {
            return columns;
        }
        let private = input.private_at(self.span);
        let mut reader = columns;
        if self.member.can_fail() {
            reader = quote_spanned!(self.span=> #private::PlacedReader<#reader>);
        }
        if self.is_optional(input) {
            reader = quote_spanned!(self.span=> #private::DefaultReader<#reader>);
        }
        reader
    }
}

impl<'a> Columns<'a> {
    /// Those of the members of a struct.
    pub(super) fn of_struct(input: &'a Input<'a>, data: &'a Struct<'a>) -> Self {
        let stored = data.members.iter().filter(|member| member.is_stored());
        Self { input, list: stored.map(|member| Column::new(member, None)).collect(), alternatives: None }
    }

    /// Those that are written, or read.
    pub(super) fn of(&self, side: Side) -> impl Iterator<Item = &Column<'a>> + Clone {
        self.list.iter().filter(move |column| column.member.has_columns(side))
    }

    pub(super) fn parameters(&self, side: Side) -> impl Iterator<Item = (Ident, &Column<'a>)> {
        let parameters = self.of(side).filter(move |column| column.is_parameter(self.input, side));
        parameters.enumerate().map(move |(number, column)| (side.parameter(number), column))
    }

    /// The struct and its type parameters: `__HitWriter<__W0>`.
    pub(super) fn generic(&self, side: Side) -> TokenStream {
        let ident = side.ident(self.input.ident);
        let parameters: Vec<_> = self.parameters(side).map(|(parameter, _)| parameter).collect();
        if parameters.is_empty() { quote!(#ident) } else { quote!(#ident<#(#parameters),*>) }
    }

    /// The struct for the item's own parameters: `__HitWriter<<T as WriteField>::Writer>`.
    pub(super) fn concrete(&self, side: Side) -> TokenStream {
        let ident = side.ident(self.input.ident);
        let columns: Vec<_> = self
            .parameters(side)
            .map(|(_, column)| implementation(self.input, column.member, side, side.columns()))
            .collect();
        if columns.is_empty() { quote!(#ident) } else { quote!(#ident<#(#columns),*>) }
    }

    /// The struct, and what does not depend on the values that go through it.
    pub(super) fn define(&self, side: Side) -> TokenStream {
        let private = self.input.private();
        let (vis, generic, any) = (self.input.vis, self.generic(side), side.any());
        let mut parameters = self.parameters(side).map(|(parameter, _)| parameter);
        let members = self.of(side).map(|column| {
            let ident = &column.ident;
            let columns = match column.is_parameter(self.input, side) {
                true => parameters.next().map(|parameter| quote!(#parameter)).unwrap_or_default(),
                false => implementation(self.input, column.member, side, side.columns()),
            };
            let columns = column.wrapped(self.input, side, columns);
            quote_spanned!(column.span=> #ident: #columns)
        });
        let switch = self.alternatives.map(|count| {
            let reader = if side == Side::Write { quote!(VariantWriter) } else { quote!(VariantReader) };
            quote!(__switch: #private::#reader<[#private::u64; #count]>,)
        });
        let definition = quote! {
            #vis struct #generic {
                #switch
                #(#members,)*
                // The compiler asks of the last member whether it is `Sized`, again wherever the struct is used:
                // a member of which that is certain keeps it from repeating what is wrong with another.
                __rntuple_end: (),
            }
        };
        let bounded: Vec<_> = self.parameters(side).map(|(p, _)| quote!(#p: #private::#any)).collect();
        let bounded = if bounded.is_empty() { TokenStream::new() } else { quote!(<#(#bounded),*>) };
        let items = match side {
            Side::Write => self.commit(),
            Side::Read => self.attach(),
        };
        quote! {
            #definition

            #[automatically_derived]
            impl #bounded #private::#any for #generic {
                #items
            }
        }
    }

    fn commit(&self) -> TokenStream {
        let private = self.input.private();
        let switch = self
            .alternatives
            .map(|_| quote!(#private::VariantWriter::commit(&mut self.__switch, __cluster);));
        let members = self.of(Side::Write).map(|Column { ident, span, .. }| {
            let private = self.input.private_at(*span);
            quote_spanned!(*span=> #private::Commit::commit(&mut self.#ident, __cluster);)
        });
        quote! {
            fn commit(&mut self, __cluster: &mut #private::Gathered<'_>) {
                #switch
                #(#members)*
            }
        }
    }

    fn attach(&self) -> TokenStream {
        let private = self.input.private();
        let members = self.of(Side::Read).map(|Column { ident, span, .. }| {
            let private = self.input.private_at(*span);
            quote_spanned!(*span=> #private::Attach::seek(&mut self.#ident, __to)?;)
        });
        let detached = self.of(Side::Read).map(|Column { ident, span, .. }| {
            let private = self.input.private_at(*span);
            quote_spanned!(*span=> #ident: #private::Attach::DETACHED)
        });
        let no_switch = self.alternatives.map(|_| quote!(__switch: #private::VariantReader::DETACHED,));
        let (switch, remaining) = match self.alternatives {
            Some(_) => (
                quote! {
                    let #private::Some(__to) = #private::VariantReader::seek(&mut self.__switch, __to)? else {
                        return #private::Ok(());
                    };
                },
                quote!(#private::VariantReader::remaining(&self.__switch)),
            ),
            None => (TokenStream::new(), self.remaining()),
        };
        quote! {
            const DETACHED: Self = Self { #no_switch #(#detached,)* __rntuple_end: () };

            fn seek(&mut self, __to: #private::Position<'_>) -> #private::Result<()> {
                #switch
                #(#members)*
                #private::Ok(())
            }

            #[inline]
            fn remaining(&self) -> #private::Option<#private::u64> {
                #remaining
            }
        }
    }

    /// Members advance together, so the first that has columns speaks for all.
    fn remaining(&self) -> TokenStream {
        let private = self.input.private();
        let mut asked = Vec::new();
        for column in self.of(Side::Read) {
            let (ident, span) = (&column.ident, column.span);
            let private = self.input.private_at(span);
            let remaining = quote_spanned!(span=> #private::Attach::remaining(&self.#ident));
            if column.has_columns(self.input) {
                return quote!(#(#asked)* #remaining);
            }
            asked.push(quote_spanned! {span=>
                if let #private::Some(__count) = #remaining {
                    return #private::Some(__count);
                }
            });
        }
        quote!(#(#asked)* #private::None)
    }

    /// The impl of `FieldWriter` or `FieldReader`, around its items.
    pub(super) fn values_impl(&self, side: Side, items: &TokenStream) -> TokenStream {
        let input = self.input;
        let (private, this, generic) = (input.private(), input.this(), self.generic(side));
        let mut generics = input.generics.clone();
        for (parameter, column) in self.parameters(side) {
            let (ty, values) = (column.member.stored_type(input, side), side.values(column.span));
            // One bound on a type parameter always parses.
            generics.params.push(syn::parse_quote_spanned!(column.span=> #parameter: #private::#values<#ty>));
        }
        let (parameters, _, _) = generics.split_for_impl();
        let (bounds, values) = (bound::values(input, side), side.values(Span::call_site()));
        quote! {
            #[automatically_derived]
            impl #parameters #private::#values<#this> for #generic #bounds {
                #items
            }
        }
    }
}
