//! Programs that are interrupted and started again.

use rntuple::storage::LocalFile;
use rntuple::{Compression, ErrorKind, RNTuple, Reader, Result, RootFile, WriteOptions, Writer};
use rntuple_tests::clusters;

use super::{Event, Run, event, events, read};

#[derive(RNTuple, Clone, Debug, PartialEq)]
struct State {
    next: u64,
    random: [u64; 2],
    label: String,
}

#[test]
fn the_state_of_the_last_checkpoint_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let state = |next| State { next, random: [next, 7], label: format!("after {next}") };
    for run in 0..5 {
        let (mut writer, last) =
            Writer::<Event>::resume_with::<State>(&path, "Events", WriteOptions::new()).unwrap();
        assert_eq!(last, (run > 0).then(|| state(run * 10)));
        assert_eq!(writer.entry_count(), run * 10);
        for number in run * 10..run * 10 + 10 {
            writer.fill(&event(number)).unwrap();
        }
        writer.checkpoint_with(&state(run * 10 + 10)).unwrap();
        // This one is lost.
        writer.fill(&event(999)).unwrap();
    }
    let writer = Writer::<Event>::resume(&path, "Events", WriteOptions::new()).unwrap();
    let summary = writer.finish().unwrap();
    assert_eq!(summary.entries, 0);
    let file = RootFile::open(&path).unwrap();
    assert_eq!(read(&file, "Events"), events(50));
    let reader = Reader::<Event>::open(&file, "Events").unwrap();
    let dataset = reader.dataset(0).unwrap();
    assert!(dataset.attribute_sets().is_empty());
    // One group, since there are readers that read only the first.
    assert_eq!((dataset.cluster_groups().len(), clusters(&dataset).len()), (1, 5));
    assert!(!LocalFile::partial(&path).unwrap().exists());
}

#[test]
fn the_pages_of_what_is_resumed_count_for_a_memory_budget() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let many_pages = WriteOptions::new().compression(Compression::NONE).max_page_length(64);
    let mut writer = Writer::<Event>::create(&path, "Events", many_pages).unwrap();
    (0..40_000).for_each(|number| writer.fill(&event(number)).unwrap());
    writer.checkpoint().unwrap();
    drop(writer);
    let budget = WriteOptions::new().memory_budget(8 << 20);
    let mut writer = Writer::<Event>::resume(&path, "Events", budget).unwrap();
    for number in 40_000..40_002 {
        writer.fill(&event(number)).unwrap();
        writer.commit_cluster().unwrap();
    }
    writer.finish().unwrap();
    let dataset = Reader::<Event>::open(&path, "Events").unwrap().dataset(0).unwrap();
    // The page list of the old pages is written with the first new cluster.
    let clusters: Vec<u32> = dataset.cluster_groups().iter().map(|group| group.cluster_count).collect();
    assert_eq!(clusters, [2, 1]);
}

#[test]
fn a_checkpoint_without_a_state_is_not_taken_for_one_with() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(0)).unwrap();
    writer.checkpoint_with(&Run { number: 1 }).unwrap();
    writer.fill(&event(1)).unwrap();
    writer.checkpoint().unwrap();
    drop(writer);
    let error = Writer::<Event>::resume_with::<Run>(&path, "Events", WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("has 2 entries and no state"), "{error}");
    // Nothing was lost by trying.
    let writer = Writer::<Event>::resume(&path, "Events", WriteOptions::new()).unwrap();
    assert_eq!(writer.entry_count(), 2);
}

#[test]
fn another_type_is_refused_and_what_is_there_stays() {
    #[derive(RNTuple)]
    struct Other {
        other: f32,
    }
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    let mut writer = Writer::<Event>::create(&path, "Events", WriteOptions::new()).unwrap();
    writer.fill(&event(0)).unwrap();
    writer.checkpoint().unwrap();
    drop(writer);
    let error = Writer::<Other>::resume(&path, "Events", WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let error = Writer::<Event>::resume(&path, "Elsewhere", WriteOptions::new()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    let partial = RootFile::open(LocalFile::partial(&path).unwrap()).unwrap();
    assert_eq!(read(&partial, "Events"), events(1));
}

#[test]
fn attribute_sets_go_on() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("events.root");
    for number in 0..3u32 {
        let mut writer = Writer::<Event>::resume(&path, "Events", WriteOptions::new()).unwrap();
        let runs = writer.attributes::<Run>("Runs").unwrap();
        let range = runs.begin(&writer).unwrap();
        writer.fill(&event(number.into())).unwrap();
        range.commit(&writer, &Run { number }).unwrap();
        writer.checkpoint().unwrap();
        drop(runs);
        if number == 2 {
            writer.finish().unwrap();
        }
    }
    let reader = Reader::<Event>::open(&path, "Events").unwrap();
    let runs = reader.attributes::<Run>("Runs").unwrap();
    let runs: Vec<_> = runs
        .entries()
        .map(|run| run.map(|run| (run.range, run.value.number)))
        .collect::<Result<_>>()
        .unwrap();
    assert_eq!(runs, [(0..1, 0), (1..2, 1), (2..3, 2)]);
}
