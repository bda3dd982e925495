//! The attribute sets of an ntuple that is being written, as it sees them.

use std::collections::HashSet;
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
use crate::limits;
use crate::root::Anchor;
use crate::schema::LinkedAttributeSet;

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
    /// Reads what must be known to continue the sets of an ntuple. They may never be: what is wrong with one is an
    /// error then.
    pub(super) fn all_of(owner: &Dataset, options: &WriteOptions) -> Vec<Self> {
        let (mut names, mut room) = (HashSet::new(), Room::of(owner));
        // Of several sets of one name, the first one has it.
        let links = owner.attribute_sets().iter().filter(|link| names.insert(&*link.name));
        let read = |link: &LinkedAttributeSet, room: &mut Room| -> Result<(Draft, Known)> {
            let set = owner.linked_set(link, |anchor| room.take(anchor))?;
            let (known, existing, options) = Known::read(&set, options_of_set(options), Clusters::Stay)?;
            Ok((Draft::existing_set(owner.path(), &link.name, options, existing)?, known))
        };
        links.map(|link| Self { name: link.name.clone(), state: read(link, &mut room) }).collect()
    }
}

/// What the sets of an ntuple may take together, as all of them stay in memory. A few bytes could otherwise link one
/// long schema thousands of times.
struct Room {
    /// Offsets of the headers of the ntuple and of the sets so far.
    headers: HashSet<u64>,
    /// Bytes of headers and footers: of all sets, and of those that may still come.
    most: u64,
    left: u64,
}

impl Room {
    fn of(owner: &Dataset) -> Self {
        let file = owner.file();
        let most = file.limits().envelopes_of(file.end());
        Self { headers: HashSet::from([owner.anchor().header.offset]), most, left: most }
    }

    /// Makes room for one more set.
    ///
    /// # Errors
    /// Its header is that of another ntuple, or all together are too long.
    fn take(&mut self, anchor: &Anchor) -> Result<()> {
        if !self.headers.insert(anchor.header.offset) {
            return Err(Error::out_of_spec("the attribute set shares its header with another ntuple"));
        }
        let length = anchor.header.length.saturating_add(anchor.footer.length);
        let Some(left) = self.left.checked_sub(length) else {
            let before = self.most - self.left;
            let found = format_args!(
                "header and footer of the attribute set have {length} bytes, after {before} of other sets"
            );
            return Err(limits::exceeded(found, self.most, "envelope_length"));
        };
        self.left = left;
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::field::{ColumnWriter, Entry, FieldBuilder, FieldWriter, WriteField};
    use crate::limits::Limits;
    use crate::schema::TypeName;
    use crate::storage::{Memory, ReadAt};
    use crate::writer::Writer;

    /// A number, whose name has this many letters.
    struct Named<const LENGTH: usize>(u8);

    impl<const LENGTH: usize> Entry for Named<LENGTH> {}

    impl<const LENGTH: usize> WriteField for Named<LENGTH> {
        type Writer = ColumnWriter<u8>;

        fn type_name() -> TypeName {
            TypeName::untyped("Named")
        }

        fn declare(field: &mut FieldBuilder<'_>) -> Self::Writer {
            field.record(&Self::type_name());
            u8::declare(&mut field.subfield(&"x".repeat(LENGTH)))
        }
    }

    impl<const LENGTH: usize> FieldWriter<Named<LENGTH>> for ColumnWriter<u8> {
        fn append(&mut self, named: &Named<LENGTH>) -> usize {
            self.push(named.0)
        }
    }

    /// Compressed, a long name takes few bytes of the file.
    #[test]
    fn sets_that_may_be_continued_share_a_limit() {
        const LONG: usize = 200_000;
        let mut writer = Writer::<Named<1>, _>::new(Memory::new(), "Events", WriteOptions::new()).unwrap();
        writer.fill(&Named(1)).unwrap();
        for name in ["a", "b", "c"] {
            writer.attributes::<Named<LONG>>(name).unwrap().add(0..1, &Named(2)).unwrap();
        }
        let storage = writer.finish_into().unwrap().1;
        // For two of the long names. The limit is in addition to 32 bytes for each byte of the file.
        let limits = Limits::new().envelope_length(500_000 - 32 * storage.size());
        let options = WriteOptions::new().limits(limits);
        let mut writer = Writer::<Named<1>, _>::append_to(storage, "Events", options).unwrap();
        for name in ["a", "b"] {
            writer.attributes::<Named<LONG>>(name).unwrap().add(0..1, &Named(3)).unwrap();
        }
        let error = writer.attributes::<Named<LONG>>("c").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(
            error.to_string().contains("attribute set c: header and footer of the attribute set"),
            "{error}"
        );
    }
}
