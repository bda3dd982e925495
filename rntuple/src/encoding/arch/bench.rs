//! The scalar kernels, for the benchmarks that compare the others with them. Not part of the API: they need the feature
//! `internals`.

use super::{AsIs, Delta, Zigzag, append, scalar};

/// What is done to a word besides splitting it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    AsIs,
    /// Small magnitudes of either sign become small words.
    Zigzag,
    /// A word becomes its difference to the one before it.
    Delta,
}

/// A width of words.
pub trait Scalar: Sized {
    /// What [`Element::encode`](crate::encoding::Element::encode) does where the CPU has nothing better.
    fn split(kind: Kind, words: &[Self], out: &mut Vec<u8>);
    /// The other way.
    fn unsplit(kind: Kind, planes: &[u8], count: usize, out: &mut Vec<Self>);
}

macro_rules! scalar {
    ($($word:ty)*) => {$(
        impl Scalar for $word {
            fn split(kind: Kind, words: &[Self], out: &mut Vec<u8>) {
                let split = match kind {
                    Kind::AsIs => scalar::split::<_, AsIs>,
                    Kind::Zigzag => scalar::split::<_, Zigzag>,
                    Kind::Delta => scalar::split::<_, Delta>,
                };
                // SAFETY: from 0 on, the scalar kernel writes every byte.
                unsafe { append(out, size_of_val(words), |planes| split(words, 0, planes)) };
            }

            fn unsplit(kind: Kind, planes: &[u8], count: usize, out: &mut Vec<Self>) {
                assert_eq!(planes.len(), count * size_of::<Self>());
                let unsplit = match kind {
                    Kind::AsIs => scalar::unsplit::<_, AsIs>,
                    Kind::Zigzag => scalar::unsplit::<_, Zigzag>,
                    Kind::Delta => scalar::unsplit::<_, Delta>,
                };
                // SAFETY: from 0 on, the scalar kernel writes every word, since there are planes for all.
                unsafe { append(out, count, |words| unsplit(planes, 0, 0, words)) };
            }
        }
    )*};
}

scalar! { u16 u32 u64 }

/// One bit per value.
pub fn pack(values: &[bool], out: &mut Vec<u8>) {
    // SAFETY: from 0 on, the scalar kernel writes every byte.
    unsafe { append(out, values.len().div_ceil(8), |bytes| scalar::pack(values, 0, bytes)) };
}

/// One value per bit.
pub fn unpack(bytes: &[u8], out: &mut Vec<bool>) {
    // SAFETY: from 0 on, the scalar kernel writes every value, since there is a byte for each eight.
    unsafe { append(out, bytes.len() * 8, |values| scalar::unpack(bytes, 0, values)) };
}
