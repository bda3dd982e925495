//! What all of these tests do: write, look at the schema, read back in every way.

use std::fmt::Debug;
use std::sync::Arc;

use rntuple::check::{CheckOptions, check_file};
use rntuple::encoding::ColumnType;
use rntuple::field::{ReadField, WriteField};
use rntuple::schema::{ColumnId, FieldDescriptor, Schema};
use rntuple::storage::Memory;
use rntuple::{Dataset, Error, RNTuple, Reader, RootFile, WriteOptions, Writer};
use rntuple_tests::sample::Random;

/// Enough for several clusters and pages.
pub(crate) fn many<T>(make: impl Fn(u64) -> T) -> Vec<T> {
    (0..40).map(make).collect()
}

/// Some text, also none.
pub(crate) fn text(n: u64) -> String {
    "abc".repeat((n % 4) as usize)
}

/// Some numbers, also none.
pub(crate) fn list<T>(n: u64, make: impl Fn(u64) -> T) -> Vec<T> {
    (0..n % 5).map(|i| make(10 * n + i)).collect()
}

/// The entries in clusters of `per_cluster`, in small pages. Nothing is wrong with the file.
pub(crate) fn write_in<T: rntuple::Entry + WriteField>(entries: &[T], per_cluster: usize) -> Memory {
    let options = WriteOptions::new().initial_page_length(32).max_page_length(64);
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
    for entries in entries.chunks(per_cluster) {
        writer.fill_all(entries).unwrap();
        writer.commit_cluster().unwrap();
    }
    let file = writer.finish_into().unwrap().1;
    let report = check_file(&RootFile::from_storage(file.clone()).unwrap(), CheckOptions::new());
    assert!(report.is_sound(), "{report:?}");
    file
}

pub(crate) fn write<T: rntuple::Entry + WriteField>(entries: &[T]) -> Memory {
    write_in(entries, 16)
}

pub(crate) fn dataset(file: &Memory) -> Dataset {
    Dataset::open(&RootFile::from_storage(file.clone()).unwrap(), "Events").unwrap()
}

pub(crate) fn schema(file: &Memory) -> Arc<Schema> {
    dataset(file).schema().clone()
}

/// The schema that a type is written with, from a file.
pub(crate) fn schema_of<T: rntuple::Entry + WriteField>(entry: &T) -> Arc<Schema> {
    schema(&write(std::slice::from_ref(entry)))
}

pub(crate) fn field(schema: &Schema, path: &str) -> FieldDescriptor {
    let id = schema.find(path).unwrap_or_else(|| panic!("no field {path} among {:?}", names(schema)));
    schema.field(id).unwrap().clone()
}

/// The paths of all fields, in order.
pub(crate) fn names(schema: &Schema) -> Vec<String> {
    schema.fields().map(|(id, _)| schema.path(id)).collect()
}

/// The names of the columns of a field.
pub(crate) fn columns(schema: &Schema, path: &str) -> Vec<&'static str> {
    let ids = &schema.representations(schema.find(path).unwrap())[0];
    let name = |id: &ColumnId| ColumnType::from_code(schema.column(*id).unwrap().type_code).unwrap().name();
    ids.iter().map(name).collect()
}

pub(crate) fn open<T: rntuple::Entry + ReadField>(file: &Memory) -> Result<Reader<T>, Error> {
    Reader::open(file.clone(), "Events")
}

/// The differences that opening as `T` tells: field, found, wanted.
pub(crate) fn refused<T: rntuple::Entry + ReadField>(file: &Memory) -> Vec<(String, String, String)> {
    let error = open::<T>(file).map(drop).unwrap_err();
    let told = error.mismatches().iter();
    let told: Vec<_> = told.map(|it| (it.field.clone(), it.found.clone(), it.wanted.clone())).collect();
    // The text has the first ten of them.
    for (field, found, wanted) in told.iter().take(10) {
        let text = error.to_string();
        assert!(text.contains(field) && text.contains(found) && text.contains(wanted), "{text}");
    }
    told
}

/// What the writer says of a type that cannot be.
pub(crate) fn unwritable<T: rntuple::Entry + WriteField>() -> String {
    Writer::<T, _>::new(Memory::new(), "Events", WriteOptions::new()).map(drop).unwrap_err().to_string()
}

/// In order, in place of others, at random, and at random in place of others.
pub(crate) fn compare<T>(file: &Memory, wanted: &[T])
where
    T: rntuple::Entry + ReadField + PartialEq + Debug + Clone,
{
    let reader = open::<T>(file).unwrap();
    assert_eq!(reader.entry_count().unwrap(), wanted.len() as u64);
    for (entry, (read, wanted)) in reader.entries().zip(wanted).enumerate() {
        assert_eq!(read.unwrap(), *wanted, "entry {entry}");
    }
    let mut slot = wanted.last().unwrap().clone();
    let mut walk = reader.entries();
    for wanted in wanted {
        assert!(walk.read_into(&mut slot).unwrap());
        assert_eq!(slot, *wanted);
    }
    assert!(!walk.read_into(&mut slot).unwrap());
    let mut random = Random::new(3);
    for _ in 0..60 {
        let entry = random.below(wanted.len());
        assert_eq!(reader.get(entry as u64).unwrap(), wanted[entry], "entry {entry}");
        let entry = random.below(wanted.len());
        reader.read_into(entry as u64, &mut slot).unwrap();
        assert_eq!(slot, wanted[entry], "entry {entry}, in place");
    }
}

/// Anywhere that is not an entry.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Nested<T> {
    items: Vec<T>,
    sides: [T; 2],
    maybe: Option<T>,
    number: u64,
}

/// The same for types that cannot be in a class.
#[derive(RNTuple, Clone, Debug, PartialEq)]
struct List<T> {
    items: Vec<T>,
    number: u64,
}

fn nested<T: Clone>(values: &[T]) -> Vec<Nested<T>> {
    let one = |at: usize| values[at % values.len()].clone();
    let nested = |at: usize| Nested {
        items: (at..at + at % 4).map(one).collect(),
        sides: [one(at + 3), one(at)],
        maybe: (!at.is_multiple_of(3)).then(|| one(at)),
        number: at as u64,
    };
    (0..values.len()).map(nested).collect()
}

fn lists<T: Clone>(values: &[T]) -> Vec<List<T>> {
    let one = |at: usize| values[at % values.len()].clone();
    let list = |at: usize| List { items: (at..at + at % 4).map(one).collect(), number: at as u64 };
    (0..values.len()).map(list).collect()
}

/// Writes values of one type and compares what another reads: as entries, in lists, arrays and options, in
/// clusters of all sizes.
pub(crate) fn evolve<Old, New>(old: &[Old], new: &[New])
where
    Old: rntuple::Entry + WriteField + Clone,
    New: rntuple::Entry + ReadField + PartialEq + Debug + Clone,
{
    for per_cluster in [100, 7, 1] {
        compare(&write_in(old, per_cluster), new);
        compare(&write_in(&nested(old), per_cluster), &nested(new));
    }
}

/// As [`evolve`], without what needs classes.
pub(crate) fn evolve_untyped<Old, New>(old: &[Old], new: &[New])
where
    Old: rntuple::Entry + WriteField + Clone,
    New: rntuple::Entry + ReadField + PartialEq + Debug + Clone,
{
    for per_cluster in [100, 7, 1] {
        compare(&write_in(old, per_cluster), new);
        compare(&write_in(&lists(old), per_cluster), &lists(new));
    }
}

/// What is written comes back, wherever it stands.
pub(crate) fn round_trip<T>(entries: &[T])
where
    T: rntuple::Entry + WriteField + ReadField + PartialEq + Debug + Clone,
{
    evolve(entries, entries);
}
