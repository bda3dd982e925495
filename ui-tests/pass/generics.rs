//! Parameters of every kind, with defaults, bounds and where-clauses.

use std::collections::{BTreeMap, HashSet};
use std::hash::Hash;
use std::marker::PhantomData;

use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

trait Detector {
    type Signal;
}

struct Calorimeter;

impl Detector for Calorimeter {
    type Signal = f64;
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Hit<T: Copy = f32, const N: usize = 3>
where
    T: PartialOrd,
{
    at: [T; N],
    all: Vec<Option<T>>,
    size: [u8; 2],
}

// `D` itself has no columns: what it stands for has.
#[derive(RNTuple)]
struct Readout<D: Detector> {
    short: Vec<<D as Detector>::Signal>,
    #[rntuple(skip)]
    detector: PhantomData<D>,
}

trait Near<'a> {}

trait Far<'a> {}

impl Near<'_> for Calorimeter {}

impl Far<'_> for Calorimeter {}

// Columns need the bounds of their type, those with lifetimes too.
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Sampled<D: for<'a> Near<'a>>
where
    D: Detector + for<'a> Far<'a> + 'static,
{
    short: Vec<<D as Detector>::Signal>,
    #[rntuple(skip)]
    detector: PhantomData<D>,
}

// The enum of one value uses the parameters of what is skipped.
#[derive(RNTuple)]
#[rntuple(columnar)]
enum Channel<D, E> {
    Strip {
        at: f32,
        #[rntuple(skip)]
        detector: PhantomData<D>,
    },
    Pixel(u8, #[rntuple(skip)] PhantomData<(D, E)>, #[rntuple(skip)] bool),
    Nothing,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Lookup<K: Ord + Eq + Hash, V> {
    map: BTreeMap<K, V>,
    set: HashSet<K>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Wrapper<T>(T);

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Either<A, B: Clone> {
    Left(A),
    Right { value: B, #[rntuple(skip)] note: Option<A> },
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[repr(u8)]
enum Level<const N: usize> {
    Low,
    High,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(bound = "T: rntuple::field::WriteField + rntuple::field::ReadField")]
struct Bound<T> {
    value: T,
}

trait Tagged {}

impl<T> Tagged for Marked<T> {}

impl<T> Tagged for Said<T> {}

// `Self` is the type, in code for its columns too.
#[derive(RNTuple)]
#[rntuple(columnar)]
struct Marked<T>
where
    Self: Tagged,
{
    value: T,
}

#[derive(RNTuple)]
#[rntuple(bound = "Self: Tagged, T: rntuple::field::WriteField + rntuple::field::ReadField")]
struct Said<T> {
    value: T,
}

#[derive(RNTuple)]
struct Node<T: AsRef<Self>> {
    value: T,
}

#[derive(RNTuple)]
struct Leaf {
    value: u8,
}

impl AsRef<Node<Leaf>> for Leaf {
    fn as_ref(&self) -> &Node<Leaf> {
        unreachable!()
    }
}

#[derive(RNTuple)]
struct Event<T: Copy + PartialOrd> {
    hit: Hit<T>,
    narrow: Hit<T, 1>,
    readout: Readout<Calorimeter>,
    lookup: Lookup<u16, String>,
    wrapper: Wrapper<Wrapper<T>>,
    either: Vec<Either<u8, T>>,
    level: Level<2>,
    bound: Bound<bool>,
    marked: Marked<Said<u8>>,
    node: Node<Leaf>,
}

impl<T: Copy + PartialOrd> Event<T> {
    const WIDTH: usize = 2;
}

#[derive(RNTuple)]
struct UsesSelf {
    values: [f32; Self::WIDTH],
}

impl UsesSelf {
    const WIDTH: usize = Event::<f32>::WIDTH;
}

fn main() -> rntuple::Result<()> {
    let event = Event {
        hit: Hit { at: [1.0f32, 2.0, 3.0], all: vec![None, Some(4.0)], size: [1, 2] },
        narrow: Hit { at: [5.0], all: vec![], size: [3, 4] },
        readout: Readout { short: vec![6.0], detector: PhantomData },
        lookup: Lookup { map: BTreeMap::from([(1, "one".to_owned())]), set: HashSet::from([1, 2]) },
        wrapper: Wrapper(Wrapper(7.0)),
        either: vec![Either::Left(8), Either::Right { value: 9.0, note: None }],
        level: Level::High,
        bound: Bound { value: true },
        marked: Marked { value: Said { value: 10 } },
        node: Node { value: Leaf { value: 11 } },
    };
    let mut writer = Writer::<Event<f32>, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(&event)?;
    let storage = writer.finish_into()?.1;
    let found = Reader::<Event<f32>>::open(storage, "Events")?.get(0)?;
    assert_eq!(found.readout.short, event.readout.short);
    assert_eq!((found.hit, found.narrow, found.lookup), (event.hit, event.narrow, event.lookup));
    assert_eq!((found.wrapper, found.either), (event.wrapper, event.either));
    assert_eq!((found.level, found.bound), (event.level, event.bound));
    assert_eq!((found.marked.value.value, found.node.value.value), (10, 11));

    let mut writer = Writer::<UsesSelf, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(&UsesSelf { values: [1.0, 2.0] })?;
    let _ = Level::<2>::Low;

    let mut columns = SampledColumns::<Calorimeter>::default();
    columns.push(&Sampled { short: vec![8.0, 9.0], detector: PhantomData });
    let mut writer = Writer::<Sampled<Calorimeter>, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill_columns(columns.as_slice())?;
    let reader = Reader::<Sampled<Calorimeter>>::open(writer.finish_into()?.1, "Events")?;
    let mut batches = reader.batches(10);
    let sampled = batches.lend()?.expect("there is an entry");
    assert_eq!(sampled.short.items(), [8.0, 9.0]);

    let mut columns = ChannelColumns::<Calorimeter, String>::default();
    columns.push(&Channel::Strip { at: 1.5, detector: PhantomData });
    columns.push(&Channel::Pixel(2, PhantomData, true));
    columns.push(&Channel::Nothing);
    let channels: Vec<_> = columns.as_slice().iter().collect();
    assert!(matches!(
        channels[..],
        [ChannelRef::Strip { at: 1.5, .. }, ChannelRef::Pixel(2, ..), ChannelRef::Nothing]
    ));
    Ok(())
}
