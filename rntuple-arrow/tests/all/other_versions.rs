//! Batches for crates that have another version of Arrow: they go there over its C data interface, without a copy.
#![allow(unsafe_code, reason = "the C data interface is one of raw pointers")]
#![allow(
    deprecated,
    reason = "version 60 has another name for the reader of streams, which 58 does not know"
)]

use arrow_array::RecordBatchReader;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use rntuple_arrow::{ArrowOptions, ArrowReader, record_batch_of};

use super::typed::{Event, events};

fn reader() -> ArrowReader {
    let batch = record_batch_of::<Event>(events().as_slice(), &ArrowOptions::new()).unwrap();
    let file = super::write(&batch.schema(), &[batch]);
    ArrowReader::open(file, "Events").unwrap().batch_size(100)
}

/// What another version finds of our batches.
macro_rules! compare {
    ($arrow:ident) => {
        // ANCHOR: recipe
        // The layout of the struct is that of the C data interface, in every version.
        let mut stream = FFI_ArrowArrayStream::new(Box::new(reader()));
        let raw = (&raw mut stream).cast::<$arrow::ffi_stream::FFI_ArrowArrayStream>();
        // SAFETY: it is a stream that was made just now, and what is left of it afterwards is an empty one.
        let batches = unsafe { $arrow::ffi_stream::ArrowArrayStreamReader::from_raw(raw) }.unwrap();
        // ANCHOR_END: recipe
        let (mut rows, ours) = (0, reader());
        let names: Vec<String> = ours.schema().fields().iter().map(|field| field.name().clone()).collect();
        for (theirs, ours) in batches.zip(ours) {
            let (theirs, ours) = (theirs.unwrap(), ours.unwrap());
            rows += theirs.num_rows();
            for name in &names {
                let (theirs, ours) =
                    (theirs.column_by_name(name).unwrap(), ours.column_by_name(name).unwrap());
                assert_eq!(format!("{theirs:?}"), format!("{ours:?}"), "{name}");
            }
        }
        assert_eq!(rows, 500);
    };
}

#[test]
fn the_next_version_takes_batches() {
    compare!(arrow_array_60);
}

#[test]
fn the_version_before_takes_batches() {
    compare!(arrow_array_58);
}
