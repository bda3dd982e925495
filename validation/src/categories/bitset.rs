//! `types.bitset`: flags, in one word and in more.

use rntuple::RNTuple;
use rntuple::cxx::BitSet;

use crate::show::object;

/// Bitsets of several lengths.
#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(rename_all = "PascalCase")]
#[expect(missing_docs, reason = "the types say it all")]
pub struct Entry {
    pub bitset1: BitSet<1>,
    pub bitset64: BitSet<64>,
    pub bitset65: BitSet<65>,
}

object! { Entry { "Bitset1": bitset1, "Bitset64": bitset64, "Bitset65": bitset65, } }

/// Its entries: one flag each, all, none.
pub fn entries() -> Vec<Entry> {
    vec![
        Entry {
            bitset1: [0].into_iter().collect(),
            bitset64: [1].into_iter().collect(),
            bitset65: [2].into_iter().collect(),
        },
        Entry { bitset1: [true; 1].into(), bitset64: [true; 64].into(), bitset65: [true; 65].into() },
        Entry { bitset1: BitSet::new(), bitset64: BitSet::new(), bitset65: BitSet::new() },
    ]
}
