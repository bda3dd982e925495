//! Files whose layout is the point, not their types.

use std::ops::Range;
use std::path::Path;

use rntuple::attributes::Attribute;
use rntuple::cxx::Cardinality32;
use rntuple::encoding::{ColumnEncoding, ColumnType};
use rntuple::merge::{Input, MergeOptions, SchemaMode, merge_files};
use rntuple::root::FileOptions;
use rntuple::{Compression, Pool, RNTuple, Reader, RootFile, RootFileWriter, WriteOptions, Writer};
use serde_json::Value as Json;

use crate::Result;
use crate::case::{Columns, Ntuple, Recipe, describe, read, write, write_file, write_in_transactions};
use crate::cases::{Choice, Muon, NamedMuon};
use crate::json::object;
use crate::model::{Model, Side};
use crate::random::Random;
use crate::record::{Rows, record};
use crate::sample::Sample;
use crate::shape::Shape;
use crate::stored::Stored;

/// A file of one or more ntuples.
pub(crate) struct Structure {
    pub(crate) name: &'static str,
    pub(crate) write: fn(&Path) -> Result<Vec<Ntuple>>,
}

record! {
    untyped struct Event {
        number: u64,
        met: f32,
        good: bool,
        run: String,
        hits: Vec<f32>,
        triggers: [bool; 12],
        words: Vec<Vec<String>>,
        weight: Option<f64>,
        muons: Vec<Muon>,
        named_muons: Vec<NamedMuon>,
        position: (f64, i16),
        choice: Choice,
    }

    untyped struct Run {
        seed: u32,
        comment: String,
    }

    untyped struct Narrow {
        count: i32,
        signal: bool,
        energy: f32,
        hits: Vec<u16>,
    }

    untyped struct Unusual {
        größe: f32,
        名: String,
        длины: Vec<i32>,
    }

    untyped struct Wishes {
        met: f32 as Stored::Truncated(13),
        hits: Vec<f64> as Stored::Column("Real32"),
        muons: Vec<Heavy>,
        names: Vec<String> as Stored::Index("Index32"),
    }

    untyped struct Mixed {
        number: u64,
        waveform: Vec<u16> as Stored::Uncompressed,
        comment: String,
        muons: Vec<Muon>,
        hits: Vec<Vec<f64>>,
        seed: u32 as Stored::Uncompressed,
    }

    untyped struct Begun {
        number: u64,
        hits: Vec<f32>,
    }

    untyped struct Joined {
        scale: f32,
        good: bool,
        cells: [i16; 3],
        label: String,
        words: Vec<String>,
        weight: Option<f64>,
        at: (f64, u8),
    }

    untyped struct Whole {
        #[rntuple(flatten)]
        [flat ""] begun: Begun,
        #[rntuple(flatten)]
        [flat ""] joined: Joined,
    }

    #[rntuple(project(label: String = "name", words_too: Vec<String> = "words"))]
    #[rntuple(project(kick_pt: Vec<f32> = "kicks.pt", n_kicks: Cardinality32 = "kicks", first: f64 = "pair._0"))]
    untyped struct Viewed {
        name: String,
        words: Vec<String>,
        kicks: Vec<Kick>,
        pair: (f64, i16),
    }

    untyped struct Views {
        label: String,
        words_too: Vec<String>,
        kick_pt: Vec<f32>,
        first: f64,
    }

    untyped struct Changing {
        number: u64,
        name: String,
        energy: f64,
        kicks: Vec<Kick>,
    }

    untyped struct Kick {
        pt: f32,
        charge: i32,
    }

    untyped struct Heavy {
        pt: f32 as Stored::Column("Real16"),
        mass: f32,
    }
}

impl Joined {
    /// What readers find before it joined.
    pub(crate) fn none() -> Self {
        Self {
            scale: 0.0,
            good: false,
            cells: [0; 3],
            label: String::new(),
            words: Vec::new(),
            weight: None,
            at: (0.0, 0),
        }
    }
}

/// Values that repeat: identical pages.
#[derive(Clone, Debug, RNTuple)]
pub(crate) struct Constant {
    seven: i32,
    also_seven: i32,
    text: String,
    list: Vec<u16>,
}

impl Model for Constant {
    fn shape(compressed: bool) -> Shape {
        let members = vec![
            ("seven", i32::shape(compressed)),
            ("also_seven", i32::shape(compressed)),
            ("text", String::shape(compressed)),
            ("list", Vec::<u16>::shape(compressed)),
        ];
        Shape::record("Constant", members)
    }

    fn json(&self, side: Side) -> Json {
        object([
            ("seven", self.seven.json(side)),
            ("also_seven", self.also_seven.json(side)),
            ("text", self.text.json(side)),
            ("list", self.list.json(side)),
        ])
    }
}

impl Sample for Constant {
    fn sample(_: &mut Random) -> Self {
        Self { seven: 7, also_seven: 7, text: "seven".into(), list: vec![7, 7] }
    }
}

impl Rows for Constant {
    fn rows() -> Vec<(String, &'static str)> {
        let rows = [("seven", "i32"), ("also_seven", "i32"), ("text", "String"), ("list", "Vec<u16>")];
        rows.map(|(field, row)| (field.to_owned(), row)).to_vec()
    }
}

/// Members with descriptions.
#[derive(Clone, Debug, RNTuple)]
pub(crate) struct Described {
    /// Missing transverse momentum in GeV.
    met: f32,
    #[rntuple(rename = "a-b:c", description = "größer als µ")]
    hits: Vec<f32>,
}

impl Model for Described {
    fn shape(compressed: bool) -> Shape {
        Shape::record(
            "Described",
            vec![
                ("met", f32::shape(compressed).described("Missing transverse momentum in GeV.")),
                ("a-b:c", Vec::<f32>::shape(compressed).described("größer als µ")),
            ],
        )
    }

    fn json(&self, side: Side) -> Json {
        object([("met", self.met.json(side)), ("a-b:c", self.hits.json(side))])
    }
}

impl Sample for Described {
    fn sample(random: &mut Random) -> Self {
        Self { met: Sample::sample(random), hits: Sample::sample(random) }
    }
}

impl Rows for Described {
    fn rows() -> Vec<(String, &'static str)> {
        let rows = [("met", "f32"), ("a-b:c", "Vec<f32>")];
        rows.map(|(field, row)| (field.to_owned(), row)).to_vec()
    }
}

/// The entries of a set (format, section 8), in an ntuple that the peers can find.
impl Model for Attribute<Run> {
    fn shape(compressed: bool) -> Shape {
        let members = vec![
            ("_rangeStart", u64::shape(compressed)),
            ("_rangeLen", u64::shape(compressed)),
            ("_userData", Run::shape(compressed)),
        ];
        Shape::record("Attribute", members)
    }

    fn json(&self, side: Side) -> Json {
        object([
            ("_rangeStart", self.range.start.json(side)),
            ("_rangeLen", (self.range.end - self.range.start).json(side)),
            ("_userData", self.value.json(side)),
        ])
    }
}

impl Sample for Attribute<Run> {
    fn sample(random: &mut Random) -> Self {
        let start = u64::sample(random) >> 1;
        Self { range: start..start + (u64::sample(random) >> 1), value: Run::sample(random) }
    }
}

impl Rows for Attribute<Run> {
    fn rows() -> Vec<(String, &'static str)> {
        let rows = [("_rangeStart", "u64"), ("_rangeLen", "u64"), ("_userData", "Muon")];
        rows.map(|(field, row)| (field.to_owned(), row)).to_vec()
    }
}

fn zstd() -> Recipe {
    Recipe::new(Compression::zstd(5))
}

fn events(file: &Path, recipe: &Recipe) -> Result<Vec<Ntuple>> {
    write_file::<Event>(file, "Events", recipe)
}

/// Every structure.
pub(crate) const STRUCTURES: &[Structure] = &[
    Structure { name: "one cluster", write: |file| events(file, &Recipe { groups: &[&[200]], ..zstd() }) },
    Structure {
        name: "many clusters",
        write: |file| events(file, &Recipe { groups: &[&[1, 2, 3, 50, 8, 64, 1, 70]], ..zstd() }),
    },
    Structure {
        name: "cluster groups",
        write: |file| events(file, &Recipe { groups: &[&[30, 20], &[10], &[40, 1, 5]], ..zstd() }),
    },
    Structure { name: "no entries", write: |file| events(file, &Recipe { groups: &[&[0]], ..zstd() }) },
    Structure {
        name: "no entries, uncompressed",
        write: |file| events(file, &Recipe { groups: &[&[0]], ..Recipe::new(Compression::NONE) }),
    },
    Structure {
        name: "many small pages",
        write: |file| {
            let recipe = zstd().with(|options| options.initial_page_length(8).max_page_length(128));
            events(file, &Recipe { groups: &[&[300, 77]], ..recipe })
        },
    },
    Structure {
        name: "many small pages, uncompressed",
        write: |file| {
            let recipe = Recipe::new(Compression::NONE).with(|options| options.max_page_length(128));
            events(file, &Recipe { groups: &[&[300, 77]], ..recipe })
        },
    },
    Structure {
        name: "large clusters and pages",
        write: |file| {
            let recipe = zstd().with(|options| options.cluster_size(100 << 10).max_page_length(16 << 10));
            let recipe = Recipe { groups: &[&[30_000]], automatic: true, ..recipe };
            write_file::<Narrow>(file, "Narrow", &recipe)
        },
    },
    Structure {
        name: "transactions of three threads",
        write: |file| {
            let recipe = Recipe { groups: &[&[90, 1, 40, 7, 130, 2, 64, 33]], ..zstd() };
            write_in_transactions::<Event>(file, "Events", &recipe)
        },
    },
    Structure {
        name: "transactions of three threads, uncompressed",
        write: |file| {
            let recipe = Recipe { groups: &[&[5, 90, 40]], ..Recipe::new(Compression::NONE) };
            write_in_transactions::<Event>(file, "Events", &recipe)
        },
    },
    Structure {
        name: "compressed by a pool, in little memory",
        write: |file| {
            let pool = Pool::new(2)?;
            events(file, &zstd().with(|options| options.pool(&pool).memory_budget(6 << 20)))
        },
    },
    Structure {
        name: "no checksums",
        write: |file| events(file, &zstd().with(|options| options.checksums(false))),
    },
    Structure {
        name: "identical pages, shared",
        write: |file| write_file::<Constant>(file, "Constant", &zstd()),
    },
    Structure {
        name: "identical pages, not shared",
        write: |file| {
            write_file::<Constant>(file, "Constant", &zstd().with(|options| options.share_pages(false)))
        },
    },
    Structure { name: "several ntuples", write: several },
    Structure { name: "sub-directories", write: directories },
    Structure { name: "attribute sets", write: attribute_sets },
    Structure {
        name: "statistics",
        write: |file| {
            let recipe = Recipe { groups: &[&[30, 20], &[40]], ..zstd() };
            events(file, &recipe.with(|options| options.statistics(true)))
        },
    },
    Structure {
        name: "an attribute set that is listed",
        write: |file| write_file::<Attribute<Run>>(file, "Runs", &zstd()),
    },
    Structure {
        name: "names beyond ASCII",
        write: |file| write_file::<Unusual>(file, "größe-名:1", &zstd()),
    },
    Structure {
        name: "descriptions",
        write: |file| {
            let text = "an ntuple with a description: µ";
            let recipe = zstd().with(|options| options.description(text));
            let mut ntuples = write_file::<Described>(file, "Described", &recipe)?;
            for ntuple in &mut ntuples {
                ntuple.description = text.to_owned();
            }
            Ok(ntuples)
        },
    },
    Structure { name: "members that joined late", write: |file| joined(file, zstd()) },
    Structure {
        name: "members that joined late, uncompressed",
        write: |file| joined(file, Recipe::new(Compression::NONE)),
    },
    Structure { name: "projected fields", write: |file| projected(file, &zstd()) },
    Structure {
        name: "projected fields, uncompressed",
        write: |file| projected(file, &Recipe::new(Compression::NONE)),
    },
    Structure { name: "representations that change", write: |file| changing(file, zstd()) },
    Structure { name: "merged", write: |file| merged(file, MergeOptions::new(), false) },
    Structure {
        name: "merged into one group",
        write: |file| merged(file, MergeOptions::new().single_group(true), true),
    },
    Structure {
        name: "merged, compressed anew",
        write: |file| {
            merged(file, MergeOptions::new().single_group(true).compression(Compression::lz4(4)), true)
        },
    },
    Structure { name: "merged, filled with zeros", write: merged_union },
    Structure { name: "merged, of several encodings", write: merged_encodings },
    Structure { name: "encodings by path", write: encodings },
    Structure { name: "a codec for every member", write: codecs },
    Structure {
        name: "records longer than a key",
        write: |file| {
            let recipe = zstd().with(|options| options.max_page_length(256).max_key_size(512));
            let mut ntuples = events(file, &recipe)?;
            for ntuple in &mut ntuples {
                ntuple.max_key_size = Some(512);
            }
            Ok(ntuples)
        },
    },
];

fn several(file: &Path) -> Result<Vec<Ntuple>> {
    let file = RootFileWriter::create(file, FileOptions::new())?;
    let (compressed, plain) = (zstd(), Recipe { groups: &[&[7]], ..Recipe::new(Compression::NONE) });
    // Opened before the first one is written: their pages and headers alternate.
    let events = file.writer::<Event>("Events", compressed.options.clone())?;
    let runs = file.writer::<Run>("Runs", plain.options.clone())?;
    let narrow = file.writer::<Narrow>("Narrow", compressed.options.clone())?;
    let ntuples = vec![
        write(runs, "Runs", &plain)?,
        write(events, "Events", &compressed)?,
        write(narrow, "Narrow", &compressed)?,
    ];
    file.finish()?;
    Ok(ntuples)
}

fn directories(file: &Path) -> Result<Vec<Ntuple>> {
    let file = RootFileWriter::create(file, FileOptions::new())?;
    let recipe = zstd();
    let mut ntuples = Vec::new();
    for path in ["top", "dir/one", "dir/sub/two", "other/one", "größe/名"] {
        ntuples.push(write(file.writer::<Narrow>(path, recipe.options.clone())?, path, &recipe)?);
    }
    file.finish()?;
    Ok(ntuples)
}

/// Members that join in the middle of the second of three clusters.
fn joined(file: &Path, recipe: Recipe) -> Result<Vec<Ntuple>> {
    joined_behind(file, recipe, 55)
}

fn joined_behind(file: &Path, recipe: Recipe, before: u64) -> Result<Vec<Ntuple>> {
    const SIZES: [u64; 3] = [40, 30, 50];
    let mut random = Random::new("Joined");
    let mut values = Vec::new();
    let mut writer = Writer::<Begun>::create(file, "Joined", recipe.options.clone())?;
    for number in 0..before {
        if number == SIZES[0] {
            writer.commit_cluster()?;
        }
        let begun = Begun::sample(&mut random);
        let joined = Joined::none();
        writer.fill(&begun)?;
        values.push(Whole { begun, joined }.json(Side::Stored));
    }
    let mut writer = writer.extend::<Joined>().map_err(|refused| refused.error)?;
    for number in before..SIZES.iter().sum() {
        if number == SIZES[0] + SIZES[1] {
            writer.commit_cluster()?;
        }
        let whole = Whole::sample(&mut random);
        writer.fill_both(&whole.begun, &whole.joined)?;
        values.push(whole.json(Side::Stored));
    }
    let clusters = writer.finish()?.clusters;
    let mut ntuple = describe::<Whole, Whole>("Joined", &recipe, values, SIZES.to_vec(), clusters)?;
    ntuple.joined("scale", "", before);
    Ok(vec![ntuple])
}

/// Fields that look at others.
fn projected(file: &Path, recipe: &Recipe) -> Result<Vec<Ntuple>> {
    let mut ntuple =
        write(Writer::<Viewed>::create(file, "Viewed", recipe.options.clone())?, "Viewed", recipe)?;
    let cardinality = Some(("plain", "ROOT::RNTupleCardinality<std::uint32_t>"));
    ntuple.projected(None, "label", "name", None);
    let words = ntuple.projected(None, "words_too", "words", None);
    ntuple.projected(words, "_0", "words._0", None);
    let pt = ntuple.projected(None, "kick_pt", "kicks", Some(("collection", "std::vector<float>")));
    ntuple.projected(pt, "_0", "kicks._0.pt", None);
    ntuple.projected(None, "n_kicks", "kicks", cardinality);
    ntuple.projected(None, "first", "pair._0", None);
    let views = views(&ntuple.values);
    ntuple.rows.extend(views.keys().map(|name| (name.clone(), "a projected field")));
    ntuple.values.extend(views);
    ntuple.read = |file, path| {
        let mut columns = read::<Viewed>(file, path)?;
        columns.extend(read::<Views>(file, path)?);
        let mut sizes = Vec::new();
        Reader::<Views>::open(file, path)?.sizes("n_kicks")?.read_into(usize::MAX, &mut sizes)?;
        columns.insert("n_kicks".to_owned(), sizes.into());
        Ok(columns)
    };
    Ok(vec![ntuple])
}

/// What the projected fields hold, from what their sources do.
fn views(values: &Columns) -> Columns {
    let view = |source: &str, look: fn(&Json) -> Json| {
        values.get(source).and_then(Json::as_array).into_iter().flatten().map(look).collect::<Json>()
    };
    let pt = |kicks: &Json| kicks.as_array().into_iter().flatten().map(|kick| kick["pt"].clone()).collect();
    let views = [
        ("label", view("name", Json::clone)),
        ("words_too", view("words", Json::clone)),
        ("kick_pt", view("kicks", pt)),
        ("n_kicks", view("kicks", |kicks| kicks.as_array().map_or(0, Vec::len).into())),
        ("first", view("pair", |pair| pair["_0"].clone())),
    ];
    views.into_iter().map(|(name, values)| (name.to_owned(), values)).collect()
}

/// Fields that are stored in another way in every cluster.
fn changing(file: &Path, recipe: Recipe) -> Result<Vec<Ntuple>> {
    use ColumnType::{Index32, Int32, Real32, Real64, SplitIndex64, SplitInt32, SplitReal32, SplitReal64};
    const SIZES: [u64; 5] = [20, 1, 30, 40, 25];
    let fields = [
        ("name", [SplitIndex64, Index32]),
        ("energy", [SplitReal64, Real64]),
        ("kicks", [SplitIndex64, Index32]),
        ("kicks._0.pt", [SplitReal32, Real32]),
        ("kicks._0.charge", [SplitInt32, Int32]),
    ];
    let options = fields.iter().fold(recipe.options.clone(), |options, (path, types)| {
        options.representations(*path, types.map(ColumnEncoding::of))
    });
    let mut random = Random::new("Changing");
    let mut values = Vec::new();
    let mut writer = Writer::<Changing>::create(file, "Changing", options)?;
    for (cluster, size) in SIZES.into_iter().enumerate() {
        for (field, (path, _)) in fields.iter().enumerate() {
            writer.use_representation(path, (cluster + field / 2) % 2)?;
        }
        for _ in 0..size {
            let entry = Changing::sample(&mut random);
            writer.fill(&entry)?;
            values.push(entry.json(Side::Stored));
        }
        writer.commit_cluster()?;
    }
    let clusters = writer.finish()?.clusters;
    let mut ntuple = describe::<Changing, Changing>("Changing", &recipe, values, SIZES.to_vec(), clusters)?;
    ntuple.also_stored("name", 1, &[("Index32", 32), ("Char", 8)]);
    ntuple.also_stored("energy", 1, &[("Real64", 64)]);
    ntuple.also_stored("kicks", 1, &[("Index32", 32)]);
    ntuple.also_stored("kicks._0.pt", 1, &[("Real32", 32)]);
    ntuple.also_stored("kicks._0.charge", 1, &[("Int32", 32)]);
    Ok(vec![ntuple])
}

/// What the sets say: overlapping, empty, in no order.
const SAID: [Range<u64>; 6] = [0..96, 96..97, 97..148, 0..148, 50..50, 10..20];

/// Sets of two ntuples, which the peers do not see: the ntuples must be to them as others are.
fn attribute_sets(file: &Path) -> Result<Vec<Ntuple>> {
    let file = RootFileWriter::create(file, FileOptions::new())?;
    let mut ntuples = Vec::new();
    for (path, recipe) in [("Events", zstd()), ("dir/Events", Recipe::new(Compression::NONE))] {
        let mut writer = file.writer::<Event>(path, recipe.options.clone())?;
        let (runs, quality) = (writer.attributes::<Run>("Runs")?, writer.attributes::<Narrow>("Quality")?);
        let _ = writer.attributes::<NamedMuon>("nothing")?;
        let mut random = Random::new(path);
        for range in SAID {
            runs.add(range.clone(), &Run::sample(&mut random))?;
            quality.add(range, &Narrow::sample(&mut random))?;
        }
        let mut ntuple = write(writer, path, &recipe)?;
        ntuple.read = read_with_sets;
        ntuples.push(ntuple);
    }
    file.finish()?;
    Ok(ntuples)
}

/// Reads the entries, if the sets say what they should.
fn read_with_sets(file: &RootFile, path: &str) -> rntuple::Result<Columns> {
    let reader = Reader::<Event>::open(file, path)?;
    let runs: Vec<_> = reader.attributes::<Run>("Runs")?.entries().collect::<rntuple::Result<_>>()?;
    let quality: Vec<_> =
        reader.attributes::<Narrow>("Quality")?.entries().collect::<rntuple::Result<_>>()?;
    let mut random = Random::new(path);
    let mut same = reader.attributes::<NamedMuon>("nothing")?.attribute_count() == 0;
    same &= runs.len() == SAID.len() && quality.len() == SAID.len();
    for ((range, run), narrow) in SAID.into_iter().zip(runs).zip(quality) {
        same &= range == run.range && range == narrow.range;
        same &= Run::sample(&mut random).json(Side::Stored) == run.value.json(Side::Read);
        same &= Narrow::sample(&mut random).json(Side::Stored) == narrow.value.json(Side::Read);
    }
    match same {
        true => read::<Event>(file, path),
        false => Err(std::io::Error::other(format!("{path}: the attribute sets say something else")).into()),
    }
}

/// Writes an ntuple at a path of a file.
type WritePart<'a> = &'a dyn Fn(&Path, &str) -> Result<Vec<Ntuple>>;

/// Merges what is written beside `file`, each with a seed and a recipe of its own.
fn merge(
    file: &Path,
    path: &str,
    options: MergeOptions<'_>,
    parts: &[(&str, WritePart<'_>)],
) -> Result<Vec<Ntuple>> {
    let (mut ntuples, mut inputs, mut files) = (Vec::new(), Vec::new(), Vec::new());
    for (name, write) in parts {
        let part = file.with_extension(format!("{name}.part"));
        ntuples.extend(write(&part, name)?);
        inputs.push(Input::file(&part).ntuple(*name));
        files.push(part);
    }
    merge_files(&inputs, file, options.ntuple(path))?;
    for part in files {
        std::fs::remove_file(part)?;
    }
    Ok(ntuples)
}

/// Three inputs of three codecs.
fn merged(file: &Path, options: MergeOptions<'_>, is_one_group: bool) -> Result<Vec<Ntuple>> {
    let part = |settings: Compression, groups: &'static [&'static [u64]]| {
        move |file: &Path, name: &str| {
            write_file::<Event>(file, name, &Recipe { groups, ..Recipe::new(settings) })
        }
    };
    let parts = merge(
        file,
        "Events",
        options,
        &[
            ("First", &part(Compression::zstd(5), &[&[30, 1], &[12]])),
            ("Second", &part(Compression::lz4(4), &[&[17]])),
            ("Third", &part(Compression::zlib(6), &[&[40, 3]])),
        ],
    )?;
    let mut ntuple = Ntuple::merged(&parts, "Events", is_one_group)?;
    if !is_one_group {
        ntuple.set_groups(3);
    }
    Ok(vec![ntuple])
}

/// The second input lacks some members; those that joined the third one late are stored in all its entries.
fn merged_union(file: &Path) -> Result<Vec<Ntuple>> {
    let options = MergeOptions::new().single_group(true).schema(SchemaMode::Union);
    let whole = |file: &Path, name: &str| write_file::<Whole>(file, name, &zstd());
    let mut without = Vec::new();
    let begun = |file: &Path, name: &str| write_file::<Begun>(file, name, &zstd());
    // JSROOT wants pages of bits that are full, also that of the zeros in front.
    let late = |file: &Path, _: &str| joined_behind(file, zstd(), 56);
    let parts = merge(file, "Whole", options, &[("First", &whole), ("Second", &begun), ("Joined", &late)])?;
    for (number, mut part) in parts.into_iter().enumerate() {
        if number == 1 {
            part.fill(&Joined::none().json(Side::Stored));
        }
        without.push(part);
    }
    Ok(vec![Ntuple::merged(&without, "Whole", true)?])
}

/// Columns that are split in the first input are not in the second one.
fn merged_encodings(file: &Path) -> Result<Vec<Ntuple>> {
    let options = MergeOptions::new().single_group(true);
    let part =
        |settings| move |file: &Path, name: &str| write_file::<Event>(file, name, &Recipe::new(settings));
    let parts = merge(
        file,
        "Events",
        options,
        &[
            ("First", &part(Compression::zstd(5))),
            ("Second", &part(Compression::NONE)),
            ("Third", &part(Compression::lz4(4))),
        ],
    )?;
    let mut ntuple = Ntuple::merged(&parts, "Events", true)?;
    if let Some(second) = parts.get(1) {
        ntuple.represented(second);
    }
    Ok(vec![ntuple])
}

fn encodings(file: &Path) -> Result<Vec<Ntuple>> {
    let options = |options: WriteOptions| -> Result<WriteOptions> {
        Ok(options
            .encoding("met", ColumnEncoding::truncated(13)?)
            .encoding("hits", ColumnEncoding::of(ColumnType::Real32))
            .encoding("muons._0.pt", ColumnEncoding::of(ColumnType::Real16))
            .encoding("names", ColumnEncoding::of(ColumnType::Index32)))
    };
    let mut recipe = zstd();
    recipe.options = options(recipe.options)?;
    let writer = Writer::<Wishes>::create(file, "Wishes", recipe.options.clone())?;
    Ok(vec![write(writer, "Wishes", &recipe)?])
}

fn codecs(file: &Path) -> Result<Vec<Ntuple>> {
    let recipe = zstd().with(|options| {
        options
            .compression_of("waveform", Compression::NONE)
            .compression_of("seed", Compression::NONE)
            .compression_of("muons", Compression::lz4(4))
            .compression_of("comment", Compression::zlib(6))
            .compression_of("hits._0", Compression::lzma(6))
    });
    write_file::<Mixed>(file, "Mixed", &recipe)
}
