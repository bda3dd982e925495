//! Files that need each other.

use std::collections::{BTreeMap, BTreeSet};

/// The circles of a graph: sets of files of which each leads to all others, over files of the set.
pub(super) fn circles<'a>(edges: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<BTreeSet<&'a str>> {
    let mut next: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        next.entry(from).or_default().insert(to);
    }
    let reached = |from: &'a str| {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![from];
        while let Some(file) = waiting.pop() {
            waiting.extend(next.get(file).into_iter().flatten().filter(|&&to| reached.insert(to)));
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = next.keys().map(|&from| (from, reached(from))).collect();
    let leads = |from: &str, to: &str| reached.get(from).is_some_and(|reached| reached.contains(to));
    let circle = |&file: &&'a str| -> BTreeSet<&'a str> {
        next.keys().copied().filter(|other| leads(file, other) && leads(other, file)).collect()
    };
    let found: BTreeSet<BTreeSet<&str>> = next.keys().map(circle).filter(|circle| circle.len() > 1).collect();
    found.into_iter().collect()
}
