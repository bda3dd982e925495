//! Ntuples that are added to files by ROOT.

use rntuple_tests::reference;

use super::{add, assert_kept, assert_sound, muons, open, paths, read};

#[test]
fn every_file_by_root_gets_more_ntuples() {
    for reference in reference::files("") {
        let old = std::fs::read(&reference.file).unwrap();
        // The oldest anchors cannot be read in a build without their codecs.
        let was_sound = open(&old).verify().unwrap().is_sound();
        assert!(was_sound, "{}", reference.name);
        let count = paths(&old).len();
        let once = add(old.clone(), &["ours"]);
        assert_eq!(assert_kept(&old, &once), ["ours"], "{}", reference.name);
        let twice = add(once.clone(), &["again", "sub/ours"]);
        assert_eq!(assert_kept(&once, &twice), ["again", "sub/ours"], "{}", reference.name);
        let thrice = add(twice.clone(), &["sub/again", "sub/deeper/ours", "other/ours"]);
        assert_eq!(
            assert_kept(&twice, &thrice),
            ["other/ours", "sub/again", "sub/deeper/ours"],
            "{}",
            reference.name
        );
        for path in ["ours", "again", "sub/ours", "sub/again", "sub/deeper/ours", "other/ours"] {
            assert_eq!(read::<rntuple_tests::sample::Muon>(&thrice, path), muons(path));
        }
        assert_eq!(paths(&thrice).len(), count + 6);
        let report = open(&thrice).verify().unwrap();
        assert!(report.is_sound() && report.describes_anchors, "{}: {report:?}", reference.name);
        if reference.name.contains("-v1.") {
            assert_sound(&thrice);
        }
    }
}
