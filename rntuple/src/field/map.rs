//! Maps: collections of pairs.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hash};

use super::{
    CollectionReader, CollectionWriter, FieldBuilder, FieldNode, FieldReader, FieldWriter, ReadField,
    TupleWriter, WriteField,
};
use crate::error::Result;
use crate::schema::TypeName;

impl<K, V, KW, VW> FieldWriter<BTreeMap<K, V>> for CollectionWriter<TupleWriter<(KW, VW)>>
where
    KW: FieldWriter<K>,
    VW: FieldWriter<V>,
{
    fn append(&mut self, value: &BTreeMap<K, V>) -> usize {
        self.append_items(value.len(), |pair| pair.append_pairs(value.iter()))
    }
}

impl<K: Ord, V, S, KW, VW> FieldWriter<HashMap<K, V, S>> for CollectionWriter<TupleWriter<(KW, VW)>>
where
    KW: FieldWriter<K>,
    VW: FieldWriter<V>,
{
    fn append(&mut self, value: &HashMap<K, V, S>) -> usize {
        // Hash order differs from run to run; files should not.
        let mut pairs: Vec<(&K, &V)> = value.iter().collect();
        pairs.sort_unstable_by_key(|(key, _)| *key);
        self.append_items(pairs.len(), |pair| pair.append_pairs(pairs.iter().copied()))
    }
}

impl<K, V, R> FieldReader<BTreeMap<K, V>> for CollectionReader<R>
where
    K: Ord,
    R: FieldReader<(K, V)>,
{
    fn read(&mut self) -> Result<BTreeMap<K, V>> {
        self.read_distinct(BTreeMap::new(), |map, (key, value)| map.insert(key, value).is_none())
    }
}

impl<K, V, S, R> FieldReader<HashMap<K, V, S>> for CollectionReader<R>
where
    K: Eq + Hash,
    S: BuildHasher + Default,
    R: FieldReader<(K, V)>,
{
    fn read(&mut self) -> Result<HashMap<K, V, S>> {
        self.read_distinct(HashMap::default(), |map, (key, value)| map.insert(key, value).is_none())
    }
}

macro_rules! maps {
    ($($template:literal: [$($write:tt)*] [$($read:tt)*] $type:ty;)*) => {$(
        impl<$($write)*> WriteField for $type
        where
            K: WriteField,
            V: WriteField,
        {
            type Writer = CollectionWriter<<(K, V) as WriteField>::Writer>;

            fn type_name() -> TypeName {
                TypeName::template($template, [&K::type_name(), &V::type_name()])
            }

            fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
                CollectionWriter::declare(field, Self::type_name, <(K, V)>::declare)
            }
        }

        impl<$($read)*> ReadField for $type
        where
            K: ReadField,
            V: ReadField,
        {
            type Reader = CollectionReader<<(K, V) as ReadField>::Reader>;

            fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
                reader.connect(field, "a map", <(K, V)>::connect)
            }
        }
    )*};
}

maps! {
    "std::map": [K, V] [K: Ord, V] BTreeMap<K, V>;
    "std::unordered_map": [K: Ord, V, S] [K: Eq + Hash, V, S: BuildHasher + Default] HashMap<K, V, S>;
}
