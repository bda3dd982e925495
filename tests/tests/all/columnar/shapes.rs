//! What columns look like from outside.

use std::collections::BTreeMap;
use std::sync::Arc;

use rntuple::columns::{
    ArraySlice, Arrays, ListSlice, Lists, OptionSlice, Options, Slice as _, StrSlice, Switches, Tuples,
};
use rntuple::cxx::{BitSet, Cardinality};
use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, WriteOptions, Writer};

use super::common::{open, pushed, round_trip, rows, shown, write};

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(columnar)]
#[repr(u8)]
enum Charge {
    Minus,
    Plus = 7,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Momentum(f32);

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Muon {
    pt: Momentum,
    charge: Charge,
    hits: Vec<u16>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar(columns = Shapes, one = ShapeOne))]
enum Shape {
    Point,
    Circle(f32),
    Rectangle { width: f64, r#type: Option<u8> },
    Pair(i8, i16),
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
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
    let columns: EventColumns = reader.batches(10).next().unwrap().unwrap();
    assert_eq!((columns.len(), columns.is_empty()), (3, false));
    let owned: &Vec<f32> = &columns.met;
    assert_eq!(*owned, [1.0, 2.0, 2.0]);
    assert_eq!(shown(&columns), shown(&pushed(&events)));
    assert_eq!(shown(&columns.clone()), shown(&columns));
    assert!(shown(&columns).starts_with("[EventRef { met: 1.0, good: true, name: \"µ\""), "{columns:?}");

    let mut batches = reader.batches(10);
    check(batches.lend().unwrap().unwrap());
    check(columns.as_slice());
}

fn check(events: EventSlice<'_>) {
    let met: &[f32] = events.met;
    assert_eq!(met, [1.0, 2.0, 2.0]);
    assert_eq!(events.good, [true, false, false]);

    let name: StrSlice<'_> = events.name;
    assert_eq!((name.len(), name.get(0), name.text()), (3, Some("µ"), "µ"));
    assert!(name.iter().eq(["µ", "", ""]));

    let muons: ListSlice<'_, MuonSlice<'_>> = events.muons;
    assert_eq!((muons.len(), muons.range(0), muons.range(3)), (3, Some(0..2), None));
    assert!(muons.counts().eq([2, 0, 1]));
    let pt: &[f32] = muons.items().pt;
    assert_eq!(pt, [10.0, 20.0, 5.0]);
    assert_eq!(*muons.items().charge, [Charge::Plus, Charge::Minus, Charge::Plus]);
    assert_eq!(muons.get(0).unwrap().pt, [10.0, 20.0]);
    let hits: ListSlice<'_, &[u16]> = muons.items().hits;
    assert!(hits.iter().eq([&[1, 2][..], &[], &[8]]));
    let last = muons.part(2..3).unwrap();
    assert_eq!((last.items().hits.items(), last.range(0)), (&[8][..], Some(0..1)));

    let best: OptionSlice<'_, &[f32]> = events.best;
    assert!(best.mask().eq([true, false, false]));
    assert_eq!((best.values(), best.get(0), best.get(1)), (&[0.5][..], Some(Some(0.5)), Some(None)));
    let leading = events.leading;
    assert_eq!([0, 1, 2].map(|index| leading.position(index)), [None, Some(0), Some(1)]);
    assert_eq!(leading.values().pt, [30.0, 30.0]);

    let (x, y): (&[f32], &[i64]) = *events.position;
    assert_eq!((x, y), (&[1.5, 2.5, 2.5][..], &[-1, -2, -2][..]));
    let matrix: ArraySlice<ArraySlice<&[f32], 2>, 2> = events.matrix;
    assert_eq!((matrix.len(), matrix.items().as_arrays().len()), (3, 6));
    assert_eq!(matrix.items().as_arrays()[..2], [[1.0, 2.0], [3.0, 4.0]]);
    assert_eq!(events.triggers.as_arrays()[1], [false, true, false, false]);
    let (keys, values) = *events.weights.items();
    assert_eq!((keys.get(0), values[0]), (Some("down"), 0.9));
    let boxed: ListSlice<'_, &[u8]> = events.boxed;
    assert_eq!(boxed.get(0), Some(&[1][..]));

    let shape: ShapeSlice<'_> = events.shape;
    assert!(shape.switches.alternatives().eq([Some(2), Some(0), Some(1)]));
    assert_eq!((shape.circle, shape.rectangle_width), (&[4.0][..], &[2.0][..]));
    assert_eq!(shape.rectangle_type.get(0), Some(Some(3)));
    assert_eq!(shape.pair_0, [0i8; 0]);
    assert!(matches!(shape.get(0), Some(ShapeOne::Rectangle { width: 2.0, r#type: Some(3) })));
    assert!(matches!(shape.get(2), Some(ShapeOne::Circle(4.0))));

    let EventRef { met, muons, shape, .. } = events.get(0).unwrap();
    assert_eq!((met, muons.charge[1], muons.hits.items()), (1.0, Charge::Minus, &[1, 2][..]));
    assert!(matches!(shape, ShapeOne::Rectangle { .. }));
}

#[test]
fn members_are_equally_many() {
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(columnar)]
    struct Hit {
        cell: u16,
        energy: Momentum,
        label: Option<String>,
        at: (f32, f32),
    }
    let columns = |cells: usize, energies: usize| HitColumns {
        cell: vec![7; cells],
        energy: vec![1.0; energies],
        label: Options::from_mask([false, true], ["b"].into_iter().collect()).unwrap(),
        at: Tuples((vec![0.0; 2], vec![1.0; 2])),
    };
    let hit = |label| Hit { cell: 7, energy: Momentum(1.0), label, at: (0.0, 1.0) };
    let expected = [hit(None), hit(Some("b".to_owned()))];
    let refused = |columns: HitColumns| {
        let mut writer = Writer::<Hit, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        let error = writer.fill_columns(columns.as_slice()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        // Nothing was appended, so the next values are the first.
        writer.fill_columns(pushed(&expected).as_slice()).unwrap();
        assert_eq!(rows::<Hit>(&writer.finish_into().unwrap().1).unwrap(), expected);
        error.message().to_owned()
    };
    assert_eq!(shown(&columns(2, 2)), shown(&pushed(&expected)));
    assert_eq!(refused(columns(2, 3)), "the columns have 2 values, but 3 of `energy`");
    assert_eq!(refused(columns(1, 2)), "the columns have 1 values, but 2 of `energy`");
    let at = Tuples((vec![0.0; 2], vec![1.0; 3]));
    assert_eq!(refused(HitColumns { at, ..columns(2, 2) }), "the columns have 2 values, but 3 of `1`");
    let unequal = HitColumns { energy: vec![], ..columns(2, 2) };
    assert!(Lists::from_counts([2], unequal).is_err());
}

#[test]
fn alternatives_have_the_values_of_the_switches() {
    let shape = |alternatives: &[Option<usize>], circles: usize| {
        let switches = Switches::from_alternatives(alternatives.iter().copied()).unwrap();
        let shapes = Shapes { switches, circle: vec![1.0; circles], ..Shapes::default() };
        Lists::from_counts([shapes.len() as u64], shapes)
    };
    assert!(shape(&[Some(0), Some(1), Some(1)], 2).is_ok());
    for circles in [1, 3] {
        let error = shape(&[Some(0), Some(1), Some(1)], circles).unwrap_err();
        assert!(error.message().contains("`circle`"), "{error}");
    }
    assert!(Switches::<2>::from_alternatives([Some(2)]).is_err());
}

#[test]
fn forms_of_other_lengths_are_refused() {
    assert!(Lists::from_offsets(vec![0, 2, 3], vec![1u8, 2, 3]).is_ok());
    for offsets in [vec![], vec![0], vec![0, 2], vec![1, 3], vec![0, 3, 2, 3], vec![0, 4, 3]] {
        assert!(Lists::from_offsets(offsets.clone(), vec![1u8, 2, 3]).is_err(), "{offsets:?}");
    }
    assert!(Lists::from_counts([u64::MAX, 4], vec![1u8, 2, 3]).is_err());
    assert!(Options::from_mask([true, false], vec![1u8, 2]).is_err());
    assert!(Arrays::<_, 2>::new(2, vec![1u8, 2, 3]).is_err());
    assert!(Arrays::<_, 0>::new(2, Vec::<u8>::new()).is_ok());
}

#[test]
fn sizes_are_a_slice_too() {
    #[derive(RNTuple)]
    #[rntuple(columnar, skip_writing)]
    struct Sizes {
        muons: Cardinality,
    }
    let file = write(&events(), Default::default());
    let reader = open::<Sizes>(&file);
    assert_eq!(reader.selected_columns().len(), 1);
    let batch = reader.batches(2).next().unwrap().unwrap();
    assert_eq!(batch.muons, [2, 0]);
}

#[test]
fn members_may_be_called_what_methods_are_called() {
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(columnar)]
    struct Odd {
        len: u8,
        push: f32,
        is_empty: bool,
        clear: Vec<f32>,
        as_slice: u8,
        __value: u8,
    }
    let odd = Odd { len: 1, push: 2.0, is_empty: true, clear: vec![3.0], as_slice: 4, __value: 5 };
    let mut columns = OddColumns::default();
    columns.push(&odd);
    assert_eq!((columns.len(), &*columns.len, columns.as_slice().as_slice), (1, &[1][..], &[4][..]));
    round_trip(&[odd]);
}

#[test]
fn borrowing_types_are_written_as_columns() {
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct Lent<'a> {
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
    let mut batch = LentColumns::default();
    for count in 0..3 {
        let (name, hits) = ("e".repeat(count), vec![1.0; count]);
        batch.push(&Lent { name: &name, hits: &hits, label: "l".into() });
    }
    assert_eq!(*batch.hits.items(), [1.0; 3]);
    let mut writer = Writer::<Lent<'static>, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_columns(batch.as_slice()).unwrap();
    let found = rows::<Owned>(&writer.finish_into().unwrap().1).unwrap();
    assert_eq!(found[2], Owned { name: "ee".into(), hits: vec![1.0; 2], label: "l".into() });
    assert_eq!(found.len(), 3);
}

#[test]
fn static_text_is_written_as_columns_and_read_where_it_may_own() {
    #[derive(RNTuple)]
    #[rntuple(columnar)]
    struct Labelled {
        label: &'static str,
        tags: Vec<&'static str>,
        met: f32,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Owned {
        label: String,
        tags: Vec<String>,
        met: f32,
    }
    let batch = pushed(&[Labelled { label: "l", tags: vec!["a", "b"], met: 1.0 }]);
    let mut writer = Writer::<Labelled, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill_columns(batch.as_slice()).unwrap();
    let found = rows::<Owned>(&writer.finish_into().unwrap().1).unwrap();
    assert_eq!(found, [Owned { label: "l".into(), tags: vec!["a".into(), "b".into()], met: 1.0 }]);

    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(columnar)]
    struct Titled {
        title: std::borrow::Cow<'static, str>,
    }
    round_trip(&[Titled { title: "lent".into() }, Titled { title: "owned".to_owned().into() }]);
}
