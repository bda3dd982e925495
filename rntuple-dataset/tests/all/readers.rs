//! Readers of `rntuple` over a version with deleted rows: they find the rows that are left, and nothing else.

use std::collections::HashMap;

use rayon::iter::ParallelIterator as _;
use rntuple::storage::Memory;
use rntuple::{Pool, RNTuple, ReadOptions, Reader, RootFile, Writer};
use rntuple_dataset::{Snapshot, Table};

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Muon {
    pt: f32,
    charge: i8,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
#[rntuple(columnar)]
struct Event {
    run: u32,
    number: u64,
    met: Option<f32>,
    label: String,
    muons: Vec<Muon>,
}

#[derive(RNTuple, Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    run: u32,
    number: u64,
}

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct Weight {
    run: u32,
    number: u64,
    weight: f64,
}

fn event(run: u32, number: u64) -> Event {
    let muon = |i: u64| Muon { pt: (number + i) as f32, charge: if i.is_multiple_of(2) { 1 } else { -1 } };
    Event {
        run,
        number,
        met: (!number.is_multiple_of(3)).then_some(number as f32 / 2.0),
        label: "x".repeat((number % 5) as usize),
        muons: (0..number % 4).map(muon).collect(),
    }
}

fn key(event: &Event) -> Key {
    Key { run: event.run, number: event.number }
}

/// A version with deleted rows, and the rows that are left, in their order.
struct Sample {
    _directory: tempfile::TempDir,
    table: Table,
    snapshot: Snapshot,
    left: Vec<Event>,
}

/// Of three files, in clusters of 30 rows and short pages: single rows are deleted, all rows of a cluster, and the last rows of
/// a file; some rows were changed, so that they are deleted where they were and are in a fourth file.
fn sample() -> Sample {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.rnds");
    let table = Table::create::<Event>(path.to_str().unwrap(), "Events").unwrap();
    let counts = [(1, 200), (2, 95), (3, 120)];
    for (run, count) in counts {
        let options = rntuple::WriteOptions::new().max_page_length(64);
        let fill = |writer: &mut Writer<Event>| {
            for number in 0..count {
                writer.fill(&event(run, number))?;
                if number % 30 == 29 {
                    writer.commit_cluster()?;
                }
            }
            Ok(())
        };
        table.append_with::<Event>(options, fill).unwrap();
    }
    let gone = |row: &Event| {
        let number = row.number;
        number % 7 == 2 || row.run == 1 && (60..90).contains(&number) || row.run == 2 && number >= 70
    };
    table.delete(gone).unwrap();
    let changes = |row: &Event| row.run == 3 && row.number % 10 == 1;
    let change = |row: &mut Event| {
        row.label = "changed".to_owned();
        changes(row)
    };
    let snapshot = table.update(change).unwrap();
    let all = counts.into_iter().flat_map(|(run, count)| (0..count).map(move |number| event(run, number)));
    let (changed, mut left): (Vec<_>, Vec<_>) = all.filter(|row| !gone(row)).partition(changes);
    left.extend(changed.into_iter().map(|row| Event { label: "changed".to_owned(), ..row }));
    assert!(left.len() as u64 == snapshot.len() && snapshot.entry_count() > snapshot.len());
    Sample { _directory: directory, table, snapshot, left }
}

/// An ntuple of weights: of every second event, in another order, and of events that were never there.
fn weights() -> (RootFile, HashMap<Key, f64>) {
    let mut writer = Writer::<Weight, _>::new(Memory::new(), "Weights", Default::default()).unwrap();
    let mut known = HashMap::new();
    for number in (0..250).rev().step_by(2) {
        for run in [3, 1, 2, 4] {
            let weight = f64::from(run) + number as f64;
            writer.fill(&Weight { run, number, weight }).unwrap();
            known.insert(Key { run, number }, weight);
        }
    }
    (RootFile::from_storage(writer.finish_into().unwrap().1).unwrap(), known)
}

#[test]
fn rows_that_are_left_are_joined_by_a_key() {
    let Sample { snapshot, left, .. } = &sample();
    let (file, known) = weights();
    let weights = Reader::<Weight>::open(&file, "Weights").unwrap();
    let events = snapshot.reader::<Event>().unwrap();
    let join = events.join_on::<Key, _>(&weights).unwrap();
    let found: Vec<(Event, Option<f64>)> = join
        .entries()
        .map(|pair| pair.map(|(event, weight)| (event, weight.map(|it| it.weight))).unwrap())
        .collect();
    let wanted: Vec<_> = left.iter().map(|event| (event.clone(), known.get(&key(event)).copied())).collect();
    assert!(
        wanted.iter().any(|(_, weight)| weight.is_some())
            && wanted.iter().any(|(_, weight)| weight.is_none())
    );
    assert_eq!(found, wanted);
    let inner: Vec<Event> = join.inner().map(|pair| pair.unwrap().0).collect();
    let partners = left.iter().filter(|event| known.contains_key(&key(event)));
    assert_eq!(inner, partners.cloned().collect::<Vec<_>>());
}

/// A row that was changed is deleted under the key of the one that is left: that is no second row of this key.
#[test]
fn deleted_rows_have_no_keys() {
    let Sample { snapshot, left, .. } = &sample();
    let (file, known) = weights();
    let weights = Reader::<Weight>::open(&file, "Weights").unwrap();
    let events = snapshot.reader::<Event>().unwrap();
    let join = weights.join_on::<Key, _>(&events).unwrap();
    assert_eq!(join.key_count(), left.len());
    let left: HashMap<Key, &Event> = left.iter().map(|event| (key(event), event)).collect();
    let mut partners = 0;
    for pair in join.entries() {
        let (weight, event) = pair.unwrap();
        let wanted = left.get(&Key { run: weight.run, number: weight.number });
        assert_eq!(event.as_ref(), wanted.copied());
        assert_eq!(weight.weight, known[&Key { run: weight.run, number: weight.number }]);
        partners += usize::from(event.is_some());
    }
    assert_eq!(partners, left.keys().filter(|key| known.contains_key(key)).count());
}

/// What has a value for each entry, those included that are deleted, is read next to the rows.
#[test]
fn columns_that_others_have_written_are_side_by_side_with_the_rows_that_are_left() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Score {
        score: u64,
    }
    let Sample { snapshot, left, .. } = &sample();
    let mut writer = Writer::<Score, _>::new(Memory::new(), "Scores", Default::default()).unwrap();
    for row in &snapshot.reader_with_deleted::<Key>(ReadOptions::new()).unwrap() {
        writer.fill(&Score { score: row.unwrap().number * 3 }).unwrap();
    }
    assert_eq!(writer.entry_count(), snapshot.entry_count());
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let scores = Reader::<Score>::open(&file, "Scores").unwrap();
    let events = snapshot.reader::<Event>().unwrap();
    let zip = events.zip(&scores).unwrap();
    let found: Vec<(Event, Score)> = zip.entries().collect::<Result<_, _>>().unwrap();
    let wanted: Vec<_> = left.iter().map(|row| (row.clone(), Score { score: row.number * 3 })).collect();
    assert_eq!(found, wanted);
    let turned: Vec<(Score, Event)> =
        scores.zip(&events).unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(turned, wanted.into_iter().map(|(row, score)| (score, row)).collect::<Vec<_>>());
}

/// Columns that were added are in files of their own: before the rows were deleted, and after it.
#[test]
fn added_columns_are_read_with_the_rows_that_are_left() {
    #[derive(RNTuple)]
    struct Twice {
        twice: u64,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Both {
        twice: u64,
        muons: Vec<Muon>,
        number: u64,
    }
    let Sample { table, left, .. } = &sample();
    let twice = |rows: Vec<Key>| rows.iter().map(|row| Twice { twice: 2 * row.number }).collect();
    table.add_columns(twice).unwrap();
    let snapshot = table.delete::<Twice>(|row| row.twice % 11 == 0).unwrap();
    let left = left.iter().filter(|row| 2 * row.number % 11 != 0);
    let wanted: Vec<Both> = left
        .map(|row| Both { twice: 2 * row.number, muons: row.muons.clone(), number: row.number })
        .collect();
    let found: Vec<Both> = snapshot.reader().unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(found, wanted);
}

/// The rows of columns: written to a file, and read from there.
fn rows_of(columns: &<Event as rntuple::columns::Columnar>::Columns) -> Vec<Event> {
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", Default::default()).unwrap();
    writer.fill_columns(columns.as_slice()).unwrap();
    let file = writer.finish_into().unwrap().1;
    Reader::<Event>::open(file, "Events").unwrap().entries().collect::<Result<_, _>>().unwrap()
}

#[test]
fn batches_have_the_rows_that_are_left() {
    let Sample { snapshot, left, .. } = &sample();
    let reader = snapshot.reader::<Event>().unwrap();
    for count in [1, 7, 64, 10_000] {
        let mut owned = Vec::new();
        for columns in reader.batches(count) {
            let rows = rows_of(&columns.unwrap());
            assert!((1..=count).contains(&rows.len()));
            owned.extend(rows);
        }
        assert_eq!(&owned, left, "batches of {count}");

        let (mut numbers, mut sizes, mut pts) = (Vec::new(), Vec::new(), Vec::new());
        let mut batches = reader.batches(count);
        while let Some(events) = batches.lend().unwrap() {
            numbers.extend_from_slice(events.number);
            pts.extend_from_slice(events.muons.items().pt);
            sizes.extend(events.muons.iter().map(|muons| muons.len()));
        }
        let numbers_left: Vec<u64> = left.iter().map(|row| row.number).collect();
        assert_eq!(numbers, numbers_left, "batches of {count}");
        assert_eq!(sizes, left.iter().map(|row| row.muons.len()).collect::<Vec<_>>());
        let muons = left.iter().flat_map(|row| &row.muons);
        assert_eq!(pts, muons.map(|muon| muon.pt).collect::<Vec<_>>());

        let mut visited = Vec::new();
        let visit = reader.batches(count).visit(|event| {
            visited.push(event.number);
            Ok::<_, rntuple::Error>(())
        });
        visit.unwrap();
        assert_eq!(visited, numbers_left, "batches of {count}");
    }
}

#[test]
fn threads_read_the_rows_that_are_left() {
    let Sample { snapshot, left, .. } = &sample();
    let order = |rows: &mut Vec<Event>| rows.sort_by_key(|row| (row.run, row.number));
    let mut wanted = left.clone();
    order(&mut wanted);

    let options = ReadOptions::new().pool(&Pool::new(4).unwrap());
    let reader = snapshot.reader_with::<Event>(options).unwrap();
    let mut found: Vec<Event> = reader.par_entries().collect::<Result<_, _>>().unwrap();
    order(&mut found);
    assert_eq!(found, wanted);

    for target in [1, 3, 8] {
        let ranges = reader.partitions(target).unwrap();
        let read = |range: &std::ops::Range<u64>| -> Vec<Event> {
            reader.entries_in(range.clone()).collect::<Result<_, _>>().unwrap()
        };
        let read_batches = |range: &std::ops::Range<u64>| -> Vec<Event> {
            let batches = reader.batches_in(range.clone(), 16);
            batches.flat_map(|columns| rows_of(&columns.unwrap())).collect()
        };
        let (mut rows, mut batches) = (Vec::new(), Vec::new());
        std::thread::scope(|scope| {
            let threads: Vec<_> = ranges
                .iter()
                .map(|range| (scope.spawn(move || read(range)), scope.spawn(move || read_batches(range))))
                .collect();
            for (of_rows, of_batches) in threads {
                rows.extend(of_rows.join().unwrap());
                batches.extend(of_batches.join().unwrap());
            }
        });
        assert_eq!(&rows, left, "{target} parts");
        assert_eq!(&batches, left, "{target} parts");
    }
}

#[test]
fn smaller_structs_read_the_rows_that_are_left() {
    #[derive(RNTuple, Debug, PartialEq)]
    struct Pt {
        pt: f64,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Small {
        muons: Vec<Pt>,
        number: u64,
    }
    #[derive(RNTuple, Debug, PartialEq)]
    struct Met {
        met: Option<f32>,
    }
    let Sample { snapshot, left, .. } = &sample();
    let small = |row: &Event| Small {
        muons: row.muons.iter().map(|muon| Pt { pt: muon.pt.into() }).collect(),
        number: row.number,
    };
    let found: Vec<Small> = snapshot.reader().unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(found, left.iter().map(small).collect::<Vec<_>>());
    let found: Vec<Met> = snapshot.reader().unwrap().entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(found, left.iter().map(|row| Met { met: row.met }).collect::<Vec<_>>());
}

#[test]
fn columns_by_themselves_have_the_values_of_the_rows_that_are_left() {
    let Sample { snapshot, left, .. } = &sample();
    let reader = snapshot.reader::<Event>().unwrap();
    let mut numbers = Vec::new();
    reader.column::<u64>("number").unwrap().read_into(usize::MAX, &mut numbers).unwrap();
    assert_eq!(numbers, left.iter().map(|row| row.number).collect::<Vec<_>>());
    let mut sizes = Vec::new();
    reader.sizes("muons").unwrap().read_into(usize::MAX, &mut sizes).unwrap();
    assert_eq!(sizes, left.iter().map(|row| row.muons.len() as u64).collect::<Vec<_>>());
    let mut items = reader.items::<Muon>("muons").unwrap();
    let mut pt = Vec::new();
    while let Some(muons) = items.lend(5).unwrap() {
        pt.extend_from_slice(muons.pt);
    }
    assert_eq!(pt, left.iter().flat_map(|row| &row.muons).map(|muon| muon.pt).collect::<Vec<_>>());
    let deleted = (0..snapshot.entry_count()).find(|entry| !snapshot.live().unwrap().contains(*entry));
    assert!(reader.get(deleted.unwrap()).is_err());
}
