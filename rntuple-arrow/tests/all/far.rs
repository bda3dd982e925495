//! Batches from storage that is far away.

use std::time::Duration;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, UInt64Type};
use rntuple::storage::Memory;
use rntuple::{Compression, ReadOptions, WriteOptions, Writer};
use rntuple_arrow::{ArrowOptions, ArrowReader};
use rntuple_tests::far::{Far, bytes, repeated, requests};
use rntuple_tests::sample::{Noisy, noisy};

const MIB: u64 = 1 << 20;
const COUNT: u64 = 600_000;

/// Reads a range of entries, and returns how many there were.
fn read(reader: ArrowReader, first: u64) -> u64 {
    let mut next = first;
    for batch in reader.batch_size(5_000) {
        let batch = batch.unwrap();
        let numbers = batch.column_by_name("number").unwrap().as_primitive::<UInt64Type>().values();
        assert!(numbers.iter().copied().eq(next..next + numbers.len() as u64));
        if let Some(hits) = batch.column_by_name("hits") {
            let hits = hits.as_list::<i64>();
            let sizes = hits.offsets().windows(2).map(|pair| pair[1] - pair[0]);
            assert!(sizes.eq((next..).take(numbers.len()).map(|number| (number % 20) as i64)));
            let hits = hits.values().as_primitive::<Float32Type>().values();
            assert!(hits.iter().all(|hit| hit.fract() == 0.0 && (0.0..65536.0).contains(hit)));
        }
        next += numbers.len() as u64;
    }
    next - first
}

#[test]
fn batches_ask_for_much_at_a_time_and_for_nothing_twice() {
    for cluster_size in [20 * MIB, 300_000] {
        let options = WriteOptions::new().compression(Compression::NONE).cluster_size(cluster_size);
        let mut writer = Writer::<Noisy, _>::new(Memory::new(), "Events", options).unwrap();
        writer.fill_all(&noisy(COUNT)).unwrap();
        let far = Far::new(writer.finish_into().unwrap().1, Duration::from_millis(5));
        let size = rntuple::storage::ReadAt::size(&far);
        let open = |options| {
            let reader = ArrowReader::open_with(far.clone(), "Events", options, ArrowOptions::new()).unwrap();
            far.take_calls();
            reader
        };
        let check = |size: u64, others: u64| {
            let calls = far.take_calls();
            let count = requests(&calls) as u64;
            assert!(count <= size.div_ceil(8 * MIB) + others, "{count} requests for {size} bytes");
            assert_eq!(repeated(&calls), 0);
            assert!(bytes(&calls) <= size, "{} bytes of {size}", bytes(&calls));
        };
        assert_eq!(read(open(ReadOptions::new()), 0), COUNT);
        check(size, 1);
        // A third of them, and pages at both ends.
        let some = 200_000..400_000;
        assert_eq!(read(open(ReadOptions::new()).entries(some.clone()), some.start), COUNT / 3);
        check(size / 3 + 6 * MIB, 2);
        // One column of two, whose pages are apart in large clusters: small gaps are read as well.
        assert_eq!(read(open(ReadOptions::new().fields(["number"])), 0), COUNT);
        let calls = far.take_calls();
        let most =
            if cluster_size > MIB { size.div_ceil(cluster_size) + 1 } else { size.div_ceil(8 * MIB) + 1 };
        assert!(requests(&calls) as u64 <= most, "{} requests", requests(&calls));
        assert_eq!(repeated(&calls), 0);
        assert!(bytes(&calls) < COUNT * 8 + 2 * MIB, "{} bytes", bytes(&calls));
    }
}
