//! Record batches as arrays of polars, over the C data interface and without a copy.

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use polars_arrow::array::{ListArray, PrimitiveArray, StructArray};
use polars_arrow::ffi::{ArrowArrayStream, ArrowArrayStreamReader};
use rntuple::storage::Memory;
use rntuple::{Compression, RNTuple, RootFile, WriteOptions, Writer};
use rntuple_arrow::ArrowReader;

#[derive(RNTuple)]
struct Event {
    met: f32,
    hits: Vec<u32>,
}

#[test]
fn polars_takes_batches() {
    let options = WriteOptions::new().compression(Compression::NONE);
    let mut writer = Writer::<Event, _>::new(Memory::new(), "Events", options).unwrap();
    for number in 0..500u16 {
        let hits = (0..u32::from(number) % 3).collect();
        writer.fill(&Event { met: f32::from(number) / 2.0, hits }).unwrap();
    }
    let file = RootFile::from_storage(writer.finish_into().unwrap().1).unwrap();
    let reader = ArrowReader::open(file, "Events").unwrap().batch_size(200);

    let mut checked = 0;
    // ANCHOR: recipe
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    // SAFETY: both are the struct of the C data interface, and it has one owner before and after.
    let stream = unsafe { std::mem::transmute::<FFI_ArrowArrayStream, ArrowArrayStream>(stream) };
    // SAFETY: it is a stream that was made just now.
    let mut batches = unsafe { ArrowArrayStreamReader::try_new(Box::new(stream)) }.unwrap();
    // ANCHOR_END: recipe
    // SAFETY: its batches are arrays of the type that it says.
    while let Some(batch) = unsafe { batches.next() } {
        let batch = batch.unwrap();
        let columns: &StructArray = batch.as_any().downcast_ref().unwrap();
        checked = check(columns, checked);
    }
    assert_eq!(checked, 500);
}

/// Compares the entries that come after so many; returns how many there were with them.
fn check(columns: &StructArray, mut number: u16) -> u16 {
    let [met, hits] = columns.values() else { panic!("{} columns", columns.values().len()) };
    let met: &PrimitiveArray<f32> = met.as_any().downcast_ref().unwrap();
    let hits: &ListArray<i64> = hits.as_any().downcast_ref().unwrap();
    for (met, hits) in met.values_iter().zip(hits.values_iter()) {
        assert_eq!(*met, f32::from(number) / 2.0);
        let hits: &PrimitiveArray<u32> = hits.as_any().downcast_ref().unwrap();
        assert!(hits.values_iter().copied().eq(0..u32::from(number) % 3));
        number += 1;
    }
    number
}
