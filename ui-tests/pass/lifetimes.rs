//! Structs that borrow can be written, those that only may borrow can be read too.

use std::borrow::Cow;

use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple)]
struct Borrowing<'a, 'b, T> {
    name: &'a str,
    title: &'b str,
    label: &'static str,
    hits: &'a [T],
    one: &'b T,
    inner: Vec<Inner<'a>>,
}

#[derive(RNTuple)]
struct Inner<'a> {
    text: &'a str,
}

#[derive(RNTuple, Debug, PartialEq)]
struct Owned {
    name: String,
    title: String,
    label: String,
    hits: Vec<f32>,
    one: f32,
    inner: Vec<Text>,
}

#[derive(RNTuple, Debug, PartialEq)]
struct Text {
    text: String,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Flexible<'a> {
    name: Cow<'a, str>,
    label: Cow<'static, str>,
    hits: Cow<'a, [f32]>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Word<'a> {
    Text(Cow<'a, str>),
    Number { value: u8 },
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Sentence<'a> {
    words: Vec<Word<'a>>,
}

// One set of columns takes values that borrow from different places.
fn columns_do_not_borrow()
where
    for<'a, 'b> Columns<Borrowing<'static, 'static, f32>>:
        rntuple::field::FieldWriter<Borrowing<'a, 'b, f32>>,
{
}

type Columns<T> = <T as rntuple::field::WriteField>::Writer;

// Read through a function that knows only the trait.
fn first<T: RNTuple + rntuple::field::ReadField>(storage: Memory) -> rntuple::Result<T> {
    Reader::<T>::open(storage, "Events")?.get(0)
}

fn main() -> rntuple::Result<()> {
    columns_do_not_borrow();
    let mut writer = Writer::<Borrowing<'_, '_, f32>, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    let (name, title) = ("a".to_owned(), "b".to_owned());
    let hits = [1.0, 2.0];
    let inner = vec![Inner { text: &name }];
    writer.fill(&Borrowing { name: &name, title: &title, label: "c", hits: &hits, one: &hits[0], inner })?;
    let storage = writer.finish_into()?.1;
    let owned = first::<Owned>(storage)?;
    assert_eq!((&*owned.name, &*owned.title, &*owned.label, owned.one), ("a", "b", "c", 1.0));
    assert_eq!((owned.hits, &*owned.inner[0].text), (hits.to_vec(), "a"));

    let flexible = Flexible { name: (&*name).into(), label: "x".into(), hits: (&hits[..]).into() };
    let mut writer = Writer::<Flexible<'_>, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(&flexible)?;
    assert_eq!(first::<Flexible<'_>>(writer.finish_into()?.1)?, flexible);

    let sentence = Sentence { words: vec![Word::Text((&*name).into()), Word::Number { value: 3 }] };
    let mut writer = Writer::<Sentence<'_>, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(&sentence)?;
    assert_eq!(first::<Sentence<'_>>(writer.finish_into()?.1)?, sentence);
    Ok(())
}
