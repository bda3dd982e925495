//! The encodings that a member asks for. Names of column types are passed on to the runtime, which knows them.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Expr;

use crate::attr::{self, Spanned};

/// An encoding that a member asks for.
pub(crate) struct Wish {
    /// The attribute that asks.
    pub(crate) word: String,
    pub(crate) span: Span,
    pub(crate) encoding: Encoding,
    /// For this field below the member, instead of the member and all below.
    pub(crate) path: Option<String>,
}

/// How the values of a column are packed.
pub(crate) enum Encoding {
    /// The column type of this name.
    Column(Spanned<String>),
    /// The column type of offsets of this name.
    Offsets(Spanned<String>),
    F16,
    /// Floating point without its lowest mantissa bits.
    Truncated {
        bits: Spanned<u16>,
    },
    Quantized(Box<Quantized>),
    /// Several representations, of which a cluster has one.
    Several(Vec<Encoding>),
    /// ROOT's `Double32_t`: half the width, and an alias that says so.
    Double32,
}

/// Equal steps from `min` to `max`.
pub(crate) struct Quantized {
    pub(crate) bits: Spanned<u16>,
    pub(crate) min: Expr,
    pub(crate) max: Expr,
    /// Whether values outside become the nearest inside.
    pub(crate) saturates: bool,
}

impl Encoding {
    /// Column types as which its values can be written, all of them.
    pub(crate) fn column_types(&self) -> Vec<&str> {
        match self {
            Self::Column(name) | Self::Offsets(name) => vec![&name.value],
            Self::F16 => vec!["Real16"],
            Self::Truncated { .. } => vec!["Real32Trunc"],
            Self::Quantized(_) => vec!["Real32Quant"],
            Self::Several(all) => all.iter().flat_map(Self::column_types).collect(),
            // Only a `double` can be both.
            Self::Double32 => vec!["Real64", "SplitReal32"],
        }
    }

    /// Whether C++ sees a `Double32_t`.
    pub(crate) fn is_double32(&self) -> bool {
        matches!(self, Self::Double32)
    }

    /// Its representations: itself, if it is one.
    pub(crate) fn representations(&self) -> &[Self] {
        match self {
            Self::Several(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// An expression of type `Result<ColumnEncoding>`; of several, the first.
    pub(crate) fn packing(&self, private: &TokenStream) -> TokenStream {
        let of = |column_type| quote!(#private::Ok(#private::ColumnEncoding::of(#column_type)));
        match self {
            Self::Column(Spanned { value: name, .. }) | Self::Offsets(Spanned { value: name, .. }) => {
                of(quote!(#private::wish::column_type(#name)))
            }
            Self::F16 => of(quote!(#private::ColumnType::Real16)),
            Self::Double32 => of(quote!(#private::ColumnType::SplitReal32)),
            Self::Truncated { bits } => {
                let bits = Literal::u16_unsuffixed(bits.value);
                quote!(#private::ColumnEncoding::truncated(#bits))
            }
            Self::Several(all) => all.first().map_or_else(TokenStream::new, |first| first.packing(private)),
            Self::Quantized(quantized) => {
                let Quantized { bits, min, max, saturates } = &**quantized;
                let bits = Literal::u16_unsuffixed(bits.value);
                let (min, max) = (bound(min), bound(max));
                let encoding = quote!(#private::ColumnEncoding::quantized(#bits, #min, #max));
                match saturates {
                    true => quote!(#private::Result::map(#encoding, #private::ColumnEncoding::saturating)),
                    false => encoding,
                }
            }
        }
    }
}

/// Whole numbers become floating point.
fn bound(value: &Expr) -> TokenStream {
    match attr::number(value) {
        Some(number) if number < 0.0 => {
            let number = Literal::f64_unsuffixed(-number);
            quote!(-#number)
        }
        Some(number) if number.is_finite() => Literal::f64_unsuffixed(number).to_token_stream(),
        _ => value.to_token_stream(),
    }
}
