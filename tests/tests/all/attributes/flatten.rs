//! `flatten` and `prefix`.

use rntuple::RNTuple;

use super::common::{
    columns, evolve, evolve_untyped, field, list, many, names, open, refused, round_trip, schema_of, text,
    write,
};

fn nine() -> f32 {
    9.0
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Vertex {
    /// Along the beam
    #[rntuple(unit = "mm")]
    z: f32,
    #[rntuple(alias = "radius", default = nine)]
    r: f32,
    #[rntuple(default, rename = "tracks")]
    track_numbers: Vec<u16>,
    #[rntuple(skip)]
    cache: u8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(rename_all = "camelCase")]
struct Group {
    run_number: u32,
    #[rntuple(flatten, prefix = "vtx_")]
    vertex: Vertex,
    #[rntuple(flatten)]
    flags: Flags,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Flags {
    good: bool,
    #[rntuple(with = as_text)]
    weight: f32,
}

/// Numbers as text.
mod as_text {
    pub(super) type Stored = String;

    pub(super) fn store(value: &f32) -> String {
        value.to_string()
    }

    pub(super) fn load(stored: String) -> Result<f32, std::num::ParseFloatError> {
        stored.parse()
    }
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Event {
    number: u64,
    #[rntuple(flatten, prefix = "in_")]
    group: Group,
    #[rntuple(flatten, prefix = "second_")]
    second: Vertex,
    label: String,
}

fn vertex(n: u64) -> Vertex {
    Vertex { z: n as f32, r: 0.5, track_numbers: list(n, |i| i as u16), cache: 0 }
}

fn event(n: u64) -> Event {
    let flags = Flags { good: n.is_multiple_of(2), weight: n as f32 / 4.0 };
    Event {
        number: n,
        group: Group { run_number: n as u32, vertex: vertex(n), flags },
        second: vertex(n + 1),
        label: text(n),
    }
}

const NAMES: [&str; 13] = [
    "number",
    "in_runNumber",
    "in_vtx_z",
    "in_vtx_r",
    "in_vtx_tracks",
    "in_vtx_tracks._0",
    "in_good",
    "in_weight",
    "second_z",
    "second_r",
    "second_tracks",
    "second_tracks._0",
    "label",
];

#[test]
fn members_stand_in_the_place_of_their_struct() {
    let entries = many(event);
    round_trip(&entries);
    let schema = schema_of(&entries[4]);
    assert_eq!(names(&schema), NAMES);
    assert_eq!(field(&schema, "in_vtx_z").description, "Along the beam [mm]");
    assert_eq!(columns(&schema, "in_weight"), ["SplitIndex64", "Char"]);
    // The flat form is the same to anyone who reads it.
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[expect(non_snake_case, reason = "as in the file")]
    struct Flat {
        in_runNumber: u32,
        second_tracks: Vec<u16>,
        in_weight: String,
    }
    let flat = |n: u64| Flat {
        in_runNumber: n as u32,
        second_tracks: list(n + 1, |i| i as u16),
        in_weight: (n as f32 / 4.0).to_string(),
    };
    evolve(&entries, &many(flat));
}

#[test]
fn aliases_and_defaults_of_flattened_members_count() {
    #[derive(RNTuple, Clone)]
    #[rntuple(untyped)]
    struct Old {
        number: u64,
        #[rntuple(rename = "in_runNumber")]
        run: u32,
        in_vtx_z: f32,
        in_vtx_radius: f64,
        in_vtx_r_: u8,
        in_good: bool,
        in_weight: String,
        second_z: f32,
        second_tracks: Option<Vec<u16>>,
        /// Not of a flattened struct, which has a prefix in front.
        r: f32,
        radius: f32,
        label: String,
    }
    let old = |n: u64| Old {
        number: n,
        run: n as u32,
        in_vtx_z: n as f32,
        in_vtx_radius: 0.25,
        in_vtx_r_: 0,
        in_good: n.is_multiple_of(2),
        in_weight: (n as f32 / 4.0).to_string(),
        second_z: n as f32,
        second_tracks: (n.is_multiple_of(2)).then(|| list(n, |i| i as u16)),
        r: -1.0,
        radius: -2.0,
        label: text(n),
    };
    let new = |n: u64| {
        let mut new = event(n);
        new.group.vertex.r = 0.25;
        new.group.vertex.track_numbers = vec![];
        let tracks = if n.is_multiple_of(2) { list(n, |i| i as u16) } else { vec![] };
        new.second = Vertex { z: n as f32, r: 9.0, track_numbers: tracks, cache: 0 };
        new
    };
    evolve_untyped(&many(old), &many(new));
}

#[test]
fn differences_in_flattened_structs_are_told_with_prefixes() {
    #[derive(RNTuple)]
    struct Old {
        number: u64,
        #[rntuple(rename = "in_runNumber")]
        run: String,
        #[rntuple(unit = "cm")]
        in_vtx_z: f32,
        in_weight: String,
        label: String,
    }
    let old = Old { number: 1, run: text(1), in_vtx_z: 1.0, in_weight: text(1), label: text(1) };
    let told = refused::<Event>(&write(&[old]));
    let fields: Vec<_> = told.iter().map(|(field, ..)| &**field).collect();
    assert_eq!(fields, ["in_runNumber", "in_vtx_z", "in_good", "second_z"]);
}

#[test]
fn generic_structs_are_flattened_and_flatten() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Pair<T> {
        first: T,
        second: Vec<T>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Both<T, U> {
        #[rntuple(flatten, prefix = "a_")]
        a: Pair<T>,
        #[rntuple(flatten, prefix = "b_")]
        b: U,
        value: T,
    }
    let both = |n: u64| Both {
        a: Pair { first: text(n), second: list(n, text) },
        b: Pair { first: n as u8, second: list(n, |i| i as u8) },
        value: text(n + 1),
    };
    let entries = many(both);
    round_trip(&entries);
    let expected = ["a_first", "a_second", "a_second._0", "b_first", "b_second", "b_second._0", "value"];
    assert_eq!(names(&schema_of(&entries[0])), expected);
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
enum Hit {
    Strip {
        number: u32,
        #[rntuple(flatten, prefix = "at_")]
        vertex: Vertex,
    },
    Pixel {
        #[rntuple(flatten)]
        vertex: Vertex,
        row: u16,
    },
    Nothing,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Hits {
    hits: Vec<Hit>,
    best: Hit,
}

fn hit(n: u64) -> Hit {
    match n % 3 {
        0 => Hit::Strip { number: n as u32, vertex: vertex(n) },
        1 => Hit::Pixel { vertex: vertex(n), row: n as u16 },
        _ => Hit::Nothing,
    }
}

#[test]
fn variants_flatten_too() {
    let entries = many(|n| Hits { hits: list(n, hit), best: hit(n) });
    round_trip(&entries);
    let schema = schema_of(&entries[0]);
    let best: Vec<_> = names(&schema).into_iter().filter(|name| name.starts_with("best._")).collect();
    let expected = [
        "best._0",
        "best._0.number",
        "best._0.at_z",
        "best._0.at_r",
        "best._0.at_tracks",
        "best._0.at_tracks._0",
        "best._1",
        "best._1.z",
        "best._1.r",
        "best._1.tracks",
        "best._1.tracks._0",
        "best._1.row",
        "best._2",
    ];
    assert_eq!(best, expected);
}

#[test]
fn members_of_flattened_structs_in_variants_may_be_missing() {
    #[derive(RNTuple, Clone)]
    struct Old {
        hits: Vec<OldHit>,
        best: OldHit,
    }
    #[derive(RNTuple, Clone)]
    enum OldHit {
        Strip { at_z: f32, number: u32 },
        Pixel { z: f32, radius: f32, row: u16 },
    }
    let old = |n: u64| match n % 2 {
        0 => OldHit::Strip { at_z: n as f32, number: n as u32 },
        _ => OldHit::Pixel { z: n as f32, radius: 1.5, row: n as u16 },
    };
    let new = |n: u64| {
        let vertex = |r| Vertex { z: n as f32, r, track_numbers: vec![], cache: 0 };
        match n % 2 {
            0 => Hit::Strip { number: n as u32, vertex: vertex(9.0) },
            _ => Hit::Pixel { vertex: vertex(1.5), row: n as u16 },
        }
    };
    evolve(
        &many(|n| Old { hits: list(n, old), best: old(n) }),
        &many(|n| Hits { hits: list(n, new), best: new(n) }),
    );
}

#[test]
fn encodings_hold_for_all_flattened_members() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        #[rntuple(flatten, prefix = "a_", f16, offsets = "Index32")]
        a: Inner,
        #[rntuple(flatten)]
        b: Inner,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Inner {
        x: f32,
        #[rntuple(encoding = "Real32")]
        y: f32,
        list: Vec<f32>,
    }
    let inner = |n: u64| Inner { x: n as f32, y: n as f32, list: list(n, |i| (i % 100) as f32) };
    let entries = many(|n| Event { a: inner(n), b: inner(n + 1) });
    round_trip(&entries);
    let schema = schema_of(&entries[0]);
    for (path, name) in [
        ("a_x", "Real16"),
        ("a_y", "Real32"),
        ("a_list", "Index32"),
        ("a_list._0", "Real16"),
        ("x", "SplitReal32"),
        ("y", "Real32"),
        ("list", "SplitIndex64"),
        ("list._0", "SplitReal32"),
    ] {
        assert_eq!(columns(&schema, path), [name], "{path}");
    }
}

#[test]
fn a_prefix_may_be_an_argument() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Point {
        x: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Event {
        #[rntuple(flatten(prefix = "vtx_"))]
        vertex: Point,
    }
    let file = write(&[Event { vertex: Point { x: 1.0 } }]);
    assert_eq!(open::<Event>(&file).unwrap().get(0).unwrap().vertex.x, 1.0);
    let schema = super::common::schema(&file);
    assert!(schema.top_level_named("vtx_x").is_some());
}
