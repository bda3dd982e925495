//! Structs: records of their members; newtypes: the columns of their value.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use super::columns::{Column, Columns};
use super::{ClassName, Side, connect, declare, field_impl, halves, implementation};
use crate::ast::{Input, Shape, Struct};

pub(super) fn expand(input: &Input<'_>, data: &Struct<'_>) -> TokenStream {
    let stored = data.members.iter().filter(|member| member.is_stored());
    let list = stored.map(|member| Column::new(input, member, None)).collect();
    let columns = Columns { input, list, alternatives: None };
    let (declaration, connection) = match (data.shape, &*columns.list) {
        (Shape::Newtype, [value]) => newtype(&columns, value),
        _ => record(&columns),
    };
    let write = [
        columns.define(Side::Write),
        columns.values_impl(Side::Write, &append(&columns)),
        field_impl(input, Side::Write, &declaration),
    ];
    let read = [
        columns.define(Side::Read),
        columns.values_impl(Side::Read, &read(&columns, data)),
        field_impl(input, Side::Read, &connection),
    ];
    let (halves, entry) =
        (halves(input, write.into_iter().collect(), read.into_iter().collect()), entry(&columns, data));
    quote!(#halves #entry)
}

/// The items of `FieldWriter`.
fn append(columns: &Columns<'_>) -> TokenStream {
    let (private, this) = (columns.input.private(), columns.input.this());
    let one = columns.iter().map(|Column { ident, member, span, .. }| {
        let member = &member.member;
        let private = columns.input.private_at(*span);
        quote_spanned!(*span=> #private::FieldWriter::append(&mut self.#ident, &__value.#member))
    });
    let each = columns.iter().map(|Column { ident, member, ty, span, .. }| {
        let member = &member.member;
        let private = columns.input.private_at(*span);
        quote_spanned! {*span=>
            #private::FieldWriter::<#ty>::append_each(
                &mut self.#ident,
                #private::Iterator::map(#private::Clone::clone(&__values), |__value| &__value.#member),
            )
        }
    });
    let (one, each) = (sum(one), sum(each));
    quote! {
        #[inline]
        fn append(&mut self, __value: &#this) -> #private::usize {
            #one
        }

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

/// The sum of lengths. Statements, because a sum of a thousand members nests as deep.
fn sum(lengths: impl ExactSizeIterator<Item = TokenStream>) -> TokenStream {
    if lengths.len() == 0 {
        return quote!(0);
    }
    quote! {
        let mut __length = 0;
        #(__length += #lengths;)*
        __length
    }
}

/// The items of `FieldReader`.
fn read(columns: &Columns<'_>, data: &Struct<'_>) -> TokenStream {
    let input = columns.input;
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let (mut values, mut slots) = (Vec::new(), Vec::new());
    for member in &data.members {
        let (name, span) = (&member.member, member.span());
        let private = input.private_at(span);
        let column = columns.iter().find(|column| column.member.member == *name);
        match column.map(|column| &column.ident) {
            Some(column) => {
                values.push(quote_spanned!(span=> #name: #private::FieldReader::read(&mut self.#column)?));
                slots.push(quote_spanned! {span=>
                    #private::FieldReader::read_into(&mut self.#column, &mut __slot.#name)?;
                });
            }
            None => {
                values.push(quote_spanned!(span=> #name: #private::Default::default()));
                slots.push(quote_spanned!(span=> __slot.#name = #private::Default::default();));
            }
        }
    }
    quote! {
        #[inline]
        fn read(&mut self) -> #private::Result<#this> {
            #private::Ok(#ident { #(#values,)* })
        }

        #[inline]
        fn read_into(&mut self, __slot: &mut #this) -> #private::Result<()> {
            #(#slots)*
            #private::Ok(())
        }
    }
}

/// The items of `WriteField` and of `ReadField`.
fn record(columns: &Columns<'_>) -> (TokenStream, TokenStream) {
    let input = columns.input;
    let private = input.private();
    let (writer, reader) = (Side::Write.ident(input), Side::Read.ident(input));
    let (writers, readers) = (columns.concrete(Side::Write), columns.concrete(Side::Read));
    let name = ClassName::of(input).optional(&private);
    let field = quote!(__field);
    let declared = columns.iter().map(|Column { ident, member, span, .. }| {
        let declared = declare(input, member, &field);
        quote_spanned!(*span=> #ident: #declared)
    });
    let declaration = quote! {
        type Writer = #writers;

        fn type_name() -> #private::TypeName {
            #name
        }

        fn declare(__field: &mut #private::FieldBuilder<'_>) -> Self::Writer {
            #private::FieldBuilder::record(__field, &<Self as #private::WriteField>::type_name());
            #writer { #(#declared,)* __end: () }
        }
    };
    // All members before the first `?` on one of them, so that differences in any are told.
    let parent = format_ident!("__record");
    let found = columns.iter().map(|column| {
        let (local, found) =
            (column.local(), connect(input, column.member, &parent, &column.member.name.value));
        quote_spanned!(column.span=> let #local = #found;)
    });
    let unwrapped = columns.iter().map(|column| {
        let (ident, local) = (&column.ident, column.local());
        quote_spanned!(column.span=> #ident: #local?)
    });
    let connection = quote! {
        type Reader = #readers;

        fn connect(__field: #private::FieldNode<'_>) -> #private::Result<Self::Reader> {
            let __record = #private::FieldNode::expect(__field, #private::Role::Record, "a record")?;
            #(#found)*
            #private::Ok(#reader { #(#unwrapped,)* __end: () })
        }
    };
    (declaration, connection)
}

/// As [`record`], for what is stored as the value inside it: alone, in arrays, and by name.
fn newtype(columns: &Columns<'_>, value: &Column<'_>) -> (TokenStream, TokenStream) {
    let input = columns.input;
    let private = input.private();
    let (writer, reader) = (Side::Write.ident(input), Side::Read.ident(input));
    let (writers, readers) = (columns.concrete(Side::Write), columns.concrete(Side::Read));
    let ident = &value.ident;
    let write = |item| implementation(input, value.member, Side::Write, item);
    let read = |item| implementation(input, value.member, Side::Read, item);
    let (type_name, array_type_name) = (write("type_name"), write("array_type_name"));
    let (declare, declare_array) = (write("declare"), write("declare_array"));
    let (connect, connect_array) = (read("connect"), read("connect_array"));
    let declaration = quote! {
        type Writer = #writers;

        fn type_name() -> #private::TypeName {
            #type_name()
        }

        fn declare(__field: &mut #private::FieldBuilder<'_>) -> Self::Writer {
            #writer { #ident: #declare(__field), __end: () }
        }

        fn array_type_name(__count: #private::usize) -> #private::TypeName {
            #array_type_name(__count)
        }

        fn declare_array(
            __field: &mut #private::FieldBuilder<'_>,
            __count: #private::usize,
        ) -> Self::Writer {
            #writer { #ident: #declare_array(__field, __count), __end: () }
        }
    };
    let connection = quote! {
        type Reader = #readers;

        fn connect(__field: #private::FieldNode<'_>) -> #private::Result<Self::Reader> {
            #private::Ok(#reader { #ident: #connect(__field)?, __end: () })
        }

        fn connect_array(
            __field: #private::FieldNode<'_>,
            __count: #private::usize,
        ) -> #private::Result<Self::Reader> {
            #private::Ok(#reader { #ident: #connect_array(__field, __count)?, __end: () })
        }
    };
    (declaration, connection)
}

/// What makes a struct an entry.
fn entry(columns: &Columns<'_>, data: &Struct<'_>) -> TokenStream {
    if data.shape != Shape::Named || columns.list.is_empty() {
        return TokenStream::new();
    }
    let input = columns.input;
    let (private, this) = (input.private(), input.this());
    let (generics, _, bounds) = input.generics.split_for_impl();
    quote! {
        #[automatically_derived]
        impl #generics #private::RNTuple for #this #bounds {}
    }
}
