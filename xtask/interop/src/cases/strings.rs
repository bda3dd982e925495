//! Text, and values that are borrowed when they are written.

use std::borrow::Cow;

use rntuple::RNTuple;
use serde_json::Value as Json;

use crate::json::object;
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::{Rows, record};
use crate::sample::Sample;
use crate::shape::Shape;

record! {
    untyped struct Strings {
        string: String,
        boxed: Box<str>,
        cow: Cow<'static, str>,
        many: Vec<String>,
        many_boxed: Vec<Box<str>>,
        nested: Vec<Vec<String>>,
        some: Option<String>,
        two: [String; 2],
    }

    untyped struct Owned {
        text: String,
        texts: Vec<String>,
        numbers: Vec<f32>,
        cow: Vec<u16>,
        reference: i32,
        twice: Vec<f32>,
    }
}

/// Members that can be written and not read; read as [`Owned`].
#[derive(Debug, RNTuple)]
pub(crate) struct Borrowed<'a> {
    text: &'a str,
    texts: Vec<&'a str>,
    numbers: &'a [f32],
    cow: Cow<'a, [u16]>,
    reference: &'a i32,
    twice: &'a &'a [f32],
}

impl Model for Borrowed<'_> {
    fn shape(compressed: bool) -> Shape {
        let members = vec![
            ("text", str::shape(compressed)),
            ("texts", Vec::<String>::shape(compressed)),
            ("numbers", <[f32]>::shape(compressed)),
            ("cow", <[u16]>::shape(compressed)),
            ("reference", i32::shape(compressed)),
            ("twice", <[f32]>::shape(compressed)),
        ];
        Shape::record("Borrowed", members)
    }

    fn json(&self, side: Side) -> Json {
        object([
            ("text", self.text.json(side)),
            ("texts", self.texts.json(side)),
            ("numbers", self.numbers.json(side)),
            ("cow", self.cow.json(side)),
            ("reference", self.reference.json(side)),
            ("twice", self.twice.json(side)),
        ])
    }
}

impl Sample for Borrowed<'static> {
    fn sample(random: &mut Random) -> Self {
        const NUMBERS: [i32; 4] = [0, -1, i32::MIN, i32::MAX];
        const TWICE: [&[f32]; 3] = [&[], &[0.5], &[f32::NAN, -0.0]];
        let index = usize::try_from(random.below(12)).unwrap_or_default();
        Self {
            text: Sample::sample(random),
            texts: Sample::sample(random),
            numbers: Sample::sample(random),
            cow: Sample::sample(random),
            reference: NUMBERS.get(index % 4).unwrap_or(&7),
            twice: TWICE.get(index % 3).unwrap_or(&TWICE[0]),
        }
    }
}

impl Rows for Borrowed<'_> {
    fn rows() -> Vec<(String, &'static str)> {
        let rows = [
            ("text", "&str"),
            ("texts", "Vec<&str>"),
            ("numbers", "&[f32]"),
            ("cow", "Cow<[u16]>"),
            ("reference", "&i32"),
            ("twice", "&&[f32]"),
        ];
        rows.map(|(field, row)| (field.to_owned(), row)).to_vec()
    }
}
