//! A set in which an item may be more than once.

use std::ops::Deref;

use super::{
    CollectionReader, CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField,
    WriteField,
};
use crate::error::Result;
use crate::schema::TypeName;

/// Items in ascending order, equal ones among them: C++'s `std::multiset<T>`.
///
/// It is a sorted list, and derefs to a slice. Whatever is a set or a list in a file can be read as one, and is
/// sorted.
///
/// ```
/// use rntuple::cxx::MultiSet;
/// let mut hits: MultiSet<u32> = [7, 3, 7].into_iter().collect();
/// hits.insert(5);
/// assert_eq!(hits[..], [3, 5, 7, 7]);
/// assert_eq!(hits.count(&7), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MultiSet<T> {
    /// Ascending.
    items: Vec<T>,
}

impl<T> MultiSet<T> {
    /// No items.
    pub const fn new() -> Self {
        Self { items: Vec::new() }
    }

    /// Takes all items out; the memory stays for those to come.
    pub fn clear(&mut self) {
        self.items.clear();
    }
}

impl<T: Ord> MultiSet<T> {
    /// Adds an item, behind those that are equal to it.
    pub fn insert(&mut self, item: T) {
        let place = self.items.partition_point(|other| *other <= item);
        self.items.insert(place, item);
    }

    /// How often an item is there.
    pub fn count(&self, item: &T) -> usize {
        let end = self.items.partition_point(|other| other <= item);
        end - self.items.partition_point(|other| other < item)
    }
}

impl<T> Default for MultiSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

/// The items, ascending.
impl<T> Deref for MultiSet<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.items
    }
}

/// Sorts the items.
impl<T: Ord> From<Vec<T>> for MultiSet<T> {
    fn from(mut items: Vec<T>) -> Self {
        items.sort();
        Self { items }
    }
}

impl<T> From<MultiSet<T>> for Vec<T> {
    fn from(set: MultiSet<T>) -> Self {
        set.items
    }
}

impl<T: Ord> FromIterator<T> for MultiSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Vec::from_iter(items).into()
    }
}

impl<T: Ord> Extend<T> for MultiSet<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        self.items.extend(items);
        self.items.sort();
    }
}

impl<T> IntoIterator for MultiSet<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a MultiSet<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<MultiSet<T>> for CollectionWriter<W> {
    #[inline]
    fn append(&mut self, value: &MultiSet<T>) -> usize {
        FieldWriter::<[T]>::append(self, &value.items)
    }
}

impl<T: WriteField> WriteField for MultiSet<T> {
    type Writer = CollectionWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::template("std::multiset", [&T::type_name()])
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        CollectionWriter::declare(field, Self::type_name, T::declare)
    }
}

impl<T: Ord, R: FieldReader<T>> FieldReader<MultiSet<T>> for CollectionReader<R> {
    fn read(&mut self) -> Result<MultiSet<T>> {
        FieldReader::<Vec<T>>::read(self).map(MultiSet::from)
    }

    fn read_into(&mut self, slot: &mut MultiSet<T>) -> Result<()> {
        let done = self.read_into(&mut slot.items);
        // Also after an error: what is there is a set.
        slot.items.sort();
        done
    }

    fn reclaim(&mut self, value: &mut MultiSet<T>) {
        self.reclaim(&mut value.items);
    }
}

impl<T: ReadField + Ord> ReadField for MultiSet<T> {
    type Reader = CollectionReader<T::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        reader.connect(field, "a set", T::connect)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_and_counted() {
        let mut set = MultiSet::from(vec![3, 1, 3, 2]);
        set.insert(2);
        set.extend([0, 3]);
        assert_eq!(set[..], [0, 1, 2, 2, 3, 3, 3]);
        assert_eq!((set.count(&3), set.count(&2), set.count(&9)), (3, 2, 0));
        assert_eq!(Vec::from(set.clone()), set.iter().copied().collect::<Vec<_>>());
        set.clear();
        assert!(set.is_empty() && set == MultiSet::default());
    }

    #[test]
    fn sets_of_sets_are_ordered_as_in_cxx() {
        let sets: MultiSet<MultiSet<i32>> =
            [vec![10], vec![7, 8], vec![], vec![7]].into_iter().map(MultiSet::from).collect();
        assert_eq!(
            sets.iter().map(|set| set.to_vec()).collect::<Vec<_>>(),
            [vec![], vec![7], vec![7, 8], vec![10]]
        );
    }
}
