//! How values become the bytes of a page, and back: elements, transforms, and the table of column types.
//!
//! | to add | touch |
//! | --- | --- |
//! | a column type made of known transforms | one row of the table below |
//! | a transform | its own file here, and its row |
//!
//! Columns of files from before version 1 that version 1 left out are in rows of their own: they are read, and never
//! written.

use std::fmt;

use half::f16;

#[allow(unsafe_code, reason = "kernels, and memory seen as other memory: the room that may")]
mod arch;
mod bits;
mod element;
mod kind;
mod load;
mod observe;
mod plain;
mod quant;
mod rank;
mod spelled;
mod split;
mod switch;
pub(crate) mod text;
mod trunc;
pub(crate) mod value;

use bits::Bits;
use kind::Stored;
use load::{LoadAll, StoreAll};
use plain::Plain;
use quant::Quant;
use split::{DeltaSplit, Split, ZigzagSplit};
use switch::{Halves, Packed};
use trunc::Trunc;

use crate::error::{Error, ErrorKind};

pub(crate) use arch::Values;
#[cfg(feature = "internals")]
#[doc(hidden)]
pub use arch::bench as __bench;
pub use element::{Conversion, Element};
#[doc(hidden)]
pub use element::{SCALARS, Scalar};
pub(crate) use kind::ValueKind;
#[doc(hidden)]
pub use observe::Observed;
pub(crate) use observe::observe_decoded;
pub(crate) use rank::{NOT_A_NUMBER, RankKind, Ranks, rank_of_real, real_of_rank, signed_of_rank};
pub(crate) use text::TextBlocks;
pub(crate) use value::Index32;
pub(crate) use value::{Byte, CxxChar};
pub use value::{Index, Switch};

/// One transform between values of `S` and the bytes of a page; every page starts afresh.
pub(crate) trait Encoding<S> {
    /// Appends the bytes of `values` to `out`.
    fn encode(packing: &ColumnEncoding, values: &[S], out: &mut Vec<u8>) -> Result<(), Fault>;
    /// Appends `count` values to `out`; `bytes` is exactly as long as they need.
    fn decode(packing: &ColumnEncoding, bytes: &[u8], count: usize, out: &mut Vec<S>) -> Result<(), Fault>;
    /// The values that `bytes` are already, where no byte would change and they are aligned.
    fn view(_bytes: &[u8]) -> Option<&[S]> {
        None
    }
    /// The bytes that `values` are already.
    fn bytes(_values: &[S]) -> Option<&[u8]> {
        None
    }
}

macro_rules! table {
    ($(
        $(#[$doc:meta])*
        $code:literal $name:ident $low:literal..=$high:literal $stored:ident => $transform:ident;
    )* before version 1 $(
        $(#[$old_doc:meta])*
        $old_code:literal $old_name:ident $bits:literal $old_stored:ident => $old_transform:ident;
    )*) => {
        /// A column type of format version 1 (section 5.2), or one of those that it left out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        #[repr(u16)]
        pub enum ColumnType {
            $(
                $(#[$doc])*
                #[doc = concat!("\n\nCode ", stringify!($code), ", ", stringify!($low), " to ",
                                stringify!($high), " bits; transform: ", stringify!($transform), ".")]
                $name = $code,
            )*
            $(
                $(#[$old_doc])*
                #[doc = concat!("\n\n", stringify!($bits), " bits; transform: ", stringify!($old_transform),
                                ". It is read from files of before version 1, and never written.")]
                $old_name = $old_code,
            )*
        }

        impl ColumnType {
            /// Every column type of version 1, by code.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The type with this code in version 1, `None` for one of a future version.
            pub fn from_code(code: u16) -> Option<Self> {
                match code {
                    $($code => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// Its name in the format notes.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                    $(Self::$old_name => stringify!($old_name),)*
                }
            }

            /// What is stored of its values, in the table.
            fn stored_kind(self) -> ValueKind {
                match self {
                    $(Self::$name => <$stored as Stored>::KIND,)*
                    $(Self::$old_name => <$old_stored as Stored>::KIND,)*
                }
            }

            /// Whether version 1 left it out.
            pub fn is_old(self) -> bool {
                matches!(self, $(Self::$old_name)|*)
            }

            /// The numbers of bits that one element may have on storage.
            pub const fn bit_range(self) -> std::ops::RangeInclusive<u16> {
                match self {
                    $(Self::$name => $low..=$high,)*
                    $(Self::$old_name => $bits..=$bits,)*
                }
            }
        }

        fn encode_any<E: StoreAll>(packing: &ColumnEncoding, values: &[E], out: &mut Vec<u8>) -> Result<(), Fault> {
            match packing.column_type {
                $(ColumnType::$name => load::encode_as::<E, $stored, $transform>(packing, values, out),)*
                $(ColumnType::$old_name)|* => Err(Fault::Unrelated),
            }
        }

        fn decode_any<E: LoadAll>(
            packing: &ColumnEncoding,
            bytes: &[u8],
            count: usize,
            how: Conversion,
            out: &mut Vec<E>,
        ) -> Result<(), Fault> {
            match packing.column_type {
                $(ColumnType::$name => {
                    load::decode_as::<E, $stored, $transform>(packing, bytes, count, how, out)
                })*
                $(ColumnType::$old_name => {
                    load::decode_as::<E, $old_stored, $old_transform>(packing, bytes, count, how, out)
                })*
            }
        }

        fn view_any<'a, E: LoadAll>(packing: &ColumnEncoding, bytes: &'a [u8]) -> Option<&'a [E]> {
            match packing.column_type {
                $(ColumnType::$name => load::view_as::<E, $stored, $transform>(bytes),)*
                $(ColumnType::$old_name)|* => None,
            }
        }

        fn bytes_any<'a, E: StoreAll>(packing: &ColumnEncoding, values: &'a [E]) -> Option<&'a [u8]> {
            match packing.column_type {
                $(ColumnType::$name => load::bytes_as::<E, $stored, $transform>(values),)*
                $(ColumnType::$old_name)|* => None,
            }
        }

        fn can_load<E: LoadAll>(column_type: ColumnType, lossy: bool) -> bool {
            match column_type {
                $(ColumnType::$name if lossy => <E as load::Load<$stored>>::LOSSY,)*
                $(ColumnType::$name => <E as load::Load<$stored>>::ALLOWED,)*
                $(ColumnType::$old_name if lossy => <E as load::Load<$old_stored>>::LOSSY,)*
                $(ColumnType::$old_name => <E as load::Load<$old_stored>>::ALLOWED,)*
            }
        }
    };
}

// THE TABLE. Code, name, bits on storage, the Rust type of one stored value, transform.
table! {
    /// One bit per value, the first in the lowest bit.
    0x00 Bit          1..=1   bool    => Bits;
    /// A byte without a meaning of its own.
    0x01 Byte         8..=8   u8      => Plain;
    /// A character of a string, or C++'s `char`.
    0x02 Char         8..=8   u8      => Plain;
    /// Signed integer.
    0x03 Int8         8..=8   i8      => Plain;
    /// Unsigned integer.
    0x04 UInt8        8..=8   u8      => Plain;
    /// Signed integer.
    0x05 Int16        16..=16 i16     => Plain;
    /// Unsigned integer.
    0x06 UInt16       16..=16 u16     => Plain;
    /// Signed integer.
    0x07 Int32        32..=32 i32     => Plain;
    /// Unsigned integer.
    0x08 UInt32       32..=32 u32     => Plain;
    /// Signed integer.
    0x09 Int64        64..=64 i64     => Plain;
    /// Unsigned integer.
    0x0A UInt64       64..=64 u64     => Plain;
    /// IEEE half precision.
    0x0B Real16       16..=16 f16     => Plain;
    /// IEEE single precision.
    0x0C Real32       32..=32 f32     => Plain;
    /// IEEE double precision.
    0x0D Real64       64..=64 f64     => Plain;
    /// End offsets of a collection's items, relative to the cluster.
    0x0E Index32      32..=32 Index32 => Plain;
    /// End offsets of a collection's items, relative to the cluster.
    0x0F Index64      64..=64 Index   => Plain;
    /// Which alternative of a variant is active, and its position.
    0x10 Switch       96..=96 Switch  => Plain;
    /// Signed integer, small magnitudes first, bytes by significance.
    0x11 SplitInt16   16..=16 i16     => ZigzagSplit;
    /// Unsigned integer, bytes by significance.
    0x12 SplitUInt16  16..=16 u16     => Split;
    /// Signed integer, small magnitudes first, bytes by significance.
    0x13 SplitInt32   32..=32 i32     => ZigzagSplit;
    /// Unsigned integer, bytes by significance.
    0x14 SplitUInt32  32..=32 u32     => Split;
    /// Signed integer, small magnitudes first, bytes by significance.
    0x15 SplitInt64   64..=64 i64     => ZigzagSplit;
    /// Unsigned integer, bytes by significance.
    0x16 SplitUInt64  64..=64 u64     => Split;
    /// IEEE half precision, bytes by significance. ROOT does not read it yet: never written by default.
    0x17 SplitReal16  16..=16 f16     => Split;
    /// IEEE single precision, bytes by significance.
    0x18 SplitReal32  32..=32 f32     => Split;
    /// IEEE double precision, bytes by significance.
    0x19 SplitReal64  64..=64 f64     => Split;
    /// End offsets as differences, bytes by significance.
    0x1A SplitIndex32 32..=32 Index32 => DeltaSplit;
    /// End offsets as differences, bytes by significance.
    0x1B SplitIndex64 64..=64 Index   => DeltaSplit;
    /// Single precision without its lowest mantissa bits.
    0x1C Real32Trunc  10..=31 f32     => Trunc;
    /// An integer that counts steps through a value range.
    0x1D Real32Quant  1..=32  f64     => Quant;

    // Numbers that no file has: older ones number all their types otherwise, and one of version 1 that has such a
    // number means a type of a future version.
    before version 1

    /// Which alternative of a variant is active, and its position: 32 bits each.
    0xFF00 HalvedSwitch  64 Switch => Halves;
    /// Which alternative of a variant is active, and its position: 20 and 44 bits.
    0xFF01 PackedSwitch  64 Switch => Packed;
    /// Signed integer, bytes by significance.
    0xFF02 RawSplitInt16 16 i16    => Split;
    /// Signed integer, bytes by significance.
    0xFF03 RawSplitInt32 32 i32    => Split;
    /// Signed integer, bytes by significance.
    0xFF04 RawSplitInt64 64 i64    => Split;
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

impl fmt::Display for ColumnType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How the elements of one column are laid out in its pages: type, bits on storage, value range.
#[derive(Clone, Copy, Debug)]
pub struct ColumnEncoding {
    pub(crate) column_type: ColumnType,
    pub(crate) bits: u16,
    pub(crate) range: Option<(f64, f64)>,
    /// Whether values outside the range become the nearest inside. No file says so.
    pub(crate) saturates: bool,
}

/// Two are equal if a file cannot tell them apart.
impl PartialEq for ColumnEncoding {
    fn eq(&self, other: &Self) -> bool {
        (self.column_type, self.bits, self.range) == (other.column_type, other.bits, other.range)
    }
}

impl ColumnEncoding {
    /// A column type that has only one width and needs no range.
    ///
    /// ```
    /// use rntuple::encoding::{ColumnType, ColumnEncoding};
    /// assert_eq!(ColumnEncoding::of(ColumnType::Real16).bits(), 16);
    /// ```
    pub fn of(column_type: ColumnType) -> Self {
        Self { column_type, bits: *column_type.bit_range().end(), range: None, saturates: false }
    }

    /// Single precision cut to `bits` bits (10 to 31), sign and exponent included.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for another number of bits.
    pub fn truncated(bits: u16) -> Result<Self, Error> {
        Self::checked(ColumnType::Real32Trunc, bits, None)
    }

    /// `bits` bits (1 to 32) that count equal steps from `min` to `max`. What these are as `f32` is taken as well.
    /// A field of the type `float` is refused where they are beyond the values of `f32`.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] for another number of bits, or if `min < max` does not hold, or if
    /// one of them is neither zero nor a normal number.
    pub fn quantized(bits: u16, min: f64, max: f64) -> Result<Self, Error> {
        Self::checked(ColumnType::Real32Quant, bits, Some((min, max)))
    }

    /// Writes values outside the range of [`quantized`](Self::quantized) as the nearest inside, and counts them in
    /// [`Summary::saturated`](crate::summary::Summary::saturated). Otherwise an entry with such a value is refused. One with NaN
    /// is refused in either case.
    ///
    /// ```
    /// use rntuple::encoding::ColumnEncoding;
    /// let coarse = ColumnEncoding::quantized(12, 0.0, 1000.0)?.saturating();
    /// # Ok::<(), rntuple::Error>(())
    /// ```
    #[must_use]
    pub fn saturating(self) -> Self {
        Self { saturates: true, ..self }
    }

    /// What a column record of a file says, checked.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] where the type cannot have this width or range.
    pub fn checked(column_type: ColumnType, bits: u16, range: Option<(f64, f64)>) -> Result<Self, Error> {
        if !column_type.bit_range().contains(&bits) {
            return Err(Error::invalid_argument(format!("{column_type} cannot have {bits} bits")));
        }
        if column_type == ColumnType::Real32Quant {
            let sound = |x: f64| x == 0.0 || x.is_normal();
            match range {
                Some((min, max)) if sound(min) && sound(max) && min < max && (max - min).is_finite() => {}
                Some((min, max)) => {
                    return Err(Error::invalid_argument(format!("{min}..{max} is not a range of values")));
                }
                None => return Err(Error::invalid_argument("Real32Quant needs a range of values")),
            }
        }
        Ok(Self { column_type, bits, range, saturates: false })
    }

    /// The column type.
    pub fn column_type(&self) -> ColumnType {
        self.column_type
    }

    /// Bits of one element on storage.
    pub fn bits(&self) -> u16 {
        self.bits
    }

    /// Lowest and highest value of a quantised column.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.range
    }

    /// Whether the range of a quantised column has a bound that is beyond the values of `f32`.
    pub(crate) fn exceeds_f32(&self) -> bool {
        let is_beyond = |bound: f64| bound.abs() > f64::from(f32::MAX);
        self.range.is_some_and(|(min, max)| is_beyond(min) || is_beyond(max))
    }

    /// Bytes of a page with `count` elements, before compression (format, section 6).
    pub(crate) fn page_length(&self, count: u32) -> u64 {
        (u64::from(count) * u64::from(self.bits)).div_ceil(8)
    }
}

impl fmt::Display for ColumnEncoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bits = self.column_type.bit_range();
        match self.range {
            Some((min, max)) => write!(f, "{}({}, {min}..{max})", self.column_type, self.bits),
            None if bits.start() != bits.end() => write!(f, "{}({})", self.column_type, self.bits),
            None => write!(f, "{}", self.column_type),
        }
    }
}

/// The bytes of a page as the values that they are, without a copy.
///
/// `None` where they would have to be decoded, converted or moved: the column type is not that of `E` as it stands
/// in memory, the machine is big-endian, the bytes are not aligned or not a whole number of values.
pub(crate) fn as_elements<'a, E: Element>(bytes: &'a [u8], packing: &ColumnEncoding) -> Option<&'a [E]> {
    E::view(packing, bytes)
}

/// The first value of a page that the reading type cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    /// Its position in the page.
    pub(crate) position: usize,
    /// What it is: only whole numbers can fail to fit.
    pub(crate) value: Option<i128>,
}

/// Appends the values of a page to `out`, as far as they fit.
pub(crate) fn decode_fitting<E: Element>(
    packing: &ColumnEncoding,
    bytes: &[u8],
    count: u32,
    how: Conversion,
    out: &mut Vec<E>,
) -> Result<Option<Misfit>, Fault> {
    match E::decode_as(packing, bytes, count, how, out) {
        Ok(()) => Ok(None),
        Err(Fault::OutOfRange { position }) => {
            Ok(Some(Misfit { position, value: number(packing, bytes, count, position) }))
        }
        Err(fault) => Err(fault),
    }
}

/// The number at `position` of a page.
#[cold]
fn number(packing: &ColumnEncoding, bytes: &[u8], count: u32, position: usize) -> Option<i128> {
    fn first<E: Element + Into<i128>>(
        packing: &ColumnEncoding,
        bytes: &[u8],
        count: u32,
        skip: usize,
    ) -> Option<i128> {
        let mut values = Vec::<E>::new();
        // A later value may not fit even here: what came before it is there all the same.
        let _ = E::decode_as(packing, bytes, count, Conversion { skip, lossy: false }, &mut values);
        values.first().map(|value| (*value).into())
    }
    let signed = first::<i64>(packing, bytes, count, position);
    signed.or_else(|| first::<u64>(packing, bytes, count, position))
}

/// What can go wrong between values and bytes; the column adds the place.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The page has another number of bytes than its elements need.
    Length {
        /// Bytes that the elements need.
        wanted: u64,
        /// Bytes that there are.
        found: u64,
    },
    /// The column type cannot be read as, or written from, this Rust type.
    Unrelated,
    /// A stored value that the Rust type cannot hold, or the other way round.
    OutOfRange {
        /// Position of the value in the page.
        position: usize,
    },
    /// A value outside the range of a quantised column.
    OutOfQuantizedRange {
        /// Position of the value in the page.
        position: usize,
        /// The value.
        value: f64,
        /// The lowest and the highest value of the column.
        range: (f64, f64),
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { wanted, found } => write!(f, "its elements need {wanted} bytes, it has {found}"),
            Self::Unrelated => f.write_str("the column type does not fit the Rust type"),
            Self::OutOfRange { position } => write!(f, "element {position} of the page does not fit"),
            Self::OutOfQuantizedRange { value, range: (min, max), .. } => {
                write!(f, "the value {value} is outside the range of the column, {min} to {max}")
            }
        }
    }
}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let kind = match fault {
            Fault::Length { .. } => ErrorKind::OutOfSpec,
            Fault::Unrelated | Fault::OutOfRange { .. } => ErrorKind::SchemaMismatch,
            Fault::OutOfQuantizedRange { position, .. } => {
                return Self::invalid_argument(fault.to_string()).at_element(position as u64);
            }
        };
        Self::new(kind, fault.to_string())
    }
}

#[cfg(test)]
mod tests;
