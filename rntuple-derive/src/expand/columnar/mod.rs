//! `#[rntuple(columnar)]`: a structure of arrays, owned and lent, and one value of it.
//!
//! The definitions are next to the item, where they can be named; the impls are with the others. A struct has a column
//! for each member, an enum one for each member of an alternative, and the switches.

mod define;
mod names;
mod part;
mod record;
mod transfer;
mod variant;

use proc_macro2::TokenStream;
use quote::quote;

use self::names::Names;
use self::part::Part;
use super::columns::Columns;
use crate::ast::{Data, Input};
use crate::bound;
use crate::side::Side;

pub(super) use define::define;

/// The impls of an item.
pub(super) fn expand(input: &Input<'_>) -> Option<TokenStream> {
    let Some(names) = Names::of(input) else { return kept(input) };
    match &input.data {
        Data::Struct(data) => {
            let columns = Columns::of_struct(input, data);
            let parts: Vec<_> = columns.list.iter().map(Part::of_struct).collect();
            match &*parts {
                [value] if data.is_newtype() => Some(transfer::newtype(&columns, value)),
                parts => Some(record::expand(&names, &columns, parts)),
            }
        }
        Data::Enum(data) => Some(variant::expand(&names, input, data)),
        Data::Union(_) => None,
    }
}

/// The impls of an item whose values are kept as they are: an enum without data, a struct without members.
fn kept(input: &Input<'_>) -> Option<TokenStream> {
    input.attrs.columnar.as_ref()?;
    let (private, this) = (input.private(), input.this());
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::columns(input);
    let read = input.has(Side::Read).then(|| {
        let bounds = bound::columnar(input, Side::Read);
        quote! {
            #[automatically_derived]
            impl #generics #private::ReadColumnar for #this #bounds {
                fn read_columns(
                    __reader: &mut <Self as #private::ReadField>::Reader,
                    __count: #private::usize,
                    __out: &mut Self::Columns,
                ) -> #private::Result<()> {
                    #private::Rows::read(__out, __reader, __count)
                }

                fn lend<'__lent>(
                    __reader: &'__lent mut <Self as #private::ReadField>::Reader,
                    __count: #private::usize,
                    __spare: &'__lent mut Self::Columns,
                ) -> #private::Result<#private::SliceOf<'__lent, Self>> {
                    #private::Rows::lend(__spare, __reader, __count)
                }
            }
        }
    });
    let write = input.has(Side::Write).then(|| {
        let bounds = bound::columnar(input, Side::Write);
        quote! {
            #[automatically_derived]
            impl #generics #private::WriteColumnar for #this #bounds {
                fn append_columns(
                    __writer: &mut <Self as #private::WriteField>::Writer,
                    __values: #private::SliceOf<'_, Self>,
                ) -> #private::usize {
                    #private::FieldWriter::append_slice(__writer, __values.0)
                }
            }
        }
    });
    Some(quote! {
        #[automatically_derived]
        impl #generics #private::Columnar for #this #bounds {
            type Columns = #private::Rows<Self>;

            fn push_to(&self, __columns: &mut Self::Columns) {
                #private::Rows::push(__columns, self);
            }
        }

        #read
        #write
    })
}

/// Types that only exist, next to an error.
pub(super) fn fallback(input: &Input<'_>) -> TokenStream {
    if input.attrs.columnar.is_none() || !input.generics.params.is_empty() {
        return TokenStream::new();
    }
    let (runtime, vis, ident) = (input.runtime(), input.vis, input.ident);
    let is_newtype = matches!(&input.data, Data::Struct(data) if data.is_newtype());
    let aliases = Names::of(input).filter(|_| !is_newtype).map(|Names { columns, slice, one, .. }| {
        quote! {
            #[doc(hidden)]
            #[allow(dead_code)]
            #vis type #columns = #runtime::Rows<()>;

            #[doc(hidden)]
            #[allow(dead_code)]
            #vis type #slice<'a> = #runtime::RowSliceOf<'a, ()>;

            #[doc(hidden)]
            #[allow(dead_code)]
            #vis type #one<'a> = &'a ();
        }
    });
    let read = input.has(Side::Read).then(|| {
        quote! {
            impl #runtime::ReadColumnar for #ident {
                fn read_columns(
                    _: &mut <Self as #runtime::ReadField>::Reader,
                    _: #runtime::usize,
                    _: &mut Self::Columns,
                ) -> #runtime::Result<()> { loop {} }
            }
        }
    });
    quote! {
        #aliases

        #[doc(hidden)]
        const _: () = {
            impl #runtime::Columnar for #ident {
                type Columns = #runtime::Rows<()>;
                fn push_to(&self, _: &mut Self::Columns) { loop {} }
            }

            impl #runtime::WriteColumnar for #ident {
                fn append_columns(
                    _: &mut <Self as #runtime::WriteField>::Writer,
                    _: #runtime::SliceOf<'_, Self>,
                ) -> #runtime::usize { loop {} }
            }

            #read
        };
    }
}
