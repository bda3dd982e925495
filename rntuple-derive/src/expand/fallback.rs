//! Impls that stand beside an error, so that one mistake does not become ten.
//!
//! The item counts as storable wherever it is used. Nothing here ever runs: the error stops the build.

use proc_macro2::{Span, TokenStream};
use quote::quote;

use crate::ast::{Data, Input, Shape};
use crate::side::Side;
use crate::types::unsized_part;

pub(super) fn expand(input: &Input<'_>) -> TokenStream {
    let (private, this, vis) = (input.private(), input.this(), input.vis);
    let (generics, _, bounds) = input.generics.split_for_impl();
    let (writer, reader) = (Side::Write.ident(input.ident), Side::Read.ident(input.ident));
    let entry = matches!(&input.data, Data::Struct(data) if data.shape == Shape::Named).then(|| {
        quote! {
            impl #generics #private::Entry for #this #bounds {}
        }
    });
    let never = quote!(match *self {});
    let result = |ty: TokenStream| quote!(#private::Result<#ty>);
    let (nothing, value) = (result(quote!(())), result(this.clone()));
    let side = |side: Side| side.field(Span::call_site());
    let (write_field, read_field) = (side(Side::Write), side(Side::Read));
    // What has no fixed size cannot be read, not even in appearance.
    let is_sized = input.members().all(|member| unsized_part(member.ty).is_none());
    let read = is_sized.then(|| {
        quote! {
            #vis struct #reader;

            impl #private::Attach for #reader {
                const DETACHED: Self = Self;
                fn seek(&mut self, _: #private::Position<'_>) -> #nothing { loop {} }
                fn remaining(&self) -> #private::Option<#private::u64> { loop {} }
            }

            impl #generics #private::FieldReader<#this> for #reader #bounds {
                fn read(&mut self) -> #value { loop {} }
            }

            impl #generics #private::#read_field for #this #bounds {
                type Reader = #reader;
                fn connect(_: #private::FieldNode<'_>, _: &mut Self::Reader) -> #nothing { loop {} }
            }
        }
    });
    quote! {
        #vis enum #writer {}

        impl #private::Commit for #writer {
            fn commit(&mut self, _: &mut #private::Gathered<'_>) { #never }
        }

        impl #generics #private::FieldWriter<#this> for #writer #bounds {
            fn append(&mut self, _: &#this) -> #private::usize { #never }
        }

        impl #generics #private::#write_field for #this #bounds {
            type Writer = #writer;
            fn type_name() -> #private::TypeName { loop {} }
            fn declare(_: &mut #private::FieldBuilder<'_>) -> Self::Writer { loop {} }
        }

        #read

        #entry
    }
}
