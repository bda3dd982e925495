//! A set in which an item may be more than once.

use super::sorted::sorted_list;
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

sorted_list! { [T] MultiSet { items: T }, <[T]>::sort, "std::multiset", "a set" }

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
