//! `#[rntuple(borrowed)]`: the types of one value and of many that are lent from decoded pages.
//!
//! Of a struct, one value has its members, each as it is lent; many have a slice for each. Of an enum, one value
//! has its variants; many have the switches, and a slice for each member of an alternative.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::{GenericParam, Generics};

use super::columns::{Column, Columns};
use super::{plain_enum, read, variant};
use crate::ast::{Data, Enum, Form, Input, Member, Shape, Struct};
use crate::bound;
use crate::side::Side;
use crate::types::{self, SCALARS, last_word, mentions};

/// What is made of an item that is borrowed.
pub(super) struct Borrowing {
    /// The types, which stand beside the item.
    pub(super) types: TokenStream,
    /// What is implemented for them, and for the item.
    pub(super) impls: TokenStream,
}

/// How an item is connected with its columns.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Connected {
    /// As it should.
    Soundly,
    /// There is a mistake in the item, so nothing will ever run.
    Never,
}

pub(super) fn expand(input: &Input<'_>, connected: Connected) -> Option<Borrowing> {
    let names = input.attrs.borrowed.as_ref()?;
    if !input.has(Side::Read) || input.generics.lifetimes().next().is_some() {
        return None;
    }
    let name = |given: &Option<Ident>, ending: &str| {
        given.clone().unwrap_or_else(|| format_ident!("{}{ending}", input.name(), span = input.ident.span()))
    };
    let lent = Lent {
        input,
        one: name(&names.one, "Ref"),
        many: name(&names.many, "Slice"),
        generics: generics(input),
        connected,
    };
    match &input.data {
        Data::Struct(data) => Some(lent.of_struct(data)),
        Data::Enum(data) if data.is_plain() => {
            let impls =
                if connected == Connected::Never { TokenStream::new() } else { lent.of_plain_enum(data) };
            Some(Borrowing { types: TokenStream::new(), impls })
        }
        Data::Enum(data) => Some(lent.of_enum(data)),
        Data::Union(_) => None,
    }
}

/// The item's parameters behind a lifetime.
fn generics(input: &Input<'_>) -> Generics {
    let mut generics = input.generics.clone();
    generics.params.insert(0, syn::parse_quote!('a));
    generics.where_clause = None;
    generics
}

/// What is made, while it is made.
struct Lent<'a> {
    input: &'a Input<'a>,
    /// The name of the type of one value.
    one: Ident,
    /// The name of the type of many.
    many: Ident,
    generics: Generics,
    connected: Connected,
}

/// A member of one of the types.
struct Part {
    /// A name, or a number.
    own: TokenStream,
    /// The same, at the place of the type: the compiler tells a mistake at one place once.
    name: TokenStream,
    /// Its type among one value, and among many.
    one: TokenStream,
    many: TokenStream,
    /// Those of its type as a slice, in which `self` is a slice.
    get: TokenStream,
    part: TokenStream,
    empty: TokenStream,
    is_owned: bool,
    /// Whether its type is one that can be lent, as far as names go.
    is_certain: bool,
    doc: String,
    vis: TokenStream,
    span: Span,
}

impl Lent<'_> {
    /// The struct of one value, that of many, and what makes them of columns.
    fn of_struct(&self, data: &Struct<'_>) -> Borrowing {
        let (input, one, many) = (self.input, &self.one, &self.many);
        let (private, runtime) = (input.private(), input.runtime());
        let (parameters, arguments, bounds) = self.parts_of_generics();
        let is_tuple =
            data.members.first().is_some_and(|member| matches!(member.member, syn::Member::Unnamed(_)));
        let parts: Vec<_> = data.members.iter().filter_map(|member| self.member(member, is_tuple)).collect();
        let end = data.members.len();
        let own = |name: &str, number: usize| match is_tuple {
            true => Literal::usize_unsuffixed(number).into_token_stream(),
            false => Ident::new(name, Span::call_site()).into_token_stream(),
        };
        let (length, marker) = (own("__length", end), own("__of", end + 1));
        let of_one = own("__of", end);
        let this = input.this();
        // The compiler asks of the last member whether it is `Sized`, again wherever the struct is used: one of which
        // that is certain keeps it from repeating what is wrong with another.
        let certain = parts.iter().rposition(|part| part.is_certain && !is_tuple);
        let (others, last) = parts.split_at(certain.unwrap_or(parts.len()));
        let (last, rest) = last.split_at(last.len().min(1));
        let ordered = others.iter().chain(rest).chain(last);
        let ends_certainly = !last.is_empty() || is_tuple && parts.last().is_some_and(|part| part.is_certain);
        let marked = self.needs_marker(&data.members) || !ends_certainly;
        let phantom = quote!(#runtime::PhantomData<&'a fn() -> #this>);
        let member = |name: &TokenStream, ty: TokenStream| if is_tuple { ty } else { quote!(#name: #ty) };
        let marker_of = |name: &TokenStream| marked.then(|| member(name, phantom.clone()));
        let definition = |docs: String, ident: &Ident, members: Vec<TokenStream>| {
            let (attributes, vis) = (attributes(&docs), input.vis);
            match is_tuple {
                true => quote!(#attributes #vis struct #ident #parameters (#(#members,)*) #bounds;),
                false => quote!(#attributes #vis struct #ident #parameters #bounds { #(#members,)* }),
            }
        };
        let mut ones: Vec<_> = ordered.map(|part| part.declared(is_tuple, &part.one)).collect();
        ones.extend(marker_of(&of_one));
        let mut manys: Vec<_> = parts.iter().map(|part| part.declared(is_tuple, &part.many)).collect();
        manys.push(member(&length, quote!(#runtime::usize)));
        manys.extend(marker_of(&marker));
        let types = [
            definition(format!("One [`{}`], lent from decoded pages.", input.name()), one, ones),
            definition(format!("Many [`{}`], lent from decoded pages.", input.name()), many, manys),
        ];

        let mark = |name: &TokenStream| marked.then(|| quote!(#name: #private::PhantomData,));
        let (mark_one, mark_many) = (mark(&of_one), mark(&marker));
        let each = |token: fn(&Part) -> &TokenStream| {
            let member = |part: &Part| {
                let (name, token) = (&part.name, token(part));
                quote_spanned!(part.span=> #name: #token)
            };
            parts.iter().map(member).collect::<Vec<_>>()
        };
        let (gets, cuts, empties) =
            (each(|part| &part.get), each(|part| &part.part), each(|part| &part.empty));
        let debug = debug(&private, one, &parts, is_tuple, |part| {
            let name = &part.name;
            quote_spanned!(part.span=> &self.#name)
        });
        let list = Columns::of_struct(input, data);
        let numbers = owned_numbers(&list);
        let named = |column: &Column<'_>| {
            let (name, local) = (moved(column.member.member.to_token_stream(), column.span), column.local());
            quote_spanned!(column.span=> #name: #local)
        };
        let fillers = parts.iter().filter(|part| part.is_filler()).map(|part| {
            let name = &part.name;
            quote!(#name: ())
        });
        let fillers: Vec<_> = fillers.collect();
        let ones = list.of(Side::Read).map(|column| {
            let (local, value) = (column.local(), self.read_one(column, &numbers));
            quote_spanned!(column.span=> let #local = #value;)
        });
        let manys = list.of(Side::Read).map(|column| {
            let (local, value) = (column.local(), self.read_many(column, &numbers));
            quote_spanned!(column.span=> let #local = #value;)
        });
        let (named_ones, named_manys) = (list.of(Side::Read).map(named), list.of(Side::Read).map(named));
        let borrow = quote! {
            #(#ones)*
            #private::Ok(#one { #(#named_ones,)* #(#fillers,)* #mark_one })
        };
        let borrow_many = quote! {
            #(#manys)*
            #private::Ok(#many { #(#named_manys,)* #(#fillers,)* #length: __count, #mark_many })
        };
        let impls = [
            self.copies(one),
            self.copies(many),
            quote! {
                impl #parameters #private::fmt::Debug for #one #arguments #bounds {
                    fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                        #debug
                    }
                }
            },
            self.slices(
                &quote!(self.#length),
                &quote!(#private::Some(#one { #(#gets,)* #mark_one })),
                &quote! {
                    let __length = #private::part_length(self.#length, &__range)?;
                    #private::Some(Self { #(#cuts,)* #length: __length, #mark_many })
                },
                &quote!(Self { #(#empties,)* #length: 0, #mark_many }),
            ),
            self.borrowed(&borrow, &borrow_many),
        ];
        Borrowing { types: types.into_iter().collect(), impls: impls.into_iter().collect() }
    }

    /// The enum of one value, the struct of many, and what makes them of columns.
    fn of_enum(&self, data: &Enum<'_>) -> Borrowing {
        let (input, one, many) = (self.input, &self.one, &self.many);
        let (private, runtime) = (input.private(), input.runtime());
        let (parameters, arguments, bounds) = self.parts_of_generics();
        let list = variant::columns(input, data);
        let alternatives = variant::alternatives(&list, data);
        let numbers = owned_numbers(&list);
        let count = Literal::usize_unsuffixed(alternatives.len());

        let mut variants = Vec::new();
        let mut debugs = Vec::new();
        for variant in &data.variants {
            let (name, is_tuple) = (variant.ident, matches!(variant.shape, Shape::Newtype | Shape::Tuple));
            let parts: Vec<_> =
                variant.members.iter().filter_map(|member| self.member(member, is_tuple)).collect();
            let members = parts.iter().map(|part| part.declared_in_variant(is_tuple));
            let members = match variant.shape {
                Shape::Unit => TokenStream::new(),
                Shape::Named => quote!({ #(#members,)* }),
                Shape::Newtype | Shape::Tuple => quote!((#(#members,)*)),
            };
            let doc = variant.attrs.description.as_ref().map(|text| text.value.clone());
            let doc = doc.unwrap_or_else(|| format!("`{}::{name}`", input.name()));
            variants.push(quote!(#[doc = #doc] #name #members));
            let local =
                |name: &TokenStream| format_ident!("__m_{}", name.to_string().trim_start_matches("r#"));
            let bindings = parts.iter().map(|part| {
                let (name, local) = (&part.name, local(&part.name));
                if part.is_shown() { quote!(#name: #local) } else { quote!(#name: _) }
            });
            let shown = debug(&private, name, &parts, is_tuple, |part| local(&part.name).into_token_stream());
            debugs.push(quote!(#one::#name { #(#bindings,)* } => { #shown }));
        }
        let (doc_one, doc_many) = (
            attributes(&format!("One [`{}`], lent from decoded pages.", input.name())),
            attributes(&format!("Many [`{}`], lent from decoded pages.", input.name())),
        );
        let vis = input.vis;
        let columns: Vec<_> = list
            .of(Side::Read)
            .filter_map(|column| Some((column, self.member_as(column.member, false, &column.ident)?)))
            .collect();
        let slices = columns.iter().map(|(column, part)| {
            let (ident, ty) = (&column.ident, &part.many);
            quote!(#ident: #ty)
        });
        let this = input.this();
        let types = quote! {
            #doc_one
            #vis enum #one #parameters #bounds { #(#variants,)* }

            #doc_many
            #vis struct #many #parameters #bounds {
                __switches: #runtime::LentSwitches<'a, #count>,
                #(#slices,)*
                __of: #runtime::PhantomData<&'a fn() -> #this>,
            }
        };

        let part_of = |column: &Column<'_>| {
            let found = columns.iter().find(|(other, _)| other.ident == column.ident);
            found.map(|(_, part)| part)
        };
        let gets = alternatives.iter().map(|alternative| {
            let (name, number) = (alternative.variant.ident, Literal::usize_unsuffixed(alternative.number));
            let members = alternative.variant.members.iter().filter_map(|member| {
                let column = alternative.of(Side::Read).find(|c| c.member.member == member.member);
                let name = &member.member;
                match column.and_then(part_of) {
                    Some(part) => {
                        let get = &part.get;
                        Some(quote!(#name: #get))
                    }
                    None => matches!(name, syn::Member::Unnamed(_)).then(|| quote!(#name: ())),
                }
            });
            let members: Vec<_> = members.collect();
            quote!(#number => #private::Some(#one::#name { #(#members,)* }))
        });
        let other = data.other().map(|variant| variant.ident);
        let rest = match other {
            Some(other) => quote!(#private::Some(#one::#other {})),
            None => quote!(#private::None),
        };
        let cuts = columns.iter().map(|(column, _)| {
            let ident = &column.ident;
            quote!(#ident: self.#ident)
        });
        let empties = columns.iter().map(|(column, part)| {
            let (ident, empty) = (&column.ident, &part.empty);
            quote!(#ident: #empty)
        });
        let impls = [
            self.copies(one),
            self.copies(many),
            quote! {
                impl #parameters #private::fmt::Debug for #one #arguments #bounds {
                    fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                        match self { #(#debugs)* }
                    }
                }
            },
            self.slices(
                &quote!(#private::LentSwitches::count(self.__switches)),
                &quote! {
                    let (__number, __index) = #private::LentSwitches::at(self.__switches, __index)?;
                    match __number {
                        #(#gets,)*
                        _ => #rest,
                    }
                },
                &quote! {
                    let __switches = #private::LentSwitches::part(self.__switches, __range)?;
                    #private::Some(Self { __switches, #(#cuts,)* __of: #private::PhantomData })
                },
                &quote!(Self { __switches: #private::LentSwitches::empty(), #(#empties,)* __of: #private::PhantomData }),
            ),
            self.borrowed(
                &self.borrow_variant(&alternatives, &numbers, other),
                &self.borrow_variants(&alternatives, &numbers, other.is_some()),
            ),
        ];
        Borrowing { types, impls: impls.into_iter().collect() }
    }

    /// One value of an enum.
    fn borrow_variant(
        &self,
        alternatives: &[variant::Alternative<'_>],
        numbers: &[Ident],
        other: Option<&Ident>,
    ) -> TokenStream {
        let (private, one) = (self.input.private(), &self.one);
        let last = alternatives.len().saturating_sub(1);
        let arms = alternatives.iter().map(|alternative| {
            let jump = self.jump(alternative, &quote!(__active.jump));
            let reads = alternative.of(Side::Read).map(|column| {
                let (local, value) = (column.local(), self.read_one(column, numbers));
                quote_spanned!(column.span=> let #local = #value;)
            });
            let members = self.locals(alternative);
            let pattern = match alternative.number == last && other.is_none() {
                true => quote!(_),
                false => Literal::usize_unsuffixed(alternative.number).into_token_stream(),
            };
            let name = alternative.variant.ident;
            quote!(#pattern => { #jump #(#reads)* #private::Ok(#one::#name { #(#members,)* }) })
        });
        let (next, rest) = match other {
            Some(other) => (quote!(next_or_other), Some(quote!(_ => #private::Ok(#one::#other {}),))),
            None => (quote!(next), None),
        };
        quote! {
            let __active = #private::VariantReader::#next(&mut __columns.__switch)?;
            match __active.number { #(#arms)* #rest }
        }
    }

    /// Many values of an enum.
    fn borrow_variants(
        &self,
        alternatives: &[variant::Alternative<'_>],
        numbers: &[Ident],
        has_other: bool,
    ) -> TokenStream {
        let (private, many) = (self.input.private(), &self.many);
        let spans: Vec<_> =
            alternatives.iter().map(|alternative| format_ident!("__span_{}", alternative.number)).collect();
        let reads = alternatives.iter().zip(&spans).map(|(alternative, span)| {
            let jump = self.jump(alternative, &quote!(#span.jump));
            let reads = alternative.of(Side::Read).map(|column| {
                let (local, value) = (column.local(), self.read_span(column, numbers, span));
                quote_spanned!(column.span=> let #local = #value;)
            });
            quote!(#jump #(#reads)*)
        });
        let slices = alternatives.iter().flat_map(|alternative| alternative.of(Side::Read)).map(|column| {
            let (ident, local) = (&column.ident, column.local());
            quote!(#ident: #local)
        });
        quote! {
            let (__switches, [#(#spans,)*]) =
                #private::VariantReader::next_many(&mut __columns.__switch, __count, #has_other)?;
            #(#reads)*
            #private::Ok(#many { __switches, #(#slices,)* __of: #private::PhantomData })
        }
    }

    /// Statements by which the columns of an alternative go to their place.
    fn jump(&self, alternative: &variant::Alternative<'_>, position: &TokenStream) -> Option<TokenStream> {
        let private = self.input.private();
        let mut columns = alternative.of(Side::Read).peekable();
        columns.peek()?;
        let seeks = columns.map(|Column { ident, span, .. }| {
            let private = self.input.private_at(*span);
            quote_spanned!(*span=> #private::Attach::seek(&mut __columns.#ident, __position)?;)
        });
        Some(quote!(if let #private::Some(__position) = #position { #(#seeks)* }))
    }

    /// The members of a variant, whose values are local variables.
    fn locals(&self, alternative: &variant::Alternative<'_>) -> Vec<TokenStream> {
        let members = alternative.variant.members.iter().filter_map(|member| {
            let name = &member.member;
            match alternative.of(Side::Read).find(|column| column.member.member == *name).map(Column::local) {
                Some(local) => Some(quote!(#name: #local)),
                None => matches!(name, syn::Member::Unnamed(_)).then(|| quote!(#name: ())),
            }
        });
        members.collect()
    }

    fn of_plain_enum(&self, data: &Enum<'_>) -> TokenStream {
        let (input, ident) = (self.input, self.input.ident);
        let (private, this, name) = (input.private(), input.this(), input.name());
        let Some(integers) = plain_enum::Integers::of(input, data) else { return TokenStream::new() };
        let (integer, read, widen) = (&integers.own, &integers.read, &integers.widen);
        let (generics, arguments, _) = input.generics.split_for_impl();
        let arguments = arguments.as_turbofish();
        let bounds = bound::lent_itself(input);
        let variants: Vec<_> = data.variants.iter().map(|variant| variant.ident).collect();
        let rest = match data.other() {
            Some(other) => {
                let other = other.ident;
                quote!(#private::Some(#ident::#other))
            }
            None => quote!(#private::None),
        };
        quote! {
            #[automatically_derived]
            impl #generics #private::PlainEnum for #this #bounds {
                type Integer = #read;

                const NAME: &'static str = #name;

                #[inline]
                fn from_integer(__integer: #read) -> #private::Option<Self> {
                    match __integer {
                        #(__integer if __integer == #ident #arguments::#variants as #integer #widen => {
                            #private::Some(#ident::#variants)
                        })*
                        _ => #rest,
                    }
                }
            }

            #[automatically_derived]
            impl #generics #private::Borrowed for #this #bounds {
                type Ref<'a> = Self;
                type Slice<'a> = #private::EnumSlice<'a, Self>;

                #[inline]
                fn borrow(
                    __columns: &mut <Self as #private::ReadField>::Reader,
                ) -> #private::Result<Self::Ref<'_>> {
                    #private::FieldReader::<Self>::read(__columns)
                }

                #[inline]
                fn borrow_many(
                    __columns: &mut <Self as #private::ReadField>::Reader,
                    __count: #private::usize,
                ) -> #private::Result<Self::Slice<'_>> {
                    #private::PlainEnumReader::next_many(__columns, __count)
                }
            }
        }
    }

    /// The parameters, arguments and where-clause of the types.
    fn parts_of_generics(&self) -> (TokenStream, TokenStream, TokenStream) {
        let (parameters, arguments, _) = self.generics.split_for_impl();
        let bounds = bound::borrowed(self.input, &self.input.runtime());
        (parameters.to_token_stream(), arguments.to_token_stream(), bounds)
    }

    /// A member as it is lent; `None` if nothing of it is read, and it needs no place.
    fn member(&self, member: &Member<'_>, is_tuple: bool) -> Option<Part> {
        self.member_as(member, is_tuple, &member.member)
    }

    fn member_as(&self, member: &Member<'_>, is_tuple: bool, name: &impl quote::ToTokens) -> Option<Part> {
        let input = self.input;
        let own = name.to_token_stream();
        let name = moved(own.clone(), member.span());
        if !member.has_columns(Side::Read) {
            let nothing = quote!(());
            return is_tuple.then(|| Part {
                own,
                name,
                one: nothing.clone(),
                many: nothing.clone(),
                get: nothing.clone(),
                part: nothing.clone(),
                empty: nothing,
                is_owned: false,
                is_certain: false,
                doc: String::new(),
                vis: TokenStream::new(),
                span: member.span(),
            });
        }
        let (ty, span) = (placed(input, member), member.span());
        let (private, runtime) = (input.private_at(span), input.runtime());
        let is_owned = member.is_owned(input);
        let doc = member.attrs.description.as_ref().map(|text| text.value.clone());
        let doc = doc.unwrap_or_else(|| format!("`{name}` of [`{}`]", input.name()));
        let (one, many, get, part, empty) = match is_owned {
            true => (
                quote!(&'a #ty),
                quote!(&'a [#ty]),
                quote!(<[_]>::get(self.#name, __index)?),
                quote!(<[_]>::get(self.#name, #private::Clone::clone(&__range))?),
                quote!(&[]),
            ),
            false => (
                quote_spanned!(span=> <#ty as #runtime::Borrowed>::Ref<'a>),
                quote_spanned!(span=> <#ty as #runtime::Borrowed>::Slice<'a>),
                quote_spanned!(span=> #private::Many::get(self.#name, __index)?),
                quote_spanned!(span=> #private::Many::part(self.#name, #private::Clone::clone(&__range))?),
                quote_spanned!(span=> #private::Many::empty()),
            ),
        };
        let vis = member.vis.to_token_stream();
        let is_certain = is_owned || is_certain(member.ty);
        Some(Part { own, name, one, many, get, part, empty, is_owned, is_certain, doc, vis, span })
    }

    /// Whether the members leave parameters unused.
    fn needs_marker(&self, members: &[Member<'_>]) -> bool {
        let mut read = members.iter().filter(|member| member.has_columns(Side::Read)).peekable();
        if read.peek().is_none() {
            return true;
        }
        let used = |parameter: &Ident| {
            let mut alone = Generics::default();
            alone.params.push(GenericParam::Type(parameter.clone().into()));
            read.clone().any(|member| mentions(member.ty, &alone).parameter)
        };
        !self.input.generics.type_params().all(|parameter| used(&parameter.ident))
    }

    /// The next value of a column, lent.
    fn read_one(&self, column: &Column<'_>, numbers: &[Ident]) -> TokenStream {
        let input = self.input;
        let (ident, span, ty) = (&column.ident, column.span, placed(input, column.member));
        let private = input.private_at(span);
        let reader = self.reader(column, None);
        if !column.member.is_owned(input) {
            return quote_spanned!(span=> <#ty as #private::Borrowed>::borrow(#reader)?);
        }
        let rows = rows(ident, numbers);
        if is_read_as_it_is(input, column) {
            return quote_spanned!(span=> #private::LentRows::read(&mut #rows, #reader)?);
        }
        let value = read::value_of(input, column, "__columns");
        quote_spanned!(span=> { let __value: #ty = #value; #private::LentRows::keep(&mut #rows, __value) })
    }

    /// The next `__count` values of a column, lent.
    fn read_many(&self, column: &Column<'_>, numbers: &[Ident]) -> TokenStream {
        let input = self.input;
        let (ident, span, ty) = (&column.ident, column.span, placed(input, column.member));
        let private = input.private_at(span);
        let reader = self.reader(column, None);
        if !column.member.is_owned(input) {
            return quote_spanned!(span=> <#ty as #private::Borrowed>::borrow_many(#reader, __count)?);
        }
        let rows = rows(ident, numbers);
        if is_read_as_it_is(input, column) {
            return quote_spanned!(span=> #private::LentRows::read_many(&mut #rows, #reader, __count)?);
        }
        self.keep_many(column, &rows, &quote!(__count))
    }

    /// The values of a span of a column of an alternative, lent.
    fn read_span(&self, column: &Column<'_>, numbers: &[Ident], of: &Ident) -> TokenStream {
        let input = self.input;
        let (ident, span, ty) = (&column.ident, column.span, placed(input, column.member));
        let private = input.private_at(span);
        let reader = self.reader(column, Some(of));
        if !column.member.is_owned(input) {
            return quote_spanned! {span=>
                match #of.count {
                    0 => #private::Many::empty(),
                    __count => <#ty as #private::Borrowed>::borrow_many(#reader, __count)?,
                }
            };
        }
        let rows = rows(ident, numbers);
        let read = match is_read_as_it_is(input, column) {
            true => quote_spanned!(span=> #private::LentRows::read_many(&mut #rows, #reader, __count)?),
            false => {
                let kept = self.keep_many(column, &rows, &quote!(__count));
                quote_spanned!(span=> { let _ = #reader; #kept })
            }
        };
        quote_spanned! {span=>
            match #of.count {
                0 => &[][..],
                __count => #read,
            }
        }
    }

    /// Values that are converted, one by one.
    fn keep_many(&self, column: &Column<'_>, rows: &TokenStream, count: &TokenStream) -> TokenStream {
        let (input, span) = (self.input, column.span);
        let (private, ty) = (input.private_at(span), placed(input, column.member));
        let value = read::value_of(input, column, "__columns");
        // No closure: in older editions it would take hold of all columns.
        quote_spanned! {span=> {
            #private::LentRows::clear(&mut #rows);
            let mut __left: #private::usize = #count;
            while __left > 0 {
                let __value: #ty = #value;
                #private::LentRows::push(&mut #rows, __value);
                __left -= 1;
            }
            #private::LentRows::list(&#rows)
        }}
    }

    /// The reader of a column's own type.
    fn reader(&self, column: &Column<'_>, of: Option<&Ident>) -> TokenStream {
        let (ident, span) = (&column.ident, column.span);
        let private = self.input.private_at(span);
        match (column.is_alternative, of) {
            (false, _) => quote_spanned!(span=> &mut __columns.#ident),
            (true, None) => quote_spanned!(span=> #private::DefaultReader::present(&mut __columns.#ident)?),
            (true, Some(of)) => {
                quote_spanned!(span=> #private::DefaultReader::spanned(&mut __columns.#ident, &#of)?)
            }
        }
    }

    /// `Clone` and `Copy`, whatever the parameters are.
    fn copies(&self, ident: &Ident) -> TokenStream {
        let private = self.input.private();
        let (parameters, arguments, bounds) = self.parts_of_generics();
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
    }

    /// What slices can, from the bodies of `len`, `get`, `part` and `empty`.
    fn slices(
        &self,
        len: &TokenStream,
        get: &TokenStream,
        part: &TokenStream,
        empty: &TokenStream,
    ) -> TokenStream {
        let (private, one, many) = (self.input.private(), &self.one, &self.many);
        let (parameters, arguments, bounds) = self.parts_of_generics();
        let vis = self.input.vis;
        quote! {
            impl #parameters #private::Many for #many #arguments #bounds {
                type One = #one #arguments;
                type Array<const __N: #private::usize> = Self;

                #[inline]
                fn empty() -> Self {
                    #empty
                }

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
                    if #private::Many::len(self) == __N { #private::Some(self) } else { #private::None }
                }
            }

            #[allow(dead_code)]
            impl #parameters #many #arguments #bounds {
                /// The number of values.
                #[inline]
                #vis fn len(self) -> #private::usize {
                    #private::Many::len(self)
                }

                /// Whether there are none.
                #[inline]
                #vis fn is_empty(self) -> #private::bool {
                    #private::Many::is_empty(self)
                }

                /// Value `index`; `None` beyond the last.
                #[inline]
                #vis fn get(self, index: #private::usize) -> #private::Option<#one #arguments> {
                    #private::Many::get(self, index)
                }

                /// The values in order.
                #[inline]
                #vis fn iter(self) -> #private::Iter<Self> {
                    #private::Iter::new(self)
                }
            }

            impl #parameters #private::IntoIterator for #many #arguments #bounds {
                type Item = #one #arguments;
                type IntoIter = #private::Iter<Self>;

                #[inline]
                fn into_iter(self) -> #private::Iter<Self> {
                    #private::Iter::new(self)
                }
            }

            impl #parameters #private::fmt::Debug for #many #arguments #bounds {
                fn fmt(&self, __f: &mut #private::fmt::Formatter<'_>) -> #private::fmt::Result {
                    #private::fmt_many(*self, __f)
                }
            }
        }
    }

    /// The impl of `Borrowed`, from the bodies of its functions.
    fn borrowed(&self, borrow: &TokenStream, borrow_many: &TokenStream) -> TokenStream {
        let (input, one, many) = (self.input, &self.one, &self.many);
        let (private, this) = (input.private(), input.this());
        let (generics, _, _) = input.generics.split_for_impl();
        let (_, arguments, _) = self.parts_of_generics();
        let bounds = bound::borrowed_from(input);
        let never = quote!(match *__columns {});
        let (borrow, borrow_many) = match self.connected {
            Connected::Soundly => (borrow, borrow_many),
            Connected::Never => (&never, &never),
        };
        quote! {
            #[automatically_derived]
            impl #generics #private::Borrowed for #this #bounds {
                type Ref<'a> = #one #arguments;
                type Slice<'a> = #many #arguments;

                #[inline]
                #[allow(unused_variables)]
                fn borrow(
                    __columns: &mut <Self as #private::ReadField>::Reader,
                ) -> #private::Result<Self::Ref<'_>> {
                    #borrow
                }

                #[inline]
                #[allow(unused_variables)]
                fn borrow_many(
                    __columns: &mut <Self as #private::ReadField>::Reader,
                    __count: #private::usize,
                ) -> #private::Result<Self::Slice<'_>> {
                    #borrow_many
                }
            }
        }
    }
}

impl Part {
    /// Whether it only keeps the numbers of others.
    fn is_filler(&self) -> bool {
        self.doc.is_empty()
    }

    /// Whether it is part of what is shown: what is owned need not be `Debug`.
    fn is_shown(&self) -> bool {
        !self.is_owned && !self.is_filler()
    }

    fn declared(&self, is_tuple: bool, ty: &TokenStream) -> TokenStream {
        let Self { own: name, vis, doc, .. } = self;
        let doc = (!self.is_filler()).then(|| quote!(#[doc = #doc]));
        if is_tuple { quote!(#doc #vis #ty) } else { quote!(#doc #vis #name: #ty) }
    }

    fn declared_in_variant(&self, is_tuple: bool) -> TokenStream {
        let Self { own: name, one, doc, .. } = self;
        if is_tuple { quote!(#one) } else { quote!(#[doc = #doc] #name: #one) }
    }
}

/// Whether values of a type of this name can be lent.
fn is_certain(ty: &syn::Type) -> bool {
    last_word(ty).is_some_and(|word| word == "String" || SCALARS.iter().any(|scalar| word == scalar))
}

/// Statements that show a struct or variant of these parts.
fn debug(
    private: &TokenStream,
    name: &Ident,
    parts: &[Part],
    is_tuple: bool,
    value: impl Fn(&Part) -> TokenStream,
) -> TokenStream {
    let title = name.to_string();
    let title = title.trim_start_matches("r#");
    let begin = if is_tuple { quote!(debug_tuple) } else { quote!(debug_struct) };
    let shown = parts.iter().filter(|part| part.is_shown()).map(|part| {
        let (text, value) = (part.name.to_string(), value(part));
        let text = text.trim_start_matches("r#");
        let text = (!is_tuple).then(|| quote!(#text,));
        quote_spanned!(part.span=> let __debug = __debug.field(#text #value);)
    });
    let finish = match parts.iter().any(|part| part.is_owned) {
        true => quote!(finish_non_exhaustive),
        false => quote!(finish),
    };
    quote! {
        let mut __debug = #private::fmt::Formatter::#begin(__f, #title);
        let __debug = &mut __debug;
        #(#shown)*
        __debug.#finish()
    }
}

/// A member's type, all of it at one place, else the compiler tells of a mistake in it once more.
fn placed(input: &Input<'_>, member: &Member<'_>) -> TokenStream {
    let ty = member.tokens(input);
    // What `$crate` is, only its own span says.
    if ty.to_string().contains('$') {
        return types::at(ty, member.span());
    }
    moved(ty, member.span())
}

/// The tokens, as if they were the macro's own and stood at that place.
fn moved(tokens: TokenStream, span: Span) -> TokenStream {
    let token = |mut token: TokenTree| {
        if let TokenTree::Group(group) = &token {
            token = TokenTree::Group(Group::new(group.delimiter(), moved(group.stream(), span)));
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(token).collect()
}

/// What stands in front of the types.
fn attributes(doc: &str) -> TokenStream {
    quote! {
        #[doc = #doc]
        #[allow(
            dead_code,
            non_snake_case,
            single_use_lifetimes,
            variant_size_differences,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
    }
}

/// The columns whose values the reader keeps, in the order of its rows.
fn owned_numbers(columns: &Columns<'_>) -> Vec<Ident> {
    columns.owned().map(|column| column.ident.clone()).collect()
}

/// The place where the values of a column are kept.
fn rows(ident: &Ident, numbers: &[Ident]) -> TokenStream {
    let number = numbers.iter().position(|other| other == ident).unwrap_or_default();
    let number = Literal::usize_unsuffixed(number);
    quote!(__columns.__rows.#number)
}

/// Whether the reader's values are those of the member.
fn is_read_as_it_is(input: &Input<'_>, column: &Column<'_>) -> bool {
    matches!(column.member.form(Side::Read), Form::Own) && column.member.fallback(input).is_none()
}
