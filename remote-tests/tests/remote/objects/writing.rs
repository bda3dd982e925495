//! What is written to a store is what a local file would be.

use std::fs;
use std::time::{Duration, SystemTime};

use rntuple::merge::{Input, MergeOptions, merge_files};
use rntuple::storage::WriteAt;
use rntuple::{Compression, ErrorKind, ParallelWriter, RNTuple, Reader, WriteOptions, Writer};
use rntuple_object_store::ObjectWriter;
use rntuple_remote_tests::http::FileServer;
use rntuple_remote_tests::servers::{ACCESS_KEY, SECRET_KEY};

use super::store::registered;
use super::stores::buckets;
use crate::peers::run;

/// An entry of 4 KiB.
#[derive(RNTuple, Clone, Debug, PartialEq)]
pub(super) struct Trace {
    number: u64,
    samples: Vec<u32>,
}

impl Trace {
    pub(super) fn new(number: u64) -> Self {
        let value = |sample: u64| (number * 7919 + sample * 104_729) as u32;
        Self { number, samples: (0..1022).map(value).collect() }
    }
}

/// 16 MiB: four parts.
pub(super) const COUNT: u64 = 4_096;

pub(super) fn options() -> WriteOptions {
    WriteOptions::new()
        .compression(Compression::NONE)
        .cluster_size(1 << 20)
        .timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000))
        .uuid(*b"0123456789abcdef")
}

pub(super) fn fill(writer: &mut Writer<Trace>, count: u64) -> rntuple::Result<()> {
    (0..count).try_for_each(|number| writer.fill(&Trace::new(number)))
}

pub(super) fn check(url: &str, count: u64) {
    let reader = Reader::<Trace>::open(url, "Traces").unwrap();
    let mut next = 0;
    for trace in reader.entries() {
        assert_eq!(trace.unwrap(), Trace::new(next));
        next += 1;
    }
    assert_eq!(next, count);
}

#[test]
fn objects_are_as_local_files() {
    let folder = tempfile::tempdir().unwrap();
    // In one request, in two parts, in four.
    for count in [10, 1_500, COUNT] {
        let path = folder.path().join("traces.root");
        let mut writer = Writer::<Trace>::create(&path, "Traces", options()).unwrap();
        fill(&mut writer, count).unwrap();
        writer.finish().unwrap();
        let local = fs::read(&path).unwrap();
        for bucket in buckets(&format!("writing-{count}")) {
            let _registered = registered(bucket.options());
            let url = bucket.url("a/traces.root");
            let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
            fill(&mut writer, count).unwrap();
            assert_eq!(bucket.bytes("a/traces.root"), None);
            writer.finish().unwrap();
            assert!(bucket.bytes("a/traces.root").unwrap() == local);
            assert_eq!(bucket.pending(), 0);
            check(&url, count);
        }
    }
}

#[test]
fn objects_are_replaced_when_the_new_one_is_complete() {
    for bucket in buckets("replaced") {
        let _registered = registered(bucket.options());
        let url = bucket.url("traces.root");
        let write = |count: u64, create: fn(&str, &str, WriteOptions) -> rntuple::Result<Writer<Trace>>| {
            let mut writer = create(&url, "Traces", options())?;
            fill(&mut writer, count)?;
            Ok::<_, rntuple::Error>(writer)
        };
        let create = |path: &str, name: &str, options| Writer::create(path, name, options);
        let create_new = |path: &str, name: &str, options| Writer::create_new(path, name, options);
        write(20, create_new).unwrap().finish().unwrap();
        for count in [10, 1_500] {
            let old = bucket.bytes("traces.root").unwrap();
            // Dropped, it is as if nothing had been written, also where parts were sent.
            for count in [count, COUNT] {
                let writer = write(count, create).unwrap();
                assert_eq!(bucket.pending() > 0, count == COUNT, "{count}, {}", bucket.address());
                drop(writer);
                assert!(bucket.bytes("traces.root").unwrap() == old);
                assert_eq!(bucket.pending(), 0);
            }
            let writer = write(count, create).unwrap();
            assert!(bucket.bytes("traces.root").unwrap() == old);
            writer.finish().unwrap();
            check(&url, count);
            let error = write(count, create_new).map(drop).unwrap_err();
            assert!(error.to_string().contains("exists already"), "{error}");
            assert!(error.to_string().contains(&url), "{error}");
        }
        // There is one by the time that the new one is complete.
        for count in [10, 1_500] {
            let url = bucket.url(&format!("late{count}.root"));
            let mut writer = Writer::<Trace>::create_new(&*url, "Traces", options()).unwrap();
            fill(&mut writer, count).unwrap();
            let mut other = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
            fill(&mut other, 7).unwrap();
            other.finish().unwrap();
            let error = writer.finish().unwrap_err().to_string();
            assert!(error.contains("exists already") && error.contains(&url), "{error}");
            check(&url, 7);
            assert_eq!(bucket.pending(), 0);
        }
    }
}

#[test]
fn of_many_writers_of_a_new_object_one_wins() {
    // s3s-fs looks first, and writes then.
    if let Some(bucket) = buckets("race").first() {
        for round in 0..3 {
            let key = format!("race{round}");
            let written: usize = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..6u8)
                    .map(|number| {
                        let (url, options) = (bucket.url(&key), bucket.options());
                        scope.spawn(move || {
                            let mut writer = ObjectWriter::create(&url, true, &options)?;
                            writer.write_at(0, &[std::io::IoSlice::new(&[number; 100])])?;
                            writer.publish()
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| usize::from(thread.join().unwrap().is_ok())).sum()
            });
            assert_eq!((written, bucket.bytes(&key).unwrap().len()), (1, 100), "{}", bucket.address());
        }
    }
}

#[test]
fn parallel_writers_and_merges() {
    for bucket in buckets("merged") {
        let _registered = registered(bucket.options());
        let urls = [0, 1].map(|part| bucket.url(&format!("part{part}.root")));
        for url in &urls {
            let writer = ParallelWriter::<Trace>::create(url, "Traces", options()).unwrap();
            writer
                .scope(|scope| {
                    for thread in 0..2 {
                        scope.spawn(move |context| {
                            (0..1_000).try_for_each(|number| context.fill(&Trace::new(2 * number + thread)))
                        });
                    }
                })
                .unwrap();
            assert_eq!(bucket.bytes(url.rsplit('/').next().unwrap()), None);
            writer.finish().unwrap();
            let reader = Reader::<Trace>::open(&**url, "Traces").unwrap();
            let mut traces: Vec<_> = reader.entries().map(Result::unwrap).collect();
            traces.sort_by_key(|trace| trace.number);
            assert!(traces.into_iter().eq((0..2_000).map(Trace::new)));
        }
        let inputs = || urls.each_ref().map(|url| Input::file(&**url));
        let merge_options =
            || MergeOptions::new().timestamp(SystemTime::UNIX_EPOCH).uuid(*b"0123456789abcdef");
        let out = bucket.url("all.root");
        let summary = merge_files(&inputs(), &*out, merge_options()).unwrap();
        assert_eq!(summary.entries, 4_000);
        // From URLs to a path, it is the same file.
        let folder = tempfile::tempdir().unwrap();
        let local = folder.path().join("all.root");
        merge_files(&inputs(), &local, merge_options()).unwrap();
        assert!(fs::read(&local).unwrap() == bucket.bytes("all.root").unwrap());
        assert_eq!(Reader::<Trace>::open(&*out, "Traces").unwrap().entry_count().unwrap(), 4_000);
        // What exists stays, unless it may be replaced.
        let error = merge_files(&inputs(), &*out, merge_options()).unwrap_err().to_string();
        assert!(error.contains("exist") && error.contains(&out), "{error}");
        merge_files(&inputs(), &*out, merge_options().overwrite(true)).unwrap();
        assert_eq!(bucket.pending(), 0);
    }
}

#[test]
fn what_stores_cannot_do_is_refused() {
    for bucket in buckets("refused") {
        let _registered = registered(bucket.options());
        let url = bucket.url("traces.root");
        let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
        fill(&mut writer, 1_500).unwrap();
        let error = writer.checkpoint().unwrap_err();
        let text = error.to_string();
        assert!(text.contains("checkpoints need a file") && text.contains(&url), "{text}");
        assert_eq!(bucket.bytes("traces.root"), None);
        drop(writer);
        assert_eq!((bucket.bytes("traces.root"), bucket.pending()), (None, 0));

        let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
        fill(&mut writer, 10).unwrap();
        writer.finish().unwrap();
        let error = Writer::<Trace>::append(&*url, "Traces", options()).map(drop).unwrap_err().to_string();
        assert!(error.starts_with(&url) && error.contains("written once, and not be changed"), "{error}");
        check(&url, 10);
    }
    let server = FileServer::start([("/a.root", "")]).unwrap();
    let _registered = registered(super::store::quick());
    let error = Writer::<Trace>::create(server.url("/b.root"), "Traces", options()).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    let text = error.to_string();
    assert!(text.contains("files cannot be written over HTTP") && text.contains("/b.root"), "{text}");
    assert!(server.requests().is_empty());
}

/// The server gets requests of uproot itself, for a URL that boto3 has signed.
const UPROOT: &str = r#"
import sys, boto3, botocore.config, numpy, uproot
endpoint, key, secret, bucket, name, count = sys.argv[1:]
count = int(count)
config = botocore.config.Config(signature_version="s3v4", s3={"addressing_style": "path"})
s3 = boto3.client("s3", endpoint_url=endpoint, aws_access_key_id=key, aws_secret_access_key=secret,
    region_name="us-east-1", config=config)
url = s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": name}, ExpiresIn=600)
assert url.startswith(endpoint) and "X-Amz-Signature=" in url, url
with uproot.open(url) as file:
    arrays = file["Traces"].arrays()
assert len(arrays) == count
assert arrays["number"].to_list() == list(range(count))
numbers = numpy.arange(count, dtype=numpy.uint64)[:, None] * 7919 + numpy.arange(1022, dtype=numpy.uint64)[None, :] * 104729
assert (numpy.asarray(arrays["samples"]) == numbers.astype(numpy.uint32)).all()
"#;

#[test]
fn uproot_reads_them() {
    for bucket in buckets("uproot") {
        let _registered = registered(bucket.options());
        let mut writer = Writer::<Trace>::create(bucket.url("a/traces.root"), "Traces", options()).unwrap();
        fill(&mut writer, 3_000).unwrap();
        writer.finish().unwrap();
        let endpoint = format!("http://{}", bucket.address());
        run(UPROOT, &[&endpoint, ACCESS_KEY, SECRET_KEY, &bucket.name, "a/traces.root", "3000"], &[]);
    }
}
