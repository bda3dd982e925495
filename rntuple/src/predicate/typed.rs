//! The fields of a type, for predicates that the compiler checks.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::marker::PhantomData;
use std::num::NonZero;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicU8, AtomicU16, AtomicU32};
#[cfg(target_has_atomic = "64")]
use std::sync::atomic::{AtomicI64, AtomicU64};

use half::f16;

use super::{Literal, Operand, Predicate};
use crate::encoding::{Byte, CxxChar};
use crate::field::{
    Atomic, BitSet, Cardinality, Cardinality32, Lazy, MultiMap, MultiSet, RVec, UniquePtr, UnorderedMultiMap,
    UnorderedMultiSet,
};

/// A type whose fields predicates can name. `#[rntuple(predicates)]` next to `#[derive(RNTuple)]` makes a struct or enum
/// one, and for a struct `Event` an `EventFields` that has a member for each of its fields.
///
/// ```
/// use rntuple::RNTuple;
/// use rntuple::predicate::Fields as _;
///
/// #[derive(RNTuple)]
/// #[rntuple(predicates)]
/// struct Event { met: f32, triggers: Vec<String>, weight: Option<f64> }
///
/// let event = Event::fields();
/// let wanted = event.met.abs().ge(20.0) & event.triggers.any(|name| name.eq("e24")) & !event.weight.is_null();
/// assert_eq!(
///     wanted.to_string(),
///     r#"abs(met) >= 20.0 and any(triggers, item == "e24") and not weight is null"#,
/// );
/// ```
///
/// What has another type than the field does not compile, nor does a name that no field has:
///
/// ```compile_fail,E0308
/// # use rntuple::RNTuple;
/// # use rntuple::predicate::Fields as _;
/// # #[derive(RNTuple)]
/// # #[rntuple(predicates)]
/// # struct Event { met: f32 }
/// let wanted = Event::fields().met.gt("50");
/// ```
///
/// | member | is | |
/// | --- | --- | --- |
/// | numbers, `bool`, atomics | [`Scalar`] | `lt`, `le`, `gt`, `ge`, `eq`, `ne`, `between`, `is_in`, of numbers `abs` |
/// | [`Cardinality`](crate::cxx::Cardinality) | [`Scalar`] of the size | the same |
/// | strings | [`Text`] | the same |
/// | collections, arrays, maps | [`Items`] | `any`, `all`, `count`, `size` |
/// | `Option<T>` | [`Optional`] | what `T` is, and `is_null` |
/// | tuples | tuple | |
/// | your structs | `EventFields` | |
/// | your enums without data | [`Choice`] | `eq`, `ne`, `is_in` |
/// | your enums with data | [`Opaque`] | nothing; [`Predicate`] from text looks into them |
/// | types of [other crates](crate::field::foreign) | what they are on storage; records are [`Opaque`] | |
///
/// A type that you made storable by hand, or flags of `bitflags`: implement this trait, with `type At = Opaque` or with
/// that of the type that it is stored as.
#[diagnostic::on_unimplemented(
    message = "predicates cannot name the fields of `{Self}`",
    label = "not a type with fields for predicates",
    note = "your own structs and enums: add `#[rntuple(predicates)]` to `{Self}`, next to `#[derive(RNTuple)]`"
)]
pub trait Fields {
    /// What predicates can ask of a value of this type.
    type At;

    /// Names the value at a path.
    fn at(path: Path) -> Self::At;

    /// Names the fields of an entry.
    fn fields() -> Self::At
    where
        Self: Sized,
    {
        Self::at(Path::default())
    }
}

/// Where a value is in an entry, or in an item of a collection.
#[derive(Clone, Debug, Default)]
pub struct Path {
    own: String,
    /// What is before the names of members.
    before: String,
}

impl Path {
    /// Returns the path of a member.
    #[must_use]
    pub fn member(&self, name: &str) -> Self {
        let own = format!("{}{name}", self.before);
        Self { before: format!("{own}."), own }
    }

    /// Returns the path of a struct whose members are in its place, with a prefix before their names.
    #[must_use]
    pub fn flattened(&self, prefix: &str) -> Self {
        Self { own: self.own.clone(), before: format!("{}{prefix}", self.before) }
    }

    /// Returns it as text, dots between the names.
    pub fn as_str(&self) -> &str {
        &self.own
    }
}

/// Defines the comparisons of a type.
macro_rules! comparisons {
    ($($generics:ident)?; $ty:ty, $value:ty, $($bound:tt)*) => {
        impl$(<$generics>)? $ty $($bound)* {
            /// Is true where it is less than a value.
            pub fn lt(&self, value: $value) -> Predicate {
                self.operand().lt(value)
            }

            /// Is true where it is at most a value.
            pub fn le(&self, value: $value) -> Predicate {
                self.operand().le(value)
            }

            /// Is true where it is greater than a value.
            pub fn gt(&self, value: $value) -> Predicate {
                self.operand().gt(value)
            }

            /// Is true where it is at least a value.
            pub fn ge(&self, value: $value) -> Predicate {
                self.operand().ge(value)
            }

            /// Is true where it equals a value.
            pub fn eq(&self, value: $value) -> Predicate {
                self.operand().eq(value)
            }

            /// Is true where it does not equal a value.
            pub fn ne(&self, value: $value) -> Predicate {
                self.operand().ne(value)
            }

            /// Is true where it is at least `least` and at most `most`.
            pub fn between(&self, least: $value, most: $value) -> Predicate {
                self.operand().between(least, most)
            }

            /// Returns it without its type: [`Operand::compare`] compares it with other fields.
            pub fn operand(&self) -> Operand {
                self.operand.clone()
            }
        }
    };
}

/// A number or `bool` that predicates compare with others of type `E`.
#[derive(Clone, Debug)]
pub struct Scalar<E> {
    operand: Operand,
    of: PhantomData<fn() -> E>,
}

impl<E> Scalar<E> {
    fn of(operand: Operand) -> Self {
        Self { operand, of: PhantomData }
    }
}

comparisons! { E; Scalar<E>, E, where E: Into<Literal> }

impl<E: Into<Literal>> Scalar<E> {
    /// Is true where it equals one of the values of a list.
    pub fn is_in(&self, list: impl IntoIterator<Item = E>) -> Predicate {
        self.operand().is_in(list)
    }
}

/// A string that predicates compare.
#[derive(Clone, Debug)]
pub struct Text {
    operand: Operand,
}

comparisons! { ; Text, &str, }

impl Text {
    /// Is true where it equals one of the values of a list.
    pub fn is_in<'a>(&self, list: impl IntoIterator<Item = &'a str>) -> Predicate {
        self.operand().is_in(list)
    }
}

/// A collection or array, whose items predicates look at.
#[derive(Clone, Debug)]
pub struct Items<T> {
    path: Path,
    of: PhantomData<fn() -> T>,
}

impl<T> Items<T> {
    /// Returns the number of items.
    pub fn size(&self) -> Scalar<u64> {
        Scalar::of(Operand::size(self.path.as_str()))
    }
}

impl<T: Fields> Items<T> {
    /// Is true where a condition is true of an item.
    pub fn any(&self, condition: impl FnOnce(T::At) -> Predicate) -> Predicate {
        Predicate::any(self.path.as_str(), condition(T::fields()))
    }

    /// Is true where a condition is true of each item.
    pub fn all(&self, condition: impl FnOnce(T::At) -> Predicate) -> Predicate {
        Predicate::all(self.path.as_str(), condition(T::fields()))
    }

    /// Returns the number of items of which a condition is true.
    pub fn count(&self, condition: impl FnOnce(T::At) -> Predicate) -> Scalar<u64> {
        Scalar::of(Operand::count(self.path.as_str(), condition(T::fields())))
    }
}

/// A value that need not be there: what can be asked of the value, and whether there is one.
#[derive(Clone, Debug)]
pub struct Optional<A> {
    path: Path,
    value: A,
}

impl<A> Optional<A> {
    /// Is true where there is no value. Of an option in an option: where either of them is empty.
    pub fn is_null(&self) -> Predicate {
        Predicate::is_null(self.path.as_str())
    }
}

impl<A> Deref for Optional<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.value
    }
}

/// An enum without data, whose variants have names.
pub trait Named {
    /// Returns the name of the variant, as it is stored.
    fn name(&self) -> &'static str;

    /// Returns the names and integers of all other variants, if this is the one for all other integers
    /// (`#[rntuple(other)]`).
    fn known(&self) -> Option<&'static [(&'static str, i128)]> {
        None
    }
}

/// An enum without data that predicates compare with its variants. Their integers are those that the file has for their
/// names. The variant for all other integers (`#[rntuple(other)]`) is whatever is read as it: each integer that no other
/// variant of the type has.
#[derive(Clone, Debug)]
pub struct Choice<E> {
    path: Path,
    of: PhantomData<fn() -> E>,
}

impl<E: Named> Choice<E> {
    /// Names the enum at a path.
    pub fn at(path: Path) -> Self {
        Self { path, of: PhantomData }
    }

    /// Is true where it is a variant.
    pub fn eq(&self, variant: E) -> Predicate {
        match variant.known() {
            Some(known) => !self.operand().is_in(integers(known)),
            None => self.operand().eq(variant.name()),
        }
    }

    /// Is true where it is another variant.
    pub fn ne(&self, variant: E) -> Predicate {
        match variant.known() {
            Some(known) => self.operand().is_in(integers(known)),
            None => self.operand().ne(variant.name()),
        }
    }

    /// Is true where it is one of several variants.
    pub fn is_in(&self, variants: impl IntoIterator<Item = E>) -> Predicate {
        let variants: Vec<E> = variants.into_iter().collect();
        let Some(known) = variants.iter().find_map(E::known) else {
            return self.operand().is_in(variants.iter().map(E::name));
        };
        // All but those that are not in the list.
        let is_listed = |name: &str| variants.iter().any(|variant| variant.name() == name);
        let others: Vec<_> = known.iter().copied().filter(|variant| !is_listed(variant.0)).collect();
        !self.operand().is_in(integers(&others))
    }

    fn operand(&self) -> Operand {
        Operand::field(self.path.as_str())
    }
}

fn integers(variants: &[(&str, i128)]) -> impl Iterator<Item = i128> {
    variants.iter().map(|(_, integer)| *integer)
}

/// A value that predicates with types do not look into.
#[derive(Clone, Debug)]
pub struct Opaque(Path);

impl Opaque {
    /// Names the value at a path.
    pub fn at(path: Path) -> Self {
        Self(path)
    }

    /// Returns the path, for predicates without types.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

macro_rules! scalars {
    ($($ty:ty: $value:ty),* $(,)?) => {
        $(
            impl Fields for $ty {
                type At = Scalar<$value>;

                fn at(path: Path) -> Self::At {
                    Scalar::of(Operand::Field(path.own))
                }
            }
        )*
    };
}

scalars! {
    bool: bool,
    i8: i8, u8: u8, i16: i16, u16: u16, i32: i32, u32: u32, i64: i64, u64: u64, f32: f32, f64: f64,
    NonZero<i8>: i8, NonZero<u8>: u8, NonZero<i16>: i16, NonZero<u16>: u16,
    NonZero<i32>: i32, NonZero<u32>: u32, NonZero<i64>: i64, NonZero<u64>: u64,
    f16: f32, Byte: u8, CxxChar: u8,
    AtomicBool: bool,
    AtomicI8: i8, AtomicU8: u8, AtomicI16: i16, AtomicU16: u16, AtomicI32: i32, AtomicU32: u32,
}

#[cfg(target_has_atomic = "64")]
scalars! { AtomicI64: i64, AtomicU64: u64 }

macro_rules! sizes {
    ($($ty:ty: $value:ty),*) => {
        $(
            impl Fields for $ty {
                type At = Scalar<$value>;

                fn at(path: Path) -> Self::At {
                    Scalar::of(Operand::Size(path.own))
                }
            }
        )*
    };
}

sizes! { Cardinality: u64, Cardinality32: u32 }

macro_rules! numbers {
    ($($ty:ty)*) => {
        $(
            impl Scalar<$ty> {
                /// Returns the number without its sign.
                #[must_use]
                pub fn abs(&self) -> Self {
                    Self::of(self.operand.clone().abs())
                }
            }
        )*
    };
}

numbers! { i8 i16 i32 i64 f32 f64 }

macro_rules! texts {
    ($($ty:ty),*) => {
        $(
            impl Fields for $ty {
                type At = Text;

                fn at(path: Path) -> Text {
                    Text { operand: Operand::Field(path.own) }
                }
            }
        )*
    };
}

texts! { String, &str, Box<str>, Rc<str>, Arc<str> }

macro_rules! items {
    ($([$($generics:tt)*] $ty:ty: $item:ty),* $(,)?) => {
        $(
            impl<$($generics)*> Fields for $ty {
                type At = Items<$item>;

                fn at(path: Path) -> Self::At {
                    Items { path, of: PhantomData }
                }
            }
        )*
    };
}

items! {
    [T] Vec<T>: T,
    [T] Box<[T]>: T,
    [T] Rc<[T]>: T,
    [T] Arc<[T]>: T,
    [T] VecDeque<T>: T,
    [T] RVec<T>: T,
    [T, const N: usize] [T; N]: T,
    [const N: usize] BitSet<N>: bool,
    [T] BTreeSet<T>: T,
    [T, S] HashSet<T, S>: T,
    [T] MultiSet<T>: T,
    [T] UnorderedMultiSet<T>: T,
    [K, V] BTreeMap<K, V>: (K, V),
    [K, V, S] HashMap<K, V, S>: (K, V),
    [K, V] MultiMap<K, V>: (K, V),
    [K, V] UnorderedMultiMap<K, V>: (K, V),
}

macro_rules! as_inner {
    ($($ty:ty),*) => {
        $(
            impl<T: Fields> Fields for $ty {
                type At = T::At;

                fn at(path: Path) -> T::At {
                    T::at(path)
                }
            }
        )*
    };
}

as_inner! { Box<T>, Rc<T>, Arc<T>, &T, Atomic<T>, Lazy<T> }

impl<T> Fields for Cow<'_, T>
where
    T: ToOwned + ?Sized,
    T::Owned: Fields,
{
    type At = <T::Owned as Fields>::At;

    fn at(path: Path) -> Self::At {
        <T::Owned as Fields>::at(path)
    }
}

macro_rules! options {
    ($($ty:ty),*) => {
        $(
            impl<T: Fields> Fields for $ty {
                type At = Optional<T::At>;

                fn at(path: Path) -> Self::At {
                    Optional { value: T::at(path.clone()), path }
                }
            }
        )*
    };
}

options! { Option<T>, UniquePtr<T> }

macro_rules! tuples {
    ($(($($member:ident $name:literal),*))*) => {
        $(
            impl<$($member: Fields),*> Fields for ($($member,)*) {
                type At = ($($member::At,)*);

                fn at(path: Path) -> Self::At {
                    ($($member::at(path.member($name)),)*)
                }
            }
        )*
    };
}

tuples! {
    (A "_0")
    (A "_0", B "_1")
    (A "_0", B "_1", C "_2")
    (A "_0", B "_1", C "_2", D "_3")
    (A "_0", B "_1", C "_2", D "_3", E "_4")
    (A "_0", B "_1", C "_2", D "_3", E "_4", F "_5")
    (A "_0", B "_1", C "_2", D "_3", E "_4", F "_5", G "_6")
    (A "_0", B "_1", C "_2", D "_3", E "_4", F "_5", G "_6", H "_7")
    (A "_0", B "_1", C "_2", D "_3", E "_4", F "_5", G "_6", H "_7", I "_8")
    (A "_0", B "_1", C "_2", D "_3", E "_4", F "_5", G "_6", H "_7", I "_8", J "_9")
    (A "_0", B "_1", C "_2", D "_3", E "_4", F "_5", G "_6", H "_7", I "_8", J "_9", K "_10")
    (A "_0", B "_1", C "_2", D "_3", E "_4", F "_5", G "_6", H "_7", I "_8", J "_9", K "_10", L "_11")
}
