//! Tuples.

use super::{Muon, NamedMuon};
use crate::record::record;

record! {
    untyped struct Tuples {
        one: (i32,),
        two: (i32, String),
        three: (f32, bool, Vec<u8>),
        twelve: (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64, String)
            => "(bool, i8, .., String): 12",
        many: Vec<(f32, i16)>,
        nested: ((i8, u8), (f64,)),
        lists: (Vec<i32>, Vec<(u8, String)>),
        muons: (Muon, u8),
        named_muons: (NamedMuon, u8),
        array: [(i16, i16); 3],
    }
}
