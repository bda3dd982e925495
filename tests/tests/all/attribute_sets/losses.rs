//! What cannot be written is told, and takes nothing else with it.

use std::io::{self, IoSlice};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use rntuple::storage::WriteAt;
use rntuple::{Compression, ErrorKind};
use rntuple_tests::disk::{Disk, Fault};
use rntuple_tests::switched::Switched;

use super::*;

#[derive(Debug, PartialEq, RNTuple)]
struct Fraction {
    #[rntuple(quantize(bits = 8, min = 0.0, max = 127.5))]
    fraction: f32,
}

#[test]
fn an_attribute_that_is_refused_costs_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    let fractions = writer.attributes::<Fraction>("fractions").unwrap();
    (0..3).for_each(|number| writer.fill(&event(number)).unwrap());
    fractions.add(0..1, &Fraction { fraction: 0.5 }).unwrap();
    let error = fractions.add(1..2, &Fraction { fraction: 200.0 }).unwrap_err().to_string();
    assert!(
        error.ends_with(
            "Events, attribute set fractions: column 2 (_userData.fraction), entry 1: \
             the value 200 is outside the range of the column, 0 to 127.5"
        ),
        "{error}"
    );
    // That its range was begun does not make `finish` fail, as the caller knows.
    let range = fractions.begin(&writer).unwrap();
    assert!(range.commit(&writer, &Fraction { fraction: -1.0 }).is_err());
    fractions.add(2..3, &Fraction { fraction: 1.0 }).unwrap();
    runs.add(0..3, &info(1)).unwrap();
    writer.finish().unwrap();
    let file = RootFile::open(&path).unwrap();
    assert_sound(&file);
    assert_eq!(open(&file, "Events").entry_count().unwrap(), 3);
    assert_eq!(all(&set(&file, "runs")), [said(0..3, 1)]);
    let fractions = open(&file, "Events").attributes::<Fraction>("fractions").unwrap();
    let said = |range, fraction| Attribute { range, value: Fraction { fraction } };
    assert_eq!(all(&fractions), [said(0..1, 0.5), said(2..3, 1.0)]);
}

#[test]
fn entries_that_are_lost_are_told_of_first() {
    let (storage, fails) = Switched::new();
    let mut writer = Writer::<Fraction, _>::new(storage, "Events", WriteOptions::new()).unwrap();
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    let range = runs.begin(&writer).unwrap();
    writer.fill(&Fraction { fraction: 0.5 }).unwrap();
    fails.store(true, Ordering::Relaxed);
    assert!(writer.commit_cluster().is_err());
    fails.store(false, Ordering::Relaxed);
    // The entry is none any more.
    assert_eq!(range.commit(&writer, &info(1)).unwrap(), 0..0);
    runs.add(0..1, &info(2)).unwrap();
    let error = writer.attributes::<RunInfo>("later").unwrap_err();
    assert!(error.to_string().contains("was lost"), "{error}");
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.contains("1 entry of an unfinished cluster was lost"), "{error}");
}

/// A set that was filled half-way costs its ntuple nothing, be it checkpoints that are made meanwhile.
#[test]
fn a_panic_in_an_attribute_leaves_the_entries_alone() {
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
    struct Moods {
        moods: std::collections::HashSet<Moody>,
    }
    let options = WriteOptions::new().checkpoint_every(rntuple::checkpoint::Interval::Entries(2));
    let disk = Disk::default();
    let mut writer = Writer::<Event, _>::new(disk.clone(), "Events", options).unwrap();
    let fill = |writer: &mut Writer<Event, Disk>, numbers: Range<u64>| {
        numbers.for_each(|number| writer.fill(&event(number)).unwrap());
    };
    let assert_whole = || {
        let file = RootFile::from_storage(Memory::from(disk.bytes())).unwrap();
        assert!(open(&file, "Events").entries().map(Result::unwrap).eq((0..9).map(event)));
        assert_eq!(all(&set(&file, "runs")), [said(0..5, 1)]);
        let events = Dataset::open(&file, "Events").unwrap();
        assert_eq!(events.attribute_set("moods").unwrap().entry_count(), 1, "what was complete before");
        assert_sound(&file);
    };
    let moods = writer.attributes::<Moods>("moods").unwrap();
    let runs = writer.attributes::<RunInfo>("runs").unwrap();
    fill(&mut writer, 0..3);
    moods.add(0..1, &Moods { moods: [Moody(1)].into() }).unwrap();
    writer.commit_cluster().unwrap();
    let bad = Moods { moods: [Moody(1), Moody(2)].into() };
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| moods.add(1..2, &bad))).unwrap_err();
    fill(&mut writer, 3..6);
    runs.add(0..5, &info(1)).unwrap();
    writer.commit_cluster().unwrap();
    fill(&mut writer, 6..9);
    writer.checkpoint().unwrap();
    assert_whole();
    let error = writer.finish().unwrap_err().to_string();
    assert!(error.contains("attribute set \"moods\"") && error.contains("panic"), "{error}");
    assert_whole();
}

#[derive(Debug, PartialEq, RNTuple)]
struct Mark {
    number: u64,
}

/// Entries and attributes with checkpoints, up to the first that is refused; returns how many entries the last
/// checkpoint has that succeeded.
fn write_with_checkpoints(disk: Disk) -> u64 {
    let options = WriteOptions::new().compression(Compression::NONE);
    let Ok(mut writer) = Writer::<Event, _>::new(disk, "Events", options) else { return 0 };
    let Ok(marks) = writer.attributes::<Mark>("marks") else { return 0 };
    let mut safe = 0;
    for number in 0..120 {
        if marks.add(0..1, &Mark { number }).is_err() || writer.fill(&event(number)).is_err() {
            break;
        }
        if number % 4 == 3 && writer.checkpoint().is_ok() {
            safe = number + 1;
        }
    }
    let _ = writer.finish();
    safe
}

/// Neither a checkpoint that fails nor an end that does leads to attributes that are not there.
#[test]
fn attributes_of_a_checkpoint_stay_when_the_disk_fails() {
    let whole = Disk::default();
    assert_eq!(write_with_checkpoints(whole.clone()), 120);
    let mut tried = 0;
    for fault in [Fault::Full, Fault::Error(io::ErrorKind::StorageFull)] {
        for call in 0..whole.calls() {
            let disk = Disk::failing(Vec::new(), call, fault);
            let safe = write_with_checkpoints(disk.clone());
            if safe == 0 {
                continue;
            }
            let file = RootFile::from_storage(Memory::from(disk.bytes())).unwrap();
            let report = check_file(&file, CheckOptions::new());
            assert!(report.faults.is_empty(), "{fault:?} at {call}: {report:?}");
            let reader = open(&file, "Events");
            let entries: Vec<_> = reader.entries().map(Result::unwrap).collect();
            assert!(entries.len() as u64 >= safe, "{fault:?} at {call}: {} of {safe}", entries.len());
            assert_eq!(entries, (0..entries.len() as u64).map(event).collect::<Vec<_>>());
            let marks = reader.attributes::<Mark>("marks").unwrap();
            let marks: Vec<u64> = marks.entries().map(|mark| mark.unwrap().value.number).collect();
            assert!(marks.len() as u64 >= safe, "{fault:?} at {call}: {} of {safe}", marks.len());
            assert_eq!(marks, (0..marks.len() as u64).collect::<Vec<_>>());
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried}");
}

/// Fails at one write.
struct Hiccup {
    file: Arc<Mutex<Memory>>,
    writes_left: usize,
}

impl WriteAt for Hiccup {
    fn write_at(&mut self, offset: u64, parts: &[IoSlice<'_>]) -> io::Result<()> {
        self.writes_left = self.writes_left.wrapping_sub(1);
        if self.writes_left == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.file.lock().unwrap().write_at(offset, parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Entries and attributes in turns, with small pages; the first error.
fn write(storage: Hiccup) -> Option<rntuple::Error> {
    let mut first = None;
    let options = WriteOptions::new().cluster_size(1500).max_page_length(256).write_buffer_length(200);
    let mut writer = match Writer::<Event, _>::new(storage, "Events", options) {
        Ok(writer) => writer,
        Err(error) => return Some(error),
    };
    let runs = writer.attributes::<RunInfo>("runs").map_err(|error| first = Some(error)).ok();
    for number in 0..150 {
        if let Err(error) = writer.fill(&event(number)) {
            first.get_or_insert(error);
        }
        if let Some(Err(error)) = runs.as_ref().map(|runs| runs.add(0..1, &info(number as u32))) {
            first.get_or_insert(error);
        }
    }
    let finished = writer.finish().err();
    // Whatever went wrong before is repeated at the end, unless there is no set to tell of.
    assert!(first.is_none() || finished.is_some() || runs.is_none());
    first.or(finished)
}

#[test]
fn no_single_failed_write_goes_unnoticed() {
    let (mut readable, mut writes) = (0, 0);
    for writes_left in 1.. {
        let file = Arc::new(Mutex::new(Memory::new()));
        let error = write(Hiccup { file: file.clone(), writes_left });
        let bytes = file.lock().unwrap().clone();
        let root = RootFile::from_storage(bytes);
        let Some(error) = error else {
            let root = root.unwrap();
            assert_sound(&root);
            assert_eq!(
                (open(&root, "Events").entry_count().unwrap(), set(&root, "runs").attribute_count()),
                (150, 150)
            );
            writes = writes_left;
            break;
        };
        assert!(matches!(error.kind(), ErrorKind::Io | ErrorKind::InvalidArgument), "{error}");
        if let Ok(root) = root {
            // Attributes of entries that are lost say something of nothing.
            let report = check_file(&root, CheckOptions::new());
            let faults = report.faults.iter().map(ToString::to_string);
            assert!(
                faults.into_iter().all(|fault| fault.contains("there are only 0")),
                "write {writes_left}"
            );
            let reader = open(&root, "Events");
            for (number, event) in (0..).zip(reader.entries()) {
                assert_eq!(event.unwrap(), super::event(number));
            }
            if let Ok(runs) = reader.attributes::<RunInfo>("runs") {
                for (number, attribute) in (0..).zip(&runs) {
                    assert_eq!(attribute.unwrap(), said(0..1, number));
                }
            }
            readable += 1;
        }
    }
    assert!(writes > 20 && readable > writes / 2, "{readable} of {writes}");
}
