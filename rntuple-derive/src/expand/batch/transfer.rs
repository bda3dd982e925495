//! Values of one member on their way into a batch and out of it.

use proc_macro2::TokenStream;
use quote::quote_spanned;

use super::parts::Part;
use crate::ast::Input;
use crate::expand::{read, write};
use crate::side::Side;

impl Part<'_> {
    /// A statement that adds the value of the expression `value`, a reference, to the batch `to`.
    pub(super) fn push(&self, input: &Input<'_>, value: &TokenStream, to: &TokenStream) -> TokenStream {
        let (span, member) = (self.column.span, self.member());
        let (private, ty) = (input.private_at(span), member.tokens(input));
        if member.is_converted() {
            quote_spanned!(span=> #private::Rows::push(&mut #to, #private::Clone::clone(#value));)
        } else {
            quote_spanned!(span=> <#ty as #private::Batched>::push_to(#value, &mut #to);)
        }
    }

    /// A statement that reads the next `count` values into the batch `to`.
    pub(super) fn read(&self, input: &Input<'_>, count: &TokenStream, to: &TokenStream) -> TokenStream {
        let (span, member, ident) = (self.column.span, self.member(), &self.column.ident);
        let (private, ty) = (input.private_at(span), member.tokens(input));
        let absent = read::absent(input, member);
        if !member.has_columns(Side::Read) {
            let push = self.push(input, &quote_spanned!(span=> &__value), to);
            return quote_spanned! {span=>
                for _ in 0..#count {
                    let __value: #ty = #absent;
                    #push
                }
            };
        }
        if member.is_converted() {
            let value = read::value(input, self.column);
            return quote_spanned! {span=>
                for _ in 0..#count {
                    let __value: #ty = #value;
                    #private::Rows::push(&mut #to, __value);
                }
            };
        }
        if !self.column.is_optional(input) {
            return quote_spanned!(span=> #private::ReadBatch::read_batch(&mut self.#ident, #count, &mut #to)?;);
        }
        if member.fallback(input).is_none() {
            return quote_spanned! {span=>
                #private::DefaultReader::read_batch_of_alternative(&mut self.#ident, #count, &mut #to)?;
            };
        }
        quote_spanned! {span=>
            #private::DefaultReader::read_batch(&mut self.#ident, #count, &mut #to, |__batch| {
                let __value: #ty = #absent;
                <#ty as #private::Batched>::push_to(&__value, __batch);
                #private::Ok(())
            })?;
        }
    }

    /// An expression of type `usize` that appends the values `range` of the batch `from`; nothing for members that
    /// are not written.
    pub(super) fn append(
        &self,
        input: &Input<'_>,
        range: &TokenStream,
        from: &TokenStream,
    ) -> Option<TokenStream> {
        let (span, member, ident) = (self.column.span, self.member(), &self.column.ident);
        if !member.has_columns(Side::Write) {
            return None;
        }
        let private = input.private_at(span);
        let range = quote_spanned!(span=> #private::Clone::clone(#range));
        Some(match write::stored(input, self.column, &quote_spanned!(span=> __value)) {
            None => {
                quote_spanned!(span=> #private::WriteBatch::append_batch(&mut self.#ident, &#from, #range))
            }
            Some(stored) => {
                let ty = member.stored_type(input, Side::Write);
                quote_spanned! {span=>
                    #private::append_converted::<#ty, _>(
                        &mut self.#ident,
                        #private::Iterator::map(#private::Rows::iter_in(&#from, #range), |__value| #stored),
                    )
                }
            }
        })
    }
}
