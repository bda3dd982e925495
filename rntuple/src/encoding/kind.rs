//! What the values of a column are, whatever their encoding.

use half::f16;

use super::value::{Index, Index32, Switch};

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueKind {
    Bool,
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
    /// Bytes and characters, which are no numbers.
    Byte,
    /// Where collections end.
    End,
    /// Which alternatives of variants there are.
    Tag,
}

/// A type of the table of column types.
pub(super) trait Stored {
    const KIND: ValueKind;
}

macro_rules! stored {
    ($($type:ty: $kind:ident,)*) => {$(
        impl Stored for $type {
            const KIND: ValueKind = ValueKind::$kind;
        }
    )*};
}

stored! {
    bool: Bool,
    i8: I8,
    u8: U8,
    i16: I16,
    u16: U16,
    i32: I32,
    u32: U32,
    i64: I64,
    u64: U64,
    f16: F16,
    f32: F32,
    f64: F64,
    Index32: End,
    Index: End,
    Switch: Tag,
}
