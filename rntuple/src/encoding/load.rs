//! Which Rust type reads and writes which stored type: the matrix of the format notes, section 9.3.
//!
//! Integers, booleans and characters convert into each other with a range check, floating-point
//! numbers of all widths into each other; the two families do not mix, unless the reader accepts losses:
//! then any number is read as the nearest value of any other kind. As in ROOT, a boolean read from an integer
//! is whether that is not 0.

use half::f16;

use super::arch::{as_lanes, with_lanes};
use super::{Byte, ColumnEncoding, Conversion, CxxChar, Encoding, Fault, Index, Index32, Switch};

/// A Rust type that may be read from stored values of type `S`.
pub(crate) trait Load<S>: Copy + Default {
    /// Whether the matrix allows it.
    const ALLOWED: bool;
    /// Whether a reader that accepts losses may do it.
    const LOSSY: bool = Self::ALLOWED;
    /// The value, `None` where it does not fit.
    fn load(stored: S) -> Option<Self>;
    /// The nearest value, towards zero for integers.
    fn nearest(stored: S) -> Option<Self> {
        Self::load(stored)
    }
    /// Lends the buffer itself to `decode` where both types are one in memory, so that no copy is made.
    fn same<R>(_: &mut Vec<Self>, _decode: impl FnOnce(&mut Vec<S>) -> R) -> Option<R> {
        None
    }
    /// Stored values as they are, where both types are one in memory.
    fn view(_: &[S]) -> Option<&[Self]> {
        None
    }
    /// Appends all values, `false` where there is no better way than one by one.
    fn load_all(_: &[S], _: &mut Vec<Self>) -> bool {
        false
    }
}

/// A Rust type that may be written as stored values of type `S`.
pub(crate) trait Store<S>: Sized {
    /// Whether the matrix allows it.
    const STORABLE: bool;
    /// The stored value, `None` where it does not fit.
    fn store(self) -> Option<S>;
    /// The values themselves where both types are one in memory.
    fn same(_: &[Self]) -> Option<&[S]> {
        None
    }
    /// Appends all values, `false` where there is no better way than one by one.
    fn store_all(_: &[Self], _: &mut Vec<S>) -> bool {
        false
    }
}

pub(super) fn encode_as<E: Store<S> + Copy, S: Copy + Default, T: Encoding<S>>(
    packing: &ColumnEncoding,
    values: &[E],
    out: &mut Vec<u8>,
) -> Result<(), Fault> {
    if !E::STORABLE {
        return Err(Fault::Unrelated);
    }
    if let Some(values) = E::same(values) {
        return T::encode(packing, values, out);
    }
    let mut stored = Vec::new();
    if !E::store_all(values, &mut stored) {
        convert(values, 0, E::store, &mut stored)?;
    }
    T::encode(packing, &stored, out)
}

pub(super) fn decode_as<E: Load<S>, S: Copy, T: Encoding<S>>(
    packing: &ColumnEncoding,
    bytes: &[u8],
    count: usize,
    how: Conversion,
    out: &mut Vec<E>,
) -> Result<(), Fault> {
    let allowed = if how.lossy { E::LOSSY } else { E::ALLOWED };
    if !allowed {
        return Err(Fault::Unrelated);
    }
    let start = out.len();
    if let Some(result) = E::same(out, |out| T::decode(packing, bytes, count, out)) {
        if how.skip > 0 {
            out.drain(start..out.len().min(start.saturating_add(how.skip)));
        }
        return result;
    }
    let decoded;
    let stored = match T::view(bytes) {
        Some(stored) => stored,
        None => {
            let mut values = Vec::new();
            T::decode(packing, bytes, count, &mut values)?;
            decoded = values;
            &decoded
        }
    };
    if how.lossy {
        convert(stored, how.skip, E::nearest, out)
    } else if how.skip == 0 && E::load_all(stored, out) {
        Ok(())
    } else {
        convert(stored, how.skip, E::load, out)
    }
}

pub(super) fn view_as<'a, E: Load<S>, S: 'a, T: Encoding<S>>(bytes: &'a [u8]) -> Option<&'a [E]> {
    T::view(bytes).and_then(E::view)
}

pub(super) fn bytes_as<'a, E: Store<S>, S: 'a, T: Encoding<S>>(values: &'a [E]) -> Option<&'a [u8]> {
    E::same(values).and_then(T::bytes)
}

/// Appends values as far as they fit.
#[inline]
fn convert<A: Copy, B: Copy + Default>(
    values: &[A],
    skip: usize,
    convert: impl Fn(A) -> Option<B>,
    out: &mut Vec<B>,
) -> Result<(), Fault> {
    /// Whether all fit is asked once for so many, so that the loop over them has no way out and uses vectors.
    const CHUNK: usize = 256;
    let values = values.get(skip..).unwrap_or_default();
    out.reserve(values.len());
    for (number, chunk) in values.chunks(CHUNK).enumerate() {
        let mut fit = true;
        out.extend(chunk.iter().map(|value| {
            let converted = convert(*value);
            fit &= converted.is_some();
            converted.unwrap_or_default()
        }));
        if !fit {
            let inside = chunk.iter().position(|value| convert(*value).is_none()).unwrap_or_default();
            out.truncate(out.len() - chunk.len() + inside);
            return Err(Fault::OutOfRange { position: skip + number * CHUNK + inside });
        }
    }
    Ok(())
}

macro_rules! identity {
    ($($type:ty)*) => {$(
        impl Load<$type> for $type {
            const ALLOWED: bool = true;
            fn load(stored: $type) -> Option<Self> {
                Some(stored)
            }
            fn same<R>(out: &mut Vec<Self>, decode: impl FnOnce(&mut Vec<$type>) -> R) -> Option<R> {
                Some(decode(out))
            }
            fn view(stored: &[$type]) -> Option<&[Self]> {
                Some(stored)
            }
        }
        impl Store<$type> for $type {
            const STORABLE: bool = true;
            fn store(self) -> Option<$type> {
                Some(self)
            }
            fn same(values: &[Self]) -> Option<&[$type]> {
                Some(values)
            }
        }
    )*};
}

macro_rules! load {
    ($type:ty, $stored:ty, $allowed:literal, $load:expr $(, or $nearest:expr)?) => {
        impl Load<$stored> for $type {
            const ALLOWED: bool = $allowed;
            fn load(stored: $stored) -> Option<Self> {
                ($load)(stored)
            }
            $(
                const LOSSY: bool = true;
                fn nearest(stored: $stored) -> Option<Self> {
                    Some(($nearest)(stored))
                }
            )?
        }
    };
}

macro_rules! store {
    ($type:ty, $stored:ty, $allowed:literal, $store:expr) => {
        impl Store<$stored> for $type {
            const STORABLE: bool = $allowed;
            fn store(self) -> Option<$stored> {
                ($store)(self)
            }
        }
    };
}

/// Pairs that do not mix.
macro_rules! unrelated {
    ($([$($type:ty)*] from $stored:tt;)*) => {$($(unrelated!(@each $type, $stored);)*)*};
    (@each $type:ty, [$($stored:ty)*]) => {$(
        load!($type, $stored, false, |_| None);
        store!($type, $stored, false, |_| None);
    )*};
}

/// Pairs that are read at the most.
macro_rules! never_stored {
    ($([$($type:ty)*] as $stored:tt;)*) => {$($(never_stored!(@each $type, $stored);)*)*};
    (@each $type:ty, [$($stored:ty)*]) => {$(store!($type, $stored, false, |_| None);)*};
}

/// Integers of different widths: checked conversions for reading; a column is written from its own width.
macro_rules! integers {
    ($($type:ty: $($stored:ty)*;)*) => {$($(
        load!($type, $stored, true, |stored| <$type>::try_from(stored).ok(), or |stored| {
            // What does not convert lies outside.
            let least = i128::from(stored) < i128::from(<$type>::MIN);
            <$type>::try_from(stored).unwrap_or(if least { <$type>::MIN } else { <$type>::MAX })
        });
        store!($type, $stored, false, |_| None);
    )*)*};
}

identity! { bool u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 Index Switch }

integers! {
    u8: i8 u16 i16 u32 i32 u64 i64;
    i8: u8 u16 i16 u32 i32 u64 i64;
    u16: u8 i8 i16 u32 i32 u64 i64;
    i16: u8 i8 u16 u32 i32 u64 i64;
    u32: u8 i8 u16 i16 i32 u64 i64;
    i32: u8 i8 u16 i16 u32 u64 i64;
    u64: u8 i8 u16 i16 u32 i32 i64;
    i64: u8 i8 u16 i16 u32 i32 u64;
}

macro_rules! with_bool {
    ($($type:ty)*) => {$(
        load!($type, bool, true, |stored| Some(<$type>::from(stored)));
        store!($type, bool, false, |_| None);
        load!(bool, $type, true, |stored| Some(stored != 0));
        store!(bool, $type, false, |_| None);
    )*};
}

with_bool! { u8 i8 u16 i16 u32 i32 u64 i64 }

macro_rules! byte_like {
    ($($wrapper:ident)*) => {$(
        impl Load<u8> for $wrapper {
            const ALLOWED: bool = true;
            fn load(stored: u8) -> Option<Self> {
                Some($wrapper(stored))
            }
            fn same<R>(out: &mut Vec<Self>, decode: impl FnOnce(&mut Vec<u8>) -> R) -> Option<R> {
                Some(with_lanes(out, decode))
            }
            fn view(stored: &[u8]) -> Option<&[Self]> {
                Some(as_lanes(stored))
            }
        }
        impl Store<u8> for $wrapper {
            const STORABLE: bool = true;
            fn store(self) -> Option<u8> {
                Some(self.0)
            }
            fn same(values: &[Self]) -> Option<&[u8]> {
                Some(as_lanes(values))
            }
        }
        byte_like!(@wide $wrapper: bool i8 u16 i16 u32 i32 u64 i64);
    )*};
    (@wide $wrapper:ident: $($stored:ty)*) => {$(
        load!(
            $wrapper, $stored, true, |stored| u8::try_from(stored).ok().map($wrapper),
            or |stored| $wrapper(<u8 as Load<$stored>>::nearest(stored).unwrap_or_default())
        );
        store!($wrapper, $stored, false, |_| None);
    )*};
}

byte_like! { Byte CxxChar }

#[expect(
    clippy::cast_possible_truncation,
    reason = "narrowing is what the column type or the reader asks for"
)]
mod reals {
    use half::slice::HalfFloatSliceExt as _;

    use super::{Byte, CxxChar, Load, Store, f16};

    /// Halves are converted in portions of this many: the CPU's way is looked for once for each.
    const PORTION: usize = 256;

    impl Load<f16> for f32 {
        const ALLOWED: bool = true;
        fn load(stored: f16) -> Option<Self> {
            Some(stored.to_f32())
        }
        fn load_all(stored: &[f16], out: &mut Vec<Self>) -> bool {
            out.reserve(stored.len());
            let mut room = [0.0; PORTION];
            for halves in stored.chunks(PORTION) {
                let Some(wide) = room.get_mut(..halves.len()) else { continue };
                halves.convert_to_f32_slice(wide);
                out.extend_from_slice(wide);
            }
            true
        }
    }

    impl Store<f16> for f32 {
        const STORABLE: bool = true;
        fn store(self) -> Option<f16> {
            Some(f16::from_f32(self))
        }
        fn store_all(values: &[Self], out: &mut Vec<f16>) -> bool {
            out.reserve(values.len());
            let mut room = [f16::ZERO; PORTION];
            for wide in values.chunks(PORTION) {
                let Some(halves) = room.get_mut(..wide.len()) else { continue };
                halves.convert_from_f32_slice(wide);
                out.extend_from_slice(halves);
            }
            true
        }
    }

    // To the nearest; a number that would become infinite does not fit.
    load!(f32, f64, true, |stored: f64| Some(stored as f32).filter(|narrow| narrow.is_finite() || !stored.is_finite()), or |stored: f64| stored as f32);
    load!(f64, f16, true, |stored: f16| Some(stored.to_f64()));
    load!(f64, f32, true, |stored: f32| Some(f64::from(stored)));
    load!(f16, f32, false, |_| None, or f16::from_f32);
    load!(f16, f64, false, |_| None, or f16::from_f64);
    store!(f32, f64, true, |value: f32| Some(f64::from(value)));
    store!(f64, f16, true, |value: f64| Some(f16::from_f64(value)));
    store!(f64, f32, true, |value: f64| Some(value as f32));
    store!(f16, f32, false, |_| None);
    store!(f16, f64, false, |_| None);

    /// Between the families only with losses. `as` truncates, saturates, makes zero of NaN, and rounds to the
    /// nearest float.
    macro_rules! families {
        ($($integer:ident)*) => {$(
            load!($integer, f16, false, |_| None, or |stored: f16| stored.to_f32() as $integer);
            load!($integer, f32, false, |_| None, or |stored: f32| stored as $integer);
            load!($integer, f64, false, |_| None, or |stored: f64| stored as $integer);
            // Whatever a double cannot hold is infinite as a half.
            load!(f16, $integer, false, |_| None, or |stored: $integer| f16::from_f64(stored as f64));
            load!(f32, $integer, false, |_| None, or |stored: $integer| stored as f32);
            load!(f64, $integer, false, |_| None, or |stored: $integer| stored as f64);
        )*};
    }

    families! { u8 i8 u16 i16 u32 i32 u64 i64 }

    macro_rules! flags_and_bytes {
        ($($real:ident)*) => {$(
            load!(bool, $real, false, |_| None, or |stored: $real| f64::from(stored) != 0.0);
            load!($real, bool, false, |_| None, or |stored: bool| <$real>::from(u8::from(stored)));
            load!(Byte, $real, false, |_| None, or |stored: $real| Byte(f64::from(stored) as u8));
            load!(CxxChar, $real, false, |_| None, or |stored: $real| CxxChar(f64::from(stored) as u8));
        )*};
    }

    flags_and_bytes! { f16 f32 f64 }
}

load!(Index, Index32, true, |stored: Index32| Some(Index(u64::from(stored.0))));
store!(Index, Index32, true, |value: Index| u32::try_from(value.0).ok().map(Index32));

unrelated! {
    [bool u8 i8 u16 i16 u32 i32 u64 i64 Byte CxxChar f16 f32 f64] from [Index Index32 Switch];
    [Index] from [bool u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 Switch];
    [Switch] from [bool u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 Index Index32];
}

never_stored! {
    [bool u8 i8 u16 i16 u32 i32 u64 i64 Byte CxxChar] as [f16 f32 f64];
    [f16 f32 f64] as [bool u8 i8 u16 i16 u32 i32 u64 i64];
}

macro_rules! all {
    ($($stored:ty)*) => {
        /// Has an opinion on every stored type.
        pub(crate) trait LoadAll: $(Load<$stored> +)* {}
        impl<E: $(Load<$stored> +)*> LoadAll for E {}
        /// Has an opinion on every stored type.
        pub(crate) trait StoreAll: $(Store<$stored> +)* Copy {}
        impl<E: $(Store<$stored> +)* Copy> StoreAll for E {}
    };
}

all! { bool u8 i8 u16 i16 u32 i32 u64 i64 f16 f32 f64 Index Index32 Switch }
