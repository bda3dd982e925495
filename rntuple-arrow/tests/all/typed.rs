//! Columns of a struct as batches.

use rntuple::{ErrorKind, RNTuple};
use rntuple_arrow::{ArrowOptions, columns_of, record_batch_of};

#[derive(RNTuple, Debug, Clone, PartialEq)]
#[rntuple(columnar)]
struct Hit {
    x: f32,
    layer: Option<u8>,
}

#[derive(RNTuple, Debug, Clone, PartialEq)]
#[rntuple(columnar)]
pub(super) struct Event {
    number: u64,
    label: String,
    hits: Vec<Hit>,
    cells: [u16; 3],
}

pub(super) fn events() -> EventColumns {
    let mut events = EventColumns::default();
    for number in 0..500u64 {
        let hit = |layer: u8| Hit { x: f32::from(layer), layer: layer.is_multiple_of(2).then_some(layer) };
        let hits = (0..number % 4).map(|layer| hit(layer as u8)).collect();
        events.push(&Event { number, label: format!("event {number}"), hits, cells: [1, 2, number as u16] });
    }
    events
}

#[test]
fn columns_of_a_struct_go_to_arrow_and_back() {
    let events = events();
    for options in [ArrowOptions::new(), ArrowOptions::new().lists(rntuple_arrow::Lists::Small)] {
        let batch = record_batch_of::<Event>(events.as_slice(), &options).unwrap();
        assert_eq!(batch.num_rows(), 500);
        let again = columns_of::<Event>([&batch]).unwrap();
        assert_eq!(format!("{:?}", again.as_slice()), format!("{:?}", events.as_slice()));
        let halves = [batch.slice(0, 123), batch.slice(123, 377)];
        let again = columns_of::<Event>(&halves).unwrap();
        assert_eq!(format!("{:?}", again.as_slice()), format!("{:?}", events.as_slice()));
    }
    let none = record_batch_of::<Event>(EventColumns::default().as_slice(), &ArrowOptions::new()).unwrap();
    assert_eq!((none.num_rows(), none.num_columns()), (0, 4));
    assert!(columns_of::<Event>([&none]).unwrap().is_empty());
}

#[test]
fn types_are_compared_as_with_a_file() {
    #[derive(RNTuple, Debug)]
    #[rntuple(columnar)]
    struct Other {
        number: i32,
        #[rntuple(default)]
        missing: f64,
    }
    #[derive(RNTuple, Debug)]
    #[rntuple(columnar)]
    struct Wrong {
        #[allow(dead_code, reason = "it is never read")]
        number: String,
    }
    let batch = record_batch_of::<Event>(events().as_slice(), &ArrowOptions::new()).unwrap();
    let other = columns_of::<Other>([&batch]).unwrap();
    assert_eq!((other.number[7], other.missing[7]), (7, 0.0));
    let error = columns_of::<Wrong>([&batch]).unwrap_err();
    assert_eq!((error.kind(), error.mismatches().len()), (ErrorKind::SchemaMismatch, 1), "{error}");
}
