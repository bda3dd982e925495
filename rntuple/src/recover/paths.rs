//! The paths of what is saved: each ntuple needs one of its own.

use std::collections::{HashMap, HashSet};

use super::ntuple::Ntuple;

/// Gives each ntuple a path that no other has. Several have the same one where it is only a name, as no directory lists
/// them any more, or another one in their place.
pub(super) fn tell_apart(ntuples: &mut [Ntuple<'_>]) {
    let mut taken: HashSet<String> = HashSet::new();
    for ntuple in ntuples.iter().filter(|ntuple| ntuple.is_listed) {
        // A directory has its name for itself, too.
        taken.extend(ntuple.path.split_once('/').map(|(directory, _)| directory.to_owned()));
        taken.insert(ntuple.path.clone());
    }
    let mut numbers: HashMap<String, u64> = HashMap::new();
    for ntuple in ntuples.iter_mut().filter(|ntuple| !ntuple.is_listed) {
        let name = ntuple.path.clone();
        while !taken.insert(ntuple.path.clone()) {
            let number = numbers.entry(name.clone()).or_insert(1);
            *number += 1;
            ntuple.path = format!("{name}_{number}");
        }
    }
}
