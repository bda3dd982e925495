//! The object store.

use object_store::path::Path;
use object_store::{Error, GetOptions, MultipartUpload, ObjectStore, ObjectStoreExt, PutMode, PutOptions};
use rntuple_xrootd::Options;
use rntuple_xrootd::object_store::XrootdStore;

use super::{Server, pattern};

async fn names(store: &XrootdStore, prefix: Option<&Path>) -> Vec<String> {
    use futures_util::TryStreamExt;
    let found: Vec<_> = store.list(prefix).try_collect().await.unwrap();
    let mut names: Vec<_> = found.iter().map(|meta| format!("{} {}", meta.location, meta.size)).collect();
    names.sort();
    names
}

#[tokio::test]
async fn objects_are_written_listed_and_read() {
    let Some(server) = Server::start("") else { return };
    let store = XrootdStore::new(&format!("root://127.0.0.1:{}/", server.port), &Options::new()).unwrap();
    let data = pattern(10_000_000);
    let big = Path::from("a/b/big");
    let mut upload = store.put_multipart(&big).await.unwrap();
    let parts: Vec<_> = data.chunks(3_000_000).map(|part| upload.put_part(part.to_vec().into())).collect();
    // In any order.
    for part in parts.into_iter().rev() {
        part.await.unwrap();
    }
    assert_eq!(names(&store, None).await, [""; 0], "nothing is seen before the end");
    let e_tag = upload.complete().await.unwrap().e_tag;
    assert_eq!(store.get(&big).await.unwrap().bytes().await.unwrap(), data);
    let head = store.head(&big).await.unwrap();
    assert_eq!((head.size, &head.e_tag), (data.len() as u64, &e_tag));
    assert_eq!(store.get_range(&big, 5..9_000_000).await.unwrap(), data[5..9_000_000]);
    let ranges = store.get_ranges(&big, &[1..2, 100..9000]).await.unwrap();
    assert_eq!(ranges[1], data[100..9000]);
    let matching = GetOptions::new().with_if_match(e_tag);
    assert!(store.get_opts(&big, matching).await.is_ok());
    let other = GetOptions::new().with_if_match(Some("1-2"));
    assert!(matches!(store.get_opts(&big, other).await, Err(Error::Precondition { .. })));

    let mut upload = store.put_multipart(&Path::from("a/given_up")).await.unwrap();
    upload.put_part(b"x".to_vec().into()).await.unwrap();
    upload.abort().await.unwrap();

    let small = Path::from("a/small");
    let create = || PutOptions::from(PutMode::Create);
    store.put_opts(&small, b"one".to_vec().into(), create()).await.unwrap();
    let again = store.put_opts(&small, b"two".to_vec().into(), create()).await;
    assert!(matches!(again, Err(Error::AlreadyExists { .. })), "{again:?}");
    store.put(&small, b"three".to_vec().into()).await.unwrap();

    assert_eq!(names(&store, None).await, ["a/b/big 10000000", "a/small 5"]);
    assert_eq!(names(&store, Some(&Path::from("a/b"))).await, ["a/b/big 10000000"]);
    assert_eq!(names(&store, Some(&Path::from("none"))).await, [""; 0]);
    let listed = store.list_with_delimiter(Some(&Path::from("a"))).await.unwrap();
    assert_eq!((listed.common_prefixes, listed.objects.len()), (vec![Path::from("a/b")], 1));

    store.rename(&small, &Path::from("a/moved")).await.unwrap();
    store.delete(&Path::from("a/moved")).await.unwrap();
    let gone = store.head(&Path::from("a/moved")).await;
    assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
    assert_eq!(std::fs::read_dir(server.file("a")).unwrap().count(), 1, "no part is left");
}
