//! Files by ROOT, cut short and damaged.

use rntuple::{Dataset, RootFile};
use rntuple_tests::reference;
use rntuple_tests::sample::Random;

use super::{recover, values};

/// What is saved is what the whole file has, by its entry numbers.
fn compare(whole: &RootFile, damaged: Vec<u8>) -> u64 {
    let Ok((recovery, copy)) = recover(damaged) else { return 0 };
    for ntuple in recovery.ntuples.iter().filter(|ntuple| ntuple.error.is_none()) {
        // Without its directory, an ntuple has its name alone.
        let paths: Vec<String> = whole.ntuples().unwrap().iter().map(|key| key.path()).collect();
        let same =
            paths.iter().filter(|path| **path == ntuple.path || path.ends_with(&format!("/{}", ntuple.path)));
        let all: Vec<Vec<String>> = same.map(|path| values(whole, path)).collect();
        let found = values(&copy, &ntuple.path);
        let is_same = |all: &Vec<String>| {
            let saved = ntuple.saved.iter().flat_map(|range| range.clone()).map(|entry| entry as usize);
            saved.map(|entry| all.get(entry)).eq(found.iter().map(Some))
        };
        assert!(all.iter().any(is_same), "{recovery}");
    }
    recovery.entries()
}

#[test]
fn whatever_is_saved_of_them_is_right() {
    let mut random = Random::new(3);
    let (mut files, mut whole_copies, mut partial) = (0, 0, 0);
    for reference in reference::files("") {
        let bytes = std::fs::read(&reference.file).unwrap();
        let Ok(whole) = RootFile::from_storage(bytes.clone()) else { continue };
        let ntuples = whole.ntuples().unwrap_or_default();
        let open = |path: &str| Dataset::open(&whole, path).ok();
        let is_old = |set: &Dataset| set.anchor().format_version.is_pre_release();
        if bytes.len() > 300_000
            || !ntuples.iter().all(|key| open(&key.path()).is_some_and(|set| !is_old(&set)))
        {
            continue;
        }
        files += 1;
        let entries: u64 = ntuples.iter().map(|key| open(&key.path()).unwrap().entry_count()).sum();
        whole_copies += u32::from(compare(&whole, bytes.clone()) == entries);
        for _ in 0..6 {
            let mut damaged = bytes.clone();
            if random.below(2) == 0 {
                damaged.truncate(random.below(bytes.len()));
            } else {
                let start = random.below(bytes.len());
                let end = (start + random.below(600)).min(bytes.len());
                damaged[start..end].fill(0);
            }
            partial += u32::from(compare(&whole, damaged) > 0);
        }
    }
    if files > 0 {
        assert!(whole_copies == files && partial > files, "{files} {whole_copies} {partial}");
    }
}
