//! Manifests that a loss of power has damaged.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rntuple_dataset::format::names::NamingScheme;
use rntuple_dataset::{CleanupOptions, ErrorKind, Snapshot, Table};
use tempfile::TempDir;

use crate::sample::{Event, append, create, event};

fn manifest(table: &Table, version: u64) -> PathBuf {
    Path::new(table.location().root()).join(NamingScheme::V2.manifest(version))
}

fn count(snapshot: &Snapshot) -> usize {
    snapshot.reader::<Event>().unwrap().entries().map(Result::unwrap).count()
}

fn clean_up(table: &Table) -> rntuple_dataset::Result<rntuple_dataset::Cleaned> {
    table.cleanup(&CleanupOptions::older_than(Duration::ZERO).unreferenced_after(Duration::ZERO))
}

/// A data set of four versions, the newest of which is damaged.
fn damaged(damage: impl FnOnce(Vec<u8>) -> Vec<u8>) -> (TempDir, Table) {
    let (directory, table) = create();
    append(&table, 1, 0..10);
    append(&table, 2, 0..10);
    append(&table, 3, 0..10);
    let path = manifest(&table, 4);
    let bytes = std::fs::read(&path).unwrap();
    std::fs::write(&path, damage(bytes)).unwrap();
    (directory, table)
}

#[test]
fn an_earlier_version_is_restored_where_the_newest_one_is_damaged() {
    type Damage = fn(Vec<u8>) -> Vec<u8>;
    let damages: [Damage; 3] = [
        |_| Vec::new(),
        |bytes| vec![0; bytes.len()],
        |mut bytes| {
            bytes.truncate(bytes.len() / 2);
            bytes
        },
    ];
    for damage in damages {
        let (_directory, table) = damaged(damage);
        let file = manifest(&table, 4).to_str().unwrap().to_owned();
        let append_one = || table.append::<Event>(|writer| writer.fill(&event(9, 1)));
        for error in [
            table.snapshot().unwrap_err(),
            append_one().unwrap_err(),
            table.delete_rows(&[0]).unwrap_err(),
            clean_up(&table).unwrap_err(),
        ] {
            assert_eq!(error.kind(), ErrorKind::OutOfSpec, "{error}");
            let text = error.to_string();
            assert!(text.contains(&file) && text.contains("restore an earlier one"), "{text}");
        }
        let findings = table.check(false).unwrap().findings;
        assert!(findings.len() == 1 && findings[0].version == Some(4), "{findings:?}");
        assert!(findings[0].message.contains(&file), "{findings:?}");
        // Nothing was removed.
        assert_eq!([1, 2, 3].map(|version| count(&table.at(version).unwrap())), [0, 10, 20]);
        assert_eq!(table.restore(4).unwrap_err().kind(), ErrorKind::OutOfSpec);

        let restored = table.restore(3).unwrap();
        assert_eq!((restored.version(), count(&restored)), (5, 20));
        let appended = append_one().unwrap();
        assert_eq!((appended.version(), count(&table.snapshot().unwrap())), (6, 21));
        // Version 4 gave the ids of ten rows, 20 to 29, and of a fragment, 2, which may have been noted.
        let manifest = appended.manifest();
        assert!(manifest.next_row_id > 30 && manifest.max_fragment_id > Some(3), "{manifest:?}");
        assert!(appended.fragments().last().unwrap().id > 2);
        let versions: Vec<_> = table.versions().unwrap().iter().map(|it| it.version).collect();
        assert_eq!(versions, [1, 2, 3, 5, 6]);
        assert_eq!(table.at(SystemTime::now()).unwrap().version(), 6);
        assert_eq!(table.check(true).unwrap().findings.len(), 1);

        // It is not known which files a young one needs.
        let error = table.cleanup(&CleanupOptions::older_than(Duration::from_secs(3600))).unwrap_err();
        assert!(error.kind() == ErrorKind::OutOfSpec && error.to_string().contains(&file), "{error}");
        assert_eq!(clean_up(&table).unwrap().versions, [1, 2, 3, 4, 5]);
        assert!(table.check(true).unwrap().is_sound());
        assert_eq!(count(&table.snapshot().unwrap()), 21);
    }
}

/// What the damaged version did is not known.
#[test]
fn a_program_that_began_before_a_damaged_version_does_not_commit_after_it() {
    let (_directory, table) = create();
    append(&table, 1, 0..10);
    let other = Table::open(table.location().root()).unwrap();
    let mut has_raced = false;
    let done = table.delete::<Event>(|row| {
        if !std::mem::replace(&mut has_raced, true) {
            append(&other, 2, 0..10);
            std::fs::write(manifest(&other, 3), "").unwrap();
            other.restore(2).unwrap();
        }
        row.number == 3
    });
    let error = done.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Conflict, "{error}");
    assert_eq!((table.snapshot().unwrap().version(), count(&table.snapshot().unwrap())), (4, 10));
}

/// Any number of versions that do not exist may be before the newest one.
#[test]
fn an_earlier_version_is_restored_where_the_newest_one_has_a_far_number() {
    let (_directory, table) = create();
    append(&table, 1, 0..10);
    append(&table, 2, 0..10);
    let far = 1 << 62;
    std::fs::write(manifest(&table, far), "").unwrap();
    let (sender, receiver) = std::sync::mpsc::channel();
    let restoring = table.clone();
    std::thread::spawn(move || sender.send(restoring.restore(3)));
    let restored = receiver.recv_timeout(Duration::from_secs(60)).expect("it ends").unwrap();
    assert_eq!((restored.version(), count(&restored)), (far + 1, 20));
    assert_eq!(count(&table.snapshot().unwrap()), 20);
}

/// Versions that passed over ids may be damaged as well, and the first one that gave any.
#[test]
fn ids_of_damaged_versions_are_not_given_again() {
    let (_directory, table) = create();
    let lose = |version: u64| std::fs::write(manifest(&table, version), "").unwrap();
    let append_ten = || {
        let made = append(&table, 1, 0..10);
        let (rows, fragment) = (made.manifest().next_row_id - 10, made.fragments().last().unwrap().id);
        (made.version(), rows, fragment)
    };
    let mut given = vec![append_ten()];
    lose(2);
    for _ in 0..2 {
        table.restore(1).unwrap();
        given.push(append_ten());
        given.push(append_ten());
        let newest = table.snapshot().unwrap().version();
        (newest - 2..=newest).for_each(lose);
    }
    table.restore(1).unwrap();
    given.push(append_ten());
    assert!(given.is_sorted_by(|one, next| one.1 + 10 <= next.1 && one.2 < next.2), "{given:?}");
}
