//! Enums with data: a switch, and the columns of every alternative.

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};

use syn::ext::IdentExt as _;

use super::class::ClassName;
use super::columns::{Column, Columns};
use super::connect::{kept, member, members};
use super::declare::{connect, declare, dressed};
use super::impls::{field_impl, halves, implementation};
use super::upgrade::{Connected, read_field};
use super::{flatten, read, write};
use crate::ast::{Enum, Input, Member, Shape, Variant};
use crate::attr::Spanned;
use crate::side::Side;

/// A variant and its columns.
pub(super) struct Alternative<'a> {
    /// Its number on storage.
    pub(super) number: usize,
    pub(super) variant: &'a Variant<'a>,
    columns: &'a [Column<'a>],
}

/// The columns of all variants.
pub(super) fn columns<'a>(input: &'a Input<'a>, data: &'a Enum<'a>) -> Columns<'a> {
    let mut list = Vec::new();
    let mut count = 0;
    for (number, variant) in data.alternatives() {
        list.extend(stored(variant).map(|member| Column::new(member, Some(number))));
        count += 1;
    }
    Columns { input, list, alternatives: Some(count) }
}

fn stored<'a>(variant: &'a Variant<'a>) -> impl Iterator<Item = &'a Member<'a>> {
    variant.members.iter().filter(|member| member.is_stored())
}

/// The variants that are stored, by number, each with its part of the [`columns`].
pub(super) fn alternatives<'a>(columns: &'a Columns<'a>, data: &'a Enum<'a>) -> Vec<Alternative<'a>> {
    let mut rest = &*columns.list;
    let mut alternatives = Vec::new();
    for (number, variant) in data.alternatives() {
        let (columns, others) = rest.split_at_checked(stored(variant).count()).unwrap_or_default();
        rest = others;
        alternatives.push(Alternative { number, variant, columns });
    }
    alternatives.sort_by_key(|alternative| alternative.number);
    alternatives
}

pub(super) fn expand(input: &Input<'_>, data: &Enum<'_>) -> TokenStream {
    let columns = columns(input, data);
    let alternatives = alternatives(&columns, data);
    let other = data.other();
    let write = [
        columns.define(Side::Write),
        columns.values_impl(Side::Write, &append(input, &alternatives, other)),
        field_impl(input, Side::Write, &declaration(&columns, &alternatives)),
    ];
    let connected = connection(&columns, &alternatives, other.is_some());
    let read = [
        columns.define(Side::Read),
        columns.values_impl(Side::Read, &reads(input, &alternatives, other)),
        read_field(input, &connected),
    ];
    let halves = halves(input, write.into_iter().collect(), read.into_iter().collect());
    let distinct = data.variants.iter().map(|variant| flatten::check_now(input, &variant.members));
    quote!(#halves #(#distinct)*)
}

/// The items of `FieldWriter`.
fn append(input: &Input<'_>, alternatives: &[Alternative<'_>], other: Option<&Variant<'_>>) -> TokenStream {
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let arms = alternatives.iter().map(|alternative| {
        let (variant, tag) = (alternative.variant.ident, Literal::usize_unsuffixed(alternative.number));
        let columns = alternative.of(Side::Write);
        let bindings = columns.clone().map(|column| {
            let (member, local) = (&column.member.member, column.local());
            quote_spanned!(column.span=> #member: #local)
        });
        let lengths = columns.map(|column| write::append(input, column, &column.local().into_token_stream()));
        quote! {
            #ident::#variant { #(#bindings,)* .. } => {
                let mut __length = #private::VariantWriter::append(&mut self.__switch, #tag);
                #(__length += #lengths;)*
                __length
            }
        }
    });
    let other = other.map(|Variant { ident: other, .. }| {
        quote!(#ident::#other { .. } => #private::VariantWriter::append_none(&mut self.__switch),)
    });
    quote! {
        #[inline]
        #[allow(unused_mut)]
        fn append(&mut self, __value: &#this) -> #private::usize {
            match __value {
                #(#arms)*
                #other
            }
        }
    }
}

/// The items of `FieldReader`.
fn reads(input: &Input<'_>, alternatives: &[Alternative<'_>], other: Option<&Variant<'_>>) -> TokenStream {
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let last = alternatives.len().saturating_sub(1);
    let arms = alternatives.iter().map(|alternative| {
        let number = alternative.number;
        let columns = alternative.of(Side::Read);
        let seek = columns.clone().map(|Column { ident, span, .. }| {
            let private = input.private_at(*span);
            quote_spanned!(*span=> #private::Attach::seek(&mut self.#ident, __to)?;)
        });
        let jump = columns.clone().next().map(|_| {
            quote! {
                if let #private::Some(__position) = __active.jump {
                    let __to = #private::Position::at(__position);
                    #(#seek)*
                }
            }
        });
        let reads = columns.clone().map(|column| {
            let (local, value) = (column.local(), read::value(input, column));
            quote_spanned!(column.span=> let #local = #value;)
        });
        let values = alternative.variant.members.iter().map(|member| {
            let (name, span) = (&member.member, member.span());
            match columns.clone().find(|column| column.member.member == *name).map(Column::local) {
                Some(local) => quote_spanned!(span=> #name: #local),
                None => {
                    let absent = read::absent(input, member);
                    quote_spanned!(span=> #name: #absent)
                }
            }
        });
        // The switch has checked the number, so the last arm stands for one alternative like the others.
        let pattern = if number == last && other.is_none() {
            quote!(_)
        } else {
            let number = Literal::usize_unsuffixed(number);
            quote!(#number)
        };
        let variant = alternative.variant.ident;
        quote! {
            #pattern => {
                #jump
                #(#reads)*
                #private::Ok(#ident::#variant { #(#values,)* })
            }
        }
    });
    let (next, other) = match other {
        None => (quote!(next), None),
        Some(Variant { ident: other, .. }) => {
            (quote!(next_or_other), Some(quote!(_ => #private::Ok(#ident::#other {}),)))
        }
    };
    quote! {
        #[inline]
        fn read(&mut self) -> #private::Result<#this> {
            let __active = #private::VariantReader::#next(&mut self.__switch)?;
            match __active.number {
                #(#arms)*
                #other
            }
        }
    }
}

impl<'a> Alternative<'a> {
    /// Its columns.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Column<'a>> {
        self.columns.iter()
    }

    pub(super) fn of(&self, side: Side) -> impl Iterator<Item = &'a Column<'a>> + Clone {
        self.columns.iter().filter(move |column| column.member.has_columns(side))
    }

    /// The one value that it is stored as.
    fn value(&self) -> Option<&'a Column<'a>> {
        match (self.variant.shape, self.columns) {
            (Shape::Newtype, [value]) => Some(value),
            _ => None,
        }
    }

    /// Its type's name, an expression.
    fn type_name(&self, input: &Input<'_>, class: &ClassName) -> TokenStream {
        let private = input.private();
        match (self.value(), &self.variant.attrs.type_name) {
            (Some(value), _) => {
                let type_name = implementation(input, value.member, Side::Write, "type_name");
                quote_spanned!(value.span=> #type_name())
            }
            (None, Some(name)) => {
                let name = &name.value;
                quote!(#private::TypeName::typed(#name))
            }
            // Not the name that is kept, which need be none of C++.
            (None, None) => class.nested(&self.variant.ident.unraw().to_string(), &private),
        }
    }

    /// The name that Rust knows it by, and what else is said about it: C++ has only numbers.
    fn description(&self) -> String {
        let name = &self.variant.name;
        let value = self.value().and_then(|value| value.member.attrs.description.as_ref());
        match value.or(self.variant.attrs.description.as_ref()) {
            Some(Spanned { value: text, .. }) => format!("{name}: {text}"),
            None => name.clone(),
        }
    }

    /// Local variables for its columns, as a pattern.
    fn locals(&self, side: Side) -> TokenStream {
        let locals = self.of(side).map(Column::local);
        quote!((#(#locals,)*))
    }

    /// A tuple of its declared columns.
    fn declare(&self, input: &Input<'_>, class: &ClassName) -> TokenStream {
        let private = input.private();
        let name = format!("_{}", self.number);
        let (field, description) = (quote!(__field), self.description());
        let builder = quote! {
            #private::FieldBuilder::description(#private::FieldBuilder::subfield(#field, #name), #description)
        };
        if let Some(value) = self.value() {
            let declare = implementation(input, value.member, Side::Write, "declare");
            let builder = dressed(input, builder, None, &value.member.attrs);
            return quote_spanned!(value.span=> (#declare(&mut #builder),));
        }
        let type_name = self.type_name(input, class);
        let parent = quote!(&mut __alternative);
        let members = self.of(Side::Write).map(|column| declare(input, column.member, &parent));
        let distinct = flatten::check_in_use(input, &self.variant.members);
        quote! {{
            #distinct
            let mut __alternative = #builder;
            #private::FieldBuilder::record(&mut __alternative, &#type_name);
            (#(#members,)*)
        }}
    }

    /// An expression of type `Result<()>`, which finds its columns.
    fn connect(&self, input: &Input<'_>) -> TokenStream {
        let private = input.private();
        let name = format!("_{}", self.number);
        if let Some(value) = self.value() {
            let connect = connect(input, value, &format_ident!("__place"), &name);
            return quote_spanned! {value.span=> {
                let __place = #private::FieldNode::place_of(__field, #name);
                #connect
            }};
        }
        let wanted = format!("the record `{}::{}`", input.name(), self.variant.name);
        let parent = format_ident!("__record");
        let found: Vec<_> = self.of(Side::Read).map(|column| member(input, column, &parent)).collect();
        let connected = members(&private, &parent, &found);
        quote! {
            #private::Result::and_then(
                #private::FieldNode::expect(
                    #private::FieldNode::alternative(__field, #name),
                    #private::Role::Record,
                    #wanted,
                ),
                |__record| { #connected },
            )
        }
    }
}

/// The items of `WriteField`.
fn declaration(columns: &Columns<'_>, alternatives: &[Alternative<'_>]) -> TokenStream {
    let input = columns.input;
    let (private, class) = (input.private(), ClassName::of(input));
    let (writer, writers) = (Side::Write.ident(input.ident), columns.concrete(Side::Write));
    let names = alternatives.iter().map(|alternative| alternative.type_name(input, &class));
    let declared = alternatives.iter().map(|alternative| {
        let (locals, columns) = (alternative.locals(Side::Write), alternative.declare(input, &class));
        quote!(let #locals = #columns;)
    });
    let members = columns.of(Side::Write).map(|column| {
        let (ident, local) = (&column.ident, column.local());
        quote!(#ident: #local)
    });
    quote! {
        type Writer = #writers;

        fn type_name() -> #private::TypeName {
            #private::TypeName::template("std::variant", [#(&#names),*])
        }

        fn declare(__field: &mut #private::FieldBuilder<'_>) -> Self::Writer {
            let __switch = #private::VariantWriter::declare(__field, &<Self as #private::WriteField>::type_name());
            #(#declared)*
            #writer { __switch, #(#members,)* __rntuple_end: () }
        }
    }
}

/// What `ReadField` needs.
fn connection(columns: &Columns<'_>, alternatives: &[Alternative<'_>], has_other: bool) -> Connected {
    let input = columns.input;
    let private = input.private();
    let names = alternatives.iter().map(|alternative| &alternative.variant.name);
    let switch = quote! {
        #private::VariantReader::connect(&mut __reader.__switch, __field, [#(#names),*], #has_other)
    };
    let connected = alternatives.iter().map(|alternative| alternative.connect(input));
    let found: Vec<_> =
        std::iter::once(switch).chain(connected).map(|result| kept(&private, &result)).collect();
    let connected = members(&private, &format_ident!("__field"), &found);
    let body = quote! {
        let __field = #private::FieldNode::expect(__field, #private::Role::Variant, "a variant")?;
        #connected
    };
    Connected::plain(columns.concrete(Side::Read), body)
}
