//! Files by ROOT, cut short and damaged.

use rntuple::recover::RecoverOptions;
use rntuple::schema::Locator;
use rntuple::{Dataset, RootFile};
use rntuple_tests::reference;
use rntuple_tests::sample::Random;

use super::{recover_with, values};

/// What is saved is what the whole file has, by its entry numbers.
fn compare(whole: &RootFile, damaged: Vec<u8>, options: RecoverOptions) -> u64 {
    let Ok((recovery, copy)) = recover_with(damaged, options) else { return 0 };
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
        whole_copies += u32::from(compare(&whole, bytes.clone(), RecoverOptions::new()) == entries);
        for _ in 0..6 {
            let mut damaged = bytes.clone();
            if random.below(2) == 0 {
                damaged.truncate(random.below(bytes.len()));
            } else {
                let start = random.below(bytes.len());
                let end = (start + random.below(600)).min(bytes.len());
                damaged[start..end].fill(0);
            }
            let options = RecoverOptions::new().deduce(random.below(2) == 0);
            partial += u32::from(compare(&whole, damaged, options) > 0);
        }
    }
    if files > 0 {
        assert!(whole_copies == files && partial > files, "{files} {whole_copies} {partial}");
    }
}

/// Pages of two columns of a cluster are one.
fn shares_pages(dataset: &Dataset) -> bool {
    dataset.clusters().any(|cluster| {
        let cluster = cluster.unwrap();
        let mut pages: Vec<Locator> =
            cluster.columns.iter().flat_map(|column| &column.pages).map(|page| page.locator).collect();
        let all = pages.len();
        pages.sort_by_key(|locator| format!("{locator:?}"));
        pages.dedup();
        pages.len() < all
    })
}

/// A ROOT job that died wrote no page list. Where each page is there once, the order of the pages says it all.
#[test]
fn without_a_page_list_all_is_saved_where_the_pages_fit_in_one_way() {
    let (mut all, mut none) = (Vec::new(), Vec::new());
    for reference in reference::files("") {
        let bytes = std::fs::read(&reference.file).unwrap();
        let whole = RootFile::from_storage(bytes.clone()).unwrap();
        let ntuples = whole.ntuples().unwrap_or_default();
        let Some(Ok(dataset)) = ntuples.first().map(|key| Dataset::open(&whole, &key.path())) else {
            continue;
        };
        if dataset.anchor().format_version.is_pre_release() || ntuples.len() > 1 {
            continue;
        }
        let Some(group) = dataset.cluster_groups().first() else { continue };
        let Locator::File { offset, .. } = group.page_list else { continue };
        let cut = bytes[..offset as usize].to_vec();
        assert_eq!(compare(&whole, cut.clone(), RecoverOptions::new()), 0);
        let saved = compare(&whole, cut, RecoverOptions::new().deduce(true));
        assert!(saved == 0 || saved == group.entry_count, "{}", reference.file.display());
        let name = reference.file.file_stem().unwrap().to_string_lossy().into_owned();
        let has_shared = shares_pages(&dataset);
        if saved > 0 { all.push((name, has_shared)) } else { none.push((name, has_shared)) }
    }
    assert!(all.iter().all(|(_, shared)| !shared), "{all:?}");
    if !all.is_empty() || !none.is_empty() {
        println!("saved {all:?}, not {none:?}");
        assert!(all.len() >= 10, "saved {all:?}, not {none:?}");
    }
}
