//! Attributes on generic types, and on types that borrow.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::rc::Rc;
use std::sync::Arc;

use rntuple::field::{ReadField, WriteField};
use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, Result, WriteOptions, Writer};

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
struct Old<T> {
    first: T,
}

impl<T: Default, const N: usize> From<Old<T>> for New<T, N> {
    fn from(old: Old<T>) -> Self {
        Self { items: vec![old.first], more: std::array::from_fn(|_| T::default()), ..Self::default() }
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(upgrade_from(Old<T>, when = has("first")), bound = "T: WriteField + ReadField + Default")]
struct New<T, const N: usize> {
    items: Vec<T>,
    more: [T; N],
    #[rntuple(skip)]
    cache: Option<T>,
}

impl<T: Default, const N: usize> Default for New<T, N> {
    fn default() -> Self {
        Self { items: Vec::new(), more: std::array::from_fn(|_| T::default()), cache: None }
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq, Default)]
struct Point<T> {
    x: T,
    y: T,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Flat<T: RNTuple, U, const N: usize> {
    #[rntuple(flatten)]
    point: Point<U>,
    #[rntuple(flatten, prefix = "in_")]
    inner: T,
    #[rntuple(default)]
    list: Vec<U>,
    #[rntuple(default = "nothing", alias = "also")]
    option: Option<U>,
    bits: [bool; N],
}

fn nothing<T>() -> Option<T> {
    None
}

mod text {
    use std::fmt::Display;
    use std::str::FromStr;

    pub type Stored = String;

    pub fn store<T: Display>(value: &T) -> String {
        value.to_string()
    }

    pub fn load<T: FromStr>(stored: String) -> Result<T, T::Err> {
        stored.parse()
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(bound = "T: Display + std::str::FromStr<Err: Display>")]
struct Text<T> {
    #[rntuple(with = text)]
    value: T,
}

#[derive(Clone, Debug, PartialEq)]
struct Wrapped<T>(T);

impl<T> From<Wrapped<T>> for Vec<T> {
    fn from(wrapped: Wrapped<T>) -> Self {
        vec![wrapped.0]
    }
}

impl<T> TryFrom<Vec<T>> for Wrapped<T> {
    type Error = Empty;

    fn try_from(mut items: Vec<T>) -> std::result::Result<Self, Empty> {
        items.pop().map(Wrapped).ok_or(Empty)
    }
}

#[derive(Debug)]
struct Empty;

impl Display for Empty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("empty")
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(bound = "T: WriteField + ReadField + Clone")]
struct Converted<T> {
    #[rntuple(into = "Vec<T>", try_from = "Vec<T>")]
    wrapped: Wrapped<T>,
}

// A newtype and a transparent struct of a parameter.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(transparent)]
struct Only<T, const N: usize> {
    #[rntuple(compression = "zlib:1")]
    values: [Vec<T>; N],
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(rename_all_fields = "camelCase")]
enum Either<L, R> {
    Left(L),
    Right {
        the_value: R,
        #[rntuple(default)]
        more: Vec<R>,
    },
    #[rntuple(other)]
    Neither,
}

#[derive(RNTuple)]
#[rntuple(skip_reading)]
struct Borrowed<'a, 'b, T: Clone> {
    name: &'a str,
    #[rntuple(rename = "values", f16)]
    items: &'b [T],
    cow: Cow<'a, str>,
    cows: Cow<'b, [T]>,
    #[rntuple(description = "shared")]
    shared: Rc<T>,
    sync: Arc<[T]>,
    boxed: Box<[&'a str]>,
    nested: Option<Option<&'b T>>,
    #[rntuple(skip)]
    cache: &'static str,
}

#[derive(RNTuple, Debug, PartialEq)]
struct Owned {
    name: String,
    values: Vec<f32>,
    cow: String,
    cows: Vec<f32>,
    shared: f32,
    sync: Vec<f32>,
    boxed: Vec<String>,
    nested: Option<Option<f32>>,
}

fn round_trip<T: rntuple::Entry + WriteField, U: rntuple::Entry + ReadField>(value: &T) -> Result<U> {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(value)?;
    Reader::<U>::open(writer.finish_into()?.1, "Events")?.get(0)
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct All {
    only: Only<f32, 2>,
    either: Vec<Either<u8, String>>,
}

fn main() -> Result<()> {
    let new = New::<f32, 3> { items: vec![1.0], more: [2.0; 3], cache: None };
    assert_eq!(round_trip::<_, New<f32, 3>>(&new)?, new);
    let old = Old { first: 4.0f32 };
    assert_eq!(round_trip::<_, New<f32, 3>>(&old)?.items, [4.0]);

    let flat = Flat::<Point<u8>, f32, 9> {
        point: Point { x: 1.0, y: 2.0 },
        inner: Point { x: 3, y: 4 },
        list: vec![5.0],
        option: Some(6.0),
        bits: [true; 9],
    };
    assert_eq!(round_trip::<_, Flat<Point<u8>, f32, 9>>(&flat)?, flat);

    let text = Text { value: 17u64 };
    assert_eq!(round_trip::<_, Text<u64>>(&text)?, text);
    let converted = Converted { wrapped: Wrapped(3.0f32) };
    assert_eq!(round_trip::<_, Converted<f32>>(&converted)?, converted);

    let all = All {
        only: Only { values: [vec![1.0], vec![]] },
        either: vec![
            Either::Left(1),
            Either::Right { the_value: "a".to_owned(), more: vec![] },
            Either::Neither,
        ],
    };
    assert_eq!(round_trip::<_, All>(&all)?, all);

    let (name, items) = ("name".to_owned(), [1.0f32, 2.0]);
    let borrowed = Borrowed {
        name: &name,
        items: &items,
        cow: Cow::Borrowed(&name),
        cows: Cow::Borrowed(&items),
        shared: Rc::new(3.0),
        sync: Arc::from(items),
        boxed: Box::from([&*name]),
        nested: Some(None),
        cache: "not stored",
    };
    assert_eq!(borrowed.cache.len(), 10);
    let owned: Owned = round_trip(&borrowed)?;
    assert_eq!((&*owned.name, &*owned.values, &*owned.cow), ("name", &items[..], "name"));
    assert_eq!((&*owned.cows, owned.shared, &*owned.sync), (&items[..], 3.0, &items[..]));
    assert_eq!((&*owned.boxed, owned.nested), (&[name][..], Some(None)));
    Ok(())
}
