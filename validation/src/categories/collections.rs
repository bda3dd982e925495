//! `types.vector`, `types.RVec`, `types.set` and its kin: collections of integers, and of such collections, with
//! each encoding of offsets.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::hash::{Hash, Hasher};

use rntuple::RNTuple;

use crate::Show;
use crate::json::Json;

/// A field for each encoding of offsets, named like it. All collections in it have this encoding.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Indexed<C> {
    #[rntuple(offsets = "Index32")]
    pub index32: C,
    #[rntuple(offsets = "Index64")]
    pub index64: C,
    #[rntuple(offsets = "SplitIndex32")]
    pub split_index32: C,
    #[rntuple(offsets = "SplitIndex64")]
    pub split_index64: C,
}

impl<C> Indexed<C> {
    /// The values in the order of the fields.
    pub(super) fn new([index32, index64, split_index32, split_index64]: [C; 4]) -> Self {
        Self { index32, index64, split_index32, split_index64 }
    }
}

impl<C: Show> Show for Indexed<C> {
    fn show(&self) -> Json {
        Json::object([
            ("Index32", self.index32.show()),
            ("Index64", self.index64.show()),
            ("SplitIndex32", self.split_index32.show()),
            ("SplitIndex64", self.split_index64.show()),
        ])
    }
}

/// Collections of integers: single items, none, increasingly many.
pub fn fundamental<C: FromIterator<i32>>() -> Vec<Indexed<C>> {
    let entries: [[&[i32]; 4]; 3] =
        [[&[1], &[2], &[3], &[4]], [&[]; 4], [&[1], &[2, 3], &[4, 5, 6], &[7, 8, 9, 10]]];
    entries.map(|lists| Indexed::new(lists.map(collected))).into()
}

fn collected<C: FromIterator<i32>>(list: &[i32]) -> C {
    list.iter().copied().collect()
}

fn nested<C: FromIterator<I>, I: FromIterator<i32>>(last: [&[&[i32]]; 4]) -> Vec<Indexed<C>> {
    let entries: [[&[&[i32]]; 4]; 3] = [[&[&[1]], &[&[2]], &[&[3]], &[&[4]]], [&[]; 4], last];
    let outer = |lists: &[&[i32]]| lists.iter().copied().map(collected::<I>).collect();
    entries.map(|lists| Indexed::new(lists.map(outer))).into()
}

/// Vectors of vectors: one item in one list, none, increasingly many lists of any length.
pub fn nested_lists<C: FromIterator<I>, I: FromIterator<i32>>() -> Vec<Indexed<C>> {
    nested([&[&[1]], &[&[], &[2, 3]], &[&[4], &[], &[5, 6]], &[&[], &[7, 8, 9], &[], &[10]]])
}

/// Sets of sets; other values, for items of a set differ.
pub fn nested_sets<C: FromIterator<I>, I: FromIterator<i32>>() -> Vec<Indexed<C>> {
    nested([&[&[1]], &[&[], &[2, 3]], &[&[], &[4], &[5, 6]], &[&[], &[7, 8, 9], &[10], &[11, 12]]])
}

/// A `HashSet` that can be in another: as in C++, that needs a hash of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq, RNTuple)]
pub struct Integers(pub HashSet<i32>);

impl Integers {
    fn sorted(&self) -> Vec<i32> {
        let mut integers: Vec<i32> = self.0.iter().copied().collect();
        integers.sort_unstable();
        integers
    }
}

impl Hash for Integers {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sorted().hash(state);
    }
}

impl Ord for Integers {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sorted().cmp(&other.sorted())
    }
}

impl PartialOrd for Integers {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FromIterator<i32> for Integers {
    fn from_iter<I: IntoIterator<Item = i32>>(integers: I) -> Self {
        Self(integers.into_iter().collect())
    }
}

impl Show for Integers {
    fn show(&self) -> Json {
        self.0.show()
    }
}
