//! Lance must not take a data set of ours for one of its own, and nothing is committed that could not be read afterwards.

use std::path::Path;

use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::format::transaction::{Overwrite, UpdateBases};
use rntuple_dataset::format::{BasePath, Manifest, ManifestFile, Transaction, flags};
use rntuple_dataset::transactions::{self, NewDataset};
use rntuple_dataset::{ErrorKind, IndexOptions, Location, Log};

use crate::foreign::listing;
use crate::pylance::generated;
use crate::sample::{Event, append, create, event};

#[test]
fn pylance_refuses_our_flag_by_name() {
    let Some(generated) = generated("pylance_refuses_our_flag_by_name") else { return };
    // A whole data set of ours, and one of Lance in which only the flag is ours.
    let ours = tempfile::tempdir().unwrap();
    let transaction = Transaction::new(0, Overwrite::default());
    let file = ManifestFile::from(transactions::create(&transaction, &NewDataset::new()).unwrap());
    std::fs::create_dir(ours.path().join("_versions")).unwrap();
    std::fs::write(ours.path().join(NamingScheme::V2.manifest(1)), file.to_bytes().unwrap()).unwrap();

    // One with rows and an index, which is in front of the manifest.
    let (indexed, table) = create();
    append(&table, 1, 0..20);
    assert_eq!(table.index_bounds(&IndexOptions::new()).unwrap().indexed_fragments(), 1);

    let lance = generated.copy("storage_2.2");
    let path = lance.path().join(NamingScheme::V2.manifest(listing(lance.path()).latest().unwrap()));
    let mut file = ManifestFile::read(&std::fs::read(&path).unwrap()).unwrap();
    assert_eq!(generated.open(lance.path())["rows"], file.manifest.rows());
    file.manifest.reader_feature_flags |= flags::RNTUPLE;
    std::fs::write(&path, file.to_bytes().unwrap()).unwrap();

    for folder in [ours.path(), &indexed.path().join("events.rnds"), lance.path()] {
        let said = generated.open(folder);
        let error = said["error"].as_str().unwrap_or_else(|| panic!("{said}"));
        assert!(error.starts_with("Not supported: This dataset cannot be read by this version"), "{error}");
        let flags = error.split_once("Flags: ").and_then(|(_, rest)| rest.split(',').next());
        let said: u64 = flags.unwrap_or_else(|| panic!("{error}")).parse().unwrap();
        assert_ne!(said & flags::RNTUPLE, 0, "{error}");
    }
}

#[test]
fn we_refuse_what_lance_wrote_by_name() {
    let Some(generated) = generated("we_refuse_what_lance_wrote_by_name") else { return };
    let path = generated.dataset("storage_2.2").join(NamingScheme::V2.manifest(1));
    let file = ManifestFile::read(&std::fs::read(path).unwrap()).unwrap();
    let error = file.manifest.check_readable().unwrap_err();
    assert_eq!(error.to_string(), "the data files are of the format \"lance\", expected \"rntuple\"");
}

#[test]
fn a_version_that_needs_what_is_not_supported_is_not_committed() {
    let (_directory, table) = create();
    let base = append(&table, 1, 0..20);
    let place = BasePath { path: "/far".to_owned(), ..BasePath::default() };
    let update = Transaction::new(base.version(), UpdateBases { new_bases: vec![place.clone()] });
    let (log, manifest) = (table.log().clone(), base.manifest().clone());
    let error = rntuple_object_store::wait(async move { log.commit(update, &manifest).await }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    assert!(error.to_string().contains("base paths"), "{error}");
    let newest = table.snapshot().unwrap();
    assert_eq!((newest.version(), newest.len()), (base.version(), 20));
    append(&table, 2, 0..3);

    // Nor as the first version.
    let folder = tempfile::tempdir().unwrap();
    let log = Log::new(Location::new(folder.path().to_str().unwrap()).unwrap());
    let overwrite = Overwrite { initial_bases: vec![place], ..Overwrite::default() };
    let begin = {
        let log = log.clone();
        async move { log.begin(Transaction::new(0, overwrite)).await }
    };
    let error = rntuple_object_store::wait(begin).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported, "{error}");
    let versions = rntuple_object_store::wait(async move { log.versions().await }).unwrap();
    assert!(versions.is_empty(), "{versions:?}");
}

/// No reader would take the next number for that of a version.
#[test]
fn nothing_is_committed_after_the_version_with_the_last_number() {
    let (_directory, table) = create();
    let newest = append(&table, 1, 0..20);
    let last = (1 << 63) - 1;
    let manifest = Manifest { version: last, ..newest.manifest().clone() };
    let folder = Path::new(table.location().root());
    let path = folder.join(NamingScheme::V2.manifest(last));
    std::fs::write(&path, ManifestFile::from(manifest).to_bytes().unwrap()).unwrap();
    let transactions = || std::fs::read_dir(folder.join("_transactions")).unwrap().count();
    let before = (listing(folder), transactions());
    let error = table.append::<Event>(|writer| writer.fill(&event(2, 0))).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    assert_eq!((listing(folder), transactions()), before);
    assert_eq!((before.0.latest(), table.snapshot().unwrap().len()), (Some(last), 20));

    // Nor after one that is damaged.
    std::fs::write(&path, "").unwrap();
    let error = table.restore(newest.version()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
    assert_eq!(listing(folder), before.0);
}
