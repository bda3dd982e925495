//! Enums with data: a switch, and the columns of every alternative.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::columns::{Column, Columns};
use super::{ClassName, Side, connect, declare, field_impl, halves, implementation, subfield};
use crate::ast::{Enum, Input, Shape, Variant};

/// A variant and its columns.
struct Alternative<'a> {
    number: usize,
    variant: &'a Variant<'a>,
    columns: &'a [Column<'a>],
}

pub(super) fn expand(input: &Input<'_>, data: &Enum<'_>) -> TokenStream {
    let mut list = Vec::new();
    let mut ends = Vec::new();
    for (number, variant) in data.variants.iter().enumerate() {
        let stored = variant.members.iter().filter(|member| member.is_stored());
        list.extend(stored.map(|member| Column::new(input, member, Some(number))));
        ends.push(list.len());
    }
    let columns = Columns { input, list, alternatives: Some(data.variants.len()) };
    let mut start = 0;
    let alternative = |(number, (variant, &end)): (usize, (_, &usize))| {
        let columns = columns.list.get(start..end).unwrap_or_default();
        start = end;
        Alternative { number, variant, columns }
    };
    let alternatives: Vec<_> = data.variants.iter().zip(&ends).enumerate().map(alternative).collect();
    let write = [
        columns.define(Side::Write),
        columns.values_impl(Side::Write, &append(input, &alternatives)),
        field_impl(input, Side::Write, &declaration(&columns, &alternatives)),
    ];
    let read = [
        columns.define(Side::Read),
        columns.values_impl(Side::Read, &read(input, &alternatives)),
        field_impl(input, Side::Read, &connection(&columns, &alternatives)),
    ];
    halves(input, write.into_iter().collect(), read.into_iter().collect())
}

/// The items of `FieldWriter`.
fn append(input: &Input<'_>, alternatives: &[Alternative<'_>]) -> TokenStream {
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let arms = alternatives.iter().map(|Alternative { number, variant, columns }| {
        let (variant, tag) = (variant.ident, Literal::usize_unsuffixed(*number));
        let bindings = columns.iter().map(|column| {
            let (member, local) = (&column.member.member, column.local());
            quote_spanned!(column.span=> #member: #local)
        });
        let lengths = columns.iter().map(|column| {
            let (ident, local) = (&column.ident, column.local());
            let private = input.private_at(column.span);
            quote_spanned!(column.span=> #private::FieldWriter::append(&mut self.#ident, #local))
        });
        quote! {
            #ident::#variant { #(#bindings,)* .. } => {
                let mut __length = #private::VariantWriter::append(&mut self.__switch, #tag);
                #(__length += #lengths;)*
                __length
            }
        }
    });
    quote! {
        #[inline]
        #[allow(unused_mut)]
        fn append(&mut self, __value: &#this) -> #private::usize {
            match __value {
                #(#arms)*
            }
        }
    }
}

/// The items of `FieldReader`.
fn read(input: &Input<'_>, alternatives: &[Alternative<'_>]) -> TokenStream {
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let last = alternatives.len().saturating_sub(1);
    let arms = alternatives.iter().map(|Alternative { number, variant, columns }| {
        let seek = columns.iter().map(|Column { ident, span, .. }| {
            let private = input.private_at(*span);
            quote_spanned!(*span=> #private::Attach::seek(&mut self.#ident, __position)?;)
        });
        let jump = (!columns.is_empty()).then(|| {
            quote! {
                if let #private::Some(__position) = __active.jump {
                    #(#seek)*
                }
            }
        });
        let values = variant.members.iter().map(|member| {
            let (name, span) = (&member.member, member.span());
            let private = input.private_at(span);
            match columns.iter().find(|column| column.member.member == *name).map(|column| &column.ident) {
                Some(column) => {
                    quote_spanned!(span=> #name: #private::FieldReader::read(&mut self.#column)?)
                }
                None => quote_spanned!(span=> #name: #private::Default::default()),
            }
        });
        // The switch has checked the number, so the last arm stands for one alternative like the others.
        let pattern = if *number == last {
            quote!(_)
        } else {
            let number = Literal::usize_unsuffixed(*number);
            quote!(#number)
        };
        let variant = variant.ident;
        quote! {
            #pattern => {
                #jump
                #private::Ok(#ident::#variant { #(#values,)* })
            }
        }
    });
    quote! {
        #[inline]
        fn read(&mut self) -> #private::Result<#this> {
            let __active = #private::VariantReader::next(&mut self.__switch)?;
            match __active.number {
                #(#arms)*
            }
        }
    }
}

impl Alternative<'_> {
    /// Its type's name, an expression.
    fn type_name(&self, input: &Input<'_>, class: &ClassName) -> TokenStream {
        let private = input.private();
        match (self.variant.shape, self.columns) {
            (Shape::Newtype, [value]) => {
                let type_name = implementation(input, value.member, Side::Write, "type_name");
                quote_spanned!(value.span=> #type_name())
            }
            _ => match &self.variant.attrs.type_name {
                Some(name) => {
                    let name = &name.value;
                    quote!(#private::TypeName::typed(#name))
                }
                None => class.nested(&self.name(), &private),
            },
        }
    }

    /// The variant's name without `r#`.
    fn name(&self) -> String {
        syn::ext::IdentExt::unraw(self.variant.ident).to_string()
    }

    /// Local variables for its columns, as a pattern.
    fn locals(&self) -> TokenStream {
        let locals = self.columns.iter().map(Column::local);
        quote!((#(#locals,)*))
    }

    /// A tuple of its declared columns.
    fn declare(&self, input: &Input<'_>, class: &ClassName) -> TokenStream {
        let private = input.private();
        let name = format!("_{}", self.number);
        let (field, own) = (quote!(__field), self.variant.attrs.description.as_ref());
        if let (Shape::Newtype, [value]) = (self.variant.shape, self.columns) {
            let attrs = &value.member.attrs;
            let declare = implementation(input, value.member, Side::Write, "declare");
            let subfield =
                subfield(&private, &field, &name, attrs.description.as_ref().or(own), &attrs.wishes);
            return quote_spanned!(value.span=> (#declare(&mut #subfield),));
        }
        let subfield = subfield(&private, &field, &name, own, &[]);
        let type_name = self.type_name(input, class);
        let parent = quote!(&mut __alternative);
        let members = self.columns.iter().map(|column| declare(input, column.member, &parent));
        quote! {{
            let mut __alternative = #subfield;
            #private::FieldBuilder::record(&mut __alternative, &#type_name);
            (#(#members,)*)
        }}
    }

    /// A tuple of its connected columns, or what is wrong with them.
    fn connect(&self, input: &Input<'_>) -> TokenStream {
        let private = input.private();
        let name = format!("_{}", self.number);
        if let (Shape::Newtype, [value]) = (self.variant.shape, self.columns) {
            let connect = connect(input, value.member, &format_ident!("__field"), &name);
            return quote_spanned!(value.span=> #private::Result::map(#connect, |__columns| (__columns,)));
        }
        let wanted = format!("the record `{}::{}`", input.name(), self.name());
        let parent = format_ident!("__record");
        let found = self.columns.iter().map(|column| {
            let (local, found) =
                (column.local(), connect(input, column.member, &parent, &column.member.name.value));
            quote_spanned!(column.span=> let #local = #found;)
        });
        let locals = self.columns.iter().map(Column::local);
        quote! {
            #private::Result::and_then(
                #private::FieldNode::subfield(__field, #name, #wanted),
                |__alternative| {
                    let __record = #private::FieldNode::expect(__alternative, #private::Role::Record, #wanted)?;
                    #(#found)*
                    #private::Ok((#(#locals?,)*))
                },
            )
        }
    }
}

/// The items of `WriteField`.
fn declaration(columns: &Columns<'_>, alternatives: &[Alternative<'_>]) -> TokenStream {
    let input = columns.input;
    let (private, class) = (input.private(), ClassName::of(input));
    let (writer, writers) = (Side::Write.ident(input), columns.concrete(Side::Write));
    let names = alternatives.iter().map(|alternative| alternative.type_name(input, &class));
    let declared = alternatives.iter().map(|alternative| {
        let (locals, columns) = (alternative.locals(), alternative.declare(input, &class));
        quote!(let #locals = #columns;)
    });
    let members = columns.iter().map(|column| {
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
            #writer { __switch, #(#members,)* __end: () }
        }
    }
}

/// The items of `ReadField`.
fn connection(columns: &Columns<'_>, alternatives: &[Alternative<'_>]) -> TokenStream {
    let input = columns.input;
    let private = input.private();
    let (reader, readers) = (Side::Read.ident(input), columns.concrete(Side::Read));
    let wanted = "a variant";
    let local = |alternative: &Alternative<'_>| format_ident!("__alternative_{}", alternative.number);
    // All of them before the first `?`, so that differences in any are told.
    let found = alternatives.iter().map(|alternative| {
        let (local, found) = (local(alternative), alternative.connect(input));
        quote!(let #local = #found;)
    });
    let unwrapped = alternatives.iter().map(|alternative| {
        let (locals, local) = (alternative.locals(), local(alternative));
        quote!(let #locals = #local?;)
    });
    let members = columns.iter().map(|column| {
        let (ident, local) = (&column.ident, column.local());
        quote!(#ident: #local)
    });
    quote! {
        type Reader = #readers;

        fn connect(__field: #private::FieldNode<'_>) -> #private::Result<Self::Reader> {
            let __switch = #private::VariantReader::connect(__field, #wanted)?;
            #(#found)*
            #(#unwrapped)*
            #private::Ok(#reader { __switch, #(#members,)* __end: () })
        }
    }
}
