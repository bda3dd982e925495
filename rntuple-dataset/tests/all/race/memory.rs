//! Threads that race on a store in memory.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rntuple_dataset::{Log, Table};

use super::worker::{Journal, Random, Worker, after};
use super::{Entry, Row, history};
use crate::store::shelf;

/// Versions with more rows that are too few for a race.
const FEW: usize = 10;

fn appends(table: &Table) -> usize {
    let versions = table.versions().unwrap();
    versions.iter().filter(|version| version.operation == Some("Append")).count()
}

#[test]
fn threads_race_on_a_store_in_memory() {
    let seed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().subsec_nanos();
    println!("seed {seed}");
    let (_, location) = shelf("race");
    let table = Table::create_in::<Row>(Log::new(location.clone()), "Events").unwrap();
    let work = |number: u32| {
        let table = Table::from_log(Log::new(location.clone())).unwrap();
        let watched = Table::from_log(Log::new(location.clone())).unwrap();
        let random = Random::new(u64::from(seed) ^ u64::from(number) << 32);
        let mut worker = Worker { table, number, random, journal: Journal::default(), next: 0 };
        // A busy machine may do little in that time.
        let (is_over, is_late) = (after(Duration::from_secs(4)), after(Duration::from_secs(120)));
        worker.run(|| is_over() && (is_late() || appends(&watched) > FEW));
        worker.journal.into_entries()
    };
    let entries: Vec<Entry> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..6).map(|number| scope.spawn(move || work(number))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    let counts = history::check(&table, &entries, 0);
    println!("{} jobs, versions: {counts:?}", entries.len());
    assert!(counts["Append"] > FEW, "{counts:?}");
}
