//! The scalars that fill columns.

use half::f16;

use super::observe::{Observe, Observed};
use super::quant;
use super::rank::Rank;
use super::{
    Byte, ColumnEncoding, ColumnType, CxxChar, Fault, Index, Switch, bytes_any, can_load, decode_any,
    encode_any, view_any,
};

/// How stored values become those of the type that reads them.
#[derive(Clone, Copy, Debug, Default)]
#[doc(hidden)]
pub struct Conversion {
    /// So many values at the front of the page are left out.
    pub skip: usize,
    /// Whether any number may be read as any other, as the nearest value of its type.
    pub lossy: bool,
}

/// A scalar that fills a column.
///
/// The set is closed: it is the left column of the format's matrix (section 9.3).
pub trait Element:
    Copy + Default + PartialEq + std::fmt::Debug + Send + Sync + sealed::Sealed + 'static
{
    /// Its Rust name, for error messages.
    const NAME: &'static str;
    /// The column types that it may be written as; the first is the default.
    ///
    /// Where the default has a split form, `split` says which; see [`default_type`](Self::default_type).
    const WRITES: &'static [ColumnType];

    /// The default column type: split where the pages are compressed (format, section 9.1).
    fn default_type(compressed: bool) -> ColumnType;

    /// Whether a column of this type may be read as this Rust type.
    fn reads(column_type: ColumnType) -> bool;

    /// As [`reads`](Self::reads), by a reader that accepts losses.
    #[doc(hidden)]
    fn reads_with_losses(column_type: ColumnType) -> bool;

    /// Appends the bytes of a page with these values to `out`.
    ///
    /// # Errors
    /// A value that the column type cannot hold; a column type that does not fit.
    fn encode(packing: &ColumnEncoding, values: &[Self], out: &mut Vec<u8>) -> Result<(), Fault>;

    /// How many of the values are outside the range of a quantised column.
    #[doc(hidden)]
    fn outside(packing: &ColumnEncoding, values: &[Self]) -> u64;

    /// The first value that a quantised column cannot pack.
    #[doc(hidden)]
    fn misfit(packing: &ColumnEncoding, values: &[Self]) -> Option<Fault>;

    /// What the values of a page say together, of which there is one at least, as they will be read.
    #[doc(hidden)]
    fn observe(packing: &ColumnEncoding, values: &[Self]) -> Option<Observed>;

    /// Appends numbers that are in the order of the values, as these will be read. Values without an order have none.
    #[doc(hidden)]
    fn ranks(packing: &ColumnEncoding, values: &[Self], out: &mut Vec<u64>);

    /// Appends the `count` values of a page to `out`.
    ///
    /// # Errors
    /// Too many or too few bytes; a value that the Rust type cannot hold; a column type that does not fit.
    fn decode(packing: &ColumnEncoding, bytes: &[u8], count: u32, out: &mut Vec<Self>) -> Result<(), Fault> {
        Self::decode_as(packing, bytes, count, Conversion::default(), out)
    }

    /// As [`decode`](Self::decode), in one of several ways. At a value that the type cannot hold, `out` has
    /// those before it.
    #[doc(hidden)]
    fn decode_as(
        packing: &ColumnEncoding,
        bytes: &[u8],
        count: u32,
        how: Conversion,
        out: &mut Vec<Self>,
    ) -> Result<(), Fault>;

    /// The bytes of a page as the values that they are, where they need not be decoded.
    #[doc(hidden)]
    fn view<'a>(packing: &ColumnEncoding, bytes: &'a [u8]) -> Option<&'a [Self]>;

    /// The values as the bytes of a page, where they need not be encoded.
    #[doc(hidden)]
    fn bytes<'a>(packing: &ColumnEncoding, values: &'a [Self]) -> Option<&'a [u8]>;
}

mod sealed {
    pub trait Sealed {}
}

/// A scalar, as a row of the table of all scalars.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Scalar {
    /// [`Element::NAME`]
    pub name: &'static str,
    /// [`Element::default_type`]: in uncompressed datasets, and in compressed ones.
    pub defaults: [ColumnType; 2],
    /// [`Element::WRITES`]
    pub writes: &'static [ColumnType],
    /// [`Element::reads`]
    pub reads: fn(ColumnType) -> bool,
}

macro_rules! elements {
    ($($type:ident $plain:ident $split:ident: $($writes:ident)*;)*) => {
        /// Every scalar: the table for code that knows types by their names.
        #[doc(hidden)]
        pub const SCALARS: &[Scalar] = &[$(Scalar {
            name: <$type as Element>::NAME,
            defaults: [ColumnType::$plain, ColumnType::$split],
            writes: <$type as Element>::WRITES,
            reads: <$type as Element>::reads,
        }),*];

        $(
        impl sealed::Sealed for $type {}

        impl Element for $type {
            const NAME: &'static str = stringify!($type);
            const WRITES: &'static [ColumnType] = &[$(ColumnType::$writes),*];

            fn default_type(compressed: bool) -> ColumnType {
                if compressed { ColumnType::$split } else { ColumnType::$plain }
            }

            fn reads(column_type: ColumnType) -> bool {
                can_load::<Self>(column_type, false)
            }

            fn reads_with_losses(column_type: ColumnType) -> bool {
                can_load::<Self>(column_type, true)
            }

            fn encode(packing: &ColumnEncoding, values: &[Self], out: &mut Vec<u8>) -> Result<(), Fault> {
                encode_any(packing, values, out)
            }

            fn outside(packing: &ColumnEncoding, values: &[Self]) -> u64 {
                quant::outside(packing, values)
            }

            fn misfit(packing: &ColumnEncoding, values: &[Self]) -> Option<Fault> {
                quant::misfit(packing, values)
            }

            fn observe(packing: &ColumnEncoding, values: &[Self]) -> Option<Observed> {
                Observe::observe(packing, values)
            }

            fn ranks(packing: &ColumnEncoding, values: &[Self], out: &mut Vec<u64>) {
                Rank::ranks(packing, values, out);
            }

            fn decode_as(
                packing: &ColumnEncoding,
                bytes: &[u8],
                count: u32,
                how: Conversion,
                out: &mut Vec<Self>,
            ) -> Result<(), Fault> {
                let (wanted, found) = (packing.page_length(count), bytes.len() as u64);
                if wanted != found {
                    return Err(Fault::Length { wanted, found });
                }
                decode_any(packing, bytes, count as usize, how, out)
            }

            fn view<'a>(packing: &ColumnEncoding, bytes: &'a [u8]) -> Option<&'a [Self]> {
                view_any(packing, bytes)
            }

            fn bytes<'a>(packing: &ColumnEncoding, values: &'a [Self]) -> Option<&'a [u8]> {
                bytes_any(packing, values)
            }
        }
    )*};
}

elements! {
    // type, default in an uncompressed and in a compressed dataset: all that it may be written as
    bool    Bit     Bit:          Bit;
    Byte    Byte    Byte:         Byte;
    CxxChar Char    Char:         Char;
    i8      Int8    Int8:         Int8;
    u8      UInt8   UInt8:        UInt8;
    i16     Int16   SplitInt16:   SplitInt16 Int16;
    u16     UInt16  SplitUInt16:  SplitUInt16 UInt16;
    i32     Int32   SplitInt32:   SplitInt32 Int32;
    u32     UInt32  SplitUInt32:  SplitUInt32 UInt32;
    i64     Int64   SplitInt64:   SplitInt64 Int64;
    u64     UInt64  SplitUInt64:  SplitUInt64 UInt64;
    f16     Real16  Real16:       Real16 SplitReal16;
    f32     Real32  SplitReal32:  SplitReal32 Real32 Real16 SplitReal16 Real32Trunc Real32Quant;
    f64     Real64  SplitReal64:
        SplitReal64 Real64 SplitReal32 Real32 Real16 SplitReal16 Real32Trunc Real32Quant;
    Index   Index64 SplitIndex64: SplitIndex64 Index64 SplitIndex32 Index32;
    Switch  Switch  Switch:       Switch;
}
