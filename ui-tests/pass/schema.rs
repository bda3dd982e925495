//! Names, types, descriptions and encodings are those that the attributes ask for.

use rntuple::schema::{FieldDescriptor, Role, Schema};
use rntuple::storage::Memory;
use rntuple::{RNTuple, Reader, WriteOptions, Writer};

#[derive(RNTuple)]
struct Hit<T, const N: usize> {
    at: [T; N],
}

impl<T: Default, const N: usize> Default for Hit<T, N> {
    fn default() -> Self {
        Self { at: std::array::from_fn(|_| T::default()) }
    }
}

#[derive(RNTuple, Default)]
#[rntuple(type_name = "ns::Cell")]
struct Cell<T> {
    value: T,
}

#[derive(RNTuple, Default)]
#[repr(u8)]
#[rntuple(type_name = "ns::Side")]
enum Side {
    #[default]
    Left,
    Right,
}

#[derive(RNTuple, Default)]
enum Shape {
    #[default]
    Point,
    /// Round.
    Circle { radius: f32 },
    #[rntuple(type_name = "geo::Box")]
    Rectangle(f32, f32),
    Number(#[rntuple(f16)] f32),
}

#[derive(RNTuple, Default)]
struct Energy(f64);

#[derive(RNTuple, Default)]
struct Event {
    /// The run,
    ///
    /// counted from 1.
    run: u32,
    /// Not this.
    #[rntuple(description = "this", rename = "größe")]
    size: f32,
    #[rntuple(f16)]
    half: Vec<f32>,
    #[rntuple(truncate(bits = 18), offsets = "Index32")]
    cut: Vec<(f32, u8)>,
    #[rntuple(quantize(bits = 12, min = -5, max = std::f64::consts::PI))]
    steps: f64,
    #[rntuple(encoding = "Int32")]
    plain: i32,
    #[rntuple(skip)]
    skipped: usize,
    hit: Hit<f32, 3>,
    hits: Vec<Hit<f32, 3>>,
    maybe: Option<Hit<f32, 3>>,
    cell: Cell<u8>,
    side: Side,
    shape: Shape,
    energy: Energy,
}

fn main() -> rntuple::Result<()> {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new())?;
    writer.fill(&Event { skipped: 3, plain: 2, ..Event::default() })?;
    let storage = writer.finish_into()?.1;
    let reader = Reader::<Event>::open(storage, "Events")?;
    let event = reader.get(0)?;
    assert_eq!((event.plain, event.skipped), (2, 0));
    assert!(matches!(event.shape, Shape::Point) && matches!(event.side, Side::Left));

    let schema = reader.schema();
    let top: Vec<&str> =
        schema.top_level().iter().filter_map(|&id| schema.field(id)).map(|field| &*field.name).collect();
    assert_eq!(
        top,
        [
            "run", "größe", "half", "cut", "steps", "plain", "hit", "hits", "maybe", "cell", "side", "shape",
            "energy"
        ]
    );
    assert_eq!(field(schema, "run").description, "The run,\n\ncounted from 1.");
    assert_eq!(field(schema, "größe").description, "this");
    for (path, name, role) in [
        ("hit", "", Role::Record),
        ("hits", "", Role::Collection),
        ("maybe", "std::optional<Hit<float,3>>", Role::Collection),
        ("maybe._0", "Hit<float,3>", Role::Record),
        ("maybe._0.at", "std::array<float,3>", Role::Plain),
        ("cell", "ns::Cell<std::uint8_t>", Role::Record),
        ("side", "ns::Side", Role::Plain),
        ("side._0", "std::uint8_t", Role::Plain),
        ("shape", "std::variant<Shape::Point,Shape::Circle,geo::Box,float>", Role::Variant),
        ("shape._0", "Shape::Point", Role::Record),
        ("shape._1", "Shape::Circle", Role::Record),
        ("shape._1.radius", "float", Role::Plain),
        ("shape._2", "geo::Box", Role::Record),
        ("shape._2._1", "float", Role::Plain),
        ("shape._3", "float", Role::Plain),
        ("energy", "double", Role::Plain),
    ] {
        let field = field(schema, path);
        assert_eq!((&*field.type_name, field.role), (name, role), "{path}");
    }
    assert_eq!(field(schema, "shape._1").description, "Circle: Round.");
    for (path, code, bits) in [
        ("half._0", 0x0B, 16),
        ("cut", 0x0E, 32),
        ("cut._0._0", 0x1C, 18),
        ("cut._0._1", 0x04, 8),
        ("steps", 0x1D, 12),
        ("plain", 0x07, 32),
        ("shape._3", 0x0B, 16),
    ] {
        let id = schema.find(path).unwrap();
        let column = schema.column(schema.representations(id)[0][0]).unwrap();
        assert_eq!((column.type_code, column.bits), (code, bits), "{path}");
    }
    Ok(())
}

fn field<'a>(schema: &'a Schema, path: &str) -> &'a FieldDescriptor {
    schema.find(path).and_then(|id| schema.field(id)).unwrap_or_else(|| panic!("{path}"))
}
