//! Values of every kind.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use half::f16;
use proptest::prelude::*;
use rntuple::columns::Lazy;
use rntuple::cxx::{BitSet, Byte, CxxChar};
use rntuple_tests::sample::{
    Cascade, Detector, Energy, Event, Jet, Marker, Muon, One, Pair, Process, Random, Sample, Track, Vertex,
    samples,
};

use super::common::{Both, round_trip};

fn check<T: Sample>()
where
    One<T>: Both,
{
    round_trip::<One<T>>(&samples(150, 7));
    round_trip::<One<T>>(&[]);
}

macro_rules! each {
    ($($name:ident: $($type:ty),+;)*) => {$(
        #[test]
        fn $name() {
            $(check::<$type>();)+
        }
    )*};
}

each! {
    integers: i8, u8, i16, u16, i32, u32, i64, u64;
    other_scalars: bool, f32, f64, f16, Byte, CxxChar;
    strings: String, Vec<String>, Option<String>, [String; 2];
    lists: Vec<f32>, Vec<bool>, VecDeque<u16>, Vec<Vec<i64>>, Vec<Vec<Vec<u8>>>, Vec<Marker>;
    sets: BTreeSet<i32>, HashSet<u64>, BTreeSet<String>;
    maps: BTreeMap<i32, String>, HashMap<u16, Vec<f32>>;
    options: Option<f32>, Option<Vec<f32>>, Vec<Option<u8>>, Option<Muon>, Option<[f32; 2]>;
    arrays: [f32; 3], [[i16; 2]; 3], [bool; 9], BitSet<70>, Vec<[f64; 2]>, [Vec<u8>; 2], [Option<f32>; 2], [Muon; 2];
    tuples: (f32, i8), (u8, String, Vec<f32>), Vec<(f32, Option<bool>)>, (Muon, (u8, u8));
    pointers: Box<f32>, Box<Muon>, Vec<Box<f64>>, Box<String>;
    lazy: Lazy<f32>, Vec<Lazy<String>>, Lazy<Vec<Muon>>, Option<Lazy<Process>>;
    structs: Muon, Jet, Vertex, Vec<Vertex>, Track<f64>, Vec<Track<u8>>, Option<Jet>;
    newtypes: Energy, Vec<Energy>, [Energy; 2], Pair, Vec<Pair>, (Marker, u8), Option<(Marker, u8)>;
    enums: Detector, Vec<Detector>, Option<Detector>, [Detector; 2], Process, Vec<Process>, Cascade, Option<Cascade>,
        [Process; 2];
}

#[test]
fn events() {
    round_trip::<Event>(&samples(300, 3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_events(seed: u64, count in 0usize..60) {
        let mut random = Random::new(seed);
        let events: Vec<Event> = (0..count).map(|_| Sample::sample(&mut random)).collect();
        round_trip(&events);
    }
}
