//! Values of every supported type, from a seeded generator of our own: no two runs differ.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use half::f16;
use rntuple::RNTuple;
use rntuple::columns::Lazy;
use rntuple::cxx::{BitSet, Byte, CxxChar};

/// SplitMix64: small, and good enough to vary values.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A generator that starts from `seed`.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.bits() >> 11).unwrap_or(0) % limit.max(1)
    }
}

/// An event of which half of each hit is noise: it compresses as measured data do.
#[derive(RNTuple, Clone, Debug, PartialEq)]
pub struct Noisy {
    /// Its number.
    pub number: u64,
    /// Whole numbers below 2^16.
    pub hits: Vec<f32>,
}

/// Makes `count` of them, each with up to 19 hits.
pub fn noisy(count: u64) -> Vec<Noisy> {
    let mut random = Random::new(1);
    let mut hit = || f32::from((random.bits() >> 48) as u16);
    (0..count).map(|number| Noisy { number, hits: (0..number % 20).map(|_| hit()).collect() }).collect()
}

/// A type whose values can be made from random bits, extremes among them.
pub trait Sample: Sized {
    /// The next value.
    fn sample(random: &mut Random) -> Self;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Sample for $type {
            #[expect(clippy::cast_possible_truncation, clippy::cast_possible_wrap, reason = "any bits will do")]
            #[allow(clippy::allow_attributes, reason = "not all of the types lose something")]
            #[allow(unfulfilled_lint_expectations, reason = "not all of the types lose something")]
            fn sample(random: &mut Random) -> Self {
                match random.below(8) {
                    0 => <$type>::MIN,
                    1 => <$type>::MAX,
                    2 => 0,
                    _ => random.bits() as $type,
                }
            }
        }
    )*};
}

integers! { i8 u8 i16 u16 i32 u32 i64 u64 }

macro_rules! reals {
    ($($type:ty)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> Self {
                match random.below(12) {
                    0 => <$type>::INFINITY,
                    1 => <$type>::NEG_INFINITY,
                    2 => <$type>::from_bits(1),
                    3 => -<$type>::from_bits(0),
                    4 => <$type>::MAX,
                    // Not a number is left to tests of bits: it does not equal itself.
                    _ => loop {
                        let value = <$type>::from_bits(Sample::sample(random));
                        if !value.is_nan() {
                            break value;
                        }
                    },
                }
            }
        }
    )*};
}

reals! { f32 f64 f16 }

impl Sample for bool {
    fn sample(random: &mut Random) -> Self {
        random.bits() & 1 == 1
    }
}

impl Sample for Byte {
    fn sample(random: &mut Random) -> Self {
        Self(Sample::sample(random))
    }
}

impl Sample for CxxChar {
    fn sample(random: &mut Random) -> Self {
        Self(Sample::sample(random))
    }
}

impl Sample for String {
    fn sample(random: &mut Random) -> Self {
        const WORDS: [&str; 6] = ["", "pt", "Größe", "µ⁺µ⁻", "\u{1F680}", "a much longer label, with spaces"];
        let count = random.below(4);
        (0..count).filter_map(|_| WORDS.get(random.below(WORDS.len()))).copied().collect()
    }
}

impl Sample for Box<str> {
    fn sample(random: &mut Random) -> Self {
        String::sample(random).into()
    }
}

impl Sample for Cow<'static, str> {
    fn sample(random: &mut Random) -> Self {
        String::sample(random).into()
    }
}

impl<T: Sample> Sample for Box<T> {
    fn sample(random: &mut Random) -> Self {
        Self::new(T::sample(random))
    }
}

impl<T: Sample> Sample for Lazy<T> {
    fn sample(random: &mut Random) -> Self {
        Self(T::sample(random))
    }
}

impl<T: Sample> Sample for Option<T> {
    fn sample(random: &mut Random) -> Self {
        (random.below(3) > 0).then(|| T::sample(random))
    }
}

impl<T: Sample, const N: usize> Sample for [T; N] {
    fn sample(random: &mut Random) -> Self {
        std::array::from_fn(|_| T::sample(random))
    }
}

impl<const N: usize> Sample for BitSet<N> {
    fn sample(random: &mut Random) -> Self {
        <[bool; N]>::sample(random).into()
    }
}

macro_rules! collections {
    ($([$($bounds:tt)*] $type:ty, $item:ty;)*) => {$(
        impl<$($bounds)*> Sample for $type {
            fn sample(random: &mut Random) -> Self {
                let count = random.below(5);
                (0..count).map(|_| <$item>::sample(random)).collect()
            }
        }
    )*};
}

collections! {
    [T: Sample] Vec<T>, T;
    [T: Sample] Box<[T]>, T;
    [T: Sample] VecDeque<T>, T;
    [T: Sample + Ord] BTreeSet<T>, T;
    [T: Sample + Eq + std::hash::Hash] HashSet<T>, T;
    [K: Sample + Ord, V: Sample] BTreeMap<K, V>, (K, V);
    [K: Sample + Eq + std::hash::Hash, V: Sample] HashMap<K, V>, (K, V);
}

macro_rules! tuples {
    ($(($($member:ident)+);)*) => {$(
        impl<$($member: Sample),+> Sample for ($($member,)+) {
            fn sample(random: &mut Random) -> Self {
                ($($member::sample(random),)+)
            }
        }
    )*};
}

tuples! {
    (A);
    (A B);
    (A B C);
    (A B C D E F G H I J K L);
}

/// A struct of plain members.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Muon {
    /// Transverse momentum in GeV.
    pub pt: f32,
    /// Pseudorapidity.
    pub eta: f32,
    /// Electric charge.
    pub charge: i8,
    /// Isolation, where it was measured.
    pub isolation: Option<f32>,
}

impl Sample for Muon {
    fn sample(random: &mut Random) -> Self {
        Self {
            pt: Sample::sample(random),
            eta: Sample::sample(random),
            charge: Sample::sample(random),
            isolation: Sample::sample(random),
        }
    }
}

/// A struct with collections in it.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Jet {
    /// Energy in GeV.
    pub energy: f64,
    /// What it is made of.
    pub constituents: Vec<u32>,
    /// The muons inside.
    pub muons: Vec<Muon>,
}

impl Sample for Jet {
    fn sample(random: &mut Random) -> Self {
        Self {
            energy: Sample::sample(random),
            constituents: Sample::sample(random),
            muons: Sample::sample(random),
        }
    }
}

/// A struct that C++ knows by a name of its own.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar, type_name = "edm::Vertex")]
pub struct Vertex {
    /// Position in mm.
    pub position: [f64; 3],
    /// Tracks that come from it.
    pub tracks: Vec<Track<f32>>,
}

impl Sample for Vertex {
    fn sample(random: &mut Random) -> Self {
        Self { position: Sample::sample(random), tracks: Sample::sample(random) }
    }
}

/// A generic struct.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Track<T> {
    /// Curvature and its uncertainty.
    pub curvature: (T, T),
    /// Pattern of hits.
    pub hits: BitSet<12>,
}

impl<T: Sample> Sample for Track<T> {
    fn sample(random: &mut Random) -> Self {
        Self { curvature: Sample::sample(random), hits: Sample::sample(random) }
    }
}

/// A newtype: stored as what it wraps.
#[derive(RNTuple, Clone, Copy, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Energy(pub f32);

impl Sample for Energy {
    fn sample(random: &mut Random) -> Self {
        Self(Sample::sample(random))
    }
}

/// A tuple struct.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Pair(pub u16, pub String);

impl Sample for Pair {
    fn sample(random: &mut Random) -> Self {
        Self(Sample::sample(random), Sample::sample(random))
    }
}

/// A struct without members.
#[derive(RNTuple, Clone, Copy, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Marker;

impl Sample for Marker {
    fn sample(_: &mut Random) -> Self {
        Self
    }
}

/// A C++ enum.
#[derive(RNTuple, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[rntuple(columnar, type_name = "Detector")]
#[repr(i16)]
pub enum Detector {
    /// The innermost.
    #[default]
    Pixel = -3,
    /// Around it.
    Strip = 1,
    /// The outermost.
    Muon = 1000,
}

impl Sample for Detector {
    fn sample(random: &mut Random) -> Self {
        [Self::Pixel, Self::Strip, Self::Muon].get(random.below(3)).copied().unwrap_or_default()
    }
}

/// An enum with data of every shape.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub enum Process {
    /// Nothing to say.
    #[default]
    MinimumBias,
    /// One value.
    DrellYan(f64),
    /// Several values.
    Resonance(u32, Vec<Muon>),
    /// Named values.
    Jets {
        /// The jets.
        jets: Vec<Jet>,
        /// Their detector.
        detector: Detector,
    },
}

impl Sample for Process {
    fn sample(random: &mut Random) -> Self {
        match random.below(4) {
            0 => Self::MinimumBias,
            1 => Self::DrellYan(Sample::sample(random)),
            2 => Self::Resonance(Sample::sample(random), Sample::sample(random)),
            _ => Self::Jets { jets: Sample::sample(random), detector: Sample::sample(random) },
        }
    }
}

/// An enum in a vector in an enum.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
pub enum Cascade {
    /// Ends here.
    Stable(i32),
    /// Goes on.
    Decays {
        /// Into these.
        products: Vec<Process>,
    },
}

impl Sample for Cascade {
    fn sample(random: &mut Random) -> Self {
        match random.below(2) {
            0 => Self::Stable(Sample::sample(random)),
            _ => Self::Decays { products: Sample::sample(random) },
        }
    }
}

/// An entry with one member.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
pub struct One<T> {
    /// The value.
    pub value: T,
}

impl<T: Sample> Sample for One<T> {
    fn sample(random: &mut Random) -> Self {
        Self { value: T::sample(random) }
    }
}

/// An event with something of everything.
#[derive(RNTuple, Clone, Debug, Default, PartialEq)]
#[rntuple(columnar)]
pub struct Event {
    /// Number of the event.
    pub number: u64,
    /// Missing transverse energy in GeV.
    pub met: f32,
    /// Its muons.
    pub muons: Vec<Muon>,
    /// Its jets.
    pub jets: Vec<Jet>,
    /// Where it happened.
    pub vertex: Option<Vertex>,
    /// Which triggers fired.
    pub triggers: BitSet<64>,
    /// What happened.
    pub process: Process,
    /// What somebody called it.
    pub label: String,
    /// Shape variables.
    pub shape: [f32; 6],
}

impl Sample for Event {
    fn sample(random: &mut Random) -> Self {
        Self {
            number: Sample::sample(random),
            met: Sample::sample(random),
            muons: Sample::sample(random),
            jets: Sample::sample(random),
            vertex: Sample::sample(random),
            triggers: Sample::sample(random),
            process: Sample::sample(random),
            label: Sample::sample(random),
            shape: Sample::sample(random),
        }
    }
}

/// `count` values.
pub fn samples<T: Sample>(count: usize, seed: u64) -> Vec<T> {
    let mut random = Random::new(seed);
    (0..count).map(|_| T::sample(&mut random)).collect()
}
