//! The attribute sets of an ntuple that is being written, as it sees them.

use std::sync::Arc;

use super::WriteOptions;
use super::draft::Draft;
use super::known::{Clusters, Known};
use super::ntuple::State;
use super::open_set::OpenSet;
use super::shared_file::AnyFile;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::hidden::{Hidden, discards};

/// A set is small, and comes in addition to what may need all memory: longer pages would be kept open for little.
const PAGE_LENGTH: usize = 16 << 10;
/// All open pages, however many members there are.
const PAGE_BUDGET: usize = 1 << 20;
/// Bytes of attributes after which full pages go to storage.
const WRITE_BUFFER: u64 = 64 << 10;
/// Readers take a cluster at a time.
const CLUSTER_SIZE: u64 = 16 << 20;
const CLUSTER_LENGTH: u64 = 64 << 20;

/// Sets that end with their ntuple.
#[derive(Default)]
pub(super) struct Sets {
    open: Vec<Arc<dyn OpenSet>>,
    /// Sets that the file has, and that are not continued so far.
    existing: Vec<KnownSet>,
    owner: Owner,
}

discards!(Sets);

/// A set that the file has.
pub(super) struct KnownSet {
    pub(super) name: String,
    /// What is needed to continue it; the error if that is not possible.
    pub(super) state: Result<(Draft, Known)>,
}

impl KnownSet {
    /// Reads what must be known to continue a set. It may never be: what is wrong with it is an error then.
    pub(super) fn read(owner: &Dataset, name: &str, options: &WriteOptions) -> Self {
        let state = owner.attribute_set(name).and_then(|set| {
            let (known, existing, options) = Known::read(&set, options_of_set(options), Clusters::Stay)?;
            Ok((Draft::existing_set(owner.path(), name, options, existing)?, known))
        });
        Self { name: name.to_owned(), state }
    }
}

/// Which ntuple a set belongs to.
#[derive(Clone, Default)]
pub(super) struct Owner(Arc<()>);

impl PartialEq for Owner {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Sets {
    pub(super) fn new() -> Hidden<Self> {
        Self::of_existing(Vec::new())
    }

    pub(super) fn of_existing(existing: Vec<KnownSet>) -> Hidden<Self> {
        Hidden::new(Self { existing, ..Self::default() })
    }

    /// Returns what is decided of a set that the file has.
    pub(super) fn existing(&self, name: &str) -> Option<Result<&Draft>> {
        let set = self.existing.iter().find(|set| set.name == name)?;
        Some(set.state.as_ref().map(|(draft, _)| draft).map_err(Error::clone))
    }

    /// Takes a set that the file has, to continue it.
    pub(super) fn take_existing(&mut self, name: &str) -> Option<Known> {
        let position = self.existing.iter().position(|set| set.name == name && set.state.is_ok())?;
        Some(self.existing.swap_remove(position).state.ok()?.1)
    }

    pub(super) fn owner(&self) -> &Owner {
        &self.owner
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.open.iter().any(|set| set.name() == name)
    }

    pub(super) fn add(&mut self, set: Arc<dyn OpenSet>) {
        self.open.push(set);
    }

    /// Ends all sets, and links them. What goes wrong is noted, and reported when the rest is safe.
    pub(super) fn close(&mut self, ntuple: &mut State, file: &AnyFile<'_>) {
        let before = ntuple.begin_end(file);
        for set in std::mem::take(&mut self.open) {
            let written = set.close(ntuple.entry_count(), ntuple.author());
            if written.is_err() {
                ntuple.keep_checkpoint(file);
            }
            let written = written.and_then(|(link, complaint)| {
                if let Some(link) = link {
                    ntuple.link(link);
                }
                complaint
            });
            if let Err(error) = written {
                ntuple.note(error.widen(|cause| format!("attribute set {:?}: {cause}", set.name())));
            }
        }
        ntuple.end_sets(before, file);
    }
}

/// Returns how the sets of an ntuple are written.
pub(super) fn options_of_set(options: &WriteOptions) -> WriteOptions {
    let page_length = options.page_length().min(PAGE_LENGTH);
    WriteOptions {
        compression: options.compression,
        cluster_size: options.cluster_size.min(CLUSTER_SIZE),
        max_cluster_length: options.max_cluster_length.min(CLUSTER_LENGTH),
        initial_page_length: options.initial_page_length.min(page_length),
        max_page_length: Some(page_length),
        page_budget: options.page_budget.min(PAGE_BUDGET),
        write_buffer_length: Some(options.write_buffer().min(WRITE_BUFFER)),
        checksums: options.checksums,
        share_pages: options.share_pages,
        max_key_size: options.max_key_size,
        contexts: 1,
        file: options.file.clone(),
        // Wishes are for other fields, and a budget or a pool for more than this.
        ..WriteOptions::default()
    }
}
