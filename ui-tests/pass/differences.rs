//! All differences between a type and a file are told at once, each once.

use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple, Default)]
struct Written {
    a: f32,
    b: Vec<f32>,
    c: Inner,
    d: String,
    e: Shape,
}

#[derive(RNTuple, Default)]
struct Inner {
    x: u8,
    y: u8,
}

#[derive(RNTuple)]
enum Shape {
    Circle { radius: f32 },
    Square(f32),
}

impl Default for Shape {
    fn default() -> Self {
        Self::Square(1.0)
    }
}

#[allow(dead_code)]
mod wanted {
    use rntuple::RNTuple;

    #[derive(RNTuple)]
    pub struct Event {
        a: f32,
        b: String,
        c: Inner,
        d: String,
        e: Shape,
        f: u8,
    }

    #[derive(RNTuple)]
    struct Inner {
        x: Vec<u8>,
        y: u8,
        z: u8,
    }

    #[derive(RNTuple)]
    enum Shape {
        Circle { radius: f32, color: u8 },
        Square(String),
    }
}

fn main() -> rntuple::Result<()> {
    let mut writer = Writer::<Written, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(&Written::default())?;
    let storage = writer.finish_into()?.1;
    let error = Reader::<wanted::Event>::open(storage, "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let told: Vec<(&str, &str)> =
        error.mismatches().iter().map(|told| (&*told.field, &*told.wanted)).collect();
    assert_eq!(told.iter().map(|(field, _)| *field).collect::<Vec<_>>(), ["b", "c.x", "c.z", "e._0.color", "e._1", "f"]);
    assert_eq!((told[2].1, told[5].1), ("u8", "u8"));
    Ok(())
}
