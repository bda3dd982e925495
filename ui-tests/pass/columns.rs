//! Types of columns, in crates that are strict, with parameters, beside names that mean something else.
#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    missing_copy_implementations,
    unreachable_pub,
    unused_qualifications,
    unused_lifetimes,
    single_use_lifetimes,
    elided_lifetimes_in_paths,
    explicit_outlives_requirements,
    let_underscore_drop,
    trivial_casts,
    trivial_numeric_casts,
    unused_results,
    variant_size_differences,
    redundant_lifetimes,
    meta_variable_misuse,
    clippy::all,
    clippy::pedantic,
    clippy::nursery
)]
#![forbid(unsafe_code, missing_docs, unused_must_use)]

use std::collections::BTreeMap;
use std::marker::PhantomData;

use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

/// Public.
#[derive(RNTuple, Debug)]
#[rntuple(columnar)]
pub struct Record<T: Copy = f32, const N: usize = 2> {
    /// A value.
    pub value: T,
    /// Some.
    pub array: [T; N],
    /// Where to.
    pub r#type: u8,
    /// Old.
    #[deprecated]
    pub old: u8,
    #[rntuple(rows)]
    counts: BTreeMap<u8, u8>,
    private: String,
}

/// Of a parameter that is not stored.
#[derive(RNTuple, Debug)]
#[rntuple(columnar)]
pub struct Marked<T> {
    number: u8,
    #[rntuple(skip)]
    marker: PhantomData<T>,
}

/// Of earlier days.
#[deprecated]
pub trait Old {}

#[allow(deprecated)]
impl Old for f32 {}

/// Its bound is deprecated, which is allowed here.
#[allow(deprecated)]
#[derive(RNTuple, Debug)]
#[rntuple(columnar)]
pub struct Bounded<T: Old> {
    /// A value.
    pub value: T,
}

/// A tuple with a hole.
#[derive(RNTuple, Debug)]
#[rntuple(columnar)]
pub struct Pair(pub u8, #[rntuple(skip)] pub u64, pub String);

/// Stored as its value.
#[derive(RNTuple, Debug, Clone, Copy)]
#[rntuple(columnar, transparent)]
pub struct Energy {
    /// In GeV.
    pub gev: f32,
}

/// Nothing.
#[derive(RNTuple, Debug, Clone, Copy)]
#[rntuple(columnar)]
pub struct Empty;

/// Without data.
#[derive(RNTuple, Debug, Clone, Copy, PartialEq, Eq)]
#[rntuple(columnar)]
#[repr(u16)]
pub enum Plain {
    /// A.
    A,
    /// B.
    B,
    /// Others.
    #[rntuple(other)]
    Other,
}

/// With data.
#[derive(RNTuple, Debug, Clone, Copy)]
#[rntuple(columnar(one = OneOf, slice = ManyOf))]
pub enum Data<T> {
    /// A.
    A(T),
    /// B.
    B {
        /// Member.
        member: Plain,
    },
    /// C.
    C,
    /// Others.
    #[rntuple(other)]
    Other,
}

mod private {
    #[derive(super::RNTuple, Debug)]
    #[rntuple(columnar)]
    struct Record {
        number: f32,
        list: Vec<(f32, super::Energy)>,
    }

    pub(crate) fn number() -> f32 {
        let record = Record { number: 1.0, list: Vec::new() };
        record.number
    }
}

/// All of it.
#[derive(RNTuple, Debug)]
#[rntuple(columnar)]
pub struct Event {
    record: Record<u16, 3>,
    marked: Marked<String>,
    bounded: Bounded<f32>,
    pairs: Vec<Pair>,
    energy: Energy,
    empty: Empty,
    plain: Plain,
    data: Vec<Data<f32>>,
}

fn pt<'a>(many: ManyOf<'a, f32>) -> Option<OneOf<'a, f32>> {
    many.get(0)
}

fn main() -> rntuple::Result<()> {
    #[allow(deprecated)]
    let record = Record {
        value: 7,
        array: [1, 2, 3],
        r#type: 1,
        old: 0,
        counts: BTreeMap::from([(1, 2)]),
        private: "own".to_owned(),
    };
    let event = Event {
        record,
        marked: Marked { number: 3, marker: PhantomData },
        bounded: Bounded { value: 4.5 },
        pairs: vec![Pair(1, 2, "three".to_owned())],
        energy: Energy { gev: private::number() },
        empty: Empty,
        plain: Plain::B,
        data: vec![Data::A(1.5), Data::B { member: Plain::A }, Data::C, Data::Other],
    };
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new())?;
    let _ = writer.fill(&event)?;
    let reader = Reader::<Event>::open(writer.finish_into()?.1, "Events")?;
    let mut events = reader.batches(100);
    while let Some(events) = events.lend()? {
        let event = events.get(0).unwrap();
        let RecordRef { value, array, r#type, counts, private, .. } = event.record;
        assert_eq!((value, array, r#type, counts.len(), private), (7, &[1, 2, 3], 1, 1, "own"));
        assert_eq!((event.marked.number, event.energy, event.plain), (3, 1.0, &Plain::B));
        assert_eq!(event.bounded.value, 4.5);
        let PairRef { _0: one, _2: three } = event.pairs.get(0).unwrap();
        assert_eq!((one, three), (1, "three"));
        assert!(matches!(pt(event.data), Some(OneOf::A(1.5))));
        let shown = format!("{:?}", event.data);
        assert_eq!(shown, "[A(1.5), B { member: A }, C, Other]");
    }
    Ok(())
}
