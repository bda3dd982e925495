//! Models of readers that share a cluster, the memory that its reads may take, and what reads ahead: each runs in every
//! order in which the threads may meet.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

use super::ahead::ReadAhead;
use super::room::Room;
use super::{Access, Cluster, Fetch, Merging};
use crate::bytes::Block;
use crate::error::Result;
use crate::pool::Pool;
use crate::schema::{ClusterDescriptor, ClusterId, ColumnId, ColumnRange, Locator, PageLocation};

/// Runs a model.
fn check(interruptions: usize, model: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(interruptions);
    builder.check(model);
}

#[test]
fn leases_never_come_to_more_than_the_room() {
    loom::model(|| {
        let room = Arc::new(Room::new(10));
        let taken = Arc::new(AtomicU64::new(0));
        let work = |first: u64, then: u64| {
            let (room, taken) = (room.clone(), taken.clone());
            move || {
                if let Some(mut lease) = room.take(first) {
                    assert!(taken.fetch_add(first, SeqCst) + first <= 10);
                    let grew = lease.grow(then);
                    let all = if grew { then } else { first };
                    assert!(taken.fetch_add(all - first, SeqCst) + all - first <= 10);
                    taken.fetch_sub(all, SeqCst);
                }
            }
        };
        let other = loom::thread::spawn(work(4, 7));
        work(6, 9)();
        other.join().unwrap();
        assert_eq!(room.left(), 10);
    });
}

/// Bytes that are their own offsets.
#[derive(Default)]
struct Bytes {
    reads: Mutex<Vec<Range<u64>>>,
}

impl Fetch for Bytes {
    fn fetch(&self, range: Range<u64>) -> Result<Block> {
        self.reads.lock().unwrap().push(range.clone());
        // Other threads may come in between.
        loom::thread::yield_now();
        Ok(Block::from(range.map(|offset| u8::try_from(offset).unwrap()).collect::<Vec<u8>>()))
    }
}

fn page(offset: u64) -> PageLocation {
    PageLocation::new(1, false, Locator::File { offset, size: 10 })
}

/// A cluster of one column with pages of ten bytes.
fn cluster(pages: &[u64], fetch: &Arc<Bytes>, access: Access) -> Cluster {
    let pages = pages.iter().map(|offset| page(*offset)).collect();
    let columns = vec![ColumnRange::new(0, 0, pages)];
    Cluster::new(
        ClusterId(0),
        Arc::new(ClusterDescriptor::new(0, 1, columns)),
        &BTreeSet::from([ColumnId(0)]),
        Merging { gap: 0, size: 20, chunk: 100 },
        fetch.clone(),
    )
    .accessed(access)
}

fn assert_read(cluster: &Cluster, offset: u64) {
    let stored = cluster.page(&page(offset)).unwrap();
    assert!(stored.iter().map(|byte| u64::from(*byte)).eq(offset..offset + 10));
}

#[test]
fn a_merged_read_is_made_once_for_all_threads() {
    check(3, || {
        let fetch = Arc::new(Bytes::default());
        let room = Arc::new(Room::new(100));
        let access = Access { room: Some(room.clone()), ..Access::default() };
        let cluster = cluster(&[0, 10], &fetch, access);
        let other = {
            let cluster = cluster.clone();
            loom::thread::spawn(move || assert_read(&cluster, 10))
        };
        assert_read(&cluster, 0);
        other.join().unwrap();
        assert_eq!(*fetch.reads.lock().unwrap(), vec![0..20]);
        drop(cluster);
        assert_eq!(room.left(), 100);
    });
}

/// Reads that are begun ahead, by a pool, and asked for by two threads.
fn read_ahead(limit: u64, memory: u64, interruptions: usize) -> u64 {
    let most = Arc::new(AtomicU64::new(0));
    let seen = most.clone();
    check(interruptions, move || {
        let fetch = Arc::new(Bytes::default());
        let room = Arc::new(Room::new(memory));
        let ahead = ReadAhead::new(&Pool, limit, Some(room.clone()));
        let (room_of, ahead_of) = (Some(room.clone()), Some(ahead.clone()));
        let access = Access { room: room_of, ahead: ahead_of, from_start: true, ..Access::default() };
        let cluster = cluster(&[0, 50], &fetch, access);
        cluster.begin(&[0..1]);
        seen.fetch_max(ahead.in_flight(), SeqCst);
        assert!(ahead.in_flight() <= limit);
        let other = {
            let cluster = cluster.clone();
            loom::thread::spawn(move || assert_read(&cluster, 0))
        };
        assert_read(&cluster, 50);
        other.join().unwrap();
        let mut reads = std::mem::take(&mut *fetch.reads.lock().unwrap());
        reads.sort_by_key(|range| range.start);
        assert_eq!(reads, [0..10, 50..60]);
        // Nothing is in flight that no thread asks for any more.
        assert_eq!(ahead.in_flight(), 0);
        drop((cluster, ahead));
        assert_eq!(room.left(), memory);
    });
    most.load(SeqCst)
}

/// A batch that a thread of its own asks for, while two threads ask for its pages.
#[test]
fn what_is_far_away_is_asked_for_once() {
    check(2, || {
        let fetch = Arc::new(Bytes::default());
        let room = Arc::new(Room::new(100));
        let ahead = ReadAhead::far(100, Some(room.clone()));
        let (room_of, ahead_of) = (Some(room.clone()), Some(ahead.clone()));
        let access = Access { room: room_of, ahead: ahead_of, from_start: true, ..Access::default() };
        let cluster = cluster(&[0, 50], &fetch, access);
        cluster.begin(&[0..1]);
        cluster.hurry(&[0..1]);
        let other = {
            let cluster = cluster.clone();
            loom::thread::spawn(move || assert_read(&cluster, 0))
        };
        ahead.expect_more(false);
        assert_read(&cluster, 50);
        other.join().unwrap();
        let mut reads = std::mem::take(&mut *fetch.reads.lock().unwrap());
        reads.sort_by_key(|range| range.start);
        assert_eq!(reads, [0..10, 50..60]);
        assert_eq!(ahead.in_flight(), 0);
        drop((cluster, ahead));
        assert_eq!(room.left(), 100);
    });
}

#[test]
fn what_is_read_ahead_is_read_once_within_its_bounds() {
    assert_eq!(read_ahead(20, 100, 2), 20);
    // There is room for one of them, or memory for one.
    assert_eq!(read_ahead(10, 100, 2), 10);
    assert_eq!(read_ahead(20, 10, 2), 10);
}
