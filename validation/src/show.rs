//! Rust values in the form of the suite's documents.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{
    AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicU8, AtomicU16, AtomicU32, AtomicU64,
};

use rntuple::cxx::{
    Atomic, BitSet, Byte, Cardinality, Cardinality32, CxxChar, MultiMap, MultiSet, RVec, UniquePtr,
    UnorderedMultiMap, UnorderedMultiSet,
};

use crate::json::Json;

/// A value that a document shows.
pub trait Show {
    /// Its part of the document.
    fn show(&self) -> Json;
}

/// Entries and classes: the members in the order of the document.
macro_rules! object {
    ($type:ty { $($name:literal: $member:ident,)* }) => {
        impl $crate::Show for $type {
            fn show(&self) -> $crate::json::Json {
                $crate::json::Json::object([$(($name, $crate::Show::show(&self.$member)),)*])
            }
        }
    };
}
pub(crate) use object;

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Show for $type {
            fn show(&self) -> Json {
                Json::Literal(self.to_string())
            }
        }
    )*};
}

integers! { i8 u8 i16 u16 i32 u32 i64 u64 i128 }

impl Show for bool {
    fn show(&self) -> Json {
        u8::from(*self).show()
    }
}

impl Show for Byte {
    fn show(&self) -> Json {
        self.0.show()
    }
}

/// As where `char` has a sign.
impl Show for CxxChar {
    fn show(&self) -> Json {
        self.0.cast_signed().show()
    }
}

impl Show for f32 {
    fn show(&self) -> Json {
        Json::real(f64::from(*self))
    }
}

impl Show for f64 {
    fn show(&self) -> Json {
        Json::real(*self)
    }
}

impl Show for String {
    fn show(&self) -> Json {
        Json::Text(self.clone())
    }
}

impl Show for Cardinality {
    fn show(&self) -> Json {
        self.0.show()
    }
}

impl Show for Cardinality32 {
    fn show(&self) -> Json {
        self.0.show()
    }
}

impl<const N: usize> Show for BitSet<N> {
    fn show(&self) -> Json {
        Json::Text(self.to_string())
    }
}

fn list<'a, T: Show + 'a>(items: impl IntoIterator<Item = &'a T>) -> Json {
    Json::List(items.into_iter().map(Show::show).collect())
}

fn sorted_list<'a, T: Show + 'a>(items: impl IntoIterator<Item = &'a T>) -> Json {
    sorted(items.into_iter().map(Show::show).collect())
}

/// Items in the order of the document.
pub(crate) fn sorted(mut items: Vec<Json>) -> Json {
    items.sort_by(Json::order);
    Json::List(items)
}

macro_rules! lists {
    ($($then:ident: [$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Show for $type {
            fn show(&self) -> Json {
                $then(self.iter())
            }
        }
    )*};
}

lists! {
    list: [T: Show] Vec<T>;
    list: [T: Show] RVec<T>;
    list: [T: Show, const N: usize] [T; N];
    list: [T: Show] BTreeSet<T>;
    list: [T: Show] MultiSet<T>;
    sorted_list: [T: Show] HashSet<T>;
    sorted_list: [T: Show] UnorderedMultiSet<T>;
}

type Members = Vec<(String, Json)>;

fn map<'a, V: Show + 'a>(pairs: impl IntoIterator<Item = (&'a String, &'a V)>) -> Members {
    pairs.into_iter().map(|(key, value)| (key.clone(), value.show())).collect()
}

impl<V: Show> Show for BTreeMap<String, V> {
    fn show(&self) -> Json {
        Json::Object(map(self))
    }
}

impl<V: Show> Show for MultiMap<String, V> {
    fn show(&self) -> Json {
        Json::Object(map(self.iter().map(|(key, value)| (key, value))))
    }
}

impl<V: Show> Show for HashMap<String, V> {
    fn show(&self) -> Json {
        sorted_map(map(self))
    }
}

impl<V: Show> Show for UnorderedMultiMap<String, V> {
    fn show(&self) -> Json {
        sorted_map(map(self.iter().map(|(key, value)| (key, value))))
    }
}

/// Pairs sorted by key, those of equal keys by value.
pub(crate) fn sorted_map(mut pairs: Members) -> Json {
    pairs.sort_by(|(one, first), (other, second)| one.cmp(other).then(first.order(second)));
    Json::Object(pairs)
}

impl<T: Show> Show for Option<T> {
    fn show(&self) -> Json {
        self.as_ref().map_or_else(|| Json::Literal("null".to_owned()), Show::show)
    }
}

impl<T: Show> Show for Box<T> {
    fn show(&self) -> Json {
        (**self).show()
    }
}

impl<T: Show> Show for UniquePtr<T> {
    fn show(&self) -> Json {
        self.0.show()
    }
}

impl<T: Show> Show for Atomic<T> {
    fn show(&self) -> Json {
        self.0.show()
    }
}

macro_rules! atomics {
    ($($type:ty)*) => {$(
        impl Show for $type {
            fn show(&self) -> Json {
                self.load(Relaxed).show()
            }
        }
    )*};
}

atomics! { AtomicBool AtomicI8 AtomicI16 AtomicI32 AtomicI64 AtomicU8 AtomicU16 AtomicU32 AtomicU64 }

impl<A: Show> Show for (A,) {
    fn show(&self) -> Json {
        Json::List(vec![self.0.show()])
    }
}

impl<A: Show, B: Show> Show for (A, B) {
    fn show(&self) -> Json {
        Json::List(vec![self.0.show(), self.1.show()])
    }
}

impl<A: Show, B: Show, C: Show> Show for (A, B, C) {
    fn show(&self) -> Json {
        Json::List(vec![self.0.show(), self.1.show(), self.2.show()])
    }
}
