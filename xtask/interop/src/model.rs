//! What a Rust type is on storage and what its values are in JSON: everything that a file is compared with.
//!
//! One impl per type, none of which goes through the `rntuple` crate's own idea of the type.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use half::f16;
use rntuple::cxx::{BitSet, Byte, CxxChar};
use serde_json::{Value as Json, json};

use crate::json::{float, object};
use crate::shape::Shape;

/// Which JSON of a value is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// What a file must hold once the value is written.
    Stored,
    /// The value as it is: one that was read.
    Read,
}

/// A type that a file is compared with.
pub(crate) trait Model {
    /// The field that it makes in a dataset that is `compressed` or not.
    fn shape(compressed: bool) -> Shape;

    /// The field of an array of it.
    fn array_shape(count: u64, compressed: bool) -> Shape {
        Shape::array(Self::shape(compressed), count)
    }

    /// A value.
    fn json(&self, side: Side) -> Json;
}

macro_rules! integers {
    ($($type:ty, $name:literal, $kind:literal;)*) => {$(
        impl Model for $type {
            fn shape(compressed: bool) -> Shape {
                if size_of::<Self>() == 1 {
                    Shape::leaf($name, $kind)
                } else {
                    Shape::split_leaf($name, $kind, compressed)
                }
            }

            fn json(&self, _: Side) -> Json {
                json!(self)
            }
        }
    )*};
}

integers! {
    i8, "std::int8_t", "Int8";
    u8, "std::uint8_t", "UInt8";
    i16, "std::int16_t", "Int16";
    u16, "std::uint16_t", "UInt16";
    i32, "std::int32_t", "Int32";
    u32, "std::uint32_t", "UInt32";
    i64, "std::int64_t", "Int64";
    u64, "std::uint64_t", "UInt64";
}

macro_rules! leaves {
    ($($type:ty, $shape:expr, $json:expr;)*) => {$(
        impl Model for $type {
            fn shape(compressed: bool) -> Shape {
                let shape: fn(bool) -> Shape = $shape;
                shape(compressed)
            }

            fn json(&self, _: Side) -> Json {
                let json: fn(&Self) -> Json = $json;
                json(self)
            }
        }
    )*};
}

leaves! {
    f16, |_| Shape::leaf("float", "Real16"), |value| float(value.to_f64());
    f32, |compressed| Shape::split_leaf("float", "Real32", compressed), |value| float(f64::from(*value));
    f64, |compressed| Shape::split_leaf("double", "Real64", compressed), |value| float(*value);
    Byte, |_| Shape::leaf("std::byte", "Byte"), |value| json!(value.0);
    CxxChar, |_| Shape::leaf("char", "Char"), |value| json!(value.0);
    str, Shape::string, |value| json!(value);
    String, Shape::string, |value| json!(value);
}

impl Model for bool {
    fn shape(_: bool) -> Shape {
        Shape::leaf("bool", "Bit")
    }

    fn array_shape(count: u64, _: bool) -> Shape {
        Shape::bitset(count)
    }

    fn json(&self, _: Side) -> Json {
        json!(self)
    }
}

impl<const N: usize> Model for BitSet<N> {
    fn shape(_: bool) -> Shape {
        Shape::bitset(N as u64)
    }

    fn json(&self, _: Side) -> Json {
        (0..N).map(|index| self.get(index)).collect()
    }
}

impl<T: Model, const N: usize> Model for [T; N] {
    fn shape(compressed: bool) -> Shape {
        T::array_shape(N as u64, compressed)
    }

    fn json(&self, side: Side) -> Json {
        items(self, side)
    }
}

fn items<'a, T: Model + 'a>(items: impl IntoIterator<Item = &'a T>, side: Side) -> Json {
    items.into_iter().map(|item| item.json(side)).collect()
}

fn sorted<'a, T: Ord + 'a>(items: impl IntoIterator<Item = &'a T>) -> Vec<&'a T> {
    let mut items: Vec<&T> = items.into_iter().collect();
    items.sort();
    items
}

fn pairs<'a, K: Model + 'a, V: Model + 'a>(
    pairs: impl IntoIterator<Item = (&'a K, &'a V)>,
    side: Side,
) -> Json {
    pairs.into_iter().map(|(key, value)| object([("_0", key.json(side)), ("_1", value.json(side))])).collect()
}

macro_rules! containers {
    ($([$($generics:tt)*] $type:ty: $shape:expr, $json:expr;)*) => {$(
        impl<$($generics)*> Model for $type {
            fn shape(compressed: bool) -> Shape {
                let shape: fn(bool) -> Shape = $shape;
                shape(compressed)
            }

            fn json(&self, side: Side) -> Json {
                let json: fn(&Self, Side) -> Json = $json;
                json(self, side)
            }
        }
    )*};
}

containers! {
    [T: Model] [T]: |split| Shape::vector(T::shape(split), split), |value, side| items(value, side);
    [T: Model] Vec<T>: |split| Shape::vector(T::shape(split), split), |value, side| items(value, side);
    [T: Model] VecDeque<T>: |split| Shape::vector(T::shape(split), split), |value, side| items(value, side);
    [T: Model] BTreeSet<T>:
        |split| Shape::container("std::set", T::shape(split), split),
        |value, side| items(value, side);
    [T: Model + Ord + Hash] HashSet<T>:
        |split| Shape::container("std::unordered_set", T::shape(split), split),
        // Sorted, so that the same values make the same file.
        |value, side| items(sorted(value), side);
    [K: Model, V: Model] BTreeMap<K, V>:
        |split| Shape::map("std::map", K::shape(split), V::shape(split), split),
        |value, side| pairs(value, side);
    [K: Model + Ord + Hash, V: Model] HashMap<K, V>:
        |split| Shape::map("std::unordered_map", K::shape(split), V::shape(split), split),
        |value, side| {
            let keys = sorted(value.keys());
            pairs(keys.into_iter().filter_map(|key| value.get_key_value(key)), side)
        };
    [T: Model] Option<T>:
        |split| Shape::container("std::optional", T::shape(split), split),
        |value, side| value.as_ref().map_or(Json::Null, |value| value.json(side));
}

macro_rules! pointers {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Model for $type {
            fn shape(compressed: bool) -> Shape {
                T::shape(compressed)
            }

            fn array_shape(count: u64, compressed: bool) -> Shape {
                T::array_shape(count, compressed)
            }

            fn json(&self, side: Side) -> Json {
                T::json(self, side)
            }
        }
    )*};
}

pointers! {
    [T: Model + ?Sized] &T;
    [T: Model + ?Sized] Box<T>;
    [T: Model + ?Sized] Rc<T>;
    [T: Model + ?Sized] Arc<T>;
    [T: Model + ToOwned + ?Sized] Cow<'_, T>;
}

macro_rules! tuples {
    ($($($type:ident $index:tt $name:literal)+;)*) => {$(
        impl<$($type: Model),+> Model for ($($type,)+) {
            fn shape(compressed: bool) -> Shape {
                Shape::tuple(vec![$($type::shape(compressed)),+])
            }

            fn json(&self, side: Side) -> Json {
                object([$(($name, self.$index.json(side))),+])
            }
        }
    )*};
}

tuples! {
    A 0 "_0";
    A 0 "_0" B 1 "_1";
    A 0 "_0" B 1 "_1" C 2 "_2";
    A 0 "_0" B 1 "_1" C 2 "_2" D 3 "_3" E 4 "_4" F 5 "_5" G 6 "_6" H 7 "_7" I 8 "_8" J 9 "_9" K 10 "_10" L 11 "_11";
}
