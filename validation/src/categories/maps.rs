//! `types.map` and its kin: maps from strings to integers, and to such maps, with each encoding of offsets.

use rntuple::RNTuple;

use crate::Show;
use crate::json::Json;

/// A field for each encoding of offsets, named like it. The offsets of the keys are `Index64` in all of them.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Indexed<M> {
    #[rntuple(offsets = "Index32", at("_0._0", offsets = "Index64"))]
    pub index32: M,
    #[rntuple(offsets = "Index64", at("_0._0", offsets = "Index64"))]
    pub index64: M,
    #[rntuple(offsets = "SplitIndex32", at("_0._0", offsets = "Index64"))]
    pub split_index32: M,
    #[rntuple(offsets = "SplitIndex64", at("_0._0", offsets = "Index64"))]
    pub split_index64: M,
}

/// The same of maps of maps, which have keys inside too.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the names say it all")]
pub struct NestedIndexed<M> {
    #[rntuple(offsets = "Index32", at("_0._0", offsets = "Index64"), at("_0._1._0._0", offsets = "Index64"))]
    pub index32: M,
    #[rntuple(offsets = "Index64", at("_0._0", offsets = "Index64"), at("_0._1._0._0", offsets = "Index64"))]
    pub index64: M,
    #[rntuple(
        offsets = "SplitIndex32",
        at("_0._0", offsets = "Index64"),
        at("_0._1._0._0", offsets = "Index64")
    )]
    pub split_index32: M,
    #[rntuple(
        offsets = "SplitIndex64",
        at("_0._0", offsets = "Index64"),
        at("_0._1._0._0", offsets = "Index64")
    )]
    pub split_index64: M,
}

macro_rules! indexed {
    ($($entry:ident)*) => {$(
        impl<M> $entry<M> {
            fn new([index32, index64, split_index32, split_index64]: [M; 4]) -> Self {
                Self { index32, index64, split_index32, split_index64 }
            }
        }

        impl<M: Show> Show for $entry<M> {
            fn show(&self) -> Json {
                Json::object([
                    ("Index32", self.index32.show()),
                    ("Index64", self.index64.show()),
                    ("SplitIndex32", self.split_index32.show()),
                    ("SplitIndex64", self.split_index64.show()),
                ])
            }
        }
    )*};
}

indexed! { Indexed NestedIndexed }

type Pairs<'a> = &'a [(&'a str, i32)];
type NestedPairs<'a> = &'a [(&'a str, Pairs<'a>)];

fn collected<M: FromIterator<(String, i32)>>(pairs: Pairs<'_>) -> M {
    pairs.iter().map(|&(key, value)| (key.to_owned(), value)).collect()
}

/// Maps to integers: single pairs, none, increasingly many.
pub fn fundamental<M: FromIterator<(String, i32)>>() -> Vec<Indexed<M>> {
    let entries: [[Pairs<'_>; 4]; 3] = [
        [&[("a", 1)], &[("b", 2)], &[("c", 3)], &[("d", 4)]],
        [&[]; 4],
        [
            &[("a", 1)],
            &[("b", 2), ("c", 3)],
            &[("d", 4), ("e", 5), ("f", 6)],
            &[("g", 7), ("h", 8), ("i", 9), ("j", 10)],
        ],
    ];
    entries.map(|maps| Indexed::new(maps.map(collected))).into()
}

/// Maps to maps: one pair in one map, none, increasingly many maps of any length.
pub fn nested<M, I>() -> Vec<NestedIndexed<M>>
where
    M: FromIterator<(String, I)>,
    I: FromIterator<(String, i32)>,
{
    let entries: [[NestedPairs<'_>; 4]; 3] = [
        [&[("a", &[("aa", 1)])], &[("b", &[("bb", 2)])], &[("c", &[("cc", 3)])], &[("d", &[("dd", 4)])]],
        [&[]; 4],
        [
            &[("a", &[("aa", 1)])],
            &[("b", &[("ba", 2)]), ("c", &[("ca", 3)])],
            &[("d", &[("da", 4)]), ("e", &[("ea", 5), ("eb", 6)]), ("f", &[])],
            &[
                ("g", &[("ga", 7), ("gb", 8)]),
                ("h", &[]),
                ("i", &[("ia", 9)]),
                ("j", &[("ja", 10), ("jb", 11), ("jc", 12)]),
            ],
        ],
    ];
    let outer =
        |maps: NestedPairs<'_>| maps.iter().map(|&(key, map)| (key.to_owned(), collected(map))).collect();
    entries.map(|maps| NestedIndexed::new(maps.map(outer))).into()
}
