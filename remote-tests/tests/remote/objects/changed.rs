//! Objects that are replaced while they are read: an error, never a mixture.

use rntuple::storage::ReadAt;
use rntuple::{ErrorKind, Reader};
use rntuple_object_store::ObjectFile;
use rntuple_remote_tests::http::{ETag, Fault, FileServer, Habits, Rule};
use rntuple_remote_tests::sample::{Event, Events};

use super::store::{Over, PATH, SAMPLE, attempt, front, moto, patient, quick, s3, sample, server};

/// A file of another size.
fn other() -> Vec<u8> {
    Events::new(8, 3_100).write().unwrap()
}

/// A file that ends before the bytes that are asked for next.
fn shorter() -> Vec<u8> {
    sample()[..1000].to_vec()
}

/// Another file of the same size.
fn same_size() -> Vec<u8> {
    let mut bytes = sample();
    bytes.reverse();
    bytes
}

/// Opens a file, replaces it, and reads.
fn assert_told(over: &Over, server: &FileServer, replacement: Vec<u8>, case: &str) {
    server.put(PATH, sample());
    let (url, options) = over.at(server.address(), &quick());
    // Before the end is read, and after it.
    for opened in [false, true] {
        let file = ObjectFile::open(&url, &options).unwrap();
        let error = if opened {
            let reader = Reader::<Event>::open(file, Events::NAME).unwrap();
            assert_eq!(reader.entry_count().unwrap(), SAMPLE.count());
            server.put(PATH, replacement.clone());
            reader.entries().find_map(Result::err).unwrap()
        } else {
            server.put(PATH, replacement.clone());
            Reader::<Event>::open(file, Events::NAME).and_then(|reader| reader.entry_count()).unwrap_err()
        };
        assert_eq!(error.kind(), ErrorKind::Io, "{case}");
        let error = error.to_string();
        assert!(error.starts_with(&url), "{case}: {error}");
        assert!(
            error.contains("the object was replaced while it was read: open it again"),
            "{case}: {error}"
        );
        server.put(PATH, sample());
        attempt(&url, &options).unwrap();
    }
}

#[test]
fn whatever_a_server_says_of_versions_is_used() {
    let server = server();
    let all = Habits::new;
    for (case, habits) in [
        ("a tag, and conditions", all()),
        ("a tag", all().conditions(false)),
        ("a tag without a date", all().last_modified(false)),
        ("a weak tag", all().e_tag(ETag::Weak).conditions(false)),
        ("a weak tag without a date", all().e_tag(ETag::Weak).last_modified(false)),
        ("a date, and conditions", all().e_tag(ETag::None)),
        ("a date", all().e_tag(ETag::None).conditions(false)),
    ] {
        server.set_habits(habits);
        assert_told(&Over::Http, &server, other(), case);
        assert_told(&Over::Http, &server, same_size(), case);
        assert_told(&Over::Http, &server, shorter(), case);
    }
    for (case, habits) in [
        ("the size", all().e_tag(ETag::None).last_modified(false)),
        ("a tag made of the size", all().e_tag(ETag::OfSize).last_modified(false)),
        ("the HTTP door of XRootD", Habits::xrootd()),
    ] {
        server.set_habits(habits);
        assert_told(&Over::Http, &server, other(), case);
        assert_told(&Over::Http, &server, shorter(), case);
    }
}

#[test]
fn what_a_server_says_of_versions_is_used_over_https() {
    let Some(over) = front().map(Over::Https) else { return };
    let server = server();
    let all = Habits::new;
    for (case, habits) in [
        ("a tag, and conditions", all()),
        ("a tag", all().conditions(false)),
        ("a date, and conditions", all().e_tag(ETag::None)),
    ] {
        server.set_habits(habits);
        assert_told(&over, &server, same_size(), case);
    }
}

/// Without a tag and a date, another object of the same size is not noticed. Its pages fail by their checksums, unless
/// they are as long and where the old ones were: then they pass. Nothing is kept of such objects by a cache.
#[test]
fn what_has_no_version_is_not_kept() {
    let server = server();
    server.set_habits(Habits::xrootd());
    let file = ObjectFile::open(&server.url(PATH), &quick()).unwrap();
    assert_eq!(file.version(), None);
    server.put(PATH, same_size());
    assert!(Reader::<Event>::open(file, Events::NAME).and_then(|reader| reader.entry_count()).is_err());
}

#[test]
fn an_object_that_is_replaced_by_a_request() {
    for over in Over::all_and_https() {
        for skip in [1, 2] {
            let server = server();
            server.add(Rule::new(Fault::Replace(other())).skip(skip).times(1));
            let error = over.attempt(server.address(), &quick()).unwrap_err();
            assert!(error.contains("the object was replaced"), "{error}");
        }
    }
}

#[test]
fn each_request_but_the_first_is_bound_to_its_version() {
    let server = server();
    for (habits, header) in
        [(Habits::new(), "if-match"), (Habits::new().e_tag(ETag::None), "if-unmodified-since")]
    {
        server.set_habits(habits);
        server.take_requests();
        attempt(&server.url(PATH), &quick()).unwrap();
        let requests = server.take_requests();
        let bound: Vec<_> = requests.iter().map(|request| request.header(header)).collect();
        let [None, Some(version), others @ ..] = &bound[..] else { panic!("{bound:?}") };
        assert!(!others.is_empty() && others.iter().all(|other| *other == Some(version)), "{bound:?}");
    }
}

/// An answer that is cut is continued by another request.
#[test]
fn what_continues_an_answer_is_of_the_same_object() {
    for over in Over::all_and_https() {
        for conditions in [true, false] {
            for (fault, is_final) in [
                (Fault::Replace(same_size()), true),
                (Fault::Replace(other()), true),
                // These are asked for once more.
                (Fault::WholeFile, false),
                (Fault::WrongRange, false),
                (Fault::ShortRange, false),
            ] {
                let server = server();
                server.set_habits(Habits::new().conditions(conditions));
                // The beginning, the end, and then pages, which are cut; then what is left of them.
                server.add(Rule::new(Fault::Truncated(1000)).skip(2).times(1));
                server.add(Rule::new(fault.clone()).skip(2).times(1));
                // Values are compared with those that were written, if there are any.
                let done = over.attempt(server.address(), &quick());
                assert!(server.requests().len() > 3);
                assert_eq!(done.is_err(), is_final, "{fault:?}, {conditions}: {done:?}");
            }
        }
    }
}

#[test]
fn an_object_that_is_removed() {
    let server = server();
    let reader =
        Reader::<Event>::open(ObjectFile::open(&server.url(PATH), &quick()).unwrap(), Events::NAME).unwrap();
    server.remove(PATH);
    let error = reader.entries().find_map(Result::err).unwrap();
    assert!(error.to_string().contains("there is no such object"), "{error}");
    // Back again, it is another one.
    server.put(PATH, other());
    assert!(reader.get(SAMPLE.count() / 2).is_err());
}

#[test]
fn objects_of_s3() {
    let Some(server) = moto() else { return };
    server.create_bucket("changed").unwrap();
    for replacement in [other(), same_size()] {
        server.put("changed", "events.root", &sample()).unwrap();
        let options = s3(&server.endpoint(), patient());
        let file = ObjectFile::open("s3://changed/events.root", &options).unwrap();
        let reader = Reader::<Event>::open(file, Events::NAME).unwrap();
        server.put("changed", "events.root", &replacement).unwrap();
        let error = reader.entries().find_map(Result::err).unwrap().to_string();
        assert!(error.contains("s3://changed/events.root: ") && error.contains("was replaced"), "{error}");
    }
}

#[cfg(feature = "s3s")]
#[test]
fn objects_of_an_s3_that_ignores_conditions() {
    let server = rntuple_remote_tests::servers::S3s::start().unwrap();
    server.create_bucket("changed").unwrap();
    server.put("changed", "events.root", &sample()).unwrap();
    let file = ObjectFile::open("s3://changed/events.root", &s3(&server.endpoint(), patient())).unwrap();
    let reader = Reader::<Event>::open(file, Events::NAME).unwrap();
    server.put("changed", "events.root", &other()).unwrap();
    let error = reader.entries().find_map(Result::err).unwrap().to_string();
    assert!(error.contains("was replaced"), "{error}");
}
