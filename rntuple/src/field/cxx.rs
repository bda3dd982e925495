//! Types of C++ that are one of Rust's under another name.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};

use super::pointer::{appends, reads};
use super::{
    FieldBuilder, FieldNode, FieldReader, FieldWriter, PointerReader, PointerWriter, ReadField, WriteField,
};
use crate::error::Result;
use crate::schema::TypeName;

/// A value of type `C` that C++ sees under another name: [`RVec`], [`UniquePtr`], [`UnorderedMultiSet`],
/// [`UnorderedMultiMap`].
///
/// On storage it is what a `C` is, so each is read as the other, in columns too. It is made by `from` and derefs to
/// the `C`, which is `.0`.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cxx<C, N>(pub C, PhantomData<N>);

/// A `Vec<T>` that C++ sees as `ROOT::VecOps::RVec<T>`, the vector of RDataFrame.
///
/// ```
/// use rntuple::storage::Memory;
/// use rntuple::cxx::RVec;
/// use rntuple::{RNTuple, Reader, WriteOptions, Writer};
///
/// #[derive(RNTuple)]
/// struct Event {
///     pt: RVec<f32>,
/// }
///
/// # fn main() -> rntuple::Result<()> {
/// let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
/// writer.fill(&Event { pt: vec![45.5, 38.0].into() })?;
/// let reader = Reader::<Event>::open(writer.finish_into()?.1, "Events")?;
/// assert_eq!(reader.get(0)?.pt[..], [45.5, 38.0]);
/// let pt = reader.schema().field(reader.schema().find("pt").unwrap()).unwrap();
/// assert_eq!(&*pt.type_name, "ROOT::VecOps::RVec<float>");
/// # Ok(())
/// # }
/// ```
pub type RVec<T> = Cxx<Vec<T>, RVecName>;

/// Items in the order in which they came, equal ones among them: C++'s `std::unordered_multiset<T>`, which has
/// no order of its own.
///
/// It is a `Vec`. Two of them are equal if they have equal items in the same order.
///
/// ```
/// use rntuple::cxx::UnorderedMultiSet;
/// let mut hits: UnorderedMultiSet<u32> = [7, 3, 7].into_iter().collect();
/// hits.push(5);
/// assert_eq!(hits[..], [7, 3, 7, 5]);
/// ```
pub type UnorderedMultiSet<T> = Cxx<Vec<T>, UnorderedMultiSetName>;

/// Pairs in the order in which they came: C++'s `std::unordered_multimap<K, V>`, which has no order of its own.
///
/// It is a `Vec` of pairs. Two of them are equal if they have equal pairs in the same order.
///
/// ```
/// use rntuple::cxx::UnorderedMultiMap;
/// let mut hits: UnorderedMultiMap<u32, f32> = [(7, 0.5), (3, 1.5)].into_iter().collect();
/// hits.push((7, 2.5));
/// assert_eq!(hits[..], [(7, 0.5), (3, 1.5), (7, 2.5)]);
/// ```
pub type UnorderedMultiMap<K, V> = Cxx<Vec<(K, V)>, UnorderedMultiMapName>;

/// A value on the heap, or none: C++'s `std::unique_ptr<T>`.
///
/// It is an `Option<Box<T>>`. A `Box<T>` is never null, and stored as `T`.
///
/// ```
/// use rntuple::cxx::UniquePtr;
/// let mut track = UniquePtr::new(7);
/// assert_eq!(track.as_deref(), Some(&7));
/// *track = None;
/// assert_eq!(track, UniquePtr::null());
/// ```
pub type UniquePtr<T> = Cxx<Option<Box<T>>, UniquePtrName>;

/// How C++ calls a `C`.
pub trait CxxName<C> {
    /// The name of the type.
    fn type_name() -> TypeName;
}

macro_rules! names {
    ($($name:ident, $template:literal: [$($part:ident)*] $of:ty;)*) => {$(
        #[doc = concat!("`", $template, "`.")]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name;

        impl<$($part: WriteField),*> CxxName<$of> for $name {
            fn type_name() -> TypeName {
                TypeName::template($template, [$(&$part::type_name()),*])
            }
        }
    )*};
}

names! {
    RVecName, "ROOT::VecOps::RVec": [T] Vec<T>;
    UnorderedMultiSetName, "std::unordered_multiset": [T] Vec<T>;
    UnorderedMultiMapName, "std::unordered_multimap": [K V] Vec<(K, V)>;
    UniquePtrName, "std::unique_ptr": [T] Option<Box<T>>;
}

impl<T> UniquePtr<T> {
    /// Points to a value.
    pub fn new(value: T) -> Self {
        Some(Box::new(value)).into()
    }

    /// Points to nothing.
    pub const fn null() -> Self {
        Self(None, PhantomData)
    }

    /// What it points to.
    pub fn into_inner(self) -> Option<T> {
        self.0.map(|value| *value)
    }
}

impl<C: Clone, N> Clone for Cxx<C, N> {
    fn clone(&self) -> Self {
        self.0.clone().into()
    }
}

impl<C: fmt::Debug, N> fmt::Debug for Cxx<C, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl<C: Default, N> Default for Cxx<C, N> {
    fn default() -> Self {
        C::default().into()
    }
}

impl<C, N> Deref for Cxx<C, N> {
    type Target = C;

    fn deref(&self) -> &C {
        &self.0
    }
}

impl<C, N> DerefMut for Cxx<C, N> {
    fn deref_mut(&mut self) -> &mut C {
        &mut self.0
    }
}

impl<C, N> From<C> for Cxx<C, N> {
    fn from(value: C) -> Self {
        Self(value, PhantomData)
    }
}

impl<A, C: FromIterator<A>, N> FromIterator<A> for Cxx<C, N> {
    fn from_iter<I: IntoIterator<Item = A>>(items: I) -> Self {
        C::from_iter(items).into()
    }
}

impl<A, C: Extend<A>, N> Extend<A> for Cxx<C, N> {
    fn extend<I: IntoIterator<Item = A>>(&mut self, items: I) {
        self.0.extend(items);
    }
}

impl<C: IntoIterator, N> IntoIterator for Cxx<C, N> {
    type Item = C::Item;
    type IntoIter = C::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a, C, N> IntoIterator for &'a Cxx<C, N>
where
    &'a C: IntoIterator,
{
    type Item = <&'a C as IntoIterator>::Item;
    type IntoIter = <&'a C as IntoIterator>::IntoIter;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

appends! { [C, N] Cxx<C, N>: C; }

reads! { [C, N] Cxx<C, N>: C, Cxx::from; }

impl<C: WriteField, N: CxxName<C>> WriteField for Cxx<C, N> {
    type Writer = PointerWriter<C::Writer>;

    fn type_name() -> TypeName {
        N::type_name()
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        let writer = C::declare(field);
        field.rename_type(&Self::type_name());
        PointerWriter(writer)
    }
}

impl<C: ReadField, N> ReadField for Cxx<C, N> {
    type Reader = PointerReader<C::Reader>;

    const IS_OPTION: bool = C::IS_OPTION;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        C::connect(field, &mut reader.0)
    }
}
