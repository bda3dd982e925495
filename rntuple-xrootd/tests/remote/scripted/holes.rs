//! A file that lacks bytes is never published.

use std::io::{self, IoSlice};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rntuple::storage::WriteAt;
use rntuple::{Compression, WriteOptions, Writer};
use rntuple_xrootd::XrootdWriter;

#[cfg(feature = "object-store")]
use super::server::CLOSE;
use super::server::{MV, RM, STAT, Then, WRITE, serve};
use super::{TRACES, Trace, data, options, url};

/// The codes of all requests, in the order in which they came.
type Codes = Arc<Mutex<Vec<u16>>>;

/// A server that has no space for one of the writes.
fn serve_without_space(number: usize) -> (u16, Codes) {
    let (codes, writes) = (Codes::default(), AtomicUsize::new(0));
    let seen = codes.clone();
    let port = serve(data(), move |peer, asked| {
        seen.lock().unwrap().push(asked.code);
        if asked.code == WRITE && writes.fetch_add(1, Ordering::SeqCst) == number {
            peer.error(asked, 3009, "no space");
            return Then::Answered;
        }
        Then::Usual
    });
    (port, codes)
}

fn count(codes: &Codes, code: u16) -> usize {
    codes.lock().unwrap().iter().filter(|it| **it == code).count()
}

#[test]
fn nothing_is_written_or_published_after_a_write_that_failed() {
    for is_rescue in [false, true] {
        let (port, codes) = serve_without_space(1);
        let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
        writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
        let error = writer.flush().unwrap_err();
        assert!(error.to_string().contains("\"no space\""), "{error}");

        let check = |done: io::Result<()>| {
            let error = done.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::StorageFull, "{error}");
            let text = error.to_string();
            assert!(text.contains("an earlier write failed: ") && text.contains("\"no space\""), "{text}");
            text
        };
        check(writer.flush());
        check(writer.write_at(0, &[IoSlice::new(&data())]));
        check(writer.read_back(0, &mut [0]).map(drop));
        if is_rescue {
            let text = check(writer.publish_incomplete());
            assert!(
                text.contains(&format!("; what was written is at root://127.0.0.1:{port}//.x.")),
                "{text}"
            );
        } else {
            check(writer.publish());
        }
        drop(writer);
        // The server may come to the last of the three only now: it was on its way when the second failed.
        assert!((2..=3).contains(&count(&codes, WRITE)), "{:?}", codes.lock().unwrap());
        assert_eq!(count(&codes, MV), 0);
        assert_eq!(count(&codes, RM), usize::from(!is_rescue), "what can be rescued stays");
    }
}

/// The one that fails first is one of those that a rescue waits for.
#[test]
fn a_rescue_waits_for_all_writes() {
    let (port, codes) = serve_without_space(1);
    let mut writer = XrootdWriter::create(&url(port), &options()).unwrap();
    writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
    let error = writer.publish_incomplete().unwrap_err().to_string();
    assert!(error.contains("\"no space\"") && error.contains("; what was written is at root://"), "{error}");
    drop(writer);
    assert_eq!((count(&codes, MV), count(&codes, RM)), (0, 0));
}

/// What is left is under a hidden name, which only an error says.
#[test]
fn what_can_be_recovered_is_named_by_the_error_of_an_ntuple() {
    let (port, codes) = serve_without_space(12);
    let storage = XrootdWriter::create(&url(port), &options()).unwrap();
    let options = WriteOptions::new().compression(Compression::NONE).cluster_size(1 << 20);
    let mut writer = Writer::<Trace, _>::new(storage, "Traces", options).unwrap();
    // Whichever call hears of it first, the last one says where the file is.
    let _ = (0..TRACES).try_for_each(|number| writer.fill(&Trace::new(number)));
    let error = writer.finish().unwrap_err().to_string();
    let place = format!("; what was written is at root://127.0.0.1:{port}//.x.");
    assert!(error.contains("\"no space\"") && error.contains(&place), "{error}");
    assert_eq!((count(&codes, MV), count(&codes, RM)), (0, 0));
}

#[test]
fn a_file_that_did_not_get_its_name_may_get_it_later() {
    for is_rescue in [false, true] {
        let renamed = AtomicUsize::new(0);
        let port = serve(data(), move |peer, asked| {
            if asked.code == STAT && !String::from_utf8_lossy(&asked.payload).contains(".part") {
                peer.error(asked, 3011, "no such file");
            } else if asked.code == MV && renamed.fetch_add(1, Ordering::SeqCst) == 0 {
                peer.error(asked, 3010, "not now");
            } else {
                return Then::Usual;
            }
            Then::Answered
        });
        let mut writer = XrootdWriter::create_new(&url(port), &options()).unwrap();
        writer.write_at(0, &[IoSlice::new(&data())]).unwrap();
        let error = writer.publish().unwrap_err().to_string();
        assert!(error.contains("\"not now\"") && error.contains("; what was written is at"), "{error}");
        if is_rescue {
            writer.publish_incomplete().unwrap();
            assert!(writer.name().ends_with("//x.rescued"), "{}", writer.name());
        } else {
            writer.publish().unwrap();
        }
    }
}

/// The server takes its time to close the file, which is removed after that.
#[cfg(feature = "object-store")]
#[tokio::test]
async fn an_upload_that_is_dropped_keeps_no_task_waiting() {
    use std::time::{Duration, Instant};

    use object_store::{MultipartUpload as _, ObjectStoreExt as _, PutPayload, path::Path};
    use rntuple_xrootd::object_store::XrootdStore;

    let (codes, pause) = (Codes::default(), Duration::from_secs(4));
    let seen = codes.clone();
    let port = serve(data(), move |_, asked| {
        if asked.code == CLOSE {
            std::thread::sleep(pause);
        }
        seen.lock().unwrap().push(asked.code);
        Then::Usual
    });
    let store = XrootdStore::new(&format!("root://127.0.0.1:{port}/"), &options()).unwrap();
    let mut upload = store.put_multipart(&Path::from("x")).await.unwrap();
    upload.put_part(PutPayload::from(vec![7; 1000])).await.unwrap();
    let begun = Instant::now();
    drop(upload);
    assert!(begun.elapsed() < pause / 2, "{:?}", begun.elapsed());
    while count(&codes, RM) == 0 {
        assert!(begun.elapsed() < 6 * pause, "it is not removed");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!((count(&codes, CLOSE), count(&codes, MV)), (1, 0));
}

#[cfg(feature = "object-store")]
#[tokio::test]
async fn an_upload_is_complete_only_with_all_of_its_parts() {
    use object_store::{MultipartUpload as _, ObjectStoreExt as _, PutPayload, path::Path};
    use rntuple_xrootd::object_store::XrootdStore;

    let part = || PutPayload::from(vec![7; 1000]);
    // A part of which the future is dropped, one that fails, and none of both.
    for (is_dropped, failing) in [(true, usize::MAX), (false, 1), (false, usize::MAX)] {
        let (port, codes) = serve_without_space(failing);
        let store = XrootdStore::new(&format!("root://127.0.0.1:{port}/"), &options()).unwrap();
        let mut upload = store.put_multipart(&Path::from("x")).await.unwrap();
        upload.put_part(part()).await.unwrap();
        let second = upload.put_part(part());
        if is_dropped {
            drop(second);
        } else {
            second.await.unwrap();
        }
        upload.put_part(part()).await.unwrap();
        match upload.complete().await {
            Ok(_) => assert!(!is_dropped && failing == usize::MAX),
            Err(error) if is_dropped => {
                let text = error.to_string();
                assert!(text.contains("of the 3000 bytes of all parts, 2000 were written"), "{text}");
                upload.abort().await.unwrap();
            }
            Err(error) => {
                assert!(error.to_string().contains("\"no space\""), "{error}");
                upload.complete().await.unwrap_err();
            }
        }
        let is_complete = !is_dropped && failing == usize::MAX;
        assert_eq!((count(&codes, MV), count(&codes, RM)), if is_complete { (1, 0) } else { (0, 1) });
    }
}
