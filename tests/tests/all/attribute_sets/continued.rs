//! Sets that an appended ntuple has already get more attributes, and lose none.

use rntuple::{ErrorKind, ParallelWriter};

use super::*;

/// Two sets, of 3 and 1 attributes, of 30 entries.
fn storage() -> Memory {
    let mut writer = writer(WriteOptions::new());
    let (runs, files) = (writer.attributes("runs").unwrap(), writer.attributes("files").unwrap());
    for run in 0..3 {
        let range = runs.begin(&writer).unwrap();
        fill(&mut writer, 10);
        range.commit(&writer, &info(run)).unwrap();
    }
    files.add(0..30, &info(7)).unwrap();
    writer.finish_into().unwrap().1
}

fn append(storage: Memory) -> Writer<Event, Memory> {
    Writer::append_to(storage, "Events", WriteOptions::new()).unwrap()
}

fn reopen(storage: Memory) -> RootFile {
    let file = RootFile::from_storage(storage).unwrap();
    // That lists were replaced is noted, and is no fault.
    let report = check_file(&file, CheckOptions::new());
    assert!(report.is_sound(), "{:?}", report.faults);
    file
}

#[test]
fn attributes_of_later_jobs_join_those_of_earlier_ones() {
    let mut storage = storage();
    for job in 0..3u32 {
        let mut writer = append(storage);
        let runs = writer.attributes::<RunInfo>("runs").unwrap();
        let range = runs.begin(&writer).unwrap();
        fill(&mut writer, 10);
        range.commit(&writer, &info(3 + job)).unwrap();
        storage = writer.finish_into().unwrap().1;
    }
    let file = reopen(storage);
    let wanted: Vec<_> = (0..6).map(|run| said(u64::from(run) * 10..u64::from(run) * 10 + 10, run)).collect();
    assert_eq!(all(&set(&file, "runs")), wanted);
    assert_eq!(all(&set(&file, "files")), [said(0..30, 7)]);
    let events: Vec<Event> = open(&file, "Events").entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(events, (0..60).map(event).collect::<Vec<_>>());
    let linked = Dataset::open(&file, "Events").unwrap();
    let names: Vec<_> = linked.attribute_sets().iter().map(|set| set.name.clone()).collect();
    assert_eq!(names, ["runs", "files"], "in the order in which they came");
}

#[test]
fn attributes_alone_can_be_added() {
    let mut writer = append(storage());
    writer.attributes("files").unwrap().add(10..20, &info(8)).unwrap();
    writer.attributes("new").unwrap().add(0..1, &info(9)).unwrap();
    let file = reopen(writer.finish_into().unwrap().1);
    assert_eq!(all(&set(&file, "files")), [said(0..30, 7), said(10..20, 8)]);
    assert_eq!(all(&set(&file, "new")), [said(0..1, 9)]);
    assert_eq!(all(&set(&file, "runs")).len(), 3);
    assert_eq!(open(&file, "Events").entry_count().unwrap(), 30);
}

#[test]
fn several_threads_may_append_too() {
    let writer = ParallelWriter::<Event, _>::append_to(storage(), "Events", WriteOptions::new()).unwrap();
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    writer.scope(|scope| scope.spawn(|context| context.fill(&event(30)))).unwrap();
    runs.add(30..31, &info(3)).unwrap();
    let file = reopen(writer.finish_into().unwrap().1);
    assert_eq!(all(&set(&file, "runs")).last(), Some(&said(30..31, 3)));
    assert_eq!(set(&file, "runs").attribute_count(), 4);
}

#[test]
fn a_set_that_gets_nothing_stays_where_it_is() {
    let before = reopen(storage());
    let mut writer = append(storage());
    let _ = writer.attributes::<RunInfo>("runs").unwrap();
    fill(&mut writer, 1);
    let after = reopen(writer.finish_into().unwrap().1);
    let links = |file: &RootFile| Dataset::open(file, "Events").unwrap().attribute_sets().to_vec();
    assert_eq!(links(&before), links(&after));
}

#[test]
fn another_type_is_refused_and_costs_nothing() {
    #[derive(Debug, RNTuple)]
    struct Other {
        run: u32,
        luminosity: f64,
    }
    let mut writer = append(storage());
    let error = writer.attributes::<Other>("runs").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let text = error.to_string();
    assert!(text.contains("attribute set runs") && text.contains("luminosity"), "{text}");
    // The right one still finds what the set has.
    writer.attributes("runs").unwrap().add(29..30, &info(3)).unwrap();
    let file = reopen(writer.finish_into().unwrap().1);
    assert_eq!(set(&file, "runs").attribute_count(), 4);
}

#[test]
fn a_set_is_continued_once() {
    let mut writer = append(storage());
    let _first = writer.attributes::<RunInfo>("runs").unwrap();
    let error = writer.attributes::<RunInfo>("runs").unwrap_err();
    assert!(error.to_string().contains("\"runs\" is being written already"), "{error}");
}

#[test]
fn a_damaged_set_is_refused_and_the_others_are_not() {
    let storage = storage();
    let file = RootFile::from_storage(storage.clone()).unwrap();
    let anchor = Dataset::open(&file, "Events").unwrap().attribute_sets()[0].anchor;
    let rntuple::schema::Locator::File { offset, .. } = anchor else { panic!("{anchor:?}") };
    let mut bytes = storage.into_bytes();
    // A bit of the version's number in the anchor, which is found by its checksum.
    bytes[offset as usize + 12] ^= 1;
    let mut writer = append(Memory::from(bytes));
    assert!(writer.attributes::<RunInfo>("runs").is_err());
    writer.attributes("files").unwrap().add(0..1, &info(8)).unwrap();
    fill(&mut writer, 1);
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    assert_eq!(set(&file, "files").attribute_count(), 2);
}

/// A link takes some thirty bytes; what it leads to may take any number of fields in memory, once for each of them.
#[test]
fn many_links_to_one_set_are_refused() {
    let plain = WriteOptions::new().compression(rntuple::Compression::NONE);
    let mut writer = writer(plain);
    for name in ["runs", "eras"] {
        writer.attributes(name).unwrap().add(0..0, &info(1)).unwrap();
    }
    let storage = writer.finish_into().unwrap().1;
    let file = RootFile::from_storage(storage.clone()).unwrap();
    let footer = Dataset::open(&file, "Events").unwrap().anchor().footer;
    let body = footer.offset as usize..(footer.offset + footer.length) as usize - 8;
    // Version (2 + 2), length (4), locator (4 + 8), name (4 + 4), all of it after a size (8).
    let locator = |record: usize| body.end - record * 36 + 16..body.end - record * 36 + 28;
    let mut bytes = storage.into_bytes();
    bytes.copy_within(locator(2), locator(1).start);
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes[body.clone()]);
    bytes[body.end..][..8].copy_from_slice(&checksum.to_le_bytes());

    let mut writer = append(Memory::from(bytes));
    let error = writer.attributes::<RunInfo>("eras").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::OutOfSpec);
    assert!(error.to_string().contains("shares its header with another ntuple"), "{error}");
    // The first one is a set like any other.
    writer.attributes("runs").unwrap().add(0..0, &info(2)).unwrap();
}
