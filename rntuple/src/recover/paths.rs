//! The paths of what is saved: each ntuple needs one of its own, which a new file may have.

use std::collections::{HashMap, HashSet};

use super::ntuple::Ntuple;
use crate::root::{numbered_path, possible_path};

/// Gives each ntuple a path that no other has. Several have the same one where it is only a name, as no directory lists
/// them any more, or another one in their place. Headers have names too that no writer takes.
pub(super) fn tell_apart(ntuples: &mut [Ntuple<'_>]) {
    let mut taken = Taken::default();
    // What a directory lists keeps its path.
    for is_listed in [true, false] {
        for ntuple in ntuples.iter_mut().filter(|ntuple| ntuple.is_listed == is_listed) {
            ntuple.path = taken.free(&ntuple.path);
        }
    }
}

/// The paths so far.
#[derive(Debug, Default)]
struct Taken {
    ntuples: HashSet<String>,
    /// Directories that these are in.
    directories: HashSet<String>,
    /// By path: the last number that was added to it.
    numbers: HashMap<String, u64>,
}

impl Taken {
    /// Takes this path, or another one where that is not possible.
    fn free(&mut self, path: &str) -> String {
        let mut path = possible_path(path);
        // A name is that of a directory or of an ntuple.
        if directories(&path).any(|directory| self.ntuples.contains(directory)) {
            path = path.rsplit_once('/').map_or(path.as_str(), |(_, name)| name).to_owned();
        }
        let mut free = path.clone();
        while self.ntuples.contains(&free) || self.directories.contains(&free) {
            let number = self.numbers.entry(path.clone()).or_insert(1);
            *number += 1;
            free = numbered_path(&path, *number);
        }
        self.directories.extend(directories(&free).map(str::to_owned));
        self.ntuples.insert(free.clone());
        free
    }
}

/// The directories that a path leads through.
fn directories(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').filter_map(|(end, _)| path.get(..end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_is_possible_and_taken_once() {
        let mut taken = Taken::default();
        for (path, free) in [
            ("a/b/Events", "a/b/Events"),
            ("Events", "Events"),
            ("Events", "Events_2"),
            ("Events_2", "Events_2_2"),
            ("Events", "Events_3"),
            ("a/b/Events", "a/b/Events_2"),
            // A directory has its name for itself, and so has an ntuple.
            ("a", "a_2"),
            ("a/b", "a/b_2"),
            ("Events/x", "x"),
            ("my tuple", "my_tuple"),
            ("my.tuple", "my_tuple_2"),
        ] {
            assert_eq!(taken.free(path), free, "{path}");
        }
    }
}
