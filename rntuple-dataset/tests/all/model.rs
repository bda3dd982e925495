//! Random histories of a data set, compared with a list of rows for each version.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use rntuple::field::Record;
use rntuple::{RNTuple, ReadOptions, Value, WriteOptions, Writer};
use rntuple_dataset::{Adopt, CleanupOptions, CompactOptions, ErrorKind, Snapshot, Source, Table};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

#[derive(RNTuple, Clone)]
struct Muon {
    pt: f32,
    charge: i8,
}

/// A row as it is when the data set is created.
#[derive(RNTuple, Clone)]
struct Plain {
    number: u64,
    met: Option<f32>,
    muons: Vec<Muon>,
}

#[derive(RNTuple, Clone)]
struct WithCount {
    number: u64,
    met: Option<f32>,
    muons: Vec<Muon>,
    count: u32,
}

#[derive(RNTuple)]
struct Key {
    number: u64,
}

#[derive(RNTuple)]
struct Count {
    count: u32,
}

#[derive(RNTuple)]
struct Text {
    text: String,
}

/// One column that exists, perhaps, and one that does not.
#[derive(RNTuple)]
struct MetAndText {
    met: Option<f32>,
    text: String,
}

/// What is in a column.
#[derive(Clone, Debug, PartialEq)]
enum Kind {
    Number,
    Met,
    Muons { pt: &'static str, has_charge: bool },
    Count,
    Text,
}

impl Kind {
    /// The value of a row that was appended.
    fn cell(&self, number: u64) -> Json {
        match self {
            Self::Number => json!(number),
            Self::Met => met(number).map_or(Json::Null, |met| json!(met)),
            Self::Muons { .. } => Json::Array((0..number % 4).map(|i| self.muon(number, i)).collect()),
            Self::Count => json!(count(number)),
            Self::Text => json!(text(number)),
        }
    }

    fn muon(&self, number: u64, i: u64) -> Json {
        let Self::Muons { pt, has_charge } = self else { panic!("{self:?} has no muons") };
        let muon = muon(number, i);
        match has_charge {
            true => json!({ *pt: muon.pt, "charge": muon.charge }),
            false => json!({ *pt: muon.pt }),
        }
    }

    /// What is written for a cell.
    fn value(&self, cell: &Json) -> Value {
        let float = |cell: &Json| Value::F32(cell.as_f64().unwrap() as f32);
        match self {
            Self::Number => Value::U64(cell.as_u64().unwrap()),
            Self::Met => Value::Option((!cell.is_null()).then(|| Box::new(float(cell)))),
            Self::Muons { pt, has_charge } => {
                let record = |muon: &Json| {
                    let mut names = vec![(*pt).to_owned()];
                    let mut values = vec![float(&muon[*pt])];
                    if *has_charge {
                        names.push("charge".to_owned());
                        values.push(Value::I8(muon["charge"].as_i64().unwrap() as i8));
                    }
                    Value::Record(Record::new(names, values).unwrap())
                };
                Value::List(cell.as_array().unwrap().iter().map(record).collect())
            }
            Self::Count => Value::U32(cell.as_u64().unwrap() as u32),
            Self::Text => Value::String(cell.as_str().unwrap().to_owned()),
        }
    }
}

fn met(number: u64) -> Option<f32> {
    (!number.is_multiple_of(3)).then_some(number as f32 / 2.0)
}

fn muon(number: u64, i: u64) -> Muon {
    Muon { pt: (number + i) as f32, charge: if i.is_multiple_of(2) { 1 } else { -1 } }
}

fn count(number: u64) -> u32 {
    number as u32 * 3
}

fn text(number: u64) -> String {
    format!("row {number}")
}

/// What is computed for a column that is replaced.
fn other_met(number: u64) -> Option<f32> {
    number.is_multiple_of(2).then_some(number as f32 + 0.25)
}

#[derive(Clone, Debug, PartialEq)]
struct Column {
    name: String,
    kind: Kind,
}

/// A version as it should be.
#[derive(Clone, Debug)]
struct Version {
    columns: Vec<Column>,
    /// In the order of the entries: the id, and a cell for each column.
    rows: Vec<(u64, Vec<Json>)>,
}

impl Version {
    fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    fn json(&self) -> Vec<(u64, Json)> {
        let names = || self.columns.iter().map(|column| column.name.clone());
        self.rows.iter().map(|(id, row)| (*id, names().zip(row.iter().cloned()).collect())).collect()
    }

    fn numbers(&self) -> Vec<u64> {
        let column = self.column("number").unwrap();
        self.rows.iter().map(|(_, row)| row[column].as_u64().unwrap()).collect()
    }

    /// Sets a column, which goes to the end if it exists, to a value for each number.
    fn set(&mut self, name: &str, kind: Kind, cell: impl Fn(u64) -> Json) {
        let cells: Vec<Json> = self.numbers().into_iter().map(cell).collect();
        if let Some(old) = self.column(name) {
            self.remove(old);
        }
        self.columns.push(Column { name: name.to_owned(), kind });
        for ((_, row), cell) in self.rows.iter_mut().zip(cells) {
            row.push(cell);
        }
    }

    fn remove(&mut self, column: usize) {
        self.columns.remove(column);
        for (_, row) in &mut self.rows {
            row.remove(column);
        }
    }

    /// Whether it has these columns, and no others.
    fn has(&self, wanted: &[(&str, Kind)]) -> bool {
        let is_wanted = |column: &Column| wanted.contains(&(&*column.name, column.kind.clone()));
        self.columns.len() == wanted.len() && self.columns.iter().all(is_wanted)
    }
}

/// What is done; numbers choose among what exists.
#[derive(Clone, Debug)]
enum Step {
    /// Rows, in clusters of some.
    Append(u64, u64),
    /// Files with some rows each.
    Adopt(Vec<u64>, bool),
    AddCount,
    AddText,
    ReplaceMet,
    Drop(Index),
    DropCharge,
    Rename(Index, u8),
    RenamePt,
    /// Where the number gives this remainder.
    Delete(u64, u64),
    DeleteRows(Vec<Index>),
    Update(u64, u64),
    Compact(u64, f64),
    Restore(Index),
    Tag(Index, u8),
    Untag(u8),
    Cleanup,
    Reopen,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        8 => (0..40u64, 1..20u64).prop_map(|(rows, cluster)| Step::Append(rows, cluster)),
        3 => (proptest::collection::vec(0..12u64, 1..4), any::<bool>())
            .prop_map(|(rows, copies)| Step::Adopt(rows, copies)),
        2 => Just(Step::AddCount),
        2 => Just(Step::AddText),
        2 => Just(Step::ReplaceMet),
        2 => any::<Index>().prop_map(Step::Drop),
        1 => Just(Step::DropCharge),
        1 => (any::<Index>(), 0..3u8).prop_map(|(column, name)| Step::Rename(column, name)),
        1 => Just(Step::RenamePt),
        // Now and then all rows.
        5 => (1..7u64, 0..7u64).prop_map(|(divisor, rest)| Step::Delete(divisor, rest % divisor)),
        4 => proptest::collection::vec(any::<Index>(), 1..5).prop_map(Step::DeleteRows),
        4 => (2..7u64, 0..7u64).prop_map(|(divisor, rest)| Step::Update(divisor, rest % divisor)),
        5 => (prop_oneof![Just(1 << 30), 1_000..8_000u64], prop_oneof![Just(0.0), Just(0.3), Just(1.0)])
            .prop_map(|(size, deleted)| Step::Compact(size, deleted)),
        2 => any::<Index>().prop_map(Step::Restore),
        2 => (any::<Index>(), 0..3u8).prop_map(|(version, tag)| Step::Tag(version, tag)),
        1 => (0..3u8).prop_map(Step::Untag),
        1 => Just(Step::Cleanup),
        1 => Just(Step::Reopen),
    ];
    proptest::collection::vec(step, 1..18)
}

struct World {
    directory: TempDir,
    table: Table,
    /// What should be there.
    versions: BTreeMap<u64, Version>,
    cleaned: BTreeSet<u64>,
    tags: BTreeMap<String, u64>,
    next_number: u64,
    next_row_id: u64,
    files: usize,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("events.rnds");
        let table = Table::create::<Plain>(path.to_str().unwrap(), "Events").unwrap();
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        let columns = vec![
            column("number", Kind::Number),
            column("met", Kind::Met),
            column("muons", Kind::Muons { pt: "pt", has_charge: true }),
        ];
        let versions = BTreeMap::from([(1, Version { columns, rows: Vec::new() })]);
        Self {
            directory,
            table,
            versions,
            cleaned: BTreeSet::new(),
            tags: BTreeMap::new(),
            next_number: 0,
            next_row_id: 0,
            files: 0,
        }
    }

    fn newest(&self) -> &Version {
        self.versions.values().next_back().unwrap()
    }

    fn chosen(&self, version: &Index) -> u64 {
        *version.get(&self.versions.keys().copied().collect::<Vec<_>>())
    }

    /// A new row for the newest version.
    fn row(&mut self) -> Vec<Json> {
        let number = self.next_number;
        self.next_number += 1;
        self.newest().columns.iter().map(|column| column.kind.cell(number)).collect()
    }

    fn with_ids(&mut self, rows: Vec<Vec<Json>>) -> Vec<(u64, Vec<Json>)> {
        let first = self.next_row_id;
        self.next_row_id += rows.len() as u64;
        (first..).zip(rows).collect()
    }

    /// The entry for each row, with members in the order of the schema.
    fn entries(&self, snapshot: &Snapshot, rows: &[Vec<Json>]) -> Vec<Value> {
        let reader = snapshot.reader::<Value>().unwrap();
        let schema = reader.schema();
        let names = schema.top_level().iter().map(|id| schema.field(*id).unwrap().name.clone());
        let names: std::sync::Arc<[String]> = names.collect();
        let entry = |row: &Vec<Json>| {
            let cell = |name: &String| {
                let column = self.newest().column(name).unwrap();
                self.newest().columns[column].kind.value(&row[column])
            };
            Value::Record(Record::new(names.clone(), names.iter().map(cell).collect()).unwrap())
        };
        rows.iter().map(entry).collect()
    }

    /// Checks the version that a step made, and adds it to the model.
    fn committed(&mut self, snapshot: &Snapshot, version: Version) {
        let number = self.versions.keys().next_back().unwrap() + 1;
        assert_eq!(snapshot.version(), number);
        self.versions.insert(number, version);
    }

    fn apply(&mut self, step: &Step) {
        let mut next = self.newest().clone();
        match step {
            Step::Append(rows, cluster) => {
                let rows: Vec<_> = (0..*rows).map(|_| self.row()).collect();
                let snapshot = self.table.snapshot().unwrap();
                let entries = self.entries(&snapshot, &rows);
                let schema = snapshot.reader::<Value>().unwrap().selected_schema().unwrap();
                let appended =
                    self.table.append_with::<Value>(WriteOptions::new().schema(schema), |writer| {
                        for some in entries.chunks(*cluster as usize) {
                            writer.fill_all(some)?;
                            writer.commit_cluster()?;
                        }
                        Ok(())
                    });
                next.rows.extend(self.with_ids(rows));
                self.committed(&appended.unwrap(), next);
            }
            Step::Adopt(files, copies) => {
                let snapshot = self.table.snapshot().unwrap();
                let mut sources = Vec::new();
                for rows in files {
                    let rows: Vec<_> = (0..*rows).map(|_| self.row()).collect();
                    let path = self.directory.path().join(format!("{}.root", self.files));
                    self.files += 1;
                    let schema = snapshot.reader::<Value>().unwrap().selected_schema().unwrap();
                    let options = WriteOptions::new().schema(schema);
                    let mut writer = Writer::<Value>::create(&path, "Events", options).unwrap();
                    writer.fill_all(&self.entries(&snapshot, &rows)).unwrap();
                    writer.finish().unwrap();
                    let adopt = if *copies { Adopt::Copy } else { Adopt::InPlace };
                    sources.push(Source::new(path.to_str().unwrap(), adopt));
                    next.rows.extend(self.with_ids(rows));
                }
                let appended = self.table.append_files(&sources).unwrap();
                self.committed(&appended, next);
            }
            Step::AddCount => {
                let count = |row: &Key| Count { count: count(row.number) };
                let added = self.table.add_columns(|rows: Vec<Key>| rows.iter().map(count).collect());
                next.set("count", Kind::Count, |number| Kind::Count.cell(number));
                self.committed(&added.unwrap(), next);
            }
            Step::AddText => {
                let text = |row: &Key| Text { text: text(row.number) };
                let added = self.table.add_columns(|rows: Vec<Key>| rows.iter().map(text).collect());
                next.set("text", Kind::Text, |number| Kind::Text.cell(number));
                self.committed(&added.unwrap(), next);
            }
            Step::ReplaceMet => {
                let both = |row: &Key| MetAndText { met: other_met(row.number), text: text(row.number + 1) };
                let added = self.table.add_columns(|rows: Vec<Key>| rows.iter().map(both).collect());
                next.set("met", Kind::Met, |number| other_met(number).map_or(Json::Null, |met| json!(met)));
                next.set("text", Kind::Text, |number| json!(text(number + 1)));
                self.committed(&added.unwrap(), next);
            }
            Step::Drop(column) => {
                let column = column.index(next.columns.len());
                let Column { name, kind } = next.columns[column].clone();
                if kind != Kind::Number {
                    next.remove(column);
                    let dropped = self.table.drop_columns(&[&name]).unwrap();
                    self.committed(&dropped, next);
                }
            }
            Step::DropCharge => self.drop_charge(next),
            Step::Rename(column, name) => {
                let column = column.index(next.columns.len());
                let name = format!("name{name}");
                if next.columns[column].kind == Kind::Number {
                    return;
                }
                let renamed = self.table.rename_column(&next.columns[column].name, &name);
                if next.column(&name).is_some() {
                    assert_eq!(renamed.unwrap_err().kind(), ErrorKind::InvalidArgument);
                } else {
                    next.columns[column].name = name;
                    self.committed(&renamed.unwrap(), next);
                }
            }
            Step::RenamePt => self.rename_pt(next),
            Step::Delete(divisor, rest) => {
                let is_gone = |number: u64| number % divisor == *rest;
                let deleted = self.table.delete::<Key>(|row| is_gone(row.number)).unwrap();
                let numbers = next.numbers();
                if numbers.iter().any(|number| is_gone(*number)) {
                    let mut numbers = numbers.into_iter();
                    next.rows.retain(|_| !is_gone(numbers.next().unwrap()));
                    self.committed(&deleted, next);
                } else {
                    assert_eq!(deleted.version(), *self.versions.keys().next_back().unwrap());
                }
            }
            Step::DeleteRows(rows) => {
                if next.rows.is_empty() {
                    return;
                }
                let ids: Vec<u64> = rows.iter().map(|row| row.get(&next.rows).0).collect();
                next.rows.retain(|(id, _)| !ids.contains(id));
                let deleted = self.table.delete_rows(&ids).unwrap();
                self.committed(&deleted, next);
                assert_eq!(self.table.delete_rows(&ids[..1]).unwrap_err().kind(), ErrorKind::NotFound);
            }
            Step::Update(divisor, rest) => self.update(next, |number| number % divisor == *rest),
            Step::Compact(size, deleted) => {
                let before = self.table.snapshot().unwrap();
                let options = CompactOptions::new().target_size(*size).deleted(*deleted);
                let compacted = self.table.compact(&options).unwrap();
                if compacted.version() > before.version() {
                    // Some rows are now after others that stayed where they were.
                    if *size < 1 << 30 {
                        let entries = compacted.live().unwrap();
                        let id = |entry| compacted.row_id(entry).unwrap().unwrap();
                        let places: BTreeMap<u64, usize> = entries.iter().map(id).zip(0..).collect();
                        next.rows.sort_by_key(|(id, _)| places.get(id));
                    }
                    self.committed(&compacted, next);
                }
                if *deleted == 0.0 {
                    assert_eq!(compacted.entry_count(), compacted.len());
                }
            }
            Step::Restore(version) => {
                let version = self.chosen(version);
                next = self.versions[&version].clone();
                let restored = self.table.restore(version).unwrap();
                self.committed(&restored, next);
            }
            Step::Tag(version, tag) => {
                let (version, tag) = (self.chosen(version), format!("tag{tag}"));
                let tagged = self.table.tag(&tag, version);
                match self.tags.contains_key(&tag) {
                    false => tagged.unwrap(),
                    true => {
                        assert_eq!(tagged.unwrap_err().kind(), ErrorKind::InvalidArgument);
                        self.table.move_tag(&tag, version).unwrap();
                    }
                }
                self.tags.insert(tag, version);
            }
            Step::Untag(tag) => {
                let tag = format!("tag{tag}");
                match self.tags.remove(&tag) {
                    Some(_) => self.table.untag(&tag).unwrap(),
                    None => {
                        assert_eq!(self.table.untag(&tag).unwrap_err().kind(), ErrorKind::NotFound);
                    }
                }
            }
            Step::Cleanup => {
                let options = CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO);
                let cleaned = self.table.cleanup(&options).unwrap();
                let newest = *self.versions.keys().next_back().unwrap();
                let is_kept =
                    |version: &u64| *version == newest || self.tags.values().any(|tagged| tagged == version);
                let (kept, gone): (BTreeMap<_, _>, BTreeMap<_, _>) =
                    self.versions.clone().into_iter().partition(|(version, _)| is_kept(version));
                assert_eq!(cleaned.versions, gone.keys().copied().collect::<Vec<_>>());
                self.cleaned.extend(gone.keys());
                self.versions = kept;
            }
            Step::Reopen => {
                let root = self.table.location().root().to_owned();
                self.table = Table::open(&root).unwrap();
            }
        }
    }

    fn drop_charge(&mut self, mut next: Version) {
        let muons = next.columns.iter().position(|column| matches!(column.kind, Kind::Muons { .. }));
        let Some(column) = muons else { return };
        let Kind::Muons { has_charge, .. } = &mut next.columns[column].kind else { return };
        if !std::mem::take(has_charge) {
            return;
        }
        for muon in next.rows.iter_mut().flat_map(|(_, row)| row[column].as_array_mut().unwrap()) {
            muon.as_object_mut().unwrap().remove("charge");
        }
        let path = format!("{}._0.charge", next.columns[column].name);
        let dropped = self.table.drop_columns(&[&path]).unwrap();
        self.committed(&dropped, next);
    }

    fn rename_pt(&mut self, mut next: Version) {
        let muons = next.columns.iter().position(|column| matches!(column.kind, Kind::Muons { .. }));
        let Some(column) = muons else { return };
        let Kind::Muons { pt, .. } = &mut next.columns[column].kind else { return };
        let new = if *pt == "pt" { "momentum" } else { "pt" };
        let old = std::mem::replace(pt, new);
        for muon in next.rows.iter_mut().flat_map(|(_, row)| row[column].as_array_mut().unwrap()) {
            let members = muon.as_object_mut().unwrap();
            let value = members.remove(old).unwrap();
            members.insert(new.to_owned(), value);
        }
        let path = format!("{}._0.{old}", next.columns[column].name);
        let renamed = self.table.rename_column(&path, new).unwrap();
        self.committed(&renamed, next);
    }

    /// Sets `met` of some rows to a number, where there is a type with all fields.
    fn update(&mut self, mut next: Version, is_wanted: impl Fn(u64) -> bool) {
        let base = [
            ("number", Kind::Number),
            ("met", Kind::Met),
            ("muons", Kind::Muons { pt: "pt", has_charge: true }),
        ];
        let with_count = [&base[..], &[("count", Kind::Count)]].concat();
        let updated = if next.has(&base) {
            self.table.update::<Plain>(|row| {
                row.met = Some(-1.0);
                is_wanted(row.number)
            })
        } else if next.has(&with_count) {
            self.table.update::<WithCount>(|row| {
                row.met = Some(-1.0);
                is_wanted(row.number)
            })
        } else {
            let error = self.table.update::<Plain>(|row| is_wanted(row.number)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::SchemaMismatch, "{error}");
            return;
        };
        let updated = updated.unwrap();
        let (column, numbers) = (next.column("met").unwrap(), next.numbers());
        if !numbers.iter().any(|number| is_wanted(*number)) {
            assert_eq!(updated.version(), *self.versions.keys().next_back().unwrap());
            return;
        }
        let (changed, kept): (Vec<_>, Vec<_>) =
            next.rows.into_iter().zip(numbers).partition(|(_, number)| is_wanted(*number));
        next.rows = kept.into_iter().map(|(row, _)| row).collect();
        let mut changed: Vec<Vec<Json>> = changed.into_iter().map(|((_, row), _)| row).collect();
        for row in &mut changed {
            row[column] = json!(-1.0);
        }
        next.rows.extend(self.with_ids(changed));
        self.committed(&updated, next);
    }

    /// Compares the newest version, an old one, and some rows by their ids.
    fn check(&self, some: &[Index]) {
        let (newest, expected) = self.versions.iter().next_back().unwrap();
        let snapshot = self.table.snapshot().unwrap();
        assert_eq!(snapshot.version(), *newest);
        assert_same(&snapshot, expected);
        let old = self.chosen(&some[0]);
        assert_same(&self.table.at(old).unwrap(), &self.versions[&old]);
        for version in &self.cleaned {
            assert_eq!(self.table.at(*version).unwrap_err().kind(), ErrorKind::NotFound);
        }
        assert_eq!(self.table.tags().unwrap(), self.tags);

        let rows = expected.json();
        if !rows.is_empty() {
            let chosen: Vec<&(u64, Json)> = some.iter().map(|index| index.get(&rows)).collect();
            let ids: Vec<u64> = chosen.iter().map(|(id, _)| *id).collect();
            let taken = snapshot.take::<Value>(&ids).unwrap();
            let taken: Vec<Json> = taken.iter().map(|row| serde_json::to_value(row).unwrap()).collect();
            assert_eq!(
                taken.iter().collect::<Vec<_>>(),
                chosen.iter().map(|(_, row)| row).collect::<Vec<_>>()
            );
        }
        // Entries that a program chooses are those of them that are not deleted.
        let even: rntuple::EntryList = (0..snapshot.entry_count()).step_by(2).collect();
        let reader = snapshot.reader_with::<Key>(ReadOptions::new().only(&even)).unwrap();
        let numbers: Vec<u64> = reader.entries().map(|row| row.unwrap().number).collect();
        let all = snapshot.live().unwrap();
        let expected = all.iter().zip(expected.numbers()).filter(|(entry, _)| entry.is_multiple_of(2));
        assert_eq!(numbers, expected.map(|(_, number)| number).collect::<Vec<_>>());

        let live: BTreeSet<u64> = rows.iter().map(|(id, _)| *id).collect();
        if let Some(gone) = (0..=self.next_row_id).find(|id| !live.contains(id)) {
            assert_eq!(snapshot.entry_of(gone).unwrap(), None);
            assert_eq!(snapshot.take::<Value>(&[gone]).unwrap_err().kind(), ErrorKind::NotFound);
        }
    }

    fn check_files(&self) {
        let report = self.table.check(true).unwrap();
        assert!(report.is_sound(), "{:?}", report.findings);
        assert_eq!(report.versions, self.versions.len());
        // What was adopted where it lies is never removed.
        for file in 0..self.files {
            assert!(Path::new(&self.directory.path().join(format!("{file}.root"))).exists());
        }
    }
}

#[track_caller]
fn assert_same(snapshot: &Snapshot, expected: &Version) {
    let entries = snapshot.live().unwrap();
    let ids = entries.iter().map(|entry| snapshot.row_id(entry).unwrap().unwrap());
    let reader = snapshot.reader::<Value>().unwrap();
    let rows = reader.entries().map(|row| serde_json::to_value(row.unwrap()).unwrap());
    let found: Vec<(u64, Json)> = ids.zip(rows).collect();
    assert_eq!(snapshot.len(), expected.rows.len() as u64, "version {}", snapshot.version());
    assert_eq!(found, expected.json(), "version {}", snapshot.version());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_data_set_is_a_list_of_rows_for_each_version(
        steps in steps(),
        some in proptest::collection::vec(any::<Index>(), 1..6),
    ) {
        let mut world = World::new();
        for step in &steps {
            world.apply(step);
            world.check(&some);
        }
        world.check_files();
    }
}
