//! A map in which a key may be more than once.

use super::sorted::sorted_list;
use super::{
    CollectionReader, CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField,
    WriteField,
};
use crate::error::Result;
use crate::schema::TypeName;

/// Pairs in ascending order of their keys: C++'s `std::multimap<K, V>`. Pairs of equal keys stay in the order in
/// which they came.
///
/// It is a sorted list, and derefs to a slice of pairs. Whatever is a map or a list of pairs in a file can be read
/// as one, and is sorted.
///
/// ```
/// use rntuple::cxx::MultiMap;
/// let mut hits = MultiMap::new();
/// hits.insert("layer 2", 0.5);
/// hits.insert("layer 1", 3.0);
/// hits.insert("layer 2", 0.25);
/// assert_eq!(hits[..], [("layer 1", 3.0), ("layer 2", 0.5), ("layer 2", 0.25)]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MultiMap<K, V> {
    /// Keys ascending.
    pairs: Vec<(K, V)>,
}

impl<K: Ord, V> MultiMap<K, V> {
    /// Adds a pair, behind those of the same key.
    pub fn insert(&mut self, key: K, value: V) {
        let place = self.pairs.partition_point(|(other, _)| *other <= key);
        self.pairs.insert(place, (key, value));
    }
}

/// Pairs of one key stay in their order.
fn sort<K: Ord, V>(pairs: &mut [(K, V)]) {
    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
}

sorted_list! { [K, V] MultiMap { pairs: (K, V) }, sort, "std::multimap", "a map" }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_sorted_and_equal_keys_keep_their_order() {
        let mut map: MultiMap<String, i32> =
            [("b", 1), ("a", 2), ("b", 0)].map(|(key, value)| (key.to_owned(), value)).into_iter().collect();
        map.insert("a".to_owned(), 1);
        map.extend([("b".to_owned(), 9), ("a".to_owned(), 0)]);
        let pairs: Vec<_> = map.iter().map(|(key, value)| (&**key, *value)).collect();
        assert_eq!(pairs, [("a", 2), ("a", 1), ("a", 0), ("b", 1), ("b", 0), ("b", 9)]);
        map.clear();
        assert_eq!(map, MultiMap::default());
    }
}
