//! Uploads that fail, and what they take.

use std::time::{Duration, Instant};

use rntuple::Writer;
use rntuple_object_store::ObjectWriter;
use rntuple_remote_tests::http::{Fault as HttpFault, FileServer, Rule};
use rntuple_remote_tests::proxy::{Fault, Link, Proxy, Repeat};

use super::store::{quick, registered, s3};
use super::stores::{Network, buckets, networks};
use super::writing::{COUNT, Trace, fill, options};
use crate::memory;

use rntuple::storage::WriteAt;
use rntuple_object_store::Options;

#[test]
fn an_upload_that_fails_is_an_error() {
    for bucket in buckets("failed") {
        let proxy = Proxy::start(bucket.address(), Link::ideal()).unwrap();
        let _registered = registered(bucket.options_at(proxy.address()).retries(0));
        // The answers that are lost: to parts of the upload, and to its begin.
        for lost_at in [3_000, 3_500, 500] {
            let url = bucket.url(&format!("traces{lost_at}.root"));
            let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
            let begun = Instant::now();
            let mut failed = None;
            for number in 0..COUNT {
                if number == lost_at {
                    proxy.reset_all();
                    proxy.set(Fault::Truncate { after_bytes: 0 }, Repeat::Times(1));
                }
                if let Err(error) = writer.fill(&Trace::new(number)) {
                    failed = Some(error);
                    break;
                }
            }
            let error = match failed {
                Some(error) => {
                    drop(writer);
                    error
                }
                None => writer.finish().map(drop).unwrap_err(),
            };
            assert!(error.to_string().contains(&url), "{error}");
            proxy.clear();
            assert!(begun.elapsed() < Duration::from_secs(40));
            assert_eq!(bucket.bytes(&format!("traces{lost_at}.root")), None, "{lost_at}");
            // What is left costs money. Where the answer to its begin was lost, no one knows the name of the upload; s3s-fs
            // has no list of them, and may keep files of parts that were on their way.
            if bucket.lists_uploads() {
                assert_eq!(bucket.pending(), usize::from(lost_at == 500), "{lost_at}");
            }
        }
    }
}

#[test]
fn an_upload_that_the_server_forgets_is_an_error() {
    for bucket in buckets("forgotten") {
        let _registered = registered(bucket.options());
        let url = bucket.url("traces.root");
        let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
        fill(&mut writer, 3_000).unwrap();
        bucket.forget_uploads();
        let error = match fill(&mut writer, COUNT) {
            Ok(()) => writer.finish().map(drop).unwrap_err(),
            Err(error) => error,
        };
        let error = error.to_string();
        assert!(error.starts_with(&url) && error.contains(" of the upload: "), "{error}");
        assert!(!error.contains('<'), "{error}");
        assert_eq!(bucket.bytes("traces.root"), None);
    }
}

#[test]
fn a_network_that_fails_once_is_no_error() {
    for Network { bucket, proxy, options: options_at, .. } in networks("failed-once") {
        for fault in [
            Fault::Truncate { after_bytes: 0 },
            Fault::Cut { after_bytes: 0 },
            Fault::Stall { after_bytes: 0 },
            Fault::Refuse,
        ] {
            // A stall is waited for.
            let stall = Duration::from_secs(if matches!(fault, Fault::Stall { .. }) { 8 } else { 30 });
            let _registered = registered(options_at.clone().stall_timeout(stall));
            let occurred = proxy.counters().faults;
            let url = bucket.url("traces.root");
            let mut writer = Writer::<Trace>::create(&*url, "Traces", options()).unwrap();
            for number in 0..COUNT {
                if number == 3_000 {
                    proxy.reset_all();
                    proxy.set(fault, Repeat::Times(1));
                }
                writer.fill(&Trace::new(number)).unwrap();
            }
            writer.finish().unwrap();
            assert_eq!(proxy.counters().faults, occurred + 1, "{fault:?}");
            assert_eq!(
                rntuple::Reader::<Trace>::open(&*url, "Traces").unwrap().entry_count().unwrap(),
                COUNT
            );
            assert_eq!(bucket.pending(), 0, "{fault:?}");
        }
    }
}

/// The upload is complete, and the server does not know it any more when it is asked again.
#[test]
fn the_answer_to_the_end_of_an_upload_may_be_lost() {
    for bucket in buckets("lost-end") {
        let proxy = Proxy::start(bucket.address(), Link::ideal()).unwrap();
        let options = bucket.options_at(proxy.address());
        // Where there is nothing, where there is another object, and where there is the same one.
        for (is_new, byte) in [(true, 1), (false, 2), (false, 2)] {
            let mut writer = ObjectWriter::create(&bucket.url("a"), is_new, &options).unwrap();
            // Three parts, one of which is sent now.
            let bytes = vec![byte; 11 << 20];
            writer.write_at(0, &[std::io::IoSlice::new(&bytes)]).unwrap();
            writer.flush().unwrap();
            let occurred = proxy.counters().faults;
            proxy.set(Fault::Unanswered { request: "POST " }, Repeat::Times(1));
            writer.publish().unwrap();
            assert_eq!(proxy.counters().faults, occurred + 1);
            drop(writer);
            assert!(bucket.bytes("a").unwrap() == bytes);
            assert_eq!(bucket.pending(), 0);
            // The time of an object has whole seconds.
            std::thread::sleep(Duration::from_millis(1_100));
        }
    }
}

/// An object of one part that must be new is there, and its writer learns it by its own metadata.
#[test]
fn the_answer_to_a_new_object_may_be_lost() {
    for bucket in buckets("lost-put") {
        let proxy = Proxy::start(bucket.address(), Link::ideal()).unwrap();
        let options = bucket.options_at(proxy.address());
        for retries in [0, 2] {
            let (name, options) = (format!("a{retries}"), options.clone().retries(retries));
            let mut writer = ObjectWriter::create(&bucket.url(&name), true, &options).unwrap();
            writer.write_at(0, &[std::io::IoSlice::new(b"manifest")]).unwrap();
            proxy.set(Fault::Unanswered { request: "PUT " }, Repeat::Times(1));
            let occurred = proxy.counters().faults;
            writer.publish().unwrap();
            assert_eq!(proxy.counters().faults, occurred + 1);
            assert_eq!(bucket.bytes(&name).unwrap(), b"manifest");
        }
    }
}

/// What another writer has put is not taken for one's own, though it has the same bytes.
#[test]
fn a_new_object_of_another_writer_stays_one() {
    let server = FileServer::start([("/bucket/a.root", "manifest")]).unwrap();
    let options = s3(&server.url(""), quick().retries(0));
    // It appears after the writer has looked for it.
    server.add(Rule::new(HttpFault::status(404)).method("HEAD").times(2));
    server.add(Rule::new(HttpFault::status(412)).method("PUT"));
    let mut writer = ObjectWriter::create("s3://bucket/a.root", true, &options).unwrap();
    writer.write_at(0, &[std::io::IoSlice::new(b"manifest")]).unwrap();
    let error = writer.publish().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists, "{error}");
    let methods: Vec<_> = server.requests().iter().map(|request| request.method.clone()).collect();
    assert_eq!(methods, ["HEAD", "HEAD", "PUT", "HEAD"]);
}

#[test]
fn a_pause_that_a_server_asks_for_is_made() {
    let server = FileServer::start([("/bucket/there.root", "")]).unwrap();
    let options = s3(&server.url(""), quick());
    let write = |size: usize| {
        let begun = Instant::now();
        let mut writer = ObjectWriter::create("s3://bucket/a.root", false, &options).unwrap();
        let written = writer.write_at(0, &[std::io::IoSlice::new(&vec![7; size])]);
        let written = written.and_then(|()| writer.publish());
        assert!(begun.elapsed() >= Duration::from_secs(1), "{:?}", begun.elapsed());
        written
    };
    server.add(Rule::new(HttpFault::status(503).retry_after(1)).method("PUT").times(1));
    write(1000).unwrap();
    assert_eq!(*server.file("/bucket/a.root").unwrap(), [7; 1000]);
    // This server takes no uploads in parts: what it answers to the second attempt is the error.
    server.take_requests();
    server.add(Rule::new(HttpFault::status(503).retry_after(1)).method("POST").times(1));
    let error = write(40 << 20).unwrap_err().to_string();
    assert!(error.contains("405"), "{error}");
    assert_eq!(server.requests().iter().filter(|request| request.method == "POST").count(), 2);
}

#[test]
fn buckets_and_servers_that_are_not_there() {
    // s3s-fs makes a bucket that is not there.
    if let Some(bucket) = buckets("there").first() {
        for is_new in [false, true] {
            let writer = ObjectWriter::create("s3://not-there/a.root", is_new, &bucket.options());
            let error = writer.and_then(write_six_mib).unwrap_err().to_string();
            assert_eq!(error, "POST to begin an upload: there is no such bucket");
        }
    }
    let options = s3("http://127.0.0.1:1", quick().retries(0));
    let error = ObjectWriter::create("s3://bucket/a.root", true, &options).unwrap_err().to_string();
    assert!(error.contains("HEAD: ") && error.contains("Connection refused"), "{error}");
}

fn write_six_mib(mut writer: ObjectWriter) -> std::io::Result<()> {
    writer.write_at(0, &[std::io::IoSlice::new(&vec![1; 6 << 20])])?;
    writer.publish()
}

#[test]
fn bytes_may_be_written_in_any_order_within_the_parts_that_are_kept() {
    for bucket in buckets("order") {
        let part = 5usize << 20;
        let mut writer = ObjectWriter::create(&bucket.url("a"), false, &bucket.options()).unwrap();
        let mut expected = vec![0u8; 2 * part + 10];
        let mut write = |writer: &mut ObjectWriter, at: usize, bytes: &[u8]| {
            expected[at..at + bytes.len()].copy_from_slice(bytes);
            writer.write_at(at as u64, &[std::io::IoSlice::new(bytes)])
        };
        // Gaps are zeros; what overlaps is what was written last.
        write(&mut writer, 100, &[1; 50]).unwrap();
        write(&mut writer, 80, &[2; 40]).unwrap();
        write(&mut writer, part - 5, &[3; 10]).unwrap();
        write(&mut writer, part + 100, &[4; 10]).unwrap();
        write(&mut writer, part + 50, &[5; 60]).unwrap();
        write(&mut writer, 2 * part + 3, &[6; 7]).unwrap();
        // The first part is there until the end.
        write(&mut writer, 0, &[7; 90]).unwrap();
        let error = writer.write_at(part as u64 + 1, &[std::io::IoSlice::new(&[8])]).unwrap_err();
        assert!(error.to_string().contains("were sent already"), "{error}");
        // After an error there is no object.
        let error = writer.publish().unwrap_err();
        assert!(error.to_string().contains("an earlier write failed"), "{error}");
        drop(writer);
        assert_eq!((bucket.bytes("a"), bucket.pending()), (None, 0));

        let mut writer = ObjectWriter::create(&bucket.url("a"), false, &bucket.options()).unwrap();
        for (at, value, length) in [(100, 1, 50), (80, 2, 40), (part - 5, 3, 10), (part + 100, 4, 10)] {
            writer.write_at(at as u64, &[std::io::IoSlice::new(&vec![value; length])]).unwrap();
        }
        for (at, value, length) in [(part + 50, 5, 60), (2 * part + 3, 6, 7), (0, 7, 90)] {
            writer.write_at(at as u64, &[std::io::IoSlice::new(&vec![value; length])]).unwrap();
        }
        writer.flush().unwrap();
        writer.publish().unwrap();
        assert!(bucket.bytes("a").unwrap() == expected);
        assert_eq!(bucket.pending(), 0);
    }
}

#[test]
fn an_incomplete_object_replaces_nothing() {
    for bucket in buckets("incomplete") {
        let create = || ObjectWriter::create(&bucket.url("a"), false, &bucket.options()).unwrap();
        create().publish_incomplete().unwrap();
        assert_eq!(bucket.bytes("a"), Some(Vec::new()));
        for size in [10, 6 << 20] {
            let mut writer = create();
            writer.write_at(0, &[std::io::IoSlice::new(&vec![1; size])]).unwrap();
            let error = writer.publish_incomplete().unwrap_err();
            assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
            drop(writer);
            assert_eq!((bucket.bytes("a"), bucket.pending()), (Some(Vec::new()), 0));
        }
    }
}

#[test]
#[ignore = "a part of another test"]
fn child() {
    let Some(endpoint) = memory::target() else { return };
    let _registered = registered(s3(&endpoint, Options::new()).part_size(5 << 20));
    let mut writer = Writer::<Trace>::create("s3://memory/traces.root", "Traces", options()).unwrap();
    fill(&mut writer, 1_000).unwrap();
    memory::report(|| {
        fill(&mut writer, 20_000).unwrap();
        writer.finish().unwrap();
    });
}

#[test]
fn what_is_damaged_on_the_way_to_a_store_is_sent_again_or_is_an_error() {
    for Network { bucket, proxy, options, .. } in networks("damaged").into_iter().filter(|it| it.finds_damage)
    {
        // s3s-fs compares checksums in the code of a test, on one thread.
        let patient = Duration::from_secs(30);
        let options = options.stall_timeout(patient).timeout(2 * patient);
        // In one request, and in three parts.
        for size in [1_000_000, 11 << 20] {
            for repeat in [Repeat::Times(1), Repeat::Always] {
                let (key, bytes) = (format!("{size}-{repeat:?}"), vec![7; size]);
                let occurred = proxy.counters().faults;
                proxy.reset_all();
                proxy.set(Fault::CorruptUpload { at_byte: 500_000 }, repeat);
                let begun = Instant::now();
                let mut writer = ObjectWriter::create(&bucket.url(&key), false, &options).unwrap();
                let written = writer.write_at(0, &[std::io::IoSlice::new(&bytes)]);
                let written = written.and_then(|()| writer.publish());
                proxy.clear();
                drop(writer);
                let case = format!("{key}: {written:?}");
                assert!(begun.elapsed() < 4 * patient, "{case}: {:?}", begun.elapsed());
                assert!(proxy.counters().faults > occurred, "{case}");
                assert!(written.is_ok() || repeat == Repeat::Always, "{case}");
                assert!(bucket.bytes(&key) == written.is_ok().then_some(bytes), "{case}");
            }
        }
    }
}

/// A part takes longer than the server may be silent: the client counts from the last piece that it sent.
#[test]
fn a_part_may_take_its_time() {
    let Some(bucket) = buckets("slow").into_iter().next() else { return };
    let proxy = Proxy::start(bucket.address(), Link::ideal().bandwidth(2_500_000)).unwrap();
    let stall = Duration::from_secs(10);
    let options = bucket.options_at(proxy.address()).stall_timeout(stall).retries(0).part_size(40 << 20);
    let mut writer = ObjectWriter::create(&bucket.url("slow"), false, &options).unwrap();
    let bytes: Vec<u8> = (0..40u32 << 20).map(|at| (at % 251) as u8).collect();
    writer.write_at(0, &[std::io::IoSlice::new(&bytes)]).unwrap();
    let begun = Instant::now();
    writer.publish().unwrap();
    assert!(begun.elapsed() > Duration::from_secs(12), "the network was not slow");
    assert!(bucket.bytes("slow").unwrap() == bytes);
}

/// 80 MiB over a network that is slower than the writer. The parts of 5 MiB that wait are at most four.
#[test]
fn memory_is_bounded() {
    let Some(bucket) = buckets("memory").pop() else { return };
    let proxy = Proxy::start(bucket.address(), Link::ideal().bandwidth(40_000_000)).unwrap();
    let endpoint = format!("http://{}", proxy.address());
    let taken = memory::taken_by("objects::uploads::child", &endpoint);
    assert!(taken < 36 << 20, "{taken}");
}
