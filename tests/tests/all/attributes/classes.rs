//! `type_name`, `untyped`, `version`, `base`, `lock`.

use rntuple::{RNTuple, lock};

use super::common::{
    compare, evolve, evolve_untyped, field, list, many, names, round_trip, schema_of, text, unwritable, write,
};

/// What the file says of a class without a version.
const UNVERSIONED: u32 = u32::MAX;

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Muon", version = 3)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Pair")]
struct Pair<A, B> {
    first: A,
    second: B,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Fixed<float>")]
struct Fixed<T> {
    value: T,
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(type_name = "ns::Side")]
#[repr(i16)]
enum Side {
    Left = -1,
    Right = 1,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Shape {
    #[rntuple(type_name = "ns::Circle")]
    Circle {
        radius: f32,
    },
    Square {
        side: f32,
    },
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    muon: Muon,
    muons: Vec<Muon>,
    pair: Pair<u8, String>,
    fixed: Fixed<f32>,
    side: Side,
    shape: Shape,
}

fn muon(n: u64) -> Muon {
    Muon { pt: n as f32, charge: n as i8 }
}

fn event(n: u64) -> Event {
    Event {
        muon: muon(n),
        muons: list(n, muon),
        pair: Pair { first: n as u8, second: text(n) },
        fixed: Fixed { value: 0.5 },
        side: if n.is_multiple_of(2) { Side::Left } else { Side::Right },
        shape: if n.is_multiple_of(3) {
            Shape::Circle { radius: 1.0 }
        } else {
            Shape::Square { side: n as f32 }
        },
    }
}

#[test]
fn classes_are_named_and_versioned() {
    let events = many(event);
    round_trip(&events);
    let schema = schema_of(&events[4]);
    for (path, name, version) in [
        ("muon", "ns::Muon", 3),
        ("muons", "std::vector<ns::Muon>", 0),
        ("muons._0", "ns::Muon", 3),
        ("pair", "ns::Pair<std::uint8_t,std::string>", UNVERSIONED),
        ("fixed", "ns::Fixed<float>", UNVERSIONED),
        ("side", "ns::Side", 0),
        ("shape", "std::variant<ns::Circle,Shape::Square>", 0),
        ("shape._0", "ns::Circle", UNVERSIONED),
        ("shape._1", "Shape::Square", UNVERSIONED),
    ] {
        let field = field(&schema, path);
        assert_eq!(field.type_name, name, "{path}");
        assert_eq!(field.type_version, version, "{path}");
        // Classes have a checksum, which `write` has had checked.
        let is_class = version != 0;
        assert_eq!(field.type_checksum.is_some(), is_class, "{path}");
    }
    assert_eq!(field(&schema, "muon").type_checksum, field(&schema, "muons._0").type_checksum);
}

/// ROOT takes only normal names for those of its classes.
#[test]
fn names_of_classes_are_stored_in_normal_form() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "::ns::Hit<unsigned int, 3>")]
    struct Hit {
        count: u32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        hit: Hit,
        hits: Vec<Hit>,
    }
    let hit = |n: u64| Hit { count: n as u32 };
    let events = many(|n| Event { hit: hit(n), hits: list(n, hit) });
    round_trip(&events);
    let schema = schema_of(&events[4]);
    for (path, name) in [
        ("hit", "ns::Hit<std::uint32_t,3>"),
        ("hits", "std::vector<ns::Hit<std::uint32_t,3>>"),
        ("hits._0", "ns::Hit<std::uint32_t,3>"),
    ] {
        assert_eq!(field(&schema, path).type_name, name, "{path}");
    }

    // A condition may spell the name as the type does.
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(upgrade_from(Hit, when = type_name("::ns::Hit<unsigned int, 3>")))]
    struct NewHit {
        count: u32,
        is_old: bool,
    }
    impl From<Hit> for NewHit {
        fn from(old: Hit) -> Self {
            Self { count: old.count, is_old: true }
        }
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct NewEvent {
        hit: NewHit,
        hits: Vec<NewHit>,
    }
    let hit = |n: u64| NewHit { count: n as u32, is_old: true };
    compare(&write(&events), &many(|n| NewEvent { hit: hit(n), hits: list(n, hit) }));
}

#[test]
fn names_of_classes_do_not_matter_to_readers() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(type_name = "other::Name", version = 9)]
    struct Renamed {
        charge: i8,
        pt: f32,
    }
    let new = many(|n| Renamed { pt: n as f32, charge: n as i8 });
    evolve(&many(muon), &new);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(untyped)]
struct Point {
    x: f32,
    y: f32,
}

#[test]
fn untyped_records_stay_so() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        origin: Point,
        points: Vec<Point>,
        groups: Vec<Vec<Point>>,
    }
    let point = |n: u64| Point { x: n as f32, y: 1.0 };
    let events =
        many(|n| Event { origin: point(n), points: list(n, point), groups: list(n, |i| list(i, point)) });
    evolve_untyped(&events, &events);
    evolve_untyped(&many(point), &many(point));
    let schema = schema_of(&events[4]);
    for path in ["origin", "points", "points._0", "groups", "groups._0", "groups._0._0"] {
        let field = field(&schema, path);
        assert_eq!((&*field.type_name, field.type_version, field.type_checksum), ("", 0, None), "{path}");
    }
}

#[test]
fn untyped_records_are_refused_where_classes_must_be() {
    #[derive(RNTuple)]
    struct InOption {
        point: Option<Point>,
    }
    #[derive(RNTuple)]
    struct InArray {
        points: [Point; 2],
    }
    #[derive(RNTuple)]
    struct InClass {
        pair: Pair<Point, u8>,
    }
    for (text, path) in [
        (unwritable::<InOption>(), "point._0"),
        (unwritable::<InArray>(), "points._0"),
        (unwritable::<InClass>(), "pair.first"),
    ] {
        assert!(text.contains(path) && text.contains("`Point` is untyped"), "{text}");
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Animal")]
struct Animal {
    legs: u8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Named", version = 2)]
struct Named {
    name: String,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(type_name = "ns::Dog")]
struct Dog {
    age: u8,
    #[rntuple(base)]
    animal: Animal,
    breed: String,
    #[rntuple(base)]
    named: Named,
}

#[test]
fn bases_stand_in_front_with_numbers() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Kennel {
        dogs: Vec<Dog>,
        first: Dog,
    }
    let dog = |n: u64| Dog {
        age: n as u8,
        animal: Animal { legs: 4 },
        breed: text(n),
        named: Named { name: text(n + 1) },
    };
    let kennels = many(|n| Kennel { dogs: list(n, dog), first: dog(n) });
    round_trip(&kennels);
    round_trip(&many(|n| One { dog: dog(n) }));
    let schema = schema_of(&kennels[3]);
    let id = schema.find("first").unwrap();
    let children: Vec<_> = schema
        .children(id)
        .iter()
        .map(|&id| {
            let field = schema.field(id).unwrap();
            (&*field.name, &*field.type_name)
        })
        .collect();
    let expected =
        [(":_0", "ns::Animal"), (":_1", "ns::Named"), ("age", "std::uint8_t"), ("breed", "std::string")];
    assert_eq!(children, expected);
    assert_eq!(field(&schema, "first.:_1").type_version, 2);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct One {
    dog: Dog,
}

#[test]
fn a_part_of_a_class_reads_without_its_bases() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Ages {
        dog: Age,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Age {
        age: u8,
    }
    let one = |n: u64| One {
        dog: Dog { age: n as u8, animal: Animal { legs: 4 }, breed: text(n), named: Named { name: text(n) } },
    };
    evolve(&many(one), &many(|n| Ages { dog: Age { age: n as u8 } }));
}

/// The derive makes the test that compares it with the file.
#[derive(RNTuple)]
#[rntuple(lock = "tests/all/attributes/locked.rntlock")]
struct Locked {
    number: u64,
    /// Transverse momentum
    #[rntuple(unit = "GeV", rename = "pT")]
    pt: Vec<f32>,
    muon: Muon,
}

#[test]
fn locks_hold_what_files_hold() {
    let schema = schema_of(&Locked { number: 1, pt: vec![], muon: muon(1) });
    let text = lock::text::<Locked>().unwrap();
    assert_eq!(text.lines().filter(|line| !line.starts_with('#')).count(), names(&schema).len());
    assert!(text.contains("pT: ") && text.contains("[GeV]"), "{text}");
}

#[test]
fn locks_know_units_without_descriptions() {
    #[derive(RNTuple)]
    struct Event {
        #[rntuple(unit = "GeV")]
        pt: f32,
    }
    let text = lock::text::<Event>().unwrap();
    assert!(text.contains("pt: float as SplitReal32 [GeV]"), "{text}");
}
