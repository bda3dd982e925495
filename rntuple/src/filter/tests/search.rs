//! Searching by a key in a file that is sorted by it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::predicate::{Operand, Predicate};
use crate::reader::Reader;
use crate::schema::{Field, FieldType, SchemaBuilder};
use crate::storage::{Memory, ReadAt};
use crate::{Compression, Value, WriteOptions, Writer};

/// A file of which is counted what is read.
struct Counted {
    bytes: Vec<u8>,
    reads: Arc<AtomicU64>,
    read: Arc<AtomicU64>,
}

impl ReadAt for Counted {
    fn size(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.reads.fetch_add(1, Relaxed);
        self.read.fetch_add(buffer.len() as u64, Relaxed);
        self.bytes.read_at(offset, buffer)
    }
}

/// Clusters of 100 entries, sorted by run and event; a run has 3 clusters, and a page list 50.
fn write(clusters: u32) -> Vec<u8> {
    let schema = SchemaBuilder::new()
        .field(Field::new("run", FieldType::U32))
        .field(Field::new("event", FieldType::U64))
        .field(Field::new("payload", FieldType::array(FieldType::F64, 20)));
    let options = WriteOptions::new().schema(schema).statistics(true).compression(Compression::NONE);
    let mut writer = Writer::<Value, _>::new(Memory::new(), "Events", options).unwrap();
    for cluster in 0..clusters {
        for entry in 0..100 {
            let payload =
                (0..20).map(|value| Value::F64(f64::from(cluster * 31 + entry * 7 + value))).collect();
            let event = u64::from(cluster % 3 * 100 + entry);
            let row = [
                ("run", Value::U32(cluster / 3)),
                ("event", Value::U64(event)),
                ("payload", Value::List(payload)),
            ];
            writer.fill(&Value::record(row)).unwrap();
        }
        writer.commit_cluster().unwrap();
        if cluster % 50 == 49 {
            writer.commit_cluster_group().unwrap();
        }
    }
    writer.finish_into().unwrap().1.into_bytes()
}

/// Reads and bytes that finding one entry takes, and how long the file is.
fn search(clusters: u32) -> (u64, u64, u64) {
    let (reads, read) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
    let storage = Counted { bytes: write(clusters), reads: reads.clone(), read: read.clone() };
    let size = storage.size();
    let reader = Reader::<Value>::open(storage, "Events").unwrap();
    let run = clusters / 3 / 2;
    let key: Predicate = Operand::field("run").eq(run) & Operand::field("event").eq(217);
    let filtered = reader.filter(&key).unwrap();
    let found: Vec<Value> = filtered.entries().collect::<Result<_, _>>().unwrap();
    assert_eq!(found.len(), 1);
    let counters = filtered.counters();
    assert_eq!((counters.clusters.considered, counters.clusters.read()), (clusters.into(), 1));
    assert_eq!((counters.entries.read(), counters.matched), (100, 1));
    (reads.load(Relaxed), read.load(Relaxed), size)
}

#[test]
fn a_key_is_found_with_as_few_reads_in_a_larger_file() {
    let (small, large) = (search(60), search(600));
    println!("reads, bytes, size: {small:?} {large:?}");
    assert!(large.2 > 9 * small.2);
    assert!(large.0 <= small.0 + 4, "{small:?} {large:?}");
    assert!(large.1 * 20 < large.2, "{large:?}");
}
