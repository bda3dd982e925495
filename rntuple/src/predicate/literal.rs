//! Values that are written in a predicate.

use super::number::Number;
use super::values::Scalar;

/// A value that is written in a predicate. Every Rust number, `bool` and string converts to one.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Literal {
    /// Compared with a `bool`.
    Bool(bool),
    /// Compared with numbers.
    Int(i128),
    /// Compared with numbers. The value of an `f32` is that of an `f64`.
    Float(f64),
    /// Compared with strings, and with enums whose variants have this name.
    String(String),
}

impl Literal {
    pub(super) fn scalar(&self) -> Scalar<'_> {
        match self {
            Self::Bool(value) => Scalar::Bool(*value),
            Self::Int(value) => Scalar::Number(Number::Int(*value)),
            Self::Float(value) => Scalar::Number(Number::Float(*value)),
            Self::String(text) => Scalar::Text(text.as_bytes()),
        }
    }
}

macro_rules! from {
    ($($kind:ident($($ty:ty),*))*) => {
        $($(
            impl From<$ty> for Literal {
                fn from(value: $ty) -> Self {
                    Self::$kind(value.into())
                }
            }
        )*)*
    };
}

from! {
    Bool(bool)
    Int(i8, u8, i16, u16, i32, u32, i64, u64, i128)
    Float(f32, f64)
    String(&str, String)
}
