//! Enums without data: stored as their integers.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;

use super::class::ClassName;
use super::impls::{field_impl, halves};
use super::upgrade::{Connected, read_field};
use crate::ast::{Enum, Input};
use crate::bound;
use crate::side::Side;

/// The integers of an enum.
struct Integers {
    /// Those that it is written as.
    own: TokenStream,
    /// Those that it is read from.
    read: TokenStream,
    /// What makes the latter of the former.
    widen: Option<TokenStream>,
}

impl Integers {
    fn of(input: &Input<'_>, data: &Enum<'_>) -> Option<Self> {
        let (private, repr) = (input.private(), input.attrs.repr.as_ref()?);
        // Not the user's token: `u8` may be something else here, but not in `#[repr(u8)]`.
        let own = Ident::new(&repr.to_string(), Span::call_site());
        let own = quote!(#private::#own);
        // Other values may be wider than those of the enum.
        let (read, widen) = match data.other() {
            Some(_) if repr != "u64" && repr != "i64" => {
                (quote!(#private::i64), Some(quote!(as #private::i64)))
            }
            _ => (own.clone(), None),
        };
        Some(Self { own, read, widen })
    }
}

pub(super) fn expand(input: &Input<'_>, data: &Enum<'_>) -> TokenStream {
    let (private, this, ident) = (input.private(), input.this(), input.ident);
    let Some(Integers { own: integer, read, widen }) = Integers::of(input, data) else {
        return TokenStream::new();
    };
    let writer = quote!(#private::PlainEnumWriter<<#integer as #private::WriteField>::Writer>);
    let reader = quote!(#private::PlainEnumReader<<#read as #private::ReadField>::Reader>);
    let class = ClassName::of(input);
    let (given, name) = (class.given(&private), &class.name);
    let (generics, arguments, _) = input.generics.split_for_impl();
    let arguments = arguments.as_turbofish();
    let bounds = bound::values(input, Side::Write);
    let variants: Vec<_> = data.variants.iter().map(|variant| variant.ident).collect();
    let names = data.variants.iter().map(|variant| &variant.name);
    let values = quote! {
        &[#((#names, #ident #arguments::#variants as #integer as #private::i128),)*]
    };

    // Without a class in C++, ROOT reads integers without a dictionary.
    let (type_name, declare) = match given {
        Some(class) => {
            let name = quote!(&<Self as #private::WriteField>::type_name());
            (class, quote!(declare_named::<#integer>(__field, #name, #values)))
        }
        None => (
            quote!(<#integer as #private::WriteField>::type_name()),
            quote!(declare::<#integer>(__field, #values)),
        ),
    };
    let declaration = quote! {
        type Writer = #writer;

        fn type_name() -> #private::TypeName {
            #type_name
        }

        fn declare(__field: &mut #private::FieldBuilder<'_>) -> Self::Writer {
            #private::PlainEnumWriter::#declare
        }
    };
    let body = quote!(#private::PlainEnumReader::connect::<#read>(__reader, __field, #values));
    let connected = Connected::plain(reader.clone(), body);
    let (declaration, connection) =
        (field_impl(input, Side::Write, &declaration), read_field(input, &connected));
    let unknown = match data.other() {
        Some(other) => {
            let other = other.ident;
            quote!(_ => #private::Ok(#ident::#other),)
        }
        None => quote! {
            __integer => #private::Err(#private::PlainEnumReader::unknown(self, #name, __integer)),
        },
    };
    let write = quote! {
        #[automatically_derived]
        impl #generics #private::FieldWriter<#this> for #writer #bounds {
            #[inline]
            fn append(&mut self, __value: &#this) -> #private::usize {
                // Not a cast of the value, which may not be `Copy`.
                let __integer = match __value {
                    #(#ident::#variants => #ident #arguments::#variants as #integer,)*
                };
                #private::PlainEnumWriter::append(self, __integer)
            }
        }

        #declaration
    };
    let reading = quote! {
        #[automatically_derived]
        impl #generics #private::FieldReader<#this> for #reader #bounds {
            #[inline]
            fn read(&mut self) -> #private::Result<#this> {
                match #private::PlainEnumReader::next::<#read>(self)? {
                    #(__integer if __integer == #ident #arguments::#variants as #integer #widen => {
                        #private::Ok(#ident::#variants)
                    })*
                    #unknown
                }
            }
        }

        #connection
    };
    halves(input, write, reading)
}
