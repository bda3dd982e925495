//! Structs: records of their members; newtypes: the columns of their value.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;

use super::class::ClassName;
use super::columns::{Column, Columns};
use super::connect::{member, members};
use super::declare::{asked, declare, dressed, is_dressed};
use super::impls::{field_impl, halves, implementation};
use super::upgrade::{Connected, read_field};
use super::{flatten, read, write};
use crate::ast::{Input, Shape, Struct};
use crate::side::Side;
use crate::{bound, types};

pub(super) fn expand(input: &Input<'_>, data: &Struct<'_>) -> TokenStream {
    let columns = Columns::of_struct(input, data);
    let (declaration, connected) = match (data.shape, &*columns.list) {
        (Shape::Newtype, [value]) => {
            (newtype_declaration(&columns, value), newtype_connection(&columns, value))
        }
        _ => (declaration(&columns, data), connection(&columns, data)),
    };
    let write = [
        columns.define(Side::Write),
        columns.values_impl(Side::Write, &append(&columns)),
        field_impl(input, Side::Write, &declaration),
    ];
    let read = [
        columns.define(Side::Read),
        columns.values_impl(Side::Read, &reads(&columns, data)),
        read_field(input, &connected),
    ];
    let halves = halves(input, write.into_iter().collect(), read.into_iter().collect());
    let (entry, distinct) = (entry(&columns, data), flatten::check_now(input, &data.members));
    quote!(#halves #entry #distinct)
}

/// Wider structs are entries, not items of collections. For them, a loop over items for each member would be
/// compiled, at a cost to every build, and never run.
const MOST_MEMBERS_OF_ITEMS: usize = 32;

/// The items of `FieldWriter`.
fn append(columns: &Columns<'_>) -> TokenStream {
    let input = columns.input;
    let (private, this) = (input.private(), input.this());
    let one = columns.of(Side::Write).map(|column| {
        let member = &column.member.member;
        write::append(input, column, &quote_spanned!(column.span=> &__value.#member))
    });
    let each = columns.of(Side::Write).map(|column| write::append_each(input, column));
    let (one, each) = (write::sum(one), write::sum(each));
    let one = quote! {
        #[inline]
        fn append(&mut self, __value: &#this) -> #private::usize {
            #one
        }
    };
    if columns.of(Side::Write).count() > MOST_MEMBERS_OF_ITEMS {
        return one;
    }
    quote! {
        #one

        #[inline]
        fn append_each<'__each, __I>(&mut self, __values: __I) -> #private::usize
        where
            #this: '__each,
            __I: #private::ExactSizeIterator<Item = &'__each #this> + #private::Clone,
        {
            #each
        }
    }
}

/// The items of `FieldReader`.
fn reads(columns: &Columns<'_>, data: &Struct<'_>) -> TokenStream {
    let input = columns.input;
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let (mut reads, mut values, mut slots) = (Vec::new(), Vec::new(), Vec::new());
    let mut reclaimed = Vec::new();
    for member in &data.members {
        let (name, span) = (&member.member, member.span());
        let column = columns.of(Side::Read).find(|column| column.member.member == *name);
        let slot = quote_spanned!(span=> __slot.#name);
        if let Some(column) = column {
            let (local, value) = (column.local(), read::value(input, column));
            reads.push(quote_spanned!(span=> let #local = #value;));
            values.push(quote_spanned!(span=> #name: #local));
            slots.push(read::into_slot(input, column, &slot));
            reclaimed.extend(read::reclaim(input, column, &slot));
        } else {
            let absent = read::absent(input, member);
            values.push(quote_spanned!(span=> #name: #absent));
            slots.push(quote_spanned!(span=> #slot = #absent;));
        }
    }
    let reclaim = (!reclaimed.is_empty()).then(|| {
        quote! {
            #[inline]
            fn reclaim(&mut self, __slot: &mut #this) {
                #(#reclaimed)*
            }
        }
    });
    quote! {
        #[inline]
        fn read(&mut self) -> #private::Result<#this> {
            #(#reads)*
            #private::Ok(#ident { #(#values,)* })
        }

        #[inline]
        fn read_into(&mut self, __slot: &mut #this) -> #private::Result<()> {
            #(#slots)*
            #private::Ok(())
        }

        #reclaim
    }
}

/// The items of `WriteField`.
fn declaration(columns: &Columns<'_>, data: &Struct<'_>) -> TokenStream {
    let input = columns.input;
    let private = input.private();
    let (writer, writers) = (Side::Write.ident(input.ident), columns.concrete(Side::Write));
    let name = ClassName::of(input).optional(&private);
    let field = quote!(__field);
    // Bases stand in front of all members (format, section 9.2).
    let is_base = |column: &&Column<'_>| column.member.attrs.base.is_some();
    let written = || columns.of(Side::Write);
    let ordered = written().filter(is_base).chain(written().filter(|column| !is_base(column)));
    let declared = ordered.map(|column| {
        let (ident, declared) = (&column.ident, declare(input, column.member, &field));
        quote_spanned!(column.span=> #ident: #declared)
    });
    let distinct = flatten::check_in_use(input, &data.members);
    let projections = projections(input);
    quote! {
        type Writer = #writers;

        fn type_name() -> #private::TypeName {
            #name
        }

        fn declare(__field: &mut #private::FieldBuilder<'_>) -> Self::Writer {
            #distinct
            #private::FieldBuilder::record_of(__field, <Self as #private::WriteField>::type_name);
            #projections
            #writer { #(#declared,)* __rntuple_end: () }
        }
    }
}

/// Statements that add the projected fields, which stand behind the others wherever they are said.
fn projections(input: &Input<'_>) -> TokenStream {
    let calls = input.attrs.projections.iter().map(|projection| {
        let span = projection.ty.span().resolved_at(Span::call_site());
        let private = input.private_at(span);
        let (name, source) = (&projection.name.value, &projection.source.value);
        let spelled = types::spelled(projection.ty.to_token_stream());
        let ty = types::without_self(projection.ty.to_token_stream(), &input.this());
        quote_spanned!(span=> #private::FieldBuilder::project::<#ty>(__field, #name, #spelled, #source);)
    });
    calls.collect()
}

/// What `ReadField` needs.
fn connection(columns: &Columns<'_>, data: &Struct<'_>) -> Connected {
    let input = columns.input;
    let private = input.private();
    let parent = format_ident!("__record");
    let found: Vec<_> = columns.of(Side::Read).map(|column| member(input, column, &parent)).collect();
    let connected = members(&private, &parent, &found);
    let known = input.attrs.deny_unknown_fields.map(|_| {
        let names = data.members.iter().filter(|member| member.is_stored()).flat_map(|member| {
            let aliases = member.attrs.aliases.iter().map(|alias| &alias.value);
            std::iter::once(&member.name.value).chain(aliases)
        });
        quote!(#private::FieldNode::deny_others(__record, &[#(#names),*]);)
    });
    let body = quote! {
        let __record = #private::FieldNode::expect(__field, #private::Role::Record, "a record")?;
        #known
        #connected
    };
    Connected::plain(columns.concrete(Side::Read), body)
}

/// As [`declaration`], for what is stored as the value inside it: alone, in arrays, and by name.
fn newtype_declaration(columns: &Columns<'_>, value: &Column<'_>) -> TokenStream {
    let input = columns.input;
    let private = input.private();
    let (writer, writers) = (Side::Write.ident(input.ident), columns.concrete(Side::Write));
    let ident = &value.ident;
    let write = |item| implementation(input, value.member, Side::Write, item);
    let (type_name, array_type_name) = (write("type_name"), write("array_type_name"));
    let (declare, declare_array) = (write("declare"), write("declare_array"));
    let (attrs, span) = (&value.member.attrs, value.span);
    let field = if is_dressed(attrs) {
        let builder = dressed(input, quote!(#private::FieldBuilder::again(__field)), None, attrs);
        quote!(&mut #builder)
    } else {
        quote!(__field)
    };
    let one = quote_spanned!(span=> #ident: #declare(#field));
    let many = quote_spanned!(span=> #ident: #declare_array(#field, __count));
    quote! {
        type Writer = #writers;

        fn type_name() -> #private::TypeName {
            #type_name()
        }

        fn declare(__field: &mut #private::FieldBuilder<'_>) -> Self::Writer {
            #writer { #one, __rntuple_end: () }
        }

        fn array_type_name(__count: #private::usize) -> #private::TypeName {
            #array_type_name(__count)
        }

        fn declare_array(
            __field: &mut #private::FieldBuilder<'_>,
            __count: #private::usize,
        ) -> Self::Writer {
            #writer { #many, __rntuple_end: () }
        }
    }
}

/// As [`connection`], for what is stored as the value inside it.
fn newtype_connection(columns: &Columns<'_>, value: &Column<'_>) -> Connected {
    let input = columns.input;
    let private = input.private();
    let (place, span) = (value.place(), value.span);
    let node = asked(input, &value.member.attrs, quote!(__field));
    let placed = |connect: TokenStream, array: Option<TokenStream>| {
        if value.member.can_fail() {
            let connect = match &array {
                Some(count) => quote!(|__field, __reader| #connect(__field, #count, __reader)),
                None => connect,
            };
            quote_spanned!(span=> #private::PlacedReader::connect(#place, #node, #connect))
        } else {
            let count = array.map(|count| quote!(#count,));
            quote_spanned!(span=> #connect(#node, #count #place))
        }
    };
    let one = placed(implementation(input, value.member, Side::Read, "connect"), None);
    let many =
        placed(implementation(input, value.member, Side::Read, "connect_array"), Some(quote!(__count)));
    let is_option = implementation(input, value.member, Side::Read, "IS_OPTION");
    let is_option = quote!(const IS_OPTION: #private::bool = #is_option;);
    let items = quote! {
        fn connect_array(
            __field: #private::FieldNode<'_>,
            __count: #private::usize,
            __reader: &mut Self::Reader,
        ) -> #private::Result<()> {
            #many
        }
    };
    Connected { readers: columns.concrete(Side::Read), body: one, is_option, items }
}

/// What makes a struct an entry.
fn entry(columns: &Columns<'_>, data: &Struct<'_>) -> TokenStream {
    if data.shape != Shape::Named || columns.list.is_empty() {
        return TokenStream::new();
    }
    let input = columns.input;
    let (private, this) = (input.private(), input.this());
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::entry(input);
    let members = flatten::members(input, &data.members);
    quote! {
        #[automatically_derived]
        impl #generics #private::Entry for #this #bounds {
            #members
        }
    }
}
