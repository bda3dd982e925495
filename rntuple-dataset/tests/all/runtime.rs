//! Data sets in a program that has a runtime, with one thread that must not wait.

use std::sync::mpsc;
use std::time::Duration;

use rntuple_dataset::{Adopt, At, Log, Source, Table};
use tokio::runtime::{Builder, Runtime};

use crate::sample::{Event, append, create, event};
use crate::store::{Fault, shelf};

fn runtime() -> Runtime {
    Builder::new_current_thread().build().unwrap()
}

#[test]
fn an_engine_opens_lists_takes_and_appends() {
    let (directory, table) = create();
    append(&table, 1, 0..20);
    table.delete_rows(&[3, 4, 11]).unwrap();
    let path = directory.path().join("new.root");
    let mut writer = rntuple::Writer::<Event>::create(&path, "Events", Default::default()).unwrap();
    (0..5).try_for_each(|number| writer.fill(&event(2, number))).unwrap();
    writer.finish().unwrap();
    let log = table.log().clone();
    runtime().block_on(async {
        let files = [Source::new(path.to_str().unwrap(), Adopt::Copy)];
        let appended = log.with_table(move |table| table.append_files(&files)).await.unwrap();
        let snapshot = log.snapshot(&At::Latest).await.unwrap();
        assert_eq!((snapshot.version(), snapshot.version()), (appended.version(), 4));
        snapshot.fetch().await.unwrap();
        let rows: Vec<u64> = snapshot.fragments().iter().map(|fragment| fragment.physical_rows).collect();
        assert_eq!(rows, [0, 20, 5]);
        let left = |position| snapshot.live_in(position).unwrap().map(|left| left.ranges().to_vec());
        assert_eq!([left(0), left(1), left(2)], [None, Some(vec![0..3, 5..11, 12..20]), None]);
        let asked = snapshot.clone();
        let taken = log.with_table(move |_| asked.take::<Event>(&[22, 0, 10])).await.unwrap();
        assert_eq!(taken, [event(2, 2), event(1, 0), event(1, 10)]);
        let error = log.with_table(move |_| snapshot.take::<Event>(&[3])).await.unwrap_err();
        assert_eq!(error.kind(), rntuple_dataset::ErrorKind::NotFound);
    });
}

#[test]
fn what_was_fetched_is_not_asked_for_again() {
    let (store, location) = shelf("fetched");
    let table = Table::create_in::<Event>(Log::new(location), "Events").unwrap();
    append(&table, 1, 0..20);
    table.delete_rows(&[3, 4, 11]).unwrap();
    let log = table.log().clone();
    runtime().block_on(async {
        let snapshot = log.snapshot(&At::Latest).await.unwrap();
        store.fail(1, Fault::Fails);
        assert!(snapshot.fetch().await.is_err());
        snapshot.fetch().await.unwrap();
        store.fail(1, Fault::Fails);
        assert_eq!(snapshot.live().unwrap().entry_count(), 17);
        assert_eq!((snapshot.entry_of(5).unwrap(), snapshot.entry_of(4).unwrap()), (Some(5), None));
        assert_eq!(snapshot.row_id(19).unwrap(), Some(19));
        snapshot.fetch().await.unwrap();
        assert!(store.heal(), "the store was asked");
    });
}

#[test]
fn the_runtime_goes_on_while_a_table_waits() {
    let (_directory, table) = create();
    let log = table.log().clone();
    let (sender, receiver) = mpsc::channel();
    let (waited, sent) = runtime().block_on(async {
        let wait = log.with_table(move |_| Ok(receiver.recv_timeout(Duration::from_secs(20))));
        let send = async { sender.send(7).is_ok() };
        futures_util::join!(wait, send)
    });
    assert_eq!((waited.unwrap(), sent), (Ok(7), true));
    let panicked =
        runtime().block_on(log.with_table(|_| -> rntuple_dataset::Result<()> { panic!("a mistake") }));
    assert!(panicked.unwrap_err().to_string().contains("a mistake"));
}
