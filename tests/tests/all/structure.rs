//! Files, clusters, pages: where things lie, and what happens when writing stops early.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a test that cannot go on has failed"
)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rntuple::encoding::ColumnEncoding;
use rntuple::root::FileOptions;
use rntuple::schema::Locator;
use rntuple::storage::{Memory, ReadAt};
use rntuple::{
    Compression, Dataset, ErrorKind, RNTuple, Reader, RootFile, RootFileWriter, WriteOptions, Writer,
};
use rntuple_tests::clusters;
use rntuple_tests::sample::{Event, One, samples};

fn write(entries: &[Event], options: WriteOptions) -> Memory {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(entries).unwrap();
    writer.finish_into().unwrap().1
}

fn read(file: &RootFile, path: &str) -> Vec<Event> {
    let reader = Reader::<Event>::open(file, path).unwrap();
    reader.entries().collect::<Result<_, _>>().unwrap()
}

#[test]
fn the_same_entries_and_options_give_the_same_bytes() {
    let entries: Vec<Event> = samples(300, 2);
    let one = write(&entries, WriteOptions::new().cluster_size(5000));
    let mut writer =
        Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new().cluster_size(5000)).unwrap();
    for entry in &entries {
        writer.fill(entry).unwrap();
    }
    assert!(one.as_bytes() == writer.finish_into().unwrap().1.as_bytes());
    let other = write(&entries, WriteOptions::new().cluster_size(5000).uuid([7; 16]));
    assert!(one.as_bytes() != other.as_bytes());
}

#[test]
fn several_ntuples_are_written_at_the_same_time() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    let (first, second): (Vec<Event>, Vec<Event>) = (samples(200, 1), samples(100, 2));
    let small = || WriteOptions::new().cluster_size(3000).max_page_length(512);
    let mut a = file.writer::<Event>("Events", small()).unwrap();
    let mut b = file.writer::<Event>("a/b/Events", small()).unwrap();
    let mut c = file.writer::<One<u8>>("a/Runs", small()).unwrap();
    let error = file.writer::<Event>("a/b/Events", small()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument, "{error}");
    for (index, entry) in first.iter().enumerate() {
        a.fill(entry).unwrap();
        if let Some(entry) = second.get(index) {
            b.fill(entry).unwrap();
        }
    }
    c.fill(&One { value: 9 }).unwrap();
    c.finish().unwrap();
    a.finish().unwrap();
    b.finish().unwrap();
    let file = RootFile::from_storage(file.finish().unwrap()).unwrap();
    assert_eq!(read(&file, "Events"), first);
    assert_eq!(read(&file, "a/b/Events"), second);
    let runs = Reader::<One<u8>>::open(&file, "a/Runs").unwrap();
    assert_eq!(runs.get(0).unwrap().value, 9);
    assert!(file.verify().unwrap().is_sound());
}

/// Counts the bytes that are read.
struct Counting(Memory, Arc<AtomicU64>);

impl ReadAt for Counting {
    fn size(&self) -> u64 {
        self.0.size()
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> std::io::Result<()> {
        self.1.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        self.0.read_at(offset, buffer)
    }

    fn name(&self) -> &str {
        "counting"
    }
}

/// Opening each of many ntuples does not read the list of all of them each time.
#[test]
fn directories_are_read_once_for_all_ntuples() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    let paths: Vec<String> = (0..300).map(|number| format!("d{}/nt{number}", number % 3)).collect();
    for path in &paths {
        file.writer::<One<u8>>(path, WriteOptions::new()).unwrap().finish().unwrap();
    }
    let count = Arc::new(AtomicU64::new(0));
    let file = RootFile::from_storage(Counting(file.finish().unwrap(), count.clone())).unwrap();
    let mut read = Vec::new();
    for path in &paths {
        let before = count.load(Ordering::Relaxed);
        // A clone knows what the file knows.
        Reader::<One<u8>>::open(file.clone(), path).unwrap();
        read.push(count.load(Ordering::Relaxed) - before);
    }
    let lists = read[0].max(read[1]).max(read[2]);
    let most = *read[3..].iter().max().unwrap();
    assert!(most < 1000 && lists > 5000, "{lists} and {most} bytes");
}

#[test]
fn a_file_waits_for_its_writers() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    let writer = file.writer::<Event>("Events", WriteOptions::new()).unwrap();
    assert_eq!(file.finish().unwrap_err().kind(), ErrorKind::InvalidArgument);
    drop(writer);
}

#[test]
fn an_unfinished_file_is_reported_as_such() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("unfinished.root");
    let options = WriteOptions::new().cluster_size(2000).in_place(true);
    let mut writer = Writer::<Event>::create(&path, "Events", options).unwrap();
    writer.fill_all(&samples(500, 3)).unwrap();
    drop(writer);
    assert!(std::fs::metadata(&path).unwrap().len() > 10_000);
    let error = Reader::<Event>::open(&path, "Events").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unfinished);
    assert!(error.to_string().contains("unfinished.root"), "{error}");
}

#[test]
fn a_bad_option_costs_no_existing_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("precious.root");
    std::fs::write(&path, b"precious").unwrap();
    for options in [
        WriteOptions::new().cluster_size(0),
        WriteOptions::new().max_page_length(0),
        WriteOptions::new().max_key_size(100),
    ] {
        let error = Writer::<Event>::create(&path, "Events", options).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    }
    for name in ["", "a b", "a.b", "/a", "a//b", "a/", "a;1", "../a"] {
        assert_eq!(
            Writer::<Event>::create(&path, name, WriteOptions::new()).unwrap_err().kind(),
            ErrorKind::InvalidArgument,
            "{name:?}"
        );
    }
    let wrong = WriteOptions::new().encoding("met", ColumnEncoding::of(rntuple::encoding::ColumnType::Int32));
    let error = Writer::<Event, _>::new(Memory::new(), "Events", wrong).unwrap_err();
    assert!(error.to_string().contains("met"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn clusters_end_by_size_by_length_and_on_request() {
    let entries: Vec<Event> = samples(2000, 4);
    let clusters = |options: WriteOptions| {
        let file = RootFile::from_storage(write(&entries, options)).unwrap();
        assert_eq!(read(&file, "Events"), entries);
        let dataset = Dataset::open(&file, "Events").unwrap();
        let size = |cluster: &rntuple::schema::ClusterDescriptor| {
            let pages = cluster.columns.iter().flat_map(|column| &column.pages);
            pages
                .map(|page| if let Locator::File { size, .. } = page.locator { size + 8 } else { 0 })
                .sum::<u64>()
        };
        clusters(&dataset).iter().map(|cluster| size(cluster)).collect::<Vec<u64>>()
    };
    assert_eq!(clusters(WriteOptions::new()).len(), 1);
    for compression in [Compression::NONE, Compression::zstd(1)] {
        let sizes =
            clusters(WriteOptions::new().compression(compression).cluster_size(60_000).share_pages(false));
        assert!(sizes.len() > 4, "{sizes:?}");
        // The first one is cut before anything is known of how the pages shrink.
        assert!((20_000..75_000).contains(&sizes[0]), "{sizes:?}");
        for size in &sizes[1..sizes.len() - 1] {
            assert!((54_000..66_000).contains(size), "about 60 kB each: {sizes:?}");
        }
    }
    let short = clusters(WriteOptions::new().max_cluster_length(20_000));
    assert!(short.len() > 10);

    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for part in entries.chunks(500) {
        writer.fill_all(part).unwrap();
        writer.commit_cluster().unwrap();
        writer.commit_cluster().unwrap();
    }
    let (summary, _) = writer.finish_into().unwrap();
    assert_eq!(summary.clusters, 4);
}

#[test]
fn cluster_groups_are_written_and_read() {
    let entries: Vec<Event> = samples(700, 6);
    let mut writer =
        Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new().cluster_size(5000)).unwrap();
    for part in entries.chunks(250) {
        writer.fill_all(part).unwrap();
        writer.commit_cluster_group().unwrap();
    }
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    assert_eq!(read(&file, "Events"), entries);
    let dataset = Dataset::open(&file, "Events").unwrap();
    let spans: Vec<(u64, u64)> =
        dataset.cluster_groups().iter().map(|group| (group.first_entry, group.entry_count)).collect();
    assert_eq!(spans, [(0, 250), (250, 250), (500, 200)]);
    let reader = Reader::<Event>::open(&file, "Events").unwrap();
    assert_eq!(reader.get(699).unwrap(), entries[699]);
    assert_eq!(reader.get(250).unwrap(), entries[250]);
    assert_eq!(reader.get(700).unwrap_err().kind(), ErrorKind::InvalidArgument);
}

#[test]
fn identical_pages_are_stored_once() {
    #[derive(RNTuple)]
    struct Twins {
        a: u64,
        b: u64,
    }
    let write = |share| {
        let options = WriteOptions::new().share_pages(share).compression(Compression::NONE);
        let mut writer = Writer::new(Memory::new(), "Events", options).unwrap();
        for i in 0..1000 {
            writer.fill(&Twins { a: i, b: i }).unwrap();
        }
        writer.finish_into().unwrap().0
    };
    let (shared, apart) = (write(true), write(false));
    assert_eq!((shared.pages, shared.shared_pages), (2, 1));
    assert_eq!((apart.pages, apart.shared_pages), (2, 0));
    assert_eq!(apart.page_size, 2 * shared.page_size);
    assert_eq!(shared.page_length, 16_000);
}

#[test]
fn small_columns_do_not_waste_pages() {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&samples(1, 1)[0]).unwrap();
    let (summary, file) = writer.finish_into().unwrap();
    assert!(file.as_bytes().len() < 12_000, "{}", file.as_bytes().len());
    assert!(summary.page_size < 3_000, "{summary:?}");
}

#[test]
fn a_storage_that_fails_is_told_and_not_trusted() {
    use std::io::{self, IoSlice};
    struct Full(Memory, u64);
    impl rntuple::storage::WriteAt for Full {
        fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
            if offset > self.1 {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                self.0.write_at(offset, parts)
            }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let options = WriteOptions::new().cluster_size(10_000).max_page_length(1024);
    let mut writer = Writer::<Event, _>::new(Full(Memory::new(), 50_000), "Events", options).unwrap();
    let error = samples(5000, 1).iter().find_map(|entry| writer.fill(entry).err()).unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert!(writer.fill(&samples(1, 1)[0]).is_err());
    assert!(writer.finish().is_err());
}

#[test]
fn envelopes_longer_than_a_record_continue_in_others() {
    let options = WriteOptions::new()
        .compression(Compression::NONE)
        .max_key_size(1100)
        .max_page_length(1024)
        .cluster_size(2000)
        .write_buffer_length(500);
    let entries: Vec<Event> = samples(300, 8);
    let file = RootFile::from_storage(write(&entries, options)).unwrap();
    assert_eq!(read(&file, "Events"), entries);
    let dataset = Dataset::open(&file, "Events").unwrap();
    assert!(dataset.anchor().header.size > 1100 && dataset.cluster_groups()[0].page_list_length > 1100);
    assert!(file.verify().unwrap().is_sound());
}

#[test]
fn memory_is_shared_among_columns() {
    let options = WriteOptions::new().page_budget(20_000);
    let entries: Vec<Event> = samples(1000, 9);
    let file = RootFile::from_storage(write(&entries, options)).unwrap();
    assert_eq!(read(&file, "Events"), entries);
}

#[test]
fn files_on_disk_and_mapped_read_alike() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let entries: Vec<Event> = samples(300, 10);
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill_all(&entries).unwrap();
    writer.finish().unwrap();
    let reader = Reader::<Event>::open(&path, "Events").unwrap();
    assert_eq!(reader.entries().collect::<Result<Vec<_>, _>>().unwrap(), entries);
    {
        #[expect(unsafe_code, reason = "only this test knows the file")]
        // SAFETY: no one writes to it.
        let file = unsafe { rntuple::storage::MappedFile::open(&path) }.unwrap();
        let reader = Reader::<Event>::open(file, "Events").unwrap();
        assert_eq!(reader.entries().collect::<Result<Vec<_>, _>>().unwrap(), entries);
    }
}

#[test]
fn readers_and_writers_go_from_thread_to_thread() {
    fn send<T: Send>() {}
    fn shared<T: Send + Sync>() {}
    send::<Writer<Event>>();
    send::<RootFileWriter>();
    shared::<Reader<Event>>();
    send::<rntuple::Entries<Event>>();
    shared::<RootFile>();
    shared::<Dataset>();
    shared::<rntuple::Error>();
}

#[test]
fn entries_may_borrow_for_a_moment() {
    #[derive(RNTuple)]
    struct Borrowed<'a> {
        hits: &'a [f32],
    }
    let mut writer =
        Writer::<Borrowed<'static>, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    for count in 0..5u8 {
        let hits = vec![f32::from(count); count.into()];
        writer.fill_as(&Borrowed { hits: &hits }).unwrap();
    }
    let file = writer.finish_into().unwrap().1;
    #[derive(RNTuple)]
    struct Owned {
        hits: Vec<f32>,
    }
    let sizes: Vec<usize> =
        Reader::<Owned>::open(file, "Events").unwrap().entries().map(|e| e.unwrap().hits.len()).collect();
    assert_eq!(sizes, [0, 1, 2, 3, 4]);
}

#[test]
fn wide_structs_fit_on_small_stacks() {
    macro_rules! wide {
        ($($name:ident)*) => {
            #[derive(RNTuple, Debug, PartialEq, Clone, Default)]
            struct Wide { $($name: Vec<f32>,)* }
        };
    }
    wide! {
        a0 a1 a2 a3 a4 a5 a6 a7 a8 a9 b0 b1 b2 b3 b4 b5 b6 b7 b8 b9 c0 c1 c2 c3 c4 c5 c6 c7 c8 c9 d0 d1 d2 d3 d4 d5
        d6 d7 d8 d9 e0 e1 e2 e3 e4 e5 e6 e7 e8 e9 f0 f1 f2 f3 f4 f5 f6 f7 f8 f9 g0 g1 g2 g3 g4 g5 g6 g7 g8 g9 h0 h1
        h2 h3 h4 h5 h6 h7 h8 h9 i0 i1 i2 i3 i4 i5 i6 i7 i8 i9 j0 j1 j2 j3 j4 j5 j6 j7 j8 j9
    }
    let thread = std::thread::Builder::new().stack_size(512 << 10).spawn(|| {
        let entry = Wide { a0: vec![1.0], j9: vec![2.0, 3.0], ..Wide::default() };
        let mut writer = Writer::<Wide, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        writer.fill(&entry).unwrap();
        let reader = Reader::<Wide>::open(writer.finish_into().unwrap().1, "Events").unwrap();
        assert_eq!(reader.get(0).unwrap(), entry);
    });
    thread.unwrap().join().unwrap();
}

/// Fails once, at the given write.
struct Hiccup {
    file: Memory,
    writes_left: usize,
}

impl rntuple::storage::WriteAt for Hiccup {
    fn write_at(&mut self, offset: u64, parts: &[std::io::IoSlice<'_>]) -> std::io::Result<()> {
        self.writes_left = self.writes_left.wrapping_sub(1);
        if self.writes_left == 0 {
            return Err(std::io::ErrorKind::StorageFull.into());
        }
        rntuple::storage::WriteAt::write_at(&mut self.file, offset, parts)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn no_single_failed_write_loses_what_was_committed_before() {
    let entries: Vec<Event> = samples(40, 12);
    let mut recovered = 0;
    for writes_left in 3..40 {
        let storage = Hiccup { file: Memory::new(), writes_left };
        let mut writer = Writer::<Event, _>::new(storage, "Events", WriteOptions::new()).unwrap();
        let mut committed = 0;
        for (index, part) in entries.chunks(10).enumerate() {
            if writer.fill_all(part).is_err() {
                break;
            }
            if index % 2 == 0 && writer.commit_cluster().is_ok() {
                committed = (index + 1) * 10;
            } else if index % 2 == 1 {
                // Not even the failure of a page list, whose clusters are on storage.
                let _ = writer.commit_cluster_group();
            }
        }
        let Ok((summary, storage)) = writer.finish_into() else { continue };
        let file = RootFile::from_storage(storage.file).unwrap();
        let found = read(&file, "Events");
        assert_eq!(found.len() as u64, summary.entries, "write {writes_left}");
        assert!(found.len() >= committed);
        assert_eq!(found, entries[..found.len()]);
        recovered += 1;
    }
    assert!(recovered > 20, "{recovered}");
}

#[test]
fn a_wrong_schema_costs_no_existing_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("precious.root");
    std::fs::write(&path, b"precious").unwrap();
    let options = WriteOptions::new().encoding("nope", ColumnEncoding::truncated(16).unwrap());
    assert!(Writer::<Event>::create(&path, "Events", options).is_err());
    let quantized = ColumnEncoding::of(rntuple::encoding::ColumnType::Real32Quant);
    let error =
        Writer::<Event>::create(&path, "Events", WriteOptions::new().encoding("met", quantized)).unwrap_err();
    assert!(error.to_string().contains("needs a range"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), b"precious");
}

#[test]
fn a_panic_while_filling_is_not_forgotten() {
    #[derive(PartialEq, Eq, Hash, RNTuple)]
    #[rntuple(skip_reading)]
    struct Moody(u8);
    impl PartialOrd for Moody {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }
    impl Ord for Moody {
        fn cmp(&self, _: &Self) -> std::cmp::Ordering {
            panic!("not today")
        }
    }
    #[derive(RNTuple)]
    #[rntuple(skip_reading)]
    struct Entry {
        number: u64,
        moods: std::collections::HashSet<Moody>,
    }
    let mut writer = Writer::<Entry, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    let calm = |number| Entry { number, moods: std::iter::once(Moody(1)).collect() };
    writer.fill(&calm(1)).unwrap();
    writer.commit_cluster().unwrap();
    let bad = Entry { number: 2, moods: [Moody(1), Moody(2)].into_iter().collect() };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writer.fill(&bad))).unwrap_err();
    assert!(writer.fill(&calm(3)).is_err());
    assert!(writer.commit_cluster().is_err());
    assert!(writer.finish().is_err());
}

#[test]
fn whoever_writes_has_the_last_word_on_encodings() {
    #[derive(RNTuple)]
    struct Entry {
        #[rntuple(truncate(bits = 16))]
        met: f32,
    }
    let options =
        WriteOptions::new().encoding("met", ColumnEncoding::of(rntuple::encoding::ColumnType::Real32));
    let mut writer = Writer::<Entry, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill(&Entry { met: 0.1 }).unwrap();
    let reader = Reader::<One32>::open(writer.finish_into().unwrap().1, "Events").unwrap();
    assert_eq!(reader.get(0).unwrap().met, 0.1);
}

#[derive(RNTuple)]
struct One32 {
    met: f32,
}

#[test]
fn what_a_map_would_lose_is_an_error() {
    use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
    let mut writer =
        Writer::<One<Vec<(u8, u8)>>, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
    writer.fill(&One { value: vec![(1, 1), (2, 2)] }).unwrap();
    writer.fill(&One { value: vec![(1, 1), (1, 1)] }).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    fn check<T: rntuple::field::ReadField>(file: &RootFile) {
        let reader = Reader::<One<T>>::open(file, "Events").unwrap();
        assert!(reader.get(0).is_ok());
        let error = reader.get(1).err().unwrap();
        assert!(error.to_string().contains("twice"), "{error}");
    }
    check::<BTreeMap<u8, u8>>(&file);
    check::<HashMap<u8, u8>>(&file);
    check::<BTreeSet<(u8, u8)>>(&file);
    check::<HashSet<(u8, u8)>>(&file);
}

#[test]
fn two_types_of_one_class_name_are_refused() {
    mod a {
        #[derive(rntuple::RNTuple)]
        pub(super) struct Hit {
            pub(super) x: f32,
        }
    }
    mod b {
        #[derive(rntuple::RNTuple)]
        pub(super) struct Hit {
            pub(super) y: u8,
        }
    }
    #[derive(RNTuple)]
    struct Entry {
        a: Option<a::Hit>,
        b: Option<b::Hit>,
    }
    let error = Writer::<Entry, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap_err();
    assert!(error.to_string().contains("class `Hit`"), "{error}");
    let _ = Entry { a: Some(a::Hit { x: 1.0 }), b: Some(b::Hit { y: 1 }) };
}

/// The schema that is written, field by field: what the format notes ask for.
#[test]
fn the_schema_of_an_event_is_as_the_format_asks() {
    let options = WriteOptions::new().description("for the record");
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    writer.fill_all(&samples(300, 1)).unwrap();
    writer.commit_cluster().unwrap();
    writer.fill_all(&samples(200, 2)).unwrap();
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let dataset = Dataset::open(&file, "Events").unwrap();
    assert_eq!(dataset.description(), "for the record");
    assert_eq!(dataset.anchor().version, [1, 0, 0, 1]);
    let schema = dataset.schema();
    let mut found = String::new();
    for (id, field) in schema.fields() {
        let columns: Vec<&str> = schema.representations(id)[..]
            .iter()
            .flatten()
            .map(|id| {
                rntuple::encoding::ColumnType::from_code(schema.column(*id).unwrap().type_code)
                    .unwrap()
                    .name()
            })
            .collect();
        let repetition = field.array_size.map(|size| format!(" x{size}")).unwrap_or_default();
        let class = field.type_checksum.map(|_| " class").unwrap_or_default();
        let text = if field.description.is_empty() { "" } else { " \"..\"" };
        let name = if field.type_name.is_empty() { "-" } else { &field.type_name };
        let columns = columns.join("+");
        let line = format!("{} {} {name}{repetition}{class} {columns}", schema.path(id), field.role.name());
        found += &format!("{}{text}\n", line.trim_end());
    }
    let wanted = include_str!("event.schema.txt");
    assert!(found == wanted, "the schema is now\n{found}");
    // Element offsets count all clusters before, and settings say how pages may be compressed.
    for (id, _) in schema.columns() {
        let mut elements = 0;
        for cluster in clusters(&dataset) {
            let column = &cluster.columns[id.index()];
            assert_eq!(column.first_element, Some(elements));
            assert_eq!(column.compression, 501);
            elements += column.stored_count();
        }
    }
}

#[test]
fn a_feature_that_nobody_knows_is_refused_by_number() {
    let file = RootFileWriter::new(Memory::new(), FileOptions::new()).unwrap();
    file.put_unknown_feature("ntpl", 137).unwrap();
    assert!(file.put_unknown_feature("other", 63).is_err());
    let file = RootFile::from_storage(file.finish().unwrap()).unwrap();
    let error = Dataset::open(&file, "ntpl").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("feature flag 137"), "{error}");
}
