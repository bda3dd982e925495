//! The table of categories, in the order of their names in the suite's folders.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use rntuple::cxx::{MultiMap, MultiSet, RVec, UnorderedMultiMap, UnorderedMultiSet};

use crate::categories::collections::{Integers, fundamental, nested_lists, nested_sets};
use crate::categories::{
    array, atomic, bitset, compression, integer, maps, misc, optional, pair, projections, real, real32quant,
    real32trunc, string, structure, tuple, unique_ptr, user_class, user_enum, variant,
};
use crate::category::{self, Category, entries};

/// Every category.
pub const CATEGORIES: &[Category] = &[
    compression::LZ4,
    compression::LZMA,
    compression::ZLIB,
    compression::ZSTD,
    compression::BIG_BLOCKS,
    compression::SHORT_BLOCK,
    projections::CARDINALITY,
    projections::COLLECTION,
    projections::LEAF,
    projections::NESTED,
    structure::ATTRIBUTES,
    structure::CLUSTER_GROUPS,
    structure::CLUSTERS,
    structure::EMPTY,
    structure::FEATURE_FLAG,
    entries!("types.RVec.fundamental", fundamental::<RVec<i32>>),
    entries!("types.RVec.nested", nested_lists::<RVec<RVec<i32>>, RVec<i32>>),
    entries!("types.array", array::entries),
    entries!("types.atomic", atomic::entries),
    entries!("types.bitset", bitset::entries),
    entries!("types.fundamental.integer", integer::entries),
    entries!("types.fundamental.misc", misc::entries),
    entries!("types.fundamental.real", real::entries),
    entries!("types.fundamental.real32quant", real32quant::entries),
    entries!("types.fundamental.real32trunc", real32trunc::entries),
    entries!("types.map.fundamental", maps::fundamental::<BTreeMap<String, i32>>),
    entries!(
        "types.map.nested",
        maps::nested::<BTreeMap<String, BTreeMap<String, i32>>, BTreeMap<String, i32>>
    ),
    entries!("types.multimap.fundamental", maps::fundamental::<MultiMap<String, i32>>),
    entries!(
        "types.multimap.nested",
        maps::nested::<MultiMap<String, MultiMap<String, i32>>, MultiMap<String, i32>>
    ),
    entries!("types.multiset.fundamental", fundamental::<MultiSet<i32>>),
    entries!("types.multiset.nested", nested_sets::<MultiSet<MultiSet<i32>>, MultiSet<i32>>),
    entries!("types.optional", optional::entries),
    entries!("types.pair", pair::entries),
    entries!("types.set.fundamental", fundamental::<BTreeSet<i32>>),
    entries!("types.set.nested", nested_sets::<BTreeSet<BTreeSet<i32>>, BTreeSet<i32>>),
    entries!("types.string", string::entries),
    entries!("types.tuple", tuple::entries),
    entries!("types.unique_ptr", unique_ptr::entries),
    entries!("types.unordered_map.fundamental", maps::fundamental::<HashMap<String, i32>>),
    entries!(
        "types.unordered_map.nested",
        maps::nested::<HashMap<String, HashMap<String, i32>>, HashMap<String, i32>>
    ),
    entries!("types.unordered_multimap.fundamental", maps::fundamental::<UnorderedMultiMap<String, i32>>),
    entries!(
        "types.unordered_multimap.nested",
        maps::nested::<
            UnorderedMultiMap<String, UnorderedMultiMap<String, i32>>,
            UnorderedMultiMap<String, i32>,
        >
    ),
    entries!("types.unordered_multiset.fundamental", fundamental::<UnorderedMultiSet<i32>>),
    entries!(
        "types.unordered_multiset.nested",
        nested_sets::<UnorderedMultiSet<UnorderedMultiSet<i32>>, UnorderedMultiSet<i32>>
    ),
    entries!("types.unordered_set.fundamental", fundamental::<HashSet<i32>>),
    entries!("types.unordered_set.nested", nested_sets::<HashSet<Integers>, Integers>),
    entries!("types.user.class", user_class::entries),
    entries!("types.user.enum", user_enum::entries),
    entries!("types.variant", variant::entries),
    entries!("types.vector.fundamental", fundamental::<Vec<i32>>),
    entries!("types.vector.nested", nested_lists::<Vec<Vec<i32>>, Vec<i32>>),
];

/// The category of this name.
pub fn named(name: &str) -> Option<&'static Category> {
    CATEGORIES.iter().find(|category| category.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_another() {
        let names: BTreeSet<_> = CATEGORIES.iter().map(|category| category.name).collect();
        assert_eq!(names.len(), CATEGORIES.len());
        assert!(names.iter().all(|name| named(name).is_some_and(|found| found.name == *name)));
    }
}
