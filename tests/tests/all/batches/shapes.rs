//! What a batch looks like from outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use rntuple::batch::{Arrays, Lists, Options, Rows, Strings, Tuples};
use rntuple::cxx::{BitSet, Cardinality};
use rntuple::{ErrorKind, RNTuple, Reader, Value};

use super::common::{open, pushed, rows, write};

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(batch)]
#[repr(u8)]
enum Charge {
    Minus,
    Plus = 7,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(batch)]
struct Momentum(f32);

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(batch)]
struct Muon {
    pt: Momentum,
    charge: Charge,
    hits: Vec<u16>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(batch = Shapes)]
enum Shape {
    Point,
    Circle(f32),
    Rectangle { width: f64, r#type: Option<u8> },
    Pair(i8, i16),
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(batch)]
struct Event {
    met: f32,
    good: bool,
    name: String,
    muons: Vec<Muon>,
    best: Option<f32>,
    leading: Option<Muon>,
    position: (f32, i64),
    matrix: [[f32; 2]; 2],
    triggers: BitSet<4>,
    weights: BTreeMap<String, f64>,
    shape: Shape,
    boxed: Arc<Vec<u8>>,
}

fn muon(pt: f32, charge: Charge, hits: &[u16]) -> Muon {
    Muon { pt: Momentum(pt), charge, hits: hits.to_vec() }
}

fn events() -> [Event; 3] {
    let first = Event {
        met: 1.0,
        good: true,
        name: "µ".into(),
        muons: vec![muon(10.0, Charge::Plus, &[1, 2]), muon(20.0, Charge::Minus, &[])],
        best: Some(0.5),
        leading: None,
        position: (1.5, -1),
        matrix: [[1.0, 2.0], [3.0, 4.0]],
        triggers: [1].into_iter().collect(),
        weights: [("up".into(), 1.1), ("down".into(), 0.9)].into(),
        shape: Shape::Rectangle { width: 2.0, r#type: Some(3) },
        boxed: Arc::new(vec![1]),
    };
    let second = Event {
        met: 2.0,
        good: false,
        name: String::new(),
        muons: vec![],
        best: None,
        leading: Some(muon(30.0, Charge::Plus, &[9])),
        position: (2.5, -2),
        shape: Shape::Point,
        ..first.clone()
    };
    let third =
        Event { shape: Shape::Circle(4.0), muons: vec![muon(5.0, Charge::Plus, &[8])], ..second.clone() };
    [first, second, third]
}

#[test]
fn members_are_slices() {
    let events = events();
    let file = write(&events, Default::default());
    let reader = open::<Event>(&file);
    let batch: EventBatch = reader.batches(10).next().unwrap().unwrap();
    assert_eq!((batch.len(), batch.is_empty()), (3, false));
    let met: &[f32] = batch.met();
    assert_eq!(met, [1.0, 2.0, 2.0]);
    assert_eq!(batch.good(), [true, false, false]);

    let name: &Strings = batch.name();
    assert_eq!((name.len(), name.get(0), name.offsets()), (3, "µ", &[0, 2, 2, 2][..]));
    assert_eq!(name.iter().collect::<Vec<_>>(), ["µ", "", ""]);

    let muons: &Lists<MuonBatch> = batch.muons();
    assert_eq!((muons.len(), muons.offsets()), (3, &[0, 2, 2, 3][..]));
    assert_eq!(muons.counts().collect::<Vec<_>>(), [2, 0, 1]);
    let pt: &[f32] = muons.pt();
    assert_eq!(pt, [10.0, 20.0, 5.0]);
    assert_eq!(muons.charge(), [Charge::Plus, Charge::Minus, Charge::Plus]);
    assert_eq!(muons.items().len(), 3);
    assert_eq!(&muons.pt()[muons.range(0)], [10.0, 20.0]);
    let hits: &Lists<Vec<u16>> = muons.hits();
    assert_eq!(hits.iter().collect::<Vec<_>>(), [&[1, 2][..], &[], &[8]]);
    assert_eq!((hits.get(2), hits.items()), (&[8][..], &[1, 2, 8][..]));

    let best: &Options<Vec<f32>> = batch.best();
    assert_eq!((best.mask(), best.values()), (&[true, false, false][..], &[0.5][..]));
    assert_eq!((best.get(0), best.get(1), best.offsets()), (Some(&0.5), None, &[0, 1, 1, 1][..]));
    let leading = batch.leading();
    assert_eq!(leading.positions().collect::<Vec<_>>(), [None, Some(0), Some(1)]);
    assert_eq!(leading.values().pt(), [30.0, 30.0]);

    let (x, y): (&[f32], &[i64]) = batch.position();
    assert_eq!((x, y), (&[1.5, 2.5, 2.5][..], &[-1, -2, -2][..]));
    let matrix: &Arrays<Arrays<Vec<f32>, 2>, 2> = batch.matrix();
    assert_eq!((matrix.len(), matrix.items().as_arrays().len()), (3, 6));
    assert_eq!(matrix.items().as_arrays()[..2], [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(batch.triggers().as_arrays()[1], [false, true, false, false]);
    let (keys, values) = batch.weights().items();
    assert_eq!((keys.get(0), values[0]), ("down", 0.9));
    let boxed: &Lists<Vec<u8>> = batch.boxed();
    assert_eq!(boxed.get(0), [1]);

    let shape: &Shapes = batch.shape();
    assert_eq!((shape.tags(), shape.positions()), (&[2, 0, 1][..], &[0, 0, 0][..]));
    assert_eq!(shape.circle(), [4.0]);
    assert_eq!(shape.rectangle().width(), [2.0]);
    assert_eq!(shape.rectangle().r#type().get(0), Some(&3));
    assert_eq!(shape.pair()._0(), [0i8; 0]);
    assert_eq!(batch, pushed(&events));
    assert_eq!(batch.clone(), batch);
    assert!(format!("{batch:?}").starts_with("EventBatch { met: [1.0, 2.0, 2.0], good: "), "{batch:?}");
}

#[test]
fn columns_become_a_batch_if_they_are_equally_long() {
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(batch)]
    struct Hit {
        cell: u16,
        energy: Momentum,
        label: Option<String>,
        at: (f32, f32),
    }
    let columns = |cells: usize, energies: usize| HitBatchColumns {
        cell: vec![7; cells],
        energy: MomentumBatch::new(vec![1.0; energies]),
        label: Options::from_mask(vec![false, true], ["b"].into_iter().collect()).unwrap(),
        at: Tuples::new((vec![0.0; 2], vec![1.0; 2])).unwrap(),
    };
    let batch = HitBatch::try_from(columns(2, 2)).unwrap();
    let hit = |label| Hit { cell: 7, energy: Momentum(1.0), label, at: (0.0, 1.0) };
    let expected = [hit(None), hit(Some("b".to_owned()))];
    assert_eq!(batch, pushed(&expected));
    let error = HitBatch::try_from(columns(2, 3)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("`cell` has 2 values, but `energy` has 3"), "{error}");
    let error = HitBatch::try_from(columns(1, 2)).unwrap_err();
    assert!(error.to_string().contains("`cell` has 1 values, but `energy` has 2"), "{error}");
}

#[test]
fn forms_of_other_lengths_are_refused() {
    assert!(Lists::from_offsets(vec![0, 2, 3], vec![1u8, 2, 3]).is_ok());
    for offsets in [vec![], vec![0], vec![0, 2], vec![1, 3], vec![0, 3, 2, 3], vec![0, 4, 3]] {
        assert!(Lists::from_offsets(offsets.clone(), vec![1u8, 2, 3]).is_err(), "{offsets:?}");
    }
    assert!(Lists::from_counts([u64::MAX, 4], vec![1u8, 2, 3]).is_err());
    assert!(Options::from_mask(vec![true, false], vec![1u8, 2]).is_err());
    assert!(Arrays::<_, 2>::new(2, vec![1u8, 2, 3]).is_err());
    assert!(Arrays::<_, 0>::new(2, Vec::<u8>::new()).is_ok());
    assert!(Tuples::new((vec![1u8], Vec::<f32>::new())).is_err());
}

#[test]
fn sizes_are_a_slice_too() {
    #[derive(RNTuple)]
    #[rntuple(batch, read_only)]
    struct Sizes {
        muons: Cardinality,
    }
    let file = write(&events(), Default::default());
    let reader = open::<Sizes>(&file);
    assert_eq!(reader.selected_columns().len(), 1);
    let batch = reader.batches(2).next().unwrap().unwrap();
    assert_eq!(batch.muons(), [2, 0]);
}

#[test]
fn the_unknown_schema_has_rows() {
    let file = write(&events(), Default::default());
    let reader = Reader::<Value>::open(file.clone(), "Events").unwrap();
    let batches: Vec<Rows<Value>> = reader.batches(2).collect::<Result<_, _>>().unwrap();
    let values: Vec<Value> = batches.into_iter().flat_map(Vec::from).collect();
    assert_eq!(values, rows::<Value>(&file).unwrap());
}

#[test]
fn members_may_be_called_what_methods_are_called() {
    #[derive(RNTuple)]
    #[rntuple(batch)]
    struct Odd {
        len: u8,
        push: f32,
        is_empty: bool,
        clear: Vec<f32>,
        view: u8,
    }
    let mut batch = OddBatch::default();
    let odd = Odd { len: 1, push: 2.0, is_empty: true, clear: vec![3.0], view: 4 };
    rntuple::batch::Batched::push_to(&odd, &mut batch);
    assert_eq!(
        (batch.len(), batch.push(), batch.is_empty(), batch.view()),
        (&[1][..], &[2.0][..], &[true][..], &[4][..])
    );
    assert_eq!(batch.clear().get(0), [3.0]);
    assert_eq!(rntuple::batch::Batch::len(&batch), 1);
}

#[test]
fn borrowing_types_are_written_as_batches() {
    #[derive(RNTuple)]
    #[rntuple(batch)]
    struct Borrowed<'a> {
        name: &'a str,
        hits: &'a [f32],
        label: std::borrow::Cow<'a, str>,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Owned {
        name: String,
        hits: Vec<f32>,
        label: String,
    }
    let mut batch = BorrowedBatch::default();
    for count in 0..3 {
        let (name, hits) = ("e".repeat(count), vec![1.0; count]);
        batch.push(&Borrowed { name: &name, hits: &hits, label: "l".into() });
    }
    assert_eq!(batch.hits().items(), [1.0; 3]);
    let mut writer = rntuple::Writer::<Borrowed<'static>, _>::new(
        rntuple::storage::Memory::new(),
        "Events",
        Default::default(),
    )
    .unwrap();
    writer.fill_batch(&batch).unwrap();
    let found = rows::<Owned>(&writer.finish_into().unwrap().1).unwrap();
    assert_eq!(found[2], Owned { name: "ee".into(), hits: vec![1.0; 2], label: "l".into() });
    assert_eq!(found.len(), 3);
}
