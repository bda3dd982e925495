//! Writers of all kinds take a bounded amount of memory, over a network that is slower than they are.

use std::io::IoSlice;

use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::storage::{ReadAt, WriteAt};
use rntuple::{ParallelWriter, Writer};
use rntuple_object_store::{ObjectFile, ObjectWriter, Options};
use rntuple_remote_tests::proxy::{Link, Proxy};

use super::store::{registered, s3};
use super::stores::buckets;
use super::writing::{Trace, fill, options};
use crate::memory;

/// 80 MiB, in entries of 4 KiB.
const COUNT: u64 = 20_000;

/// What connections and threads take the first time is not counted.
fn warm_up(options: &Options) {
    let mut writer = ObjectWriter::create("s3://memory/first", false, options).unwrap();
    writer.write_at(0, &[IoSlice::new(&vec![7; 11 << 20])]).unwrap();
    writer.publish().unwrap();
}

/// Registers the store of the test that this is a part of; `None` where it is a part of none.
fn store() -> Option<impl Sized> {
    let store = s3(&memory::target()?, Options::new()).part_size(5 << 20);
    let registered = registered(store.clone());
    warm_up(&store);
    Some(registered)
}

#[test]
#[ignore = "a part of another test"]
fn parallel_child() {
    let Some(_registered) = store() else { return };
    memory::report(|| {
        let writer =
            ParallelWriter::<Trace>::create("s3://memory/parallel.root", "Traces", options()).unwrap();
        writer
            .scope(|scope| {
                for thread in 0..2 {
                    scope.spawn(move |context| {
                        (0..COUNT / 2).try_for_each(|number| context.fill(&Trace::new(2 * number + thread)))
                    });
                }
            })
            .unwrap();
        writer.finish().unwrap();
    });
}

#[test]
#[ignore = "a part of another test"]
fn merge_child() {
    let Some(_registered) = store() else { return };
    let folder = tempfile::tempdir().unwrap();
    let inputs = [0, 1].map(|number| {
        let path = folder.path().join(format!("{number}.root"));
        let mut writer = Writer::<Trace>::create(&path, "Traces", options()).unwrap();
        fill(&mut writer, COUNT / 2).unwrap();
        writer.finish().unwrap();
        Input::file(path)
    });
    memory::report(|| {
        let summary = merge_files(&inputs, "s3://memory/merged.root", MergeOptions::new()).unwrap();
        assert_eq!(summary.entries, COUNT);
    });
}

/// Four parts of 5 MiB wait, or are on their way, and what is filled meanwhile is a cluster of 1 MiB or two.
fn check(child: &str, name: &str, most: usize) {
    let Some(bucket) = buckets("memory").pop() else { return };
    let proxy = Proxy::start(bucket.address(), Link::ideal().bandwidth(40_000_000)).unwrap();
    let taken = memory::taken_by(child, &format!("http://{}", proxy.address()));
    assert!(taken < most, "{taken} bytes");
    let size = ObjectFile::open(&bucket.url(name), &bucket.options()).unwrap().size();
    assert!(size > COUNT * 4000, "{size} bytes were written");
}

#[test]
fn a_parallel_writer() {
    check("objects::bounded::parallel_child", "parallel.root", 40 << 20);
}

#[test]
fn a_merge() {
    check("objects::bounded::merge_child", "merged.root", 40 << 20);
}
