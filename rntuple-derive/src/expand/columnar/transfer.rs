//! The impls of the item: values into columns, columns from files and into them.

use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};

use super::part::{Part, Types};
use crate::ast::Input;
use crate::bound;
use crate::expand::columns::Columns;
use crate::expand::upgrade;
use crate::side::Side;
use crate::types;

/// The bodies of functions.
pub(super) struct Bodies {
    /// The type of columns.
    pub(super) columns: TokenStream,
    /// Statements that append `self` to `__columns`.
    pub(super) push: TokenStream,
    /// Statements that read `__count` values of `__reader` into `__out`.
    pub(super) read: TokenStream,
    /// A result: `__count` values of `__reader`, lent, with `__spare`.
    pub(super) lend: TokenStream,
    /// The length of the slice `__values`, appended to `__writer`.
    pub(super) append: TokenStream,
}

/// The impls of the item with these bodies.
pub(super) fn expand(input: &Input<'_>, bodies: &Bodies) -> TokenStream {
    let (private, this) = (input.private(), input.this());
    let (generics, _, _) = input.generics.split_for_impl();
    let Bodies { columns, push, read, lend, append } = bodies;
    let bounds = bound::columns(input);
    let columnar = quote! {
        #[automatically_derived]
        impl #generics #private::Columnar for #this #bounds {
            type Columns = #columns;

            #[inline]
            fn push_to(&self, __columns: &mut Self::Columns) {
                #push
            }
        }
    };
    // What borrows is written only.
    let is_read = input.has(Side::Read) && !borrows(input);
    let reads = is_read.then(|| {
        let bounds = bound::columnar(input, Side::Read);
        let [older_read, older_lend] = older(input);
        quote! {
            #[automatically_derived]
            impl #generics #private::ReadColumnar for #this #bounds {
                fn read_columns(
                    __reader: &mut <Self as #private::ReadField>::Reader,
                    __count: #private::usize,
                    __out: &mut Self::Columns,
                ) -> #private::Result<()> {
                    #older_read
                    #read
                    #private::Ok(())
                }

                fn lend<'__lent>(
                    __reader: &'__lent mut <Self as #private::ReadField>::Reader,
                    __count: #private::usize,
                    __spare: &'__lent mut Self::Columns,
                ) -> #private::Result<#private::SliceOf<'__lent, Self>> {
                    #older_lend
                    #lend
                }
            }
        }
    });
    let writes = input.has(Side::Write).then(|| {
        let bounds = bound::columnar(input, Side::Write);
        quote! {
            #[automatically_derived]
            impl #generics #private::WriteColumnar for #this #bounds {
                fn append_columns(
                    __writer: &mut <Self as #private::WriteField>::Writer,
                    __values: #private::SliceOf<'_, Self>,
                ) -> #private::usize {
                    #append
                }
            }
        }
    });
    quote!(#columnar #reads #writes)
}

/// Whether values borrow: for a lifetime of the item, or for `'static`.
fn borrows(input: &Input<'_>) -> bool {
    let mut read = input.stored(Side::Read).filter_map(|member| member.written_type(Side::Read));
    input.generics.lifetimes().next().is_some() || read.any(types::borrows)
}

/// Statements by which values of older types are read one by one.
fn older(input: &Input<'_>) -> [Option<TokenStream>; 2] {
    if input.attrs.upgrades.is_empty() {
        return [None, None];
    }
    let private = input.private();
    let versions = if upgrade::is_hidden(input) { quote!(__reader.__versions) } else { quote!(*__reader) };
    let current = quote!(let #private::VersionReader::Current(ref mut __reader) = #versions else);
    let each = |out: TokenStream| quote!(#private::read_each::<Self, _>(__reader, __count, #out));
    let (into_out, into_spare) = (each(quote!(__out)), each(quote!(__spare)));
    [
        Some(quote!(#current { return #into_out; };)),
        Some(quote! {
            #current {
                #private::Columns::clear(__spare);
                #into_spare?;
                return #private::Ok(#private::Columns::as_slice(__spare));
            };
        }),
    ]
}

/// The impls of what has the columns of the one value inside it.
pub(super) fn newtype(columns: &Columns<'_>, value: &Part<'_>) -> TokenStream {
    let input = columns.input;
    let (private, span, member) = (input.private(), value.span(), &value.member().member);
    let at = |name: &str| {
        let name = proc_macro2::Ident::new(name, span);
        quote_spanned!(span=> (*#name))
    };
    let count = quote!(__count);
    let (push, read, lend) = (
        value.push(input, &quote_spanned!(span=> &self.#member), &at("__columns")),
        value.read(input, &count, &at("__out")),
        value.lend(input, &count, &at("__spare")),
    );
    let zero = Literal::usize_unsuffixed(0);
    let bodies = Bodies {
        columns: Types::of(input, value.member(), &private).columns,
        push,
        read,
        lend: quote!(#private::Ok(#lend)),
        append: value.append(input, &quote!(__values)).unwrap_or_else(|| quote!(#zero)),
    };
    expand(input, &bodies)
}
