//! What members ask for, which only the runtime knows: constants ask it, each at the place of a name or of an attribute.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};

use crate::ast::{Input, Member};
use crate::attr::Spanned;
use crate::encoding::{Encoding, Wish};
use crate::side::Side;
use crate::types::{Known, spelled};

/// The constants of all members. They come with an error too, so that every mistake is reported.
///
/// What they call is at places of the user, as if it had been written there: the compiler then shows the place alone, and
/// not the macro. So that no lint finds paths there, all names are imported, where no type of the user is named.
pub(super) fn check(input: &Input<'_>) -> Option<TokenStream> {
    let private = input.private();
    let constants: TokenStream =
        input.members().filter(|member| member.is_stored()).flat_map(of_member).collect();
    (!constants.is_empty()).then(|| {
        quote! {
            const _: () = {
                use #private::wish::*;

                #constants
            };
        }
    })
}

fn of_member(member: &Member<'_>) -> TokenStream {
    let wishes = &member.attrs.wishes;
    let known = member.written_type(Side::Write).and_then(|ty| Some((ty, Known::of(ty)?)));
    let mut constants = TokenStream::new();
    for (position, wish) in wishes.iter().enumerate() {
        let mut checks = names(&wish.encoding);
        // What is below a member, declaring it finds out.
        if let (Some((ty, Known { scalars, has_offsets })), None) = (&known, &wish.path) {
            let (this, ty) = (asked(wish, wish.span), spelled(ty.to_token_stream()));
            checks
                .extend(quote_spanned!(wish.span=> #this.assert_fits(&[#(#scalars),*], #has_offsets, #ty);));
        }
        if !checks.is_empty() {
            constants.extend(quote!(const _: () = { #checks };));
        }
        for earlier in wishes.iter().take(position).filter(|earlier| earlier.path == wish.path) {
            // Both places are marked.
            for span in [earlier.span, wish.span] {
                let (one, other) = (asked(earlier, span), asked(wish, span));
                constants.extend(quote_spanned!(span=> const _: () = #one.assert_agrees(#other);));
            }
        }
    }
    if let Some(Spanned { value: text, span }) = &member.attrs.compression {
        constants.extend(quote_spanned!(*span=> const _: () = { let _ = compression(#text); };));
    }
    constants
}

/// The encoding of a wish as the runtime takes it.
fn asked(wish: &Wish, span: Span) -> TokenStream {
    let (word, column_types) = (&wish.word, wish.encoding.column_types());
    quote_spanned!(span=> Wish(#word, &[#(#column_types),*]))
}

/// Calls that take the names and the numbers of an encoding.
fn names(encoding: &Encoding) -> TokenStream {
    let bits = |Spanned { value: bits, span }: &Spanned<u16>, column_type: &str| quote_spanned!(*span=> assert_bits(#column_type, #bits););
    match encoding {
        Encoding::Column(Spanned { value: name, span }) => {
            quote_spanned!(*span=> let _ = column_type(#name);)
        }
        Encoding::Offsets(Spanned { value: name, span }) => quote_spanned!(*span=> let _ = offsets(#name);),
        Encoding::Truncated { bits: of } => bits(of, "Real32Trunc"),
        Encoding::Quantized(quantized) => bits(&quantized.bits, "Real32Quant"),
        Encoding::Several(all) => all.iter().map(names).collect(),
        Encoding::F16 | Encoding::Double32 => TokenStream::new(),
    }
}
