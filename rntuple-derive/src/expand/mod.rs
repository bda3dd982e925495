//! Tokens from the checked model.
//!
//! Every path begins with the runtime's name, every call names its trait, and names that users could have too begin with `__`,
//! so that expansions do not depend on what is in scope where they stand.

mod batch;
mod borrowed;
mod class;
mod columns;
mod declare;
mod fallback;
mod flatten;
mod lock;
mod plain_enum;
mod read;
mod record;
mod upgrade;
mod variant;
mod write;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::DeriveInput;

use self::borrowed::{Borrowing, Connected};
use self::columns::Column;
use crate::ast::{Data, Input, Member};
use crate::bound;
use crate::check::check;
use crate::ctxt::Ctxt;

/// The impls for an item; with mistakes in it: the errors, and impls that only exist.
pub(crate) fn expand(item: &DeriveInput) -> TokenStream {
    let ctxt = Ctxt::default();
    let input = Input::read(item, &ctxt);
    check(&input, &ctxt);
    let (items, connected, beside, errors) = match ctxt.finish() {
        Err(errors) => {
            (fallback::expand(&input), Connected::Never, batch::fallback(&input), errors.to_compile_error())
        }
        Ok(()) => {
            let (lock, batch) = (lock::expand(&input), batch::define(&input));
            (expand_data(&input), Connected::Soundly, quote!(#lock #batch), TokenStream::new())
        }
    };
    let (types, borrowing) = match borrowed::expand(&input, connected) {
        Some(Borrowing { types, impls }) => (Some(types), Some(impls)),
        None => (None, None),
    };
    let runtime = input.runtime();
    quote! {
        #errors

        #beside

        #types

        #[doc(hidden)]
        #[allow(
            deprecated,
            missing_debug_implementations,
            non_snake_case,
            clippy::all,
            clippy::pedantic,
            clippy::nursery
        )]
        const _: () = {
            use #runtime as __rntuple;

            #items

            #borrowing
        };
    }
}

fn expand_data(input: &Input<'_>) -> TokenStream {
    match &input.data {
        Data::Struct(data) => record::expand(input, data),
        Data::Enum(data) if data.is_plain() => plain_enum::expand(input, data),
        Data::Enum(data) => variant::expand(input, data),
        Data::Union(_) => fallback::expand(input),
    }
}

/// One of the two halves of an expansion.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Write,
    Read,
}

/// The halves that are asked for, one behind the other.
fn halves(input: &Input<'_>, write: TokenStream, read: TokenStream) -> TokenStream {
    let write = input.has(Side::Write).then_some(write);
    let read = input.has(Side::Read).then_some(read);
    quote!(#write #read)
}

impl Side {
    /// The trait of types.
    pub(crate) fn field(self, span: Span) -> Ident {
        Ident::new(if self == Self::Write { "WriteField" } else { "ReadField" }, span)
    }

    /// The associated type: the columns of a type.
    pub(crate) fn columns(self) -> &'static str {
        if self == Self::Write { "Writer" } else { "Reader" }
    }

    /// The trait of columns that values of one type go through.
    pub(crate) fn values(self, span: Span) -> Ident {
        Ident::new(if self == Self::Write { "FieldWriter" } else { "FieldReader" }, span)
    }

    /// The trait of columns, whatever goes through them.
    pub(crate) fn any(self) -> Ident {
        Ident::new(if self == Self::Write { "Commit" } else { "Attach" }, Span::call_site())
    }

    /// The struct of the columns of an item.
    pub(crate) fn ident(self, input: &Input<'_>) -> Ident {
        format_ident!("__{}{}", input.ident, self.columns(), span = Span::call_site())
    }

    /// The `number`-th type parameter of that struct.
    pub(crate) fn parameter(self, number: usize) -> Ident {
        let letter = if self == Self::Write { "W" } else { "R" };
        format_ident!("__{letter}{number}", span = Span::call_site())
    }
}

/// The impl of `WriteField` or `ReadField`, around its items.
fn field_impl(input: &Input<'_>, side: Side, items: &TokenStream) -> TokenStream {
    let this = input.this();
    let (generics, _, _) = input.generics.split_for_impl();
    let bounds = bound::field(input, side);
    // The compiler takes a trait for a derived one if its name in the impl comes from the derive. Where a bound does
    // not hold, it then advises to write the impl by hand.
    let (private, field, place) = (input.private(), side.field(Span::call_site()), input.ident.span());
    let implemented = format_ident!("__{field}", span = place);
    quote! {
        use #private::#field as #implemented;

        #[automatically_derived]
        impl #generics #implemented for #this #bounds {
            #items
        }
    }
}

/// `<Type as WriteField>::item` or `<Type as ReadField>::item` of a member's type.
fn implementation(input: &Input<'_>, member: &Member<'_>, side: Side, item: &str) -> TokenStream {
    let (ty, span) = (member.asked_type(input, side), member.span());
    let private = input.private_at(span);
    let (field, item) = (side.field(span), Ident::new(item, span));
    quote_spanned!(span=> <#ty as #private::#field>::#item)
}

/// The type of a member, and the type whose columns it has.
fn types_of(input: &Input<'_>, member: &Member<'_>, side: Side) -> (TokenStream, TokenStream) {
    (member.tokens(input), member.stored_type(input, side))
}

/// One of several columns that are connected together.
struct Connection {
    /// An expression: the columns, or what is wrong with them.
    found: TokenStream,
    /// A pattern for the columns.
    columns: TokenStream,
}

impl Connection {
    /// The columns of a member, found in the field `parent`.
    fn of(input: &Input<'_>, column: &Column<'_>, parent: &Ident) -> Self {
        let found = declare::connect(input, column, parent, &column.member.name.value);
        Self { found, columns: column.local().into_token_stream() }
    }
}

/// Statements that connect all of the columns and come to `Ok(#connected)`. After the first difference
/// between type and file, the columns behind it tell theirs: those that `rest` has functions for.
///
/// Shorter would be: a variable for each of the `Result`s, and `?` on each in the end. But for each `?` the
/// compiler then writes down how to drop all others, and a record may have more than a thousand members.
fn connect_all(
    private: &TokenStream,
    connections: &[Connection],
    connected: &TokenStream,
    rest: &TokenStream,
) -> TokenStream {
    if connections.is_empty() {
        return quote!(#private::Ok(#connected));
    }
    if let [Connection { found, columns }] = connections {
        return quote!(let #columns = #found?; #private::Ok(#connected));
    }
    let numbers = (1..=connections.len()).map(Literal::usize_unsuffixed);
    let columns = connections.iter().zip(numbers).map(|(Connection { found, columns }, number)| {
        quote! {
            let #columns = match #found {
                #private::Ok(__columns) => __columns,
                #private::Err(__error) => break '__told (#number, __error),
            };
        }
    });
    quote! {
        let (__tried, __error) = '__told: {
            #(#columns)*
            return #private::Ok(#connected);
        };
        #rest
        #private::Err(__error)
    }
}

/// For [`connect_all`]: a table of functions for the members of the record `parent`, which are walked through
/// by a function that is compiled once.
fn tell_from_table(input: &Input<'_>, columns: &[&Column<'_>], parent: &Ident) -> TokenStream {
    let private = input.private();
    let rows = columns.iter().skip(1).map(|column| declare::teller(input, column, parent));
    quote! {
        let __rest: &[#private::Teller] = &[#(#rows),*];
        #private::FieldNode::tell(#parent, __rest, __tried);
    }
}

/// As [`tell_from_table`], where the columns are closures.
fn tell_in_turn(connections: &[Connection]) -> TokenStream {
    let rest = connections.iter().zip(1_usize..).skip(1).map(|(Connection { found, .. }, number)| {
        let number = Literal::usize_unsuffixed(number);
        quote! {
            if __tried < #number {
                let __also = #found;
            }
        }
    });
    rest.collect()
}
