//! `convert = "lossy"`.

use rntuple::RNTuple;

use super::common::{evolve, list, many, refused, write};

#[derive(RNTuple, Clone)]
struct Wide {
    number: f64,
    numbers: Vec<f64>,
    inner: WideInner,
    flag: f32,
}

#[derive(RNTuple, Clone)]
struct WideInner {
    value: i64,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Narrow {
    #[rntuple(convert = "lossy")]
    number: i8,
    #[rntuple(convert = "lossy")]
    numbers: Vec<u8>,
    #[rntuple(convert = "lossy", default)]
    inner: Option<NarrowInner>,
    #[rntuple(convert = "lossy")]
    flag: bool,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct NarrowInner {
    value: f32,
}

fn wide(n: u64) -> Wide {
    let number = n as f64 * 7.9 - 150.0;
    let inner = WideInner { value: (1 << 60) + n as i64 };
    Wide { number, numbers: list(n, |i| i as f64 - 0.5), inner, flag: (n % 3) as f32 }
}

#[test]
fn numbers_are_rounded_and_cut() {
    let new = many(|n| {
        let wide = wide(n);
        Narrow {
            number: (n as f64 * 7.9 - 150.0) as i8,
            numbers: wide.numbers.iter().map(|&value| value as u8).collect(),
            inner: Some(NarrowInner { value: wide.inner.value as f32 }),
            flag: !n.is_multiple_of(3),
        }
    });
    assert_eq!((new[0].number, new[39].number), (-128, 127));
    evolve(&many(wide), &new);
}

#[test]
fn that_must_be_asked_for() {
    #[derive(RNTuple)]
    struct Exact {
        number: i8,
        #[rntuple(convert = "lossy")]
        flag: bool,
    }
    let told = refused::<Exact>(&write(&[wide(1)]));
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].0, "number");
}

#[test]
fn it_holds_inside_transparent_and_flattened_structs() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(transparent)]
    struct Whole {
        #[rntuple(convert = "lossy")]
        value: i8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Group {
        number: i8,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        #[rntuple(flatten, convert = "lossy")]
        group: Group,
        numbers: Vec<Whole>,
    }
    let new = many(|n| Event {
        group: Group { number: wide(n).number as i8 },
        numbers: wide(n).numbers.iter().map(|&value| Whole { value: value as i8 }).collect(),
    });
    evolve(&many(wide), &new);
}
