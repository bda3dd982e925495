//! Ranks: numbers of 64 bits in the order of the values that have them, whatever their type is.

use half::f16;

use super::{Byte, ColumnEncoding, ColumnType, Conversion, CxxChar, Element, Index, Switch, ValueKind};

/// The rank of what is not a number. No real number has it.
pub(crate) const NOT_A_NUMBER: u64 = u64::MAX;

const SIGN: u64 = 1 << 63;

/// What kind of numbers ranks are of: those of different kinds cannot be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RankKind {
    Signed,
    Unsigned,
    Real,
}

impl RankKind {
    /// The kind of the values of a column; `None` if they are not numbers, or if their encoding rounds: values that differ
    /// may be equal when they are read.
    pub(crate) fn of(column_type: ColumnType) -> Option<Self> {
        use ValueKind as V;
        match column_type.kind() {
            _ if column_type.rounds() => None,
            V::I8 | V::I16 | V::I32 | V::I64 => Some(Self::Signed),
            V::Bool | V::U8 | V::U16 | V::U32 | V::U64 => Some(Self::Unsigned),
            V::F16 | V::F32 | V::F64 => Some(Self::Real),
            V::Byte | V::End | V::Tag => None,
        }
    }
}

/// Ranks of the values of a key, one of several by which entries are sorted.
#[derive(Clone, Debug)]
pub(crate) struct Ranks {
    /// Which of the keys.
    pub(crate) key: usize,
    /// Number of keys.
    pub(crate) keys: usize,
    pub(crate) kind: RankKind,
    pub(crate) values: Vec<u64>,
}

/// A scalar that may have ranks.
pub(super) trait Rank: Sized {
    /// Appends the ranks of values, as they will be read. Values without an order have none.
    fn ranks(packing: &ColumnEncoding, values: &[Self], out: &mut Vec<u64>);
}

/// The rank of a real number: the two zeros have the same.
pub(crate) fn rank_of_real(value: f64) -> u64 {
    if value.is_nan() {
        return NOT_A_NUMBER;
    }
    // The sum of both zeros is the positive one.
    let bits = (value + 0.0).to_bits();
    if bits & SIGN == 0 { bits | SIGN } else { !bits }
}

/// The signed integer of a rank.
pub(crate) fn signed_of_rank(rank: u64) -> i64 {
    (rank ^ SIGN).cast_signed()
}

/// The real number of a rank.
pub(crate) fn real_of_rank(rank: u64) -> f64 {
    f64::from_bits(if rank & SIGN == 0 { !rank } else { rank ^ SIGN })
}

macro_rules! integers {
    ($($integer:ty: $widest:ty => $bits:expr;)*) => {$(
        impl Rank for $integer {
            fn ranks(packing: &ColumnEncoding, values: &[Self], out: &mut Vec<u64>) {
                // The column decides: a type of Rust may be stored as one of the other signedness.
                let is_signed = RankKind::of(packing.column_type) == Some(RankKind::Signed);
                let flip = if is_signed { SIGN } else { 0 };
                let bits: fn($widest) -> u64 = $bits;
                out.extend(values.iter().map(|value| bits((*value).into()) ^ flip));
            }
        }
    )*};
}

integers! {
    bool: u64 => |value| value;
    u8: u64 => |value| value;
    u16: u64 => |value| value;
    u32: u64 => |value| value;
    u64: u64 => |value| value;
    i8: i64 => i64::cast_unsigned;
    i16: i64 => i64::cast_unsigned;
    i32: i64 => i64::cast_unsigned;
    i64: i64 => i64::cast_unsigned;
}

impl Rank for f16 {
    fn ranks(_: &ColumnEncoding, values: &[Self], out: &mut Vec<u64>) {
        out.extend(values.iter().map(|value| rank_of_real(value.to_f64())));
    }
}

macro_rules! reals {
    ($($real:ty: $($exact:ident)*;)*) => {$(
        impl Rank for $real {
            fn ranks(packing: &ColumnEncoding, values: &[Self], out: &mut Vec<u64>) {
                if matches!(packing.column_type, $(ColumnType::$exact)|*) {
                    out.extend(values.iter().map(|value| rank_of_real((*value).into())));
                    return;
                }
                // Fewer digits are stored: two values may become one.
                let mut bytes = Vec::new();
                let mut stored = Vec::<f64>::new();
                let count = u32::try_from(values.len()).unwrap_or(u32::MAX);
                // Of what cannot be stored, sealing the page says why.
                if Self::encode(packing, values, &mut bytes).is_ok()
                    && f64::decode_as(packing, &bytes, count, Conversion::default(), &mut stored).is_ok()
                {
                    out.extend(stored.into_iter().map(rank_of_real));
                }
            }
        }
    )*};
}

reals! {
    f32: Real32 SplitReal32;
    f64: Real64 SplitReal64;
}

macro_rules! unranked {
    ($($type:ty)*) => {$(
        impl Rank for $type {
            fn ranks(_: &ColumnEncoding, _: &[Self], _: &mut Vec<u64>) {}
        }
    )*};
}

unranked! { Byte CxxChar Index Switch }

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks<E: Element>(column_type: ColumnType, values: &[E]) -> Vec<u64> {
        let mut out = Vec::new();
        E::ranks(&ColumnEncoding::of(column_type), values, &mut out);
        out
    }

    #[test]
    fn ranks_are_in_the_order_of_the_values() {
        let signed = ranks(ColumnType::Int64, &[i64::MIN, -1, 0, 1, i64::MAX]);
        assert!(signed.is_sorted_by(|a, b| a < b), "{signed:?}");
        let real = [f64::NEG_INFINITY, -2.5, -f64::MIN_POSITIVE, 0.0, 1e-300, 2.5, f64::INFINITY];
        let real = ranks(ColumnType::Real64, &real);
        assert!(real.is_sorted_by(|a, b| a < b), "{real:?}");
        assert!(real.iter().all(|rank| *rank < NOT_A_NUMBER));
        assert_eq!(ranks(ColumnType::Bit, &[false, true]), [0, 1]);
        assert_eq!(ranks(ColumnType::UInt8, &[0u8, 255]), [0, 255]);
        assert!(ranks(ColumnType::Index64, &[Index(3)]).is_empty());
    }

    #[test]
    fn ranks_follow_the_signedness_of_the_column() {
        assert_eq!(ranks(ColumnType::Int32, &[5u32]), ranks(ColumnType::Int32, &[5i32]));
        assert_eq!(ranks(ColumnType::UInt32, &[5i32]), [5]);
    }

    #[test]
    fn zeros_are_equal_and_what_is_not_a_number_is_known() {
        assert_eq!(rank_of_real(-0.0), rank_of_real(0.0));
        assert_eq!(ranks(ColumnType::SplitReal32, &[f32::NAN, -f32::NAN]), [NOT_A_NUMBER; 2]);
    }

    #[test]
    fn ranks_are_those_of_the_stored_values() {
        let near = ranks(ColumnType::Real16, &[1.0f32, 1.0001]);
        assert_eq!(near[0], near[1]);
        let near = ranks(ColumnType::Real32, &[1.0f64, 1.0 + f64::EPSILON]);
        assert_eq!(near[0], near[1]);
        assert_eq!(near[0], rank_of_real(1.0));
    }

    #[test]
    fn values_come_back_from_ranks() {
        let values = [i64::MIN, -7, 0, i64::MAX];
        let back: Vec<i64> = ranks(ColumnType::Int64, &values).into_iter().map(signed_of_rank).collect();
        assert_eq!(back, values);
        for value in [f64::NEG_INFINITY, -1.5, 0.0, 3e300, f64::INFINITY] {
            assert_eq!(real_of_rank(rank_of_real(value)).to_bits(), value.to_bits());
        }
    }
}
