//! `project` and `representations`: fields whose values are stored once and seen twice, or stored in several ways.

use std::collections::{BTreeMap, BTreeSet};

use rntuple::check::{CheckOptions, check_file};
use rntuple::cxx::{Cardinality, Cardinality32};
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::schema::{FieldDescriptor, Role, Schema};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, Reader, RootFile, Value, WriteOptions, Writer};

use super::common::{columns, field, names, schema, text, unwritable, write, write_in};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Muon {
    /// Transverse momentum
    #[rntuple(unit = "GeV")]
    pt: f32,
    charge: i8,
    tags: Vec<String>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Kinematics {
    pt: f32,
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(type_name = "Side")]
#[repr(u8)]
enum Side {
    Left,
    Right,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(project(muon_pt: Vec<f32> = "muons.pt"), project(n_muon: Cardinality32 = "muons"))]
#[rntuple(project(
    n_muon_long: Cardinality = "muons",
    muon_charge: Vec<i8> = "muons._0.charge",
    muon_tags: Vec<Vec<String>> = "muons.tags",
    leptons: Vec<Muon> = "muons",
    kinematics: Vec<Kinematics> = "muons",
    label: String = "name",
    first: f32 = "pair._0",
    whole: (f32, String) = "pair",
    x: f64 = "vertex.x",
    deep_copy: Vec<Vec<Vec<u16>>> = "deep",
    flat_bits: Vec<bool> = "bits",
    keys: Vec<String> = "map._0._0",
    isolation_list: Vec<u32> = "isolation",
    sides_too: Vec<Side> = "sides",
    best_too: Option<f32> = "best",
))]
struct Event {
    name: String,
    muons: Vec<Muon>,
    pair: (f32, String),
    vertex: Vertex,
    deep: Vec<Vec<Vec<u16>>>,
    bits: Vec<bool>,
    map: BTreeMap<String, u32>,
    isolation: BTreeSet<u32>,
    sides: Vec<Side>,
    best: Option<f32>,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Vertex {
    x: f64,
}

fn event(n: u64) -> Event {
    let muon = |i: u64| Muon {
        pt: (n + i) as f32,
        charge: if i.is_multiple_of(2) { 1 } else { -1 },
        tags: (0..(n + i) % 3).map(text).collect(),
    };
    Event {
        name: text(n),
        muons: (0..n % 4).map(muon).collect(),
        pair: (n as f32, text(n + 1)),
        vertex: Vertex { x: -(n as f64) },
        deep: (0..n % 3).map(|i| (0..i + n % 2).map(|j| (0..j as u16).collect()).collect()).collect(),
        bits: (0..n % 9).map(|i| i % 3 == 0).collect(),
        map: (0..n % 3).map(|i| (text(i), i as u32)).collect(),
        isolation: (0..n as u32 % 5).collect(),
        sides: (0..n % 3).map(|i| if i == 0 { Side::Left } else { Side::Right }).collect(),
        best: n.is_multiple_of(2).then_some(n as f32),
    }
}

/// What the views are, read as members of another struct.
#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(skip_writing)]
struct Views {
    muon_pt: Vec<f32>,
    n_muon: Cardinality32,
    n_muon_long: Cardinality,
    muon_charge: Vec<i8>,
    muon_tags: Vec<Vec<String>>,
    leptons: Vec<Muon>,
    kinematics: Vec<Kinematics>,
    label: String,
    first: f32,
    whole: (f32, String),
    x: f64,
    deep_copy: Vec<Vec<Vec<u16>>>,
    flat_bits: Vec<bool>,
    keys: Vec<String>,
    isolation_list: Vec<u32>,
    sides_too: Vec<Side>,
    best_too: Option<f32>,
}

impl From<Event> for Views {
    fn from(event: Event) -> Self {
        let muons = &event.muons;
        Self {
            muon_pt: muons.iter().map(|muon| muon.pt).collect(),
            n_muon: Cardinality32(muons.len() as u32),
            n_muon_long: Cardinality(muons.len() as u64),
            muon_charge: muons.iter().map(|muon| muon.charge).collect(),
            muon_tags: muons.iter().map(|muon| muon.tags.clone()).collect(),
            kinematics: muons.iter().map(|muon| Kinematics { pt: muon.pt }).collect(),
            leptons: event.muons,
            label: event.name,
            first: event.pair.0,
            whole: event.pair,
            x: event.vertex.x,
            deep_copy: event.deep,
            flat_bits: event.bits,
            keys: event.map.into_keys().collect(),
            isolation_list: event.isolation.into_iter().collect(),
            sides_too: event.sides,
            best_too: event.best,
        }
    }
}

#[test]
fn views_hold_what_their_sources_hold() {
    let events = super::common::many(event);
    // The file is checked for soundness too.
    let file = write_in(&events, 16);
    super::common::compare(&file, &events);
    let views: Vec<Views> = events.iter().cloned().map(Views::from).collect();
    super::common::compare(&file, &views);

    let reader = Reader::<Views>::open(file.clone(), "Events").unwrap();
    let mut pt = reader.column::<f32>("muon_pt").unwrap();
    let mut found = Vec::new();
    while let Some(chunk) = pt.next_chunk().unwrap() {
        found.extend_from_slice(chunk);
    }
    assert_eq!(found, views.iter().flat_map(|view| view.muon_pt.clone()).collect::<Vec<_>>());
    let sizes: Vec<u64> = views.iter().map(|view| view.n_muon_long.0).collect();
    let mut found = Vec::new();
    reader.sizes("n_muon").unwrap().read_into(usize::MAX, &mut found).unwrap();
    assert_eq!(found, sizes);

    #[derive(RNTuple)]
    #[rntuple(skip_writing, columnar)]
    struct Sizes {
        n_muon: Cardinality32,
        n_muon_long: Cardinality,
        muon_pt: Vec<f32>,
    }
    let reader = Reader::<Sizes>::open(file.clone(), "Events").unwrap();
    let batch = reader.batches(100).next().unwrap().unwrap();
    assert_eq!(batch.n_muon, views.iter().map(|view| view.n_muon.0).collect::<Vec<_>>());
    assert_eq!(batch.n_muon_long, views.iter().map(|view| view.n_muon_long.0).collect::<Vec<_>>());
    assert_eq!(batch.muon_pt.items().len(), views.iter().map(|view| view.muon_pt.len()).sum::<usize>());

    let values = Reader::<Value>::open(file, "Events").unwrap();
    for (value, view) in values.entries().zip(views) {
        let value = value.unwrap();
        assert_eq!(value.get("n_muon"), Some(&Value::U64(view.n_muon.0.into())));
        assert_eq!(value.get("label"), Some(&Value::String(view.label)));
        assert_eq!(value.get("leptons"), value.get("muons"));
        assert_eq!(value.get("deep_copy"), value.get("deep"));
        assert_eq!(value.get("whole"), value.get("pair"));
    }
}

#[test]
fn views_take_no_room() {
    #[derive(RNTuple)]
    struct Plain {
        muons: Vec<Muon>,
    }
    #[derive(RNTuple)]
    #[rntuple(project(muon_pt: Vec<f32> = "muons.pt", n: Cardinality = "muons"))]
    struct Viewed {
        muons: Vec<Muon>,
    }
    let summary = |file: Memory| {
        let report = check_file(&RootFile::from_storage(file).unwrap(), CheckOptions::new());
        (report.ntuples[0].pages, report.ntuples[0].clusters)
    };
    let muons = || (0..100).map(|n| event(n).muons);
    let plain: Vec<_> = muons().map(|muons| Plain { muons }).collect();
    let viewed: Vec<_> = muons().map(|muons| Viewed { muons }).collect();
    assert_eq!(summary(write(&plain)), summary(write(&viewed)));
}

#[test]
fn views_stand_behind_the_members_with_all_their_parts() {
    let schema = schema(&write(&[event(3)]));
    let regular = schema.fields().filter(|(_, field)| field.projection_source.is_none()).count();
    assert!(schema.fields().skip(regular).all(|(_, field)| field.projection_source.is_some()));
    assert_eq!(
        schema.columns().count(),
        schema.columns().filter(|(_, column)| column.representation == 0).count()
    );
    let told = |path: &str| {
        let FieldDescriptor { role, type_name, projection_source, .. } = field(&schema, path);
        (role, type_name, schema.path(projection_source.unwrap()))
    };
    let like = |role, name: &str, source: &str| (role, name.to_owned(), source.to_owned());
    let vector = "std::vector<float>";
    assert_eq!(told("muon_pt"), like(Role::Collection, vector, "muons"));
    assert_eq!(told("muon_pt._0"), like(Role::Plain, "float", "muons._0.pt"));
    let cardinality = |bits: u32| format!("ROOT::RNTupleCardinality<std::uint{bits}_t>");
    assert_eq!(told("n_muon"), like(Role::Plain, &cardinality(32), "muons"));
    assert_eq!(told("n_muon_long"), like(Role::Plain, &cardinality(64), "muons"));
    assert_eq!(told("leptons"), like(Role::Collection, "", "muons"));
    assert_eq!(told("leptons._0.tags._0"), like(Role::Plain, "std::string", "muons._0.tags._0"));
    assert_eq!(told("sides_too._0._0"), like(Role::Plain, "std::uint8_t", "sides._0._0"));
    assert_eq!(told("first"), like(Role::Plain, "float", "pair._0"));
    assert_eq!(told("keys._0"), like(Role::Plain, "std::string", "map._0._0"));
    assert_eq!(columns(&schema, "label"), ["SplitIndex64", "Char"]);
    assert_eq!(columns(&schema, "n_muon"), ["SplitIndex64"]);
    // What is looked at says what it is.
    assert_eq!(field(&schema, "muon_pt").description, "Transverse momentum [GeV]");
    assert_eq!(field(&schema, "muon_pt._0").description, "Transverse momentum [GeV]");
    assert_eq!(field(&schema, "n_muon").description, "");
    let same = Schema::of::<Event>(&WriteOptions::new()).unwrap();
    assert_eq!(same.alias_columns(), schema.alias_columns());
    assert!(same.alias_columns().is_sorted_by_key(|alias| alias.field));
}

#[test]
fn names_follow_the_rules_and_strings_do_not() {
    #[derive(RNTuple)]
    #[rntuple(rename_all = "camelCase")]
    #[rntuple(project(n_hits: Cardinality = "hitList", "n-hits": Cardinality = "hitList"))]
    struct Named {
        hit_list: Vec<f32>,
    }
    #[derive(RNTuple)]
    #[rntuple(project(r#type: u8 = "k"))]
    struct Outer {
        k: u8,
        #[rntuple(flatten, prefix = "jet_")]
        inner: Named,
    }
    let named = || Named { hit_list: vec![1.0] };
    assert_eq!(names(&schema(&write(&[named()]))), ["hitList", "hitList._0", "nHits", "n-hits"]);
    let outer = schema(&write(&[Outer { k: 1, inner: named() }]));
    assert_eq!(names(&outer), ["k", "jet_hitList", "jet_hitList._0", "type", "jet_nHits", "jet_n-hits"]);
}

#[test]
fn a_member_of_an_entry_has_no_views() {
    #[derive(RNTuple)]
    #[rntuple(project(n: Cardinality = "hits"))]
    struct Inner {
        hits: Vec<f32>,
    }
    #[derive(RNTuple)]
    struct Outer {
        list: Vec<Inner>,
        one: Inner,
    }
    let inner = || Inner { hits: vec![] };
    let schema = schema(&write(&[Outer { list: vec![inner()], one: inner() }]));
    assert!(schema.alias_columns().is_empty());
}

#[test]
fn an_entry_that_knows_its_fields_knows_its_views() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(deny_unknown_fields, project(n: Cardinality = "hits"))]
    struct Strict {
        hits: Vec<f32>,
    }
    let entries = [Strict { hits: vec![1.0, 2.0] }];
    super::common::compare(&write(&entries), &entries);
}

#[test]
fn views_follow_the_representations_of_their_sources() {
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(project(pt: Vec<f32> = "hits.pt", label: String = "name"))]
    struct Changing {
        #[rntuple(representations("SplitIndex64", "Index32"))]
        name: String,
        hits: Vec<Hit>,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    struct Hit {
        #[rntuple(representations(
            "SplitReal32",
            f16,
            truncate(bits = 24),
            quantize(bits = 16, min = 0, max = 65535)
        ))]
        pt: f32,
    }
    #[derive(RNTuple, Clone, Debug, PartialEq)]
    #[rntuple(skip_writing)]
    struct Views {
        pt: Vec<f32>,
        label: String,
    }
    let entries = super::common::many(|n| Changing {
        name: text(n),
        hits: (0..n % 4).map(|i| Hit { pt: (n + i) as f32 }).collect(),
    });
    let mut writer = Writer::<Changing, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for (number, entries) in entries.chunks(5).enumerate() {
        writer.use_representation("hits.pt", number % 4).unwrap();
        writer.use_representation("name", number % 2).unwrap();
        writer.fill_all(entries).unwrap();
        writer.commit_cluster().unwrap();
    }
    let file = writer.finish_into().unwrap().1;
    super::common::compare(&file, &entries);
    let views: Vec<Views> = entries
        .iter()
        .map(|entry| Views { pt: entry.hits.iter().map(|hit| hit.pt).collect(), label: entry.name.clone() })
        .collect();
    super::common::compare(&file, &views);
    let schema = schema(&file);
    for (view, source) in [("pt._0", "hits._0.pt"), ("label", "name")] {
        let ids = |path| schema.representations(schema.find(path).unwrap()).to_vec();
        assert_eq!(ids(view), ids(source));
        assert!(ids(view).len() > 1);
    }
    let report = check_file(&RootFile::from_storage(file).unwrap(), CheckOptions::new());
    assert!(report.is_sound(), "{:?}", report.faults);
}

/// What is wrong with one projection of the fields of `Event` below.
macro_rules! wrong {
    ($($ty:ty, $source:literal => $message:literal;)*) => {
        [$({
            #[derive(RNTuple)]
            #[rntuple(project(view: $ty = $source))]
            struct Event {
                #[rntuple(flatten)]
                all: All,
            }
            let error = unwritable::<Event>();
            assert!(error.starts_with("Events: view: `project(view: "), "{error}");
            assert!(error.ends_with($message), "{error}");
        }),*]
    };
}

#[derive(RNTuple)]
struct All {
    met: f32,
    muons: Vec<Muon>,
    array: [f32; 3],
    list_of_arrays: Vec<[f32; 3]>,
    list: Vec<f32>,
    maybe: Option<f32>,
    shape: Shape,
    pair: (f32, u8),
}

#[derive(RNTuple)]
enum Shape {
    Circle(f32),
    Square { side: f64 },
}

#[test]
fn views_that_cannot_be_name_both_sides() {
    wrong! {
        f64, "met" => "cannot be: `met` is `float`, not `double`";
        f32, "muons.pt" => "`muons` is an untyped collection, not `float`";
        Vec<f64>, "muons.pt" => "`muons._0.pt` is `float`, not `double`";
        Vec<Vec<f32>>, "muons.pt" => "`muons._0.pt` is `float`, not `std::vector<float>`";
        Vec<f32>, "met" => "`met` is `float`, not `std::vector<float>`";
        Vec<f32>, "muons.eta" => "there is no field `muons.eta`";
        f32, "nothing" => "there is no field `nothing`";
        Vec<f32>, "muons" => "`muons._0` is an untyped record, not `float`";
        Cardinality, "met" => "`met` is `float`, not `ROOT::RNTupleCardinality<std::uint64_t>`";
        Cardinality, "array" => "`array` is an array, which cannot be projected";
        [f32; 3], "array" => "`array` is an array, which cannot be projected";
        f32, "array._0" => "`array` is an array, whose items have no columns of their own";
        Vec<f32>, "list_of_arrays._0._0" => "`list_of_arrays._0` is an array, whose items have no columns of their own";
        Option<f32>, "list" => "`list` is `std::vector<float>`, not `std::optional<float>`";
        BTreeSet<u8>, "list" => "`list` is `std::vector<float>`, not `std::set<std::uint8_t>`";
        f32, "shape" => "`shape` is a variant, which cannot be projected";
        Shape, "shape" => "`shape` is a variant, which cannot be projected";
        (f32, u16), "pair" => "`pair` is `std::pair<float,std::uint8_t>`, not `std::pair<float,std::uint16_t>`";
        Vec<Other>, "muons" => "`muons._0` has no member `eta`";
    };
}

#[derive(RNTuple)]
struct Other {
    eta: f32,
}

#[test]
fn views_never_cost_a_file_that_is_there() {
    #[derive(RNTuple)]
    #[rntuple(project(view: f64 = "met"))]
    struct Event {
        met: f32,
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    std::fs::write(&path, b"old").unwrap();
    Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap_err();
    assert_eq!(std::fs::read(&path).unwrap(), b"old");
}

#[test]
fn names_that_only_the_writer_sees_twice_are_refused() {
    #[derive(RNTuple)]
    #[rntuple(project(met: f32 = "first"))]
    struct Twice {
        first: f32,
        #[rntuple(flatten)]
        inner: Met,
    }
    #[derive(RNTuple)]
    struct Met {
        met: f32,
    }
    assert_eq!(unwritable::<Twice>(), "Events: met: two fields have this name");
}

#[test]
fn members_that_join_later_are_seen_too() {
    #[derive(RNTuple)]
    struct Base {
        hits: Vec<f32>,
    }
    #[derive(RNTuple)]
    #[rntuple(project(n_late: Cardinality = "late"))]
    struct Later {
        late: Vec<u8>,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    #[rntuple(skip_writing)]
    struct Read {
        hits: Cardinality,
        n_late: Cardinality,
    }
    let mut writer = Writer::<Base, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Base { hits: vec![1.0] }).unwrap();
    let mut writer = writer.extend::<Later>().unwrap();
    writer.fill_both(&Base { hits: vec![] }, &Later { late: vec![1, 2] }).unwrap();
    let file = writer.finish_into().unwrap().1;
    let reader = Reader::<Read>::open(file.clone(), "Events").unwrap();
    let read: Vec<Read> = reader.entries().map(Result::unwrap).collect();
    let wanted = |hits, late| Read { hits: Cardinality(hits), n_late: Cardinality(late) };
    assert_eq!(read, [wanted(1, 0), wanted(0, 2)]);
    let report = check_file(&RootFile::from_storage(file).unwrap(), CheckOptions::new());
    assert!(report.is_sound(), "{:?}", report.faults);

    // Their columns begin in one representation.
    let writer = Writer::<Base, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let two = [ColumnType::Int8, ColumnType::UInt8].map(ColumnEncoding::of);
    let options = WriteOptions::new().compression(Compression::NONE).representations("late", two);
    let refused = writer.extend_with::<Later>(&options).unwrap_err();
    assert!(refused.error.to_string().contains("late"), "{refused}");
    let two = [ColumnType::Index32, ColumnType::Index64].map(ColumnEncoding::of);
    let options = WriteOptions::new().representations("late", two);
    let refused = refused.writer.extend_with::<Later>(&options).unwrap_err();
    assert_eq!(
        refused.error.to_string(),
        "memory: Events: late: fields that are added later can have only one representation"
    );
}
