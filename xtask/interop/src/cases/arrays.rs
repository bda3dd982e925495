//! Arrays and bitsets.

use rntuple::cxx::BitSet;

use super::{Muon, NamedMuon};
use crate::record::record;

record! {
    untyped struct Arrays {
        three: [f32; 3],
        one: [i64; 1],
        matrix: [[i32; 2]; 3],
        strings: [String; 2],
        lists: [Vec<u8>; 2],
        options: [Option<i8>; 2],
        pairs: [(u16, bool); 2],
        muons: [Muon; 2],
        named_muons: [NamedMuon; 2],
        list_of: Vec<[i16; 4]>,
        list_of_matrices: Vec<[[f64; 2]; 2]>,
        long: [u8; 100],
    }

    untyped struct Bitsets {
        bools: [bool; 5],
        bools_64: [bool; 64],
        rows: [[bool; 3]; 2],
        list_of_bools: Vec<[bool; 9]>,
        one: BitSet<1>,
        eight: BitSet<8>,
        bits_31: BitSet<31>,
        bits_32: BitSet<32>,
        bits_33: BitSet<33>,
        bits_48: BitSet<48>,
        bits_49: BitSet<49>,
        bits_64: BitSet<64>,
        bits_100: BitSet<100>,
        list_of: Vec<BitSet<12>>,
        two: [BitSet<5>; 2],
        some: Option<BitSet<70>>,
    }
}
