//! How the columns of several members are found in a file.

use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens as _, quote};

use super::columns::Column;
use super::declare;
use crate::ast::Input;

/// One of several columns that are connected together.
pub(super) struct Connection {
    /// An expression: the columns, or what is wrong with them.
    pub(super) found: TokenStream,
    /// A pattern for the columns.
    pub(super) columns: TokenStream,
}

impl Connection {
    /// The columns of a member, found in the field `parent`.
    pub(super) fn of(input: &Input<'_>, column: &Column<'_>, parent: &Ident) -> Self {
        let found = declare::connect(input, column, parent, &column.member.name.value);
        Self { found, columns: column.local().into_token_stream() }
    }
}

/// Statements that connect all of the columns and come to `Ok(#connected)`. After the first difference
/// between type and file, the columns after it report theirs: those that `rest` has functions for.
///
/// Shorter would be: a variable for each of the `Result`s, and `?` on each in the end. But for each `?` the
/// compiler then writes down how to drop all others, and a record may have more than a thousand members.
pub(super) fn connect_all(
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
pub(super) fn tell_from_table(input: &Input<'_>, columns: &[&Column<'_>], parent: &Ident) -> TokenStream {
    let private = input.private();
    let rows = columns.iter().skip(1).map(|column| declare::teller(input, column, parent));
    quote! {
        let __rest: &[#private::Teller] = &[#(#rows),*];
        #private::FieldNode::tell(#parent, __rest, __tried);
    }
}

/// As [`tell_from_table`], where the columns are closures.
pub(super) fn tell_in_turn(connections: &[Connection]) -> TokenStream {
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
