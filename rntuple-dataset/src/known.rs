//! Data files that may be given a second time, by other paths.

use std::collections::{HashMap, HashSet};

use crate::format::{DataFile, DataFragment};
use crate::location::Location;
use crate::paths;

/// Data files of a data set.
pub(crate) struct KnownFiles<'a> {
    location: &'a Location,
    paths: HashSet<String>,
    /// The paths by the sizes of the files: a file of another size is another file, and where it is need not be asked.
    by_size: HashMap<u64, Vec<String>>,
}

impl<'a> KnownFiles<'a> {
    pub(crate) fn of(location: &'a Location, fragments: &[DataFragment]) -> Self {
        let mut known = Self { location, paths: HashSet::new(), by_size: HashMap::new() };
        fragments.iter().flat_map(|fragment| &fragment.files).for_each(|file| known.add(file));
        known
    }

    pub(crate) fn add(&mut self, file: &DataFile) {
        self.paths.insert(file.path.clone());
        self.by_size.entry(file.file_size_bytes).or_default().push(file.path.clone());
    }

    /// Whether a file is one of these, by its path or by another one.
    pub(crate) fn has(&self, file: &DataFile) -> bool {
        if self.paths.contains(&file.path) {
            return true;
        }
        // A size of 0 is not known.
        let sizes = [file.file_size_bytes, 0];
        let mut alike = sizes.iter().filter_map(|size| self.by_size.get(size)).flatten().peekable();
        let real = |path: &str| paths::real(&self.location.data_file(path));
        alike.peek().is_some() && {
            let wanted = real(&file.path);
            alike.any(|path| real(path) == wanted)
        }
    }
}
