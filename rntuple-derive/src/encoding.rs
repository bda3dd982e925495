//! The encodings that a member may ask for, and which Rust types can have them.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::Expr;

use crate::attr::{self, Spanned};
use crate::tables::{ALGORITHMS, COLLECTIONS, COLUMN_TYPES, FLOATS};

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
    /// A column type that has one width.
    Column(&'static str),
    /// Floating point without its lowest mantissa bits.
    Truncated {
        bits: u16,
    },
    Quantized(Box<Quantized>),
    /// Several representations, of which a cluster has one.
    Several(Vec<Encoding>),
    /// ROOT's `Double32_t`: half the width, and an alias that says so.
    Double32,
}

/// Equal steps from `min` to `max`.
pub(crate) struct Quantized {
    pub(crate) bits: u16,
    pub(crate) min: Expr,
    pub(crate) max: Expr,
    /// Whether values outside become the nearest inside.
    pub(crate) saturates: bool,
}

/// An algorithm and its level: `lz4:4`.
#[derive(Clone, Copy)]
pub(crate) struct Compression {
    /// `None` stores everything as it is.
    algorithm: Option<&'static str>,
    level: u8,
}

impl Compression {
    /// What the runtime's `Compression` parse, without its codes.
    pub(crate) fn parse(text: &Spanned<String>) -> syn::Result<Self> {
        let names = || ALGORITHMS.iter().map(|(name, _)| *name).chain(["none"]);
        let (name, level) = match text.value.split_once(':') {
            Some((name, level)) => (name, Some(level)),
            None => (&*text.value, None),
        };
        let error = |message: String| Err(syn::Error::new(text.span, message));
        let Some((algorithm, usual)) = ALGORITHMS.iter().find(|(known, _)| *known == name) else {
            if name == "none" && level.is_none() {
                return Ok(Self { algorithm: None, level: 0 });
            }
            let help = match attr::nearest(name, names()) {
                Some(nearest) => format!("did you mean `{nearest}`?"),
                None => format!("there are {}", attr::listed(names())),
            };
            return error(format!("`{}` is not a compression algorithm\nhelp: {help}", text.value));
        };
        match level.map(str::as_bytes) {
            None => Ok(Self { algorithm: Some(algorithm), level: *usual }),
            Some(&[digit @ b'1'..=b'9']) => Ok(Self { algorithm: Some(algorithm), level: digit - b'0' }),
            _ => {
                let help = format!("help: write it as `\"{name}:{usual}\"`");
                error(format!("`{}` has no level from 1 to 9\n{help}", text.value))
            }
        }
    }

    /// An expression of type `Compression`.
    pub(crate) fn settings(self, private: &TokenStream) -> TokenStream {
        match self.algorithm {
            None => quote!(#private::Compression::NONE),
            Some(algorithm) => {
                let algorithm = syn::Ident::new(algorithm, Span::call_site());
                let level = Literal::u8_unsuffixed(self.level);
                quote!(#private::Compression::#algorithm(#level))
            }
        }
    }
}

impl Encoding {
    /// The Rust types that can have it.
    pub(crate) fn suits(&self) -> Vec<&'static str> {
        let suits = match self {
            Self::Column(name) => {
                COLUMN_TYPES.iter().find(|(known, _)| known == name).map_or(COLLECTIONS, |(_, suits)| suits)
            }
            Self::Truncated { .. } | Self::Quantized(_) => FLOATS,
            Self::Double32 => &["f64"],
            Self::Several(all) => {
                let all: Vec<_> = all.iter().map(Self::suits).collect();
                let first = all.first().cloned().unwrap_or_default();
                return first.into_iter().filter(|ty| all.iter().all(|suits| suits.contains(ty))).collect();
            }
        };
        suits.to_vec()
    }

    /// Whether it is one of offsets, which collections and strings have.
    pub(crate) fn is_index(&self) -> bool {
        match self {
            Self::Column(name) => is_index(name),
            Self::Several(all) => all.iter().all(Self::is_index),
            _ => false,
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
        match self {
            Self::Column(name) => {
                let name = syn::Ident::new(name, Span::call_site());
                quote!(#private::Ok(#private::ColumnEncoding::of(#private::ColumnType::#name)))
            }
            Self::Truncated { bits } => {
                let bits = Literal::u16_unsuffixed(*bits);
                quote!(#private::ColumnEncoding::truncated(#bits))
            }
            Self::Double32 => {
                let name = syn::Ident::new("SplitReal32", Span::call_site());
                quote!(#private::Ok(#private::ColumnEncoding::of(#private::ColumnType::#name)))
            }
            Self::Several(all) => all.first().map_or_else(TokenStream::new, |first| first.packing(private)),
            Self::Quantized(quantized) => {
                let Quantized { bits, min, max, saturates } = &**quantized;
                let bits = Literal::u16_unsuffixed(*bits);
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

fn is_index(name: &str) -> bool {
    name.ends_with("Index32") || name.ends_with("Index64")
}

/// The column type of this name.
pub(crate) fn column_type(name: &Spanned<String>) -> syn::Result<Encoding> {
    if let Some((name, _)) = COLUMN_TYPES.iter().find(|(known, _)| *known == name.value) {
        return Ok(Encoding::Column(name));
    }
    let names = || COLUMN_TYPES.iter().map(|(name, _)| *name);
    let help = match &*name.value {
        "Real32Trunc" => "write `truncate(bits = 18)`, with the number of bits to keep".to_owned(),
        "Real32Quant" => "write `quantize(bits = 12, min = -5.0, max = 5.0)`, with its range".to_owned(),
        "Switch" => "enums with data have it already".to_owned(),
        other => match attr::nearest(other, names()) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => format!("there are {}", attr::listed(names())),
        },
    };
    Err(syn::Error::new(name.span, format!("`{}` cannot be chosen as an encoding\nhelp: {help}", name.value)))
}

/// The column type of offsets of this name.
pub(crate) fn index_type(name: &Spanned<String>) -> syn::Result<Encoding> {
    let mut names = COLUMN_TYPES.iter().map(|(name, _)| *name).filter(|name| is_index(name));
    match names.clone().find(|known| *known == name.value) {
        Some(name) => Ok(Encoding::Column(name)),
        None => {
            let names = attr::listed(&mut names);
            let message = format!("`{}` is not an encoding of offsets\nhelp: there are {names}", name.value);
            Err(syn::Error::new(name.span, message))
        }
    }
}
