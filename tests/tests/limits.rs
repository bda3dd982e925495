//! A few kilobytes may describe any amount of data: what is over a limit is refused, and takes no memory before.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use rntuple::check::{CheckOptions, NoteKind, check_file};
use rntuple::extend::ColumnAdder;
use rntuple::field::{ReadField, WriteField};
use rntuple::merge::{Input, MergeOptions, merge_into};
use rntuple::root::FileOptions;
use rntuple::storage::Memory;
use rntuple::{
    Compression, Dataset, Error, ErrorKind, Limits, RNTuple, ReadOptions, Reader, RootFile, RootFileWriter,
    Value, WriteOptions, Writer,
};
use rntuple_tests::forge::{self, Forge};
use rntuple_tests::memory::{Watched, allocations, alone, peak};

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// No refusal takes more than this: a page that must be decoded, and what describes the ntuple.
const LITTLE: usize = 3 << 20;

/// The most content of one compressed chunk.
const CHUNK: usize = 0xff_ffff;

#[derive(Debug, PartialEq, RNTuple)]
#[rntuple(columnar)]
struct Text {
    text: String,
}

#[derive(Debug, PartialEq, RNTuple)]
#[rntuple(columnar)]
struct Bytes {
    bytes: Vec<u8>,
}

#[derive(Debug, RNTuple)]
struct Boxed {
    bytes: Box<[u8]>,
}

#[derive(Debug, RNTuple)]
#[rntuple(skip_writing)]
struct Nested {
    bytes: Vec<Value>,
}

#[derive(Debug, RNTuple)]
struct Wide {
    bytes: Vec<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, RNTuple)]
struct Number {
    number: u8,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
struct Three {
    a: f64,
    b: f64,
    c: f64,
}

#[derive(Debug, PartialEq, Eq, Hash, RNTuple)]
#[rntuple(skip_writing)]
struct Key {
    a: u64,
}

#[derive(Debug, Default, RNTuple)]
struct Ten {
    a: u8,
    b: u8,
    c: u8,
    d: u8,
    e: u8,
    f: u8,
    g: u8,
    h: u8,
    i: u8,
    j: u8,
}

#[derive(Debug, Default, RNTuple)]
struct Hundred {
    a: Ten,
    b: Ten,
    c: Ten,
    d: Ten,
    e: Ten,
    f: Ten,
    g: Ten,
    h: Ten,
    i: Ten,
    j: Ten,
}

#[derive(Debug, Default, RNTuple)]
struct Extended {
    #[rntuple(flatten)]
    number: Number,
    #[rntuple(flatten)]
    hundred: Hundred,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(columnar)]
enum Shape {
    Wide([u64; 16]),
    Point,
}

#[derive(Clone, Debug, PartialEq, RNTuple)]
#[rntuple(columnar)]
struct Shaped {
    shape: Shape,
}

fn raw() -> WriteOptions {
    WriteOptions::new()
        .compression(Compression::NONE)
        .checksums(false)
        .max_page_length(32 << 20)
        .page_budget(64 << 20)
}

fn written<T: rntuple::Entry + WriteField>(values: &[T], options: WriteOptions) -> Vec<u8> {
    let mut writer = Writer::<T, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(values).unwrap();
    writer.finish_into().unwrap().1.into_bytes()
}

/// One entry of this many pages, all of them the same 16 MiB of zeros in a few hundred bytes.
fn text_bomb(count: u64) -> Vec<u8> {
    let text = Text { text: "\0".repeat(CHUNK) };
    let bytes = written(&[text], raw().compression_of("text", Compression::zstd(1)));
    Forge::new(bytes).repeat(count).into_bytes()
}

fn bytes_bomb(count: u64) -> Vec<u8> {
    let bytes = Bytes { bytes: vec![0; CHUNK] };
    let bytes = written(&[bytes], raw().compression_of("bytes", Compression::zstd(1)));
    Forge::new(bytes).repeat(count).into_bytes()
}

fn open(bytes: &[u8]) -> RootFile {
    RootFile::from_storage(Memory::from(bytes.to_vec())).unwrap()
}

/// Checks that `work` is refused by a limit, at no cost.
#[track_caller]
fn refused<T>(limit: &str, work: impl FnOnce() -> Result<T, Error>) {
    refused_within(LITTLE, limit, work);
}

/// As [`refused`], for what is lent: whether all of it is in one page is seen when the first one is decoded, which another
/// walk does as well to find out which entry it is.
#[track_caller]
fn not_lent(work: impl FnOnce() -> Result<bool, Error>) {
    refused_within(LITTLE + 4 * CHUNK, "entry_length", work);
}

#[track_caller]
fn refused_within<T>(most: usize, limit: &str, work: impl FnOnce() -> Result<T, Error>) {
    let (memory, result) = peak(work);
    let Err(error) = result else { panic!("it is not refused") };
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    assert!(error.to_string().ends_with(&format!("`Limits::{limit}` sets this limit")), "{error}");
    assert!(memory <= most, "{memory} bytes for: {error}");
}

fn first<T: rntuple::Entry + ReadField>(file: &RootFile) -> Result<T, Error> {
    Reader::<T>::open(file, "Events")?.get(0)
}

#[test]
fn a_string_of_one_page_a_thousand_times_is_refused_however_it_is_read() {
    let _alone = alone();
    // 1.6 GB, and ten times that.
    let file = open(&text_bomb(100));
    refused("entry_length", || first::<Value>(&file));
    let bytes = text_bomb(1000);
    assert!(bytes.len() < 25_000, "{}", bytes.len());
    let file = open(&bytes);
    refused("entry_length", || first::<Value>(&file));
    refused("entry_length", || first::<Text>(&file));
    let reader = Reader::<Text>::open(&file, "Events").unwrap();
    refused("entry_length", || reader.read_into(0, &mut Text { text: String::new() }));
    refused("entry_length", || reader.entries().next().unwrap());
    not_lent(|| reader.batches(1).lend().map(|entries| entries.is_some()));
    not_lent(|| reader.batches(10).lend().map(|entries| entries.is_some()));
    refused("entry_length", || reader.batches(10).next().unwrap());
    refused("entry_length", || reader.zip(&reader)?.entries().next().unwrap().map(drop));
    refused("entry_length", || Reader::<Text>::open([file.clone()], "Events")?.get(0));
}

#[test]
fn a_list_is_measured_by_its_items_in_memory() {
    let _alone = alone();
    // 512 MiB: as bytes they are allowed, as values of any type they take thirty times that.
    let file = open(&bytes_bomb(32));
    refused("entry_length", || first::<Value>(&file));
    refused("entry_length", || first::<Nested>(&file));
    refused("entry_length", || first::<Wide>(&file));
    let file = open(&bytes_bomb(100));
    refused("entry_length", || first::<Bytes>(&file));
    refused("entry_length", || first::<Boxed>(&file));
    let reader = Reader::<Bytes>::open(&file, "Events").unwrap();
    not_lent(|| reader.batches(1).lend().map(|entries| entries.is_some()));
    refused("entry_length", || reader.batches(10).next().unwrap());
}

#[test]
fn a_whole_column_is_measured_by_its_file() {
    let _alone = alone();
    let file = open(&bytes_bomb(1000));
    let mut column = Reader::<Value>::open(&file, "Events").unwrap().column::<u8>("bytes").unwrap();
    refused("entry_length", || column.read_into(usize::MAX, &mut Vec::new()));
    // A part of it can be read.
    column.seek_entry(0).unwrap();
    let mut values = Vec::new();
    assert_eq!(column.read_into(1000, &mut values).unwrap(), 1000);
    assert_eq!(values, [0; 1000]);

    let empty: Vec<Bytes> = (0..100_000).map(|_| Bytes { bytes: Vec::new() }).collect();
    let forge = Forge::new(written(&empty, raw().compression_of("bytes", Compression::zstd(1))));
    let forged = forge.clusters(|clusters| {
        let pages = &mut clusters[0].columns[0].pages;
        *pages = vec![pages[0]; 2000];
        clusters[0].entry_count = 200_000_000;
    });
    let file = open(&forged.into_bytes());
    let reader = Reader::<Value>::open(&file, "Events").unwrap();
    let mut sizes = reader.sizes("bytes").unwrap();
    refused("entry_length", || sizes.read_into(usize::MAX, &mut Vec::new()));
    sizes.seek_entry(0).unwrap();
    assert_eq!(sizes.read_into(5, &mut Vec::new()).unwrap(), 5);
}

#[test]
fn a_page_is_refused_before_it_is_decompressed() {
    let _alone = alone();
    let entries = vec![Number::default(); 1_000_000];
    let forge = Forge::new(written(&entries, raw().compression_of("number", Compression::zstd(1))));
    let forged = forge.clusters(|clusters| {
        clusters[0].entry_count = 1 << 28;
        clusters[0].columns[0].pages[0].count = 1 << 28;
    });
    let file = open(&forged.into_bytes());
    refused("page_length", || first::<Value>(&file));
    refused("page_length", || first::<Number>(&file));
    refused("page_length", || {
        let options = MergeOptions::new().compression(Compression::zlib(1));
        merge_into(&[Input::open(&file)], Memory::new(), options).map(drop)
    });
}

#[test]
fn the_pages_of_all_columns_have_a_limit_together() {
    let _alone = alone();
    let three = Three { a: 1.0, b: 2.0, c: 3.0 };
    let bytes = written(&vec![three.clone(); 100_000], raw());
    let file = open(&bytes).with_limits(Limits::new().walk_length(2_000_000));
    refused("walk_length", || first::<Three>(&file));
    refused("walk_length", || first::<Value>(&file));
    let pool = rntuple::Pool::new(2).unwrap();
    let options = |bytes| ReadOptions::new().pool(&pool).limits(Limits::new().walk_length(bytes));
    let walk = |bytes| {
        Reader::<Three>::open_with(&file, "Events", options(bytes)).unwrap().entries().last().unwrap()
    };
    refused("walk_length", || walk(2_000_000));
    // What is decoded ahead needs no room that the others have.
    assert_eq!(walk(2_400_000).unwrap(), three);
}

/// Switches may lead from page to page and back, each time for one value.
#[test]
fn pages_that_a_variant_goes_back_to_have_a_limit_in_a_cluster() {
    let _alone = alone();
    let shaped = |number: u64| Shaped { shape: Shape::Wide([number; 16]) };
    let options = raw().initial_page_length(8192).max_page_length(8192);
    let forge = Forge::new(written(&(0..400).map(shaped).collect::<Vec<_>>(), options));
    let ordered = |order: &dyn Fn(u64) -> u64| {
        let switch = |entry| [&order(entry).to_le_bytes()[..], &1u32.to_le_bytes()].concat();
        let switches: Vec<u8> = (0..400).flat_map(switch).collect();
        let forged = forge.clone().overwrite(forge.page(0), &switches);
        open(&forged.into_bytes()).with_limits(Limits::new().walk_length(1 << 20))
    };
    // Within a page, which has 64 values, they may be in any order.
    let file = ordered(&|entry| entry ^ 1);
    let reader = Reader::<Shaped>::open(&file, "Events").unwrap();
    for (number, entry) in (0..).zip(reader.entries()) {
        assert_eq!(entry.unwrap(), shaped(number ^ 1));
    }
    let file = ordered(&|entry| if entry.is_multiple_of(2) { entry / 2 } else { 399 - entry / 2 });
    let values = Reader::<Value>::open(&file, "Events").unwrap();
    refused("walk_length", || values.entries().try_for_each(|entry| entry.map(drop)));
    refused("walk_length", || values.batches(100).try_for_each(|batch| batch.map(drop)));
    let reader = Reader::<Shaped>::open(&file, "Events").unwrap();
    refused("walk_length", || reader.entries().try_for_each(|entry| entry.map(drop)));
    refused("walk_length", || reader.batches(100).try_for_each(|batch| batch.map(drop)));
    refused("walk_length", || reader.batches(100).visit(|_| Ok::<_, Error>(())));
    // Whoever asks for single entries may go back as often as wanted.
    for entry in (0..400).rev().chain(0..400) {
        assert_eq!(
            reader.get(entry).unwrap(),
            shaped(if entry.is_multiple_of(2) { entry / 2 } else { 399 - entry / 2 })
        );
    }
    // Pages that are passed over do not count, nor do those that a column comes to for the first time.
    let order = |entry: u64| if entry < 60 && !entry.is_multiple_of(2) { 399 - entry } else { entry };
    let file = ordered(&order);
    let reader = Reader::<Shaped>::open(&file, "Events").unwrap();
    for (number, entry) in (0..).zip(reader.entries()) {
        assert_eq!(entry.unwrap(), shaped(order(number)));
    }
}

#[test]
fn envelopes_are_refused_before_they_are_decompressed() {
    let _alone = alone();
    let options = WriteOptions::new().description("A".repeat(36 << 20));
    let bytes = written(&[Number { number: 7 }], options);
    assert!(bytes.len() < 40_000, "{}", bytes.len());
    let file = open(&bytes);
    refused("envelope_length", || Dataset::open(&file, "Events"));
    refused("envelope_length", || {
        merge_into(&[Input::open(&file)], Memory::new(), MergeOptions::new()).map(drop)
    });
    refused("envelope_length", || Reader::<Number>::open([file.clone()], "Events"));
    let storage = || Memory::from(bytes.clone());
    let append = |limits| {
        let options = WriteOptions::new().limits(limits);
        Writer::<Number, _>::append_to(storage(), "Events", options).map(drop)
    };
    refused("envelope_length", || append(Limits::new()));
    refused("envelope_length", || {
        ColumnAdder::<Three, _>::append_to(storage(), "Events", WriteOptions::new()).map(drop)
    });
    let (memory, report) = peak(|| check_file(&file, CheckOptions::new()));
    assert!(memory <= LITTLE && !report.is_sound(), "{memory}");
    assert_eq!(report.faults[0].kind(), ErrorKind::LimitExceeded);
    // Whoever trusts the file reads it all the same.
    let raised = Limits::new().envelope_length(100 << 20);
    let read = |options: ReadOptions| Reader::<Number>::open_with(&file, "Events", options)?.get(0);
    assert_eq!(read(ReadOptions::new().limits(raised)).unwrap(), Number { number: 7 });
    refused("envelope_length", || read(ReadOptions::new()));
    append(raised).unwrap();
    let merged = merge_into(&[Input::open(&file)], Memory::new(), MergeOptions::new().limits(raised));
    assert_eq!(merged.unwrap().0.entries, 1);
    assert!(check_file(&file.with_limits(raised), CheckOptions::new()).is_sound());
}

#[test]
fn fields_and_columns_are_counted_before_they_are_read() {
    let _alone = alone();
    let empty = written::<Number>(&[], raw());
    let fields = |count: u32| (0..count).map(|id| forge::field("f", id)).collect::<Vec<_>>();
    let open = |fields: &[Vec<u8>], columns: &[Vec<u8>]| {
        open(&Forge::new(empty.clone()).schema(fields, columns).into_bytes())
    };
    let most = open(&fields(1 << 17), &[]);
    assert_eq!(Dataset::open(&most, "Events").unwrap().schema().fields().count(), 1 << 17);
    let file = open(&fields((1 << 17) + 1), &[]);
    refused("field_count", || Dataset::open(&file, "Events"));
    refused("field_count", || {
        merge_into(&[Input::open(&file)], Memory::new(), MergeOptions::new()).map(drop)
    });
    Dataset::open(&file.with_limits(Limits::unlimited()), "Events").unwrap();

    // 8 bits, of field 0.
    let column = [&20u64.to_le_bytes()[..], &[0x0d, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]].concat();
    let file = open(&fields(1), &vec![column; (1 << 18) + 1]);
    refused("column_count", || Dataset::open(&file, "Events"));

    let chain: Vec<_> = (0..300u32).map(|id| forge::field("f", id.saturating_sub(1))).collect();
    let file = open(&chain, &[]);
    refused("nesting", || Dataset::open(&file, "Events"));
    Dataset::open(&file.with_limits(Limits::new().nesting(300)), "Events").unwrap();
}

/// A name is a part of the path of each field below it.
#[test]
fn the_paths_of_all_fields_have_a_limit_together() {
    let _alone = alone();
    let empty = written::<Number>(&[], raw());
    let below = |length| {
        let mut fields = vec![forge::field(&"x".repeat(length), 0)];
        fields.resize(1001, forge::field("f", 0));
        open(&Forge::new(empty.clone()).schema(&fields, &[]).into_bytes())
    };
    // 100 MB and 200 MB.
    let (short, long) = (below(100_000), below(200_000));
    assert_eq!(Dataset::open(&short, "Events").unwrap().schema().fields().count(), 1001);
    refused("field_count", || Dataset::open(&long, "Events"));
    refused("field_count", || {
        merge_into(&[Input::open(&long)], Memory::new(), MergeOptions::new()).map(drop)
    });
    Dataset::open(&long.with_limits(Limits::unlimited()), "Events").unwrap();
}

#[test]
fn the_limits_of_options_come_before_those_of_the_file() {
    let _alone = alone();
    let text = Text { text: "x".repeat(100_000) };
    let file = open(&written(&[text], WriteOptions::new()));
    let read =
        |file: &RootFile, options| Reader::<Text>::open_with(file, "Events", options)?.get(0).map(drop);
    let (low, high) = (Limits::new().entry_length(99_999), Limits::new().entry_length(100_000));
    read(&file, ReadOptions::new()).unwrap();
    refused("entry_length", || read(&file, ReadOptions::new().limits(low)));
    let file = file.with_limits(low);
    assert_eq!(*file.limits(), low);
    refused("entry_length", || read(&file, ReadOptions::new()));
    read(&file, ReadOptions::new().limits(high)).unwrap();
    let error = read(&file, ReadOptions::new()).unwrap_err();
    let message = "Events: column 0 (text), cluster 0, entry 0: one entry has a collection of 100000 items of 1 bytes each \
                   in memory, expected at most 99999; `Limits::entry_length` sets this limit";
    assert!(error.to_string().ends_with(message), "{error}");
}

#[test]
fn entries_share_no_limit_with_others() {
    let _alone = alone();
    // Ten times what one entry may have, and each half of it.
    let texts: Vec<Text> = (0..20).map(|_| Text { text: "x".repeat(50_000) }).collect();
    let options = WriteOptions::new().max_page_length(20_000);
    let file = open(&written(&texts, options)).with_limits(Limits::new().entry_length(100_000));
    let reader = Reader::<Text>::open(&file, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>, _>>().unwrap(), texts);
    // What is read at once shares it: less is read at once.
    for most in [1, 20] {
        let mut count = 0;
        let lent = reader.batches(most).visit(|entry| {
            assert_eq!(entry.text, texts[0].text);
            count += 1;
            Ok::<_, Error>(())
        });
        lent.unwrap();
        assert_eq!(count, 20);
    }
    let batches: Vec<_> = reader.batches(20).map(|batch| batch.unwrap().len()).collect();
    assert_eq!(batches.iter().sum::<usize>(), 20);
}

#[test]
fn the_keys_of_a_join_are_measured_by_their_file() {
    let _alone = alone();
    #[derive(Clone, RNTuple)]
    struct Left {
        a: u64,
    }
    let file = open(&written(&vec![Left { a: 7 }; 200_000], WriteOptions::new()));
    let options = ReadOptions::new().limits(Limits::new().entry_length(1000));
    let reader = Reader::<Left>::open_with(&file, "Events", options).unwrap();
    refused("entry_length", || {
        reader.join_on_with::<Key, _>(&reader, rntuple::join::DuplicateKeys::First).map(drop)
    });
    let reader = Reader::<Left>::open(&file, "Events").unwrap();
    assert_eq!(
        reader.join_on_with::<Key, _>(&reader, rntuple::join::DuplicateKeys::First).unwrap().key_count(),
        1
    );
}

#[test]
fn ordinary_files_of_many_clusters_are_within_the_defaults() {
    let _alone = alone();
    let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for number in 0..2_000u32 {
        writer.fill(&Number { number: number as u8 }).unwrap();
        writer.commit_cluster().unwrap();
    }
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    assert_eq!((dataset.cluster_count(), dataset.entry_count()), (2_000, 2_000));
}

#[test]
fn opening_takes_as_much_memory_for_many_clusters_as_for_few() {
    let _alone = alone();
    let file = |clusters: u32| {
        let mut writer = Writer::<Three, _>::new(Memory::new(), "Events", raw()).unwrap();
        for number in 0..clusters {
            writer.fill(&Three { a: number.into(), b: 1.0, c: 2.0 }).unwrap();
            writer.commit_cluster().unwrap();
        }
        let bytes = writer.finish_into().unwrap().1.into_bytes();
        let file = open(&bytes);
        // What is made once for the whole process is there.
        Dataset::open(&file, "Events").unwrap();
        file
    };
    let (few, many) = (file(10), file(40_000));
    let opened = |file: &RootFile| peak(|| Dataset::open(file, "Events").unwrap());
    let ((little, _), (much, dataset)) = (opened(&few), opened(&many));
    assert!(much <= little + (4 << 10), "{much} for many clusters, {little} for few");
    // A walk holds what it needs, and a little more.
    let walk = |file: &RootFile| {
        let reader = Reader::<Three>::open(file, "Events").unwrap();
        peak(|| reader.entries().filter(Result::is_ok).count())
    };
    let ((little, ten), (much, all)) = (walk(&few), walk(&many));
    assert_eq!((ten, all), (10, 40_000));
    let lists: u64 = dataset.cluster_groups().iter().map(|group| group.page_list_length).sum();
    assert!(
        much <= little + lists as usize / 3,
        "{much} for many clusters, {little} for few, lists of {lists}"
    );
}

/// A footer that appending has replaced belongs to one header: it is not read once for each header of the file.
#[test]
fn an_older_footer_is_read_for_one_header() {
    let _alone = alone();
    let mut writer = Writer::<Number, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Number::default()).unwrap();
    let mut writer = writer.extend::<Hundred>().unwrap();
    writer.fill_both(&Number::default(), &Hundred::default()).unwrap();
    let file = RootFileWriter::append_to(writer.finish_into().unwrap().1, FileOptions::new()).unwrap();
    for number in 0..200 {
        file.writer::<Number>(&format!("n{number}"), WriteOptions::new()).unwrap().finish().unwrap();
    }
    let before = file.finish().unwrap();
    let mut writer = Writer::<Extended, _>::append_to(before.clone(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&Extended::default()).unwrap();
    let after = writer.finish_into().unwrap().1;
    let checked = |storage: Memory| {
        let file = RootFile::from_storage(storage).unwrap();
        let mut report = None;
        let calls = allocations(|| report = Some(check_file(&file, CheckOptions::new())));
        (calls, report.unwrap())
    };
    let ((few, _), (many, report)) = (checked(before), checked(after));
    assert!(report.faults.is_empty(), "{:?}", report.faults);
    assert!(report.notes.iter().any(|note| note.kind == NoteKind::Superseded), "{:?}", report.notes);
    // The footer has 110 fields, each with a name and a type.
    assert!(many < few + 20_000, "{many} with an older footer, {few} without");
}
