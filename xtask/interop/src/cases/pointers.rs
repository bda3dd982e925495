//! Options and pointers.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use super::{Muon, NamedMuon};
use crate::record::record;

record! {
    untyped struct Pointers {
        some: Option<f64>,
        flag: Option<bool>,
        list: Option<Vec<i32>>,
        lists: Vec<Option<Vec<i32>>>,
        several: Vec<Option<i64>>,
        array: Option<[f32; 3]>,
        pair: Option<(i32, String)>,
        muon: Option<Muon>,
        named_muon: Option<NamedMuon>,
        option: Option<Option<u8>>,
        muon_pairs: Vec<Option<[Muon; 2]>>,
        map: BTreeMap<String, Option<f32>>,
        boxed: Box<f32>,
        boxed_bools: [Box<bool>; 3],
        some_box: Option<Box<i64>>,
        box_of_muons: Box<Vec<Muon>>,
        shared: Rc<String>,
        shared_muons: Vec<Arc<Muon>>,
    }
}
