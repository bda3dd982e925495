//! What was written as one type and is read as another: right, or refused.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fmt::Debug;

use half::f16;
use rntuple::cxx::{BitSet, Byte, Cardinality, CxxChar};
use rntuple::encoding::Index;
use rntuple::field::{
    Attach, ColumnWriter, Commit, FieldBuilder, FieldNode, FieldReader, FieldWriter, Gathered, Position,
    ReadField, WriteField,
};
use rntuple::schema::TypeName;
use rntuple::storage::Memory;
use rntuple::{ErrorKind, RNTuple, Reader, Result, Value, WriteOptions, Writer};
use rntuple_tests::places::places;
use rntuple_tests::sample::{One, Random, Sample, samples};

/// A size as ROOT writes it: the end offsets of some collection, as a field of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Size(u64);

struct SizeWriter(ColumnWriter<Index>, u64);

impl Commit for SizeWriter {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        if cluster.cluster_ends() {
            self.1 = 0;
        }
        self.0.commit(cluster);
    }
}

impl FieldWriter<Size> for SizeWriter {
    fn append(&mut self, value: &Size) -> usize {
        self.1 = self.1.wrapping_add(value.0);
        self.0.push(Index(self.1))
    }
}

impl WriteField for Size {
    type Writer = SizeWriter;

    fn type_name() -> TypeName {
        TypeName::typed("ROOT::RNTupleCardinality<std::uint64_t>")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> SizeWriter {
        field.plain(&Self::type_name());
        SizeWriter(field.column(), 0)
    }
}

/// An option as C++ keeps it behind a pointer.
#[derive(Clone, Debug, PartialEq)]
struct Unique<T>(Option<T>);

struct UniqueWriter<W>(ColumnWriter<Index>, u64, W);

impl<W: Commit> Commit for UniqueWriter<W> {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        if cluster.cluster_ends() {
            self.1 = 0;
        }
        self.0.commit(cluster);
        self.2.commit(cluster);
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<Unique<T>> for UniqueWriter<W> {
    fn append(&mut self, value: &Unique<T>) -> usize {
        self.1 += u64::from(value.0.is_some());
        value.0.as_ref().map_or(0, |value| self.2.append(value)) + self.0.push(Index(self.1))
    }
}

impl<T: WriteField> WriteField for Unique<T> {
    type Writer = UniqueWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::template("std::unique_ptr", [&T::type_name()])
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.collection(&Self::type_name());
        let offsets = field.column();
        UniqueWriter(offsets, 0, T::declare(&mut field.item()))
    }
}

/// A value that may lose something on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Lossy<T>(T);

struct LossyReader<R>(R);

impl<R: Attach> Attach for LossyReader<R> {
    const DETACHED: Self = Self(R::DETACHED);

    fn seek(&mut self, to: Position<'_>) -> Result<()> {
        self.0.seek(to)
    }

    fn remaining(&self) -> Option<u64> {
        self.0.remaining()
    }
}

impl<T, R: FieldReader<T>> FieldReader<Lossy<T>> for LossyReader<R> {
    fn read(&mut self) -> Result<Lossy<T>> {
        self.0.read().map(Lossy)
    }
}

impl<T: ReadField> ReadField for Lossy<T> {
    type Reader = LossyReader<T::Reader>;

    fn connect(field: FieldNode<'_>, reader: &mut Self::Reader) -> Result<()> {
        T::connect(field.lossy(), &mut reader.0)
    }
}

#[derive(RNTuple, Clone, Copy, Debug, Default, PartialEq)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Named {
    name: String,
    point: Point,
    marks: Vec<u8>,
    corner: [f32; 2],
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[rntuple(type_name = "Kind")]
#[repr(u8)]
enum Kind {
    A = 0,
    B = 1,
    C = 2,
}

/// The values in clusters of `per_cluster`, in pages of a few.
fn write<T: WriteField + Clone>(values: &[T], per_cluster: usize) -> Memory {
    let options = WriteOptions::new().initial_page_length(16).max_page_length(32).checksums(false);
    let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
    for values in values.chunks(per_cluster) {
        for value in values {
            writer.fill(&One { value: value.clone() }).unwrap();
        }
        writer.commit_cluster().unwrap();
    }
    writer.finish_into().unwrap().1
}

fn open<T: ReadField>(file: &Memory) -> Result<Reader<One<T>>> {
    Reader::open(file.clone(), "Events")
}

fn refused<T: ReadField>(file: &Memory) -> String {
    open::<T>(file).map(drop).unwrap_err().to_string()
}

/// Writes values of one type and compares what another reads: in order, in place, and at random.
fn evolve<Old, New>(old: Vec<Old>, new: impl Fn(&Old) -> New)
where
    Old: WriteField + Clone,
    New: ReadField + PartialEq + Debug + Clone,
{
    let wanted: Vec<New> = old.iter().map(new).collect();
    for per_cluster in [1000, 17, 1] {
        let file = write(&old, per_cluster);
        let reader = open::<New>(&file).unwrap();
        let read: Vec<New> = reader.entries().map(|one| one.unwrap().value).collect();
        assert_eq!(read, wanted);
        let mut random = Random::new(5);
        for _ in 0..100 {
            let entry = random.below(wanted.len());
            assert_eq!(reader.get(entry as u64).unwrap().value, wanted[entry], "entry {entry}");
        }
        let mut slot = One { value: wanted[0].clone() };
        let mut walk = reader.entries();
        for wanted in &wanted {
            assert!(walk.read_into(&mut slot).unwrap());
            assert_eq!(slot.value, *wanted);
        }
    }
}

fn some<T: Sample>() -> Vec<Option<T>> {
    samples(60, 3).into_iter().map(Some).collect()
}

fn many<T: Sample>() -> Vec<T> {
    samples(60, 4)
}

fn named() -> Vec<Named> {
    let mut random = Random::new(1);
    let mut number = |limit: u16| f32::from(random.below(limit.into()) as u16);
    let named = |n: usize| Named {
        name: "n".repeat(n % 5),
        point: Point { x: number(9), y: number(9) },
        marks: vec![n as u8; n % 4],
        corner: [number(5), number(6)],
    };
    (0..60).map(named).collect()
}

#[test]
fn what_was_always_there_may_be_missing_today() {
    evolve(many::<f32>(), |value| Some(*value));
    evolve(many::<String>(), |value| Some(value.clone()));
    evolve(many::<Vec<f32>>(), |value| Some(value.clone()));
    // The outer one is the one that the file knows.
    evolve(many::<Option<u8>>(), |value| value.map(|value| Some(u64::from(value))));
    evolve(many::<[u8; 3]>(), |value| value.map(Some));
    evolve(many::<Vec<i32>>(), |value| value.iter().map(|item| Some(i64::from(*item))).collect::<Vec<_>>());
    evolve(named(), |value| Some(value.clone()));
    evolve(many::<BitSet<11>>(), |value| Some(*value));
    evolve(many::<Option<String>>().into_iter().map(Unique).collect::<Vec<_>>(), |value: &Unique<String>| {
        value.0.clone()
    });
}

#[test]
fn what_may_be_missing_is_not_always_there() {
    let help = "; read it as `Option<..>`, or give the member a `default`";
    let check = |text: String| assert!(text.ends_with(help), "{text}");
    check(refused::<f32>(&write(&some::<f32>(), 9)));
    check(refused::<String>(&write(&some::<String>(), 9)));
    check(refused::<[f32; 3]>(&write(&some::<[f32; 3]>(), 9)));
    check(refused::<BitSet<11>>(&write(&some::<BitSet<11>>(), 9)));
    check(refused::<Named>(&write(&named().into_iter().map(Some).collect::<Vec<_>>(), 9)));
    check(refused::<Named>(&write(
        &named().into_iter().map(|named| Unique(Some(named))).collect::<Vec<_>>(),
        9,
    )));
    check(refused::<Vec<f32>>(&write(&[vec![Some(1.5f32)]], 1)));
    check(refused::<Option<f32>>(&write(&[Some(Some(2.5f32))], 1)));
    check(refused::<Kind>(&write(&[Some(Kind::B)], 1)));
    // An option is a collection of none or one, whatever the one is.
    evolve(many::<Option<Vec<String>>>(), |value| value.iter().cloned().collect::<Vec<Vec<String>>>());
    let text = refused::<Vec<String>>(&write(&some::<Vec<String>>(), 9));
    assert!(
        text.ends_with(
            "value._0: the file has std::vector<std::string> (SplitIndex64), the type wants a string"
        ),
        "{text}"
    );
}

#[test]
fn collections_are_collections() {
    evolve(many::<[f32; 3]>(), |value| value.to_vec());
    evolve(many::<[String; 2]>(), |value| value.iter().cloned().collect::<VecDeque<_>>());
    evolve(many::<[f32; 3]>(), |value| value.to_vec().into_boxed_slice());
    evolve(many::<Vec<[f32; 3]>>(), |value| value.iter().map(|item| item.to_vec()).collect::<Vec<_>>());
    evolve(many::<[[u16; 2]; 3]>(), |value| value.map(Vec::from).to_vec());
    evolve(many::<[Vec<u16>; 2]>(), |value| value.to_vec());
    evolve(many::<BitSet<13>>(), |value| value.as_array().to_vec());
    evolve(many::<BitSet<13>>(), |value| value.as_array().map(u16::from).to_vec());
    evolve(many::<[BitSet<3>; 2]>(), |value| value.map(|bits| bits.as_array().to_vec()).to_vec());
    evolve(many::<Option<f32>>(), |value| value.iter().copied().collect::<Vec<_>>());
    evolve(many::<Option<Point>>(), |value| value.iter().copied().collect::<Vec<_>>());
    evolve(many::<Option<u8>>(), |value| value.iter().copied().collect::<BTreeSet<u8>>());
    evolve(many::<BTreeSet<u8>>(), |value| value.iter().map(|item| u32::from(*item)).collect::<Vec<_>>());
    evolve(many::<BTreeMap<u8, f32>>(), |value| value.clone().into_iter().collect::<Vec<_>>());
    let keyed = |value: f32| [(1u8, value), (2, value)];
    evolve(many::<f32>().into_iter().map(keyed).collect(), |value| BTreeMap::from(*value));
    evolve(many::<[u8; 1]>(), |value| BTreeSet::from(*value));
    evolve(vec![[Point::default(); 3]; 40], |value| value.to_vec());
}

impl Sample for Point {
    fn sample(random: &mut Random) -> Self {
        Self { x: f32::sample(random), y: f32::sample(random) }
    }
}

#[test]
fn collections_are_not_arrays() {
    let text = refused::<[u8; 4]>(&write(&[[1u8, 2, 3]], 1));
    assert!(
        text.ends_with("the file has std::array<std::uint8_t,3>, the type wants an array of 4"),
        "{text}"
    );
    let help = "; collections have any length: read it as `Vec<..>`";
    for text in [
        refused::<[u8; 3]>(&write(&[vec![1u8, 2, 3]], 1)),
        refused::<[u8; 3]>(&write(&[BTreeSet::from([1u8, 2, 3])], 1)),
        refused::<BitSet<3>>(&write(&[vec![true; 3]], 1)),
        refused::<[bool; 3]>(&write(&[vec![true; 3]], 1)),
    ] {
        assert!(text.contains("the type wants an array of 3") && text.ends_with(help), "{text}");
    }
    assert!(refused::<[u8; 1]>(&write(&[Some(1u8)], 1)).contains("an array of 1; read it as `Option<..>`"));
    assert!(refused::<[u8; 1]>(&write(&[1u8], 1)).ends_with("an array of 1"));
}

#[test]
fn sizes_are_numbers() {
    let sizes: Vec<Size> = (0..60).map(|n| Size(n * 7 % 11)).collect();
    evolve(sizes.clone(), |size| size.0);
    evolve(sizes.clone(), |size| size.0 as u8);
    evolve(sizes.clone(), |size| size.0 as i32);
    evolve(sizes.clone(), |size| Some(size.0 as u32));
    evolve(sizes.clone(), |size| Lossy(size.0 as f32));
    evolve(sizes.clone(), |size| Cardinality(size.0));
    evolve(sizes.iter().map(|size| [*size; 3]).collect(), |sizes: &[Size; 3]| {
        sizes.iter().map(|size| size.0).collect::<Vec<_>>()
    });
    let reader = open::<u8>(&write(&[Size(2), Size(300), Size(5)], 9)).unwrap();
    assert_eq!(reader.get(2).unwrap().value, 5);
    assert!(reader.get(1).unwrap_err().to_string().contains("the value 300 does not fit into `u8`"));
    // No other collection is a number.
    assert!(refused::<u64>(&write(&[vec![1u8]], 1)).contains("the type wants u64"));
    assert!(refused::<f32>(&write(&[Size(1)], 1)).contains("lossy"));
}

/// What `std::atomic` stands around.
#[derive(Clone, Debug, PartialEq)]
struct Atomic<T>(T);

struct AtomicWriter<W>(W);

impl<W: Commit> Commit for AtomicWriter<W> {
    fn commit(&mut self, cluster: &mut Gathered<'_>) {
        self.0.commit(cluster);
    }
}

impl<T, W: FieldWriter<T>> FieldWriter<Atomic<T>> for AtomicWriter<W> {
    fn append(&mut self, value: &Atomic<T>) -> usize {
        self.0.append(&value.0)
    }
}

impl<T: WriteField> WriteField for Atomic<T> {
    type Writer = AtomicWriter<T::Writer>;

    fn type_name() -> TypeName {
        TypeName::template("std::atomic", [&T::type_name()])
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.plain(&Self::type_name());
        AtomicWriter(T::declare(&mut field.item()))
    }
}

#[derive(RNTuple, Clone, Copy, Debug, PartialEq)]
#[repr(i16)]
enum Wider {
    C = 2,
    A = 0,
    B = 1,
}

#[test]
fn wrappers_are_what_is_inside() {
    evolve(many::<f32>().into_iter().map(Atomic).collect::<Vec<_>>(), |value: &Atomic<f32>| value.0);
    evolve(many::<f32>().into_iter().map(Atomic).collect::<Vec<_>>(), |value: &Atomic<f32>| Some(value.0));
    evolve(vec![Atomic(Point { x: 1.0, y: 2.0 }); 30], |value| value.0);
    evolve(vec![Some(Atomic(Point { x: 1.0, y: 2.0 })); 30], |value| value.clone().map(|value| value.0));
    evolve(vec![[Kind::C, Kind::A, Kind::B]; 30], |_| vec![Wider::C, Wider::A, Wider::B]);
    evolve(vec![Kind::C; 30], |_| CxxChar(2));
    evolve(vec![Some(Kind::B); 30], |_| Some(true));
    evolve(vec![CxxChar(1); 30], |_| Kind::B);
}

#[derive(RNTuple)]
#[rntuple(skip_writing)]
struct Everything {
    #[rntuple(rename = "ArrayInt")]
    array: Vec<i64>,
    #[rntuple(rename = "BitsetField")]
    bits: VecDeque<bool>,
    #[rntuple(rename = "AtomicDoubleField")]
    atomic: Option<f64>,
    #[rntuple(rename = "MultisetField")]
    words: Box<[String]>,
    #[rntuple(rename = "MapIntDouble")]
    map: Vec<(i16, f64)>,
    #[rntuple(rename = "BoolField")]
    flag: Option<u8>,
}

#[derive(RNTuple)]
#[rntuple(skip_writing)]
struct Muons {
    #[rntuple(rename = "nMuon")]
    count: u16,
    #[rntuple(rename = "Muon_charge")]
    charges: VecDeque<i8>,
}

#[test]
fn files_by_root_are_read_as_other_types() {
    for reference in rntuple_tests::reference::files("jsroot_all_types-v1.") {
        let values = Reader::<Value>::open(&reference.file, "Data").unwrap();
        let typed = Reader::<Everything>::open(&reference.file, "Data").unwrap();
        for (value, typed) in values.entries().zip(typed.entries()) {
            let (value, typed) = (serde_json::to_value(value.unwrap()).unwrap(), typed.unwrap());
            assert_eq!(value["ArrayInt"], serde_json::json!(typed.array));
            assert_eq!(value["BitsetField"], serde_json::json!(typed.bits));
            assert_eq!(value["AtomicDoubleField"], serde_json::json!(typed.atomic));
            assert_eq!(value["MultisetField"], serde_json::json!(typed.words));
            assert_eq!(value["MapIntDouble"].as_array().map(Vec::len), Some(typed.map.len()));
            assert_eq!(value["BoolField"].as_bool().map(u8::from), typed.flag);
        }
    }
    for reference in rntuple_tests::reference::files("Muons_1000evts-v1.") {
        let reader = Reader::<Muons>::open(&reference.file, "Events").unwrap();
        let counts: Vec<u16> = reader
            .entries()
            .map(|muons| {
                let Muons { count, charges } = muons.unwrap();
                assert_eq!(usize::from(count), charges.len());
                count
            })
            .collect();
        assert_eq!(counts.len(), 1000);
        for entry in [999, 0, 500, 501, 499] {
            assert_eq!(reader.get(entry).unwrap().count, counts[entry as usize]);
        }
    }
}

#[test]
fn values_around_one_that_does_not_fit_are_read() {
    // Pages of eight values, and bad ones at all places of a page.
    let bad = [0usize, 5, 6, 15, 16, 22, 39];
    let values: Vec<i32> = (0..40).map(|n| if bad.contains(&n) { -7 } else { n as i32 }).collect();
    let file = write(&values, 1000);
    let reader = open::<u8>(&file).unwrap();
    for order in [(0..40).collect::<Vec<_>>(), (0..40).rev().collect(), (0..40).map(|n| n * 7 % 40).collect()]
    {
        for entry in order {
            match reader.get(entry as u64) {
                Ok(one) => assert_eq!(i32::from(one.value), values[entry]),
                Err(error) => {
                    assert!(bad.contains(&entry), "{error}");
                    assert_eq!(error.location().field.as_deref(), Some("value"));
                    let message = format!("element {entry}: the value -7 does not fit into `u8`");
                    assert!(error.to_string().ends_with(&message), "{error}");
                }
            }
        }
    }
    let walk = reader.entries_in(1..40).map_while(|one| one.ok()).count();
    assert_eq!(walk, 4, "up to the value, not up to the page");
    // In rows as well.
    let file = write(&[vec![1i64, 2], vec![3, i64::MAX, 5], vec![6]], 9);
    let reader = open::<Vec<u8>>(&file).unwrap();
    assert_eq!(reader.get(0).unwrap().value, [1, 2]);
    assert!(reader.get(1).unwrap_err().to_string().contains(&i64::MAX.to_string()));
    assert_eq!(reader.get(2).unwrap().value, [6]);
    let error = open::<i8>(&write(&[u64::MAX], 1)).unwrap().get(0).unwrap_err();
    assert!(error.to_string().contains("the value 18446744073709551615"), "{error}");
}

#[test]
fn losses_are_taken_where_they_are_asked_for() {
    fn read<Old: WriteField + Clone, New: ReadField>(values: &[Old]) -> Vec<New> {
        open::<Lossy<New>>(&write(values, 9)).unwrap().entries().map(|one| one.unwrap().value.0).collect()
    }
    let floats = [f64::NAN, -1.9, 1.9, 1e300, -1e300, f64::INFINITY, 255.0, 0.0];
    assert_eq!(read::<_, u8>(&floats), [0, 0, 1, 255, 0, 255, 255, 0]);
    assert_eq!(read::<_, i64>(&floats), [0, -1, 1, i64::MAX, i64::MIN, i64::MAX, 255, 0]);
    assert_eq!(read::<_, bool>(&floats), [true, true, true, true, true, true, true, false]);
    assert_eq!(read::<_, f16>(&floats[6..]), [f16::from_f32(255.0), f16::ZERO]);
    assert_eq!(read::<_, CxxChar>(&floats[1..4]), [0u8, 1, 255].map(CxxChar));
    let numbers = [i64::MIN, -1, 0, 1, 255, 256, i64::MAX];
    assert_eq!(read::<_, u8>(&numbers), [0, 0, 0, 1, 255, 255, 255]);
    assert_eq!(read::<_, i8>(&numbers), [-128, -1, 0, 1, 127, 127, 127]);
    assert_eq!(read::<_, u64>(&numbers), [0, 0, 0, 1, 255, 256, i64::MAX as u64]);
    assert_eq!(read::<_, Byte>(&numbers), [0u8, 0, 0, 1, 255, 255, 255].map(Byte));
    assert_eq!(read::<_, bool>(&numbers), [true, true, false, true, true, true, true]);
    assert_eq!(read::<_, f32>(&[16_777_217i32, -3]), [16_777_216.0, -3.0]);
    assert_eq!(read::<_, f64>(&[u64::MAX, 1]), [18_446_744_073_709_551_616.0, 1.0]);
    assert_eq!(read::<_, f16>(&[70_000u32, 2]), [f16::INFINITY, f16::from_f32(2.0)]);
    assert_eq!(read::<_, i64>(&[u64::MAX]), [i64::MAX]);
    assert_eq!(read::<_, f32>(&[true, false]), [1.0, 0.0]);
    assert_eq!(read::<_, Vec<i8>>(&[vec![1.5f32, -200.0]]), [[1, -128]]);
    assert_eq!(read::<_, (u8, Option<u8>)>(&[(0.5f64, 2.5f64)]), [(0, Some(2))]);
    // Only numbers.
    assert!(open::<Lossy<f32>>(&write(&["1.5".to_owned()], 1)).is_err());
    assert!(open::<Lossy<u64>>(&write(&[vec![1u8]], 1)).is_err());
    let text = refused::<Vec<f32>>(&write(&[vec![1i32]], 1));
    assert!(
        text.ends_with(
            "value._0: the file has std::int32_t (SplitInt32), the type wants f32; `#[rntuple(convert = \"lossy\")]` would convert it"
        ),
        "{text}"
    );
}

#[test]
fn all_differences_come_in_one_error() {
    type Old = (f32, Vec<u8>, Option<String>, [u8; 3]);
    type New = (String, Vec<f32>, Option<u8>, [u8; 4]);
    let file = write::<Old>(&[(0.0, vec![], None, [0; 3])], 1);
    let error = open::<New>(&file).map(drop).unwrap_err();
    let fields: Vec<&str> = error.mismatches().iter().map(|one| &*one.field).collect();
    assert_eq!(fields, ["value._0", "value._1._0", "value._2._0", "value._3"], "{error}");
}

#[test]
fn a_flipped_byte_never_panics() {
    type Old = (Option<[u8; 3]>, Vec<i16>, Option<Vec<bool>>, [Option<String>; 2], Size);
    let old = |n: u8| {
        let text = Some("ab".repeat(usize::from(n)));
        let numbers = vec![10, 20, i16::from(n)];
        (Some([n; 3]), numbers, Some(vec![true; 4]), [text.clone(), text], Size(n.into()))
    };
    let file = write::<Old>(&[old(1), old(2), old(3)], 2);
    type New = (Vec<Vec<u64>>, BTreeSet<u8>, Option<Vec<u8>>, Vec<Option<String>>, u8);
    let read = |bytes: Vec<u8>| -> Result<usize> {
        let reader = open::<New>(&Memory::from(bytes))?;
        let good = (0..reader.entry_count().unwrap().min(9))
            .rev()
            .filter(|entry| reader.get(*entry).is_ok())
            .count();
        let _ = reader.entries().take(9).filter(Result::is_ok).count();
        let lossy = open::<Lossy<New>>(&file)?.entries().filter(Result::is_ok).count();
        Ok(good.min(lossy))
    };
    let bytes = file.as_bytes().to_vec();
    assert_eq!(read(bytes.clone()).unwrap(), 3);
    for position in places(bytes.len()) {
        for flip in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[position] ^= flip;
            let _ = read(bytes);
        }
    }
}

/// Whatever offsets somebody claims, under the name of an option; each with one value.
#[derive(Clone)]
struct Claim(u64);

impl WriteField for Claim {
    type Writer = UniqueWriter<ColumnWriter<u8>>;

    fn type_name() -> TypeName {
        TypeName::typed("std::optional<std::uint8_t>")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.collection(&Self::type_name());
        let offsets = field.column();
        UniqueWriter(offsets, 0, u8::declare(&mut field.item()))
    }
}

impl FieldWriter<Claim> for UniqueWriter<ColumnWriter<u8>> {
    fn append(&mut self, value: &Claim) -> usize {
        self.0.push(Index(value.0)) + self.2.push(7)
    }
}

/// An array that no memory could hold, of records that take no bytes.
#[derive(Clone)]
struct Endless;

#[derive(RNTuple, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Nothing {}

impl WriteField for Endless {
    type Writer = AtomicWriter<<Nothing as WriteField>::Writer>;

    fn type_name() -> TypeName {
        TypeName::typed("std::array<Nothing,1099511627776>")
    }

    fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
        field.array(&Self::type_name(), 1 << 40);
        AtomicWriter(Nothing::declare(&mut field.item()))
    }
}

impl<W: Commit> FieldWriter<Endless> for AtomicWriter<W> {
    fn append(&mut self, _: &Endless) -> usize {
        0
    }
}

#[test]
fn what_a_file_claims_is_not_believed() {
    fn read<T: ReadField>(file: &Memory) -> [Result<T>; 2] {
        let reader = open::<T>(file).unwrap();
        [0, 1].map(|entry| reader.get(entry).map(|one| one.value))
    }
    // Two values in the second option, or 2^60 of them, or fewer than none.
    for end in [3, 1 << 60, 0] {
        let file = write(&[Claim(1), Claim(end)], 9);
        let [first, second] = read::<Option<u8>>(&file);
        assert_eq!(first.unwrap(), Some(7));
        assert_eq!(second.unwrap_err().kind(), ErrorKind::OutOfSpec);
        assert!(read::<Vec<u8>>(&file)[1].is_err());
    }
    let file = write(&[(1u8, Endless), (2, Endless)], 9);
    assert_eq!(read::<(u8, Vec<Nothing>)>(&file)[0].as_ref().unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert!(read::<(u8, BTreeSet<Nothing>)>(&file)[0].is_err());
    assert!(read::<(u8, Option<Vec<Nothing>>)>(&file)[1].is_err());
    assert!(open::<(u8, [Nothing; 3])>(&file).is_err());
    // Offsets that go back, read as sizes.
    #[derive(RNTuple)]
    #[rntuple(skip_reading)]
    struct Sizes {
        value: Size,
    }
    let mut writer = Writer::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for size in [5, u64::MAX - 1, 5] {
        // Written as the sum modulo 2^64, so that the second goes back by two.
        writer.fill(&Sizes { value: Size(size) }).unwrap();
    }
    let file = writer.finish_into().unwrap().1;
    assert!(read::<u64>(&file).iter().all(|one| one.as_ref().unwrap_err().kind() == ErrorKind::OutOfSpec));
}

/// What became of reading one type as another.
#[derive(Debug)]
enum Outcome {
    Always,
    Fits(String),
    Lossy(String),
    ExtendError(String),
}

fn outcome<T: ReadField>(file: &Memory) -> Outcome {
    let reader = match open::<T>(file) {
        Ok(reader) => reader,
        Err(error) => {
            let text = error.mismatches()[0].to_string();
            let outcome =
                if text.contains("lossy") { Outcome::Lossy(text) } else { Outcome::ExtendError(text) };
            // What the error says of losses is so.
            let with_losses = open::<Lossy<T>>(file);
            assert_eq!(with_losses.is_ok(), matches!(outcome, Outcome::Lossy(_)), "{outcome:?}");
            return outcome;
        }
    };
    let errors: Vec<String> = (0..reader.entry_count().unwrap())
        .filter_map(|entry| reader.get(entry).err())
        .map(|error| error.to_string())
        .collect();
    match errors.into_iter().next() {
        None => Outcome::Always,
        Some(error) => Outcome::Fits(error),
    }
}

type Read = fn(&Memory) -> Outcome;

/// The new types, in the order of the table.
fn new_types() -> Vec<(&'static str, Read)> {
    macro_rules! list {
        ($($name:literal: $type:ty;)*) => { vec![$(($name, outcome::<$type> as Read)),*] };
    }
    list! {
        "bool": bool; "i8": i8; "u8": u8; "i16": i16; "u16": u16; "i32": i32; "u32": u32; "i64": i64; "u64": u64;
        "CxxChar": CxxChar; "Byte": Byte; "f16": f16; "f32": f32; "f64": f64; "String": String;
        "Option<f32>": Option<f32>; "Option<f64>": Option<f64>; "Option<u8>": Option<u8>;
        "Vec<f32>": Vec<f32>; "Vec<u8>": Vec<u8>; "VecDeque<u8>": VecDeque<u8>; "BTreeSet<u8>": BTreeSet<u8>;
        "[f32; 3]": [f32; 3]; "[f32; 4]": [f32; 4]; "[f64; 4]": [f64; 4]; "[bool; 8]": [bool; 8]; "BitSet<8>": BitSet<8>;
        "(f32, f32)": (f32, f32); "(f64, f64)": (f64, f64); "Vec<(f32, f32)>": Vec<(f32, f32)>; "BTreeMap<u8, f32>": BTreeMap<u8, f32>;
        "Point": Point; "Option<Point>": Option<Point>; "Vec<Point>": Vec<Point>; "Kind": Kind;
        "Cardinality": Cardinality;
    }
}

/// The old types, each with values small and large, and each value in a cluster of its own.
fn old_types() -> Vec<(&'static str, Memory)> {
    macro_rules! integers {
        ($($name:literal $type:ty;)*) => {
            [$(($name, write::<$type>(&[0, 1, 2, <$type>::MIN, <$type>::MAX], 1))),*]
        };
    }
    let p = Point { x: 1.0, y: 2.0 };
    let mut list = vec![("bool", write(&[false, true], 1))];
    list.extend(
        integers! { "i8" i8; "u8" u8; "i16" i16; "u16" u16; "i32" i32; "u32" u32; "i64" i64; "u64" u64; },
    );
    list.extend([
        ("CxxChar", write(&[0, 1, 2, u8::MAX].map(CxxChar), 1)),
        ("Byte", write(&[0, 1, 2, u8::MAX].map(Byte), 1)),
        ("f16", write(&[f16::from_f32(1.5)], 1)),
        ("f32", write(&[1.5f32], 1)),
        ("f64", write(&[1.5f64], 1)),
        ("String", write(&["text".to_owned()], 1)),
        ("Option<f32>", write(&[None, Some(1.5f32)], 1)),
        ("Option<u8>", write(&[None, Some(1u8), Some(200)], 1)),
        ("Vec<f32>", write(&[vec![], vec![1.5f32], vec![0.5; 3], vec![0.5; 4]], 1)),
        ("Vec<u8>", write(&[vec![], vec![1u8], vec![1, 2, 200], vec![7, 7], vec![1; 8]], 1)),
        ("BTreeSet<u8>", write(&[BTreeSet::new(), BTreeSet::from([1u8]), (1..9).collect()], 1)),
        ("[f32; 3]", write(&[[0.5f32; 3]], 1)),
        ("[f32; 4]", write(&[[0.5f32; 4]], 1)),
        ("[bool; 8]", write(&[[true; 8], [false; 8]], 1)),
        ("(f32, f32)", write(&[(1.0f32, 2.0f32)], 1)),
        ("Vec<(f32, f32)>", write(&[vec![], vec![(1.0f32, 2.0f32)], vec![(1.5, 2.0), (1.5, 3.0)]], 1)),
        ("BTreeMap<u8, f32>", write(&[BTreeMap::new(), BTreeMap::from([(1u8, 1.5f32)])], 1)),
        ("Point", write(&[p], 1)),
        ("Option<Point>", write(&[None, Some(p)], 1)),
        ("Vec<Point>", write(&[vec![], vec![p], vec![p; 3]], 1)),
        ("Kind", write(&[Kind::A, Kind::B, Kind::C], 1)),
        ("cardinality", write(&[Size(0), Size(1), Size(3), Size(70_000), Size(1 << 40)], 1)),
    ]);
    list
}

/// A sentence without its numbers and names, to tell it from others.
fn kind_of(text: &str) -> String {
    let mut parts = text.split('`');
    let mut outside = parts.next().unwrap_or_default().to_owned();
    // Names in backticks go, advice in backticks stays out of the key as well.
    for (at, part) in parts.enumerate() {
        outside.push_str(if at % 2 == 0 { ".." } else { part });
    }
    outside.chars().filter(|c| !c.is_ascii_digit() && *c != '-').collect()
}

/// A type of the table, as far as the rules of the book are about it.
#[derive(Clone, Debug, PartialEq)]
enum Shape {
    /// `bool`, integers, the bytes of C++, enums without data, and sizes.
    Whole(String),
    Float(String),
    Option(Box<Shape>),
    List(Box<Shape>),
    Set(Box<Shape>),
    Map(Box<Shape>),
    Array(String, Box<Shape>),
    Pair(Box<[Shape; 2]>),
    /// The size of a collection, which is not stored.
    Count,
    Other(String),
}

impl Shape {
    fn of(name: &str) -> Self {
        let inside = |start: &str, end: &str| Some(name.strip_prefix(start)?.strip_suffix(end)?.to_owned());
        let boxed = |name: String| Box::new(Self::of(&name));
        let pair = |names: String| {
            let (first, second) = names.split_once(", ").unwrap();
            Self::Pair(Box::new([Self::of(first), Self::of(second)]))
        };
        if let Some(item) = inside("Option<", ">") {
            Self::Option(boxed(item))
        } else if let Some(item) = inside("Vec<", ">").or(inside("VecDeque<", ">")) {
            Self::List(boxed(item))
        } else if let Some(item) = inside("BTreeSet<", ">") {
            Self::Set(boxed(item))
        } else if let Some(items) = inside("BTreeMap<", ">") {
            Self::Map(Box::new(pair(items)))
        } else if let Some(size) = inside("BitSet<", ">") {
            Self::Array(size, boxed("bool".to_owned()))
        } else if let Some(array) = inside("[", "]") {
            let (item, size) = array.split_once("; ").unwrap();
            Self::Array(size.to_owned(), boxed(item.to_owned()))
        } else if let Some(items) = inside("(", ")") {
            pair(items)
        } else if name == "Cardinality" {
            Self::Count
        } else if ["bool", "CxxChar", "Byte", "Kind", "cardinality"].contains(&name)
            || name.starts_with(['i', 'u'])
        {
            Self::Whole(name.to_owned())
        } else if name.starts_with('f') {
            Self::Float(name.to_owned())
        } else {
            Self::Other(name.to_owned())
        }
    }

    /// What a collection, in the widest sense, has any number of.
    fn item(&self) -> Option<&Self> {
        match self {
            Self::Option(item)
            | Self::List(item)
            | Self::Set(item)
            | Self::Map(item)
            | Self::Array(_, item) => Some(item),
            _ => None,
        }
    }

    /// The rule by which this is read from another type, if there is one.
    fn rule(&self, old: &Self, lossy: bool) -> Option<&'static str> {
        if self == old {
            return Some("same");
        }
        let items = |item: &Self, rule| item.rule(old.item()?, lossy).map(|_| rule);
        match (self, old) {
            (Self::Whole(_), Self::Whole(_)) => Some("integers"),
            (Self::Float(new), Self::Float(_)) if new != "f16" => Some("floats"),
            (Self::Whole(_) | Self::Float(_), Self::Whole(_) | Self::Float(_)) if lossy => Some("losses"),
            (Self::Option(new), Self::Option(old)) => new.rule(old, lossy).map(|_| "options"),
            (Self::Option(new), _) => new.rule(old, lossy).map(|_| "present"),
            (Self::List(new), _) => items(new, "items"),
            (Self::Set(new) | Self::Map(new), _) => items(new, "distinct"),
            (Self::Array(new, item), Self::Array(old, _)) if new == old => items(item, "arrays"),
            (Self::Pair(new), Self::Pair(old)) => {
                let members = new.iter().zip(old.iter()).map(|(new, old)| new.rule(old, lossy));
                members.collect::<Option<Vec<_>>>().map(|_| "members")
            }
            (Self::Count, Self::Array(..)) => None,
            (Self::Count, Self::Whole(old)) => (old == "cardinality").then_some("sizes"),
            (Self::Count, _) => old.item().map(|_| "sizes"),
            _ => None,
        }
    }
}

/// The rules of the book, a sentence each.
const RULES: &[(&str, &str)] = &[
    (
        "same",
        "The type is stored in the same way, whatever its name: `BitSet<8>` as `[bool; 8]`, `VecDeque` as `Vec`.",
    ),
    (
        "integers",
        "`bool`, integers of all widths, `char`, `std::byte`, enums without data and the sizes that ROOT keeps as \
         numbers are read as each other, and a value that the type cannot hold is an error.",
    ),
    (
        "floats",
        "Floating-point numbers of all widths are read as `f32` and `f64`, rounded to the nearest, and a finite one that is too large is an error.",
    ),
    ("options", "An option is read from an option, and what is in it by these rules."),
    ("present", "An option of `T` is read from whatever `T` is read from, and then always has a value."),
    (
        "items",
        "A list is read from whatever has items: other lists, sets, maps (of pairs), arrays, bitsets, and options, \
         which the format stores as lists of none or one.",
    ),
    (
        "distinct",
        "A set or a map is read from whatever a list is read from, and an item that occurs twice is an error.",
    ),
    ("arrays", "An array is read from an array of the same length, and its items by these rules."),
    (
        "members",
        "A struct or tuple is read from a record that has its members, and each of them by these rules.",
    ),
    (
        "sizes",
        "`Cardinality` is the number of items of whatever is stored with offsets, or a size that ROOT keeps as a number.",
    ),
    (
        "losses",
        "With `#[rntuple(convert = \"lossy\")]`, any number below the member becomes the nearest one of the type; \
         all else follows the other rules.",
    ),
];

/// The page of the book: for each new type what it is read from and why, and the sentences of the refusals.
fn matrix() -> String {
    let old = old_types();
    let mut table = String::from(
        "| read as | from any value of | where the values fit, of | with [losses](#losses), of |\n| --- | --- | --- | --- |\n",
    );
    let (mut fits, mut helps, mut refusals) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
    let mut used = BTreeSet::new();
    let mut refused = 0;
    for (name, read) in new_types() {
        // In each cell, the types by rule.
        let mut cells: [BTreeMap<usize, Vec<String>>; 3] = Default::default();
        let new = Shape::of(name);
        for (old, file) in &old {
            let rules = [false, true].map(|lossy| new.rule(&Shape::of(old), lossy));
            let mut put = |cell: usize, rule: &'static str| {
                used.insert(rule);
                let number = RULES.iter().position(|(known, _)| *known == rule).unwrap();
                cells[cell].entry(number).or_default().push(format!("`{old}`"));
            };
            // What the rules say is what happens.
            match (read(file), rules) {
                (Outcome::Always, [Some(rule), _]) => put(0, rule),
                (Outcome::Fits(text), [Some(rule), _]) => {
                    put(1, rule);
                    // The place is told by the page's text.
                    let text = text.rsplit_once(", entry ").map_or(&*text, |(_, text)| text);
                    let text = text.split_once(": ").map_or(text, |(_, text)| text).to_owned();
                    fits.entry(kind_of(&text)).or_insert(text);
                }
                (Outcome::Lossy(text), [None, Some(_)]) => {
                    put(2, "losses");
                    helps.entry("losses".to_owned()).or_insert(text);
                }
                (Outcome::ExtendError(text), [None, None]) => {
                    refused += 1;
                    let (found, wanted) = text.rsplit_once(", the type wants ").unwrap();
                    if let Some((_, help)) = wanted.split_once("; ") {
                        helps.entry(help.to_owned()).or_insert(text);
                        continue;
                    }
                    let number = ["bool", "CxxChar", "Byte", "i", "u", "f"].contains(&&*kind_of(wanted));
                    let key = if number { "a number".to_owned() } else { kind_of(wanted) };
                    refusals.entry(key).or_insert_with(|| format!("{found}, the type wants {wanted}"));
                }
                (outcome, rules) => panic!("`{old}` read as `{name}`: {outcome:?}, by the rules {rules:?}"),
            }
        }
        let cells = cells.map(|cell| {
            let rules = cell.iter().map(|(number, types)| match RULES[*number].0 {
                "losses" => types.join(", "),
                rule => format!("[{rule}](#{rule}): {}", types.join(", ")),
            });
            rules.collect::<Vec<_>>().join("; ")
        });
        let [always, fits, lossy] = cells;
        table.push_str(&format!("| `{name}` | {always} | {fits} | {lossy} |\n"));
    }
    let known: BTreeSet<&str> = RULES.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(used, known, "a rule that no pair needs");
    let mut page = table;
    page.push_str("\nThe rules, which hold inside collections and members too:\n\n");
    for (rule, sentence) in RULES {
        page.push_str(&format!("- <a id=\"{rule}\"></a>**{rule}**: {sentence}\n"));
    }
    page.push_str(&format!(
        "\nNo rule is about the other pairs, {refused} of them: they are refused when the file is opened. "
    ));
    page.push_str("What is said then, once for each kind of thing that a type can want, and for each way out:\n\n```text\n");
    refusals.values().chain(helps.values()).for_each(|text| page.push_str(&format!("{text}\n")));
    page.push_str(
        "```\n\nWhere values decide, the error comes with the first that does not fit:\n\n```text\n",
    );
    fits.values().for_each(|text| page.push_str(&format!("{text}\n")));
    page.push_str("```\n");
    page
}

#[test]
fn the_matrix_is_that_of_the_book() {
    let found = matrix();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../book/src/generated/evolution.md");
    if std::env::var_os("RNTUPLE_BLESS").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == expected, "the book's evolution.md is not what the types do:\n{found}");
}
