//! What the values of a column are, whatever their encoding.

use half::f16;

use super::{ColumnType, Index, Index32, Switch};

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

impl ColumnType {
    /// What its values are.
    pub(crate) fn kind(self) -> ValueKind {
        match self {
            Self::Byte | Self::Char => ValueKind::Byte,
            // The steps have double precision, the values single precision.
            Self::Real32Quant => ValueKind::F32,
            _ => self.stored_kind(),
        }
    }

    /// Whether values that differ may be equal when they are read.
    pub(crate) fn rounds(self) -> bool {
        matches!(self, Self::Real32Trunc | Self::Real32Quant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_values_are() {
        for &column_type in ColumnType::ALL {
            let name = column_type.name().trim_start_matches("Split");
            let expected = match column_type.kind() {
                ValueKind::Bool => "Bit",
                ValueKind::I8 => "Int8",
                ValueKind::U8 => "UInt8",
                ValueKind::I16 => "Int16",
                ValueKind::U16 => "UInt16",
                ValueKind::I32 => "Int32",
                ValueKind::U32 => "UInt32",
                ValueKind::I64 => "Int64",
                ValueKind::U64 => "UInt64",
                ValueKind::F16 => "Real16",
                ValueKind::F32 => "Real32",
                ValueKind::F64 => "Real64",
                ValueKind::Byte if column_type == ColumnType::Char => "Char",
                ValueKind::Byte => "Byte",
                ValueKind::End => "Index",
                ValueKind::Tag => "Switch",
            };
            assert!(name.starts_with(expected), "{column_type}: {expected}");
        }
    }
}
