//! Collections, sets and maps.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use half::f16;
use rntuple::cxx::{Byte, CxxChar};

use super::{Muon, NamedMuon};
use crate::record::record;

record! {
    untyped struct Collections {
        bools: Vec<bool>,
        bytes: Vec<u8>,
        singles: Vec<f32>,
        doubles: Vec<f64>,
        halves: Vec<f16>,
        longs: Vec<u64>,
        raw: Vec<Byte>,
        characters: Vec<CxxChar>,
        twice: Vec<Vec<i16>>,
        thrice: Vec<Vec<Vec<u32>>>,
        boxed: Box<[i32]>,
        boxed_twice: Vec<Box<[bool]>>,
        deque: VecDeque<f64>,
        deques: VecDeque<VecDeque<String>>,
        set: BTreeSet<i32>,
        words: BTreeSet<String>,
        hashed: HashSet<u64>,
        hashed_words: HashSet<String>,
        sets: Vec<BTreeSet<u16>>,
        pairs: BTreeSet<(i8, String)>,
    }

    untyped struct Maps {
        map: BTreeMap<i32, f32>,
        words: BTreeMap<String, u16>,
        lists: BTreeMap<i16, Vec<f64>>,
        of_muons: BTreeMap<u8, Vec<Muon>>,
        of_named_muons: BTreeMap<u8, Vec<NamedMuon>>,
        maps: BTreeMap<String, BTreeMap<u8, bool>>,
        keys: BTreeMap<(i8, u8), String>,
        hashed: HashMap<u64, f32>,
        hashed_words: HashMap<String, Vec<String>>,
        many: Vec<BTreeMap<u8, i64>>,
        some: Option<HashMap<i8, i8>>,
    }
}
