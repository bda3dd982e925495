//! A map in which a key may be more than once.

use std::borrow::Borrow;
use std::ops::Deref;

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
/// assert_eq!(hits.pairs_of("layer 2").len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MultiMap<K, V> {
    /// Keys ascending.
    pairs: Vec<(K, V)>,
}

impl<K, V> MultiMap<K, V> {
    /// No pairs.
    pub const fn new() -> Self {
        Self { pairs: Vec::new() }
    }

    /// Takes all pairs out; the memory stays for those to come.
    pub fn clear(&mut self) {
        self.pairs.clear();
    }
}

impl<K: Ord, V> MultiMap<K, V> {
    /// Adds a pair, behind those of the same key.
    pub fn insert(&mut self, key: K, value: V) {
        let place = self.pairs.partition_point(|(other, _)| *other <= key);
        self.pairs.insert(place, (key, value));
    }

    /// The pairs of a key.
    pub fn pairs_of<Q>(&self, key: &Q) -> &[(K, V)]
    where
        K: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let start = self.pairs.partition_point(|(other, _)| other.borrow() < key);
        let rest = self.pairs.get(start..).unwrap_or_default();
        let count = rest.partition_point(|(other, _)| other.borrow() <= key);
        rest.get(..count).unwrap_or_default()
    }
}

impl<K, V> Default for MultiMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// The pairs, keys ascending.
impl<K, V> Deref for MultiMap<K, V> {
    type Target = [(K, V)];

    fn deref(&self) -> &[(K, V)] {
        &self.pairs
    }
}

/// Sorts the pairs by their keys.
impl<K: Ord, V> From<Vec<(K, V)>> for MultiMap<K, V> {
    fn from(mut pairs: Vec<(K, V)>) -> Self {
        sort(&mut pairs);
        Self { pairs }
    }
}

/// Pairs of one key stay in their order.
fn sort<K: Ord, V>(pairs: &mut [(K, V)]) {
    pairs.sort_by(|(one, _), (other, _)| one.cmp(other));
}

impl<K, V> From<MultiMap<K, V>> for Vec<(K, V)> {
    fn from(map: MultiMap<K, V>) -> Self {
        map.pairs
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for MultiMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(pairs: I) -> Self {
        Vec::from_iter(pairs).into()
    }
}

impl<K: Ord, V> Extend<(K, V)> for MultiMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, pairs: I) {
        self.pairs.extend(pairs);
        sort(&mut self.pairs);
    }
}

impl<K, V> IntoIterator for MultiMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.pairs.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a MultiMap<K, V> {
    type Item = &'a (K, V);
    type IntoIter = std::slice::Iter<'a, (K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<K, V, W: FieldWriter<(K, V)>> FieldWriter<MultiMap<K, V>> for CollectionWriter<W> {
    fn append(&mut self, value: &MultiMap<K, V>) -> usize {
        FieldWriter::<[(K, V)]>::append(self, &value.pairs)
    }
}

impl<K: WriteField, V: WriteField> WriteField for MultiMap<K, V> {
    type Writer = CollectionWriter<<(K, V) as WriteField>::Writer>;

    fn type_name() -> TypeName {
        TypeName::template("std::multimap", [&K::type_name(), &V::type_name()])
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        CollectionWriter::declare(field, Self::type_name, <(K, V)>::declare)
    }
}

impl<K: Ord, V, R: FieldReader<(K, V)>> FieldReader<MultiMap<K, V>> for CollectionReader<R> {
    fn read(&mut self) -> Result<MultiMap<K, V>> {
        FieldReader::<Vec<(K, V)>>::read(self).map(MultiMap::from)
    }

    fn read_into(&mut self, slot: &mut MultiMap<K, V>) -> Result<()> {
        let done = self.read_into(&mut slot.pairs);
        // Also after an error: what is there is a map.
        sort(&mut slot.pairs);
        done
    }

    fn reclaim(&mut self, value: &mut MultiMap<K, V>) {
        self.reclaim(&mut value.pairs);
    }
}

impl<K: ReadField + Ord, V: ReadField> ReadField for MultiMap<K, V> {
    type Reader = CollectionReader<<(K, V) as ReadField>::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        reader.connect(field, "a map", <(K, V)>::connect)
    }
}

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
        let values: Vec<_> = map.pairs_of("b").iter().map(|(_, value)| *value).collect();
        assert_eq!(values, [1, 0, 9]);
        assert!(map.pairs_of("c").is_empty() && map.pairs_of("").is_empty());
        map.clear();
        assert_eq!(map, MultiMap::default());
    }
}
